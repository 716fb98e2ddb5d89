# SPDX-License-Identifier: BSD-2-Clause
"""The table of connection attempts: how each is made between two guests, from which the cause of its failure is known."""

import random
import zlib
from dataclasses import dataclass
from typing import Callable, Optional

from relay import BTH, CM_MESSAGES, DETH, cm_message, is_roce

B, B_V6, NOBODY = "10.0.0.2", "2001:db8::2", "10.0.0.3"
FOR_EVER = 1 << 30


@dataclass(frozen=True)
class Loss:
    """Frames of one guest that the relay captures and then drops."""

    side: str
    what: tuple = ()  # messages of the connection manager; empty: every RoCE packet
    first: int = FOR_EVER  # drops so many such frames, then no more
    share: float = 1.0  # of them


@dataclass(frozen=True)
class Attempt:
    name: str  # also that of its files
    truth: str  # the cause, known from how the attempt is made
    why: str  # rows of dissect/track/cm_why.h: `ibdissect -z cm` must find one of them, and no other warning
    client: str  # on a
    server: str = ""  # on b; empty: none
    losses: tuple = ()
    before: str = ""  # on b, when the server listens
    during: tuple = ()  # (seconds after the client's start, guest, command)
    inject: Optional[Callable] = None  # a frame for b, made of the capture's first REQ, sent before the client ends
    patience: int = 12  # seconds until the client is ended
    quiet: float = 0.3  # seconds without a packet that end the capture


class Losses:
    """Decides for Relay which frames do not arrive; the random numbers are the same in each run."""

    def __init__(self, losses):
        self.losses = [(loss, {CM_MESSAGES[name] for name in loss.what}) for loss in losses]
        self.left = [loss.first for loss in losses]
        self.random = random.Random(7)

    def __call__(self, side, frame):
        if not is_roce(frame):
            return False
        message = cm_message(frame)
        for n, (loss, wanted) in enumerate(self.losses):
            if loss.side != "ab"[side] or (wanted and message not in wanted) or not self.left[n]:
                continue
            if self.random.random() < loss.share:
                self.left[n] -= 1
                return True
        return False


# ---- frames made of a REQ ----

BTH_AT = 42  # RoCEv2, IPv4 without options
MAD_AT = BTH_AT + BTH + DETH
REQ_AT = MAD_AT + 24


def with_icrc(frame):
    """Chapter 9.7, annex A17.3.3: over the packet from the IP header on, behind 8 bytes of ones, with ones in the fields that
    routers change."""
    masked = bytearray(b"\xff" * 8 + frame[14:-4])
    for at in (1, 8, 10, 11, 26, 27, 32):
        masked[8 + at] = 0xFF
    return frame[:-4] + zlib.crc32(bytes(masked)).to_bytes(4, "little")


def changed(frame, *changes):
    frame = bytearray(frame)
    for at, value in changes:
        frame[at : at + len(value)] = value
    return with_icrc(bytes(frame))


def another_request(req):
    """A REQ with another communication ID and transaction, but the queue pair of the existing connection."""
    return changed(req, (MAD_AT + 12, b"\x5a\x5a\x5a\x5a"), (REQ_AT, b"\x77\x77\x77\x77"))


def nobodys_reply(req):
    """A DREQ for a connection that b never had."""
    ids = b"\x77\x77\x77\x77" + b"\x66\x66\x66\x66" + b"\0\0\x11\0"
    return changed(req, (MAD_AT + 12, b"\x6b\x6b\x6b\x6b"), (MAD_AT + 16, b"\0\x15"), (REQ_AT, ids + bytes(232 - len(ids))))


def rping(options="", address=B, port=""):
    return f"rping -c -a {address} {port}-v -S 100 {options}"


RPING_C, RPING_S, RPING_S_V6 = rping("-C 2"), f"rping -s -a {B} -v -S 100", f"rping -s -a {B_V6} -v -S 100"
ENDLESS = rping()

