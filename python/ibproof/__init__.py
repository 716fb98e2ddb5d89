# SPDX-License-Identifier: BSD-2-Clause
"""InfiniBand and RoCE packets and captures, by libiba and ibdissect.

    import ibproof
    packet = ibproof.decode(frame)                 # bytes of an Ethernet frame
    packet["infiniband.bth.psn"], packet.icrc      # 0x1234, "good"
    for finding in ibproof.judge("trace.pcap"):    # what went wrong, packet by packet
        print(finding.frame, finding.kind, finding.text)
"""
from ibproof.capture import Frame, read
from ibproof.engine import NEVER, Completion, Engine, EngineError, Network, QueuePair
from ibproof.finding import Finding, JudgeError, judge
from ibproof.packet import Link, Packet, decode, icrc
from ibproof.scenario import Result, Scenario, ScenarioError, play, run, scenarios

__all__ = ["Completion", "Engine", "EngineError", "Finding", "Frame", "JudgeError", "Link", "NEVER", "Network", "Packet", "QueuePair", "Result",
           "Scenario", "ScenarioError", "decode", "icrc", "judge", "play", "read", "run", "scenarios"]
