#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""recheck_rc.py [NAME]...: shows the deviations of reliable connections that the waivers list for Soft-RoCE again, with
packets built here, byte by byte: no code of ibproof takes part. Run by `tools/guest run -- tools/guest.d/recheck_rc.py`; a line for each name; exit code
1 when one is not seen. A function is named as its waiver, with underscores."""

import json
import struct
import sys
import time

from scapy.all import IP, UDP, Ether, IPv6, Raw  # pylint: disable=no-name-in-module
from scapy.contrib.roce import BTH

from by_hand import DEVICE, ROCE, TESTER, console
from rc_by_hand import ACCESS, ACK, EPSN, OPERATION, PSN, READ_FIRST, READ_LAST, READ_MIDDLE, READ_ONLY, RNR, SEQUENCE, Device, expect
from recheck import deviation, main


def fails(d, status, completed=()):
    """The request completes with that status and the queue pair is in Error, whatever the status."""
    for number in completed:
        expect("completion", d.completion(), (number, "success"))
    expect("completion", d.completion()[1], status)
    expect("state", d.state(), "err")


# ---- requester: effects of responses ----


@deviation
def ack_of_what_was_never_sent(device):
    """An ACK of a PSN that was never sent completes the SEND: rxe checks only that it is not before its last packet."""
    for ahead in (1, 100, 0x400000):
        d = device().connect()
        d.post("send")
        d.comes("SEND_ONLY", PSN)
        d.answer(PSN + ahead)
        expect("completion", d.completion(), (1, "success"))


@deviation
def ack_with_payload(device):
    """An ACK with payload completes its SEND."""
    d = device().connect()
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    d.answer(PSN, data=bytes(4))
    expect("completion", d.completion(), (1, "success"))


@deviation
def wrong_answer_completes_as_success(device):
    """A response of the wrong kind ends in Error, yet the request completes as a success, its buffer unchanged."""
    for op, answer, syndrome, data in (("read", "ATOMIC_ACKNOWLEDGE", ACK, bytes(8)), ("fetch_add", "ATOMIC_ACKNOWLEDGE", ACCESS, bytes(8)),
                                       ("read", READ_ONLY, ACCESS, bytes(8)), ("read", READ_ONLY, RNR | 3, bytes(8))):
        d = device().connect()
        before = d.memory(8)
        d.post(op)
        d.comes("FETCH_ADD" if op == "fetch_add" else "RDMA_READ_REQUEST", PSN)
        d.answer(PSN, syndrome, answer, data)
        fails(d, "success")
        expect("memory", d.memory(8), before)


@deviation
def misplaced_read_response_completes_as_success(device):
    """READ responses out of the order of their opcodes end in Error, yet the READ completes as a success."""
    for first, misplaced, n in ((False, READ_LAST, 4), (False, READ_MIDDLE, 256), (True, READ_FIRST, 256), (True, READ_ONLY, 88)):
        d = device().connect(pmtu=256)
        d.post("read", 600)
        d.comes("RDMA_READ_REQUEST", PSN)
        if first:
            d.answer(PSN, op=READ_FIRST, data=bytes(256))
        d.answer(PSN + first, op=misplaced, data=bytes(n))
        fails(d, "success")


@deviation
def nak_inside_read_completes_as_success(device):
    """A NAK after the first response of a READ ends in Error, yet the READ completes as a success, mostly without data."""
    for responses in ((READ_FIRST,), (READ_FIRST, READ_MIDDLE)):
        d = device().connect(pmtu=256)
        before = d.memory(256, 512)
        d.post("read", 768)
        d.comes("RDMA_READ_REQUEST", PSN)
        for i, op in enumerate(responses):
            d.answer(PSN + i, op=op, data=bytes(256))
        d.answer(PSN + len(responses), ACCESS)
        fails(d, "success")
        expect("memory", d.memory(256, 512), before)


@deviation
def plain_ack_completes_read(device):
    """A plain ACK completes READs and ATOMICs as successes without data; the state stays RTS."""
    for op, request in (("read", "RDMA_READ_REQUEST"), ("fetch_add", "FETCH_ADD"), ("cmp_swap", "COMPARE_SWAP")):
        d = device().connect(retry=0)
        before = d.memory(8)
        d.post(op)
        d.comes(request, PSN)
        d.answer(PSN)
        expect("completion", d.completion(), (1, "success"))
        expect("memory and state", (d.memory(8), d.state()), (before, "rts"))


@deviation
def reserved_syndrome_fails_request(device):
    """Reserved syndromes fail the request, most of them with a completion that reports success; reserved NAK codes too."""
    for syndrome, status in ((0x40, "success"), (0x5F, "success"), (0x80, "success"), (0xFF, "success"),
                             (0x65, "remote_operation"), (0x7F, "remote_operation")):
        d = device().connect()
        d.post("send")
        d.comes("SEND_ONLY", PSN)
        d.answer(PSN, syndrome)
        fails(d, status)


@deviation
def foreign_read_response_has_no_status(device):
    """A READ response to a SEND fails it with IB_WC_FATAL_ERR, which the agent must report as remote_aborted: no status of
    11.6.2."""
    d = device().connect()
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    d.answer(PSN, op=READ_ONLY, data=bytes(8))
    fails(d, "remote_aborted")


@deviation
def read_response_length_taken(device):
    """READ responses of any length are accepted while they fit: too short ones never complete the READ, not even with its timer,
    and wrong ones with the right sum do; only one that exceeds the buffer fails it, as a protection error."""
    for length, first, op, n in ((8, 0, READ_ONLY, 0), (8, 0, READ_ONLY, 4), (344, 256, READ_LAST, 84)):
        d = answered_read(device, length, first, op, n)
        d.silence(2 * d.over)
        d.no_completion(0)
        expect("state", d.state(), "rts")
    d = answered_read(device, 600, 252, READ_MIDDLE, 256)
    d.answer(PSN + 2, op=READ_LAST, data=bytes(92))
    expect("completion", d.completion(), (1, "success"))
    for length, first, op, n in ((8, 0, READ_ONLY, 12), (344, 256, READ_LAST, 92)):
        fails(answered_read(device, length, first, op, n), "local_protection")


def answered_read(device, length, first, op, n):
    """A READ whose response comes before half of its timeout is over: on a busy machine one with a longer timeout. Its `over` is
    the time in s after which all retries are used up."""
    for code in (14, 16, 18):
        timeout = 4.096e-6 * (1 << code)
        d = device().connect(pmtu=256, timeout=code, retry=2)
        d.over = 3 * timeout
        begun = time.monotonic()
        d.post("read", length)
        d.comes("RDMA_READ_REQUEST", PSN)
        if first:
            d.answer(PSN, op=READ_FIRST, data=bytes(first))
        d.answer(PSN + (first > 0), op=op, data=bytes(n))
        took = time.monotonic() - begun
        if took < timeout / 2:
            return d
    raise AssertionError(f"the machine is too busy to tell: the answer took {took:.2f} s of {timeout:.2f} s")


@deviation
def nak_code_4_is_an_operation_error(device):
    """NAK code 4 fails its request with Remote Operation Error, not with Remote Invalid RD Request."""
    d = device().connect()
    for number in (1, 2):
        d.post("send", number=number)
        d.comes("SEND_ONLY", PSN + number - 1)
    d.answer(PSN + 1, 0x64)
    fails(d, "remote_operation", completed=(1,))


# ---- requester: losses and timers ----


@deviation
def read_hole_waits_for_timer(device):
    """A gap in READ responses is no implied NAK: without a timer the READ is never sent again."""
    d = device().connect(pmtu=256)
    d.post("read", 1280)
    d.comes("RDMA_READ_REQUEST", PSN)
    d.answer(PSN, op=READ_FIRST, data=bytes(256))
    d.answer(PSN + 2, op=READ_MIDDLE, data=bytes(256))
    d.silence(1)
    d.no_completion(0)


@deviation
def implied_nak_once(device):
    """Once a NAK has caused a retry, an ACK beyond the READ causes none: without a timer nothing more is sent."""
    d = device().connect()
    d.post("read")
    d.post("send", number=2)
    for syndrome in (SEQUENCE, ACK):
        d.comes("RDMA_READ_REQUEST", PSN)
        d.comes("SEND_ONLY", PSN + 1)
        d.answer(PSN + (syndrome == ACK), syndrome)
    d.silence(1)
    d.no_completion(0)


@deviation
def drain_forgets_what_is_open(device):
    """In SQD the timeout reports the queue as drained instead of sending again, and the request is lost: no ACK, no RTS helps."""
    d = device().connect(timeout=14, retry=3)
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    d.modify("sqd")
    d.silence(0.6)
    expect("event", d.agent("poll_event")["event"]["kind"], "sq_drained")
    d.answer(PSN)
    d.no_completion()
    d.modify("rts")
    d.silence(0.6)
    d.no_completion(0)


@deviation
def local_fault_stalls_queue(device):
    """After a bad L_Key the ACK of an earlier outstanding request is ignored: nothing completes, the state stays RTS."""
    d = device().connect(timeout=14, retry=2)
    d.post("send")
    d.post("send", lkey=0x00BAD000, number=2)
    d.post("send", number=3)
    d.comes("SEND_ONLY", PSN)
    d.answer(PSN)
    d.silence(0.6)
    d.no_completion(0)
    expect("state", d.state(), "rts")


@deviation
def bad_send_key_is_operation_error(device):
    """A wrong L_Key completes as Local QP Operation Error, alone in the send queue."""
    for op in ("send", "write"):
        d = device().connect()
        d.post(op, lkey=0x00BAD000)
        fails(d, "local_qp_operation")


@deviation
def overlong_message_is_taken(device):
    """Messages of 2^31 + 1 bytes are accepted and fail later; a READ of that length is even sent, with it as DMA length."""
    for op in ("send", "write"):
        d = device().connect(pmtu=4096)
        d.post(op, 1 << 31, then=[1])
        expect("state", (d.completion()[1] == "success", d.state()), (False, "err"))
    d = device().connect(pmtu=4096)
    d.post("read", 1 << 31, then=[1])
    request = d.comes("RDMA_READ_REQUEST", PSN)
    expect("DMA length", struct.unpack(">QII", bytes(request[BTH].payload)[:16])[2], (1 << 31) + 1)


@deviation
def read_without_depth_waits_for_ever(device):
    """A READ on a connection of depth 0 is accepted, never sent, never completes, and blocks later requests."""
    d = device().connect(rd=0)
    d.post("read")
    d.post("send", number=2)
    d.silence(1)
    d.no_completion(0)
    expect("state", d.state(), "rts")


@deviation
def read_of_half_the_psns(device):
    """A READ whose responses take 2^23 PSNs is sent as one request, and its timeout finds nothing to repeat: it never ends."""
    d = device().connect(pmtu=256, timeout=8, retry=1)
    d.post("read", (1 << 31) - 256)
    d.comes("RDMA_READ_REQUEST", PSN)
    d.comes("RDMA_READ_REQUEST", PSN)
    fails(d, "retry_exceeded")
    d = device().connect(pmtu=256, timeout=8, retry=1)
    d.post("read", 1 << 31)
    d.comes("RDMA_READ_REQUEST", PSN)
    d.silence(1)
    d.no_completion(0)


@deviation
def retry_count_7_is_forever(device):
    """With retry count 7 a request is sent more than 8 times: 40 are counted."""
    d = device().connect(timeout=8, retry=7)
    d.post("send")
    for _ in range(40):
        d.comes("SEND_ONLY", PSN)
    d.no_completion(0)


@deviation
def timer_counts_ticks(device):
    """Timeouts are whole ticks, rounded down: 67.1 ms become 64 ms and part of a tick. Of twenty first retries some are early."""
    waits = sorted(first_copy_after(device, 14) for _ in range(20))
    if not 0.060 < waits[2] < 0.0671:
        raise AssertionError(f"the first copies came after {', '.join(f'{1000 * x:.1f}' for x in waits)} ms")


def first_copy_after(device, code):
    d = device().connect(timeout=code)
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    start = time.monotonic()
    d.comes("SEND_ONLY", PSN)
    return time.monotonic() - start


@deviation
def timer_not_stopped_by_last_ack(device):
    """The last ACK does not stop the timer: the next request is sent again when the first one's timeout is over."""
    d = device().connect(timeout=17)
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    time.sleep(0.4)
    d.answer(PSN)
    expect("completion", d.completion(), (1, "success"))
    d.post("send", number=2)
    d.comes("SEND_ONLY", PSN + 1)
    d.comes("SEND_ONLY", PSN + 1, patience=0.4)


