#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Management datagrams from the users' point of view: names, tables of records, statistics. IBPROOF_BIN names ibdissect's
folder."""
import json
import struct
import subprocess
import unittest

import bad
from cli import PROGRAM, Case, jsonl, lines, no_twins

SUBNET, GENERAL, OPENSM = (bad.PCAPS / name for name in ("mads-subnet.pcap", "mads-general.pcap", "opensm-ibsim.pcap"))
PRIVATE = bad.PCAPS / "mads-private.pcap"
UCMATOSE, UDADDY, RPING = (bad.PCAPS / name for name in ("rxe-ucmatose.pcap", "rxe-udaddy.pcap", "rxe-counted-rping.pcap"))
ERF_HEAD, LRH, BTH, DETH, MAD = 16, 8, 12, 8, 256


def fields(case, path, *names, where=()):
    words = [word for name in names for word in ("-e", "infiniband." + name)]
    return [line.split("\t") for line in lines(case.good("-T", "fields", *words, *where, path))]


class Decode(Case):
    def test_every_datagram_of_opensm_has_a_known_attribute(self):
        text = self.good("-V", OPENSM).stdout.decode()
        self.assertEqual(text.count("    Attribute: "), 248)
        self.assertNotIn("Attribute: unknown", text)

    def test_a_damaged_datagram_is_none(self):
        """zlib computes the same ICRC, and the verdict on the damaged datagram is the same."""
        data = UCMATOSE.read_bytes()
        sent = next(i for i, row in enumerate(jsonl(self.good("-T", "jsonl", UCMATOSE))) if row.get("infiniband.mad.attributeid") == 16)
        at, frame, _ = bad.pcap_records(data)[2][sent]
        self.assertTrue(bad.icrc_is_good(frame))
        ends = {}
        for name, changed in (("whole", data), ("damaged", data[:at + 116] + bytes([data[at + 116] ^ 1]) + data[at + 117:])):
            path = self.file(changed, name)
            rows = jsonl(self.good("-T", "jsonl", path))
            ends[name] = rows[sent]["infiniband.icrc.status"]
            self.assertEqual(ends[name] == "good", bad.icrc_is_good(bad.pcap_records(changed)[2][sent][1]))
        self.assertEqual(ends, {"whole": "good", "damaged": "bad"})

    def test_every_record_of_a_table(self):
        rows = fields(self, SUBNET, "pathrecord.dlid", "pathrecord.serviceid", where=("-Y", "mad.attributeid == 0x35 && mad.method == 0x92"))
        counts = [len(row[0].split(",")) if row[0] else 0 for row in rows]
        self.assertEqual(counts[0], 3)  # 200 bytes hold three of 64
        self.assertEqual(counts[1:], [0] * (len(counts) - 1))  # no record, a later segment, ACK, STOP, ABORT
        row = jsonl(self.good("-T", "jsonl", "-Y", "mad.attributeid == 0x35 && mad.method == 0x92", "-c", "1", SUBNET))[0]
        self.assertEqual(len(row["infiniband.pathrecord.dlid"]), 3)

    def test_components_have_names(self):
        text = self.good("-V", "-Y", "mad.method == 0x12 && mad.attributeid == 0x35", OPENSM).stdout.decode()
        said = [line for line in text.splitlines() if line.startswith("    Components: ")]
        self.assertEqual(said, 2 * ["    Components: DLID, SLID"])  # 0x30

    def test_paths_have_as_many_hops_as_they_say(self):
        for hops, path in fields(self, OPENSM, "smpdirected.hopcount", "smpdirected.initialpath.port"):
            if hops:
                self.assertEqual(int(hops, 0), len(path.split(",")) if path else 0)

    def test_cut_and_short_ones_are_read_as_far_as_they_go(self):
        rows = fields(self, GENERAL, "portinfo.lid", "portinfo.portstate", "portcounters.portrcvdata", "portcounters.portrcvpkts",
                      where=("-Y", "frame.number >= 70"))
        there = [[bool(value) for value in row] for row in rows]
        self.assertEqual(there, [[False, False, True, True],  # 172 bytes of the datagram
                                 [True, False, False, False],  # 92
                                 [False, False, False, False],  # 72 of a REQ
                                 [False, False, True, False]])  # a payload of 100

    def test_fields_for_filters(self):
        for expression, count in (("mad.method == 0x81 && nodeinfo.nodetype == 2", 4), ("portinfo.portstate == 4", None),
                                  ("cm.rej.reason == 28", 0)):
            found = len(lines(self.good("-Y", expression, OPENSM)))
            if count is not None:
                self.assertEqual(found, count, expression)
        self.assertEqual(len(lines(self.good("-Y", "cm.rej.reason == \"consumer reject\"", GENERAL))), 1)
        self.fails(2, "-Y", "portinfo.portstat == 1", OPENSM, says="portinfo.portstate")

    def test_no_key_is_twice(self):
        for path in (SUBNET, GENERAL, OPENSM):
            for line in lines(self.good("-T", "jsonl", path)):
                json.loads(line, object_pairs_hook=no_twins)


def datagram(segment, last, records, transaction=9, kind=1):
    """A segment of a response of PathRecords, native, with CRCs of 0."""
    flags = 1 | 2 * (segment == 1) | 4 * (segment == last)
    rest = len(records) - 200 * (last - 1)
    payload = 20 + rest if segment == last else 0
    part = records[200 * (segment - 1) : 200 * segment]
    mad = struct.pack(">4BHHQHHI", 1, 3, 2, 0x92, 0, 0, transaction, 0x35, 0, 0)
    mad += struct.pack(">4BII", 1, kind, flags, 0, segment, payload) + struct.pack(">QHHQ", 0, 8, 0, 0)
    mad += part + bytes(200 - len(part))
    lrh = struct.pack(">BBHHH", 0, 2, 1, 72, 2)
    bth = struct.pack(">BBHII", 0x64, 0, 0xFFFF, 1, 0)
    return lrh + bth + struct.pack(">II", 0x80010000, 1) + mad + bytes(6)


class Tables(Case):
    """Tables of 100 records in 32 segments."""

    RECORDS = b"".join(struct.pack(">Q16s16sHH", 0, b"", b"", i, i + 1) + bytes(20) for i in range(100))
    LAST = 32
    INFINIBAND = 247

    def dlids(self, packets):
        path = self.file(bad.pcap(packets, link=self.INFINIBAND))
        rows = fields(self, path, "pathrecord.dlid", where=("-o", "icrc:off"))
        return [len(row[0].split(",")) if row[0] else 0 for row in rows], path

    def whole(self):
        return [datagram(n, self.LAST, self.RECORDS) for n in range(1, self.LAST + 1)]

    def test_whole_at_the_last_missing_segment(self):
        counts, path = self.dlids(self.whole())
        self.assertEqual(counts, [3] + 30 * [0] + [100])
        (row,) = jsonl(self.good("-T", "jsonl", "-o", "icrc:off", "-Y", "pathrecord.slid == 100", path))
        self.assertEqual(row["infiniband.pathrecord.dlid"], list(range(100)))
        text = self.good("-V", "-o", "icrc:off", path).stdout.decode()
        self.assertIn("Table of 100 records in 32 segments", text)
        self.assertIn("PathRecord, record 100", text)

    def test_order_and_copies_do_not_matter(self):
        packets = self.whole()
        counts, _ = self.dlids(packets[:1] + packets[:0:-1] + packets[3:4])
        self.assertEqual(counts, [3] + 30 * [0] + [100, 0])

    def test_lost_stopped_aborted(self):
        packets = self.whole()
        self.assertNotIn(100, self.dlids(packets[:9] + packets[10:])[0])
        for kind in (3, 4):
            self.assertNotIn(100, self.dlids(packets[:20] + [datagram(20, self.LAST, self.RECORDS, kind=kind)] + packets[20:])[0])

    def test_several_at_once(self):
        pairs = zip(self.whole(), (datagram(n, self.LAST, self.RECORDS, transaction=10) for n in range(1, self.LAST + 1)))
        self.assertEqual(self.dlids([p for pair in pairs for p in pair])[0].count(100), 2)

    def test_held_packets_keep_their_table(self):
        _, path = self.dlids(self.whole())
        rows = jsonl(self.good("-2", "-T", "jsonl", "-o", "icrc:off", path))
        self.assertEqual(rows[31]["infiniband.pathrecord.dlid"], list(range(100)))
        plain = self.good("-V", "-o", "icrc:off", "-o", "analysis:off", path).stdout
        self.assertEqual(plain.count(b", record "), self.good("-2", "-V", "-o", "icrc:off", path).stdout.count(b", record "))

    def test_more_tables_than_are_kept(self):
        """The buffer has room for 16 tables. Segments of other tables show their own records, and all packets are
        printed."""
        packets = [p for t in range(20) for p in (datagram(n, 2, self.RECORDS[:384], transaction=t) for n in (1, 2))]
        path = self.file(bad.pcap(packets, link=self.INFINIBAND))
        counts = [len(row.get("infiniband.pathrecord.dlid", [])) for row in jsonl(self.good("-2", "-T", "jsonl", "-o", "icrc:off", path))]
        self.assertEqual((len(counts), counts[0::2], counts[1::2]), (40, 20 * [3], 16 * [6] + 4 * [0]))

    def test_double_sided(self):
        record = bytes(15) + bytes([20, 10]) + bytes(7)  # SGIDCount, DGIDCount
        record += b"".join(bytes(15) + bytes([i]) for i in range(30))
        mad = 8 + 12 + 8
        def ask(n):
            p = bytearray(datagram(n, 3, record))
            p[2:4], p[6:8] = p[6:8], p[2:4]
            p[mad + 3], p[mad + 16 : mad + 18] = 0x14, b"\x00\x3a"
            return bytes(p)
        path = self.file(bad.pcap([ask(1), ask(2), ask(3), *self.whole()], link=self.INFINIBAND))
        text = lines(self.good("-o", "icrc:off", path))
        self.assertIn("request of 3 segments complete", text[2])
        (row,) = jsonl(self.good("-T", "jsonl", "-o", "icrc:off", "-Y", "frame.number == 3", path))
        self.assertEqual(row["infiniband.multipathrecord.sdgid"], [f"::{i:x}" if i else "::" for i in range(30)])
        self.assertIn("table of 100 records complete", text[-1])


def theirs(path, *names):
    """The fields as tshark decodes them: an independent source for the pairs of datagrams."""
    words = [word for name in names for word in ("-e", name)]
    said = subprocess.run(["tshark", "-n", "-r", path, "-T", "fields", *words], capture_output=True, check=True)
    return [line.split("\t") for line in said.stdout.decode().splitlines()]


CM = ("req", "req.localqpn", "rep", "rep.localqpn", "rep.remotecommid", "drsp.remotecommid")


def source_qps(rows):
    """For each packet, derived from tshark's REQ, REP and DREP: the QP that sends to the destination QP."""
    asked, lasting, expected = {}, {}, []
    for src, dst, dest, req, qp, rep, reply_qp, to, released in rows:
        expected.append(next((c[src, dst, dest] for c in lasting.values() if (src, dst, dest) in c), ""))
        if req:
            asked[src, dst, req] = qp
        elif rep and (dst, src, to) in asked:
            first = asked[dst, src, to]
            lasting[to] = {(dst, src, reply_qp): first, (src, dst, first): reply_qp}
        elif released:
            lasting.pop(released, None)
    return expected


