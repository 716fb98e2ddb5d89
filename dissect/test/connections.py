#!/usr/bin/env python3
"""What becomes of connections, on a capture that was made for it: how they end, and how others follow them. IBPROOF_BIN names the programs' folder."""
import json
import unittest

import bad
from cli import Case, jsonl

CAPTURE = bad.PCAPS / "connections.pcap"


class Connections(Case):
    def told(self, qp, *options):
        """(frame, finding, message) of one pair of QPs, also what only the end shows."""
        rows = jsonl(self.good("-2", "-T", "jsonl", *options, CAPTURE))
        found = []
        for row in rows:
            if row["infiniband.bth.destqp"] in (0x1000 + qp, 0x2000 + qp):
                kinds, messages = (row.get("infiniband.analysis." + name, []) for name in ("finding", "message"))
                kinds, messages = ([x] if isinstance(x, str) else x for x in (kinds, messages))
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
        # The capture ends before it is sure that nobody comes back.
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
        self.assertEqual(self.told(5), [])  # the PSNs of the first are not held against the second

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
        self.assertEqual(["%d us behind the one before" % us in said[n] for n, us in ((6, 30021), (7, 10007))], [True] * 2, said)

    def test_it_is_counted(self):
        listed = json.loads(self.good("-q", "-T", "json", "-z", "expert", CAPTURE).stdout)["findings"]
        counts = {f["finding"]: f["count"] for f in listed}
        self.assertEqual((counts["END_RETRIES"], counts["END_NAK"]), (2, 1))


if __name__ == "__main__":
    unittest.main()