@deviation
def timer_runs_on_during_rnr(device):
    """The timer runs on during an RNR wait, and uses up the retries: 67 ms and one retry are over before 205 ms."""
    d = device().connect(timeout=14, retry=1)
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    copies = 0
    while copies < 5:
        d.answer(PSN, RNR | 24)
        if not d.wire.receive(0.3):
            break
        copies += 1
    expect("copies borne out", copies < 5, True)
    fails(d, "retry_exceeded")


@deviation
def rnr_nak_counts_twice(device):
    """A second RNR NAK during the wait of the first counts as another: one retry, one copy, and it is used up."""
    d = device().connect(rnr_retry=1)
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    d.answer(PSN, RNR | 20)
    d.answer(PSN, RNR | 20)
    fails(d, "rnr_retry_exceeded")


@deviation
def rnr_wait_holds_no_new_request(device):
    """Requests that are posted during an RNR wait are sent at once, before the request that must be repeated."""
    d = device().connect()
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    d.answer(PSN, RNR | 28)  # 163.84 ms
    d.post("send", number=2)
    d.comes("SEND_ONLY", PSN + 1, patience=0.1)
    d.comes("SEND_ONLY", PSN)


@deviation
def credits_are_not_read(device):
    """After the first message no credits are given (credit code 0), and four more are sent."""
    d = device().connect()
    d.post("send")
    d.comes("SEND_ONLY", PSN)
    d.answer(PSN, 0)
    for n in range(1, 5):
        d.post("send", number=n)
        d.comes("SEND_ONLY", PSN + n)


