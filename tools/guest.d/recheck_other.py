#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""recheck_other.py [NAME...]: shows by hand the deviations that the waivers in conformance/waivers/rxe.json list for
Soft-RoCE: one function a waiver, all of them unless named. Run by `tools/guest run -- tools/guest.d/recheck_other.py`; exit
code 1: one was not seen."""

import pathlib
import struct
import sys
import time

from scapy.all import IP, IPv6  # pylint: disable=no-name-in-module
from scapy.contrib.roce import BTH, opcode

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from by_hand import PSN, RIGHTS, console  # pylint: disable=wrong-import-position
from device import Qp, one_device  # pylint: disable=wrong-import-position
from recheck import deviation, main  # pylint: disable=wrong-import-position

ACK, NAK_REQUEST, NAK_ACCESS, NAK_OPERATION = 0x1F, 0x61, 0x62, 0x63
SEND_ONLY_INV = 0x17  # scapy has no name for it
GROUP = ("01:00:5e:01:02:03", "239.1.2.3", "::ffff:239.1.2.3")


def written(va, rkey, data, announced=None):
    """RETH and payload of a WRITE."""
    return struct.pack(">QII", va, rkey, len(data) if announced is None else announced) + data


# ---- completion queues ----


@deviation
def overflowed_cq_armed(d):
    """A completion queue can still be armed after its overflow event."""
    small = d("create_cq", depth=1)["cq"]
    qp = Qp(d, "rc", rcq=small, scq=small)
    qp.receive(d.sge(64), 2)
    for psn in (0, 1):
        qp.send("SEND_ONLY", psn, bytes(4))
    event = d.ask.waited_for("event", "poll_event")
    assert event["kind"] == "cq_error", event
    d("arm_cq", cq=small)


@deviation
def error_of_a_message_is_unsolicited(d):
    """The receive of a broken message completes in error and does not notify a queue armed for solicited completions."""
    qp = Qp(d, "rc")
    qp.receive(d.sge(2048))
    d("arm_cq", cq=d.cq, solicited=True)
    qp.send("SEND_FIRST", 0, bytes(1024), ackreq=0)
    qp.send("SEND_ONLY", 1, bytes(8))
    d.completes("remote_invalid_req")
    time.sleep(0.5)
    times = d("notified", cq=d.cq)["times"]
    assert times == 0, f"{times} notifications"


# ---- work requests ----


@deviation
def atomic_operand_size_unchecked(d):
    """An ATOMIC whose local buffer is longer than 8 bytes is taken and sent."""
    for size in (9, 16):
        d.fresh()
        Qp(d, "rc").post("fetch_add", sge=d.sge(size), cmp=1, to=0x10000, rkey=1)
        assert d.packet()[BTH].opcode == opcode("RC", "FETCH_ADD")[0]


@deviation
def atomic_in_two_segments(d):
    """An ATOMIC with two local segments of four bytes is accepted, and its result is split between them."""
    qp = Qp(d, "rc")
    qp.post("fetch_add", sge=d.sge(4) + d.sge(4, 64), cmp=1, to=0x10000, rkey=1)
    assert d.packet()[BTH].opcode == opcode("RC", "FETCH_ADD")[0]
    d.wire.send("ATOMIC_ACKNOWLEDGE", qp.n, PSN, struct.pack(">I", ACK << 24 | 1) + b"abcdefgh", ackreq=0)
    d.completes("success")
    assert d.memory(0, 4) + d.memory(64, 4) == b"hgfedcba"


@deviation
def send_with_wrong_key_is_operation_error(d):
    """A SEND from a region of another domain fails as Local QP Operation Error."""
    other = d.region(RIGHTS, pd=d("create_pd")["pd"])
    Qp(d, "rc").post("send", sge=d.sge(8, region=other))
    d.completes("local_qp_operation")
    d.silent()


@deviation
def receive_with_wrong_key_is_operation_error(d):
    """Receives of UC and UD with a bad key fail as Local QP Operation Error."""
    uc, ud = Qp(d, "uc"), Qp(d, "ud")
    uc.receive(d.sge(64, region=d.region(["remote_read"])))
    uc.send("SEND_ONLY", 0, bytes(8), ackreq=0)
    d.completes("local_qp_operation")
    ud.receive(d.sge(128, lkey=0xBAD))
    ud.datagram(bytes(8), ackreq=0)
    d.completes("local_qp_operation")


@deviation
def no_send_queue_error(d):
    """A UC or UD queue pair whose send fails locally is in Error, not in SQE, and receives no more."""
    for service in ("uc", "ud"):
        d.fresh()
        qp = Qp(d, service)
        qp.receive(d.sge(128))
        qp.post("send", sge=d.sge(8, lkey=0xBAD000))
        d.completes("local_qp_operation", "flushed")
        assert qp.state() == "err", qp.state()


@deviation
def failed_send_not_recovered(d):
    """After a send that failed locally no attribute and no state brings a UC or UD queue pair back to RTS."""
    for service, more in (("uc", {}), ("uc", {"access": []}), ("ud", {}), ("ud", {"qkey": 0x22222222})):
        d.fresh()
        qp = Qp(d, service)
        qp.post("send", sge=d.sge(8, lkey=0xBAD000))
        d.completes("local_qp_operation")
        assert qp.refuses("rts", **more), "it is back"


@deviation
def controlled_qkey_sent(d):
    """The Q_Key of a work request is sent unchanged, also with bit 31 set."""
    for key in (0x80000000, 0x80010000, 0xFFFFFFFF):
        Qp(d, "ud").post("send", sge=d.sge(4), qkey=key)
        came = bytes(d.packet()[BTH].payload)[:4]
        assert came == struct.pack(">I", key), came.hex()


@deviation
def migreq_never_set(d):
    """MigReq is 0 on a queue pair without path migration."""
    for service in ("rc", "uc", "ud"):
        Qp(d, service).post("send", sge=d.sge(4))
        assert d.packet()[BTH].migreq == 0


@deviation
def no_local_invalidate_on_uc(d):
    """Local Invalidate of a window that a UC queue pair has bound fails."""
    qp = Qp(d, "uc")
    window = d.window(2)
    d.bind(qp, window)
    qp.post("local_inv", inv=window["rkey"])
    came = d.ask.waited_for("wc", "poll_cq", cq=d.cq)
    assert came["status"] in ("local_qp_operation", "flushed"), came


# ---- invalid packets that responders accept ----


@deviation
def rc_payload_length_unchecked(d):
    """SENDs whose First or Middle is shorter than the path MTU are acknowledged, whatever their pad."""
    for packets in ([("SEND_FIRST", 1020, 0)], [("SEND_FIRST", 1023, 1)], [("SEND_FIRST", 0, 0)], [("SEND_FIRST", 1024, 0), ("SEND_MIDDLE", 1022, 2)]):
        d.fresh()
        qp = Qp(d, "rc")
        qp.receive(d.sge(8192))
        for psn, (op, size, pad) in enumerate(packets):
            qp.send(op, psn, bytes(size + pad), padcount=pad)
            d.answers(ACK)


@deviation
def uc_payload_length_unchecked(d):
    """A UC message with a First, Middle or Last of the wrong length is delivered."""
    for sizes in ((0, 4), (1020, 4), (1028, 4), (1024, 1020, 4), (1024, 0, 4), (1024, 0), (1024, 1028)):
        d.fresh()
        qp = Qp(d, "uc")
        qp.receive(d.sge(8192))
        ops = ["SEND_FIRST", *["SEND_MIDDLE"] * (len(sizes) - 2), "SEND_LAST"]
        for psn, (op, size) in enumerate(zip(ops, sizes)):
            qp.send(op, psn, bytes(size), ackreq=0)
        came = d.completes("success")[0]
        assert came["bytes"] == sum(sizes), came


@deviation
def datagram_longer_than_mtu(d):
    """A datagram of more payload than the largest MTU is delivered."""
    qp = Qp(d, "ud")
    qp.receive(d.sge(8192))
    qp.datagram(bytes(4100), ackreq=0)
    assert d.completes("success")[0]["bytes"] == 4140


@deviation
def split_word_taken(d):
    """A SEND of five bytes without pad, so that the packet ends within a word, is delivered."""
    qp = Qp(d, "rc")
    qp.receive(d.sge(64))
    qp.send("SEND_ONLY", 0, bytes(5), padcount=0)
    d.answers(ACK)
    assert d.completes("success")[0]["bytes"] == 5


@deviation
def group_address_with_own_qpn(d):
    """A datagram to a group's address and the queue pair's own number is delivered."""
    qp = Qp(d, "ud")
    d("attach", qpn=qp.n, gid=GROUP[2], on=True)
    qp.receive(d.sge(128))
    qp.datagram(bytes(8), dst=GROUP[:2], ackreq=0)
    assert d.completes("success")[0]["bytes"] == 48


# ---- faults, and how they are reported ----


@deviation
def send_too_long_is_operation_error(d):
    """A SEND longer than its receive, own or shared, gets NAK 0x63; 0x61 is correct."""
    srq = d("create_srq", pd=d.pd, depth=7, limit=0)["srq"]
    d("post_recv", srq=srq, wr={"id": 1, "sge": d.sge(64)})
    own, shared = Qp(d, "rc"), Qp(d, "rc", srq=srq)
    own.receive(d.sge(64))
    for qp in (own, shared):
        qp.send("SEND_ONLY", 0, bytes(68))
        d.answers(NAK_OPERATION)
        d.completes("local_qp_operation")


@deviation
def uc_send_too_long_is_an_error(d):
    """A UC SEND longer than its receive fails the receive and the queue pair; it should be dropped."""
    for sizes in ((68,), (1024, 16)):
        d.fresh()
        qp = Qp(d, "uc")
        qp.receive(d.sge(64 if len(sizes) == 1 else 1032))
        for psn, (op, size) in enumerate(zip(("SEND_FIRST", "SEND_LAST") if len(sizes) == 2 else ("SEND_ONLY",), sizes)):
            qp.send(op, psn, bytes(size), ackreq=0)
        d.completes("local_qp_operation")
        assert qp.state() == "err", qp.state()


@deviation
def datagram_too_long_is_an_error(d):
    """A datagram longer than its receive fails the receive and the queue pair."""
    qp = Qp(d, "ud")
    qp.receive(d.sge(64))
    qp.datagram(bytes(28), ackreq=0)
    d.completes("local_qp_operation")
    assert qp.state() == "err", qp.state()


@deviation
def no_event_of_bad_request(d):
    """A WRITE with a wrong key fails the queue pair and raises no event."""
    qp = Qp(d, "rc")
    qp.send("RDMA_WRITE_ONLY", 0, written(d.m["va"], 1, bytes(8)))
    d.answers(NAK_ACCESS)
    d.no_event()
    assert qp.state() == "err"


@deviation
def no_communication_established_event(d):
    """The first packet in Ready to Receive is delivered and raises no event."""
    for service in ("rc", "uc"):
        qp = Qp(d, service, state="rtr")
        qp.receive(d.sge(64))
        qp.send("SEND_ONLY", 0, bytes(4), ackreq=0)
        d.completes("success")
        d.no_event()


@deviation
def no_last_wqe_event(d):
    """A queue pair with a shared receive queue goes to Error and raises no event."""
    srq = d("create_srq", pd=d.pd, depth=7, limit=0)["srq"]
    qp = Qp(d, "rc", srq=srq)
    qp.modify("err")
    d.no_event()
    assert qp.state() == "err"


@deviation
def receive_in_error_not_flushed(d):
    """A receive posted in Error never completes."""
    for service in ("rc", "uc"):
        d.fresh()
        qp = Qp(d, service)
        qp.receive(d.sge(64))
        qp.modify("err")
        d.completes("flushed")
        qp.receive(d.sge(64))
        d.no_completion()


# ---- unfinished messages on unreliable connections ----


@deviation
def uc_message_lost_behind_a_broken_one(d):
    """After an unfinished UC message, the packet that begins the next one is dropped, Only or First."""
    for packets in (
        [("SEND_FIRST", 0, 1024), ("SEND_FIRST", 1, 1024), ("SEND_LAST", 2, 8)],
        [("SEND_FIRST", 0, 1024), ("SEND_LAST", 2, 8), ("SEND_ONLY", 3, 16)],
        [("SEND_FIRST", 0, 1024), ("SEND_LAST", 2, 8), ("SEND_ONLY", 100, 16)],
    ):
        d.fresh()
        qp = Qp(d, "uc")
        qp.receive(d.sge(4096), 2)
        for op, psn, size in packets:
            qp.send(op, psn, bytes(size), ackreq=0)
        d.no_completion()
        qp.send("SEND_ONLY", packets[-1][1] + 1, bytes(12), ackreq=0)
        assert d.completes("success")[0]["bytes"] == 12


@deviation
def uc_broken_write_goes_on(d):
    """A UC WRITE that a SEND interrupted is not abandoned: complete SENDs are dropped until its Last has come."""
    qp = Qp(d, "uc")
    qp.receive(d.sge(4096), 3)
    qp.send("RDMA_WRITE_FIRST", 0, written(d.m["va"], d.m["rkey"], bytes(1024), announced=1028), ackreq=0)
    for op, psn in (("SEND_LAST", 1), ("SEND_ONLY", 2), ("SEND_ONLY", 3)):
        qp.send(op, psn, bytes(4), ackreq=0)
    d.no_completion()
    qp.send("RDMA_WRITE_LAST_WITH_IMMEDIATE", 1, struct.pack(">I", 7) + bytes(4), ackreq=0)
    assert d.completes("success")[0]["imm"] == 7


@deviation
def uc_shared_receive_not_failed(d):
    """The receive that a broken UC message took from a shared queue completes with the next message, which is lost."""
    srq = d("create_srq", pd=d.pd, depth=7, limit=0)["srq"]
    qp = Qp(d, "uc", srq=srq)
    for at in (0, 4096):
        d("post_recv", srq=srq, wr={"id": at, "sge": d.sge(4096, at)})
    qp.send("SEND_FIRST", 0, bytes(1024), ackreq=0)
    qp.send("SEND_LAST", 5, bytes(8), ackreq=0)
    d.no_completion()
    qp.send("SEND_ONLY", 6, bytes(8), ackreq=0)
    assert d.completes("remote_invalid_req")[0]["id"] == 0
    d.no_completion()


# ---- memory ----


@deviation
def region_past_the_end(d):
    """A region that passes the end of the address space is registered."""
    for iova, length in ((0xFFFFFFFFFFFFF000, 4097), (0xFFFFFFFFFFFF0000, 65537)):
        d.region(RIGHTS, iova=hex(iova), length=length)


@deviation
def window_bounds_not_enforced(d):
    """A window gives access to all of its region after its first byte: WRITEs exceed the end of type 1 and zero-based type 2."""
    qp = Qp(d, "rc")
    for psn, (kind, rights, base) in enumerate(((1, ["remote_write"], d.m["va"] + 4096), (2, ["remote_write", "zero_based"], 0))):
        window = d.window(kind)
        d.bind(qp, window, at=4096, rights=rights)
        qp.send("RDMA_WRITE_ONLY", psn, written(base + 1024, window["rkey"], b"outside!"))
        d.answers(ACK)
        assert d.memory(5120, 8) == b"outside!"
        d("write_memory", at=d.m["local"] + 5120, hex=bytes(8).hex())


@deviation
def window_of_region_in_other_domain(d):
    """A type 2 window is bound to a region of another protection domain."""
    d.bind(Qp(d, "rc"), d.window(2), region=d.region([*RIGHTS, "mw_bind"], pd=d("create_pd")["pd"]))


@deviation
def window_key_byte_kept(d):
    """A type 2 window is bound with the key byte that it has."""
    window = d.window(2)
    before = window["rkey"]
    d.bind(Qp(d, "rc"), window, byte=0)
    assert window["rkey"] == before


@deviation
def window_invalidated_by_other_qp(d):
    """Another queue pair than the one that bound a type 2 window invalidates it."""
    owner, other, window = Qp(d, "rc"), Qp(d, "rc"), d.window(2)
    d.bind(owner, window)
    other.post("local_inv", inv=window["rkey"])
    d.completes("success")
    owner.send("RDMA_WRITE_ONLY", 0, written(d.m["va"], window["rkey"], bytes(8)))
    d.answers(NAK_ACCESS)


@deviation
def invalidated_key_not_told(d):
    """SEND with Invalidate closes a window, and its completion does not name the key."""
    qp, window = Qp(d, "rc"), d.window(2)
    d.bind(qp, window)
    qp.receive(d.sge(64))
    qp.send(SEND_ONLY_INV, 0, struct.pack(">I", window["rkey"]) + bytes(8))
    d.answers(ACK)
    came = d.completes("success")[0]
    assert "inv" not in came, came
    qp.send("RDMA_WRITE_ONLY", 1, written(d.m["va"], window["rkey"], bytes(8)))
    d.answers(NAK_ACCESS)


@deviation
def second_invalidate_kills_the_host(d):
    """A second Local Invalidate of a type 2 window crashes the kernel."""
    qp, window = Qp(d, "rc"), d.window(2)
    d.bind(qp, window)
    for _ in range(2):
        before = console().count("guest: ended")
        try:
            qp.post("local_inv", inv=window["rkey"])
            d.ask.waited_for("wc", "poll_cq", cq=d.cq)
        except (OSError, ValueError):
            break
    d.windows = []
    d.greet()
    assert console().count("guest: ended") > before, "the guest lives"
    assert "Kernel panic" in console(), "no panic on the console"


@deviation
def srq_domain_is_the_qps(d):
    """Keys in a shared queue are looked up in the domain of the queue pair, not of the queue."""
    other = d("create_pd")["pd"]
    for region, answer in ((d.m, ACK), (d.region(RIGHTS, pd=other), NAK_OPERATION)):
        srq = d("create_srq", pd=other, depth=7, limit=0)["srq"]
        qp = Qp(d, "rc", srq=srq)
        d("post_recv", srq=srq, wr={"id": 1, "sge": d.sge(64, region=region)})
        qp.send("SEND_ONLY", 0, bytes(8))
        d.answers(answer)


# ---- states ----


@deviation
def current_state_believed(d):
    """A transition that names SQD as the current state succeeds in RTS."""
    for service in ("rc", "ud"):
        qp = Qp(d, service)
        qp.modify("rts", cur_state="sqd")
        assert qp.state() == "rts"


def drained(d, post_more=False):
    """An RC queue pair whose one SEND is acknowledged after it went to SQD."""
    qp = Qp(d, "rc")
    qp.post("send", sge=d.sge(4))
    d.packet()
    qp.modify("sqd", sqd_notify=True)
    if post_more:
        qp.post("send", sge=d.sge(4))
    d.wire.send("ACKNOWLEDGE", qp.n, PSN, struct.pack(">I", ACK << 24 | 1), ackreq=0)
    d.completes("success")
    return qp


@deviation
def drain_never_ends(d):
    """When all outstanding work is acknowledged there is no drained event, and attributes are still refused."""
    qp = drained(d)
    d.no_event()
    assert qp.refuses("sqd", timeout=12), "it takes attributes"


@deviation
def drained_queue_not_resumed(d):
    """With work posted while it drained there is no transition back to RTS, and that work is never sent."""
    qp = drained(d, post_more=True)
    d.silent(1)
    assert qp.refuses("rts"), "it is back"
    d.no_completion()


@deviation
def drain_bars_reset(d):
    """In SQD, with a SEND that is not acknowledged, the transition to Reset is refused; that to Error is allowed."""
    qp = Qp(d, "rc")
    qp.post("send", sge=d.sge(4))
    d.packet()
    qp.modify("sqd")
    assert qp.refuses("reset"), "it is in Reset"
    qp.modify("err")
    assert qp.state() == "err"


@deviation
def uc_path_kept_in_sqd(d):
    """An idle UC queue pair in SQD refuses another path, one of RC takes it."""
    for service, refused in (("rc", False), ("uc", True)):
        qp = Qp(d, service)
        qp.modify("sqd")
        assert d.ask.waited_for("event", "poll_event")["kind"] == "sq_drained"
        assert qp.refuses("sqd", av=True, hop=64) == refused, service


# ---- values ----


def takes(d, service, begin, end, **attributes):
    """A queue pair in one state goes to the next with these values."""
    qp = Qp(d, service, state=begin)
    qp.change(end, **attributes)
    assert qp.state() == end, qp.state()
    return qp


@deviation
def qp_limits_unchecked(d):
    """P_Key index, RNR timer and retry counts beyond their range are accepted."""
    for service in ("rc", "uc", "ud"):
        takes(d, service, "reset", "init", pkey=255)
    takes(d, "rc", "init", "rtr", min_rnr=32)
    takes(d, "rc", "rtr", "rts", retry=8)
    takes(d, "rc", "rtr", "rts", rnr_retry=8)


@deviation
def read_depth_255_is_none(d):
    """A queue pair with 255 responder resources refuses the first READ."""
    qp = takes(d, "rc", "init", "rtr", dest_rd=255)
    qp.send("RDMA_READ_REQUEST", 0, struct.pack(">QII", d.m["va"], d.m["rkey"], 8))
    d.answers(NAK_REQUEST)


@deviation
def rights_of_a_qp_unchecked(d):
    """A queue pair accepts rights that only regions have."""
    for service in ("rc", "uc"):
        for right in ("local_write", "mw_bind"):
            takes(d, service, "reset", "init", access=["remote_write", right])


@deviation
def peer_number_unchecked(d):
    """QP 0, QP 1 and the multicast number are accepted as a connection's peer."""
    for service in ("rc", "uc"):
        for number in (0, 1, 0xFFFFFF):
            takes(d, service, "init", "rtr", qpn_of_peer=number)


