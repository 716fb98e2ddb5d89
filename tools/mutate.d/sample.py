# SPDX-License-Identifier: BSD-2-Clause
"""A small sample of mutants whose score may not fall, cheap enough for each run of tools/test.

The sample is drawn by names: of a folder the functions whose names have the smallest hashes (with the seed), and of each of these
the mutant whose change has the smallest. So it stays the same whatever changes in other functions, and a function that
changes has another mutant at most where its old one was.

It builds no tree of its own. A file is compiled once more with the mutants of its functions behind switches (switched.py), and linked
before the libraries into the unit tests of its folder: the linker takes that object, not the library's. The table "sample" has a
line for each folder: its tests, how many functions, the seed, and the least score.
"""

import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time

import equivalent
import kill
import operators
import switched
import tree

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 120  # seconds; an endless loop is ended by its limit of processor time
PROCESSOR_TIME = 60  # seconds of a test without a mutant
TRIED = 4  # mutants of a function, until one counts
FUNCTION = re.compile(r"^(?!typedef|enum \w*\s*\{|struct \w*\s*\{)[A-Za-z_][^;{}#=]*?\b(\w+)\([^;{}]*\)\n\{", re.M)


def read(path):
    """[(folder, tests, functions, seed, least)] of the table."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            words = line.split()
            if len(words) != 5:
                raise ValueError(f"{path}:{number}: folder, tests, functions, seed, least")
            rows.append((words[0], words[1].split(","), int(words[2]), words[3], float(words[4])))
    return rows


def rank(*words):
    return hashlib.sha256("\0".join(words).encode()).digest()


def in_turn(mutants, text, seed):
    """The mutants of one function in the order of the seed. Of the same change in two equal lines the first in the text comes first."""
    seen, ranked = collections.Counter(), []
    for mutant in mutants:
        key = equivalent.key(mutant, text)
        seen[key] += 1
        ranked.append((rank(seed, mutant.function, key, str(seen[key])), mutant))
    return [mutant for _, mutant in sorted(ranked, key=lambda pair: pair[0])]


class Bench:
    """The preset dev, as built: how each file is compiled, how each test is linked."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        with open(build / "compile_commands.json", encoding="utf-8") as f:
            self.compile = {e["file"]: shlex.split(e["command"]) for e in json.load(f)}
        self.links = {}

    def link_of(self, test):
        """The words of the command that links a test's program, with the static library of the model: objects take the place of its."""
        if test not in self.links:
            listed = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", "-s", f"test/t-{test}"], check=True, capture_output=True)
            last = [line for line in listed.stdout.decode().splitlines() if f"-o test/t-{test} " in line][-1]
            words = shlex.split(last.replace(": && ", "", 1).rsplit(" && :", 1)[0])
            self.links[test] = [w for word in words for w in (["core/libiba.a", "-lisal"] if word == "core/libiba.so" else [word])]
        return self.links[test]

    def object_of(self, path, text, to, level="-O2"):
        """Compiles a file's text, without line numbers, so that equal code has equal objects. None: it does not compile."""
        words = [w for w in self.compile[str(path)] if not w.startswith(("-g", "-Werror")) and w != "ccache"]
        at = words.index("-o")
        words[at:at + 2] = ["-o", str(to)]
        for flag in ("-MF", "-MT"):
            if flag in words:
                del words[words.index(flag):words.index(flag) + 2]
        words = [w for w in words if w not in ("-MD", str(path))] + [level, "-w", "-iquote", str(path.parent), "-x", "c", "-"]
        done = subprocess.run(words, cwd=self.build, input=text, stderr=subprocess.DEVNULL, check=False)
        return to.read_bytes() if done.returncode == 0 else None

    def link(self, test, objects, folder):
        """The test's program with these objects before all libraries."""
        words = list(self.link_of(test))
        program = folder / f"t-{test}"
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, w in enumerate(words) if w.endswith(".a"))
        words[first:first] = [str(o) for o in objects]
        subprocess.run(words, cwd=self.build, check=True, capture_output=True)
        return program

    def passes(self, program, processor_time, **environment):
        done = kill.run_bounded(["prlimit", f"--cpu={processor_time}", str(program), "-j1", "--fail-fast"], TIMEOUT,
                                env=dict(os.environ, **environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done is not None and done[0] == 0

    def mutants_of(self, path, function, seed):
        """The first mutants of a function in the order of the seed that a running program can choose."""
        options = [w for w in self.compile[str(path)] if w.startswith(("-I", "-D", "-std"))]
        found = operators.mutants_of(path, str(path.relative_to(self.root)), options, functions={function})
        return in_turn([m for m in found if m.around], path.read_bytes(), seed)[:TRIED]


def functions_of(bench, folder, count, seed):
    """[(path, name)] of the sample's functions."""
    found = []
    for name in bench.compile:
        path = pathlib.Path(name)
        relative = str(path.relative_to(bench.root)) if path.is_relative_to(bench.root) else ""
        if relative.startswith(folder + "/") and not operators.LEFT_OUT.search(relative):
            found += [(rank(seed, relative, f), path, f) for f in FUNCTION.findall(path.read_text(encoding="utf-8"))]
    return [(path, function) for _, path, function in sorted(found)[:count]]


class Round:
    """The mutants of one folder, built once, and the tests that are asked about them. `place`: a folder for programs."""

    def __init__(self, bench, row, known, place, pool):
        self.bench, self.known, self.place, self.pool = bench, known, place, pool
        folder, tests, count, seed, _ = row
        drawn = functions_of(bench, folder, count, seed)
        self.functions = list(pool.map(lambda pair: bench.mutants_of(*pair, seed), drawn))
        self.numbers = {m: n for n, m in enumerate((m for mutants in self.functions for m in mutants), 1)}
        switch = place / "switch.so"
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(switch), str(HERE / "switch.c")], check=True)
        self.switched = set()  # mutants that the objects contain
        objects = [o for o in pool.map(self.built, sorted({m.file for m in self.numbers})) if o]
        self.programs = list(pool.map(lambda test: bench.link(test, [*objects, switch], place), tests))
        self.limits = {}  # of each program: the seconds of processor time after which it counts as endless
        self.reached = list(pool.map(self.reach, self.programs))

    def built(self, file):
        """The object of a file with its mutants; those with which it does not compile are left out."""
        text, to = (self.bench.root / file).read_bytes(), self.place / (file.replace("/", "-") + ".o")
        mine = [(n, m) for m, n in self.numbers.items() if m.file == file]
        content, out = switched.switched(text, mine)
        path = self.bench.root / file
        mine = [p for p in mine if p not in out]
        if not self.bench.object_of(path, content, to, "-O0"):
            mine = [p for p in mine if self.bench.object_of(path, switched.switched(text, [p])[0], to, "-O0")]
            if not self.bench.object_of(path, switched.switched(text, mine)[0], to, "-O0"):
                return None
        self.switched.update(m for _, m in mine)
        return to

    def reach(self, program):
        """The numbers of the mutants that would have an effect in the test. A slow computer needs more time for all tests, so the limit of a
        test is a multiple of the time that it takes without a mutant."""
        file = self.place / f"{program.name}.seen"
        begun = time.monotonic()
        if not self.bench.passes(program, PROCESSOR_TIME, MUTATE_SEEN=str(file)):
            raise tree.BuildError(f"{program.name} fails without a mutant, or takes more than {PROCESSOR_TIME} s of processor time")
        self.limits[program] = 2 + math.ceil(3 * (time.monotonic() - begun))
        return {n for n, byte in enumerate(file.read_bytes()) if byte} if file.exists() else set()

    def is_noticed(self, mutant):
        number = self.numbers[mutant]
        return any(number in reached and not self.bench.passes(program, self.limits[program], MUTATE=str(number))
                   for program, reached in zip(self.programs, self.reached))

    def counts(self, mutant):
        """Whether a mutant that no test notices is a mistake at all, and one that the tests were asked about."""
        if mutant not in self.switched:
            return False
        path = self.bench.root / mutant.file
        text = path.read_bytes()
        if equivalent.key(mutant, text) in self.known or equivalent.function_key(mutant) in self.known:
            return False
        pairs = [(text, mutant.applied(text))]
        if tree.BROKEN.search(text):  # what only a broken engine runs has no code in the second pair
            pairs.append(tuple(tree.BROKEN.sub(rb"((__typeof__(\1))0)", t) for t in pairs[0]))
        with tempfile.TemporaryDirectory() as name:
            codes = [[self.bench.object_of(path, t, pathlib.Path(name) / "one.o") for t in pair] for pair in pairs]
        return all(b is not None and a != b for a, b in codes)

    def judged(self, mutants):
        """(whether it is noticed, mutant): the first of a function that counts. None: none does."""
        for mutant in mutants:
            if self.is_noticed(mutant):
                return True, mutant
            if self.counts(mutant):
                return False, mutant
        return None


def score(bench, row, known, say, workers=None):
    """The row's (noticed, survivors)."""
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        one = Round(bench, row, known, pathlib.Path(place), pool)
        judged = [j for j in pool.map(one.judged, one.functions) if j]
    survivors = [mutant for noticed, mutant in judged if not noticed]
    for mutant in survivors:
        say(f"survived: {mutant.name} in {mutant.function}()")
    return len(judged) - len(survivors), survivors


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
