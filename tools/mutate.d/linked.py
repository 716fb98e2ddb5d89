# SPDX-License-Identifier: BSD-2-Clause
"""The build of preset dev with mutants in it, linked beside it: no tree is copied, and no file compiled but those that have mutants.

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
SHARED = {"core/libiba.so": ["core/libiba.a", "-lisal"]}  # the tests of the preset dev link the model as a shared library


class Linked(tree.Tree):
    """Has the functions of tree.Tree, without a copy of the sources."""

    def __init__(self, root, place, log):
        super().__init__(root, place, ["tests"], log)
        self.source = root
        self.dev = root / "build" / "dev"
        self.own = place / "linked"
        self.library_of = {}  # object: its library
        self.objects = {}  # object, as the build names it: the one with mutants
        self.made = {}  # file: the content of which its object is made
        self.commands = {}  # program: words that link it
        self.programs, self.stale = [], set()  # that are asked for; those of which are not linked with the objects of now
        self.libraries, self.now = {}, {}  # library: its objects; current objects
        self.lock = threading.Lock()

    def build_dir(self, build):
        return self.dev

    def configure(self):
        path = self.dev / "compile_commands.json"
        if not path.exists():
            raise tree.BuildError("build/dev is missing: tools/lib/build dev")
        for archive, objects in ARCHIVE.findall((self.dev / "build.ninja").read_text(encoding="utf-8")):
            self.library_of.update((o, archive) for o in objects.split(" |")[0].split())
        with open(path, encoding="utf-8") as f:
            entries = [(e["file"], e["directory"], [w for w in shlex.split(e["command"]) if w != "-g"]) for e in json.load(f)]
        # A file may be compiled more than once, as the model is for AFL++: the object in a library is the one that programs have.
        entries.sort(key=lambda e: e[2][e[2].index("-o") + 1] in self.library_of)
        self.entries["tests"] = {file: (folder, words) for file, folder, words in entries}
        shutil.rmtree(self.own, ignore_errors=True)
        self.own.mkdir(parents=True)
        made = self.own / "switch.so"
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(made), str(tree.HERE / "switch.c")], check=True)
        for folder in ("bin", "test", "tools"):  # scripts find programs of tools beside bin
            (self.own / folder).mkdir()
            for program in (self.dev / folder).iterdir():
                (self.own / folder / program.name).symlink_to(program)

    def tests(self):
        """The tests of the build, whose programs are those of the folder."""
        found = kill.tests_of(self.dev)
        scenarios = {"IBPROOF_SCENARIOS": str(self.root / "conformance" / "scenarios")}  # ibconform looks beside itself
        for test in found.values():
            test.before = self.refresh
            test.command = [self.moved(word) for word in test.command]
            test.environment = {**scenarios, **{name: self.moved(value) for name, value in test.environment.items()}}
            if isinstance(test, kill.Golden):
                test.dissect = [self.moved(word) for word in test.dissect]
        return found

    def moved(self, word):
        for folder in ("bin", "test"):
            word = re.sub(re.escape(f"{self.dev}/{folder}") + r"(?=/|$)", f"{self.own}/{folder}", word)
        return word

    @functools.cached_property
    def linked(self):
        return kill.linked_of(self.dev)

    def ask_for(self, programs):
        self.programs = sorted(programs)

    def programs_of(self, tests):
        """The programs, as the build names them, that these tests run."""
        found, linked = set(), self.linked
        for test in tests:
            text = " ".join((*test.command, *test.environment.values(), *getattr(test, "dissect", ())))
            found |= {f"{folder}/{name}" for folder, name in re.findall(re.escape(str(self.own)) + r"/(bin|test)/([\w.-]+)", text)}
            if f"{self.own}/bin" in text and test.slow:  # a script may run any
                found |= {name for name in linked if name.startswith("bin/")}
        return found & linked

    def prepare(self, numbered):
        left = []
        self.instead, self.objects = {}, {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(lambda item: self.switchable(*item), numbered.items()))
            for name, (content, out) in zip(numbered, made):
                left += out
                if content:
                    self.instead[name] = content
            self.objects = dict(pool.map(lambda item: self.compiled(*item), self.instead.items()))
            self.put(self.objects)
            list(pool.map(self.link_one, self.programs))
        self.stale = set()
        return left

    def compiles(self, build, name, content):
        """Compiles to where compiled() looks for it."""
        folder, words = self.command(build, name)
        to = self.own / "objects" / self.known(name)
        to.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*words, "-c", "-o", str(to)], cwd=folder, input=content, capture_output=True, check=False)
        self.made[name] = content if done.returncode == 0 else None
        return done.returncode == 0

    def known(self, name):
        """The file's object, as the build names it."""
        words = self.entries["tests"][str(self.source / name)][1]
        return words[words.index("-o") + 1]

    def compiled(self, name, content):
        """(the object, as the build names it, the object with this content)"""
        if self.made.get(name) != content and not self.compiles("tests", name, content):
            raise tree.BuildError(f"{name} does not compile with its mutants")
        return self.known(name), self.own / "objects" / self.known(name)

    def object_code(self, build, name, content):
        folder, words = self.command(build, name)
        to = self.own / f"object-{threading.get_ident()}.o"
        done = subprocess.run([*words, "-O2", "-c", "-o", str(to)], cwd=folder, input=content, capture_output=True, check=False)
        return hashlib.sha256(to.read_bytes()).hexdigest() if done.returncode == 0 else None

    def refresh(self, test):
        """Links the programs that the test runs, unless they are linked with the current objects."""
        with self.lock:
            for program in self.stale & self.programs_of([test]):
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
            shutil.copyfile(self.dev / archive, own)
            subprocess.run(["ar", "r", str(own), *[str(to) for _, to in pairs]], check=True, capture_output=True)
        self.libraries, self.now = libraries, objects
        self.stale = set(self.programs)

    def words_of(self, program):
        if program not in self.commands:
            listed = subprocess.run(["ninja", "-C", str(self.dev), "-t", "commands", "-s", program], check=True, capture_output=True)
            last = [line for line in listed.stdout.decode().splitlines() if f"-o {program} " in line][-1]
            words = shlex.split(last.replace(": && ", "", 1).rsplit(" && :", 1)[0])
            self.commands[program] = [w for word in words for w in SHARED.get(word, [word])]
        return self.commands[program]

    def link_one(self, program):
        words, own, libraries, objects = list(self.words_of(program)), self.own / program, self.libraries, self.now
        if not any(word in libraries or word in objects for word in words):
            return
        words[words.index("-o") + 1] = str(own)
        words = [str(self.own / w) if w in libraries else str(objects[w]) if w in objects else w for w in words]
        own.unlink(missing_ok=True)
        done = subprocess.run([*words, str(self.own / "switch.so"), f"-Wl,-rpath,{self.own}"], cwd=self.dev, capture_output=True, check=False)
        if done.returncode:
            raise tree.BuildError(f"{program}: {done.stderr.decode(errors='replace')[:400]}")

    def ninja(self, build, timeout):
        """Nothing is left to build."""

    def built_with(self, mutant, check):
        try:
            known, to = self.compiled(mutant.file, mutant.applied(self.text(mutant.file)))
            self.put({**self.objects, known: to})
            return check()
        finally:
            if mutant.file in self.instead:
                self.compiled(mutant.file, self.instead[mutant.file])
            self.put(self.objects)

    def state(self):
        digest = hashlib.sha256(repr(sorted(self.instead.items())).encode())
        for name in self.names:
            if name.endswith((".c", ".h", ".ibt")) and "/test/" not in name:
                digest.update(name.encode() + b"\0" + self.text(name))
        return digest.hexdigest()