def native(slid, dlid, opcode, qp, behind):
    """A native packet with CRCs of 0."""
    words = (8 + 12 + len(behind) + 4) // 4
    return struct.pack(">BBHHH", 0, 2, dlid, words, slid) + struct.pack(">BBHII", opcode, 0, 0xFFFF, qp, 7) + behind + bytes(6)


def cm(slid, dlid, attribute, *pieces):
    """A message of the connection manager; pieces: offset after the common header, bytes."""
    mad = bytearray(struct.pack(">4BHHQHHI", 1, 7, 2, 3, 0, 0, 5, attribute, 0, 0) + bytes(232))
    for at, raw in pieces:
        mad[24 + at : 24 + at + len(raw)] = raw
    return native(slid, dlid, 0x64, 1, struct.pack(">II", 0x80010000, 1) + bytes(mad))


def req(number, qp, prim=(1, 2), alt=(0, 0), service=0x1061144):
    return cm(1, 2, 0x10, (0, struct.pack(">IIQ", number, 0, service)), (32, qp.to_bytes(3, "big")), (52, struct.pack(">HH", *prim)),
              (96, struct.pack(">HH", *alt)))


def rep(number, qp):
    return cm(2, 1, 0x13, (0, struct.pack(">II", number ^ 0xFF, number)), (12, qp.to_bytes(3, "big")))


