#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Bugs and outages of the field that a capture can show: each entry has a finding on a capture, or the reason why it has none."""
import json
import os
import pathlib
import subprocess
import unittest

import bad

IBDISSECT = pathlib.Path(os.environ["IBPROOF_BIN"]) / "ibdissect"
ORDER, CONTENT = "field-bugs-order", "field-bugs-content"
AGREED, PATH = "field-bugs-agreed", "field-bugs-path"

# Entry: capture, QP (the requests go to 0x1000 + QP, the answers to 0x2000 + QP; None: any), finding, words of its message.
NAMED = {
    "PSN-02": (ORDER, 1, "ANSWER_MISSING", "answers a later request than a READ"),
    "PSN-03": (ORDER, 2, "ANSWER_MISSING", "answers a later request than a READ"),
    "PSN-06": (ORDER, 3, "GAP", "1 missing"),
    "PSN-08": (ORDER, 4, "RETRY_TIMEOUT", "its timer ran out"),
    "PSN-09": (ORDER, 5, "RETRY_TIMEOUT", "10.01 ms"),
    "PSN-12": (ORDER, 6, "DMA_LENGTH", "100 bytes"),
    "PSN-13": (ORDER, 7, "MSN_WRONG", "MSN 1"),
    "PSN-15": (ORDER, 8, "LATE", "was overtaken"),
    "RNR-01": (ORDER, 9, "GAP", "2 missing"),
    "RNR-02": (ORDER, 10, "RNR_EARLY", "491.5 ms"),
    "RNR-03": (ORDER, 10, "RNR_EARLY", "491.5 ms"),
    "RNR-04": (ORDER, 11, "RNR", "655.4 ms"),
    "RNR-07": (ORDER, 12, "RNR", "10 us"),
    "RNR-08": ("rxe-agent-rnr-exhaust", None, "RNR", "not ready"),
    "RNR-14": (ORDER, 13, "RNR", "frame 44"),
    "RDA-12": (CONTENT, 14, "NAK_INVALID", "cannot take the request"),
    "KEY-04": (CONTENT, 15, "NAK_ACCESS", "denies the access"),
    "KEY-09": (CONTENT, 15, "NAK_ACCESS", "denies the access"),
    "LEN-04": (CONTENT, 16, "LENGTH", "512 bytes"),
    "LEN-05": (CONTENT, 16, "LENGTH", "512 bytes"),
    "LEN-06": (CONTENT, 17, "RETRY_TIMEOUT", "its timer ran out"),
    "LEN-10": ("wrong-lengths", None, "MALFORMED", "do not fit"),
    "LEN-13": (CONTENT, 18, "BAD_ICRC", "damaged"),
    "CRC-01": (CONTENT, 19, "BAD_ICRC", "damaged"),
    "CRC-04": (CONTENT, 19, "BAD_ICRC", "damaged"),
    "CC-01": (CONTENT, 20, "ECN", "congestion mark"),
    "CC-02": ("congestion", None, "CNP", "congestion notification"),
    "CC-13": ("congestion", None, "CNP", "congestion notification"),
    "CNT-06": (ORDER, 12, "RNR", "not ready"),
    "MGT-04": (CONTENT, 21, "PKEY", "another partition"),
    "MGT-03": (CONTENT, None, "MAD_PKEY", "another partition's P_Key (frame 23)"),
    "PSN-04": (PATH, 0x2C, "RETRY_CHANGED", "other headers"),
    "TOL-03": (PATH, 0x33, "NOT_CAPTURED", "2 missing"),
    "UDM-06": (PATH, 0x2F, "LENGTH", "2048 bytes"),  # with --mtu 1024
}
# Entry: capture, QP as above, the topic of the sentence below `-z agreed`, words of it.
REMARKABLE = {
    "PSN-07": (AGREED, 0x1002, "psn", "PSN 0x000300, agreed was 0x000100"),
    "RNR-05": (AGREED, 0x1003, "rnr_few", "1 times only"),
    "RNR-12": (PATH, 0x202B, "rnr_all", "each of 2 connections"),
    "RDA-01": (AGREED, 0x1004, "reads_refused", "while 9 waited, agreed were 16"),
    "RDA-02": (AGREED, 0x1005, "initiator_depth", "9 READs or ATOMICs waiting at once, agreed were 8"),
    "RDA-05": (AGREED, 0x2006, "no_reads", "no READ"),
    "RDA-06": (AGREED, 0x2007, "reads_offered", "16 READs at once, but was offered 1"),
    "CM-04": (AGREED, 0x2008, "ack_timeout", "waited 0.010007000 s for an answer, agreed was 0.067108864 s"),
    "ADR-01": (PATH, 0x1021, "encapsulations", "RoCEv1"),
    "ADR-02": (PATH, 0x1021, "encapsulations", "RoCEv1"),
    "ADR-03": (PATH, 0x1022, "link_local", "link-local"),
    "ADR-04": (PATH, 0x1022, "link_local", "link-local"),
    "ADR-05": (PATH, 0x1023, "hop_limit", "hop limit 1:"),
    "ADR-06": (PATH, 0x1024, "source_port_one", "port 49152, as all 3 connections"),
    "ADR-07": (PATH, 0x1024, "source_port_one", "port 49152, as all 3 connections"),
    "ADR-08": (PATH, 0x1025, "source_port_low", "port 1234"),
    "ADR-12": (AGREED, 0x1009, "dscp", "DSCP 0, agreed was 26"),
    "ADR-13": (PATH, 0x1027, "dscp_ways", "DSCP 26, the other way it is 0"),
    "ADR-14": (PATH, 0x1027, "dscp_ways", "DSCP 26, the other way it is 0"),
    "ADR-15": (AGREED, 0x1009, "dscp", "DSCP 0, agreed was 26"),
    "APM-01": (PATH, 0x102A, "migreq", "MigReq 1, the other way it is 0"),
    "CC-05": (PATH, 0x2028, "ack_ecn", "ACKs that switches may mark"),
    "CC-12": (PATH, 0x1029, "unmarked", "none of them was"),
    "MGT-02": (AGREED, 0x100B, "p_key_limited", "both ends are limited members"),
}
ELSEWHERE = {  # the test of that name shows it
    "CM-01": "refused_for_ever", "CM-03": "refused_after_being_put_off", "CM-07": "refused_after_a_timeout",
    "PSN-10": "begun_anew", "PSN-11": "never_finished", "ADR-10": "no_mac_address", "CNT-05": "notified_though_unmarked",
    "KEY-08": "key_0_is_a_key", "MGT-01": "members_of_one_partition", "MGT-05": "only_short_ones_answered",
    "SEC-01": "psns_that_are_no_secret",
}  # fmt: skip
PFC = "pause frames are MAC control (EtherType 0x8808), no RoCE: ibdissect counts them as not InfiniBand"
APPLICATION = "what the application wanted is not on the wire: to send nothing, or SENDs, is no fault there"
COUNTERS = "is about what a counter or a completion says, which no packet holds"
NOT_NAMED = {
    "PSN-05": "a capture that shows it has 2^23 packets without an ACK, 600 MB",
    "RDA-04": APPLICATION,
    "KEY-01": APPLICATION,
    "CNT-09": APPLICATION + "; `-z opcode,tree` is the census",
    "CM-06": APPLICATION + "; SENDs that are acknowledged and not answered are what a stream is",
    "RDA-08": "what memory held before is not on the wire, so neither is what the answer should be",
    "CRC-06": "the address was told over TCP, in the application's own format",
    "CRC-07": "iWARP, no InfiniBand and no RoCE",
    "ADR-11": "a RoCE packet has no LID; which one the port reports is not on the wire",
    **dict.fromkeys(("CC-07", "CC-08", "CC-09", "CC-10"), PFC),
    **dict.fromkeys(("CNT-01", "CNT-11", "CNT-12"), COUNTERS),
}
STALL = (CONTENT, 22, "PSN_OF_READ", "which takes 3")


