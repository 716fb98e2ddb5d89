# SPDX-License-Identifier: BSD-2-Clause
"""Damaged captures, and a reader of records to make them: plain struct, without the project's code."""
import gzip
import pathlib
import struct
import zlib

PCAPS = pathlib.Path(__file__).resolve().parents[2] / "pcaps"
ENDINGS = (".pcap.gz", ".pcapng", ".pcap", ".erf")
LINKTYPE_ERF = 197


def captures():
    return sorted(p for p in PCAPS.iterdir() if p.name.endswith(ENDINGS))


def unzipped(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def pcap(packets, link=1, snaplen=262144, magic=0xA1B2C3D4, order="<"):
    out = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)]
    for i, p in enumerate(packets):
        data, length = p if isinstance(p, tuple) else (p, len(p))
        out += struct.pack(order + "IIII", 1700000000, i, len(data), length), data
    return b"".join(out)


def pcap_records(data):
    """Link type, and (offset of the header, captured bytes, wire length) of each packet of a pcap file."""
    order = "<" if struct.unpack("<I", data[:4])[0] in (0xA1B2C3D4, 0xA1B23C4D) else ">"
    link, at, records = struct.unpack(order + "I", data[20:24])[0], 24, []
    while at < len(data):
        caplen, length = struct.unpack(order + "II", data[at + 8 : at + 16])
        records.append((at, data[at + 16 : at + 16 + caplen], length))
        at += 16 + caplen
    return order, link, records


def icrc_is_good(frame):
    """Whether a whole, untagged RoCEv2 frame ends with its ICRC (A17.3.3): zlib's CRC-32 over eight bytes of ones and
    then the packet, whose fields that routers change count as ones."""
    v6 = frame[12:14] == b"\x86\xdd"
    packet = bytearray(frame[14:])
    udp = 40 if v6 else 4 * (packet[0] & 15)
    end = 40 + struct.unpack_from(">H", packet, 4)[0] if v6 else struct.unpack_from(">H", packet, 2)[0]
    for at in (1, 2, 3, 7) if v6 else (1, 8, 10, 11):  # traffic class, flow label, hop limit; TOS, TTL, checksum
        packet[at] = 0xFF
    packet[0] |= 0x0F if v6 else 0
    for at in (udp + 6, udp + 7, udp + 8 + 4):  # UDP's checksum, the BTH's byte with FECN and BECN
        packet[at] = 0xFF
    return zlib.crc32(b"\xff" * 8 + packet[: end - 4]) == struct.unpack_from("<I", packet, end - 4)[0]


def cut_erf(record, n):
    """Cuts a complete ERF record as a card with a snap length does. The wire length stays. The record length shrinks to
    a multiple of 8, because padding and captured bytes of a record look the same."""
    head = 16
    kind, more = record[8], record[8] & 0x80
    while more:
        more = record[head] & 0x80
        head += 8
    head += 2 if kind & 0x7F == 2 else 0
    wire = struct.unpack(">H", record[14:16])[0]
    keep = min(n, wire, len(record) - head)
    body = record[: head + keep]
    body = body[: len(body) // 8 * 8] if keep < wire else body + bytes(-len(body) % 8)
    return body[:10] + struct.pack(">H", len(body)) + body[12:]


def cut_pcap(data, n):
    order, link, records = pcap_records(data)
    out = data[:16] + struct.pack(order + "I", n) + data[20:24]
    if link == LINKTYPE_ERF:
        out = data[:24]
    for at, packet, length in records:
        short = cut_erf(packet, n) if link == LINKTYPE_ERF else packet[:n]
        wire = len(short) if link == LINKTYPE_ERF else length
        out += data[at : at + 8] + struct.pack(order + "II", len(short), wire) + short
    return out


def cut_file_of_erf(data, n):
    out, at = b"", 0
    while at < len(data):
        length = struct.unpack(">H", data[at + 10 : at + 12])[0]
        out += cut_erf(data[at : at + length], n)
        at += length
    return out


def cut_pcapng(data, n):
    """Cuts each packet of a pcapng file. Enhanced packets also lose their options, which no test here needs."""
    out, at, order = b"", 0, "<"
    while at < len(data):
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack(order + "II", data[at : at + 8])
        if kind == 6:
            caplen = struct.unpack(order + "I", data[at + 20 : at + 24])[0]
            keep = min(n, caplen)
            body = data[at + 8 : at + 20] + struct.pack(order + "I", keep) + data[at + 24 : at + 28]
            body += data[at + 28 : at + 28 + keep] + bytes(-keep % 4)
            size = struct.pack(order + "I", len(body) + 12)
            out += data[at : at + 4] + size + body + size
        else:
            out += data[at : at + length]
        at += length
    return out


def cut(path, n):
    """The capture as it would be with a snap length of n bytes."""
    data = unzipped(path)
    if path.suffix == ".erf":
        return cut_file_of_erf(data, n)
    return cut_pcapng(data, n) if path.suffix == ".pcapng" else cut_pcap(data, n)
