# SPDX-License-Identifier: BSD-2-Clause
"""Programs that run by turns, measured on the clock."""
import os
import statistics
import subprocess
import tempfile
import time

# A program in the real-time class that leaves no processor to others must yield 50 ms of each second to them, and a program that uses
# both processors yields twice. So runs are shorter than a second, and others have their time between two runs.
LONGEST, REST = 0.9, 0.12


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
