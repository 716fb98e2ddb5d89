#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""recheck_newer.py [NAME...]: shows by hand the deviations that the waivers in conformance/waivers/rxe.json list for newer
kernels only: one function a waiver. Run by `tools/guest run --kernel 6.12 -- tools/guest.d/recheck_newer.py`."""

import pathlib
import struct
import sys
import time
import zlib

from scapy.contrib.roce import AETH, BTH, opcode

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from by_hand import EPSN, PSN, RIGHTS, console  # pylint: disable=wrong-import-position
from device import Qp, one_device  # pylint: disable=wrong-import-position
from recheck import deviation, main  # pylint: disable=wrong-import-position

ACK, NAK_REQUEST, NAK_ACCESS = 0x1F, 0x61, 0x62


def sent(d, word, psn):
    """The next packet is this one of the device's own; psn counts from its first."""
    frame = d.packet()
    came = frame[BTH].opcode, frame[BTH].psn
    assert came == (opcode("RC", word)[0], PSN + psn), f"{came}, not {word} {PSN + psn:#x}"


def acknowledge(qp, psn, msn):
    qp.device.wire.send("ACKNOWLEDGE", qp.n, PSN + psn, struct.pack(">I", ACK << 24 | msn), ackreq=0)


@deviation
def local_failure_is_flushed(d):
    """A SEND with an invalid key, a bind beyond its region, and a READ on an unreliable connection are flushed."""
    Qp(d, "rc").post("send", sge=d.sge(8, lkey=0xBAD))
    d.completes("flushed")
    window = d.window(2)
    Qp(d, "rc").post("bind_mw", mw=window["rkey"], lkey=d.m["lkey"], va=d.m["local"] + 65000, len=1000, access=["remote_write"],
                     key=(window["rkey"] + 1) % 256)
    d.completes("flushed")
    Qp(d, "uc").post("read", sge=d.sge(8), to=0x10000, rkey=1)
    d.completes("flushed")


@deviation
def error_raises_no_solicited_notification(d):
    """A flushed receive does not notify a completion queue armed for solicited completions."""
    qp = Qp(d, "rc")
    qp.receive(d.sge(2048))
    d("arm_cq", cq=d.cq, solicited=True)
    qp.send("SEND_MIDDLE", 0, bytes(1024))
    d.answers(NAK_REQUEST)
    d.completes("flushed")
    time.sleep(0.5)
    times = d("notified", cq=d.cq)["times"]
    assert times == 0, f"{times} notifications"


@deviation
def denied_read_counts_in_msn(d):
    """The NAK of a READ past the highest address has MSN 1, the READ being the first message."""
    qp = Qp(d, "rc")
    qp.send("RDMA_READ_REQUEST", 0, struct.pack(">QII", 0xFFFFFFFFFFFFFFF8, d.m["rkey"], 16))
    frame = d.packet()
    came = frame[AETH].syndrome, frame[AETH].msn
    assert came == (NAK_ACCESS, 1), came


@deviation
def work_of_before_reset_is_sent(d):
    """After a Reset the first SEND is preceded by a WRITE that was not posted."""
    qp = Qp(d, "rc")
    qp.post("send", sge=d.sge(8))
    sent(d, "SEND_ONLY", 0)
    qp.modify("reset")
    for state in ("init", "rtr", "rts"):
        qp.change(state)
    qp.post("send", sge=d.sge(8))
    sent(d, "RDMA_WRITE_ONLY", 0)
    sent(d, "SEND_ONLY", 1)


@deviation
def timer_put_off_by_sends(d):
    """With a timeout of 67 ms and a SEND every 50 ms, the first one, unanswered, is not sent again for 300 ms."""
    qp = Qp(d, "rc", timeout=14)
    for psn in range(6):
        qp.post("send", sge=d.sge(8))
        sent(d, "SEND_ONLY", psn)
        time.sleep(0.05)
    acknowledge(qp, 5, 6)


@deviation
def write_of_no_length_with_payload_warns(d):
    """It gets NAK Remote Access Error, and the kernel warns, the first time."""
    before = console().count("rxe_mr_copy")
    said = d("log").get("text", "")
    qp = Qp(d, "rc")
    qp.send("RDMA_WRITE_ONLY", 0, struct.pack(">QII", d.m["va"], d.m["rkey"], 0) + bytes(8))
    d.answers(NAK_ACCESS)
    said = d("log").get("text", "")
    assert "rxe_mr_copy" in said or before or console().count("rxe_mr_copy"), f"its log: {said}"


