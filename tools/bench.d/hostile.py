# SPDX-License-Identifier: BSD-2-Clause
"""The commands `hostile` and `long` of tools/bench: captures that fill tables or make searches long, and captures that are very
long. tools/bench gives its own module, which builds, starts and measures programs."""
import argparse
import contextlib
import ctypes
import json
import pathlib

STATISTICS = ("icrc", "opcode,tree", "io,stat,1", "conv,qp", "rc,analysis", "expert", "messages", "srt", "perf", "hosts", "tm", "agreed", "cm", "mad", "qp", "fabric")
ALL = ["-q", *(word for name in STATISTICS for word in ("-z", name))]
SINGLE = {"text": [], "-2": ["-2"], **{f"-z {name}": ["-q", "-z", name] for name in STATISTICS}}
PACKETS = 1_000_000
AGAIN = 2  # more runs, of which the least counts
MOST = 3  # times what a packet of an ordinary capture costs
DOC = "docs/worst-case.md"
HEAD = """# The worst captures

The cost of a packet in a capture that fills one table of `ibdissect`, or makes one of its searches long, beside a packet of an ordinary
capture of as many packets of the same kind. `tools/bench hostile --write` measures this table; `tools/bench.d/hostile.c` makes the captures.
Times are of the processor, so they hold on a busy machine, within some tenths. Start-up is taken off. The aim is {most} times at most.

The ordinary capture is the least demanding one: 16 queue pairs between two hosts, whose state stays in the caches of the processor.

Memory is bounded by the tables in `dissect/README.md`: the largest is that of 262144 directions. The costliest rows have one cause:
each packet belongs to another direction, so that each begins a row of every table, takes the place of one that is at rest, and is printed
on a line of its own; `-z agreed` prints two. Such captures are slower yet beside other work, since packets then wait for memory that is in
no cache. No search grows with the length of the capture. Where a capture is so short that it only fills the tables, the first use of their
memory counts more: with 100000 packets, each of another direction, up to four times.

{what}

| capture | what it is | beside | all of `-z`: time | memory | the worst of each option alone: time |
|---|---|---|---:|---:|---|
"""


class Measure:
    def __init__(self, bench, scratch, packets):
        self.runner, self.failed = bench.Runner(scratch), bench.Failed
        self.generator, self.ibdissect = bench.BUILD / "tools/ibbench-hostile", bench.BUILD / "bin/ibdissect"
        self.packets, self.file = packets, pathlib.Path(scratch) / "hostile.pcap"
        lines = b"".join(self.runner.lines([self.generator, "--list"])).decode().splitlines()
        self.kinds = [line.split("\t") for line in lines]
        self.start = {}

    def make(self, kind, packets):
        self.runner.cost([self.generator, kind, packets, self.file])

    def seconds(self, options):
        return self.runner.cost([self.ibdissect, "-n", "-r", self.file, *options])

    def measure_starts(self, choices):
        self.make(self.kinds[0][0], 1)
        for options in choices:
            self.start[tuple(options)] = min(self.seconds(options)[0] for _ in range(AGAIN))

    def cost(self, options, base=None):
        """(CPU seconds without the start-up, peak MiB). A cost beyond the target is measured again: the machine may be busy."""
        start = self.start[tuple(options)]
        seconds, mib = self.seconds(options)
        for _ in range(AGAIN if base is None or seconds - start > MOST * base else 0):
            seconds = min(seconds, self.seconds(options)[0])
        return max(seconds - start, 1e-3), mib


