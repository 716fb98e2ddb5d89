# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # ibproof in Python
#
# This is a notebook as a script: editors that know `# %%` run it cell by cell, and `python3 tutorial.py CAPTURE` runs it as a whole. It ends with 0
# if every statement in it holds; a test of the project runs it. `ibdissect` and `ibconform` are looked for in the PATH.

# %%
import collections
import pathlib
import struct
import sys
import tempfile

import ibproof

CAPTURE = sys.argv[1] if len(sys.argv) > 1 else "pcaps/rxe-reorder-rc.pcap"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="ibproof-tutorial."))

# %% [markdown]
# ## 1. Packets
#
# `read` gives the frames of a pcap file. `decode` finds the headers of a frame; the result is a mapping from names of display filters (those of
# `ibdissect -G fields`) to values. Nothing raises an exception because of its bytes: a frame that is no InfiniBand packet has no headers, and a
# damaged one says what is wrong with it.

# %%
frame = next(ibproof.read(CAPTURE))
packet = frame.decode()
print(frame.number, packet.encapsulation, hex(packet["infiniband.bth.psn"]), "ICRC", packet.icrc)
assert packet.encapsulation == "RoCEv2" and packet.icrc == "good" and packet.fault is None
assert ibproof.decode(b"no packet at all").encapsulation is None

# %% [markdown]
# The ICRC covers all fields that no router changes. `icrc` computes the one that a frame should have. A flipped bit in the payload is seen; the
# time to live, which every router changes, is not covered.

# %%
good = ibproof.icrc(frame.data)
assert packet.icrc == "good" and good == int.from_bytes(frame.data[-4:])
damaged = bytearray(frame.data)
damaged[-10] ^= 0x01
assert ibproof.decode(bytes(damaged)).icrc == "bad"
routed = bytearray(frame.data)
routed[22] -= 1  # the TTL of the IPv4 header behind 14 bytes of Ethernet
assert ibproof.icrc(bytes(routed)) == good

# %% [markdown]
# Counting is ordinary Python:

# %%
opcodes = collections.Counter(f.decode().get("infiniband.bth.opcode") for f in ibproof.read(CAPTURE))
for opcode, n in opcodes.most_common():
    print(f"opcode {opcode:#04x}: {n} packets")

# %% [markdown]
# ## 2. What went wrong
#
# `judge` gives the findings one by one, in constant memory. Each has a kind, a sentence, the clauses that it rests on, and the frames that explain
# it. `man ibproof-findings` says what each kind means and what to do about it.

# %%
kinds = collections.Counter()
for finding in ibproof.judge(CAPTURE):
    kinds[finding.kind] += 1
    if finding.kind == "RETRY_NAK" and finding.causes and kinds[finding.kind] == 1:
        print(f"frame {finding.frame} {finding.text}: see frame {finding.causes[0]} ({', '.join(finding.clauses)})")
print(dict(kinds))

# %% [markdown]
# ## 3. Two adapters without hardware
#
# `Engine` is the reference model of a channel adapter. It has no I/O and no clock: frames and times go in, frames and completions come out. `Network`
# carries frames between two of them on virtual time, and may lose some. The same seeds give the same run, to the byte.

# %%
def transfer(lose: float, seed: int) -> tuple[int, list[tuple[int, bytes]]]:
    """Writes 20000 bytes; returns the time it took in ns, and the frames on the wire with their times."""
    wire: list[tuple[int, bytes]] = []
    a = ibproof.Engine("02:00:00:00:00:01", "10.0.0.1", seed=1)
    b = ibproof.Engine("02:00:00:00:00:02", "10.0.0.2", seed=2)
    qa, qb = a.create_qp(), b.create_qp()
    qa.connect(qb, pmtu=1024)
    qb.connect(qa, pmtu=1024)
    a.memory[:20000] = bytes(n % 251 for n in range(20000))
    qa.post_send("WRITE", 0, 20000, id=7, va=b.va, rkey=b.rkey)
    network = ibproof.Network((a, b), lose=lose, seed=seed, tap=lambda now, sender, data: wire.append((now, data)))
    begun = network.now
    network.run()
    done = a.completions()
    assert [(c.id, c.status) for c in done] == [(7, "Success")]
    assert b.memory[:20000] == a.memory[:20000]
    return network.now - begun, wire


quiet, frames = transfer(0, 1)
lossy, more = transfer(0.2, 1)
print(f"no loss: {quiet / 1000:.1f} us, {len(frames)} frames; 20 % loss: {lossy / 1000:.1f} us, {len(more)} frames")
assert lossy > quiet and len(more) > len(frames)
assert transfer(0.2, 1) == (lossy, more)

