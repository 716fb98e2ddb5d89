# SPDX-License-Identifier: BSD-2-Clause
"""tools/bench engine --before COMMIT: the engine's time for a message beside that of an older commit.

The same code takes several percent more or less time when the linker puts its functions elsewhere. So both engines are linked
several times, their objects in another order each time, and the means over these layouts are compared. "+-" is the standard
error of the ratio. A layout's time is the 10 % quantile of its runs, since other work on the machine makes runs longer, never
shorter. The programs take turns."""
import pathlib
import random
import re
import statistics
import subprocess

OPERATIONS = ("write", "send", "read")
MESSAGES = 16_000  # some 10 ms a run: other work rarely comes between
ACKED_EVERY, QUEUE_PAIRS = 16, 64
NO_SLOWER = 1.03
COMPILE = ["-std=c17", "-O3", "-DNDEBUG", "-flto=auto", "-ffat-lto-objects", "-fno-tree-slp-vectorize"]  # as CMakeLists.txt does
LINKS = {"without LTO": ["-O3", "-fno-lto"], "with LTO": ["-O3", "-flto=auto", "-fno-tree-slp-vectorize"]}
MEMBER = re.compile(r"libiba\.a\(([^)]+\.o)\)")  # of an archive, in the linker's map


def do(command, failed, folder=None):
    command = [str(word) for word in command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise failed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def checkout(commit, bench, folder):
    """A copy of the commit, its library built."""
    folder.mkdir()
    archive = folder.with_suffix(".tar")
    do(["git", "archive", "-o", archive, commit], bench.Failed, bench.ROOT)
    do(["tar", "xf", archive], bench.Failed, folder)
    do(["tools/lib/build", "rel", "core/libiba.a"], bench.Failed, folder)
    return folder


class Engine:
    """The program of this checkout, ibbench-engine, with the library of a tree."""

    def __init__(self, name, tree, bench, scratch):
        self.name, self.failed, self.folder = name, bench.Failed, scratch / f"{name}.objects"
        library = tree / "build/rel/core/libiba.a"
        self.folder.mkdir()
        own = [self.folder / f"{source}.o" for source in ("engine", "bench_ca")]
        for out in own:
            do(["cc", *COMPILE, f"-I{tree}/core", "-c", bench.ROOT / f"tools/bench.d/{out.stem}.c", "-o", out], self.failed)
        do(["ar", "x", library], self.failed, self.folder)
        crc = do(["pkg-config", "--libs", "libisal"], self.failed).split()
        used = MEMBER.findall(do(["cc", *own, library, *crc, "-fno-lto", "-Wl,-M", "-o", self.folder / "any"], self.failed))
        self.objects, self.crc = own + [self.folder / member for member in dict.fromkeys(used)], crc

    def link(self, flags, layout):
        program = self.folder / f"layout{layout}"
        objects = random.Random(layout).sample(self.objects, len(self.objects))
        do(["cc", *flags, *objects, *self.crc, "-o", program], self.failed)
        return program


def nanoseconds(program, operation, failed):
    """Processor time of a message."""
    command = [program, MESSAGES, ACKED_EVERY, QUEUE_PAIRS, operation]
    return float(re.search(r"seconds=(\S+)", do(command, failed))[1]) * 1e9 / MESSAGES


def measure(programs, operation, rounds, failed):
    """programs: {engine's name: a program for each layout}; the layouts' times by name."""
    runs = {(name, layout): [] for name, layouts in programs.items() for layout in range(len(layouts))}
    order = random.Random(1)
    for _ in range(rounds):
        for key in order.sample(list(runs), len(runs)):
            runs[key].append(nanoseconds(programs[key[0]][key[1]], operation, failed))
    tenth = {key: sorted(times)[len(times) // 10] for key, times in runs.items()}
    return {name: [tenth[name, layout] for layout in range(len(layouts))] for name, layouts in programs.items()}


def compare(before, now):
    """(the ratio of the means over layouts, its standard error)"""
    a, b = statistics.mean(before), statistics.mean(now)
    parts = [statistics.variance(times) / len(times) / mean**2 for times, mean in ((before, a), (now, b))]
    return b / a, sum(parts) ** 0.5 * b / a


def beside(commit, quick, bench, scratch):
    layouts, rounds = (2, 3) if quick else (8, 30)
    bench.say(f"\nProcessor time of a message beside {commit}: means over {layouts} layouts, 10 % quantile of {rounds} runs of each; <= {NO_SLOWER}")
    bench.say(f"  {'':<24}{'before, ns':>12}{'now, ns':>10}{'now / before':>14}{'+-':>8}{'before, layouts':>18}{'now, layouts':>16}")
    do(["tools/lib/build", "rel", "core/libiba.a"], bench.Failed, bench.ROOT)
    trees = {"before": checkout(commit, bench, scratch / "before"), "now": bench.ROOT}
    engines = [Engine(name, tree, bench, scratch) for name, tree in trees.items()]
    rows = []
    for words, flags in LINKS.items():
        programs = {engine.name: [engine.link(flags, layout) for layout in range(layouts)] for engine in engines}
        for operation in OPERATIONS:
            times = measure(programs, operation, rounds, bench.Failed)
            ratio, error = compare(times["before"], times["now"])
            spread = {name: f"{min(all_of):.0f}..{max(all_of):.0f}" for name, all_of in times.items()}
            rows.append({"link": words, "operation": operation, "nanoseconds": times, "ratio": ratio, "error": error, "met": ratio <= NO_SLOWER})
            bench.say(f"  {f'{operation}, {words}':<24}{statistics.mean(times['before']):>12.1f}{statistics.mean(times['now']):>10.1f}"
                      f"{ratio:>14.3f}{error:>8.3f}{spread['before']:>18}{spread['now']:>16}  {bench.VERDICT[rows[-1]['met']]}")
    return rows
