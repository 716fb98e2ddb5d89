# SPDX-License-Identifier: BSD-2-Clause
"""Which test runs which functions, and how long it takes: measured once, and again when the test changes."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time

import kill

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = "-O1 -g0 -finstrument-functions"


def state_of(test, source):
    """Changes with each file that decides what the test does: its program, its script, its inputs."""
    digest = hashlib.sha256(repr((test.command, sorted(test.environment.items()))).encode())
    for path in (pathlib.Path(word) for word in test.command):
        if path.is_dir():
            digest.update(repr(sorted(p.name for p in path.iterdir())).encode())
        elif path.is_relative_to(source) and path.exists() and path.parent.name != "bin":  # the programs under test change all the time
            for one in sorted(path.parent.glob("*.py")) if path.suffix == ".py" else [path]:
                digest.update(one.read_bytes())
    return digest.hexdigest()


def functions_of(module, cache):
    """address: name, of a program or library."""
    if module not in cache:
        listed = subprocess.run(["nm", "--defined-only", module], capture_output=True, check=False)
        cache[module] = {int(a, 16): n.split(".")[0] for a, _, n in re.findall(r"^(\w+) ([tTwW]) (\S+)$", listed.stdout.decode(), re.M)}
    return cache[module]


def reached(path, cache):
    found = set()
    for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
        module, _, offset = line.rpartition(" ")
        name = functions_of(module, cache).get(int(offset, 16)) if re.fullmatch(r"[0-9a-f]+", offset) else None
        if name:
            found.add(name)
    return found


def measure(copy, names, log, say):
    """test: names of the functions that it runs, and seconds. Uses the tree's build "reach"."""
    where, library = copy.build_dir("reach"), copy.place / "reach.so"
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(library), str(HERE / "reach.c"), "-ldl"], check=True)
    copy.call(["cmake", "--preset", "mutate", "-B", str(where), f"-DCMAKE_C_FLAGS_DEBUG={FLAGS}",
               f"-DCMAKE_EXE_LINKER_FLAGS=-Wl,--no-as-needed {library} -Wl,--as-needed"], log)
    copy.ninja("reach", log, None)
    tests = [t for t in kill.tests_of(where).values() if t.name in names]
    folder = copy.place / "reach"
    folder.mkdir(exist_ok=True)
    cache, result = {}, {}

    def one(test):
        to = folder / test.name
        to.unlink(missing_ok=True)
        test.environment.update(MUTATE_REACH=str(to))
        begin = time.monotonic()
        return test.name, to, test.run(kill.LONGEST_TIMEOUT), time.monotonic() - begin

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for n, (name, to, ended, seconds) in enumerate(pool.map(one, tests), 1):
            found = [] if ended else sorted(reached(to, cache))
            # One that fails when it is instrumented, or that seems to run nothing, is asked about every mutant.
            result[name] = {"functions": found or None, "seconds": None if ended else seconds}
            to.unlink(missing_ok=True)
            if n % 50 == 0:
                say(f"which test runs what: {n} of {len(tests)}")
    return result


class Reach:
    """Facts about tests: {test: {"functions": [name...], "seconds": n}}; None: not known."""

    def __init__(self, tests):
        self.by_function = collections.defaultdict(set)
        self.noticed = collections.defaultdict(set)  # function: tests that noticed a mutant in it, in this run
        self.known = {name for name, known in tests.items() if known["functions"] is not None}
        self.seconds = {name: known["seconds"] for name, known in tests.items()}
        for test in self.known:
            for function in tests[test]["functions"]:
                self.by_function[function].add(test)

    def may_notice(self, test, function):
        """Whether the test may notice a change in the function (None: outside of any): yes, if unknown."""
        return function not in self.by_function or test not in self.known or test in self.by_function[function]


def read_or_measure(copy, tests, place, log, say):
    """The facts about these tests; measures new tests and those that changed."""
    path = place / "reach.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    states = {test.name: state_of(test, copy.source) for test in tests}
    missing = {name for name, state in states.items() if kept.get(name, {}).get("state") != state}
    if missing:
        say(f"measuring once what each of {len(missing)} tests runs")
        for name, known in measure(copy, missing, log, say).items():
            kept[name] = dict(known, state=states[name])
        path.write_text(json.dumps(kept), encoding="utf-8")
    return Reach({name: kept[name] for name in states if name in kept})