def measured(m, only, singles):
    """A row of each kind: costs with all statistics, and with each option alone."""
    ordinary = {}
    m.measure_starts([ALL, *singles.values()])
    for kind, beside, what in m.kinds:
        if only and kind not in only and kind not in {b for k, b, _ in m.kinds if k in only}:
            continue
        base = ordinary.get(beside)
        m.make(kind, m.packets)
        row = {"kind": kind, "beside": beside, "what": what, "all": m.cost(ALL, base and base["all"][0])}
        row["single"] = {name: m.cost(options, base and base["single"][name])[0] for name, options in singles.items()}
        m.file.unlink()
        base = ordinary.setdefault(beside, row)
        row["ratio"] = row["all"][0] / base["all"][0]
        row["ratios"] = {name: seconds / base["single"][name] for name, seconds in row["single"].items()}
        row["met"] = None if kind == beside else max([row["ratio"], *row["ratios"].values()]) <= MOST
        yield row


def worst(row):
    name = max(row["ratios"], key=row["ratios"].get, default="")
    return f"{name} {row['ratios'][name]:.1f}" if name else ""


def table(rows, packets, most, here):
    what = f"Measured on {here['cpu']}, load {here['load']}: {packets} packets, with all statistics and with each option alone."
    text = HEAD.format(most=most, what=what)
    for row in rows:
        seconds, mib = row["all"]
        if row["kind"] == row["beside"]:
            text += f"| **{row['kind']}** | {row['what']} | | {seconds / packets * 1e6:.2f} us a packet | {mib:.0f} MiB | |\n"
        else:
            text += f"| {row['kind']} | {row['what']} | {row['beside']} | {row['ratio']:.1f} | {mib:.0f} MiB | `{worst(row)}` |\n"
    return text


def hostile(words, bench):
    parser = argparse.ArgumentParser(prog="tools/bench hostile", usage=bench.__doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args(words)

    bench.build(["ibbench-hostile", "ibdissect"])
    divisor = 20 if options.quick else 1
    packets = PACKETS // divisor
    m = Measure(bench, bench.BUILD / "tools", packets)
    unknown = set(options.kinds) - {kind for kind, _, _ in m.kinds}
    if unknown:
        raise bench.Failed(f"no capture '{min(unknown)}' ({', '.join(kind for kind, _, _ in m.kinds)})")
    here = bench.machine()
    bench.say(f"machine   {here['cpu']}, {here['cores']} cores, Linux {here['kernel']}, load {here['load']}")
    bench.say(f"method    CPU time without start-up, the least of {1 + AGAIN} where it counts; {packets} packets")
    bench.say(f"\n{'capture':<20}{'beside':<8}{'all of -z':>10}{'time':>7}{'MiB':>7}  {'worst alone':<22}target")
    rows = []
    for row in measured(m, options.kinds, SINGLE):
        rows.append(row)
        ratio = "" if row["met"] is None else f"{row['ratio']:.2f}"
        target = "" if row["met"] is None else f"<= {MOST}  {bench.VERDICT[row['met']]}"
        bench.say(f"{row['kind']:<20}{row['beside']:<8}{row['all'][0]:>8.2f} s{ratio:>7}{row['all'][1]:>7.0f}  {worst(row) if ratio else '':<22}{target}")
    verdicts = [row["met"] for row in rows]
    bench.say(f"\n{verdicts.count(True)} PASS, {verdicts.count(False)} FAIL")
    if options.json:
        options.json.write_text(json.dumps({"machine": here, "packets": packets, "rows": rows}, indent=2) + "\n")
    if options.write:
        (bench.ROOT / DOC).write_text(table(rows, packets, MOST, here))
    return 1 if False in verdicts else 0


# ---- long captures

LONG_BYTES = 3_000_000_000
LONG_PARTS = (0.01, 0.1, 1)
LONG_PACKET = 150  # bytes of a packet of ibbench-gen with 64 bytes of payload, and of its record, on the average
LONG_PAIRS = (16, 1000)
LONG_MORE = 1.1  # the longest capture takes at most so many times the memory of a tenth of it
# The capture; packets of one; and how many of these, less and more.
LINEAR = (("cm", 5, "connections"), ("rmpp", 4, "RMPP transactions"), ("addresses", 1, "pairs of addresses"))
LINEAR_UNITS = (100_000, 1_000_000)
LINEAR_MOST = 1.5  # times what one costs


PR_SET_THP_DISABLE = 41  # linux/prctl.h; child processes inherit it


@contextlib.contextmanager
def no_large_pages():
    """The kernel joins pages of tables into large ones while a program runs (system/pages.h). So more of a table is resident in a longer
    run, whether the program uses it or not."""
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
    try:
        yield
    finally:
        ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0)


