#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""recheck_cm.py [NAME...]: shows by hand the deviations of Linux' connection manager that the waivers in
conformance/waivers/rxe.json list: one function a waiver. Run by `tools/guest run -- tools/guest.d/recheck_cm.py`. Messages
are put together here, field by field; scapy makes packets of them."""

import pathlib
import struct
import sys
import time

from scapy.contrib.roce import BTH

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from device import one_device  # pylint: disable=wrong-import-position
from recheck import deviation, main  # pylint: disable=wrong-import-position

SEND_ONLY, GSI, QKEY = 0x64, 1, 0x80010000
REQ, REJ, REP, RTU, DREQ, DREP, LAP = 0x10, 0x12, 0x13, 0x14, 0x15, 0x16, 0x19
HEADER, MAD = 24, 256
OWN, PEER = bytes.fromhex("00000000000000000000ffff0a000003"), bytes.fromhex("00000000000000000000ffff0a000001")
QPN, DEVICE_QPN, PSN = 0x0BEE01, 0x00D001, 0x777
ACK_TIMEOUT = 10


def mad(attribute, tid, data, version=2):
    header = struct.pack(">BBBBHHQHHI", 1, 7, version, 3, 0, 0, tid, attribute, 0, 0)
    return (header + bytes(data)).ljust(MAD, b"\0")


def placed(**at):
    """A message's data: at_N=bytes, N the offset."""
    data = bytearray(MAD - HEADER)
    for key, value in at.items():
        begin = int(key.removeprefix("at_"))
        data[begin : begin + len(value)] = value
    return data


def u(n, bytes_):
    return n.to_bytes(bytes_, "big")


