# SPDX-License-Identifier: BSD-2-Clause
"""The package says of each sample capture what ibdissect says. IBDISSECT names the program."""
import json
import os
import pathlib
import subprocess

import ibproof
import pytest
from ibproof.packet import FIELDS

PCAPS = pathlib.Path(os.environ.get("IBPROOF_PCAPS", pathlib.Path(__file__).resolve().parents[2] / "pcaps"))
PROGRAM = os.environ.get("IBDISSECT", "ibdissect")
ALL = sorted(p for p in PCAPS.iterdir() if p.name.endswith((".pcap", ".pcap.gz", ".pcapng", ".erf")))
PCAP = [p for p in ALL if p.name.endswith((".pcap", ".pcap.gz"))]


def said(path, *args):
    done = subprocess.run([PROGRAM, "-n", "-T", "jsonl", *args, path], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def shown(value):
    """A value as jsonl prints it: bytes in hexadecimal."""
    if isinstance(value, tuple):
        return [shown(v) for v in value]
    return value.hex() if isinstance(value, bytes) else value


def same(ours, theirs):
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs or str(theirs).replace(":", "") == str(ours).replace(":", "")


@pytest.mark.parametrize("path", PCAP, ids=lambda p: p.name)
def test_decode(path):
    """Each field of each header, both ways; encapsulation, checksums, faults."""
    frames, rows = list(ibproof.read(path)), said(path, "-x", "-o", "analysis:off")
    assert len(frames) == len(rows) > 0
    for frame, row in zip(frames, rows):
        packet = frame.decode()
        theirs = {name: value for name, value in row.items() if name in FIELDS}
        ours = {name: shown(value) for name, value in packet.items()}
        wrong = {n: (ours.get(n), theirs.get(n)) for n in ours.keys() | theirs.keys()
                 if n not in ours or n not in theirs or not same(ours[n], theirs[n])}
        assert not wrong, (frame.number, wrong)
        assert frame.time_ns == row["frame.time_ns"] or frame.link == ibproof.Link.ERF  # whose records have a time of their own
        assert packet.encapsulation == row.get("infiniband.encapsulation")
        assert packet.icrc == row.get("infiniband.icrc.status", packet.icrc if packet.icrc == "absent" else "given")
        assert (packet.fault or None) == row.get("infiniband.fault")
        assert packet.truncated == row.get("infiniband.truncated", False)
        assert len(packet.payload) == row.get("infiniband.payload.length", 0) or packet.truncated or packet.fault


@pytest.mark.parametrize("path", PCAP, ids=lambda p: p.name)
def test_icrc(path):
    for frame, row in zip(ibproof.read(path), said(path, "-o", "analysis:off", "-e", "frame.number", "-e", "infiniband.icrc.calculated",
                                                   "-e", "infiniband.invariant.crc")):
        if len(frame.data) < frame.length:
            continue
        ours = ibproof.icrc(frame.data, frame.link)
        assert ours == row.get("infiniband.icrc.calculated")
        if frame.decode().icrc == "good":
            assert ours == row["infiniband.invariant.crc"]


@pytest.mark.parametrize("path", ALL, ids=lambda p: p.name)
def test_judge(path):
    ours = [(f.frame, f.kind, f.text, f.severity, list(f.clauses), list(f.causes), f.time_ns) for f in ibproof.judge(path)]
    theirs = []
    for row in said(path, "-2", "-Y", "infiniband.analysis.finding"):
        kinds, texts, clauses, causes = ((v if isinstance(v, list) else [v]) if (v := row.get("infiniband.analysis." + n)) is not None
                                         else [] for n in ("finding", "message", "clause", "cause"))
        theirs += [(row["frame.number"], k, t, row["infiniband.analysis.severity"], clauses, causes, row.get("frame.time_ns"))
                   for k, t in zip(kinds, texts)]
    assert ours == theirs


def test_judge_says_why_it_fails(tmp_path):
    with pytest.raises(ibproof.JudgeError, match="No such file"):
        list(ibproof.judge(tmp_path / "nosuch.pcap"))


def test_bytes_from_nowhere():
    for data in (b"", b"\0", bytes(range(256)) * 10):
        packet = ibproof.decode(data)
        assert packet.encapsulation is None and ibproof.icrc(data) is None
    first = next(ibproof.read(PCAPS / "rxe-rping.pcap")).data
    for n in range(len(first)):
        ibproof.decode(first[:n])
        assert ibproof.decode(first[:n], length=len(first)).truncated or n == 0


def test_other_files(tmp_path):
    other = tmp_path / "x"
    other.write_bytes(b"no capture")
    with pytest.raises(ValueError, match="no pcap file"):
        list(ibproof.read(other))
