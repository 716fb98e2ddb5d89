# SPDX-License-Identifier: BSD-2-Clause
"""A step of tools/test that cannot look at everything in each run looks at the files that the last commits changed, and at a share of the
others, drawn by the hash of the commit. So two runs of a commit look at the same, and runs of many commits look at everything."""
import hashlib
import subprocess

SWEEP = 100  # a commit that changes more files does not count: it changes words or names


def git(root, *words):
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


def commit(root):
    return git(root, "rev-parse", "HEAD").strip()


def recent(root, commits):
    """The files that the last commits changed, and those that changed since."""
    changes = [one.split() for one in git(root, "log", f"-{commits}", "--name-only", "--format=%x00").split("\0")]
    return {name for names in changes if len(names) <= SWEEP for name in names} | set(git(root, "diff", "HEAD", "--name-only").split())


def place(hash_of_commit, name):
    """A place of the name in the order of the commit."""
    return hashlib.sha256((hash_of_commit + name).encode()).digest()


def drawn(hash_of_commit, name, share):
    """Whether the commit draws the name, which one of `share` commits does."""
    return place(hash_of_commit, name)[0] % share == 0
