#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""agent.py PEER OWN: an agent of ibconform for a stack in user space, here the toy of toy.py. Requests come on the standard input, replies
go to the standard output; frames are datagrams between the sockets OWN and PEER (ibconform: --wire unix:OWN,PEER).

To port it, write a class with the methods of toy.Stack that do the same with your stack, and say in CAPABILITIES what it can do. The
protocol is in conformance/agent/README.md.
"""
import json
import os
import select
import socket
import sys

import toy

LINKS = ["roce2-ipv4"]
CAPABILITIES = ["rc", "write", "qp_states"]  # `ibconform list --capabilities` lists all capabilities
LINE, BYTES = 65536, 24576
DEVICE = {"mac": "02:00:00:00:00:01", "ipv4": "10.0.0.1"}
TESTER = {"mac": "02:00:00:00:00:03", "ipv4": "10.0.0.3"}
STRANGER = {"mac": "02:00:00:00:00:04", "ipv4": "10.0.0.4"}


class Refused(Exception):
    """The device or the agent refuses a request. The exception has an error word of the protocol, and a sentence."""

    def __init__(self, word, text=""):
        super().__init__(text or word)
        self.word = word


def pattern(letter, n):
    """returns the n bytes that a region has at first (docs/scenarios.md, Patterns)"""
    mask, out = (1 << 64) - 1, bytearray(n)
    for i in range(n):
        x = ((i + 1) * 0x9E3779B97F4A7C15 + ord(letter) * 0xD1342543DE82EF95) & mask
        out[i] = ((x ^ x >> 31) * 0xBF58476D1CE4E5B9 & mask) >> 56
    return out


class Agent:
    def __init__(self, send):
        self.send, self.greeted, self.patterns = send, False, {}
        self.stack = toy.Stack(DEVICE, send)

    # Each verb is a method. Its arguments are the members of the request, and it returns the members of the reply. The reply to a
    # verb without a method is `unsupported`.

    def hello(self, version, token=None):
        if version != 1:
            raise Refused("bad_version", "this agent speaks version 1")
        self.greeted = True
        return {"version": 1, "name": "toy", "devices": 1, "links": LINKS, "capabilities": CAPABILITIES, "time": "real",
                "limits": {"line": LINE, "bytes": BYTES}}

    def reset(self, link, seed=1):
        if link not in LINKS:
            raise Refused("unsupported", f"no link {link}")
        self.stack = toy.Stack(DEVICE, self.send)  # a new stack has no objects
        return {"now": 0, "device": [DEVICE], "tester": TESTER, "stranger": STRANGER}

    def create_pd(self):
        return {"pd": self.stack.new_domain()}

    def create_cq(self, depth):
        return {"cq": self.stack.new_cq(depth)}

    def create_qp(self, type, pd, scq, rcq, sq, rq=0, sig_all=False, srq=None, xrcd=None):
        if type != "rc" or srq is not None or xrcd is not None:
            raise Refused("unsupported", "RC without shared queues only")
        return {"qpn": self.stack.new_qp(pd, rcq, rq)}

    def modify_qp(self, qpn, state, **attributes):
        qp = self.qp(qpn)
        if not qp.may_become(state):
            raise Refused("verb_transition", f"{qp.state} to {state}")
        qp.modify(state, attributes)
        return {}

    def query_qp(self, qpn):
        qp = self.qp(qpn)
        names = ("access", "pkey", "port", "pmtu", "timeout", "retry", "rnr_retry", "rd", "min_rnr", "psn", "dest_rd", "qpn_of_peer")
        return {"state": qp.state, "epsn": qp.epsn, **{name: qp.attributes[name] for name in names if name in qp.attributes}}

    def destroy(self, kind, number):
        if kind == "qp":
            self.qp(number)
            del self.stack.qps[number]
        elif kind == "mr" and number in self.stack.regions:
            del self.stack.regions[number]
        else:
            raise Refused("unsupported", f"{kind}s are not destroyed")
        return {}

    def reg_mr(self, pd, length, access, fill, iova=None):
        if fill not in self.patterns or len(self.patterns[fill]) < length:
            self.patterns[fill] = pattern(fill, length)
        region = self.stack.new_region(pd, self.patterns[fill][:length], access, iova)
        return {"id": region.key, "va": region.va, "local": region.at, "lkey": region.key, "rkey": region.key}

    def post_recv(self, wr, qpn=None, srq=None):
        if qpn is None:
            raise Refused("unsupported", "no shared queues")
        error = self.qp(qpn).post_recv(wr.get("id", 0), [(s["at"], s["len"], s["lkey"]) for s in wr.get("sge", [])])
        if error:
            raise Refused(error)
        return {}

    def poll_cq(self, cq):
        queue = self.stack.cqs[cq]
        return {"wc": queue.pop(0) if queue else None}

    def poll_event(self):
        return {"event": self.stack.events.pop(0) if self.stack.events else None}

    def read_memory(self, at, n):
        region = self.memory(at, n)
        return {"hex": region.bytes[at - region.at:at - region.at + n].hex()}

    def write_memory(self, at, hex):
        data = bytes.fromhex(hex)
        region = self.memory(at, len(data))
        region.bytes[at - region.at:at - region.at + len(data)] = data
        return {}

    # Helpers of the verbs.

    def qp(self, qpn):
        if qpn not in self.stack.qps:
            raise Refused("verb_no_qp", f"no queue pair {qpn}")
        return self.stack.qps[qpn]

    def memory(self, at, n):
        for region in self.stack.memory:
            if region.at <= at and at + n <= region.at + len(region.bytes):
                return region
        raise Refused("fault", "no region there")

    def verb(self, name):
        method = getattr(type(self), name, None)
        return method if method and name in VERBS else None

    def answer(self, line):
        request_id = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise json.JSONDecodeError("no object", "", 0)
            request_id, name = request.pop("id"), request.pop("do")
            if not self.greeted and name != "hello":
                raise Refused("no_hello", "hello comes first")
            if request.pop("device", 0) != 0:
                raise Refused("bad_request", "there is one device")
            method = self.verb(name)
            if not method:
                raise Refused("unsupported", f"no verb {name}")
            numbers = {key: int(value, 16) if isinstance(value, str) and value.startswith("0x") else value for key, value in request.items()}
            return {"id": request_id, "ok": method(self, **numbers)}
        except Refused as refused:
            return {"id": request_id, "error": refused.word, "text": str(refused)}
        except json.JSONDecodeError:
            return {"id": None, "error": "bad_json", "text": "no JSON object"}
        except (TypeError, KeyError, ValueError, IndexError) as wrong:
            return {"id": request_id, "error": "bad_request", "text": str(wrong)}


VERBS = {"hello", "reset", "create_pd", "create_cq", "create_qp", "modify_qp", "query_qp", "destroy", "reg_mr", "post_recv", "poll_cq",
         "poll_event", "read_memory", "write_memory"}


def main(peer, own):
    """One loop serves requests and frames, so neither waits for the other. The program ends when its input ends."""
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    wire.bind(own)

    def send(frame):
        try:
            wire.sendto(frame, peer)
        except OSError:
            pass  # the tester does not run yet, or is slow, so the frame is lost, as on any network

    agent, rest = Agent(send), b""
    try:
        while True:
            ready = select.select([wire, 0], [], [])[0]
            if wire in ready:  # a reply shows the tester that the frames before it were handled, so frames go first
                agent.stack.receive(wire.recv(65536))
            elif 0 in ready:
                got = os.read(0, LINE)
                if not got:
                    return 0
                *lines, rest = (rest + got).split(b"\n")
                for line in lines:
                    sys.stdout.write(json.dumps(agent.answer(line)) + "\n")
                sys.stdout.flush()
    finally:
        os.unlink(own)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
