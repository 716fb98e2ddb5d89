# SPDX-License-Identifier: BSD-2-Clause
"""A source that contains many mutants at once, each with a number that turns it on: built once, it is every one of them in turn.

An expression becomes a choice, `(mutate_is(7) ? (a <= b) : (a < b))`; a break or continue becomes conditional. While no mutant is on
and reach is measured (switch.c), each choice that is reached writes its number down; one that only compares or computes does so
only where its result differs: a test that never has `a == b` there cannot notice the 7.
"""

import re

PREFIX = """extern int mutate_active; extern void mutate_seen(unsigned); static inline __attribute__((unused)) int mutate_is(unsigned n, \
int differs) { if (__builtin_expect(!mutate_active, 1)) return 0; if (mutate_active < 0) { if (differs) mutate_seen(n); return 0; } \
return mutate_active == (int)n; } """
COMPUTES = ("relation", "arithmetic")
TRUTHS = ("condition-negated", "operand-dropped")
ACTS = re.compile(r"\+\+|--|\w\s*\(|(?<![=!<>])=(?!=)")  # calls, assigns, or a macro may
JUMP = re.compile(r"(break|continue)\s*;?$")


def only_computes(mutant, old):
    """Whether both forms may be evaluated without harm, to compare their results."""
    return mutant.operator in COMPUTES and not ACTS.search(old)


def of_one_type(mutant, old, other, now):
    """Both forms as the branches of one choice. Where only their truth value counts, both become numbers, since one may be a pointer and
    gcc 14 refuses a choice between a pointer and a number."""
    truth = mutant.operator in TRUTHS or (mutant.operator == "negation-dropped" and old.startswith("!"))
    if truth or (mutant.operator == "result" and mutant.replacement in ("true", "false")):
        return f"!!({other})", f"!!({now})"
    return f"({other})", f"({now})"


class Place:
    """All mutants of one expression or statement, and the places inside of it."""

    def __init__(self, first, last):
        self.first, self.last, self.mutants, self.inner = first, last, [], []


def around(mutant, text):
    """The span that the switch encloses: with the semicolon of a jump."""
    first, last = mutant.around
    if mutant.operator == "statement-removed" and JUMP.match(text[first:last].decode()):
        last = text.index(b";", last) + 1
    return first, last


def places(text, numbered):
    """The tree of places. Mutants whose places would overlap are left out: returned apart."""
    top, apart = Place(0, len(text)), []
    by_span = {}
    for number, mutant in numbered:
        by_span.setdefault(around(mutant, text), []).append((number, mutant))
    stack = [top]
    for (first, last), mutants in sorted(by_span.items(), key=lambda item: (item[0][0], -item[0][1])):
        while stack[-1].last <= first:
            stack.pop()
        if last > stack[-1].last:
            apart += mutants
            continue
        place = Place(first, last)
        place.mutants = mutants
        stack[-1].inner.append(place)
        stack.append(place)
    return top, apart


def inside(text, place):
    """The place's own text, with switches in the places inside of it."""
    parts, at = [], place.first
    for inner in place.inner:
        parts += [text[at:inner.first].decode(), written(text, inner)]
        at = inner.last
    return "".join(parts) + text[at:place.last].decode()


def written(text, place):
    old, now = text[place.first:place.last].decode(), inside(text, place)
    removed = [n for n, m in place.mutants if m.operator == "statement-removed"]
    if removed and JUMP.match(old):
        return f"{{ if (!mutate_is({removed[0]}u, 1)) {now} }}"
    for number, mutant in place.mutants:
        if mutant.operator == "statement-removed":
            continue
        other = mutant.around_applied(text)
        differs = f"mutate_active < 0 && ({other}) != ({old})" if only_computes(mutant, old) else "1"
        mine, its = of_one_type(mutant, old, other, now)
        now = f"(mutate_is({number}u, {differs}) ? {mine} : {its})"
    for number in removed:
        now = f"(mutate_is({number}u, 1) ? (void)0 : (void)({now}))"
    return now


def switched(text, numbered):
    """(the source with all mutants in it, those that do not fit)."""
    top, apart = places(text, numbered)
    return (PREFIX + inside(text, top)).encode(), apart
