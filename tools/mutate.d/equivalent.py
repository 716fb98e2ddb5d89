# SPDX-License-Identifier: BSD-2-Clause
"""The list of mutants that change nothing, though their object code differs, each with the reason.

A mutant is named by what it changes, not by its line: file, the source line without blanks at its ends, kind of change, new
text. An entry of the list is one line: these four and the reason, separated by " | ". Where no change of a line can change a result,
its kind and new text are "any"; where none in a function can (memory is only fetched early), the entry names the function instead:
file, "NAME()", reason. The list "lawful" has the same form: mutants that change what a rule leaves free, each with the rule.
"""

import re


def key(mutant, text):
    first = text.rfind(b"\n", 0, mutant.start) + 1
    last = text.find(b"\n", mutant.start)
    line = text[first:last].decode(errors="replace").strip()
    return " | ".join((mutant.file, line, mutant.operator, mutant.shown))


def function_key(mutant):
    return f"{mutant.file} | {mutant.function}()"


def line_key(key):
    """Names all changes of the line."""
    return key.rsplit(" | ", 2)[0] + " | any | any"


def names_of(mutant, key):
    """The names by which a list may have the mutant, the closest first."""
    return key, line_key(key), function_key(mutant)


def read(path):
    """key, of a mutant or of a function: reason."""
    found = {}
    if path.exists():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#") or not line.strip():
                continue
            known, _, reason = line.rpartition(" | ")
            if (known.count(" | ") < 3 and not re.fullmatch(r"\S+ \| \w+\(\)", known)) or not reason.strip():
                raise ValueError(f"{path}:{number}: file | line | kind | new text | reason, or file | function() | reason")
            found[known] = reason
    return found
