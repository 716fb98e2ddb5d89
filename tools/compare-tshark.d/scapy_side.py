# SPDX-License-Identifier: BSD-2-Clause
"""The comparison with scapy: ibdissect decodes packets that scapy builds to the values given to scapy, and both compute the same ICRC of
each other's packets."""

import json
import os
import random
import struct
import zlib

import capture
import scapy
from scapy.contrib.roce import AETH, BTH, CNP_OPCODE, GRH, cnp
from scapy.layers.inet import IP, UDP, IPOption_LSRR, IPOption_NOP, IPOption_RR
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

VERSION = scapy.__version__
SEED, PACKETS = 20, 600
FILE_LIMIT = 500  # captured packets of one file whose ICRC scapy computes; it manages about a thousand a second

# Length of the extended headers between BTH and payload (IBA vol. 1, 9.2, table 38); scapy has a layer only for AETH.
RETH, IMM, ATOMIC, DETH, AETH_SIZE, ATOMIC_ACK = 16, 4, 28, 8, 4, 8
EXTENDED = {
    0x03: IMM, 0x05: IMM, 0x06: RETH, 0x09: IMM, 0x0A: RETH, 0x0B: RETH + IMM, 0x0C: RETH, 0x0D: AETH_SIZE,
    0x0F: AETH_SIZE, 0x10: AETH_SIZE, 0x11: AETH_SIZE, 0x12: AETH_SIZE + ATOMIC_ACK, 0x13: ATOMIC, 0x14: ATOMIC,
    0x23: IMM, 0x25: IMM, 0x26: RETH, 0x29: IMM, 0x2A: RETH, 0x2B: RETH + IMM, 0x64: DETH, 0x65: DETH + IMM,
}  # fmt: skip
HAS_AETH = {0x0D, 0x0F, 0x10, 0x11, 0x12}
NO_PAYLOAD = {0x0C, 0x11, 0x12, 0x13, 0x14}
# Opcodes that scapy 2.5 names, without reliable datagrams: of those only the BTH is compared (see README.md).
OPCODES = [*range(0x00, 0x15), *range(0x20, 0x2C), 0x64, 0x65, CNP_OPCODE]
BTH_FIELDS = {"opcode": "opcode", "solicited": "se", "migreq": "m", "padcount": "padcnt", "version": "tver", "pkey": "p_key",
              "fecn": "fecn", "becn": "becn", "resv6": "reserved6", "dqpn": "destqp", "ackreq": "a", "resv7": "reserved7",
              "psn": "psn"}  # fmt: skip


class Built:
    """A packet, and the value that ibdissect must print for each field."""

    def __init__(self, packet, expected):
        self.data, self.expected = bytes(packet), expected


def _transport(dice, expected):
    """BTH and everything after it, with every field at random."""
    opcode = dice.choice(OPCODES)
    size = 0 if opcode in NO_PAYLOAD else dice.randint(0, 64)
    pad = -size % 4
    fields = {"opcode": opcode, "solicited": dice.getrandbits(1), "migreq": dice.getrandbits(1), "padcount": pad,
              "version": dice.choice([0, 0, 0, dice.getrandbits(4)]), "pkey": dice.getrandbits(16), "fecn": dice.getrandbits(1),
              "becn": dice.getrandbits(1), "dqpn": dice.getrandbits(24), "ackreq": dice.getrandbits(1),
              "resv6": dice.choice([0, dice.getrandbits(6)]), "resv7": dice.choice([0, dice.getrandbits(7)]),
              "psn": dice.getrandbits(24)}  # fmt: skip
    if opcode == CNP_OPCODE:
        size = 0
        fields = {"dqpn": fields["dqpn"]}
        packet = cnp(**fields)
        fields |= {"opcode": opcode, "becn": 1, "padcount": 0}
    else:
        body = Raw(dice.randbytes(EXTENDED.get(opcode, 0) + size + pad))
        if opcode in HAS_AETH:
            aeth = {"syndrome": dice.getrandbits(8), "msn": dice.getrandbits(24)}
            body = AETH(**aeth) / Raw(body.load[AETH_SIZE:])
            expected |= {f"infiniband.aeth.{name}": value for name, value in aeth.items()}
        packet = BTH(**fields) / body
        expected["infiniband.payload.length"] = size
    expected |= {f"infiniband.bth.{BTH_FIELDS[name]}": value for name, value in fields.items()}
    return packet


def _address(dice):
    return ".".join(str(dice.randint(1, 254)) for _ in range(4))


