#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""captures.py IBCONFORM FOLDER: captures of `tools/guest traffic` against the hardware counters stored beside them.

The capture has all packets that a guest has sent, except those that its netem dropped, and its peer has received them; unless
they were damaged, or came to a queue pair that is gone or in the error state, for which rxe does not count.
The findings of ibconform in a capture agree with the responder's counters; where nothing was disturbed nor refused it finds
nothing.
"""

import collections
import json
import pathlib
import struct
import subprocess
import sys

MACS = {b"\x02\0\0\0\0\x01": "a", b"\x02\0\0\0\0\x02": "b"}
# Experiments that are not disturbed by netem, and yet not clean: findings that there must be
REFUSED = {
    "invalidate": {"NAK_ACCESS"},
    "invalidate-nothing": {"MSN_WRONG"},
    "rnr-recover": {"RNR", "RETRY_RNR"},
    "rnr-exhaust": {"RNR", "RETRY_RNR"},
    "bad-rkey-write": {"NAK_ACCESS"},
    "bad-rkey-read": {"NAK_ACCESS"},
    "out-of-range-write": {"NAK_ACCESS"},
    "out-of-range-read": {"NAK_ACCESS"},
    "no-right-write": {"NAK_ACCESS"},
    "no-right-read": {"NAK_ACCESS"},
    "receive-too-short": {"NAK_OPERATION"},
    "peer-gone": {"RETRY_TIMEOUT", "SILENCE"},
    "peer-in-error": {"RETRY_TIMEOUT", "SILENCE"},
}
# The effect of netem: one of these must be found. For loss only if a guest has noticed it, too: a request lost before the capture cannot
# be noticed if no other request follows.
DISTURBED = {
    "loss": {"GAP", "RETRY_TIMEOUT", "RETRY_NAK", "RETRY_UNCLEAR", "RESPONSE_GAP", "ANSWER_MISSING", "NAK_SEQUENCE"},
    "duplicate": {"NETWORK_COPY"},
    "delay": {"LATE"},
    "corrupt": {"BAD_ICRC", "RETRY_TIMEOUT"},
}
SEEN = ("duplicate_request", "out_of_seq_request")
COUNTED = {"RNR": "send_rnr_err", "NAK_SEQUENCE": "out_of_seq_request"}


def sent(path):
    """The RoCE frames in the capture, by the guest whose network card sent them."""
    data, at, found = path.read_bytes(), 24, collections.Counter()
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        frame = data[at + 16 : at + 16 + length]
        udp = {b"\x08\x00": 34, b"\x86\xdd": 54}.get(frame[12:14])
        found[MACS.get(frame[6:12])] += bool(udp and frame[udp - 11 if udp == 34 else 20] == 17 and frame[udp + 2 : udp + 4] == b"\x12\xb7")
        at += 16 + length
    return found


def findings(program, path):
    run = subprocess.run([program, "check", "--json", path], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode in (0, 1) and not run.stderr, f"{path}: exit code {run.returncode}: {run.stderr}"
    return collections.Counter(f["kind"] for f in map(json.loads, run.stdout.splitlines()) if f["type"] == "finding")


def faults_of_counters(story, path):
    netem, frames = story.get("netem", {"setting": "", "guest": ""}), sent(path)
    counters = {name: collections.Counter(story["counters"][name]["difference"]) for name in "ab"}
    for name, peer in ("ab", "ba"):
        there = counters[name]["sent_pkts"]
        if name == netem["guest"]:
            if "duplicate" not in netem["setting"] and netem["sent"] != there - netem["dropped"]:
                yield f"netem passed {netem['sent']} packets and dropped {netem['dropped']}, {name} counts {there}"
            there = netem["sent"]
        if frames[name] != there and "corrupt" not in netem["setting"]:
            yield f"{frames[name]} packets of {name} in the capture, {there} sent"
        arrived = counters[peer]["rcvd_pkts"]
        lost = netem["setting"] or story["name"] in REFUSED
        if arrived > there or arrived < there and not lost:
            yield f"{there} packets of {name} in the capture, its peer has received {arrived}"


def faults_of_findings(story, found):
    netem = story.get("netem", {"setting": ""})
    counters = collections.Counter()
    for name in "ab":
        counters.update(story["counters"][name]["difference"])
    how = netem["setting"].split(" ")[0]
    wanted = DISTURBED[how] if how else REFUSED.get(story["name"], set())
    if how == "loss" and not any(counters[name] for name in SEEN):
        pass
    elif not (found.keys() & wanted if how else found.keys() >= wanted):
        yield f"found {dict(found)}, expected {wanted}"
    if not how and not wanted and found:
        yield f"is clean, and ibconform finds {dict(found)}"
    if how == "duplicate":
        # ibconform takes a late copy for a retransmission until it knows that the sender counts up IPv4 identifications.
        copies = netem["sent"] - story["counters"][netem["guest"]]["difference"]["sent_pkts"]
        taken = sum(n for kind, n in found.items() if kind.startswith("RETRY_"))
        if not copies - taken <= found["NETWORK_COPY"] <= copies:
            yield f"netem has made {copies} copies, found are {dict(found)}"
    if how not in ("loss", "corrupt"):
        for kind, counter in COUNTED.items():
            if found[kind] != counters[counter]:
                yield f"{found[kind]} {kind} found, {counter} is {counters[counter]}"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    stories, counted, faults = sorted(folder.glob("*.json")), 0, 0
    for at in stories:
        story = json.loads(at.read_text(encoding="utf-8"))
        if "counters" not in story:
            continue  # of `tools/guest connections`
        counted += 1
        capture = at.with_suffix(".pcap")
        found = findings(program, capture)
        wrong = [*faults_of_counters(story, capture), *faults_of_findings(story, found)]
        print(f"{story['name']}: " + ("; ".join(wrong) or ", ".join(f"{n} {kind}" for kind, n in sorted(found.items())) or "clean"))
        faults += bool(wrong)
    print(f"{counted} captures, {faults} that differ from their counters")
    return faults or not counted


if __name__ == "__main__":
    sys.exit(main())
