#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""transcripts.py NAME: runs the commands of transcripts/NAME.golden ("$ ibconform ...") in a folder with a small suite, reports and waivers, and
compares all that they print, their messages ("! ..."), and their exit codes but for 0. "$ terminal ibconform ..." has a terminal for its output,
and "$ NAME=VALUE ibconform ..." an environment variable; "$ ls FOLDER" names the files that the commands before wrote, and "$ cat FILE" shows
one. With IBPROOF_RENEW=1 the file is written again; then read it. IBPROOF_BIN names ibconform's folder."""
import json
import os
import pathlib
import pty
import re
import shlex
import subprocess
import sys
import tempfile

from scenario import GOOD

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.path.join(os.environ["IBPROOF_BIN"], "ibconform")
SUITE = {
    "area/one/good.ibt": GOOD,
    "area/two/fine.ibt": GOOD.replace("RR-03 RR-04", "RR-04").replace("vary     pmtu 256 1024\n", "").replace("$pmtu", "256"),
    "area/two/links.ibt": "link roce1 ib-local\nneeds srq\ncovers PSN-01\n" + GOOD.replace("vary     pmtu 256 1024\n", "").replace("$pmtu", "256"),
    "bad/counts.ibt": GOOD.replace("msn=1", "msn=9").replace("is acknowledged", "is counted oddly"),
    "bad/unsure.ibt": "class informational\nhazard it is said to\n" + GOOD.replace("RR-03 RR-04", "RR-52").replace("msn=1", "msn=9"),
    "bad/drawn.ibt": GOOD.replace("msn=1", "msn=9").replace("role ", 'drawn "from them"\nrole '),
}
ONE = GOOD.replace("vary     pmtu 256 1024\n", "").replace("$pmtu", "256")
OTHERS = {  # scenarios for which the reference, or a live device, lacks something
    "x/lacks.ibt": "needs page_hook srq reregister_range\n" + ONE, "x/two.ibt": "needs two_devices\n" + ONE, "x/far.ibt": "link ib-global\nneeds virtual_time\n" + ONE,
    "y/z/crash.ibt": "hazard it is said to\n" + ONE, "y/z/both.ibt": ONE.replace("service  rc", "service  rc uc").replace("ackreq=1 ", "").split("< a")[0],
    "y/informs.ibt": "class informational\nneeds two_devices\n" + ONE.replace("RR-03 RR-04", "PV-31 RR-04"),
}
VERDICTS = ["PASS", "TOLERATED", "INCONCLUSIVE", "DEVIATES", "FAIL", "ERROR", "INFO", "NOT_APPLICABLE", "UNSUPPORTED", "XFAIL", "XPASS"]


def report(path, results, target="live:a|<b>"):
    rows = []
    for name, (verdict, got, *waiver) in results.items():
        row = {"id": name, "verdict": verdict, "waiver": None, "cause": None}
        if got is not None:
            row["finding"] = {"statement": "RR-03" if got else "", "expected": "1" if got else "", "got": got}
        if waiver:
            row.update(waiver={"pattern": "x"}, cause=waiver[0])
        rows.append(row)
    path.write_text(json.dumps({"tool": "ibconform", "format": 1, "run": {"target": target}, "results": rows}))


