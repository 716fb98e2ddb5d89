#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every waiver fits the suite: `run` takes the file, and it calls a statement certain if, and only if, the suite FAILs for it.
IBPROOF_BIN names ibconform's folder."""
import fnmatch
import json
import os
import pathlib
import subprocess
import tempfile

SUITE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.join(os.environ["IBPROOF_BIN"], "ibconform")


def scenarios():
    out = subprocess.run([PROGRAM, "list", "--json"], check=True, stdout=subprocess.PIPE,
                         env={"IBPROOF_SCENARIOS": str(SUITE / "scenarios")}).stdout
    return {s["id"]: s for s in json.loads(out)}


def fails(s):
    """Whether a failure of this scenario without waivers is FAIL on RoCE; otherwise it is DEVIATES or INFO, or not
    played on RoCE."""
    played = not s["links"] or any(link.startswith("roce") for link in s["links"])
    return s["doubt"] is None and s["class"] != "informational" and played


def complaints(waiver, of):
    """A statement that is not certain never gives a FAIL. For a certain statement some scenario gives FAIL, or measures
    a behaviour that only a crash makes fail."""
    name, no = waiver["name"], waiver["certain"].partition(":")[0] == "no"
    ids = [i for p in waiver["pattern"].split() for i in of if fnmatch.fnmatch(i, p)]
    if no:
        return [f"{name}: {i} would be a FAIL, but: {waiver['certain']}" for i in ids if fails(of[i])]
    if any(fails(of[i]) or of[i]["class"] == "informational" for i in ids):
        return []
    return [f"{name} is certain, and none of its scenarios would say FAIL: " + "; ".join(f"{i}: {of[i]['doubt']}" for i in ids)]


def refused(path):
    """The error lines of `run`, which refuses the whole file if one scenario does not exist, or cites none of its
    waiver's statements."""
    p = subprocess.run([PROGRAM, "run", "crc.cover", "--waivers", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       text=True, env={"IBPROOF_SCENARIOS": str(SUITE / "scenarios")}, check=False)
    return p.stderr.splitlines() if p.returncode == 2 else []


def main():
    of = scenarios()
    waivers = json.loads((SUITE / "waivers/rxe.json").read_text(encoding="utf-8"))
    bad = [c for w in waivers for c in complaints(w, of)] + refused(SUITE / "waivers/rxe.json")
    assert len(waivers) > 50 and not bad, "\n" + "\n".join(bad)
    # The test detects either kind of mistake.
    scenario = {"id": "a.b", "class": "mandatory", "doubt": None, "links": []}
    waiver = {"name": "w", "pattern": "a.*", "certain": "no: a test"}
    assert complaints(waiver, {"a.b": scenario})
    assert not complaints({**waiver, "certain": "yes"}, {"a.b": scenario})
    assert complaints({**waiver, "certain": "yes"}, {"a.b": {**scenario, "doubt": "drawn"}})
    assert not complaints(waiver, {"a.b": {**scenario, "doubt": "drawn"}})
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        wrong = {**waivers[0], "pattern": waivers[0]["pattern"] + " crc.cover", "statement": "KM-01"}
        f.write(json.dumps([wrong]))
        f.flush()
        assert refused(f.name)


main()
