#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Congestion control of ibfabric, as ibccquery reads it, ibccconfig sets it, and OpenSM configures it."""
import re
import subprocess
import unittest

from fabric import BIN, SOURCE, Case, star

ONCE = ("/usr/sbin/opensm", "-o", "-f", "osm.log", "-D", "0x43")
MASK = "0x" + "0f" * 32
OPTIONS = f"""congestion_control TRUE
cc_key 0x1234
cc_sw_cong_setting_control_map 0x1f
cc_sw_cong_setting_victim_mask {MASK}
cc_sw_cong_setting_credit_mask {MASK}
cc_sw_cong_setting_threshold 0x0a
cc_sw_cong_setting_packet_size 3
cc_sw_cong_setting_credit_starvation_threshold 0x05
cc_sw_cong_setting_credit_starvation_return_delay 1:77
cc_sw_cong_setting_marking_rate 9
cc_ca_cong_setting_port_control 0x0001
cc_ca_cong_setting_control_map 0x8003
cc_ca_cong_setting_ccti_timer 0 15
cc_ca_cong_setting_ccti_increase 0 2
cc_ca_cong_setting_trigger_threshold 0 4
cc_ca_cong_setting_ccti_min 0 1
cc_ca_cong_setting_ccti_timer 15 900
cc_cct 0:0,1:10,2:300
"""


def dots(text):
    """[(name, value)] of lines "Name:......value"; values as numbers where they are some of 64 bits."""
    return [(name, int(value, 0) if re.fullmatch(r"\d+|0x[0-9a-f]{1,16}", value) else value)
            for name, value in re.findall(r"^(\w+):\.*(.*)$", text, re.M)]


class Congestion(Case):
    def ask(self, f, *words):
        return dots(self.good(f, "H1", "/usr/sbin/ibccquery", *words))

    def tell(self, f, *words):
        return self.good(f, "H1", "/usr/sbin/ibccconfig", *words)

    def up(self, *options, given=()):
        f = self.fabric(star(2, ports=8), *given)
        self.good(f, "H0", *ONCE, *options)
        return f, f.pairs("port S0 0")["lid"], f.pairs("port H1 1")["lid"]

    def test_every_query_of_ibccquery(self):
        f, switch, adapter = self.up()
        self.assertIn(("ClassVersion", 2), self.ask(f, "CP", switch))
        self.assertIn(("ControlTableCap", 2), self.ask(f, "CI", adapter))
        self.assertIn(("ControlTableCap", 0), self.ask(f, "CI", switch))
        for lid in (switch, adapter):
            self.assertIn(("CC_Key", 0), self.ask(f, "CK", lid))
            self.assertEqual(self.ask(f, "CL", lid)[0][0], "LogType")
            self.assertGreater(dict(self.ask(f, "TI", lid))["Timestamp"], 0)
        self.ask(f, "SS", switch)
        self.assertEqual(len([name for name, _ in self.ask(f, "SP", switch) if name == "Port"]), 9)
        self.assertEqual(len([name for name, _ in self.ask(f, "CS", adapter) if name == "SL"]), 16)
        self.ask(f, "CT", adapter)
        for words in (("SS", adapter), ("CS", switch), ("CT", switch)):
            self.assertNotEqual(f.run("H1", "/usr/sbin/ibccquery", *words).returncode, 0, words)

    def test_what_ibccconfig_sets_ibccquery_reads(self):
        f, switch, adapter = self.up()
        self.tell(f, "SS", switch, "0x1d", MASK, MASK, "7", "2", "3", "1:5", "11")
        held = dict(self.ask(f, "SS", switch))
        self.assertEqual([held[name] for name in ("Threshold", "Packet_Size", "CS_Threshold", "Marking_Rate")], [7, 2, 3, 11])
        self.tell(f, "SP", switch, "3", "1", "0", "9", "4", "33")
        self.assertEqual([value for _, value in self.ask(f, "SP", switch, "3")], [1, 0, 9, 4, 33])
        self.assertEqual([value for _, value in self.ask(f, "SP", switch, "2")], [0] * 5)
        self.tell(f, "CS", adapter, "1", "0x8001", "150", "3", "5", "2")
        held = self.ask(f, "CS", adapter)
        self.assertEqual(dict(held[:2]), {"Port_Control": 1, "Control_Map": 0x8001})
        self.tell(f, "CT", adapter, "70", "1", *[f"1:{i}" for i in range(7)])
        entries = self.ask(f, "CT", adapter)
        self.assertEqual(dict(entries)["CCTI_Limit"], 70)
        self.assertEqual([value for name, value in entries if name == "CCT_Multiplier"], [0] * 64 + list(range(7)))
        self.tell(f, "CK", adapter, "0x77", "1", "5", "0")
        self.assertNotEqual(f.run("H1", "/usr/sbin/ibccquery", "CT", adapter).returncode, 0)
        self.assertEqual(dict(self.ask(f, "-c", "0x77", "CK", adapter))["CC_KeyViolations"], f.rules()["congestion.key_for_get"])

    def test_opensm_configures_every_node(self):
        conf = self.folder / "cc.conf"
        conf.write_text(OPTIONS)
        capture = self.folder / "cc.pcapng"
        f, switch, adapter = self.up("-F", str(conf), given=("--pcap", capture))
        held = dict(self.ask(f, "SS", switch))
        self.assertEqual([held[name] for name in ("Threshold", "Packet_Size", "CS_Threshold")], [10, 3, 5])
        held = self.ask(f, "CS", adapter)
        self.assertEqual(dict(held[:2]), {"Port_Control": 1, "Control_Map": 0x8003})
        self.assertEqual(held[2:7], [("SL", 0), ("CCTI_Timer", 15), ("CCTI_Increase", 2), ("Trigger_Threshold", 4), ("CCTI_Min", 1)])
        self.assertEqual([value for name, value in held if name == "CCTI_Timer"][15], 900)
        entries = self.ask(f, "CT", adapter)
        self.assertEqual([value for name, value in entries if name == "CCT_Multiplier"], [0, 10, 300])
        self.assertEqual([value for name, value in entries if name == "CCT_Shift"], [0, 1, 2])
        rules = f.rules()
        self.assertEqual((rules["congestion_attributes.switch_setting"] > 1, rules["congestion_attributes.adapter_setting"] > 2), (True, True))
        self.assertEqual(f.close(), 0)
        shown = subprocess.run([BIN / "ibdissect", capture], capture_output=True, text=True, check=True).stdout
        for name in ("SwitchCongestionSetting", "CACongestionSetting", "CongestionControlTable"):
            self.assertIn(f"CongestionControl Set {name}", shown)
        done = subprocess.run([SOURCE / "tools/compare-tshark", "--ibdissect", BIN / "ibdissect", capture], text=True,
                              capture_output=True, check=False)
        self.assertRegex(done.stdout, r" 0 unexplained\n$", done.stdout[-2000:] + done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