@deviation
def path_to_a_group(d):
    """A connection accepts a multicast address as its path, and sends there."""
    for service in ("rc", "uc"):
        qp = takes(d, service, "init", "rtr", to={"ipv4": GROUP[1], "mac": GROUP[0]})
        qp.change("rts")
        qp.post("send", sge=d.sge(4))
        assert d.packet()[IP].dst == GROUP[1]


@deviation
def flow_label_width_unchecked(d):
    """A flow label of more than 20 bits is taken."""
    for service in ("rc", "uc"):
        for label in (0x100000, 0xFFFFFFFF):
            takes(d, service, "init", "rtr", flow=label)


@deviation
def psn_width_unchecked(d):
    """PSNs of more than 24 bits are taken, and cut."""
    for service in ("rc", "uc", "ud"):
        for psn in (0x1000005, 0xFF000005):
            if service != "ud":
                takes(d, service, "init", "rtr", epsn=psn)
            takes(d, service, "rtr", "rts", psn=psn).post("send", sge=d.sge(4))
            assert d.packet()[BTH].psn == 5


# ---- RoCE ----


def sent_with(d, link, **path):
    """The packets of a connection with such a path."""
    d.fresh(link)
    Qp(d, "rc", **path).post("send", sge=d.sge(4))
    return d.packet()