def step(attribute, number, back=False):
    ids = (number ^ 0xFF, number) if back else (number, number ^ 0xFF)
    return cm(*((2, 1) if back else (1, 2)), attribute, (0, struct.pack(">II", *ids)))


class Connections(Case):
    """The connection of a packet, for hand-made packets whose connection is known."""

    RTU, DREQ, DREP, REJ = 0x14, 0x15, 0x16, 0x12

    def told(self, *packets):
        path = self.file(bad.pcap(packets, link=247))
        rows = fields(self, path, "cm.srcqp", "cm.setup_in", where=("-o", "icrc:off", "-Y", "!mad"))
        return [(int(qp, 0), int(frame)) if qp else None for qp, frame in rows]

    def send(self, slid, dlid, qp):
        return native(slid, dlid, 4, qp, bytes(8))

    def test_both_directions_on_each_path(self):
        data = [self.send(*x) for x in ((1, 2, 0x22), (2, 1, 0x11), (11, 12, 0x22), (12, 11, 0x11), (21, 22, 0x22), (22, 21, 0x11))]
        got = self.told(req(1, 0x11, (11, 12), (21, 22)), rep(1, 0x22), *data)
        self.assertEqual(got, 3 * [(0x11, 1), (0x22, 1)])

    def test_other_ends_are_not_meant(self):
        data = [self.send(*x) for x in ((3, 2, 0x22), (1, 3, 0x22), (1, 2, 0x11), (1, 2, 0x23), (2, 1, 0x22), (0, 0, 0x22))]
        self.assertEqual(self.told(req(1, 0x11), rep(1, 0x22), *data), 6 * [None])

    def test_of_two_with_these_qps_the_later(self):
        data = self.send(1, 2, 0x22)
        got = self.told(req(1, 0x11), rep(1, 0x22), data, req(2, 0x33), data, rep(2, 0x22), data,
                        step(self.DREQ, 2), data, step(self.DREP, 2, True), data)
        self.assertEqual(got, [(0x11, 1), (0x11, 1), (0x33, 4), (0x33, 4), None])  # the first connection has ended: it has no QP any more

    def test_nothing_of_one_that_was_refused_or_released(self):
        data = self.send(1, 2, 0x22)
        self.assertEqual(self.told(req(1, 0x11), step(self.REJ, 1, True), data), [None])
        self.assertEqual(self.told(req(1, 0x11), rep(1, 0x22), step(self.REJ, 1), data), [None])
        self.assertEqual(self.told(req(1, 0x11), rep(1, 0x22), step(self.RTU, 1), data, step(self.DREQ, 1, True), step(self.DREP, 1), data),
                         [(0x11, 1), None])

    def test_a_second_rep_corrects_the_first(self):
        got = self.told(req(1, 0x11), rep(1, 0x22), rep(1, 0x23), self.send(1, 2, 0x22), self.send(1, 2, 0x23))
        self.assertEqual(got, [None, (0x11, 1)])

    def test_the_oldest_make_room(self):
        pairs = [p for n in range(1, 4101) for p in (req(n, 0x1000 + n), rep(n, 0x9000 + n))]
        got = self.told(*pairs, *(self.send(1, 2, 0x9000 + n) for n in (1, 4, 5, 4100)))
        self.assertEqual(got, [None, None, (0x1005, 9), (0x1000 + 4100, 8199)])


