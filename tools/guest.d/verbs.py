# SPDX-License-Identifier: BSD-2-Clause
"""Experiments by verbs, through the agents of both guests: operations that perftest and ibverbs-utils lack, mainly errors.

Each is a function of the two ends of a connection, a's and b's, that are not yet connected (End). Each function names the completions
that it expects, and fails on others.
"""

import time

from peer import Failed

RIGHTS = ["local_write", "remote_write", "remote_read", "remote_atomic", "mw_bind"]
BYTES = 65536
NO_KEY = 0x12345  # an R_Key without a region
PSN_A, PSN_B = 0x111111, 0x222222
# Exponents of the timeout: half a second, more than an emulated processor needs to answer; 67 ms where packets are lost; and
# four seconds where answers are delayed.
PATIENT, QUICK, VERY_PATIENT = 17, 14, 20


class End:
    """A queue pair with a region of memory, and a completion queue."""

    def __init__(self, agent, kind="rc", rights=None):
        self.ask = agent
        self.kind = kind
        self.pd, self.cq = agent("create_pd")["pd"], agent("create_cq", depth=64)["cq"]
        self.mr = agent("reg_mr", pd=self.pd, length=BYTES, access=rights or RIGHTS, fill=agent.name)
        self.qpn = agent("create_qp", type=kind, pd=self.pd, scq=self.cq, rcq=self.cq, sig_all=True, sq=32, rq=32)["qpn"]

    def sge(self, length, at=0):
        return [{"at": self.mr["local"] + at, "len": length, "lkey": self.mr["lkey"]}] if length else []

    def post(self, op, length, number, at=0, **more):
        self.ask("post_send", qpn=self.qpn, wr={"op": op, "id": number, "sge": self.sge(length, at), **more})

    def receive(self, length, number, at=0):
        self.ask("post_recv", qpn=self.qpn, wr={"id": number, "sge": self.sge(length, at)})

    def completes(self, number, status="success", seconds=10):
        """The next completion; Failed when it is not this one. Without a status any is accepted and recorded."""
        until = time.monotonic() + seconds
        while not (wc := self.ask("poll_cq", cq=self.cq)["wc"]):
            if time.monotonic() > until:
                raise Failed(f"guest {self.ask.name}: no completion of {number} after {seconds} s")
            time.sleep(0.005)
        if (wc["id"], wc["status"]) != (number, status or wc["status"]):
            raise Failed(f"guest {self.ask.name}: {wc['id']} ends with {wc['status']}, not {number} with {status}")
        return wc

    def does(self, op, length, number, status="success", **more):
        self.post(op, length, number, **more)
        return self.completes(number, status)

    def holds(self, at, data):
        found = self.ask("read_memory", at=self.mr["local"] + at, n=len(data))["hex"]
        if found != data.hex():
            raise Failed(f"guest {self.ask.name}: byte {at} of its memory: {found}, not {data.hex()}")


def ends(a, b, kind="rc", rights=None):
    return End(a, kind), End(b, kind, rights)


def join(a, b, psn=(PSN_A, PSN_B), pmtu=1024, min_rnr=12, timeout=PATIENT, retry=7, rnr_retry=7):
    for own, other, first, expected in ((a, b, psn[0], psn[1]), (b, a, psn[1], psn[0])):
        rc = own.kind == "rc"
        to_rtr = {"dest_rd": 4, "min_rnr": min_rnr} if rc else {}
        to_rts = {"timeout": timeout, "retry": retry, "rnr_retry": rnr_retry, "rd": 4} if rc else {}
        path = {"av": True, "to": other.ask.address, "hop": 64}
        own.ask("modify_qp", qpn=own.qpn, state="init", pkey=0, port=1, access=RIGHTS[1:4] if rc else RIGHTS[1:2])
        own.ask("modify_qp", qpn=own.qpn, state="rtr", **path, pmtu=pmtu, qpn_of_peer=other.qpn, epsn=expected, **to_rtr)
        own.ask("modify_qp", qpn=own.qpn, state="rts", psn=first, **to_rts)


def pair(a, b, rights=None, **attributes):
    a, b = ends(a, b, rights=rights)
    join(a, b, **attributes)
    return a, b


def there(end, at=0, key=None):
    """An offset in the other end's memory."""
    return {"to": end.mr["va"] + at, "rkey": end.mr["rkey"] if key is None else key}


# ---- what succeeds ----


def write(a, b):
    a, b = pair(a, b)
    for number, length in enumerate((1, 1024, 3000), 1):
        a.does("write", length, number, **there(b, 8192 * number))
    a.does("read", 3000, 4, at=32768, **there(b, 8192 * 3))
    data = bytes.fromhex(a.ask("read_memory", at=a.mr["local"], n=3000)["hex"])
    b.holds(8192 * 3, data)
    a.holds(32768, data)


def writes(a, b):
    """Posts all requests at once, so that later packets show the loss of earlier ones."""
    a, b = pair(a, b, pmtu=256, timeout=QUICK)
    data = bytes.fromhex(a.ask("read_memory", at=a.mr["local"], n=8000)["hex"])
    for number in range(8):
        a.post("write", 1000, number, at=1000 * number, **there(b, 1000 * number))
    for number in range(8):
        a.completes(number)
    b.holds(0, data)


