# SPDX-License-Identifier: BSD-2-Clause
"""rc_by_hand.py: a reliable connection of the guest, by hand: requests to its agent, packets to it, expected packets. With
by_hand.py, for programs run by `tools/guest run -- PROGRAM`."""

import contextlib
import os
import struct
import time

from scapy.contrib.roce import AETH, BTH, opcode

from by_hand import PEER, RIGHTS, Wire, greeted

EPSN, PSN = 0x001000, 0x002000
ACK, RNR, SEQUENCE, ACCESS, OPERATION = 31, 0x20, 0x60, 0x62, 0x63
READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = (f"RDMA_READ_RESPONSE_{x}" for x in ("FIRST", "MIDDLE", "LAST", "ONLY"))


class Device:
    """The guest, reset for each check: one reliable connection, and a region for the peer and for local use."""

    def __init__(self):
        self.wire = Wire(os.environ["IBPROOF_WIRE"])
        self.agent = greeted(60)
        while self.wire.receive(0.02):
            pass

    def close(self):
        with contextlib.suppress(OSError):  # the device may have crashed
            self.agent.close()
        self.wire.close()

    def connect(self, pmtu=1024, state="rts", timeout=0, retry=7, rnr_retry=7, rd=4, min_rnr=12):
        ask = self.agent
        self.pd, self.cq = ask("create_pd")["pd"], ask("create_cq", depth=64)["cq"]
        self.mr = ask("reg_mr", pd=self.pd, length=65536, access=RIGHTS, fill="m")
        self.qpn = ask("create_qp", type="rc", pd=self.pd, scq=self.cq, rcq=self.cq, sig_all=True, sq=32, rq=32)["qpn"]
        self.modify("init", pkey=0, port=1, access=RIGHTS[1:])
        self.modify("rtr", av=True, hop=64, pmtu=pmtu, qpn_of_peer=PEER, epsn=EPSN, dest_rd=4, min_rnr=min_rnr)
        if state == "rts":
            self.modify("rts", timeout=timeout, retry=retry, rnr_retry=rnr_retry, psn=PSN, rd=rd)
        return self

    def modify(self, state, **attributes):
        self.agent("modify_qp", qpn=self.qpn, state=state, **attributes)

    def state(self):
        return self.agent("query_qp", qpn=self.qpn)["state"]

    # ---- work ----

    def post(self, op, length=8, number=1, lkey=None, **more):
        sge = [{"at": self.mr["local"], "len": n, "lkey": lkey or self.mr["lkey"]} for n in [length, *more.pop("then", [])]]
        if op in ("write", "read", "cmp_swap", "fetch_add"):
            more = {"to": 0x9000, "rkey": 0x1234, **more}
        self.agent("post_send", qpn=self.qpn, wr={"op": op, "id": number, "signaled": True, "sge": sge, **more})

    def receive(self, length=1024, lkey=None, number=9):
        sge = [{"at": self.mr["local"], "len": length, "lkey": lkey or self.mr["lkey"]}]
        self.agent("post_recv", qpn=self.qpn, wr={"id": number, "sge": sge})

    def memory(self, n, offset=0):
        return self.agent("read_memory", at=self.mr["local"] + offset, n=n)["hex"]

    def completion(self):
        wc = self.agent.waited_for("wc", "poll_cq", cq=self.cq)
        return wc["id"], wc["status"]

    def no_completion(self, patience=0.3):
        time.sleep(patience)
        wc = self.agent("poll_cq", cq=self.cq)["wc"]
        expect("completion", wc, None)

    # ---- packets ----

    def send(self, op, psn, body=b"", **fields):
        self.wire.send(op, self.qpn, psn, body, **fields)

    def write(self, psn, op="ONLY", n=8, length=8, rkey=None):
        reth = struct.pack(">QII", self.mr["va"], self.mr["rkey"] if rkey is None else rkey, length)
        self.send(f"RDMA_WRITE_{op}", psn, (reth if op in ("FIRST", "ONLY") else b"") + bytes(n))

    def read(self, psn, offset, length):
        self.send("RDMA_READ_REQUEST", psn, struct.pack(">QII", self.mr["va"] + offset, self.mr["rkey"], length))

    def answer(self, psn, syndrome=ACK, op="ACKNOWLEDGE", data=b"", msn=1):
        aeth = b"" if op == READ_MIDDLE else struct.pack(">I", syndrome << 24 | msn)
        self.send(op, psn, aeth + data, ackreq=0)

    def comes(self, op, psn, patience=2, **fields):
        """The next packet, which must be this one. With syndrome, that of its AETH."""
        frame = self.wire.receive(patience)
        came = frame and (name(frame[BTH].opcode), frame[BTH].psn)
        expect("packet", came, (op, psn))
        if "syndrome" in fields:
            expect(f"{op}'s syndrome", frame[AETH].syndrome, fields["syndrome"])
        return frame

    def silence(self, patience=0.3):
        frame = self.wire.receive(patience)
        expect("packet", frame and (name(frame[BTH].opcode), frame[BTH].psn), None)


def name(number):
    for word in ("SEND_FIRST", "SEND_MIDDLE", "SEND_LAST", "SEND_ONLY", "RDMA_WRITE_FIRST", "RDMA_WRITE_ONLY", "RDMA_READ_REQUEST",
                 READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY, "ACKNOWLEDGE", "ATOMIC_ACKNOWLEDGE", "COMPARE_SWAP", "FETCH_ADD"):
        if opcode("RC", word)[0] == number:
            return word
    return f"{number:#x}"


def expect(what, came, wanted):
    if came != wanted:
        raise AssertionError(f"{what} {came}, not {wanted}")
