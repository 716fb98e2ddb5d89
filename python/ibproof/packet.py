# SPDX-License-Identifier: BSD-2-Clause
"""One packet: its headers' fields by the names of display filters, its checksums, its payload."""
from __future__ import annotations

import enum
import ipaddress
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Union

from ibproof._native import ffi, lib

Value = Union[int, bool, str, bytes]
Values = Union[Value, tuple[Value, ...]]


class Link(enum.IntEnum):
    """The first header of the bytes."""

    ETHERNET = lib.IBA_LINK_ETHERNET
    INFINIBAND = lib.IBA_LINK_IB
    INFINIBAND_LINK = lib.IBA_LINK_IB_LINK
    IP = lib.IBA_LINK_IP
    SLL = lib.IBA_LINK_SLL
    SLL2 = lib.IBA_LINK_SLL2
    ERF = lib.IBA_LINK_ERF
    IPOIB = lib.IBA_LINK_IPOIB


_ENCAPSULATION = {lib.IBA_PROTO_IB: "InfiniBand", lib.IBA_PROTO_IB_RAW: "IB raw", lib.IBA_PROTO_IB_LINK: "IB link",
                  lib.IBA_PROTO_ROCE1: "RoCEv1", lib.IBA_PROTO_ROCE2: "RoCEv2"}


@dataclass(frozen=True)
class Packet(Mapping[str, Values]):
    """fields: name to value; a tuple of values where a header occurs several times, as in a tunnel. Reserved fields are
    there when they are not zero. encapsulation: None for a packet that is not InfiniBand. icrc, vcrc: good, bad, truncated,
    absent. fault: None, or what is malformed. payload: as captured, pad removed."""

    fields: Mapping[str, Values]
    encapsulation: Union[str, None]
    icrc: str
    vcrc: str
    fault: Union[str, None]
    truncated: bool
    payload: bytes

    def __getitem__(self, name: str) -> Values:
        return self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)


def _name(prefix: str, leaf: str) -> str:
    return leaf[1:] if leaf.startswith("=") else f"{prefix}.{leaf}" if prefix else leaf


class _Row:
    def __init__(self, prefix: str, field: Any) -> None:
        self.field = field
        self.name = _name(prefix, ffi.string(field.name).decode())
        self.reserved = field.vis == lib.IBA_VIS_R
        self.first, self.size = field.at // 8, field.bits // 8

    def value(self, wire: Any) -> Value:
        show = self.field.show
        if show in (lib.IBA_SHOW_BYTES, lib.IBA_SHOW_IP6, lib.IBA_SHOW_TEXT):
            raw = bytes(ffi.buffer(wire + self.first, self.size))
            if show == lib.IBA_SHOW_IP6:
                return str(ipaddress.IPv6Address(raw))
            return raw if show == lib.IBA_SHOW_BYTES else raw.split(b"\0")[0].decode("utf-8", "replace")
        number = int(lib.iba_field_get(self.field, wire))
        if show == lib.IBA_SHOW_FLAG:
            return bool(number)
        if show == lib.IBA_SHOW_MAC:
            return number.to_bytes(6, "big").hex(":")
        if show == lib.IBA_SHOW_IP4:
            return str(ipaddress.IPv4Address(number))
        return number

    def present(self, wire: Any) -> bool:
        if not lib.iba_field_present(self.field, wire):
            return False
        if not self.reserved:
            return True
        return any(bytes(ffi.buffer(wire + self.first, self.size))) if self.field.bits > 64 else bool(lib.iba_field_get(self.field, wire))


def _rows() -> list[list[_Row]]:
    table = []
    for h in range(lib.IBA_H_COUNT):
        info = lib.iba_headers[h]
        prefix = ffi.string(info.prefix).decode()
        table.append([_Row(prefix, info.field + i) for i in range(info.n_field) if info.field[i].vis != lib.IBA_VIS_H])
    return table


_HEADERS = _rows()
#: Names of all fields that decode() may give.
FIELDS = frozenset(row.name for rows in _HEADERS for row in rows)


def _parse(data: bytes, link: int, length: int | None) -> tuple[Any, Any]:
    wire, view = ffi.from_buffer("uint8_t[]", data), ffi.new("struct iba_view *")
    lib.view_parse(view, int(link), wire, len(data), max(len(data), length or 0))
    lib.iba_view_check(view)
    return wire, view


def decode(data: bytes, link: Link = Link.ETHERNET, length: int | None = None) -> Packet:
    """The packet in these bytes. length: of the packet on the wire, if the capture cut it."""
    wire, view = _parse(data, link, length)
    fields: dict[str, list[Value]] = {}
    owner: dict[str, int] = {}  # of a name, the header that gave it first: an inner header of another kind does not add to it
    for k in range(view.n_layer):
        layer = view.layer[k]
        for row in _HEADERS[layer.hdr]:
            if row.present(wire + layer.at) and owner.setdefault(row.name, layer.hdr) == layer.hdr:
                fields.setdefault(row.name, []).append(row.value(wire + layer.at))
    text = ffi.string(lib.error_text(view.err)).decode() if view.err else None
    at, end = view.payload_at, min(view.payload_at + view.payload_len, view.caplen)
    return Packet({name: v[0] if len(v) == 1 else tuple(v) for name, v in fields.items()}, _ENCAPSULATION.get(view.proto),
                  ffi.string(lib.iba_check_name(view.icrc)).decode(), ffi.string(lib.iba_check_name(view.vcrc)).decode(),
                  text, bool(view.truncated), data[at:end] if view.has >> lib.IBA_H_bth & 1 else b"")


def icrc(data: bytes, link: Link = Link.ETHERNET) -> int | None:
    """The ICRC that the packet should have, as infiniband.invariant.crc shows it (big-endian); None for a packet without one."""
    _, view = _parse(data, link, None)
    if view.icrc not in (lib.IBA_CHECK_GOOD, lib.IBA_CHECK_BAD):
        return None
    return int.from_bytes(lib.iba_view_icrc(view).to_bytes(4, "little"), "big")
