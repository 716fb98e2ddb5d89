#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""symbols NM LIBRARY ARCHIVE HEADERS: the shared library exports the names of core/libiba.symbols and no others.

The list has the functions and objects of the archive that an installed header declares. HEADERS is a file with an #include line for each
installed header. A new one stands in no list: the test fails until the list has it, since from then on programs may need it.
IBPROOF_BLESS=1 writes the list again. A name that is removed breaks programs, so read the diff."""
import os
import pathlib
import re
import subprocess
import sys

CORE = pathlib.Path(__file__).resolve().parents[1]
LIST = CORE / "libiba.symbols"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def defined(nm, *args):
    """Returns the names that an object or library exports."""
    out = subprocess.run([nm, "--defined-only", *args], check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in out.splitlines()]
    return {f[2].split("@")[0] for f in lines if len(f) == 3 and f[1] in "TDRBVWi"}


def declared(headers):
    """Returns all words of the installed headers, without those of comments."""
    words = set()
    for name in re.findall(r"#include <(.*)>", pathlib.Path(headers).read_text()):
        words |= set(re.findall(r"\biba_\w+", COMMENT.sub(" ", (CORE / name).read_text())))
    return words


def main():
    nm, library, archive, headers = sys.argv[1:]
    public = defined(nm, "-g", archive) & declared(headers)
    head = [line for line in LIST.read_text().splitlines() if line.startswith("#")]
    if os.environ.get("IBPROOF_BLESS"):
        LIST.write_text("\n".join(head + sorted(public)) + "\n")
        print("core/libiba.symbols written; build again")
        return 0
    listed = [line for line in LIST.read_text().splitlines() if not line.startswith("#")]
    exported = {n for n in defined(nm, "-D", library) if n.startswith("iba_")}
    faults = [f"{n}: an installed header declares it and core/libiba.symbols lacks it" for n in sorted(public - set(listed))]
    faults += [f"{n}: core/libiba.symbols lists it and no installed header declares it, or the library lacks it"
               for n in sorted(set(listed) - public)]
    faults += [f"{n}: exported and not listed" for n in sorted(exported - set(listed))]
    faults += [f"{n}: listed and not exported" for n in sorted(set(listed) - exported)]
    if listed != sorted(set(listed)):
        faults.append("core/libiba.symbols is not sorted, or has a name twice")
    print(*faults, f"{len(exported)} names exported, {len(listed)} listed", sep="\n")
    return 1 if faults or not exported else 0


if __name__ == "__main__":
    sys.exit(main())
