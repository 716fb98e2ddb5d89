#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""completions.py BUILD: the completions of bash, zsh and fish name each option that a program's --help names, and bash's complete.

The completions are compared with the help texts that users read. zsh and fish read their files where they are installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAMS = ["ibdissect", "ibconform", "ibfabric", "ibagent"]
PROGRAMS += [p for p in ("ibagent-static",) if (BUILD / "bin" / p).exists()]  # not where sanitizers are: they link no static program
FILES = {"bash": "bash/%s", "zsh": "zsh/_%s", "fish": "fish/%s.fish"}


def run(*args, text=None):
    return subprocess.run([*map(str, args)], input=text, capture_output=True, text=True, timeout=60, check=False)


def options(text):
    """The options at the beginning of a help text's lines: "  -j, --jobs N", "  --color[=WHEN]", "  -z io,stat,SEC"."""
    rows = re.findall(r"^  (-[^ ,\[=]+)(?:, (--[a-z-]+))?", text, re.M)
    return {word for row in rows for word in row if word}


def file_of(shell, program):
    return BUILD / "completions" / (FILES[shell] % program)


def commands():
    text = run(BUILD / "bin/ibconform", "--help").stdout
    return re.findall(r"^  ([a-z]+) ", text.split("Commands\n")[1].split("\n\n")[0], re.M)


def complete(program, line):
    """The replies of bash's completion to a line that is split as readline splits it, also at the characters of
    COMP_WORDBREAKS."""
    words = [w for w in re.findall(r"[=:]+|[^\s=:]+", line)] + ([""] if line[-1:].isspace() else [])
    script = """
compopt() { :; }
PATH=%s:$PATH
. %s
COMP_LINE=$1 COMP_POINT=${#1}; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_%s
printf '%%s\\n' "${COMPREPLY[@]}"
""" % (BUILD / "bin", file_of("bash", program), program)
    done = run("bash", "--norc", "-uc", script, "bash", line, *words)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


class Listed(unittest.TestCase):
    def asked(self):
        for program in PROGRAMS:
            helps = [[c, "--help"] for c in commands()] if program == "ibconform" else [["--help"]]
            for args in helps:
                found = options(run(BUILD / "bin" / program, *args).stdout)
                self.assertGreater(len(found), 1, (program, args))
                yield program, args[0] if program == "ibconform" else None, found

    def test_bash(self):
        for program, command, found in self.asked():
            line = " ".join(x for x in (program, command, "-") if x)
            with self.subTest(line):
                replies = complete(program, line)
                self.assertLessEqual(found, set(replies))
                self.assertEqual(len(replies), len(set(replies)))

    def test_zsh(self):
        for program, command, found in self.asked():
            with self.subTest(program, command=command):
                text = file_of("zsh", program).read_text()
                part = text.split("\n%s)\n" % command)[1].split("    ;;\n")[0] if command else text
                self.assertLessEqual(found, set(re.findall(r"^ *'\*(-[-a-zA-Z0-9]*?)(?:\+|=|=-)?\[", part, re.M)))

    def test_fish(self):
        for program, command, found in self.asked():
            with self.subTest(program, command=command):
                mark = "__fish_seen_subcommand_from %s'" % command if command else ""
                rows = [r for r in file_of("fish", program).read_text().splitlines() if mark in r]
                words = {"-" + w for r in rows for w in re.findall(r" -s (\S)", r)}
                words |= {"--" + w for r in rows for w in re.findall(r" -l (\S+)", r)}
                self.assertLessEqual(found, words)

    def test_nothing_else(self):
        """No completion names an option that its program refuses."""
        for program, command, found in self.asked():
            line = " ".join(x for x in (program, command, "-") if x)
            for word in set(complete(program, line)) - found:
                done = run(BUILD / "bin" / program, *([command] if command else []), word)
                self.assertNotIn("no option", done.stderr, word)
                self.assertNotIn("no such option", done.stderr, word)


class Bash(unittest.TestCase):
    def test_words(self):
        for program, line, wanted in (
            ("ibdissect", "ibdissect -T js", ["json", "jsonl"]),
            ("ibdissect", "ibdissect --color=al", ["always"]),
            ("ibdissect", "ibdissect --fail-on=", ["note", "warn", "error"]),
            ("ibdissect", "ibdissect --fail-on e", ["error"]),
            ("ibdissect", "ibdissect -o icrc:of", ["off"]),
            ("ibdissect", "ibdissect -z ex", ["expert"]),
            ("ibdissect", "ibdissect -e frame.time_n", ["frame.time_ns"]),
            ("ibdissect", "ibdissect -q -z expert --rep", ["--report"]),
            ("ibconform", "ibconform mut", ["mutants"]),
            ("ibconform", "ibconform run --shar", ["--shard"]),
            ("ibconform", "ibconform show rc.responder.psn-gap-one-n", ["rc.responder.psn-gap-one-nak"]),
            ("ibconform", "ibconform list --js", ["--json"]),
            ("ibagent", "ibagent --engine=mut", ["mutant:"]),
            ("ibfabric", "ibfabric --con", ["--console"]),
        ):
            with self.subTest(line):
                self.assertEqual(complete(program, line), wanted)

    def test_files(self):
        folder = pathlib.Path(__file__).resolve().parent
        line = "ibdissect -r %s/comple" % folder
        self.assertEqual(complete("ibdissect", line), [str(folder / "completions.py")])
        self.assertEqual(complete("ibconform", "ibconform check %s/comple" % folder), [str(folder / "completions.py")])

    def test_values_are_those_of_the_program(self):
        """Values of options are those that the program lists when it refuses a value."""
        for option in ("-T", "-t", "-G"):
            named = run(BUILD / "bin/ibdissect", option, "nosuch").stderr.split("there are: ")[1].split()
            self.assertEqual(complete("ibdissect", "ibdissect %s " % option), named)


class Others(unittest.TestCase):
    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_reads_them(self):
        for program in PROGRAMS:
            done = run("zsh", "-n", file_of("zsh", program))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes(self):
        script = "set -x PATH %s $PATH; source %s; complete -C '%s'"
        for program, line, wanted in (
            ("ibdissect", "ibdissect -T js", ["json", "jsonl"]),
            ("ibdissect", "ibdissect --rep", ["--report"]),
            ("ibconform", "ibconform mut", ["mutants"]),
            ("ibconform", "ibconform run --shar", ["--shard"]),
            ("ibagent", "ibagent --lis", ["--listen"]),
            ("ibfabric", "ibfabric --con", ["--console"]),
        ):
            done = run("fish", "--no-config", "-c", script % (BUILD / "bin", file_of("fish", program), line))
            self.assertEqual([r.split("\t")[0] for r in done.stdout.splitlines()], wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
