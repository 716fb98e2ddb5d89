# SPDX-License-Identifier: BSD-2-Clause
"""The list of mutants that change nothing, though their object code differs, each with the reason.

A mutant is named by what it changes, not by its line: file, the source line without blanks at its ends, kind of change, new
text. An entry of the list is one line: these four and the reason, separated by " | ".
"""


def key(mutant, text):
    first = text.rfind(b"\n", 0, mutant.start) + 1
    last = text.find(b"\n", mutant.start)
    line = text[first:last].decode(errors="replace").strip()
    return " | ".join((mutant.file, line, mutant.operator, mutant.shown))


def read(path):
    """key: reason."""
    found = {}
    if path.exists():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#") or not line.strip():
                continue
            known, _, reason = line.rpartition(" | ")
            if known.count(" | ") < 3 or not reason.strip():
                raise ValueError(f"{path}:{number}: file | line | kind | new text | reason")
            found[known] = reason
    return found
