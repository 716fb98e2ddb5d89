#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibproof.lua in tshark says of each sample capture what ibdissect says. IBPROOF_BIN names the folder of ibdissect, TSHARK another tshark."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent.parent
PCAPS = HERE.parent.parent / "pcaps"
PROGRAM = str(pathlib.Path(os.environ["IBPROOF_BIN"]).resolve() / "ibdissect")
TSHARK = os.environ.get("TSHARK", "tshark")
ENDINGS = (".pcap", ".pcapng", ".pcap.gz", ".erf")


def captures():
    return sorted(p for p in PCAPS.iterdir() if p.name.endswith(ENDINGS))


def ours(path, *args):
    done = subprocess.run([PROGRAM, "-n", *args, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def frames(text):
    return [int(line) for line in text.split()]


@unittest.skipUnless(shutil.which(TSHARK), "no tshark")
class Fields(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)
        self.home.chmod(0o755)

    def tshark(self, path, *args, prefs=(), code=0):
        options = [x for pref in ("program:" + PROGRAM, *prefs) for x in ("-o", "ibproof." + pref)]
        env = {**os.environ, "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"), "LC_ALL": "C.UTF-8"}
        # From 4.2 on Wireshark runs no scripts of users as root.
        other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*other, TSHARK, "-n", "-X", "lua_script:%s" % (HERE / "ibproof.lua"), *options, "-r", str(path), *args],
                              capture_output=True, text=True, timeout=120, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Lua", done.stdout + done.stderr)
        return done.stdout

    def test_frames_of_all_captures(self):
        """The frames of every sample capture that tshark reads: with -2, as the script runs it, and without -2 where
        the result differs."""
        found = unread = 0
        for path in captures():
            if path.name == "ib-native.pcap":  # link type 247, of which tshark knows nothing
                unread += 1
                continue
            with self.subTest(path.name):
                wanted = frames(ours(path, "-2", "-Y", "infiniband.analysis.finding", "-T", "fields", "-e", "frame.number"))
                got = frames(self.tshark(path, "-Y", "ibproof.finding", "-T", "fields", "-e", "frame.number"))
                self.assertEqual(got, sorted(wanted))
                found += bool(got)
                early = frames(ours(path, "-Y", "infiniband.analysis.finding", "-T", "fields", "-e", "frame.number"))
                if early != wanted:
                    got = frames(self.tshark(path, "-Y", "ibproof.finding", "-T", "fields", "-e", "frame.number", prefs=["options:"]))
                    self.assertEqual(got, early)
        self.assertGreaterEqual(found, 30)
        self.assertLessEqual(unread, 1)

    def test_values(self):
        """The kinds, severity, sentences, clauses and causes of all findings equal those of -T jsonl."""
        names = ("finding", "severity", "explanation", "clause", "cause")
        causes = 0
        for stem in ("rxe-reorder-rc", "connections", "field-bugs-path", "hardware", "rxe-agent-bad-rkey-read", "cm-messages", "damaged"):
            path = PCAPS / (stem + ".pcap")
            rows = [json.loads(line) for line in ours(path, "-2", "-T", "jsonl", "-Y", "infiniband.analysis.finding").splitlines()]
            wanted = []
            for row in sorted(rows, key=lambda r: r["frame.number"]):
                values = [row.get("infiniband.analysis." + ("message" if n == "explanation" else n), []) for n in names]
                wanted.append([[str(x) for x in v] if isinstance(v, list) else [str(v)] for v in values])
            columns = [x for name in names for x in ("-e", "ibproof." + name)]
            text = self.tshark(path, "-Y", "ibproof", "-T", "fields", "-E", "aggregator=|", *columns)
            got = [[[x for x in column.split("|") if x] for column in line.split("\t")] for line in text.splitlines()]
            self.assertEqual(got, wanted, stem)
            causes += sum(len(row[-1]) for row in got)
        self.assertGreater(causes, 30)

    def test_advice(self):
        text = self.tshark(PCAPS / "rxe-agent-bad-rkey-read.pcap", "-Y", "ibproof", "-T", "fields", "-e", "ibproof.means", "-e",
                           "ibproof.causes", "-e", "ibproof.advice")
        rows = {line.split("\t")[0]: line.split("\t")[5:8] for line in
                subprocess.run([PROGRAM, "-G", "findings"], capture_output=True, text=True, check=True).stdout.splitlines()}
        self.assertEqual(text.rstrip("\n").split("\t"), rows["NAK_ACCESS"])

    def test_side_file(self):
        path = PCAPS / "rxe-reorder-rc.pcap"
        side = self.home / "findings of a 'capture'.jsonl"
        side.write_text(ours(path, "-2", "-T", "jsonl"))
        columns = ("-T", "fields", "-e", "frame.number", "-e", "ibproof.finding", "-e", "ibproof.cause")
        self.assertEqual(self.tshark(path, *columns, prefs=["findings:%s" % side, "program:/nonexistent"]), self.tshark(path, *columns))

    def test_a_name_that_shells_read(self):
        path = self.home / "it's $(a) \"trace\".pcap"
        shutil.copy(PCAPS / "rxe-reorder-rc.pcap", path)
        self.assertEqual(len(self.tshark(path, "-Y", "ibproof.finding").splitlines()), 19)

    def test_failures_are_shown(self):
        path = PCAPS / "rxe-reorder-rc.pcap"
        for prefs, words in ((["program:/nonexistent"], "not found"), (["findings:/nonexistent"], "No such file"),
                             (["options:--nosuch"], "no option --nosuch"), (["capture:/nonexistent"], "No such file")):
            text = self.tshark(path, "-Y", "ibproof.failed", "-T", "fields", "-e", "frame.number", "-e", "_ws.expert.message", prefs=prefs)
            self.assertEqual(text.split("\t")[0], "1", prefs)
            self.assertIn(words, text)
        self.assertEqual(self.tshark(path, "-Y", "ibproof.failed"), "")

    def test_profile(self):
        shutil.copytree(HERE / "profiles", self.home / ".config/wireshark/profiles")
        text = self.tshark(PCAPS / "rxe-reorder-rc.pcap", "-C", "ibproof", "--color", "-T", "fields", "-e", "frame.number", "-e",
                           "frame.coloring_rule.name")
        rules = dict(line.split("\t") for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines())
        self.assertEqual(rules["1"], "InfiniBand")
        self.assertEqual(rules["3"], "ibproof warning")
        self.assertEqual(rules["7"], "ibproof retransmission")
        line = self.tshark(PCAPS / "rxe-reorder-rc.pcap", "-C", "ibproof", "-Y", "frame.number == 7")
        self.assertRegex(line, r"RETRY_NAK\s+3\s")


