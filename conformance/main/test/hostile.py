#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibconform and ibagent against hostile ends: agents, clients, closed descriptors, signals. IBPROOF_BIN names their folder."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

BIN = pathlib.Path(os.environ["IBPROOF_BIN"]).resolve()
PROGRAM, AGENT = str(BIN / "ibconform"), str(BIN / "ibagent")
SAMPLE = "rc.responder.psn-gap-one-nak"
PLACE = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""),
         **{k: v for k, v in os.environ.items() if k.startswith("MUTATE")}}  # tools/mutate says by them which mistake is on
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
EVIL = "\x1b]0;pwn\x07\x1b[31m\n<script>\u202e\x9b31m"
# An agent: the engine answers `{late}` requests, and each later one is answered by an error with this text.
PROXY = """
import json, subprocess, sys
engine = subprocess.Popen([{agent!r}, "--engine", "--wire", {wire!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for n, line in enumerate(sys.stdin):
    request = json.loads(line)
    engine.stdin.write(line.encode())
    engine.stdin.flush()
    answer = engine.stdout.readline().decode()
    if n >= {late} and request["do"] != "no_such_verb":
        answer = json.dumps({{"id": request["id"], "error": {word!r}, "text": {text!r}}}) + "\\n"
    sys.stdout.write(answer)
    sys.stdout.flush()
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_it(self, *args, program=PROGRAM, **kw):
        kw = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder, "env": PLACE, **kw}
        return subprocess.run([program, *map(str, args)], timeout=120, **kw)

    def shell(self, line):
        return subprocess.run(["sh", "-c", line], timeout=120, cwd=self.folder, env={**PLACE, "C": PROGRAM, "A": AGENT},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def live(self, late, word="bad_state", text=EVIL):
        path = self.folder / "agent.py"
        path.write_text(PROXY.format(agent=AGENT, wire=f"unix:{self.folder}/t,{self.folder}/d", late=late, word=word, text=text))
        return ("--target", "live", "--wire", f"unix:{self.folder}/d,{self.folder}/t", "--agent", f"exec:{sys.executable} {path}")


class Terminal(Case):
    def safe(self, r):
        for data in (r.stdout, r.stderr):
            self.assertIsNone(UNSAFE.search(data.decode()), r)

    def test_text_of_an_agent(self):
        for late in (0, 2, 3, 4, 6, 9, 30):
            for command in (("run", SAMPLE), ("fuzz", "--count", "2")):
                self.safe(self.run_it(*command, *self.live(late)))
        self.assertIn(b"\\033]0;pwn", self.run_it("run", SAMPLE, *self.live(0)).stderr)

    def test_words_of_the_command_line(self):
        for args in (("run", EVIL), (EVIL,), ("show", EVIL), ("run", "--waivers", EVIL), ("run", "--scenarios", EVIL), ("check", EVIL),
                     ("run", "--target", EVIL), ("run", "--json", f"none/{EVIL}", SAMPLE), ("run", f"--{EVIL}")):
            r = self.run_it(*args)
            self.safe(r)
            self.assertRegex(r.stderr.decode(), r"\Aibconform: [^\n]+\n\Z", args)
        for args in ((EVIL,), ("--engine", EVIL), ("--engine=" + EVIL,), ("--engine", "--listen", EVIL), ("--engine", "--wire", EVIL)):
            r = self.run_it(*args, program=AGENT)
            self.safe(r)
            self.assertRegex(r.stderr.decode(), r"\Aibagent: [^\n]+\n\Z", args)

    def test_names_of_captures(self):
        sample = next((pathlib.Path(__file__).resolve().parents[3] / "pcaps").glob("rxe-corrupt20-rc.pcap"))
        name = "x\x1b[31m\u202e\x9b.pcap"
        shutil.copy(sample, self.folder / name)
        for args in ((name,), (name, str(sample)), ("-v", name)):
            self.safe(self.run_it("check", *args))


class Outputs(Case):
    def test_closed_output_does_not_go_into_a_file(self):
        for closed in (">&-", "<&- >&-", "<&- >&- 2>&-"):
            r = self.shell(f'"$C" run {SAMPLE} --json r.json --junit r.xml {closed}')
            self.assertEqual(r.returncode, 4, closed)
            self.assertEqual(json.loads((self.folder / "r.json").read_text())["counts"]["PASS"], 1)
            xml.etree.ElementTree.parse(self.folder / "r.xml")

    def test_one_file_for_two(self):
        (self.folder / "w.json").write_text("[]")
        for args in (("--json", "x", "--junit", "./x"), ("--json", "x", "--html", "x"), ("--waivers", "w.json", "--json", "w.json")):
            r = self.run_it("run", SAMPLE, *args)
            self.assertEqual(r.returncode, 2)
            self.assertRegex(r.stderr.decode(), r"\Aibconform: [^\n]+(the same file|would destroy it)\n\Z")
            self.assertFalse((self.folder / "x").exists())
        self.assertEqual((self.folder / "w.json").read_text(), "[]")

    def test_reports_of_the_run_before(self):
        """A run that ends early replaces an earlier report of success by an ERROR."""
        files = ("--junit", "r.xml", "--json", "r.json", "--html", "r.html")
        for why in (("--target", "live", "--wire", f"unix:{self.folder}/d,{self.folder}/t", "--agent", "exec:exit 3"), ("--link", "ib-nothing"),
                    ("no.such.scenario",), ("--target", "mutant:none")):
            self.assertEqual(self.run_it("run", SAMPLE, *files).returncode, 0)
            r = self.run_it("run", *why, *files, *(() if why[0][0] != "-" else (SAMPLE,)))
            self.assertIn(r.returncode, (2, 4), why)
            report = json.loads((self.folder / "r.json").read_text())
            self.assertEqual({k: n for k, n in report["counts"].items() if n}, {"ERROR": 1})
            self.assertEqual(xml.etree.ElementTree.parse(self.folder / "r.xml").getroot().get("errors"), "1")
            text = r.stderr.decode().split(": ", 1)[1].strip()[:60]
            self.assertIn(text, " ".join(json.dumps(report["results"], ensure_ascii=False).replace('\\"', '"').split()))
            self.assertIn("ERROR", (self.folder / "r.html").read_text())

    def test_a_run_that_was_killed(self):
        self.assertEqual(self.run_it("run", SAMPLE, "--json", "r.json").returncode, 0)
        p = subprocess.Popen([PROGRAM, "run", "--repeat", "100", "-j", "1", "--json", "r.json"], cwd=self.folder, env=PLACE, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60  # on a busy machine it is reading the scenarios still
        while time.monotonic() < end and json.loads((self.folder / "r.json").read_text())["counts"]["ERROR"] == 0:
            time.sleep(0.1)
        p.kill()
        p.wait()
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["counts"]["ERROR"], 1)
        self.assertEqual([f.name for f in self.folder.iterdir()], ["r.json"])

    def test_help_that_cannot_be_written(self):
        for program, code in ((PROGRAM, 4), (AGENT, 4)):
            for option in ("--help", "--version"):
                with open("/dev/full", "wb") as full:
                    self.assertEqual(self.run_it(option, program=program, stdout=full).returncode, code)


class Signals(Case):
    def begin(self, *args):
        p = subprocess.Popen([PROGRAM, *args], cwd=self.folder, env=PLACE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(p.kill)
        time.sleep(1)
        return p

    def test_the_first_one_ends_in_order(self):
        for number, everyone in ((signal.SIGTERM, False), (signal.SIGINT, True)):
            p = self.begin("run", "--repeat", "1000", "-j", "2", "--json", "r.json")
            children = pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children")
            while p.poll() is None and not children.read_text():
                time.sleep(0.05)  # on a busy machine it is reading the scenarios still: then a signal leaves nothing to print
            os.killpg(p.pid, number) if everyone else p.send_signal(number)
            out, err = p.communicate(timeout=30)
            self.assertEqual((p.returncode, err), (4, b"ibconform: a signal ended the run\n"))
            report = json.loads((self.folder / "r.json").read_text())
            self.assertGreater(report["counts"]["ERROR"], 0)
            self.assertIn("a signal ended the run", json.dumps(report))
            self.assertRegex(out.decode(), r"\n\d+ passed, ")

    def test_fuzz(self):
        p = self.begin("fuzz", "--time", "1000")
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=30)
        self.assertEqual((p.returncode, err), (0, b""))
        self.assertRegex(out.decode(), r"\A\d+ sequences, seed 1: 0 differ")


class Agent(Case):
    """ibagent and hostile clients."""

    def ask(self, *lines):
        return subprocess.run([AGENT, "--engine"], input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE, timeout=60,
                              env=PLACE).stdout.decode().splitlines()

    def listen(self):
        p = subprocess.Popen([AGENT, "--engine", "--listen", "tcp:127.0.0.1:0"], stderr=subprocess.PIPE, env=PLACE)
        self.addCleanup(p.stderr.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        _, port, token = re.match(r"ibagent: listening on tcp:(.*):(\d+), token (\w+)", p.stderr.readline().decode()).groups()
        return p, int(port), token

    def client(self, port):
        c = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.addCleanup(c.close)
        return c

    def hello(self, port, token):
        c = self.client(port)
        c.sendall(json.dumps({"id": 1, "do": "hello", "version": 1, "token": token}).encode() + b"\n")
        return c, c.makefile().readline()

    def test_members_that_are_given_twice(self):
        for line in ('{"id":1,"id":2,"do":"counters"}', '{"id":1,"do":"hello","do":"counters","version":1}', '{"id":1,"do":"counters","device":0,"device":0}'):
            self.assertRegex(self.ask(line)[0], "bad_request.*given twice")

    def test_the_end_of_time(self):
        began = time.monotonic()
        replies = self.ask('{"id":1,"do":"hello","version":1}', '{"id":2,"do":"reset","link":"roce2-ipv4"}',
                           '{"id":3,"do":"advance","until":"0xffffffffffffffff"}', '{"id":4,"do":"advance","until":"0xffffffffffffffff"}')
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(len(replies), 4)
        for reply in replies:
            self.assertIn("ok", json.loads(reply), replies)

    def test_silent_clients_do_not_keep_others_waiting(self):
        _, port, token = self.listen()
        silent = [self.client(port) for _ in range(4)]
        began = time.monotonic()
        _, reply = self.hello(port, token)
        self.assertIn('"ok"', reply)
        self.assertLess(time.monotonic() - began, 9)  # the agent waits 10 s for a client that says nothing
        self.assertEqual(len(silent), 4)

    def test_a_client_that_does_not_read(self):
        _, port, token = self.listen()
        greedy, _ = self.hello(port, token)
        greedy.settimeout(0.5)
        line = b'{"id":2,"do":"no_such_verb"}\n' * 1000
        try:
            while True:
                greedy.sendall(line)
        except (socket.timeout, OSError):
            pass
        began = time.monotonic()
        _, reply = self.hello(port, token)
        self.assertIn('"ok"', reply)
        self.assertLess(time.monotonic() - began, 40)  # the agent gives it up after 10 s; the rest is for a busy machine

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            p, _, _ = self.listen()
            p.send_signal(number)
            self.assertEqual(p.wait(timeout=10), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
