#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""-z hosts: the matrix, an incast, and the straggler of a collective. -z rails: the same matrix, added up by port and by rail.

  hosts.py PROGRAM   PROGRAM simulates (stats/test/perf_sim.c): with IBPROOF_SAVE it leaves a capture of each work load

A collective is a simulated connection, cut into its exchanges (requests and the response), several times: a ring of hosts, each of
which plays two exchanges a round, the second one when all have begun. Addresses are changed, so the ICRC is cut off."""

import json
import os
import struct
import subprocess
import sys
import tempfile

import why
from cli import run

RING, ROUNDS, LATE = 4, 20, 2  # hosts; the one that begins late
EVERY, AFTER, DELAY = 5_000_000, 3_000, 400_000  # ns: from round to round, from host to host, of the late one


def exchanges(path):
    """Lists of (ns, length, frame, is a request), one for each exchange: up to the last response before the next
    request."""
    with open(path, "rb") as f:
        data = f.read()
    found, first, answered = [[]], None, False
    for at, length, frame in why.packets(data):
        first = first or frame[26:30]
        request = frame[26:30] == first
        if request and answered:
            found.append([])
        answered = not request
        found[-1].append((at, length, frame, request))
    return data[:24], found


def collective(path, out, begin):
    """Writes a collective. `begin(round, host)` is the time at which the host begins, in ns after the start of the
    round."""
    head, parts = exchanges(path)
    kept = []
    for turn in range(ROUNDS):
        late = max(begin(turn, host) for host in range(RING))
        for k in range(2):
            part = parts[1 + 2 * turn + k]
            for host in range(RING):
                at = turn * EVERY + (begin(turn, host) if k == 0 else late + 100_000 + begin(turn + 1, host) // 6)
                mine, next_one = (bytes([10, 0, 1, 1 + x % RING]) for x in (host, host + 1))
                for ns, length, frame, request in part:
                    ends = mine + next_one if request else next_one + mine
                    kept.append((10**18 + at + ns - part[0][0], length, frame[:26] + ends + frame[34:min(len(frame), length - 4)]))
    kept.sort(key=lambda p: p[0])
    with open(out, "wb") as f:
        f.write(head)
        for at, length, frame in kept:
            f.write(struct.pack("<IIII", at // 10**9, at % 10**9, len(frame), length) + frame)


def hosts(*captures):
    done = run("-q", "-T", "json", "-z", "hosts", *captures)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def text(capture):
    return run("-q", "-z", "hosts", capture).stdout.decode()


def check_collective(folder):
    capture, ring = f"{folder}/0.pcap", f"{folder}/ring.pcap"
    collective(capture, ring, lambda turn, host: host * AFTER + (DELAY if host == LATE and turn != 3 else 0))
    said = hosts(ring)
    assert said["rounds"] == ROUNDS and said["straggler"] == f"10.0.1.{LATE + 1}", said
    rows = {row["host"]: row for row in said["round_hosts"]}
    assert len(rows) == RING and rows["10.0.1.3"]["last"] == ROUNDS - 1 and rows["10.0.1.4"]["last"] == 1, rows
    assert abs(said["behind"] - (DELAY - AFTER) / 1e9) < 1e-7, said["behind"]
    waits = rows["10.0.1.1"]["before_last"]  # in one round the last host begins in its turn
    assert abs(waits - ((ROUNDS - 1) * (DELAY + LATE * AFTER) + (RING - 1) * AFTER) / ROUNDS / 1e9) < 1e-7, waits
    assert f"10.0.1.{LATE + 1} begins last in {ROUNDS - 1} of {ROUNDS} rounds, on average 0.000397000 s after the host before it" in text(ring)
    assert all(len([p for p in said["pairs"] if p["src"] == host]) == 2 for host in rows), "a ring"
    sentence = f" 10.0.1.{LATE + 1} begins last in {ROUNDS - 1} of {ROUNDS} rounds of a collective, on average 0.000397000 s after the host before it."
    assert why.page(ring)[0].endswith(sentence), why.page(ring)[0]

    collective(capture, ring, lambda turn, host: (host + turn) % RING * AFTER)  # by turns
    said = hosts(ring)
    assert said["rounds"] == 2 * ROUNDS and "straggler" not in said, said  # both exchanges are alike: each is a round
    assert "No host begins last in more than half of the rounds" in text(ring)
    assert "begins last" not in why.page(ring)[0]

    said = hosts(capture)
    assert said["rounds"] == 0 and said["round_hosts"] == [], "two hosts are no collective"


def check_incast(folder):
    many = f"{folder}/incast.pcap"
    why.incast(f"{folder}/{why.INCAST}.pcap", many)
    one, said = hosts(f"{folder}/{why.INCAST}.pcap"), hosts(many)
    most = max(said["hosts"], key=lambda row: row["senders_at_once"])
    assert most["senders_at_once"] == most["receives_from"] == why.HOSTS, most
    assert most["received"] == why.HOSTS * max(row["received"] for row in one["hosts"]), "eight times the one sender"
    assert sum(p["payload_bytes"] for p in said["pairs"]) == sum(row["sent"] for row in said["hosts"])
    assert len(said["pairs"]) == 2 * why.HOSTS and said["beyond"] == 0
    why.incast(f"{folder}/{why.INCAST}.pcap", many, 10**12)
    assert max(row["senders_at_once"] for row in hosts(many)["hosts"]) == 1, "they take turns"


def check_rails(folder):
    """The ring's hosts are four ports of two hosts. Rails of -z rails are sums of pairs of -z hosts."""
    ring, ports, listed = f"{folder}/ring.pcap", [f"10.0.1.{i + 1}" for i in range(RING)], f"{folder}/rails.txt"
    pairs = hosts(ring)["pairs"]
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (3, 0, 1, 2)):
        at = {ports[i]: divmod(k, 2) for k, i in enumerate(order)}  # host and rail of each address
        with open(listed, "w", encoding="ascii") as f:
            f.write("".join(f"h{h} " + " ".join(p for p in sorted(at, key=at.get) if at[p][0] == h) + "\n" for h in range(2)))
        said = json.loads(run("-q", "-T", "json", "-z", f"rails,{listed}", ring).stdout)
        for pair in pairs:
            pair["rails"] = at[pair["src"]][1] + 1, at[pair["dst"]][1] + 1
        for h in range(2):
            for rail, row in enumerate(said["hosts"][h]["rails"]):
                port = next(p for p in ports if at[p] == (h, rail))
                mine = [pair for pair in pairs if pair["src"] == port]
                assert row["sent"] == sum(pair["payload_bytes"] for pair in mine), row
                assert row["received"] == sum(pair["payload_bytes"] for pair in pairs if pair["dst"] == port), row
                assert row["sent_to_other_rails"] == sum(p["payload_bytes"] for p in mine if len(set(p["rails"])) == 2), row
        for row in said["rails"]:
            mine = [pair for pair in pairs if pair["rails"] == (row["from"], row["to"])]
            assert row["payload_bytes"] == sum(pair["payload_bytes"] for pair in mine) and row["packets"] == sum(pair["packets"] for pair in mine), row
        assert said["payload_bytes"] == sum(pair["payload_bytes"] for pair in pairs) and said["unlisted"] == 0, said
        assert said["to_other_rails"] == sum(row["payload_bytes"] for row in said["rails"] if row["from"] != row["to"]), said
    wrong = run("-q", "-z", f"rails,{ring}", ring)
    assert wrong.returncode == 1 and wrong.stderr.startswith(b"ibdissect: -z rails,") and wrong.stderr.count(b"\n") == 1, wrong


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "IBPROOF_SAVE": folder, "IBPROOF_FIRST": why.SEED, "IBPROOF_SEEDS": "1"}
        subprocess.run([program, "--filter", "perf_score/near", "--jobs", "1"], env=env, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        check_collective(folder)
        check_rails(folder)
        check_incast(folder)


if __name__ == "__main__":
    main(sys.argv[1])
