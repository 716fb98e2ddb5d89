#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The first paragraph of --report names the limit that a simulation put there, and the page has its charts.

  why.py PROGRAM   PROGRAM simulates (stats/test/perf_sim.c): with IBPROOF_SAVE it leaves a capture of each work load

An incast of eight is the capture of one sender of an incast, eight times, each with an address of its own: all wait in the same queue.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

from cli import run

SEED = "8"
# work load (enum perf_load): words of the first paragraph
LIMITS = {0: "waiting for the response, one message outstanding", 4: "a receiver that is not ready", 5: "an idle sender",
          9: "pacing|the port", 12: "congestion: slower after notifications"}
INCAST = 8
HOSTS = 8


def packets(data):
    at = 24
    while at < len(data):
        seconds, ns, caplen, length = struct.unpack_from("<IIII", data, at)
        yield seconds * 10**9 + ns, length, data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def incast(path, out, apart=0):
    """Writes an incast of eight senders. The ICRC covers addresses, so it is cut off. `apart`: the senders take turns,
    so many ns apart, and only the first one sends again after all others."""
    with open(path, "rb") as f:
        data = f.read()
    kept = []
    first = None
    all_packets = list(packets(data))
    for i, (at, length, frame) in enumerate(all_packets):
        source, target = frame[26:30], frame[30:34]
        first = first or source
        for host in range(HOSTS):
            mine = bytes([10, 0, 1, host + 1])
            ends = (mine, target) if source == first else (source, mine)
            turn = HOSTS if host == 0 and 2 * i > len(all_packets) else host
            kept.append((at + host + turn * apart, length, frame[:26] + ends[0] + ends[1] + frame[34:min(len(frame), length - 4)]))
    kept.sort(key=lambda p: p[0])
    with open(out, "wb") as f:
        f.write(data[:24])
        for at, length, frame in kept:
            f.write(struct.pack("<IIII", at // 10**9, at % 10**9, len(frame), length) + frame)


def page(capture):
    done = run("-q", "--report", "-", capture)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    paragraph = re.search(r'<p class="lead why">(.*?)</p>', text)
    assert paragraph, f"{capture}: no first paragraph"
    assert text.index('class="lead why"') < text.index("<p class=\"lead\">"), "it is the first"
    return paragraph.group(1), text


def charts(text, kind):
    return [json.loads(x) for x in re.findall(rf'<figure class="{kind}">.*?<script type="application/json">(.*?)</script>', text, re.S)]


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "IBPROOF_SAVE": folder, "IBPROOF_FIRST": SEED, "IBPROOF_SEEDS": "1"}
        subprocess.run([program, "--filter", "perf_score/near", "--jobs", "1"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for load, words in LIMITS.items():
            said, text = page(f"{folder}/{load}.pcap")
            assert re.match(rf"Reliable connections are limited by ({words})", said), f"load {load}: {said}"
            rates = charts(text, "rates")
            assert len(rates) == 1 and sum(rates[0]["bytes"]) > 0 and rates[0]["bucket"] > 0, rates
            assert '<table class="hosts">' in text
        said, text = page(f"{folder}/4.pcap")
        assert sum(charts(text, "events")[0]["rnr"]) > 0, "RNR NAKs over time"
        said, text = page(f"{folder}/12.pcap")
        assert sum(charts(text, "events")[0]["cnp"]) > 0, "CNPs over time"
        incast(f"{folder}/{INCAST}.pcap", f"{folder}/incast.pcap")
        said, text = page(f"{folder}/incast.pcap")
        assert re.search(r"a queue: responses take longer than the shortest ones: \d", said), said
        assert f"{HOSTS} hosts send to " in said, said
        assert "begins last" not in said, "one begins 1 ns after the other"
        assert len(charts(text, "rates")) == HOSTS
        incast(f"{folder}/{INCAST}.pcap", f"{folder}/turns.pcap", 10**12)
        assert "hosts send to" not in page(f"{folder}/turns.pcap")[0], "they take turns"
        assert text.count("<tr><td>10.0.1.") == HOSTS, "a row for each pair of hosts"
        print(said)


if __name__ == "__main__":
    main(sys.argv[1])