def _network(dice, expected):
    """IPv4 and UDP, now and then with options in IPv4."""
    ip = {"tos": dice.getrandbits(8), "id": dice.getrandbits(16), "flags": dice.choice([0, 2]), "ttl": dice.randint(1, 255),
          "src": _address(dice), "dst": _address(dice)}  # fmt: skip
    source = dice.randint(0, 65535)
    options = []
    if dice.random() < 0.1:
        options = [dice.choice([IPOption_RR(routers=["1.2.3.4"]), IPOption_LSRR(routers=["5.6.7.8"])]), IPOption_NOP()]
    expected |= {"ip.dsfield": ip["tos"], "ip.id": ip["id"], "ip.flags.df": ip["flags"] >> 1, "ip.ttl": ip["ttl"],
                 "ip.src": ip["src"], "ip.dst": ip["dst"], "ip.proto": 17, "udp.srcport": source, "udp.dstport": 4791,
                 "ip.hdr_len": 28 if options else 20}  # fmt: skip
    return IP(options=options, **ip) / UDP(sport=source, dport=4791)


def _ethernet(dice, expected):
    fields = {"src": ":".join(f"{dice.getrandbits(8):02x}" for _ in range(6)), "dst": "02:00:00:00:00:01"}
    expected |= {f"eth.{name}": value for name, value in fields.items()}
    return Ether(**fields)


def _around(dice, expected):
    """Ethernet, with a VLAN tag or inside VXLAN now and then."""
    kind = dice.random()
    if kind < 0.2:
        tag = {"vlan": dice.getrandbits(12), "prio": dice.getrandbits(3)}
        expected |= {"vlan.id": tag["vlan"], "vlan.priority": tag["prio"]}
        return _ethernet(dice, expected) / Dot1Q(**tag)
    if kind < 0.4:
        vni = dice.getrandbits(24)
        # Without both addresses scapy asks this machine's network for one, by ARP, and waits for an answer.
        outer = (Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:03") / IP(src="192.0.2.1", dst="192.0.2.2")
                 / UDP(sport=50000, dport=4789) / VXLAN(vni=vni, flags=8))  # fmt: skip
        expected["vxlan.vni"] = vni
        return outer / _ethernet(dice, expected)
    return _ethernet(dice, expected)


def _routable(dice):
    """RoCEv2 over IPv4. In one of ten packets the ICRC is damaged; then ibdissect must print "bad" and compute the ICRC of scapy."""
    expected = {"infiniband.encapsulation": "RoCEv2"}
    packet = _around(dice, expected) / _network(dice, expected) / _transport(dice, expected)
    right = struct.unpack(">I", bytes(packet)[-4:])[0]
    wire = right ^ 1 << dice.randrange(32) if dice.random() < 0.1 else right
    if wire != right:
        packet[BTH].icrc = wire
    expected |= {"infiniband.icrc.calculated": right, "infiniband.invariant.crc": wire,
                 "infiniband.icrc.status": "good" if wire == right else "bad"}  # fmt: skip
    return Built(packet, expected)


def _link_local(dice):
    """RoCE v1: scapy 2.5 knows the GRH, but no ICRC for it."""
    expected = {"infiniband.encapsulation": "RoCEv1"}
    head = _ethernet(dice, expected)
    transport = _transport(dice, expected)
    transport.icrc = dice.getrandbits(32)
    fields = {"tclass": dice.getrandbits(8), "flowlabel": dice.getrandbits(20), "paylen": len(bytes(transport)), "nexthdr": 0x1B,
              "hoplmt": dice.getrandbits(8)}  # fmt: skip
    names = {"tclass": "tclass", "flowlabel": "flowlabel", "paylen": "paylen", "nexthdr": "nxthdr", "hoplmt": "hoplmt"}
    expected |= {f"infiniband.grh.{names[name]}": value for name, value in fields.items()}
    expected |= {"infiniband.grh.ipver": 6, "infiniband.invariant.crc": transport.icrc, "eth.type": 0x8915}
    return Built(head / GRH(sgid=dice.getrandbits(128), dgid=dice.getrandbits(128), **fields) / transport, expected)


def _version6(dice):
    """RoCEv2 over IPv6: scapy 2.5 has no ICRC for it either."""
    expected = {"infiniband.encapsulation": "RoCEv2"}
    head = _ethernet(dice, expected)
    transport = _transport(dice, expected)
    transport.icrc = dice.getrandbits(32)
    ip = {"tc": dice.getrandbits(8), "fl": dice.getrandbits(20), "hlim": dice.randint(1, 255)}
    source = dice.randint(0, 65535)
    expected |= {"ipv6.tclass": ip["tc"], "ipv6.flow": ip["fl"], "ipv6.hlim": ip["hlim"], "ipv6.nxt": 17,
                 "udp.srcport": source, "infiniband.invariant.crc": transport.icrc}  # fmt: skip
    return Built(head / IPv6(src="2001:db8::1", dst="2001:db8::2", **ip) / UDP(sport=source, dport=4791) / transport, expected)


