#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same SMPs to Debian's ibsim and to ibfabric. Each difference needs a row of EXCUSED, which says by which rule ibsim's answer
is not the measure; libibmad names the fields. The test also fails on a row that matches no difference."""
import ctypes
import os
import re
import socket
import struct
import subprocess
import sys
import time
import unittest

from fabric import Case

IBSIM = "/usr/bin/ibsim"
IBMAD = ctypes.CDLL("libibmad.so.5")
IBMAD.mad_field_name.restype = ctypes.c_char_p
IBMAD.mad_get_field.restype = ctypes.c_uint32
IBMAD.mad_get_field64.restype = ctypes.c_uint64
NET = """switchguid=0x20(20)
Switch 8 "S0"
[1] "H0"[1]
[2] "H1"[1]

caguid=0x30
Ca 1 "H0"
[1](31) "S0"[1]

caguid=0x40
Ca 1 "H1"
[1](41) "S0"[2]
"""
PATHS = ((0,), (0, 1), (0, 1, 2))
GET, SET = 1, 2
NODE_INFO, PORT_INFO = 0x11, 0x15
TIMED_OUT = 110
FIELDS = {"NodeInfo": (75, 86), "PortInfo": (27, 73), "SwitchInfo": (88, 105)}  # enum MAD_FIELDS of libibmad: first and last
WIDE = ("Mkey", "GidPrefix", "SystemGuid", "Guid", "PortGuid")
ATTRIBUTES = (
    ("NodeInfo", NODE_INFO, (0,)),
    ("NodeDescription", 0x10, (0,)),
    ("PortInfo", PORT_INFO, (0, 1, 2, 3, 8, 9, 255)),
    ("SwitchInfo", 0x12, (0,)),
    ("GUIDInfo", 0x14, (0, 1, 8)),
    ("P_KeyTable", 0x16, (0, 1, 2, 0x10000, 0x10001, 0x90000)),
    ("SLtoVL", 0x17, (0, 0x102, 0x201, 0x909)),
    ("VLArbitration", 0x18, (0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x10001, 0x30002)),
    ("LinearForwardingTable", 0x19, (0, 1, 767, 768)),
    ("MulticastForwardingTable", 0x1B, (0, 1, 31, 0x10000000, 511)),
    ("attribute 0x99", 0x99, (0,)),
    ("Notice", 0x02, (0,)),
    ("LedInfo", 0x31, (0,)),
    ("RandomForwardingTable", 0x1A, (0,)),
)

OWN = "the device's own choice: "
WE_REFUSE = r"answer 0x81 status 0x001c / 0x81 status 0x0000"  # an invalid value or modifier
IBSIM_REFUSES = r"answer 0x81 status 0x0000 / 0x81 status 0x001c"

# ibsim answers with memory after its own table of 0x7800 ports, which differs from version to version: a row may excuse nothing.
BEYOND = "beyond ibsim's LinearFDBCap; "

# Question, difference (ours / ibsim's), rule: a row for each cause. Patterns match the whole text.
EXCUSED = (
    # The return path.
    (r".* at [0-9,]+", r"return path (00|0001|000101) / (01)+",
     "MD-22, C14-9: entry n of the return path is the port that the SMP came by at hop n; hop 0 has none. ibsim notes one port more"),
    # What a device may choose.
    (r"Get NodeInfo 0x0 .*", r"(DevId|Revision|VendorId|PartCap) .*", OWN + "NodeInfo, KM-41"),
    (r".et PortInfo .*", r"(CapMask|LinkWidthSupported|LinkSpeedActive|VLArbHighCap|VLArbLowCap|MtuCap|GuidCap|RespTimeVal) .*",
     OWN + "capabilities of PortInfo, KM-34"),
    (r"Get PortInfo .*|Set PortInfo state Armed at 0,1", r"(LinkWidthEnabled|LinkSpeedEnabled|NeighborMTU|HoqLife|LocalPhysErr|OverrunErr) .*",
     OWN + "before a manager has set it"),
    (r".et PortInfo .*", r"(SubnetTimeout|VLStallCount) .*", OWN + "before a manager has set it"),
    (r"Get SwitchInfo 0x0 .*", r"(LinearFdbCap|PartEnforceCap|InboundPartEnf|OutboundPartEnf) .*", OWN + "capabilities of SwitchInfo"),
    (r"Get SwitchInfo 0x0 .*", r"(DefPort|DefMcastPrimPort|DefMcastNotPrimPort|LifeTime) .*", OWN + "before a manager has set it"),
    (r"Get SLtoVL .*", r"data (0123456701234567)0+ / 0123456789abcde70+",
     OWN + "before a manager has set it; VLCap allows 8 lanes, and lanes above them discard (KM-44)"),
    (r"Get VLArbitration .*", r"data .*", OWN + "before a manager has set it, KM-46"),
    # Blocks: each refuses those beyond its own capability.
    (r"Get VLArbitration 0x[24]0000 .*", IBSIM_REFUSES,
     "KM-46: upper blocks of a table exist if the capability is above 32; ours is 64, ibsim's 8"),
    (r"Get GUIDInfo 0x1 at (0|0,1,2)", WE_REFUSE, "KM-36: GUIDCap of ours is 8, of ibsim 32"),
    (r"Get P_KeyTable 0x1 at 0,1", IBSIM_REFUSES, "KM-12: PartitionCap of ours is 64, of ibsim 8"),
    (r"Get P_KeyTable 0x10001 at 0,1", WE_REFUSE,
     "KM-12: PartitionEnforcementCap of ours is 32, of ibsim 64"),
    # ibsim answers for what does not exist.
    (r"Get GUIDInfo 0x(1 at 0,1|8 at .*)", WE_REFUSE,
     "KM-36, MD-05: a block beyond GUIDCap (32 of ibsim's adapters, 1 of its switch) is an invalid modifier"),
    (r"Get (P_KeyTable 0x90000|SLtoVL 0x909) at 0,1", WE_REFUSE, "MD-05: a switch of 8 ports has no port 9"),
    (r"Get MulticastForwardingTable 0x(10000000|1ff) at 0,1", WE_REFUSE,
     "KM-63, MD-05: 8 ports have position 0 only, and MulticastFDBCap 1024 has 32 blocks"),
    (r"Get LinearForwardingTable 0x2ff at 0,1", r"data (ff){64} / (00){64}",
     BEYOND + "KM-63: 255 is the port of a LID without a path"),
    # Refusals.
    (r"Get (attribute 0x99|LedInfo|RandomForwardingTable) 0x0 .*", r"answer 0x81 status 0x000c / none",
     "MD-05, MD-31: an attribute that the agent does not have is refused with 0x000C"),
    (r"Get Notice 0x0 .*", r"answer 0x81 status 0x0000 / none", "KM-62: Get(Notice) reads the queue; ibsim has none"),
    (r"Set Node(Info|Description) .*", r"answer 0x81 status 0x000c / 0x81 status 0x0008",
     "MD-05: an attribute that cannot be set is method and attribute that do not fit, 0x000C; the agent has the method Set"),
    (r"Get NodeInfo (class version [23]|base version 2) .*", r"answer 0x81 status 0x0004 / (0x81 status 0x0000|none)",
     "MD-02, MD-05: a bad version is refused with 0x0004, or dropped; ibsim takes class version 2"),
    (r"Set PortInfo (LID 0xC000|LID 0|SM LID 0xFFFF) .*", WE_REFUSE, "KM-31, WF-15: no unicast LID"),
    (r"Set PortInfo state Initialize .*", WE_REFUSE, "KM-25: Initialize cannot be set"),
    (r"Set PortInfo (MTU 6|width 0x30) .*", WE_REFUSE, "KM-24: an invalid value is reported"),
    # States.
    (r".et PortInfo .*", r"GidPrefix 0xfe80000000000000 / 0x0", "KM-35: a port starts with the default prefix"),
    (r".et PortInfo .*", r"MkeyLeasePeriod 0x0 / 0xff9", "KM-09: a port starts with lease 0"),
    (r"Set PortInfo state Active, neighbour Initialize .*", IBSIM_REFUSES,
     "KM-25: an Armed port can be set to Active; ibsim looks at the neighbour too, and sets it once that is Armed"),
    (r"Set PortInfo state Active again .*", IBSIM_REFUSES,
     "KM-25: a move that is none has no effect; which status it gets has no certain source"),
    # The management key.
    (r".et PortInfo .*", r"Mkey 0x77 / 0x0", "KM-02: the key is stored, and read at protection level 0; ibsim stores none"),
    (r"Set PortInfo LID 3 with a wrong M_Key .*", r"answer none / 0x81 status 0x0000", "KM-01, KM-03: a Set with a wrong key is not answered"),
    (r"Get PortInfo .*", r"MkeyViolations 0x1 / 0x0", "KM-04: the violation was counted"),
)


class Client:
    """A client of ibsim's protocol at H0."""

    def __init__(self, server):
        text = lambda name: b"\0" + name.encode() + b"\0"
        own = os.getpid()
        self.control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.control.bind(text(f"{server}:ctl{own}"))
        self.control.settimeout(10)
        self.control.connect(text(f"{server}:ctl"))
        self.mads = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.mads.bind(text(f"{server}:in{own}"))
        self.mads.settimeout(1)
        self.number = 0
        answer = self.call(1, struct.pack("=III", own, 0, 0) + b"H0".ljust(32, b"\0"))
        self.number = struct.unpack_from("=I", answer, 16)[0]
        self.mads.connect(text(f"{server}:out{self.number}"))

    def call(self, kind, data=b""):
        self.control.send(struct.pack("=IIII", 0xDEADBEEF, self.number, kind, len(data)) + data.ljust(64, b"\0"))
        return self.control.recv(80)

    def ask(self, path, method, attribute, modifier=0, data=b"", mkey=0, version=1, base=1):
        """None if nobody answers; else method, status, return path and data."""
        mad = bytearray(256)
        struct.pack_into(">BBBBHBBQHHI", mad, 0, base, 0x81, version, method, 0, 0, len(path) - 1, 0x1234, attribute, 0, modifier)
        struct.pack_into(">QHH", mad, 24, mkey, 0xFFFF, 0xFFFF)
        mad[64:64 + len(data)] = data
        mad[128:128 + len(path)] = bytes(path)
        self.mads.send(struct.pack(">H2xH2xIII4xQ", 0xFFFF, 0xFFFF, 0, 0, 0, 256) + mad)
        try:
            answer = self.mads.recv(1024)
        except TimeoutError:
            return None
        if struct.unpack_from(">I", answer, 16)[0] == TIMED_OUT:
            return None
        mad = answer[32:]
        return mad[3], struct.unpack_from(">H", mad, 4)[0], mad[192:192 + len(path)].hex(), mad[64:128]

    def close(self):
        self.call(2)
        self.control.close()
        self.mads.close()


