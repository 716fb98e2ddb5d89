#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""connections.py IBDISSECT FOLDER: captures of `tools/guest connections` against the stories stored beside them.

The story says how an attempt to connect was made, and so its cause. `ibdissect -z cm` names the cause: one of the kinds in the
story's "why", and no other warning.
"""

import json
import pathlib
import subprocess
import sys

# Kinds of connections without a failure: the capture may have such connections besides the attempt
FINE = {"CONNECTED", "CONNECTED_BEFORE", "NO_RTU_SEEN", "DISCONNECTED", "DISCONNECTS", "SIDR_RESOLVED"}


def outcomes(program, capture):
    """The kinds of outcomes that are found, and the sentences of those that are warnings."""
    run = subprocess.run(
        [program, "-q", "-T", "json", "-z", "cm", "-r", capture], capture_output=True, text=True, check=True, timeout=60
    )
    connections = json.loads(run.stdout)["connections"]
    return {c[key]: c[f"{key}_text"] for c in connections for key in ("why", "end") if c[key]}


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    told = faults = 0
    for at in sorted(folder.glob("*.json")):
        story = json.loads(at.read_text(encoding="utf-8"))
        if "truth" not in story:
            continue
        told += 1
        found = outcomes(program, at.with_suffix(".pcap"))
        wanted = set(story["why"].split())
        wrong = not wanted & found.keys() or found.keys() - wanted - FINE
        faults += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok':4} {story['name']}: {story['truth']}")
        for kind, text in found.items():
            print(f"       {kind}: {text}")
    print(f"{told} attempts, {faults} whose cause is not named")
    return faults or not told


if __name__ == "__main__":
    sys.exit(main())