@deviation
def migration_bit_zero(device):
    """MigReq is 0 in requests and answers alike, though no alternate path was ever given."""
    d = device().connect()
    d.post("send")
    expect("MigReq", d.comes("SEND_ONLY", PSN)[BTH].migreq, 0)
    d.read(EPSN, 0, 8)
    expect("MigReq", d.comes(READ_ONLY, EPSN)[BTH].migreq, 0)
    d.write(EPSN + 1)
    expect("MigReq", d.comes("ACKNOWLEDGE", EPSN + 1)[BTH].migreq, 0)


# ---- responder ----


@deviation
def credits_are_always_invalid(device):
    """Credit code 31 with three receives, and with none."""
    d = device().connect()
    for _ in range(3):
        d.receive(64)
    for n in range(3):
        d.send("SEND_ONLY", EPSN + n, bytes(8))
        d.comes("ACKNOWLEDGE", EPSN + n, syndrome=ACK)


@deviation
def refused_immediate_is_remote_access(device):
    """A WRITE with immediate data and a bad key completes the receive as Remote Access Error."""
    d = device().connect()
    d.receive(64)
    reth = struct.pack(">QII", d.mr["va"], d.mr["rkey"] ^ 1, 8)
    d.send("RDMA_WRITE_ONLY_WITH_IMMEDIATE", EPSN, reth + bytes(4) + bytes(8))
    d.comes("ACKNOWLEDGE", EPSN, syndrome=ACCESS)
    fails(d, "remote_access")


