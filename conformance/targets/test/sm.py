#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios of role sm: an unmodified OpenSM passes all of them, and each spoiled one fails exactly the scenarios about what is
spoiled. IBPROOF_BIN names the folder of our programs."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(os.environ["IBPROOF_BIN"])
SOURCE = pathlib.Path(__file__).resolve().parents[3]
BAD = ("FAIL", "DEVIATES")

# Scenarios without the area "sm." that fail with each spoiled manager.
FAILS = {
    "one-lid": {"lids"},
    "no-portinfo": {"lids"},
    "never-armed": {"lids"},
    "never-active": {"lids"},
    "half-routes": {"lids"},
    "no-routes": {"lids"},
}


def spoiled():
    """The names of the table that the program has."""
    return re.findall(r"^\| `([a-z0-9-]+)` \|", (SOURCE / "docs/tables/spoiled.md").read_text(), re.M)


def scenarios():
    folder = SOURCE / "conformance/scenarios/sm"
    return {".".join(file.relative_to(folder).with_suffix("").parts) for file in folder.rglob("*.ibt")}


class Managers(unittest.TestCase):
    def play(self, target, names, *options):
        """The verdict of each scenario, by its name."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "r.json"
            done = subprocess.run([BIN / "ibconform", "run", "--target", target, "--json", report, *options,
                                   *(f"sm.{name}" for name in sorted(names))], capture_output=True, text=True, check=False)
            self.assertTrue(report.exists(), done.stderr)
            results = json.loads(report.read_text())["results"]
        return {r["id"].removeprefix("sm."): r for r in results}

    def test_the_table_here_is_that_of_the_program(self):
        self.assertEqual(sorted(FAILS), sorted(spoiled()))
        self.assertEqual(set().union(*FAILS.values()), scenarios(), "each scenario is failed by a spoiled manager")

    def test_opensm_passes(self):
        """Several at once: they wait more than they compute."""
        results = self.play("sm:opensm", scenarios(), "-j", "4")
        self.assertEqual({name: r["verdict"] for name, r in results.items()}, dict.fromkeys(scenarios(), "PASS"), results)

    def test_spoiled_managers_fail_what_is_about_it(self):
        """IBPROOF_ALL=1: each plays every scenario, and fails no other."""
        for row, fails in FAILS.items():
            with self.subTest(row):
                names = scenarios() if os.environ.get("IBPROOF_ALL") else fails
                results = self.play(f"spoiled:{row}:opensm", names, "-j", "4", "--timeout-scale", "0.2")
                self.assertEqual({name for name, r in results.items() if r["verdict"] in BAD}, fails, results)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
