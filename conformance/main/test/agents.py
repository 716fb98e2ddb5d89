#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibconform against hostile agents of a broken device: no crash, no hang, and none buys a PASS. IBPROOF_BIN names the programs'
folder; with IBPROOF_AGENTS=all each agent is hostile from its first answer, and again after the health check, else a few are."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ.get("IBPROOF_BIN", ".")).resolve()
# Each of these fails on a device whose answers count one message too many. No word of the agent changes its packets.
BROKEN = "mutant:emit.aeth.msn=+1"
SCENARIOS = ("rc.responder.psn-gap-one-nak", "rc.responder.duplicate-flush", "memory.zero-based", "cq.one-each")
FEW = ("types", "yesall")
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
EVIL = "\x1b]0;pwn\x07\x1b[31m\n<script>\u202e\u009b31m</script>\"><img src=x> ]]> \t"
PATIENCE = 120
FIRST_PLAY = 3  # the reset of the first scenario: those before it are of the greeting and of the health check


def say(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def answer(request, **members):
    say(json.dumps({"id": request["id"], **members}).encode() + b"\n")


def endless(data):
    while True:
        say(data)


def drip(data):
    for byte in data:
        say(bytes([byte]))
        time.sleep(0.2)


def great(value):
    """The same, with other numbers."""
    if isinstance(value, dict):
        return {k: great(v) for k, v in value.items()}
    if isinstance(value, list):
        return [great(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return random.choice(["0xffffffffffffffff", 2**53, 0, 2**32 - 1, 2**31])
    return value


def bad_address(ok):
    for name in ("device", "tester", "stranger"):
        one = ok.get(name)
        for address in one if isinstance(one, list) else [one] if one else []:
            address.update(mac="ff:ff:ff:ff:ff:ff", ipv4="255.255.255.255")
    return ok


def wrong_type(q, a):
    answer(q, ok=random.choice([[], 1, "x", None, {k: [] for k in a.get("ok", {})}, {}]))


# The answer to the request `q`, instead of the answer `a` of the device.
ALWAYS = {
    "never": lambda q, a: time.sleep(1000),
    "garbage": lambda q, a: say(os.urandom(300).replace(b"\n", b"") + b"\n"),
    "nonewline": lambda q, a: endless(b"A" * 65536),
    "flood": lambda q, a: endless(b'{"id":1,"ok":{}}\n' * 1000),
    "drip": lambda q, a: drip(json.dumps(a).encode() + b"\n"),
    "wrongid": lambda q, a: say(json.dumps({**a, "id": a["id"] + 1}).encode() + b"\n"),
    "twice": lambda q, a: say(2 * (json.dumps(a).encode() + b"\n")),
    "deep": lambda q, a: say(b'{"id":%d,"ok":' % q["id"] + b'{"a":' * 10000 + b"1" + b"}" * 10001 + b"\n"),
    "brackets": lambda q, a: say(b"[" * 60000 + b"\n"),
    "huge": lambda q, a: say(json.dumps({**a, "ok": great(a["ok"])} if "ok" in a else a).encode() + b"\n"),
    "types": wrong_type,
    "yesall": lambda q, a: answer(q, ok={}),
    "allunsup": lambda q, a: answer(q, error="unsupported", text="no"),
    "error": lambda q, a: answer(q, error=random.choice(["bad_request", "fault", "dead", "weird" + EVIL]), text=EVIL * 3),
    "exit": lambda q, a: os._exit(3),
}
# For some requests only: which, and what it says.
SOME = {
    "yes": (lambda q, a: "error" in a and q["do"] != "no_such_verb", lambda q, a: answer(q, ok={})),
    "log": (lambda q, a: q["do"] == "log", lambda q, a: answer(q, ok={"text": EVIL})),
    "name": (lambda q, a: q["do"] == "hello", lambda q, a: answer(q, ok={**a["ok"], "name": EVIL + "../../../x"})),
    "nocaps": (lambda q, a: q["do"] == "hello", lambda q, a: answer(q, ok={**a["ok"], "capabilities": []})),
    "devices": (lambda q, a: q["do"] == "hello", lambda q, a: answer(q, ok={**a["ok"], "devices": 2})),
    "limits": (lambda q, a: q["do"] == "hello", lambda q, a: answer(q, ok={**a["ok"], "limits": {"line": 1, "bytes": 0}})),
    "counters": (lambda q, a: q["do"] == "counters", lambda q, a: answer(q, ok={"counters": {EVIL + str(i): i for i in range(40)}})),
    "manycount": (lambda q, a: q["do"] == "counters", lambda q, a: answer(q, ok={"counters": {f"c{i}": i for i in range(4000)}})),
    "shorthex": (lambda q, a: q["do"] == "read_memory" and "ok" in a,
                 lambda q, a: answer(q, ok={**a["ok"], "hex": a["ok"]["hex"][:random.choice([0, 2, 3])]})),
    "longhex": (lambda q, a: q["do"] == "read_memory" and "ok" in a, lambda q, a: answer(q, ok={**a["ok"], "hex": a["ok"]["hex"] + "00" * 20000})),
    "addresses": (lambda q, a: q["do"] == "reset" and "ok" in a, lambda q, a: answer(q, ok=bad_address(a["ok"]))),
    "time": (lambda q, a: q["do"] == "advance" and "ok" in a,
             lambda q, a: answer(q, ok={**a["ok"], "now": random.choice([0, "0xffffffffffffffff"]), "frames": random.choice([0, 1, 2**32 - 1])})),
    "halfway": (lambda q, a: q["do"] == "poll_cq", lambda q, a: time.sleep(1000)),
}
# Its answers are those of the device.
BESIDE = ("stderr", "ignoreterm", "forkhold")
MODES = (*ALWAYS, *SOME, *BESIDE)
LATE = ("garbage", "wrongid", "twice", "deep", "huge", "types", "yesall", "allunsup", "error", "exit")


def be_agent(mode, from_reset, *command):
    random.seed(mode)
    if mode == "ignoreterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mode == "forkhold" and os.fork() == 0:
        os.setsid()
        os.close(2)  # who waits for the end of the standard error would wait for this process
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
        os._exit(0)
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    resets = 0
    for line in sys.stdin.buffer:
        request = json.loads(line)
        engine.stdin.write(line)
        engine.stdin.flush()
        reply = engine.stdout.readline()
        a = json.loads(reply)
        resets += request["do"] == "reset"
        if mode == "stderr":
            sys.stderr.write(EVIL * 5)
        hostile = resets >= int(from_reset) and mode not in BESIDE
        if hostile and mode in ALWAYS:
            ALWAYS[mode](request, a)
        elif hostile and SOME[mode][0](request, a):
            SOME[mode][1](request, a)
        else:
            say(reply)


class Agents(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def play(self, mode, from_reset):
        a, b, report = f"{self.folder}/a", f"{self.folder}/b", self.folder / "r.json"
        report.unlink(missing_ok=True)
        agent = [sys.executable, "-B", __file__, "--agent", mode, str(from_reset), str(BIN / "ibagent"), f"--engine={BROKEN}",
                 "--wire", f"unix:{a},{b}"]
        begun = time.monotonic()
        r = subprocess.run([BIN / "ibconform", "run", "--target", "live", "--wire", f"unix:{b},{a}", "--agent", "exec:" + " ".join(agent),
                            "--timeout-scale", "0.3", "--strict", "--json", report, *SCENARIOS], cwd=self.folder, timeout=PATIENCE,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return r, json.loads(report.read_text())["results"], time.monotonic() - begun

    def check(self, mode, from_reset):
        r, results, took = self.play(mode, from_reset)
        err = r.stderr.decode(errors="replace")
        verdicts = sorted({one["verdict"] for one in results})
        self.assertNotRegex(err, "Sanitizer|runtime error|Assertion")
        self.assertIn(r.returncode, (1, 3, 4), err)
        self.assertFalse({"PASS", "TOLERATED", "INFO", "XFAIL"} & set(verdicts), results)
        self.assertIsNone(UNSAFE.search(r.stdout.decode()), r.stdout)
        if mode != "stderr":
            self.assertIsNone(UNSAFE.search(err), err)
        print(f"{mode:<12}from {'the health check' if from_reset else 'the start':<17}exit {r.returncode}  {took:5.1f} s  {' '.join(verdicts)}")

    def test_none_buys_a_pass(self):
        everyone = os.environ.get("IBPROOF_AGENTS") == "all"
        early, late = (MODES, LATE) if everyone else ((), FEW)
        for mode, from_reset in (*((mode, 0) for mode in early), *((mode, FIRST_PLAY) for mode in late)):
            with self.subTest(mode, from_reset=from_reset):
                self.check(mode, from_reset)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--agent"]:
        be_agent(*sys.argv[2:])
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
