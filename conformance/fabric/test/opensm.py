#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibfabric brought up by an unmodified OpenSM, and read by infiniband-diags: what these print is what the model holds."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from fabric import BIN, PATIENCE, SOURCE, Case, Preloaded, ring, star

sys.path.insert(0, str(SOURCE / "tools/lib"))
import json_schema  # noqa: E402

ONCE = ("/usr/sbin/opensm", "-o", "-f", "osm.log", "-D", "0x43")


def dots(text):
    """{name: value} of lines "Name:......value"."""
    return dict(re.findall(r"^(\w+):\.*(.*)$", text, re.M))


class BringUp(Case):
    FINDINGS = set()

    def up(self, topology, host, *options):
        """OpenSM ends after one sweep: its log, and the fabric."""
        f = self.fabric(topology, *options)
        self.good(f, host, "sh", "-c", f"{' '.join(ONCE)} >out 2>&1; cp osm.log {self.folder}/osm.log")
        log = (self.folder / "osm.log").read_text(errors="replace")
        self.assertIn("SUBNET UP", log)
        self.assertEqual(re.findall(r".*ERR .*", log), [])
        return f

    def test_one_switch_two_adapters(self):
        f = self.up(star(2, ports=8), "H0")
        for node, port in (("H0", 1), ("H1", 1), ("S0", 1), ("S0", 2)):
            self.assertEqual(f.pairs(f"port {node} {port}")["state"], "Active", (node, port))
        self.assertEqual(f.pairs("port S0 3")["state"], "Down")

    def test_the_example(self):
        """examples/ring.net: every adapter reaches every other one."""
        f = self.up((SOURCE / "examples/ring.net").read_text(), "H0")
        sums = f.pairs("pairs")
        self.assertEqual((sums["packets"], sums["delivered"], sums["most_hops"]), ("12", "12", "4"))  # wires between opposite adapters

    def test_four_switches_sixteen_adapters(self):
        f = self.up(ring(4, 16), "H0")
        lids = {f.pairs(f"port H{i} 1")["lid"] for i in range(16)}
        self.assertEqual(len(lids - {"0"}), 16)
        for i in range(4):
            self.assertTrue(lids <= set(f.pairs(f"routes S{i}")), f"S{i} has a port for each adapter")
        sums = f.pairs("pairs")
        self.assertEqual((sums["packets"], sums["delivered"], sums["most_hops"]), ("240", "240", "4"))
        path = f.ask(f"send H0 1 {f.pairs('port H6 1')['lid']}")
        self.assertEqual(path, ["H0\t1", "S0\t6", "S1\t3", "delivered\tH6 1"])
        f.ask("pull H6 1")
        sums = f.pairs("pairs")
        self.assertEqual((sums["delivered"], sums["lost"], sums["astray"], sums["loop"]), ("210", "30", "0", "0"))

    def test_the_first_adapter_and_a_switch_may_run_the_manager(self):
        for host in ("", "S0"):
            self.up(star(2, ports=8), host)

    def test_net_files_of_ibsim_and_what_ibnetdiscover_prints(self):
        net = 'Switch\t8 "Switch1"\n[1]\t"Hca1"[1]\n[4]\t"Hca2"[2] w=4\n\nHca\t2 "Hca1"\n[1]\t"Switch1"[1]\nHca 2 "Hca2"\n[2] "Switch1"[4]\n'
        f = self.up(net, "Hca1")
        printed = self.good(f, "Hca2", "ibnetdiscover")
        again = self.up(printed, "Hca2")
        twice = self.good(again, "Hca2", "ibnetdiscover")
        nodes = [re.sub(r"lid \d+", "lid", text[text.index("vendid"):]) for text in (printed, twice)]
        self.assertEqual(*nodes)


