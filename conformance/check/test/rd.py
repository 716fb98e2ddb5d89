#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reliable datagrams of the reference, played here, as ibdissect and tshark read them. pcaps/ has every RD opcode, but made
packet by packet; these are of connections that the engine served.

rd.py IBCONFORM IBDISSECT

tshark takes every reliable datagram for a Mellanox DC packet, so it cannot read one as it is. But each header of a reliable
datagram is one of other services too: behind RDETH and DETH stand the headers of RC, and the DETH is that of UD. So each
packet is given to tshark as twins: without RDETH and DETH, as RC; without RDETH, as UD; and with the RDETH where the second
half of a DETH is, because both are a reserved byte and a number of 24 bits. Of all twins tshark must read what ibdissect
reads of the packet. Only the places of the headers come from here (IBA vol. 1, 9.2, 9.3.1).
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/compare-tshark.d"))

import capture  # noqa: E402

IP, UDP, BTH, RDETH, DETH, AFTER_BTH = 14, 34, 42, 4, 8, 54
RD, UD_SEND_ONLY, RESYNC = 0x40, 0x64, 0x15
OPCODES = {RD | operation for operation in (*range(21), RESYNC)}  # IBA vol. 1, table 38
ATOMICS = (19, 20)
RESPONSES = range(13, 19)  # READ responses, ACK, ATOMIC ACK: no DETH
BTH_FIELDS = ["bth.destqp", "bth.psn", "bth.a", "bth.se"]
RC_FIELDS = BTH_FIELDS + ["reth.va", "reth.r_key", "reth.dmalen", "immdt", "aeth.syndrome", "aeth.msn", "atomiceth.swapdt",
                          "atomiceth.cmpdt", "atomicacketh.origremdt"]
OURS = {"immdt": "immdt.data"}
OURS_ATOMIC = {**OURS, "reth.va": "atomiceth.va", "reth.r_key": "atomiceth.r_key"}  # tshark names both headers' alike
DETH_FIELDS = ["deth.q_key", "deth.srcqp"]
CONTEXT = ["rdeth.eecnxt"]


def twin(frame, opcode, headers, dropped):
    """The RoCEv2 frame with another opcode, and with `headers` instead of the `dropped` bytes after the BTH."""
    data = frame[:BTH] + bytes([opcode]) + frame[BTH + 1 : AFTER_BTH] + headers + frame[AFTER_BTH + dropped :]
    more = len(data) - len(frame)
    data = bytearray(data)
    for at in (IP + 2, UDP + 4):
        struct.pack_into(">H", data, at, struct.unpack_from(">H", data, at)[0] + more)
    return bytes(data)


def twins(frame):
    """(the names that tshark shows, the names that ibdissect shows, the twin) of a reliable datagram."""
    operation = frame[BTH] & 0x1F
    own = 0 if operation in RESPONSES else DETH
    context = frame[AFTER_BTH : AFTER_BTH + RDETH]
    if operation != RESYNC:  # RC has none
        names = OURS_ATOMIC if operation in ATOMICS else OURS
        yield RC_FIELDS, [names.get(name, name) for name in RC_FIELDS], twin(frame, operation, b"", RDETH + own)
    if own:
        yield BTH_FIELDS + DETH_FIELDS, BTH_FIELDS + DETH_FIELDS, twin(frame, UD_SEND_ONLY, b"", RDETH)
    yield ["deth.srcqp"], CONTEXT, twin(frame, UD_SEND_ONLY, bytes(4) + context, RDETH)


def number(name, text):
    """A field as tshark writes it, as ibdissect's JSON has it. Immediate data are hex digits, twice; tshark 4.4 writes a bit as a
    word."""
    if not text:
        return None
    if text in ("True", "False"):
        return int(text == "True")
    return int(text.split(",")[0], 16) if name == "immdt" else int(text, 0)


def tshark_rows(path, names):
    words = [word for name in names for word in ("-e", "infiniband." + name)]
    told = subprocess.run(["tshark", "-r", path, "-T", "fields", *words], capture_output=True, text=True, check=True, timeout=120)
    return [dict(zip(names, line.split("\t"))) for line in told.stdout.splitlines()]


def main():
    ibconform, ibdissect = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ibconform, "run", "rd", "--link", "roce2-ipv4", "--evidence", folder + "/e"], check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
        files = sorted(pathlib.Path(folder, "e").rglob("*.pcapng"))
        frames = [p for f in files for p in capture.read(str(f)) if p.data[BTH] in OPCODES]
        played, made = os.path.join(folder, "played.pcap"), os.path.join(folder, "made.pcap")
        capture.write(played, frames)
        told = subprocess.run([ibdissect, "-T", "jsonl", played], capture_output=True, text=True, check=True, timeout=120).stdout
        rows = [json.loads(line) for line in told.splitlines()]
        assert len(rows) == len(frames), (len(rows), len(frames))
        cases = [(row, t) for row, p in zip(rows, frames) for t in twins(p.data)]
        capture.write(made, [capture.Packet(1, i, len(t[2]), t[2]) for i, (_, t) in enumerate(cases)])
        seen = tshark_rows(made, sorted({name for _, t in cases for name in t[0]}))
        assert len(seen) == len(cases), (len(seen), len(cases))
    values = 0
    for (row, (theirs, ours, _)), told in zip(cases, seen):
        for their, our in zip(theirs, ours):
            want, got = row.get("infiniband." + our), number(their, told[their])
            assert got == want, "%s: tshark reads %r, ibdissect %r: %r" % (our, told[their], row.get("infiniband." + our), row)
            values += got is not None
    sent = {p.data[BTH] for p in frames}
    assert sent == OPCODES, "the scenarios do not send %s" % sorted(OPCODES - sent)
    print("%d scenarios, %d reliable datagrams of %d opcodes, %d values: tshark and ibdissect read the same"
          % (len(files), len(frames), len(sent), values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
