#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""same_verdicts.py REPORT...: JSON reports of ibconform; prints each scenario whose verdict is not the same in all of
them, with what was found. Exit code 1 when there is one."""

import json
import sys

reports = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        reports.append({r["id"]: r for r in json.load(f)["results"]})
other = 0
for name, first in reports[0].items():
    verdicts = [(r[name]["verdict"], r[name]["counters"]) if name in r else None for r in reports]
    if len(set(verdicts)) > 1:
        other += 1
        print(f"{name}: {' '.join(v[0] if v else 'missing' for v in verdicts)}")
        for r in reports:
            finding = r.get(name, {}).get("finding")
            if finding:
                print(f"    expected {finding['expected']}, got {finding['got']} ({finding['variation']})")
print(f"{len(reports)} reports of {len(reports[0])} scenarios: {other} differ")
sys.exit(other > 0)
