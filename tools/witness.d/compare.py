"""Comparing what two dissectors print, and the list of differences that have a reason."""

import collections
import fnmatch
import tomllib

KEYS = {"name", "fields", "in", "when", "right", "why", "source", "pcaps"}


class Difference:
    """One entry of the list: fields, the kinds of comparison it is for, and a predicate over the packet."""

    def __init__(self, entry):
        if missing := KEYS - entry.keys():
            raise ValueError(f"difference {entry.get('name')!r} lacks {', '.join(sorted(missing))}")
        if extra := entry.keys() - KEYS:
            raise ValueError(f"difference {entry['name']!r} has unknown {', '.join(sorted(extra))}")
        self.name, self.fields, self.kinds = entry["name"], set(entry["fields"]), set(entry["in"])
        self.expected, self.when = entry["pcaps"], compile(f"({entry['when'].strip()})", entry["name"], "eval")
        self.matched = 0

    def covers(self, kind, field, theirs, ours, names):
        if kind not in self.kinds or not any(fnmatch.fnmatchcase(field, name) for name in self.fields):
            return False
        given = {"field": field, "kind": kind, "theirs": theirs, "ours": ours}
        return bool(eval(self.when, {"__builtins__": BUILTINS, **names, **given}))


BUILTINS = {"len": len, "int": int, "any": any, "all": all, "range": range, "set": set, "bytes": bytes, "sorted": sorted, "str": str}


def load(path):
    with open(path, "rb") as file:
        return [Difference(entry) for entry in tomllib.load(file)["difference"]]


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
        """One value of one packet (or of one file); both empty is nothing to compare."""
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
