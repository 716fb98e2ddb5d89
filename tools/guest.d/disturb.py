#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""disturb.py IBCONFORM [OPTION]... [PATTERN]...: plays scenarios undisturbed, then under each disturbance, and compares.

No device may be blamed for disturbances of the tester, its port, the agent's channel and the machine that the device runs on. Under a disturbance
  - nothing fails that did not fail without it,
  - a scenario whose verdict is another one is ERROR or INCONCLUSIVE, and says why,
  - the run ends.
A device may vary by itself, for example if its timer is as long as the rule's limit. A scenario with another verdict is therefore played
again undisturbed, five times: if the verdict comes then, too, the disturbance is not the cause.
IBPROOF_WIRE and IBPROOF_AGENT (a unix: socket) say where the device is, as in commands of `tools/guest run`; stopped is the
process that has the agent's socket on its command line: the virtual machine, or an ibagent that listens.

  --only NAME        this disturbance; may be repeated (all)
  --seconds N        for how long the machine is stopped (8)
  --after N          how many scenarios are played before it begins (a fifth)
  --limit N          seconds that a run may take (1800)
  --timeout-scale X  for ibconform
  --hazardous        for ibconform
  --waivers FILE     for ibconform
  --out DIR          where reports and evidence are left
"""

import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

CABLE = pathlib.Path(__file__).with_name("cable.py")
WIRE, AGENT = os.environ.get("IBPROOF_WIRE", ""), os.environ.get("IBPROOF_AGENT", "")
JUDGED = ("PASS", "TOLERATED", "INFO", "FAIL", "XFAIL", "XPASS", "DEVIATES")
OUT_OF_SCOPE = ("NOT_APPLICABLE", "UNSUPPORTED")
EXCUSED = ("ERROR", "INCONCLUSIVE")
RELAY = """
import os, socket, sys, threading
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
def carry(read, write):
    while data := read():
        write(data)
    os._exit(0)
threading.Thread(target=carry, args=(lambda: s.recv(65536), lambda d: os.write(1, d)), daemon=True).start()
carry(lambda: os.read(0, 65536), s.sendall)
"""


def processes():
    """Yields the id and the command line of each process."""
    for p in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield int(p.parent.name), p.read_bytes().split(b"\0")
        except OSError:
            pass


def machine():
    path = AGENT.removeprefix("unix:").encode()
    for pid, words in processes():
        if (b"qemu" in words[0] or b"ibagent" in words[0]) and any(path in w for w in words):
            return pid
    raise SystemExit(f"disturb: no process has {path.decode()} on its command line")


def children(pid):
    found = [pid]
    for p in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = p.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid:
            found.append(int(p.parent.name))
    return found


def tell(pids, what):
    for pid in pids:
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            pass


# ---- disturbances: each begins after some scenarios; the function that it returns is called when the run has ended ----


def kill_channel(run):
    """The process that carries the agent's lines is killed once"""
    mark = str(run.relay).encode()
    tell([pid for pid, words in processes() if mark in words], signal.SIGKILL)


def stop_machine(run):
    """The device's machine is stopped, and goes on"""
    pid = machine()
    tell([pid], signal.SIGSTOP)
    timer = threading.Timer(run.options.seconds, tell, ([pid], signal.SIGCONT))
    timer.start()
    return timer.join


def stop_for_good(_):
    """The device's machine is stopped, and does not go on"""
    pid = machine()
    tell([pid], signal.SIGSTOP)
    return lambda: tell([pid], signal.SIGCONT)


def stop_tester(run):
    """The tester is stopped four times for 1.2 s"""

    def work():
        for _ in range(4):
            pids = children(run.process.pid)
            tell(pids, signal.SIGSTOP)
            time.sleep(1.2)
            tell(pids, signal.SIGCONT)
            time.sleep(0.8)

    thread = threading.Thread(target=work)
    thread.start()
    return thread.join


def usual():
    """Takes away the higher priority that the tester may have."""
    os.setpriority(os.PRIO_PROCESS, 0, 0)


def be_busy(_):
    """Twelve processes keep the processors busy"""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=usual) for _ in range(12)]  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn

    def end():
        for p in busy:
            p.kill()
            p.wait()

    return end


def small_port(_):
    """The tester's port has MTU 1500"""
    # Run.command() makes the port before the run.


DISTURBANCES = {"channel": kill_channel, "tester": stop_tester, "busy": be_busy, "machine": stop_machine, "for-good": stop_for_good,
                "mtu": small_port}


