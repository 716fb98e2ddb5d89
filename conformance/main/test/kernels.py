#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`ibconform diff` of live reports of two kernels names the deviations that FINDINGS.md says stand in one and not in the other. The reports are those
that `tools/findings --seen` kept of tools/live; `tools/test long kernels` compares new ones. IBPROOF_BIN names ibconform's folder."""
import importlib.machinery
import importlib.util
import itertools
import json
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOADER = importlib.machinery.SourceFileLoader("findings", str(ROOT / "tools/findings"))
findings = importlib.util.module_from_spec(importlib.util.spec_from_loader("findings", LOADER))
LOADER.exec_module(findings)


class Kernels(unittest.TestCase):
    def test_each_pair(self):
        kept = {kernel: findings.SEEN / f"{kernel}.json" for kernel in findings.KERNELS}
        self.assertEqual(set(kept.values()), set(findings.SEEN.iterdir()))
        for old, new in itertools.permutations(kept, 2):
            with self.subTest(f"{old} and {new}"):
                self.assertEqual(findings.diff(kept[old], kept[new]), [])

    def changed(self, kernel, change):
        told = json.loads((findings.SEEN / f"{kernel}.json").read_text())
        for row in told["results"]:
            change(row)
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.addCleanup(file.close)
        json.dump(told, file)
        file.flush()
        return pathlib.Path(file.name)

    def test_a_deviation_that_is_gone(self):
        """The page says whether both runs have the deviation or only this one; the report has a PASS."""
        def passes(row):
            if row.get("cause") in ("ack-of-what-was-never-sent", "lengths-unchecked"):
                row.update(verdict="PASS", waiver=None, finding=None)
        said = findings.diff(self.changed("6.1", passes), findings.SEEN / "7.3.json")
        self.assertEqual(sorted(x.split(":")[0] for x in said), ["ack-of-what-was-never-sent", "lengths-unchecked"])

    def test_a_deviation_that_is_new(self):
        def fails(row):
            if row["id"] == "uc.receiver.length":
                row.update(verdict="XFAIL", waiver={"pattern": "x"}, cause="lengths-unchecked")
        said = findings.diff(findings.SEEN / "6.1.json", self.changed("7.3", fails))
        self.assertEqual([x.split(":")[0] for x in said], ["lengths-unchecked"])

    def test_a_run_that_could_not_judge(self):
        """The page does not mention a deviation that the other run did not judge."""
        def fault(row):
            if row.get("cause") == "ack-of-what-was-never-sent":
                row.update(verdict="ERROR", waiver=None)
        self.assertEqual(findings.diff(self.changed("6.1", fault), findings.SEEN / "7.3.json"), [])


if __name__ == "__main__":
    unittest.main()
