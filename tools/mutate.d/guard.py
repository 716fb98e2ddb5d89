# SPDX-License-Identifier: BSD-2-Clause
"""Protects a run from another one in the same tree, and the machine from mutants.

A mutant of the code that replaces a file by a complete one may replace a device: with the rights of root, /dev/full of the whole
machine was a plain file afterwards. So a run that has these rights sees /dev read-only: its devices can be opened and written
to, but not renamed, removed or replaced.
"""

import ctypes
import fcntl
import os

MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, CLONE_NEWNS = 0x1, 0x20, 0x1000, 0x4000, 0x40000, 0x20000
KEPT = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC  # mount() has the same numbers


class Busy(Exception):
    """Another run has the place."""


def only_run(place):
    """Locks the place until the returned file is closed. Busy: another run has locked it."""
    place.mkdir(parents=True, exist_ok=True)
    lock = open(place / "lock", "a+", encoding="utf-8")  # pylint: disable=consider-using-with
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip()
        lock.close()
        raise Busy(f"process {owner} measures in this tree, and two runs would build over each other") from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def read_only_devices():
    """Gives this process and all that it starts a read-only /dev; what is mounted below it stays as it is. None when that is done or not
    needed, else why it cannot be done."""
    if os.geteuid() != 0:
        return None  # the machine protects its devices
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source, target, flags):
        return libc.mount(source, target, None, ctypes.c_ulong(flags), None) == 0

    kept = os.statvfs("/dev").f_flag & KEPT
    if libc.unshare(CLONE_NEWNS) == 0 and mount(None, b"/", MS_REC | MS_PRIVATE) and mount(b"/dev", b"/dev", MS_BIND | MS_REC) \
            and mount(None, b"/dev", MS_REMOUNT | MS_BIND | MS_RDONLY | kept):
        return None
    return os.strerror(ctypes.get_errno())
