#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Soft-RoCE captures counted a second time, from the frames, and compared with the findings of check.

compare.py PROGRAM IBDISSECT FOLDER...   every rxe-*.pcap in the folders

Nothing of ibproof decodes anything here. Linux numbers the IPv4 packets it sends, so identifications in order are the
order of sending: a copy has the identification of its original, a late packet has a lower one than packets before it, and a
request is sent again when one that left before it, and was captured before it, has a PSN that is not lower. The counts of
retransmission, duplicate, out_of_order, gap, nak, rnr, icrc in check must be the same, and ibdissect has to find what check
finds. tshark counts NAKs and RNR NAKs as well, where it is installed and nothing is damaged or doubled.
"""
import collections
import gzip
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

READ_REQUEST, ACK, ATOMIC_ACK = 12, 17, 18
RESPONSES = set(range(13, 19))
FIRST_MIDDLE = {0, 1, 6, 7, 13, 14}
FIELDS = ("retransmission", "duplicate", "out_of_order", "gap", "nak", "rnr", "icrc")
# The expected kinds and numbers that the counting below does not cover, by capture.
EXPECTED = {
    "rxe-agent-imm": {"MSN_WRONG": 1},
    "rxe-agent-rnr-exhaust": {"RNR": 3, "RETRY_RNR": 1},
    "rxe-agent-rnr-recover": {"RNR": 4, "RETRY_RNR": 6, "NAK_AFTER_RNR": 4},
    "rxe-agent-bad-rkey-read": {"NAK_ACCESS": 1},
    "rxe-agent-bad-rkey-write": {"NAK_ACCESS": 1},
    "rxe-agent-recv-too-short": {"NAK_OPERATION": 1},
    "rxe-agent-dest-qp-gone": {"RETRY_TIMEOUT": 2, "SILENCE": 1},
    "rxe-dup30-atomic": {"NETWORK_COPY": 1, "ANSWER_AGAIN": 1},
    # As in the guests' hardware counters (rxe-counted-*.json)
    "rxe-counted-bad-rkey-read": {"NAK_ACCESS": 1},
    "rxe-counted-rnr-recover": {"RNR": 4, "NAK_SEQUENCE": 4, "NAK_AFTER_RNR": 4, "RETRY_RNR": 8},
    "rxe-counted-loss-write": {"NAK_SEQUENCE": 4},
    "rxe-counted-copies-write": {"NETWORK_COPY": 10},
}
# Rules that need more than counting.
NOT_COUNTED = {"NAK_AFTER_RNR": "nak", "NAK_AGAIN": "nak", "NAK_IGNORED": "nak", "ANSWER_AGAIN": "retransmission", "ANSWER_MISSING": "gap",
               "RESPONSE_GAP": "gap", "NOT_CAPTURED": "gap", "RETRY_CHANGED": "retransmission", "RNR_EARLY": "rnr"}


def frames(path):
    """(number, bytes) of a pcap file."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, number = 24, 0
    while at + 16 <= len(data):
        _, _, caplen, _ = struct.unpack_from(order + "4I", data, at)
        number += 1
        yield number, data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def icrc_good(ip):
    """The ICRC of a RoCEv2 packet over IPv4 (Annex A17)."""
    masked = bytearray(ip)
    masked[1] = masked[8] = 0xff
    masked[10:12] = masked[26:28] = b"\xff\xff"
    masked[32] = 0xff
    return zlib.crc32(b"\xff" * 8 + bytes(masked[:-4])) == struct.unpack("<I", ip[-4:])[0]


Packet = collections.namedtuple("Packet", "number way id opcode psn syndrome length payload good raw")


def packets(path):
    for number, frame in frames(path):
        if frame[12:15] != b"\x08\x00\x45" or frame[23] != 17 or frame[36:38] != b"\x12\xb7":
            continue
        ip = frame[14:14 + struct.unpack_from(">H", frame, 16)[0]]
        bth = ip[28:]
        if len(bth) < 16:  # a damaged length
            continue
        opcode = bth[0]
        if opcode >> 5:  # RC only
            continue
        has_aeth = opcode in (13, 15, 16, 17, 18)
        yield Packet(number, (ip[12:16], ip[16:20], bth[5:8]), struct.unpack_from(">H", ip, 4)[0], opcode,
                     int.from_bytes(bth[9:12], "big"), bth[12] if has_aeth else None,
                     struct.unpack_from(">I", bth, 24)[0] if opcode == READ_REQUEST else 0,
                     len(bth) - 16, icrc_good(ip), bytes(ip[28:]))


def ahead(a, b):
    """a - b of 24 bits, signed."""
    d = (a - b) & 0xffffff
    return d - 0x1000000 if d & 0x800000 else d


class Way:
    """One direction, its requests in the order they were captured."""

    def __init__(self):
        self.sent = []  # (unwrapped identification, end)
        self.next = self.una = None
        self.latest = {}  # highest identification, of requests and of responses