def run(capture, *options):
    done = subprocess.run([IBDISSECT, "-n", "-r", bad.PCAPS / (capture + ".pcap"), *options], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def stat(capture, name):
    return json.loads(run(capture, "-q", "-z", name, "-T", "json"))


def findings(capture, qp):
    """(finding, message) of each packet of that pair of QPs."""
    fields = ["infiniband.bth.destqp", "infiniband.analysis.finding", "infiniband.analysis.message"]
    wanted = [word for name in fields for word in ("-e", name)]
    mtu = ["--mtu", "1024"] if capture == PATH and qp == 0x2F else []
    for line in run(capture, "-T", "fields", "-E", "aggregator=;", *wanted, *mtu).splitlines():
        to, kinds, messages = line.split("\t")
        if kinds and (qp is None or int(to or "0", 0) in (0x1000 + qp, 0x2000 + qp)):
            yield from zip(kinds.split(";"), messages.split(";"))


class FieldBugs(unittest.TestCase):
    def named(self, capture, qp, finding, words):
        seen = list(findings(capture, qp))
        self.assertTrue(any(kind == finding and words in message for kind, message in seen), seen)

    def test_each_entry_is_named(self):
        for entry, row in NAMED.items():
            with self.subTest(entry):
                self.named(*row)

    def test_each_entry_is_remarked(self):
        for entry, (capture, qp, about, words) in REMARKABLE.items():
            with self.subTest(entry):
                said = stat(capture, "agreed")
                to = {d["direction"]: d["dest_qp"] for d in said["directions"]}
                sentences = [x["sentence"] for x in said["differences"] if to[x["direction"]] == qp and x["about"] == about]
                self.assertTrue(any(words in sentence for sentence in sentences), said["differences"])

    def test_what_is_as_agreed_is_not_remarked(self):
        said = stat(AGREED, "agreed")
        whole = [d["direction"] for d in said["directions"] if d["dest_qp"] in (0x1001, 0x2001)]
        self.assertEqual(len(whole), 2)
        self.assertFalse([x for x in said["differences"] if x["direction"] in whole])

    def test_members_of_one_partition(self):
        said = stat(AGREED, "agreed")
        some = {d["direction"]: d["p_key"]["observed"] for d in said["directions"] if d["dest_qp"] in (0x100A, 0x200A)}
        self.assertEqual(sorted(some.values()), [0x0123, 0x8123])
        self.assertFalse([x for x in said["differences"] if x["direction"] in some])

    def connections(self, host):
        return [c for c in stat(AGREED, "cm")["connections"] if c["active"]["address"] == host]

    def test_refused_for_ever(self):
        self.assertEqual([c["reason"] for c in self.connections("10.0.13.1")], [10, 10, 10])

    def test_refused_after_being_put_off(self):
        (one,) = self.connections("10.0.14.1")
        self.assertEqual((one["state"], one["reason"], one["mra"]), ("rejected", 28, 1))

    def test_refused_after_a_timeout(self):
        self.named(AGREED, 0x0F, "RETRY_TIMEOUT", "its timer ran out")
        self.assertEqual([c["state"] for c in self.connections("10.0.15.1")], ["established", "rejected", "rejected"])

    def message(self, qp):
        (one,) = [m for m in stat(PATH, "messages")["messages"] if m["dest_qp"] == qp]
        return one

    def test_begun_anew(self):
        self.named(PATH, 0x2D, "NAK_SEQUENCE", "misses this PSN")
        self.assertEqual(self.message(0x102D)["sent_again"], 2)

    def test_never_finished(self):
        one = self.message(0x102E)
        self.assertEqual((one["end"], one["bytes"], one["whole"]), ("open", 16384, False))

    def test_no_mac_address(self):
        self.assertEqual(stat(PATH, "agreed")["no_mac"], 1)

    def test_psns_that_are_no_secret(self):
        self.assertGreater(stat(AGREED, "agreed")["same_psn"], 10)

    def test_notified_though_unmarked(self):
        kinds = [kind for kind, _ in findings(PATH, None)]
        self.assertEqual((kinds.count("CNP"), kinds.count("ECN")), (2, 0))

    def test_key_0_is_a_key(self):
        self.assertEqual(list(findings(PATH, 0x31)), [])
        self.assertIn("R_Key=0x00000000", run(PATH, "-Y", "infiniband.bth.destqp == 0x1031"))

    def test_only_short_ones_answered(self):
        times = {t["bytes"]: t for t in stat(PATH, "srt")["times"] if t["operation"] == "SEND"}
        self.assertEqual([times[size]["answered"] > 0 for size in ("65-512", "513-4K")], [True, False])
        self.assertGreater(times["513-4K"]["no_answer"], 0)

    def test_every_entry_is_accounted_for_once(self):
        lists = (NAMED, REMARKABLE, ELSEWHERE, NOT_NAMED)
        self.assertEqual(len(set().union(*lists)), sum(map(len, lists)))
        self.assertEqual(sum(map(len, lists)), ENTRIES)
        for test in ELSEWHERE.values():
            self.assertTrue(hasattr(self, "test_" + test), test)

    def test_the_read_that_stalls(self):
        self.named(*STALL)
        path = bad.PCAPS / (CONTENT + ".pcap")
        pair = "infiniband.bth.destqp == 0x1016 || infiniband.bth.destqp == 0x2016"
        done = subprocess.run([IBDISSECT, "-n", "-q", "-r", path, "-Y", pair, "-z", "rc,analysis"], capture_output=True)
        self.assertIn(b"First error: packet 22 PSN 0x170003 has a PSN that the READ before it takes", done.stdout)


ENTRIES = 85

if __name__ == "__main__":
    unittest.main()
