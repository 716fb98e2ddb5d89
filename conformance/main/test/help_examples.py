#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The quick examples of --help do as they say. Manual pages have tools/doc-blocks. IBPROOF_BIN names the programs' folder."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ["IBPROOF_BIN"]).resolve()
HELP = ["ibdissect", "ibconform", *(f"ibconform {word}" for word in ("list", "show", "run", "statements", "mutants", "fuzz", "check", "diff"))]
# Minutes, a device, a network interface, or programs that may be missing.
NOT = re.compile(r"--target live|tcpdump|jq |^ibconform (run|mutants)$|--link all|mutants --out|mutants rc|--sample|mutant:all|--scenarios found|client.pcapng|devices")
CODES = {"ibconform run RR-04 --target 'mutant:emit.aeth.msn=+1'": 1, "ibconform fuzz --target 'mutant:emit.aeth.msn=+1' --evidence found": 1,
         "ibconform diff before.json after.json": 1, "ibconform run --rerun-failed r.json --max-failures 5": 0}


class Examples(unittest.TestCase):
    def test_each(self):
        tried = set()
        with tempfile.TemporaryDirectory() as folder:
            where = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "IBPROOF_SCENARIOS": str(ROOT / "conformance/scenarios")}
            def sh(text):
                return subprocess.run(["bash", "-c", text], cwd=folder, env=where, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=200, check=False)
            shutil.copy(ROOT / "pcaps/rxe-rping.pcap", f"{folder}/trace.pcap")
            sh("gzip -c trace.pcap >trace.pcapng.gz; ibconform run rc.responder.psn-gap-one-nak --json before.json; "
               "ibconform run rc.responder.psn-gap-one-nak --json after.json --target mutant:RC-responder.gap_known=drop; cp after.json r.json")
            for program in HELP:
                for line in sh(f"{program} --help").stdout.split("\nExamples\n")[1].splitlines():
                    command = re.split(r" {3,}| (?=what failed in)", line.strip())[0]
                    if not command.startswith("ib") or NOT.search(command) or command in tried:
                        continue
                    tried.add(command)
                    done = sh(command)
                    self.assertEqual(done.returncode, CODES.get(command, 0), (command, done.stdout[-500:], done.stderr[-500:]))
        self.assertGreaterEqual(len(tried), 15, tried)


if __name__ == "__main__":
    unittest.main()