@deviation
def congestion_mark_sent(d):
    """The two low bits of the traffic class are sent as ECN: Congestion Experienced."""
    for tclass in (0x03, 0x6B, 0xFF):
        assert sent_with(d, "roce2-ipv4", tclass=tclass)[IP].tos == tclass
        assert sent_with(d, "roce2-ipv6", tclass=tclass)[IPv6].tc == tclass


@deviation
def hop_limit_of_the_route(d):
    """Time to live and hop limit are 64, whatever the address vector contains."""
    for hop in (1, 7, 255):
        assert sent_with(d, "roce2-ipv4", hop=hop)[IP].ttl == 64
        assert sent_with(d, "roce2-ipv6", hop=hop)[IPv6].hlim == 64


@deviation
def flow_label_zero(d):
    """Over IPv6 the flow label is 0, whatever the address vector contains."""
    for label in (0x12345, 0xFFFFF):
        assert sent_with(d, "roce2-ipv6", flow=label)[IPv6].fl == 0


@deviation
def service_level_unchecked(d):
    """Service levels that RoCE does not have are accepted."""
    for level in range(8, 16):
        takes(d, "rc", "init", "rtr", sl=level)


@deviation
def destroy_waits_for_its_window(d):
    """A queue pair to which a type 2 window is bound is destroyed only tens of seconds later; the caller waits."""
    qp = Qp(d, "rc")
    d.bind(qp, d.window(2))
    d.ask.socket.settimeout(100)
    begun = time.monotonic()
    reply = d.ask.reply("destroy", kind="qp", number=qp.n)
    # The agent reports a verb that hangs for 3 s (dead); its next reply comes when the verb has returned.
    if reply.get("error") == "dead":
        d("poll_event")
    else:
        assert "ok" in reply, reply
    took = time.monotonic() - begun
    assert took > 10, f"it took {took:.1f} s"


if __name__ == "__main__":
    with one_device() as seen:
        code = main(sys.argv[1:], seen)
    sys.exit(code)
