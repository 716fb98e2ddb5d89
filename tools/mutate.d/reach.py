# SPDX-License-Identifier: BSD-2-Clause
"""Which test runs which functions: measured once, kept until a test or a list of tests changes."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess

import kill

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = "-O1 -g0 -finstrument-functions"


def state_of(root, names):
    """Changes with every file that decides what the tests do."""
    digest = hashlib.sha256()
    for name in sorted(names):
        if re.search(r"/test/|CMakeLists|^tools/cmake|reach", name):
            digest.update(name.encode() + b"\0" + (root / name).read_bytes())
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


def measure(copy, log, say):
    """test: names of the functions that it runs. Uses the tree's build "reach"."""
    where, preload = copy.build_dir("reach"), copy.place / "reach.so"
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(preload), str(HERE / "reach.c"), "-ldl"], check=True)
    copy.call(["cmake", "--preset", "mutate", "-B", str(where), f"-DCMAKE_C_FLAGS_DEBUG={FLAGS}"], log)
    copy.ninja("reach", log, None)
    tests = kill.tests_of(where)
    folder = copy.place / "reach"
    folder.mkdir(exist_ok=True)
    cache, result = {}, {}

    def one(test):
        to = folder / test.name
        to.unlink(missing_ok=True)
        test.environment.update(LD_PRELOAD=str(preload), MUTATE_REACH=str(to))
        return test.name, to, test.run(600)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for n, (name, to, ended) in enumerate(pool.map(one, tests.values()), 1):
            if not ended:  # one that fails when it is instrumented is asked about every mutant
                result[name] = sorted(reached(to, cache))
            to.unlink(missing_ok=True)
            if n % 50 == 0:
                say(f"which test runs what: {n} of {len(tests)}")
    return result


class Reach:
    def __init__(self, tests):
        self.by_function = collections.defaultdict(set)
        self.known = set(tests)
        for test, functions in tests.items():
            for function in functions:
                self.by_function[function].add(test)

    def may_notice(self, test, function):
        """Whether the test may notice a change in the function (None: outside of any): yes, if unknown."""
        return function not in self.by_function or test not in self.known or test in self.by_function[function]


def read_or_measure(root, names, copy, place, log, say):
    path, state = place / "reach.json", state_of(root, names)
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["state"] == state:
            return Reach(kept["tests"])
    say("measuring which test runs what, once: some minutes")
    tests = measure(copy, log, say)
    path.write_text(json.dumps({"state": state, "tests": tests}), encoding="utf-8")
    return Reach(tests)