class Run:
    """One run of ibconform; `disturb` is called once `after` scenarios were played."""

    def __init__(self, options, name, disturb=None, after=0, pattern=None):
        self.options, self.folder = options, options.out / name
        self.folder.mkdir(parents=True)
        self.relay = self.folder / "relay.py"
        self.relay.write_text(RELAY)
        command = self.command(disturb, pattern or options.pattern)
        began = time.monotonic()
        with open(self.folder / "said", "w", encoding="utf-8") as said:
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said) as self.process:
                self.code = self.wait(disturb, after)
        self.seconds = time.monotonic() - began
        self.said = (self.folder / "said").read_text(encoding="utf-8")
        self.results = {}
        if (self.folder / "report.json").exists():
            report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
            self.results = {r["id"]: r for r in report["results"]}

    def command(self, disturb, pattern):
        agent, wire, port, user = AGENT, WIRE, [], []
        if disturb is kill_channel:
            agent = f"exec:exec {sys.executable} {self.relay} {AGENT.removeprefix('unix:')}"
        if disturb is small_port:  # in a network namespace, with a cable to the device's wire
            mapped = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
            port = ["unshare", *mapped, "--net", sys.executable, CABLE, "--mtu", "1500", "tap0", WIRE.removeprefix("unix:")]
            wire, user = "afpacket:tap0", ["--user", "root"]
        return [*port, self.options.program, "run", *pattern, "--target", "live", "--wire", wire, "--agent", agent, *user,
                "--evidence", str(self.folder / "evidence"), "--json", str(self.folder / "report.json"), *self.options.more]

    def played(self):
        return len(list((self.folder / "evidence").glob("*"))) if (self.folder / "evidence").exists() else 0

    def wait(self, disturb, after):
        until = time.monotonic() + self.options.limit
        while disturb and self.played() < after and self.process.poll() is None:
            time.sleep(0.02)
        end = disturb(self) if disturb else None
        try:
            return self.process.wait(max(1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            tell(children(self.process.pid), signal.SIGKILL)
            return None
        finally:
            if end:
                end()

    def judged(self):
        there = [r for r in self.results.values() if r["verdict"] not in OUT_OF_SCOPE]
        return sum(r["verdict"] in JUDGED for r in there) / len(there) if there else 0.0


def comes(result, verdict):
    """Whether the result has this verdict, or is a PASS with a single failed play: then chance decides whether two of three plays
    fail."""
    single = result.get("measured", "").startswith("in one of ") and verdict in ("FAIL", "DEVIATES")
    return result.get("verdict") == verdict or single


def undisturbed(options, name, changed):
    """Of the scenarios {id: verdict} those that have this verdict without a disturbance as well, now or in an earlier check."""
    own = {scenario for scenario in changed if (scenario, changed[scenario]) in options.varies}
    for i in range(5):
        left = [scenario for scenario in changed if scenario not in own]
        if not left:
            break
        again = Run(options, f"{name}-again-{i + 1}", pattern=left)
        if not again.results:  # no scenario was played, so no verdict is known
            raise SystemExit(f"disturb: {name}: {', '.join(left)} cannot be played again: {again.said.strip()}")
        own |= {scenario for scenario in left if comes(again.results.get(scenario, {}), changed[scenario])}
    options.varies |= {(scenario, changed[scenario]) for scenario in own}
    return own


def blames(quiet, run, again):
    """The faults of the run, a sentence each, and scenarios with another verdict, with the reason. again(changed): see undisturbed()."""
    wrong, other, changed = [], [], {}
    if run.code is None:
        wrong.append(f"it did not end in {run.options.limit} s")
    if set(run.results) != set(quiet.results):
        wrong.append(f"its report has {len(run.results)} scenarios, not {len(quiet.results)} ({run.said.strip()})")
    for name in sorted(set(run.results) & set(quiet.results)):
        was, now = quiet.results[name], run.results[name]
        if was["verdict"] == now["verdict"]:
            continue
        got = (now["finding"] or {}).get("got", "")
        other.append(f"{name}: {was['verdict']}, now {now['verdict']}: {got}")
        if now["verdict"] in EXCUSED and not got:
            wrong.append(f"{name}: {now['verdict']} without a reason")
        elif now["verdict"] not in EXCUSED and was["verdict"] not in EXCUSED:
            changed[name] = now["verdict"]
    own = again(changed)
    for line in other:
        name = line.split(":")[0]
        if name in changed and name not in own:
            wrong.append(line)
    other += [f"{name}: {changed[name]} comes undisturbed, too" for name in sorted(own)]
    return wrong, other


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("pattern", nargs="*")
    parser.add_argument("--only", action="append", choices=DISTURBANCES)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--after", type=int)
    parser.add_argument("--limit", type=int, default=1800)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--hazardous", action="store_true")
    for word in ("timeout-scale", "waivers"):
        parser.add_argument("--" + word)
    o = parser.parse_intermixed_args()
    o.more = ["--hazardous"] * o.hazardous
    o.varies = set()  # (id, verdict): seen undisturbed
    for word in ("timeout_scale", "waivers"):
        o.more += ["--" + word.replace("_", "-"), getattr(o, word)] if getattr(o, word) else []
    o.out = pathlib.Path(tempfile.mkdtemp(prefix="disturb", dir=o.out))
    quiet = Run(o, "quiet")
    print(f"undisturbed: {len(quiet.results)} scenarios, {quiet.judged():.1%} judged, {quiet.seconds:.0f} s", flush=True)
    if not quiet.results:
        raise SystemExit(f"disturb: {quiet.said.strip()}")
    after, bad = o.after or max(1, quiet.played() // 5), 0
    for name in o.only or DISTURBANCES:
        run = Run(o, name, DISTURBANCES[name], after)
        wrong, other = blames(quiet, run, lambda changed, name=name: undisturbed(o, name, changed))
        bad += bool(wrong)
        print(f"{name}: {DISTURBANCES[name].__doc__}: {run.judged():.1%} judged, exit code {run.code}, {run.seconds:.0f} s; "
              f"{sum(', now ' in line for line in other)} verdicts differ, {len(wrong)} wrongly", flush=True)
        for line in wrong:
            print(f"    WRONG {line}")
        causes = collections.Counter(line.partition(", now ")[2] for line in other if ", now " in line)
        for cause, n in causes.most_common(5):
            print(f"    {n} x {cause}")
        for line in other[:20]:
            print(f"    {line}")
    print(f"reports: {o.out}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
