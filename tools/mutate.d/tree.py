# SPDX-License-Identifier: BSD-2-Clause
"""A copy of the source tree with builds of its own, whose sources contain the mutants of a sample.

Most are chosen when a program starts (switched.py). A value that the compiler must know (a row of a table, a case) costs a build: the
libraries are shared (preset "mutate"), so that it is one compilation and one link. Two builds:
  tests    with assertions and the tests
  device   without assertions, ibconform and what --visible runs: what a device would do that has the mistake
"""

import concurrent.futures
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
import switched

HERE = pathlib.Path(__file__).resolve().parent
BUILDS = {
    "tests": [],
    "device": ["-DCMAKE_C_FLAGS=-DNDEBUG"],
}


BUILD_SECONDS = 900
DEVICE = ["ibconform", "ibfuzz_engine", "ibfuzz_responder", "ibfuzz_requester", "ibfuzz_network", "t-core-adapter-chaos",
          "t-core-adapter-hostile"]
# Pointers that only a broken engine has. Compiled as NULL, all that a broken engine alone runs has no code.
BROKEN = re.compile(rb"(?<![\w.>])((?:\w+(?:->|\.))+(?:deviate|change))\b(?!\s*=[^=])")
# The macros of iba_change.h that read such a pointer; OF_NULL defines them as if it were NULL
MACROS = re.compile(rb"\bIBA_(?:KEEPS|DEVIATES|CHANGED_ROW)\(")
OF_NULL = b"""
#undef IBA_KEEPS
#undef IBA_DEVIATES
#undef IBA_CHANGED_ROW
#define IBA_KEEPS(x, list, row) iba_keeps((__typeof__((x)->change))0, &iba_##list##_behaviours, IBA_ROW_##list##_##row)
#define IBA_DEVIATES(x, list, row) iba_deviates((__typeof__((x)->change))0, &iba_##list##_behaviours, IBA_ROW_##list##_##row)
#define IBA_CHANGED_ROW(x, list) iba_changed_row((__typeof__((x)->change))0, &iba_##list##_behaviours)
"""
LAST_INCLUDE = re.compile(rb"(?s)\A.*^#include [^\n]*\n", re.M)
# Rows that say in which ways a behaviour can be broken: only a broken engine reads them.
WAYS = (b"IBA_BEHAVIOUR_ROW(", b"IBA_NO_BEHAVIOUR(", b"#define IBA_NO_BEHAVIOUR(...) {0},\n")


def has_broken(text):
    """Whether the source has code that only a broken engine runs."""
    return bool(BROKEN.search(text) or MACROS.search(text))


def unbroken(text):
    """The source without all that only a broken engine runs or reads."""
    ways, none, define = WAYS
    text = BROKEN.sub(rb"((__typeof__(\1))0)", text)
    if MACROS.search(text):
        text = LAST_INCLUDE.sub(lambda includes: includes.group() + OF_NULL, text)
    return define + text.replace(ways, none) if ways in text else text


class BuildError(Exception):
    pass


