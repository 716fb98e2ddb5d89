# SPDX-License-Identifier: BSD-2-Clause
"""The table of experiments: those by programs, and those by verbs (verbs.py)."""

from dataclasses import dataclass
from typing import Callable, Optional

import verbs

B, B_V6 = "10.0.0.2", "2001:db8::2"


@dataclass(frozen=True)
class Experiment:
    name: str  # letters and "-" only, since its files have this name
    what: str
    server: str = ""  # on b; its client on a is given b's address
    client: str = ""
    says: str = ""  # text that the client must print, if its exit code shows nothing
    play: Optional[Callable] = None  # instead of the two, by verbs
    netem: str = ""  # what tc's netem does to RoCE packets that `at` sends
    at: str = "a"
    retries: bool = False  # also without netem
    limit: str = ""  # that limits a by construction: the key of `ibdissect -z perf`


def pingpong(kind, name, what, options, **more):
    command = f"ibv_{kind}_pingpong -d rxe0 -g 1 {options}"
    return Experiment(name, what, command, f"{command} {B}", **more)


def perftest(test, name, what, options, **more):
    number = "" if "-n " in options else "-n 5 "
    time = "" if more else f"-u {verbs.PATIENT} "
    command = f"ib_{test}_bw -d rxe0 -x 1 -F -t 4 {time}{number}{options}"
    return Experiment(name, what, command, f"{command} {B}", **more)


def manager(name, what, program, options, says, own=f"-b {B}", other=f"-s {B}"):
    """librdmacm's examples: the connection manager connects their queue pairs."""
    return Experiment(name, what, f"{program} {own} {options}", f"{program} {other} {options}", says)


def play(name, what, function, **more):
    return Experiment(name, what, play=function, **more)


def limited(test, name, what, limit, options, **more):
    """The limit of guest a is known: a waits much longer for it than the emulated processor needs for any work. Each work request
    completes by itself."""
    quick = more["netem"].startswith("loss")
    return perftest(test, name, what, f"{options} -Q 1" + ("" if quick else f" -u {verbs.VERY_PATIENT}"), limit=limit, **more)


FAR, SLOW = "delay 400ms", "rate 300kbit"
LOSS, COPIES, OVERTAKING, DAMAGE = "loss 15%", "duplicate 30%", "delay 10ms reorder 75%", "corrupt 20%"