@deviation
def send_lengths_unchecked(device):
    """SENDs whose payload does not fit their opcode are acknowledged; those too long for the path MTU are delivered."""
    for op, n in (("SEND_FIRST", 0), ("SEND_FIRST", 4), ("SEND_FIRST", 1028), ("SEND_ONLY", 1025), ("SEND_ONLY", 2048)):
        d = device().connect()
        d.receive(8192)
        d.send(op, EPSN, bytes(n))
        d.comes("ACKNOWLEDGE", EPSN, syndrome=ACK)
        if op == "SEND_ONLY":
            expect("completion", d.completion(), (9, "success"))
    for op, n in (("SEND_MIDDLE", 0), ("SEND_MIDDLE", 4), ("SEND_LAST", 0), ("SEND_LAST", 1028)):
        d = device().connect()
        d.receive(8192)
        d.send("SEND_FIRST", EPSN, bytes(1024), ackreq=0)
        d.send(op, EPSN + 1, bytes(n))
        d.comes("ACKNOWLEDGE", EPSN + 1, syndrome=ACK)


@deviation
def dma_length_unchecked(device):
    """DMA lengths above 2^31 are not refused as such, but as an access error if the region is smaller."""
    for length in ((1 << 31) + 1, 0xFFFFFFFF):
        for op in ("FIRST", "ONLY"):
            d = device().connect()
            d.write(EPSN, op, 1024, length)
            d.comes("ACKNOWLEDGE", EPSN, syndrome=ACCESS)
        d = device().connect()
        d.read(EPSN, 0, length)
        d.comes("ACKNOWLEDGE", EPSN, syndrome=ACCESS)


