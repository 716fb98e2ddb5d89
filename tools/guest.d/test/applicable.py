#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""applicable.py PROGRAM: the lines and exit codes of ../applicable.py for reports with each unexpected verdict."""

import json
import pathlib
import subprocess
import sys
import tempfile

PASSED = {"expected": "", "got": "", "variation": ""}
FAILED = {"expected": "an ACK", "got": "nothing", "variation": "len=1"}


def result(name, verdict, finding=None, symptom=None, measured=""):
    waiver = {"symptom": symptom} if symptom else None
    return {"id": name, "verdict": verdict, "finding": finding, "waiver": waiver, "measured": measured}


CASES = [
    ([result("a", "PASS")], 0, 1, 0, ["1 scenario files apply, 0 do not; 0 faults of the harness"]),
    ([result("a", "PASS")], 0, 2, 1, ["1 scenario files apply, 0 do not; 0 faults of the harness"]),
    (
        [result("a", "FAIL", FAILED), result("b", "XPASS", PASSED, "not before"), result("c", "XFAIL", FAILED, "an ACK")],
        0,
        3,
        0,
        [
            "  FAIL a: expected an ACK, got nothing (len=1)",
            '  XPASS b: expected a failure that shows "not before", got a pass',
            "3 scenario files apply, 0 do not; 0 faults of the harness",
        ],
    ),
    (
        [
            result("a", "UNSUPPORTED", PASSED),
            result("b", "NOT_APPLICABLE", measured="no rd"),
            result("c", "NOT_APPLICABLE", measured="no rd"),
            result("d", "ERROR", FAILED),
        ],
        1,
        0,
        1,
        [
            "     2 left out: no rd",
            "     1 left out: UNSUPPORTED",
            "  ERROR d: expected an ACK, got nothing (len=1)",
            "1 scenario files apply, 3 do not; 1 faults of the harness",
        ],
    ),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        for results, errors, least, code, lines in CASES:
            report.write_text(json.dumps({"results": results, "counts": {"ERROR": errors}}), encoding="utf-8")
            run = subprocess.run([sys.executable, sys.argv[1], report, str(least)], capture_output=True, text=True, check=False)
            assert (run.returncode, run.stdout.splitlines()) == (code, lines), (run.returncode, run.stdout, run.stderr)
    print(f"{len(CASES)} reports have the lines and exit codes that they must have")


if __name__ == "__main__":
    main()
