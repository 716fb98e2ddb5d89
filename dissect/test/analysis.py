#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The findings of ibdissect: as fields, in every form, as comments, and as an exit code. IBPROOF_BIN names its folder."""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree

import bad
from cli import Case, jsonl, lines, no_twins, run

REPLAYED = bad.PCAPS.parent / "tools/replay-rxe.d"
REORDER = bad.PCAPS / "rxe-reorder-rc.pcap"
LOSS = bad.PCAPS / "rxe-counted-loss-write.pcap"
DENIED = bad.PCAPS / "rxe-agent-bad-rkey-read.pcap"
# For each injected fault: frame, finding, and the frame that explains it.
FAULTS = {
    REPLAYED / "rxe-loss15-rc.pcap": [(29, "GAP", 28), (37, "NAK_SEQUENCE", None), (38, "RETRY_NAK", 37)],
    REPLAYED / "rxe-dup30-rc.pcap": [(3, "NETWORK_COPY", 2), (5, "NETWORK_COPY", 4)],
    REORDER: [(3, "NAK_SEQUENCE", None), (7, "RETRY_NAK", 3), (14, "LATE", None), (21, "RETRY_TIMEOUT", 18)],
    bad.PCAPS / "rxe-dup30-atomic.pcap": [(4, "NETWORK_COPY", 3), (7, "ANSWER_AGAIN", 3)],
    bad.PCAPS / "rxe-corrupt20-rc.pcap": [(4, "BAD_ICRC", None), (5, "RETRY_TIMEOUT", 1), (30, "BAD_ICRC", None)],
    bad.PCAPS / "rxe-agent-rnr-exhaust.pcap": [(2, "RNR", 1), (3, "RETRY_RNR", 2), (5, "RNR", 4)],
    DENIED: [(2, "NAK_ACCESS", 1)],
    bad.PCAPS / "rxe-agent-bad-rkey-write.pcap": [(4, "NAK_ACCESS", 1)],
    REPLAYED / "rxe-agent-recv-too-short.pcap": [(4, "NAK_OPERATION", 1)],
    bad.PCAPS / "rxe-agent-dest-qp-gone.pcap": [(2, "RETRY_TIMEOUT", 1), (3, "RETRY_TIMEOUT", 2)],
    bad.PCAPS / "rxe-agent-imm.pcap": [(10, "MSN_WRONG", 9)],
}
# Findings about earlier packets.
LATE = {"SILENCE", "SERVICE", "END_RETRIES", "END_NAK", "END_RNR", "GAP", "RESPONSE_GAP", "LATE", "REORDERED", "NAK_IGNORED"}
INFINIBAND = 247  # link type: packets begin with an LRH
CLEAN = ["rxe-rping", "rxe-rping-v6", "rxe-udaddy", "rxe-ucmatose", "rxe-agent-ops", "rxe-bw-atomic-cas", "rxe-ud-send-100",
         "opcodes-roce1", "opcodes-roce2-v4", "opcodes-roce2-v6"]


