#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibconform from its users' point of view: commands, options, exit codes, one line for every mistake. IBPROOF_BIN names its
folder."""
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

from scenario import GOOD

PROGRAM = os.path.join(os.environ["IBPROOF_BIN"], "ibconform")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = "rc.responder.psn-gap-one-nak"
PLACE = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"],
         **{k: v for k, v in os.environ.items() if k.startswith("MUTATE")}}  # tools/mutate says by them which mistake is on
COMMANDS = ("list", "show", "run", "statements", "mutants", "fuzz", "check", "diff", "devices")
FAILING = GOOD.replace("msn=1", "msn=9").replace("is acknowledged", "is counted oddly")


def run(*args, env=None, stdout=subprocess.PIPE):
    return subprocess.run([PROGRAM, *map(str, args)], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                          timeout=300, env={**PLACE, **(env or {})})


def text(result):
    return result.stdout.decode("utf-8")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.suite = self.folder / "suite"
        self.scenario("area/one/good.ibt", GOOD)
        self.scenario("area/two/fine.ibt", GOOD.replace("RR-03 RR-04", "RR-04"))
        self.env = {"IBPROOF_SCENARIOS": str(self.suite)}

    def scenario(self, name, content):
        path = self.suite / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def file(self, content, name="x.json"):
        (self.folder / name).write_text(content)
        return self.folder / name

    def ends(self, code, *args, env=None, **kw):
        r = run(*args, env={**self.env, **(env or {})}, **kw)
        self.assertEqual((r.returncode, r.stderr), (code, b""), (args, r.stdout))
        return r

    def good(self, *args, **kw):
        return self.ends(0, *args, **kw)

    def fails(self, code, *args, says="", env=None, **kw):
        """Expects one line on stderr, this exit code, and nothing on stdout."""
        r = run(*args, env={**self.env, **(env or {})}, **kw)
        err = r.stderr.decode("utf-8")
        self.assertEqual(r.returncode, code, (args, err, r.stdout))
        self.assertRegex(err, r"\Aibconform: [^\n]+\n\Z", args)
        self.assertIn(says, err)
        self.assertIn(r.stdout, (b"", None), args)
        return r


class Usage(Case):
    def test_no_command(self):
        self.fails(2, says="--help")
        self.fails(2, "rum", says='no command "rum"; did you mean "run"?\n')
        self.fails(2, "", says="no command")
        self.fails(2, "--scenarios", "x", "run", says="the command comes first")

    def test_unknown_option(self):
        for command in COMMANDS:
            self.fails(2, command, "--nonsense", says="no option --nonsense")
            self.fails(2, command, "-k", says="no option -k")
        for command in (c for c in COMMANDS if c not in ("check", "diff", "devices", "fuzz")):
            self.fails(2, command, "--scenarios", says="wants a value")
            self.fails(2, command, "--scenarios=", says="empty")
        self.fails(2, "check", "--scenarios", ".", says="no option --scenarios")
        self.fails(2, "run", "--evidense", "x", says="did you mean --evidence?")
        self.fails(2, "list", "--target", "reference", says="no option --target")
        self.fails(2, "run", "-j", says="-j: wants a value")
        self.fails(2, "run", "--verbose=yes", says="takes no value")
        self.fails(2, "list", "--json=x", says="takes no value")

    def test_wrong_values(self):
        for args in (("--repeat", "0"), ("--repeat", "-1"), ("--repeat", "x"), ("--repeat", "1x"), ("-j", "0"),
                     ("-j", "257"), ("-j", "99999999999999999999"), ("--seed", "x"), ("--seed", "-1"),
                     ("--timeout-scale", "0"), ("--timeout-scale", "nan"), ("--timeout-scale", "inf"),
                     ("--timeout-scale", "2x"), ("--color=sometimes",), ("--link", "roce3"), ("--link", ""),
                     ("--target", "nonsense"), ("--target", "mutant:"), ("--target", "mutant:emit.bth.pns=1"),
                     ("--exclude", "nonsense"), ("--junit", "-", "--json", "-"), ("--waivers", "none.json"),
                     ("--evidence", PROGRAM)):
            with self.subTest(args):
                self.fails(2, "run", *args)
        self.fails(2, "run", "--link", "roce2-ipv5", says='nearest is "roce2-ipv')
        for args in (("--sample", "0"), ("--only", "mutant:nonsense"), ("--link", "x"), ("-j", "0")):
            self.fails(2, "mutants", *args)
        self.fails(2, "show", says="show wants ID")
        self.fails(2, "show", "a", "b", says="takes one ID")
        self.fails(2, "list", "--capabilities", "x")
        self.fails(2, "run", *["area.*"] * 257, says="more than 256 patterns")

    def test_help(self):
        whole = text(self.good("--help"))
        self.assertEqual(whole, text(self.good("-h")))
        for command in COMMANDS:
            self.assertIn("\n  %s " % command, whole)
            page = text(self.good(command, "--help"))
            self.assertEqual(page, text(self.good(command, "-h")))
            self.assertIn("\nExamples\n", page)
            whole += page
        self.assertTrue(all(len(line) <= 120 for line in whole.splitlines()))
        self.assertRegex(text(self.good("--version")), r"\Aibconform \d+\.\d+\.\d+\nsandbox: [^\n]+\n\Z")
        self.assertEqual(text(self.good("-V")), text(self.good("--version")))

    def test_manual_names_every_option(self):
        manual = (SOURCE / "man" / "ibconform.1").read_text()
        options = set(re.findall(r"--([a-z-]+)", "".join(
            text(self.good(c, "--help")).split("\nOptions\n")[1].split("\nExamples\n")[0] for c in COMMANDS)))
        self.assertGreater(len(options), 15)
        for name in options:
            self.assertIn("-" + name, manual)
        for command in COMMANDS:
            self.assertIn(".Cm " + command, manual)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            for args in (("--help",), ("list",), ("run",), ("run", "--json", "-"), ("statements", "--json")):
                self.fails(4, *args, stdout=full)
        self.fails(4, "mutants", "--sample", 1, "--out", "/dev/full", stdout=subprocess.DEVNULL)
        for form in ("--junit", "--json", "--html"):
            self.fails(4, "run", form, self.folder / "no" / "x", stdout=subprocess.DEVNULL)

    def test_reader_that_left(self):
        for args in (("--help",), ("list", "--json"), ("run",), ("run", "--json", "-"), ("run", "--junit", "-"),
                     ("run", "--html", "-"), ("statements", "--json"), ("mutants", "--sample", 1, "--out", "-")):
            read, write = os.pipe()
            os.close(read)
            self.good(*args, stdout=write)
            os.close(write)


class Selection(Case):
    def ids(self, *args):
        return [row["id"] for row in json.loads(self.good("list", "--json", *args).stdout)]

    def test_patterns(self):
        both = ["area.one.good", "area.two.fine"]
        for pattern, want in (("area", both), ("area.one", both[:1]), ("*fine", both[1:]), ("area.one.good", both[:1]),
                              ("RR-04", both), ("RR-03", both[:1]), ("*", both)):
            self.assertEqual(self.ids(pattern), want, pattern)
        self.assertEqual(self.ids(), both)
        self.assertEqual(self.ids("area.two", "area.one", "area"), both)

    def test_a_group_with_a_slip(self):
        self.fails(2, "run", "area.oen", says='nearest is "area.one"')

    def test_nothing_matches(self):
        for command in ("list", "run", "mutants", "show"):
            self.fails(2, command, "area.one.god", says='nearest is "area.one.good"')
            self.fails(2, command, "RR-05", says="no scenario cites RR-05")
            self.fails(2, command, "qwqwqw.qw", says='no scenario matches "qwqwqw.qw"; ibconform list prints all')
        self.fails(2, "run", "area", "nonsense", says='no scenario matches "nonsense"')
        self.fails(2, "run", "area.one.[f-h]*", says="patterns know '*' and '?' only")
        self.fails(2, "run", "--exclude", "area.one.god", says='--exclude: no scenario matches')
        self.fails(2, "run", "--exclude", "area", says="leaves nothing")
        self.fails(2, "run", "area.one", "--exclude", "area.one.good", says="leaves nothing")

    def test_every_fault_is_told(self):
        self.scenario("area/a.ibt", GOOD.replace("RR-03 RR-04", "none"))
        self.assertIn("area.a", self.ids())
        self.scenario("area/b.ibt", GOOD.replace("vary ", "needs mw_type2\nvary "))
        self.scenario("area/c.ibt", GOOD + "> a SEND_ONYL psn=+1\n> a SEND_ONLY psm=+1\n")
        said = run("list", env=self.env)
        self.assertEqual(said.returncode, 2)
        lines = said.stderr.decode().splitlines()
        self.assertEqual(len(lines), 3, lines)
        self.assertIn("unknown capability 'mw_type2'; did you mean 'mw2'? (`ibconform list --capabilities` lists them)", lines[0])

        self.assertIn("c.ibt:9:", lines[1])
        self.assertIn("c.ibt:10:", lines[2])

    def chosen(self, *args):
        """Returns the scenarios that a run with these options plays."""
        return [r["id"] for r in json.loads(text(run("run", "--json", "-", *args, env=self.env)))["results"]]

    def test_shards(self):
        for n in "abcde":
            self.scenario("area/many/%s.ibt" % n, GOOD)
        everything = self.chosen()
        self.assertEqual(len(everything), 7)
        parts = [self.chosen("--shard", "%d/3" % i) for i in (1, 2, 3)]
        self.assertEqual([len(p) for p in parts], [3, 2, 2])
        self.assertEqual(sorted(sum(parts, [])), sorted(everything))
        self.assertEqual(self.chosen("area.one", "--shard", "1/1"), ["area.one.good"])
        for bad in ("0/3", "4/3", "1", "1/", "/3", "1/0", "1/3x", "-1/3", "1 /3", "99999999999999999999/3"):
            self.fails(2, "run", "--shard", bad, says="want I/N, as 1/4 to 4/4")
        self.fails(2, "run", "area.one", "--shard", "2/2", says="only 1 scenario is chosen")
        self.fails(2, "run", "area.one", "area.two", "--shard", "3/3", says="only 2 scenarios are chosen")

    def test_what_failed_is_played_again(self):
        for name in ("area/bad/one.ibt", "area/bad/two.ibt"):
            self.scenario(name, FAILING)
        report = self.folder / "r.json"
        self.ends(1, "run", "--json", report)
        self.assertEqual(self.chosen("--rerun-failed", report), ["area.bad.one", "area.bad.two"])
        self.assertEqual(self.chosen("area.bad.two", "area.one", "--rerun-failed", report), ["area.bad.two"])
        self.assertEqual(self.chosen("--rerun-failed", report, "--shard", "2/2"), ["area.bad.two"])
        (self.suite / "area/bad/two.ibt").unlink()
        self.assertEqual(self.chosen("--rerun-failed", report), ["area.bad.one"])
        self.fails(2, "run", "area.one", "--rerun-failed", report, says="none of what was chosen failed there")
        self.fails(2, "run", "--rerun-failed", self.file("{}"), says="not what ibconform run --json writes")
        self.fails(2, "run", "--rerun-failed", self.folder / "none", says="No such file")
        before = report.read_bytes()
        self.fails(2, "run", "--rerun-failed", report, "--json", report, says=str(report))
        self.assertEqual(report.read_bytes(), before)
        for verdict, again in (("PASS", False), ("TOLERATED", False), ("INCONCLUSIVE", True), ("DEVIATES", True), ("FAIL", True),
                               ("ERROR", True), ("INFO", False), ("NOT_APPLICABLE", False), ("UNSUPPORTED", False),
                               ("XFAIL", False), ("XPASS", True)):
            results = [{"id": "area.one.good", "verdict": verdict}, {"id": "area.two.fine", "verdict": "FAIL"}]
            old = self.file(json.dumps({"tool": "ibconform", "format": 1, "results": results}))
            self.assertEqual("area.one.good" in self.chosen("--rerun-failed", old), again, verdict)
        old = self.file(json.dumps({"tool": "ibconform", "format": 1, "results": [{"id": "run", "verdict": "ERROR"}]}))
        self.fails(2, "run", "--rerun-failed", old, says="that run did not end, and has no results")

    def test_reports_of_runs_without_results(self):
        report = self.folder / "r.json"
        self.fails(2, "run", "--target", "nonsense", "--json", report, says="nonsense")
        only = json.loads(report.read_text())["results"]
        self.assertEqual([(r["id"], r["verdict"]) for r in only], [("run", "ERROR")])
        self.assertIn("nonsense", only[0]["finding"]["got"])
        self.fails(4, "run", "--json", self.folder / "none" / "r.json", says="No such file")
        self.fails(4, "run", "--target", "nonsense", "--json", self.folder / "none" / "r.json", says="No such file")

    def test_where_scenarios_are(self):
        self.fails(2, "list", "--scenarios", self.folder / "none", says="none")
        (self.folder / "empty").mkdir()
        self.fails(2, "list", "--scenarios", self.folder / "empty", says="no scenario there")
        self.assertEqual(len(self.ids("--scenarios", self.suite / "area")), 2)
        self.assertEqual(self.ids("--scenarios", self.suite / "area"), ["one.good", "two.fine"])

    def test_installed_scenarios(self):
        """A program in PREFIX/bin uses the scenarios in PREFIX/share."""
        (self.folder / "bin").mkdir()
        shutil.copy(PROGRAM, self.folder / "bin")
        shutil.copytree(self.suite, self.folder / "share/ibproof/scenarios")
        r = subprocess.run([self.folder / "bin/ibconform", "list"], stdout=subprocess.PIPE, env=PLACE, timeout=60)
        self.assertEqual([line.split()[0] for line in text(r).splitlines()], ["area.one.good", "area.two.fine"])

    def test_no_scenarios(self):
        """A program outside of an installation finds no scenarios, and contains no path of the tree that it was built
        from."""
        (self.folder / "alone").mkdir()
        shutil.copy(PROGRAM, self.folder / "alone")
        r = subprocess.run([self.folder / "alone/ibconform", "list"], capture_output=True, env=PLACE, timeout=60)
        self.assertEqual((r.returncode, r.stdout), (2, b""))
        self.assertIn(b"say --scenarios DIR", r.stderr)

    def test_faulty_scenarios(self):
        for content, says in ((GOOD.replace("SEND_ONLY", "SEND_ONYL"), "SEND_ONLY"), (GOOD + "> b SEND_ONLY\n", "faulty.ibt:9:"),
                              (GOOD.replace("RR-04", "RR-4"), 'faulty.ibt:2:16: no statement "RR-4"; nearest is "RR-'),
                              ("", "faulty.ibt:"), (GOOD.replace("title", "tilte"), "title")):
            path = self.scenario("area/faulty.ibt", content)
            for command in ("list", "run", "statements", "mutants"):
                self.fails(2, command, says=says)
            path.unlink()

    def test_every_fault_of_every_file(self):
        """One run reports every fault in each file: in optional lines of the head, in steps, and in citations."""
        steps = "needs mw_type9\nlink roce9\n" + GOOD + "  a frobnicate\n> a SEND_ONYL psn=+0\n"
        for content, words in ((steps, ("'mw_type9'", "'roce9'", "'frobnicate'", "'SEND_ONYL'")),
                               (GOOD.replace("RR-04", "RR-4 RR-5"), ('no statement "RR-4"', 'no statement "RR-5"'))):
            for name in ("area/faulty.ibt", "area/worse.ibt"):
                self.scenario(name, content)
            r = run("list", env=self.env)
            said = r.stderr.decode()
            self.assertEqual((r.returncode, said.count("\n")), (2, 2 * len(words)), said)
            for word in words:
                self.assertEqual(said.count(word), 2, said)

    def test_list(self):
        rows = text(self.good("list")).splitlines()
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0].split(None, 3), ["area.one.good", "RR-03,RR-04", rows[0].split()[2], "a SEND is acknowledged"])
        row = json.loads(self.good("list", "--json").stdout)[0]
        self.assertEqual((row["clause"], row["sentence"], row["role"], row["variations"]),
                         (["RR-03", "RR-04"], "a SEND is acknowledged", "responder", 2))
        self.scenario("area/x.ibt", "class informational\n" + GOOD)
        self.assertEqual(json.loads(self.good("list", "--json", "area.x").stdout)[0]["class"], "informational")
        words = text(self.good("list", "--capabilities")).splitlines()
        self.assertIn("srq", [w.split()[0] for w in words])
        self.assertEqual(len(json.loads(self.good("list", "--capabilities", "--json").stdout)), len(words))

    def test_show(self):
        self.scenario("area/full.ibt", "needs srq page_hook\ncovers PSN-01 lumina/B1\n" + GOOD)
        shown = text(self.good("show", "area.full"))
        for part in ("area.full\n", "> a SEND_ONLY psn=+0", "RR-03   ", "RR-04   ", "srq", "PSN-01", "lumina/B1", "reference:",
                     "RC, 2 variations", "qp a\n", "pmtu=1024"):
            self.assertIn(part, shown)
        self.fails(2, "show", "area", says="matches 3")
        self.scenario("sm/x.ibt", "needs sm\n" + GOOD)
        self.assertIn("\n        not applicable: it does not claim sm (--target sm:COMMAND tests one)\n", text(self.good("show", "sm.x")))
        self.fails(2, "show", "area.*.good", says="wants one id")


class Run(Case):
    def verdicts(self, code, *args):
        path = self.folder / "r.json"
        self.ends(code, "run", "--json", path, *args)
        report = json.loads(path.read_text())
        return {r["id"]: r["verdict"] for r in report["results"]}

    def test_pass_and_fail(self):
        self.assertEqual(self.verdicts(0), {"area.one.good": "PASS", "area.two.fine": "PASS"})
        self.scenario("area/failing.ibt", FAILING)
        self.assertEqual(self.verdicts(1), {"area.failing": "FAIL", "area.one.good": "PASS", "area.two.fine": "PASS"})
        self.assertEqual(self.verdicts(0, "--exclude", "area.failing"), {"area.one.good": "PASS", "area.two.fine": "PASS"})
        self.assertEqual(self.verdicts(1, "area.failing"), {"area.failing": "FAIL"})
        report = text(self.ends(1, "run"))
        self.assertIn("area.failing", report)
        self.assertIn("msn", report)

    def test_children_do_not_matter(self):
        for i in range(7):
            self.scenario("area/g%d.ibt" % i, GOOD)
            self.scenario("area/f%d.ibt" % i, FAILING)
        def stable(*args):
            out = text(self.ends(1, "run", "--json", "-", *args))
            return re.sub(r'("(wall|jobs|started|time)[a-z_]*": )[^,\n]+', r"\1", out)
        first = stable("-j", 1)
        for n in (2, 5, 64):
            self.assertEqual(stable("-j", n), first)
        self.assertEqual([json.loads(first.replace('": ,', '": 0,').replace('": \n', '": 0\n'))["results"][0]["id"]], ["area.f0"])

    def test_repeat(self):
        once = self.verdicts(0)
        self.assertEqual(self.verdicts(0, "--repeat", 5, "-j", 3), once)
        self.assertEqual(self.verdicts(0, "--seed", 77, "--repeat", 2), once)

    def test_no_more_after_failures(self):
        for n in "abcde":
            self.scenario("area/bad/%s.ibt" % n, FAILING)
        got = self.verdicts(1, "-j", 1, "--max-failures", 2)
        self.assertEqual([v for _, v in sorted(got.items())], ["FAIL", "FAIL"] + ["INCONCLUSIVE"] * 5)
        self.assertIn("not played: 2 failed before (--max-failures)", text(self.ends(1, "run", "-j", 1, "--max-failures", 2)))
        self.assertEqual(list(self.verdicts(1, "-j", 1, "--max-failures", 6).values()).count("FAIL"), 5)
        some = list(self.verdicts(1, "-j", 3, "--max-failures", 1).values()).count("FAIL")
        self.assertTrue(1 <= some <= 3, some)  # the others had begun
        waiver = [{"statement": "RR-03", "pattern": "area.bad.*", "reason": "known", "symptom": "msn", "expires": "2999-12-31",
                   "target": "reference"}]
        waived = self.verdicts(0, "-j", 1, "--max-failures", 1, "--waivers", self.file(json.dumps(waiver)))
        self.assertEqual(list(waived.values()).count("XFAIL"), 5)

    def test_deadline(self):
        long = GOOD.replace("vary     pmtu 256 1024", "vary     pmtu 256 512 1024 2048 4096\nvary     bytes " +
                            " ".join(str(4 * k) for k in range(1, 60))).replace("payload=64", "payload=$bytes")
        self.scenario("area/two/fine.ibt", long)
        got = self.verdicts(3, "-j", 1, "--repeat", 2000, "--deadline", 1)
        self.assertEqual(got["area.two.fine"], "INCONCLUSIVE")
        self.assertIn("not played: its turn came after the deadline (--deadline)", (self.folder / "r.json").read_text())
        self.assertEqual(set(self.verdicts(0, "--deadline", 1000).values()), {"PASS"})

    def test_links(self):
        for link in ("roce2-ipv4", "roce2-ipv6", "roce1", "ib-local", "ib-global", "all"):
            self.assertEqual(set(self.verdicts(0, "--link", link).values()), {"PASS"}, link)
        self.scenario("area/failing.ibt", FAILING)
        self.assertIn("link=", text(self.ends(1, "run", "--link", "all")))
        self.assertNotIn("link=", text(self.ends(1, "run", "--link", "roce1")))

    def test_reports(self):
        self.scenario("area/failing.ibt", FAILING)
        junit, page, data = (self.folder / n for n in ("j.xml", "p.html", "d.json"))
        self.assertIn("area.failing", text(self.ends(1, "run", "--junit", junit, "--html", page, "--json", data)))
        self.assertEqual(len(list(xml.etree.ElementTree.parse(junit).iter("testcase"))), 3)
        self.assertEqual(len(list(xml.etree.ElementTree.parse(junit).iter("failure"))), 1)
        self.assertIn("area.failing", page.read_text())
        self.assertEqual(len(json.loads(data.read_text())["results"]), 3)
        self.assertEqual(len(json.loads(self.ends(1, "run", "--json", "-").stdout)["results"]), 3)

    def test_statements_that_count_do_not_depend_on_the_run(self):
        """PV-31 is a statement that no scenario can show. A scenario that cites PV-31 and another statement does not
        add to the count."""
        def lead():
            return re.search("They check[^.]*", text(self.good("run", "--html", "-"))).group()
        before = lead()
        self.scenario("area/three/more.ibt", GOOD.replace("RR-03 RR-04", "RR-03 PV-31"))
        self.assertEqual(before, lead())

    def test_evidence(self):
        out = self.folder / "out"
        self.good("run", "--evidence", out, "--repeat", 2, "--seed", 5)
        self.assertTrue(any("area.one.good" in str(p) for p in out.rglob("*.pcapng")))
        self.assertTrue(any("seed-6" in str(p) for p in out.rglob("*.pcapng")))
        self.good("run", "--evidence", out / "links", "--link", "all")
        self.assertTrue((out / "links" / "roce1").is_dir())

    def test_color(self):
        self.scenario("area/failing.ibt", FAILING)
        self.assertIn(b"\033", self.ends(1, "run", "--color=always").stdout)
        self.assertNotIn(b"\033", self.ends(1, "run", "--color").stdout)
        self.assertNotIn(b"\033", self.ends(1, "run", "--color=never").stdout)

    def test_informational_never_fails(self):
        self.scenario("area/failing.ibt", "class informational\n" + FAILING)
        self.assertEqual(self.verdicts(0, "area.failing"), {"area.failing": "INFO"})


class Diff(Case):
    def report(self, name, target="reference", *args, env=None):
        path = self.folder / name
        run("run", "--target", target, "--json", path, *args, env={**self.env, **(env or {})})
        return path

    def change(self, path, to):
        """Writes the same report with the verdicts of `to`, which are by scenario id; None: the result is missing."""
        report = json.loads(path.read_text())
        report["results"] = [dict(r, verdict=to.get(r["id"], r["verdict"])) for r in report["results"]
                             if to.get(r["id"], "") is not None]
        return self.file(json.dumps(report), "changed-%d.json" % len(list(self.folder.iterdir())))

    def test_a_device_that_broke(self):
        self.scenario("area/three/count.ibt", GOOD)
        good = self.report("good.json")
        bad = self.report("bad.json", "mutant:emit.aeth.msn=+1")
        shown = text(self.ends(1, "diff", good, bad))
        self.assertIn("newly failing: 3\n  area.one.good  PASS -> FAIL\n"
                      "      RR-03: expected aeth.msn 1, got aeth.msn 2\n", shown)
        self.assertTrue(shown.endswith("\n3 newly failing, 0 newly deviating, 0 changed symptom, 0 no longer judged, "
                                       "0 now excused, 0 newly passing, 0 the same\n"), shown)
        mended = text(self.good("diff", bad, good))
        self.assertIn("newly passing: 3\n  area.one.good  FAIL -> PASS\n      before: RR-03: expected", mended)
        other = self.report("other.json", "mutant:emit.aeth.msn=+2")
        self.assertIn("      before: RR-03: expected aeth.msn 1, got aeth.msn 2\n"
                      "      now: RR-03: expected aeth.msn 1, got aeth.msn 3\n", text(self.good("diff", bad, other)))
        self.assertEqual(text(self.good("diff", bad, bad)).splitlines()[-1][-10:], "3 the same")

    def test_what_is_in_one_report_only(self):
        both = self.report("both.json")
        one = self.change(both, {"area.two.fine": None})
        self.assertIn("only in the old report: 1\n  area.two.fine  PASS -> -\n", text(self.good("diff", both, one)))
        self.assertIn("only in the new report: 1\n  area.two.fine  - -> PASS\n", text(self.good("diff", one, both)))
        failing = self.change(both, {"area.two.fine": "FAIL"})
        self.assertIn("newly failing: 1\n", text(self.ends(1, "diff", one, failing)))

    def test_a_run_that_could_not_judge(self):
        both = self.report("both.json")
        lost = self.change(both, {"area.two.fine": "INCONCLUSIVE"})
        self.assertIn("no longer judged: 1\n", text(self.ends(3, "diff", both, lost)))
        self.assertIn("now judged: 1\n", text(self.good("diff", lost, both)))

    def test_json(self):
        report = json.loads(text(self.ends(1, "diff", "--json", self.report("a.json"),
                                           self.report("b.json", "mutant:emit.aeth.msn=+1"))))
        self.assertEqual(report["counts"]["newly failing"], 2)
        self.assertEqual(report["changes"][0], {
            "id": "area.one.good", "change": "newly failing",
            "old": {"verdict": "PASS", "statement": "", "expected": "", "got": ""},
            "new": {"verdict": "FAIL", "statement": "RR-03", "expected": "aeth.msn 1", "got": "aeth.msn 2"}})

    def test_waivers_that_one_report_needed(self):
        """Waivers that only one of two reports needed are listed by name, with the number of scenarios. Waivers that
        both needed, and waivers without a name, are left out."""
        reports = []
        for n, names in enumerate((("a", "b", "a"), ("b", "c", ""))):
            rows = [{"id": f"area.{k}", "verdict": "XFAIL", "waiver": {"pattern": "x"} if name else None, "cause": name or "area.2",
                     "finding": {"statement": "RR-03", "expected": "1", "got": "2"}} for k, name in enumerate(names)]
            reports.append(self.file(json.dumps({"tool": "ibconform", "format": 1, "results": rows}), f"{n}.json"))
        self.assertIn("\nwaived in the old report only: 1\n  a  2 scenarios\n\nwaived in the new report only: 1\n  c  1 scenario\n\n",
                      "\n" + text(self.good("diff", *reports)))
        self.assertEqual(json.loads(text(self.good("diff", "--json", *reports)))["waived"],
                         {"only in the old report": [{"name": "a", "scenarios": 2}], "only in the new report": [{"name": "c", "scenarios": 1}]})
        self.assertNotIn("waived in", text(self.good("diff", reports[0], reports[0])))

    def test_wrong_files(self):
        good = self.report("good.json")
        self.fails(2, "diff", good, says="wants OLD NEW")
        self.fails(2, "diff", good, good, good, says="takes OLD NEW, not also")
        self.fails(2, "diff", good, self.folder / "none.json", says="No such file")
        for content in ("{}", "[]", '{"tool":"ibconform","format":1}', '{"tool":"ibconform","format":1,"results":[{}]}',
                        '{"tool":"ibconform","format":1,"results":[{"id":"a","verdict":"GOOD"}]}',
                        '{"tool":"ibconform","format":1,"results":[{"id":"a","verdict":"PASS"},{"id":"a","verdict":"PASS"}]}',
                        '{"tool":"ibconform","format":2,"results":[]}'):
            self.fails(2, "diff", self.file(content), good, says="not what ibconform run --json writes")
        self.fails(2, "diff", self.file("nonsense"), good, says="not JSON")

    def test_devices_side_by_side(self):
        good, bad = self.report("good.json"), self.report("bad|.json", "mutant:emit.aeth.msn=+1")
        part = self.change(good, {"area.two.fine": None})
        rows = [line.split(" | ") for line in text(self.good("devices", good, bad, part)).splitlines()]
        self.assertEqual(rows[0], ["# Devices and scenarios"])
        self.assertIn(["| area.one", "1 of 1", "0 of 1", "1 of 1 |"], rows)
        self.assertIn(["| area.two", "1 of 1", "0 of 1", "- |"], rows)
        self.assertIn(["| area.two.fine", "PASS", "FAIL", "- |"], rows)
        self.assertIn(["| scenario", "good", "bad&#124;", "%s |" % part.stem], rows)
        self.assertNotIn("area.one.good", text(self.good("devices", good, part)), "all passed")
        self.assertIn("| area.one.good | PASS | PASS |", text(self.good("devices", "-v", good, part)))

    def test_devices_as_a_page(self):
        good, bad = self.report("good.json"), self.report("bad.json", "mutant:emit.aeth.msn=+1")
        page = self.folder / "devices.html"
        hostile = json.loads(bad.read_text())
        hostile["run"]["target"] = hostile["results"][0]["id"] = "</td><script>|"
        self.good("devices", good, bad, self.file(json.dumps(hostile), "hostile.json"), "--html", page)
        written = page.read_text()
        body = xml.etree.ElementTree.fromstring(written[written.index("<body>"):written.index("</html>")])
        cells = [[(c.text, c.get("class")) for c in r] for r in body.iter("tr")]
        self.assertIn([("area.one.good", None), ("PASS", "good"), ("FAIL", "bad"), ("-", "off")], cells)
        self.assertIn([("</td><script>|", None), ("-", "off"), ("-", "off"), ("FAIL", "bad")], cells)
        self.assertEqual(text(self.good("devices", good, bad, "--html", "-"))[:15], "<!DOCTYPE html>")
        self.fails(2, "devices", says="wants REPORT...")
        self.fails(2, "devices", good, self.file("{}"), says="not what ibconform run --json writes")
        self.fails(2, "devices", self.file("{}"), good, says="not what ibconform run --json writes")
        self.fails(4, "devices", good, "--html", self.folder / "none" / "x.html", says="No such file")

    def test_a_report_cannot_write_on_the_terminal(self):
        good = self.report("good.json")
        report = json.loads(good.read_text())
        report["results"][0].update(verdict="FAIL", finding={"statement": "\x1b[2J", "expected": "\n", "got": "\x9b"})
        out = self.ends(1, "diff", good, self.file(json.dumps(report))).stdout
        self.assertNotIn(b"\x1b", out)
        self.assertIn(b"      \\033[2J: expected \\n, got \\302\\233\n", out)


class Waivers(Case):
    def setUp(self):
        super().setUp()
        self.scenario("area/failing.ibt", FAILING)

    def waiver(self, **change):
        row = {"pattern": "area.failing", "target": "reference", "statement": "RR-04", "reason": "a test",
               "symptom": "msn", "expires": "2999-12-31", **change}
        return self.file(json.dumps([{k: v for k, v in row.items() if v is not None}]), "w.json")

    def test_known_failure(self):
        self.ends(1, "run")
        shown = text(self.good("run", "--waivers", self.waiver()))
        self.assertIn("XFAIL", shown)
        self.good("run", "--waivers", self.waiver(expires=datetime.date.today().isoformat()))
        self.good("run", "area.one", "--waivers", self.waiver())
        self.ends(1, "run", "--waivers", self.waiver(symptom="something else"))
        self.ends(1, "run", "--waivers", self.waiver(target="live"))

    def test_what_is_not_certain(self):
        self.scenario("area/failing.ibt", FAILING.replace("RR-03 RR-04", "RR-05 RR-04"))
        shown = text(self.good("run"))
        self.assertIn("DEVIATES  area.failing", shown)
        self.assertIn("doubt     the source of the statement is not certain", shown)
        self.assertIn("0 failed, 1 deviate", shown)
        self.ends(1, "run", "--strict")
        self.assertIn("XFAIL", text(self.good("run", "--strict", "--waivers", self.waiver())))
        for strict, failures in (((), "0"), (("--strict",), "1")):
            root = xml.etree.ElementTree.fromstring(run("run", "--junit", "-", *strict, env=self.env).stdout)
            self.assertEqual((root.get("failures"), root.get("errors")), (failures, "0"))
            case = next(c for c in root.iter("testcase") if c.get("name") == "failing")
            self.assertEqual(case.find("failure" if strict else "skipped").get("type"), "DEVIATES")
        self.scenario("area/failing.ibt", FAILING.replace("role ", 'drawn "from them"\nrole '))
        self.assertIn("doubt     from them", text(self.good("run")))
        self.assertIn("A failure is DEVIATES, not FAIL: from them", text(self.good("show", "area.failing")))
        caught = text(run("mutants", "area.failing", "--only", "mutant:emit.aeth.msn*", env=self.env))
        self.assertIn("Left out, for they do not pass on the reference", caught)

    def test_no_longer_needed(self):
        shown = text(self.ends(1, "run", "area.one", "--waivers", self.waiver(pattern="area.one.good")))
        self.assertIn("XPASS", shown)

    def test_wrong_files(self):
        for change, says in (({"pattern": "area.faling"}, 'nearest is "area.failing"'), ({"pattern": 7}, '"pattern" must be'),
                             ({"reason": None}, 'no "reason"'), ({"expires": "2020-01-01"}, "expired on 2020-01-01"),
                             ({"expires": "tomorrow"}, "is no day"), ({"statement": "RR-4"}, 'no statement "RR-4"'),
                             ({"statement": "RR-07"}, "cites RR-07"), ({"symptoms": "x"}, 'did you mean "symptom"?')):
            with self.subTest(change):
                self.fails(2, "run", "--waivers", self.waiver(**change), says=says)
                self.fails(2, "run", "--waivers", self.waiver(**change), says="w.json: ")
        self.fails(2, "run", "--waivers", self.file("[{]"), says="line 1, near column 4: not JSON")
        self.fails(2, "run", "--waivers", self.file("{}"), says="not a list")
        self.fails(2, "run", "--waivers", self.folder, says="directory")
        self.fails(2, "run", "--waivers", self.folder / "none", says="No such file")


class Statements(Case):
    def test_table(self):
        rows = [line.split() for line in text(self.good("statements")).splitlines()]
        self.assertIn("RR", [r[0] for r in rows if r])
        self.assertEqual([r[-1] for r in rows if r and r[0] == "all"], ["2"])
        self.assertNotIn("covered", [r[-1] for r in rows if r and r[0] == "area"])

    def test_json_and_missing(self):
        rows = json.loads(self.good("statements", "--json").stdout)
        cited = {r["id"]: r["cited_by"] for r in rows if r["cited_by"]}
        self.assertEqual(cited, {"RR-03": ["area.one.good"], "RR-04": ["area.one.good", "area.two.fine"]})
        missing = json.loads(self.good("statements", "--json", "--missing").stdout)
        self.assertEqual(len(missing), len(rows) - 2)
        listed = text(self.good("statements", "--missing", "RR")).splitlines()
        self.assertIn("RR-05", [line.split()[0] for line in listed if line])
        self.assertNotIn("RR-04", [line.split()[0] for line in listed if line])
        reasons = [row["reason"] for row in missing if row["reason"]]
        self.assertGreater(len(reasons), 10)
        listed = text(self.good("statements", "--missing")).splitlines()
        self.assertEqual([r for r in reasons if " " * 36 + r not in listed], [])
        for row in rows:
            self.assertTrue(row["status"] == "open" or row["reason"], row["id"])

    def test_one(self):
        shown = text(self.good("statements", "RR-52"))
        self.assertIn("source not certain", shown)
        self.assertRegex(shown, r"contradicts +blue-rdma, roce-sim: silent while")
        self.assertIn("cited by    area.one.good", text(self.good("statements", "RR-03")))
        row = json.loads(self.good("statements", "--json", "RR-52").stdout)[0]
        self.assertEqual((row["certain"], [w["kind"] for w in row["witnesses"]]), (False, ["contradicts"]))
        self.assertRegex(text(self.good("statements")), r"certain: \d+ of \d+; \d+ before second sources settled \d+")

    def test_patterns(self):
        ids = lambda *a: [r["id"] for r in json.loads(self.good("statements", "--json", *a).stdout)]
        self.assertEqual(ids("RR-03", "RR-04"), ["RR-03", "RR-04"])
        self.assertEqual(ids("RR"), ids("RR-*"))
        self.assertGreater(len(ids("mandatory")), 10)
        self.fails(2, "statements", "RR-4", says="nearest is")
        self.fails(2, "statements", "nonsense")

    def test_matrix(self):
        mutant = {"spec": "mutant:x", "clause": ["RR-03", "RR-05"], "says": "", "equivalent": None}
        killed = lambda *s: [{"scenario": x, "how": "failed"} for x in s]
        for by, want in ((["area.one.good"], {"RR-03"}), (["area.two.fine"], set()), ([], set()), (["gone"], set()),
                         (["area.two.fine", "area.one.good"], {"RR-03"})):
            path = self.file(json.dumps({"mutants": [{**mutant, "killed_by": killed(*by)}]}))
            rows = json.loads(self.good("statements", "--json", "--matrix", path).stdout)
            self.assertEqual({r["id"] for r in rows if r["covered"]}, want)
            self.assertIn("covered", text(self.good("statements", "--matrix", path)))
            listed = text(self.good("statements", "--missing", "--matrix", path))
            self.assertIn("RR-04", [line.split()[0] for line in listed.splitlines() if line])
            self.assertIn("no broken engine", listed)
            self.assertTrue(listed.endswith(f", {2 - len(want)} of those cited\n"), listed)
        for bad in ("", "{}", "[]", '{"mutants": 7}', '{"mutants": [{}]}',
                    '{"mutants": [{"spec": "x", "clause": [1], "killed_by": []}]}',
                    '{"mutants": [{"spec": "x", "clause": [], "killed_by": [{}]}]}'):
            self.fails(2, "statements", "--matrix", self.file(bad), says="x.json: ")
        self.fails(2, "statements", "--matrix", self.folder / "none", says="No such file")


class Fuzz(Case):
    def test_all_broken_engines(self):
        args = ("fuzz", "--target", "mutant:all", "--only", "mutant:emit.bth.*", "--sample", "8", "--count", "60", "-v")
        lines = text(self.good(*args, "-j", "2")).splitlines()
        one = [l for l in lines if l.split()[0] in ("found", "not")]
        self.assertEqual(len(one), 8)
        self.assertTrue(all("mutant:emit.bth." in l for l in one))
        found = sum(l.startswith("found") for l in one)
        self.assertGreaterEqual(found, 6)
        self.assertTrue(lines[-2].startswith(f"8 mutants: {found} found ("), lines[-2])
        self.assertEqual(sorted(re.sub(r"[\d.]+ s, ", "", l) for l in one),
                         sorted(re.sub(r"[\d.]+ s, ", "", l) for l in text(self.good(*args, "-j", "1")).splitlines()
                                if l.split()[0] in ("found", "not")))

    def test_a_broken_engine_is_found_and_kept(self):
        out = self.folder / "found"
        r = self.ends(1, "fuzz", "--count", "60", "--target", "mutant:emit.aeth.msn=+1", "--evidence", out)
        found = [line.split(":")[0] for line in text(r).splitlines() if line.startswith("sequence-")]
        self.assertGreater(len(found), 0)
        for kind, folder in (("ibt", "scenarios"), ("pcapng", "packets")):
            self.assertEqual(sorted(p.name for p in (out / folder).iterdir()), sorted(f"{f}.{kind}" for f in found))
        self.ends(0, "run", "--scenarios", out / "scenarios")
        again = self.ends(1, "run", "--scenarios", out / "scenarios", "--target", "mutant:emit.aeth.msn=+1")
        self.assertIn(f"{len(found)} failed", text(again))

    def test_folders_of_evidence(self):
        room = {469: 0, 470: 2}  # the longest path that has room for the folders in it
        for length, code in room.items():
            n = length - len(str(self.folder)) - 1
            out = self.folder / "".join("/" if i % 100 == 99 and i < n - 1 else "x" for i in range(n))
            self.assertEqual(len(str(out)), length)
            out.parent.mkdir(parents=True, exist_ok=True)
            r = run("fuzz", "--count", "1", "--evidence", out, env=self.env)
            self.assertEqual((r.returncode, (out / "packets").is_dir()), (code, code == 0), r.stderr)

    def test_known_deviations_have_waivers(self):
        tree = pathlib.Path(__file__).resolve().parents[2]
        named = set(re.findall(r'^    \{"([a-z0-9-]+)"', (tree / "fuzz/known.c").read_text(encoding="utf-8"), re.M))
        waived = {w["name"] for w in json.loads((tree / "waivers/rxe.json").read_text(encoding="utf-8"))}
        self.assertGreater(len(named), 10)
        self.assertEqual(named - waived, set())
        self.fails(2, "fuzz", "--waivers", self.folder / "none", says="No such file")
        self.good("fuzz", "--count", "5", "--waivers", tree / "waivers/rxe.json")

    def test_time_and_rate(self):
        begun = time.monotonic()
        r = self.good("fuzz", "--time", "1", "--rate", "20")
        self.assertLess(time.monotonic() - begun, 10)
        self.assertLessEqual(int(text(r).split()[0]), 22)

    def test_wires_that_leave_the_machine(self):
        agent = ("--target", "live", "--agent", "exec:false")
        for wire in ("afpacket:eth0", "dgram:192.0.2.1:9,127.0.0.1:9"):
            self.fails(2, "fuzz", *agent, "--wire", wire, says="--i-own-this-network")

    def test_bad_usage(self):
        self.fails(2, "fuzz", "rc", says="takes options only")
        self.fails(2, "fuzz", "--count", "0", says="--count 0: want a number")
        self.fails(2, "fuzz", "--target", "mutant:none", says="--target")
        self.fails(2, "fuzz", "--wire", "unix:a,b", says="for --target live")
        self.fails(2, "fuzz", "--sample", "3", says="for --target mutant:all")
        self.fails(2, "fuzz", "--target", "mutant:all", "--only", "mutant:nonsense", says="no mutant matches")
        for other in (("--wire", "afpacket:eth0"), ("--agent", "unix:a"), ("--agent-token-file", "t"), ("--user", "nobody"),
                      ("--i-own-this-network",), ("--timeout-scale", "2"), ("--evidence", "e"), ("--waivers", "w"),
                      ("--time", "3"), ("--rate", "9")):
            self.fails(2, "fuzz", "--target", "mutant:all", *other, says=f"{other[0]} is not for --target mutant:all")
        self.fails(2, "fuzz", "--evidence", self.file("x") / "y", says="no folder, and none can be made")


class Mutants(Case):
    def matrix(self, *args, code=0):
        return json.loads(self.ends(code, "mutants", "--out", "-", *args).stdout)

    def test_list(self):
        listed = text(self.good("mutants", "--list"))
        names = [line for line in listed.splitlines() if line.startswith("mutant:")]
        self.assertGreater(len(names), 50)
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("%d mutants" % len(names), listed)
        only = [n for n in names if n.startswith("mutant:emit.")]
        self.assertEqual([l for l in text(self.good("mutants", "--list", "--only", "mutant:emit.*")).splitlines()
                          if l.startswith("mutant:")], only)

    def test_catches(self):
        m = self.matrix("--only", "mutant:emit.*msn*")
        self.assertTrue(m["mutants"])
        self.assertTrue(any(x["killed_by"] for x in m["mutants"]))
        self.assertEqual(m["scenarios"], ["area.one.good", "area.two.fine"])
        shown = text(self.good("mutants", "--only", "mutant:emit.*msn*"))
        self.assertRegex(shown, r"\A%d mutants, 2 scenarios" % len(m["mutants"]))

    def test_children_do_not_matter(self):
        first = self.matrix("--sample", 40, "--seed", 3, "-j", 1)
        self.assertEqual(len(first["mutants"]), 40)
        self.assertEqual(self.matrix("--sample", 40, "--seed", 3, "-j", 6), first)
        other = self.matrix("--sample", 40, "--seed", 4)
        self.assertNotEqual([m["spec"] for m in other["mutants"]], [m["spec"] for m in first["mutants"]])

    def test_a_scenario_that_fails_on_the_reference(self):
        self.scenario("area/failing.ibt", FAILING)
        m = self.matrix("--sample", 10)
        self.assertFalse(any(k["scenario"] == "area.failing" for x in m["mutants"] for k in x["killed_by"]))
        self.assertIn("Left out", text(self.ends(1, "mutants", "--sample", 10)))

    def test_strict_wants_a_reason_for_those_not_caught_and_none_for_those_caught(self):
        def strict(code, only):
            r = run("mutants", "--strict", "--only", only, env=self.env)
            self.assertEqual(r.returncode, code, r.stdout + r.stderr)
            return r
        aeth, ackreq = "mutant:emit.ack/aeth.msn=+1", "mutant:emit.read_request/bth.a=^1"
        strict(0, aeth)  # caught
        strict(0, ackreq)  # not caught, and the rules allow it
        self.scenario("area/one/good.ibt", GOOD.replace(" msn=1", ""))
        self.scenario("area/two/fine.ibt", GOOD.replace(" msn=1", ""))
        self.assertIn("1 survivor without a reason", strict(1, aeth).stderr.decode())
        self.scenario("area/too/strict.ibt", "title a READ asks for an acknowledgment\nspec RQ-05\nrole requester\nservice rc\n"
                      "needs read\nqp a\n  a post READ len=8 at=l\n< a READ_REQUEST psn=+0 ackreq=1\n")
        wrong = strict(1, ackreq)
        self.assertIn("1 is caught, though a reason says why not", wrong.stderr.decode())
        self.assertIn("caught by area.too.strict", text(wrong))


class Slow(Case):
    """Those that take a second of processor time, or nearly: no test of the classes above does, so that they are among the quick tests."""

    def test_show_scenarios_of_the_tree(self):
        for row in json.loads(self.good("list", "--json", env={"IBPROOF_SCENARIOS": ""}).stdout)[::40]:
            self.assertIn(row["sentence"], text(self.good("show", row["id"], env={"IBPROOF_SCENARIOS": ""})))

    def test_scenarios_beside_the_program(self):
        self.assertIn(SAMPLE, text(self.good("list", env={"IBPROOF_SCENARIOS": ""})))

    def test_sample_of_the_tree(self):
        self.good("run", SAMPLE, env={"IBPROOF_SCENARIOS": ""})

    def test_a_child_that_dies(self):
        """The case of a child that dies is an ERROR that names the signal, and the other cases are played."""
        play = subprocess.Popen([PROGRAM, "run", "-j", "2", "--repeat", "4000"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**PLACE, **self.env})
        children = pathlib.Path("/proc/%d/task/%d/children" % (play.pid, play.pid))
        while play.poll() is None and len(children.read_text().split()) < 2:
            time.sleep(0.001)
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        out, err = play.communicate(timeout=300)
        self.assertEqual((play.returncode, err), (4, b""), out)
        self.assertEqual(out.count(b"  got       the harness died: signal 9"), 1, out)

    def test_progress(self):
        """On a terminal, progress has a line of its own on standard error, which is erased at the end."""
        master, slave = os.openpty()
        r = subprocess.run([PROGRAM, "run", "--repeat", "2000"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
                           env={**PLACE, **self.env}, timeout=300)
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed, and all is read
            while chunk := os.read(master, 1 << 16):
                shown += chunk
        os.close(master)
        self.assertEqual(r.returncode, 0)
        self.assertRegex(shown, rb"\A(\r[0-9]+ of 4000, [0-9]+ s to go  area[.a-z]+\x1b\[K)+\r\x1b\[K\Z")

    def test_the_engine_itself(self):
        said = text(self.good("fuzz", "--count", "3", "--seed", "5", "-v"))
        self.assertEqual(re.findall(r"^# sequence-(\d+)\ntitle ", said, re.M), ["5", "6", "7"])
        r = self.good("fuzz", "--count", "200", "--seed", "5")
        made = re.fullmatch(r"(\d+) sequences, seed 5: 0 differ in 0 ways, 0 inconclusive, (\d+) not to be predicted\n", text(r))
        self.assertTrue(made, text(r))
        self.assertEqual(int(made[1]) + int(made[2]), 200)
        self.assertGreaterEqual(int(made[1]), 190)

    def test_broken_engines_without_a_sequence(self):
        unfit = next(s for s in range(1000) if text(self.good("fuzz", "--count", 1, "--seed", s)).startswith("0 sequences"))
        self.fails(4, "fuzz", "--target", "mutant:all", "--count", 1, "--seed", unfit, says=f"from seed {unfit} on can be predicted")

    def test_every_mutant_opens(self):
        for m in json.loads(self.good("mutants", "--out", "-").stdout)["mutants"][::40]:
            r = run("run", "area.one", "--target", m["spec"], env=self.env)
            caught = any(k["scenario"] == "area.one.good" for k in m["killed_by"])
            self.assertEqual(r.returncode in (1, 4), caught, (m["spec"], r.stdout))


if __name__ == "__main__":
    unittest.main()
