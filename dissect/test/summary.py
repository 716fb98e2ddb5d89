#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Summaries of ibdissect: what is in them, and that their sum is the summary of one run. IBPROOF_BIN names the folder of
the programs."""
import collections
import datetime
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

import bad
import cli
from cli import Case

sys.path.insert(0, str(bad.PCAPS.parent / "tools/lib"))
import json_schema  # noqa: E402

GENERATOR = pathlib.Path(os.environ["IBPROOF_BIN"]).parent / "tools/ibbench-gen"
SCHEMA = bad.PCAPS.parent / "docs/summary.schema.json"
QPS, PARTS = 12, 4
PARTITIONS = int(os.environ.get("IBPROOF_PARTITIONS", "6"))  # tools/test long merge: 30
SOURCE_AT = 16 + 14 + 12  # of the source address in a record: after the record's header, Ethernet, and 12 bytes of IPv4


def run(words, **more):
    return cli.run(*words, **more)


def records(capture):
    """The header of one of our captures (classic pcap, little endian), and its records."""
    data = capture.read_bytes()
    found, at = [], 24
    while at < len(data):
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at:end])
        at = end
    return data[:24], found


def connection(record):
    """The connection of a packet: the generator has put its number into the low bits of the queue pair numbers."""
    return (int.from_bytes(record[16 + 14 + 20 + 8 + 5 : 16 + 14 + 20 + 8 + 8], "big") & 0xFF) % QPS


def disturbed(found, chance):
    """Loses, copies and damages records, and lets the next record of the connection overtake some; times stay in
    order."""
    kept = []
    for record in found:
        what = chance.random()
        if what < 0.02:
            continue
        if what < 0.03:
            record = record[:-5] + bytes([record[-5] ^ 1]) + record[-4:]
        kept.append(record)
        if 0.03 <= what < 0.04:
            kept.append(record)
    for i in range(len(kept) - 1):
        if chance.random() < 0.01:
            a, b = kept[i], kept[i + 1]
            kept[i], kept[i + 1] = a[:8] + b[8:], b[:8] + a[8:]
    return kept


def of_many_hosts(found):
    """The records, each with a source address of its own."""
    return [r[:SOURCE_AT] + bytes([10, 9, i // 250, i % 250 + 1]) + r[SOURCE_AT + 4:] for i, r in enumerate(found)]


def page_of(text):
    return xml.etree.ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))


class Summary(Case):
    def path(self, name):
        return str(self.folder / name)

    def capture(self, name, head, found):
        out = self.folder / name
        out.write_bytes(head + b"".join(found))
        return out

    def summary(self, name, *args):
        done = run(["-q", "--summary", self.path(name), *map(str, args)])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return (self.folder / name).read_bytes()

    def merge(self, names, out=None, code=0, said=rb"\A\Z"):
        args = ["merge", *(["-o", self.path(out)] if out else []), *(self.path(name) for name in names)]
        done = run(args)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, said)
        return (self.folder / out).read_bytes() if out else done.stdout

    def generate(self, seed, packets=1500, payload=64):
        out = self.folder / f"g{seed}.pcap"
        subprocess.run([GENERATOR, str(payload), str(packets), str(seed), out, str(QPS)], check=True)
        return out

    def monitor(self, *args):
        """Starts a run that reads a pipe, which the caller closes."""
        monitor = subprocess.Popen([cli.PROGRAM, "-q", *map(str, args), "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=cli.PLACE)
        self.addCleanup(monitor.kill)
        return monitor

    def wait_for(self, happened):
        end = time.monotonic() + 20
        while not happened() and time.monotonic() < end:
            time.sleep(0.01)
        return happened()

    def far(self, seed, packets=1500):
        """A capture with pauses of up to 20 ms between its packets."""
        head, found = records(self.generate(seed, packets))
        return self.capture("far.pcap", head, stretched(found, random.Random(seed), 20000))

    def pieces(self):
        """A capture in three files of 500 packets each; the whole is g1.pcap."""
        head, found = records(self.generate(1))
        return [self.capture(f"{part}.pcap", head, found[part * 500 : part * 500 + 500]) for part in range(3)]


class Merge(Summary):
    def partition(self, seed):
        """Writes a disturbed capture, and its packets again in one file for each connection."""
        chance = random.Random(seed)
        head, found = records(self.generate(seed, payload=chance.choice([64, 256])))
        found = disturbed(found, chance)
        place = [chance.randrange(PARTS) for _ in range(QPS)]
        self.capture("whole.pcap", head, found)
        for part in range(PARTS):
            mine = (record for record in found if place[connection(record)] == part)
            self.capture(f"{part}.pcap", head, mine)
        return found

    def test_sum_of_parts_is_one_run(self):
        for seed in range(1, PARTITIONS + 1):
            with self.subTest(seed=seed):
                found = self.partition(seed)
                captures = [self.folder / f"{part}.pcap" for part in range(PARTS)]
                one = self.summary("one.json", *captures)
                names = [f"{part}.json" for part in range(PARTS)]
                for name, capture in zip(names, captures):
                    self.summary(name, capture)
                for order in itertools.permutations(names):
                    self.assertEqual(self.merge(order), one)
                self.merge(names[:2], "left.json")
                self.merge(names[2:], "right.json")
                self.assertEqual(self.merge(["right.json", "left.json"]), one)
                self.compare_whole(json.loads(one), json.loads(self.summary("whole.json", self.folder / "whole.pcap")), found)

    def compare_whole(self, one, whole, found):
        """The packets in one file give the same numbers; only files and numbers of packets differ."""
        for key in ("counts", "opcodes", "bucket_s", "buckets", "times", "connections", "split_connections"):
            self.assertEqual(one[key], whole[key], key)
        count = {finding["finding"]: finding["count"] for finding in whole["findings"]}
        self.assertEqual({finding["finding"]: finding["count"] for finding in one["findings"]}, count)
        self.assertEqual(one["counts"]["packets"], len(found))
        self.assertEqual(len(one["connections"]), QPS)
        self.assertLess({"BAD_ICRC", "NETWORK_COPY", "GAP"}, set(count))

    def test_a_split_connection_is_said(self):
        for part, piece in enumerate(self.pieces()):
            self.summary(f"{part}.json", "--host", f"h{part}", piece)
        total = json.loads(self.merge(["2.json", "0.json", "1.json"], said=rb"connections with several parts: 12;"))
        self.assertEqual(total["split_connections"], QPS)
        for one in total["connections"]:
            self.assertEqual([part["host"] for part in one["parts"]], ["h0", "h1", "h2"])
            ends = [(part["first_ns"], part["last_ns"]) for part in one["parts"]]
            self.assertEqual(ends, sorted(ends))
        packets = sum(part[side]["packets"] for one in total["connections"] for part in one["parts"] for side in ("from_a", "from_b"))
        self.assertEqual(packets, total["counts"]["packets"])

    def test_one_of_the_summaries_may_be_the_sum(self):
        for seed in (1, 2):
            self.summary(f"{seed}.json", self.generate(seed))
        wanted = self.merge(["1.json", "2.json"])
        self.assertEqual(self.merge(["1.json", "2.json"], "1.json"), wanted)

    def test_a_capture_counts_once(self):
        self.summary("a.json", self.generate(1))
        self.summary("b.json", "--host", "other", self.folder / "g1.pcap")
        self.assertEqual(self.merge(["a.json", "a.json"], code=2, said=rb'capture ".*g1\.pcap" of host "" is in two of'), b"")
        self.merge(["a.json", "b.json"], said=rb"connections with several parts: 12;")

    def test_captures_of_devices(self):
        """Each summary is read and written again without a change: all services, management datagrams, IPv6, native
        packets."""
        for at, capture in enumerate(sorted(bad.PCAPS.glob("*.pcap"))):
            done = run(["-q", "--summary", self.path("a.json"), str(capture)])
            if done.returncode == 0:
                self.assertEqual(self.merge(["a.json"], said=rb"\A(.*several parts.*\n)?\Z"), (self.folder / "a.json").read_bytes(), capture)

    def test_many_summaries(self):
        text = self.summary("0.json", self.generate(1, 200)).decode()
        names = []
        for i in range(1000):
            names.append(f"{i}.json")
            mine = text.replace('"host":""', f'"host":"h{i}"')
            (self.folder / names[-1]).write_text(
                re.sub(r'"10\.1\.([01])\.', lambda m: f'"10.{i % 250}.{i // 250 * 2 + int(m[1])}.', mine))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = json.loads(self.merge(names))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(total["counts"]["packets"], 200 * 1000)
        self.assertEqual((len(total["captures"]), total["split_connections"]), (1000, 0))
        self.assertEqual(len(total["connections"]), 1000 * len(json.loads(text)["connections"]))
        if not os.environ.get("IBPROOF_SLOW"):
            self.assertLess(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 2)


class Contents(Summary):
    def test_sums_are_those_of_the_statistics(self):
        for name in ("rxe-reorder-rc", "rxe-dup30-atomic", "rxe-agent-ops", "rxe-udaddy", "congestion", "hardware"):
            capture = str(bad.PCAPS / f"{name}.pcap")
            one = json.loads(self.summary("a.json", capture))
            stats = [json.loads(line) for line in
                     run(["-q", "-T", "json", "-z", "expert", "-z", "rc,analysis", "-z", "srt", capture]).stdout.splitlines()]
            expert, rc, srt = stats
            with self.subTest(capture=name):
                self.assertEqual({f["finding"]: f["count"] for f in one["findings"]},
                                 {f["finding"]: f["count"] for f in expert["findings"]})
                sides = [part[side] for c in one["connections"] if c["service"] in ("RC", "XRC") for part in c["parts"]
                         for side in ("from_a", "from_b")]
                self.assertEqual(sum(side["packets"] for side in sides), rc["total"]["packets"])
                self.assertEqual(sum(side["payload_bytes"] for side in sides), rc["total"]["payload_bytes"])
                times = {(t["operation"], t["bytes"]): (t["answered"], t["refused"], t["open"]) for t in one["times"]}
                self.assertEqual(times, {(t["operation"], t["bytes"]): (t["answered"], t["refused"], t["no_answer"])
                                         for t in srt["times"]})
                for t in one["times"]:
                    self.assertEqual(sum(n for _, n in t["classes"]), t["answered"])
                self.assertEqual(sum(bucket["packets"] for bucket in one["buckets"]), one["counts"]["packets"])
                self.assertEqual(sum(n for _, n in one["opcodes"]) <= one["counts"]["packets"], True)

    def test_limits_are_those_of_perf(self):
        capture = str(bad.PCAPS / "rxe-counted-loss-write.pcap")
        one = json.loads(self.summary("a.json", capture))
        perf = json.loads(run(["-q", "-T", "json", "-z", "perf", capture]).stdout)
        for d in perf["directions"]:
            mine = [part[side]["limits_ns"] for c in one["connections"] for part in c["parts"] for side, end in
                    (("from_a", "a"), ("from_b", "b")) if (c[end], c[end + "_qp"]) == (d["src"], d["source_qp"])]
            self.assertEqual(len(mine), 1)
            life = sum(mine[0].values())
            for limit, share in d["shares"].items():
                self.assertAlmostEqual(mine[0].get(limit, 0) / max(life, 1), share, places=6)

    def test_a_capture_that_is_cut_is_not_whole(self):
        whole = (bad.PCAPS / "rxe-agent-ops.pcap").read_bytes()
        (self.folder / "cut.pcap").write_bytes(whole[:-7])
        done = run(["-q", "--summary", self.path("a.json"), self.path("cut.pcap")])
        self.assertEqual(done.returncode, 2)
        self.assertEqual([c["whole"] for c in json.loads((self.folder / "a.json").read_text())["captures"]], [False])

    def test_times_far_apart_share_buckets(self):
        """Each of up to 4096 seconds has a bucket. Beyond that buckets become wider, and nothing is lost."""
        head, found = records(self.generate(1, 6000))
        for second in (1, 3600):
            moved = (struct.pack("<I", 1_700_000_000 + i * second) + record[4:] for i, record in enumerate(found))
            one = json.loads(self.summary("a.json", self.capture("far.pcap", head, moved)))
            self.assertLessEqual(len(one["buckets"]), 4096)
            self.assertEqual(sum(bucket["packets"] for bucket in one["buckets"]), 6000)
            self.assertTrue(all(bucket["at_s"] % one["bucket_s"] == 0 for bucket in one["buckets"]))
            self.assertEqual(one["bucket_s"], 2 if second == 1 else 8192)

    def test_standard_output(self):
        capture = str(bad.PCAPS / "rxe-agent-ops.pcap")
        done = run(["--summary", "-", capture])
        self.assertEqual((done.returncode, done.stdout), (0, self.summary("a.json", capture)))

    def test_wrong_usage(self):
        capture = str(bad.PCAPS / "rxe-agent-ops.pcap")
        for args, said in (
            (["--summary", "-", "-Y", "udp", capture], b"-Y, -c, --from and --to do not go with it"),
            (["--host", "a", capture], b"needs --summary"),
            (["--summary", "-", "--report", "-", capture], b"only one of --report and --summary"),
            (["-q", "-z", "qp", "--summary", "-", capture], b"cannot take the statistics"),
            (["--summary", capture, capture], b"--summary would destroy it"),
            (["merge"], b"no summary named"),
            (["merge", "--nonsense"], b"no option --nonsense"),
            (["merge", "-o"], b"wants a value"),
            (["merge", self.path("nowhere.json")], b"nowhere.json: No such file"),
            (["merge", capture], b"line 1: an object is missing"),
        ):
            done = run(args)
            self.assertIn(done.returncode, (1, 2))
            self.assertEqual(done.stdout, b"")
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertIn(b"SUMMARY...", run(["merge", "--help"]).stdout)

    def test_follows_the_schema(self):
        schema = json.loads(SCHEMA.read_text())
        for name in ("rxe-reorder-rc", "rxe-udaddy", "mads-general", "ib-native", "opcodes-roce2-v6"):
            self.assertEqual(json_schema.faults(json.loads(self.summary("a.json", bad.PCAPS / f"{name}.pcap")), schema), [])


class Rows(Summary):
    def rows(self, *captures):
        folder = self.folder / f"rows{len(list(self.folder.iterdir()))}"
        done = run(["-q", "--host", 'a "host"', "--rows", folder, "--summary", self.path("s.json"), *captures])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        read = lambda name: [json.loads(line, object_pairs_hook=cli.no_twins) for line in (folder / f"{name}.ndjson").read_text().splitlines()]
        return {name: read(name) for name in ("messages", "findings", "connections", "buckets")}

    def promised(self):
        """The columns of each file according to docs/rows.md; the columns of limits follow those of connections."""
        text = (bad.PCAPS.parent / "docs/rows.md").read_text()
        found = dict(re.findall(r"\| `(\w+)\.ndjson` \|.*?\| `([^`]+)`", text))
        limits = json.loads(run(["-q", "-T", "json", "-z", "perf", bad.PCAPS / "rxe-agent-ops.pcap"]).stdout)["shares"]
        columns = {name: line.split() for name, line in found.items()}
        columns["connections"] += [f"limit_{name}_ns" for name in limits]
        return columns

    def test_columns_are_those_of_the_document(self):
        columns = self.promised()
        self.assertEqual(len(columns), 4)
        for name in ("rxe-reorder-rc", "rxe-udaddy", "ib-native", "mads-general", "congestion", "opcodes-roce2-v6"):
            for file, rows in self.rows(bad.PCAPS / f"{name}.pcap").items():
                for row in rows:
                    self.assertEqual(list(row), columns[file], (name, file))
                    self.assertEqual((row["v"], row["host"]), (1, 'a "host"'))

    def test_rows_are_what_the_statistics_say(self):
        for name in ("rxe-reorder-rc", "rxe-dup30-atomic", "rxe-agent-rnr-exhaust", "congestion"):
            capture = bad.PCAPS / f"{name}.pcap"
            rows = self.rows(capture)
            one = json.loads((self.folder / "s.json").read_text())
            messages = json.loads(run(["-q", "-T", "json", "-z", "messages", capture]).stdout)["messages"]
            same = ("bytes", "end", "whole", "sent_again", "operation", "service", "src", "dst")
            self.assertEqual(sorted([m["first_packet"], m["last_packet"], *(m[key] for key in same)] for m in rows["messages"]),
                             sorted([m["first_frame"], m["last_frame"], *(m[key] for key in same)] for m in messages))
            count = {}
            for row in rows["findings"]:
                count[row["finding"]] = count.get(row["finding"], 0) + 1
            self.assertEqual(count, {f["finding"]: f["count"] for f in one["findings"]})
            first = {(f["finding"], p["number"]) for f in one["findings"] for p in f["first"]}
            self.assertLessEqual(first, {(row["finding"], row["number"]) for row in rows["findings"]})
            sides = [part[side] for c in one["connections"] for part in c["parts"] for side in ("from_a", "from_b")]
            self.assertEqual(sorted(row["packets"] for row in rows["connections"]), sorted(side["packets"] for side in sides))
            self.assertEqual(sum(row["errors"] + row["warnings"] + row["notes"] for row in rows["connections"]),
                             sum(n for side in sides for n in side["found"].values()))
            self.assertEqual([{k: v for k, v in row.items() if k not in ("v", "host", "bucket_s")} for row in rows["buckets"]],
                             one["buckets"])

    def test_the_folder_is_new(self):
        capture = bad.PCAPS / "rxe-agent-ops.pcap"
        (self.folder / "there").mkdir()
        for folder, said in (("there", b"there: File exists"), ("not/there", b"not/there: No such file")):
            done = run(["-q", "--rows", self.folder / folder, capture])
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        done = run(["--rows", self.folder / "new", "-c", "1", capture])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"--rows sums up whole captures", done.stderr)

    def test_a_full_disk_is_reported(self):
        """The rows are larger than the largest file that the process may write; the run reports that."""
        self.generate(1, 60000)
        script = f"trap '' XFSZ; ulimit -f 4; exec {cli.PROGRAM} -q --rows {self.folder}/r {self.folder}/g1.pcap"
        done = subprocess.run(["bash", "-c", script], capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"/r: File too large\n\Z")


def stretched(found, chance, most_us):
    """The packets with pauses of up to `most_us` microseconds between them; some packets are lost."""
    now, kept = 1_700_000_000 * 10**6, []
    for record in found:
        now += chance.randrange(1, most_us)
        if chance.random() >= 0.03:
            kept.append(struct.pack("<II", *divmod(now, 10**6)) + record[8:])
    return kept


def directions(summary):
    """The sums of each direction: packets, findings, latencies, and the time of all limits."""
    sums = collections.defaultdict(collections.Counter)
    for c in summary["connections"]:
        for part in c["parts"]:
            for side, src, dst in (("from_a", "a", "b"), ("from_b", "b", "a")):
                to = sums[c["service"], c[src], c[dst], c[dst + "_qp"]]
                for key, value in part[side].items():
                    if key == "limits_ns":
                        to[key] += sum(value.values())
                    elif key == "latency":
                        to.update({(key, which): n for which, n in value})
                    else:
                        to.update(value if key == "found" else {key: value})
    found = {key: {k: n for k, n in of.items() if n} for key, of in sums.items()}
    return {key: of for key, of in found.items() if of}


class Every(Summary):
    """Summaries for each interval of time."""

    def intervals(self, name, seconds, capture, data=None):
        done = run(["-q", "--every", seconds, "--summary", self.path(name), "-r", capture], data=data)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        return sorted((self.folder / name).iterdir())

    def compare(self, capture, files):
        one = json.loads(self.summary("one.json", capture))
        sum_of = json.loads(self.merge([f"{f.parent.name}/{f.name}" for f in files], said=rb"\A(.*several parts.*\n)?\Z"))
        for key in ("counts", "opcodes", "bucket_s", "buckets", "times", "findings"):
            self.assertEqual(sum_of[key], one[key], key)
        self.assertEqual(directions(sum_of), directions(one))
        self.assertEqual(sum(c["packets"] for c in sum_of["captures"]), sum(c["packets"] for c in one["captures"]))

    def test_sum_of_intervals_is_one_run(self):
        """Messages, retransmissions and waits that last beyond the end of an interval are found, and counted once."""
        for seed in (1, 2):
            capture = self.far(seed)
            files = self.intervals(f"d{seed}", 2, capture)
            self.assertGreater(len(files), 6)
            self.compare(capture, files)
            for f in files:
                one = json.loads(f.read_text())
                begin = datetime.datetime.strptime(f.name, "%Y%m%dT%H%M%SZ.json").replace(tzinfo=datetime.timezone.utc)
                self.assertEqual(begin.timestamp() % 2, 0)
                for c in one["captures"]:
                    self.assertLessEqual(begin.timestamp() * 10**9, c["first_ns"])
                    self.assertLess(c["last_ns"], (begin.timestamp() + 2) * 10**9)

    def test_captures_of_devices(self):
        for name in ("rxe-reorder-rc", "rxe-dup30-atomic", "cm-messages", "ib-native", "congestion", "rxe-udaddy"):
            self.compare(bad.PCAPS / f"{name}.pcap", self.intervals(name, 1, bad.PCAPS / f"{name}.pcap"))

    def test_a_pipe(self):
        capture = self.far(1, 300)
        text = lambda files: [f.read_text().replace('"file":"stdin"', f'"file":"{capture}"') for f in files]
        self.assertEqual(text(self.intervals("b", 1, "-", capture.read_bytes())), text(self.intervals("a", 1, capture)))

    def test_packets_outside_of_the_sample_end_an_interval(self):
        """The file of an interval is there although no packet of the sample follows. At the end messages that are still open end in
        the last interval."""
        head, found = records(self.generate(1, 300))
        found = of_many_hosts(found)
        all_hosts = self.capture("hosts.pcap", head, found)
        sampled = set(run(["-o", "icrc:off", "--sample", "3,1", "-T", "fields", "-e", "frame.number", all_hosts]).stdout.split())
        mine = [r for i, r in enumerate(found, 1) if b"%d" % i in sampled]
        other = [r for i, r in enumerate(found, 1) if b"%d" % i not in sampled]
        self.assertTrue(mine and other)
        at = lambda second, packets: b"".join(struct.pack("<II", 1_700_000_000 + second, i) + r[8:] for i, r in enumerate(packets))
        monitor = self.monitor("-o", "icrc:off", "--every", 2, "--sample", "3,1", "--summary", self.path("d"))
        monitor.stdin.write(head + at(0, mine) + at(2, other) + at(4, other))
        monitor.stdin.flush()
        file = self.folder / "d/20231114T221320Z.json"
        self.assertTrue(self.wait_for(file.exists))
        monitor.stdin.write(at(6, other))
        self.assertEqual((monitor.communicate()[1], monitor.returncode), (b"", 0))
        packets = {f.name[9:15]: json.loads(f.read_text())["counts"]["packets"] for f in (self.folder / "d").iterdir()}
        self.assertEqual(packets, {"221320": len(mine), "221326": 0})

    def test_a_monitor_that_begins_again(self):
        """A monitor that starts again overwrites no file of the monitor before."""
        capture = bad.PCAPS / "rxe-agent-ops.pcap"
        before = {f.name: f.read_bytes() for f in self.intervals("d", 10, capture)}
        after = {f.name: f.read_bytes() for f in self.intervals("d", 10, capture)}
        self.assertEqual(len(after), 2 * len(before))
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertIn(next(iter(before)).replace(".json", "-1.json"), after)

    def test_a_clock_that_is_set_back(self):
        """When the clock is set back by more than an interval, the interval ends. Packets that are not in order by less end
        none."""
        head, found = records(self.generate(1, 400))
        begin = 1_700_000_000
        seconds = [begin + i // 100 for i in range(100)] + [begin + 4 - i % 3 for i in range(100)] + [begin - 3600] * 100 + [begin + 1] * 100
        capture = self.capture("back.pcap", head, (struct.pack("<II", s, 1000 * (i % 1000)) + r[8:] for i, (s, r) in enumerate(zip(seconds, found))))
        files = self.intervals("d", 2, capture)
        self.assertEqual([f.name for f in files], ["20231114T211320Z.json", "20231114T221320Z-1.json", "20231114T221320Z.json",
                                                   "20231114T221324Z.json"])
        self.assertEqual([json.loads(f.read_text())["counts"]["packets"] for f in files], [100, 100, 100, 100])
        self.compare(capture, files)

    def test_all_names_of_an_interval_are_used(self):
        """No file is replaced, not even where 10000 runs have summaries of the same interval."""
        head, found = records(self.generate(1, 10))
        capture = self.capture("one.pcap", head, (struct.pack("<II", 1_700_000_000, i) + r[8:] for i, r in enumerate(found)))
        (self.folder / "d").mkdir()
        names = ["20231114T221320Z.json", *(f"20231114T221320Z-{n}.json" for n in range(1, 10000))]
        for name in names:
            os.close(os.open(self.folder / "d" / name, os.O_CREAT | os.O_WRONLY))
        done = run(["-q", "--every", 2, "--summary", self.path("d"), capture])
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"\Aibdissect: .*/d/20231114T221320Z-9999\.json: File exists\n\Z")
        self.assertEqual(set(os.listdir(self.folder / "d")), set(names))
        self.assertEqual(sum((self.folder / "d" / name).stat().st_size for name in names), 0)

    def test_a_live_monitor(self):
        """The file of an interval is written when the interval is over, even if no packet follows. The packets stay in
        a network namespace."""
        if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs root, and a network namespace")
        shutil.chown(self.folder, "daemon")
        send = ("import socket, struct, sys, time\ns = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\ns.bind(('lo', 0))\n"
                "d, at = open(sys.argv[1], 'rb').read(), 24\nwhile at < len(d):\n    n = struct.unpack_from('<I', d, at + 8)[0]\n"
                "    s.send(d[at + 16:at + 16 + n])\n    at += 16 + n\n")
        script = ('ip link set lo up; "$1" -q -i lo --every 1 --summary d & sleep 1; "$2" -c "$3" "$4"; sleep 3; ls d >seen; '
                  'kill -TERM $!; wait $!')
        done = subprocess.run(["unshare", "--net", "sh", "-c", script, "sh", cli.PROGRAM, sys.executable, send,
                               str(bad.PCAPS / "rxe-counted-loss-write.pcap")], cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted((self.folder / "d").glob("*.json"))
        self.assertIn((self.folder / "seen").read_text().split()[0], [f.name for f in files])
        total = json.loads(self.merge([f"d/{f.name}" for f in files], said=rb"\A(.*several parts.*\n)?\Z"))
        wanted = json.loads(self.summary("one.json", bad.PCAPS / "rxe-counted-loss-write.pcap"))
        self.assertEqual(total["opcodes"], wanted["opcodes"])
        self.assertEqual({c["file"] for c in total["captures"]}, {"lo"})
        self.assertEqual({f.owner() for f in files}, {"daemon"})

    def test_a_new_beginning_after_many_directions(self):
        """A judge remembers 262144 directions. At half of them the monitor begins with a new judge, and reports that.
        No packet is lost."""
        for seed in (1, 2):
            subprocess.run([GENERATOR, "4", "100000", str(seed), self.path(f"many{seed}.pcap"), "131072"], check=True)
        head, found = records(self.folder / "many2.pcap")
        for i in range(-3000, 0):
            found[i] = struct.pack("<I", 1_700_000_100 + i // 1000) + found[i][4:]
        (self.folder / "many.pcap").write_bytes((self.folder / "many1.pcap").read_bytes() + b"".join(found))
        done = run(["-q", "--every", 1, "--summary", self.path("d"), self.folder / "many.pcap"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rb"\Aibdissect: more than 131072 directions: their state is forgotten.*\n\Z")
        counts = [json.loads(f.read_text())["counts"] for f in sorted((self.folder / "d").iterdir())]
        self.assertEqual(sum(c["packets"] for c in counts), 200000)
        self.assertEqual(sum(c["no_connection"] for c in counts), 0)

    def test_wrong_usage(self):
        capture = bad.PCAPS / "rxe-agent-ops.pcap"
        (self.folder / "file").write_text("")
        for args, code, said in (
            (["--every", "0", "--summary", self.path("d")], 1, b"--every 0: want a number of seconds, 1 to 86400"),
            (["--every", "1"], 1, b"--every SECONDS needs --summary DIR"),
            (["--every", "1", "--summary", "-"], 1, b"--every SECONDS needs --summary DIR"),
            (["--every", "1", "--summary", self.path("d"), "-z", "perf"], 1, b"-z, --report and --rows do not go with it"),
            (["--every", "1", "--summary", self.path("d"), "-2"], 1, b"--every does not go with -2"),
            (["--every", "1", "--summary", self.path("no/where")], 2, b"no/where: No such file"),
            (["--every", "1", "--summary", self.path("file")], 2, b"file: Not a directory"),
        ):
            done = run(["-q", *args, capture])
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (code, b"", 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_an_interval_that_cannot_be_written_is_said(self):
        capture = self.far(1, 300)
        script = f"trap '' XFSZ; ulimit -f 1; exec {cli.PROGRAM} -q --every 1 --summary {self.folder}/d {capture}"
        done = subprocess.run(["bash", "-c", script], capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"\A(ibdissect: .*/d/2023\d+T\d+Z\.json: File too large\n)+\Z")
        self.assertEqual(list((self.folder / "d").iterdir()), [])


# Prometheus' own parser reads the text: samples as name, labels, value; and the parser of the older text form, which the textfile
# collector has, reads it too.
PARSER = '''
import json, sys
from prometheus_client import parser
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = open(sys.argv[1]).read()
found = [[s.name, sorted(s.labels.items()), s.value] for f in text_string_to_metric_families(text) for s in f.samples]
older = [[s.name, sorted(s.labels.items()), s.value] for f in parser.text_string_to_metric_families(text) for s in f.samples]
key = lambda samples: sorted(str((name, labels, float(value))) for name, labels, value in samples)
assert key(found) == key(older), set(key(found)) ^ set(key(older))
json.dump(found, sys.stdout)
'''


class Metrics(Summary):
    def metrics(self, *args):
        done = run(["-q", "--metrics", self.path("m.prom"), *args])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        return self.parsed()

    def parsed(self):
        done = subprocess.run(["/usr/bin/python3", "-c", PARSER, self.path("m.prom")], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {(name, *(value for _, value in labels)): value for name, labels, value in json.loads(done.stdout)}

    def expect(self, m, one):
        for key, name in (("packets", "packets"), ("bytes", "wire_bytes"), ("payload_bytes", "payload_bytes"), ("messages", "messages"),
                          ("sent_again", "sent_again"), ("ecn", "ecn_marks"), ("cnp", "cnps"), ("icrc_bad", "bad_icrcs"),
                          ("seen_twice", "seen_twice"), ("no_connection", "no_connection"), ("not_followed", "not_followed")):
            self.assertEqual(m[f"ibdissect_{name}_total",], one["counts"][key], name)
        self.assertEqual({key[1]: n for key, n in m.items() if key[0] == "ibdissect_findings_total" and n},
                         {f["finding"]: f["count"] for f in one["findings"]})
        answered, limits, hosts = collections.Counter(), collections.Counter(), collections.Counter()
        for t in one["times"]:
            answered[t["operation"]] += t["answered"]
        for key, n in m.items():
            if key[0] == "ibdissect_response_seconds_bucket" and key[1] == "+Inf":
                self.assertEqual(n, answered[key[2]])
        for c in one["connections"]:
            for side, src, dst in (("from_a", "a", "b"), ("from_b", "b", "a")):
                for part in c["parts"]:
                    hosts[c[dst], c[src]] += part[side]["packets"]
                    limits.update(part[side]["limits_ns"] if c["service"] in ("RC", "XRC") else {})
        self.assertEqual({key[1:]: n for key, n in m.items() if key[0] == "ibdissect_hosts_packets_total"}, {k: n for k, n in hosts.items() if n})
        for limit, n in limits.items():
            self.assertAlmostEqual(m["ibdissect_limit_seconds_total", limit], n / 1e9, places=6)
        last = max(c["last_ns"] for c in one["captures"])
        self.assertAlmostEqual(m["ibdissect_last_packet_timestamp_seconds",], last / 1e9, places=3)

    def test_numbers_are_those_of_the_summary(self):
        for name in ("rxe-reorder-rc", "rxe-counted-loss-write", "ib-native", "congestion", "rxe-agent-ops", "mads-general"):
            capture = bad.PCAPS / f"{name}.pcap"
            with self.subTest(capture=name):
                self.expect(self.metrics(capture), json.loads(self.summary("one.json", capture)))

    def test_counts_grow_from_interval_to_interval(self):
        capture = self.far(1)
        one = json.loads(self.summary("one.json", capture))
        m = self.metrics("--every", "1", capture)
        self.assertEqual(m["ibdissect_packets_total",], one["counts"]["packets"])
        self.assertEqual(m["ibdissect_messages_total",], one["counts"]["messages"])
        limit = sum(n for key, n in m.items() if key[0] == "ibdissect_limit_seconds_total")
        every = sum(sum(part[side]["limits_ns"].values()) for c in one["connections"] for part in c["parts"] for side in ("from_a", "from_b"))
        self.assertAlmostEqual(limit, every / 1e9, places=5)

    def test_a_lost_summary_costs_no_metrics(self):
        """A summary that cannot be written is lost alone: its packets are in the metrics."""
        capture = bad.PCAPS / "rxe-agent-ops.pcap"
        one = json.loads(self.summary("one.json", capture))
        done = run(["-q", "--summary", "/dev/full", "--metrics", self.path("m.prom"), capture])
        self.assertEqual((done.returncode, done.stderr), (2, b"ibdissect: /dev/full: No space left on device\n"))
        self.expect(self.parsed(), one)
        head, found = records(self.generate(1, 300))
        (self.folder / "m.prom").unlink()
        monitor = self.monitor("--every", 1, "--summary", self.path("d"), "--metrics", self.path("m.prom"))
        self.assertTrue(self.wait_for((self.folder / "m.prom").exists))
        (self.folder / "d").rmdir()
        said = monitor.communicate(head + b"".join(stretched(found, random.Random(1), 20000)))[1]
        self.assertEqual(monitor.returncode, 2)
        self.assertRegex(said, rb"\A(ibdissect: .*/d/2023\d+T\d+Z\.json: No such file or directory\n)+\Z")
        self.assertEqual(self.parsed()["ibdissect_packets_total",], len(stretched(found, random.Random(1), 20000)))

    def test_series_are_bounded(self):
        """256 pairs of hosts have series of their own; the sum still counts all pairs."""
        head, found = records(self.generate(1, 600))
        many = self.capture("many.pcap", head, of_many_hosts(found))
        m = self.metrics("-o", "icrc:off", many)  # it covers addresses
        pairs = {key[1:]: n for key, n in m.items() if key[0] == "ibdissect_hosts_packets_total"}
        self.assertEqual((len(pairs), sum(pairs.values()) + m["ibdissect_no_connection_total",]), (257, 600))
        self.assertGreater(pairs["other", "other"], 300)

    def test_wrong_usage(self):
        capture = bad.PCAPS / "rxe-agent-ops.pcap"
        for args, code, said in (
            (["--metrics", self.path("no/where")], 2, b"no/where: No such file"),
            (["--metrics", self.path("a"), "--summary", self.path("a")], 2, b"--summary and --metrics are the same file"),
            (["--metrics", capture], 2, b"--metrics would destroy it"),
            (["--metrics", "-"], 1, b"--metrics writes a file"),
        ):
            done = run(["-q", *args, capture])
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (code, b"", 1), done.stderr)
            self.assertIn(said, done.stderr)


class Report(Summary):
    def page(self, names, *more):
        done = run(["merge", "--report", self.path("page.html"), *more, *(self.path(name) for name in names)])
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        return page_of((self.folder / "page.html").read_text())

    def words(self, page, path):
        return "".join(page.find(path).itertext())

    def table(self, page, name):
        return [["".join(cell.itertext()) for cell in row] for row in page.iterfind(f".//table[@class='{name}']/tr")]

    def test_first_paragraph_is_that_of_one_run(self):
        """If no connection is split between captures, merged summaries give the same text as the page of one run over
        all captures."""
        captures = [bad.PCAPS / f"{name}.pcap" for name in ("rxe-counted-loss-write", "rxe-reorder-rc", "rxe-agent-ops")]
        for i, capture in enumerate(captures):
            self.summary(f"{i}.json", "--host", f"h{i}", capture)
        names = [f"{i}.json" for i in range(len(captures))]
        pages = [self.page(names), self.page(names[::-1], "-o", self.path("sum.json"))]
        whys = {self.words(page, ".//p[@class='lead why']") for page in pages}
        self.assertEqual((self.folder / "sum.json").read_bytes(), self.merge(names))
        self.assertEqual(run(["-q", "--report", self.path("one.html"), *captures]).returncode, 0)
        one = page_of((self.folder / "one.html").read_text())
        self.assertEqual(whys, {self.words(one, ".//p[@class='lead why']")})
        self.assertIn("3 captures of 3 hosts", self.words(pages[0], ".//p[@class='lead']"))

    def test_hosts_are_those_of_the_connections(self):
        total = json.loads(self.summary("a.json", self.generate(1)))
        page = self.page(["a.json"])
        pairs, matrix = self.table(page, "hosts"), self.table(page, "matrix")
        payload = {}
        for c in total["connections"]:
            for side, src, dst in (("from_a", "a", "b"), ("from_b", "b", "a")):
                payload[c[src], c[dst]] = payload.get((c[src], c[dst]), 0) + sum(part[side]["payload_bytes"] for part in c["parts"])
        self.assertEqual({(row[0], row[1]): int(row[4]) for row in pairs[1:]}, payload)
        every = sum(payload.values())
        shares = {(row[0], to): cell for row in matrix[1:] for to, cell in zip(matrix[0][1:], row[1:]) if cell}
        self.assertEqual(shares, {pair: f"{100 * n / every:.1f} %" for pair, n in payload.items() if n})
        bytes_drawn = json.loads(page.find(".//figure[@class='rates']/script").text)["bytes"]
        self.assertEqual(sum(bytes_drawn), total["counts"]["payload_bytes"])

    def test_senders_to_one_host(self):
        """Summaries of hosts that send to one host: at the same time, and one after the other."""
        one = json.loads(self.summary("0.json", bad.PCAPS / "rxe-counted-loss-write.pcap"))
        to = max(one["connections"][0]["parts"], key=lambda part: part["from_a"]["payload_bytes"])
        self.assertGreater(to["from_a"]["payload_bytes"], 0)
        for apart, said in ((0, "5 hosts send to 10.9.9.9 at the same time."), (10**12, None)):
            names = []
            for i in range(5):
                two = json.loads(json.dumps(one))
                two["captures"][0]["host"] = f"h{i}"
                for c in two["connections"]:
                    c["a"], c["b"] = f"10.9.0.{i + 1}", "10.9.9.9"
                    for part in c["parts"]:
                        part["first_ns"] += i * apart
                        part["last_ns"] += i * apart
                names.append(f"{i}.json")
                (self.folder / names[-1]).write_text(json.dumps(two))
            why = self.words(self.page(names), ".//p[@class='lead why']")
            self.assertEqual(said in why if said else "at the same time" not in why, True, why)

    def test_packets_of_two_hosts_count_once(self):
        capture = bad.PCAPS / "rxe-counted-loss-write.pcap"
        for name in ("here", "there"):
            self.summary(f"{name}.json", "--host", name, capture)
        alone = self.page(["here.json"])
        both = self.page(["here.json", "there.json"])
        self.assertEqual(self.table(both, "hosts"), self.table(alone, "hosts"))
        self.assertEqual(self.words(both, ".//p[@class='lead why']"), self.words(alone, ".//p[@class='lead why']"))
        self.assertIn("captures of several hosts", "".join(both.itertext()))

    def test_pieces_of_a_capture_add_up(self):
        for part, piece in enumerate(self.pieces()):
            self.summary(f"{part}.json", piece)
        self.summary("whole.json", self.folder / "g1.pcap")
        pieces, whole = self.page(["2.json", "0.json", "1.json"]), self.page(["whole.json"])
        column = lambda page: {tuple(row[:2]): row[2:5] for row in self.table(page, "hosts")}
        self.assertEqual(column(pieces), column(whole))

    def test_names_are_text(self):
        self.summary("a.json", "--host", "<b>&\"", bad.PCAPS / "rxe-reorder-rc.pcap")
        page = self.page(["a.json"])
        self.assertIn("<b>&\"", "".join(page.itertext()))

    def test_wrong_usage(self):
        self.summary("a.json", bad.PCAPS / "rxe-agent-ops.pcap")
        for more in (["-o", "-", "--report", "-"], ["-o", self.path("x"), "--report", self.path("./x")]):
            done = run(["merge", *more, self.path("a.json")])
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(b"-o and --report are the same file", done.stderr)
        done = run(["merge", "--report", self.path("no/where"), self.path("a.json")])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))
        (self.folder / "b.json").write_text("{}")
        done = run(["merge", "--report", self.path("new.html"), self.path("b.json")])
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "new.html").exists())


    def test_the_page_replaces_no_summary(self):
        text = self.summary("a.json", bad.PCAPS / "rxe-agent-ops.pcap")
        self.summary("b.json", bad.PCAPS / "congestion.pcap")
        (self.folder / "link.json").symlink_to("a.json")
        for page in ("a.json", "link.json"):
            done = run(["merge", "-o", self.path("sum.json"), "--report", self.path(page), self.path("b.json"), self.path("a.json")])
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (1, b"", 1))
            self.assertIn(b"is one of the summaries; the page would destroy it", done.stderr)
            self.assertEqual((self.folder / "a.json").read_bytes(), text)
            self.assertFalse((self.folder / "sum.json").exists())


class Sample(Summary):
    """--sample selects whole pairs of hosts, the same ones in every capture."""

    def sample(self, n, *args):
        return json.loads(self.summary(f"s{n}.json", "--sample", n, *args))

    def test_connections_are_whole(self):
        capture = self.generate(1)
        every = json.loads(self.summary("all.json", capture))["connections"]
        pairs = {(c["a"], c["b"]) for c in every}
        kept = set()
        for seed in range(8):
            some = self.sample(f"3,{seed}", capture)
            self.assertEqual(some["sample"], {"one_in": 3, "seed": seed})
            mine = {(c["a"], c["b"]) for c in some["connections"]}
            self.assertEqual(some["connections"], [c for c in every if (c["a"], c["b"]) in mine])
            self.assertEqual(some["counts"]["no_connection"], 0)
            kept |= mine
        self.assertEqual(kept, pairs)
        self.assertEqual(self.sample(3, capture)["connections"], self.sample("3,0", capture)["connections"])
        self.assertNotIn("sample", json.loads(self.summary("one.json", "--sample", 1, capture)))

    def test_share_and_both_directions(self):
        """Of 600 pairs about a quarter is selected: the same pairs if source and destination change places."""
        head, found = records(self.generate(1, 600))
        at, there = SOURCE_AT, of_many_hosts(found)
        back = [r[:at] + r[at + 4:at + 8] + r[at:at + 4] + r[at + 8:] for r in there]
        numbers = []
        for packets in (there, back):
            capture = self.capture("x.pcap", head, packets)
            done = run(["-o", "icrc:off", "--sample", "4,1", "-T", "fields", "-e", "frame.number", capture])
            self.assertEqual(done.returncode, 0, done.stderr)
            numbers.append(done.stdout.split())
        self.assertEqual(numbers[0], numbers[1])
        self.assertAlmostEqual(len(numbers[0]), 150, delta=54)  # five standard deviations

    def test_datagrams_of_a_connection_go_with_it(self):
        capture = bad.PCAPS / "connections.pcap"
        fields = ["-T", "fields", "-e", "ip.src", "-e", "ip.dst", "-e", "ipv6.src", "-e", "ipv6.dst", "-e", "frame.number"]
        ends = lambda line: frozenset(word for word in line.split(b"\t")[:4] if word)
        every = [line for line in run([*fields, capture]).stdout.splitlines() if ends(line)]
        seen = set()
        for seed in range(6):
            some = run(["--sample", f"2,{seed}", *fields, capture]).stdout.splitlines()
            mine = {ends(line) for line in some}
            self.assertEqual([line for line in some if ends(line)], [line for line in every if ends(line) in mine])
            seen.add(bool(some))
        self.assertEqual(seen, {False, True})

    def test_only_the_same_sample_adds_up(self):
        self.sample("2,1", "--host", "a", self.generate(1))
        self.sample("2,2", "--host", "b", self.folder / "g1.pcap")
        self.sample("3,1", "--host", "c", self.folder / "g1.pcap")
        self.summary("all.json", "--host", "d", self.folder / "g1.pcap")
        self.sample("2,1", "--host", "a", self.folder / "g1.pcap")
        self.summary("e.json", "--host", "e", "--sample", "2,1", self.generate(2))
        total = json.loads(self.merge(["s2,1.json", "e.json"], said=rb"\A(.*several parts.*\n)?\Z"))
        self.assertEqual(total["sample"], {"one_in": 2, "seed": 1})
        for other in ("s2,2.json", "s3,1.json", "all.json"):
            for names in (["s2,1.json", other], [other, "s2,1.json"]):
                self.assertEqual(self.merge(names, code=2, said=rb": another sample than that of the summaries before: they do not add up\n"), b"")

    def test_reports_and_metrics_say_it(self):
        said = "A sample: 1 in 2 pairs of hosts (seed 1). All numbers are those of the sample."
        run(["-q", "--sample", "2,1", "--report", self.path("p.html"), "--metrics", self.path("m.prom"), "--summary", self.path("s.json"), self.generate(1)])
        run(["merge", "--report", self.path("m.html"), self.path("s.json")])
        for name in ("p.html", "m.html"):
            self.assertIn(said, (self.folder / name).read_text())
        self.assertIn("\nibdissect_sample_pairs 2\n", (self.folder / "m.prom").read_text())
        run(["-q", "--report", self.path("p.html"), self.folder / "g1.pcap"])
        self.assertNotIn("A sample", (self.folder / "p.html").read_text())

    def test_follows_the_schema(self):
        self.assertEqual(json_schema.faults(self.sample("2,1", self.generate(1)), json.loads(SCHEMA.read_text())), [])

    def test_wrong_usage(self):
        capture = bad.PCAPS / "rxe-agent-ops.pcap"
        for args, said in ((["--sample", "0"], b"want N or N,SEED"), (["--sample", "2,x"], b"want N or N,SEED"), (["--sample", "1/2"], b"want N or N,SEED"),
                           (["--sample", "2", "--rows", self.path("r")], b"--rows of a sample would not say so")):
            done = run([*args, capture])
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (1, b"", 1), done.stderr)
            self.assertIn(said, done.stderr)


class Hostile(Summary):
    def test_changed_summaries_do_no_harm(self):
        """A summary with changed bytes is read, or refused with one line; if it is read, a sum with it can be read
        again."""
        text = self.summary("a.json", bad.PCAPS / "rxe-reorder-rc.pcap")
        chance = random.Random(24)
        read = 0
        for _ in range(400):
            changed = bytearray(text)
            for _ in range(chance.randint(1, 3)):
                at = chance.randrange(len(changed))
                what = chance.randrange(4)
                if what == 0:
                    changed[at] = chance.randrange(256)
                elif what == 1:
                    del changed[at : at + chance.randint(1, 40)]
                elif what == 2:
                    changed[at:at] = chance.choice([b"9" * 30, b"[" * 2000, b'"', b"\\ud800", b",", b"}", b"\0", b"1"])
                else:
                    digits = [m for m in re.finditer(rb"\d+", changed)]
                    found = chance.choice(digits)
                    changed[found.start() : found.end()] = str(chance.choice([0, 1, 2**32, 2**63, 2**64 - 1])).encode()
            (self.folder / "b.json").write_bytes(changed)
            done = run(["merge", "--report", self.path("b.html"), "-o", "-", self.path("b.json")])
            self.assertIn(done.returncode, (0, 2), done.stderr)
            if done.returncode == 2:
                self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1), done.stderr)
                continue
            read += 1
            page_of((self.folder / "b.html").read_text())
            (self.folder / "c.json").write_bytes(done.stdout)
            self.assertEqual(run(["merge", self.path("c.json")]).stdout, done.stdout)
        self.assertGreater(read, 20)


if __name__ == "__main__":
    unittest.main()
