#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check from its users' point of view: its output and its exit codes. program.py PROGRAM PCAPS

samples.golden has a digest of all that it says of each sample capture, as JSON and as text. After a change that is meant:
IBPROOF_BLESS=1 program.py PROGRAM PCAPS."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PCAPS = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
GOLDEN = pathlib.Path(__file__).resolve().parent / "samples.golden"
CLEAN, HARMED = PCAPS / "rxe-rping-v6.pcap", PCAPS / "rxe-agent-bad-rkey-read.pcap"


def check(*args, cwd=None):
    run = subprocess.run([PROGRAM, "check", *map(str, args)], capture_output=True, text=True, check=False, timeout=60, cwd=cwd)
    return run.returncode, run.stdout, run.stderr


class Check(unittest.TestCase):
    def test_clean_capture_prints_nothing(self):
        self.assertEqual(check(CLEAN), (0, "", ""))
        self.assertEqual(check("--json", CLEAN), (0, "", ""))

    def test_verbose_sums_up_clean_connections(self):
        rc, out, err = check("-v", CLEAN)
        self.assertEqual((rc, err), (0, ""))
        self.assertRegex(out, r"RC \S+ QP 0x\w{6} -> \S+ QP 0x\w{6}: \d+ packets\n")
        self.assertTrue(out.endswith("0 errors, 0 warnings, 0 notes\n"), out)

    def test_finding_names_packet_flow_and_clause(self):
        rc, out, _ = check(HARMED)
        self.assertEqual(rc, 1)
        self.assertIn(f"{HARMED}: frame 2: 10.0.0.2 QP 0x000037 -> 10.0.0.1 QP 0x000037: error: nak: PSN 0x111111 is a "
                      "NAK: the responder denies the access (frame 1) [RQ-51]\n", out)
        self.assertIn("1 NAK_ACCESS; ended by frame 2\n", out)
        self.assertTrue(out.endswith("2 packets of 1 connections: 1 errors, 0 warnings, 0 notes\n"), out)

    def test_json_is_one_object_a_line(self):
        rc, out, _ = check("--json", HARMED)
        self.assertEqual(rc, 1)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["type"] for line in lines], ["finding", "connection", "connection", "totals"])
        self.assertEqual({k: lines[0][k] for k in ("frame", "analysis", "kind", "severity", "psn", "cause_frame", "src_qp")},
                         {"frame": 2, "analysis": "nak", "kind": "NAK_ACCESS", "severity": "error", "psn": 0x111111,
                          "cause_frame": 1, "src_qp": 0x37})
        self.assertEqual(lines[-1]["found"], {"NAK_ACCESS": 1})

    def test_several_files_are_one_stretch_of_time(self):
        rc, out, _ = check("-v", CLEAN, CLEAN)
        self.assertEqual(rc, 0, "the same packets at two capture points are no copies: " + out)
        rc, out, _ = check(CLEAN, HARMED)
        self.assertEqual(rc, 1)
        self.assertEqual(out.count(": frame "), 1)

    def test_cut_file_is_judged_as_far_as_it_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder, "cut.pcap")
            cut.write_bytes(HARMED.read_bytes() + b"\0" * 7)
            rc, out, err = check(cut)
        self.assertEqual(rc, 2)
        self.assertIn("NAK: the responder denies the access", out)
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("cut.pcap", err)

    def test_file_that_is_not_there(self):
        rc, out, err = check("nowhere.pcap")
        self.assertEqual((rc, out, err.count("\n")), (2, "", 1))
        rc, out, err = check("nowhere.pcap", HARMED)
        self.assertEqual((rc, err.count("\n")), (2, 1))
        self.assertIn("NAK_ACCESS", out)

    def test_every_sample_is_judged_as_before(self):
        found = []
        for path in sorted(PCAPS.iterdir()):
            if path.name.endswith((".pcap", ".pcapng", ".erf", ".gz")):
                outputs = []
                for form in (["--json"], []):
                    rc, out, err = check("-v", *form, path.name, cwd=PCAPS)
                    self.assertIn(rc, (0, 1), path)
                    self.assertEqual(err, "", path)
                    outputs.append(hashlib.sha256(out.encode()).hexdigest()[:8])
                found.append(f"{path.name} exit {rc} json {outputs[0]} text {outputs[1]}")
        if os.environ.get("IBPROOF_BLESS"):
            GOLDEN.write_text("\n".join(found) + "\n", encoding="utf-8")
        self.assertEqual(set(GOLDEN.read_text(encoding="utf-8").splitlines()) - set(found), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
