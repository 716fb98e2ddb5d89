#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sentences.py [--draw N] [--seed WORD] [--share SHARE] [FILE...]: the prose of the tree, sentence by sentence.

Without --draw it prints every sentence of the files (or of all tracked files) as PLACE: SENTENCE. With --draw N it prints N of
them, drawn by a generator whose seed is WORD (a commit's hash), in equal shares from three sources:

  docs      README files, docs, CONTRIBUTING and the like; a cell of a table with the table's head and the row
  comments  comments of C, Python, shell and CMake, with the line of code that they belong to
  rules     sentences of rule tables, findings, behaviours and statements, with the row, and titles of scenarios

Two readers rate the drawn sentences; CONTRIBUTING.md has how. tools/lint words uses the same sentences.
"""

import argparse
import dataclasses
import pathlib
import random
import re
import subprocess
import sys

SHARES = ("docs", "comments", "rules")
SHORTEST = 5  # words of a sentence that can be drawn
# Files that are left out: generated from sentences of other files, written by others, or no prose.
LEFT_OUT = re.compile(r"^(corpus/|docs/tables/|conformance/(reports/|FINDINGS\.md)|dissect/page/uplot/|LICENSE)")
C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
# A row of a table of sentences: a macro of capitals, or of one of these names, with a string of several words in it.
ROW = re.compile(r"^\s*(?:\{|[A-Z][A-Z_0-9]*\()")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|etc|no|p|pp|v)|\b[A-Z])\.$")
MARKER = re.compile(r"\s*(?:#|\||[-*] |\d+\. )")


@dataclasses.dataclass
class Sentence:
    file: str
    line: int
    share: str  # of SHARES, or "help": strings of C that are no rows, man pages
    text: str
    code: str = ""  # what the comment stands beside or above; the row of a sentence in a table
    heading: bool = False


def split(text):
    """Sentences of a paragraph: they end at . ! ? or : before a space and a capital."""
    start = 0
    for m in re.finditer(r"[.!?](?=[)\"']?\s+[(\"'`]?[A-Z])", text):
        if not ABBREVIATION.search(text[start : m.end()]):
            yield text[start : m.end()].strip()
            start = m.end()
    if text[start:].strip():
        yield text[start:].strip()


def plain(text):
    """Markdown without its marks: code is one word, a link is its text."""
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\*\*?|(?<!\w)_|_(?!\w)", "", text)


def of_markdown(file, text):
    block, first, fenced, head = [], 0, False, ""

    def flush():
        nonlocal head
        whole = " ".join(block)
        block.clear()
        heading, row = whole.startswith("#"), whole.startswith("|")
        head = (head or whole) if row else ""
        cells = whole.strip("|").split("|") if row else [re.sub("^" + MARKER.pattern, "", whole)]
        for cell in cells:
            for sentence in split(cell.strip(" #")):
                yield Sentence(file, first, "docs", sentence, f"{head} {whole}" if row and whole != head else "", heading)

    for n, line in enumerate(text.split("\n") + [""], 1):
        fenced ^= line.lstrip().startswith("```")
        if fenced or line.lstrip().startswith("```") or line.startswith("    ") or not line.strip():
            yield from flush()
        else:
            if MARKER.match(line) or block and block[-1][0] in "#|":
                yield from flush()
            if not block:
                first = n
            block.append(line.strip())
    yield from flush()


def paragraphs(lines):
    """(offset, text) of runs of lines; an empty line, a list's mark or a deeper indent begins a new one."""
    block, first = [], 0
    for n, line in enumerate(lines + [""]):
        if not line.strip() or re.match(r"\s*[-*] |  ", line):
            if block:
                yield first, " ".join(block)
            block = []
        if line.strip():
            if not block:
                first = n
            block.append(line.strip().removeprefix("- "))
    if block:
        yield first, " ".join(block)


def of_comment(file, line, lines, code):
    for offset, text in paragraphs(lines):
        for sentence in split(text):
            yield Sentence(file, line + offset, "comments", sentence, code)


def beside(text, start, end):
    """The code before a comment on its line or, when it stands alone, the line that follows."""
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    return before or text[end : end + 200].lstrip("\n ").split("\n")[0].strip()


def of_c(file, text):
    line, at, run = 1, 0, None  # run: lines of // that follow each other
    for m in C_TOKEN.finditer(text):
        line += text.count("\n", at, m.start())
        token, at = m[0], m.start()
        if run and not token.startswith("//"):
            yield from of_comment(*run)
            run = None
        if token.startswith("/*"):
            lines = [re.sub(r"^\s*\*? ?", "", x) for x in token[2:-2].split("\n")]
            yield from of_comment(file, line, lines, beside(text, m.start(), m.end()))
        elif token.startswith("//"):
            alone = not text[text.rfind("\n", 0, at) + 1 : at].strip()
            if run and alone and run[1] + len(run[2]) == line:
                run[2].append(token[2:].strip())
            else:
                if run:
                    yield from of_comment(*run)
                run = (file, line, [token[2:].strip()], beside(text, m.start(), m.end()))
        elif token.startswith('"') and len(token.split()) > 2:
            whole = text[text.rfind("\n", 0, at) + 1 : at]
            share = "rules" if ROW.match(whole) and "printf" not in whole and "/test/" not in file else "help"
            for sentence in split(token[1:-1].replace("\\n", " ").replace('\\"', '"').strip()):
                yield Sentence(file, line, share, sentence, " ".join((whole + token).split()) if share == "rules" else "")
    if run:
        yield from of_comment(*run)


def of_hash(file, text, python):
    lines, block = text.split("\n"), []
    docstring = None
    for n, line in enumerate(lines + [""], 1):
        if python and docstring is not None:
            docstring.append(line.replace('"""', ""))
            if '"""' in line:
                yield from of_comment(file, n - len(docstring) + 1, docstring, "")
                docstring = None
            continue
        if python and (m := re.match(r'\s*[rf]?"""(.*)$', line)):
            if '"""' in m[1]:
                yield from of_comment(file, n, [m[1].split('"""')[0]], lines[n - 2].strip())
            else:
                docstring = [m[1]]
            continue
        alone = re.match(r"\s*#(?!!) ?(.*)$", line)
        if alone and "SPDX-" not in line and "shellcheck" not in line:
            block.append(alone[1])
            continue
        if block:
            yield from of_comment(file, n - len(block), block, line.strip())
            block = []
        if m := re.search(r"(?<=\S)\s+# ([^'\"]*)$", line):
            yield from of_comment(file, n, [m[1]], line[: m.start()].strip())


def of_scenario(file, text):
    for n, line in enumerate(text.split("\n"), 1):
        if m := re.match(r"(title|note)\s+(.*)$", line):
            for sentence in split(m[2]):
                yield Sentence(file, n, "rules" if m[1] == "title" else "comments", sentence)
        elif (m := re.search(r"(?:^|\s)# (.*)$", line)) and "SPDX" not in line:
            yield from of_comment(file, n, [m[1]], line[: m.start()].strip())


def of_man(file, text):
    for n, line in enumerate(text.split("\n"), 1):
        if line.strip() and not re.match(r"[.'](?!B |I |BR |BI )", line):
            for sentence in split(re.sub(r"^\.(B|I|BR|BI) |\\f[A-Z]|\\&", "", line).replace("\\-", "-")):
                yield Sentence(file, n, "help", sentence)


def of_file(file):
    try:
        text = pathlib.Path(file).read_text(encoding="utf-8")
    except (UnicodeDecodeError, IsADirectoryError, FileNotFoundError):
        return
    path = pathlib.PurePath(file)
    if path.suffix == ".md":
        yield from of_markdown(file, text)
    elif path.suffix in (".c", ".h"):
        yield from of_c(file, text)
    elif path.suffix == ".ibt":
        yield from of_scenario(file, text)
    elif path.suffix == ".1":
        yield from of_man(file, text)
    elif path.suffix in (".py", ".sh", ".cmake") or path.name == "CMakeLists.txt" or text.startswith("#!"):
        yield from of_hash(file, text, path.suffix == ".py" or "python" in text.split("\n", 1)[0])


def tracked(names=()):
    names = names or subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(n for n in names if n and not LEFT_OUT.match(n) and not pathlib.Path(n).is_symlink())


def of_tree(names=()):
    for file in tracked(names):
        yield from of_file(file)


def fit(sentence):
    """Whether the sentence can be drawn: it is long enough, and most of it is words."""
    words = plain(sentence.text).split()
    real = [w for w in words if re.fullmatch(r"[(\"']?[A-Za-z][a-z'-]*[a-z.,;:)?!\"']*", w)]
    return len(words) >= SHORTEST and 2 * len(real) > len(words) and not sentence.heading


def draw(sentences, count, seed, shares=SHARES):
    """Draws `count` sentences in equal shares; if the shares cannot be equal, the first ones get one sentence more. The same seed and
    tree give the same sentences."""
    generator = random.Random(seed)
    for n, share in enumerate(shares):
        pool = [s for s in sentences if s.share == share and fit(s)]
        yield from generator.sample(pool, min(len(pool), count // len(shares) + (n < count % len(shares))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, metavar="N", help="draw N sentences")
    parser.add_argument("--seed", metavar="WORD", help="the generator's seed; by default the hash of HEAD")
    parser.add_argument("--share", choices=SHARES, help="draw from one source only")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_args()
    sentences = list(of_tree(args.files))
    if args.draw is None:
        for s in sentences:
            print(f"{s.file}:{s.line}: {s.text}")
        return
    seed = args.seed or subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    print(f"{args.draw} of {len(sentences)} sentences, seed {seed}")
    shares = (args.share,) if args.share else SHARES
    for n, s in enumerate(draw(sentences, args.draw, seed, shares), 1):
        print(f"{n:2} {s.file}:{s.line}: {s.text}" + (f"\n   beside: {s.code}" if s.code else ""))


if __name__ == "__main__":
    sys.exit(main())