def _published():
    """The IPv6 packet of scapy's own test (test/contrib/roce.uts, commit ac38b273405b), which states both checksums."""
    packet = (Ether(dst="24:8a:07:a8:fa:22", src="24:8a:07:a8:fa:22")
              / IPv6(tc=226, fl=0x1FACE, hlim=255, src="2022::1023", dst="2023::1024")
              / UDP(sport=49152, dport=4791, chksum=0xE7C5)
              / BTH(opcode=0x24, migreq=1, padcount=2, dqpn=211, psn=0xCF1710, icrc=0x3E5B743B)
              / Raw(bytes.fromhex("4630818be28935d90e9a95505401be885e500000"))
              )  # fmt: skip
    return Built(packet, {"infiniband.icrc.status": "good", "infiniband.icrc.calculated": 0x3E5B743B, "infiniband.bth.opcode": 0x24,
                          "ipv6.src": "2022::1023", "ipv6.dst": "2023::1024", "infiniband.payload.length": 18})


def _text(value):
    if isinstance(value, list):
        value = value[-1]  # the innermost header's
    return str(int(value)) if isinstance(value, bool) else str(value)


def built(ours, scratch):
    """Arguments for Verdict.value of every field of every packet built."""
    dice = random.Random(SEED)
    makers = [_routable] * 8 + [_link_local, _version6]
    packets = [_published()] + [makers[i % len(makers)](dice) for i in range(PACKETS)]
    path = os.path.join(scratch, "scapy.pcap")
    capture.write(path, [capture.Packet(1, i * 1000, len(p.data), p.data) for i, p in enumerate(packets)])
    run = ours.run("-r", path, "-T", "jsonl")
    rows = [json.loads(line) for line in run.stdout.decode().split("\n")[:-1]]
    computed = _calculated(ours, path)
    yield "scapy built", "(packets)", "built packets", str(len(packets)), str(len(rows))
    for number, (packet, row) in enumerate(zip(packets, rows), 1):
        row["infiniband.icrc.calculated"] = computed[number][1]
        for field, value in packet.expected.items():
            # Reserved bits are shown only when set.
            mine = row.get(field, 0 if ".reserved" in field else "")
            yield "scapy built", field, f"built packet {number} ({packet.data.hex()})", _text(value), _text(mine)


def _calculated(ours, path):
    """Frame number to encapsulation and the ICRC as computed."""
    found = {}
    names = ("frame.number", "infiniband.encapsulation", "infiniband.icrc.calculated")
    for row in ours.dissect(path, names).packets:
        text = row["infiniband.icrc.calculated"]
        found[int(row["frame.number"])] = (row["infiniband.encapsulation"], int(text, 0) if text else "")
    return found


def _icrc(data):
    """scapy's ICRC of a captured Ethernet frame; None when scapy sees no RoCEv2 over IPv4 in it."""
    packet = Ether(data)
    if not packet.haslayer(BTH) or not isinstance(packet[BTH].underlayer, UDP):
        return None
    ip = packet[BTH].underlayer.underlayer
    if not isinstance(ip, IP) or ip.frag or ip.flags.MF or ip.len > len(ip.original):
        return None
    if packet[BTH].underlayer.len != ip.len - 4 * ip.ihl:
        return None  # scapy would take what UDP leaves over for padding, and put it into the ICRC
    exact = IP(ip.original[: ip.len])  # without the padding of Ethernet
    if not exact.haslayer(BTH):
        return None
    return struct.unpack(">I", exact[BTH].compute_icrc(b""))[0]


def captured(ours, files):
    """scapy's ICRC of packets that others sent is the one that ibdissect computes."""
    passed = 0
    for path in files:
        try:
            packets = capture.read(path)
        except (capture.Unreadable, OSError, zlib.error):
            continue
        computed = _calculated(ours, path)
        for number, packet in enumerate(packets[:FILE_LIMIT], 1):
            encapsulation, mine = computed.get(number, ("", ""))
            if packet.link != 1 or encapsulation != "RoCEv2" or mine == "":
                continue
            right = _icrc(packet.data)
            if right is None:
                passed += 1
                continue
            yield "scapy icrc", "infiniband.icrc.calculated", f"{path} packet {number}", f"{right:08x}", f"{mine:08x}"
    print(f"{passed} RoCEv2 packets have an ICRC that scapy {VERSION} cannot compute (IPv6, cut, wrong lengths, unknown carriers)")
