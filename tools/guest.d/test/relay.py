#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""relay.py: what is between the two guests of `tools/guest traffic`, without guests; and its table of experiments."""

import contextlib
import io
import json
import os
import pathlib
import re
import socket
import struct
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import cases  # noqa: E402
import traffic  # noqa: E402
from experiments import EXPERIMENTS, Experiment  # noqa: E402
from peer import Failed, Unlucky  # noqa: E402
from attempts import ATTEMPTS, Loss, Losses, with_icrc  # noqa: E402
from relay import CM_MESSAGES, Relay, cm_message, is_roce  # noqa: E402

IPV4 = bytes(12) + b"\x08\x00\x45" + bytes(8) + b"\x11" + bytes(10)
IPV6 = bytes(12) + b"\x86\xdd\x60" + bytes(5) + b"\x11" + bytes(33)
TO_ROCE = b"\xc0\x00\x12\xb7"
ROOT = pathlib.Path(__file__).resolve().parents[3]


def of_manager(message, ip=IPV4):
    """A frame with a datagram of the connection manager whose attribute is this message."""
    bth = b"\x64\x40\xff\xff" + bytes(3) + b"\x01" + bytes(4)
    mad = b"\x01\x07\x02\x03" + bytes(12) + CM_MESSAGES[message].to_bytes(2, "big") + bytes(238)
    return ip + TO_ROCE + bytes(4) + bth + bytes(8) + mad + bytes(4)


