#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""applicable.py REPORT LEAST: for a JSON report of ibconform: the capabilities that scenarios would have needed, unexpected
results, and how many files apply. Exit code 1 when less than LEAST do, or the harness was at fault."""

import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    report = json.load(f)
out = [r for r in report["results"] if r["verdict"] in ("NOT_APPLICABLE", "UNSUPPORTED")]
lacks = collections.Counter(r["measured"] or r["verdict"] for r in out)
for why, n in lacks.most_common():
    print(f"  {n:4} left out: {why}")
for r in report["results"]:
    if r["verdict"] in ("FAIL", "XPASS", "ERROR", "INCONCLUSIVE"):
        if r["verdict"] == "XPASS":
            print(f"  XPASS {r['id']}: expected a failure that shows \"{r['waiver']['symptom']}\", got a pass")
        else:
            finding = r["finding"]
            print(f"  {r['verdict']} {r['id']}: expected {finding['expected']}, got {finding['got']} ({finding['variation']})")
applicable, errors = len(report["results"]) - len(out), report["counts"]["ERROR"]
print(f"{applicable} scenario files apply, {len(out)} do not; {errors} faults of the harness")
sys.exit(errors > 0 or applicable < int(sys.argv[2]))
