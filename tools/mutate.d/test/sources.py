#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The mutants that tools/mutate makes of a small source, kind by kind; and that a table's rows are found."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import equivalent  # noqa: E402
import guard  # noqa: E402
import kill  # noqa: E402
import linked  # noqa: E402
import operators  # noqa: E402
import rows  # noqa: E402
import sample  # noqa: E402
import switched  # noqa: E402
import tree  # noqa: E402

CODE = r"""
#include <assert.h>
#include <stdbool.h>
#define TWICE(x) ((x) * 2)
enum color { RED, GREEN, BLUE };
enum { ROOM = 4 };
struct box { int n; bool full; };
static void touch(struct box *b) { b->n++; }
bool fits(struct box *b, int more)
{
    assert(b->n >= 0);
    if (b->n + more > ROOM && !b->full)
        return false;
    touch(b);
    b->n += TWICE(more);
    return more != 7;
}
enum color mix(enum color a, int *p)
{
    return *p ? a : GREEN;
}
"""
TABLE = r"""
#define ROWS(R)                        \
    R(FIRST,  1, early, "says one") \
    R(SECOND, 2, late,  "says two") /* R(NONE, 3, x, "") */ \
    R(THIRD,  2, late,  "says three")
#define ROWS_DOES(R) \
    R(A, 1) \
    R(B, 2)
"""


def made(code, **how):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.c"
        path.write_text(code, encoding="utf-8")
        return operators.mutants_of(path, "x.c", ["-std=c17"], **how), path.read_bytes()


def changes(mutants, text):
    return {(m.operator, text[m.start:m.end].decode(), m.shown) for m in mutants}


class Operators(unittest.TestCase):
    def setUp(self):
        self.mutants, self.text = made(CODE)
        self.changes = changes(self.mutants, self.text)

    def test_each_kind_of_place_is_found(self):
        for change in (
            ("relation", ">", ">="), ("relation", "!=", "=="),
            ("logic", "&&", "||"),
            ("operand-dropped", "b->n + more > ROOM && !b->full", "!b->full"),
            ("arithmetic", "+", "-"),
            ("assignment", "+=", "-="), ("assignment", "+=", "="),
            ("step", "b->n++", "b->n--"),
            ("negation-dropped", "!", ""),
            ("condition-negated", "b->n + more > ROOM && !b->full", "!(b->n + more > ROOM && !b->full)"),
            ("choice-fixed", "*p ? a : GREEN", "(a)"),
            ("constant", "7", "8"), ("constant", "7", "6"), ("constant", "4", "5"),
            ("enum-constant", "GREEN", "RED"), ("enum-constant", "GREEN", "BLUE"), ("enum-constant", "ROOM", "(ROOM + 1)"),
            ("statement-removed", "touch(b)", "(void)0"),
            ("result", "more != 7", "true"), ("result", "more != 7", "false"),
            ("result", "*p ? a : GREEN", "0"),
        ):
            self.assertIn(change, self.changes)

    def test_assertions_and_macros_are_left_alone(self):
        for _, was, _ in self.changes:
            self.assertNotIn("assert", was)
            self.assertNotEqual(was, ">=")
            self.assertNotEqual(was, "2")

    def test_a_pointer_is_no_product(self):
        self.assertFalse([c for c in self.changes if c[1] == "*"])

    def test_every_mutant_keeps_the_number_of_lines(self):
        for mutant in self.mutants:
            self.assertEqual(mutant.applied(self.text).count(b"\n"), self.text.count(b"\n"))

    def test_only_the_lines_that_were_asked_for(self):
        line = 1 + self.text[: self.text.index(b"return more")].count(b"\n")
        self.assertEqual({m.line for m in made(CODE, lines={line})[0]}, {line})

    def test_only_the_functions_that_were_asked_for(self):
        self.assertEqual({m.function for m in made(CODE, functions=["mix"])[0]}, {"mix"})

    def test_what_was_found_before_is_found_again_until_a_header_changes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "x.c").write_text('#include "x.h"\nint f(void)\n{\n    return A;\n}\n', encoding="utf-8")
            (folder / "x.h").write_text("enum { A, B };\n", encoding="utf-8")
            kept = operators.Kept(folder / "kept")
            first = kept.mutants_of(folder / "x.c", "x.c", [])
            self.assertEqual(first, operators.mutants_of(folder / "x.c", "x.c", []))
            self.assertEqual(kept.mutants_of(folder / "x.c", "x.c", []), first)
            (folder / "x.h").write_text("enum { A, B, C };\n", encoding="utf-8")
            self.assertIn("C", {m.shown for m in kept.mutants_of(folder / "x.c", "x.c", [])})

    def test_a_small_sample_begins_a_large_one(self):
        small, large = (operators.draw(self.mutants, n, "7") for n in (3, 9))
        self.assertEqual(small, large[:3])
        self.assertNotEqual(large, operators.draw(self.mutants, 9, "8"))


