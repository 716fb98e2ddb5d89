# SPDX-License-Identifier: BSD-2-Clause
"""Builds that exist already with mutants in them, linked beside them: no tree is copied, and no file compiled but those that have
mutants. The tests are those of preset dev, the device is ibconform of preset rel, which has no assertions.

A library is copied, and the objects in it replaced by those that contain the mutants; the programs that the tests run are linked with
these libraries below a folder of their own. The tests run as they are in the build, with the programs of that folder.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import threading

import kill
import tree

ARCHIVE = re.compile(r"^build (\S+\.a): C_STATIC_LIBRARY_LINKER\S* (.*)$", re.M)
PROGRAM = re.compile(r"^build ((?:bin|test)/\S+): C_EXECUTABLE_LINKER\S* (.*)$", re.M)
SHARED = {"core/libiba.so": ["core/libiba.a", "-lisal"]}  # the tests of the preset dev link the model as a shared library
PRESETS = {"tests": "dev", "device": "rel"}
DEVICE = "bin/ibconform"


class Beside:
    """The programs of one build, linked with the objects of now. `links`: a switch to link to each."""

    def __init__(self, build, own, links):
        self.build, self.own, self.links = build, own, links
        self.library_of = {}  # object: its library
        self.inputs = {}  # program: objects and libraries that it is linked with
        self.objects = {}  # object, as the build names it: the one with mutants
        self.made = {}  # file: the content of which its object is made
        self.commands = {}  # program: words that link it
        self.programs, self.stale = [], set()  # that are asked for; those of which are not linked with the objects of now
        self.libraries, self.now = {}, {}  # library: its objects; current objects

    def read(self):
        """{file: (folder, words of the command that compiles it)}"""
        path = self.build / "compile_commands.json"
        if not path.exists():
            raise tree.BuildError(f"build/{self.build.name} is missing: tools/lib/build {self.build.name}")
        rules = (self.build / "build.ninja").read_text(encoding="utf-8")
        for archive, objects in ARCHIVE.findall(rules):
            self.library_of.update((o, archive) for o in objects.split(" |")[0].split())
        for program, inputs in PROGRAM.findall(rules):
            self.inputs[program] = {w for word in inputs.split() for w in SHARED.get(word, [word])}
        with open(path, encoding="utf-8") as f:
            entries = [(e["file"], e["directory"], [w for w in shlex.split(e["command"]) if w != "-g" and not w.startswith("-flto")])
                       for e in json.load(f)]
        # A file may be compiled more than once, as the model is for AFL++: the object in a library is the one that programs have.
        entries.sort(key=lambda e: e[2][e[2].index("-o") + 1] in self.library_of)
        return {file: (folder, words) for file, folder, words in entries}

    def begin(self):
        """Makes the folder of programs, which are those of the build until they are linked."""
        for folder in ("bin", "test", "tools"):  # scripts find programs of tools beside bin
            (self.own / folder).mkdir(parents=True)
            for program in (self.build / folder).iterdir() if (self.build / folder).exists() else ():
                (self.own / folder / program.name).symlink_to(program)

    def moved(self, word):
        for folder in ("bin", "test"):
            word = re.sub(re.escape(f"{self.build}/{folder}") + r"(?=/|$)", f"{self.own}/{folder}", word)
        return word

    @functools.cached_property
    def linked(self):
        """All programs of the build."""
        return kill.linked_of(self.build)

    def programs_of(self, tests):
        """The programs, as the build names them, that these tests run."""
        found, linked = set(), self.linked
        for test in tests:
            text = " ".join((*test.command, *test.environment.values(), *getattr(test, "dissect", ())))
            found |= {f"{folder}/{name}" for folder, name in re.findall(re.escape(str(self.own)) + r"/(bin|test)/([\w.-]+)", text)}
            if f"{self.own}/bin" in text and kill.is_script(test):  # a script may run any program
                found |= {name for name in linked if name.startswith("bin/")}
        return found & linked

    def contain(self, programs, known):
        """Whether one of the programs is linked with the object."""
        return any({known, self.library_of.get(known)} & self.inputs.get(program, set()) for program in programs)

    def link_stale(self, tests):
        """Links the programs that the tests run, unless they are linked with the current objects."""
        for program in self.stale & self.programs_of(tests):
            self.link_one(program)
            self.stale.discard(program)

    def put(self, objects):
        """Makes libraries with these objects; programs linked with other objects are stale."""
        libraries = {}
        for known, to in objects.items():
            archive = self.library_of.get(known)
            if archive:
                libraries.setdefault(archive, []).append((known, to))
        for archive, pairs in libraries.items():
            own = self.own / archive
            own.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.build / archive, own)
            subprocess.run(["ar", "r", str(own), *[str(to) for _, to in pairs]], check=True, capture_output=True)
        self.libraries, self.now = libraries, objects
        self.stale = set(self.programs)

    def words_of(self, program):
        """The words that link the program. ninja is asked once for all that are asked for, since it reads all rules each time."""
        if program not in self.commands:
            wanted = sorted({program, *self.programs})
            listed = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", "-s", *wanted], check=True, capture_output=True)
            for line in listed.stdout.decode().splitlines():
                words = shlex.split(line.replace(": && ", "", 1).rsplit(" && :", 1)[0])
                if "-o" in words:
                    self.commands[words[words.index("-o") + 1]] = [w for word in words for w in SHARED.get(word, [word])]
        return self.commands[program]

    def link_one(self, program):
        words, own, libraries, objects = list(self.words_of(program)), self.own / program, self.libraries, self.now
        if not any(word in libraries or word in objects for word in words):
            return
        words[words.index("-o") + 1] = str(own)
        words = [str(self.own / w) if w in libraries else str(objects[w]) if w in objects else w for w in words]
        own.unlink(missing_ok=True)
        done = subprocess.run([*words, str(self.links), f"-Wl,-rpath,{self.links.parent}"], cwd=self.build, capture_output=True, check=False)
        if done.returncode:
            raise tree.BuildError(f"{program}: {done.stderr.decode(errors='replace')[:400]}")


class Linked(tree.Tree):
    """Has the functions of tree.Tree, without a copy of the sources."""

    def __init__(self, root, place, builds, log):
        super().__init__(root, place, builds, log)
        self.source, self.own = root, place / "linked"
        self.beside = {b: Beside(root / "build" / PRESETS[b], self.own / b, self.own / "switch.so") for b in builds}
        self.lock = threading.Lock()

    def build_dir(self, build):
        return self.beside[build].own

    def configure(self):
        shutil.rmtree(self.own, ignore_errors=True)
        self.own.mkdir(parents=True)
        for build, beside in self.beside.items():
            self.entries[build] = beside.read()
            beside.begin()
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(self.own / "switch.so"), str(tree.HERE / "switch.c")], check=True)
        if "device" in self.beside:
            self.beside["device"].programs = [DEVICE]

    def tests(self):
        """The tests of the build, whose programs are those of the folder."""
        beside = self.beside["tests"]
        found = kill.tests_of(beside.build)
        scenarios = {"IBPROOF_SCENARIOS": str(self.root / "conformance" / "scenarios")}  # ibconform looks beside itself
        for test in found.values():
            test.before = self.refresh
            test.command = [beside.moved(word) for word in test.command]
            test.environment = {**scenarios, **{name: beside.moved(value) for name, value in test.environment.items()}}
            if isinstance(test, kill.Golden):
                test.dissect = [beside.moved(word) for word in test.dissect]
        return found

    def ask_for(self, programs):
        self.beside["tests"].programs = sorted(programs)

    def programs_of(self, tests):
        return self.beside["tests"].programs_of(tests)

    def may_reach(self, test, files):
        programs = self.programs_of([test])
        return not programs or any(self.beside["tests"].contain(programs, self.known("tests", name))
                                   for name in files if self.command("tests", name))

    def prepare(self, numbered):
        left = []
        self.instead = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(lambda item: self.switchable(*item), numbered.items()))
            for name, (content, out) in zip(numbered, made):
                left += out
                if content:
                    self.instead[name] = content
            for build, beside in self.beside.items():
                wanted = [item for item in self.instead.items() if self.is_in(build, item[0])]
                beside.objects = dict(pool.map(functools.partial(self.compiled, build), wanted))
                beside.put(beside.objects)  # a program is linked when a test that runs it is asked
        return left

    def is_in(self, build, name):
        """Whether the programs of the build that are asked for contain the file."""
        beside = self.beside[build]
        return self.command(build, name) is not None and beside.contain(beside.programs, self.known(build, name))

    def compiles(self, build, name, content):
        """Compiles to where compiled() looks for it."""
        folder, words = self.command(build, name)
        to = self.beside[build].own / "objects" / self.known(build, name)
        to.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*words, "-c", "-o", str(to)], cwd=folder, input=content, capture_output=True, check=False)
        self.beside[build].made[name] = content if done.returncode == 0 else None
        return done.returncode == 0

    def known(self, build, name):
        """The file's object, as the build names it."""
        words = self.entries[build][str(self.source / name)][1]
        return words[words.index("-o") + 1]

    def compiled(self, build, item):
        """(the object, as the build names it, the object with this content)"""
        name, content = item
        if self.beside[build].made.get(name) != content and not self.compiles(build, name, content):
            raise tree.BuildError(f"{name} does not compile with its mutants")
        return self.known(build, name), self.beside[build].own / "objects" / self.known(build, name)

    def object_code(self, build, name, content):
        folder, words = self.command(build, name)
        to = self.own / f"object-{threading.get_ident()}.o"
        done = subprocess.run([*words, "-O2", "-c", "-o", str(to)], cwd=folder, input=content, capture_output=True, check=False)
        return hashlib.sha256(to.read_bytes()).hexdigest() if done.returncode == 0 else None

    def refresh(self, test):
        with self.lock:
            for beside in self.beside.values():
                beside.link_stale([test])

    def ninja(self, build, timeout):
        """Nothing is left to build."""

    def built_with(self, mutant, check):
        changed = mutant.applied(self.text(mutant.file))
        try:
            for build, beside in self.beside.items():
                if self.is_in(build, mutant.file):
                    beside.put({**beside.objects, **dict([self.compiled(build, (mutant.file, changed))])})
            return check()
        finally:
            for build, beside in self.beside.items():
                if mutant.file in self.instead and self.is_in(build, mutant.file):
                    self.compiled(build, (mutant.file, self.instead[mutant.file]))
                beside.put(beside.objects)

    def state(self):
        digest = hashlib.sha256(repr(sorted(self.instead.items())).encode())
        for name in self.names:
            if name.endswith((".c", ".h", ".ibt")) and "/test/" not in name:
                digest.update(name.encode() + b"\0" + self.text(name))
        return digest.hexdigest()
