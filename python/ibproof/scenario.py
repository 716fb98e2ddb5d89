# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios, as ibconform plays them: the suite's own, and those of a Python program."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence


@dataclass(frozen=True)
class Scenario:
    """A scenario of the suite. clauses: ids of the statements that it checks. needs: capabilities that the device must claim."""

    id: str
    sentence: str
    clauses: tuple[str, ...]
    role: str
    needs: tuple[str, ...]
    variations: int
    path: str


@dataclass(frozen=True)
class Result:
    """A scenario's verdict. statement, expected, got, line: why it is not as expected; None and "" where it is. evidence: its pcapng, if `run`
    was given a folder for them."""

    id: str
    verdict: str
    title: str
    statement: str | None
    expected: str
    got: str
    line: int | None
    evidence: str | None

    @property
    def as_expected(self) -> bool:
        """The device did what the scenario asks, or nothing was asked of it."""
        return self.verdict in ("PASS", "INFO", "TOLERATED", "XFAIL", "NOT_APPLICABLE")


class ScenarioError(Exception):
    """ibconform refuses a scenario or an option, or could not play; the message says why, with file, line and column of each fault."""


def _ibconform(words: Sequence[str], program: str | None, good: Sequence[int]) -> Any:
    line = [program or os.environ.get("IBCONFORM") or "ibconform", *words]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode not in good or not done.stdout:
        raise ScenarioError(done.stderr.decode("utf-8", "replace").strip())
    return json.loads(done.stdout)


def scenarios(*patterns: str, program: str | None = None) -> list[Scenario]:
    """Those that a pattern selects: an id, a group of ids, a glob, or a statement's id. program: ibconform; else $IBCONFORM, else from the PATH."""
    return [Scenario(row["id"], row["sentence"], tuple(row["clause"]), row["role"], tuple(row["needs"]), row["variations"], row["path"])
            for row in _ibconform(["list", "--json", *patterns], program, (0,))]


def _result(row: Mapping[str, Any]) -> Result:
    finding = row["finding"] or {}
    return Result(row["id"], row["verdict"], row["title"], finding.get("statement"), finding.get("expected", ""), finding.get("got", ""),
                  finding.get("line"), row["evidence"])


def run(*patterns: str, target: str = "reference", options: Sequence[str] = (), program: str | None = None) -> Iterator[Result]:
    """Plays them, all without a pattern, and gives the results. options: those of `ibconform run`, for example ["--link", "all"],
    ["--evidence", "folder"], or the wire and the agent of a live target."""
    report = _ibconform(["run", "--json", "-", "--target", target, *options, *patterns], program, (0, 1, 3, 4))
    for row in report["results"]:
        yield _result(row)


def play(text: str, *, target: str = "reference", options: Sequence[str] = (), program: str | None = None) -> Result:
    """Plays the text of one scenario. It may cite `spec none`: an experiment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "scenario.ibt").write_text(text, encoding="utf-8")
        return next(run("scenario", target=target, options=["--scenarios", folder, *options], program=program))
