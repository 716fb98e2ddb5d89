#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tag matching (-d qp==N,tm; -z tm) on packets made here: plain struct, without the project's code. IBPROOF_BIN names the
programs' folder."""

import json
import struct
import unittest
import zlib

import bad
from cli import Case, jsonl

SENDER, RECEIVER = "10.0.0.1", "10.0.0.2"
# QPs of both ends, and the options that name them.
SENDER_QP, RECEIVER_QP = 0x1001, 0x2002
NAMED = ("-d", f"qp=={RECEIVER_QP},tm", "-d", f"qp=={SENDER_QP},tm")
# enum ibv_tmh_op of libibverbs
NO_TAG, RNDV, FIN, EAGER = range(4)
SEND_FIRST, SEND_LAST, SEND_ONLY, READ, READ_ONLY, ACK = 0x00, 0x02, 0x04, 0x0C, 0x10, 0x11
VA, KEY = 0x7F0000001000, 0xABCDEF


def tmh(kind, tag=0, app=0):
    """struct ibv_tmh"""
    return struct.pack(">B3xIQ", kind, app, tag)


def rvh(va, length, key=KEY):
    """struct ibv_rvh"""
    return struct.pack(">QII", va, key, length)


def frame(back, opcode, psn, body=b""):
    """A RoCEv2 packet from the sender, or back to it, with a good ICRC."""
    ends = [bytes(int(x) for x in a.split(".")) for a in (SENDER, RECEIVER)]
    if back:
        ends.reverse()
    pad = -len(body) % 4
    bth = struct.pack(">BBHII", opcode, 0x40 | pad << 4, 0xFFFF, SENDER_QP if back else RECEIVER_QP, 0x80000000 | psn)
    udp_length = 8 + len(bth) + len(body) + pad + 4
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + udp_length, 0, 0x4000, 64, 17, 0, *ends)
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF) + ip[12:]
    packet = bytearray(ip + struct.pack(">HHHH", 0xC001, 4791, udp_length, 0) + bth + body + bytes(pad))
    masked = bytearray(packet)
    for at in (1, 8, 10, 11, 26, 27, 32):  # fields that routers change
        masked[at] = 0xFF
    return bytes(12) + b"\x08\x00" + bytes(packet) + struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


class Talk:
    """Packets of one connection, in order; each direction counts its PSNs and messages."""

    def __init__(self):
        self.frames, self.psn, self.msn = [], {False: 100, True: 500}, {False: 0, True: 0}

    def put(self, back, opcode, psn, body=b""):
        self.frames.append(frame(back, opcode, psn, body))
        return len(self.frames)

    def answer(self, back, opcode, psn, body=b""):
        """An ACK, or a READ's response, to the newest message."""
        self.msn[back] += 1
        return self.put(not back, opcode, psn, struct.pack(">I", 0x1F000000 | self.msn[back]) + body)

    def send(self, back, body, opcode=SEND_ONLY, answered=True):
        psn = self.psn[back]
        self.psn[back] += 1
        n = self.put(back, opcode, psn, body)
        if answered:
            self.answer(back, ACK, psn)
        return n

    def read(self, va, length, answered=True):
        """The receiver reads the data of a rendezvous from the sender, in one packet."""
        psn = self.psn[True]
        self.psn[True] += 1
        n = self.put(True, READ, psn, struct.pack(">QII", va, KEY, length))
        if answered:
            self.answer(True, READ_ONLY, psn, bytes(length))
        return n


