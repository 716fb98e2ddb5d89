#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two XRC initiators and the targets of one host, on a capture made for it. IBPROOF_BIN names the programs' folder."""

import json
import unittest

import bad
from cli import Case, jsonl

CAPTURE = bad.PCAPS / "xrc.pcap"
# By destination QP: all findings. The receive queue that was empty and the lost request are of the first initiator.
WANTED = {
    0x1001: ["RETRY_RNR", "GAP", "RETRY_NAK", "RETRY_NAK"], 0x2001: ["RNR", "NAK_SEQUENCE"],
    0x1002: [], 0x2002: [],
}


class Xrc(Case):
    def test_nothing_else_is_wrong(self):
        found = {qp: [] for qp in WANTED}
        for row in jsonl(self.good("-2", "-T", "jsonl", CAPTURE)):
            told = row.get("infiniband.analysis.finding", [])
            if row["infiniband.bth.destqp"] in found:
                found[row["infiniband.bth.destqp"]] += told if isinstance(told, list) else [told]
        self.assertEqual(found, WANTED)

    def test_every_request_names_its_queue(self):
        named = [row["infiniband.xrceth.srqn"] for row in jsonl(self.good("-T", "jsonl", "-Y", "bth.destqp == 0x1002", CAPTURE))]
        self.assertEqual(named, [0x22, 0x22, 0x22, 0x21, 0x22])

    def test_the_connection_request_is_of_xrc(self):
        rows = jsonl(self.good("-T", "jsonl", "-c", "2", CAPTURE))
        self.assertEqual((rows[0]["infiniband.cm.req.transpsvctype"], rows[0]["infiniband.cm.req.ext_transport"]), (3, 1))
        self.assertEqual((rows[1]["infiniband.cm.rep.localqpn"], rows[1]["infiniband.cm.rep.localeecn"]), (0, 0x1001))

    def test_request_and_reply_name_the_pair(self):
        told = json.loads(self.good("-q", "-T", "json", "-z", "cm", CAPTURE).stdout)
        (c,) = told["connections"]
        self.assertEqual((c["service"], c["active"]["qp"], c["passive"]["qp"]), ("XRC", 0x2001, 0x1001))


if __name__ == "__main__":
    unittest.main()
