#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""limits.py IBDISSECT FOLDER: captures of `tools/guest traffic 'limit-*'` against what limited their sender by construction.

The story beside each capture has the limit. `ibdissect -z perf` names the largest limit of the direction of most messages.
"""

import json
import pathlib
import subprocess
import sys


def busiest(program, capture):
    run = subprocess.run(
        [program, "-q", "-T", "json", "-z", "perf", "-r", capture], capture_output=True, text=True, check=True, timeout=60
    )
    return max(json.loads(run.stdout)["directions"], key=lambda d: d["messages"])


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    told = faults = 0
    for at in sorted(folder.glob("*.json")):
        story = json.loads(at.read_text(encoding="utf-8"))
        if "limit" not in story:
            continue
        told += 1
        found = busiest(program, at.with_suffix(".pcap"))
        wrong = story["fault"] or found["limit"] != story["limit"]
        faults += bool(wrong)
        shares = sorted(((share, name) for name, share in found["shares"].items() if share), reverse=True)[:3]
        print(f"{'FAIL' if wrong else 'ok':4} {story['name']}: {story['what']}: {story['limit']}; named: "
              + ", ".join(f"{name} {100 * share:.1f} %" for share, name in shares) + (f"; {story['fault']}" if story["fault"] else ""))
    print(f"{told} captures, {faults} whose limit is not named")
    return 1 if faults or not told else 0


if __name__ == "__main__":
    sys.exit(main())