class TagMatching(Case):
    def capture(self, talk):
        for f in talk.frames:
            self.assertTrue(bad.icrc_is_good(f))
        return self.file(bad.pcap(talk.frames))

    def told(self, talk, *args):
        out = self.good("-q", "-T", "json", "-z", "tm", *(args or NAMED), self.capture(talk)).stdout
        return json.loads(out)

    def test_fields(self):
        talk = Talk()
        talk.send(False, tmh(EAGER, 0x1122334455667788, 7) + b"hello")
        talk.send(False, tmh(RNDV, 9, 8) + rvh(VA, 300))
        talk.send(True, tmh(FIN, 9, 8) + rvh(VA, 300))
        talk.send(False, b"\0 and data")
        talk.send(True, tmh(FIN, 10))
        path = self.capture(talk)
        rows = [r for r in jsonl(self.good("-T", "jsonl", *NAMED, path)) if r["infiniband.bth.opcode"] == SEND_ONLY]
        key = "infiniband.tmh."
        self.assertEqual([(r[key + "opcode"], r.get(key + "tag"), r.get(key + "app_ctx")) for r in rows],
                         [(EAGER, 0x1122334455667788, 7), (RNDV, 9, 8), (FIN, 9, 8), (NO_TAG, None, None), (FIN, 10, 0)])
        self.assertEqual([(r.get("infiniband.rvh.va"), r.get("infiniband.rvh.r_key"), r.get("infiniband.rvh.len")) for r in rows],
                         [(None,) * 3, (VA, KEY, 300), (VA, KEY, 300), (None,) * 3, (None,) * 3])
        self.assertNotIn(key + "opcode", "".join(map(str, jsonl(self.good("-T", "jsonl", path)))))
        for form, name in (("pdml", b"infiniband.rvh.r_key"), ("json", b"infiniband.rvh.r_key"), ("ek", b"rvh_r_key")):
            self.assertTrue(name in self.good("-T", form, *NAMED, path).stdout, form)
        tree = self.good("-V", *NAMED, path).stdout
        self.assertIn(b"TMH - Tag Matching Header", tree)
        self.assertIn(b"Operation: Rendezvous (1)", tree)
        filtered = jsonl(self.good("-T", "jsonl", "-Y", "infiniband.tmh.opcode == 2 and infiniband.rvh.len > 299", *NAMED, path))
        self.assertEqual([r["frame.number"] for r in filtered], [5])

    def test_a_rendezvous(self):
        talk = Talk()
        talk.send(False, tmh(EAGER, 1) + bytes(100))
        began = talk.send(False, tmh(RNDV, 2, 5) + rvh(VA, 1000) + b"for software")
        read = talk.read(VA, 600)
        talk.read(VA + 600, 400)
        fin = talk.send(True, tmh(FIN, 2, 5))
        told = self.told(talk)
        (r,) = told["rendezvous"]
        self.assertEqual((r["state"], r["tag"], r["app_ctx"], r["va"], r["r_key"]), ("finished", 2, 5, VA, KEY))
        self.assertEqual((r["bytes"], r["bytes_read"], r["frame"], r["read_frame"], r["fin_frame"]), (1000, 1000, began, read, fin))
        self.assertEqual((r["src"], r["dst"], r["source_qp"], r["dest_qp"]), (SENDER, RECEIVER, SENDER_QP, RECEIVER_QP))
        self.assertEqual((told["eager"], told["rendezvous_messages"], told["fin"], told["no_tag"]), (1, 1, 1, 0))
        text = self.good("-q", "-z", "tm", *NAMED, self.capture(talk)).stdout.decode()
        self.assertIn("Rendezvous 1: open 0, reading 0, read 0, finished 1", text)

    def test_how_far_it_came(self):
        """A capture that ends early accuses nobody."""
        talk = Talk()
        for n, tag in enumerate((1, 2, 3, 4)):
            talk.send(False, tmh(RNDV, tag) + rvh(VA + 4096 * n, 800))
        talk.read(VA, 800)
        talk.read(VA + 4096, 500)
        talk.read(VA + 8192, 800, answered=False)
        told = self.told(talk)
        self.assertEqual([(r["state"], r["bytes_read"]) for r in told["rendezvous"]],
                         [("read", 800), ("reading", 500), ("reading", 0), ("open", 0)])
        self.assertEqual([told[k] for k in ("open", "reading", "read", "finished")], [1, 2, 1, 0])
        self.assertEqual(jsonl(self.good("-q", "-T", "jsonl", "-z", "expert,warn", *NAMED, self.capture(talk)))[0]["findings"], [])

    def test_several_of_one_tag(self):
        """The RVH of a FIN names the rendezvous; a FIN without RVH ends the oldest rendezvous whose data were read."""
        for with_rvh in (False, True):
            talk = Talk()
            for n in range(3):
                talk.send(False, tmh(RNDV, 7, 1) + rvh(VA + 4096 * n, 800))
            for n in (2, 1):
                talk.read(VA + 4096 * n, 800)
            fin = talk.send(True, tmh(FIN, 7, 1) + (rvh(VA + 8192, 800) if with_rvh else b""))
            found = [r["fin_frame"] for r in self.told(talk)["rendezvous"]]
            self.assertEqual(found, [None, None, fin] if with_rvh else [None, fin, None])

    def test_other_reads_and_fins(self):
        """A READ beyond the rendezvous, of another key, after its FIN, and FINs of others are not of it."""
        talk = Talk()
        talk.send(False, tmh(RNDV, 1) + rvh(VA, 800))
        for va, length in ((VA - 4, 8), (VA + 796, 8), (VA + 804, 4)):
            talk.read(va, length)
        for other in (tmh(FIN, 2), tmh(FIN, 1, 9), tmh(FIN, 1) + rvh(VA, 804), tmh(FIN, 1) + rvh(VA, 800, KEY + 1)):
            talk.send(True, other)
        (r,) = self.told(talk)["rendezvous"]
        self.assertEqual((r["state"], r["read_frame"], r["fin_frame"]), ("open", None, None))
        fin = talk.send(True, tmh(FIN, 1))
        talk.read(VA, 800)
        told = self.told(talk)
        (r,) = told["rendezvous"]
        self.assertEqual((r["state"], r["read_frame"], r["fin_frame"], told["fins_alone"]), ("finished", None, fin, 4))

    def test_what_comes_again(self):
        """Requests that are sent again are one message."""
        talk = Talk()
        began = talk.send(False, tmh(RNDV, 1) + rvh(VA, 800), answered=False)
        talk.frames.append(talk.frames[-1])
        talk.answer(False, ACK, 100)
        read = talk.read(VA, 800, answered=False)
        talk.frames.append(talk.frames[-1])
        talk.answer(True, READ_ONLY, 500, bytes(800))
        fin = talk.send(True, tmh(FIN, 1), answered=False)
        talk.frames.append(talk.frames[-1])
        talk.answer(True, ACK, 501)
        path = self.file(bad.pcap(talk.frames))
        told = json.loads(self.good("-q", "-T", "json", "-z", "tm", *NAMED, path).stdout)
        (r,) = told["rendezvous"]
        self.assertEqual((r["state"], r["frame"], r["read_frame"], r["fin_frame"], r["bytes_read"]), ("finished", began, read, fin, 800))
        self.assertEqual((told["rendezvous_messages"], told["fin"], told["fins_alone"]), (1, 1, 0))

    def test_without_answers(self):
        """A capture of requests alone does not show which directions belong together; addresses, key and range do."""
        talk = Talk()
        talk.send(False, tmh(RNDV, 1) + rvh(VA, 800), answered=False)
        read = talk.read(VA, 800, answered=False)
        fin = talk.send(True, tmh(FIN, 1), answered=False)
        (r,) = self.told(talk)["rendezvous"]
        self.assertEqual((r["read_frame"], r["fin_frame"], r["bytes_read"]), (read, fin, 0))

    def test_long_messages(self):
        """The header is in the first packet of a message."""
        talk = Talk()
        talk.send(False, tmh(EAGER, 3) + bytes(1008), SEND_FIRST, answered=False)
        talk.send(False, tmh(RNDV, 3) + rvh(VA, 8), SEND_LAST)
        told = self.told(talk)
        self.assertEqual((told["rendezvous"], told["eager"], told["rendezvous_messages"]), ([], 1, 0))

    def test_undeclared(self):
        talk = Talk()
        talk.send(False, tmh(RNDV, 1) + rvh(VA, 800))
        told = self.told(talk, "-2")
        self.assertEqual((told["rendezvous"], told["rendezvous_messages"]), ([], 0))
        text = self.good("-q", "-z", "tm", self.capture(talk)).stdout.decode()
        self.assertIn("-d qp==N,tm", text)


if __name__ == "__main__":
    unittest.main()
