# SPDX-License-Identifier: BSD-2-Clause
"""Mutants of a C source: places where one expression or statement is replaced by another that a mistake could have made.

libclang finds the places, so a `*` is known to be a product and no pointer. Code from a macro's expansion is left alone,
and so are assertions: no user sees them. Every mutant keeps the number of lines, so that objects can be compared.
"""

import hashlib
import pathlib
import pickle
import random
import re

import clang.cindex as cindex

from mutant import Mutant

# Deviations that are broken on purpose, and code that only checks: no user's device or verdict has them.
LEFT_OUT = re.compile(r"/test/|_does\.[ch]$|deviation|_check\.c$|iba_change|/main\.c$")
KIND = cindex.CursorKind
EXPRESSION_KINDS = (KIND.BINARY_OPERATOR, KIND.COMPOUND_ASSIGNMENT_OPERATOR)
RELATIONS = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
}
ARITHMETIC = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "%": "/",
    "&": "|",
    "|": "&",
    "^": "|",
    "<<": ">>",
    ">>": "<<",
}
LOGIC = {"&&": "||", "||": "&&"}
INTEGERS = {
    cindex.TypeKind.CHAR_U, cindex.TypeKind.UCHAR, cindex.TypeKind.USHORT, cindex.TypeKind.UINT,
    cindex.TypeKind.ULONG, cindex.TypeKind.ULONGLONG, cindex.TypeKind.CHAR_S, cindex.TypeKind.SCHAR,
    cindex.TypeKind.ENUM, cindex.TypeKind.SHORT, cindex.TypeKind.INT, cindex.TypeKind.LONG, cindex.TypeKind.LONGLONG,
}
DEBUG = re.compile(rb"^#ifndef NDEBUG\n.*?^#(?:else|elif|endif)", re.M | re.S)  # code that only assertions use
ASSERTIONS = re.compile(r"^(static_)?assert|^_Static_assert|^cr_|^__")


