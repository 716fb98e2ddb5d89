#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibconform against live devices: the engine behind its agent and a wire. IBPROOF_BIN names the programs' folder."""
import filecmp
import functools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.environ["IBPROOF_BIN"]
PROGRAM, AGENT = os.path.join(BIN, "ibconform"), os.path.join(BIN, "ibagent")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = ("mutant:emit.aeth.msn=+1", "mutant:RC-responder.gap_known=drop", "mutant:emit.reth.dmalen=+1")
RELAY = """
import json, os, random, re, subprocess, sys, time
mode, flag, at = sys.argv[1], sys.argv[2], int(sys.argv[3])
agent = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
out = sys.stdout.buffer
def say(line):
    out.write(line)
    out.flush()
def misbehave(line, reply):
    r = json.loads(reply)
    if mode == "kill":
        os.kill(os.getpid(), 9)
    elif mode == "exit":
        os._exit(3)
    elif mode == "eof":
        os.close(1)
        os.close(0)
        time.sleep(60)
    elif mode == "garbage":
        say(b"\\x00\\xff not JSON {\\n")
    elif mode == "no-object":
        say(b"[]\\n")
    elif mode == "silent":
        time.sleep(1000)
    elif mode == "half":
        say(reply[:5])
        time.sleep(1000)
    elif mode == "long":
        for i in range(200):
            out.write(b"x" * 1000000)
        say(b"\\n")
    elif mode == "id":
        say(json.dumps({**r, "id": r["id"] + 1}).encode() + b"\\n")
    elif mode == "empty":
        say(json.dumps({"id": r["id"], "ok": {}}).encode() + b"\\n")
    elif mode == "types":
        say(json.dumps({"id": r["id"], "ok": {k: [] for k in r.get("ok", {})}}).encode() + b"\\n")
    elif mode == "no-time":
        say(json.dumps({"id": r["id"], "ok": {"now": 0, "frames": 0}}).encode() + b"\\n")
    elif mode == "ghost-frames":
        say(json.dumps({"id": r["id"], "ok": {"now": json.loads(line)["until"], "frames": 1}}).encode() + b"\\n")
def number(found):
    return str(random.choice((0, 1, 2, 3, 127, 255, 65535, 2 ** 24 - 1, 2 ** 32 - 1, 2 ** 53, -1, 1e300))).encode()
def mutated(reply):
    if b'"name"' in reply or random.random() > 0.03:
        return reply
    how = random.randrange(4)
    if how == 0:
        at = random.randrange(len(reply) - 1)
        return reply[:at] + bytes([random.randrange(256)]) + reply[at + 1:]
    if how == 1:
        at = random.randrange(len(reply) - 1)
        return reply[:at] + reply[at + random.randrange(20):]
    head, ok, rest = reply.partition(b'"ok"')
    return head + ok + re.sub(rb"\\b[0-9]+\\b", number, rest) if how == 2 else reply + reply
random.seed(at)
n = 0
for line in sys.stdin.buffer:
    agent.stdin.write(line)
    agent.stdin.flush()
    reply = agent.stdout.readline()
    verb = json.loads(line)["do"]
    wanted = {"empty": "create_qp", "types": "create_qp", "no-time": "advance", "ghost-frames": "advance"}.get(mode, verb)
    n += 1
    if mode == "mutate":
        say(mutated(reply) if n > 100 else reply)
    elif n >= at and verb == wanted and not os.path.exists(flag):
        if not mode.startswith("ghost"):
            open(flag, "w").close()
        misbehave(line, reply)
    else:
        say(reply)
agent.stdin.close()
agent.wait()
"""


KILLER = """
import json, os, subprocess, sys, uuid
count, deaths, boots = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1"
agent = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
boot = str(uuid.uuid4())
for line in sys.stdin.buffer:
    if json.loads(line)["do"] == "destroy" and os.path.getsize(count) < deaths:
        open(count, "a").write("x")
        agent.kill()
        os.kill(os.getpid(), 9)
    agent.stdin.write(line)
    agent.stdin.flush()
    reply = json.loads(agent.stdout.readline())
    if boots and "boot" in reply.get("ok", {}):
        reply["ok"]["boot"] = boot
    print(json.dumps(reply), flush=True)
agent.stdin.close()
"""
CABLE = """
import json, subprocess, sys
agent = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
n = 0
for line in sys.stdin.buffer:
    request = json.loads(line)
    n += 1
    if n > int(sys.argv[1]) and request["do"] == "advance":  # time passes, and nothing comes
        print(json.dumps({"id": request["id"], "ok": {"now": request["until"], "frames": 0}}), flush=True)
        continue
    agent.stdin.write(line)
    agent.stdin.flush()
    sys.stdout.buffer.write(agent.stdout.readline())
    sys.stdout.buffer.flush()
agent.stdin.close()
"""


def without_time(value):
    """The report without the parts that differ from run to run."""
    if isinstance(value, dict):
        return {k: without_time(v) for k, v in value.items() if not k.startswith("wall") and k not in ("started", "evidence")}
    return [without_time(v) for v in value] if isinstance(value, list) else value


def has_no_verb(id):
    """Whether the scenario needs subnets, regions of pieces, EE contexts or tags, for which an agent has no verb."""
    return id.startswith(("fabric.", "memory.pieces.", "memory.reregister.pieces", "rd.", "tm."))


