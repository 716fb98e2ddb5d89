# SPDX-License-Identifier: BSD-2-Clause
"""by_hand.py: the guest's two ends without our own code on this side: requests to its agent as text, packets by scapy (its
ICRC too) through a unix datagram socket. For programs run by `tools/guest run -- PROGRAM`."""

import json
import os
import pathlib
import socket
import time

from scapy.all import IP, UDP, Ether, Raw, conf  # pylint: disable=no-name-in-module
from scapy.contrib.roce import BTH, opcode

conf.verb = 0
ROCE = 4791
DEVICE, TESTER = ("02:00:00:00:00:01", "10.0.0.1"), ("02:00:00:00:00:03", "10.0.0.3")
PEER = 0x000123  # our QP
EPSN, PSN = 0xFFFFFF, 0x000007
RIGHTS = ["local_write", "remote_write", "remote_read", "remote_atomic"]


class Agent:
    def __init__(self, spec):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(spec.removeprefix("unix:"))
        self.lines = self.socket.makefile("rw")
        self.n = 0

    def reply(self, do, **args):
        self.n += 1
        self.lines.write(json.dumps({"id": self.n, "do": do, **args}) + "\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline())
        assert answer["id"] == self.n, answer
        return answer

    def __call__(self, do, **args):
        answer = self.reply(do, **args)
        if "ok" not in answer:
            raise AssertionError(f"{do} {args}: {answer}")
        return answer["ok"]

    def waited_for(self, what, do, **args):
        """State that the device shows a moment after it answers on the wire."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = self(do, **args)[what]
            if found:
                return found
        raise AssertionError(f"{do} {args}: no {what} for 60 s")

    def close(self):
        self.lines.close()
        self.socket.close()


def greeted(patience):
    """The agent, without objects. A guest whose kernel has crashed restarts some seconds later."""
    until = time.monotonic() + patience
    while True:
        try:
            agent = Agent(os.environ["IBPROOF_AGENT"])
            agent("hello", version=1)
            agent("reset", link="roce2-ipv4", seed=1)
            return agent
        except (OSError, ValueError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def console():
    """The messages of the guest's kernel, over all its boots."""
    files = pathlib.Path(os.environ["IBPROOF_WIRE"].removeprefix("unix:").split(",")[0]).parent
    return (files / "console").read_text(encoding="utf-8", errors="replace")


class Wire:
    def __init__(self, spec):
        self.peer, self.own = spec.removeprefix("unix:").split(",")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.own)

    def frame(self, op, qpn, psn, body=b"", ackreq=1, dst=DEVICE, **fields):
        """op: a name of RC, or a number; dst: MAC and address."""
        bth = BTH(opcode=opcode("RC", op)[0] if isinstance(op, str) else op, dqpn=qpn, psn=psn, ackreq=ackreq, **{"pkey": 0xFFFF, **fields})
        frame = Ether(src=TESTER[0], dst=dst[0]) / IP(src=TESTER[1], dst=dst[1], flags="DF")
        frame = frame / UDP(sport=0xC000, dport=ROCE) / bth / Raw(body)
        return bytes(frame)

    def send(self, *args, **fields):
        """Sends a packet that frame() makes of the arguments."""
        self.give(self.frame(*args, **fields))

    def give(self, frame):
        self.socket.sendto(frame, self.peer)

    def receive(self, patience=10):
        """The next RoCE packet, with the ICRC that scapy computes (none over IPv6). None: none came."""
        until = time.monotonic() + patience
        while True:
            self.socket.settimeout(max(until - time.monotonic(), 0.001))
            try:
                data = self.socket.recv(16384)
            except TimeoutError:
                return None
            frame = Ether(data)
            if UDP in frame and frame[UDP].dport == ROCE:
                break
        if IP in frame:
            again = frame.copy()
            again[BTH].icrc = None
            assert bytes(again) == data, "the ICRC is another than scapy's"
        return frame

    def close(self):
        self.socket.close()
        os.unlink(self.own)