class Tools(Case):
    """Every tool of infiniband-diags that reads a subnet, while OpenSM runs."""

    FINDINGS = set()

    def setUp(self):
        super().setUp()
        self.f = self.fabric(ring(4, 16))
        self.sm = self.manager(self.f, "H0")
        self.sm.wait("SUBNET UP")

    def lid(self, node, port=1):
        return self.f.pairs(f"port {node} {port}")["lid"]

    def test_who_is_there(self):
        text = self.good(self.f, "H5", "ibnetdiscover")
        self.assertEqual(len(re.findall(r"^Switch", text, re.M)), 4)
        self.assertEqual(len(re.findall(r"^Ca", text, re.M)), 16)
        for name, kind, ports, guid in (line.split("\t") for line in self.f.ask("nodes")):
            self.assertRegex(text, rf'{"Switch" if kind == "switch" else "Ca"}\s+{ports} "[SH]-{guid[2:]}"\s+# "{name}"')
        links = self.good(self.f, "H5", "iblinkinfo", "-l")
        self.assertEqual(len(re.findall(r"Active/  LinkUp", links)), 2 * (16 + 4))

    def test_what_a_node_says_of_itself(self):
        for node in ("H3", "S2"):
            lid, port = self.lid(node, 1 if node[0] == "H" else 0), 1 if node[0] == "H" else 0
            info = dots(self.good(self.f, "H5", "smpquery", "portinfo", lid, str(port)))
            held = self.f.pairs(f"port {node} {port}")
            self.assertEqual((info["Lid"], info["LMC"], info["SMLid"]), (held["lid"], held["lmc"], held["sm_lid"]))
            self.assertIn(held["state"], info["LinkState"])
            self.assertIn(node, self.good(self.f, "H5", "smpquery", "nodedesc", lid))
            kind = dots(self.good(self.f, "H5", "smpquery", "nodeinfo", lid))
            self.assertEqual(kind["NodeType"], "Switch" if node[0] == "S" else "Channel Adapter")
            keys = self.good(self.f, "H5", "smpquery", "pkeys", lid, str(port))
            self.assertIn("0xffff", keys)
        self.assertIn("LinearFdbTop", self.good(self.f, "H5", "smpquery", "switchinfo", self.lid("S0", 0)))
        self.assertIn(self.f.ask("nodes")[-1].split("\t")[3][2:6], self.good(self.f, "H5", "smpquery", "guidinfo", self.lid("H15")))
        self.good(self.f, "H5", "smpquery", "sl2vl", self.lid("S1", 0), "1")
        self.good(self.f, "H5", "smpquery", "vlarb", self.lid("S1", 0), "1")

    def test_routes(self):
        for i in range(4):
            text = self.good(self.f, "H5", "ibroute", self.lid(f"S{i}", 0))
            printed = {str(int(lid, 16)): str(int(port)) for lid, port in re.findall(r"^(0x[0-9a-f]{4}) (\d{3}) :", text, re.M)}
            self.assertEqual(printed, self.f.pairs(f"routes S{i}"))
        trace = self.good(self.f, "H5", "ibtracert", self.lid("H0"), self.lid("H15"))
        self.assertIn('"H15"', trace.splitlines()[-2])

    def test_a_route_by_lid_and_then_by_ports(self):
        """smpquery -c: to a switch by LID, from there by its port 1, on which H4 is."""
        text = self.good(self.f, "H0", "smpquery", "-c", "nodedesc", self.lid("S1", 0), "0,1")
        self.assertIn("H4", text)

    def test_counters(self):
        lid = self.lid("S1", 0)
        printed = dots(self.good(self.f, "H0", "perfquery", "-x", lid, "1"))
        held = self.f.pairs("counters S1 1")
        for ours, theirs in (("portxmitdiscards", "PortXmitDiscards"), ("portrcvswitchrelayerrors", "PortRcvSwitchRelayErrors"),
                             ("linkdownedcounter", "LinkDownedCounter")):
            if theirs in printed:
                self.assertEqual(held[ours], printed[theirs])
        self.assertGreater(int(printed["PortXmitPkts"]), 0)
        before = int(dots(self.good(self.f, "H0", "perfquery", lid, "1"))["PortXmitPkts"])
        self.good(self.f, "H0", "perfquery", "-R", lid, "1")
        self.assertLess(int(dots(self.good(self.f, "H0", "perfquery", lid, "1"))["PortXmitPkts"]), before)
        self.good(self.f, "H0", "ibqueryerrors")

    def test_the_subnet_administrator(self):
        self.assertIn(f"sm lid {self.lid('H0')} ", self.good(self.f, "H5", "sminfo"))
        self.assertIn("NodeRecord", self.good(self.f, "H5", "saquery", "NR", self.lid("S0", 0)))
        text = self.good(self.f, "H5", "saquery", "PR", "--src-to-dst", f"{self.lid('H5')}:{self.lid('H12')}")
        self.assertIn("PathRecord", text)
        self.assertIn("SMInfoRecord", self.good(self.f, "H5", "saquery", "SMIR"))

    def test_one_node_pings_another(self):
        """ibping -S ends when a request comes before it has registered its class, so it may have to be started again."""
        for _ in range(20):
            server = subprocess.Popen(["/usr/sbin/ibping", "-S"], cwd=self.sm.folder, env=self.f.environment("H7"),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.2)
            done = self.f.run("H9", "ibping", "-c", "2", self.lid("H7"))
            server.kill()
            server.wait()
            if done.returncode == 0 and "2 received" in done.stdout:
                return
        self.fail(done.stdout + done.stderr)

    def test_a_cable(self):
        lid = self.lid("H6")
        self.f.ask("pull H6 1")
        self.sm.wait("trap 128|num:128")
        self.sm.wait("Removed port.*H6")
        self.assertNotEqual(self.f.run("H0", "smpquery", "nodeinfo", lid).returncode, 0)
        self.f.ask("plug H6 1")
        self.sm.wait("SUBNET UP", count=3)
        self.assertEqual(self.f.pairs("port H6 1")["state"], "Active")


