# SPDX-License-Identifier: BSD-2-Clause
"""The findings of a capture, as ibdissect judges it."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Iterator, Sequence


@dataclass(frozen=True)
class Finding:
    """One packet's finding. kind: as `ibdissect -G findings` lists it. severity: the worst of the packet's findings: note, warn,
    error. causes: the frames that explain the packet's findings."""

    frame: int
    time_ns: int | None
    kind: str
    text: str
    severity: str
    clauses: tuple[str, ...]
    causes: tuple[int, ...]


class JudgeError(Exception):
    """ibdissect could not read the capture; the message says why. Findings before that have been given."""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def judge(capture: str | os.PathLike[str], options: Sequence[str] = ("-2",), program: str | None = None) -> Iterator[Finding]:
    """The findings of a capture, one by one, in constant memory. program: ibdissect; else $IBDISSECT, else from the PATH."""
    names = ("finding", "message", "clause", "severity", "cause")
    line = [program or os.environ.get("IBDISSECT") or "ibdissect", *options, "-n", "-T", "jsonl", "-Y", "infiniband.analysis.finding",
            "-e", "frame.number", "-e", "frame.time_ns", *(x for n in names for x in ("-e", "infiniband.analysis." + n)),
            "-r", os.fspath(capture)]
    with tempfile.TemporaryFile() as errors, subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors) as run:
        assert run.stdout is not None
        for text in run.stdout:
            row = json.loads(text)
            found = [_list(row.get("infiniband.analysis." + n)) for n in names]
            for kind, message in zip(found[0], found[1]):
                yield Finding(row["frame.number"], row.get("frame.time_ns"), kind, message, found[3][0], tuple(found[2]),
                              tuple(found[4]))
        if run.wait():
            errors.seek(0)
            raise JudgeError(errors.read().decode("utf-8", "replace").strip())
