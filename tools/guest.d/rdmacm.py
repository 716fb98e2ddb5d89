#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""rdmacm.py --guest FOLDER --program IBRDMACM --ibdissect IBDISSECT --out FOLDER [--] [NAME...]
rdmacm.py --list [--] [NAME...]

librdmacm's example programs in a guest that `tools/guest rdmacm` has started, each as client and as server, over IPv4 and
IPv6, against ibrdmacm: the engine and its connection manager on the guest's wire. Both must end with 0, and ibdissect must
find nothing against our end in the capture NAME.pcap. A NAME is a shell pattern; without one all are run.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass

sys.dont_write_bytecode = True

import cases  # noqa: E402
from peer import Failed, Shell  # noqa: E402

GUEST, OURS = {"v4": "10.0.0.1", "v6": "2001:db8::1"}, {"v4": "10.0.0.2", "v6": "2001:db8::2"}
PATIENCE = 60
LISTENS = "rdma resource show cm_id | grep -q 'state LISTEN'"
ENDS_ITSELF, KILLED = 0, 143  # exit codes


@dataclass(frozen=True)
class Program:
    """Of a client and its server, run in the guest. In braces: the guest's own address, and ours."""

    name: str  # of both, to ibrdmacm
    client: str
    server: str
    says: str  # by the client, if its exit code shows nothing
    options: tuple = ()  # of ibrdmacm
    server_ends: bool = True  # false: the program does not end, and is killed
    server_families: tuple = ("v4", "v6")


PROGRAMS = (
    Program("rping", "rping -c -a {ours} -C 3 -v -V -S 100", "rping -s -a {own} -v -V -S 100", "rdma-ping-2"),
    # Of its output only the end comes back: without the text. A wrong text ends it with an exit code. Its last words come
    # from another thread, and now and then it has ended before them.
    Program(
        "rping-large",
        "rping -c -a {ours} -C 2 -V -S 3000",
        "rping -s -a {own} -V -S 3000",
        "",
        ("--size", "3000", "--count", "2"),
    ),
    Program("ucmatose", "ucmatose -s {ours} -c 2 -C 3 -S 100", "ucmatose -b {own} -c 2 -C 3 -S 100", "return status 0"),
    Program("udaddy", "udaddy -s {ours} -c 1 -C 3 -S 100", "udaddy -b {own} -c 1 -C 3 -S 100", "return status 0"),
    Program("cmtime", "cmtime -s {ours} -c 20", "cmtime -b {own} -c 20", "disconnect", ("--connections", "20"), server_ends=False),
    Program(
        "riostream",
        "riostream -s {ours} -I 2 -C 3 -S 1000 -T b -T v",
        "riostream -b {own} -I 2 -C 3 -S 1000 -T b -T v",
        "custom",
        ("--size", "1000"),
    ),
    Program("rdma_client", "rdma_client -s {ours}", "rdma_server -s {own}", "rdma_client: end 0"),
    # rdma_xserver takes no address, and listens for IPv4 only.
    Program("rdma_xclient", "rdma_xclient -s {ours}", "rdma_xserver", "rdma_xclient: end 0", server_families=("v4",)),
)


@dataclass(frozen=True)
class Case:
    program: Program
    role: str  # of the guest
    family: str

    @property
    def name(self):
        return f"{self.program.name}-{self.role}-{self.family}"

    def command(self):
        text = self.program.client if self.role == "client" else self.program.server
        return text.format(own=GUEST[self.family], ours=OURS[self.family])


CASES = [Case(p, "client", family) for p in PROGRAMS for family in ("v4", "v6")]
CASES += [Case(p, "server", family) for p in PROGRAMS for family in p.server_families]


def our_end(case, given, capture):
    wire = f"unix:{given.guest}/dut,{given.guest}/tester"
    role = "server" if case.role == "client" else "client"
    options = [*case.program.options, *(["--ipv6"] if case.family == "v6" else [])]
    name = case.program.name.split("-")[0]
    return [given.program, "--wire", wire, "--record", capture, "--patience", str(PATIENCE), *options, name, role]


def wait_for_listener(shell, number):
    until = time.monotonic() + PATIENCE
    while shell.run(LISTENS, PATIENCE)[0]:
        if number in shell.ended or time.monotonic() > until:
            raise Failed("the server does not listen")
        time.sleep(0.2)


def play(case, shell, given, capture):
    """Runs both ends; returns what is wrong."""
    command, program = case.command(), case.command().split()[0]
    if case.role == "server":
        number = shell.start(f"timeout {2 * PATIENCE} {command}")
        wait_for_listener(shell, number)
    with subprocess.Popen(our_end(case, given, capture), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ours:
        if case.role == "client":
            time.sleep(0.3)  # until it listens
            number = shell.start(f"timeout {PATIENCE} {command}")
        said, complaint = ours.communicate()
    if case.role == "server" and not case.program.server_ends:
        shell.run(f"killall -q {program}", PATIENCE)
    code, text = shell.end(number, command, PATIENCE)
    lines = text.strip().splitlines() or ["nothing"]
    if ours.returncode:
        return f"our end: {complaint.strip() or said.strip()}; the guest says: {lines[-1][-200:]}"
    if code not in ((KILLED,) if case.role == "server" and not case.program.server_ends else (ENDS_ITSELF,)):
        return f"the guest's exit code is {code}: {lines[-1][-200:]}"
    if case.role == "client" and case.program.says not in text:
        return f"the guest does not say '{case.program.says}': {lines[-1][-200:]}"
    return None


def findings(case, given, capture):
    """Errors and warnings about packets that our end has sent, and connections that went wrong."""
    ours = OURS[case.family]
    run = subprocess.run(
        [given.ibdissect, "-r", capture, "-T", "jsonl", "-Y", "infiniband.analysis"], capture_output=True, text=True, check=True
    )
    found = []
    for line in run.stdout.splitlines():
        packet = json.loads(line)
        if ours in (packet.get("ip.src"), packet.get("ipv6.src")) and packet.get("infiniband.analysis.severity") != "note":
            found.append(f"packet {packet.get('frame.number')}: {packet.get('infiniband.analysis')}")
    run = subprocess.run([given.ibdissect, "-r", capture, "-q", "-T", "json", "-z", "cm"], capture_output=True, text=True, check=True)
    summary = json.loads(run.stdout)
    found += [f"{kind}" for kind in summary["outcomes"] if kind not in ("CONNECTED", "DISCONNECTED", "SIDR_RESOLVED", "DISCONNECTS")]
    return found


def main():
    options = dict.fromkeys(("guest", "program", "ibdissect", "out"))
    given = cases.arguments(__doc__, CASES, "case", options)
    wanted = given.chosen
    if given.list:
        for case in wanted:
            print(f"{case.name:26} {case.command()}")
        return 0
    shell = Shell(given.guest, "guest")
    good = 0
    for case in wanted:
        capture, began = os.path.join(given.out, f"{case.name}.pcap"), time.monotonic()
        try:
            fault = play(case, shell, given, capture)
            fault = fault or "; ".join(findings(case, given, capture)) or None
        except (Failed, OSError) as error:
            fault = str(error)
        good += not fault
        print(f"{'FAIL' if fault else 'ok':4}  {case.name:26} {time.monotonic() - began:6.1f} s  {fault or 'both ends, and no finding'}", flush=True)
    print(f"{good} of {len(wanted)} cases as they must be: {given.out}")
    return 0 if good == len(wanted) else 1


if __name__ == "__main__":
    cases.run(main)
