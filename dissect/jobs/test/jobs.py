#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--jobs gives the same bytes as one thread.

  jobs.py SPLIT GEN   SPLIT says whether a run is split (test/split.c), GEN makes captures of many queue pairs (tools/bench.d/gen.c)

Captures: all of pcaps/; generated ones of many hosts; and mixtures, in which several captures of pcaps/ go on at the same time between
hosts of their own. Where a run cannot be split one thread does it, so the output is the same: SPLIT says which ones were split.
"""
import gzip
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "test"))
from cli import PROGRAM, run  # noqa: E402

SPLIT, GEN = (sys.argv.pop(1) for _ in range(2))
PCAPS = HERE.parents[3] / "pcaps"
EVERY = int(os.environ.get("IBPROOF_EVERY", "1"))
FORMS = (["-z", "rc,analysis", "-z", "perf"], ["-T", "json", "-z", "rc,analysis"], ["-z", "perf", "--fail-on=warn"])


def is_split(*args):
    done = subprocess.run([SPLIT, *map(str, args)], capture_output=True, timeout=120, check=True)
    return done.stdout == b"split\n"


def frames(path):
    """The packets of a classic pcap file of Ethernet, each as (ns, length on the wire, bytes)."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f:
        data = f.read()
    magic = struct.unpack_from("<I", data)[0]
    unit = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}.get(magic)
    if not unit or struct.unpack_from("<I", data, 20)[0] & 0xFFFF != 1:
        return None
    found, at = [], 24
    while at + 16 <= len(data):
        seconds, part, caplen, length = struct.unpack_from("<IIII", data, at)
        found.append((seconds * 10**9 + part * unit, length, data[at + 16:at + 16 + caplen]))
        at += 16 + caplen
    return found


def is_ours(frame):
    return len(frame) >= 54 and frame[12:15] == b"\x08\x00\x45" and frame[23] == 17 and frame[36:38] == b"\x12\xb7"


