#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios of role sm: an unmodified OpenSM passes all of them, with libumad2sim and with libibfabric-umad.so, and each spoiled
one fails exactly the scenarios about what is spoiled. IBPROOF_BIN names the folder of our programs."""
import concurrent.futures
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
ALL = bool(os.environ.get("IBPROOF_ALL"))  # every scenario for each spoiled manager, with both libraries: four minutes
OURS, STOCK = "umad:opensm", "opensm"

# For each spoiled manager the scenarios, without the area "sm.", that are about what is spoiled.
ABOUT = {
    "one-lid": {"port.lids"},
    "no-lmc": {"port.lmc"},
    "no-portinfo": {"port.lids"},
    "never-armed": {"port.active"},
    "never-active": {"port.active"},
    "never-again": {"route.returns"},
    "other-master": {"port.master", "master.takeover"},
    "small-mtu": {"port.mtu"},
    "one-lane": {"port.lanes"},
    "no-mkey": {"mkey.key"},
    "no-lease": {"mkey.lease"},
    "no-protection": {"mkey.protection"},
    "half-routes": {"route.pairs", "route.lmc"},
    "turned-routes": {"route.pairs"},
    "no-routes": {"route.pairs"},
    "frozen-routes": {"route.around"},
    "no-pkeys": {"partition.full"},
    "all-full": {"partition.limited"},
    "no-multicast": {"group.table"},
    "keeps-members": {"group.leave"},
    "never-represses": {"trap.repressed"},
    "no-state": {"master.info"},
    "no-priority": {"master.tie"},
    "no-handover": {"master.handover"},
    "other-path": {"query.path"},
    "all-well": {"group.invalid", "query.none", "query.several"},
    "all-deleted": {"group.stranger"},
    "own-signature": {"group.signature"},
    "unicast-group": {"group.create"},
    "any-key": {"query.key"},
    "shows-key": {"query.key-hidden"},
}
# Other scenarios that fail with it: they need what is spoiled, for example a route to the manager.
QUERIES = {"group.create", "group.invalid", "group.leave", "group.signature", "group.stranger", "group.table", "master.info",
           "query.key", "query.key-hidden", "query.none", "query.path", "query.several"}
AROUND = {"route.around", "route.returns"}


def needs_active():
    return scenarios() - {"port.lids", "port.lmc", "port.master"}


def also(row):
    more = {
        "one-lid": QUERIES | AROUND | {"master.handover", "port.lmc", "trap.repressed"},
        "no-lmc": {"route.lmc"},
        "no-portinfo": scenarios(),
        "never-armed": needs_active(),
        "never-active": needs_active(),
        "never-again": {"route.around"},
        "other-master": AROUND | {"master.handover", "master.tie", "trap.repressed"},
        "one-lane": AROUND,
        "half-routes": QUERIES | AROUND,
        "turned-routes": QUERIES | AROUND | {"route.lmc", "master.tie"},
        "no-routes": QUERIES | AROUND | {"route.lmc", "master.handover", "master.tie", "trap.repressed"},
        "no-pkeys": {"partition.limited"},
        "no-multicast": {"group.leave"},
        "never-represses": {"route.returns"},
        "no-state": {"master.handover"},
        "no-priority": {"master.handover", "master.info"},
    }
    return ABOUT[row] | more.get(row, set())


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
        self.assertEqual(sorted(ABOUT), sorted(spoiled()))
        self.assertEqual(set().union(*ABOUT.values()), scenarios(), "each scenario is failed by a spoiled manager")

    def test_opensm_passes(self):
        """Several at once: they wait more than they compute. A library that somebody else wrote and ours carry the same datagrams, so
        the verdicts are equal."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for results in pool.map(lambda command: self.play(f"sm:{command}", scenarios(), "-j", "4"), (STOCK, OURS)):
                self.assertEqual({name: r["verdict"] for name, r in results.items()}, dict.fromkeys(scenarios(), "PASS"), results)

    def test_one_line_says_what_is_missing(self):
        for command, says in ((("run", "sm.port.lids", "--target", "sm:no-such-program"), "there is no such program"),
                              (("run", "sm.port.lids", "--target", "spoiled:one-li:opensm"), "did you mean one-lid?"),
                              (("fuzz", "--target", "sm:opensm"), "a subnet manager has none")):
            done = subprocess.run([BIN / "ibconform", *command], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(says, done.stderr)

    def test_a_program_that_ends(self):
        """An exit code is a fault of what the user gave, a signal one of the manager."""
        self.assertEqual(self.play("sm:false", ["port.lids"])["port.lids"]["verdict"], "ERROR")
        with tempfile.TemporaryDirectory() as folder:
            crashes = pathlib.Path(folder) / "crashes"
            crashes.write_text("#!/bin/sh\nkill -SEGV $$\n")
            crashes.chmod(0o755)
            self.assertEqual(self.play(f"sm:{crashes}", ["port.lids"])["port.lids"]["verdict"], "FAIL")

    def test_not_applicable_to_the_reference(self):
        self.assertEqual(self.play("reference", ["port.lids"])["port.lids"]["verdict"], "NOT_APPLICABLE")

    def failed(self, row, command=OURS):
        """The scenarios that the spoiled manager fails; in the short form only those about it are played, and with our library, since
        libumad2sim waits longer."""
        names, bad = scenarios() if ALL else ABOUT[row], set()
        for scale in ("0.3", "1", "3"):  # on a busy machine a short time limit proves nothing
            results = self.play(f"spoiled:{row}:{command}", names, "-j", "3", "--timeout-scale", scale)
            bad |= {name for name, r in results.items() if r["verdict"] in BAD}
            names = {name for name, r in results.items() if r["verdict"] == "INCONCLUSIVE"} & (ABOUT[row] - bad)
            if not names:
                break
        return bad

    def test_spoiled_managers_fail_what_is_about_it(self):
        """IBPROOF_ALL=1: each plays every scenario, and fails those about it, and those that need it, but no other."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for row, failed in zip(ABOUT, pool.map(self.failed, ABOUT)):
                with self.subTest(row):
                    self.assertLessEqual(ABOUT[row], failed)
                    self.assertLessEqual(failed, also(row))
            for row, failed in zip(ABOUT, pool.map(lambda row: self.failed(row, STOCK), ABOUT if ALL else [])):
                with self.subTest(row, library="libumad2sim"):
                    self.assertLessEqual(ABOUT[row], failed)
                    self.assertLessEqual(failed, also(row))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
