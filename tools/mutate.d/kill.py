# SPDX-License-Identifier: BSD-2-Clause
"""The tests that may notice a mutant: Criterion programs of the folder, other tests, goldens, the conformance suite, replayed
corpora of the fuzz targets, and the score of the observer on simulated networks."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import time
import uuid

USUAL = ("unit", "tests", "goldens", "scenarios", "fuzz")
CLASSES = (*USUAL, "accuracy")
SHORTEST_TIMEOUT = 20  # seconds; else ten times what the test takes without the mutant
LONGEST_TIMEOUT = 600  # for a test whose time is not known
ACCURACY = {"test": "core-observer-score", "folders": ("core/wire", "core/sim", "core/observer"), "networks": "1000"}
NOT_ASKED = ("guest", "planted", "tables-", "lint", "selftest")

# A folder of the tree: prefixes of its own tests, and of the others that use it.
USERS = {
    "core/wire": ("core-wire", ("core-", "dissect-", "conformance-", "pcaps-", "fuzz-")),
    "core/memory": ("core-memory", ("core-adapter", "core-transport", "conformance-", "fuzz-")),
    "core/fabric": ("core-fabric", ("core-adapter", "core-transport", "conformance-", "fuzz-")),
    "core/transport": ("core-transport", ("core-adapter", "core-sim", "conformance-", "fuzz-", "core-observer-score")),
    "core/adapter": ("core-adapter", ("core-transport", "core-sim", "conformance-", "fuzz-")),
    "core/sim": ("core-sim", ("core-observer-score", "core-observer-broken", "fuzz-")),
    "core/statements": ("core-statements", ("conformance-", "dissect-")),
    "core/observer": ("core-observer", ("dissect-", "fuzz-")),
    "core/mad": ("core-mad", ("dissect-", "fuzz-", "pcaps-")),
    "dissect": ("dissect-", ("pcaps-", "fuzz-")),
    "conformance": ("conformance-", ("fuzz-",)),
}


def folder_of(file):
    """The longest folder of USERS that the file is below."""
    return max((f for f in USERS if file.startswith(f + "/")), key=len, default=None)


def end_all(mark):
    """Ends every process that has the mark in its environment, wherever it went: Criterion's workers have sessions of their own."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:  # it has ended, or is not ours
            pass


def run_bounded(command, timeout, env=None, **how):
    """Runs a command and, when it takes too long, ends it with all that it started: mutants may loop without end. (exit code, what it
    printed), or None when it took too long."""
    name = uuid.uuid4().hex
    environment = dict(env or os.environ, MUTATE_RUN=name)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment, **how) as process:
        try:
            out, _ = process.communicate(timeout=timeout)
            return process.returncode, out
        except subprocess.TimeoutExpired:
            end_all(f"MUTATE_RUN={name}".encode())
            return None


