#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""faults.py: what ibconform makes of a guest that is frozen, or killed, while it is tested. Run by `tools/guest run --
faults.py IBCONFORM`."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WIRE, AGENT = os.environ["IBPROOF_WIRE"], os.environ["IBPROOF_AGENT"]
WAIVERS = pathlib.Path(__file__).resolve().parents[3] / "conformance/waivers/rxe.json"  # its deviations without a disturbance
PROGRAM = sys.argv.pop(1)


def machine():
    """The process that runs this guest: the guest's socket is on its command line."""
    for p in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = p.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"qemu" in words[0] and any(AGENT.removeprefix("unix:").encode() in w for w in words):
            return int(p.parent.name)
    return None


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="faults")
        self.addCleanup(self.folder.cleanup)

    def play(self, do, scale):
        """Plays a group of scenarios, and calls `do` once some of them were played. Returns the report, the exit code
        and the output."""
        evidence, report = (pathlib.Path(self.folder.name) / n for n in ("evidence", "report"))
        command = [PROGRAM, "run", "rc.responder.duplicate*", "rc.responder.psn*", "--target", "live", "--wire", WIRE, "--agent", AGENT]
        command += ["--waivers", str(WAIVERS), "--timeout-scale", scale, "--evidence", str(evidence), "--json", str(report)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as p:
            until = time.monotonic() + 120  # a busy machine makes the guest slow, and its verdicts are still right
            while len(list(evidence.glob("*"))) < 4 and p.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            if p.poll() is not None:
                self.fail(f"ended before the guest was disturbed: {p.stderr.read()}")
            do()
            _, said = p.communicate(timeout=600)
        self.assertNotRegex(said, "Sanitizer|runtime error")
        return json.loads(report.read_text()), p.returncode, said

    def lost(self, report):
        """Scenarios that were not judged because the agent did not answer, so the device is not blamed."""
        self.assertEqual([(r["id"], r["finding"]) for r in report["results"] if r["verdict"] == "FAIL"], [])
        return [r["finding"]["got"] for r in report["results"] if r["verdict"] == "ERROR"]

    def test_frozen(self):
        def freeze():
            os.kill(machine(), signal.SIGSTOP)
            time.sleep(4)
            os.kill(machine(), signal.SIGCONT)
        report, code, said = self.play(freeze, "0.5")
        self.assertIn((code, said), ((0, ""), (4, "")))
        bad = self.lost(report)
        self.assertLessEqual(len(bad), 1, bad)
        for got in bad:
            self.assertRegex(got, "no answer in time; its system was up all the time")
        self.assertEqual(report["results"][-1]["verdict"], "PASS", "those behind it were played")

    def test_killed(self):
        """This test is the last one, because the guest does not come back. Each scenario reports that, and only one
        waits for it."""
        killed = []

        def kill():
            os.kill(machine(), signal.SIGKILL)
            killed.append(time.monotonic())
        report, code, said = self.play(kill, "0.1")
        self.assertEqual(code, 4)
        self.assertRegex(said, r"\Aibconform: after the last scenario: agent unix:[^\n]+\n\Z")
        bad = self.lost(report)
        self.assertRegex(bad[0], "hung up|No such file|Connection refused|nobody is at the other end|no answer in time")
        self.assertGreater(len(bad), 10)
        self.assertLess(time.monotonic() - killed[0], 40)


if __name__ == "__main__":
    unittest.main()
