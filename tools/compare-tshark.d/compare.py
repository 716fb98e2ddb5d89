# SPDX-License-Identifier: BSD-2-Clause
"""Comparing what two dissectors print, and the list of differences that have a reason."""

import collections
import fnmatch
import ipaddress
import re
import tomllib

KEYS = {"name", "fields", "in", "when", "right", "why", "source", "pcaps"}
RANGE = {"from", "until"}


class Difference:
    """One entry of the list: fields, the kinds of comparison it is for, and a predicate over the packet."""

    def __init__(self, entry, version=(0, 0)):
        if missing := KEYS - entry.keys():
            raise ValueError(f"difference {entry.get('name')!r} lacks {', '.join(sorted(missing))}")
        if extra := entry.keys() - KEYS - RANGE:
            raise ValueError(f"difference {entry['name']!r} has unknown {', '.join(sorted(extra))}")
        self.name, self.fields, self.kinds = entry["name"], set(entry["fields"]), set(entry["in"])
        self.expected, self.when = count(entry["pcaps"], version), compile(f"({entry['when'].strip()})", entry["name"], "eval")
        self.first, self.last = series(entry.get("from", "0.0")), series(entry.get("until", "9999.0"))
        self.matched = 0

    def stands(self, version):
        """Whether the entry applies to this version of tshark."""
        return self.first <= version <= self.last

    def covers(self, kind, field, theirs, ours, names):
        if kind not in self.kinds or not any(fnmatch.fnmatchcase(field, name) for name in self.fields):
            return False
        given = {"field": field, "kind": kind, "theirs": theirs, "ours": ours}
        return bool(eval(self.when, {"__builtins__": BUILTINS, **names, **given}))


def last_four(gid):
    """tshark's text for a GID where it expects an IPv4 address."""
    return str(ipaddress.IPv4Address(ipaddress.IPv6Address(gid).packed[-4:])) if gid else ""


BUILTINS = {"last_four": last_four, "len": len, "int": int, "any": any, "all": all, "range": range, "set": set, "bytes": bytes, "sorted": sorted, "str": str}


def series(text):
    """(4, 0) of "4.0", of "4.0.17", and of a sentence that holds it."""
    found = re.search(r"(\d+)\.(\d+)", text)
    if not found:
        raise ValueError(f"no version in {text!r}")
    return int(found[1]), int(found[2])


def count(given, version):
    """The count of an entry: a number for all versions, or a table by version, each number from that version on."""
    if not isinstance(given, dict):
        return given
    known = [(series(first), number) for first, number in given.items()]
    return max(((first, number) for first, number in known if first <= version), default=((0, 0), 0))[1]


def load(path, version):
    """The entries for this version of tshark. A fault that this version has fixed is not accepted."""
    with open(path, "rb") as file:
        entries = [Difference(entry, version) for entry in tomllib.load(file)["difference"]]
    return [entry for entry in entries if entry.stands(version)]


def unexplained_names(differences, kind, only):
    """Of the names that one side alone has those that no entry is about; and names of entries that are none of them."""
    listed = {name for difference in differences if kind in difference.kinds for name in difference.fields}
    return ([name for name in only if not any(fnmatch.fnmatchcase(name, pattern) for pattern in listed)],
            sorted(pattern for pattern in listed if not fnmatch.filter(only, pattern)))


class Verdict:
    """Counts, and every difference that no entry explains."""

    def __init__(self, differences):
        self.differences = differences
        self.compared = collections.Counter()
        self.expected = 0
        self.unexplained = []
        self.differing = collections.defaultdict(set)  # place to fields

    def value(self, kind, field, where, theirs, ours, names=None):
        """Compares one value of one packet or file; if both programs print none, the value does not count."""
        if theirs or ours:
            self.compared[kind] += 1
        if theirs == ours:
            return
        self.differing[where].add(field)
        for difference in self.differences:
            if difference.covers(kind, field, theirs, ours, names or {}):
                difference.matched += 1
                self.expected += 1
                return
        self.unexplained.append((kind, field, where, theirs, ours))
