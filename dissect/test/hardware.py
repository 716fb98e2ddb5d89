#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Behaviour of adapters that Soft-RoCE does not have, on a capture made for it. IBPROOF_BIN names the programs' folder."""

import json
import unittest

import bad
from cli import Case, jsonl

CAPTURE = bad.PCAPS / "hardware.pcap"
# By destination QP of the requests: all findings about them and their responses.
WANTED = {
    0x1001: [], 0x1101: [], 0x2001: ["QP_REUSED"],
    0x1002: ["RETRY_TIMEOUT", "RETRY_TIMEOUT"], 0x2002: [],
    0x1003: ["REORDERED"], 0x2003: [],
    0x1004: ["RETRY_NAK"], 0x2004: ["NAK_SEQUENCE"],
    0x1005: ["RETRY_TIMEOUT", "RETRY_PAYLOAD", "RETRY_TIMEOUT", "RETRY_CHANGED"], 0x2005: [],
    0x1006: ["GAP"] + 2 * ["RETRY_TIMEOUT"] + 8 * ["RETRY_TIMEOUT"] + ["RETRY_LIMIT", "SILENCE"], 0x2006: ["NAK_SEQUENCE", "NAK_IGNORED"],
    0x1007: ["GAP"] + 4 * ["RETRY_NAK"], 0x2007: ["NAK_SEQUENCE"],
}


class Hardware(Case):
    def test_each_is_told_as_what_it_is(self):
        rows = jsonl(self.good("-2", "-T", "jsonl", CAPTURE))
        found = {qp: [] for qp in WANTED}
        for row in rows:
            told = row.get("infiniband.analysis.finding", [])
            found[row["infiniband.bth.destqp"]] += told if isinstance(told, list) else [told]
        for qp, kinds in WANTED.items():
            with self.subTest("QP 0x%x" % qp):
                self.assertEqual(sorted(found[qp]), sorted(kinds))

    def test_every_answer_finds_its_request(self):
        told = json.loads(self.good("-q", "-T", "json", "-z", "qp", CAPTURE).stdout)
        peers = {(d["dest_qp"], d.get("source_qp")) for d in told["directions"]}
        self.assertIn((0x1101, 0x2001), peers)
        self.assertIn((0x1001, 0x2001), peers)

    def test_too_many_repeats_are_remarkable(self):
        self.assertIn(b"QP 0x001006 sent a packet more than 7 times again", self.good("-q", "-z", "agreed", CAPTURE).stdout)


if __name__ == "__main__":
    unittest.main()
