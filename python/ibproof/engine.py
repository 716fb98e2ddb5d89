# SPDX-License-Identifier: BSD-2-Clause
"""The reference engine: a channel adapter without I/O and without a clock. Two of them and a Network talk on virtual time; one of them
answers a device, if its frames come from a socket."""
from __future__ import annotations

import ipaddress
import random
from dataclasses import dataclass
from typing import Callable, Optional, Sequence, Union

from ibproof._native import ffi, lib

NEVER = 2**64 - 1
_OPS = {"SEND": lib.IBA_WR_SEND, "SEND_IMM": lib.IBA_WR_SEND_IMM, "WRITE": lib.IBA_WR_WRITE, "WRITE_IMM": lib.IBA_WR_WRITE_IMM,
        "READ": lib.IBA_WR_READ, "CMP_SWAP": lib.IBA_WR_CMP_SWAP, "FETCH_ADD": lib.IBA_WR_FETCH_ADD}


class EngineError(Exception):
    """The engine refuses what its user asked for; the text says why."""


def _check(error: int) -> None:
    if error:
        raise EngineError(ffi.string(lib.engine_error(error)).decode())


@dataclass(frozen=True)
class Completion:
    """id: as posted. status: "Success", or what went wrong. bytes: of a receive. imm: None without immediate data."""

    id: int
    status: str
    qpn: int
    bytes: int
    imm: Optional[int]


class QueuePair:
    """A reliable connection of an engine: `connect` both ends, then post. Offsets count from the beginning of the memory."""

    def __init__(self, engine: Engine) -> None:
        number = ffi.new("uint32_t *")
        _check(lib.iba_pair_end_create_qp(engine._engine, number))
        self.engine, self.number, self.psn = engine, int(number[0]), engine._random.randrange(1 << 24)

    def connect(self, peer: QueuePair, pmtu: int = 1024, timeout: int = 8, retry: int = 7) -> None:
        """To Ready to Send, with the peer's addresses and PSN. timeout: 4.096 us * 2^timeout."""
        self.connect_to(peer.engine.mac, peer.engine.ipv4, peer.number, peer.psn, pmtu, timeout, retry)

    def connect_to(self, mac: str, ipv4: str, number: int, psn: int, pmtu: int = 1024, timeout: int = 8, retry: int = 7) -> None:
        if pmtu not in (256, 512, 1024, 2048, 4096):
            raise ValueError(f"path MTU {pmtu}")
        _check(lib.engine_connect(self.engine._engine, self.number, int(mac.replace(":", ""), 16), _gid(ipv4), number, self.psn, psn, pmtu, timeout, retry))

    def post_send(self, op: str, offset: int, length: int, *, id: int = 0, va: int = 0, rkey: int = 0, compare_add: int = 0, swap: int = 0,
                  imm: int = 0) -> None:
        """op: SEND, SEND_IMM, WRITE, WRITE_IMM, READ, CMP_SWAP, FETCH_ADD. offset, length: own memory; va, rkey: the peer's."""
        if op not in _OPS:
            raise ValueError(f"operation {op}: one of {', '.join(_OPS)}")
        _check(lib.engine_send(self.engine._engine, self.number, _OPS[op], id, self.engine.va + offset, length, va, rkey, compare_add, swap, imm))

    def post_recv(self, offset: int, length: int, *, id: int = 0) -> None:
        _check(lib.engine_receive(self.engine._engine, self.number, id, self.engine.va + offset, length))


def _gid(ipv4: str) -> bytes:
    return bytes(10) + b"\xff\xff" + ipaddress.IPv4Address(ipv4).packed


