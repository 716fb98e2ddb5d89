#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Findings of ibdissect that need several links: OpenSM brings a subnet up, the console plants a fault in a switch, and the
finding names the packets that the fault met, and no others."""
import collections
import json
import re
import subprocess
import time
import unittest

from fabric import BIN, Case, ring

EDR_TICK_NS = 0.32  # of PortXmitWait: a byte on one lane
ONCE = ("/usr/sbin/opensm", "-o", "-f", "osm.log")


class Links(Case):
    def captured(self, topology, *options):
        """A fabric whose packets go to the capture of which found() tells."""
        self.capture = self.folder / "up.pcapng"
        return self.fabric(topology, "--pcap", self.capture, *options)

    def up(self, *options, conf="", partitions=None):
        """Four switches in a ring, two adapters at each."""
        f = self.captured(ring(4, 8), *options)
        (self.folder / "conf").write_text(conf)
        more = ["-F", str(self.folder / "conf")]
        if partitions is not None:
            (self.folder / "partitions").write_text(partitions)
            more += ["-P", str(self.folder / "partitions")]
        self.good(f, "H0", *ONCE, *more)
        return f

    def lid(self, f, node):
        return f.pairs(f"port {node} 1")["lid"]

    def send(self, f, a, b, times=1):
        """Names and ports by which the last packet left, and how it ended."""
        for _ in range(times):
            answer = f.ask(f"send {a} 1 {self.lid(f, b)}")
        return [tuple(line.split("\t")) for line in answer]

    def found(self, f):
        """The number of each finding in the capture: of these, and of all others."""
        self.assertEqual(f.close(), 0)
        text = subprocess.run([BIN / "ibdissect", "-q", "-z", "expert", "-T", "json", self.capture], capture_output=True, text=True,
                              check=True).stdout
        return collections.Counter({row["finding"]: row["count"] for row in json.loads(text)["findings"]})

    def test_no_fault(self):
        f = self.up(conf="qos TRUE\nqos_max_vls 4\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\npart_enforce both\nlmc 1\n",
                    partitions="Default=0x7fff, ipoib: ALL=full;\nsome=0x1: ALL=full;\n")
        sums = f.pairs("pairs")
        self.assertEqual(sums["packets"], sums["delivered"])
        self.assertEqual(self.found(f), {})

    def test_a_switch_loses_packets(self):
        """The table of H7's switch has another port for H7 than the manager set: none."""
        f = self.up()
        self.send(f, "H1", "H7", 3)
        f.ask(f"reroute S3 {self.lid(f, 'H7')} 255")
        self.assertEqual(self.send(f, "H1", "H7", 2)[-1][0], "lost")
        f.ask(f"reroute S3 {self.lid(f, 'H7')} 2")
        self.assertEqual(self.send(f, "H1", "H7")[-1][0], "delivered")
        self.assertEqual(self.found(f), {"SWITCH_LOST": 2})

    def test_a_lid_without_a_route(self):
        """A LID that the manager has given nobody."""
        f = self.up()
        self.assertEqual(f.ask("send H1 1 40")[-1], "lost")
        self.assertEqual(self.found(f), {"SWITCH_NO_ROUTE": 1})

    def test_another_port_than_the_manager_set(self):
        """The packet goes the other way round the ring, past one switch that knows better."""
        f = self.up()
        before = self.send(f, "H0", "H2")
        self.assertEqual(before, [("H0", "1"), ("S0", "4"), ("S1", "1"), ("delivered", "H2 1")])
        f.ask(f"reroute S0 {self.lid(f, 'H2')} 1")
        self.send(f, "H1", "H2", 3)
        self.assertEqual(self.found(f), {"ROUTE_WRONG": 3})

    def test_a_loop(self):
        """S1, S2 and S3 send the packet on round the ring: it comes to S0 again and again."""
        f = self.up()
        for switch in ("S1", "S2", "S3"):
            f.ask(f"reroute {switch} {self.lid(f, 'H2')} 4")
        self.assertEqual(self.send(f, "H0", "H2")[-1][0], "loop")
        found = self.found(f)
        self.assertEqual(found["ROUTE_LOOP"], 1)
        self.assertGreater(found["ROUTE_WRONG"], 10, "each time")
        self.assertEqual(set(found), {"ROUTE_LOOP", "ROUTE_WRONG"})

    def test_another_lane_than_the_manager_set(self):
        f = self.up(conf="qos TRUE\nqos_max_vls 4\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n")
        f.ask("relane S0 1 2 0 3")
        self.send(f, "H0", "H1", 2)
        f.ask("relane S0 1 2 0 15")
        self.assertEqual(self.send(f, "H0", "H1")[-1][0], "lost")
        f.ask("relane S0 1 2 0 0")
        self.send(f, "H0", "H1")
        self.assertEqual(self.found(f), {"LANE_WRONG": 2, "SWITCH_LOST": 1})

    def test_an_sl_without_a_lane(self):
        """Adapters have one for SL 1, and the ports of switches none."""
        f = self.up(conf="qos TRUE\nqos_max_vls 4\n" + "".join(
            f"qos_{kind}_sl2vl 0,{vl},2,3,0,1,2,3,0,1,2,3,0,1,2,3\n" for kind, vl in (("ca", 1), ("sw0", 15), ("swe", 15))))
        sums = f.pairs("flood 1 1 0")
        self.assertEqual(sums["delivered"], "0")
        self.assertEqual(self.found(f), {"SWITCH_NO_LANE": 56})

    def test_partitions(self):
        """H1's first key is of a partition that its neighbours lack; a switch without the rule lets it through."""
        for options, end, finding in (((), "lost", "SWITCH_PARTITION"),
                                      (("--mutant", "departure.other_partition"), "delivered", "PARTITION_PASSED")):
            guids = self.fabric(ring(4, 8)).guids()
            f = self.up(*options, conf="part_enforce both\n",
                        partitions=f"Default=0x7fff: ALL=full;\nsome=0x1,indx0: {int(guids['H1'], 16) + 1:#x}=full;\n")
            self.assertIn("0x8001", f.pairs("port H1 1")["p_keys"])
            self.assertEqual(self.send(f, "H1", "H0", 2)[-1][0], end)
            found = self.found(f)
            self.assertEqual(found, {finding: 2})

    def test_a_trap_that_nobody_represses(self):
        """OpenSM has ended, so nobody answers: the trap comes again after the subnet timeout."""
        f = self.up(conf="subnet_timeout 14\n")  # 67 ms
        f.ask("trap S1 0 128 lidaddr=1")
        time.sleep(0.5)
        found = self.found(f)
        self.assertEqual(set(found), {"TRAP_AGAIN"})
        self.assertGreater(found["TRAP_AGAIN"], 2)

    def test_an_agent_that_takes_no_trap_repress(self):
        """OpenSM represses each repeat in vain. Unbroken agents send the trap once."""
        for options, expected in (((), set()), (("--mutant", "agent.repress"), {"TRAP_AGAIN", "TRAP_REPRESSED"})):
            f = self.captured(ring(4, 8), *options)
            manager = self.manager(f, "H0", "subnet_timeout 14\n")  # 67 ms; agents respond within 268 ms
            manager.wait("SUBNET UP")
            f.ask("trap S1 0 131 lidaddr=1 portno=2")
            f.ask("trap H7 1 129 lidaddr=1 portno=1")
            time.sleep(0.8)
            manager.close()
            self.assertEqual(set(self.found(f)), expected)

    def stalled(self, engine):
        """A flood through a ring of six switches, whose lanes have room for one packet each. Packets live half a millisecond at
        the head of a queue. By port, of what the model counts: PortXmitWait in ns; and of what was found: the waits in ns."""
        f = self.captured(ring(6, 6), "--credits", "68")
        (self.folder / "roots").write_text(f.guids()["S0"])
        (self.folder / "conf").write_text("packet_life_time 0x14\nhead_of_queue_lifetime 7\nleaf_head_of_queue_lifetime 7\n")
        self.good(f, "H0", *ONCE, "-F", f"{self.folder}/conf", "-R", engine, "-a", f"{self.folder}/roots")
        loop = {"/".join(line.split("\t")[:2]) for line in f.ask("loops 0") if "lane" in line}
        sums = f.pairs("flood 8 0 0 intervals")
        ports = [f"S{switch}/{port}" for switch in range(6) for port in range(1, 4)]
        waited = {p: int(f.pairs("counters " + p.replace("/", " "))["portxmitwait"]) * EDR_TICK_NS for p in ports}
        counts = self.found(f)
        rows = subprocess.run([BIN / "ibdissect", "-Y", 'infiniband.analysis.finding == "LANE_STALL"', "-T", "fields",
                               "-e", "frame.interface_name", "-e", "infiniband.analysis.message", self.capture],
                              capture_output=True, text=True, check=True).stdout.splitlines()
        found = collections.defaultdict(int)
        for name, message in (row.split("\t") for row in rows):
            found[name] += int(re.search(r", (\d+) us\)", message)[1]) * 1000
        self.assertEqual(len(rows), counts["LANE_STALL"])
        return loop, int(sums["lost"]), waited, found, counts

    def test_lanes_without_credits(self):
        """The shortest ways stop in a credit loop until packets are dropped. Every port of the loop is found, and no other; and
        most of the time that the model counts, never more: a wait at whose end the packet was dropped is not found."""
        loop, lost, waited, found, counts = self.stalled("minhop")
        self.assertEqual(len(loop), 6)
        self.assertEqual(set(found), loop)
        for port in loop:
            self.assertLessEqual(found[port], waited[port])
            self.assertGreater(found[port], waited[port] / 2)
        self.assertEqual(set(counts), {"LANE_STALL", "SWITCH_LOST"})
        self.assertLessEqual(counts["SWITCH_LOST"], lost)

    def test_lanes_that_wait_their_turn(self):
        """Up/down has no loop: packets wait for credits too, but not for long, and nothing is found."""
        loop, lost, waited, _, counts = self.stalled("updn")
        self.assertEqual((loop, lost, counts), (set(), 0, {}))
        self.assertGreater(max(waited.values()), 0)

    def test_m_keys(self):
        """smpquery without the key at protection level 2; then a node that takes any key for a Set."""
        conf = "m_key 0x77\nm_key_protection_level 2\n"
        f = self.up(conf=conf)
        self.assertNotEqual(f.run("H1", "smpquery", "-D", "nodeinfo", "0,1").returncode, 0)
        self.good(f, "H1", "smpquery", "--m_key", "0x77", "-D", "nodeinfo", "0,1")
        found = self.found(f)
        self.assertEqual(set(found), {"M_KEY_OTHER"})
        f = self.up("--mutant", "agent.key_for_change", conf=conf.replace("2", "1"))
        self.good(f, "H1", "ibportstate", "-D", "0,1", "1", "disable")
        found = self.found(f)
        self.assertGreater(found["M_KEY_IGNORED"], 0)

    def test_a_handover(self):
        f = self.captured(ring(4, 8))
        low = self.manager(f, "H0", "", "-p", "5")
        low.wait("SUBNET UP")
        high = self.manager(f, "H5", "", "-p", "9")
        high.wait("SUBNET UP")
        high.close()
        low.close()
        found = self.found(f)
        self.assertEqual(found["SM_HANDOVER"], 1)


if __name__ == "__main__":
    unittest.main()
