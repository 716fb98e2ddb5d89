#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibdissect against hostile captures, names and surroundings: closed descriptors, outputs that are inputs, terminals, lengths,
signals, privileges. IBPROOF_BIN names its folder."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

PROGRAM = os.path.abspath(os.path.join(os.environ["IBPROOF_BIN"], "ibdissect"))
PCAPS = pathlib.Path(__file__).resolve().parents[2] / "pcaps"
SAMPLE = PCAPS / "rxe-rping.pcap"
REGRESS = PCAPS.parent / "corpus" / "regress" / "capture"
LONG = REGRESS / "wire-length-2-31"
NAMES = REGRESS / "hostile-names"
PLACE = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
FORMS = ("text", "tree", "json", "jsonl", "ek", "pdml")
STATS = ("icrc", "opcode,tree", "io,stat,1", "io,stat,1,infiniband,AVG(bth.psn),MAX(frame.time_delta)infiniband.analysis", "conv,qp", "rc,analysis", "expert", "messages", "srt", "perf", "hosts", "tm", f"rails,{PCAPS.parent}/examples/rails.txt", "agreed", "cm", "mad", "fabric", "qp")
# Characters that a terminal executes, or that make a line look like another.
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_it(self, *args, **kw):
        kw = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder, "env": PLACE, **kw}
        return subprocess.run([PROGRAM, *map(str, args)], timeout=120, **kw)

    def shell(self, line):
        return subprocess.run(["sh", "-c", line, PROGRAM], timeout=120, cwd=self.folder, env={**PLACE, "I": PROGRAM, "P": str(SAMPLE)},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def fails(self, r, code, says):
        err = r.stderr.decode()
        self.assertEqual(r.returncode, code, err)
        self.assertRegex(err, r"\Aibdissect: [^\n]+\n\Z")
        self.assertIn(says, err)

    def page(self, name="r.html"):
        return (self.folder / name).read_text()


class Outputs(Case):
    """No output gets what is meant for another output, and none overwrites an input."""

    def test_closed_output_does_not_go_into_a_file(self):
        for closed in ("<&-", ">&-", "<&- >&-"):
            r = self.shell(f'"$I" --report r.html "$P" {closed}')
            self.assertEqual(r.returncode, 0 if closed == "<&-" else 2, (closed, r.stderr))
            self.assertTrue(self.page().startswith("<!DOCTYPE"), closed)
            r = self.shell(f'"$I" -w w.pcapng -P -V "$P" {closed}')
            self.assertNotIn(b"Base Transport", (self.folder / "w.pcapng").read_bytes(), closed)
            self.assertEqual(self.run_it("w.pcapng").returncode, 0)
        self.assertEqual(self.shell('"$I" -q -w w.pcapng "$P" 2>&-; "$I" -q none 2>&- >&-').returncode, 2)
        self.assertEqual(self.run_it("w.pcapng").returncode, 0)

    def test_the_input_is_no_output(self):
        shutil.copy(SAMPLE, self.folder / "s")
        was = SAMPLE.read_bytes()
        for line in ('"$I" -w s - <s', '"$I" -w ./s s', '"$I" --report s - <s', '"$I" s >>s', '"$I" -w - s >>s', '"$I" - <s >>s'):
            r = self.shell(line)
            self.fails(r, 2, "is the input")
            self.assertEqual((self.folder / "s").read_bytes(), was, line)

    def test_two_outputs_are_not_one_file(self):
        (self.folder / "old").write_text("old")
        for line in ('"$I" -w z --report z "$P"', '"$I" -w z --report ./z "$P"', '"$I" -P -w old "$P" >>old', '"$I" --report old "$P" >>old'):
            self.fails(self.shell(line), 2, "are the same file")
            self.assertFalse((self.folder / "z").exists())
            self.assertEqual((self.folder / "old").read_text(), "old", line)
        self.fails(self.shell('"$I" -w - --report - "$P"'), 2, "only one of")
        self.fails(self.shell('"$I" -w - -z icrc "$P"'), 2, "cannot take the statistics")
        self.assertEqual(self.shell('"$I" -w /dev/null --report /dev/null "$P" >/dev/null').returncode, 0)

    def test_page_on_standard_output(self):
        r = self.run_it("--report", "-", SAMPLE)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        self.assertTrue(r.stdout.startswith(b"<!DOCTYPE"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_old_page_stays_until_the_new_one_is_whole(self):
        (self.folder / "r.html").write_text("old")
        with subprocess.Popen([PROGRAM, "-q", "--report", "r.html", "-"], cwd=self.folder, stdin=subprocess.PIPE, env=PLACE) as p:
            p.stdin.write(SAMPLE.read_bytes())
            p.stdin.flush()
            time.sleep(0.5)
            self.assertEqual(self.page(), "old")
            p.kill()
        self.assertEqual(self.page(), "old")
        self.assertEqual(self.run_it("-q", "--report", "r.html", SAMPLE).returncode, 0)
        self.assertTrue(self.page().startswith("<!DOCTYPE"))

    def test_help_that_cannot_be_written(self):
        for option in ("--help", "--version", "-h", "-G fields"):
            with open("/dev/full", "wb") as full:
                self.fails(self.run_it(*option.split(), stdout=full), 2, "standard output")

    def test_written_packets_can_be_followed(self):
        for option in ("-l",):
            with subprocess.Popen([PROGRAM, option, "-w", "w.pcapng", "-"], cwd=self.folder, stdin=subprocess.PIPE, env=PLACE) as p:
                p.stdin.write(SAMPLE.read_bytes())
                p.stdin.flush()
                until, n = time.monotonic() + 20, 0
                while time.monotonic() < until and n == 0:
                    time.sleep(0.1)
                    n = len(self.run_it("w.pcapng").stdout.splitlines()) if (self.folder / "w.pcapng").exists() else 0
                p.kill()
            self.assertEqual(n, len(self.run_it(SAMPLE).stdout.splitlines()))


class Terminal(Case):
    """No text from outside makes a terminal execute it, or breaks the form of a document."""

    EVIL = "x\x1b[31m\u202e\x9b\x07\n\"'.pcap"

    def safe(self, data, what):
        self.assertIsNone(UNSAFE.search(data.decode()), what)

    def test_names_of_files_in_messages(self):
        for args in ((self.EVIL,), ("-w", f"none/{self.EVIL}", SAMPLE), ("-z", self.EVIL, SAMPLE), ("-e", self.EVIL, SAMPLE),
                     ("-Y", self.EVIL, SAMPLE), ("-T", self.EVIL), ("-i", self.EVIL), ("-d", self.EVIL, SAMPLE), ("--fail-on", self.EVIL)):
            r = self.run_it(*args)
            self.safe(r.stderr, args)
            self.assertRegex(r.stderr.decode(), r"\Aibdissect: [^\n]+\n\Z", args)

    def test_names_of_files_in_results(self):
        names = [self.EVIL, "y\x1b]0;t\x07\uffff.pcap"]
        for name in names:
            shutil.copy(PCAPS / "rxe-corrupt20-rc.pcap", self.folder / name)
        for form in FORMS:
            self.safe(self.run_it("-T", form, *names).stdout, form)
        self.safe(self.run_it("-T", "fields", "-E", "quote=d", "-E", "separator=;", "-e", "infiniband.analysis", "-e", "frame.file", *names).stdout, "fields")
        for form in ("text", "json"):
            for stat in STATS:
                self.safe(self.run_it("-q", "-T", form, "-z", stat, *names).stdout, (form, stat))
        self.assertEqual(self.run_it("-q", "--report", "r.html", *names).returncode, 0)
        self.safe(self.page().split("<script")[0].encode(), "page")

    def test_names_of_files_in_findings(self):
        """A connection goes on in another file, whose name the finding contains."""
        for name in ("a\x1b]0;x\x07.pcap", "b\x1b]0;y\x07.pcap"):
            shutil.copy(PCAPS / "hardware.pcap", self.folder / name)
        r = self.run_it("-V", "a\x1b]0;x\x07.pcap", "b\x1b]0;y\x07.pcap")
        self.safe(r.stdout, "-V")
        self.assertRegex(r.stdout.decode(), r"qp_reuse: .*\(b.*\.pcap frame \d+")

    def test_text_in_packets(self):
        for form in FORMS:
            self.safe(self.run_it("-T", form, "-x", NAMES).stdout.replace(b"\t", b" " if form == "pdml" else b"\t"), form)

    def test_documents_are_well_formed(self):
        root = xml.etree.ElementTree.fromstring(self.run_it("-T", "pdml", NAMES).stdout)
        self.assertEqual(root.tag, "pdml")
        if shutil.which("xmllint"):
            r = subprocess.run(["xmllint", "--noout", "-"], input=self.run_it("-T", "pdml", NAMES).stdout, stderr=subprocess.PIPE)
            self.assertEqual((r.returncode, r.stderr), (0, b""))
        for row in json.loads(self.run_it("-T", "json", NAMES).stdout):
            self.assertIn("_source", row)

    def test_quotes_in_quotes(self):
        for quote, mark in (("d", '"'), ("s", "'")):
            r = self.run_it("-T", "fields", "-E", f"quote={quote}", "-e", "frame.comment", NAMES)
            for line in filter(None, r.stdout.decode().splitlines()):
                self.assertRegex(line, rf"\A{mark}(?:[^{mark}\\]|\\.)*{mark}\Z")
            self.assertIn("\\" + mark, r.stdout.decode())


class Lengths(Case):
    def test_packets_that_were_longer_than_the_view_takes(self):
        r = self.run_it("-V", "-2", "-z", "icrc", "-z", "io,stat,1", "-z", "rc,analysis", LONG)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        lengths = self.run_it("-T", "fields", "-e", "frame.len", LONG).stdout.split()
        self.assertTrue(lengths and all(int(n) <= 2**31 - 1 for n in lengths), lengths)
        self.assertEqual(self.run_it("-q", "-w", "w.pcapng", LONG).returncode, 0)
        self.assertEqual(self.run_it("-T", "fields", "-e", "frame.len", "w.pcapng").stdout.split(), lengths)

    def test_erf_records_without_a_header(self):
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 197)
        records = b"".join(struct.pack("<IIII", 1, 0, n, n) + bytes(n) for n in (4, 15, 24))
        (self.folder / "x.pcap").write_bytes(head + records)
        self.fails(self.run_it("-w", "w.pcapng", "x.pcap"), 2, "lacks 2 ERF records")
        self.assertEqual(len(self.run_it("w.pcapng").stdout.splitlines()), 1)


class Kept(Case):
    """-w keeps what the capture says about packets and interfaces."""

    def options(self, data):
        """The options of interface blocks and of packet blocks in a little-endian file: lists of (code, value)."""
        at, found = 0, {1: [], 6: []}
        while at < len(data):
            kind, size = struct.unpack_from("<II", data, at)
            if kind in found:
                body = data[at + 8:at + size - 4]
                o = 8 if kind == 1 else 20 + (struct.unpack_from("<I", body, 12)[0] + 3 & ~3)
                row = []
                while o + 4 <= len(body) and struct.unpack_from("<H", body, o)[0]:
                    code, n = struct.unpack_from("<HH", body, o)
                    row.append((code, body[o + 4:o + 4 + n]))
                    o += 4 + (n + 3 & ~3)
                found[kind].append(row)
            at += size
        return found

    def block(self, order, kind, body):
        return struct.pack(order + "II", kind, 12 + len(body)) + body + struct.pack(order + "I", 12 + len(body))

    def option(self, order, code, value):
        return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)

    def capture(self, order):
        end = struct.pack(order + "HH", 0, 0)
        data = self.block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        for name in (b"mlx5_0", b"mlx5_1"):
            data += self.block(order, 1, struct.pack(order + "HHI", 1, 0, 0) + self.option(order, 2, name) +
                               self.option(order, 8, struct.pack(order + "Q", 100_000_000_000)) + self.option(order, 9, b"\x06") + end)
        for i in range(4):
            data += self.block(order, 6, struct.pack(order + "IIIII", i % 2, 0, i, 60, 60) + bytes(60) + self.option(order, 1, b"one") +
                               self.option(order, 1, b"number two") + self.option(order, 2, struct.pack(order + "I", 0x12345678)) +
                               self.option(order, 1, b"") + end)
        (self.folder / "x.pcapng").write_bytes(data)

    def test_comments_and_interfaces(self):
        for order in "<>":
            self.capture(order)
            for how in ((), ("-2",)):
                self.assertEqual(self.run_it(*how, "-w", "w.pcapng", "x.pcapng").returncode, 0)
                found = self.options((self.folder / "w.pcapng").read_bytes())
                speed = struct.pack("<Q", 100_000_000_000)
                self.assertEqual(found[1], [[(2, name), (8, speed), (9, b"\x09")] for name in (b"mlx5_0", b"mlx5_1")], (order, how))
                self.assertEqual(found[6], 4 * [[(1, b"one"), (1, b"number two"), (2, b"\x78\x56\x34\x12"), (1, b"")]])
                names = self.run_it("-T", "fields", "-e", "frame.comment", "w.pcapng").stdout.split()
                self.assertEqual(names, 4 * [b"one"])
                for file in ("x.pcapng", "w.pcapng"):
                    rows = self.run_it(*how, "-T", "fields", "-e", "frame.interface_id", "-e", "frame.interface_name", file).stdout.splitlines()
                    self.assertEqual(rows, 2 * [b"0\tmlx5_0", b"1\tmlx5_1"], (order, how, file))

    def test_hostile_names(self):
        self.assertEqual(self.run_it("-w", "w.pcapng", NAMES).returncode, 0)
        was, now = self.options(NAMES.read_bytes()), self.options((self.folder / "w.pcapng").read_bytes())
        self.assertEqual([o for row in now[1] for o in row], [o for row in was[1] for o in row])
        for a, b in zip(was[6], now[6]):
            self.assertEqual([o for o in b if o in a], a, "a finding may add a comment of its own")

    def test_very_many_interfaces(self):
        end = struct.pack("<HH", 0, 0)
        data = self.block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        data += b"".join(self.block("<", 1, struct.pack("<HHI", 1, 0, 0) + self.option("<", 2, b"if%d" % i) + end) for i in range(1000))
        data += b"".join(self.block("<", 6, struct.pack("<IIIII", i, 0, i, 60, 60) + bytes(60)) for i in range(1000))
        (self.folder / "x.pcapng").write_bytes(data)
        self.assertEqual(self.run_it("-w", "w.pcapng", "x.pcapng").returncode, 0)
        self.assertEqual(len(self.options((self.folder / "w.pcapng").read_bytes())[6]), 1000)
        self.assertEqual(self.run_it("-q", "w.pcapng").returncode, 0)
        self.assertEqual(self.run_it("-Y", 'frame.interface_name == "if999"', "-T", "fields", "-e", "frame.number", "x.pcapng").stdout, b"1000\n")


class Seeds(Case):
    """Hashes have a secret seed, which differs from run to run. No result depends on it."""

    PAIRS = 3000

    @staticmethod
    def frame(response, pair):
        """RoCEv2 without a usable ICRC: host 10.0.x.y sends a request to 11.0.0.1, which answers. Every QP is another."""
        host, server = struct.pack(">I", 0x0A000000 + pair), b"\x0b\x00\x00\x01"
        source, target = (server, host) if response else (host, server)
        bth = struct.pack(">BBHII", 0x11 if response else 0x04, 0x40, 0xFFFF, (1000 if response else 9000) + pair, 0x800000 << 8 | 77)
        body = bth + (struct.pack(">I", 0x1F000001) if response else struct.pack(">Q", pair)) + bytes(4)
        udp = struct.pack(">HHHH", 49152, 4791, 8 + len(body), 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp) + len(body), 0, 0x4000, 64, 17, 0, source, target)
        return bytes(12) + b"\x08\x00" + ip + udp + body

    def capture(self, frames):
        head = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        record = lambda i, f: struct.pack("<IIII", 1700000000, i, len(f), len(f)) + f
        (self.folder / "c").write_bytes(head + b"".join(record(i, f) for i, f in enumerate(frames)))

    def same_in_every_run(self, *args, runs=3):
        first = self.run_it(*args)
        self.assertEqual(first.returncode, 0, first.stderr)
        for _ in range(runs - 1):
            self.assertEqual(self.run_it(*args).stdout, first.stdout, args)
        return first.stdout

    def test_responses_that_come_after_all_requests(self):
        self.capture([self.frame(response, i) for response in (False, True) for i in range(self.PAIRS)])
        out = json.loads(self.same_in_every_run("-o", "icrc:off", "-q", "-z", "qp", "-T", "json", "c"))
        self.assertEqual(len(out["directions"]), 2 * self.PAIRS)
        self.assertEqual([d["direction"] for d in out["directions"] if d["peer"] is None], [])

    def test_every_statistic(self):
        words = [word for stat in STATS for word in ("-z", stat)]
        for name in ("connections", "congestion", "hardware", "mads-subnet"):
            self.same_in_every_run("-V", "-2", *words, PCAPS / f"{name}.pcap", runs=2)


