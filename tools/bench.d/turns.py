# SPDX-License-Identifier: BSD-2-Clause
"""Programs that run by turns, measured on the clock."""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

# A program in the real-time class that leaves no processor to others must yield 50 ms of each second to them, and a program that uses
# both processors yields twice. So runs are shorter than a second, and others have their time between two runs.
LONGEST, REST = 0.9, 0.12
QUEUE_PAIRS = 64
STATISTICS = ("rc,analysis", "perf")


class Runs:
    """Runs of programs at the same time, their output compared."""

    def __init__(self, failed):
        self.failed, self.said, self.longest = failed, {}, 0

    def seconds(self, key, *commands):
        """(seconds on the clock, seconds of processor time of all); every run with this key must print the same."""
        files = [tempfile.TemporaryFile() for _ in commands]
        begin, before = time.monotonic(), os.times()
        runs = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file) for command, file in zip(commands, files)]
        codes = [run.wait() for run in runs]
        wall, after = time.monotonic() - begin, os.times()
        self.longest = max(self.longest, wall)
        time.sleep(max(REST, wall / 8))
        for command, code, file in zip(commands, codes, files):
            file.seek(0)
            if code != 0 or file.read() != self.expected(key, file):
                raise self.failed(f"{' '.join(map(str, command))}: exit code {code}, or other output than the first run")
            file.close()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return wall, cpu

    def expected(self, key, file):
        if key not in self.said:
            file.seek(0)
            self.said[key] = file.read()
        return self.said[key]


def median(rows, a, part=0):
    return statistics.median(row[a][part] for row in rows)


def ratio(rows, a, b, part=0):
    """The median of ratios within a turn."""
    return statistics.median(row[a][part] / row[b][part] for row in rows)


def options_of(words, bench, name, program, rounds):
    """The options of `tools/bench NAME`, which needs `program` beside ibdissect; both are built. Adds .divisor of the packets and .rounds,
    fewer with --quick."""
    parser = argparse.ArgumentParser(prog=f"tools/bench {name}", usage=bench.__doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ibdissect", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    options = parser.parse_args(words)
    bench.build(["ibbench-gen", program, *([] if options.ibdissect else ["ibdissect"])])
    options.ibdissect = options.ibdissect or bench.BUILD / "bin/ibdissect"
    options.divisor, options.rounds = (20, 3) if options.quick else (1, rounds)
    return options


def each_capture(bench, options, captures, one_row, legend, prepare=None):
    """Makes each capture, of payload bytes: packets, and calls prepare(capture) for it once, and for each statistic
    one_row(bench, runs, options, capture, packets, payload, statistic). Returns the exit code: 0 if all rows meet the goal."""
    verdicts, longest = [], 0
    with tempfile.TemporaryDirectory(dir=bench.BUILD) as scratch:
        for payload, packets in captures.items():
            capture, packets = pathlib.Path(scratch) / "a.pcap", packets // options.divisor
            generate = [bench.BUILD / "tools/ibbench-gen", payload, packets, bench.SEED, capture, QUEUE_PAIRS]
            subprocess.run(list(map(str, generate)), check=True)
            if prepare:
                prepare(capture)
            for what in STATISTICS:
                runs = Runs(bench.Failed)
                verdicts.append(one_row(bench, runs, options, capture, packets, payload, what))
                longest = max(longest, runs.longest)
    if legend:
        bench.say(f"\n{legend}")
    if longest > LONGEST:
        bench.say(f"a run took {longest:.2f} s: in the real-time class, runs of more than {LONGEST} s lose time to other programs")
    return 0 if all(verdicts) else 1