class Told(Case):
    """Datagrams tell to which connection other packets belong."""

    def erased(self, path, gone=(), change=lambda n, data: data):
        _, link, records = bad.pcap_records(path.read_bytes())
        kept = [change(n, data) for n, (_, data, _) in enumerate(records, 1) if n not in gone]
        return self.file(bad.pcap(kept, link=link))

    def test_source_qps_are_those_of_req_and_rep(self):
        for path in (UCMATOSE, RPING, bad.PCAPS / "rxe-rping.pcap", bad.PCAPS / "rxe-rping-v6.pcap"):
            ip = "ipv6" if path.name.endswith("v6.pcap") else "ip"
            rows = theirs(path, ip + ".src", ip + ".dst", "infiniband.bth.destqp", *("infiniband.cm." + name for name in CM))
            got = [row[0] for row in fields(self, path, "cm.srcqp")]
            self.assertEqual(got, source_qps(rows), path.name)
            self.assertIn(True, map(bool, got))
            ports = {int(port, 0) for (port,) in theirs(path, "infiniband.cm.req.serviceid.dport") if port}
            self.assertEqual({owner for owner, qp in fields(self, path, "cm.owner", "cm.srcqp") if qp},
                             {f"TCP port {port}" for port in ports})

    def test_usable_everywhere(self):
        self.assertEqual(len(lines(self.good("-Y", "cm.srcqp && cm.owner == \"TCP port 7174\" && frame.number == 4", RPING))), 1)
        (row,) = jsonl(self.good("-T", "jsonl", "-Y", "frame.number == 4", RPING))
        source = row["infiniband.cm.srcqp"]
        self.assertEqual(row["infiniband.cm.setup_in"], 1)
        for form in ("json", "ek", "pdml"):
            text = self.good("-T", form, "-Y", "frame.number == 4", RPING).stdout.decode()
            self.assertIn(f"{source:#08x}", text, form)
        self.assertIn(f"    Source Queue Pair, as the connection manager says: {source:#08x}\n",
                      self.good("-V", "-Y", "frame.number == 4", RPING).stdout.decode())
        self.assertIn(f" SrcQP={source:#08x} ", lines(self.good(RPING))[3])

    def test_absent_where_nothing_told(self):
        messages = [n for n, (a,) in enumerate(fields(self, RPING, "mad.attributeid"), 1) if a]
        for gone in (messages[:1], messages[1:2], messages):
            got = fields(self, self.erased(RPING, gone), "cm.srcqp")
            self.assertEqual({v for (v,) in got}, {""}, gone)
        first = fields(self, self.erased(RPING, messages[2:]), "cm.srcqp")  # RTU is not needed
        self.assertGreater(sum(bool(v) for (v,) in first), 30)

    def test_not_before_the_exchange_nor_behind_it(self):
        _, link, records = bad.pcap_records(RPING.read_bytes())
        packets = [data for _, data, _ in records]
        path = self.file(bad.pcap(packets[3:6] + packets + packets[3:6], link=link))
        got = [bool(v) for (v,) in fields(self, path, "cm.srcqp")]
        self.assertEqual(got[:3] + got[-3:], 6 * [False])
        self.assertTrue(any(got))

    def test_damaged_packets_are_told_nothing(self):
        flip = lambda n, data: data if n <= 3 else data[:52] + bytes([data[52] ^ 1]) + data[53:]
        self.assertEqual({v for (v,) in fields(self, self.erased(RPING, change=flip), "cm.srcqp")}, {""})

    def test_a_datagram_service(self):
        rows = fields(self, UDADDY, "cm.owner", "cm.srcqp", "cm.setup_in")
        self.assertEqual(rows, len(rows) * [["UDP port 7174", "", "1"]])

    def test_responses_are_those_of_the_same_transaction(self):
        names = ("lrh.slid", "lrh.dlid", "mad.transactionid", "mad.mgmtclass", "mad.method")
        asked, expected = {}, []
        for n, (slid, dlid, tid, kind, method) in enumerate(theirs(OPENSM, *("infiniband." + name for name in names)), 1):
            answer = int(method, 0) & 0x80
            expected.append(str(asked.get((dlid, slid, tid, kind), "")) if answer else "")
            if not answer:
                asked.setdefault((slid, dlid, tid, kind), n)
        self.assertEqual([row[0] for row in fields(self, OPENSM, "mad.response_to")], expected)
        self.assertEqual(sum(map(bool, expected)), 119)
        rows = fields(self, OPENSM, "mad.response_to", "mad.response_in", "mad.time")
        rows = [[row[0], row[1], str(n), row[2]] for n, row in enumerate(rows, 1)]
        self.assertEqual({(a, n) for a, _, n, _ in rows if a}, {(n, b) for _, b, n, _ in rows if b})
        stamps = [float(t) for (t,) in theirs(OPENSM, "frame.time_relative")]
        for a, _, n, took in rows:
            self.assertEqual(bool(a), bool(took))
            if a:
                self.assertAlmostEqual(float(took), stamps[int(n) - 1] - stamps[int(a) - 1], places=6)

    def test_more_requests_than_have_room(self):
        """The table drops some requests. No response is linked to another response's request."""
        ask = cm(1, 2, 0x11)
        at = 8 + 12 + 8
        def mad(tid, answer):
            p = bytearray(ask)
            p[at + 1 : at + 4] = 1, 1, 0x81 if answer else 1
            p[at + 8 : at + 16] = struct.pack(">Q", tid)
            if answer:
                p[2:4], p[6:8] = p[6:8], p[2:4]
            return bytes(p)
        n = 6000
        path = self.file(bad.pcap([mad(t * 0x9E3779B97F4A7C15 % 2**64, a) for a in (0, 1) for t in range(n)], link=247))
        got = [to for (to,) in fields(self, path, "mad.response_to", where=("-o", "icrc:off"))]
        linked = [(frame, to) for frame, to in enumerate(got, 1) if to]
        self.assertEqual(linked, [(frame, str(frame - n)) for frame, _ in linked])
        seen = json.loads(self.good("-q", "-T", "json", "-z", "mad", "-o", "icrc:off", path).stdout)
        self.assertEqual(seen["unanswered"], n - len(linked))
        self.assertTrue(2048 < len(linked) <= 4096, len(linked))

    def test_an_answer_is_known_when_held(self):
        self.assertEqual(len(lines(self.good("-Y", "mad.response_in", OPENSM))), 119)
        self.assertNotIn("Response in frame", self.good("-V", OPENSM).stdout.decode())
        self.assertEqual(self.good("-2", "-V", OPENSM).stdout.decode().count("Response in frame"), 119)

    def test_the_connection_managers_answers(self):
        rows = fields(self, UCMATOSE, "mad.attributeid", "mad.response_to")
        kind = {n: int(a, 0) for n, (a, _) in enumerate(rows, 1) if a}
        pairs = [(int(a, 0), kind[int(to)]) for a, to in rows if to]
        self.assertEqual(sorted(set(pairs)), [(0x13, 0x10), (0x14, 0x13), (0x16, 0x15)])

    def test_private_data_are_what_was_built(self):
        """The private data were built from the structs of Linux and the standards, by offset; see
        pcaps/gen/private.c."""
        le = lambda *n: struct.pack("<%dH" % len(n), *n)
        rows = {n: row for n, row in enumerate(jsonl(self.good("-T", "jsonl", PRIVATE)), 1)}
        raws = [bytes.fromhex(raw) for (raw,) in fields(self, PRIVATE, "mad")]
        nvme, iser, rpc, srp = "nvme-rdma.cm.", "iser.cm.", "rpcordma.cm.", "infiniband.srp."
        for n, at, raw, names in (
                (1, 200, le(0, 1, 128, 127, 2), (nvme + "req.", ("recfmt", "qid", "hrqsize", "hsqsize", "cntlid"), (0, 1, 128, 127, 2))),
                (2, 60, le(0, 128), (nvme + "rsp.", ("recfmt", "crqsize"), (0, 128))),
                (4, 108, le(0, 3), (nvme + "rej.", ("recfmt", "status"), (0, 3))),
                (5, 200, b"\xc0\0\0\0", (iser, ("flags", "zbva_not_sup", "send_w_inv_not_sup"), (0xC0, True, True))),
                (7, 200, struct.pack(">I4B", 0xF6AB0E18, 1, 1, 0, 3), (rpc, ("format", "version", "remote_inv", "send_size", "recv_size"),
                                                                      (0xF6AB0E18, 1, True, 0, 3))),
                (9, 164, struct.pack(">BBHIII4BIIHH", 0, 3, 16, 68, 1, 0, 0x22, 0x41, 0, 8, 0x4000, 0x8000, 50000, 0),
                 ("infiniband_sdp.", ("bsdh.mid", "bsdh.len", "hh.majv", "hh.maxadverts", "hh.desremrcvsz", "hh.localrcvsz", "hh.localport"),
                  (0, 68, 2, 8, 0x4000, 0x8000, 50000))),
                (10, 60, struct.pack(">BBHIII4BI", 1, 0, 16, 24, 1, 1, 0x22, 0x40, 0, 16, 0x2000),
                 ("infiniband_sdp.", ("bsdh.mid", "hah.majv", "hah.extmaxadverts", "hah.actrcvsz"), (1, 2, 16, 0x2000))),
                (11, 164, struct.pack(">II", 0x405, 65524), ("infiniband.ipoib_cm.", ("udqp", "mtu"), (0x405, 65524))),
                (14, 164, struct.pack(">8xQI4xHBxH", 7, 0x844, 6, 0x80, 80), (srp + "login_req.", ("tag", "max_it_iu_len", "buffer_formats",
                                                                                   "flags", "imm_data_offset"), (7, 0x844, 6, 0x80, 80))),
                (15, 60, struct.pack(">B3xIQIIHB", 0xC0, 31, 7, 0x844, 256, 6, 0x82),
                 (srp + "login_rsp.", ("opcode", "req_lim_delta", "tag", "max_ti_iu_len", "flags"), (0xC0, 31, 7, 256, 0x82))),
                (17, 108, struct.pack(">B3xIQ8xH", 0xC2, 0x10006, 7, 6), (srp + "login_rej.", ("reason", "tag", "buffer_formats"), (0x10006, 7, 6)))):
            with self.subTest(n):
                self.assertEqual(raws[n - 1][at : at + len(raw)], raw)
                prefix, keys, values = names
                self.assertEqual([rows[n].get(prefix + key) for key in keys], list(values))
        known = lambda row: [key for key in row if key.startswith((nvme, iser, rpc, srp, "infiniband_sdp.", "infiniband.ipoib_cm."))]
        self.assertEqual([known(rows[n]) for n in (13, 20, 21, 22)], 4 * [[]])
        self.assertEqual([known(rows[n]) for n in (18, 19)], [[nvme + "req.recfmt"], [nvme + "rsp.recfmt"]])

    def test_whose_a_service_is_can_be_told(self):
        untold = self.erased(PRIVATE, (13,))  # ServiceEntries
        login = ("-T", "fields", "-e", "infiniband.srp.login_req.tag", "-e", "infiniband.srp.login_rej.reason")
        self.assertEqual(set(lines(self.good(*login, untold))), {"\t"})
        rows = lines(self.good("-d", "infiniband.cm.serviceid==0x0002c90300001f2d,srp", *login, untold))
        self.assertEqual([row for row in rows if row != "\t"], 2 * ["0x0000000000000007\t"] + ["\t0x00010006"])
        self.fails(1, "-d", "infiniband.cm.serviceid==1,scsi", untold, says="nvme-rdma")
        self.fails(1, "-d", "infiniband.cm.serviceid==x,srp", untold, says="ID,PROTOCOL")

    def test_rmpp_acknowledges_ask_for_nothing(self):
        ask = datagram(1, 1, b"")
        mad = 8 + 12 + 8
        ask = ask[: mad + 3] + b"\x12" + ask[mad + 4 : mad + 24] + bytes(12) + ask[mad + 36 :]
        swapped = lambda p: p[:2] + p[6:8] + p[4:6] + p[2:4] + p[8:]
        whole = [datagram(n, 3, bytes(600)) for n in (1, 2, 3)]
        ack = swapped(datagram(1, 3, bytes(600), kind=2))
        ack = ack[: mad + 3] + b"\x12" + ack[mad + 4 :]
        path = self.file(bad.pcap([swapped(ask), whole[0], ack, whole[1], whole[2]], link=247))
        self.assertEqual([to for (to,) in fields(self, path, "mad.response_to", where=("-o", "icrc:off"))], ["", "1", "", "1", "1"])