def prepare(folder):
    for name, content in SUITE.items():
        (folder / "suite" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "suite" / name).write_text(content)
    old = {f"v.{v.lower()}": (v, "x") for v in VERDICTS}
    new = {f"v.{v.lower()}": (VERDICTS[(i + 1) % len(VERDICTS)], "y") for i, v in enumerate(VERDICTS)}
    old.update({"a.b.same": ("PASS", None), "a.b.gone": ("FAIL", "x"), "a.b.other": ("FAIL", "x"), "a.worse": ("PASS", None), "w.one": ("XFAIL", "x", "w1"),
                "w.two": ("XFAIL", "x", "w1"), "w.both": ("XFAIL", "x", "w2"), "a.b.open": ("FAIL", ""), "a.excused": ("FAIL", "x")})
    new.update({"a.b.same": ("PASS", None), "a.b.new": ("PASS", None), "a.b.other": ("FAIL", "y"), "a.worse": ("FAIL", ""), "w.both": ("XFAIL", "x", "w2"),
                "w.three": ("XFAIL", "x", "w3"), "a.b.open": ("INCONCLUSIVE", "late"), "a.excused": ("DEVIATES", "x")})
    report(folder / "old.json", old)
    report(folder / "new.json", new, "live:c")
    report(folder / "good.json", {"area.one.good": ("PASS", None), "area.two.fine": ("PASS", None)})
    report(folder / "failed.json", {"area.one.good": ("FAIL", "x"), "area.two.fine": ("PASS", None), "bad.counts": ("XPASS", "x")})
    report(folder / "open.json", {"run": ("ERROR", "why")})
    (folder / "broken.json").write_text('{"tool"')
    (folder / "other.json").write_text("[]")
    waiver = {"name": "odd", "pattern": "bad.counts", "target": "reference", "statement": "RR-04", "reason": "a test", "symptom": "msn",
              "expires": "2999-12-31"}
    (folder / "w.json").write_text(json.dumps([waiver]))
    (folder / "w2.json").write_text(json.dumps([dict(waiver, pattern="bad.cuonts")]))
    (folder / "w3.json").write_text(json.dumps([waiver, dict(waiver, pattern="bad.counts bad.unsure")]))
    (folder / "w4.json").write_text(json.dumps([dict(waiver, name="two-of-them", pattern="area.one.good area.two.links bad.counts", expires="2999-01-01")]))
    (folder / "w5.json").write_text(json.dumps([dict(waiver, symptom="psn")]))
    (folder / "w6.json").write_text(json.dumps([dict(waiver, target="live:*")]))
    # an agent whose wire is well when it is opened for the first three times
    (folder / "ailing.sh").write_text("echo >> opened\n[ $(wc -l < opened) -gt 3 ] || exec ibagent --engine --wire unix:t,d\n"
                                      "exec ibagent --engine --wire unix:other,d\n")
    (folder / "token").write_text("\nsecret\n")
    (folder / "found").mkdir()
    (folder / "found/seq.ibt").write_text(GOOD.replace("a SEND is acknowledged", "sequence 15: RC responder"))
    mutants = [{"spec": "mutant:x", "clause": ["RR-03", "RR-05"], "killed_by": [{"scenario": "area.two.fine"}, {"scenario": "area.one.good"}]},
               {"spec": "mutant:y", "clause": ["RR-04"], "killed_by": [{"scenario": "gone"}]}]
    (folder / "m.json").write_text(json.dumps({"mutants": mutants}))
    rows = [{"id": f"big.n{n:04}", "verdict": "PASS", "finding": None} for n in range(3000)]
    (folder / "big.json").write_text(json.dumps({"tool": "ibconform", "format": 1, "results": rows}))
    for n, wrong in enumerate(({"results": [{}]}, {"results": [{"id": "a", "verdict": "GOOD"}]}, {"results": rows[:1] * 2}, {"results": [], "format": 2},
                               {"results": [], "tool": "other"}, {"results": 1}, {"results": [], "format": "1"})):
        (folder / f"e{n}.json").write_text(json.dumps({"tool": "ibconform", "format": 1, **wrong}))
    for name, content in OTHERS.items():
        (folder / "others" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "others" / name).write_text(content)
    for n, wrong in enumerate(({"clause": [], "killed_by": []}, {"spec": "x", "killed_by": []}, {"spec": "x", "clause": []})):
        (folder / f"m{n}.json").write_text(json.dumps({"mutants": mutants + [wrong]}))


def run(folder, words, env, terminal):
    """The text that a command prints on the standard output, its messages, and its exit code."""
    if not terminal:
        done = subprocess.run(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        return done.stdout, done.stderr, done.returncode
    ours, its = pty.openpty()
    with subprocess.Popen(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.PIPE) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 1 << 16)
            except OSError:  # the program has closed it
                break
        errors = process.stderr.read()
    os.close(ours)
    return shown.replace(b"\r\n", b"\n"), errors, process.returncode


def played(folder, command):
    """The output of a command, with its message and exit code, without times."""
    words = shlex.split(command)
    place = {"PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), "LC_ALL": "C.UTF-8", "IBPROOF_SCENARIOS": "suite",
             **{k: v for k, v in os.environ.items() if k.startswith("MUTATE")}}
    terminal = words[0] == "terminal"
    words = words[terminal:]
    while "=" in words[0]:
        place.update([words.pop(0).split("=", 1)])
    if words[0] == "ls":
        said, code = "".join(f"{p.relative_to(folder / words[1])}\n" for p in sorted((folder / words[1]).rglob("*")) if p.is_file()), 0
    elif words[0] == "cat":
        said, code = (folder / words[1]).read_text(), 0
    else:
        out, errors, code = run(folder, [PROGRAM, *words[1:]], place, terminal)
        said = out.decode() + "".join(f"! {line}\n" for line in errors.decode().splitlines())
    said = re.sub(r'[0-9]+\.[0-9]+ s\b', "N s", said)
    said = re.sub(r'("(?:wall_ns|started|version)":\s*)[^\n,]+', r"\1N", said)
    said = re.sub(r'(time|timestamp|"version" value)="[^"]*"', r'\1="N"', said)
    said = re.sub(r"^ibconform [0-9.]+:", "ibconform N:", said, flags=re.M).replace("\x1b", "^[")
    return said + (f"exit code {code}\n" if code else "")


def main():
    file = HERE / "transcripts" / f"{sys.argv[1]}.golden"
    text = file.read_text()
    head, *blocks = re.split(r"^\$ ", text, flags=re.M)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        found = [(b.split("\n", 1)[0], played(folder, b.split("\n", 1)[0])) for b in blocks]
    now = head + "".join(f"$ {command}\n{said}\n" for command, said in found)
    if os.environ.get("IBPROOF_RENEW"):
        file.write_text(now)
        return
    for block, (command, said) in zip(blocks, found):
        must = block.split("\n", 1)[1]
        assert said + "\n" == must, f"$ {command}\n{said}\ninstead of\n{must}"
    assert now == text


main()
