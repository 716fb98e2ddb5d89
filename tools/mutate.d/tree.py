# SPDX-License-Identifier: BSD-2-Clause
"""A copy of the source tree with a build of its own, in which one mutant after the other is built and tested.

The libraries are shared (preset "mutate"), so that a mutant costs one compilation and one link. Two builds:
  tests    with assertions and the tests
  device   without assertions, ibconform only: what a device would do that has the mistake
"""

import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess

BUILDS = {
    "tests": [],
    "device": ["-DIBA_TESTS=OFF", "-DCMAKE_C_FLAGS=-DNDEBUG"],
}


class BuildError(Exception):
    pass


def files_of(root):
    """The files of the tree: those that git knows or would add."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, check=True, capture_output=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (root / name).exists()]


def copy_changed(root, to, names):
    """Copies what differs, and removes what is no longer there; untouched files keep their times."""
    wanted = set(names)
    for name in names:
        source, target = root / name, to / name
        if source.is_symlink():
            if not target.is_symlink() or os.readlink(target) != os.readlink(source):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                target.symlink_to(os.readlink(source))
            continue
        if target.exists() and target.stat().st_size == source.stat().st_size and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(source, target)
    for path in list(to.rglob("*")):
        relative = path.relative_to(to)
        if relative.parts[0] not in ("build", ".git") and (path.is_file() or path.is_symlink()) and str(relative) not in wanted:
            path.unlink()


class Tree:
    def __init__(self, root, place, builds):
        self.root, self.place, self.builds = root, place, builds
        self.source = place / "src"
        self.changed = {}  # file: its own bytes
        self.objects = {}  # for each build, object: time and hash without a mutant

    def build_dir(self, build):
        return self.source / "build" / f"mutate-{build}"

    def prepare(self, log):
        """Brings the copy up to date, builds it, and remembers its objects."""
        self.source.mkdir(parents=True, exist_ok=True)
        copy_changed(self.root, self.source, files_of(self.root))
        if not (self.source / ".git").exists():
            subprocess.run(["git", "init", "-q"], cwd=self.source, check=True)
        for build in self.builds:
            where = self.build_dir(build)
            command = ["cmake", "--preset", "mutate", "-B", str(where), *BUILDS[build]]
            self.call(command, log)
            self.ninja(build, log, None)
            self.objects[build] = {o: (o.stat().st_mtime_ns, self.hash_of(o)) for o in where.rglob("*.o")}

    def call(self, command, log):
        with open(log, "ab") as out:
            if subprocess.run(command, cwd=self.source, stdout=out, stderr=out, check=False).returncode:
                raise BuildError(f"{shlex.join(command)} failed: {log}")

    def ninja(self, build, log, timeout):
        targets = ["ibconform"] if build == "device" else []
        command = ["ninja", "-C", str(self.build_dir(build)), "-j", "1" if timeout else str(os.cpu_count()), *targets]
        with open(log, "ab") as out:
            try:
                done = subprocess.run(command, stdout=out, stderr=out, check=False, timeout=timeout)
            except subprocess.TimeoutExpired as error:
                raise BuildError("took too long") from error
        if done.returncode:
            raise BuildError(f"the build fails: {log}")

    @staticmethod
    def hash_of(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def apply(self, mutant):
        path = self.source / mutant.file
        own = path.read_bytes()
        self.changed[mutant.file] = own
        path.write_bytes(mutant.applied(own))

    def restore(self):
        for name, own in self.changed.items():
            (self.source / name).write_bytes(own)
        self.changed.clear()

    def is_same_code(self, build):
        """Whether all objects are what they are without the mutant: equal, then."""
        return all(not o.exists() or o.stat().st_mtime_ns == time or self.hash_of(o) == own
                   for o, (time, own) in self.objects[build].items())

    def compile_arguments(self):
        """For each source file below the root, the options that libclang needs."""
        with open(self.build_dir(self.builds[0]) / "compile_commands.json", encoding="utf-8") as f:
            entries = json.load(f)
        found = {}
        for entry in entries:
            path = pathlib.Path(entry["file"])
            if path.is_relative_to(self.source):
                words = shlex.split(entry["command"])
                found[str(path.relative_to(self.source))] = [w for w in words if w.startswith(("-I", "-D", "-std"))]
        return found
