# SPDX-License-Identifier: BSD-2-Clause
"""The tests that may notice a mutant: Criterion programs of the folder, other tests, goldens, the conformance suite."""

import json
import os
import pathlib
import signal
import subprocess
import time
import uuid

CLASSES = ("unit", "tests", "goldens", "scenarios")
SHORTEST_TIMEOUT = 20  # seconds; else ten times what the test takes without the mutant
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
        self.seconds = 0.0

    def run(self, timeout):
        """None when it passes, else how it ended."""
        environment = dict(os.environ, **self.environment)
        done = run_bounded(self.command, timeout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done is None:
            return "takes too long"
        return None if done[0] == 0 else f"exit code {done[0]}"


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


class Killers:
    """The tests that are asked about mutants of one folder, quickest first, measured without a mutant."""

    def __init__(self, tree, folder, quick, classes, reach, log):
        own, others = USERS[folder]
        self.reach = reach
        self.tree, self.groups = tree, {c: [] for c in CLASSES}
        for test in tests_of(tree.build_dir("tests")).values() if "tests" in tree.builds else ():
            if quick and test.slow:
                continue
            if test.name.startswith("golden-"):
                self.groups["goldens"].append(test)
            elif test.name.startswith(own):
                self.groups["unit"].append(test)
            elif test.name.startswith(others):
                self.groups["tests"].append(test)
        if not folder.startswith(("core/wire", "core/observer", "core/mad", "dissect")):
            self.groups["goldens"] = []
        for name, group in self.groups.items():
            if name not in classes:
                group.clear()
            for test in list(group):
                begin = time.monotonic()
                ended = test.run(600)
                test.seconds = time.monotonic() - begin
                if ended:
                    log(f"{test.name} does not pass without a mutant ({ended}): not asked")
                    group.remove(test)
            group.sort(key=lambda t: t.seconds)
        self.expected = None
        if "scenarios" in classes:
            self.expected = self.verdicts(600)

    # -- the conformance suite --

    def verdicts(self, timeout):
        """The verdict of each scenario on each link, or None when the run did not end well."""
        ibconform = self.tree.build_dir("device") / "bin" / "ibconform"
        done = run_bounded([str(ibconform), "run", "-j", "1", "--link", "all", "--json", "-", "--scenarios",
                            str(self.tree.source / "conformance" / "scenarios")],
                           timeout, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            report = json.loads(done[1]) if done else None
        except ValueError:
            report = None
        if report is None:
            return None
        return [(r["id"], r["verdict"], r["counters"]) for r in report["results"]]

    def by_scenarios(self):
        """A device with this mistake: the first scenario that fails, or how the run ended; None: all pass."""
        got = self.verdicts(SHORTEST_TIMEOUT)
        if got is None:
            return "the engine died"
        for name, verdict, counters in got:
            if verdict in ("FAIL", "DEVIATES") or counters == "FAIL":
                return name
            if verdict == "ERROR":  # it is one process with the tester: it went down, or answered what no verb can
                return f"{name} (the engine died)"
        return None

    def ask(self, group, function):
        """The first test of the group that notices, and how it ended; None: none of those that run the function does."""
        if group == "scenarios":
            return self.by_scenarios() if self.expected is not None else None
        for test in self.groups[group]:
            if not self.reach.may_notice(test.name, function):
                continue
            ended = test.run(max(SHORTEST_TIMEOUT, 10 * test.seconds))
            if ended:
                return f"{test.name} ({ended})"
        return None
