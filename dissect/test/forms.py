#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibdissect prints the sample captures as before: each form, each field, each statistic in both forms, the page, the pcapng, and
what is made of summaries: their sum, its page, metrics and rows.

Other tests compare the forms with each other or with tshark; this one notices what all of them say differently than before. The
captures are read in three groups, those of a group by one process. forms.golden has a line for each group and output: its number of
lines, and digests of 50 lines each, so that a difference has a place.

  forms.py          compare
  forms.py quick    without the runs that print each field, and without the table of many segments: half a second
  forms.py --bless  renew the golden; look at the output that differs and say why it may
  forms.py --keep FOLDER   leave all outputs there, to be compared with those of another build

IBPROOF_BIN names the programs' folder.
"""

import hashlib
import itertools
import pathlib
import sys
import tempfile

import bad
from cli import run
from datagrams import Tables, datagram
from disturbed import STATISTICS

GOLDEN = pathlib.Path(__file__).resolve().parent / "forms.golden"
BLOCK = 50
SHOWN = 5
# Without a suffix: .pcap. Captures are merged by time: with another one, everything after it would change.
GROUPS = {
    "rxe": (
        "rxe-agent-bad-rkey-read rxe-agent-bad-rkey-write rxe-agent-dest-qp-gone rxe-agent-imm rxe-agent-ops "
        "rxe-agent-rnr-exhaust rxe-bw-atomic-cas rxe-corrupt20-rc rxe-counted-bad-rkey-read rxe-counted-copies-write "
        "rxe-counted-loss-write rxe-counted-rnr-recover rxe-counted-rping rxe-counted-writes rxe-dup30-atomic rxe-reorder-rc "
        "rxe-rping-v6 rxe-rping rxe-uc-send-mtu256.pcap.gz rxe-ucmatose rxe-ud-send-100 rxe-udaddy"
    ),
    "mads": (
        "mads-general mads-private mads-subnet"
    ),
    "others": (
        "acknowledges big-endian-ns congestion connections cooked cooked2 cut-60 cut-90 damaged-not-missing damaged "
        "erf-ethernet field-bugs-agreed field-bugs-content field-bugs-order field-bugs-path fragments-options hardware "
        "ib-native-erf ib-native-record.erf ib-native ipoib misread not-roce opcodes-rd-erf opcodes-roce1 opcodes-roce2-v4 "
        "opcodes-roce2-v6 opcodes-xrc raw-ip reserved-opcodes sections.pcapng stored.pcap.gz tunnels wrong-lengths"
    ),
}
DAYS = "io,stat,864000"  # the captures are of different years
STATS = [word for name in (*STATISTICS, "hosts", "fabric", "tm", f"rails,{bad.PCAPS.parent}/examples/rails.txt")
         for word in ("-z", DAYS if name.startswith("io,") else name)]
# One run each: its options, and the files that it writes beside its standard output.
RUNS = {
    "tree": (["-2", "-T", "tree", "-x", "-t", "e", *STATS], {"page": "--report", "pcapng": "-w"}),
    "text": (["--color=always", "-t", "ud", "-x"], {}),
    "plain": (["-o", "icrc:off", "-o", "analysis:off", "-t", "d", "--mtu", "1024"], {}),
    "json": (["-2", "-T", "json", "-x"], {}),
    "jsonl": (["-T", "jsonl", "-x"], {}),
    "ek": (["-T", "ek"], {}),
    "pdml": (["-2", "-T", "pdml"], {}),
    "statistics": (["-2", "-q", "-T", "json", *STATS], {}),
}


def groups():
    """The groups of captures, as {name: captures}."""
    return {group: [name if "." in name else name + ".pcap" for name in names.split()] for group, names in GROUPS.items()}


def field_runs():
    """Every field, in two runs, because one run takes at most 1024 fields."""
    listed = [line.split("\t")[2] for line in run("-G", "fields").stdout.decode().splitlines()]
    for half in range(2):
        chosen = [word for name in listed[half::2] for word in ("-e", name)]
        yield f"fields-{half}", (["-2", "-T", "fields", "-E", "header=y", "-E", "aggregator=;", *chosen], {})


def of_summaries(folder):
    """Summaries with metrics and rows, and their sum with its page. Each group is the summary of one host. A second host has captures
    of one group, too, so that connections are in the captures of two hosts. One summary is of a sample."""
    names = groups()
    for host, captures in [*names.items(), ("again", names["rxe"][::2])]:
        summary, metrics, rows = (folder / f"{host}-{kind}" for kind in ("summary", "metrics", "rows"))
        done = run("-q", "--host", host, "--summary", summary, "--metrics", metrics, "--rows", rows, *captures, cwd=bad.PCAPS)
        yield f"{host} summary", summary.read_bytes() + done.stdout + done.stderr + b"exit %d\n" % done.returncode
        yield f"{host} metrics", metrics.read_bytes()
        for file in sorted(rows.iterdir()):
            yield f"{host} {file.stem}", file.read_bytes()
    hosts = [folder / f"{host}-summary" for host in (*names, "again")]
    done = run("merge", "-o", "-", "--report", folder / "merged", *hosts)
    yield "merged summary", done.stdout + done.stderr + b"exit %d\n" % done.returncode
    yield "merged page", (folder / "merged").read_bytes()
    sample = folder / "sample"
    run("-q", "--sample", "2,1", "--summary", sample, "--metrics", folder / "metrics", *names["others"], cwd=bad.PCAPS)
    run("merge", "-o", "/dev/null", "--report", folder / "page", sample)
    for name in ("sample", "metrics", "page"):
        yield f"sample {name}", (folder / name).read_bytes()


def of_table(folder, runs):
    """Every field of a table of records that comes in many segments."""
    packets = [datagram(i, Tables.LAST, Tables.RECORDS) for i in range(1, Tables.LAST + 1)]
    (folder / "table.pcap").write_bytes(bad.pcap(packets, link=Tables.INFINIBAND))
    for form, (options, _) in runs.items():
        yield f"table {form}", run("-o", "icrc:off", *options, "table.pcap", cwd=folder).stdout


def outputs(folder, quick):
    """(name, bytes) of every output that is compared; if `quick`, only of those that take little time."""
    runs = RUNS if quick else dict([*RUNS.items(), *field_runs()])
    if not quick:
        yield from of_table(folder, runs)
    yield from of_summaries(folder)
    for group, (form, (options, files)) in itertools.product(groups().items(), runs.items()):
        written = [word for name, option in files.items() for word in (option, folder / f"{group[0]}-{name}")]
        done = run(*options, *(["-P"] if "-w" in written else []), *written, *group[1], cwd=bad.PCAPS)
        yield f"{group[0]} {form}", done.stdout + done.stderr + b"exit %d\n" % done.returncode
        for name in files:
            yield f"{group[0]} {name}", (folder / f"{group[0]}-{name}").read_bytes()


def digests(data):
    lines = data.split(b"\n")
    blocks = [b"\n".join(lines[at:at + BLOCK]) for at in range(0, len(lines), BLOCK)]
    return f"{len(lines)}: " + " ".join(hashlib.sha256(block).hexdigest()[:4] for block in blocks)


def show(name, data, old, new):
    """Prints the first lines of the first block that differs."""
    words = zip(old.split()[1:] + [""] * len(new.split()), new.split()[1:])
    at = next((i for i, (a, b) in enumerate(words) if a != b), 0)
    print(f"{name} differs in lines {at * BLOCK + 1} to {at * BLOCK + BLOCK}, now:")
    for line in data.split(b"\n")[at * BLOCK:at * BLOCK + SHOWN]:
        print(f"  {line.decode(errors='replace')[:200]}")


def main(arguments):
    quick = arguments == ["quick"]
    keep = pathlib.Path(arguments[1]) if arguments[:1] == ["--keep"] and len(arguments) == 2 else None
    with tempfile.TemporaryDirectory() as fresh:
        now = dict(outputs(pathlib.Path(fresh), quick))
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for name, data in now.items():
            (keep / name.replace(" ", "-")).write_bytes(data)
    said = {name: digests(data) for name, data in now.items()}
    if arguments == ["--bless"]:
        GOLDEN.write_text("".join(f"{name} {line}\n" for name, line in said.items()), encoding="utf-8")
        return 0
    old = {" ".join(line.split()[:2]): line.split(maxsplit=2)[2] for line in GOLDEN.read_text(encoding="utf-8").splitlines()}
    if quick:
        old = {name: line for name, line in old.items() if not name.startswith("table ") and " fields-" not in name}
    differ = [name for name in said if old.get(name) != said[name]]
    for name in differ:
        show(name, now[name], old.get(name, ""), said[name])
    if differ or set(old) != set(said):
        print(f"{len(differ)} of {len(said)} outputs differ; when that is meant: cmake --build build/dev --target bless")
        return 1
    print(f"{len(said)} outputs are as before")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