# %% [markdown]
# Frames are frames: write them into a capture, and judge it like one from a network. Here the capture has the frames as they were sent, also those that
# the network lost afterwards.

# %%
def save(path: pathlib.Path, packets: list[tuple[int, bytes]]) -> None:
    """A pcap file with nanoseconds, of Ethernet frames."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for now, data in packets:
            file.write(struct.pack("<IIII", now // 10**9, now % 10**9, len(data), len(data)) + data)


save(FOLDER / "lossy.pcap", more)
found = collections.Counter(f.kind for f in ibproof.judge(FOLDER / "lossy.pcap"))
print(dict(found))
assert any(kind.startswith("RETRY_") for kind in found)

# %% [markdown]
# A responder checks what it is asked for. With a wrong R_Key the requester gets an error, and the memory stays as it was.

# %%
a, b = ibproof.Engine("02:00:00:00:00:01", "10.0.0.1", seed=1), ibproof.Engine("02:00:00:00:00:02", "10.0.0.2", seed=2)
qa, qb = a.create_qp(), b.create_qp()
qa.connect(qb)
qb.connect(qa)
a.memory[:6] = b"secret"
qa.post_send("WRITE", 0, 6, id=1, va=b.va, rkey=b.rkey + 1)
ibproof.Network((a, b)).run()
print(a.completions()[0].status)
assert bytes(b.memory[:6]) == bytes(6)

# %% [markdown]
# ## 4. Scenarios
#
# A scenario is a text that plays packets and verbs and names the expected results (`man ibproof-scenarios`). `scenarios` lists those of the suite, `run`
# plays them. The target is the reference engine, an engine that is broken on purpose, or a device.

# %%
for scenario in ibproof.scenarios("rc.responder.psn-gap-*"):
    print(scenario.id, scenario.clauses, scenario.sentence)
for result in ibproof.run("rc.responder.psn-gap-*"):
    assert result.as_expected, result

# %% [markdown]
# A broken engine shows what a failure looks like: it has the statement, what was expected and what came.

# %%
broken = "mutant:RC-responder.gap_known=drop"
failed = [r for r in ibproof.run("rc.responder.psn-gap-one-nak", target=broken) if not r.as_expected]
print(failed[0].statement, "expected", failed[0].expected, "got", failed[0].got)
assert failed[0].verdict == "FAIL" and failed[0].statement == "RR-03"

# %% [markdown]
# `play` takes the text of a scenario of your own. This one asks whether each ACK counts one message more: a loop in Python writes the lines.

# %%
lines = ["title    the MSN counts messages", "spec     RR-18", "role     responder", "service  rc", "qp a     recv=8"]
for n in range(8):
    lines += [f"> a SEND_ONLY psn=+{n} ackreq=1 payload={n * 100}", f"< a ACKNOWLEDGE psn=+{n} syndrome=ack msn={n + 1}"]
lines.append("  a completions recv=8")
result = ibproof.play("\n".join(lines) + "\n")
print(result.verdict)
assert result.verdict == "PASS"

# %% [markdown]
# A scenario must be able to fail. An engine whose MSN is one too high fails it; a typing error is no failure but an exception with line and column.

# %%
wrong = ibproof.play("\n".join(lines) + "\n", target="mutant:emit.aeth.msn=+1")
print(wrong.verdict, "in line", wrong.line, "expected", wrong.expected, "got", wrong.got)
assert not wrong.as_expected
try:
    ibproof.play("\n".join(lines).replace("msn=8", "mns=8") + "\n")
except ibproof.ScenarioError as error:
    print(error)
    assert "did you mean 'msn'" in str(error)

# %% [markdown]
# ## 5. A device
#
# The same calls test a device, with a wire and an agent in the options (`docs/test-a-nic.md`):
#
#     ibproof.run("audit", target="live", options=["--wire", "afpacket:eth1", "--agent", "exec:ssh root@dut ibagent-static --device mlx5_0"])
#
# Here the reference engine behind its agent stands for the device.

# %%
live = ["--wire", f"unix:{FOLDER}/dut,{FOLDER}/tester", "--agent", f"exec:ibagent --engine --wire unix:{FOLDER}/tester,{FOLDER}/dut"]
for result in ibproof.run("rc.responder.psn-gap-one-nak", target="live", options=live):
    print(result.id, result.verdict)
    assert result.verdict == "PASS"
