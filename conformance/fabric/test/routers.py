#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two subnets and a router between them, each brought up by an OpenSM of its own; tshark reads what crosses it."""
import re
import subprocess
import unittest

from fabric import BIN, SOURCE, Case

ONCE = ("/usr/sbin/opensm", "-o", "-f", "osm.log", "-F")
PREFIX = ("0xfec0000000000001", "0xfec0000000000002")
NET = "".join(f'Switch\t8 "S{n}"\n[1]\t"{a}"[1]\n[2]\t"{b}"[1]\n[8]\t"R"[{n}]\n\n' for n, a, b in ((1, "A", "B"), (2, "C", "D"))) + \
    "".join(f'Hca\t1 "{h}"\n' for h in "ABCD") + 'Rt\t2 "R"\t# "between"\n'


class Routers(Case):
    def up(self, *options):
        """Each OpenSM sees its own switch, two adapters and one port of the router."""
        f = self.fabric(NET, *options)
        for host, prefix in zip("AC", PREFIX):
            conf = self.folder / f"{host}.conf"
            conf.write_text(f"subnet_prefix {prefix}\n")
            self.good(f, host, *ONCE, str(conf))
        self.assertEqual(f.ask("learn R"), ["routes\t4"])
        return f

    def test_each_subnet_has_its_manager_and_sees_the_router(self):
        f = self.up()
        for host, others in (("B", "CD"), ("D", "AB")):
            text = self.good(f, host, "ibnetdiscover")
            self.assertRegex(text, r'(?m)^Rt\s+2 ".-0200[0-9a-f]{12}"\s+# "between"')
            for other in others:
                self.assertNotIn(f'"{other}"', text)
        for port, host in ((1, "A"), (2, "C")):
            held = f.pairs(f"port R {port}")
            self.assertEqual((held["state"], held["sm_lid"]), ("Active", f.pairs(f"port {host} 1")["lid"]))
        sums = f.pairs("pairs")
        self.assertEqual((sums["packets"], sums["delivered"]), ("4", "4"), "of each subnet by itself")
        again = self.fabric(self.good(f, "B", "ibnetdiscover"))
        self.assertIn("router", [line.split("\t")[1] for line in again.ask("nodes")])

    def test_packets_cross(self):
        f = self.up()
        for a in "AB":
            for b in "CD":
                self.assertEqual(f.ask(f"across {a} 1 {b} 1 64")[-1], f"delivered\t{b} 1")
                self.assertEqual(f.ask(f"across {b} 1 {a} 1 64")[-1], f"delivered\t{a} 1")
        self.assertEqual(f.ask("across A 1 D 1 2"), ["A\t1", "S1\t8", "R\t2", "S2\t2", "delivered\tD 1"])
        self.assertEqual(f.ask("across A 1 D 1 1"), ["A\t1", "S1\t8", "lost"])
        self.assertEqual(f.rules()["router.hops_used_up"], 1)
        self.assertEqual(f.rules()["router.forwarded"], 9)
        self.assertEqual(len(f.ask("routes R")), 4)

    def test_a_route_by_its_prefix(self):
        """To another LID than the destination's: the longest prefix decides."""
        f = self.up()
        lid = {host: f.pairs(f"port {host} 1")["lid"] for host in "CD"}
        self.assertEqual(f.ask(f"route R 2 fec0:0:0:2::/64 {lid['C']}"), [])
        self.assertIn(f"fec0:0:0:2::/64\t2\t{lid['C']}", f.ask("routes R"))
        self.assertEqual(f.ask("across A 1 D 1 64")[-1], "delivered\tD 1")
        wrong = next(line.split("\t")[0] for line in f.ask("routes R") if line.endswith(f"\t2\t{lid['D']}"))
        self.assertEqual(f.ask(f"route R 2 {wrong} {lid['C']}"), [])
        self.assertEqual(f.ask("across A 1 D 1 64")[-1], "astray\tC 1")

    def test_without_subnet_prefixes_nothing_leaves(self):
        """Managers left the prefix FE80::/64: such GIDs stay in their subnet (KM-37)."""
        f = self.fabric(NET)
        for host in "AC":
            self.good(f, host, *ONCE, "/dev/null")
        f.ask("learn R")
        self.assertEqual(f.ask("across A 1 D 1 64")[-1], "lost")
        self.assertEqual(f.rules()["router.link_local"], 1)

    def test_tshark_agrees(self):
        capture = self.folder / "up.pcapng"
        f = self.up("--pcap", capture, "--credits", "68")
        self.assertEqual(f.ask("across A 1 D 1 64")[-1], "delivered\tD 1")
        self.assertEqual(f.close(), 0)
        shown = subprocess.run([BIN / "ibdissect", "-Y", "infiniband.grh", "-T", "fields", "-e", "frame.interface_name", "-e",
                                "infiniband.lrh.slid", "-e", "infiniband.lrh.dlid", "-e", "infiniband.grh.hoplmt", "-e", "infiniband.invariant.crc", "-e",
                                "icrc.status", "-e", "vcrc.status", capture], capture_output=True, text=True, check=True).stdout
        rows = [line.split("\t") for line in shown.splitlines()]
        self.assertEqual([row[0] for row in rows], ["A/1", "S1/8", "between/2", "S2/2"], shown)
        self.assertEqual([row[3] for row in rows], ["64", "64", "63", "63"])
        self.assertEqual(len({row[4] for row in rows}), 1, "the ICRC leaves out what a router changes")
        self.assertEqual({tuple(row[5:]) for row in rows}, {("good", "good")})
        self.assertEqual(rows[0][1:3], rows[1][1:3])
        self.assertEqual(rows[2][1:3], rows[3][1:3])
        done = subprocess.run([SOURCE / "tools/compare-tshark", "--ibdissect", BIN / "ibdissect", capture], text=True,
                              capture_output=True, check=False)
        self.assertRegex(done.stdout, r" 0 unexplained\n$", done.stdout[-2000:] + done.stderr[-2000:])
        self.assertEqual(done.returncode, 0)
        print(re.findall(r".*unexplained", done.stdout)[-1])


if __name__ == "__main__":
    unittest.main()
