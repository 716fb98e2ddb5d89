# SPDX-License-Identifier: BSD-2-Clause
"""tools/bench packed: what a packed capture costs beside the same capture not packed, on the clock."""
import os
import shlex
import subprocess
import time
from turns import QUEUE_PAIRS, REST, each_capture, median, options_of, ratio

GOAL = 1.7
CAPTURES = {64: 1_000_000, 4096: 50_000}  # payload bytes: packets
PACKERS = {"gz": ["gzip", "-6"], "zst": ["zstd", "-q", "-3"], "lz4": ["lz4", "-q", "-1"]}  # as they pack when no level is given


def commands(options, capture, what):
    """The programs of a turn. zstd and lz4 unpack in a process of their own, as ibdissect's message about such a file advises."""
    run = [options.ibdissect, "-q", "-z", what]
    packed = f"{capture}.gz"
    all_of = {"plain": [*run, capture], "gz": [*run, packed], "jobs": [*run, "--jobs", "2", packed]}
    for ending in ("zst", "lz4"):
        unpack = shlex.join([PACKERS[ending][0], "-dcq", f"{capture}.{ending}"])
        all_of[ending] = ["sh", "-c", f"{unpack} | {shlex.join(map(str, run))} -"]
    if options.before:
        all_of["before"] = [options.before, *run[1:], packed]
    return all_of


def inflating(bench, capture):
    seconds = float(subprocess.run([bench.BUILD / "tools/ibbench-inflate", f"{capture}.gz"], check=True, capture_output=True).stdout)
    time.sleep(REST)
    return seconds, seconds


def one_row(bench, runs, options, capture, packets, payload, what):
    name, all_of, rows = f"{packets} x {payload}", commands(options, capture, what), []
    for _ in range(options.rounds):
        rows.append({key: runs.seconds(what, command) for key, command in all_of.items()} | {"zlib": inflating(bench, capture)})
        rows[-1]["bound"] = max(rows[-1]["zlib"], rows[-1]["plain"])
    times = "".join(f"{median(rows, key):>8.3f}" for key in ("plain", "zlib", "gz", "jobs", "zst", "lz4"))
    if not options.before:
        bench.say(f"  {name:<16}{what:<14}{times}")
        return True
    gain, most = ratio(rows, "before", "gz"), ratio(rows, "before", "bound")
    bench.say(f"  {name:<16}{what:<14}{times}{median(rows, 'before'):>8.3f}{gain:>7.2f}{most:>7.2f}  {bench.VERDICT[gain >= GOAL]}")
    return gain >= GOAL


def pack(capture):
    for ending, packer in PACKERS.items():
        with open(capture, "rb") as plain, open(f"{capture}.{ending}", "wb") as packed:
            subprocess.run([*packer, "-c"], stdin=plain, stdout=packed, check=True)


def packed(words, bench):
    options = options_of(words, bench, "packed", "ibbench-inflate", 5)
    bench.say(f"packed captures, seconds on the clock, medians of {options.rounds} by turns; {QUEUE_PAIRS} queue pairs, random payload; load {os.getloadavg()[0]:.1f}")
    bench.say("plain: not packed; zlib: zlib alone inflates it, without CRC-32; jobs: gz with --jobs 2; zst, lz4: unpacked by zstd or lz4 in a pipe")
    bench.say(f"\n{'':<32}{'plain':>8}{'zlib':>8}{'gz':>8}{'jobs':>8}{'zst':>8}{'lz4':>8}" + (f"{'before':>8}{'gain':>7}{'most':>7}" if options.before else ""))
    legend = f"before: gz with that program; gain: before / gz, >= {GOAL}; most: before / the longer of zlib and plain, which run side by side"
    return each_capture(bench, options, CAPTURES, one_row, legend if options.before else "", pack)
