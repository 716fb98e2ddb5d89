# SPDX-License-Identifier: BSD-2-Clause
"""tools/bench jobs: the speed of --jobs 2 beside one job, on the clock."""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

LEAST, QUEUE_PAIRS = 1.8, 64
CAPTURES = {64: 4_000_000, 4096: 400_000}  # payload bytes: packets; long enough that the start of a program counts little
STATISTICS = ("rc,analysis", "perf")
NO_SLOWER = 1.05  # than an older program: the noise of paired runs


class Runs:
    """Runs of programs at the same time, their output compared."""

    def __init__(self, failed):
        self.failed, self.said = failed, {}

    def seconds(self, key, *commands):
        """(seconds on the clock, seconds of processor time of all); every run with this key must print the same."""
        files = [tempfile.TemporaryFile() for _ in commands]
        begin, before = time.monotonic(), os.times()
        runs = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file) for command, file in zip(commands, files)]
        codes = [run.wait() for run in runs]
        wall, after = time.monotonic() - begin, os.times()
        for command, code, file in zip(commands, codes, files):
            file.seek(0)
            if code != 0 or file.read() != self.expected(key, file):
                raise self.failed(f"{' '.join(map(str, command))}: exit code {code}, or other output than one job")
            file.close()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return wall, cpu

    def expected(self, key, file):
        if key not in self.said:
            file.seek(0)
            self.said[key] = file.read()
        return self.said[key]


def ratio(rows, a, b, part=0):
    """The median of ratios within a turn."""
    return statistics.median(row[a][part] / row[b][part] for row in rows)


def measure(runs, program, before, capture, what, rounds):
    one = [program, "-q", "-z", what, capture]
    two = [program, "-q", "-z", what, "--jobs", "2", capture]
    rows = []
    for _ in range(rounds):
        row = {"one": runs.seconds(what, one), "two": runs.seconds(what, two), "apart": runs.seconds(what, one, one)}
        if before:
            row["before"] = runs.seconds(what, [before, *one[1:]])
        rows.append(row)
    return rows


def jobs(words, bench):
    parser = argparse.ArgumentParser(prog="tools/bench jobs", usage=bench.__doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ibdissect", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    options = parser.parse_args(words)
    bench.build(["ibbench-gen", *([] if options.ibdissect else ["ibdissect"])])
    program = options.ibdissect or bench.BUILD / "bin/ibdissect"
    divisor, rounds, verdicts = (20, 3, []) if options.quick else (1, 7, [])
    bench.say(f"one job and two, seconds on the clock, medians of {rounds} by turns; {QUEUE_PAIRS} queue pairs; load {os.getloadavg()[0]:.1f}")
    bench.say("limit: two runs of one job at the same time, beside one after the other")
    bench.say(f"\n{'':<34}{'one':>8}{'two':>8}{'gain':>8}{'limit':>8}{'processor':>11}{'before':>8}")
    with tempfile.TemporaryDirectory(dir=bench.BUILD) as scratch:
        for payload, packets in CAPTURES.items():
            capture = pathlib.Path(scratch) / "a.pcap"
            subprocess.run(list(map(str, [bench.BUILD / "tools/ibbench-gen", payload, packets // divisor, bench.SEED, capture, QUEUE_PAIRS])), check=True)
            for what in STATISTICS:
                rows = measure(Runs(bench.Failed), program, options.before, capture, what, rounds)
                gain, older = ratio(rows, "one", "two"), ratio(rows, "one", "before") if options.before else None
                met = gain >= LEAST and (older is None or older <= NO_SLOWER)
                verdicts.append(met)
                times = "".join(f"{statistics.median(row[k][0] for row in rows):>8.3f}" for k in ("one", "two"))
                bench.say(f"  {packets // divisor:>8} x {payload:<5}{what:<16}{times}{gain:>8.2f}{2 * ratio(rows, 'one', 'apart'):>8.2f}"
                          f"{ratio(rows, 'two', 'one', 1):>11.2f}{'' if older is None else f'{older:>8.2f}'}  {bench.VERDICT[met]}")
    bench.say(f"\ngain: one / two, >= {LEAST}; processor: time of all threads, two / one; before: one job / one job of that program, <= {NO_SLOWER}")
    return 0 if all(verdicts) else 1