def count(path):
    seen, ways, found = set(), collections.defaultdict(Way), collections.Counter()
    all_of_it = list(packets(path))
    pmtu = max([p.payload for p in all_of_it if p.good and p.opcode in (0, 1, 6, 7)] +
               [p.payload - 4 for p in all_of_it if p.good and p.opcode == 13] + [0]) or 1024
    for p in all_of_it:
        if not p.good:
            found["icrc"] += 1
            continue
        if (p.way, p.id, p.raw) in seen:
            found["duplicate"] += 1
            continue
        seen.add((p.way, p.id, p.raw))
        way = ways[p.way]
        response = p.opcode in RESPONSES
        number = p.id
        latest = way.latest.get(response)
        if latest is not None:
            number = latest + ((p.id - latest + 0x8000) & 0xffff) - 0x8000
        way.latest[response] = number if latest is None else max(latest, number)
        late = latest is not None and number < latest
        if response:
            found["out_of_order"] += late
            answer(p, way, ways, found, late)
            continue
        end = (p.psn + max(1, -(-p.length // pmtu))) & 0xffffff
        found["retransmission"] += any(before < number and ahead(passed, p.psn) > 0 for before, passed in way.sent)
        way.sent.append((number, end))
        follow(p, way, end, late, found)
    return found


def answer(p, way, ways, found, late):
    if p.syndrome is not None:
        found["nak"] += p.syndrome >> 5 == 3
        found["rnr"] += p.syndrome >> 5 == 1
    if late:
        return
    # Both ends of these QPs have the same number.
    peer = ways[(p.way[1], p.way[0], p.way[2])]
    una = (p.psn + (p.syndrome is None or p.syndrome >> 5 == 0)) & 0xffffff
    if peer.una is None or ahead(una, peer.una) > 0:
        peer.una = una


def follow(p, way, end, late, found):
    if way.next is None:
        way.next = end
        return
    expected = way.next
    if way.una is not None and ahead(way.una, expected) > 0 and ahead(p.psn, way.una) >= 0:
        expected = way.una
    if late and p.psn != expected:
        found["out_of_order"] += 1
        return
    found["gap"] += ahead(p.psn, expected) > 0
    way.next = end


def checked(program, path):
    run = subprocess.run([program, "check", "--json", path], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1) and not run.stderr, f"{path}: exit code {run.returncode}: {run.stderr}"
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    found = [line for line in lines if line["type"] == "finding"]
    bad = any(f["severity"] in ("warn", "error") for f in found)
    assert run.returncode == bad, f"{path}: exit code {run.returncode}"
    return found


def dissected(ibdissect, path):
    """Findings by kind, as ibdissect counts them."""
    run = subprocess.run([ibdissect, "-q", "-T", "json", "-z", "expert", path], capture_output=True, text=True, check=True)
    return {f["finding"]: f["count"] for f in json.loads(run.stdout)["findings"]}


def by_tshark(path):
    """NAKs and RNR NAKs, or None if tshark is missing."""
    if not shutil.which("tshark"):
        return None
    out = subprocess.run(["tshark", "-r", path, "-Y", "infiniband.aeth", "-T", "fields", "-e", "infiniband.aeth.syndrome"],
                         capture_output=True, text=True, check=True).stdout.split()
    return {"nak": sum(int(s) >> 5 == 3 for s in out), "rnr": sum(int(s) >> 5 == 1 for s in out)}


def compare(program, ibdissect, path):
    name = path.name.split(".")[0]
    found = checked(program, path)
    kinds = collections.Counter(f["kind"] for f in found)
    ours = collections.Counter(f["analysis"] for f in found if f["kind"] not in NOT_COUNTED)
    twin = dissected(ibdissect, path)
    faults = [] if twin == kinds else [f"{name}: check finds {dict(kinds)}, ibdissect {twin}"]
    if "-v6" not in name:
        truth = count(path)
        faults += [f"{name}: {field}: check {ours[field]}, counted {truth[field]}" for field in FIELDS
                  if ours[field] != truth[field]]
        witness = by_tshark(path) if not truth["icrc"] and not truth["duplicate"] else None
        faults += [f"{name}: {field}: tshark {n}, check {ours[field]}" for field, n in (witness or {}).items()
                   if ours[field] != n]
    for kind, n in EXPECTED.get(name, {}).items():
        if kinds[kind] != n:
            faults.append(f"{name}: {kind}: {kinds[kind]}, expected {n}")
    harmed = any(word in name for word in ("loss15-rc", "counted-loss", "dup30", "counted-copies", "reorder", "corrupt", "rnr",
                                           "bad-rkey", "too-short", "dest-qp", "agent-imm", "out-of-range"))
    if not harmed and found:
        faults.append(f"{name}: is clean, and check finds {dict(kinds)}")
    if harmed and not any(f["severity"] in ("warn", "error") for f in found):
        faults.append(f"{name}: is not clean, and check finds nothing")
    print(f"{name}: " + (", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "clean"))
    return faults


def main():
    program, ibdissect, faults = sys.argv[1], sys.argv[2], []
    paths = sorted(path for folder in sys.argv[3:] for path in pathlib.Path(folder).iterdir()
                   if path.name.startswith("rxe-") and ".pcap" in path.name)
    assert len(paths) > 15, "captures are missing"
    for path in paths:
        faults += compare(program, ibdissect, path)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