class Rows(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.h"
            path.write_text(TABLE, encoding="utf-8")
            self.text = path.read_bytes()
            self.mutants = rows.mutants_of(path, "x.h")
        self.changes = changes(self.mutants, self.text)

    def test_a_row_is_dropped_exchanged_and_given_another_entry(self):
        kinds = sorted(m.operator for m in self.mutants)
        self.assertEqual(kinds.count("row-dropped"), 3)
        self.assertEqual(kinds.count("rows-exchanged"), 2)
        self.assertIn(("other-row's-entry", "early", "late"), self.changes)
        self.assertIn(("constant", "1", "2"), self.changes)

    def test_names_and_sentences_and_what_broken_engines_do_stay(self):
        for mutant in self.mutants:
            if mutant.operator in ("other-row's-entry", "constant"):
                was = self.text[mutant.start:mutant.end].decode()
                self.assertFalse(re.search(r'"|FIRST|SECOND|THIRD', was))
            self.assertLess(mutant.start, self.text.index(b"ROWS_DOES"))

    def test_a_row_in_a_comment_is_none(self):
        self.assertFalse([m for m in self.mutants if self.text[m.start:].startswith(b"R(NONE")])


class Lists(unittest.TestCase):
    def test_a_known_equivalent_is_found_by_what_it_changes_wherever_it_moved(self):
        mutants, text = made(CODE)
        moved, below = made("\n\n" + CODE)
        self.assertEqual([equivalent.key(m, text) for m in mutants], [equivalent.key(m, below) for m in moved])

    def test_an_entry_without_a_reason_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "equivalent"
            path.write_text("# a comment\nx.c | a < b | relation | <= | they are never equal\n", encoding="utf-8")
            self.assertEqual(equivalent.read(path), {"x.c | a < b | relation | <=": "they are never equal"})
            path.write_text("x.c | a < b | relation | <=\n", encoding="utf-8")
            with self.assertRaises(ValueError):
                equivalent.read(path)


class Broken(unittest.TestCase):
    """Code that only a broken engine runs."""

    CODE = b'''/* A comment that has #include "none.h" */
#include "wire/iba_change.h"
struct ca { const struct iba_change *change; };
extern const struct iba_behaviours iba_way_behaviours;
enum { IBA_ROW_way_EARLY };
int at(const struct ca *x, int n) { return IBA_DEVIATES(x, way, EARLY) ? 0 : IBA_KEEPS(x, way, EARLY) ? n + 1 : n + 2; }
int list(const struct ca *x, int n) { return x->change ? 3 : n; }
'''

    def code(self, text):
        core = HERE.parents[2] / "core"
        return subprocess.run(["cc", "-std=c17", "-O2", "-iquote", str(core), "-S", "-x", "c", "-o", "-", "-"], input=text,
                              capture_output=True, check=True).stdout

    def test_it_makes_no_object_code(self):
        for change, alone in ((b"? 0", True), (b"n + 2", True), (b"? 3", True), (b"n + 1", False), (b": n;", False)):
            with self.subTest(change.decode()):
                changed = self.CODE.replace(change, change + b" + 5" if change != b": n;" else b": 7;")
                self.assertTrue(tree.has_broken(self.CODE))
                self.assertNotEqual(self.code(self.CODE), self.code(changed))
                self.assertEqual(self.code(tree.unbroken(self.CODE)) == self.code(tree.unbroken(changed)), alone)


def program():
    """tools/mutate itself."""
    loader = importlib.machinery.SourceFileLoader("mutate", str(HERE.parent.parent / "mutate"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(tool)
    return tool


class Order(unittest.TestCase):
    """A mutant that needs a build of its own is there in every run of a test until it is taken out again."""

    def test_tests_are_measured_before_a_mutant_is_linked_in(self):
        done = []
        judge = program().Judge.__new__(program().Judge)
        judge.chosen = types.SimpleNamespace(by=["unit", "tests"])
        judge.sample = types.SimpleNamespace(batch=iter([["row"], []]).__next__, numbers={}, results=[])
        judge.killers = types.SimpleNamespace(warm=done.append, known=types.SimpleNamespace(write=lambda: None))
        judge.copy = types.SimpleNamespace(builds=[])
        judge.built_in, judge.show = lambda mutant: done.append(mutant), lambda result: None
        judge.run(1)
        self.assertEqual(done, ["unit", "tests", "row"])


class Again(unittest.TestCase):
    """A second run, for the survivors of the first one."""

    def test_of_two_mutants_of_one_name_only_the_survivor_is_taken(self):
        tool = program()
        sums = [m for m in made("int f(int a, int b, int c)\n{\n    return a + b + c;\n}\n")[0] if m.operator == "arithmetic"]
        self.assertEqual(len(sums), 2)
        self.assertEqual(sums[0].name, sums[1].name)
        with tempfile.TemporaryDirectory() as folder:
            earlier = pathlib.Path(folder) / "earlier.json"
            results = [{"mutant": m.name, "id": m.id, "state": state} for m, state in zip(sums, ("noticed", "survived"))]
            earlier.write_text(json.dumps({"x": results}), encoding="utf-8")
            self.assertEqual(tool.again(earlier, {"x": sums}), {"x": [sums[1]]})


class Users(unittest.TestCase):
    """Which tests are asked about the mutants of a folder."""

    def test_a_folder_and_one_below_it(self):
        names = ("system-address", "dissect-page", "dissect-input-pcap", "core-wire-hdr")
        tests = [kill.Test(name, ["run-test"], {}, False) for name in names]
        self.assertEqual([kill.class_of(t, "dissect") for t in tests], ["tests", "unit", "unit", None])
        self.assertEqual([kill.class_of(t, "dissect/input") for t in tests], ["tests", "tests", "unit", None])
        self.assertEqual([kill.class_of(t, "dissect/system") for t in tests], ["unit", "tests", "tests", None])

    def test_accuracy_needs_its_program_although_it_is_slow(self):
        score = kill.Test(kill.ACCURACY["test"], ["run-test"], {}, True)
        tests = {score.name: score}
        self.assertEqual(kill.asked(tests, "core/observer", ["unit", "accuracy"], True), [])
        self.assertEqual(kill.accuracy_of(tests, "core/observer", ["unit", "accuracy"]), [score])
        self.assertEqual(kill.accuracy_of(tests, "core/observer", ["unit"]), [])
        self.assertEqual(kill.accuracy_of(tests, "core/cm", ["accuracy"]), [])


class Linked(unittest.TestCase):
    """Which programs are linked with mutants before a test runs."""

    def test_a_script_may_run_any_program_and_others_run_those_they_name(self):
        beside = linked.Beside(pathlib.Path("/build"), pathlib.Path("/own"), pathlib.Path("/own/switch.so"))
        beside.__dict__["linked"] = {"bin/a", "bin/b", "test/t-a", "test/t-b"}
        place = {"PROGRAMS": "/own/bin"}

        def programs(*command, slow=False):
            return beside.programs_of([kill.Test("x", list(command), place, slow)])

        for slow in (False, True):
            self.assertEqual(programs("/usr/bin/python3", "/source/x.py", "/own/test/t-b", slow=slow), {"bin/a", "bin/b", "test/t-b"})
        self.assertEqual(programs("/source/run-test", "3", "/own/test/t-a"), {"test/t-a"})


class Switched(unittest.TestCase):
    """A program with all mutants of a source compiled in behaves as the mutant whose number is selected."""

    MAIN = r"""
#include <stdio.h>
int main(void)
{
    struct box full = {4, true}, room = {1, false};
    bool fitted = fits(&room, 3);
    printf("%d %d %d %d %d %d\n", fitted, room.n, fits(&full, 1), full.n, mix(BLUE, &full.n), count(5));
    return 0;
}
"""
    NAMES = ("color", "RED", "GREEN", "BLUE", "ROOM", "box", "touch", "fits", "mix", "count", "main")  # of which each copy has its own
    MORE = r"""
int count(int n)
{
    int found = 0;
    static const int ten = 10;
    for (int i = 0; i < ten; i++) {
        if (i == n)
            break;
        switch (i) {
        case 3:
            found += 5;
            continue;
        default:
            break;
        }
        found++;
    }
    return found;
}
"""
    POINTERS = r"""
#include <stdbool.h>
#include <stddef.h>
struct box { struct box *next; int n; };
bool has(const struct box *b)
{
    return b;
}
const struct box *last(const struct box *b)
{
    while (b && b->next)
        b = b->next;
    if (!b || (!b->next && b->n > 3))
        return NULL;
    if (b)
        return b;
    return b->n ? b : NULL;
}
"""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.mutants, self.text = made(CODE.replace("static void touch", "void touch") + self.MORE)
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", str(self.folder / "switch.so"), str(HERE.parent / "switch.c")], check=True)

    def program(self, content, name):
        (self.folder / f"{name}.c").write_bytes(content + self.MAIN.encode())
        done = subprocess.run(["cc", "-w", "-o", str(self.folder / name), str(self.folder / f"{name}.c"), str(self.folder / "switch.so")],
                              capture_output=True, check=False)
        return str(self.folder / name) if done.returncode == 0 else None

    def each_alone(self, numbered):
        """One program that is the mutant whose number is its argument: one compilation for all of them."""
        parts = []
        for number, mutant in numbered:
            parts += [f"#define {name} {name}_{number}\n" for name in self.NAMES]
            parts += [mutant.applied(self.text).decode(), self.MAIN, *(f"#undef {name}\n" for name in self.NAMES)]
        cases = "".join(f"    case {number}: return main_{number}();\n" for number, _ in numbered)
        parts.append(f"#include <stdlib.h>\nint main(int n, char **word)\n{{\n    switch (n > 1 ? atoi(word[1]) : 0) {{\n{cases}    }}\n}}\n")
        (self.folder / "alone.c").write_text("".join(parts), encoding="utf-8")
        subprocess.run(["cc", "-w", "-o", str(self.folder / "alone"), str(self.folder / "alone.c")], check=True)
        return str(self.folder / "alone")

    def says(self, *program, **environment):
        done = subprocess.run(program, env=environment, capture_output=True, check=False, timeout=20)
        return done.returncode, done.stdout

    def test_each_number_does_what_its_mutant_does(self):
        numbered = [(n, m) for n, m in enumerate(self.mutants, 1) if m.around]
        content, apart = switched.switched(self.text, numbered)
        self.assertFalse(apart)
        all_of_them, plain = self.program(content, "all"), self.program(self.text, "plain")
        self.assertEqual(self.says(all_of_them), self.says(plain))
        numbered = [(n, m) for n, m in numbered  # others may run without end
                    if m.operator not in ("step", "assignment") and "i < ten" not in m.around_applied(self.text)]
        self.assertGreater(len(numbered), 30)
        alone = self.each_alone(numbered)
        for number, mutant in numbered:
            self.assertEqual(self.says(all_of_them, MUTATE=str(number)), self.says(alone, str(number)), mutant.name)
        self.assertGreater(len({self.says(alone, str(number)) for number, _ in numbered}), 10)

    def test_pointers_and_numbers_are_not_mixed_in_one_choice(self):
        mutants, text = made(self.POINTERS)
        content, apart = switched.switched(text, [(n, m) for n, m in enumerate(mutants, 1) if m.around])
        self.assertFalse(apart)
        (self.folder / "p.c").write_bytes(content)
        done = subprocess.run(["cc", "-Werror", "-c", "-o", str(self.folder / "p.o"), str(self.folder / "p.c")], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_what_a_program_reaches_is_written_down(self):
        numbered = [(n, m) for n, m in enumerate(self.mutants, 1) if m.around]
        program, seen = self.program(switched.switched(self.text, numbered)[0], "all"), self.folder / "seen"
        self.says(program, MUTATE_SEEN=str(seen))
        reached = {(m.operator, m.around_applied(self.text)) for n, m in numbered if seen.read_bytes()[n]}
        self.assertIn(("negation-dropped", " b->full"), reached)
        self.assertIn(("relation", "i != n"), reached)
        self.assertIn(("relation", "b->n + more >= ROOM"), reached)  # 1 + 3 is ROOM
        self.assertNotIn(("relation", "i <= ten"), reached)  # it never gets as far as 10

    def test_what_only_the_compiler_can_choose_has_no_switch(self):
        fixed = [m for m in self.mutants if not m.around]
        self.assertTrue([m for m in fixed if self.text[m.start:m.end] == b"3" and b"case" in self.text[m.start - 5:m.start]])
        self.assertTrue([m for m in fixed if self.text[m.start:m.end] == b"10"])


class SampleTest(unittest.TestCase):
    """The time after which the sample takes a mutant's test for endless."""

    def round(self, command):
        one = object.__new__(sample.Round)
        one.bench, one.place, one.limits = object.__new__(sample.Bench), self.folder, {}
        program = self.folder / "t-test"
        program.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        program.chmod(0o700)
        return one, program

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_slow_test_has_more_time(self):
        one, program = self.round("sleep 0.5")
        one.reach(program)
        self.assertGreater(one.limits[program], 3)
        one, program = self.round("exit 0")
        one.reach(program)
        self.assertEqual(one.limits[program], 3)

    def test_a_test_that_fails_without_a_mutant_is_told(self):
        one, program = self.round("exit 1")
        with self.assertRaisesRegex(tree.BuildError, "t-test fails without a mutant"):
            one.reach(program)


class Bounded(unittest.TestCase):
    def test_what_takes_too_long_ends_with_all_that_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "alive"
            begin = time.monotonic()
            self.assertIsNone(kill.run_bounded(["sh", "-c", f"setsid sh -c 'sleep 2; touch {path}' & sleep 60"], 0.5))
            time.sleep(max(0, 3 - (time.monotonic() - begin)))
            self.assertFalse(path.exists())

    def test_the_files_of_a_test_go_with_it(self):
        test = kill.Test("leaves-a-file", ["sh", "-c", "mkdir left.$$; sleep 60"], {}, False)
        before = set(pathlib.Path.cwd().iterdir())
        self.assertEqual(test.run(None, {}, 1, 10), "takes too long")
        self.assertEqual(set(pathlib.Path.cwd().iterdir()), before)

    def test_how_it_ended_is_told(self):
        self.assertEqual(kill.run_bounded(["sh", "-c", "exit 3"], 20), (3, b""))


class Guard(unittest.TestCase):
    def test_a_second_run_in_the_same_place_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "mutate"
            with guard.only_run(place):
                with self.assertRaisesRegex(guard.Busy, f"^process {os.getpid()} measures in this tree"):
                    guard.only_run(place)
            guard.only_run(place).close()

    @unittest.skipIf(os.geteuid() != 0, "only root can replace a device")
    def test_no_device_can_be_replaced_but_each_can_be_written_to(self):
        """In a process of its own, since all that it starts has this /dev, too."""
        script = """if True:
            import errno, os, guard
            refused = guard.read_only_devices()
            if refused: print("refused:", refused); raise SystemExit
            open("/dev/null", "wb").write(b"x")
            try: open("/dev/full", "wb", buffering=0).write(b"x")
            except OSError as e: assert e.errno == errno.ENOSPC, e
            for change in (lambda: os.rename("/dev/full", "/dev/full"), lambda: os.rename("/dev/full", "/dev/full.other"),
                           lambda: os.mknod("/dev/mutate-test")):
                try: change()
                except OSError as e: print(errno.errorcode[e.errno])
        """
        done = subprocess.run([sys.executable, "-B", "-c", script], cwd=HERE.parent, capture_output=True, check=False)
        said = done.stdout.decode().strip()
        if said.startswith("refused:"):
            self.skipTest(said)
        self.assertEqual((said.split(), done.stderr), (["EROFS"] * 3, b""))


if __name__ == "__main__":
    unittest.main()