def decoded(attribute, data):
    """The fields of the attribute as libibmad reads them; of a table its bytes."""
    if attribute not in FIELDS:
        return {"data": data.hex()}
    fields = {}
    for number in range(FIELDS[attribute][0], FIELDS[attribute][1] + 1):
        name = IBMAD.mad_field_name(number).decode()
        get = IBMAD.mad_get_field64 if name in WIDE else IBMAD.mad_get_field
        fields[name] = f"{get(data, 0, number):#x}"
    return fields


def differences(attribute, ours, theirs):
    """Each as a text. An answer of another status has other data too, so that counts as one."""
    if ours is None and theirs is None:
        return []
    if ours is None or theirs is None or ours[:2] != theirs[:2]:
        word = lambda a: "none" if a is None else f"{a[0]:#04x} status {a[1] & 0x7FFF:#06x}"
        return [f"answer {word(ours)} / {word(theirs)}"]
    found = [f"return path {ours[2]} / {theirs[2]}"] if ours[2] != theirs[2] else []
    if ours[1] & 0x7FFF == 0:
        a, b = decoded(attribute, ours[3]), decoded(attribute, theirs[3])
        found += [f"{name} {a[name]} / {b[name]}" for name in a if a[name] != b[name]]
    return found


class Differential(Case):
    def setUp(self):
        super().setUp()
        self.assertTrue(os.path.exists(IBSIM), "no witness: install what tools/setup test lists")
        f = self.fabric(NET)
        name = f"{f.name}-other"
        out = open(self.folder / "ibsim.out", "w", encoding="ascii")
        self.addCleanup(out.close)
        other = subprocess.Popen([IBSIM, "-s", self.folder / f"{f.name}.net"], env={**os.environ, "IBSIM_SOCKNAME": name},
                                 stdin=subprocess.PIPE, stdout=out, stderr=out)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.addCleanup(other.stdin.close)
        self.ours, self.theirs = Client(f.name), self.patient(name)
        self.addCleanup(self.ours.close)
        self.addCleanup(self.theirs.close)
        self.used, self.unexplained, self.asked, self.same = set(), [], 0, 0

    def patient(self, name):
        """ibsim does not say when it serves."""
        for _ in range(100):
            try:
                return Client(name)
            except ConnectionRefusedError:
                time.sleep(0.1)
        self.fail((self.folder / "ibsim.out").read_text())

    def compare(self, question, path, method, attribute, *more, **options):
        where = ",".join(map(str, path))
        question = f"{question} at {where}"
        self.asked += 1
        name = question.split()[1]
        found = differences(name, self.ours.ask(path, method, attribute, *more, **options),
                            self.theirs.ask(path, method, attribute, *more, **options))
        self.same += all(text.startswith("return path") for text in found)
        for difference in found:
            rows = [i for i, row in enumerate(EXCUSED) if re.fullmatch(row[0], question) and re.fullmatch(row[1], difference)]
            self.used.update(rows)
            if not rows:
                self.unexplained.append(f"{question}: {difference}")

    def reads(self):
        for path in PATHS:
            for name, number, modifiers in ATTRIBUTES:
                for modifier in modifiers:
                    self.compare(f"Get {name} {modifier:#x}", path, GET, number, modifier)

    def envelopes(self):
        """Methods, versions and paths that are not right."""
        self.compare("method 0x19", (0, 1), 0x19, NODE_INFO)
        self.compare("Set NodeInfo", (0, 1), SET, NODE_INFO)
        self.compare("Set NodeDescription", (0, 1), SET, 0x10)
        self.compare("Get NodeInfo class version 2", (0, 1), GET, NODE_INFO, version=2)
        self.compare("Get NodeInfo class version 3", (0, 1), GET, NODE_INFO, version=3)
        self.compare("Get NodeInfo base version 2", (0, 1), GET, NODE_INFO, base=2)
        self.compare("Get NodeInfo by port 7, no cable", (0, 1, 7), GET, NODE_INFO)
        self.compare("Get NodeInfo by port 200", (0, 1, 200), GET, NODE_INFO)
        self.compare("Get NodeInfo through an adapter", (0, 1, 2, 1), GET, NODE_INFO)
        self.compare("Set P_KeyTable block 5", (0, 1, 2), SET, 0x16, 5, struct.pack(">H", 0x8001) * 32)

    def settable(self, path, port):
        """PortInfo as a manager may write it back: with LIDs, and without a change of states."""
        info = bytearray(self.ours.ask(path, GET, PORT_INFO, port)[3])
        info[16:20] = struct.pack(">HH", 3, 1)  # LID, SM LID
        info[32] &= 0xF0  # port state
        info[33] &= 0x0F  # physical state
        info[36] = 4 << 4 | info[36] & 0xF  # an MTU that both have
        return info

    def writes(self):
        """PortInfo of H1, each time with one field that is not right, or must be kept."""
        path = (0, 1, 2)
        info = self.settable(path, 1)

        def change(words, at=0, value=b"", key=0):
            data = bytearray(info)
            data[at:at + len(value)] = value
            self.compare(f"Set PortInfo {words}", path, SET, PORT_INFO, 1, bytes(data), key)

        change("LID 3")
        change("LID 0xC000", 16, b"\xc0\0")
        change("LID 0", 16, b"\0\0")
        change("SM LID 0xFFFF", 18, b"\xff\xff")
        change("state Initialize", 32, b"\x02")
        change("state Active before Armed", 32, b"\x04")
        change("state Armed", 32, b"\x03")
        change("state Active, neighbour Initialize", 32, b"\x04")
        neighbour = self.settable((0, 1), 2)
        neighbour[16:20] = bytes(4)  # a port of a switch has no LID
        neighbour[29] = 0  # width: no change
        neighbour[35] &= 0xF0  # speed: no change
        neighbour[32] |= 3
        self.compare("Set PortInfo state Armed", (0, 1), SET, PORT_INFO, 2, bytes(neighbour))
        change("state Active, neighbour Armed", 32, b"\x04")
        change("state Active again", 32, b"\x04")
        change("MTU 6", 36, b"\x60")
        change("VLs 9", 43, b"\x90")
        change("width 0x30", 29, b"\x30")
        change("M_Key 0x77", 0, b"\0\0\0\0\0\0\0\x77")
        change("LID 3 with a wrong M_Key", key=0x78)
        self.compare("Get PortInfo with a wrong M_Key", path, GET, PORT_INFO, 1, mkey=0x78)
        self.compare("Get PortInfo with the right M_Key", path, GET, PORT_INFO, 1, mkey=0x77)

    def test_each_difference_has_a_rule(self):
        self.reads()
        self.envelopes()
        self.writes()
        self.assertEqual(self.unexplained, [], "\n".join(["", *self.unexplained]))
        idle = [row for i, row in enumerate(EXCUSED) if i not in self.used and not row[2].startswith(BEYOND)]
        self.assertEqual(idle, [], "rows that excuse nothing")
        print(f"{self.asked} asked, {self.same} answered in the same way but for return paths, {len(EXCUSED)} rows excuse the rest")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
