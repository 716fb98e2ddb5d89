#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""JSON that ibconform prints follows docs/schemas. IBPROOF_BIN names its folder."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/lib"))
import json_schema  # noqa: E402

PROGRAM = os.path.join(os.environ["IBPROOF_BIN"], "ibconform")
SCHEMAS = ROOT / "docs/schemas"
WAIVER = [{"pattern": "rc.responder.psn-gap-one-nak", "target": "mutant:*", "statement": "RR-03", "reason": "a test", "symptom": "NAK",
           "expires": "2999-12-31", "name": "a-name"}]


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def said(self, *args):
        return json.loads(subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False, timeout=60,
                                         env={**os.environ, "IBPROOF_SCENARIOS": str(ROOT / "conformance/scenarios")}).stdout)

    def follows(self, name, value):
        self.assertEqual(json_schema.faults(value, json.loads((SCHEMAS / f"{name}.schema.json").read_text())), [])

    def report(self, name, *args):
        path = self.folder / name
        path.write_text(json.dumps(self.said("run", "rc.responder.psn-*", "rc.responder.cnp-pacing", "cm.reject", "xrc.send", "--json", "-", *args)))
        return path

    def test_report_and_diff(self):
        good = self.report("good.json")
        waivers = self.folder / "w.json"
        waivers.write_text(json.dumps(WAIVER))
        bad = self.report("bad.json", "--target", "mutant:RC-responder.gap_known=drop", "--evidence", self.folder / "evidence")
        waived = self.report("waived.json", "--target", "mutant:RC-responder.gap_known=drop", "--waivers", waivers)
        for path in (good, bad, waived):
            self.follows("report", json.loads(path.read_text()))
        for old, new in ((good, bad), (bad, waived), (waived, good), (good, good)):
            self.follows("diff", self.said("diff", "--json", old, new))

    def test_lists(self):
        self.follows("list", self.said("list", "--json"))
        self.follows("capabilities", self.said("list", "--capabilities", "--json"))
        self.follows("statements", self.said("statements", "--json"))

    def test_mutants(self):
        path = self.folder / "matrix.json"
        subprocess.run([PROGRAM, "mutants", "rc.responder.psn-gap-one-nak", "--only", "mutant:emit.aeth.*", "--out", str(path)],
                       stdout=subprocess.DEVNULL, check=False, timeout=60)
        self.follows("mutants", json.loads(path.read_text()))

    def test_a_schema_refuses(self):
        """Something else than what it describes: no schema accepts everything."""
        for path in SCHEMAS.iterdir():
            schema = json.loads(path.read_text())
            for value in ({}, [{}], [1], None, {"tool": "ibconform", "format": 2}):
                self.assertTrue(json_schema.faults(value, schema), (path.name, value))


if __name__ == "__main__":
    unittest.main()
