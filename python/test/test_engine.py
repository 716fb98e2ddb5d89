# SPDX-License-Identifier: BSD-2-Clause
"""Two engines over a lossy link; their packets are judged by ibdissect. IBDISSECT names the program."""
import os
import pathlib
import shutil
import struct

import ibproof
import pytest

PROGRAM = os.environ.get("IBDISSECT", "ibdissect")


def pair(**link):
    a, b = ibproof.Engine("02:00:00:00:00:01", "10.0.0.1", seed=1), ibproof.Engine("02:00:00:00:00:02", "10.0.0.2", seed=2)
    seen = []
    network = ibproof.Network((a, b), tap=lambda now, n, frame: seen.append((now, frame)), **link)
    qa, qb = a.create_qp(), b.create_qp()
    qa.connect(qb)
    qb.connect(qa)
    return a, b, qa, qb, network, seen


@pytest.mark.parametrize("seed", range(20))
def test_lossy(seed):
    """A tenth of the frames is lost; WRITE, READ, SEND and ATOMICs arrive nevertheless, each once."""
    a, b, qa, qb, network, seen = pair(lose=0.1, jitter=2000, seed=seed)
    a.memory[:20000] = bytes(i * 7 & 255 for i in range(20000))
    b.memory[40000:40008] = struct.pack("=Q", 41)
    for n in range(4):
        qb.post_recv(30000 + 100 * n, 100, id=100 + n)
    qa.post_send("WRITE", 0, 20000, id=1, va=b.va, rkey=b.rkey)
    for n in range(4):
        qa.post_send("SEND_IMM" if n else "SEND", n, 50, id=2 + n, imm=n)
    qa.post_send("READ", 20000, 20000, id=6, va=b.va, rkey=b.rkey)
    qa.post_send("FETCH_ADD", 50000, 8, id=7, va=b.va + 40000, rkey=b.rkey, compare_add=1)
    network.run()
    assert [(c.id, c.status) for c in a.completions()] == [(n, "Success") for n in range(1, 8)]
    got = b.completions()
    assert [(c.id, c.status, c.bytes, c.imm) for c in got] == [(100 + n, "Success", 50, n or None) for n in range(4)]
    assert b.memory[:20000] == a.memory[:20000] == a.memory[20000:40000]
    assert b.memory[30100:30150] == a.memory[1:51]
    assert struct.unpack("=QQ", a.memory[50000:50008] + b.memory[40000:40008]) == (41, 42)
    for _, frame in seen:
        packet = ibproof.decode(frame)
        assert packet.icrc == "good" and packet.fault is None


def test_judged(tmp_path):
    """Without losses nothing is wrong; a lost packet is a gap, and is sent again."""
    for lost, kinds in ((None, set()), (3, {"GAP", "NAK_SEQUENCE", "RETRY_NAK"})):
        a, b, qa, _, network, seen = pair()
        count = 0

        def tap(now, n, frame):
            nonlocal count
            count += 1
            if count == lost:
                return False
            seen.append((now, frame))
            return True
        network.tap = tap
        qa.post_send("WRITE", 0, 9000, id=1, va=b.va, rkey=b.rkey)
        network.run()
        assert [c.status for c in a.completions()] == ["Success"]
        path = tmp_path / "engines.pcap"
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            for now, frame in seen:
                file.write(struct.pack("<IIII", now // 10**9, now % 10**9, len(frame), len(frame)) + frame)
        found = {f.kind for f in ibproof.judge(path, program=PROGRAM) if f.severity != "note"}
        assert kinds <= found if kinds else not found, found


def test_refused():
    a, b, qa, qb, network, _ = pair()
    qa.post_send("WRITE", 0, 8, id=1, va=b.va, rkey=b.rkey ^ 1)
    network.run()
    assert [c.status for c in a.completions()] == ["Remote Access Error"]
    with pytest.raises(ibproof.EngineError):
        ibproof.Engine().create_qp().post_send("SEND", 0, 8)
    with pytest.raises(ValueError):
        qa.post_send("NOTHING", 0, 8)
    with pytest.raises(ibproof.EngineError, match="full"):
        for _ in range(9):
            a.create_qp()
    assert a.feed(b"\0" * 3, network.now) is False


def test_time():
    """Nobody answers: the timer runs, and after its retries the request fails."""
    a, b, qa, _, network, seen = pair(lose=1)
    qa.post_send("SEND", 0, 8, id=1)
    assert a.deadline == ibproof.NEVER
    network.run()
    assert [c.status for c in a.completions()] == ["Transport Retry Counter Exceeded"]
    assert len(seen) == 8 and a.deadline == ibproof.NEVER


def test_readme(tmp_path, monkeypatch):
    """The blocks of python/README.md run."""
    pcaps = pathlib.Path(os.environ.get("IBPROOF_PCAPS", pathlib.Path(__file__).resolve().parents[2] / "pcaps"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(pcaps / "rxe-reorder-rc.pcap", "trace.pcap")
    paragraphs = (pcaps.parent / "python/README.md").read_text().split("\n\n")
    blocks = ["\n".join(line[4:] for line in text.split("\n")) for text in paragraphs if text.startswith("    ")]
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