def piped(bench, runner, source, options):
    return runner.cost_piped(source, [bench.BUILD / "bin/ibdissect", "-n", "-r", "-", *options])


def long_pipe(bench, runner, divisor):
    """Peak memory by the length of a capture that comes through a pipe, all statistics; of the longest with large pages, too."""
    for pairs in LONG_PAIRS:
        mib = {}
        for part in LONG_PARTS:
            packets = round(LONG_BYTES * part / LONG_PACKET / divisor)
            source = [bench.BUILD / "tools/ibbench-gen", 64, packets, bench.SEED, "-", pairs]
            with no_large_pages():
                _, mib[part] = piped(bench, runner, source, ALL)
        seconds, large = piped(bench, runner, source, ALL)
        met = mib[1] <= LONG_MORE * mib[0.1]
        peaks = "".join(f"{mib[part]:>10.1f}" for part in LONG_PARTS)
        bench.say(f"  {pairs:<5} queue pairs{'':<22}{peaks}{large:>10.1f}{seconds:>10.1f} s  <= {LONG_MORE} of 0.3 GB  {bench.VERDICT[met]}")
        yield {"pairs": pairs, "mib": mib, "mib_large_pages": large, "seconds": seconds, "met": met}


def linear(bench, runner, divisor):
    """The cost of one more connection or transaction, with all statistics: ten times as many may take ten times as long."""
    for kind, packets, what in LINEAR:
        units = [n // divisor for n in LINEAR_UNITS]
        costs = [piped(bench, runner, [bench.BUILD / "tools/ibbench-hostile", kind, n * packets, "-"], ALL) for n in units]
        each = [seconds / n * 1e6 for (seconds, _), n in zip(costs, units)]
        met = each[1] <= LINEAR_MOST * each[0]
        bench.say(f"  {what:<28}{each[0]:>10.2f} us{each[1]:>10.2f} us{each[1] / each[0]:>7.2f}{costs[0][1]:>9.1f}{costs[1][1]:>9.1f}  <= {LINEAR_MOST}  {bench.VERDICT[met]}")
        yield {"what": what, "units": units, "costs": costs, "met": met}


def long(words, bench):
    parser = argparse.ArgumentParser(prog="tools/bench long", usage=bench.__doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args(words)

    bench.build(["ibbench-gen", "ibbench-hostile", "ibdissect"])
    runner, divisor = bench.Runner(bench.BUILD / "tools"), 20 if options.quick else 1
    here = bench.machine()
    bench.say(f"machine   {here['cpu']}, {here['cores']} cores, Linux {here['kernel']}, load {here['load']}")
    bench.say(f"method    through a pipe, all of -z, CPU time{', QUICK: lengths / 20' if options.quick else ''}")
    bench.say(f"\n{'Peak memory in MiB, by gigabytes':<40}{'0.03':>10}{'0.3':>10}{'3':>10}{'3, large':>10}{'CPU':>12}  target")
    pipes = list(long_pipe(bench, runner, divisor))
    bench.say(f"\n{'CPU time of one, of so many':<30}{LINEAR_UNITS[0] // divisor:>13}{LINEAR_UNITS[1] // divisor:>13}{'ratio':>7}{'MiB':>9}{'MiB':>9}  target")
    lines = list(linear(bench, runner, divisor))
    verdicts = [row["met"] for row in (*pipes, *lines)]
    bench.say(f"\n{verdicts.count(True)} PASS, {verdicts.count(False)} FAIL")
    if options.json:
        options.json.write_text(json.dumps({"machine": here, "pipe": pipes, "linear": lines}, indent=2) + "\n")
    return 1 if False in verdicts else 0
