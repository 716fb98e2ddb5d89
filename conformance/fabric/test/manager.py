#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Expectations of a subnet that OpenSM has brought up: each holds for OpenSM as it is, and fails for an OpenSM
of which a relay, between it and ibfabric, alters or swallows one kind of Set. So each expectation is known to notice a fault."""
import os
import selectors
import socket
import struct
import sys
import threading
import time
import unittest

from fabric import Case, ring

CLIENTS = 10  # of a server of ibsim's protocol
CONNECT, GET_RESPONSE, SET = 1, 0x81, 2
MAD = 32  # where it begins in a datagram of that protocol
PORT_INFO, P_KEYS, LFT = 0x15, 0x16, 0x19
DIRECTED = 0x81
MOMENT = 1  # seconds after the sweep, for unfinished packets
ADAPTERS = [f"H{i}" for i in range(4)]
SWITCHES = ["S0", "S1"]
LINKS = [(h, 1) for h in ADAPTERS] + [(s, p) for s in SWITCHES for p in (1, 2, 3, 4)]
M_KEY = 0x1234


def bound(name):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(b"\0" + name.encode() + b"\0")
    return s


class Relay:
    """A server for one client, which passes each datagram to ibfabric, after alter(mad) had its turn. alter changes the MAD in
    place, and returns True for a Set that the relay answers itself, so that the fabric never gets it."""

    def __init__(self, server, name, alter):
        self.server, self.name, self.alter, self.altered = server, name, alter, 0
        self.control = bound(f"{name}:ctl")
        self.out = [bound(f"{name}:out{i}") for i in range(CLIENTS)]
        self.select = selectors.DefaultSelector()
        self.select.register(self.control, selectors.EVENT_READ, self.connect)
        self.end, self.wake = socket.socketpair()
        self.select.register(self.end, selectors.EVENT_READ, None)
        self.above = self.mads = self.client = None
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            for key, _ in self.select.select():
                if key.data is None:
                    return
                try:
                    key.data()
                except ConnectionRefusedError:
                    pass  # the client has ended

    def connect(self):
        """A control message; the first makes the sockets of the client."""
        message, who = self.control.recvfrom(80)
        kind, = struct.unpack_from("=I", message, 8)
        if kind == CONNECT and self.above is None:
            own, = struct.unpack_from("=I", message, 16)
            self.above = bound(f"{self.server}:ctl{own}")
            self.above.connect(b"\0" + f"{self.server}:ctl".encode() + b"\0")
            self.mads = bound(f"{self.server}:in{own}")
        self.above.send(message)
        answer = self.above.recv(80)
        if kind == CONNECT:
            number, = struct.unpack_from("=I", answer, 16)
            self.mads.connect(b"\0" + f"{self.server}:out{number}".encode() + b"\0")
            self.client = self.out[number]
            self.client.connect(b"\0" + f"{self.name}:in{own}".encode() + b"\0")
            self.select.register(self.client, selectors.EVENT_READ, self.down)
            self.select.register(self.mads, selectors.EVENT_READ, lambda: self.client.send(self.mads.recv(1024)))
        self.control.sendto(answer, who)

    def down(self):
        datagram = bytearray(self.client.recv(1024))
        before, mad = bytes(datagram), datagram[MAD:]
        swallowed = mad[3] == SET and self.alter(mad)
        datagram[MAD:] = mad
        self.altered += swallowed or before != bytes(datagram)
        if swallowed:
            datagram[MAD + 3] = GET_RESPONSE
            if mad[1] == DIRECTED:
                datagram[MAD + 4] |= 0x80  # the direction
            self.client.send(datagram)
        else:
            self.mads.send(datagram)

    def close(self):
        self.wake.send(b".")
        self.thread.join()
        self.select.close()
        for s in (self.control, *self.out, self.end, self.wake, self.above, self.mads):
            if s:
                s.close()


# ---- broken managers: each a change of one kind of Set ----


def attribute(mad):
    return struct.unpack_from(">H", mad, 16)[0]


def port_info(change):
    """A manager that sets PortInfo so: change(data)."""
    def alter(mad):
        if attribute(mad) == PORT_INFO:
            data = mad[64:128]
            change(data)
            mad[64:128] = data
        return False
    return alter


def put(at, value):
    def change(data):
        data[at:at + len(value)] = value
    return port_info(change)


def one_lid(data):
    """Each adapter and switch gets LID 1."""
    if data[16:18] != b"\0\0":
        data[16:18] = b"\0\1"


def never(state):
    def change(data):
        if data[32] & 0xF == state:
            data[32] &= 0xF0
    return port_info(change)


def no_lmc(data):
    data[34] &= ~7


def no_level(data):
    data[34] &= ~0xC0


def no_route(mad):
    """The forwarding tables have no LID of the second half."""
    if attribute(mad) == LFT:
        mad[64 + 4:128] = b"\xff" * 60
    return False


def turned(mad):
    """The first LIDs leave by port 4, which leads to the other switch from either."""
    if attribute(mad) == LFT:
        for lid in range(1, 12):
            mad[64 + lid] = 4
    return False


def swallow(number):
    return lambda mad: attribute(mad) == number


# ---- expectations: what the console says that the model holds ----


def each(fabric, names, key):
    return [fabric.pairs(f"port {name} {1 if name[0] == 'H' else 0}")[key] for name in names]


def lids_unique(f):
    lids = each(f, ADAPTERS + SWITCHES, "lid")
    return "0" not in lids and len(set(lids)) == len(lids)


def lid_ranges(f):
    """With LMC 1 a port has two LIDs: no range meets another, and each begins at an even LID."""
    lids = [int(lid) for lid in each(f, ADAPTERS, "lid")]
    return set(each(f, ADAPTERS, "lmc")) == {"1"} and all(lid % 2 == 0 for lid in lids) and len(set(lids)) == len(lids)


def active(f):
    return all(f.pairs(f"port {node} {port}")["state"] == "Active" for node, port in LINKS)


def delivered(f):
    """A data packet for each pair of adapters arrives; none loops."""
    sums = f.pairs("pairs")
    return sums["packets"] == sums["delivered"] != "0" and sums["loop"] == "0"


def sm_known(f):
    lid = f.pairs("port H0 1")["lid"]
    return lid != "0" and set(each(f, ADAPTERS, "sm_lid")) == {lid}


def partition(f):
    return all("0x8005" in keys for keys in each(f, ADAPTERS[:2], "p_keys")) and \
        not any("0x8005" in keys for keys in each(f, ADAPTERS[2:], "p_keys"))


def key_set(f):
    return {int(k, 16) for k in each(f, ADAPTERS, "m_key")} == {M_KEY}


def lease_set(f):
    return all(int(lease) > 0 for lease in each(f, ADAPTERS, "lease"))


def level_set(f):
    return set(each(f, ADAPTERS, "protection")) == {"2"}


KEYED = f"m_key 0x{M_KEY:016x}\nm_key_lease_period 60\nm_key_protection_level 2\n"
PARTITIONS = "Default=0x7fff, ipoib : ALL=full ;\nfive=0x0005 : {0}=full, {1}=full ;\n"

# Expectation, OpenSM's configuration, the statement of core/statements or the section that has the rule for what it sets, and
# broken managers that must not pass.
EXPECTED = (
    (lids_unique, "", "4.1.3", (port_info(one_lid), swallow(PORT_INFO))),
    (lid_ranges, "lmc 1\n", "KM-21", (port_info(no_lmc),)),
    (active, "", "KM-25", (never(4), never(3))),
    (delivered, "", "KM-63", (no_route, turned, swallow(LFT))),
    (sm_known, "", "14.2.5.6", (put(18, b"\0\x63"),)),
    (partition, "", "KM-11", (swallow(P_KEYS),)),
    (key_set, KEYED, "KM-01", (put(0, bytes(8)),)),
    (lease_set, KEYED, "KM-05", (put(26, bytes(2)),)),
    (level_set, KEYED, "KM-02", (port_info(no_level),)),
)


class Expected(Case):
    def up(self, config, alter):
        """A fabric that OpenSM has swept once through a relay; the relay."""
        f = self.fabric(ring(2, 4))
        relay = Relay(f.name, f"{f.name}-relay", alter)
        self.addCleanup(relay.close)
        guids = f.guids()
        ports = [hex(int(guids[h], 16) + 1) for h in ADAPTERS[:2]]
        inside = f.environment
        f.environment = lambda host: {**inside(host), "IBSIM_SOCKNAME": relay.name}
        manager = self.manager(f, "H0", config, partitions=PARTITIONS.format(*ports))
        return f, relay, manager

    def holds(self, expected, config, alter):
        """Whether the subnet looks as expected once the manager has said how its sweep ended; how many datagrams were altered."""
        f, relay, manager = self.up(config, alter)
        try:
            manager.wait("SUBNET UP" if alter is untouched else "SUBNET UP|Errors during initialization")
            end = time.monotonic() + MOMENT
            while not expected(f):
                if time.monotonic() > end:
                    return False, relay.altered
                time.sleep(0.2)
            return True, relay.altered
        finally:
            manager.close()

    def test_opensm_does_and_a_broken_manager_is_noticed(self):
        for expected, config, statement, broken in EXPECTED:
            with self.subTest(expected.__name__, statement=statement):
                self.assertEqual(self.holds(expected, config, untouched), (True, 0))
                for number, alter in enumerate(broken):
                    held, altered = self.holds(expected, config, alter)
                    self.assertGreater(altered, 0, f"broken manager {number} changes nothing")
                    self.assertFalse(held, f"broken manager {number} passes")


def untouched(_):
    return False


if __name__ == "__main__":
    assert os.environ["IBPROOF_BIN"]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