def files_of(root):
    """The files of the tree: tracked files, and files that git would add."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, check=True, capture_output=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (root / name).exists()]


def put(target, content, mode=None):
    """Writes a file unless it has this content: untouched files keep their times."""
    if target.is_symlink() or not target.exists() or target.read_bytes() != content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.write_bytes(content)
    if mode is not None:
        target.chmod(mode)


def copy_changed(root, to, names, instead):
    """Copies what differs, and removes what is no longer there. `instead`: content of some files."""
    wanted = set(names)
    for name in names:
        source, target = root / name, to / name
        if source.is_symlink():
            if not target.is_symlink() or os.readlink(target) != os.readlink(source):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                target.symlink_to(os.readlink(source))
            continue
        put(target, instead.get(name) or source.read_bytes(), source.stat().st_mode & 0o777)
    for path in list(to.rglob("*")):
        relative = path.relative_to(to)
        if relative.parts[0] not in ("build", ".git") and (path.is_file() or path.is_symlink()) and str(relative) not in wanted:
            path.unlink()


class Tree:
    def __init__(self, root, place, builds, log):
        self.root, self.place, self.builds, self.log = root, place, builds, log
        self.source = place / "src"
        self.names = files_of(root)  # and their content when the run began, so that later edits do not disturb the run
        self.texts = {}
        self.instead = {}  # file: its content with the mutants of the sample
        self.plain = {}  # (build, file): its object code without a mutant
        self.targets = {"device": DEVICE}  # what is built of a build; all of one that is not here
        self.entries = {}  # build: {file: (folder, words of the command that compiles it)}

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_bytes()
        return self.texts[name]

    def build_dir(self, build):
        return self.source / "build" / f"mutate-{build}"

    def configure(self):
        """Brings the copy's build systems up to date; then files can be compiled."""
        self.source.mkdir(parents=True, exist_ok=True)
        for name in self.names:  # what cmake reads
            if name.endswith(("CMakeLists.txt", ".cmake", "CMakePresets.json")) or not (self.source / name).exists():
                put(self.source / name, (self.root / name).read_bytes()) if not (self.root / name).is_symlink() else None
        if not (self.source / ".git").exists():
            subprocess.run(["git", "init", "-q"], cwd=self.source, check=True)
        library = self.place / "switch.so"
        made = self.place / "switch.new.so"
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(made), str(HERE / "switch.c")], check=True)
        put(library, made.read_bytes(), 0o755)
        link = f"-Wl,--no-as-needed {library} -Wl,--as-needed"
        for build in self.builds:
            self.call(["cmake", "--preset", "mutate", "-B", str(self.build_dir(build)), f"-DCMAKE_EXE_LINKER_FLAGS={link}",
                       f"-DCMAKE_SHARED_LINKER_FLAGS={link}", *BUILDS[build]])
            with open(self.build_dir(build) / "compile_commands.json", encoding="utf-8") as f:
                self.entries[build] = {e["file"]: (e["directory"], shlex.split(e["command"])) for e in json.load(f)}

    def prepare(self, numbered):
        """Builds all with the mutants: {file: [(number, mutant)]}. Returns those that no running program can choose."""
        left = []
        self.instead = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(lambda item: self.switchable(*item), numbered.items()))
        for name, (content, out) in zip(numbered, made):
            left += out
            if content:
                self.instead[name] = content
        copy_changed(self.root, self.source, self.names, self.instead)
        for build in self.builds:
            self.ninja(build, None)
        return left

    def switchable(self, name, mutants):
        """(the file's content with all mutants that can be switched, the others)."""
        text, build = self.text(name), self.builds[0]
        content, out = switched.switched(text, mutants)
        if self.compiles(build, name, content):
            return content, out
        good = [(n, m) for n, m in mutants if (n, m) not in out and self.compiles(build, name, switched.switched(text, [(n, m)])[0])]
        content = switched.switched(text, good)[0]
        if not self.compiles(build, name, content):
            good, content = [], None
        return content, [pair for pair in mutants if pair not in good]

    def command(self, build, name):
        """(folder, words) that compile the file from the standard input to where "-o" says; None: it is no source of the build."""
        folder, words = self.entries[build].get(str(self.source / name), (None, None))
        if words is None:
            return None
        kept, skip = [], False
        for word in words:
            if skip or word in (str(self.source / name), "ccache", "-c", "-MD") or word.startswith("-Werror"):
                skip = False
            elif word in ("-o", "-MF", "-MT"):
                skip = True
            else:
                kept.append(word)
        return folder, [*kept, "-w", "-iquote", str((self.source / name).parent), "-x", "c", "-"]

    def compiles(self, build, name, content):
        folder, words = self.command(build, name)
        return subprocess.run([*words, "-fsyntax-only"], cwd=folder, input=content, capture_output=True, check=False).returncode == 0

    def object_code(self, build, name, content):
        """Hash of the file's object code; None: it does not compile."""
        folder, words = self.command(build, name)
        to = self.place / f"object-{threading.get_ident()}.o"
        done = subprocess.run([*words, "-c", "-o", str(to)], cwd=folder, input=content, capture_output=True, check=False)
        return hashlib.sha256(to.read_bytes()).hexdigest() if done.returncode == 0 else None

    def is_same_code(self, build, mutant):
        """Whether the file has the same object code with the mutant: equal, then. None: it does not compile. A header has none."""
        if self.command(build, mutant.file) is None:
            return False
        text = self.text(mutant.file)
        same = self.have_same_code(build, mutant, text, mutant.applied(text))
        if same is False and has_broken(text):
            return bool(self.have_same_code(build, mutant, unbroken(text), unbroken(mutant.applied(text))))
        return same

    def have_same_code(self, build, mutant, text, changed):
        key = (build, mutant.file, hash(text))
        if key not in self.plain:
            self.plain[key] = self.object_code(build, mutant.file, text)
        code = self.object_code(build, mutant.file, changed)
        return None if code is None else self.plain[key] is not None and code == self.plain[key]

    def call(self, command):
        with open(self.log, "ab") as out:
            if subprocess.run(command, cwd=self.source, stdout=out, stderr=out, check=False).returncode:
                raise BuildError(f"{shlex.join(command)} failed: {self.log}")

    def tests(self):
        return kill.tests_of(self.build_dir("tests"))

    def refresh(self, test):
        """Nothing is left to link."""

    def may_reach(self, test, files):  # pylint: disable=unused-argument
        """Whether the test can run code of one of the files. A tree does not know it before the test has run."""
        return True

    def ask_for(self, programs):
        """Names the programs that the tests run."""
        if programs:
            self.targets["tests"] = sorted(programs)

    def ninja(self, build, timeout):
        command = ["ninja", "-C", str(self.build_dir(build)), *self.targets.get(build, ())]
        with open(self.log, "ab") as out:
            try:
                done = subprocess.run(command, stdout=out, stderr=out, check=False, timeout=timeout)
            except subprocess.TimeoutExpired as error:
                raise BuildError("took too long") from error
        if done.returncode:
            raise BuildError(f"the build fails: {self.log}")

    def built_with(self, mutant, check):
        """Builds with the mutant and no other one, and returns the result of `check`."""
        path = self.source / mutant.file
        before = path.read_bytes()
        path.write_bytes(mutant.applied(self.text(mutant.file)))
        try:
            for build in self.builds:
                self.ninja(build, BUILD_SECONDS)
            return check()
        finally:
            path.write_bytes(before)

    def state(self):
        """A hash of all bytes of which the programs are made."""
        digest = hashlib.sha256()
        for name in self.names:
            if name.endswith((".c", ".h", ".txt", ".cmake", ".json", ".ibt")) and "/test/" not in name:
                digest.update(name.encode() + b"\0" + (self.source / name).read_bytes())
        return digest.hexdigest()

    def compile_arguments(self):
        """For each source file, the options that libclang needs to read it where it is."""
        found = {}
        for path, (_, words) in self.entries[self.builds[0]].items():
            relative = pathlib.Path(path)
            if relative.is_relative_to(self.source):
                found[str(relative.relative_to(self.source))] = [
                    w if f"{self.source}/build" in w else w.replace(str(self.source), str(self.root))
                    for w in words if w.startswith(("-I", "-D", "-std"))]
        return found
