# SPDX-License-Identifier: BSD-2-Clause
"""tools/bench jobs: the speed of --jobs 2 beside one job, on the clock."""
import os
import subprocess
from turns import QUEUE_PAIRS, each_capture, median, options_of, ratio

LEAST = 1.8
CAPTURES = {64: 2_500_000, 4096: 400_000}  # payload bytes: packets; long enough that the start of a program counts little
NO_SLOWER = 1.05  # than an older program: the noise of paired runs


def measure(bench, runs, options, capture, what):
    one = [options.ibdissect, "-q", "-z", what, capture]
    two = [options.ibdissect, "-q", "-z", what, "--jobs", "2", capture]
    rows = []
    for _ in range(options.rounds):
        row = {"one": runs.seconds(what, one), "two": runs.seconds(what, two)}
        row["line"] = nanoseconds(bench)
        row["apart"] = runs.seconds(what, one, one)
        if options.before:
            row["before"] = runs.seconds(what, [options.before, *one[1:]])
        rows.append(row)
    return rows


def nanoseconds(bench):
    """How long a cache line takes to the other core, now."""
    return int(subprocess.run([bench.BUILD / "tools/ibbench-line"], check=True, capture_output=True).stdout)


def one_row(bench, runs, options, capture, packets, payload, what):
    rows = measure(bench, runs, options, capture, what)
    lines = [row["line"] for row in rows]
    line = f"{min(lines)} {max(lines)}"
    gain, older = ratio(rows, "one", "two"), ratio(rows, "one", "before") if options.before else None
    met = gain >= LEAST and (older is None or older <= NO_SLOWER)
    times = "".join(f"{median(rows, k):>8.3f}" for k in ("one", "two"))
    bench.say(f"  {packets:>8} x {payload:<5}{what:<16}{times}{gain:>8.2f}{2 * ratio(rows, 'one', 'apart'):>8.2f}"
              f"{ratio(rows, 'two', 'one', 1):>11.2f}{line:>9}{'' if older is None else f'{older:>8.2f}'}  {bench.VERDICT[met]}")
    return met


def jobs(words, bench):
    options = options_of(words, bench, "jobs", "ibbench-line", 7)
    bench.say(f"one job and two, seconds on the clock, medians of {options.rounds} by turns; {QUEUE_PAIRS} queue pairs; load {os.getloadavg()[0]:.1f}")
    bench.say("limit: two runs of one job at the same time, beside one after the other")
    bench.say("line: nanoseconds in which a cache line goes to the other core, measured in each turn: the least and the most")
    bench.say(f"\n{'':<34}{'one':>8}{'two':>8}{'gain':>8}{'limit':>8}{'processor':>11}{'line':>9}{'before':>8}")
    return each_capture(bench, options, CAPTURES, one_row, f"gain: one / two, >= {LEAST}; processor: time of all threads, two / one; "
                        f"before: one job / one job of that program, <= {NO_SLOWER}")
