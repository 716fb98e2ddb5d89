#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How connections end and how others follow them, on a capture made for it. IBPROOF_BIN names the programs' folder."""
import json
import pathlib
import re
import struct
import tempfile
import unittest

import bad
from cli import Case, jsonl

CAPTURE = bad.PCAPS / "connections.pcap"


def several(x):
    return [x] if isinstance(x, str) else x


class Connections(Case):
    def told(self, qp, *options):
        """(frame, finding, message) for one pair of QPs, including the findings at the end of the capture."""
        rows = jsonl(self.good("-2", "-T", "jsonl", *options, CAPTURE))
        found = []
        for row in rows:
            if row["infiniband.bth.destqp"] in (0x1000 + qp, 0x2000 + qp):
                kinds, messages = (row.get("infiniband.analysis." + name, []) for name in ("finding", "message"))
                kinds, messages = several(kinds), several(messages)
                found += [(row["frame.number"], k, m) for k, m in zip(kinds, messages, strict=True)]
        return found

    def end(self, qp):
        (one,) = [(frame, kind, said) for frame, kind, said in self.told(qp) if kind.startswith("END_")]
        return one

    def test_eight_tries_and_no_answer(self):
        frame, kind, said = self.end(1)
        self.assertEqual((frame, kind), (10, "END_RETRIES"))
        self.assertIn("tries: 8", said)
        self.assertIn("frame 3", said)

    def test_two_tries_and_silence(self):
        frame, kind, said = self.end(2)
        self.assertEqual((frame, kind), (12, "END_RETRIES"))
        self.assertIn("tries: 2", said)

    def test_a_refusal_and_silence(self):
        self.assertEqual(self.end(3)[:2], (14, "END_NAK"))

    def test_never_ready(self):
        # The capture ends before it is certain that the requester gave up.
        self.assertEqual([kind for _, kind, _ in self.told(4) if kind.startswith("END_")], [])

    def test_a_refused_connection(self):
        rows = jsonl(self.good("-T", "jsonl", "-Y", 'analysis.finding == "END_REFUSED"', bad.PCAPS / "field-bugs-agreed.pcap"))
        said = [row["infiniband.analysis.message"] for row in rows]
        self.assertEqual([("reason 10: stale connection" in s, "reason 28: consumer reject" in s) for s in said],
                         [(True, False)] * 3 + [(False, True)] * 3, said)

    def test_a_qp_gets_another_connection(self):
        rows = jsonl(self.good("-T", "jsonl", "-Y", 'analysis.finding == "QP_REUSED"', CAPTURE))
        told = [(row["infiniband.mad.attributeid"], "frame 21" in row["infiniband.analysis.message"]) for row in rows]
        self.assertEqual(told, [(0x10, True)])
        self.assertEqual(self.told(5), [])  # PSNs of the first connection cause no findings in the second

    def parted(self, path, rows, together):
        """Writes two captures: b.pcap has the packets of these findings and, if `together`, the packets that they name
        as their causes; a.pcap has all others."""
        apart = {row["frame.number"] for row in rows}
        apart |= {cause for row in rows for cause in self.causes(row)} if together else set()
        data, parts = path.read_bytes(), [[], []]
        for number, (at, packet, _) in enumerate(bad.pcap_records(data)[2], 1):
            parts[number in apart].append(data[at : at + 16 + len(packet)])
        return [self.file(data[:24] + b"".join(part), name) for part, name in zip(parts, ("a.pcap", "b.pcap"), strict=True)]

    @staticmethod
    def causes(row):
        return [int(n) for n in re.findall(r"frame (\d+)", " ".join(several(row["infiniband.analysis.message"])))]

    def test_what_explains_it_is_in_the_other_capture(self):
        """Neither where the packet is, nor in the first file."""
        for name, kind, n in (("field-bugs-agreed", "END_REFUSED", 6), ("connections", "QP_REUSED", 1), ("field-bugs-content", "MAD_PKEY", 1)):
            path, want = bad.PCAPS / f"{name}.pcap", ("-T", "jsonl", "-Y", f'analysis.finding == "{kind}"')
            rows = jsonl(self.good(*want, path))
            self.assertEqual((len(rows), [len(self.causes(row)) for row in rows]), (n, [1] * n), kind)
            for together in (False, True):
                a, b = self.parted(path, rows, together)
                for files in ((a, b), (b, a)):
                    for one, other in zip(jsonl(self.good(*want, *files)), rows, strict=True):
                        said, before = one["infiniband.analysis.message"], other["infiniband.analysis.message"]
                        self.assertEqual(one["frame.file"], str(b))
                        self.assertEqual(said, before if together else before.replace("frame ", f"{a} frame "), (kind, files))

    def test_credits_are_waited_for(self):
        ((frame, kind, said),) = self.told(6)
        self.assertEqual((frame, kind), (34, "CREDIT_STALL"))
        self.assertIn("frame 33, 10.01 ms", said)

    def test_the_way_changes(self):
        told = self.told(7)
        self.assertEqual([(frame, kind) for frame, kind, _ in told], [(37, "PATH_CHANGED"), (39, "PATH_CHANGED")])
        self.assertIn("frame 35, hop limit, source port)", told[0][2])
        self.assertIn("frame 37, DSCP)", told[1][2])

    def test_notifications_and_what_they_answer(self):
        path = bad.PCAPS / "congestion.pcap"
        rows = jsonl(self.good("-T", "jsonl", "-Y", "analysis.cnp", path))
        said = {row["frame.number"]: row["infiniband.analysis.message"] for row in rows}
        self.assertEqual(["frame %d, 10.01 ms" % (n - 1) in said[n] for n in (3, 5, 9)], [True] * 3, said)
        self.assertEqual(["%d us after the one before" % us in said[n] for n, us in ((6, 30021), (7, 10007))], [True] * 2, said)

    def test_it_is_counted(self):
        listed = json.loads(self.good("-q", "-T", "json", "-z", "expert", CAPTURE).stdout)["findings"]
        counts = {f["finding"]: f["count"] for f in listed}
        self.assertEqual((counts["END_RETRIES"], counts["END_NAK"]), (2, 1))