@deviation
def drained_event_unasked(d):
    """The event of a drained send queue comes without a request for it."""
    qp = Qp(d, "rc")
    qp.post("send", sge=d.sge(8))
    sent(d, "SEND_ONLY", 0)
    qp.modify("sqd")
    acknowledge(qp, 0, 1)
    d.completes("success")
    event = d.ask.waited_for("event", "poll_event")
    assert event["kind"] == "sq_drained", event


@deviation
def kept_work_not_sent_after_drain(d):
    """Work that is posted in Send Queue Drain is not sent when the queue pair leaves it."""
    qp = Qp(d, "rc")
    qp.post("send", sge=d.sge(8))
    sent(d, "SEND_ONLY", 0)
    qp.modify("sqd")
    qp.post("send", sge=d.sge(8))
    acknowledge(qp, 0, 1)
    d.completes("success")
    qp.modify("rts")
    d.silent(1)


FLUSH = 0x1C
ICRC, BEFORE_BTH = 4, 14 + 20 + 8  # bytes; Ethernet, IPv4, UDP


def with_headers_twice(frame):
    """The same with an ICRC that covers the headers, from the BTH on, once more."""
    body = frame[:BEFORE_BTH - 2] + bytes(2) + frame[BEFORE_BTH:-ICRC]  # no UDP checksum; the ICRC does not cover it
    return body + zlib.crc32(body[BEFORE_BTH:], int.from_bytes(frame[-ICRC:], "little")).to_bytes(ICRC, "little")


@deviation
def flush_icrc_covers_headers_twice(d):
    """A FLUSH is dropped; with an ICRC that covers its headers twice it is answered."""
    qp = Qp(d, "rc", access=[*RIGHTS[1:], "flush_global"])
    region = d.region([*RIGHTS, "flush_global"])
    body = struct.pack(">IQII", 1, region["va"], region["rkey"], 8)
    qp.send(FLUSH, 0, body)
    d.silent(1)
    d.wire.give(with_headers_twice(d.wire.frame(FLUSH, qp.n, EPSN, body)))
    came = d.packet()[BTH]
    assert (came.opcode, came.psn) == (opcode("RC", "RDMA_READ_RESPONSE_ONLY")[0], EPSN), (came.opcode, came.psn)


@deviation
def on_demand_pages_from_their_start(d):
    """A READ of 100 bytes at offset 4090 of an on-demand region returns the first bytes of its second page; offset 0 is right."""
    qp = Qp(d, "rc")
    region = d.region([*RIGHTS, "on_demand"])
    for n, (at, returned) in enumerate(((0, 0), (4090, 4096))):
        qp.send("RDMA_READ_REQUEST", n, struct.pack(">QII", region["va"] + at, region["rkey"], 100))
        frame = d.packet()
        assert frame[BTH].opcode == opcode("RC", "RDMA_READ_RESPONSE_ONLY")[0], frame[BTH].opcode
        payload = bytes(frame)[BEFORE_BTH + 12 + 4:][:94]
        memory = bytes.fromhex(d("read_memory", at=region["local"] + returned, n=94)["hex"])
        assert payload == memory, f"at {at}: {payload[:8].hex()}, not {memory[:8].hex()}"


@deviation
def repeated_read_without_the_right(d):
    """After remote read was taken from its region a READ is denied, but one from before is answered again."""
    qp = Qp(d, "rc")
    region = d.region(RIGHTS)

    def read(psn):
        qp.send("RDMA_READ_REQUEST", psn, struct.pack(">QII", region["va"], region["rkey"], 8))

    def answered():
        came = d.packet()[BTH].opcode
        assert came == opcode("RC", "RDMA_READ_RESPONSE_ONLY")[0], came

    read(0)
    answered()
    region = d("reregister", lkey=region["lkey"], access=["local_write"])
    read(0)
    answered()
    read(1)
    d.answers(NAK_ACCESS)


if __name__ == "__main__":
    with one_device() as seen:
        code = main(sys.argv[1:], seen)
    sys.exit(code)
