#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibagent from its clients' point of view: channels, tokens, lines too long, ends. IBPROOF_BIN names its folder."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.path.join(os.environ["IBPROOF_BIN"], "ibagent")
PLACE = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
LINE = 65536
HELLO = {"id": 1, "do": "hello", "version": 1}


def run(*args, stdin=b"", program=PROGRAM):
    return subprocess.run([program, *map(str, args)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, env=PLACE)


def lines(*requests):
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in requests)


class Client:
    """Lines to and from a stream."""

    def __init__(self, send, receive):
        self.send, self.receive, self.rest, self.id = send, receive, b"", 0

    def line(self):
        while b"\n" not in self.rest:
            got = self.receive()
            if not got:
                return None
            self.rest += got
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, verb, **args):
        self.id += 1
        self.send(lines({"id": self.id, "do": verb, **args}))
        reply = self.line()
        assert reply is None or reply["id"] == self.id, reply
        return reply

    def ok(self, verb, **args):
        reply = self.ask(verb, **args)
        assert reply and "ok" in reply, (verb, args, reply)
        return reply["ok"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *args):
        """The program, its standard error a file; ended with the test."""
        said = tempfile.NamedTemporaryFile(dir=self.folder, delete=False)
        self.said = pathlib.Path(said.name)
        child = subprocess.Popen([PROGRAM, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=said, env=PLACE, bufsize=0)
        said.close()
        self.addCleanup(self.end, child, self.said)
        return child

    def end(self, child, said):
        if child.poll() is None:
            child.terminate()
        code = child.wait(timeout=60)
        child.stdin.close()
        child.stdout.close()
        self.assertEqual(code, 0, said.read_text())
        self.assertNotIn("Sanitizer", said.read_text())
        self.assertNotIn("runtime error", said.read_text())

    def wait_for(self, what):
        """The output of the last one started, when that is in it."""
        for _ in range(600):
            if what in self.said.read_text() and self.said.read_text().endswith("\n"):
                return self.said.read_text()
            time.sleep(0.1)
        self.fail(f"no {what!r} in {self.said.read_text()!r}")

    def stream(self, child):
        def send(data):
            while data:
                data = data[child.stdin.write(data):]
        return Client(send, lambda: child.stdout.read(65536))

    def connect(self, family, where):
        s = socket.socket(family, socket.SOCK_STREAM)
        self.addCleanup(s.close)
        s.settimeout(60)
        s.connect(where)

        def receive():
            try:
                return s.recv(65536)
            except ConnectionResetError:
                return b""
        return Client(s.sendall, receive), s


class Stdio(Case):
    def test_a_session_ends_with_its_input(self):
        r = run("--engine", stdin=lines(HELLO, {"id": 2, "do": "reset", "link": "ib-local"}, {"id": 3, "do": "create_pd"}))
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        replies = [json.loads(x) for x in r.stdout.splitlines()]
        self.assertEqual([x["id"] for x in replies], [1, 2, 3])
        self.assertEqual(replies[0]["ok"]["version"], 1)
        self.assertEqual(replies[0]["ok"]["time"], "virtual")
        self.assertEqual(replies[1]["ok"]["device"][0]["lid"], 8)
        self.assertEqual(replies[2]["ok"], {"pd": 0})

    def test_fork_and_exec_as_a_tester_does(self):
        c = self.stream(self.start("--engine"))
        self.assertIn("rc", c.ok("hello", version=1)["capabilities"])
        now = c.ok("reset", link="roce2-ipv4", seed=3)["now"]
        pd = c.ok("create_pd")["pd"]
        cq = c.ok("create_cq", depth=16)["cq"]
        mr = c.ok("reg_mr", pd=pd, length=4096, access=["local_write"], fill="k")
        c.ok("write_memory", at=mr["local"], hex="00ff")
        self.assertEqual(c.ok("read_memory", at=mr["local"], n=2), {"hex": "00ff"})
        qpn = c.ok("create_qp", type="rc", pd=pd, scq=cq, rcq=cq, sq=4, rq=4, sig_all=True)["qpn"]
        c.ok("modify_qp", qpn=qpn, state="init", pkey=0, port=1, access=["remote_write"])
        self.assertEqual(c.ok("query_qp", qpn=qpn)["state"], "init")
        c.ok("post_recv", qpn=qpn, wr={"id": 5, "sge": [{"at": mr["local"], "len": 64, "lkey": mr["lkey"]}]})
        c.ok("modify_qp", qpn=qpn, state="err")
        wc = c.ok("poll_cq", cq=cq)["wc"]
        self.assertEqual((wc["id"], wc["status"]), (5, "flushed"))
        self.assertIsNone(c.ok("poll_cq", cq=cq)["wc"])
        self.assertEqual(c.ok("advance", until=now + 5), {"now": now + 5, "frames": 0})
        self.assertEqual(c.ask("no_such_verb")["error"], "unsupported")
        self.assertEqual(c.ask("create_srq", pd=99, depth=4)["error"], "no_pd")

    def test_mutants_are_served_too(self):
        r = run("--engine=mutant:emit.aeth.msn=+1", stdin=lines(HELLO))
        self.assertEqual(json.loads(r.stdout)["ok"]["name"], "mutant:emit.aeth.msn=+1")

    def test_a_line_too_long_is_skipped_and_said_once(self):
        pad = b" " * (LINE - 1 - len(lines(HELLO)) + 1)
        fits = lines(HELLO)[:-1] + pad[:LINE - len(lines(HELLO))] + b"\n"
        self.assertEqual(len(fits), LINE)
        r = run("--engine", stdin=fits + b"x" * 10 * LINE + b"\n" + b'{"a":"' + b"y" * LINE + b'"}\n' + lines(HELLO))
        replies = [json.loads(x) for x in r.stdout.splitlines()]
        self.assertEqual([x.get("error", "ok") for x in replies], ["ok", "line_too_long", "line_too_long", "ok"])
        self.assertIsNone(replies[1]["id"])
        self.assertEqual(r.returncode, 0)

    def test_many_requests_at_once(self):
        r = run("--engine", stdin=lines(HELLO, *[{"id": i, "do": "counters"} for i in range(2, 3000)]))
        self.assertEqual([json.loads(x)["id"] for x in r.stdout.splitlines()], list(range(1, 3000)))

    def test_what_is_no_request(self):
        bad = [b"", b"[", b"null", b"{}", b"\x00\xff\xfe", b'{"id":9,"do":"counters"}\x00', b"[" * 60000,
               b'{"id":1e999,"do":"hello"}', b'{"id":[],"do":"hello"}', b'{"a":' * 8000]
        r = run("--engine", stdin=lines(HELLO, *bad, {"id": 5, "do": "choose_psn"}))
        replies = [json.loads(x) for x in r.stdout.splitlines()]
        self.assertEqual(len(replies), len(bad) + 2)
        self.assertEqual({x["error"] for x in replies[1:-1]}, {"bad_json", "bad_request"})
        self.assertEqual(replies[-1]["id"], 5)

    def test_an_end_in_mid_line_is_an_end(self):
        r = run("--engine", stdin=lines(HELLO) + b'{"id":2,"do":"create_pd"}')
        self.assertEqual((r.returncode, len(r.stdout.splitlines())), (0, 1))

    def test_signals_end_it_cleanly(self):
        for sig in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            child = self.start("--engine")
            self.stream(child).ok("hello", version=1)
            child.send_signal(sig)
            self.assertEqual(child.wait(timeout=60), 0)

    def test_a_signal_ends_it_while_nobody_reads(self):
        child = self.start("--engine")
        child.stdin.write(lines(HELLO))
        os.set_blocking(child.stdin.fileno(), False)
        try:
            for i in range(100000):
                if child.stdin.write(lines({"id": i, "do": "counters"})) is None:
                    break
        except BlockingIOError:
            pass
        time.sleep(0.3)
        child.terminate()
        self.assertEqual(child.wait(timeout=60), 0)

    def test_a_client_that_has_gone_is_no_mistake(self):
        child = self.start("--engine")
        child.stdout.close()
        child.stdin.write(lines(HELLO, HELLO, HELLO))
        self.assertEqual(child.wait(timeout=60), 0)


class Sockets(Case):
    def test_unix_one_client_after_the_other(self):
        path = self.folder / "agent"
        child = self.start("--engine", "--listen", f"unix:{path}")
        self.wait_for("listening on unix:")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        first, s = self.connect(socket.AF_UNIX, str(path))
        self.assertEqual(first.ask("create_pd")["error"], "no_hello")
        first.ok("hello", version=1)
        self.assertEqual(first.ok("create_pd"), {"pd": 0})
        second, _ = self.connect(socket.AF_UNIX, str(path))
        second.send(lines({"id": 1, "do": "create_pd"}))
        self.assertEqual(first.ok("create_pd"), {"pd": 1})
        s.close()
        self.assertEqual(second.line()["error"], "no_hello")
        second.id = 1
        second.ok("hello", version=1)
        second.ok("reset", link="roce1")
        self.assertEqual(second.ok("create_pd"), {"pd": 0})
        child.terminate()
        self.assertEqual(child.wait(timeout=60), 0)
        self.assertFalse(path.exists())

    def test_unix_takes_the_place_of_a_dead_one_only(self):
        path = self.folder / "agent"
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(str(path))
        dead.close()
        self.start("--engine", "--listen", f"unix:{path}")
        self.wait_for("listening on unix:")
        r = run("--engine", "--listen", f"unix:{path}")
        self.assertEqual(r.returncode, 4)
        self.assertIn(b"in use", r.stderr)
        c, _ = self.connect(socket.AF_UNIX, str(path))
        c.ok("hello", version=1)
        (self.folder / "file").write_text("precious")
        self.assertEqual(run("--engine", "--listen", f"unix:{self.folder}/file").returncode, 4)
        self.assertEqual((self.folder / "file").read_text(), "precious")

    def listening(self, *args):
        child = self.start("--engine", "--listen", "tcp:0", *args)
        said = self.wait_for("listening on tcp:127.0.0.1:")
        return child, int(said.split("127.0.0.1:")[1].split(",")[0]), said

    def test_tcp_answers_nobody_without_the_token(self):
        _, port, said = self.listening()
        token = said.split("token ")[1].strip()
        self.assertEqual(len(token), 32)
        wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
        for attempt in (HELLO, {**HELLO, "token": wrong}, {**HELLO, "token": token[:-1]}, {**HELLO, "token": ""},
                        {"id": 1, "do": "reset", "link": "roce1", "token": token}, b"GET / HTTP/1.0", b"x" * 3 * LINE,
                        {**HELLO, "version": 9}):
            c, _ = self.connect(socket.AF_INET, ("127.0.0.1", port))
            try:
                c.send(lines(attempt))
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertIsNone(c.line(), attempt)
        c, _ = self.connect(socket.AF_INET, ("127.0.0.1", port))
        c.ok("hello", version=1, token=token)
        c.ok("reset", link="roce1")

    def test_tcp_tokens_differ(self):
        _, _, one = self.listening()
        _, _, two = self.listening()
        self.assertNotEqual(one.split("token ")[1], two.split("token ")[1])

    def test_tcp_token_of_a_file_is_not_printed(self):
        (self.folder / "token").write_text("an-old-secret-of-ours\n")
        _, port, said = self.listening("--token-file", self.folder / "token")
        self.assertNotIn("token", said)
        c, _ = self.connect(socket.AF_INET, ("127.0.0.1", port))
        c.ok("hello", version=1, token="an-old-secret-of-ours")

    def test_tcp_without_a_hello_is_hung_up_on(self):
        _, port, said = self.listening()
        c, _ = self.connect(socket.AF_INET, ("127.0.0.1", port))
        began = time.monotonic()
        self.assertIsNone(c.line())
        self.assertGreater(time.monotonic() - began, 5)
        c, _ = self.connect(socket.AF_INET, ("127.0.0.1", port))
        c.ok("hello", version=1, token=said.split("token ")[1].strip())


class Wires(Case):
    def sender(self, *args):
        """A UC queue pair in RTS, the tester's end of its wire, and a send of 1500 bytes to be posted."""
        mine, theirs = self.folder / "tester", self.folder / "device"
        wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(wire.close)
        wire.bind(str(mine))
        wire.settimeout(30)
        c = self.stream(self.start("--engine", *args, "--wire", f"unix:{mine},{theirs}"))
        c.ok("hello", version=1)
        c.ok("reset", link="roce2-ipv4", seed=1)
        pd = c.ok("create_pd")["pd"]
        cq = c.ok("create_cq", depth=16)["cq"]
        mr = c.ok("reg_mr", pd=pd, length=4096, access=["local_write"], fill="k")
        qpn = c.ok("create_qp", type="uc", pd=pd, scq=cq, rcq=cq, sq=4, rq=4, sig_all=True)["qpn"]
        c.ok("modify_qp", qpn=qpn, state="init", pkey=0, port=1, access=[])
        c.ok("modify_qp", qpn=qpn, state="rtr", av=True, hop=7, pmtu=1024, qpn_of_peer=0x777, epsn=1)
        c.ok("modify_qp", qpn=qpn, state="rts", psn=0x2000)
        sge = {"at": mr["local"], "len": 1500, "lkey": mr["lkey"]}
        return c, wire, theirs, cq, {"qpn": qpn, "wr": {"op": "send", "id": 3, "sge": [sge]}}

    def test_frames_go_by_the_wire(self):
        """A QP of the engine sends to the tester's socket on request, and receives the answer."""
        c, wire, theirs, cq, send = self.sender()
        c.ok("post_send", **send)
        wire.setblocking(False)
        self.assertRaises(BlockingIOError, wire.recv, 9999)
        wire.settimeout(30)
        now = c.ok("advance", until=1000000000)
        self.assertEqual(now, {"now": 1000000000, "frames": 1})
        first = wire.recv(9999)
        self.assertEqual(first[:12].hex(), "020000000003020000000001")
        self.assertEqual(first[22], 7, "hops")
        self.assertEqual(first[42:46].hex(), "20" + "40" + "ffff", "UC SEND First, the default partition")
        self.assertEqual(c.ok("advance", until=1000000000)["frames"], 1)
        wire.recv(9999)
        self.assertEqual(c.ok("advance", until=2000000000), {"now": 2000000000, "frames": 0})
        self.assertEqual(c.ok("poll_cq", cq=cq)["wc"]["status"], "success")
        for _ in range(500):
            wire.sendto(first, str(theirs))  # received while there is no request
        counters = c.ok("counters")["counters"]
        self.assertEqual((counters["packets_in"], counters["packets_out"]), (500, 2))

    def test_on_real_time_frames_leave_by_themselves(self):
        c, wire, _, cq, send = self.sender("--real-time")
        hello = c.ok("hello", version=1)
        self.assertEqual(hello["time"], "real")
        self.assertNotIn("virtual_time", hello["capabilities"])
        c.ok("post_send", **send)
        self.assertEqual([wire.recv(9999)[42] for _ in range(2)], [0x20, 0x22], "UC SEND First, Last")
        self.assertEqual(c.ok("poll_cq", cq=cq)["wc"]["status"], "success")
        self.assertEqual(c.ask("advance", until=0)["error"], "unsupported")

    def test_a_wire_that_cannot_be(self):
        for spec in "nonsense", "unix:only-one", "":
            r = run("--engine", "--wire", spec)
            self.assertEqual((r.returncode, r.stdout, len(r.stderr.splitlines())), (4, b"", 1), r.stderr)


class Static(Case):
    """ibagent-static, linked with static libraries: what they lack would be a call of address 0."""

    def test_it_confines_itself_and_answers(self):
        done = run("--engine", stdin=lines(HELLO), program=PROGRAM + "-static")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn("ok", json.loads(done.stdout))

    def test_it_refuses_a_wire_on_an_interface(self):
        done = run("--engine", "--wire", "afpacket:lo", stdin=lines(HELLO), program=PROGRAM + "-static")
        self.assertEqual((done.returncode, done.stdout), (4, b""), done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


class Usage(Case):
    def test_help_and_version(self):
        self.assertIn(b"--token-file FILE", run("--help").stdout)
        self.assertEqual(run("-h").returncode, 0)
        self.assertTrue(run("--version").stdout.startswith(b"ibagent "))

    def test_wrong_usage_is_one_line(self):
        for args in (["--nonsense"], ["word"], ["--engine", "--device", "mlx5_0"], ["--wire", "unix:a,b"], ["--real-time"], ["--listen"], ["--port", "1x"],
                     ["--port", "0"],
                     ["--engine", "--token-file", "x"], ["--engine", "--listen", "unix:x", "--token-file", "x"],
                     ["--engine", "--wire", "a", "--wire", "b", "--wire", "c"]):
            r = run(*args)
            self.assertEqual((r.returncode, r.stdout, len(r.stderr.splitlines())), (2, b"", 1), (args, r.stderr))

    def test_what_cannot_be_had(self):
        for args in (["--engine=refrence"], ["--engine=mutant:nothing=drop"], ["--engine", "--listen", "pigeon:1"],
                     ["--engine", "--listen", "tcp:99999999"], ["--engine", "--listen", "tcp:99999"],
                     ["--engine", "--listen", "tcp:[::1]:65536"], ["--engine", "--listen", "unix:"],
                     ["--engine", "--listen", "tcp:no.such.host.invalid:1"]):
            r = run(*args)
            self.assertEqual((r.returncode, r.stdout, len(r.stderr.splitlines())), (4, b"", 1), (args, r.stderr))

    def test_tokens_that_are_none(self):
        for text in "", "short", "x" * 200, "two words of some length", "seventeen-or-more\x01":
            (self.folder / "token").write_text(text)
            r = run("--engine", "--listen", "tcp:0", "--token-file", self.folder / "token")
            self.assertEqual((r.returncode, len(r.stderr.splitlines())), (2, 1), text)
        r = run("--engine", "--listen", "tcp:0", "--token-file", self.folder / "missing")
        self.assertEqual(r.returncode, 2)

    def test_a_word_that_is_no_option(self):
        r = run("rxe0")
        self.assertEqual((r.returncode, r.stderr), (2, b"ibagent: rxe0: takes no arguments, only options; see ibagent --help\n"))


if __name__ == "__main__":
    unittest.main()