@deviation
def repeated_read_starts_in_the_middle(device):
    """A READ that is sent again from its second response on is answered with a Middle first."""
    d = device().connect(pmtu=256)
    d.read(EPSN, 7, 768)
    for i, op in enumerate((READ_FIRST, READ_MIDDLE, READ_LAST)):
        d.comes(op, EPSN + i)
    d.read(EPSN + 1, 7 + 256, 512)
    d.comes(READ_MIDDLE, EPSN + 1)
    d.comes(READ_LAST, EPSN + 2)
    d.read(EPSN + 2, 7 + 512, 256)
    d.comes(READ_LAST, EPSN + 2)


@deviation
def no_established_event(device):
    """The first request in RTR is answered, but raises no event."""
    d = device().connect(state="rtr")
    d.receive()
    d.send("SEND_ONLY", EPSN, bytes(8))
    d.comes("ACKNOWLEDGE", EPSN, syndrome=ACK)
    no_event(d, "rtr")


@deviation
def no_event_of_a_bad_request(device):
    """A WRITE that is refused for its key or length takes the queue pair to Error without an event."""
    for fault in ({"rkey": 0xAA}, {"length": 0xFFFFFFFF}):
        d = device().connect()
        d.write(EPSN, **fault)
        d.comes("ACKNOWLEDGE", EPSN)
        no_event(d, "err")


@deviation
def no_event_of_an_invalid_request(device):
    """A WRITE that is refused for its length takes the queue pair to Error without an event."""
    d = device().connect()
    d.write(EPSN, length=0xFFFFFFFF)
    d.comes("ACKNOWLEDGE", EPSN)
    no_event(d, "err")


def no_event(d, state):
    time.sleep(0.5)
    expect("event", d.agent("poll_event")["event"], None)
    expect("state", d.state(), state)


@deviation
def nak_behind_rnr(device):
    """A request after one that got an RNR NAK gets a sequence NAK, which requests that one at once."""
    d = device().connect(min_rnr=28)
    d.send("SEND_ONLY", EPSN, bytes(8))
    d.comes("ACKNOWLEDGE", EPSN, syndrome=RNR | 28)
    d.send("SEND_ONLY", EPSN + 1, bytes(8))
    d.comes("ACKNOWLEDGE", EPSN, syndrome=SEQUENCE)


