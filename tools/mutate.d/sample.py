# SPDX-License-Identifier: BSD-2-Clause
"""A small sample of mutants whose score may not fall, quick enough for each run of tools/test.

It builds no tree of its own. Each mutant is one source file of the preset dev: it is compiled once more, optimized, and linked before
the libraries into the unit tests of its folder; the linker then takes the mutated object, not the library's. The table
"sample" has a line for each folder: how many mutants, the seed, and the least score.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import shlex
import subprocess
import tempfile

import equivalent
import kill
import operators

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 20


def read(path):
    """[(folder, tests, count, seed, least)] of the table."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            words = line.split()
            if len(words) != 5:
                raise ValueError(f"{path}:{number}: folder, tests, count, seed, least")
            rows.append((words[0], words[1].split(","), int(words[2]), words[3], float(words[4])))
    return rows


class Bench:
    """The preset dev, as built: how each file is compiled, how each test is linked."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        with open(build / "compile_commands.json", encoding="utf-8") as f:
            self.compile = {e["file"]: shlex.split(e["command"]) for e in json.load(f)}
        self.links = {}

    def link_of(self, test):
        """The words of the command that links a test's program."""
        if test not in self.links:
            listed = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", f"test/t-{test}"], check=True, capture_output=True)
            last = [line for line in listed.stdout.decode().splitlines() if f"-o test/t-{test} " in line][-1]
            self.links[test] = shlex.split(last.replace(": && ", "", 1).rsplit(" && :", 1)[0])
        return self.links[test]

    def object_of(self, path, text, to):
        """Compiles a file's text, optimized and without lines, so that equal code has equal objects. None: it does not compile."""
        words = [w for w in self.compile[str(path)] if not w.startswith(("-g", "-Werror")) and w != "ccache"]
        at = words.index("-o")
        words[at:at + 2] = ["-o", str(to)]
        for flag in ("-MF", "-MT"):
            if flag in words:
                del words[words.index(flag):words.index(flag) + 2]
        words = [w for w in words if w not in ("-MD", str(path))] + ["-O2", "-w", "-iquote", str(path.parent), "-x", "c", "-"]
        done = subprocess.run(words, cwd=self.build, input=text, stderr=subprocess.DEVNULL, check=False)
        return to.read_bytes() if done.returncode == 0 else None

    def run(self, test, objects, folder):
        """Whether the test passes with these objects before all libraries."""
        words = list(self.link_of(test))
        program = folder / f"t-{test}"
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, w in enumerate(words) if w.endswith(".a"))
        words[first:first] = [str(o) for o in objects]
        subprocess.run(words, cwd=self.build, check=True, capture_output=True)
        done = kill.run_bounded([str(self.root / "tools/lib/run-test"), "1", str(program), "-j1"], TIMEOUT, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        return done is not None and done[0] == 0


def mutants_of(bench, folder, seed):
    """All mutants of the folder's sources, in the order of the seed."""
    found = []
    for name in sorted(bench.compile):
        path = pathlib.Path(name)
        relative = str(path.relative_to(bench.root)) if path.is_relative_to(bench.root) else ""
        if not relative.startswith(folder + "/") or operators.LEFT_OUT.search(relative):
            continue
        options = [w for w in bench.compile[name] if w.startswith(("-I", "-D", "-std"))]
        found += operators.mutants_of(path, relative, options)
    return operators.draw(found, len(found), seed)


def judge(bench, mutant, tests, known, own):
    """"noticed", "survived", "equivalent" or "invalid". `own` keeps the objects of unchanged files."""
    path = bench.root / mutant.file
    text = path.read_bytes()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        changed = folder / "changed.o"
        if mutant.file not in own:
            own[mutant.file] = bench.object_of(path, text, folder / "own.o")
        code = bench.object_of(path, mutant.applied(text), changed)
        if code is None:
            return "invalid"
        if code == own[mutant.file]:
            return "equivalent"
        if not all(bench.run(test, [changed], folder) for test in tests):
            return "noticed"
    if equivalent.key(mutant, text) in known or equivalent.function_key(mutant) in known:
        return "equivalent"
    return "survived"


def score(bench, row, known, say, workers=None):
    """The row's (noticed, survivors): mutants are drawn until as many as it says counted."""
    folder, tests, count, seed, _ = row
    order, own, noticed, survivors = iter(mutants_of(bench, folder, seed)), {}, 0, []
    with concurrent.futures.ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        while (missing := count - noticed - len(survivors)) > 0:
            drawn = list(itertools.islice(order, missing))
            if not drawn:
                break
            for mutant, state in zip(drawn, pool.map(lambda m: judge(bench, m, tests, known, own), drawn)):
                noticed += state == "noticed"
                if state == "survived":
                    survivors.append(mutant)
                    say(f"survived: {mutant.name}")
    return noticed, survivors


def run(root, build, table, say):
    """Plays the table; 0 when every folder has its least score, else 1."""
    bench, known, low = Bench(root, build), equivalent.read(HERE / "equivalent"), 0
    for row in read(table):
        noticed, survivors = score(bench, row, known, say)
        counted = noticed + len(survivors)
        share = 100 * noticed / counted if counted else 0
        bad = share < row[4]
        low += bad
        say(f"{row[0]}: {noticed} of {counted} mutants are noticed, {share:.1f} %{f', less than {row[4]} %' if bad else ''}")
    return 1 if low else 0
