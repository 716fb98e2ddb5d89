#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Goldens of the sample captures.

  golden.py FOLDER bless IBDISSECT               write NAME.txt and NAME.jsonl beside every capture
  golden.py FOLDER check IBDISSECT CAPTURE FORM  compare one; prints a unified diff, exit code 1
  golden.py FOLDER generated IBPCAPS_GEN         built captures are byte for byte what the generator makes
  golden.py FOLDER listed IBDISSECT              README.md has a row for each capture, with the right number of packets
"""
import difflib
import filecmp
import pathlib
import re
import subprocess
import sys
import tempfile

ENDINGS = (".pcap.gz", ".pcapng", ".pcap", ".erf")
FORMS = {"txt": "text", "jsonl": "jsonl"}


def captures(folder):
    return sorted(p for p in folder.iterdir() if p.name.endswith(ENDINGS))


def stem(capture):
    return next(capture.name[: -len(e)] for e in ENDINGS if capture.name.endswith(e))


def said(program, capture, form):
    """The output of ibdissect, with its error messages and its exit code where it has any. Run beside the capture, so that no
    path of this machine can come in."""
    run = subprocess.run([program, "--color=never", "-T", FORMS[form], capture.name], cwd=capture.parent,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    out = run.stdout.decode("utf-8") + run.stderr.decode("utf-8")
    return out + ("exit %d\n" % run.returncode if run.returncode else "")


def bless(folder, program):
    for capture in captures(folder):
        for form in FORMS:
            (folder / (stem(capture) + "." + form)).write_text(said(program, capture, form), encoding="utf-8")
    return 0


def check(folder, program, name, form):
    golden = folder / (stem(folder / name) + "." + form)
    old = golden.read_text(encoding="utf-8") if golden.exists() else ""
    new = said(program, folder / name, form)
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), golden.name, "now", lineterm="", n=0)
    for line in list(diff)[:60]:
        print(line[:400])
    if old != new:
        print("%s differs; when the new output is right: cmake --build build/dev --target bless" % golden.name)
    return old != new


def generated(folder, program):
    bad = 0
    with tempfile.TemporaryDirectory() as fresh:
        names = subprocess.run([program, fresh], check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode().split()
        for name in names:
            old, new = folder / name, pathlib.Path(fresh) / name
            if not old.exists() or not filecmp.cmp(old, new, shallow=False):
                print("pcaps/%s is not what pcaps/gen makes; when the new one is right: cmake --build build/dev --target bless" % name)
                bad += 1
    print("%d captures made" % len(names))
    return bad != 0 or not names


def listed(folder, program):
    rows = {}
    for line in (folder / "README.md").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| `([^`]+)` \|[^|]*\| *(\d+) *\|", line)
        if row:
            rows[row[1]] = int(row[2])
    bad = 0
    for capture in captures(folder):
        packets = len((folder / (stem(capture) + ".jsonl")).read_text(encoding="utf-8").splitlines())
        if rows.pop(capture.name, None) != packets:
            print("README.md: %s: want a row that says %d packets" % (capture.name, packets))
            bad += 1
    for name in rows:
        print("README.md: %s is not there" % name)
        bad += 1
    names = {stem(c) for c in captures(folder)}
    for golden in folder.iterdir():
        if golden.suffix[1:] in FORMS and golden.stem not in names and golden.name != "CMakeLists.txt":
            print("%s belongs to no capture" % golden.name)
            bad += 1
    return bad != 0


def main(argv):
    commands = {"bless": bless, "check": check, "generated": generated, "listed": listed}
    if len(argv) < 4 or argv[2] not in commands:
        sys.exit(__doc__)
    return commands[argv[2]](pathlib.Path(argv[1]), *argv[3:])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