class Cm:
    """A peer of the guest's connection manager, with a host of its own for each case."""

    hosts = 0

    def __init__(self, d):
        Cm.hosts += 1
        self.d = d
        self.guid = u(0x00C0FFEE00000000 + (int(time.time()) & 0xFFFF) * 256 + Cm.hosts, 8)
        self.id = 0x00C0DE00 + Cm.hosts * 16
        self.tid = 0x1000 * Cm.hosts
        self.service = d("cm_open")["service"]
        self.conn = self.device_id = 0

    # ---- messages ----

    def request(self, qpn=QPN, mtu=3, transport=0, ext=0, response=18, retries=2, ack=ACK_TIMEOUT, depth=4, alternate=None):
        """A REQ. response: the code of how long our answers take."""
        header = bytes([0, 4 << 4]) + u(7174, 2) + bytes(12) + OWN[12:] + bytes(12) + PEER[12:]
        more = {"at_100": alternate[0], "at_116": alternate[1]} if alternate else {}
        return placed(
            at_0=u(self.id, 4), at_8=u(self.service, 8), at_16=self.guid, at_32=u(qpn, 3), at_35=u(depth, 1), at_39=u(depth, 1),
            at_43=u(14 << 3 | transport << 1, 1), at_44=u(PSN, 3), at_47=u(response << 3 | 7, 1), at_48=u(0xFFFF, 2),
            at_50=u(mtu << 4 | 7, 1), at_51=u(retries << 4 | ext, 1), at_56=OWN, at_72=PEER, at_88=u(3, 4), at_93=u(64, 1),
            at_95=u(ack << 3, 1), at_140=header, **more)

    def ids(self, **more):
        return placed(at_0=u(self.id, 4), at_4=u(self.device_id, 4), **more)

    def reply(self, to=None):
        """A REP."""
        return placed(
            at_0=u(self.id, 4), at_4=u(self.device_id if to is None else to, 4), at_12=u(QPN, 3), at_20=u(PSN, 3), at_24=u(4, 1),
            at_25=u(4, 1), at_26=u(ACK_TIMEOUT << 3, 1), at_27=u(7 << 5, 1), at_28=self.guid)

    # ---- the wire ----

    def send(self, attribute, data, tid=None, version=2):
        if tid is None:
            self.tid += attribute in (REQ, DREQ, LAP)
            tid = self.tid
        self.d.wire.send(SEND_ONLY, GSI, 0, struct.pack(">II", QKEY, GSI) + mad(attribute, tid, data, version), ackreq=0)

    def message(self, attribute, patience=3):
        """The next message, which must be this one: its transaction and data."""
        frame = self.d.wire.receive(patience)
        assert frame is not None, f"no message {attribute:#x}"
        raw = bytes(frame[BTH].payload)[8:]
        came = int.from_bytes(raw[16:18], "big")
        assert came == attribute, f"message {came:#x}, not {attribute:#x}"
        return int.from_bytes(raw[8:16], "big"), raw[HEADER:]

    def silent(self, patience=0.5):
        self.d.silent(patience)

    # ---- the user ----

    def call(self, verb, attribute, data=b"", **more):
        return self.d("cm_call", call=verb, conn=self.conn, hex=mad(attribute, 0, data).hex(), **more)["conn"]

    def event(self, kind, patience=10):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            e = self.d("cm_event")
            if e["kind"].upper() != "NONE":
                assert e["kind"].upper() == kind, f"event {e['kind']}, not {kind}"
                return e
        raise AssertionError(f"no event {kind}")

    def listen(self):
        self.call("listen", REQ, placed(at_8=u(self.service, 8)))

    def accept(self, depth=4):
        """After an event REQ; returns the REP."""
        self.conn = self.event("REQ")["conn"]
        self.call("accept", REP, placed(at_12=u(DEVICE_QPN, 3), at_24=u(depth, 1), at_25=u(depth, 1), at_27=u(7 << 5, 1)))
        _, rep = self.message(REP)
        self.device_id = int.from_bytes(rep[:4], "big")
        return rep

    def established(self, **given):
        self.listen()
        self.send(REQ, self.request(**given))
        self.accept()
        self.send(RTU, self.ids())
        self.event("ESTABLISHED")

    def dreq(self):
        return self.ids(at_8=u(DEVICE_QPN, 3))

    def ended(self):
        """We disconnect, the user answers; returns the transaction."""
        self.send(DREQ, self.dreq())
        self.event("DREQ")
        self.call("disconnect", DREQ)
        tid, _ = self.message(DREP)
        return tid

    def asked(self):
        """The user connects; returns its REQ."""
        self.conn = self.call("connect", REQ, placed(at_8=u(self.service, 8), at_32=u(DEVICE_QPN, 3), at_47=u(7, 1)))
        self.tid, req = self.message(REQ)
        self.device_id = int.from_bytes(req[:4], "big")
        return req


@deviation
def lap_over_roce_unanswered(d):
    """A LAP gets no APR, on a connection and without one."""
    c = Cm(d)
    c.established()
    c.send(LAP, c.ids(at_12=u(DEVICE_QPN, 3), at_24=OWN, at_40=PEER))
    c.silent()
    c.send(LAP, placed(at_0=u(c.id, 4), at_4=u(0x01020304, 4), at_24=OWN, at_40=PEER))
    c.silent()


@deviation
def unknown_rep_unanswered(d):
    """A REP that names no connection gets no REJ; one that names an established connection, from another end, neither."""
    c = Cm(d)
    c.send(REP, c.reply(to=0x01020304), tid=7)
    c.silent()
    c.asked()
    c.send(REP, c.reply())
    c.event("REP")
    c.call("confirm", RTU)
    c.message(RTU)
    c.id += 1
    c.send(REP, c.reply())
    c.silent()


@deviation
def repeated_req_waits_for_a_timer(d):
    """With a response time of a second, a REQ that comes again does not get the REP for half a second."""
    c = Cm(d)
    c.listen()
    c.send(REQ, c.request())
    c.accept()
    c.send(REQ, c.request(), tid=c.tid)
    c.silent()
    c.message(REP)


@deviation
def timewait_forgets_the_peer(d):
    """In a TimeWait of more than a second a REQ of the same queue pair reaches the user."""
    c = Cm(d)
    c.established(ack=18)
    c.ended()
    c.id += 1
    c.send(REQ, c.request(ack=18))
    c.event("REQ", 0.9)