def listed(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def findings(rows):
    return [(row["frame.number"], kind) for row in rows for kind in listed(row.get("infiniband.analysis.finding"))]


def operation(opcode):
    code = opcode & 0x1f
    return {12: "READ", 19: "ATOMIC", 20: "ATOMIC", 28: "FLUSH", 29: "ATOMIC WRITE"}.get(code, "WRITE" if 6 <= code <= 11 and
                                                                                        opcode >> 5 != 3 else "SEND")


def put_together(rows):
    """The messages of a capture without faults, derived from its packets, in the order in which they began."""
    messages, building = [], {}
    for row in rows:
        opcode, psn, service = row["infiniband.bth.opcode"], row["infiniband.bth.psn"], row["infiniband.bth.service"]
        ends = (row.get("ip.src") or row.get("ipv6.src") or row.get("infiniband.grh.sgid"),
                row.get("ip.dst") or row.get("ipv6.dst") or row.get("infiniband.grh.dgid"))
        code = opcode & 0x1f
        if service != "UD" and 13 <= code <= 18:  # a response
            plain = code == 17
            for m in messages:
                mine = m["service"] == service and m["ends"] == ends[::-1] and not m["answer_frame"] and m["closed"]
                reach = (psn - m["psn"]) & 0xffffff
                if mine and m["operation"] in ("SEND", "WRITE") and (plain or reach) and reach < 0x10000:
                    m["answer_frame"] = row["frame.number"]
                if mine and m["operation"] not in ("SEND", "WRITE") and not plain and code in (15, 16, 18) and reach < m["n"]:
                    m["answer_frame"] = row["frame.number"]
            continue
        key = (service, ends, row["infiniband.bth.destqp"])
        last = code in (2, 3, 4, 5, 8, 9, 10, 11, 12, 19, 20, 22, 23, 28, 29)
        if key not in building:
            m = {"operation": operation(opcode), "first_frame": row["frame.number"], "bytes": 0, "answer_frame": None,
                 "service": service, "ends": ends}
            m["bytes"] = row.get("infiniband.reth.dmalen", 8 if m["operation"] == "ATOMIC" else 0)
            m["bytes"] = 8 if m["operation"] == "ATOMIC WRITE" else m["bytes"]
            m["n"] = 4096 if m["operation"] == "READ" else 1
            building[key] = m
            messages.append(m)
        m = building[key]
        m["bytes"] += row["infiniband.payload.length"] if m["operation"] == "SEND" else 0
        m["psn"], m["last_frame"], m["closed"] = psn, row["frame.number"], last
        if last:
            del building[key]
    return messages


def link_packet(slid, dlid, opcode, qp, psn, behind):
    """A native packet of a reliable connection, with CRCs of 0."""
    words = (8 + 12 + len(behind) + 4) // 4
    return struct.pack(">BBHHH", 0, 2, dlid, words, slid) + struct.pack(">BBHII", opcode, 0, 0xFFFF, qp, psn) + behind + bytes(6)


class Fields(Case):
    def test_each_fault_is_named_with_its_packets_and_clause(self):
        for path, wanted in FAULTS.items():
            rows = {row["frame.number"]: row for row in jsonl(self.good("-2", "-T", "jsonl", path))}
            for frame, kind, cause in wanted:
                with self.subTest("%s: %d %s" % (path.name, frame, kind)):
                    row = rows[frame]
                    at = listed(row.get("infiniband.analysis.finding")).index(kind)
                    self.assertTrue(listed(row["infiniband.analysis.clause"]))
                    said = listed(row["infiniband.analysis.message"])[at]
                    self.assertEqual("(frame %s" % cause in said, cause is not None, said)

    def test_icrc_is_good_where_zlib_says_so(self):
        seen = collections.Counter()
        for path in [*FAULTS, *(bad.PCAPS / (stem + ".pcap") for stem in CLEAN if stem.startswith("rxe-"))]:
            rows = jsonl(self.good("-T", "jsonl", "-e", "infiniband.icrc.status", path))
            for row, (_, frame, _) in zip(rows, bad.pcap_records(bad.unzipped(path))[2], strict=True):
                if "infiniband.icrc.status" in row:  # the others are no RoCE
                    self.assertEqual(row["infiniband.icrc.status"], "good" if bad.icrc_is_good(frame) else "bad", path.name)
                    seen[row["infiniband.icrc.status"]] += 1
        self.assertGreater(seen["good"], 300)
        self.assertGreater(seen["bad"], 1)

    def test_clean_captures_have_no_finding(self):
        for stem in CLEAN:
            with self.subTest(stem):
                r = self.good("-Y", "infiniband.analysis", bad.PCAPS / (stem + ".pcap"))
                self.assertEqual(lines(r), [])

    def test_every_form_says_the_same(self):
        for path in FAULTS:
            with self.subTest(path.name):
                want = findings(jsonl(self.good("-T", "jsonl", path)))
                name = "infiniband.analysis.finding"
                chosen = self.good("-T", "fields", "-e", "frame.number", "-e", name, path)
                rows = [line.split("\t") for line in lines(chosen)]
                self.assertEqual([(int(n), k) for n, kinds in rows for k in kinds.split(",") if k], want)
                whole = json.loads(self.good("-T", "json", path).stdout)
                layers = [packet["_source"]["layers"] for packet in whole]
                self.assertEqual([(int(x["frame"]["frame.number"]), k) for x in layers
                                  for k in listed(x.get("infiniband", {}).get(name))], want)
                pdml = xml.etree.ElementTree.fromstring(self.good("-T", "pdml", path).stdout)
                self.assertEqual([f.get("show") for f in pdml.iter("field") if f.get("name") == name], [k for _, k in want])
                tree = [line for line in lines(self.good("-V", path)) if re.match(r" {4}\S.*\]$", line)]
                self.assertEqual(len(tree), len(want))

    def test_filters(self):
        every = findings(jsonl(self.good("-T", "jsonl", REORDER)))
        for kind in {k for _, k in every}:
            r = self.good("-T", "fields", "-e", "frame.number", "-Y", "analysis.finding == \"%s\"" % kind, REORDER)
            self.assertEqual([int(n) for n in lines(r)], sorted({n for n, k in every if k == kind}))
        count = lambda expr: len(lines(self.good("-Y", expr, REORDER)))
        again = {n for n, k in every if k.startswith("RETRY")}
        self.assertEqual(count("infiniband.analysis.retransmission"), len(again))
        self.assertEqual(count("!infiniband.analysis"), 36 - len({n for n, _ in every}))
        self.assertEqual(count("analysis.severity == \"warn\" || analysis.severity == \"note\""), len({n for n, _ in every}))
        self.assertEqual(count("analysis.clause == \"RQ-26\" && analysis.time"), 0)

    def test_a_response_names_its_request(self):
        for stem in ("rxe-rping", "rxe-agent-ops", "rxe-bw-atomic-cas"):
            rows = jsonl(self.good("-T", "jsonl", bad.PCAPS / (stem + ".pcap")))
            at = {row["frame.number"]: row for row in rows}
            linked = [row for row in rows if "infiniband.analysis.request_in" in row]
            self.assertEqual(len(linked), sum(13 <= row["infiniband.bth.opcode"] <= 18 for row in rows), stem)
            for row in linked:
                asked = at[row["infiniband.analysis.request_in"]]
                self.assertEqual(asked["ip.src"], row["ip.dst"])
                self.assertLessEqual(asked["infiniband.bth.psn"], row["infiniband.bth.psn"])
                took = row["frame.time_epoch"] - asked["frame.time_epoch"]
                self.assertAlmostEqual(row["infiniband.analysis.time"], took, places=6)

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_naks_are_those_tshark_sees(self):
        for path in FAULTS:
            for code, expr in ((3, "infiniband.analysis.nak"), (1, "infiniband.analysis.finding == \"RNR\"")):
                seen = subprocess.run(["tshark", "-n", "-r", path, "-Y", "infiniband.aeth.syndrome.opcode == %d" % code, "-T",
                                       "fields", "-e", "frame.number"], stdout=subprocess.PIPE, check=True).stdout.split()
                ours = self.good("-T", "fields", "-e", "frame.number", "-Y", expr, path).stdout.split()
                self.assertEqual(ours, seen, (path.name, code))

    def test_a_clause_each(self):
        r = self.good("-T", "jsonl", "-e", "infiniband.analysis.clause", "-Y", "frame.number == 4", REORDER)
        self.assertEqual(jsonl(r), [{"infiniband.analysis.clause": ["RQ-01", "UU-03"]}])
        r = self.good("-T", "jsonl", "-e", "infiniband.analysis.section", "-Y", "frame.number == 4", REORDER)
        self.assertEqual(jsonl(r), [{"infiniband.analysis.section": ["9.7.2", "9.8.2.2"]}])
        self.assertIn("[RQ-01, UU-03, 9.7.2, 9.8.2.2]", self.good("-V", "-Y", "frame.number == 4", REORDER).stdout.decode())

    def test_not_judged_when_told(self):
        r = self.good("-o", "analysis:off", "-T", "jsonl", REORDER)
        self.assertNotIn(b"analysis", r.stdout)
        r = self.good("-o", "analysis:off", "-Y", "analysis.nak", REORDER)
        self.assertEqual(len(lines(r)), 2)

    def test_mtu(self):
        path = bad.PCAPS / "rxe-uc-send-mtu256.pcap.gz"
        self.assertEqual(lines(self.good("--mtu", "256", "-Y", "analysis.length", path)), [])
        self.assertGreater(len(lines(self.good("--mtu", "512", "-Y", "analysis.length", path))), 0)
        for wrong in ("0", "255", "300", "8192", "x", ""):
            self.fails(1, "--mtu", wrong, path, says="--mtu")


class Statistics(Case):
    """Each statistic is compared with the packets that it counts, and with its expected output."""

    GOLDEN = pathlib.Path(__file__).parent / "golden"
    GOLDENS = {"rc": ["rc,analysis"], "expert": ["expert"], "expert-error": ["expert,error"], "qp": ["qp"],
               "messages": ["messages", "srt"], "agreed": ["agreed"]}

    def stat(self, name, *paths):
        return json.loads(self.good("-q", "-T", "json", "-z", name, *paths).stdout, object_pairs_hook=no_twins)

    def test_as_known(self):
        for stem, stats in self.GOLDENS.items():
            for path in (REORDER, bad.PCAPS / "rxe-rping.pcap"):
                for form in ("text", "json"):
                    golden = self.GOLDEN / ("%s-%s.%s" % (stem, path.stem, form))
                    options = [word for name in stats for word in ("-z", name)]
                    r = run("-q", "-T", form, *options, path.name, cwd=path.parent)
                    if os.environ.get("IBPROOF_BLESS"):
                        golden.write_bytes(r.stdout)
                    with self.subTest(golden.name):
                        self.assertEqual((r.returncode, r.stderr), (0, b""))
                        self.assertEqual(r.stdout.decode(), golden.read_text())

    def test_rc_adds_up_what_the_packets_say(self):
        for path in FAULTS:
            with self.subTest(path.name):
                rows = jsonl(self.good("-T", "jsonl", path))
                rc = self.stat("rc,analysis", path)
                every = collections.Counter(kind for _, kind in findings(rows))
                found = collections.Counter(rc["total"]["found"])
                late = found - every
                self.assertLessEqual(set(late), LATE)
                self.assertEqual(found - late + (every - found), every)
                self.assertEqual(sum((every - found).values()), rc["elsewhere_findings"])
                told_late = collections.Counter()
                for d in rc["directions"]:
                    mine = [row for row in rows if (row.get("ip.src"), row.get("ip.dst"), row.get("infiniband.bth.destqp")) ==
                            (d["src"], d["dst"], d["dest_qp"]) and row.get("infiniband.bth.service") == d["service"]]
                    self.assertEqual(d["packets"], len(mine))
                    of_mine = collections.Counter(kind for _, kind in findings(mine))
                    self.assertEqual(of_mine - collections.Counter(d["found"]), collections.Counter())
                    told_late += collections.Counter(d["found"]) - of_mine
                self.assertEqual(told_late, late)
                self.assertEqual(rc["total"]["packets"], sum(d["packets"] for d in rc["directions"]))

    def test_expert_counts_and_names_the_first(self):
        for path in FAULTS:
            every = findings(jsonl(self.good("-T", "jsonl", path)))
            for least, kinds in (("note", ("note", "warn", "error")), ("warn", ("warn", "error")), ("error", ("error",))):
                told = self.stat("expert,%s" % least, path)
                self.assertLessEqual({f["severity"] for f in told["findings"]}, set(kinds))
                for f in told["findings"]:
                    frames = [n for n, kind in every if kind == f["finding"]]
                    if f["finding"] not in LATE:
                        self.assertEqual(f["count"], len(frames))
                        self.assertEqual([x["frame"] for x in f["first"]], frames[:5])
            self.assertEqual(told["least"], "error")
        self.assertEqual(self.stat("expert", *[bad.PCAPS / (stem + ".pcap") for stem in CLEAN[:7]])["findings"], [])

    def test_silence_is_told_at_the_end(self):
        told = self.stat("expert", bad.PCAPS / "rxe-agent-dest-qp-gone.pcap")["findings"]
        self.assertEqual([(f["finding"], f["first"][0]["frame"]) for f in told if f["finding"] == "SILENCE"], [("SILENCE", 1)])

    def test_qp_pairs_directions(self):
        for stem in CLEAN[:7]:
            path = bad.PCAPS / (stem + ".pcap")
            qps = self.stat("qp", path)
            self.assertEqual(sum(d["packets"] for d in qps["directions"]) + qps["no_connection"], qps["packets"])
            at = {d["direction"]: d for d in qps["directions"]}
            for d in at.values():
                if d["peer"] is not None:
                    other = at[d["peer"]]
                    self.assertEqual((other["peer"], other["src"], other["dst"]), (d["direction"], d["dst"], d["src"]))
                    self.assertEqual((other["dest_qp"], other["source_qp"]), (d["source_qp"], d["dest_qp"]))

    def test_sent_again_of_messages_and_of_packets(self):
        """A late first transmission is not a retransmission: the packets of messages add up to the findings of their
        direction."""
        told = self.stat("messages", REORDER)["messages"]
        again = [x for x in findings(jsonl(self.good("-T", "jsonl", REORDER))) if x[1].startswith("RETRY_")]
        self.assertEqual([m["sent_again"] for m in told], [11, 0, 0])
        self.assertEqual(len(again), 11)

    def test_messages_of_clean_captures(self):
        """Messages are compared with those that this test derives from the packets. IBPROOF_CLEAN=DIR takes the
        captures in DIR."""
        folder = os.environ.get("IBPROOF_CLEAN")
        paths = sorted(pathlib.Path(folder).iterdir()) if folder else [bad.PCAPS / (stem + ".pcap") for stem in CLEAN]
        total = 0
        for path in paths:
            with self.subTest(path.name):
                rows = [row for row in jsonl(self.good("-T", "jsonl", path)) if "infiniband.bth.psn" in row]
                want = put_together(rows)
                told = self.stat("messages", path)["messages"]
                keys = ("operation", "first_frame", "last_frame", "answer_frame", "bytes")
                self.assertEqual([tuple(m[k] for k in keys) for m in told], [tuple(m[k] for k in keys) for m in want])
                at = {row["frame.number"]: row["frame.time_epoch"] for row in rows}
                for m in told:
                    self.assertEqual((m["sent_again"], m["whole"]), (0, True))
                    if m["answer_frame"]:
                        self.assertAlmostEqual(m["latency"], at[m["answer_frame"]] - at[m["first_frame"]], places=6)
                total += len(told)
                self.compare_times(path, told)
        self.assertGreater(total, 30)

    def compare_times(self, path, messages):
        """Compares percentiles with those of the sorted list of times; a percentile may be 1/64 too long."""
        times = collections.defaultdict(list)
        for m in messages:
            if m["end"] == "answered":
                size = next(i for i, most in enumerate((64, 512, 4096, 65536, 1048576, 2**64)) if m["bytes"] <= most)
                times[m["operation"], size].append(m["latency"])
        told = self.stat("srt", path)["times"]
        self.assertEqual(sorted(t["answered"] for t in told if t["answered"]), sorted(len(v) for v in times.values()))
        for t in told:
            size = ("0-64", "65-512", "513-4K", "4K-64K", "64K-1M", "1M-").index(t["bytes"])
            exact = sorted(times[t["operation"], size])
            for name, part in (("p50", 50), ("p90", 90), ("p99", 99)):
                at = exact[max(0, -(-len(exact) * part // 100) - 1)] if exact else 0
                self.assertGreaterEqual(t[name], at)
                self.assertLessEqual(t[name], at * (1 + 1 / 64) + 1e-9)
            if exact:
                self.assertEqual((t["shortest"], t["longest"]), (exact[0], exact[-1]))

    def test_percentiles_of_many(self):
        """300 SENDs have answers after random times: each percentile is one of these times."""
        draw, records, now = random.Random(19), [], 1_700_000_000_000_000
        for psn in range(300):
            records.append((now, link_packet(1, 2, 4, 0x11, psn, bytes(8))))
            now += draw.randrange(20, 3000)
            records.append((now, link_packet(2, 1, 17, 0x22, psn, struct.pack(">I", psn + 1))))
            now += 5
        data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, INFINIBAND)
        for at, packet in records:
            data += struct.pack("<IIII", at // 1000000, at % 1000000, len(packet), len(packet)) + packet
        path = self.file(data)
        told = self.stat("messages", "-o", "icrc:off", path)["messages"]
        self.assertEqual(len(told), 300)
        exact = sorted(m["latency"] for m in told)
        (row,) = self.stat("srt", "-o", "icrc:off", path)["times"]
        self.assertEqual((row["answered"], row["shortest"], row["longest"]), (300, exact[0], exact[-1]))
        for name, nth in (("p50", 150), ("p90", 270), ("p99", 297)):
            self.assertGreaterEqual(row[name], exact[nth - 1])
            self.assertLess(row[name], exact[nth - 1] * (1 + 1 / 64) + 1e-9)
        messages = [r1 - r0 for (r0, _), (r1, _) in zip(records[::2], records[1::2])]
        self.assertEqual([round(1e6 * m["latency"]) for m in told], messages)

    def test_messages_that_went_wrong(self):
        def ends(path):
            return [(m["operation"], m["end"], m["answer_frame"], m["sent_again"]) for m in self.stat("messages", path)["messages"]]
        self.assertEqual(ends(DENIED), [("READ", "refused", 2, 0)])
        self.assertEqual(ends(bad.PCAPS / "rxe-agent-dest-qp-gone.pcap"), [("SEND", "open", None, 2)])
        self.assertEqual(ends(bad.PCAPS / "rxe-agent-rnr-exhaust.pcap"), [("SEND", "open", None, 2)])
        self.assertEqual(ends(REPLAYED / "rxe-agent-recv-too-short.pcap"), [("SEND", "refused", 4, 0)])

    def test_observed(self):
        agreed = self.stat("agreed", bad.PCAPS / "rxe-agent-ops.pcap")["directions"]
        self.assertEqual([d["pmtu"] for d in agreed], 2 * [{"agreed": None, "observed": 256}])
        self.assertEqual(agreed[0]["initiator_depth"], {"agreed": None, "observed": 1})
        rnr = self.stat("agreed", bad.PCAPS / "rxe-agent-rnr-exhaust.pcap")["directions"]
        self.assertEqual(rnr[1]["rnr_timer"]["observed"], 0.00128)
        gone = self.stat("agreed", bad.PCAPS / "rxe-agent-dest-qp-gone.pcap")["directions"][0]
        self.assertEqual((gone["retry_count"]["observed"], gone["ack_timeout"]["observed"]), (2, 0.019882))

    def test_wrong_arguments(self):
        self.fails(1, "-z", "expert,bad", REORDER, says="note warn error")
        self.fails(1, "-z", "rc,analysis,x", REORDER, says="takes no argument")


class Several(Case):
    """Several captures are merged by time and judged as one."""

    def both_ends(self, path):
        """Writes a second file with the same packets at a second capture point, 40 us later."""
        data = bytearray(path.read_bytes())
        at = 24
        while at < len(data):
            sec, usec, caplen, _ = struct.unpack_from("<4I", data, at)
            usec += 40
            struct.pack_into("<2I", data, at, sec + usec // 1000000, usec % 1000000)
            at += 16 + caplen
        return self.file(bytes(data), "far.pcap")

    def halves(self, path):
        """Writes one file for each direction."""
        data = path.read_bytes()
        halves = {}
        at = 24
        while at < len(data):
            caplen = struct.unpack_from("<I", data, at + 8)[0]
            record = data[at:at + 16 + caplen]
            halves.setdefault(record[16 + 26:16 + 30], bytearray(data[:24])).extend(record)
            at += 16 + caplen
        return [self.file(bytes(half), "half-%d.pcap" % i) for i, half in enumerate(halves.values())]

    def counts(self, *paths):
        told = json.loads(self.good("-q", "-T", "json", "-z", "expert", *paths).stdout)
        return {f["finding"]: f["count"] for f in told["findings"]}

    def test_a_packet_seen_at_both_ends_is_judged_once(self):
        for path in FAULTS:
            with self.subTest(path.name):
                far = self.both_ends(path)
                self.assertEqual(self.counts(path, far), self.counts(path))
                rows = jsonl(self.good("-T", "jsonl", "-e", "frame.number", "-e", "infiniband.analysis.same_as", "-e",
                                       "infiniband.bth.psn", "-e", "frame.file", path, far))
                rows = [row for row in rows if "infiniband.bth.psn" in row]
                at = {row["frame.number"]: row for row in rows}
                self.assertEqual(2 * sum("infiniband.analysis.same_as" in row for row in rows), len(rows))
                for row in rows:
                    twin = row.get("infiniband.analysis.same_as")
                    if twin:
                        self.assertEqual(at[twin]["infiniband.bth.psn"], row["infiniband.bth.psn"])
                        self.assertNotEqual(at[twin]["frame.file"], row["frame.file"])

    def test_directions_captured_apart(self):
        for path in (REORDER, REPLAYED / "rxe-loss15-rc.pcap", DENIED, bad.PCAPS / "rxe-agent-rnr-exhaust.pcap"):
            with self.subTest(path.name):
                self.assertEqual(self.counts(*self.halves(path)), self.counts(path))

    def test_findings_name_the_file(self):
        one, other = self.halves(DENIED)
        row = jsonl(self.good("-T", "jsonl", "-Y", "analysis.nak", one, other))[0]
        self.assertEqual((row["frame.number"], row["frame.file"]), (2, str(other)))
        self.assertIn("(%s frame 1)" % one, row["infiniband.analysis.message"])
        told = json.loads(self.good("-q", "-T", "json", "-z", "expert", one, other).stdout)["findings"]
        self.assertEqual(told[0]["first"], [{"frame": 2, "file": str(other), "file_number": 1}])
        self.assertIn("(1 of %s)" % other, self.good("-q", "-z", "expert", one, other).stdout.decode())


class Held(Case):
    """-2 buffers packets until later packets complete their information."""

    ANSWER = "infiniband.analysis.response_in"

    def test_a_request_names_its_answer(self):
        for stem in CLEAN:
            path = bad.PCAPS / (stem + ".pcap")
            rows = {row["frame.number"]: row for row in jsonl(self.good("-2", "-T", "jsonl", path))}
            for n, row in rows.items():
                asked = row.get("infiniband.analysis.request_in")
                if asked:
                    self.assertLessEqual(rows[asked][self.ANSWER], n, stem)
                answer = rows.get(row.get(self.ANSWER))
                if answer:
                    self.assertGreater(answer["frame.number"], n)
                    self.assertEqual(answer["ip.src"] if "ip.src" in row else 0, row.get("ip.dst", 0))
            reliable = [r for r in rows.values() if r.get("infiniband.bth.service") == "RC" and not 13 <= r["infiniband.bth.opcode"] <= 18]
            self.assertTrue(all(self.ANSWER in r for r in reliable if "infiniband.icrc.status" in r), stem)

    def test_the_field_implies_it(self):
        path = bad.PCAPS / "rxe-agent-ops.pcap"
        want = [str(row.get(self.ANSWER, "")) for row in jsonl(self.good("-2", "-T", "jsonl", path))]
        self.assertEqual(lines(self.good("-T", "fields", "-e", self.ANSWER, path)), want)
        self.assertEqual(len(lines(self.good("-Y", self.ANSWER, path))), len([w for w in want if w]))
        self.assertNotIn(b"response_in", self.good("-T", "jsonl", path).stdout)

    def test_silence_stands_on_its_packet(self):
        path = bad.PCAPS / "rxe-agent-dest-qp-gone.pcap"
        self.assertEqual(findings(jsonl(self.good("-2", "-T", "jsonl", path)))[0], (1, "SILENCE"))
        for options in (["-2"], []):
            told = json.loads(self.good("-q", "-T", "json", "-z", "expert", *options, path).stdout)["findings"]
            self.assertEqual([(f["finding"], f["count"]) for f in told], [("RETRY_TIMEOUT", 2), ("SILENCE", 1)])

    def test_nothing_else_changes(self):
        for path in bad.captures():
            held, plain = (jsonl(self.good("-T", "jsonl", *o, path)) for o in (["-2"], []))
            for row, other in zip(held, plain, strict=True):
                row.pop(self.ANSWER, None)
                row.pop("infiniband.mad.response_in", None)
                if not LATE & set(listed(row.get("infiniband.analysis.finding"))):
                    self.assertTrue(row == other, "%s %d" % (path.name, row["frame.number"]))

    def test_a_packet_of_two_captures_is_shown_once(self):
        for path in (REORDER, bad.PCAPS / "rxe-agent-ops.pcap"):
            far = self.file(path.read_bytes(), "far.pcap")
            rows = jsonl(self.good("-2", "-T", "jsonl", path, far))
            self.assertEqual(len(rows), len(jsonl(self.good("-T", "jsonl", path))))
            self.assertTrue(all(row["infiniband.analysis.same_as"] > row["frame.number"] for row in rows))

    def test_count_and_cut(self):
        self.assertEqual(lines(self.good("-2", "-c", "5", REORDER)), lines(self.good(REORDER))[:5])
        self.fails(2, "-2", self.file(REORDER.read_bytes()[:-1]), printed=len(lines(self.good(REORDER))) - 1)

    def test_more_packets_than_can_be_held(self):
        head, records = REORDER.read_bytes()[:24], [r[1] for r in bad.pcap_records(REORDER.read_bytes())[2]]
        for extra in (0, 1400):  # 8192 packets are less than 8 MiB, or more
            packets = (r + bytes(extra) for _ in range(300) for r in records)
            path = self.file(head + b"".join(struct.pack("<4I", 1700000000, i, len(p), len(p)) + p
                                             for i, p in enumerate(packets)))
            fields = [word for name in ("frame.number", "frame.len", "analysis.gap") for word in ("-e", name)]
            want, got = (lines(self.good("-T", "fields", *fields, *o, path)) for o in ([], ["-2"]))
            self.assertEqual(len(got), 10800)
            self.assertTrue(got == want)


class Report(Case):
    def page(self, *args):
        out = self.folder / "out.html"
        self.good("-q", "--report", out, *args)
        text = out.read_text()
        self.assertTrue(text.startswith("<!DOCTYPE html>\n"))
        self.assertNotRegex(text, r"(src|href)=")
        return xml.etree.ElementTree.fromstring(text.split("\n", 1)[1])

    def rows(self, page):
        """Checks the rows of the page's table of findings."""
        return [r for r in self.cells(page) if len(r) == 6]

    def cells(self, within):
        return [["".join(cell.itertext()) for cell in row.iter("td")] for row in within.iter("tr") if row.find("td") is not None]

    def figures(self, page, of):
        return [f for f in page.iter("figure") if f.get("class") == of]

    def test_findings_are_those_of_the_packets(self):
        for path in FAULTS:
            rows = jsonl(self.good("-2", "-T", "jsonl", path))
            want = [(str(row["frame.number"]), kind, message) for row in rows
                    for kind, message in zip(listed(row.get("infiniband.analysis.finding")),
                                             listed(row.get("infiniband.analysis.message")))]
            page = self.page(path)
            self.assertEqual(sorted((r[0], r[2], r[4]) for r in self.rows(page)), sorted(want))
            severity = collections.Counter()
            for f in json.loads(self.good("-q", "-T", "json", "-z", "expert", path).stdout)["findings"]:
                severity[f["severity"]] += f["count"]
            words = ["%d %s%s" % (severity[k], name, "" if severity[k] == 1 else "s")
                     for k, name in (("error", "error"), ("warn", "warning"), ("note", "note"))]
            self.assertEqual(page.find(".//title").text, "ibdissect: " + ", ".join(words))

    def test_clean_capture(self):
        page = self.page(bad.PCAPS / "rxe-agent-ops.pcap")
        self.assertIn("Nothing that the rules forbid", "".join(page.find("body").itertext()))
        self.assertEqual(self.rows(page), [])
        self.assertEqual(len(self.figures(page, "psns")), 1)
        times = self.figures(page, "times")
        self.assertEqual([f.find("figcaption").text.split(":")[0] for f in times], ["WRITE", "READ", "ATOMIC"])
        for f in times:
            self.assertEqual("%d answered" % sum(json.loads(f.find("script").text)["n"]), f.find("figcaption").text.split(": ")[1])

    def test_for_whom(self):
        page = self.page(LOSS)
        self.assertEqual(["".join(li.itertext()) for ul in page.iter("ul") if ul.get("class") == "pairs" for li in ul],
                         ["10.0.0.1 QP 0x000019 to 10.0.0.2 QP 0x000019: 19 of 45 request packets sent again, 42.2 % of the bytes "
                          "(19 RETRY_NAK); 5 GAP, 4 NAK_SEQUENCE; it begins with packet 2."])

    def test_ladders(self):
        """For the first finding of each kind, the page draws the packets around it."""
        page = self.page(LOSS)
        ladders = self.figures(page, "ladder")
        self.assertEqual([f.find("figcaption").text.split(":")[0] for f in ladders], ["GAP", "NAK_SEQUENCE", "RETRY_NAK"])
        hit = [row for f in ladders for row in f.iter("tr") if row.get("class") == "hit"]
        self.assertEqual([row[0].text for row in hit], ["2", "8", "14"])
        self.assertEqual(["".join(row[2].itertext()) for row in hit],
                         ["RC RDMA WRITE Middle PSN 0x111113, 256 bytes \u2192", "\u2190 RC Acknowledge PSN 0x111112 NAK PSN Sequence Error",
                          "RC RDMA WRITE Middle PSN 0x111117, 256 bytes \u2192"])
        self.assertEqual([r[0] for r in self.cells(ladders[1])], [str(n) for n in range(3, 14)])

    def test_charts_have_the_packets(self):
        rows = jsonl(self.good("-2", "-T", "jsonl", LOSS))
        figure, = self.figures(self.page(LOSS), "psns")
        data = json.loads(figure.find("script").text)
        drawn = sorted((at, (psn + data["base"]) % (1 << 24)) for name in ("sent", "answer", "again", "nak", "other")
                       for at, psn in zip(data[name][::2], data[name][1::2]))
        self.assertEqual([psn for _, psn in drawn], [int(r["infiniband.bth.psn"]) for r in rows])
        for (at, _), row in zip(drawn, rows):
            self.assertAlmostEqual(at / 1e9, row["frame.time_relative"], places=9)
        self.assertEqual(len(data["again"]) // 2, 19)

    def test_nothing_goes_unescaped(self):
        name = self.file(REORDER.read_bytes(), "a<b>&\"c\".pcap")
        self.assertIn(str(name), "".join(self.page(name).itertext()))

    def test_any_capture_makes_a_page(self):
        for path in bad.captures():
            self.page(path)
        self.page(*sorted(FAULTS))

    def test_limits(self):
        head, records = REORDER.read_bytes()[:24], [r[1] for r in bad.pcap_records(REORDER.read_bytes())[2]]
        path = self.file(head + b"".join(struct.pack("<4I", 1700000000 + i // 1000, i % 1000, len(r), len(r)) + r
                                         for i, r in enumerate(records * 300)))
        page = self.page(path)
        self.assertEqual(len(self.rows(page)), 1000)
        self.assertIn("more are counted above", "".join(page.itertext()))
        self.assertLess((self.folder / "out.html").stat().st_size, 1 << 20)

    def test_where_it_cannot_be_written(self):
        self.fails(2, "-q", "--report", self.folder / "none" / "out.html", REORDER, says="out.html: ")
        copy = self.file(REORDER.read_bytes())
        self.fails(2, "-q", "--report", copy, copy, says="is the input")
        self.assertEqual(copy.read_bytes(), REORDER.read_bytes())
        self.fails(2, "-q", "--report", "/dev/full", REORDER, says="/dev/full: ")


class Hostile(Case):
    """With any content of a capture, every form and statistic ends without a crash. IBPROOF_SEEDS: number of captures,
    40."""

    EVERYTHING = [word for name in ("rc,analysis", "expert", "qp", "messages", "srt", "agreed") for word in ("-z", name)]

    def mutant(self, chance, path):
        data = path.read_bytes()
        records = [bytearray(data[at:at + 16 + len(bytes_)]) for at, bytes_, _ in bad.pcap_records(data)[2]]
        for _ in range(chance.randint(1, 12)):
            record = chance.choice(records)
            way = chance.randrange(8)
            if way < 5:
                record[chance.randrange(16, min(len(record), 120))] = chance.randrange(256)
            elif way == 5:
                records.insert(chance.randrange(len(records)), bytearray(record))
            elif way == 6 and len(records) > 1:
                records.remove(record)
            else:
                records.append(records.pop(chance.randrange(len(records))))
        return self.file(data[:24] + b"".join(records))

    def test_mutants_do_no_harm(self):
        paths = [p for p in bad.captures() if p.suffix == ".pcap"] + sorted(REPLAYED.glob("*.pcap"))
        for seed in range(int(os.environ.get("IBPROOF_SEEDS", "40"))):
            chance = random.Random(seed)
            path = chance.choice(paths)
            files = [self.mutant(chance, path)] + chance.choice([[], [path]])
            options = sum((chance.choice(o) for o in ([[], ["-V"], ["-T", "jsonl"], ["-T", "json"], ["-T", "pdml"]],
                                                      [[], ["-2"]], [[], ["-o", "icrc:off"]], [[], ["--mtu", "256"]])), [])
            written = ["--report", self.folder / "out.html", "-P", "-w", self.folder / "out.pcapng"]
            r = run(*options, *self.EVERYTHING, *written, *files)
            self.assertEqual((r.returncode, r.stderr), (0, b""), "seed %d of %s" % (seed, path.name))
            xml.etree.ElementTree.fromstring((self.folder / "out.html").read_text().split("\n", 1)[1])


class FailOn(Case):
    NOTES = bad.PCAPS / "congestion.pcap"

    def code(self, *args):
        return run("-q", *args).returncode

    def test_severity_or_worse(self):
        for path, worst in ((bad.PCAPS / "rxe-rping.pcap", 0), (self.NOTES, 1), (REORDER, 2), (DENIED, 3)):
            for at, severity in enumerate(("note", "warn", "error"), 1):
                with self.subTest("%s %s" % (path.name, severity)):
                    self.assertEqual(self.code("--fail-on=" + severity, path), 3 if worst >= at else 0)

    def test_what_only_the_end_reveals_counts(self):
        path = bad.PCAPS / "rxe-agent-dest-qp-gone.pcap"
        self.assertEqual(self.code("--fail-on", "warn", "-Y", "frame.number == 1", path), 3)

    def test_only_packets_that_match(self):
        self.assertEqual(self.code("--fail-on=warn", "-Y", "frame.number < 3", REORDER), 0)
        self.assertEqual(self.code("--fail-on=warn", "-Y", "frame.number < 4", REORDER), 3)

    def test_nothing_else_changes(self):
        self.assertEqual(run("--fail-on=note", REORDER).stdout, self.good(REORDER).stdout)

    def test_a_broken_file_comes_first(self):
        self.fails(2, "--fail-on=note", self.file(REORDER.read_bytes()[:-1]))

    def test_wrong_severity(self):
        self.fails(1, "--fail-on=fatal", REORDER, says="note, warn or error")


class Comments(Case):
    def test_wireshark_shows_what_was_found(self):
        out = self.folder / "out.pcapng"
        for path in FAULTS:
            self.good("-w", out, path)
            rows = jsonl(self.good("-T", "jsonl", path))
            back = jsonl(self.good("-T", "jsonl", "-e", "frame.number", "-e", "frame.comment", out))
            for row, read in zip(rows, back, strict=True):
                said = listed(row.get("infiniband.analysis.message"))
                comment = read.get("frame.comment", "")
                self.assertEqual(len(comment.splitlines()), len(said))
                for line, message in zip(comment.splitlines(), said):
                    self.assertRegex(line, r"\A(note|warn|error): [a-z_]+: ")
                    self.assertIn(": " + message + " [", line)

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_tshark_reads_the_comments(self):
        out = self.folder / "out.pcapng"
        self.good("-w", out, REORDER)
        seen = subprocess.run(["tshark", "-n", "-r", out, "-Y", "frame.comment", "-T", "fields", "-e", "frame.number"],
                              stdout=subprocess.PIPE, check=True).stdout.split()
        ours = self.good("-Y", "infiniband.analysis", "-T", "fields", "-e", "frame.number", REORDER).stdout.split()
        self.assertEqual(seen, ours)

    def test_without_judgement_no_comments(self):
        out = self.folder / "out.pcapng"
        self.good("-w", out, "-o", "analysis:off", REORDER)
        self.assertEqual(lines(self.good("-Y", "frame.comment", out)), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
