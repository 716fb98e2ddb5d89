#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibfabric as its users meet it: options, bad input, the console. IBPROOF_BIN names its folder."""
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(os.environ["IBPROOF_BIN"]) / "ibfabric"
NET = 'Switch 4 "S"\n[1] "A"[1]\nHca 1 "A"\n'


class Usage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = pathlib.Path(folder.name) / "net"
        self.net.write_text(NET)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, *words, said=""):
        return subprocess.run([PROGRAM, *words], input=said, text=True, capture_output=True, timeout=60, check=False)

    def console(self, said, *words):
        done = self.run_it(self.net, "--console", "--sim", f"usage-{os.getpid()}", *words, said=said)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_help_and_version(self):
        done = self.run_it("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--pcap FILE", "Examples", "SIM_HOST", "Exit:", "pull"):
            self.assertIn(word, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  --credits BLOCKS +links", "an option's value and its words are apart")
        self.assertRegex(self.run_it("--version").stdout, r"^ibfabric \d")

    def test_wrong_usage_is_one_line_and_2(self):
        for words in ((), (self.net, self.net), (self.net, "--udp", "7"), (self.net, "--udp", "x"), ("--nonsense",), (self.net, "--pcap"),
                      (self.net, "--mutant", "no.row"), (self.net, "--credits", "67"), (self.net, "--credits", "x"), (self.net, "--sim", ""), ("-", "--console"), ("/nonexistent",)):
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("ibfabric: "), done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_capture_that_cannot_be_written(self):
        done = self.run_it(self.net, "--pcap", "/nonexistent/x.pcapng")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (4, 1), done.stderr)

    def test_a_name_that_is_taken(self):
        name = f"taken-{os.getpid()}"
        first = subprocess.Popen([PROGRAM, self.net, "--sim", name, "--console"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        first.stdin.write("nodes\n")
        first.stdin.flush()
        first.stdout.readline()
        done = self.run_it(self.net, "--sim", name)
        self.assertEqual(done.returncode, 4)
        self.assertIn("another program serves this name", done.stderr)
        first.communicate()
        self.assertEqual(first.returncode, 0)

    def test_console(self):
        text = self.console("nodes\nport S 1\nport S 3\npull S 1\nport A 1\nplug A 1\nport A 1\ncounters S 1\nrules\nroutes S\n")
        self.assertIn("S\tswitch\t4\t", text)
        states = [line.split("\t")[1] for line in text.splitlines() if line.startswith("state\t")]
        self.assertEqual(states, ["Init", "Down", "Down", "Init"])
        self.assertIn("linkdownedcounter\t1", text)
        self.assertIn("arrival.damaged\t0", text)

    def test_data_before_a_subnet_manager_came(self):
        """No port has a LID yet, and no link is Active."""
        text = self.console("send A 1 7\npairs\n")
        self.assertRegex(text, r"^lost\n\npackets\t0\ndelivered\t0\n")

    def test_credits(self):
        text = self.console("credits S 1\nloops 0\nstalls\nflood 1 0 0\n", "--credits", "100")
        self.assertIn("\n7\t0\t100\t100\t0\t100\t0\n", text)
        self.assertIn("\nloop\t0\n\nwaiting\t0\nstuck\t0\nloop\t0\n\nsent\t0\n", text)

    def test_console_refuses_what_it_does_not_know(self):
        for said in ("nonsense\n", "port\n", "port X 1\n", "port S 9\n", "port S x\n", "port A 0\n", "pull S 3\n", "send A 1 x\n",
                     "send A 1 65536\n", "send A 1\n", "send S 1 1\n", "route S 1 fec0::/64 3\n", "learn S\n", "learn X\n", "across A 1 A 1 3\n", "across A 1 A 1 256\n", "credits S 1\n", "loops 16\n", "loops\n", "stalls 1\n",
                     "flood x 0 0\n", "flood 1 16 0\n", "flood 1 0 256\n", "flood 1 0\n", "flood 1 0 0 x\n", "flood 1 0 0 intervals x\n", "trap S 1\n", "trap S 1 5\n", "trap S 1 128 x=1\n", "trap S 1 128 reserved1=1\n",
                     "trap S 1 128 lidaddr=65536\n", "trap S 1 128 lidaddr=-1\n", "trap A 1 257 gidaddr1=x\n",
                     "trap A 1 256 drnoticereturnpath=00\n", "trap S 1 128 lidaddr=1\n", "x" * 5000 + "\n"):
            self.assertRegex(self.console(said), r"^error: .*\n\n$", said)

    def test_rules_have_names_sentences_and_clauses(self):
        rows = [line.split("\t") for line in self.run_it("--rules").stdout.splitlines()]
        self.assertGreater(len(rows), 100)
        self.assertEqual(len({row[0] for row in rows}), len(rows))
        for name, sentence, clause in rows:
            self.assertTrue(sentence and clause, name)
        self.assertIn(f"{rows[0][0]}\t", self.console("rules\n", "--mutant", rows[0][0]))


if __name__ == "__main__":
    unittest.main()