class Managers(Case):
    """Two OpenSMs: the one of higher priority is the master, and the other takes over when it is gone."""

    FINDINGS = {"SM_HANDOVER"}

    CONFIG = "sweep_interval 1\npolling_retry_number 4\nsminfo_polling_timeout 500\nsm_priority "

    def test_the_higher_priority_takes_over_and_the_lower_follows(self):
        f = self.fabric(star(4, ports=8))
        low = self.manager(f, "H0", self.CONFIG + "3\n")
        low.wait("SUBNET UP")
        self.assertEqual(f.pairs("port H2 1")["sm_lid"], f.pairs("port H0 1")["lid"])
        high = self.manager(f, "H1", self.CONFIG + "14\n")
        high.wait("Entering MASTER")
        low.wait("Entering STANDBY")
        high.wait("SUBNET UP")
        self.assertEqual(f.pairs("port H2 1")["sm_lid"], f.pairs("port H1 1")["lid"])
        self.assertRegex(self.good(f, "H3", "sminfo"), "priority 14 state 3 SMINFO_MASTER")
        high.close()
        low.wait("Entering MASTER", count=2)
        low.wait("SUBNET UP", count=2)
        self.assertEqual(f.pairs("port H2 1")["sm_lid"], f.pairs("port H0 1")["lid"])
        sums = f.pairs("pairs")
        self.assertEqual((sums["packets"], sums["delivered"]), ("12", "12"))

    def test_a_program_that_does_not_answer(self):
        """A stopped manager keeps the request: the client gets it back as timed out."""
        f = self.fabric(star(2, ports=8))
        sm = self.manager(f, "H0")
        sm.wait("SUBNET UP")
        os.kill(sm.program.pid, signal.SIGSTOP)
        try:
            done = f.run("H1", "sminfo", "-t", "200", timeout=60)
        finally:
            os.kill(sm.program.pid, signal.SIGCONT)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(self.good(f, "H1", "sminfo"), "SMINFO_MASTER")


