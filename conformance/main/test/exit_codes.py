#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The table of exit codes in ibconform(1) against what the programs return. IBPROOF_BIN names their folder."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ["IBPROOF_BIN"]).resolve()
ONE = "rc.responder.psn-gap-one-nak"
BROKEN = "mutant:RC-responder.gap_known=drop"
GOOD, FAULTY = ROOT / "pcaps/rxe-rping.pcap", ROOT / "pcaps/rxe-agent-bad-rkey-read.pcap"
NO = "/nonexistent/x"
# A call for each cell that is no dash; the first one of a row is of code 0.
CALLS = {
    "ibdissect": {0: [GOOD], 1: ["--nonsense"], 2: [NO], 3: ["-q", "--fail-on=error", FAULTY]},
    "ibdissect merge": {0: ["-o", "sum.json", "one.json"], 1: [], 2: [NO]},
    "ibconform run": {0: [ONE], 1: [ONE, "--target", BROKEN], 2: ["no.such"], 3: ["rc.responder", "-j", "1", "--repeat", "2000", "--deadline", "1"],
                      4: [ONE, "--json", NO]},
    "ibconform list": {0: [], 2: ["no.such"]},
    "ibconform show": {0: [ONE], 2: ["no.such"]},
    "ibconform statements": {0: ["RR-03"], 1: ["--least", "9999"], 2: ["XX-99"]},
    "ibconform mutants": {0: [ONE, "--only", "mutant:emit.aeth.msn*"], 1: ["area.wrong", "--scenarios", "wrong", "--only", "mutant:emit.aeth.msn*"],
                          2: ["no.such"], 4: [ONE, "--only", "mutant:emit.aeth.msn*", "--out", NO]},
    "ibconform fuzz": {0: ["--count", "5"], 1: ["--count", "50", "--target", "mutant:emit.aeth.msn=+1"], 2: ["--nonsense"],
                       4: ["--count", "5", "--target", "live", "--agent", "exec:false", "--wire", "unix:a,b"]},
    "ibconform check": {0: [GOOD], 1: [FAULTY], 2: [NO]},
    "ibconform diff": {0: ["good.json", "good.json"], 1: ["good.json", "bad.json"], 2: ["good.json", NO], 3: ["good.json", "open.json"]},
    "ibconform devices": {0: ["good.json", "bad.json"], 2: [NO], 4: ["good.json", "--html", NO]},
    "ibfabric": {0: [ROOT / "examples/ring.net", "--console"], 2: [NO], 4: [ROOT / "examples/ring.net", "--console", "--pcap", NO]},
    "ibagent": {0: ["--engine"], 2: ["--nonsense"], 4: ["--engine", "--listen", "tcp:99999"]},
}
# A code that needs a real device: a target that the tester hears badly.
UNTRIED = {("ibconform fuzz", 3)}
WRONG = """title    a SEND is never acknowledged
spec     RR-03
role     responder
service  rc
qp a     pmtu=256 epsn=0 recv=4
> a SEND_ONLY psn=+0 ackreq=1 payload=64
  a silence
# SPDX-License-Identifier: BSD-2-Clause
"""


def table():
    """The rows of the manual's table: for each program, its words by exit code."""
    text = (ROOT / "conformance/man/ibconform.1").read_text()
    rows = re.search(r"\.Bl -column.*\n\.It Em program.*\n((?:\.It .*\n)+)\.El", text).group(1)
    cells = [[cell.strip() for cell in line[4:].split(" Ta ")] for line in rows.splitlines()]
    return {row[0]: dict(enumerate(row[1:])) for row in cells}


class Codes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def code(self, program, *args):
        name, *command = program.split()
        return subprocess.run([BIN / name, *command, *map(str, args)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=120, check=False,
                              env={**os.environ, "IBPROOF_SCENARIOS": str(ROOT / "conformance/scenarios")}).returncode

    def files(self):
        self.code("ibdissect", "-q", "--summary", "one.json", GOOD)
        self.code("ibconform run", ONE, "--json", "good.json")
        self.code("ibconform run", ONE, "--json", "bad.json", "--target", BROKEN)
        report = json.loads((self.folder / "good.json").read_text())
        report["results"][0]["verdict"] = "INCONCLUSIVE"
        (self.folder / "open.json").write_text(json.dumps(report))
        (self.folder / "wrong/area").mkdir(parents=True)
        (self.folder / "wrong/area/wrong.ibt").write_text(WRONG)

    def test_table(self):
        self.files()
        rows = table()
        self.assertEqual(list(rows), list(CALLS))
        for program, words in rows.items():
            there = {code for code, word in words.items() if word != "-"}
            tried = {code for code in there if (program, code) not in UNTRIED}
            self.assertEqual(set(CALLS[program]), tried, program)
            for code, args in CALLS[program].items():
                self.assertEqual(self.code(program, *args), code, (program, args, words[code]))

    def test_commands(self):
        """Every command of ibconform has a row."""
        said = subprocess.run([BIN / "ibconform", "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  (\w+) ", said.split("Commands")[1].split("\n\n")[0], re.M)
        self.assertEqual({f"ibconform {name}" for name in commands}, {name for name in table() if name.startswith("ibconform")})


if __name__ == "__main__":
    unittest.main()
