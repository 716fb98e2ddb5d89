#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs at ibfabric through libibfabric-umad.so: OpenSM, infiniband-diags, and a small program over libibumad. Each datagram
is a packet with the address that the program gave, and transactions of several segments arrive whole."""
import collections
import ctypes
import json
import os
import re
import subprocess
import sys
import time
import unittest

from fabric import BIN, SOURCE, Case, Fabric, Preloaded, ring, star

sys.path.insert(0, str(SOURCE / "tools/compare-tshark.d"))
import capture  # noqa: E402

# ---- a program over libibumad: sends the datagrams that its arguments say, prints what it gets ----

CLASS_PERF, CLASS_SA, CLASS_APPLICATION = 0x04, 0x03, 0x0a
ENVELOPE = 64
LENGTH_MOST = 1 << 16


class Address(ctypes.Structure):
    _fields_ = [("qpn", ctypes.c_uint32), ("qkey", ctypes.c_uint32), ("lid", ctypes.c_uint16), ("sl", ctypes.c_uint8),
                ("path_bits", ctypes.c_uint8), ("grh_present", ctypes.c_uint8), ("gid_index", ctypes.c_uint8),
                ("hop_limit", ctypes.c_uint8), ("traffic_class", ctypes.c_uint8), ("gid", ctypes.c_uint8 * 16),
                ("flow_label", ctypes.c_uint32), ("pkey_index", ctypes.c_uint16), ("reserved", ctypes.c_uint8 * 6)]


class Umad(ctypes.Structure):
    _fields_ = [("agent", ctypes.c_uint32), ("status", ctypes.c_uint32), ("timeout_ms", ctypes.c_uint32),
                ("retries", ctypes.c_uint32), ("length", ctypes.c_uint32), ("addr", Address),
                ("data", ctypes.c_uint8 * LENGTH_MOST)]


def big(value, size):
    return int.from_bytes(value.to_bytes(size, "big"), sys.byteorder)


def program(said):
    """{"register": [class, version, rmpp, [method, ...]], "send": [{...}], "receive": count, "wait_ms": n}"""
    ctypes.CDLL("libibumad.so.3", ctypes.RTLD_GLOBAL)
    lib = ctypes.CDLL(None, use_errno=True)  # the preloaded library comes first
    assert lib.umad_init() == 0 and lib.umad_size() == ENVELOPE
    port = lib.umad_open_port(None, 0)
    assert port >= 0, port
    cls, version, rmpp, methods = said["register"]
    mask = (ctypes.c_ulong * 2)(*(sum(1 << m % 64 for m in methods if m // 64 == word) for word in range(2)))
    agent = lib.umad_register(port, cls, version, rmpp, mask)
    print(json.dumps({"agent": agent}), flush=True)
    if agent < 0:
        return
    for send in said.get("send", []):
        u = Umad()
        mad = bytes.fromhex(send["mad"])
        ctypes.memmove(u.data, mad, len(mad))
        u.addr.qpn, u.addr.qkey = big(send.get("qpn", 1), 4), big(send.get("qkey", 0x80010000), 4)
        u.addr.lid, u.addr.flow_label = big(send["lid"], 2), big(send.get("flow_label", 0), 4)
        for name in ("sl", "path_bits", "grh_present", "gid_index", "hop_limit", "traffic_class", "pkey_index"):
            setattr(u.addr, name, send.get(name, 0))
        ctypes.memmove(u.addr.gid, bytes.fromhex(send.get("gid", "00" * 16)), 16)
        ctypes.set_errno(0)
        done = lib.umad_send(port, agent, ctypes.byref(u), len(mad), send.get("timeout_ms", 100), send.get("retries", 0))
        print(json.dumps({"sent": done, "errno": ctypes.get_errno()}), flush=True)
    for _ in range(said.get("receive", 0)):
        u, length = Umad(), ctypes.c_int(LENGTH_MOST)
        got = lib.umad_recv(port, ctypes.byref(u), ctypes.byref(length), said.get("wait_ms", 5000))
        a = u.addr
        print(json.dumps({"got": got, "status": u.status, "lid": big(a.lid, 2), "qpn": big(a.qpn, 4), "sl": a.sl,
                          "path_bits": a.path_bits, "pkey_index": a.pkey_index, "grh_present": a.grh_present,
                          "hop_limit": a.hop_limit, "traffic_class": a.traffic_class, "flow_label": big(a.flow_label, 4),
                          "gid": bytes(a.gid).hex(), "mad": bytes(u.data[:max(length.value, 0)]).hex()}), flush=True)
    lib.umad_unregister(port, agent)
    lib.umad_close_port(port)


def datagram(cls, version, method, attribute, tid=1, data=""):
    return (bytes([1, cls, version, method]) + bytes(4) + tid.to_bytes(8, "big") + attribute.to_bytes(2, "big") +
            bytes(6)).hex() + data


PORT_COUNTERS = datagram(CLASS_PERF, 1, 1, 0x12)
PORT_COUNTERS = PORT_COUNTERS + ("00" * 40 + "0001").ljust(2 * 232, "0")


class Umads(Case):
    FABRIC = Preloaded

    def start(self, fabric, host, **said):
        return subprocess.Popen([sys.executable, "-B", __file__, "--program", json.dumps(said)], env=fabric.environment(host),
                                stdout=subprocess.PIPE, text=True)

    def program(self, fabric, host, **said):
        done = fabric.run(host, sys.executable, "-B", __file__, "--program", json.dumps(said))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def lid(self, fabric, node, port=1):
        return int(fabric.pairs(f"port {node} {port}")["lid"])

    def fields(self, path, which, *fields):
        """The fields of the packets that match, in the order of the capture."""
        columns = [word for field in fields for word in ("-e", field)]
        text = subprocess.run([BIN / "ibdissect", "-Y", which, "-T", "fields", *columns, path], capture_output=True, text=True,
                              check=True).stdout
        return [tuple(line.split("\t")) for line in text.splitlines()]


class Same(Umads):
    """The state of the subnet is the same, whichever library OpenSM preloads."""

    FINDINGS = set()

    def held(self, kind, topology):
        self.FABRIC = kind
        f = self.fabric(topology)
        self.good(f, "H0", "/usr/sbin/opensm", "-o", "-f", "/dev/null")
        held = {}
        for name, what, ports, _ in (line.split("\t") for line in f.ask("nodes")):
            for port in range(what == "adapter", int(ports) + 1):
                held[name, port] = f.ask(f"port {name} {port}")
            if what == "switch":
                held[name] = f.ask(f"routes {name}")
        return held

    def test_a_bring_up(self):
        topology = ring(4, 16)
        stock, ours = self.held(Fabric, topology), self.held(Preloaded, topology)
        self.assertIn("state\tActive", ours["H15", 1])
        self.assertEqual(stock, ours)


class Tables(Umads):
    """Tables longer than a datagram, while OpenSM runs."""

    FINDINGS = set()

    def setUp(self):
        super().setUp()
        self.capture = self.folder / "tables.pcapng"
        self.f = Preloaded(self.folder, ring(4, 16), "--pcap", self.capture)
        self.addCleanup(self.judge, self.f, self.capture)
        self.sm = self.manager(self.f, "H0")
        self.sm.wait("SUBNET UP")

    def lids(self):
        return {name: self.lid(self.f, name, int(what == "adapter")) for name, what, *_ in
                (line.split("\t") for line in self.f.ask("nodes"))}

    def test_saquery_prints_what_the_model_holds(self):
        lids = self.lids()
        text = self.good(self.f, "H5", "saquery", "NR")
        printed = dict(zip(re.findall(r"NodeDescription\.+(\S+)", text), map(int, re.findall(r"lid\.+(\d+)", text))))
        self.assertEqual(printed, lids)
        text = self.good(self.f, "H5", "saquery", "PR")
        pairs = list(zip(*(map(int, re.findall(rf"{end}\.+(\d+)", text)) for end in ("slid", "dlid"))))
        self.assertEqual(sorted(pairs), sorted((a, b) for a in lids.values() for b in lids.values()))
        text = self.good(self.f, "H5", "saquery", "LR")
        self.assertEqual(len(re.findall("LinkRecord", text)), 2 * (16 + 4))
        self.assertEqual(self.good(self.f, "H5", "saquery", "SMIR").count("SMInfoRecord"), 1)
        self.good(self.f, "H5", "ibqueryerrors")
        self.assertEqual(re.findall(r".*ERR .*", self.sm.text()), [])
        self.sm.close()
        self.assertEqual(self.f.close(), 0)
        self.check_segments(len(pairs))

    def check_segments(self, paths):
        """Windows and ACKs as MD-41 and MD-42 want them, in the packets that the first wire has."""
        rmpp = "infiniband.rmpp"
        which = f'{rmpp}.rmpptype && (frame.interface_name == "H0/1" || frame.interface_name == "H5/1")'
        fields = ("infiniband.mad.transactionid", f"{rmpp}.rmpptype", f"{rmpp}.segmentnumber", f"{rmpp}.payloadlength",
                  f"{rmpp}.newwindowlast")
        rows = self.fields(self.capture, which, *fields)
        transfers = collections.defaultdict(list)
        for tid, kind, *numbers in rows:
            transfers[tid].append((int(kind, 0), *(int(n or "0", 0) for n in numbers)))
        longest = max(transfers.values(), key=len)
        data = [row for row in longest if row[0] == 1]
        segments = (paths * 64 + 199) // 200
        self.assertEqual([row[1] for row in data], list(range(1, segments + 1)))
        self.assertEqual(data[0][2], paths * 64 + 20 * segments)
        self.assertEqual(data[-1][2], paths * 64 - 200 * (segments - 1) + 20)
        window = 1
        for kind, number, _, last in longest:
            if kind == 1:
                self.assertLessEqual(number, window)
            elif kind == 2:
                window = last
        self.assertEqual(rows, self.as_tshark_reads(which, *fields))

    def as_tshark_reads(self, which, *fields):
        """fields() of tshark, which knows the packets as ERF."""
        some, erf = self.folder / "some.pcapng", self.folder / "erf.pcap"
        subprocess.run([BIN / "ibdissect", "-Y", which, "-w", some, self.capture], stdout=subprocess.DEVNULL, check=True)
        capture.write(erf, [capture.as_erf(p) for p in capture.read(some)])
        columns = [word for field in fields for word in ("-e", field)]
        text = subprocess.run(["tshark", "-r", erf, "-T", "fields", *columns], capture_output=True, text=True, check=True).stdout
        return [tuple(line.split("\t")) for line in text.splitlines()]

    def test_one_node_pings_another(self):
        server = subprocess.Popen(["/usr/sbin/ibping", "-S"], env=self.f.environment("H7"), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        for _ in range(20):
            done = self.f.run("H9", "ibping", "-c", "2", "-f", str(self.lid(self.f, "H7")))
            if "2 received" in done.stdout:
                return
            time.sleep(0.1)
        self.fail(done.stdout + done.stderr)

    def test_is_sm(self):
        """The capability bit IsSM is that of the file that OpenSM has open."""
        is_sm = 2
        mask = lambda: int(re.search(r"CapMask:\.+(0x[0-9a-f]+)", self.good(  # noqa: E731
            self.f, "H5", "smpquery", "portinfo", str(self.lid(self.f, "H0")), "1"))[1], 16)
        self.assertTrue(mask() & is_sm)
        self.sm.close()
        self.assertFalse(mask() & is_sm)


class Losses(Umads):
    """Segments and ACKs get lost on a wire, and are sent again."""

    def test_a_table_over_a_lossy_cable(self):
        lossy = self.folder / "lossy.pcapng"
        f = self.fabric(star(16, ports=20), "--pcap", lossy)
        sm = self.manager(f, "H0")
        sm.wait("SUBNET UP")
        f.ask("lose S0 6 5")
        for _ in range(2):  # in one table of 12 segments all may arrive
            text = self.good(f, "H5", "saquery", "-t", "8000", "NR")
            self.assertEqual(sorted(re.findall(r"NodeDescription\.+(\S+)", text)), sorted(f.guids()))
        f.ask("lose S0 6 0")
        sm.close()
        self.assertEqual(f.close(), 0)
        numbers = self.fields(lossy, 'infiniband.rmpp.rmpptype == 1 && frame.interface_name == "H0/1"',
                              "infiniband.rmpp.segmentnumber")
        self.assertGreater(len(numbers), 2 * len(set(numbers)), "segments were sent again")

    def test_silence_is_a_timeout_after_the_retries(self):
        f = self.fabric(star(2, ports=4))
        sm = self.manager(f, "H0")
        sm.wait("SUBNET UP")
        f.ask("lose S0 2 1")
        begun = time.monotonic()
        got = self.program(f, "H0", register=[CLASS_PERF, 1, 0, []], receive=1,
                           send=[{"lid": self.lid(f, "H1"), "mad": PORT_COUNTERS, "timeout_ms": 200, "retries": 2}])[-1]
        self.assertEqual((got["status"], got["mad"][:16]), (110, PORT_COUNTERS[:16]))
        self.assertGreater(time.monotonic() - begun, 0.6)


class Addresses(Umads):
    """The address that a program gives is the packet's, and is refused where it is wrong."""

    PARTITIONS = "Default=0x7fff, ipoib : ALL=full;\nYellow=0x0001 : {}=full;\n"

    def up(self, config, partitions=None):
        self.capture = self.folder / "addresses.pcapng"
        f = self.fabric(star(3, ports=4), "--pcap", self.capture)
        guid = "0x{:016x}".format(int(f.guids()["H1"], 16) + 1)
        sm = self.manager(f, "H0", config, partitions=self.PARTITIONS.format(guid))
        sm.wait("SUBNET UP")
        return f, sm

    def ask(self, f, **address):
        return self.program(f, "H1", register=[CLASS_PERF, 1, 0, []], receive=1,
                            send=[{"lid": self.lid(f, "H2"), "mad": PORT_COUNTERS, **address}])

    def test_the_key_of_another_partition(self):
        f, sm = self.up("part_enforce off\n")
        index = f.pairs("port H1 1")["p_keys"].split().index("0x8001")
        self.assertEqual(self.ask(f)[-1]["status"], 0)
        self.assertEqual(f.pairs("port H2 1")["violations"], "m_key 0, p_key 0, q_key 0")
        self.assertEqual(self.ask(f, pkey_index=index)[-1]["status"], 110)
        self.assertEqual(f.pairs("port H2 1")["violations"], "m_key 0, p_key 1, q_key 0")
        sm.wait("Received Generic Notice type:\\d+ num:257 ")
        self.assertEqual(self.ask(f, qkey=0x1234)[-1]["status"], 110)
        self.assertEqual(f.pairs("port H2 1")["violations"], "m_key 0, p_key 1, q_key 1")
        sm.wait("Received Generic Notice type:\\d+ num:258 ")
        self.assertEqual(self.ask(f, qkey=0x80000000)[-1]["status"], 0, "the highest bit: the Q_Key of the sender's QP")
        for wrong in ({"pkey_index": 9}, {"pkey_index": 64}, {"grh_present": 1, "gid_index": 5}, {"qpn": 0}):
            self.assertEqual(self.program(f, "H1", register=[CLASS_PERF, 1, 0, []], send=[
                {"lid": self.lid(f, "H2"), "mad": PORT_COUNTERS, **wrong}])[-1]["errno"], 22, wrong)
        sm.close()
        f.close()
        keys = self.fields(self.capture, "infiniband.mad.mgmtclass == 4 && infiniband.mad.method == 1 && "
                           'frame.interface_name == "H1/1"', "infiniband.bth.p_key", "infiniband.deth.q_key")
        self.assertEqual([(int(p, 0), int(q, 0)) for p, q in keys],
                         [(0xffff, 0x80010000), (0x8001, 0x80010000), (0xffff, 0x1234), (0xffff, 0x80010000)])

    def test_a_switch_enforces_partitions(self):
        f, sm = self.up("part_enforce both\n")
        index = f.pairs("port H1 1")["p_keys"].split().index("0x8001")
        self.assertEqual(self.ask(f, pkey_index=index)[-1]["status"], 110)
        self.assertEqual(f.pairs("counters S0 3")["portxmitconstrainterrors"], "1")
        sm.wait("Received Generic Notice type:\\d+ num:259 ")

    def test_service_level_path_and_grh(self):
        f, sm = self.up("lmc 1\n")
        lid = {node: self.lid(f, node) for node in ("H1", "H2")}
        gid = "fe80000000000000" + "{:016x}".format(int(f.guids()["H2"], 16) + 1)
        own = "fe80000000000000" + "{:016x}".format(int(f.guids()["H1"], 16) + 1)
        receiver = self.start(f, "H2", register=[CLASS_APPLICATION, 1, 0, [3]], receive=2)
        self.assertEqual(json.loads(receiver.stdout.readline()), {"agent": 0})
        message = datagram(CLASS_APPLICATION, 1, 3, 0x77, data="5a" * 232)
        sent = self.program(f, "H1", register=[CLASS_APPLICATION, 1, 0, []], send=[
            {"lid": lid["H2"] + 1, "mad": message, "sl": 3, "path_bits": 1, "timeout_ms": 0},
            {"lid": lid["H2"], "mad": message, "sl": 1, "grh_present": 1, "hop_limit": 7, "traffic_class": 0x55,
             "flow_label": 0x12345, "gid": gid, "timeout_ms": 0}])
        self.assertEqual([row["sent"] for row in sent[1:]], [0, 0])
        first, second = (json.loads(receiver.stdout.readline()) for _ in range(2))
        receiver.stdout.close()
        receiver.wait()
        self.assertEqual((first["lid"], first["path_bits"], first["sl"], first["qpn"], first["grh_present"]),
                         (lid["H1"] + 1, 1, 3, 1, 0))
        self.assertEqual((second["lid"], second["path_bits"], second["sl"], second["grh_present"], second["hop_limit"],
                          second["traffic_class"], second["flow_label"], second["gid"]),
                         (lid["H1"], 0, 1, 1, 7, 0x55, 0x12345, own))
        self.assertEqual(first["mad"][48:], "5a" * 232)
        sm.close()
        f.close()
        rows = self.fields(self.capture, 'infiniband.mad.mgmtclass == 10 && frame.interface_name == "H1/1"', "infiniband.lrh.sl",
                           "infiniband.lrh.slid", "infiniband.grh.hoplmt", "infiniband.grh.tclass", "infiniband.grh.flowlabel")
        self.assertEqual([[int(v or "0", 0) for v in row] for row in rows],
                         [[3, lid["H1"] + 1, 0, 0, 0], [1, lid["H1"], 7, 0x55, 0x12345]])

    def test_a_thread_that_is_cancelled(self):
        """Other threads can use the port afterwards: OpenSM cancels its receiver, and then closes its agents."""
        f, _ = self.up("")
        self.assertEqual(f.run("H1", BIN.parent / "test/umad-cancel").returncode, 0)

    def test_two_agents_for_one_method(self):
        """The second program that wants the methods of a subnet manager at a port is refused, as by a kernel."""
        f, _ = self.up("")
        self.assertEqual(self.program(f, "H0", register=[CLASS_SA, 2, 1, [0x12]])[0]["agent"], -1)
        self.assertEqual(self.program(f, "H1", register=[CLASS_SA, 2, 1, [0x12]])[0]["agent"], 0)
        self.assertEqual(self.program(f, "H1", register=[CLASS_PERF, 1, 1, []])[0]["agent"], -1, "a class without RMPP")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        program(json.loads(sys.argv[2]))
    else:
        unittest.main(argv=sys.argv)