def leaves(tree):
    """Names and values at the leaves of a layer in JSON."""
    for name, value in tree.items() if isinstance(tree, dict) else tree:
        parts = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
        if isinstance(parts[0], list) and parts[0] and isinstance(parts[0][0], tuple):
            for part in parts:
                yield from leaves(part)
        else:
            yield name, value


def shown(path, program, *options):
    """The InfiniBand layer of each packet, as (name, value) pairs, because tshark repeats names."""
    said = subprocess.run([program, *options, "-r", path, "-T", "json"], capture_output=True, check=True).stdout
    return [dict(dict(dict(dict(p)["_source"])["layers"]))["infiniband"] for p in json.loads(said, object_pairs_hook=list)]


class Nested(Case):
    """-T json, ek and pdml: the parts of a datagram as tshark shows them; dissect/README.md has what differs."""

    def test_parts_are_what_tshark_shows(self):
        # another structure, or tshark's errors: see tools/compare-tshark.d/tshark.differences
        apart = {"infiniband.reserved", "infiniband.smplid.smpdata", "infiniband.smpdirected.d", "infiniband.smpdirected.smpstatus", "infiniband.payload",
                 "infiniband.cm.req.prim_flowlabel", "infiniband.cm.req.prim_reserved0", "infiniband.cm.req.prim_pktrate", "infiniband.sa.drdlid",
                 "infiniband.smpdirected.initialpath", "infiniband.smpdirected.returnpath"}
        compared = 0
        for path in (OPENSM, bad.PCAPS / "rxe-rping.pcap", bad.PCAPS / "rxe-udaddy.pcap"):
            for n, (theirs, ours) in enumerate(zip(shown(path, "tshark", "-n"), shown(path, PROGRAM), strict=True), 1):
                mine = {}
                for name, value in leaves(ours):
                    mine.setdefault(name, []).extend(value if isinstance(value, list) else [value])
                for name, value in leaves(theirs):
                    if not value or name in apart or ("reserved" in name and set(value) <= set("0x:")):
                        continue
                    if name in mine or name in self.known:
                        self.assertIn(value, mine.get(name, []), f"{path.name} packet {n}: {name}")
                        compared += 1
        self.assertGreater(compared, 5000)

    def setUp(self):
        super().setUp()
        self.known = {line.split("\t")[2] for line in lines(self.good("-G", "fields")) if line.startswith("F\t")}

    def test_records_stay_together(self):
        row = json.loads(self.good("-T", "json", "-Y", "mad.method == 0x92 && mad.attributeid == 0x35", "-c", "1", SUBNET).stdout, object_pairs_hook=no_twins)[0]
        records = row["_source"]["layers"]["infiniband"]["infiniband.sa.record_tree"]
        dlids = fields(self, SUBNET, "pathrecord.dlid", where=("-Y", "mad.method == 0x92 && mad.attributeid == 0x35", "-c", "1"))[0][0]
        self.assertEqual([r["infiniband.pathrecord_tree"]["infiniband.pathrecord.dlid"] for r in records], dlids.split(","))
        text = self.good("-T", "pdml", "-Y", "mad.method == 0x92 && mad.attributeid == 0x35", "-c", "1", SUBNET).stdout.decode()
        self.assertEqual([text.count(f"PathRecord, record {n}\"") for n in (1, 2, 3, 4)], [1, 1, 1, 0])

    def test_no_key_of_a_datagram_is_twice(self):
        for path in (SUBNET, GENERAL, OPENSM, PRIVATE):
            json.loads(self.good("-T", "json", path).stdout, object_pairs_hook=no_twins)
            for line in lines(self.good("-T", "ek", path)):
                json.loads(line, object_pairs_hook=no_twins)

    def test_a_table_has_every_record_in_every_form(self):
        records = b"".join(struct.pack(">Q16s16sHH", 0, b"", b"", i, i + 1) + bytes(20) for i in range(100))
        path = self.file(bad.pcap([datagram(n, 32, records) for n in range(1, 33)], link=247))
        last = self.good("-T", "json", "-o", "icrc:off", "-Y", "frame.number == 32", path).stdout
        table = json.loads(last, object_pairs_hook=no_twins)[0]["_source"]["layers"]["infiniband"]["infiniband.rmpp.table_tree"]
        self.assertEqual([int(r["infiniband.pathrecord_tree"]["infiniband.pathrecord.dlid"], 0) for r in table], list(range(100)))
        for form, each in (("pdml", 'name="infiniband.pathrecord.slid"'), ("ek", '"infiniband_infiniband_pathrecord_slid"'), ("tree", "    SLID: ")):
            text = self.good("-T", form, "-o", "icrc:off", "-Y", "frame.number == 32", path).stdout.decode()
            self.assertEqual(text.count(each), 100, form)