class Source:
    """A parsed file: its text, and where macros were expanded in it."""

    def __init__(self, path, arguments, index=None):
        self.path = path
        self.text = path.read_bytes()
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = (index or cindex.Index.create()).parse(str(path), args=arguments, options=options)
        fatal = [d for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if fatal:
            raise ValueError(f"{path}: libclang cannot read it: {fatal[0].spelling}")
        self.expansions = sorted(
            (c.extent.start.offset, c.extent.end.offset)
            for c in self.unit.cursor.get_children()
            if c.kind == KIND.MACRO_INSTANTIATION and self.is_here(c)
        )
        self.debug = [match.span() for match in DEBUG.finditer(self.text)]

    def is_here(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == str(self.path)

    def span(self, cursor):
        """Offsets of the cursor's text, or None where a macro made all of it or a part of its edge."""
        start, end = cursor.extent.start, cursor.extent.end
        if start.file is None or start.file.name != str(self.path) or end.file is None or end.file.name != str(self.path):
            return None
        if any(first <= start.offset < last for first, last in self.debug):
            return None
        for first, last in self.expansions:
            if first > end.offset:
                break
            if first <= start.offset and end.offset <= last:
                return None
            if first < start.offset < last or first < end.offset < last:
                return None
        return start.offset, end.offset

    def of(self, span):
        return self.text[span[0]:span[1]].decode()


def is_boolean(kind):
    return kind.get_canonical().kind == cindex.TypeKind.BOOL


def is_integer(kind):
    return kind.get_canonical().kind in INTEGERS


class Finder:
    """Walks a file's tree and collects mutants. `lines`: only these; None: all."""

    def __init__(self, source, name, lines=None):
        self.source, self.name, self.lines = source, name, lines
        self.found = []
        self.fixed = 0  # above 0: inside of what the compiler must know

    def add(self, cursor, span, operator, replacement):
        line, column = cursor.extent.start.line, cursor.extent.start.column
        old = self.source.of(span)
        if old == replacement or (self.lines is not None and line not in self.lines):
            return
        replacement += "\n" * (old.count("\n") - replacement.count("\n"))  # so that later lines keep their numbers
        around = self.source.span(cursor) if self.inside and not self.fixed else None
        self.found.append(Mutant(self.name, line, column, operator, span[0], span[1], replacement, self.inside, around))

    def is_fixed(self, parent, child):
        """Whether the compiler must know the child's value: a case, a static object's first value, the size of an array."""
        if parent.kind == KIND.CASE_STMT:
            return child == next(parent.get_children())
        if parent.kind != KIND.VAR_DECL:
            return parent.kind in (KIND.ENUM_DECL, KIND.ENUM_CONSTANT_DECL, KIND.STRUCT_DECL)
        if parent.storage_class == cindex.StorageClass.STATIC:
            return True
        before = self.source.text[parent.extent.start.offset:child.extent.start.offset]
        return parent.type.get_canonical().kind == cindex.TypeKind.CONSTANTARRAY and b"=" not in before

    def walk(self, cursor, is_statement=False):
        if cursor.kind == KIND.CALL_EXPR and ASSERTIONS.match(cursor.spelling or ""):
            return
        visit = VISITS.get(cursor.kind)
        span = self.source.span(cursor)
        if span:
            if visit:
                visit(self, cursor, span)
            if is_statement:
                self.removed(cursor, span)
        for child in cursor.get_children():
            fixed = self.is_fixed(cursor, child)
            self.fixed += fixed
            self.walk(child, self.is_statement(cursor, child))
            self.fixed -= fixed

    @staticmethod
    def is_statement(parent, child):
        if parent.kind == KIND.COMPOUND_STMT:
            return True
        if parent.kind in (KIND.IF_STMT, KIND.WHILE_STMT, KIND.FOR_STMT):
            children = list(parent.get_children())
            return child in children[1:] if parent.kind == KIND.IF_STMT else child == children[-1]
        return False

    # -- one method for each kind of place --

    def removed(self, cursor, span):
        if cursor.kind in (KIND.CALL_EXPR, KIND.BINARY_OPERATOR, KIND.COMPOUND_ASSIGNMENT_OPERATOR,
                           KIND.UNARY_OPERATOR, KIND.BREAK_STMT, KIND.CONTINUE_STMT):
            self.add(cursor, span, "statement-removed", "(void)0")

    def binary(self, cursor, span):
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        left, right = (self.source.span(c) for c in children)
        # An operand that a macro made has its span in the text, too: only the operator between them must be plain.
        left_end, right_start = children[0].extent.end.offset, children[1].extent.start.offset
        between = self.source.text[left_end:right_start].decode(errors="replace") if left_end < right_start else ""
        operator = re.sub(r"/\*.*?\*/|//[^\n]*", "", between, flags=re.S).strip()
        at = left_end + between.find(operator) if operator else 0
        place = (at, at + len(operator))
        if not operator or self.source.of(place) != operator:
            return
        if operator in RELATIONS:
            for other in RELATIONS[operator]:
                self.add(cursor, place, "relation", other)
        elif operator in LOGIC:
            self.add(cursor, place, "logic", LOGIC[operator])
            if left:
                self.add(cursor, span, "operand-dropped", self.source.of(left))
            if right:
                self.add(cursor, span, "operand-dropped", self.source.of(right))
        elif operator in ARITHMETIC:
            self.add(cursor, place, "arithmetic", ARITHMETIC[operator])
        elif operator.endswith("=") and operator[:-1] in ARITHMETIC:
            self.add(cursor, place, "assignment", "=")
            self.add(cursor, place, "assignment", ARITHMETIC[operator[:-1]] + "=")

    def unary(self, cursor, span):
        text = self.source.of(span)
        if text.startswith("!"):
            self.add(cursor, (span[0], span[0] + 1), "negation-dropped", " ")
        elif text.startswith("~"):
            self.add(cursor, (span[0], span[0] + 1), "negation-dropped", " ")
        elif text.startswith("++") or text.endswith("++"):
            self.add(cursor, span, "step", text.replace("++", "--"))
        elif text.startswith("--") or text.endswith("--"):
            self.add(cursor, span, "step", text.replace("--", "++"))

    def condition(self, cursor, _):
        where = next(cursor.get_children())
        inner = self.source.span(where)
        if inner:
            self.add(where, inner, "condition-negated", f"!({self.source.of(inner)})")

    def choice(self, cursor, span):
        children = list(cursor.get_children())
        spans = [self.source.span(c) for c in children]
        if len(children) != 3 or not all(spans):
            return
        self.add(cursor, span, "choice-fixed", f"({self.source.of(spans[1])})")
        self.add(cursor, span, "choice-fixed", f"({self.source.of(spans[2])})")

    def number(self, cursor, span):
        text = self.source.of(span)
        match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)", text)
        if not match:
            return
        value = int(match.group(1), 0) if not re.fullmatch(r"0[0-7]+", match.group(1)) else int(match.group(1), 8)
        self.add(cursor, span, "constant", f"{value + 1}{match.group(2)}")
        if value > 0:
            self.add(cursor, span, "constant", f"{value - 1}{match.group(2)}")
        if value > 3:
            self.add(cursor, span, "constant", f"{value // 2}{match.group(2)}")

    def name_of_constant(self, cursor, span):
        target = cursor.referenced
        if target is None or target.kind != KIND.ENUM_CONSTANT_DECL or target.semantic_parent is None:
            return
        siblings = [c.spelling for c in target.semantic_parent.get_children() if c.kind == KIND.ENUM_CONSTANT_DECL]
        place = siblings.index(cursor.spelling) if cursor.spelling in siblings else -1
        if len(siblings) > 1:
            for other in {siblings[(place + 1) % len(siblings)], siblings[place - 1]} - {cursor.spelling}:
                self.add(cursor, span, "enum-constant", other)
        else:
            self.add(cursor, span, "enum-constant", f"({cursor.spelling} + 1)")

    def returned(self, cursor, span):
        children = list(cursor.get_children())
        if not children:
            return
        inner = self.source.span(children[0])
        if not inner:
            return
        text, kind = self.source.of(inner), children[0].type
        if is_boolean(self.result) if self.result is not None else is_boolean(kind):
            self.add(children[0], inner, "result", "false" if text != "false" else "true")
            self.add(children[0], inner, "result", "true" if text != "true" else "false")
        elif self.result is not None and is_integer(self.result):
            self.add(children[0], inner, "result", f"({text}) + 1")
            if text != "0":
                self.add(children[0], inner, "result", "0")
        elif self.result is not None and self.result.get_canonical().kind == cindex.TypeKind.POINTER and text != "NULL":
            self.add(children[0], inner, "result", "(void *)0")

    result = None  # type of the function that is walked through
    inside = None  # its name

    def function(self, cursor):
        self.result, self.inside = cursor.result_type, cursor.spelling
        self.walk(cursor)
        self.result = self.inside = None


VISITS = {
    KIND.BINARY_OPERATOR: Finder.binary,
    KIND.COMPOUND_ASSIGNMENT_OPERATOR: Finder.binary,
    KIND.UNARY_OPERATOR: Finder.unary,
    KIND.IF_STMT: Finder.condition,
    KIND.WHILE_STMT: Finder.condition,
    KIND.CONDITIONAL_OPERATOR: Finder.choice,
    KIND.INTEGER_LITERAL: Finder.number,
    KIND.DECL_REF_EXPR: Finder.name_of_constant,
    KIND.RETURN_STMT: Finder.returned,
}


def mutants_of(path, name, arguments, lines=None, functions=None):
    """All mutants of a file, in the order of the text. `functions`: only in these."""
    source = Source(path, arguments)
    finder = Finder(source, name, lines)
    for cursor in source.unit.cursor.get_children():
        if not source.is_here(cursor):
            continue
        if cursor.kind == KIND.FUNCTION_DECL and cursor.is_definition():
            if functions is None or cursor.spelling in functions:
                finder.function(cursor)
        elif cursor.kind in (KIND.VAR_DECL, KIND.ENUM_DECL) and functions is None:
            finder.walk(cursor)
    unique = {(m.start, m.end, m.replacement): m for m in finder.found}
    return sorted(unique.values(), key=lambda m: (m.start, m.end, m.replacement))


class Kept:
    """A cache of the mutants of files, since parsing a file takes longer than all other work on it."""

    def __init__(self, place):
        self.place, self.version = place, hashlib.sha256(pathlib.Path(__file__).read_bytes()).digest()
        self.place.mkdir(parents=True, exist_ok=True)

    def mutants_of(self, path, name, arguments):
        """As of mutants_of(). The headers beside the file count, too: they have the enumerations that its constants are of."""
        digest = hashlib.sha256(self.version + repr((name, arguments)).encode() + path.read_bytes())
        for header in sorted(path.parent.glob("*.h")):
            digest.update(header.read_bytes())
        kept = self.place / digest.hexdigest()[:32]
        if kept.exists():
            return pickle.loads(kept.read_bytes())
        found = mutants_of(path, name, arguments)
        kept.write_bytes(pickle.dumps(found))
        return found


def draw(mutants, count, seed):
    """Draws `count` mutants by the seed; the first 20 of a sample of 100 are the sample of 20."""
    order = list(mutants)
    random.Random(f"ibproof {seed}").shuffle(order)
    return order[:count]
