# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios from Python have the verdicts of ibconform. IBCONFORM names the program."""
import json
import os
import subprocess

import ibproof
import pytest

PROGRAM = os.environ.get("IBCONFORM", "ibconform")
TEXT = """title    a SEND is acknowledged
spec     RR-04
role     responder
service  rc
qp a     recv=1
> a SEND_ONLY psn=+0 ackreq=1 payload=64
< a ACKNOWLEDGE psn=+0 syndrome=ack msn=1
"""


def said(*args):
    return json.loads(subprocess.run([PROGRAM, *args], capture_output=True, check=False).stdout)


def test_list():
    ours, theirs = ibproof.scenarios("rc.responder"), said("list", "--json", "rc.responder")
    assert len(ours) == len(theirs) > 100
    for scenario, row in zip(ours, theirs):
        assert (scenario.id, scenario.sentence, list(scenario.clauses), scenario.variations) == (
            row["id"], row["sentence"], row["clause"], row["variations"])
        assert os.path.exists(scenario.path)


@pytest.mark.parametrize("target", ("reference", "mutant:RC-responder.gap_known=drop", "mutant:emit.aeth.msn=+1"))
def test_run(target):
    ours = [(r.id, r.verdict, r.statement, r.expected, r.got) for r in ibproof.run("rc.responder.psn-*", target=target)]
    theirs = [(r["id"], r["verdict"], *((r["finding"] or {}).get(k, n) for k, n in (("statement", None), ("expected", ""), ("got", ""))))
              for r in said("run", "rc.responder.psn-*", "--target", target, "--json", "-")["results"]]
    assert ours == theirs and len(ours) > 5
    assert ("FAIL" in {r[1] for r in ours}) == (target != "reference")


def test_evidence(tmp_path):
    """The packets of a failure are in a capture."""
    result = ibproof.play(TEXT, target="mutant:emit.aeth.msn=+1", options=["--evidence", str(tmp_path)])
    assert (result.verdict, result.statement, result.line, result.as_expected) == ("FAIL", "RR-04", 7, False)
    assert result.evidence is not None and os.path.getsize(result.evidence) > 100


def test_play():
    assert ibproof.play(TEXT).verdict == "PASS"
    assert ibproof.play(TEXT.replace("msn=1", "msn=2")).got == "aeth.msn 1"
    assert ibproof.play(TEXT.replace("spec     RR-04", "spec none").replace("msn=1", "msn=2")).verdict == "DEVIATES"


def test_refused():
    with pytest.raises(ibproof.ScenarioError, match=r"scenario.ibt:7:\d+: unknown field 'mns'; did you mean 'msn'"):
        ibproof.play(TEXT.replace("msn", "mns"))
    with pytest.raises(ibproof.ScenarioError, match="no scenario matches"):
        list(ibproof.run("nosuch"))
    with pytest.raises(ibproof.ScenarioError, match="--target"):
        list(ibproof.run("audit", target="nosuch"))
    with pytest.raises(FileNotFoundError):
        ibproof.scenarios(program="/nonexistent")