def sleepy(a, b):
    a, b = pair(a, b)
    for number in range(12):
        a.does("write", 500, number, **there(b))
        time.sleep(0.1)


def operations(a, b):
    """PSNs wrap; lengths of zero; ATOMICs that change and one that does not."""
    a, b = pair(a, b, pmtu=256, psn=(0xFFFFFE, 0xFFFFFD))
    a.does("write", 1000, 1, **there(b))
    a.does("read", 900, 2, at=8192, **there(b, 3))
    a.does("write", 0, 3, to=0, rkey=0)
    a.does("read", 0, 4, to=0, rkey=0)
    b.ask("write_memory", at=b.mr["local"] + 8192, hex="00" * 8)
    a.does("fetch_add", 8, 5, at=16384, cmp=5, **there(b, 8192))
    a.does("cmp_swap", 8, 6, at=16384, cmp=5, swap="0x1122334455667788", **there(b, 8192))
    a.does("cmp_swap", 8, 7, at=16384, cmp=5, swap=0, **there(b, 8192))
    b.ask("read_memory", at=b.mr["local"] + 8192, n=8)


def immediate(a, b):
    a, b = pair(a, b)
    for number in range(1, 4):
        b.receive(8192, number, at=8192 * number)
    a.does("send_imm", 3000, 1, imm=0xDEADBEEF, solicited=True)
    a.does("write_imm", 100, 2, imm=0x01020304, **there(b))
    a.does("send", 0, 3)
    for number in range(1, 4):
        b.completes(number)


def unreliable(a, b):
    a, b = ends(a, b, kind="uc")
    join(a, b, pmtu=256)
    b.receive(4096, 1)
    b.receive(0, 2)
    a.does("send", 700, 1)
    a.does("write", 700, 2, **there(b, 8192))
    a.does("write_imm", 10, 3, imm=7, **there(b, 8192))
    b.completes(1)
    b.completes(2)


def bound(b, kind):
    """A window of b's on 64 bytes that may be written."""
    window = b.ask("alloc_mw", type=kind, pd=b.pd)["rkey"]
    b.post("bind_mw", 0, 100, mw=window, lkey=b.mr["lkey"], va=b.mr["local"], len=64, access=["remote_write"], key=(window + 1) % 256)
    return b.completes(100)["rkey"]


def window(a, b):
    a, b = pair(a, b)
    key = bound(b, 1)
    a.does("write", 64, 1, to=b.mr["va"], rkey=key)
    a.does("write", 65, 2, None, to=b.mr["va"], rkey=key)  # Linux 6.1 and 6.12 do not look at the window's end


def invalidate(a, b):
    """The window's key is valid until the SEND that invalidates it."""
    a, b = pair(a, b)
    key = bound(b, 2)
    b.receive(4096, 1)
    a.does("write", 64, 1, to=b.mr["va"], rkey=key)
    a.does("send_inv", 10, 2, inv=key)
    b.completes(1)
    a.does("write", 64, 3, "remote_access", to=b.mr["va"], rkey=key)


# ---- requests that fail ----


def rnr_recover(a, b):
    a, b = pair(a, b, min_rnr=18)
    a.post("send", 2000, 1)
    time.sleep(0.05)
    b.receive(4096, 9)
    a.completes(1)
    b.completes(9)


def tiny_receive_queue(a, b):
    a, b = pair(a, b, min_rnr=18)
    for number in range(8):
        a.post("send", 500, number)
    for number in range(8):
        time.sleep(0.1)
        b.receive(4096, number)
        a.completes(number)
        b.completes(number)


def rnr_exhaust(a, b):
    a, b = pair(a, b, min_rnr=14, rnr_retry=2)
    a.does("send", 100, 1, "rnr_retry_exceeded")


def refused(op, status="remote_access", rights=None, **where):
    """3,000 bytes to or from an address that is not allowed: `at` after the region's begin, `key`."""

    def play(a, b):
        a, b = pair(a, b, rights=rights)
        a.does(op, 3000, 1, status, **there(b, **where))

    return play


# Devices disagree on the attributes that both ends of these two get.


def invalidate_nothing(a, b):
    a, b = pair(a, b)
    b.receive(4096, 1)
    b.receive(4096, 2)
    a.does("send", 10, 1)
    b.completes(1)
    a.does("send_inv", 10, 2, None, inv=NO_KEY)
    b.completes(2, None)


def receive_too_short(a, b):
    a, b = pair(a, b)
    b.receive(100, 1)
    a.does("send", 3000, 1, None)
    b.completes(1, None)


def nobody(do):
    """The destination QP is gone, or in the error state: retries, and no response."""

    def play(a, b):
        a, b = pair(a, b, timeout=12, retry=2)
        do(b)
        a.does("send", 100, 1, "retry_exceeded")

    return play


def gone(b):
    b.ask("destroy", kind="qp", number=b.qpn)


def broken(b):
    b.ask("modify_qp", qpn=b.qpn, state="err")