class Between(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        ends = [(f"{self.path}/{side}-tester", f"{self.path}/{side}-dut") for side in "ab"]
        self.cards = []
        for (_, card) in ends:
            end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            end.bind(card)
            end.settimeout(10)
            self.addCleanup(end.close)
            self.cards.append(end)
        self.relay = Relay(ends)
        self.own = [own for own, _ in ends]

    def send(self, side, frame):
        self.cards[side].sendto(frame, self.own[side])
        self.assertEqual(self.cards[1 - side].recv(65536), frame)

    def test_frames_and_capture(self):
        frames = [IPV4 + TO_ROCE + bytes(n) for n in (10, 9000, 0, 300)]
        self.send(0, b"before")
        self.relay.open(f"{self.path}/x.pcap")
        for n, frame in enumerate(frames):
            self.send(n % 2, frame)
        self.send(0, b"no RoCE")
        self.relay.close()
        self.send(1, b"behind")
        data = pathlib.Path(f"{self.path}/x.pcap").read_bytes()
        self.assertEqual(struct.unpack_from("<IHHiIII", data), (0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        at, found, times = 24, [], []
        while at < len(data):
            seconds, ns, kept, length = struct.unpack_from("<4I", data, at)
            self.assertEqual(kept, length)
            found.append(data[at + 16 : at + 16 + kept])
            times.append((seconds, ns))
            at += 16 + kept
        self.assertEqual(found, [*frames, b"no RoCE"])
        self.assertEqual(times, sorted(times))
        self.assertEqual((self.relay.frames, self.relay.roce), (5, 4))

    def test_nobody_there(self):
        os.unlink(f"{self.path}/b-dut")
        self.cards[0].sendto(b"lost", self.own[0])
        self.send(1, b"goes on")

    def test_roce(self):
        for frame in (IPV4 + TO_ROCE, IPV6 + TO_ROCE, bytes(12) + b"\x89\x15"):
            self.assertTrue(is_roce(frame), frame)
        for frame in (b"", bytes(14), IPV4, IPV4 + TO_ROCE[::-1], IPV6[:20] + b"\x06" + IPV6[21:] + TO_ROCE, IPV4 + TO_ROCE[:3]):
            self.assertFalse(is_roce(frame), frame)


    def test_lost_on_the_way(self):
        self.relay.loses = Losses((Loss("a", ("REQ",), 1),))
        self.relay.open(f"{self.path}/x.pcap")
        lost, passes = of_manager("REQ"), of_manager("RTU")
        self.cards[0].sendto(lost, self.own[0])
        self.send(0, passes)  # it comes, and so the one before it was lost
        self.send(0, lost)  # the second passes
        self.relay.close()
        self.assertEqual(self.relay.frames, 3)

    def test_data_most(self):
        self.relay.data_most = 1
        self.relay.open(f"{self.path}/x.pcap")
        for frame in (b"data", b"more", of_manager("DREQ")):
            self.send(0, frame)
        self.relay.close()
        self.assertEqual((self.relay.frames, self.relay.data), (2, 2))


class Attempts(unittest.TestCase):
    def test_messages(self):
        for ip in (IPV4, IPV6):
            for name, attribute in CM_MESSAGES.items():
                self.assertEqual(cm_message(of_manager(name, ip)), attribute)
        self.assertIsNone(cm_message(IPV4 + TO_ROCE + bytes(300)))
        self.assertIsNone(cm_message(b"short"))

    def test_rows(self):
        names = [a.name for a in ATTEMPTS]
        self.assertEqual(len(names), len(set(names)))
        rows = (ROOT / "dissect/track/cm_why.h").read_text(encoding="utf-8")
        for attempt in ATTEMPTS:
            self.assertRegex(attempt.name, r"^[a-z0-9-]+$")
            for kind in attempt.why.split():
                self.assertIn(f"W({kind},", rows)

    def test_share(self):
        losses = Losses((Loss("b", share=0.3),))
        lost = sum(losses(1, of_manager("REP")) for _ in range(1000))
        self.assertTrue(250 < lost < 350, lost)
        self.assertFalse(losses(0, of_manager("REP")))

    def test_icrc(self):
        """The ICRC of a REQ that a guest sent."""
        capture = (ROOT / "pcaps/attempts/no-listener.pcap").read_bytes()
        frame = capture[40 : 40 + int.from_bytes(capture[32:36], "little")]
        self.assertEqual(with_icrc(frame), frame)


class Table(unittest.TestCase):
    def test_rows(self):
        names = [e.name for e in EXPERIMENTS]
        self.assertEqual(len(names), len(set(names)))
        for e in EXPERIMENTS:
            self.assertRegex(e.name, r"^[a-z0-9]+(-[a-z0-9]+)*$")
            self.assertNotEqual(bool(e.play), bool(e.server and e.client), e.name)
            self.assertIn(e.at, ("a", "b"))

    def test_chosen(self):
        self.assertEqual(len(cases.chosen(EXPERIMENTS, [])), len(EXPERIMENTS))
        self.assertEqual([e.name for e in cases.chosen(EXPERIMENTS, ["rping", "rping*"])], ["rping", "rping-v6"])


class Story(unittest.TestCase):
    def test_text(self):
        for value in ({}, [], {"a": [1, {"b": "c" * 200}], "d": None}, [["x" * 119], "é\n"]):
            self.assertEqual(json.loads(traffic.text(value)), value)
        self.assertFalse(re.search(r".{121}", traffic.text([{"a": ["b" * 50] * 5}])))

    def test_difference(self):
        self.assertEqual(traffic.difference({"a": 1, "b": 2}, {"a": 1, "b": 5}), {"b": 3})


class Luck(unittest.TestCase):
    def judge(self, experiment, a, b, netem=None):
        story = {"counters": {"a": {"difference": a}, "b": {"difference": b}}}
        if netem:
            story["netem"] = netem
        traffic.judge_luck(experiment, story)

    def test_slow_guest(self):
        self.judge(Experiment("x", ""), {"sent_pkts": 3}, {"rcvd_pkts": 3, "ack_deferred": 1})
        self.judge(Experiment("x", "", retries=True), {}, {"duplicate_request": 1})
        with self.assertRaisesRegex(Unlucky, "duplicate_request"):
            self.judge(Experiment("x", ""), {}, {"duplicate_request": 1})

    def test_netem(self):
        for setting, passed, dropped, good in (
            ("loss 9%", 9, 1, True),
            ("loss 9%", 10, 0, False),
            ("duplicate 9%", 11, 0, True),
            ("duplicate 9%", 10, 0, False),
        ):
            experiment = Experiment("x", "", netem=setting, at="b")
            with contextlib.nullcontext() if good else self.assertRaises(Unlucky):
                self.judge(experiment, {}, {"sent_pkts": 10, "duplicate_request": 1}, {"sent": passed, "dropped": dropped})

    def test_attempts(self):
        peers = {name: types.SimpleNamespace(kernel="0") for name in "ab"}
        for trouble, attempt, fault in (
            ([Unlucky("no")] * 2 + [None], 3, None),
            ([Unlucky("no")] * traffic.ATTEMPTS, traffic.ATTEMPTS, "no"),
            ([Failed("broken")], 1, "broken"),
        ):
            with tempfile.TemporaryDirectory() as folder, mock.patch.object(traffic, "make", side_effect=trouble):
                given = types.SimpleNamespace(out=folder)
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(traffic.run(Experiment("x", ""), peers, None, given), fault is None)
                story = json.loads(pathlib.Path(folder, "x.json").read_text(encoding="utf-8"))
                self.assertEqual((story["attempt"], story["fault"]), (attempt, fault))


if __name__ == "__main__":
    unittest.main()
