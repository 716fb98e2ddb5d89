#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The programs while they read foreign bytes: as whom, with which rights, and what an exploit in a parser can still do.
IBPROOF_BIN names their folder; beside it, in test/, are the copies of them with an exploit (exploit.h)."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["IBPROOF_BIN"]).resolve()
PLANTED = BIN.parent / "test"
SAMPLE = pathlib.Path(__file__).resolve().parents[3] / "pcaps" / "rxe-rping.pcap"
ENV = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"] + ":/sbin:/usr/sbin", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
HELLO = b'{"id":1,"do":"hello","version":1}\n'
SCENARIO = "rc.responder.psn-gap-one-nak"
ROOT = os.geteuid() == 0
OFFER = subprocess.run([BIN / "ibdissect", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().split("sandbox: ")[1].strip()
CALLS, FILES = OFFER.startswith("seccomp"), "Landlock" in OFFER.split("(")[0]
# Operations of an exploit, and whether each is stopped where the kernel filters calls, or has Landlock alone.
DEEDS = {"execve": (CALLS or FILES), "open": (CALLS or FILES), "create": (CALLS or FILES), "remove": (CALLS or FILES),
         "socket": CALLS, "ptrace": CALLS}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.victim = self.folder / "victim"
        (self.folder / "out").mkdir()

    def start(self, *args, **kw):
        kw = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder / "out", "env": ENV, **kw}
        p = subprocess.Popen([*map(str, args)], **kw)
        self.addCleanup(self.bury, p)
        return p

    def bury(self, p):
        p.kill()
        p.wait()
        for pipe in filter(None, (p.stdin, p.stdout, p.stderr)):
            pipe.close()

    def status(self, pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        return {k: v.split() for k, v in (line.split(":", 1) for line in lines)}

    def await_status(self, pid, ready):
        """Waits for the program's status after it is confined, when it is about to parse."""
        until = time.monotonic() + 20
        while time.monotonic() < until and not ready(self.status(pid)):
            time.sleep(0.02)
        return self.status(pid)

    def children(self, pid=None):
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split() if pid else []

    def is_confined(self, s):
        self.assertEqual(s["Seccomp"], ["2" if CALLS else "0"], OFFER)
        if CALLS or FILES:
            self.assertEqual(s["NoNewPrivs"], ["1"])

    def has_no_rights(self, s):
        for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
            self.assertEqual(int(s[name][0], 16), 0, name)
        if ROOT:
            self.assertNotIn("0", s["Uid"] + s["Gid"] + s["Groups"])

    def has_parsed(self, s):
        """Whether the program has given up its rights, and waits."""
        given_up = s["NoNewPrivs"] == ["1"] if CALLS or FILES else int(s["CapEff"][0], 16) == 0
        return s["State"][0] == "S" and given_up


class Status(Case):
    """/proc/PID/status while the program waits for the next bytes."""

    def test_ibdissect_file(self):
        for args, page in (((), False), (("-w", "w.pcapng", "-z", "icrc"), False), (("--report", "r.html"), True)):
            p = self.start(BIN / "ibdissect", "-q", *args, "-")
            p.stdin.write(SAMPLE.read_bytes())
            p.stdin.flush()
            s = self.await_status(p.pid, self.has_parsed)
            self.is_confined(s)
            self.assertEqual(int(s["CapEff"][0], 16), 0)
            if not page: # in the folder of a page files are renamed: its owner is root
                self.has_no_rights(s)
            out, err = p.communicate(timeout=20)
            self.assertEqual((p.returncode, err), (0, b""))
        self.assertTrue((self.folder / "out" / "r.html").read_text().startswith("<!DOCTYPE"))
        self.assertEqual(subprocess.run([BIN / "ibdissect", "-q", self.folder / "out" / "w.pcapng"]).returncode, 0)

    def test_ibconform_check(self):
        p = self.start(BIN / "ibconform", "check", "-v", "-")
        p.stdin.write(SAMPLE.read_bytes())
        p.stdin.flush()
        s = self.await_status(p.pid, self.has_parsed)
        self.is_confined(s)
        self.has_no_rights(s)
        out, err = p.communicate(timeout=20)
        self.assertEqual((p.returncode, err), (0, b""))
        self.assertIn(b"packets", out)

    @unittest.skipUnless(ROOT, "needs root")
    def test_a_page_in_the_folder_of_another(self):
        shutil.chown(self.folder / "out", "daemon")
        p = self.start(BIN / "ibdissect", "-q", "--report", "r.html", "-")
        p.stdin.write(SAMPLE.read_bytes())
        p.stdin.flush()
        s = self.await_status(p.pid, self.has_parsed)
        self.has_no_rights(s)
        p.communicate(timeout=20)
        self.assertEqual(p.returncode, 0)
        self.assertTrue((self.folder / "out" / "r.html").read_text().startswith("<!DOCTYPE"))

    @unittest.skipUnless(ROOT and subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode == 0, "needs a network namespace")
    def test_raw_interfaces(self):
        shutil.chown(self.folder / "out", "daemon")
        silent = self.folder / "agent"
        silent.write_text("#!/bin/sh\nid -u > agent-user\nexec sleep 20\n")
        silent.chmod(0o755)
        for program, args in (("ibdissect", ("-i", "va", "-q")),
                              ("ibconform", ("run", SCENARIO, "--target", "live", "--wire", "afpacket:va", "--agent", f"exec:{silent}"))):
            line = 'ip link add va type veth peer name vb && ip link set va up && ip link set vb up && exec "$@"'
            p = self.start("unshare", "--net", "sh", "-c", line, "sh", BIN / program, *args, stdin=subprocess.DEVNULL)
            s = self.await_status(p.pid, lambda s, program=program: s["Name"] == [program] and s["Uid"][0] != "0" and self.has_parsed(s))
            self.is_confined(s)
            self.has_no_rights(s)
            p.terminate()
            p.communicate(timeout=20)
        self.assertEqual((self.folder / "out" / "agent-user").read_text(), subprocess.run(["id", "-u", "daemon"], stdout=subprocess.PIPE, text=True).stdout)

    def test_ibconform_and_the_process_that_starts_agents(self):
        agent = self.folder / "agent.py"
        agent.write_text("import time\ntime.sleep(20)\n")
        p = self.start(BIN / "ibconform", "run", SCENARIO, "--target", "live", "--wire", f"unix:{self.folder}/out/d,{self.folder}/out/t", "--agent",
                       f"exec:exec {sys.executable} {agent}", stdin=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while time.monotonic() < until and not self.children(*self.children(p.pid)):
            time.sleep(0.05)
        self.is_confined(self.await_status(p.pid, lambda s: self.has_parsed(s) or not (CALLS or FILES)))
        children = pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        helper = self.status(children[0])
        self.assertEqual((helper["Name"], helper["Seccomp"]), (["ibconform"], ["0"]))
        files = {os.readlink(f"/proc/{children[0]}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{children[0]}/fd") if fd != "2"}
        self.assertEqual(files, {"/dev/null", "socket"})
        grandchildren = pathlib.Path(f"/proc/{children[0]}/task/{children[0]}/children").read_text().split()
        self.assertEqual(self.status(grandchildren[0])["Seccomp"], ["0"])
        p.kill()
        p.communicate(timeout=20)
        until = time.monotonic() + 10
        while time.monotonic() < until and any(pathlib.Path(f"/proc/{pid}").exists() for pid in children + grandchildren):
            time.sleep(0.1)
        self.assertFalse(any(pathlib.Path(f"/proc/{pid}").exists() for pid in children + grandchildren), "an agent outlived the run")

    def test_ibagent(self):
        for args, named in (((), False), (("--wire", "unix:a,b"), True)):
            p = self.start(BIN / "ibagent", "--engine", *args)
            p.stdin.write(HELLO)
            p.stdin.flush()
            self.assertIn(b'"ok"', p.stdout.readline())
            s = self.status(p.pid)
            self.is_confined(s)
            if not named:
                self.has_no_rights(s)
            elif ROOT: # its socket, and its peer's, have names in folders that may belong to others
                self.assertEqual(int(s["CapEff"][0], 16), 1 << 1, "CAP_DAC_OVERRIDE alone")
            p.stdin.close()
            self.assertEqual(p.wait(timeout=20), 0)
            self.assertFalse((self.folder / "out" / "b").exists())


class Planted(Case):
    """Copies of each program that have an exploit in the parser."""

    def setUp(self):
        super().setUp()
        # Programs that root starts become another user. Where nothing is confined (sanitizers), that alone would stop the exploit.
        self.folder.chmod(0o777)

    def play(self, program, deed, *options):
        self.victim.write_text("x") if deed == "remove" else self.victim.unlink(missing_ok=True)
        env = {**ENV, "PLANTED": deed, "PLANTED_FILE": str(self.victim)}
        live = ("run", SCENARIO, "--target", "live", "--wire", f"unix:{self.folder}/out/d,{self.folder}/out/t", "--agent",
                f"exec:PLANTED= {BIN}/ibagent --engine --wire unix:{self.folder}/out/t,{self.folder}/out/d")
        args, data = {"ibdissect": (("-q", *options, "-"), SAMPLE.read_bytes()), "ibconform": ((*live, *options), b""),
                      "ibagent": (("--engine", *options), HELLO)}[program]
        p = self.start(PLANTED / f"{program}-planted", *args, env=env)
        _, err = p.communicate(data, timeout=60)
        changed = self.victim.exists() != (deed == "remove")
        return p.returncode, f"planted: {deed}: it worked" in err.decode(), changed, err.decode()

    def test_what_it_does(self):
        for program in ("ibdissect", "ibconform", "ibagent"):
            for deed, stopped in DEEDS.items():
                if deed == "ptrace" and not stopped: # it works, and this test is then the tracer, at whose word the program goes on
                    continue
                with self.subTest(program=program, deed=deed):
                    code, worked, changed, err = self.play(program, deed)
                    self.assertEqual(worked, not stopped, err)
                    self.assertFalse(stopped and changed)
                    if CALLS and deed in ("execve", "socket", "ptrace"):
                        self.assertEqual(code, -signal.SIGSYS)

    def test_without_a_sandbox_it_works(self):
        for program in ("ibdissect", "ibconform", "ibagent"):
            for deed in ("execve", "open", "create", "socket"):
                with self.subTest(program=program, deed=deed):
                    _, worked, changed, err = self.play(program, deed, "--no-sandbox")
                    self.assertTrue(worked, err)
                    self.assertIn(f"{program}: --no-sandbox: ", err)
                    self.assertEqual(changed, deed == "create")

    def test_without_an_exploit_they_work(self):
        for program in ("ibdissect", "ibconform", "ibagent"):
            code, _, _, err = self.play(program, "none")
            self.assertEqual((code, err), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
