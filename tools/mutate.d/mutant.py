# SPDX-License-Identifier: BSD-2-Clause
"""One mutant: a file, a place in it, and the text that replaces the text of that place."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    file: str  # below the root of the tree
    line: int
    column: int
    operator: str  # what kind of mistake
    start: int  # offsets in bytes: what is replaced
    end: int
    replacement: str
    function: str = None  # that the place is in
    # Offsets of the expression or statement around it that a running program can choose instead; None: no program can, as the
    # compiler must know it (a table, a case).
    around: tuple = None

    @property
    def name(self):
        """The same in every run of the same source."""
        return f"{self.file}:{self.line}:{self.column} {self.operator} {self.shown}"

    @property
    def id(self):
        """Differs from that of each other mutant of the same source, though two of one line may have the same name."""
        return hashlib.sha256(f"{self.file} {self.start} {self.end} {self.operator} {self.replacement}".encode()).hexdigest()[:16]

    @property
    def shown(self):
        return " ".join(self.replacement.split())[:60]

    def applied(self, text):
        """The source's bytes with the mutant in them."""
        return text[: self.start] + self.replacement.encode() + text[self.end :]

    def around_applied(self, text):
        """The expression or statement around it with the mutant in it."""
        first, last = self.around
        return (text[first : self.start] + self.replacement.encode() + text[self.end : last]).decode()
