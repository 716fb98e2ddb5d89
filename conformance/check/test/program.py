#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check from its users' point of view: its output and its exit codes. program.py PROGRAM PCAPS

samples.golden has a digest of all that it says of each sample capture, as JSON and as text. After a change that is meant:
IBPROOF_BLESS=1 program.py PROGRAM PCAPS."""
import collections
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM, PCAPS = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
GOLDEN = pathlib.Path(__file__).resolve().parent / "samples.golden"
CLEAN, HARMED = PCAPS / "rxe-rping-v6.pcap", PCAPS / "rxe-agent-bad-rkey-read.pcap"


def check(*args, cwd=None):
    run = subprocess.run([PROGRAM, "check", *map(str, args)], capture_output=True, text=True, check=False, timeout=60, cwd=cwd)
    return run.returncode, run.stdout, run.stderr


def frames_of(path):
    """(seconds, microseconds, bytes) of each packet of a little-endian pcap file."""
    data, at, found = path.read_bytes(), 24, []
    while at + 16 <= len(data):
        seconds, micro, n, _ = struct.unpack_from("<4I", data, at)
        found.append((seconds, micro, data[at + 16:at + 16 + n]))
        at += 16 + n
    return found


def pcap(folder, name, link, frames):
    path = pathlib.Path(folder, name)
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
        for seconds, micro, frame in frames:
            f.write(struct.pack("<4I", seconds, micro, len(frame), len(frame)) + frame)
    return path


def between(frame, source, destination, address=None):
    """The packet between other QPs: with another ICRC. Addresses: the last byte of both IPv4 addresses."""
    ip = bytearray(frame[14:])
    if address is not None:
        ip[15], ip[19] = address
        ip[10:12] = b"\0\0"
        total = sum(struct.unpack(">10H", ip[:20]))
        total = (total & 0xffff) + (total >> 16)
        ip[10:12] = struct.pack(">H", ~((total & 0xffff) + (total >> 16)) & 0xffff)
    ip[33:36] = destination.to_bytes(3, "big")
    masked = bytearray(ip)
    masked[1] = masked[8] = 0xff
    masked[10:12] = masked[26:28] = b"\xff\xff"
    masked[32] = 0xff
    ip[-4:] = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked[:-4])))
    return frame[:14] + bytes(ip)


class Links(unittest.TestCase):
    """The same packets on every link that a capture file can be of (https://www.tcpdump.org/linktypes.html)."""
    KNOWN = {1: lambda f: f, 12: lambda f: f[14:], 14: lambda f: f[14:], 101: lambda f: f[14:], 228: lambda f: f[14:],
             113: lambda f: struct.pack(">HHH", 0, 1, 6) + f[6:12] + b"\0\0" + b"\x08\0" + f[14:],
             276: lambda f: b"\x08\0\0\0" + struct.pack(">IHBB", 1, 1, 0, 6) + f[6:12] + b"\0\0" + f[14:]}

    def test_all_that_carry_ip(self):
        want = check(HARMED)[1].replace(str(HARMED), "FILE")
        with tempfile.TemporaryDirectory() as folder:
            for link, wrap in self.KNOWN.items():
                path = pcap(folder, "x.pcap", link, [(s, u, wrap(f)) for s, u, f in frames_of(HARMED)])
                rc, out, err = check(path)
                self.assertEqual((rc, out.replace(str(path), "FILE"), err), (1, want, ""), link)

    def test_ipv6(self):
        frames = frames_of(CLEAN)
        want = check("-v", CLEAN)[1]
        with tempfile.TemporaryDirectory() as folder:
            for link in (12, 14, 101, 229):
                self.assertEqual(check("-v", pcap(folder, "x.pcap", link, [(s, u, f[14:]) for s, u, f in frames]))[1], want, link)

    def test_others_are_named_once_in_each_file(self):
        known = {*self.KNOWN, 197, 229, 242, 247}
        near = {n for k in known for n in (k - 1, k + 1, k // 2)} - known - {0}
        with tempfile.TemporaryDirectory() as folder:
            for link in sorted(near):
                path = pcap(folder, "x.pcap", link, frames_of(HARMED))
                self.assertEqual(check(path), (2, "", f"ibconform: {path}: packet 1: link type {link} is none that can be judged\n"))
            one, other = (pcap(folder, name, 7, frames_of(HARMED)) for name in ("1.pcap", "2.pcap"))
            rc, out, err = check(one, HARMED, other)
            self.assertEqual((rc, err.count("\n"), err.count("1.pcap"), err.count("2.pcap")), (2, 2, 1, 1))
            self.assertIn("NAK_ACCESS", out)


class Many(unittest.TestCase):
    """More connections than are kept: those that are forgotten are in the summary, too, and each packet is counted."""

    def test_forgotten_connections(self):
        n, (request, nak) = 2500, frames_of(HARMED)
        frames = []
        for i in range(n):
            frames += [(i, 0, between(request[2], 0, 0x1000 + i, (1 + i % 50, 100 + i % 50))),
                       (i, 500, between(nak[2], 0, 0x4000 + i, (100 + i % 50, 1 + i % 50)))]
        with tempfile.TemporaryDirectory() as folder:
            path = pcap(folder, "many.pcap", 1, frames)
            rc, out, err = check(path)
            self.assertEqual((rc, err), (1, ""))
            self.assertEqual(out.count(" NAK: the responder denies the access (frame "), n)
            rows = [json.loads(line) for line in check("--json", "-v", path)[1].splitlines()]
            findings = [r for r in rows if r["type"] == "finding"]
            directions = [r for r in rows if r["type"] == "connection"]
            kinds, of_directions = collections.Counter(r["kind"] for r in findings), collections.Counter()
            for r in directions:
                of_directions.update(r["found"])
            self.assertEqual(kinds["NAK_ACCESS"], n)
            self.assertGreaterEqual(kinds["END_NAK"] + kinds["EVICTED"], 2 * n - 4096)  # so many directions are kept
            self.assertEqual((rows[-1]["found"], rows[-1]["error"], rows[-1]["note"]), (kinds, n, len(findings) - n))
            self.assertEqual(of_directions["NAK_ACCESS"], n)
            self.assertEqual(sum(r["packets"] for r in directions), 2 * n)
            self.assertEqual([r["time"] for r in findings if r["kind"] == "NAK_ACCESS"], [round(i + 0.0005, 9) for i in range(n)])
            self.assertEqual(sum(": frame " in line for line in out.splitlines()), len(findings))
            self.assertEqual(sum(", 1 NAK_ACCESS" in line for line in out.splitlines() if line.startswith("RC ")), n)
            self.assertRegex(out.splitlines()[-1],
                             rf"^{2 * n} packets of {rows[-1]['connections']} connections: {n} errors, 0 warnings, {len(findings) - n} notes$")


class Check(unittest.TestCase):
    def test_clean_capture_prints_nothing(self):
        self.assertEqual(check(CLEAN), (0, "", ""))
        self.assertEqual(check("--json", CLEAN), (0, "", ""))

    def test_verbose_sums_up_clean_connections(self):
        rc, out, err = check("-v", CLEAN)
        self.assertEqual((rc, err), (0, ""))
        self.assertRegex(out, r"RC \S+ QP 0x\w{6} -> \S+ QP 0x\w{6}: \d+ packets\n")
        self.assertTrue(out.endswith("0 errors, 0 warnings, 0 notes\n"), out)

    def test_finding_names_packet_flow_and_clause(self):
        rc, out, _ = check(HARMED)
        self.assertEqual(rc, 1)
        self.assertIn(f"{HARMED}: frame 2: 10.0.0.2 QP 0x000037 -> 10.0.0.1 QP 0x000037: error: nak: PSN 0x111111 is a "
                      "NAK: the responder denies the access (frame 1) [RQ-51]\n", out)
        self.assertIn("1 NAK_ACCESS; ended by frame 2\n", out)
        self.assertTrue(out.endswith("2 packets of 1 connections: 1 errors, 0 warnings, 0 notes\n"), out)

    def test_json_is_one_object_a_line(self):
        rc, out, _ = check("--json", HARMED)
        self.assertEqual(rc, 1)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["type"] for line in lines], ["finding", "connection", "connection", "totals"])
        self.assertEqual({k: lines[0][k] for k in ("frame", "analysis", "kind", "severity", "psn", "cause_frame", "src_qp")},
                         {"frame": 2, "analysis": "nak", "kind": "NAK_ACCESS", "severity": "error", "psn": 0x111111,
                          "cause_frame": 1, "src_qp": 0x37})
        self.assertEqual(lines[-1]["found"], {"NAK_ACCESS": 1})

    def test_several_files_are_one_stretch_of_time(self):
        rc, out, _ = check("-v", CLEAN, CLEAN)
        self.assertEqual(rc, 0, "the same packets at two capture points are no copies: " + out)
        rc, out, _ = check(CLEAN, HARMED)
        self.assertEqual(rc, 1)
        self.assertEqual(out.count(": frame "), 1)

    def test_cut_file_is_judged_as_far_as_it_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder, "cut.pcap")
            cut.write_bytes(HARMED.read_bytes() + b"\0" * 7)
            rc, out, err = check(cut)
        self.assertEqual(rc, 2)
        self.assertIn("NAK: the responder denies the access", out)
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("cut.pcap", err)

    def test_file_that_is_not_there(self):
        rc, out, err = check("nowhere.pcap")
        self.assertEqual((rc, out, err.count("\n")), (2, "", 1))
        rc, out, err = check("nowhere.pcap", HARMED)
        self.assertEqual((rc, err.count("\n")), (2, 1))
        self.assertIn("NAK_ACCESS", out)

    def test_every_sample_is_judged_as_before(self):
        found = []
        for path in sorted(PCAPS.iterdir()):
            if path.name.endswith((".pcap", ".pcapng", ".erf", ".gz")):
                outputs = []
                for form in (["--json"], []):
                    rc, out, err = check("-v", *form, path.name, cwd=PCAPS)
                    self.assertIn(rc, (0, 1), path)
                    self.assertEqual(err, "", path)
                    outputs.append(hashlib.sha256(out.encode()).hexdigest()[:8])
                found.append(f"{path.name} exit {rc} json {outputs[0]} text {outputs[1]}")
        if os.environ.get("IBPROOF_BLESS"):
            GOLDEN.write_text("\n".join(found) + "\n", encoding="utf-8")
        self.assertEqual(set(GOLDEN.read_text(encoding="utf-8").splitlines()) - set(found), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