class Signals(Case):
    """The first signal ends the run with complete output, the second one at once."""

    def begin(self, *args, stdout=subprocess.PIPE, packets=SAMPLE):
        p = subprocess.Popen([PROGRAM, *map(str, args)], cwd=self.folder, stdin=subprocess.PIPE, stdout=stdout, stderr=subprocess.PIPE, env=PLACE)
        self.addCleanup(p.kill)
        p.stdin.write(packets.read_bytes())
        p.stdin.flush()
        time.sleep(0.5)
        return p

    def end(self, p):
        code = p.wait(timeout=20)
        out, err = p.stdout.read() if p.stdout else b"", p.stderr.read()
        for pipe in (p.stdin, p.stdout, p.stderr):
            if pipe:
                pipe.close()
        return code, out, err

    def test_pipes(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            p = self.begin("-q", "-z", "icrc", "-w", "w.pcapng", "-")
            p.send_signal(number)
            code, out, err = self.end(p)
            self.assertEqual((code, err), (0, b""), number)
            self.assertEqual(out, self.run_it("-q", "-z", "icrc", SAMPLE).stdout)
            self.assertEqual(self.run_it("w.pcapng").returncode, 0)
            p = self.begin("-T", "json", "-")
            p.send_signal(number)
            code, out, err = self.end(p)
            self.assertEqual((code, err), (0, b""))
            self.assertEqual(len(json.loads(out)), len(json.loads(self.run_it("-T", "json", SAMPLE).stdout)))

    def test_outside_of_the_part_that_is_read(self):
        """Packets come all the time, but all of them are outside of the part that is read."""
        records = SAMPLE.read_bytes()[24:]
        p = self.begin("-q", "-z", "icrc", "--from", "+1000000000", "-")

        def feed():
            with contextlib.suppress(BrokenPipeError):
                while p.poll() is None:
                    p.stdin.write(records)

        feeder = threading.Thread(target=feed)
        feeder.start()
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(timeout=20), 0)
        feeder.join()
        self.assertIn(b"ICRC", p.stdout.read())
        with contextlib.suppress(BrokenPipeError):
            p.stdin.close()
        p.stdout.close()
        p.stderr.close()

    def test_in_the_middle_of_a_packet(self):
        (self.folder / "cut").write_bytes(SAMPLE.read_bytes()[:-10])
        p = self.begin("-q", "-z", "icrc", "-", packets=self.folder / "cut")
        p.send_signal(signal.SIGINT)
        code, out, err = self.end(p)
        self.assertEqual((code, err), (0, b""))
        self.assertIn(b"ICRC", out)

    def wait_for_handler(self, p, number):
        """Until the program catches the signal, which ends it before. On a busy machine this takes longer than a fixed time."""
        for _ in range(2000):
            mask = re.search(r"^SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{p.pid}/status").read_text(), re.M)[1]
            if int(mask, 16) >> (number - 1) & 1:
                return
            time.sleep(0.01)
        self.fail(f"the program has not caught signal {number} after 20 s")

    def test_a_file_that_was_not_read_to_its_end(self):
        head, body = SAMPLE.read_bytes()[:24], SAMPLE.read_bytes()[24:]
        with open(self.folder / "big.pcap", "wb") as f:
            f.write(head)
            for _ in range(1 + 100_000_000 // len(body)):
                f.write(body)
        p = subprocess.Popen([PROGRAM, "-q", "-z", "expert", "-z", "icrc", "big.pcap"], cwd=self.folder, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=PLACE)
        self.wait_for_handler(p, signal.SIGTERM)
        time.sleep(0.1)
        p.send_signal(signal.SIGTERM)
        code, out, err = self.end(p)
        self.assertEqual(code, 2)
        self.assertRegex(err.decode(), r"\Aibdissect: big.pcap: a signal ended the run; the packets up to number \d+ were read\n\Z")
        self.assertIn(b"ICRC", out)

    def test_the_second_one_while_the_output_is_blocked(self):
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        p = self.begin("-l", "-V", "-", stdout=write, packets=PCAPS / "rxe-corrupt20-rc.pcap")
        os.close(write)
        p.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(p.poll())
        p.send_signal(signal.SIGTERM)
        self.assertEqual(self.end(p)[0], -signal.SIGTERM)


class Live(Case):
    """ibdissect does not parse live packets or write files as root. Runs in a network namespace."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs root, and a network namespace")
        shutil.chown(self.folder, "daemon")

    def begin(self, *args):
        line = 'ip link set lo up && exec "$@"'
        p = subprocess.Popen(["unshare", "--net", "sh", "-c", line, "sh", PROGRAM, "-i", "lo", *args], cwd=self.folder, env={**PLACE, "PATH": PLACE["PATH"] + ":/sbin:/usr/sbin"},
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(p.kill)
        time.sleep(1)
        return p

    def status(self, p):
        return dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{p.pid}/status").read_text().splitlines())

    def end(self, p, number=signal.SIGINT):
        p.send_signal(number)
        out, err = p.communicate(timeout=20)
        return p.returncode, out, err

    def test_root_and_capabilities_are_given_up(self):
        p = self.begin("-q", "-z", "icrc", "-w", "w.pcapng", "--report", "r.html")
        s = self.status(p)
        self.assertNotIn("0", s["Uid"].split())
        for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
            self.assertEqual(int(s[name], 16), 0, name)
        code, out, err = self.end(p)
        self.assertEqual(code, 0, err)
        self.assertIn(b"ICRC", out)
        for name in ("w.pcapng", "r.html"):
            self.assertEqual((self.folder / name).owner(), "daemon")

    def test_root_is_kept_on_demand(self):
        p = self.begin("-q", "--user", "root")
        self.assertEqual(set(self.status(p)["Uid"].split()), {"0"})
        self.assertEqual(self.end(p, signal.SIGTERM)[0], 0)

    def test_files_that_the_new_user_may_not_write(self):
        self.folder.chmod(0o755)
        shutil.chown(self.folder, "root")
        p = self.begin("-w", "w.pcapng")
        code, _, err = self.end(p)
        self.assertEqual(code, 2)
        self.assertRegex(err.decode(), r"w.pcapng: Permission denied .root was given up, this user is nobody; --user NAME")

    def test_wrong_users(self):
        self.fails(self.run_it("--user", "daemon", SAMPLE), 1, "--user is for -i")
        p = self.begin("--user", "no-such-user")
        self.assertIn(b"no such user", self.end(p)[2])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