def mixture(out, captures):
    """Writes a mixture of captures that all begin at the same time. Each capture gets addresses of its own; since the
    ICRC covers addresses, it is cut off."""
    kept = []
    for host, (_, capture) in enumerate(captures):
        first = capture[0][0]
        for ns, length, frame in capture:
            if not is_ours(frame):
                continue
            ends = [bytes([10, host, *frame[at + 2:at + 4]]) for at in (26, 30)]
            kept.append((ns - first, length, frame[:26] + b"".join(ends) + frame[34:min(len(frame), length - 4)]))
    kept.sort(key=lambda packet: packet[0])
    with open(out, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for ns, length, frame in kept:
            f.write(struct.pack("<IIII", 10**9 + ns // 10**9, ns % 10**9, len(frame), length) + frame)


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def same(self, *args, jobs=(2, 3)):
        one = run("-q", *args)
        for n in jobs:
            split = run("-q", "--jobs", n, *args)
            self.assertEqual((one.returncode, one.stdout, one.stderr), (split.returncode, split.stdout, split.stderr), (n, args))
        return one

    def test_every_capture(self):
        split = files = 0
        for at, path in enumerate(sorted(PCAPS.glob("*.pcap*")) + sorted(PCAPS.glob("*.erf"))):
            if at % EVERY:
                continue
            self.same(*FORMS[at % len(FORMS)], path)
            split += is_split("-q", "--jobs", "2", *FORMS[at % len(FORMS)], path)
            files += 1
        print(f"{split} of {files} captures of pcaps/ were split")
        self.assertGreater(split, files // 4)

    def test_generated(self):
        for qps in (64, 300):
            out = self.path / f"{qps}.pcap"
            subprocess.run([GEN, "64", "20000", "1", out, str(qps)], check=True)
            for form in FORMS:
                self.same(*form, out, jobs=(1, 2, 4))
                self.assertTrue(is_split("-q", "--jobs", "2", *form, out))

    def test_compressed_and_several(self):
        out, half = self.path / "a.pcap", self.path / "b.pcap"
        subprocess.run([GEN, "256", "5000", "1", out, "64"], check=True)
        subprocess.run([GEN, "256", "5000", "2", half, "64"], check=True)
        packed = self.path / "a.pcap.gz"
        packed.write_bytes(gzip.compress(out.read_bytes(), 1))
        self.same("-z", "rc,analysis", packed)
        self.assertTrue(is_split("-q", "--jobs", "2", "-z", "rc,analysis", packed))
        self.same("-z", "rc,analysis", "-z", "perf", out, half)
        self.same("-z", "perf", "--from", "+0.001", "--to", "+0.004", out)

    def test_mixtures(self):
        """Mixtures with losses, NAKs, RNR NAKs, reordering, notifications, and datagrams of the connection manager."""
        known = []
        for path in sorted(PCAPS.glob("*.pcap*")):
            found = frames(path)
            if found and sum(is_ours(frame) for _, _, frame in found) >= 10:
                known.append((path.name, found))
        self.assertGreater(len(known), 20)
        split = 0
        count = 60 // EVERY
        for seed in range(count):
            pick = random.Random(seed).sample(known, 2 + seed % 9)
            out = self.path / f"{seed}.pcap"
            mixture(out, pick)
            try:
                self.same(*FORMS[seed % len(FORMS)], out)
            except AssertionError as e:
                raise AssertionError([name for name, _ in pick]) from e
            split += is_split("-q", "--jobs", "3", *FORMS[0], out)
        print(f"{split} of {count} mixtures were split")
        self.assertGreater(split, count // 10)

    def test_cut_and_empty(self):
        out = self.path / "a.pcap"
        subprocess.run([GEN, "64", "3000", "1", out, "64"], check=True)
        data = out.read_bytes()
        for n in (0, 10, 24, 30, 60, len(data) // 2, len(data) - 1):
            out.write_bytes(data[:n])
            self.same(*FORMS[0], out)
        self.assertEqual(run("-q", "-z", "perf", "--jobs", "0", out).returncode, 1)
        self.assertEqual(run("-q", "-z", "perf", "--jobs", "65", out).returncode, 1)

    def test_other_runs_have_one_thread(self):
        out = PCAPS / "rxe-reorder-rc.pcap.gz"
        out = out if out.exists() else next(PCAPS.glob("rxe-reorder-rc.pcap*"))
        for args in (["-z", "io,stat,1"], ["-z", "rc,analysis", "-Y", "infiniband.aeth"], ["-z", "srt"], ["-z", "rc,analysis", "-c", "7"]):
            self.same(*args, out)
            self.assertFalse(is_split("-q", "--jobs", "2", *args, out))
        packets = run("--jobs", "2", out)
        self.assertEqual(packets.stdout, run(out).stdout)

    def test_which_runs_are_split(self):
        """The quick test, on small captures: each reason not to split a run, one at a time. All other runs are split, with the same output."""
        out = self.path / "a.pcap"
        subprocess.run([GEN, "256", "4000", "1", out, "64"], check=True)
        packed, same = self.path / "a.pcap.gz", str(PCAPS / "rxe-agent-ops.pcap")
        packed.write_bytes(gzip.compress(out.read_bytes(), 1))
        for args in ([*FORMS[0], out], [*FORMS[1], packed], [*FORMS[2], out, same], ["-z", "perf", "--from", "+0.001", "--to", "+0.004", out],
                     ["-z", "rc,analysis", "-o", "icrc:off", out], ["-z", "rc,analysis", "--mtu", "1024", out]):
            self.same(*args)
            self.assertTrue(is_split("-q", "--jobs", "2", *args), args)
        for args in (["-z", "srt"], ["-z", "perf", "-z", "srt"], ["-z", "perf", "-Y", "udp"], ["-z", "perf", "-c", "7"],
                     ["-z", "perf", "--sample", "2,1"], ["-z", "perf", "-w", self.path / "w"], ["-z", "perf", "--jobs", "1"], []):
            self.assertFalse(is_split("-q", "--jobs", "2", *args, same), args)
        self.assertFalse(is_split("--jobs", "2", "-z", "perf", same), "without -q packets are printed")
        self.assertFalse(is_split("-q", "--jobs", "2", "-z", "perf", "-"), "a pipe is read once")
        self.assertFalse(is_split("-q", "--jobs", "2", "-z", "perf", same, PCAPS), "a folder is no file")

    def test_what_captures_are_split(self):
        """Captures in which the observer compares packets between different addresses are not split."""
        split = ("acknowledges", "cooked2", "cut-60", "damaged", "field-bugs-content", "opcodes-roce1", "opcodes-roce2-v6", "rxe-counted-copies-write",
                 "rxe-dup30-atomic", "rxe-ud-send-100", "rxe-udaddy", "tunnels", "wrong-lengths", "xrc")
        one = ("cm-messages-ib", "connections", "erf-ethernet", "field-bugs-order", "field-bugs-path", "hardware", "ib-native", "mads-general",
               "rxe-counted-loss-write", "rxe-reorder-rc")
        for name in (*split, *one):
            self.same(*FORMS[0], PCAPS / f"{name}.pcap", jobs=(2,))
            self.assertEqual(is_split("-q", "--jobs", "2", *FORMS[0], PCAPS / f"{name}.pcap"), name in split, name)

    def test_what_mixtures_are_split(self):
        """As above, but most connections go to different threads, so that their statistics are joined."""
        split = (("rxe-agent-ops", "wrong-lengths"), ("rxe-counted-rping", "cm-messages", "rxe-bw-atomic-cas"), ("field-bugs-content", "damaged-not-missing"),
                 ("rxe-dup30-atomic", "rxe-counted-copies-write"), ("rxe-counted-rnr-recover", "acknowledges", "rxe-counted-copies-write", "rxe-dup30-atomic"))
        one = (("rxe-corrupt20-rc", "rxe-counted-writes"), ("rxe-reorder-rc", "cm-messages", "xrc"), ("field-bugs-agreed", "rxe-corrupt20-rc"))
        for names in (*split, *one):
            out = self.path / "m.pcap"
            mixture(out, [(name, frames(PCAPS / f"{name}.pcap")) for name in names])
            self.same(*FORMS[0], out)
            self.assertEqual(is_split("-q", "--jobs", "3", *FORMS[0], out), names in split, names)


if __name__ == "__main__":
    unittest.main()