class Leases(Case):
    """The lease of the M_Key (KM-05 to KM-07) on the clock: a request without the key starts it, one with the key stops it. OpenSM's
    light sweeps ask switches only; at adapters it stops a lease when it represses the trap about the wrong key."""

    FABRIC = Preloaded  # with libumad2sim the time limit of a program is not its own
    FINDINGS = {"TRAP_AGAIN"}  # nobody represses a trap while the manager is stopped, or while its LID has no route
    LEASE = 4
    CONFIG = f"m_key 0x1234\nm_key_protection_level 2\nm_key_lease_period {LEASE}\nsweep_interval 1\n"
    PORT = {"S0": "0", "H1": "1"}

    def setUp(self):
        super().setUp()
        self.f = self.fabric(star(4, ports=8))
        self.sm = self.manager(self.f, "H0", self.CONFIG)
        self.sm.wait("SUBNET UP")
        self.manager_lid = self.f.pairs("port H0 1")["lid"]

    def held(self, node):
        return self.f.pairs(f"port {node} {self.PORT[node]}")

    def attempt(self, node):
        """Somebody without the key asks for the PortInfo: when that began and ended, and the M_Key in the answer, if there was one."""
        begun = time.monotonic()
        done = self.f.run("H2", "smpquery", "--m_key", "0x99", "-K", "-t", "50", "portinfo", self.held(node)["lid"], self.PORT[node])
        return begun, time.monotonic(), dots(done.stdout)["Mkey"] if done.returncode == 0 else None

    def kept(self, node):
        """For one and a half leases no attempt succeeds, so the manager stopped the lease; else it would have run out."""
        before, end = self.f.rules(), time.monotonic() + 1.5 * self.LEASE
        while time.monotonic() < end:
            self.assertIsNone(self.attempt(node)[2], node)
        after = self.f.rules()
        self.assertGreater(after["node.lease_stops"], before["node.lease_stops"])
        return after["agent.repress"] - before["agent.repress"]

    def runs_out(self, node):
        """The manager is stopped: the first attempt starts the lease, and those before its end fail. Then the key can be read."""
        self.f.ask("help")  # what the manager has sent has arrived
        first, last, key = self.attempt(node)
        self.assertIsNone(key, node)
        while True:
            begun, ended, key = self.attempt(node)
            if key:
                break
            self.assertLess(begun, last + self.LEASE, node)
        self.assertGreaterEqual(ended, first + self.LEASE, node)
        self.assertEqual((key, self.held(node)["protection"]), ("0x0000000000001234", "0"), node)

    def test_sweeps_keep_it_at_a_switch_and_represses_at_an_adapter(self):
        self.f.ask(f"reroute S0 {self.manager_lid} 255")  # a trap goes to the manager's LID, a sweep by directed routes
        self.assertEqual(self.kept("S0"), 0)
        self.f.ask(f"reroute S0 {self.manager_lid} 1")
        self.assertGreater(self.kept("H1"), 0)

    def test_it_runs_out_while_the_manager_is_stopped(self):
        os.kill(self.sm.program.pid, signal.SIGSTOP)
        try:
            for node in self.PORT:
                self.runs_out(node)
        finally:
            os.kill(self.sm.program.pid, signal.SIGCONT)
        self.f.ask("pull H3 1")  # a change of the subnet, after which the manager sets all ports
        self.f.ask("plug H3 1")
        end = time.monotonic() + PATIENCE
        while {self.held(node)["protection"] for node in self.PORT} != {"2"}:
            self.assertLess(time.monotonic(), end, "the manager protects its key again")
            time.sleep(0.05)
        for node in self.PORT:
            self.assertIsNone(self.attempt(node)[2], node)


class Traps(Case):
    """Each field of each trap, as it was typed, in OpenSM's log."""

    FINDINGS = set()

    def test_every_field_of_ten_traps(self):
        f = self.fabric(star(3, ports=8))
        sm = self.manager(f, "H0")
        sm.wait("SUBNET UP")
        lid = {node: int(f.pairs(f"port {node} {port}")["lid"]) for node, port in (("H1", 1), ("H2", 1), ("S0", 0))}
        guid = f.guids()
        gid = f"fe80::2:{7:x}"
        key = f"lidaddr1=100 lidaddr2=200 key=0x8123 sl=5 qp1=0x111 qp2=0x222 gidaddr1={gid} gidaddr2=fe80::9"
        keys = f"LID1 100, LID2 200, {{}} 0x8123, SL 5, QP1 0x111, QP2 0x222, GID1 {gid}, GID2 fe80::9"
        for node, number, words, logged in (
                ("S0 1", 128, f"lidaddr={lid['S0']}", f"Reporting Urgent.*from switch LID {lid['S0']}, GUID {guid['S0']}"),
                ("H1 1", 129, f"lidaddr={lid['H1']} portno=1", f"num:129 .*from LID:{lid['H1']} Port 1 "),
                ("H2 1", 130, f"lidaddr={lid['H2']} portno=1", f"num:130 .*from LID:{lid['H2']} Port 1 "),
                ("S0 2", 131, f"lidaddr={lid['S0']} portno=2", f"num:131 .*from LID:{lid['S0']} Port 2 "),
                ("H1 1", 144, f"lidaddr={lid['H1']} capabilitymask=0x12345678",
                 f"Reporting Informational.*from LID {lid['H1']}, .*new CapabilityMask 0x12345678"),
                ("H2 1", 145, f"lidaddr={lid['H2']} systemimageguid=0x1122334455667788",
                 f"Reporting Informational.*from LID {lid['H2']}, .*new SysImageGUID 0x1122334455667788"),
                ("H1 1", 256, f"lidaddr={lid['H2']} method=2 attributeid=0x15 attributemodifier=3 mkey=0xabcdef",
                 "Reporting Security.*Method 0x2, Attribute 0x15, AttrMod 0x3, M_Key 0x0000000000abcdef"),
                ("H1 1", 257, key, "Reporting Security.*" + keys.format("P_Key")),
                ("H2 1", 258, key, "Reporting Security.*" + keys.format("Q_Key")),
                ("S0 1", 259, f"datavalid.mask=0x3ff {key.replace('key=', 'pkey=')} swlidaddr.lid={lid['S0']} portno=1",
                 f"Reporting Security.*from switch LID {lid['S0']}, .*port 1 : data_valid 0x03ff, " + keys.format("PKey"))):
            with self.subTest(number):
                self.assertEqual(f.ask(f"trap {node} {number} {words}"), [])
                sm.wait(logged, seconds=20)
                self.assertRegex(sm.text(), f"Received Generic Notice type:\\d+ num:{number} ")