class Statistics(Case):
    def stat(self, name, path, *more):
        return json.loads(self.good("-q", "-T", "json", "-z", name, *more, path).stdout, object_pairs_hook=no_twins)

    def test_connections_are_what_the_messages_say(self):
        for path in (UCMATOSE, RPING):
            with self.subTest(path.name):
                reqs = fields(self, path, "cm.req", "cm.req.serviceid", "cm.req.localqpn", "cm.req.startpsn",
                              "cm.req.retrcount", where=("-Y", "cm.req.startpsn"))
                reps = {row[0]: row[1:] for row in fields(self, path, "cm.rep.remotecommid", "cm.rep.localqpn", "cm.rep.startpsn",
                                                          where=("-Y", "cm.rep.startpsn"))}
                seen = self.stat("cm", path)
                self.assertEqual([seen["begun"], seen["stray"], seen["forgotten"]], [len(reqs), 0, 0])
                for req, c in zip(reqs, seen["connections"]):
                    mine = [c["active"]["comm_id"], c["service_id"], c["active"]["qp"], c["active"]["psn"], c["retry_count"]]
                    self.assertEqual(mine, [int(v, 0) for v in req])
                    self.assertEqual([c["passive"]["qp"], c["passive"]["psn"]], [int(v, 0) for v in reps[req[0]]])
                    self.assertEqual(c["state"], "released")
                    self.assertGreater(c["answer_time"], 0)

    def test_a_resolved_datagram_service(self):
        (c,) = self.stat("cm", UDADDY)["connections"]
        self.assertEqual((c["service"], c["owner"], c["state"]), ("UD", "UDP port 7174", "replied"))
        self.assertIsNone(c["pmtu"])

    def test_agreed_is_what_was_negotiated(self):
        ahead, back = self.stat("agreed", RPING)["directions"]
        self.assertEqual([d["pmtu"]["agreed"] for d in (ahead, back)], [4096, 4096])
        self.assertEqual([d["initiator_depth"] for d in (ahead, back)], [{"agreed": 1, "observed": 0}, {"agreed": 1, "observed": 1}])
        self.assertEqual([d["retry_count"]["agreed"] for d in (ahead, back)], [None, 7])
        self.assertEqual([d["rnr_retry_count"]["agreed"] for d in (ahead, back)], [7, 7])

    def test_datagrams_add_up(self):
        seen = self.stat("mad", OPENSM)
        # Five requests were recorded a second time before the kernel had put its agent into the transaction ID.
        self.assertEqual((seen["packets"], seen["cut"], seen["unanswered"]), (248, 0, 5))
        self.assertEqual(sum(row["packets"] for row in seen["rows"]), 248)
        self.assertEqual(sum(row["answers"] for row in seen["rows"]), 119)
        info = [row for row in seen["rows"] if row["attribute_name"] == "NodeInfo"]
        self.assertEqual([(row["method_name"], row["packets"]) for row in info], [("Get", 8), ("GetResp", 8)])

    def test_more_connections_than_are_kept(self):
        """New connections replace the oldest, and a counter shows that. Data of a forgotten connection are not used."""
        _, link, records = bad.pcap_records(UCMATOSE.read_bytes())
        req = next(data for _, data, _ in records if data[-4 - 232 - 8 : -4 - 232 - 6] == b"\x00\x10")
        at = len(req) - 4 - 232
        made = [req[:at] + struct.pack(">I", 0x1000 * i) + req[at + 4 :] for i in range(5000)]  # one bucket for many
        seen = self.stat("cm", self.file(bad.pcap(made, link=link)), "-o", "icrc:off")
        self.assertEqual((seen["begun"], seen["forgotten"], len(seen["connections"])), (5000, 904, 4096))
        self.assertEqual(seen["connections"][0]["active"]["comm_id"], 904 * 0x1000)

    def test_damaged_messages_count_for_nothing(self):
        _, link, records = bad.pcap_records(UCMATOSE.read_bytes())
        damaged = [data[:60] + bytes([data[60] ^ 1]) + data[61:] for _, data, _ in records]
        self.assertEqual(self.stat("cm", self.file(bad.pcap(damaged, link=link)))["begun"], 0)


if __name__ == "__main__":
    unittest.main()