class Extcap(unittest.TestCase):
    SCRIPT = str(HERE / "extcap/ibproof")

    def run_it(self, *args):
        return subprocess.run([self.SCRIPT, *args], capture_output=True, text=True, timeout=20)

    def test_what_it_offers(self):
        done = self.run_it("--extcap-interfaces", "--extcap-version=4.0")
        self.assertIn("interface {value=ibproof}", done.stdout)
        self.assertIn("{number=1}", self.run_it("--extcap-dlts", "--extcap-interface", "ibproof").stdout)
        self.assertIn("{call=--on}", self.run_it("--extcap-config", "--extcap-interface", "ibproof").stdout)
        for args in ([], ["--capture"], ["--capture", "--extcap-interface", "ibproof", "--fifo", "x"], ["--nosuch"]):
            done = self.run_it(*args)
            self.assertEqual(done.returncode, 2)
            self.assertIn("ibproof: ", done.stderr)

    def test_captures(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs root, and a network namespace")
        with tempfile.TemporaryDirectory() as folder:
            fifo = pathlib.Path(folder) / "fifo"
            os.mkfifo(fifo)
            line = ("ip link set lo up && exec \"$@\"")
            send = ("import socket,time\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                    "b = bytes.fromhex('0440ffff000000370000001100000000')\n"
                    "for i in range(40):\n s.sendto(b, ('127.0.0.1', 4791)); time.sleep(0.1)\n")
            script = "(sleep 1; exec python3 -c \"$SEND\") & exec %s --capture --extcap-interface ibproof --fifo %s --on lo" % (self.SCRIPT, fifo)
            env = {**os.environ, "IBDISSECT": PROGRAM, "SEND": send, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
            p = subprocess.Popen(["unshare", "--net", "sh", "-c", line, "sh", "sh", "-c", script], env=env, stderr=subprocess.DEVNULL)
            self.addCleanup(p.kill)
            data = b""
            with open(fifo, "rb") as pipe:
                while data.count(bytes.fromhex("0440ffff00000037")) < 3:
                    more = os.read(pipe.fileno(), 65536)
                    self.assertTrue(more, "the capture ended early")
                    data += more
            p.send_signal(signal.SIGINT)
            p.wait(timeout=20)
            self.assertEqual(data[:4], bytes.fromhex("0a0d0d0a"))
            self.assertIn(b"ICRC", data)  # the comment: these packets have a wrong one


if __name__ == "__main__":
    unittest.main()
