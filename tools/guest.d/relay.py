# SPDX-License-Identifier: BSD-2-Clause
"""Between the network cards of two guests: every frame that one sends goes to the other, and into the capture that is open.

Each card is a unix datagram socket, and each datagram is a frame. One thread carries both directions, so the capture has the frames in
the order in which they were forwarded. A frame is in the capture before the other guest receives it.
"""

import select
import socket
import struct
import threading
import time

ROCE_PORT, ROCE_ETHERTYPE = 4791, 0x8915
IPV4, IPV6, UDP = 0x0800, 0x86DD, 17
LONGEST = 65535
NANOSECONDS, ETHERNET = 0xA1B23C4D, 1  # of the pcap format


def is_roce(frame):
    """Recognizes RoCEv1, and RoCEv2 without IP options; the guests send no other."""
    ethertype = int.from_bytes(frame[12:14], "big")
    if ethertype not in (IPV4, IPV6):
        return ethertype == ROCE_ETHERTYPE
    protocol, port = (23, 36) if ethertype == IPV4 else (20, 56)
    return len(frame) >= port + 2 and frame[protocol] == UDP and int.from_bytes(frame[port : port + 2], "big") == ROCE_PORT


QP1, UD_SEND_ONLY, BTH, DETH, CM_CLASS = 1, 0x64, 12, 8, 7
CM_MESSAGES = {
    name: 0x10 + n for n, name in enumerate(("REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR"))
}


def cm_message(frame):
    """The attribute of a RoCEv2 packet that is a message of the connection manager; None: it is another packet."""
    bth = 42 if frame[12:14] == b"\x08\x00" else 62
    mad = bth + BTH + DETH
    if not is_roce(frame) or len(frame) < mad + 24 or frame[bth] != UD_SEND_ONLY or frame[mad + 1] != CM_CLASS:
        return None
    if int.from_bytes(frame[bth + 5 : bth + 8], "big") != QP1:
        return None
    return int.from_bytes(frame[mad + 16 : mad + 18], "big")


class Relay(threading.Thread):
    """ends: for each side our socket's path, to which its card sends, and the card's.

    loses(side, frame): a frame for which it is true is in the capture, but does not arrive. data_most: so many packets that
    are no messages of the connection manager are in the capture, of those after them none.
    """

    def __init__(self, ends):
        super().__init__(daemon=True)
        self.peers = [card for _, card in ends]
        self.sockets = []
        for own, _ in ends:
            end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            end.bind(own)
            self.sockets.append(end)
        self.lock = threading.Lock()
        self.capture = None
        self.frames = self.roce = self.data = 0  # of the current capture, or the last one
        self.loses, self.data_most = None, None
        self.last = time.monotonic()
        # Time stamps are the time of day at the start plus a monotonic clock, so they never go back.
        self.epoch = time.time_ns() - time.monotonic_ns()
        self.start()

    def run(self):
        while True:
            for end in select.select(self.sockets, [], [])[0]:
                side = self.sockets.index(end)
                frame = end.recv(LONGEST)
                self.record(frame)
                if self.loses and self.loses(side, frame):
                    continue
                try:
                    self.sockets[1 - side].sendto(frame, self.peers[1 - side])
                except OSError:
                    pass  # no receiver: the guest is starting, or has crashed

    def record(self, frame):
        with self.lock:
            self.last = time.monotonic()
            if self.capture and self.is_kept(frame):
                seconds, ns = divmod(self.epoch + time.monotonic_ns(), 10**9)
                self.capture.write(struct.pack("<4I", seconds, ns, len(frame), len(frame)) + frame)
                self.frames += 1
                self.roce += is_roce(frame)

    def is_kept(self, frame):
        if self.data_most is None or cm_message(frame) is not None:
            return True
        self.data += 1
        return self.data <= self.data_most

    def open(self, path):
        capture = open(path, "wb")  # pylint: disable=consider-using-with
        capture.write(struct.pack("<IHHiIII", NANOSECONDS, 2, 4, 0, 0, LONGEST, ETHERNET))
        with self.lock:
            self.capture, self.frames, self.roce, self.data = capture, 0, 0, 0

    def close(self):
        with self.lock:
            self.capture.close()
            self.capture = None

    def wait_quiet(self, seconds, most):
        """Waits until no frame was sent for so long, but not longer than `most`."""
        until = time.monotonic() + most
        while (left := min(until, self.last + seconds) - time.monotonic()) > 0:
            time.sleep(left)
