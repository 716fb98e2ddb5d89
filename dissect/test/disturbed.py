#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibdissect reports the same findings and statistics for disturbed sample captures, to the last number.

Each capture of pcaps/ is disturbed in seven ways by a seed of its own: packets are lost, copied, exchanged, late, cut, damaged, or
only the second half is there. disturbed.golden has a line for each: how often each finding is reported, a digest of all findings with
their explanations, and a digest of every statistic. The digests show that something changed, the counts mostly what; which is
right they do not show. Sentences do not count.

  disturbed.py          compare
  disturbed.py --bless  renew the golden; look at the lines that differ (git diff) and say why they may
  disturbed.py --keep FOLDER   leave the disturbed captures there

IBPROOF_BIN names the programs' folder. IBPROOF_EVERY=3 compares every third of the disturbed captures: each way and each capture is among
them.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import struct
import sys
import tempfile

import bad
from cli import jsonl, run

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "disturbed.golden"
STATISTICS = ("icrc", "opcode,tree", "io,stat,0.01", "conv,qp", "rc,analysis", "expert", "messages", "srt", "perf", "agreed", "cm", "mad", "qp")
WORDS = {"sentence", "clause", "section", "packet", "message", "file"}
SHOWN = 20


class Random:
    """A generator with the same numbers on every machine and in every version of Python (Knuth's MMIX)."""

    def __init__(self, text):
        self.state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


def read(path):
    """The file's byte order, its header and its packets, each as (seconds, fraction, length on the wire, bytes)."""
    data = path.read_bytes()
    order, _, records = bad.pcap_records(data)
    return order, data[:24], [(*struct.unpack_from(order + "II", data, at), length, packet) for at, packet, length in records]


def write(path, order, head, packets):
    with open(path, "wb") as out:
        out.write(head)
        for seconds, fraction, length, data in packets:
            out.write(struct.pack(order + "IIII", seconds, fraction, len(data), length) + data)


def with_times_of(packets, moved):
    """Gives the moved packets the times of the original ones: the packet at each place gets the time of that place."""
    return [old[:2] + new[2:] for old, new in zip(packets, moved)]


def lost(packets, random):
    return [p for p in packets if random.below(12)]


def copied(packets, random):
    return [q for p in packets for q in ((p, p) if random.below(10) == 0 else (p,))]


def exchanged(packets, random):
    moved = list(packets)
    for i in range(len(moved) - 1):
        if random.below(8) == 0:
            moved[i], moved[i + 1] = moved[i + 1], moved[i]
    return with_times_of(packets, moved)


def late(packets, random):
    moved = list(packets)
    for i in range(len(moved)):
        if random.below(12) == 0:
            moved.insert(min(len(moved) - 1, i + 2 + random.below(5)), moved.pop(i))
    return with_times_of(packets, moved)


def cut(packets, random):
    return [(s, f, n, d[: 50 + random.below(40)] if random.below(3) == 0 else d) for s, f, n, d in packets]


def damaged(packets, random):
    out = []
    for s, f, n, d in packets:
        if len(d) > 44 and random.below(6) == 0:
            at = 34 + random.below(len(d) - 34)
            d = d[:at] + bytes([d[at] ^ (1 << random.below(8))]) + d[at + 1:]
        out.append((s, f, n, d))
    return out


def second_half(packets, _):
    return packets[len(packets) // 2:]


WAYS = (lost, copied, exchanged, late, cut, damaged, second_half)


def without_words(value):
    if isinstance(value, dict):
        return {k: without_words(v) for k, v in value.items() if k not in WORDS}
    return [without_words(v) for v in value] if isinstance(value, list) else value


def short(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def as_list(value):
    return value if isinstance(value, list) else [value] if value is not None else []


def said(capture):
    """One line about a capture."""
    judged = run("-2", "-T", "jsonl", capture)
    counts, explained = collections.Counter(), []
    for row in jsonl(judged):
        for finding in as_list(row.get("infiniband.analysis.finding")):
            counts[finding] += 1
        because = [re.findall(r"\(([^()]*)\)$", m) for m in as_list(row.get("infiniband.analysis.message"))]
        linked = {k: v for k, v in row.items() if k.startswith("infiniband.") and k.endswith(("_in", "_to", "time", "icrc.status"))}
        explained.append((row["frame.number"], row.get("infiniband.analysis.finding"), because, linked))
    wanted = [w for s in STATISTICS for w in ("-z", s)]
    stats = run("-q", "-T", "jsonl", *wanted, capture)
    parts = [f"findings:{short(json.dumps(explained))}"]
    for one in jsonl(stats):
        parts.append(f"{one['stat'].split(',')[0]}:{short(json.dumps(without_words(one)))}")
    parts.append(f"exit:{judged.returncode},{stats.returncode}")
    return " ".join([f"{k}={counts[k]}" for k in sorted(counts)] + parts)


def is_asked(number, every):
    """Whether disturbed capture `number` is one of those that are compared."""
    return (number // len(WAYS) + number) % every == 0


def lines(folder, every):
    jobs = []
    for path in sorted(bad.PCAPS.glob("*.pcap")):
        order, head, packets = read(path)
        for way in WAYS:
            name = f"{path.stem} {way.__name__}"
            to = folder / f"{path.stem}-{way.__name__}.pcap"
            write(to, order, head, way(packets, Random(name)))
            jobs.append((name, to))
    jobs = [job for number, job in enumerate(jobs) if is_asked(number, every)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [f"{name}: {text}" for (name, _), text in zip(jobs, pool.map(lambda j: said(j[1]), jobs))]


def difference(before, after):
    """The difference between two lines about one capture."""
    name, now = after.partition(": ")[0], after.partition(": ")[2].split()
    if before.partition(": ")[0] != name:
        return f"+{after}"
    was = before.partition(": ")[2].split()
    return f"{name}: {' '.join(w for w in was if w not in now)} -> {' '.join(w for w in now if w not in was)}"


def main(arguments):
    every = 1 if arguments == ["--bless"] else int(os.environ.get("IBPROOF_EVERY", "1"))
    with tempfile.TemporaryDirectory() as fresh:
        folder = pathlib.Path(arguments[1] if arguments[:1] == ["--keep"] and len(arguments) == 2 else fresh)
        folder.mkdir(parents=True, exist_ok=True)
        now = lines(folder, every)
    if arguments == ["--bless"]:
        GOLDEN.write_text("\n".join(now) + "\n", encoding="utf-8")
        return 0
    old = GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else []
    old = [line for number, line in enumerate(old) if is_asked(number, every)]
    differ = [(a, b) for a, b in zip(old + [""] * len(now), now) if a != b]
    for before, after in differ[:SHOWN]:
        print(difference(before, after))
    if differ or len(old) != len(now):
        print(f"{len(differ)} of {len(now)} captures are judged otherwise; when that is meant: cmake --build build/dev --target bless")
        return 1
    print(f"{len(now)} captures are judged as before")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
