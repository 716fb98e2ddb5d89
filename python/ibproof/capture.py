# SPDX-License-Identifier: BSD-2-Clause
"""Frames of pcap files, also gzipped: for scripts that look at each packet. `judge` reads all forms that ibdissect reads."""
from __future__ import annotations

import gzip
import os
import struct
from dataclasses import dataclass
from typing import Iterator

from ibproof.packet import Link, Packet, decode

_LINKS = {1: Link.ETHERNET, 12: Link.IP, 14: Link.IP, 101: Link.IP, 228: Link.IP, 229: Link.IP, 113: Link.SLL, 276: Link.SLL2,
          197: Link.ERF, 247: Link.INFINIBAND, 242: Link.IPOIB}
_ORDERS = {b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000), b"\x4d\x3c\xb2\xa1": ("<", 1),
           b"\xa1\xb2\x3c\x4d": (">", 1)}


@dataclass(frozen=True)
class Frame:
    number: int
    time_ns: int
    data: bytes
    length: int  # on the wire
    link: Link

    def decode(self) -> Packet:
        return decode(self.data, self.link, self.length)


def read(path: str | os.PathLike[str]) -> Iterator[Frame]:
    """The frames of a pcap file. ValueError: another kind of file, or a link type that libiba does not know."""
    with open(path, "rb") as probe:
        zipped = probe.read(2) == b"\x1f\x8b"
    with gzip.open(path) if zipped else open(path, "rb") as file:
        head = file.read(24)
        if len(head) < 24 or head[:4] not in _ORDERS:
            raise ValueError(f"{path}: no pcap file")
        order, unit = _ORDERS[head[:4]]
        dlt = struct.unpack(order + "I", head[20:])[0] & 0xFFFF
        if dlt not in _LINKS:
            raise ValueError(f"{path}: link type {dlt}")
        number = 0
        while len(record := file.read(16)) == 16:
            seconds, part, caplen, length = struct.unpack(order + "IIII", record)
            data = file.read(caplen)
            if len(data) < caplen:
                return
            number += 1
            yield Frame(number, seconds * 10**9 + part * unit, data, length, _LINKS[dlt])
