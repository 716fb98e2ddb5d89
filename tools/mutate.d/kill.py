# SPDX-License-Identifier: BSD-2-Clause
"""The tests that may notice a mutant: Criterion programs of the folder, other tests, goldens, the conformance suite, replayed
corpora of the fuzz targets, and the score of the observer on simulated networks."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import uuid

USUAL = ("unit", "tests", "goldens", "scenarios", "fuzz")
OF_CHANGE = ("unit", "goldens", "scenarios")
CLASSES = (*USUAL, "programs", "accuracy")
SHORTEST_TIMEOUT = 60  # seconds; else ten times what the test takes without the mutant
SHORTEST_PROCESSOR_TIME = 5  # seconds of processor time of one process, so that an endless loop ends soon also on a busy machine
LONGEST_TIMEOUT = 900  # for a test whose time is not known
PART = 40  # scenarios of a group at most
TOGETHER = 240  # the same, if their groups are played together: ibconform takes no more than 256 names
PLAYED_ALONE = 2  # groups
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
    "dissect/system": ("system-", ("dissect-", "conformance-")),
    "core/cm": ("core-cm", ("conformance-", "fuzz-")),
    "dissect": ("dissect-", ("system-", "pcaps-", "fuzz-")),
    "conformance": ("conformance-", ("fuzz-",)),
}


def folder_of(file):
    """The longest folder of USERS that the file is below."""
    return max((f for f in USERS if file.startswith(f + "/")), key=len, default=None)


def users_of(folder):
    """Prefixes of the tests of a folder of USERS, or of one below, and of the others that use it."""
    top = folder_of(folder + "/")
    own, others = USERS[top]
    return (own, others) if folder == top else (folder.replace("/", "-"), (own, *others))


def end_all(mark):
    """Ends every process that has the mark in its environment, since Criterion's workers leave the session of the test."""
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
            out, errors = process.communicate(timeout=timeout)
            return process.returncode, (out or b"") + (errors or b"")
        except subprocess.TimeoutExpired:
            end_all(f"MUTATE_RUN={name}".encode())
            return None