class Engine:
    """One adapter with one RoCEv2 port and one region: `memory` (a writable buffer), which is at `va` with `rkey` for its peers.
    Times are ns; the caller's clock must not go back."""

    def __init__(self, mac: str = "02:00:00:00:00:01", ipv4: str = "10.0.0.1", *, memory: int = 65536, seed: int = 1) -> None:
        self.mac, self.ipv4, self.va = mac, ipv4, int(lib.IBA_PAIR_VA)
        self._bytes = ffi.new("uint8_t[]", memory)
        self.memory = ffi.buffer(self._bytes)
        self._random = random.Random(seed)
        self._engine = ffi.new("struct iba_pair_end *")
        self._frame = ffi.new("uint8_t[]", lib.EN_FRAME)
        _check(lib.iba_pair_end_open(self._engine, seed, int(mac.replace(":", ""), 16), _gid(ipv4), self._bytes, memory))

    @property
    def rkey(self) -> int:
        return int(self._engine.rkey)

    @property
    def deadline(self) -> int:
        """When `advance` has work to do; NEVER: no timer runs."""
        return int(lib.engine_deadline(self._engine))

    def create_qp(self) -> QueuePair:
        return QueuePair(self)

    def feed(self, frame: bytes, now: int) -> bool:
        """A frame that arrived. False: not even its headers can be read; packets that rules drop are fed."""
        return bool(lib.engine_feed(self._engine, frame, len(frame), now))

    def advance(self, now: int) -> None:
        lib.engine_advance(self._engine, now)

    def frames(self, now: int) -> list[bytes]:
        """Those to be sent now."""
        out = []
        while n := lib.engine_next(self._engine, self._frame, now):
            out.append(bytes(ffi.buffer(self._frame, n)))
        return out

    def completions(self) -> list[Completion]:
        out, wc = [], ffi.new("struct iba_wc *")
        while lib.engine_poll(self._engine, wc):
            imm = int(wc.imm_or_key) if wc.flags & lib.IBA_WC_WITH_IMM else None
            out.append(Completion(int(wc.wr_id), ffi.string(lib.engine_status(wc.status)).decode(), int(wc.qpn), int(wc.byte_len), imm))
        return out


class Network:
    """A lossy link between two engines, on virtual time. lose: the probability with which a frame is lost; delay: ns; tap: called with
    (time, sender's index, frame) for each frame, may return False to lose it. Same seed, same run."""

    def __init__(self, engines: Sequence[Engine], *, lose: float = 0, delay: int = 10_000, jitter: int = 0, seed: int = 1,
                 tap: Optional[Callable[[int, int, bytes], Union[bool, None]]] = None) -> None:
        if len(engines) != 2:
            raise ValueError("two engines")
        self.engines, self.lose, self.delay, self.jitter, self.tap = engines, lose, delay, jitter, tap
        self.now, self._random = 1_000_000_000, random.Random(seed)
        self._flying: list[tuple[int, int, int, bytes]] = []  # due, serial, receiver, frame
        self._serial = 0

    def _serve(self, n: int) -> None:
        engine = self.engines[n]
        engine.advance(self.now)
        for frame in engine.frames(self.now):
            lost = self._random.random() < self.lose
            if (self.tap and self.tap(self.now, n, frame) is False) or lost:
                continue
            self._serial += 1
            due = self.now + self.delay + (self._random.randrange(self.jitter + 1) if self.jitter else 0)
            self._flying.append((due, self._serial, 1 - n, frame))

    def run(self, until: Optional[int] = None, most: int = 10_000_000_000) -> int:
        """Runs until nothing is due, to the time `until`, or for `most` ns; returns the time."""
        end = self.now + most if until is None else until
        while True:
            for n in (0, 1):
                self._serve(n)
            due = min([flying[0] for flying in self._flying] + [engine.deadline for engine in self.engines])
            if due == NEVER or due > end:
                self.now = self.now if until is None else max(self.now, until)
                return self.now
            self.now = max(self.now, due)
            ready = sorted(flying for flying in self._flying if flying[0] <= self.now)
            self._flying = [flying for flying in self._flying if flying[0] > self.now]
            for _, _, receiver, frame in ready:
                self.engines[receiver].feed(frame, self.now)