def left(mark):
    """The processes with the mark that do not end within a few seconds: on a busy machine a killed process stays for a moment."""
    until = time.monotonic() + 10
    while (found := alive(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def alive(mark):
    """The processes whose command line contains the mark."""
    found = []
    for p in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in p.read_bytes() and int(p.parent.name) != os.getpid():
                found.append(p.parent.name)
        except OSError:
            pass
    return found


class Live(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="l"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.env = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}

    def tearDown(self):
        self.assertEqual(left(str(self.folder)), [], "processes were left behind")

    def wires(self, n=2, ours="", kind="unix", mark=""):
        """The options that join the tester's wires with the agent's."""
        tester, agent = [], []
        for i in range(n):
            a, b = (f"{self.folder}/{c}{mark}{i}" for c in "ab")
            if kind == "dgram":
                a, b = (f"127.0.0.1:{port + 2 * i + os.getpid() % 1000 * 4}" for port in (30000, 30001))
            tester += ["--wire", f"{kind}:{b},{a}{ours}"]
            agent += ["--wire", f"{kind}:{a},{b}"]
        return tester, agent

    def run_suite(self, *args, timeout=600):
        r = subprocess.run([PROGRAM, "run", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=self.folder,
                           stderr=subprocess.PIPE, timeout=timeout, env=self.env)
        self.assertNotRegex(r.stderr.decode(), "Sanitizer|runtime error")
        return r

    def live(self, *args, agent=None, tester=None, wires=2, ours="", kind="unix", engine=("--engine",), timeout=600, hazardous=True):
        t, a = self.wires(wires, ours, kind)
        agent = agent or "exec:" + " ".join([AGENT, *engine, *a])
        return self.run_suite("--target", "live", *(t if tester is None else tester), "--agent", agent, *args,
                              *(("--hazardous",) if hazardous else ()), timeout=timeout)

    def report(self, name, run, *args, quiet=True, **kw):
        r = run(*args, "--json", self.folder / name, **kw)
        if quiet:
            self.assertEqual(r.stderr, b"")
        return r.returncode, json.loads((self.folder / name).read_text())

    def relay(self, mode, at):
        """The command of an agent that misbehaves once, at request number `at`."""
        relay = self.folder / "relay.py"
        relay.write_text(RELAY)
        _, agent = self.wires()
        return "exec:exec 2>&-; exec " + " ".join([sys.executable, str(relay), mode, str(self.folder / "flag"), str(at), AGENT, "--engine", *agent])

    def verdicts(self, report):
        return {r["id"]: r["verdict"] for r in report["results"]}

    def one_line(self, r, code, says):
        err = r.stderr.decode()
        self.assertEqual(r.returncode, code, (err, r.stdout))
        self.assertRegex(err, r"\Aibconform: [^\n]+\n\Z")
        self.assertRegex(err, says)


class Same(Live):
    """A device over an agent gets the same verdicts as the engine in this process."""

    def compare(self, *args, engine="reference", packets=False):
        code, ours = self.report("ours.json", self.run_suite, "--target", engine, *args, *(("--evidence", "ours") if packets else ()))
        code_live, live = self.report("live.json", self.live, *args, *(("--evidence", "live") if packets else ()),
                                      engine=("--engine=" + engine,))
        self.assertEqual(live["run"]["target"], "live:" + engine)
        self.assertEqual(code, code_live)
        self.assertGreater(len(ours["results"]), 600)
        for a, b in zip(ours["results"], live["results"]):
            if has_no_verb(a["id"]):
                self.assertEqual((b["id"], b["verdict"]), (a["id"], "NOT_APPLICABLE"))
            else:
                if has_no_verb(a.get("cause") or ""):  # the first scenario with this failure is not played over the agent
                    a["cause"] = b["cause"]
                self.assertEqual(without_time(a), without_time(b))
        self.assertEqual(len(ours["results"]), len(live["results"]))
        return ours

    def test_every_scenario_on_every_link(self):
        """The reports are the same, and so are the packets."""
        self.assertEqual(self.compare("--link", "all", packets=True)["counts"]["FAIL"], 0)
        ours = self.folder / "ours"
        names = sorted(str(p.relative_to(ours)) for p in ours.rglob("*.pcapng") if not has_no_verb(p.name))  # a folder for each link
        self.assertGreater(len(names), 2400)
        same, other, missing = filecmp.cmpfiles(ours, self.folder / "live", names, shallow=False)
        self.assertEqual((other, missing, len(same)), ([], [], len(names)))

    def test_broken_engines(self):
        """Plays one broken engine; with IBPROOF_BROKEN=all (tools/test long) all of them."""
        for mutant in MUTANTS if os.environ.get("IBPROOF_BROKEN") == "all" else MUTANTS[:1]:
            with self.subTest(mutant):
                self.assertGreater(self.compare(engine=mutant)["counts"]["FAIL"], 0)

    SOME = ("memory", "rc.responder", "ud")

    def test_several_devices(self):
        tester, agent = self.wires(mark="{}")
        _, ours = self.report("ours.json", self.run_suite, *self.SOME)
        code, live = self.report("live.json", self.live, "-j", "3", *self.SOME, tester=tester, agent="exec:" + " ".join([AGENT, "--engine", *agent]))
        self.assertEqual((code, live["run"]["jobs"]), (0, 3))
        self.assertGreater(len(ours["results"]), 200)
        expected = {id: "NOT_APPLICABLE" if has_no_verb(id) else verdict for id, verdict in self.verdicts(ours).items()}
        self.assertEqual(self.verdicts(live), expected)

    def test_one_device(self):
        r = self.live("middle", wires=1)
        self.assertEqual(r.returncode, 0, r)
        self.assertNotIn(b" passed", r.stdout.split(b"\n")[1])

    def test_what_takes_devices_down(self):
        """Without --hazardous these scenarios are left out, with a message; with it they are played after all
        others."""
        listed = subprocess.run([PROGRAM, "list", "--json"], stdout=subprocess.PIPE, env=self.env, check=True).stdout
        known = {s["id"] for s in json.loads(listed) if "hazard" in s}
        self.assertLessEqual({"header.short.bth", "memory.invalidate.twice", "rc.responder.write-only-other-length"}, known)
        code, spared = self.report("spared.json", self.live, *known, *self.SOME, "--evidence", "spared", hazardous=False)
        self.assertEqual((code, spared["hazards_not_played"]), (0, len(known)))
        hazards = {r["id"]: r for r in spared["results"] if r["hazard"]}
        self.assertEqual(set(hazards), known)
        for r in hazards.values():
            self.assertEqual((r["verdict"], r["measured"]), ("NOT_APPLICABLE", "not played: known to take devices down; --hazardous plays it"))
        self.assertEqual([i for i in known if (self.folder / "spared" / f"{i}.pcapng").exists()], [])
        said = self.live("audit", "header.short.bth", hazardous=False).stdout.decode().splitlines()
        self.assertIn("1 not played, known to take devices down (--hazardous plays them): header.short.bth", said)
        code, played = self.report("played.json", self.live, *known, *self.SOME, "--evidence", "played")
        self.assertEqual((code, played["hazards_not_played"]), (0, 0))
        self.assertNotIn("NOT_APPLICABLE", {r["verdict"] for r in played["results"] if r["hazard"]})
        files = sorted((self.folder / "played").iterdir(), key=lambda p: p.stat().st_mtime_ns)
        self.assertGreater(len(files), len(known) + 200)
        self.assertEqual({p.stem for p in files[-len(known):]}, known)
        code, engine = self.report("engine.json", self.run_suite, *known)
        self.assertEqual((code, engine["hazards_not_played"]), (0, 0))

    def test_udp(self):
        self.assertEqual(self.live("rc.responder", "middle", kind="dgram").returncode, 0)


class Sequences(Live):
    """`ibconform fuzz` treats live devices as `ibconform run` does."""

    def fuzz(self, *args, agent=None, engine="--engine"):
        tester, ours = self.wires()
        return subprocess.run([PROGRAM, "fuzz", "--target", "live", *tester, "--agent", agent or "exec:" + " ".join([AGENT, engine, *ours]),
                               *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                              timeout=300, env=self.env)

    def test_the_engine_with_another_seed(self):
        r = self.fuzz("--seed", 77, "--count", 25)
        self.assertEqual((r.returncode, r.stderr), (0, b""), r)
        self.assertRegex(r.stdout, rb"sequences, seed 77: 0 differ in 0 ways, 0 inconclusive")

    def test_a_broken_engine(self):
        r = self.fuzz("--count", 12, "--evidence", self.folder / "found", engine="--engine=mutant:emit.bth.tver=+1")
        self.assertEqual((r.returncode, r.stderr), (1, b""), r)
        self.assertRegex(r.stdout, rb"sequence-[0-9]+: expected bth.tver 0, got bth.tver 1")
        self.assertTrue(list((self.folder / "found/scenarios").iterdir()))

    def test_agents_that_fail_inside_a_sequence(self):
        for mode in ("kill", "garbage", "empty"):
            with self.subTest(mode):
                (self.folder / "flag").unlink(missing_ok=True)
                r = self.fuzz("--count", 10, "--timeout-scale", "0.5", agent=self.relay(mode, 150))
                made = re.search(rb"([0-9]+) sequences, seed 1: .*, ([0-9]+) not to be predicted\n", r.stdout)
                self.assertTrue(made, r)
                self.assertEqual(int(made[1]) + int(made[2]), 10, r)
                self.assertRegex(r.stderr, rb"ibconform: sequence-[0-9]+: agent: asked for \w+: [^\n]+; its system was up all the time\n")

    def test_a_device_that_stays_away(self):
        script = self.folder / "away"
        script.write_text(f'[ -e "{self.folder}/flag" ] && exit 1\n' + self.relay("kill", 150).removeprefix("exec:") + "\n")
        for scale in (0.2, 0.5):  # of the 100 s that a device may stay away; a busy machine may need more than 1 s for the first greeting
            (self.folder / "flag").unlink(missing_ok=True)
            begun = time.monotonic()
            r = self.fuzz("--count", 10, "--timeout-scale", scale, agent=f"exec:exec sh {script}")
            self.assertLess(time.monotonic() - begun, 100 * scale + 40)
            if b"hello: no answer in time" not in r.stderr:
                break
        self.assertEqual(r.returncode, 4, r)
        self.assertRegex(r.stderr, rb"ibconform: the device: it did not come back\n")


class Channels(Live):
    def listening(self, where, *more):
        tester, agent = self.wires()
        log = open(self.folder / "log", "w+")
        p = subprocess.Popen([AGENT, "--engine", *agent, "--listen", where, *map(str, more)], stderr=log, env=self.env)
        self.addCleanup(log.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.terminate)
        for i in range(500):
            said = (self.folder / "log").read_text()
            if "listening" in said:
                return tester, said, p
            time.sleep(0.01)
        self.fail(said)

    def tearDown(self):
        pass

    def test_unix(self):
        tester, _, _ = self.listening(f"unix:{self.folder}/agent")
        for i in range(2):
            r = self.live("rc.responder", "--seed", i, tester=tester, agent=f"unix:{self.folder}/agent")
            self.assertEqual((r.returncode, r.stderr), (0, b""), r)

    def test_tcp_and_its_token(self):
        tester, said, _ = self.listening("tcp:127.0.0.1:0")
        at = re.search(r"tcp:\S+:\d+", said)[0].rstrip(",")
        token = self.folder / "token"
        token.write_text(re.search(r"token (\S+)", said)[1] + "\n")
        r = self.live("rc.responder", "--agent-token-file", token, tester=tester, agent=at)
        self.assertEqual((r.returncode, r.stderr), (0, b""), r)
        token.write_text("another-token-altogether\n")
        self.one_line(self.live("--agent-token-file", token, tester=tester, agent=at), 4, "asked for hello: it hung up")
        self.one_line(self.live(tester=tester, agent=at), 4, "asked for hello: it hung up")

    def test_agent_goes_and_comes_back(self):
        tester, _, p = self.listening(f"unix:{self.folder}/agent")
        p.terminate()
        p.wait()
        r = self.live(tester=tester, agent=f"unix:{self.folder}/agent")
        self.one_line(r, 4, "agent unix:[^ ]*: (No such file|Connection refused)")


class Punctual(Live):
    """Processes that measure time, or that have short timeouts, get priority where the system allows it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            os.setpriority(os.PRIO_PROCESS, 0, -10)
        except PermissionError:
            pass


class Faults(Punctual):
    def test_options(self):
        tester, _ = self.wires()
        wrong = ((("--target", "live"), "wants --agent"), (("--target", "live", "--agent", "exec:true"), "wants --wire"),
                 (("--wire", "unix:a,b"), "are for --target live"), (("--agent", "exec:true"), "are for --target live"),
                 (("--target", "live", "--agent", "exec:true", *tester, *tester), "2 at most"),
                 (("--target", "live", "--agent", "exec:true", *tester, "-j", "2"), "by one process; several"),
                 (("--target", "live", "--agent", "exec:true {}", *tester, "-j", "2"), "each --wire"),
                 (("--target", "live", "--agent", "exec:true", "--wire", "unix:a"), "want unix:PEER,OWN"),
                 (("--target", "live", "--agent", "exec:true", *tester, "--agent-token-file", "none"), "No such file"),
                 (("--target", "live", "--agent", "exec:true", *tester, "--agent-token-file", "/dev/null"), "line is empty"),
                 (("--target", "live", "--agent", "exec:true", *tester, "--user", "no-such-user"), "--user no-such-user"),
                 (("--target", "live", "--agent", "exec:true", "--wire", "afpacket:none"), "no such interface"))
        for args, says in wrong:
            with self.subTest(args):
                self.one_line(self.run_suite(*args), 2, says)

    def test_agents_that_cannot_be_greeted(self):
        hello = '{"id":1,"ok":{"version":%s,"name":"x","devices":%s,"links":%s,"capabilities":["rc"],"time":"virtual",' \
                '"limits":{"line":65536,"bytes":1024}}}'
        good = hello % (1, 1, '["roce1"]')
        script = self.folder / "script"
        wrong = (("true", "it ended with exit code 0"), ("exit 3", "exit code 3"), ("no-such-command", "exit code 127"),
                 ("kill -9 $$", "signal 9"), ("sleep 1000", "no answer in time"), ("cat", "hello"), ("yes", "hello"),
                 ("exec 0<&- 1>&-; sleep 1000", "it hung up|does not read"), ("head -c 200000000 /dev/zero", "a line of more than 65536 bytes"),
                 (f"read x; echo '{hello % (2, 1, '[]')}'", "version 2"), (f"read x; echo '{hello % (1, 7, '[]')}'", "7 devices"),
                 (f"read x; echo '{hello % (1, 0, '[]')}'", "0 devices"),
                 ("read x; echo '{\"id\":1,\"error\":\"bad_version\",\"text\":\"I am old\"}'", "I am old"),
                 (f"read x; echo '{good}'; read x; echo '{{\"id\":2,\"ok\":{{}}}}'; sleep 9", "a verb that cannot exist"),
                 (f"read x; echo '{good}'; read x; echo '{{\"id\":2,\"error\":\"fault\",\"text\":\"\"}}'; sleep 9", "not unsupported"),
                 (f"read x; echo '{hello % (1, 1, '[]')}'; read x; echo '{{\"id\":2,\"error\":\"unsupported\",\"text\":\"\"}}'; sleep 9",
                  "none of its links"),
                 (f"read x; echo '{good}'; read x; echo '{{\"id\":2,\"error\":\"unsupported\",\"text\":\"\"}}'; exit 0",
                  "not well before the first scenario: .*exit code 0"),
                 # answers for an earlier tester that had given up are skipped; an agent that sends nothing else is refused
                 (f"read x; echo '{good}'; echo '{good}'; read x; echo '{{\"id\":2,\"error\":\"unsupported\",\"text\":\"\"}}'; exit 0",
                  "not well before the first scenario: .*exit code 0"),
                 (f"echo '{{\"id\":57,\"ok\":{{}}}}'; read x; echo '{good}'; read x; echo '{{\"id\":2,\"error\":\"unsupported\",\"text\":\"\"}}'; "
                  "exit 0", "not well before the first scenario: .*exit code 0"),
                 (f"while :; do echo '{hello.replace('1', '57', 1) % (1, 1, '[]')}'; done", "asked for hello: it answers another request"))
        for how, says in wrong:
            with self.subTest(how):
                script.write_text("exec 2>&-\n" + how)
                begun = time.monotonic()
                scale = "0.1" if "in time" in says else "1"  # a busy machine starts an agent late
                self.one_line(self.live("--timeout-scale", scale, agent=f"exec:exec sh {script}"), 4, says)
                self.assertLess(time.monotonic() - begun, 10)
                self.assertEqual(left(str(script)), [])
        self.one_line(self.live(agent="ftp:x"), 4, "no such channel; there are exec:COMMAND, unix:PATH, tcp:HOST:PORT")
        self.one_line(self.live(agent="tcp:127.0.0.1"), 4, "want tcp:HOST:PORT")
        self.one_line(self.live(agent="tcp:127.0.0.1:1"), 4, "Connection refused")

    def test_agents_that_fail_in_a_case(self):
        modes = {"kill": "signal 9|hung up", "exit": "exit code 3|hung up", "eof": "hung up", "garbage": "agent: asked for", "no-object": "agent: asked for",
                 "silent": "no answer in time", "half": "no answer in time", "long": "a line of more than 65536 bytes",
                 "id": "it answers another request", "empty": "create_qp", "types": "create_qp", "no-time": "its time does not pass"}
        for mode, says in modes.items():
            with self.subTest(mode):
                for scale in ("0.2", "1") if "in time" in says else ("0.5", "2"):  # a busy machine starts an agent late
                    (self.folder / "flag").unlink(missing_ok=True)
                    begun = time.monotonic()
                    code, report = self.report("r.json", self.live, "rc.responder.duplicate*", "--timeout-scale", scale,
                                               agent=self.relay(mode, 150), quiet=False)
                    took = time.monotonic() - begun
                    bad = [r for r in report["results"] if r["verdict"] not in ("PASS", "INFO")]
                    if len(bad) == 1:
                        break
                self.assertLess(took, 40)
                self.assertEqual((code, [r["verdict"] for r in bad]), (4, ["ERROR"]), "no device is blamed for its agent")
                self.assertRegex(json.dumps(bad), says)
                self.assertRegex(json.dumps(bad), "its system was up all the time")
                self.assertEqual(left(str(self.folder)), [])

    def test_an_agent_that_stays_away(self):
        """Only one case waits for the agent. If the machine is too busy for the first greeting, the case is played
        again."""
        relay = self.folder / "relay.py"
        count = self.folder / "count"
        wrapper = self.folder / "wrapper"
        _, agent = self.wires()
        relay.write_text(RELAY)
        wrapper.write_text(f"echo >> {count}\n[ $(wc -l < {count}) -lt 3 ] || exec sleep 1000\nexec {sys.executable} {relay} silent "
                           f"{self.folder}/flag 150 {AGENT} --engine {' '.join(agent)}\n")
        for _ in range(4):
            count.write_text("")
            begun = time.monotonic()
            r = self.live("rc", "--timeout-scale", "0.2", agent=f"exec:sh {wrapper}")
            self.assertLess(time.monotonic() - begun, 60)
            if len(count.read_text()) > 1:
                break
        self.one_line(r, 4, "after the last scenario: agent exec:.*: asked for hello: no answer in time")
        self.assertGreater(len(count.read_text()), 10, "it is greeted again and again for a while")

    def test_an_agent_that_boots(self):
        """The agent is gone during one case and comes back later: only that case is not judged."""
        relay, count, wrapper = (self.folder / name for name in ("relay.py", "count", "wrapper"))
        _, agent = self.wires()
        relay.write_text(RELAY)
        wrapper.write_text(f"exec 2>&-\necho >> {count}\nn=$(wc -l < {count})\n[ $n -lt 3 ] || [ $n -gt 6 ] || exit 1\n"
                           f"exec {sys.executable} {relay} kill {self.folder}/flag 150 {AGENT} --engine {' '.join(agent)}\n")
        code, report = self.report("r.json", self.live, "rc.responder.duplicate*", agent=f"exec:exec sh {wrapper}")
        self.assertEqual((code, report["counts"]["FAIL"], report["counts"]["ERROR"]), (4, 0, 1), report)

    def killer(self, deaths, boots, nap=0):
        """A run with the agent of a device that goes down `deaths` times, when a queue pair is destroyed. boots: the
        device's system then restarts; nap: the agent is away for so many seconds."""
        suite, count, wrapper, relay = (self.folder / n for n in ("suite", "count", "wrapper", "killer.py"))
        suite.mkdir(exist_ok=True)
        for name, steps in (("a", "qp a\na state rts\n"), ("b", "qp a\na destroy\n"), ("c", "qp a\na state rts\n")):
            (suite / f"{name}.ibt").write_text("title t\nspec QS-29\nrole verbs\nservice rc\n" + steps)
        relay.write_text(KILLER)
        count.write_text("")
        _, agent = self.wires()
        wrapper.write_text(f"exec 2>&-\n[ ! -s {count} ] || [ -e {count}.napped ] || {{ : >{count}.napped; sleep {nap}; }}\n"
                           f"exec {sys.executable} {relay} {count} {deaths} {int(boots)} {AGENT} --engine {' '.join(agent)}\n")
        return ("--scenarios", suite, "--evidence", self.folder / "evidence"), f"exec:exec sh {wrapper}"

    def test_devices_that_go_down(self):
        """A case whose plays take the device down twice out of three times is the device's fault. An agent that ends by
        itself is not."""
        rows = ((99, True, 1, "FAIL", "the device did not survive"), (1, True, 3, "INCONCLUSIVE", "in one of three plays .play-1.pcapng."),
                (99, False, 4, "ERROR", "was up all the time"), (1, False, 4, "ERROR", "was up all the time"))
        for deaths, boots, wanted, verdict, says in rows:
            with self.subTest(deaths=deaths, boots=boots):
                args, agent = self.killer(deaths, boots)
                code, report = self.report("r.json", self.live, *args, agent=agent)
                self.assertEqual((code, list(self.verdicts(report).values())), (wanted, ["PASS", verdict, "PASS"]), report)
                self.assertRegex(report["results"][1]["finding"]["got"], says)
                if verdict == "FAIL":  # by a statement without a certain source: the fault is that the device is gone
                    self.assertEqual((report["results"][1]["finding"]["certain"], report["results"][1]["finding"]["severity"]), (True, "goes down"))
                kept = sorted(p.name for p in (self.folder / "evidence").glob("b*"))
                self.assertEqual(kept, ["b.pcapng", "b.play-1.pcapng"] if verdict == "INCONCLUSIVE" else ["b.pcapng"])
                shutil.rmtree(self.folder / "evidence")

    def test_the_last_case_takes_the_device_down(self):
        """The run waits for the device, and the failure belongs to the last case."""
        args, agent = self.killer(2, True, nap=7)
        code, report = self.report("r.json", self.live, "b", *args, agent=agent)
        self.assertEqual((code, self.verdicts(report)), (1, {"b": "FAIL"}), report)

    def test_a_cable_that_is_pulled(self):
        """The agent still answers, but the wire does not: neither this case nor later ones fail because of it."""
        suite = self.folder / "suite"
        suite.mkdir()
        for name in "abc":
            (suite / f"{name}.ibt").write_text("title t\nspec RR-03\nrole responder\nservice rc\nqp a recv=1\n"
                                              "> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n")
        relay = self.folder / "cable.py"
        relay.write_text(CABLE)
        _, agent = self.wires()
        reason = "with new objects it fails, too|an earlier case the device is not well"
        for scale in ("0.2", "1", "5"):  # on a busy machine the agent itself may answer too late: more patience, then
            code, report = self.report("r.json", self.live, "--scenarios", suite, "--timeout-scale", scale,
                                       agent="exec:exec 2>&-; exec " + " ".join([sys.executable, str(relay), "60", AGENT, "--engine", *agent]))
            self.assertEqual((code, set(self.verdicts(report).values()) - {"PASS"}), (4, {"ERROR"}), report)
            if re.search(reason, json.dumps(report)):
                break
        self.assertRegex(json.dumps(report), reason)

    def test_frames_that_the_wire_lost(self):
        code, report = self.report("r.json", self.live, "rc", "ud", "middle", ours=",drop=1%")
        counts = report["counts"]
        self.assertEqual((code, counts["FAIL"], counts["ERROR"]), (3, 0, 0), report)
        self.assertGreater(counts["INCONCLUSIVE"], 20)
        self.assertGreater(counts["PASS"], 20)
        self.assertRegex(json.dumps(report), "[0-9]+ frames lost by the tester's wire")

    def test_frames_that_never_come(self):
        for scale in ("0.1", "0.5"):  # a busy machine starts an agent late
            begun = time.monotonic()
            code, report = self.report("r.json", self.live, "rc.responder.duplicate*", "--timeout-scale", scale,
                                       agent=self.relay("ghost-frames", 100), quiet=False)
            took = time.monotonic() - begun
            if report["counts"]["ERROR"] > 3:
                break
        self.assertLess(took, 60 if scale == "0.1" else 300)
        self.assertEqual((code, report["counts"]["FAIL"]), (4, 0), report)
        self.assertGreater(report["counts"]["ERROR"], 3, "an agent that says what is not so is a fault of ours")

    def test_nobody_at_the_other_end(self):
        _, agent = self.wires(1)
        ours = f"{self.folder}/a0".ljust(100, "0")  # the reason is printed however long the names
        r = self.live("rc", tester=("--wire", f"unix:{self.folder}/nobody,{ours}"),
                      agent="exec:" + " ".join([AGENT, "--engine", *agent]))
        self.one_line(r, 4, "not well before the first scenario: .*nobody is at the other end")


class Mutated(Punctual):
    def test_mutated_answers(self):
        """Any output of an agent gives verdicts; the program neither crashes nor hangs. IBPROOF_ROUNDS=3 (tools/test long) plays more."""
        played = 0
        for seed in range(int(os.environ.get("IBPROOF_ROUNDS", "1"))):
            begun = time.monotonic()
            r = self.live("rc", "ud", "memory", "--timeout-scale", "0.05", "--json", "r.json", agent=self.relay("mutate", seed))
            self.assertLess(time.monotonic() - begun, 250)
            self.assertIn(r.returncode, (1, 4), r)
            report = self.folder / "r.json"
            if report.exists():
                self.assertNotIn("the harness", report.read_text())
                report.unlink()
                played += 1
            else:  # the first reply was wrong already
                self.one_line(r, 4, "agent")
        self.assertGreater(played, 0)


def unhurried(test):
    """In real time a busy machine may be too slow for the device's timeouts: one good run of three is enough."""
    @functools.wraps(test)
    def thrice(self):
        for i in range(3):
            try:
                return test(self)
            except self.failureException as e:
                print("once more:", str(e)[:1000], file=sys.stderr)
        return test(self)
    return thrice


class Disturbed(Punctual):
    """If something disturbs the tester, its port, its channel or the agent's machine, no device is blamed:
    tools/disturb on the engine."""

    def test_disturbances(self):
        at = self.folder / "agent"
        _, agent = self.wires(1)
        tester, _ = self.wires(1)
        p = subprocess.Popen([AGENT, "--engine", "--real-time", *agent, "--listen", f"unix:{at}"], stderr=subprocess.DEVNULL, env=self.env)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        for _ in range(500):
            if at.exists():
                break
            time.sleep(0.01)
        env = {**self.env, "IBPROOF_WIRE": tester[1], "IBPROOF_AGENT": f"unix:{at}"}
        r = subprocess.run([sys.executable, SOURCE.parent / "tools/guest.d/disturb.py", PROGRAM, "rc.requester.nak*", "rc.responder.psn*", "state.err",
                            "rc.requester.r*", "rc.responder.*segmented", "--timeout-scale", "0.3", "--seconds", "4", "--out", self.folder], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=800, env=env)
        said = r.stdout.decode()
        self.assertEqual(r.returncode, 0, said)
        for name in ("channel", "tester", "busy", "machine", "for-good", "mtu"):
            self.assertRegex(said, rf"(?m)^{name}: .*, 0 wrongly$")
        for share in re.findall(r"(?m)^(?:channel|tester|busy|machine|mtu): .*?([0-9.]+)% judged", said):
            self.assertGreaterEqual(float(share), 80, said)
        self.assertRegex(said, r"(?m)^    \d+ x INCONCLUSIVE: MTU 1500 ")

    def tearDown(self):
        pass


class RealTime(Punctual):
    @unhurried
    def test_some_of_everything(self):
        code, report = self.report("real.json", self.live, "rc.requester.nak*", "rc.responder.psn*", "ud", "middle.loss",
                                   "rc.requester.timeout-counts", engine=("--engine", "--real-time"))
        self.assertEqual(code, 0, report)
        self.assertEqual(report["run"]["jobs"], 1)
        self.assertEqual(self.verdicts(report)["rc.requester.nak-sequence-doubled"], "NOT_APPLICABLE", "it needs virtual_time")


class Interface(Punctual):
    """A veth pair as cable: the tester at one end, and at the other the engine on real time in another network
    namespace."""

    def setUp(self):
        super().setUp()
        root = os.geteuid() == 0
        new = ["unshare", "--net"] if root else ["unshare", "--user", "--map-root-user", "--net"]
        self.user = "daemon" if root else "root"
        os.chmod(self.folder, 0o755)
        self.own = self.folder / "own"
        self.own.mkdir()
        if root:
            shutil.chown(self.own, self.user)
        # The first namespace is the tester's: commands enter it, and so its user namespace.
        self.here = self.process(*new, "sleep", "1000")
        self.there = self.process(*self.enter(self.here), "unshare", "--net", "sleep", "1000")
        self.within(self.here, "ip", "link", "add", "tester", "mtu", "9000", "type", "veth", "peer", "name", "device", "mtu", "9000",
                    "netns", str(self.there))
        self.within(self.here, "ip", "link", "set", "tester", "up")
        self.within(self.there, "ip", "link", "set", "device", "up")

    def tearDown(self):
        pass

    def process(self, *args, **kw):
        p = subprocess.Popen([str(a) for a in args], env=self.env, **kw)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        parent = os.readlink("/proc/self/ns/net") if args[0] == "unshare" else os.readlink(f"/proc/{self.here}/ns/net")
        for _ in range(500):
            time.sleep(0.01)
            self.assertIsNone(p.poll(), args)
            if "sleep" not in args or (b"sleep" == pathlib.Path(f"/proc/{p.pid}/comm").read_bytes().strip()
                                       and os.readlink(f"/proc/{p.pid}/ns/net") != parent):
                return p.pid
        self.fail("no namespace to be had")

    def enter(self, pid):
        return ["nsenter", f"--target={pid}", "--net"] + ([] if os.geteuid() == 0 else ["--user", "--preserve-credentials"])

    def within(self, pid, *args, code=0, **kw):
        r = subprocess.run([*self.enter(pid), *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=300, env={**self.env, **kw}, cwd=self.own if pid == self.here else None)
        self.assertEqual(r.returncode, code, r)
        self.assertNotRegex(r.stderr.decode(), "Sanitizer|runtime error")
        return r

    def agent(self):
        at = self.folder / "agent"
        self.process(*self.enter(self.there), AGENT, "--engine", "--real-time", "--wire", "afpacket:device", "--listen", f"unix:{at}",
                     stderr=subprocess.DEVNULL)
        for _ in range(500):
            if at.exists():
                break
            time.sleep(0.01)
        os.chmod(at, 0o777)
        return f"unix:{at}"

    def play(self, *args, code=0, user=None):
        # after root was dropped leaks are not reported: the sanitizer may not inspect the process
        return self.within(self.here, PROGRAM, "run", "--target", "live", "--wire", "afpacket:tester", "--agent", self.at, *args,
                           *(("--user", self.user) if os.geteuid() or user else ()), code=code,
                           ASAN_OPTIONS=self.env["ASAN_OPTIONS"] + ":detect_leaks=0")

    @unhurried
    def test_a_cable(self):
        self.at = self.agent()
        r = self.play("rc.responder.psn*", "rc.requester.nak*", "ud", "roce", "multicast", "rc.requester.write-segmented", "--json",
                        "r.json", "--evidence", "packets")
        self.assertEqual(r.stderr, b"")
        report = json.loads((self.own / "r.json").read_text())
        self.assertGreater(report["counts"]["PASS"], 40)
        self.assertEqual({k for k, n in report["counts"].items() if n}, {"PASS", "INFO", "NOT_APPLICABLE"}, report)
        for made in (self.own / "r.json", self.own / "packets" / "rc.responder.psn-gap-one-nak.pcapng"):
            self.assertEqual(made.owner() if os.geteuid() == 0 else "daemon", "daemon", "it should have given up root")

    WIRES = ("rc.responder.d*", "rc.responder.psn*", "rc.responder.read*", "rc.requester.nak*", "uc", "ud", "header", "crc", "roce")

    @unhurried
    def test_verdicts_of_every_wire(self):
        """veth and tap give the same verdicts as datagram sockets, scenario by scenario."""
        code, unix = self.report("unix.json", self.live, *self.WIRES, wires=1, engine=("--engine", "--real-time"), hazardous=False)
        self.assertEqual(code, 0, unix["counts"])
        self.at = self.agent()
        self.play(*self.WIRES, "--json", "veth.json")
        at, (a, b) = self.folder / "second", (self.folder / "c0", self.folder / "d0")
        self.process(*self.enter(self.here), AGENT, "--engine", "--real-time", "--wire", f"unix:{a},{b}", "--listen", f"unix:{at}", stderr=subprocess.DEVNULL)
        for _ in range(500):
            if at.exists():
                break
            time.sleep(0.01)
        self.within(self.here, sys.executable, SOURCE.parent / "tools/guest.d/cable.py", "tap0", f"{b},{a}", PROGRAM, "run", "--target", "live",
                    "--wire", "afpacket:tap0", "--agent", f"unix:{at}", "--user", "root", "--json", "tap.json", *self.WIRES,
                    ASAN_OPTIONS=self.env["ASAN_OPTIONS"] + ":detect_leaks=0")
        infiniband = "the target has no link that the scenario is for"
        for wire in ("veth", "tap"):
            report = json.loads((self.own / f"{wire}.json").read_text())
            for r, was in zip(report["results"], unix["results"]):
                if r["measured"] != infiniband:
                    self.assertEqual((wire, r["id"], r["verdict"]), (wire, was["id"], was["verdict"]), r)
            self.assertGreater(report["counts"]["PASS"], 150)

    def test_tags_and_neighbours(self):
        """The kernel at the device's end resolves the tester's addresses while the device is tested."""
        self.at = self.agent()
        suite = self.folder / "suite"
        suite.mkdir()
        suite.joinpath("long.ibt").write_text("title nothing comes\nspec RR-03\nrole responder\nservice rc\nqp a\na silence 4s\n")
        for address in ("10.0.0.9/24", "2001:db8::9/64"):
            self.within(self.there, "ip", "address", "add", address, "dev", "device", *(("nodad",) if ":" in address else ()))
        p = subprocess.Popen([*self.enter(self.here), PROGRAM, "run", "--target", "live", "--wire", "afpacket:tester", "--agent",
                              self.at, "--scenarios", suite, "--user", "root"], stdout=subprocess.PIPE, env=self.env, cwd=self.own)
        time.sleep(2)
        for address, mac in (("10.0.0.3", "02:00:00:00:00:03"), ("10.0.0.4", "02:00:00:00:00:04"),
                             ("2001:db8::3", "02:00:00:00:00:03")):
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            ask = f"import socket; socket.socket(socket.{family.name}, socket.SOCK_DGRAM).sendto(b'x', ('{address}', 9))"
            self.within(self.there, sys.executable, "-c", ask)
            time.sleep(0.2)
            self.assertIn(mac, self.within(self.there, "ip", "neighbour", "show", address).stdout.decode())
        out = p.communicate(timeout=60)[0]
        self.assertEqual(p.returncode, 0, out)
        r = self.within(self.here, PROGRAM, "run", "--target", "live", "--wire", "afpacket:tester", "--agent", self.at, "*vlan*", "-v",
                        "--user", "root")
        self.assertIn(b"PASS", r.stdout)

    def test_frames_that_do_not_leave(self):
        """The kernel accepts frames but does not send them, so the device's behaviour proves nothing."""
        self.at = self.agent()
        suite = self.folder / "suite"
        suite.mkdir()
        suite.joinpath("much.ibt").write_text("title much\nspec RR-03\nrole responder\nservice rc\nqp a recv=4 recv_bytes=4096 pmtu=4096\n"
                                              + "".join(f"> a SEND_ONLY ackreq=1 payload=4000\n< a ACKNOWLEDGE psn=+{n} syndrome=ack\n" for n in range(4)))
        self.play("--scenarios", suite)
        self.within(self.here, "tc", "qdisc", "add", "dev", "tester", "root", "tbf", "rate", "12kbit", "burst", "6000", "limit", "100000")
        r = self.play("--scenarios", suite, "--json", "r.json", code=3)
        self.assertIn(b"lost by the tester's wire", r.stdout)
        self.assertEqual(json.loads((self.own / "r.json").read_text())["counts"]["INCONCLUSIVE"], 1, r)

    def test_what_an_interface_cannot(self):
        self.at = self.agent()
        r = self.play("--link", "ib-local", code=2)
        self.assertIn(b"the target has no such link", r.stderr)

    @unhurried
    def test_a_port_that_is_too_small(self):
        """Scenarios whose packets fit the port are judged as before. All others are INCONCLUSIVE, with advice; none
        fails."""
        self.at = self.agent()
        which = ("rc.requester.send-segmented", "rc.responder.read-segmented", "rc.responder.write-segmented", "rc.responder.psn*", "ud.receiver")
        self.play(*which, "--json", "wide.json")
        self.within(self.here, "ip", "link", "set", "tester", "mtu", "1500")
        r = self.play(*which, "--json", "r.json", code=3)
        self.assertRegex(r.stderr.decode(), r"ibconform: tester: its MTU is 1500: \d+ of \d+ cases [^\n]+ .ip link set tester mtu 9000.\n\Z")
        wide, small = (self.verdicts(json.loads((self.own / n).read_text())) for n in ("wide.json", "r.json"))
        for name, verdict in small.items():
            self.assertEqual(verdict, "INCONCLUSIVE" if "segmented" in name else verdict)
            self.assertIn(verdict, ("INCONCLUSIVE", wide[name]), name)
        judged = sum(v != "INCONCLUSIVE" for v in small.values())
        self.assertGreater(judged, len(small) / 2)

    def test_a_port_without_link(self):
        self.at = self.agent()
        self.within(self.there, "ip", "link", "set", "device", "down")
        time.sleep(1.5)  # the kernel reports links once per second
        r = self.play("audit", code=4)
        self.assertRegex(r.stderr.decode(), r"\Aibconform: tester: it has no link: cable, [^\n]+\n\Z")
        self.within(self.here, "ip", "link", "set", "tester", "down")
        r = self.play("audit", code=4)
        self.assertRegex(r.stderr.decode(), r"\Aibconform: tester: it is down .ip link set tester up.\n\Z")

    def test_a_wire_that_leads_nowhere(self):
        """The message has the sent packets, the received packets, and likely causes."""
        self.at = self.agent()
        self.within(self.here, "ip", "link", "add", "other", "mtu", "9000", "type", "veth", "peer", "name", "nobody", "netns", str(self.there))
        self.within(self.here, "ip", "link", "set", "other", "up")
        # Prevents the kernel from sending packets of its own.
        self.within(self.there, "sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/nobody/disable_ipv6")
        self.within(self.there, "ip", "link", "set", "nobody", "up")
        time.sleep(1)
        r = self.within(self.here, PROGRAM, "run", "audit", "--target", "live", "--wire", "afpacket:other", "--agent", self.at, "--user", self.user,
                        code=4, ASAN_OPTIONS=self.env["ASAN_OPTIONS"] + ":detect_leaks=0")
        self.assertRegex(r.stderr.decode(), r"not well before the first scenario: expected [^\n]+, got nothing for 1000 ms; from "
                         r"02:00:00:00:00:0\d 10.0.0.\d to 02:00:00:00:00:01 10.0.0.1 by afpacket:other .MTU 9000, link up.: [1-9]\d* frames sent, 0 "
                         r"came, [^\n]*Likely: cable, VLAN, MTU")

    def test_who_takes_part(self):
        """All addresses are printed. An address in use, or of this machine or its gateways, is refused before the
        tester answers for it."""
        self.at = self.agent()
        suite = self.folder / "suite"
        suite.mkdir()
        suite.joinpath("one.ibt").write_text("title one\nspec RR-03\nrole responder\nservice rc\nhealth\n")
        pins = ("--device", "10.0.0.1", "--device", "02:00:00:00:00:01", "--device", "02:00:00:00:00:11", "--device", "10.0.0.17")
        r = self.play("--scenarios", suite, *pins)
        self.assertRegex(r.stdout.decode(), r"\Atester 02:00:00:00:00:03 10.0.0.3 2001:db8::3; stranger 02:00:00:00:00:04 [^\n]*; device "
                                            r"02:00:00:00:00:01 10.0.0.1 2001:db8::1[^\n]*\n")
        r = self.play("--scenarios", suite, "--json", "-")
        self.assertEqual(json.loads(r.stdout)["counts"]["PASS"], 1)
        self.assertIn(b"tester 02:00:00:00:00:03", r.stderr)
        r = self.play("--scenarios", suite, "--device", "10.0.0.77", code=4)
        self.assertIn(b"the agent's address of the device, 10.0.0.1, is none of --device", r.stderr)
        for address, who, where, why in (("10.0.0.3/24", "tester", self.there, "is in use on tester, by"),
                                         ("2001:db8::4/64", "stranger", self.there, "is in use on tester, by"),
                                         ("10.0.0.1/24", "device", self.here, "10.0.0.1, is this machine's own"),
                                         ("10.0.0.2/30", "tester", self.here, "10.0.0.3, is the broadcast of a network of this machine")):
            dev = "device" if where == self.there else "tester"
            extra = ("nodad",) if ":" in address else ("brd", "+") if where == self.here else ()
            self.within(where, "ip", "address", "add", address, "dev", dev, *extra)
            r = self.play("--scenarios", suite, code=4)
            self.assertRegex(r.stderr.decode(), f"the agent's address of the {who},? [^\n]*{why}", address)
            self.within(where, "ip", "address", "del", address, "dev", dev)
        self.within(self.here, "ip", "address", "add", "10.0.0.200/24", "dev", "tester")
        self.within(self.here, "ip", "route", "add", "default", "via", "10.0.0.4")
        self.assertIn(b"stranger, 10.0.0.4, is a gateway's", self.play("--scenarios", suite, code=4).stderr)

    def test_found_sequences_stay_here(self):
        """Scenarios that `fuzz` has stored are played over an interface only if the user asks for them."""
        self.at = self.agent()
        suite = self.folder / "suite"
        suite.mkdir()
        suite.joinpath("sequence-7.ibt").write_text("title sequence 7: rc\nspec RR-03\nrole responder\nservice rc\nhealth\n")
        self.assertIn(b"say --i-own-this-network", self.play("--scenarios", suite, code=2).stderr)
        self.play("--scenarios", suite, "--i-own-this-network")

    def test_who_reaches_the_agent(self):
        """The tester drops root before it starts the agent. The message names the user, and the option that changes
        it."""
        if os.geteuid() != 0:
            self.skipTest("root only")
        at = self.folder / "shut"
        at.mkdir(mode=0o700)
        self.at = f"unix:{at}/agent"
        for args, says in (((), "Permission denied for this user .--user NAME runs as another. .root was given up: this user is daemon."),):
            r = self.play("audit", *args, code=4)
            self.assertRegex(r.stderr.decode(), says)
        self.at = "exec:exit 255"
        self.assertRegex(self.play("audit", code=4).stderr.decode(), "exit code 255 .root was given up: the agent is reached as user daemon.*--user NAME")

    def test_without_privileges(self):
        if os.geteuid() == 0:
            r = self.within(self.here, "setpriv", "--reuid=daemon", "--clear-groups", PROGRAM, "run", "--target", "live", "--wire",
                            "afpacket:tester", "--agent", "exec:true", code=2)
        else:
            r = self.run_suite("--target", "live", "--wire", "afpacket:lo", "--agent", "exec:true")
        self.assertRegex(r.stderr.decode(), r"\Aibconform: --wire: wire afpacket:\w+: needs root or CAP_NET_RAW[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