@deviation
def long_send_is_a_local_fault(device):
    """A SEND longer than its receive is refused with NAK 0x63, as for a fault of the receive, not with 0x61."""
    for n in (65, 1024):
        d = device().connect()
        d.receive(64)
        d.send("SEND_ONLY", EPSN, bytes(n))
        d.comes("ACKNOWLEDGE", EPSN, syndrome=OPERATION)
        fails(d, "local_qp_operation")
    d = device().connect(pmtu=256)
    d.receive(300)
    d.send("SEND_FIRST", EPSN, bytes(256), ackreq=0)
    d.send("SEND_LAST", EPSN + 1, bytes(45))
    d.comes("ACKNOWLEDGE", EPSN + 1, syndrome=OPERATION)


@deviation
def bad_receive_key_is_operation_error(device):
    """A receive whose L_Key is wrong, or of a region that may not be written, completes as Local QP Operation Error."""
    for access in (None, []):
        d = device().connect()
        key = 0xBAD if access is None else d.agent("reg_mr", pd=d.pd, length=4096, access=access, fill="r")["lkey"]
        d.receive(64, lkey=key)
        d.send("SEND_ONLY", EPSN, bytes(8))
        d.comes("ACKNOWLEDGE", EPSN, syndrome=OPERATION)
        fails(d, "local_qp_operation")


@deviation
def write_of_no_length_with_payload_panics(device):
    """A WRITE of DMA length 0 with payload crashes the kernel, in rxe_mr_copy: no key, no region is needed."""
    d = device().connect()
    before = console().count("Kernel panic")
    d.write(EPSN, n=8, length=0, rkey=0)
    until = time.monotonic() + 20
    while console().count("Kernel panic") == before and time.monotonic() < until:
        time.sleep(0.1)
    expect("panics", console().count("Kernel panic"), before + 1)
    expect("its cause", "RIP: 0010:rxe_mr_copy" in console(), True)


@deviation
def short_datagram_panics(device):
    """A datagram over IPv6 that is too short for a BTH crashes the kernel, in __rxe_put; 12 bytes, or IPv4, do not."""
    for layer, size, dies in ((IPv6, 12, 0), (IP, 0, 0), (IPv6, 0, 1)):
        d = device()
        before = console().count("Kernel panic")
        addresses = ("2001:db8::3", "2001:db8::1") if layer is IPv6 else (TESTER[1], DEVICE[1])
        frame = Ether(src=TESTER[0], dst=DEVICE[0]) / layer(src=addresses[0], dst=addresses[1])
        d.wire.give(bytes(frame / UDP(sport=0xC000, dport=ROCE) / Raw(bytes(size))))
        until = time.monotonic() + (20 if dies else 2)
        while console().count("Kernel panic") == before and time.monotonic() < until:
            time.sleep(0.1)
        expect("panics", console().count("Kernel panic") - before, dies)
    expect("its cause", "RIP: 0010:__rxe_put" in console(), True)


@deviation
def atomic_repeats_a_read(device):
    """An ATOMIC with the PSN of a READ is answered with that READ's address as the value, and not executed."""
    for at in (0, 1):
        d = device().connect(pmtu=256)
        before = d.memory(8)
        d.read(EPSN, 840, 512)
        d.comes(READ_FIRST, EPSN)
        d.comes(READ_LAST, EPSN + 1)
        d.send("FETCH_ADD", EPSN + at, struct.pack(">QIQQ", d.mr["va"], d.mr["rkey"], 1, 0))
        body = bytes(d.comes("ATOMIC_ACKNOWLEDGE", EPSN + at)[BTH].payload)
        expect("syndrome and value", (body[0], int.from_bytes(body[4:12], "big")), (ACK, d.mr["va"] + 840))
        expect("memory", d.memory(8), before)


