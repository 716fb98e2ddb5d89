#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""JSON that ibconform, ibagent and ibfabric print follows docs/schemas. IBPROOF_BIN names their folder."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/lib"))
import json_schema  # noqa: E402

PROGRAM = os.path.join(os.environ["IBPROOF_BIN"], "ibconform")
SCHEMAS = ROOT / "docs/schemas"
# Between ibconform and an agent: both directions into files, line by line.
TEE = """
import subprocess, sys, threading
agent = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def pass_on(source, to, copy):
    with open(copy, "ab") as file:
        for line in source:
            file.write(line), file.flush(), to.write(line), to.flush()
    to.close()
threading.Thread(target=pass_on, args=(sys.stdin.buffer, agent.stdin, sys.argv[1])).start()
pass_on(agent.stdout, sys.stdout.buffer, sys.argv[2])
sys.exit(agent.wait())
"""
PLAYED = ["rc.responder.psn-*", "apm.*", "cm.reject*", "cq.*", "memory.window*", "multicast.*", "partition.*", "srq.*", "xrc.*"]
WAIVER = [{"pattern": "rc.responder.psn-gap-one-nak", "target": "mutant:*", "statement": "RR-03", "reason": "a test", "symptom": "NAK",
           "expires": "2999-12-31", "name": "a-name"}]


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def said(self, *args):
        return json.loads(subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False, timeout=60,
                                         env={**os.environ, "IBPROOF_SCENARIOS": str(ROOT / "conformance/scenarios")}).stdout)

    def follows(self, name, value):
        self.assertEqual(json_schema.faults(value, json.loads((SCHEMAS / f"{name}.schema.json").read_text())), [])

    def report(self, name, *args):
        path = self.folder / name
        path.write_text(json.dumps(self.said("run", "rc.responder.psn-*", "rc.responder.cnp-pacing", "cm.reject", "xrc.send", "--json", "-", *args)))
        return path

    def test_report_and_diff(self):
        good = self.report("good.json")
        waivers = self.folder / "w.json"
        waivers.write_text(json.dumps(WAIVER))
        bad = self.report("bad.json", "--target", "mutant:RC-responder.gap_known=drop", "--evidence", self.folder / "evidence")
        waived = self.report("waived.json", "--target", "mutant:RC-responder.gap_known=drop", "--waivers", waivers)
        for path in (good, bad, waived):
            self.follows("report", json.loads(path.read_text()))
        for old, new in ((good, bad), (bad, waived), (waived, good), (good, good)):
            self.follows("diff", self.said("diff", "--json", old, new))

    def test_lists(self):
        self.follows("list", self.said("list", "--json"))
        self.follows("capabilities", self.said("list", "--capabilities", "--json"))
        self.follows("statements", self.said("statements", "--json"))

    def test_mutants(self):
        path = self.folder / "matrix.json"
        subprocess.run([PROGRAM, "mutants", "rc.responder.psn-gap-one-nak", "--only", "mutant:emit.aeth.*", "--out", str(path)],
                       stdout=subprocess.DEVNULL, check=False, timeout=60)
        self.follows("mutants", json.loads(path.read_text()))

    def test_check(self):
        captures = sorted((ROOT / "pcaps").glob("*.pcap"))
        done = subprocess.run([PROGRAM, "check", "--json", "-v", *captures], capture_output=True, check=False, timeout=60)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual({one["type"] for one in found}, {"finding", "connection", "totals"})
        for one in found:
            self.follows("check", one)

    def test_agent_is_the_table(self):
        """docs/schemas/agent.schema.json equals the protocol's table. After a change of the table, replace it by the
        output of agent-schema."""
        done = subprocess.run([pathlib.Path(PROGRAM).parents[1] / "test/agent-schema"], capture_output=True, check=True, timeout=60)
        self.assertEqual(json.loads(done.stdout), json.loads((SCHEMAS / "agent.schema.json").read_text()))

    def test_agent(self):
        """Every line that ibconform and ibagent exchange, of scenarios that need most verbs."""
        schema = json.loads((SCHEMAS / "agent.schema.json").read_text())
        tee, asked, told = self.folder / "tee.py", self.folder / "asked", self.folder / "told"
        tee.write_text(TEE)
        wire = [str(self.folder / name) for name in "dt"]
        subprocess.run([PROGRAM, "run", *PLAYED, "--target", "live", "--wire", f"unix:{wire[0]},{wire[1]}", "--agent",
                        f"exec:{sys.executable} {tee} {asked} {told} {os.path.dirname(PROGRAM)}/ibagent --engine --wire unix:{wire[1]},{wire[0]}"],
                       stdout=subprocess.DEVNULL, check=False, timeout=300, cwd=self.folder,
                       env={**os.environ, "IBPROOF_SCENARIOS": str(ROOT / "conformance/scenarios")})
        seen, failed = set(), 0
        requests = [json.loads(line) for line in asked.read_bytes().splitlines()]
        for request in requests:
            if request["do"] != "no_such_verb":
                self.assertEqual(json_schema.faults(request, schema["$defs"]["request_" + request["do"]], schema), [], request)
        for request, line in zip(requests, told.read_bytes().splitlines()):  # one after the other; the agent's last one may lack a reply
            reply = json.loads(line)
            self.assertEqual(reply["id"], request["id"])
            if "error" in reply:
                failed += 1
                self.assertEqual(json_schema.faults(reply, schema["$defs"]["error"], schema), [], reply)
            else:
                seen.add(request["do"])
                self.assertEqual(json_schema.faults(reply, schema["$defs"]["reply_" + request["do"]], schema), [], reply)
        verbs = {one["$ref"].rsplit("/", 1)[1].removeprefix("reply_") for one in schema["$defs"]["reply"]["anyOf"]}
        self.assertGreater(failed, 0)
        self.assertGreaterEqual(len(seen & verbs), len(verbs) - 8, sorted(verbs - seen))

    def test_each_is_listed(self):
        """docs/schemas/README.md names every schema."""
        text = (SCHEMAS / "README.md").read_text()
        self.assertEqual([path.name for path in SCHEMAS.glob("*.json") if f"`{path.name}`" not in text], [])

    def test_a_schema_refuses(self):
        """No schema accepts every value. The schema of a packet accepts members of any name, but not of any type."""
        for path in SCHEMAS.glob("*.json"):
            schema = json.loads(path.read_text())
            objects = [{"a": {}}] if path.name.startswith("packets-jsonl") else [{}, {"tool": "ibconform", "format": 2}]
            for value in ([{}], [1], None, *objects):
                self.assertTrue(json_schema.faults(value, schema), (path.name, value))


if __name__ == "__main__":
    unittest.main()
