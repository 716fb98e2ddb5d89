#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""exchange.py: tests the guest with scapy and text requests, and compares its replies and packets. Run by `tools/guest run --
exchange.py`."""

import os
import pathlib
import re
import struct
import sys
import unittest

from scapy.all import IP  # pylint: disable=no-name-in-module
from scapy.contrib.roce import AETH, BTH, opcode

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from by_hand import DEVICE, EPSN, PEER, PSN, RIGHTS, TESTER, Agent, Wire, console  # pylint: disable=wrong-import-position


class Exchange(unittest.TestCase):
    def setUp(self):
        self.wire = Wire(os.environ["IBPROOF_WIRE"])
        self.addCleanup(self.wire.close)
        self.agent = self.greet()

    def greet(self):
        agent = Agent(os.environ["IBPROOF_AGENT"])
        self.addCleanup(agent.close)
        self.hello = agent("hello", version=1)
        self.addresses = agent("reset", link="roce2-ipv4", seed=1)
        return agent

    def connect(self):
        """Makes a connected RC queue pair and a region: returns QP number, region and CQ."""
        ask = self.agent
        pd, cq = ask("create_pd")["pd"], ask("create_cq", depth=16)["cq"]
        mr = ask("reg_mr", pd=pd, length=65536, access=RIGHTS, fill="m")
        qpn = ask("create_qp", type="rc", pd=pd, scq=cq, rcq=cq, sig_all=True, sq=8, rq=8)["qpn"]
        self.lead_to_rts(qpn)
        return qpn, mr, cq

    def lead_to_rts(self, qpn):
        ask = self.agent
        ask("modify_qp", qpn=qpn, state="init", pkey=0, port=1, access=RIGHTS[1:])
        ask("modify_qp", qpn=qpn, state="rtr", av=True, hop=64, pmtu=1024, qpn_of_peer=PEER, epsn=EPSN, dest_rd=4, min_rnr=12)
        ask("modify_qp", qpn=qpn, state="rts", timeout=0, retry=7, rnr_retry=7, psn=PSN, rd=4)

    def completion(self, cq):
        return self.agent.waited_for("wc", "poll_cq", cq=cq)

    def test_hello(self):
        self.assertEqual(self.hello["version"], 1)
        self.assertIn("roce2-ipv4", self.hello["links"])
        self.assertIn("roce2-ipv6", self.hello["links"])
        for word in ("rc", "uc", "ud", "write", "read", "atomic", "srq", "counters"):
            self.assertIn(word, self.hello["capabilities"])
        self.assertEqual(self.addresses["device"][0]["ipv4"], DEVICE[1])
        self.assertEqual(self.addresses["device"][0]["mac"], DEVICE[0])
        self.assertEqual(self.addresses["tester"], {"mac": TESTER[0], "ipv4": TESTER[1], "ipv6": "2001:db8::3", "gid": "fe80::ff:fe00:3"})
        self.assertEqual(self.agent.reply("no_such_verb")["error"], "unsupported")

    def test_write_is_acknowledged(self):
        qpn, mr, _ = self.connect()
        before = self.agent("counters")["counters"]["rcvd_pkts"]
        data = bytes(range(64))
        self.wire.send("RDMA_WRITE_ONLY", qpn, EPSN, struct.pack(">QII", mr["va"] + 100, mr["rkey"], len(data)) + data)
        ack = self.wire.receive()
        self.assertEqual((ack.src, ack[IP].src, ack.dst, ack[IP].dst), (*DEVICE, *TESTER))
        self.assertEqual((ack[BTH].opcode, ack[BTH].dqpn, ack[BTH].psn), (opcode("RC", "ACKNOWLEDGE")[0], PEER, EPSN))
        self.assertEqual((ack[AETH].syndrome >> 5, ack[AETH].msn), (0, 1))
        self.assertEqual(self.agent("read_memory", at=mr["local"] + 100, n=len(data))["hex"], data.hex())
        self.assertEqual(self.agent("counters")["counters"]["rcvd_pkts"], before + 1)
        self.assertEqual(self.agent("query_qp", qpn=qpn)["state"], "rts")

    def test_send_is_completed(self):
        qpn, mr, cq = self.connect()
        self.agent("write_memory", at=mr["local"], hex=b"from the device!".hex())
        wr = {"op": "send", "id": 5, "signaled": True, "sge": [{"at": mr["local"], "len": 16, "lkey": mr["lkey"]}]}
        self.agent("post_send", qpn=qpn, wr=wr)
        request = self.wire.receive()
        self.assertEqual((request[BTH].opcode, request[BTH].psn), (opcode("RC", "SEND_ONLY")[0], PSN))
        self.assertEqual(bytes(request[BTH].payload)[:16], b"from the device!")
        self.assertIsNone(self.agent("poll_cq", cq=cq)["wc"])
        self.wire.send("ACKNOWLEDGE", qpn, PSN, struct.pack(">I", 31 << 24 | 1), ackreq=0)
        wc = self.completion(cq)
        self.assertEqual((wc["id"], wc["status"], wc["op"], wc["qpn"]), (5, "success", "send", qpn))

    def test_reset_leaves_nothing(self):
        qpn, mr, cq = self.connect()
        self.agent("post_recv", qpn=qpn, wr={"id": 1, "sge": [{"at": mr["local"], "len": 16, "lkey": mr["lkey"]}]})
        self.agent("reset", link="roce2-ipv6", seed=2)
        for do, args in (("query_qp", {"qpn": qpn}), ("poll_cq", {"cq": cq}), ("destroy", {"kind": "mr", "number": mr["lkey"]})):
            self.assertIn("error", self.agent.reply(do, **args), do)
        self.assertIn("error", self.agent.reply("read_memory", at=mr["local"], n=1))

    def test_events(self):
        ask = self.agent
        qpn, mr, cq = self.connect()
        ask("arm_cq", cq=cq)
        self.assertEqual(ask("notified", cq=cq)["times"], 0)
        self.assertIsNone(ask("poll_event")["event"])
        ask("post_recv", qpn=qpn, wr={"id": 9, "sge": [{"at": mr["local"], "len": 64, "lkey": mr["lkey"]}]})
        self.wire.send("SEND_ONLY_WITH_IMMEDIATE", qpn, EPSN, b"\x01\x02\x03\x04" + bytes(64))
        self.assertEqual(self.wire.receive()[BTH].psn, EPSN)
        self.assertEqual(self.agent.waited_for("times", "notified", cq=cq), 1)
        wc = self.completion(cq)
        self.assertEqual((wc["id"], wc["op"], wc["imm"], wc["bytes"]), (9, "recv", 0x01020304, 64))
        ask("post_recv", qpn=qpn, wr={"id": 10, "sge": [{"at": mr["local"], "len": 64, "lkey": mr["lkey"]}]})
        ask("modify_qp", qpn=qpn, state="err")
        wc = self.completion(cq)
        self.assertEqual((wc["id"], wc["status"], wc["op"]), (10, "flushed", "recv"))

    def test_shared_receive_queue(self):
        ask = self.agent
        pd, cq = ask("create_pd")["pd"], ask("create_cq", depth=16)["cq"]
        srq = ask("create_srq", pd=pd, depth=8, limit=0)["srq"]
        mr = ask("reg_mr", pd=pd, length=4096, access=RIGHTS, fill="m")
        qpn = ask("create_qp", type="rc", pd=pd, scq=cq, rcq=cq, srq=srq, sig_all=True, sq=8)["qpn"]
        for n in (1, 2):
            ask("post_recv", srq=srq, wr={"id": n, "sge": [{"at": mr["local"], "len": 64, "lkey": mr["lkey"]}]})
        ask("arm_srq", srq=srq, limit=2)
        self.lead_to_rts(qpn)
        self.wire.send("SEND_ONLY", qpn, EPSN, bytes(8))
        self.assertEqual(self.wire.receive()[BTH].psn, EPSN)
        self.assertEqual(self.completion(cq)["id"], 1)
        event = self.agent.waited_for("event", "poll_event")
        self.assertEqual((event["kind"], event["object"]), ("srq_limit", srq))

    def test_windows(self):
        ask = self.agent
        pd, cq = ask("create_pd")["pd"], ask("create_cq", depth=16)["cq"]
        mr = ask("reg_mr", pd=pd, length=4096, access=[*RIGHTS, "mw_bind"], fill="m")
        qpn = ask("create_qp", type="rc", pd=pd, scq=cq, rcq=cq, sig_all=True, sq=8, rq=8)["qpn"]
        self.lead_to_rts(qpn)
        psn = EPSN
        for kind in (1, 2):
            window = ask("alloc_mw", type=kind, pd=pd)["rkey"]
            bind = {"op": "bind_mw", "id": kind, "mw": window, "lkey": mr["lkey"], "va": mr["local"], "len": 64, "access": ["remote_write"], "key": (window + 1) % 256}
            ask("post_send", qpn=qpn, wr=bind)
            wc = self.completion(cq)
            self.assertEqual((wc["id"], wc["status"], wc["op"]), (kind, "success", "bind_mw"))
            self.assertNotEqual(wc["rkey"], window)
            self.wire.send("RDMA_WRITE_ONLY", qpn, psn, struct.pack(">QII", mr["va"], wc["rkey"], 4) + bytes([kind] * 4))
            self.assertEqual(self.wire.receive()[AETH].syndrome >> 5, 0)
            self.assertEqual(ask("read_memory", at=mr["local"], n=4)["hex"], f"0{kind}" * 4)
            ask("destroy", kind="mw", number=wc["rkey"])
            psn = (psn + 1) % (1 << 24)

    def test_refusals(self):
        ask = self.agent
        pd, cq = ask("create_pd")["pd"], ask("create_cq", depth=16)["cq"]
        qpn = ask("create_qp", type="rc", pd=pd, scq=cq, rcq=cq, sq=8, rq=8)["qpn"]
        self.assertRegex(ask.reply("modify_qp", qpn=qpn, state="rts")["error"], r"^errno_\d+$")
        self.assertEqual(ask.reply("destroy", kind="cq", number=cq)["error"], "busy")
        self.assertEqual(ask.reply("query_qp", qpn=qpn + 1)["error"], "no_qp")
        self.assertEqual(ask.reply("set_port", key="lid", value=3)["error"], "unsupported")

    def test_next_client(self):
        qpn, _, _ = self.connect()
        self.agent.close()
        self.agent = self.greet()
        self.assertIn("error", self.agent.reply("query_qp", qpn=qpn))
        self.connect()


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    said = console()
    if re.search(r"Sanitizer|runtime error|BUG:|WARNING:|Oops", said):
        sys.exit(f"the guest's console:\n{said}")
    sys.exit(not result.wasSuccessful() or result.testsRun == 0)