class Storm(Case):
    """Many connections, one after the other, are refused. Each is a copy of one between two kernels, with other IDs."""

    N = 5000
    TRANSACTION, IDS, QPN = 62 + 12, 62 + 24, 62 + 24 + 32  # in the frame

    def capture(self, folder):
        data = (bad.PCAPS / "attempts/no-listener.pcap").read_bytes()
        req, rej = (bytearray(data[at + 16 : at + 16 + n]) for at, n in ((24, 322), (24 + 16 + 322, 322)))
        path = pathlib.Path(folder) / "storm.pcap"
        with open(path, "wb") as f:
            f.write(data[:24])
            for i in range(self.N):
                for frame, at, ms in ((req, self.IDS, 0), (rej, self.IDS + 4, 1)):
                    struct.pack_into(">I", frame, self.TRANSACTION, i)
                    struct.pack_into(">I", frame, at, i + 1)
                    f.write(struct.pack("<4I", i // 100, (i % 100 * 10 + ms) * 1000000, len(frame), len(frame)) + frame)
                struct.pack_into(">I", req, self.QPN, (i + 256) << 8 | 1)
        return path

    def test_it_is_summed_up(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.capture(folder)
            found = json.loads(self.good("-o", "icrc:off", "-q", "-T", "json", "-z", "cm", path).stdout)
            text = self.good("-o", "icrc:off", "-q", "-z", "cm", path).stdout.decode()
        self.assertEqual(found["outcomes"], {"NO_LISTENER": self.N})
        self.assertEqual((found["begun"], found["forgotten"]), (self.N, self.N - found["limit"]))
        self.assertEqual(len(re.findall("has no program that listens at TCP port 7174", text)), 10)
        self.assertIn(f"and {found['limit'] - 10} more like these", text)

    def test_the_page_says_why(self):
        page = self.good("-q", "--report", "-", bad.PCAPS / "attempts/rejected.pcap").stdout.decode()
        self.assertIn("the program at TCP port 7471 of 10.0.0.2 refuses, ended before it accepted", page)
        self.assertIn("REQ to RTU", page)

    def test_each_message_says_how_it_stands(self):
        rows = jsonl(self.good("-T", "jsonl", "-Y", "infiniband.cm.why", bad.PCAPS / "attempts/no-listener.pcap"))
        self.assertEqual([row["infiniband.cm.why"] for row in rows], ["WAITS_FOR_ANSWER", "NO_LISTENER"])


if __name__ == "__main__":
    unittest.main()