@deviation
def ended_connection_answers_no_dreq(d):
    """A DREQ after TimeWait, while the user still has the connection, gets no DREP."""
    c = Cm(d)
    c.established()
    c.ended()
    c.event("TIMEWAIT_EXIT")
    c.send(DREQ, c.dreq(), tid=c.tid)
    c.silent()


@deviation
def drep_of_an_earlier_transaction(d):
    """In TimeWait a DREQ with a transaction of its own gets a DREP with that of the first."""
    c = Cm(d)
    c.established(ack=18)
    first = c.ended()
    c.send(DREQ, c.dreq(), tid=0x7777)
    tid, _ = c.message(DREP)
    assert tid == first, f"{tid:#x}, not {first:#x}"


@deviation
def req_path_unchecked(d):
    """REQs with path MTU 0, 6 and 15, and one with an alternate path to another GID, reach the user."""
    wrong = [{"mtu": code} for code in (0, 6, 15)]
    wrong += [{"alternate": (bytes.fromhex("fe80" + 13 * "00" + "01"), bytes.fromhex("fe80" + 13 * "00" + "99"))}]
    c = Cm(d)
    c.listen()
    for given in wrong:
        c.id += 1
        c.send(REQ, c.request(qpn=QPN + c.id % 16, **given))
        c.event("REQ")


@deviation
def foreign_transport_is_a_consumer_reject(d):
    """REQs for RD, for XRC and for an unknown service are rejected with reason 28."""
    c = Cm(d)
    c.listen()
    for transport, ext in ((2, 0), (3, 0), (3, 2)):
        c.id += 1
        c.send(REQ, c.request(qpn=QPN + c.id % 16, transport=transport, ext=ext))
        _, rej = c.message(REJ)
        reason = int.from_bytes(rej[10:12], "big")
        assert reason == 28, f"reason {reason} for {transport}, {ext}"


@deviation
def other_class_version_unanswered(d):
    """REQs of class versions 1 and 3 get no REJ."""
    c = Cm(d)
    c.listen()
    for version in (1, 3):
        c.send(REQ, c.request(), version=version)
        c.silent()


@deviation
def rep_given_up_without_rej(d):
    """A REP without RTU is sent twice, as the REQ says; the user learns that, and no REJ comes for a second."""
    c = Cm(d)
    c.listen()
    c.send(REQ, c.request(response=14, retries=1))
    c.accept()
    c.message(REP)
    c.event("UNCONFIRMED")
    c.silent(1)


@deviation
def destroyed_connection_disconnects_once(d):
    """A connection that its user destroys sends one DREQ, and no second one for a second; its response time is 67 ms."""
    c = Cm(d)
    c.established(response=14)
    c.call("abandon", RTU)
    c.message(DREQ)
    c.silent(1)


@deviation
def rep_grants_unasked_reads(d):
    """A user that accepts 16 READs each way sends 16, whatever the REQ has."""
    c = Cm(d)
    c.listen()
    c.send(REQ, c.request(depth=2))
    rep = c.accept(depth=16)
    assert (rep[24], rep[25]) == (16, 16), (rep[24], rep[25])


@deviation
def req_has_permissive_lids(d):
    """The LIDs of a REQ over RoCE are 0xffff."""
    req = Cm(d).asked()
    assert req[52:56] == b"\xff\xff\xff\xff", req[52:56].hex()


@deviation
def cm_timers_too_short(d):
    """A response time of code 20 is 4.295 s; the REP comes again after 4.1 s."""
    c = Cm(d)
    c.listen()
    c.send(REQ, c.request(response=20))
    c.accept()
    begun = time.monotonic()
    c.message(REP, 10)
    took = time.monotonic() - begun
    assert took < 4.28, f"{took:.3f} s"


if __name__ == "__main__":
    with one_device() as seen:
        sys.exit(main(sys.argv[1:], seen))