@deviation
def refused_send_is_kept(device):
    """A send that is refused before Ready to Send is not sent then, and flushed in Error."""
    d = device().connect(state="rtr")
    sge = [{"at": d.mr["local"], "len": 8, "lkey": d.mr["lkey"]}]
    expect("post", d.agent.reply("post_send", qpn=d.qpn, wr={"op": "send", "id": 7, "signaled": True, "sge": sge}).get("error"), "errno_22")
    d.modify("rts", timeout=0, retry=7, rnr_retry=7, psn=PSN, rd=4)
    d.silence()
    d.modify("err")
    expect("completion", d.completion(), (7, "flushed"))


@deviation
def request_with_payload_is_answered(device):
    """READ requests and ATOMICs with payload are answered as if they had none."""
    for op, size, answer in (("RDMA_READ_REQUEST", 4, READ_ONLY), ("RDMA_READ_REQUEST", 1024, READ_ONLY), ("FETCH_ADD", 4, "ATOMIC_ACKNOWLEDGE")):
        d = device().connect()
        head = struct.pack(">QII", d.mr["va"], d.mr["rkey"], 8) if answer == READ_ONLY else struct.pack(">QIQQ", d.mr["va"], d.mr["rkey"], 1, 0)
        d.send(op, EPSN, head + bytes(size))
        expect("syndrome", bytes(d.comes(answer, EPSN)[BTH].payload)[0], ACK)


@deviation
def early_duplicate_acks_another_psn(device):
    """A WRITE with a PSN before the first one, before any request came, is acknowledged with PSN 0xffffff."""
    d = device().connect()
    d.send("RDMA_WRITE_ONLY", EPSN - 2, struct.pack(">QII", d.mr["va"], d.mr["rkey"], 8) + bytes(8), ackreq=1)
    expect("syndrome", bytes(d.comes("ACKNOWLEDGE", 0xFFFFFF)[BTH].payload)[0], ACK)


@deviation
def repeated_read_beyond_its_end(device):
    """A READ that is sent again from its last PSN, but with its full length, is answered on PSNs that it never had."""
    d = device().connect(pmtu=256)
    d.read(EPSN, 0, 512)
    d.comes(READ_FIRST, EPSN)
    d.comes(READ_LAST, EPSN + 1)
    d.read(EPSN + 1, 0, 512)
    d.comes(READ_MIDDLE, EPSN + 1)
    d.comes(READ_LAST, EPSN + 2)


@deviation
def rnr_begins_the_message_again(device):
    """After an RNR NAK of the packet with the immediate data the WRITE is sent again from its first packet."""
    d = device().connect(pmtu=256)
    d.post("write_imm", 512, imm=1, to=0x9000, rkey=0x1234)
    d.comes("RDMA_WRITE_FIRST", PSN)
    expect("second packet's PSN", d.wire.receive(2)[BTH].psn, PSN + 1)
    d.answer(PSN + 1, RNR | 1, msn=0)
    d.comes("RDMA_WRITE_FIRST", PSN)


@deviation
def fenced_request_not_repeated(device):
    """A fenced READ or ATOMIC is not sent again after a sequence NAK, nor are later requests."""
    for op, word in (("read", "RDMA_READ_REQUEST"), ("fetch_add", "FETCH_ADD")):
        d = device().connect()
        d.post(op, fence=True)
        d.comes(word, PSN)
        d.answer(PSN, SEQUENCE, msn=0)
        d.post("send", number=2)
        d.silence(1)


# ---- running them ----


def seen(function):
    """None if the deviation shows, else the actual result."""
    current = []

    def device():
        while current:
            current.pop().close()
        current.append(Device())
        return current[0]

    try:
        function(device)
    except (AssertionError, OSError, json.JSONDecodeError) as e:
        return str(e) or type(e).__name__
    finally:
        while current:
            current.pop().close()
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], seen))