class Test:
    def __init__(self, name, command, environment, slow):
        self.name, self.command, self.environment, self.slow = name, command, environment, slow
        self.seconds = None  # without a mutant; None: not known

    def run(self, timeout):
        """None when it passes, else how it ended."""
        environment = dict(os.environ, **self.environment)
        done = run_bounded(self.command, timeout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done is None:
            return "takes too long"
        return None if done[0] == 0 else f"exit code {done[0]}"


class Suite:
    """The conformance suite, which plays against a device that has the mistake."""

    name, seconds, slow = "scenarios", 8.0, False

    def __init__(self, tree):
        ibconform = tree.build_dir("device") / "bin" / "ibconform"
        self.command = [str(ibconform), "run", "-j", "1", "--link", "all", "--json", "-", "--scenarios",
                        str(tree.source / "conformance" / "scenarios")]

    def run(self, timeout):
        """The first scenario that fails, or how the run ended; None: all pass."""
        done = run_bounded(self.command, timeout, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            report = json.loads(done[1]) if done else None
        except ValueError:
            report = None
        if report is None:
            return "the engine died"
        for result in report["results"]:
            if result["verdict"] in ("FAIL", "DEVIATES") or result["counters"] == "FAIL":
                return result["id"]
            if result["verdict"] == "ERROR":  # it is one process with the tester: it went down, or answered what no verb can
                return f"{result['id']} (the engine died)"
        return None


def tests_of(build_dir):
    """Every test of a build, by name."""
    listed = subprocess.run(["ctest", "--test-dir", str(build_dir), "--show-only=json-v1"],
                            check=True, capture_output=True)
    found = {}
    for entry in json.loads(listed.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in entry["properties"]}
        labels = properties.get("LABELS", [])
        if "guest" in labels or entry["name"].startswith(NOT_ASKED) or "command" not in entry:
            continue
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        found[entry["name"]] = Test(entry["name"], entry["command"], environment, "slow" in labels)
    return found


def class_of(test, folder):
    """The class of killers that the test belongs to, None: it uses nothing of the folder."""
    own, others = USERS[folder]
    if test.name.startswith("golden-"):
        return "goldens" if folder.startswith(("core/wire", "core/observer", "core/mad", "dissect")) else None
    if test.name.startswith(own):
        return "unit"
    if test.name.startswith(others):
        return "fuzz" if test.name.startswith("fuzz-") else "tests"
    return None


def asked(tests, folder, classes, quick):
    """Those of the tests that are asked about mutants of the folder."""
    return [t for t in tests.values() if class_of(t, folder) in classes and not (quick and t.slow)]


class Killers:
    """The tests that are asked about mutants of one folder in one tree, quickest first.

    A test that fails without a mutant must not count. Running all of them beforehand would cost more than most samples: so a
    test is run without the mutant when it notices its first one. `passes` is shared by all trees and folders of a run.
    """

    def __init__(self, tree, folder, quick, classes, reach, passes, log):
        self.reach, self.passes, self.log = reach, passes, log
        self.spent = collections.Counter()  # seconds, by class
        self.groups = {c: [] for c in classes}
        known = tests_of(tree.build_dir("tests")) if "tests" in tree.builds else {}
        for test in asked(known, folder, classes, quick):
            test.seconds = reach.seconds.get(test.name)
            self.groups[class_of(test, folder)].append(test)
        if "scenarios" in classes:
            self.groups["scenarios"] = [Suite(tree)]
        if "accuracy" in classes and folder in ACCURACY["folders"] and ACCURACY["test"] in known:
            score = known[ACCURACY["test"]]
            self.groups["accuracy"] = [Test("accuracy", score.command, dict(score.environment, IBPROOF_SEEDS=ACCURACY["networks"]), True)]
        for group in self.groups.values():
            group.sort(key=lambda t: (t.seconds is None, t.seconds))

    def in_turn(self, group, function):
        """Those of the group that may notice a change of the function; first those that noticed another one."""
        found = [t for t in self.groups[group] if self.passes.get(t.name) is not False and self.reach.may_notice(t.name, function)]
        first = self.reach.noticed.get(function, ())
        return sorted(found, key=lambda t: t.name not in first)

    def passes_without(self, test, without):
        if test.name not in self.passes:
            ended = without(lambda: test.run(LONGEST_TIMEOUT))
            self.passes[test.name] = ended is None
            if ended:
                self.log(f"{test.name} does not pass without a mutant ({ended}): not asked")
        return self.passes[test.name]

    def ask(self, group, function, without):
        """The first test of the group that notices, and how it ended; None: none of those that run the function does.
        `without` calls a function while the tree has no mutant, and returns what that returns."""
        for test in self.in_turn(group, function):
            begin = time.monotonic()
            ended = test.run(LONGEST_TIMEOUT if test.seconds is None else max(SHORTEST_TIMEOUT, 10 * test.seconds))
            self.spent[group] += time.monotonic() - begin
            if ended and self.passes_without(test, without):
                self.reach.noticed[function].add(test.name)
                return f"{test.name} ({ended})"
        return None
