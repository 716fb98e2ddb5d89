#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""static PROGRAM PCAPS: ibdissect-static is one file that asks for no other, and prints what the goldens of all captures have."""
import pathlib
import re
import subprocess
import sys

PROGRAM, PCAPS = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(PCAPS / "gen"))
import golden  # noqa: E402

faults = []


def expect(what, good):
    if not good:
        faults.append(what)


def run(*args):
    return subprocess.run([PROGRAM, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


headers = subprocess.run(["readelf", "-lW", PROGRAM], check=True, capture_output=True, text=True).stdout
kinds = re.findall(r"^  ([A-Z_]+) +0x", headers, re.M)
expect("no segment is loaded", "LOAD" in kinds)
expect("it asks for an interpreter", "INTERP" not in kinds)
expect("it has a dynamic section", "DYNAMIC" not in kinds)

captures = golden.captures(PCAPS)
for capture in captures:
    for form in golden.FORMS:
        want = (PCAPS / (golden.stem(capture) + "." + form)).read_text(encoding="utf-8")
        expect(f"{capture.name}: {form} differs from the golden", golden.said(PROGRAM, capture, form) == want)

expect("regular expressions", run("-r", captures[0], "-Y", 'frame.comment matches "^no.hing$"').returncode == 0)
for interface in ("no-such-interface", "dbus-system"):
    refused = run("-i", interface)
    expect(f"-i {interface}: {refused}", refused.returncode not in (0, -11) and refused.stderr.count(b"\n") == 1)

print(*faults, f"{len(captures)} captures, {len(faults)} faults", sep="\n")
sys.exit(1 if faults or len(captures) < 50 else 0)