ATTEMPTS = (
    Attempt("rping", "connects", "CONNECTED", RPING_C, RPING_S + " -C 2"),
    Attempt("rping-v6", "connects", "CONNECTED", rping("-C 2", B_V6), RPING_S_V6 + " -C 2"),
    Attempt("ucmatose", "connects", "CONNECTED", f"ucmatose -s {B} -c 2 -C 2 -S 64", f"ucmatose -b {B} -c 2 -C 2 -S 64"),
    Attempt("udaddy", "a datagram service is resolved", "SIDR_RESOLVED", f"udaddy -s {B} -c 1 -C 2 -S 64", f"udaddy -b {B} -c 1 -C 2 -S 64"),
    Attempt("cmtime", "connects, 10 times", "CONNECTED", f"cmtime -s {B} -c 10", f"cmtime -b {B} -c 10"),
    Attempt("no-listener", "no program listens at b", "NO_LISTENER", RPING_C),
    Attempt("no-listener-v6", "no program listens at b, IPv6", "NO_LISTENER", rping("-C 2", B_V6)),
    Attempt("wrong-port", "a program listens at b, at another port", "NO_LISTENER", rping("-C 2", port="-p 9999 "), RPING_S),
    Attempt("wrong-family", "a program listens at b for IPv4, and a asks over IPv6", "REFUSED", f"rdma_xclient -s {B_V6}", "rdma_xserver"),
    Attempt(
        "wrong-port-space",
        "the service is connected at b, and a asks for a datagram service",
        "SIDR_NO_SERVICE",
        f"udaddy -s {B} -c 1 -C 2 -S 64",
        f"ucmatose -b {B} -c 1 -C 2 -S 64",
    ),
    Attempt("no-datagram-listener", "no program listens at b for datagrams", "SIDR_NO_SERVICE", f"udaddy -s {B} -c 1 -C 2 -S 64"),
    Attempt(
        "rejected",
        "b's program takes one connection, and rejects the second",
        "REFUSED",
        f"ucmatose -s {B} -c 2 -C 2 -S 64",
        f"ucmatose -b {B} -c 1 -C 2 -S 64",
    ),
    Attempt(
        "server-killed-asked",
        "b's program is stopped, and killed while the REQ waits for it",
        "REFUSED",
        RPING_C,
        RPING_S,
        before="kill -STOP $(pidof rping)",
        during=((2, "b", "killall -9 rping"),),
    ),
    Attempt(
        "server-stopped",
        "b's program is stopped: its kernel asks for more time, and a's program is ended meanwhile",
        "GAVE_UP_AFTER_MRA",
        RPING_C,
        RPING_S,
        before="kill -STOP $(pidof rping)",
        patience=15,
    ),
    Attempt(
        "server-killed",
        "b's program is killed while the connection is there",
        "DISCONNECTED",
        ENDLESS,
        RPING_S,
        during=((2, "b", "killall -9 rping"),),
    ),
    Attempt("no-host", "nobody has the address, and a's program is ended", "GAVE_UP", rping("-C 2", NOBODY)),
    Attempt("no-host-timeout", "nobody has the address, until a's kernel gives up", "GAVE_UP", rping("-C 2", NOBODY), patience=100, quiet=8),
    Attempt(
        "no-host-datagrams",
        "nobody has the address, and a asks for a datagram service",
        "SIDR_NO_ANSWER",
        f"udaddy -s {NOBODY} -c 1 -C 2 -S 64",
    ),
    Attempt(
        "answers-lost",
        "b's REP does not arrive at a",
        "GAVE_UP_ON_REP",
        RPING_C,
        RPING_S,
        losses=(Loss("b", ("REP",)),),
        patience=15,
    ),
    Attempt(
        "confirmation-lost",
        "a's RTU does not arrive at b",
        "RTU_LATE",
        RPING_C,
        RPING_S,
        losses=(Loss("a", ("RTU",)),),
        patience=15,
    ),
    Attempt("confirmation-late", "a's first RTU is lost", "RTU_LATE", RPING_C, RPING_S + " -C 2", losses=(Loss("a", ("RTU",), 1),), patience=20),
    Attempt("request-lost-twice", "a's first two REQs are lost", "CONNECTED_LATE", RPING_C, RPING_S + " -C 2", losses=(Loss("a", ("REQ",), 2),), patience=30),
    Attempt(
        "loss-30",
        "30 % of both sides' messages are lost",
        "CONNECTED_LATE RTU_LATE DISCONNECTED_LATE DREQ_UNANSWERED",
        f"ucmatose -s {B} -c 4 -C 1 -S 64",
        f"ucmatose -b {B} -c 4 -C 1 -S 64",
        losses=(Loss("a", tuple(CM_MESSAGES), share=0.3), Loss("b", tuple(CM_MESSAGES), share=0.3)),
        patience=60,
        quiet=6,
    ),
    Attempt(
        "disconnect-lost",
        "b disconnects, and no message about it arrives at either end",
        "DREQ_UNANSWERED",
        f"ucmatose -s {B} -c 1 -C 1 -S 64",
        f"ucmatose -b {B} -c 1 -C 1 -S 64",
        losses=(Loss("b", ("DREQ", "DREP")), Loss("a", ("DREQ", "DREP"))),
        patience=30,
        quiet=8,
    ),
    Attempt(
        "stale",
        "another REQ for the queue pair of a connection that is there, from its own end",
        "STALE",
        ENDLESS,
        RPING_S,
        inject=another_request,
        patience=4,
    ),
    Attempt("stranger", "a DREQ for a connection that b does not have", "CONNECTED", RPING_C, RPING_S + " -C 2", inject=nobodys_reply),
    Attempt("client-killed", "a's program is killed while b's REP is lost", "GAVE_UP_ON_REP", RPING_C, RPING_S, losses=(Loss("b"),), during=((3, "a", "killall -9 rping"),)),
)