class Test:
    """A test of the build. It passes or fails; a test that reports the failing part has several parts (Suite)."""

    PARTS_TOGETHER = False  # whether one process that plays several parts is cheaper than a process for each

    def __init__(self, name, command, environment, slow):
        self.name, self.environment, self.slow = name, environment, slow
        self.command = [*command, "--fail-fast"] if command[0].endswith("/run-test") else command
        self.lock = threading.Lock()  # not twice at a time, since the test may use fixed files or ports

    def before(self, _):
        """Called before each run."""

    def parts(self):
        return [None]

    def run(self, _, environment, timeout, processor_time):
        """None when it passes, else how it ended. Each of its processes may take so much processor time. It runs in a folder of its
        own: a test that is ended leaves files."""
        self.before(self)
        with self.lock, tempfile.TemporaryDirectory(prefix="mutate-", ignore_cleanup_errors=True) as folder:
            done = run_bounded(["prlimit", f"--cpu={processor_time}", *self.command], timeout, cwd=folder,
                               env=dict(os.environ, **self.environment, **environment),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done is None:
            return "takes too long"
        return None if done[0] == 0 else f"exit code {done[0]}"


class Golden(Test):
    """A capture and what ibdissect is to say of it, compared here as pcaps/gen/golden does, without the sandbox."""

    FORMS = {"txt": "text", "jsonl": "jsonl"}
    WARNING = b"ibdissect: --no-sandbox: packets are parsed with all rights of this user\n"  # the sandbox costs most of the time

    def __init__(self, name, command, environment, slow):
        super().__init__(name, command, environment, slow)
        folder, program, capture, form = command[-5], *command[-3:]
        self.folder = folder
        self.dissect = [program, "--no-sandbox", "--color=never", "-T", self.FORMS[form], capture]
        self.golden = pathlib.Path(folder) / f"{re.sub(r'[.](pcap|pcapng|erf|pcap[.]gz)$', '', capture)}.{form}"

    def run(self, _, environment, timeout, processor_time):
        self.before(self)
        done = run_bounded(["prlimit", f"--cpu={processor_time}", *self.dissect], timeout, cwd=self.folder,
                           env=dict(os.environ, **self.environment, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done is None:
            return "takes too long"
        said = done[1].replace(self.WARNING, b"") + (f"exit {done[0]}\n".encode() if done[0] else b"")
        return None if said == self.golden.read_bytes() else "differs"


class Suite(Test):
    """The conformance suite, which plays against a device that has the mistake. Its parts are groups of scenarios."""

    PARTS_TOGETHER = True  # a start costs as much as a group

    def __init__(self, tree):
        ibconform, self.scenarios = tree.build_dir("device") / "bin" / "ibconform", tree.source / "conformance" / "scenarios"
        super().__init__("scenarios", [str(ibconform), "run", "-j", "1", "--link", "all", "--json", "-", "--scenarios", str(self.scenarios)],
                         {}, False)
        self.before = tree.refresh

    def parts(self):
        groups = collections.defaultdict(list)
        for path in sorted(self.scenarios.rglob("*.ibt")):
            one = ".".join(path.relative_to(self.scenarios).with_suffix("").parts)
            groups[one.rpartition(".")[0]].append(one)
        found = [tuple(ids[i:i + PART]) for ids in groups.values() for i in range(0, len(ids), PART)]
        return found or [("*",)]

    def run(self, part, environment, timeout, processor_time):
        """The first scenario that fails, or how the run ended; None: all pass."""
        self.before(self)
        done = run_bounded(["prlimit", f"--cpu={processor_time}", *self.command, *part], timeout,
                           env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            report = json.loads(done[1]) if done else None
        except ValueError:
            report = None
        if report is None:
            return f"{part[0]} or one after it (the engine died)"
        for result in report["results"]:
            if {result["verdict"], result["counters"]} & {"FAIL", "DEVIATES"}:
                return result["id"]
            if result["verdict"] == "ERROR":  # it is one process with the tester: it went down, or answered what no verb can
                return f"{result['id']} (the engine died)"
        return None


class Comparison(Test):
    """Whether the device behaves differently from a device without a mutant. It judges nothing: it separates mutants that a
    scenario could have shown from those that no exchange seems to show. Each part has a trace: of packets, completions, events, results
    of verbs and memory."""

    PARTS_TOGETHER = False
    TARGETS = ("engine", "responder", "requester", "network")  # fuzz targets, with their corpora
    SEQUENCES = ("--count", "3000", "--seed", "500000")  # of ibconform fuzz: what they leave free is not compared
    LIFE = {  # tests that print traces
        "chaos": ("t-core-adapter-chaos", {"IBPROOF_STEPS": "600000", "IBPROOF_SEED": "7000"}),
        "hostile": ("t-core-adapter-hostile", {"IBPROOF_SEEDS": "600", "IBPROOF_FIRST": "70000"}),
    }

    def __init__(self, tree):
        super().__init__("comparison", [str(tree.build_dir("device"))], {}, False)
        self.suite, self.corpus = Suite(tree), tree.source / "corpus"
        self.plain = {}  # part: its trace without a mutant

    def parts(self):
        return [(name,) for name in ("sequences", *self.LIFE, *self.TARGETS, "packets")]

    def trace(self, part, environment, timeout, processor_time):
        name, build = part[0], self.command[0]
        limits, environment = ["prlimit", f"--cpu={processor_time}"], dict(os.environ, **environment)
        if name in self.TARGETS:
            command = [f"{build}/fuzz/ibfuzz_{name}", "-v", str(self.corpus / name)]
        elif name in self.LIFE:
            program, settings = self.LIFE[name]
            environment.update(settings, IBPROOF_VERBOSE="1")
            command = [f"{build}/test/{program}", "--filter", f"{name}/*no_*" if name == "chaos" else f"{name}/every_byte*"]
        elif name == "sequences":
            command = [f"{build}/bin/ibconform", "fuzz", "-v", *self.SEQUENCES]
        else:
            return self.packets(limits, environment, timeout)
        done = run_bounded([*limits, *command], timeout, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done is None:
            return "takes too long"
        lines = [line for line in done[1].splitlines() if name not in self.LIFE or line.startswith(b"seed ")]
        return repr((done[0] if name not in self.LIFE else 0, hashlib.sha256(b"\n".join(lines)).hexdigest()))

    def packets(self, limits, environment, timeout):
        """All that the scenarios keep as evidence."""
        digest = hashlib.sha256()
        with tempfile.TemporaryDirectory() as folder:
            run_bounded([*limits, *self.suite.command[:-4], "--scenarios", str(self.suite.scenarios), "--evidence", folder], timeout,
                        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for path in sorted(pathlib.Path(folder).rglob("*")):
                digest.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
        return digest.hexdigest()

    def run(self, part, environment, timeout, processor_time):
        if part not in self.plain:
            self.plain[part] = self.trace(part, {"MUTATE": "0"}, LONGEST_TIMEOUT, LONGEST_TIMEOUT)
        return None if self.trace(part, environment, timeout, processor_time) == self.plain[part] else part[0]


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
        kind = Golden if entry["name"].startswith("golden-") else Test
        found[entry["name"]] = kind(entry["name"], entry["command"], environment, not {"slow", "program"}.isdisjoint(labels))
    return found


def class_of(test, folder):
    """The class of killers that the test belongs to, None: it uses nothing of the folder."""
    own, others = users_of(folder)
    if test.name.startswith("golden-"):
        return "goldens" if folder.startswith(("core/wire", "core/observer", "core/mad", "dissect")) else None
    if test.name.startswith(own):
        return "unit"
    if test.name.startswith(others):
        return "fuzz" if test.name.startswith("fuzz-") else "tests"
    return None


def group_of(test, folder, classes, quick, also):
    """The class in which the test is asked about mutants of the folder; None: it is not asked. Quick: without slow ones, but for those
    that `also` matches. With the class "programs" slow ones are asked last."""
    group = class_of(test, folder)
    if test.slow and "programs" in classes and group in ("unit", "tests"):
        return "programs" if not also or re.fullmatch(also, test.name) else None
    if group not in classes or (quick and test.slow and not re.fullmatch(also, test.name)):
        return None
    return group


def asked(tests, folder, classes, quick, also=""):
    """[(test, class)] of those that are asked."""
    pairs = [(test, group_of(test, folder, classes, quick, also)) for test in tests.values()]
    return [(test, group) for test, group in pairs if group]


def accuracy_of(tests, folder, classes):
    """[the test that scores the observer], if the class accuracy is asked about the folder."""
    return [tests[ACCURACY["test"]]] if "accuracy" in classes and folder in ACCURACY["folders"] and ACCURACY["test"] in tests else []


def is_script(test):
    """Whether the test is no program of Criterion."""
    return not test.command[0].endswith("/run-test")


def programs_of(tests, build_dir):
    """The programs, as names of the build, that these tests run. A script may run any but those of other tests: it gets all of them,
    and all libraries."""
    found, scripts = set(), False
    for test in tests:
        if test.name.startswith("golden-"):
            found.add("bin/ibdissect")
        else:
            scripts = scripts or is_script(test)
            found |= {str(pathlib.Path(w).relative_to(build_dir)) for w in test.command if pathlib.Path(w).is_relative_to(build_dir)}
    linked = linked_of(build_dir)
    if scripts:
        found |= {name for name in linked if not name.startswith(("test/", "fuzz/"))}
    return found & linked


def linked_of(build_dir):
    """All programs and libraries of a build but programs without shared libraries: the switch is one."""
    listed = subprocess.run(["ninja", "-C", str(build_dir), "-t", "targets", "all"], check=True, capture_output=True).stdout.decode()
    names = re.findall(r"^(\S+): \S+_(?:EXECUTABLE|SHARED_LIBRARY|SHARED_MODULE|MODULE_LIBRARY)_LINKER", listed, re.M)
    return {name for name in names if not name.endswith("-static")}


class Known:
    """Facts about each part of a test while no mutant is on: whether it passes, how long it takes, which mutants it reaches. They are
    measured when the part is first asked, and kept in a file until programs or tests change."""

    def __init__(self, place, state, log):
        self.place, self.log = place / "seen", log
        self.path = self.place / f"{hashlib.sha256(state.encode()).hexdigest()[:16]}.json"
        self.place.mkdir(parents=True, exist_ok=True)
        self.kept = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        self.locks, self.lock = collections.defaultdict(threading.Lock), threading.Lock()

    def of(self, test, part, state):
        name = f"{test.name} {part[0] if part else ''}".strip()
        with self.lock:
            lock = self.locks[name]
        with lock:
            known = self.kept.get(name)
            if known is None or known["state"] != state:
                known = self.kept[name] = dict(self.measured(test, part, name), state=state)
        return known

    def measured(self, test, part, name):
        file = self.place / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.bytes"
        file.unlink(missing_ok=True)
        begin, ended = time.monotonic(), "not run"
        ended = test.run(part, {"MUTATE_SEEN": str(file)}, LONGEST_TIMEOUT, LONGEST_TIMEOUT)
        seen = [n for n, byte in enumerate(file.read_bytes()) if byte] if file.exists() else []
        file.unlink(missing_ok=True)
        if ended:
            self.log(f"{name} does not pass without a mutant ({ended}): not asked")
        return {"passes": ended is None, "seconds": time.monotonic() - begin, "seen": seen}

    def write(self):
        self.path.write_text(json.dumps(self.kept), encoding="utf-8")


def state_of(test, source):
    """A hash of the files that decide what the test does: program, script, inputs."""
    digest = hashlib.sha256(repr((test.command, sorted(test.environment.items()))).encode())
    for path in (pathlib.Path(word) for word in test.command):
        if path.is_dir():
            for one in sorted(path.rglob("*")) if path.name == "scenarios" else ():
                digest.update(one.name.encode() + (one.read_bytes() if one.is_file() else b""))
            digest.update(repr(sorted(p.name for p in path.iterdir())).encode())
        elif path.is_relative_to(source) and path.exists() and path.parent.name != "bin":  # the programs under test change all the time
            for one in sorted(path.parent.glob("*.py")) if path.suffix == ".py" else [path]:
                digest.update(one.read_bytes())
    return digest.hexdigest()


class Killers:
    """The tests that are asked about mutants of these files of one folder, quickest first. `quick`: the options --quick and --also. Safe to
    use from several threads."""

    def __init__(self, tree, folder, files, quick, classes, known, visible=False):
        self.known, self.spent, self.warming = known, collections.Counter(), threading.Lock()  # seconds, by class
        self.groups = {c: [] for c in classes}
        self.noticed = collections.defaultdict(collections.Counter)  # function: names of parts that noticed a mutant in it
        tests = tree.tests() if "tests" in tree.builds else {}
        for test, group in asked(tests, folder, classes, *quick):
            if tree.may_reach(test, files):
                self.groups[group].append(test)
        if "scenarios" in classes:
            self.groups["scenarios"] = [Suite(tree)]
        if visible:
            self.groups["comparison"] = [Comparison(tree)]
        if "accuracy" in classes:
            self.groups["accuracy"] = [Test("accuracy", score.command, dict(score.environment, IBPROOF_SEEDS=ACCURACY["networks"]), True)
                                       for score in accuracy_of(tests, folder, classes)]
        self.parts = {c: [(test, part, state_of(test, tree.source)) for test in group for part in test.parts()]
                      for c, group in self.groups.items()}
        for group in self.parts.values():  # programs first, scripts then; what is known to be slow last
            group.sort(key=lambda p: (p[0].slow, any(w.endswith(".py") for w in p[0].command), p[0].name))

    def in_turn(self, group, function):
        """The parts that noticed another mutant of the function, and the other parts."""
        first = self.noticed[function]
        return sorted(self.parts[group], key=lambda p: -first[p[0].name, p[1]])

    def ask(self, group, mutant, number):
        """The first of the group that notices the mutant, and how it ended; None: none of those that reach it does. `number`: of its
        switch; None: it is built in, and all are asked."""
        begin, environment = time.monotonic(), {} if number is None else {"MUTATE": str(number)}
        if group == "programs":
            self.warm(group)
        try:
            for test, part, seconds in self.runs(self.in_turn(group, mutant.function), number):
                ended = test.run(part, environment, max(SHORTEST_TIMEOUT, 10 * seconds), max(SHORTEST_PROCESSOR_TIME, int(5 * seconds)))
                if ended:
                    self.noticed[mutant.function][test.name, self.part_of(group, ended, part)] += 1
                    return ended if group in ("scenarios", "comparison") else f"{test.name} ({ended})"
        finally:
            self.spent[group] += time.monotonic() - begin
        return None

    def warm(self, group):
        """Measures all of the group at once, since each takes long."""
        with self.warming:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda p: self.known.of(*p), self.parts[group]))

    def part_of(self, group, ended, played):
        """The part that noticed it, also when it was played with others."""
        first = ended.split()[0]
        return next((part for _, part, _ in self.parts[group] if part and first in part), played)

    def runs(self, parts, number):
        """(test, part, its seconds without a mutant) of each run, in turn. Of parts that one process can play, the first ones, which
        noticed most, are played alone, the others together."""
        alone, together, seconds = 0, [], 0
        for test, part, state in parts:
            known = self.known.of(test, part, state)
            if not known["passes"] or (number is not None and number not in known["seen"]):
                continue
            if not test.PARTS_TOGETHER or alone < PLAYED_ALONE:
                alone += 1
                yield test, part, known["seconds"]
            else:
                if len(together) + len(part) > TOGETHER:
                    yield test, tuple(together), seconds
                    together, seconds = [], 0
                together += part
                seconds += known["seconds"]
        if together:
            yield test, tuple(together), seconds