EXPERIMENTS = (
    *(
        pingpong("rc", f"rc-send-mtu{m}", f"RC SEND of three packets and a bit, path MTU {m}", f"-m {m} -s {3 * m + 77} -n 2")
        for m in (256, 512, 1024, 2048, 4096)
    ),
    pingpong("rc", "rc-send-1", "RC SEND of a byte", "-s 1 -n 3"),
    pingpong("rc", "rc-send-64k", "RC SEND of 64 KiB", "-m 1024 -s 65536 -n 2"),
    *(
        pingpong("uc", f"uc-send-mtu{m}", f"UC SEND of two packets and a bit, path MTU {m}", f"-m {m} -s {2 * m + 5} -n 2")
        for m in (256, 1024, 4096)
    ),
    *(pingpong("ud", f"ud-send-{s}", f"UD datagrams, {s} B", f"-s {s} -n 3") for s in (1, 100, 1024)),
    pingpong("srq", "srq-rc", "RC SEND to a shared receive queue, two queue pairs", "-q 2 -s 300 -n 6"),
    manager("rping", "connection manager, SEND, READ and WRITE", "rping", f"-C 3 -v -S 100 -a {B}", "rdma-ping-2", own="-s", other="-c"),
    manager("rping-v6", "the same over IPv6", "rping", f"-C 2 -v -S 100 -a {B_V6}", "rdma-ping-1", own="-s", other="-c"),
    manager("udaddy", "connection manager for datagrams (SIDR)", "udaddy", "-c 1 -C 2 -S 64", "return status 0"),
    manager("ucmatose", "connect, exchange, disconnect, two queue pairs", "ucmatose", "-c 2 -C 2 -S 64", "return status 0"),
    perftest("write", "bw-write", "RC WRITE of 2,000 bytes, path MTU 512", "-m 512 -s 2000"),
    perftest("write", "bw-write-uc", "UC WRITE of 3,000 bytes", "-c UC -m 1024 -s 3000"),
    perftest("read", "bw-read", "RC READ of 5,000 bytes", "-o 2 -m 1024 -s 5000"),
    perftest("send", "bw-send", "RC SEND of 6,000 bytes", "-r 8 -m 2048 -s 6000"),
    perftest("send", "bw-send-ud", "UD datagrams of 500 bytes", "-r 8 -c UD -m 1024 -s 500"),
    perftest("atomic", "bw-fetch-add", "FetchAdd, two outstanding", "-o 2 -A FETCH_AND_ADD"),
    perftest("atomic", "bw-cmp-swap", "CmpSwap, two outstanding", "-o 2 -A CMP_AND_SWAP"),
    pingpong("rc", "loss-send", "packets of a are lost", "-m 256 -s 3000 -n 8", netem=LOSS),
    pingpong("rc", "loss-send-b", "packets of b are lost", "-m 256 -s 3000 -n 8", netem=LOSS, at="b"),
    perftest("read", "loss-read", "READ requests are lost", "-o 8 -m 256 -s 1000 -n 60", netem=LOSS),
    perftest("read", "loss-response", "READ responses are lost", "-o 2 -m 256 -s 3000 -n 10", netem=LOSS, at="b"),
    perftest("write", "loss-ack", "ACKs are lost", "-m 256 -s 300 -n 60", netem="loss 20%", at="b"),
    perftest("atomic", "loss-atomic", "ATOMIC Acknowledges are lost", "-o 2 -n 100 -A FETCH_AND_ADD", netem=LOSS, at="b"),
    pingpong("rc", "copies-send", "packets of a arrive twice", "-m 256 -s 1000 -n 10", netem=COPIES),
    perftest("atomic", "copies-atomic", "ATOMICs arrive twice", "-o 2 -n 40 -A FETCH_AND_ADD", netem=COPIES),
    perftest("read", "copies-read", "READ requests arrive twice", "-o 2 -m 256 -s 1000 -n 40", netem=COPIES),
    pingpong("rc", "overtaking-send", "packets of a overtake each other", "-m 256 -s 2000 -n 5", netem=OVERTAKING),
    perftest("read", "overtaking-response", "READ responses overtake each other", "-o 2 -m 256 -s 2000", netem=OVERTAKING, at="b"),
    pingpong("rc", "damage-send", "bits of packets of a flip", "-m 256 -s 1000 -n 12", netem=DAMAGE),
    play("write", "WRITEs and a READ", verbs.write),
    play("operations", "all operations, lengths of zero; PSNs wrap", verbs.operations),
    play("immediate", "SEND and WRITE with immediate", verbs.immediate),
    play("unreliable", "UC: SEND, WRITE, WRITE with immediate", verbs.unreliable),
    play("window", "a memory window of type 1, and a byte beyond it", verbs.window),
    play("invalidate", "SEND with Invalidate of a window of type 2, and a WRITE with its key", verbs.invalidate),
    play("invalidate-nothing", "SEND with Invalidate of a key of nothing", verbs.invalidate_nothing),
    play("writes", "eight WRITEs of 1,000 bytes under way at once", verbs.writes),
    play("loss-write", "the same; packets of a are lost", verbs.writes, netem=LOSS),
    play("copies-write", "the same; packets of a arrive twice", verbs.writes, netem=COPIES),
    play("rnr-recover", "no receive is posted for 50 ms", verbs.rnr_recover, retries=True),
    play("rnr-exhaust", "no receive is ever posted", verbs.rnr_exhaust, retries=True),
    play("bad-rkey-write", "WRITE with an R_Key of nothing", verbs.refused("write", key=verbs.NO_KEY)),
    play("bad-rkey-read", "READ with an R_Key of nothing", verbs.refused("read", key=verbs.NO_KEY)),
    play("out-of-range-write", "WRITE that ends behind the region", verbs.refused("write", at=verbs.BYTES - 2000)),
    play("out-of-range-read", "READ that ends behind the region", verbs.refused("read", at=verbs.BYTES - 2000)),
    play("no-right-write", "WRITE to a region that may only be read", verbs.refused("write", rights=["local_write", "remote_read"])),
    play("no-right-read", "READ of a region that may only be written", verbs.refused("read", rights=["local_write", "remote_write"])),
    play("receive-too-short", "SEND of 3,000 bytes to a receive of 100", verbs.receive_too_short),
    play("peer-gone", "SEND to a queue pair that was destroyed", verbs.nobody(verbs.gone), retries=True),
    play("peer-in-error", "SEND to a queue pair in the error state", verbs.nobody(verbs.broken), retries=True),
    limited("write", "limit-latency", "WRITEs one at a time", "latency", "-m 1024 -s 500 -n 16 -t 1", netem=FAR, at="b"),
    limited("send", "limit-latency-send", "SENDs one at a time", "latency", "-m 1024 -s 500 -n 16 -t 1 -r 8", netem=FAR, at="b"),
    limited("write", "limit-window", "four WRITEs at a time", "window", "-m 1024 -s 500 -n 40", netem=FAR, at="b"),
    limited("send", "limit-window-send", "eight SENDs at a time", "window", "-m 1024 -s 500 -n 80 -t 8 -r 16", netem=FAR, at="b"),
    limited("read", "limit-reads", "eight READs posted, rd_atomic 2", "read_depth", "-m 1024 -s 500 -n 30 -t 8 -o 2", netem=FAR, at="b"),
    limited("read", "limit-read", "eight READs posted, rd_atomic 1", "latency", "-m 1024 -s 500 -n 16 -t 8 -o 1", netem=FAR, at="b"),
    limited(
        "atomic", "limit-atomics", "eight FetchAdds posted, rd_atomic 2", "read_depth", "-n 30 -t 8 -o 2 -A FETCH_AND_ADD", netem=FAR, at="b"
    ),
    limited("write", "limit-loss", "packets of a are lost", "loss", "-m 256 -s 1000 -n 40", netem=LOSS),
    limited("read", "limit-loss-response", "READ responses are lost", "loss", "-o 2 -m 256 -s 1000 -n 30", netem=LOSS, at="b"),
    limited("write", "limit-rate", "a slow port", "paced", "-m 1024 -s 60000 -n 5 -t 2", netem=SLOW),
    play("limit-sleeps", "a WRITE, then 100 ms of sleep", verbs.sleepy, limit="idle"),
    play("limit-receives", "a receive every 100 ms", verbs.tiny_receive_queue, limit="rnr", retries=True),
)
