#!/usr/bin/env python3
"""Bugs and outages of the field that a capture can show: each entry is named on a capture, or it says here what is missing."""
import os
import pathlib
import subprocess
import unittest

import bad

IBDISSECT = pathlib.Path(os.environ["IBPROOF_BIN"]) / "ibdissect"
ORDER, CONTENT = "field-bugs-order", "field-bugs-content"

# Entry: capture, QP (the requests go to 0x1000 + QP, the answers to 0x2000 + QP; None: any), finding, words of its message.
NAMED = {
    "PSN-02": (ORDER, 1, "ANSWER_MISSING", "answers beyond a READ"),
    "PSN-03": (ORDER, 2, "ANSWER_MISSING", "answers beyond a READ"),
    "PSN-06": (ORDER, 3, "GAP", "1 missing"),
    "PSN-08": (ORDER, 4, "RETRY_TIMEOUT", "no answer came in time"),
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
    "LEN-06": (CONTENT, 17, "RETRY_TIMEOUT", "no answer came in time"),
    "LEN-10": ("wrong-lengths", None, "MALFORMED", "do not fit"),
    "LEN-13": (CONTENT, 18, "BAD_ICRC", "damaged"),
    "CRC-01": (CONTENT, 19, "BAD_ICRC", "damaged"),
    "CRC-04": (CONTENT, 19, "BAD_ICRC", "damaged"),
    "CC-01": (CONTENT, 20, "ECN", "met congestion"),
    "CC-02": ("congestion", None, "CNP", "congestion notification"),
    "CC-13": ("congestion", None, "CNP", "congestion notification"),
    "CNT-06": (ORDER, 12, "RNR", "not ready"),
    "MGT-04": (CONTENT, 21, "PKEY", "another partition"),
}
CM = "what connection managers say is not decoded"
HEADER = "a value that is the same in every packet: `-z agreed` has no row for it"
PFC = "pause frames are no RoCE"
NO_FINDING = "no finding says it"
OUTSIDE = "needs what is not on this wire: the application, counters, the ports' tables"
NOT_NAMED = {
    **dict.fromkeys(("PSN-07", "RNR-05", "RDA-01", "RDA-05", "RDA-06", "CM-01", "CM-03", "CM-04", "CM-07"), CM),
    **dict.fromkeys(("ADR-01", "ADR-02", "ADR-03", "ADR-04", "ADR-05", "ADR-06", "ADR-07", "ADR-08", "ADR-10"), HEADER),
    **dict.fromkeys(("ADR-12", "ADR-13", "ADR-14", "ADR-15", "APM-01", "CC-05", "MGT-02"), HEADER),
    **dict.fromkeys(("CC-07", "CC-08", "CC-09", "CC-10", "CC-12"), PFC),
    **dict.fromkeys(("PSN-04", "PSN-05", "PSN-10", "PSN-11", "RNR-12", "RDA-02", "MGT-01", "SEC-01", "UDM-06"), NO_FINDING),
    **dict.fromkeys(("RDA-04", "RDA-08", "KEY-01", "KEY-08", "CRC-06", "CRC-07", "CM-06", "ADR-11", "CNT-01"), OUTSIDE),
    **dict.fromkeys(("CNT-05", "CNT-09", "CNT-11", "CNT-12", "MGT-03", "MGT-05", "TOL-03"), OUTSIDE),
}
STALL = (CONTENT, 22, "PSN_OF_READ", "which takes 3")


def findings(capture, qp):
    """(finding, message) of each packet of that pair of QPs."""
    fields = ["infiniband.bth.destqp", "infiniband.analysis.finding", "infiniband.analysis.message"]
    wanted = [word for name in fields for word in ("-e", name)]
    path = bad.PCAPS / (capture + ".pcap")
    done = subprocess.run([IBDISSECT, "-n", "-r", path, "-T", "fields", "-E", "aggregator=;", *wanted], capture_output=True)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.decode().splitlines():
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

    def test_every_entry_is_accounted_for_once(self):
        self.assertFalse(set(NAMED) & set(NOT_NAMED))
        self.assertEqual(len(NAMED) + len(NOT_NAMED), ENTRIES)

    def test_the_read_that_stalls(self):
        self.named(*STALL)
        path = bad.PCAPS / (CONTENT + ".pcap")
        pair = "infiniband.bth.destqp == 0x1016 || infiniband.bth.destqp == 0x2016"
        done = subprocess.run([IBDISSECT, "-n", "-q", "-r", path, "-Y", pair, "-z", "rc,analysis"], capture_output=True)
        self.assertIn(b"First error: packet 22 PSN 0x170003 has a PSN that the READ before it takes", done.stdout)


ENTRIES = 85

if __name__ == "__main__":
    unittest.main()