class Credits(Case):
    """Six switches in a ring, links with credits. OpenSM is the witness: by the shortest ways a ring has a credit loop, by
    up/down it has none. Packets have no lifetimes, so that a loop is not dissolved."""

    LIFETIMES = "packet_life_time 0x14\nhead_of_queue_lifetime 0x14\nleaf_head_of_queue_lifetime 0x14\n"

    def up(self, *engine):
        f = self.fabric(ring(6, 12), "--credits", "68")
        (self.folder / "osm.conf").write_text(self.LIFETIMES)
        (self.folder / "roots").write_text(f.guids()["S0"])
        self.good(f, "H0", *ONCE, "-F", f"{self.folder}/osm.conf", *engine)
        return f

    def loop(self, f, command):
        """The switches and ports of the loop that the answer names; other lines as a dictionary."""
        lines = f.ask(command)
        return [tuple(line.split("\t")[:2]) for line in lines if line.endswith("lane 0")], dict(
            line.split("\t") for line in lines if line.count("\t") == 1)

    def test_the_shortest_ways_of_a_ring_stop(self):
        f = self.up("-R", "minhop")
        possible, _ = self.loop(f, "loops 0")
        self.assertIn({node for node, _ in possible}, [{f"S{i}" for i in range(6)}])
        sums = {name: int(value) for name, value in f.pairs("flood 20 0 0").items()}
        self.assertEqual((sums["lost"], sums["twice"], sums["astray"]), (0, 0, 0))
        self.assertGreater(sums["waiting"], 0)
        stuck, found = self.loop(f, "stalls")
        self.assertEqual(sorted(stuck), sorted(possible))
        self.assertEqual(found["loop"], "6")
        lid = f.pairs("port S0 0")["lid"]
        self.good(f, "H0", "smpquery", "nodedesc", lid)  # VL 15 needs no credits
        self.assertNotEqual(f.run("H0", "perfquery", lid, "1").returncode, 0, "VL 0 is stuck")

    def test_up_and_down_never_stops(self):
        f = self.up("-R", "updn", "-a", f"{self.folder}/roots")
        self.assertEqual(f.ask("loops 0"), ["loop\t0"])
        sums = f.pairs("flood 20 0 0")
        self.assertEqual((sums["sent"], sums["delivered"]), ("2640", "2640"))
        self.assertEqual(self.loop(f, "stalls"), ([], {"waiting": "0", "stuck": "0", "loop": "0"}))
        held = f.pairs("counters S0 3")
        printed = dots(self.good(f, "H0", "perfquery", f.pairs("port S0 0")["lid"], "3"))
        self.assertGreater(int(held["portxmitwait"]), 0)
        self.assertEqual(printed["PortXmitWait"], held["portxmitwait"])


