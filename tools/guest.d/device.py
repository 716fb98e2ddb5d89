# SPDX-License-Identifier: BSD-2-Clause
"""device.py: the guest as one device, on top of by_hand.py: queue pairs, regions and windows in a line each, and expected
results (AssertionError has the actual one)."""

import contextlib
import os
import struct
import time

from scapy.contrib.roce import AETH, opcode

from by_hand import EPSN, PEER, PSN, RIGHTS, Wire, greeted

PMTU = 1024
QKEY = 0x11111111
PATH = ("tclass", "hop", "flow", "sl", "to")
SERVICES = {"rc": 0x00, "uc": 0x20, "ud": 0x60}


class Qp:
    """A queue pair of the device, and the values that its peer knows."""

    def __init__(self, device, service, **given):
        self.device, self.service = device, service
        create = {"type": service, "pd": device.pd, "scq": device.cq, "rcq": device.cq, "sig_all": True, "sq": 7, "rq": 7}
        create |= {key: given.pop(key) for key in list(given) if key in ("rq", "rcq", "scq", "srq")}
        if "srq" in create:
            del create["rq"]
        self.n = device("create_qp", **create)["qpn"]
        self.lead(given.pop("state", "rts"), given)

    def attributes(self, state):
        """The attributes that the transition to a state requires."""
        to_init = {"pkey": 0, "port": 1}
        return {
            ("init", "ud"): {**to_init, "qkey": QKEY},
            ("init", "uc"): {**to_init, "access": ["remote_write"]},
            ("init", "rc"): {**to_init, "access": RIGHTS[1:]},
            ("rtr", "ud"): {},
            ("rtr", "uc"): {"av": True, "hop": 64, "pmtu": PMTU, "qpn_of_peer": PEER, "epsn": EPSN},
            ("rtr", "rc"): {"av": True, "hop": 64, "pmtu": PMTU, "qpn_of_peer": PEER, "epsn": EPSN, "dest_rd": 4, "min_rnr": 12},
            ("rts", "ud"): {"psn": PSN},
            ("rts", "uc"): {"psn": PSN},
            ("rts", "rc"): {"psn": PSN, "timeout": 0, "retry": 7, "rnr_retry": 7, "rd": 4},
        }[state, self.service]

    def lead(self, to, given):
        for state in ("init", "rtr", "rts"):
            if to != "reset":
                known = self.attributes(state)
                self.modify(state, **(known | {key: given[key] for key in given if key in known or (key in PATH and "av" in known)}))
            if state == to:
                break

    def modify(self, state, **attributes):
        self.device("modify_qp", qpn=self.n, state=state, **attributes)

    def change(self, state, **attributes):
        """Changes the state with the required attributes, and the given ones."""
        self.modify(state, **(self.attributes(state) | attributes))

    def refuses(self, state, **attributes):
        return "error" in self.device.ask.reply("modify_qp", qpn=self.n, state=state, **attributes)

    def state(self):
        return self.device("query_qp", qpn=self.n)["state"]

    def send(self, op, psn, body=b"", **fields):
        """Sends a packet to the queue pair: the name or number of an RC opcode; the PSN counts from the first expected one."""
        code = op if isinstance(op, int) else opcode("RC", op)[0]
        self.device.wire.send(SERVICES[self.service] + code, self.n, (EPSN + psn) % (1 << 24), body, **fields)

    def datagram(self, payload, **fields):
        self.send("SEND_ONLY", 0, struct.pack(">II", QKEY, PEER) + payload, **fields)

    def post(self, op, **wr):
        dest = {"dest": {}} if self.service == "ud" else {}
        wr = {"op": op, "id": 1, "signaled": True, **({"qpn": PEER, "qkey": QKEY} if dest else {}), **wr}
        self.device("post_send", qpn=self.n, wr=wr, **dest)

    def receive(self, sge, n=1):
        for _ in range(n):
            self.device("post_recv", qpn=self.n, wr={"id": 1, "sge": sge})


class Device:
    """The guest through its two ends, with a domain, a completion queue and a region of each case's own."""

    def __init__(self, wire):
        self.wire, self.ask, self.windows = wire, None, []
        self.greet()

    def greet(self):
        self.ask = greeted(90)

    def __call__(self, do, **args):
        return self.ask(do, **args)

    def fresh(self, link="roce2-ipv4"):
        for window in self.windows:  # a QP does not go while a type 2 window is bound to it
            self.ask.reply("destroy", kind="mw", number=window["rkey"])
        self.windows = []
        self("reset", link=link, seed=1)
        self.pd, self.cq = self("create_pd")["pd"], self("create_cq", depth=31)["cq"]
        self.m = self.region([*RIGHTS, "mw_bind"])
        while self.wire.receive(0.001):
            pass

    def region(self, access, pd=None, **more):
        return self("reg_mr", **{"pd": self.pd if pd is None else pd, "length": 65536, "access": access, "fill": "m", **more})

    def sge(self, n, at=0, region=None, **key):
        region = region or self.m
        return [{"at": region["local"] + at, "len": n, "lkey": region["lkey"], **key}]

    def memory(self, at, n):
        return bytes.fromhex(self("read_memory", at=self.m["local"] + at, n=n)["hex"])

    # ---- results ----

    def packet(self):
        frame = self.wire.receive(2)
        assert frame is not None, "no packet"
        return frame

    def answers(self, *syndromes):
        came = [self.packet()[AETH].syndrome for _ in syndromes]
        assert came == list(syndromes), f"syndromes {[hex(s) for s in came]}, not {[hex(s) for s in syndromes]}"

    def silent(self, patience=0.3):
        frame = self.wire.receive(patience)
        assert frame is None, frame.summary() if frame else ""

    def completes(self, *statuses, cq=None):
        came = [self.ask.waited_for("wc", "poll_cq", cq=self.cq if cq is None else cq) for _ in statuses]
        assert [wc["status"] for wc in came] == list(statuses), came
        return came

    def nothing_within(self, seconds, what, do, **args):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = self(do, **args)[what]
            assert found is None, found

    def no_completion(self):
        self.nothing_within(0.5, "wc", "poll_cq", cq=self.cq)

    def no_event(self):
        self.nothing_within(1, "event", "poll_event")

    # ---- windows ----

    def window(self, kind):
        self.windows.append({"rkey": self("alloc_mw", type=kind, pd=self.pd)["rkey"]})
        return self.windows[-1]

    def bind(self, qp, window, at=0, n=1024, rights=("remote_write",), byte=1, region=None):
        region, key = region or self.m, window["rkey"]
        qp.post("bind_mw", mw=key, lkey=region["lkey"], va=region["local"] + at, len=n, access=list(rights), key=(key + byte) % 256)
        window["rkey"] = self.completes("success")[0]["rkey"]


@contextlib.contextmanager
def one_device():
    """For recheck.main(): each function starts with fresh objects of this device."""
    wire = Wire(os.environ["IBPROOF_WIRE"])
    device = Device(wire)

    def seen(function):
        try:
            if device.ask is None:
                device.greet()
            device.fresh()
            function(device)
            return None
        except (AssertionError, OSError, ValueError, KeyError) as why:
            if not isinstance(why, AssertionError):
                device.ask = None  # the device may have crashed
            return str(why) or repr(why)

    try:
        yield seen
        device.fresh()  # no window may stay bound
    finally:
        wire.close()
