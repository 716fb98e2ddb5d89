# SPDX-License-Identifier: BSD-2-Clause
"""tools/bench jobs: the speed of --jobs 2 beside one job, on the clock."""
import argparse
import os
import pathlib
import subprocess
import tempfile
from turns import LONGEST, Runs, median, ratio

LEAST, QUEUE_PAIRS = 1.8, 64
CAPTURES = {64: 2_500_000, 4096: 400_000}  # payload bytes: packets; long enough that the start of a program counts little
STATISTICS = ("rc,analysis", "perf")
NO_SLOWER = 1.05  # than an older program: the noise of paired runs


def measure(bench, runs, program, before, capture, what, rounds):
    one = [program, "-q", "-z", what, capture]
    two = [program, "-q", "-z", what, "--jobs", "2", capture]
    rows = []
    for _ in range(rounds):
        row = {"one": runs.seconds(what, one), "two": runs.seconds(what, two)}
        row["line"] = nanoseconds(bench)
        row["apart"] = runs.seconds(what, one, one)
        if before:
            row["before"] = runs.seconds(what, [before, *one[1:]])
        rows.append(row)
    return rows


def nanoseconds(bench):
    """How long a line of a cache takes to the other core, now."""
    return int(subprocess.run([bench.BUILD / "tools/ibbench-line"], check=True, capture_output=True).stdout)


def one_row(bench, runs, options, rounds, capture, packets, payload, what):
    rows = measure(bench, runs, options.ibdissect, options.before, capture, what, rounds)
    lines = [row["line"] for row in rows]
    line = f"{min(lines)} {max(lines)}"
    gain, older = ratio(rows, "one", "two"), ratio(rows, "one", "before") if options.before else None
    met = gain >= LEAST and (older is None or older <= NO_SLOWER)
    times = "".join(f"{median(rows, k):>8.3f}" for k in ("one", "two"))
    bench.say(f"  {packets:>8} x {payload:<5}{what:<16}{times}{gain:>8.2f}{2 * ratio(rows, 'one', 'apart'):>8.2f}"
              f"{ratio(rows, 'two', 'one', 1):>11.2f}{line:>9}{'' if older is None else f'{older:>8.2f}'}  {bench.VERDICT[met]}")
    return met


def jobs(words, bench):
    parser = argparse.ArgumentParser(prog="tools/bench jobs", usage=bench.__doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ibdissect", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    options = parser.parse_args(words)
    bench.build(["ibbench-gen", "ibbench-line", *([] if options.ibdissect else ["ibdissect"])])
    options.ibdissect = options.ibdissect or bench.BUILD / "bin/ibdissect"
    divisor, rounds, verdicts, longest = (20, 3, [], 0) if options.quick else (1, 7, [], 0)
    bench.say(f"one job and two, seconds on the clock, medians of {rounds} by turns; {QUEUE_PAIRS} queue pairs; load {os.getloadavg()[0]:.1f}")
    bench.say("limit: two runs of one job at the same time, beside one after the other")
    bench.say("line: nanoseconds in which a line of a cache goes to the other core, measured in each turn: the least and the most")
    bench.say(f"\n{'':<34}{'one':>8}{'two':>8}{'gain':>8}{'limit':>8}{'processor':>11}{'line':>9}{'before':>8}")
    with tempfile.TemporaryDirectory(dir=bench.BUILD) as scratch:
        for payload, packets in CAPTURES.items():
            capture, packets = pathlib.Path(scratch) / "a.pcap", packets // divisor
            subprocess.run(list(map(str, [bench.BUILD / "tools/ibbench-gen", payload, packets, bench.SEED, capture, QUEUE_PAIRS])), check=True)
            for what in STATISTICS:
                runs = Runs(bench.Failed)
                verdicts.append(one_row(bench, runs, options, rounds, capture, packets, payload, what))
                longest = max(longest, runs.longest)
    bench.say(f"\ngain: one / two, >= {LEAST}; processor: time of all threads, two / one; before: one job / one job of that program, <= {NO_SLOWER}")
    if longest > LONGEST:
        bench.say(f"a run took {longest:.2f} s: in the real-time class, runs of more than {LONGEST} s lose time to other programs")
    return 0 if all(verdicts) else 1