class Packets(Case):
    """Every packet of a bring-up, flow-control packets among them. tshark has no link type 247, so it reads them as ERF records of types
    21 and 25; each field it shares with ibdissect is compared twice: ibdissect reads the capture (247), and the same ERF records."""

    def test_tshark_agrees(self):
        capture = self.folder / "up.pcapng"
        f = self.fabric(star(2, ports=2), "--pcap", capture, "--credits", "68")
        self.good(f, "H0", *ONCE)
        self.assertEqual(f.pairs("pairs")["delivered"], "2")
        self.assertEqual(f.close(), 0)
        good = subprocess.run([BIN / "ibdissect", "-Y", 'icrc.status == "good" && vcrc.status == "good" || '
                               'infiniband_link.lpcrc.status == "good"', capture],
                              capture_output=True, text=True, check=True).stdout
        every = subprocess.run([BIN / "ibdissect", capture], capture_output=True, text=True, check=True).stdout
        self.assertGreater(len(every.splitlines()), 50)
        self.assertGreater(every.count("Flow control Initialise"), 8)
        self.assertGreater(every.count("Flow control Normal"), 0)
        self.assertEqual(good, every)
        done = subprocess.run([SOURCE / "tools/compare-tshark", "--ibdissect", BIN / "ibdissect", capture], text=True,
                              capture_output=True, check=False)
        self.assertRegex(done.stdout, r" 0 unexplained\n$", done.stdout[-2000:] + done.stderr[-2000:])
        self.assertEqual(done.returncode, 0)
        compared = int(re.search(r"(\d+) values: rewritten", done.stdout)[1])
        self.assertGreater(compared, 2 * 50 * len(every.splitlines()), "fields that a packet has, in both forms")


class Statistics(Case):
    """-z fabric of a capture against the topology and what the model holds."""

    def test_cables_and_credits(self):
        capture = self.folder / "up.pcapng"
        f = self.fabric(ring(4, 8), "--pcap", capture, "--credits", "68")
        self.good(f, "H0", *ONCE)
        self.assertEqual(f.pairs("pairs")["delivered"], "56")
        names = {guid: name for name, guid in f.guids().items()}
        held = {}
        for node in sorted(set(names.values()) - {"H0"}):
            for port in range(1, 5 if node[0] == "S" else 2):
                rows = [line.split("\t") for line in f.ask(f"credits {node} {port}")[1:]]
                held.update({(node, port, int(row[0])): int(row[3]) for row in rows})
        self.assertEqual(f.close(), 0)
        printed = json.loads(subprocess.run([BIN / "ibdissect", "-q", "-z", "fabric", "-T", "json", capture],
                                            capture_output=True, text=True, check=True).stdout)
        schema = json.loads((SOURCE / "docs/schemas/statistics.schema.json").read_text())
        self.assertEqual(json_schema.faults(printed, schema), [])
        self.assertEqual((printed["moved"], printed["damaged_flow"], printed["no_room"]), (0, 0, 0))
        expert = subprocess.run([BIN / "ibdissect", "-q", "-z", "expert", "-T", "json", capture], capture_output=True, text=True,
                                check=True).stdout
        self.assertEqual(json.loads(expert)["findings"], [], "each packet is there once for each wire that it crossed")
        self.assertEqual({names[node["guid"]] for node in printed["nodes"]}, set(names.values()) - {"H0"})
        for node in printed["nodes"]:
            self.assertEqual(node["description"], names[node["guid"]])
        cables = {frozenset([(names[c["guid"]], c["port"]), (names.get(c.get("peer_guid"), "H0"), c["peer_port"])])
                  for c in printed["cables"]}
        self.assertEqual(cables, {frozenset([(f"S{i}", k + 1), (f"H{2 * i + k}", 1)]) for i in range(4) for k in range(2)} |
                         {frozenset([(f"S{i}", 4), (f"S{(i + 1) % 4}", 3)]) for i in range(4)})
        lanes = {(names[lane["guid"]], lane["port"], lane["vl"]): lane for lane in printed["lanes"] if "guid" in lane}
        self.assertEqual({(lane["unseen"], lane["beyond"]) for lane in lanes.values()}, {(0, 0)})
        known = {place: lane["credits"] for place, lane in lanes.items() if lane["credits"] is not None}
        self.assertEqual({place for place in held if place not in known}, {("S0", 1, vl) for vl in range(8)}, "H0 has no name")
        for place, credits in known.items():
            self.assertEqual(credits, held[place], place)
        self.assertLess(min(lane["least_credits"] for lane in lanes.values() if lane["least_credits"] is not None), 68)



if __name__ == "__main__":
    unittest.main(argv=sys.argv)
