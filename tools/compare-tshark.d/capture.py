# SPDX-License-Identifier: BSD-2-Clause
"""Capture files, read and written without ibdissect's and without Wireshark's readers: to cut packets short, and to put
InfiniBand packets (link type 247, which tshark 4.0 cannot open) into ERF records, which it can."""

import gzip
import struct

INFINIBAND, ERF = 247, 197
ERF_TYPE_INFINIBAND, ERF_TYPE_INFINIBAND_LINK = 21, 25
LRH = 8  # bytes; what is shorter is a link packet
NANO = 10**9


class Packet:
    __slots__ = ("link", "time", "length", "data")

    def __init__(self, link, time, length, data):
        self.link, self.time, self.length, self.data = link, time, length, data


class Unreadable(Exception):
    pass


def read(path):
    """All packets of a pcap, pcapng or ERF file, also gzipped. Bytes after a fault of the file are not read."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    magic = data[:4]
    for order in "<>":
        for number, unit in ((0xA1B2C3D4, 1000), (0xA1B23C4D, 1)):
            if magic == struct.pack(order + "I", number):
                return list(_pcap(data, order, unit))
    if magic == b"\x0a\x0d\x0d\x0a":
        return list(_pcapng(data))
    if path.endswith((".erf", ".erf.gz")):
        return list(_erf(data))
    raise Unreadable("neither pcap, pcapng nor .erf")


def _pcap(data, order, unit):
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF
    at = 24
    while at + 16 <= len(data):
        second, fraction, captured, length = struct.unpack_from(order + "4I", data, at)
        at += 16
        if at + captured > len(data):
            return
        yield Packet(link, second * NANO + fraction * unit, length, data[at : at + captured])
        at += captured


def _pcapng(data):
    at, order, links = 0, "<", []
    while at + 12 <= len(data):
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order, links = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">", []
        kind, size = struct.unpack_from(order + "2I", data, at)
        if size < 12 or at + size > len(data):
            return
        body, at = data[at + 8 : at + size - 4], at + size
        if kind == 1:
            links.append((struct.unpack_from(order + "H", body)[0], *_clock(body[8:], order)))
        elif kind == 6 and len(body) >= 20:
            interface, high, low, captured, length = struct.unpack_from(order + "5I", body)
            if interface >= len(links):
                return
            link, unit, offset = links[interface]
            yield Packet(link, ((high << 32 | low) * NANO) // unit + offset * NANO, length, body[20 : 20 + captured])
        elif kind == 3 and links:
            length = struct.unpack_from(order + "I", body)[0]
            yield Packet(links[0][0], 0, length, body[4 : 4 + length])


def _clock(options, order):
    """Ticks a second and seconds of offset (if_tsresol, if_tsoffset)."""
    unit, offset = 10**6, 0
    while len(options) >= 4:
        code, size = struct.unpack_from(order + "2H", options)
        if code == 9 and size == 1:
            unit = 2 ** (options[4] & 0x7F) if options[4] & 0x80 else 10 ** options[4]
        elif code == 14 and size == 8:
            offset = struct.unpack_from(order + "q", options, 4)[0]
        options = options[4 + (size + 3) // 4 * 4 :]
    return unit, offset


def _erf(data):
    at = 0
    while at + 16 <= len(data):
        stamp, _, _, size, _, wire = struct.unpack_from("<Q2B", data, at) + struct.unpack_from(">3H", data, at + 10)
        if size < 16 or at + size > len(data):
            return
        yield Packet(ERF, (stamp * NANO) >> 32, wire, data[at : at + size])
        at += size


def write(path, packets):
    """A pcap file with nanoseconds; when there are several link types, a pcapng file with an interface for each."""
    links = sorted({p.link for p in packets}) or [1]
    with open(path, "wb") as file:
        if len(links) == 1:
            file.write(struct.pack("<I2H4I", 0xA1B23C4D, 2, 4, 0, 0, 262144, links[0]))
            for p in packets:
                file.write(struct.pack("<4I", *divmod(p.time, NANO), len(p.data), p.length) + p.data)
            return
        file.write(struct.pack("<3I2HqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28))
        for link in links:
            file.write(struct.pack("<2I2HI2HB3x2HI", 1, 32, link, 0, 0, 9, 1, 9, 0, 0, 32))
        for p in packets:
            body = p.data + bytes(-len(p.data) % 4)
            file.write(struct.pack("<7I", 6, 32 + len(body), links.index(p.link), p.time >> 32, p.time & 0xFFFFFFFF,
                                   len(p.data), p.length))
            file.write(body + struct.pack("<I", 32 + len(body)))


def as_erf(packet):
    """An InfiniBand packet (link type 247) as an ERF record; any other packet unchanged."""
    if packet.link != INFINIBAND:
        return packet
    stamp = -(-(packet.time << 32) // NANO)
    kind = ERF_TYPE_INFINIBAND if packet.length >= LRH else ERF_TYPE_INFINIBAND_LINK
    head = struct.pack("<Q2B", stamp, kind, 4) + struct.pack(">3H", 16 + len(packet.data), 0, packet.length)
    return Packet(ERF, packet.time, 16 + packet.length, head + packet.data)


def is_link(packet):
    """Is it a link packet in an ERF record?"""
    return packet.link == ERF and packet.data[8] & 0x7F == ERF_TYPE_INFINIBAND_LINK


def pad_link(packet, size=80):
    """A link packet in an ERF record, followed by zeros."""
    data = packet.data[:10] + struct.pack(">3H", 16 + size, 0, size) + packet.data[16:]
    return Packet(ERF, packet.time, 16 + size, data + bytes(16 + size - len(data)))


def cut(packet, size):
    """The packet as a capture with snapshot length `size` has it. An ERF record says itself how long it is."""
    data = packet.data[:size]
    if packet.link == ERF and len(data) >= 24 and len(data) < len(packet.data):
        data = data[:10] + struct.pack(">H", len(data)) + data[12:]
    return Packet(packet.link, packet.time, packet.length, data)
