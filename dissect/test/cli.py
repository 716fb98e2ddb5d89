#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ibdissect from its users' point of view: options, forms, exit codes, and every bad input. IBPROOF_BIN names its folder."""
import functools
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import bad

PROGRAM = os.path.abspath(os.path.join(os.environ["IBPROOF_BIN"], "ibdissect"))
PLAIN = bad.PCAPS / "opcodes-roce2-v4.pcap"
ACKS = bad.PCAPS / "acknowledges.pcap"
TUNNELS = bad.PCAPS / "tunnels.pcap"
PLACE = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}


def run(*args, data=None, env=None, stdout=subprocess.PIPE, cwd=None):
    return subprocess.run([PROGRAM, *map(str, args)], input=data if data is not None else b"", stdout=stdout,
                          stderr=subprocess.PIPE, timeout=120, env={**PLACE, **(env or {})}, cwd=cwd)


run_once = functools.cache(run)


def no_twins(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("key twice: %s" % sorted(k for k in keys if keys.count(k) > 1))
    return dict(pairs)


def lines(result):
    return result.stdout.decode("utf-8").splitlines()


def jsonl(result):
    return [json.loads(line, object_pairs_hook=no_twins) for line in lines(result)]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, data, name="x.pcap"):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def good(self, *args, **kw):
        r = run(*args, **kw)
        self.assertEqual((r.returncode, r.stderr), (0, b""), args)
        return r

    def fails(self, code, *args, says="", printed=None, **kw):
        """Expects one line on stderr, this exit code, and this number of lines on stdout."""
        r = run(*args, **kw)
        err = r.stderr.decode("utf-8")
        self.assertEqual(r.returncode, code, (args, err))
        self.assertRegex(err, r"\Aibdissect: [^\n]+\n\Z", args)
        self.assertIn(says, err)
        if printed is not None:
            self.assertEqual(len(lines(r)), printed, args)
        return r


class BadInput(Case):
    def test_missing_file(self):
        self.fails(2, self.folder / "none.pcap", says="none.pcap: ", printed=0)

    def test_directory(self):
        self.fails(2, self.folder, printed=0)

    def test_empty_file(self):
        self.fails(2, self.file(b""), says="x.pcap", printed=0)

    def test_unreadable_noise(self):
        self.fails(2, self.file(bytes(range(1, 200)) * 3), printed=0)
        self.fails(2, self.file(b"hello, this is a text file\n" * 9, "x.txt"), printed=0)

    def test_cut_anywhere(self):
        """Every prefix of a pcap: complete packets are printed, an error names the fault, exit code 2."""
        data = bad.pcap([bytes(60), bytes(70)])
        ends = {24: 0, 24 + 76: 1, 24 + 76 + 86: 2}
        for n in range(len(data) + 1):
            whole = max([k for end, k in ends.items() if end <= n], default=0)
            if n in ends:
                self.assertEqual(len(lines(self.good(self.file(data[:n])))), whole)
            else:
                self.fails(2, self.file(data[:n]), printed=whole)

    def test_cut_pcapng_and_erf_anywhere(self):
        for name in ("sections.pcapng", "ib-native-record.erf"):
            data = (bad.PCAPS / name).read_bytes()
            seen = 0
            for n in range(0, len(data), 7):
                r = run(self.file(data[:n], name))
                self.assertIn(r.returncode, (0, 2))
                self.assertEqual(r.returncode == 2, r.stderr != b"", n)
                self.assertLessEqual(r.stderr.count(b"\n"), 1)
                self.assertGreaterEqual(len(lines(r)), seen)
                seen = len(lines(r))

    def test_cut_gzip(self):
        whole = gzip.compress(bad.pcap([os.urandom(600) for _ in range(9)]))
        for n in (10, len(whole) // 2, len(whole) - 1):
            self.fails(2, self.file(whole[:n], "x.pcap.gz"))
        r = self.fails(2, self.file(whole[: len(whole) // 2], "x.pcap.gz"))
        self.assertGreater(len(lines(r)), 1)

    def test_impossible_record_length(self):
        data = bad.pcap([bytes(60)])
        for length in (2**31, 2**32 - 1, 5000000):
            evil = data + struct.pack("<IIII", 1, 0, length, length) + bytes(100)
            self.fails(2, self.file(evil), says="x.pcap: packet 2 at offset 0x64: ", printed=1)

    def test_unknown_link_type(self):
        self.fails(2, self.file(bad.pcap([bytes(60)], link=105)), says="105", printed=0)
        self.fails(2, self.file(bad.pcap([bytes(60)], link=147)), says="-d user0", printed=0)

    def test_one_of_several_missing(self):
        n = len(lines(self.good(ACKS)))
        self.fails(2, ACKS, self.folder / "none.pcap", says="none.pcap", printed=n)
        self.fails(2, self.folder / "none.pcap", ACKS, says="none.pcap", printed=n)

    def test_one_of_several_cut(self):
        cut = self.file(ACKS.read_bytes()[:-1])
        n = len(lines(self.good(ACKS)))
        self.fails(2, PLAIN, cut, says="x.pcap", printed=n - 1 + len(lines(self.good(PLAIN))))

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.fails_to(full, ACKS)
            self.fails_to(full, "-w", "-", ACKS)
            self.fails_to(full, "-G", "fields")
        self.fails(2, "-w", "/dev/full", PLAIN)

    def fails_to(self, full, *args):
        r = run(*args, stdout=full)
        self.assertEqual(r.returncode, 2, args)
        self.assertRegex(r.stderr.decode(), r"\Aibdissect: [^\n]+\n\Z")

    def test_closed_pipe(self):
        for args in ((), ("-T", "jsonl"), ("-T", "json"), ("-V",), ("-w", "-"), ("-x",)):
            big = self.file(bad.pcap([p for _, p, _ in bad.pcap_records(PLAIN.read_bytes())[2]] * 300))
            child = subprocess.Popen([PROGRAM, *args, str(big)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            child.stdout.read(10)
            child.stdout.close()
            err = child.stderr.read()
            child.stderr.close()
            self.assertEqual((child.wait(60), err), (0, b""), args)

    def test_pipe_closed_before_the_start(self):
        for args in ((ACKS,), ("-G", "fields"), ("--help",), ("-T", "json", ACKS), ("-q", "-w", "-", ACKS)):
            read, write = os.pipe()
            os.close(read)
            r = run(*args, stdout=write)
            os.close(write)
            self.assertEqual((r.returncode, r.stderr), (0, b""), args)

    def test_json_of_a_cut_file_is_whole(self):
        cut = self.file(ACKS.read_bytes()[:-1])
        self.assertEqual(len(json.loads(self.fails(2, "-T", "json", cut).stdout)), 13)
        xml.etree.ElementTree.fromstring(self.fails(2, "-T", "pdml", cut).stdout)


class Usage(Case):
    def test_wrong_options(self):
        for args in (["-T", "yaml"], ["-t", "x"], ["-d", "udp.port==0,infiniband"], ["-d", "udp.port==4000"],
                     ["-d", "user16,infiniband"], ["-d", ""], ["-o", "icrc:maybe"], ["-o", ""], ["-E", "header=maybe"],
                     ["-E", "sep"], ["-E", "quote=x"], ["-E", "occurrence=z"], ["-E", "aggregator="], ["-E", "nokey=1"],
                     ["--port", "0"], ["--port", "65536"], ["--port", "4791x"], ["--port", ""], ["-c", "0"], ["-c", "-1"],
                     ["-c", "many"], ["--color=sometimes"], ["-T", "fields"], ["-e", "frame.number"], ["-f", "udp"],
                     ["-i", "lo"], ["-z", "nonsense"], ["-G", "nonsense"]):
            with self.subTest(args):
                self.fails(1, *args, ACKS, printed=0)

    def test_one_interface(self):
        r = run("-i", "lo", "-i", "any")
        self.assertEqual(r.returncode, 1)
        self.assertEqual(r.stderr.decode(), "ibdissect: -i any: there is -i lo before it; one interface is captured, or any\n")

    def test_merge_is_a_command(self):
        self.assertIn(b"no option --merge: the command is: ibdissect merge", run("--merge").stderr)

    def test_unknown_option(self):
        for args in (["--nonsense"], ["-k"], ["-T"], ["--port"]):
            r = run(*args)
            self.assertEqual(r.returncode, 1)
            self.assertEqual(r.stdout, b"")
            self.assertIn(b"ibdissect: ", r.stderr)

    def test_no_capture(self):
        self.fails(1, printed=0)

    def test_unknown_field_names_the_nearest(self):
        self.fails(1, "-T", "fields", "-e", "infiniband.bth.pns", ACKS, says='"infiniband.bth.psn"')
        self.fails(1, "-T", "fields", "-e", "bth.opcod", ACKS, says='"infiniband.bth.opcode"')

    def test_options_of_other_programs(self):
        """For an option of tshark or tcpdump, the message names the option that does the same here; for others, the
        nearest name."""
        for option, says in (("-O", "-V prints all headers"), ("-D", "dumpcap -D"), ("-b", "dumpcap"), ("-R", "-Y is the filter"),
                             ("--time-stamp-type=adapter", "no option --time-stamp-type: capture with dumpcap"), ("--print", "-P prints"),
                             ("-Z", "--user NAME"), ("-tttt", "tcpdump's -tttt is ad"),
                             ("-k", "no option -k; see ibdissect --help"), ("--reprot", "did you mean --report?"),
                             ("--nonsense", "no option --nonsense; see"), ("--version=1", "takes no value"),
                             ("--report", "--report: wants a value"), ("-Y", "-Y: wants a value")):
            with self.subTest(option):
                self.fails(1, option, says=says, printed=0)

    def test_filter_where_a_file_is_expected(self):
        self.fails(1, ACKS, "infiniband.aeth", says="a filter follows -Y: -Y 'infiniband.aeth'", printed=0)
        self.fails(1, "infiniband.bth.psn == 1", ACKS, says="a filter follows -Y", printed=0)

    def test_statistics_are_listed(self):
        listed = self.good("-z", "help").stdout
        self.assertEqual(listed, self.good("-G", "statistics").stdout)
        self.assertIn(b"-z io,stat,SEC          packets and bytes", listed)
        self.fails(1, "-z", "nonsense", ACKS, says="-z help lists all")
        self.fails(1, "-z", "io,stat", ACKS, says="-z io,stat: the form is -z io,stat,SEC[,FILTER]...")
        self.fails(1, "-z", "io,stat,infiniband", ACKS, says="-z io,stat,infiniband: the form is -z io,stat,SEC[,FILTER]...")

    def test_packed_captures(self):
        for head, says in ((b"\x28\xb5\x2f\xfd", "zstdcat"), (b"\xfd7zXZ\0", "xzcat"), (b"\x04\x22\x4d\x18", "lz4cat"),
                           (b"BZh9", "bzcat"), (b"PK\3\4", "unzip -p")):
            with self.subTest(says):
                self.fails(2, self.file(head + bytes(60)), says=says, printed=0)

    def test_filter_with_a_typo(self):
        self.fails(2, "-Y", "(infiniband.bth.psn == 1", ACKS, says='the filter ends too early: ")" is missing', printed=0)
        self.fails(2, "-Y", "infiniband.bth.pns == 1", ACKS, says="infiniband.bth.psn", printed=0)
        for expr in ("bth.psn ==", "bth.psn = = 1", "(bth.psn", "bth.psn == 99999999999999999999", "&&", ""):
            with self.subTest(expr):
                self.fails(2, "-Y", expr, ACKS, printed=0)

    def test_help_and_version(self):
        for flag in ("--help", "-h", "--version", "-v"):
            self.assertIn(b"ibdissect", self.good(flag).stdout)
        for option in ("-Y", "-T", "-e", "-E", "-w", "-z", "-d", "-G", "--port", "--color"):
            self.assertIn(option, self.good("--help").stdout.decode())
        self.assertTrue(all(len(l) <= 120 for l in lines(self.good("--help"))))


class Forms(Case):
    def once(self, *args):
        """The result of good(), from one start of the program for all tests that ask for it: there are many captures."""
        r = run_once(*args)
        self.assertEqual((r.returncode, r.stderr), (0, b""), args)
        return r

    def test_jsonl_of_all(self):
        for path in bad.captures():
            with self.subTest(path.name):
                rows = jsonl(self.once("-T", "jsonl", path))
                self.assertEqual([r["frame.number"] for r in rows], list(range(1, len(rows) + 1)))
                self.assertGreater(len(rows), 0)
                self.assertEqual(len(rows), len(lines(self.once(path))))
                self.assertEqual(len(jsonl(self.good("-x", "-T", "jsonl", path))), len(rows))

    def test_nanoseconds(self):
        """A double keeps 16 digits of frame.time_epoch, which has 19; frame.time_ns is a whole number with all of them."""
        lost = 0
        for path in bad.captures():
            with self.subTest(path.name):
                rows = jsonl(self.once("-T", "jsonl", path))
                text = lines(self.good("-T", "fields", "-e", "frame.time_epoch", "-e", "frame.time_ns", path))
                self.assertEqual(len(rows), len(text))
                for row, line in zip(rows, text):
                    epoch, ns = line.split("\t")
                    self.assertEqual("frame.time_epoch" in row, epoch != "")
                    self.assertIs(type(row.get("frame.time_ns", 0)), int)
                    self.assertEqual(str(row.get("frame.time_ns", "")), epoch.replace(".", "").lstrip("0") or ns)
                    self.assertEqual(str(row.get("frame.time_ns", "")), ns)
                    lost += epoch != "" and round(row["frame.time_epoch"] * 1e9) != int(ns)
        self.assertGreater(lost, 0)
        number = jsonl(self.good("-T", "jsonl", PLAIN))[-1]["frame.time_ns"]
        one = jsonl(self.good("-Y", "frame.time_ns == %d" % number, "-T", "jsonl", PLAIN))
        self.assertEqual([row["frame.time_ns"] for row in one], [number])

    def test_json_and_ek_of_all(self):
        for path in bad.captures():
            with self.subTest(path.name):
                n = len(lines(self.once(path)))
                self.assertEqual(len(json.loads(self.good("-T", "json", path).stdout)), n)
                ek = [json.loads(line) for line in lines(self.good("-T", "ek", path))]
                self.assertEqual(len(ek), 2 * n)
                self.assertTrue(all("index" in head for head in ek[::2]))
                self.assertTrue(all("layers" in body for body in ek[1::2]))
                self.assertEqual(len(json.loads(self.good("-x", "-T", "json", path).stdout)), n)

    def test_pdml_of_all(self):
        for path in bad.captures():
            with self.subTest(path.name):
                tree = xml.etree.ElementTree.fromstring(self.good("-T", "pdml", path).stdout)
                self.assertEqual(len(tree.findall("packet")), len(lines(self.once(path))))

    def test_nothing_to_show_is_still_whole(self):
        empty = self.file(bad.pcap([]))
        self.assertEqual(json.loads(self.good("-T", "json", empty).stdout), [])
        xml.etree.ElementTree.fromstring(self.good("-T", "pdml", empty).stdout)
        for form in ("text", "tree", "jsonl", "ek"):
            self.assertEqual(self.good("-T", form, empty).stdout, b"")

    def test_chosen_fields(self):
        want = ["frame.number", "infiniband.bth.psn", "infiniband.aeth.msn"]
        chosen = [x for name in want for x in ("-e", name)]
        rows = jsonl(self.good("-T", "jsonl", *chosen, ACKS))
        self.assertEqual([list(r) for r in rows], [want] * 14)
        self.assertEqual(rows[1], {"frame.number": 2, "infiniband.bth.psn": 2, "infiniband.aeth.msn": 2})
        layers = [p["_source"]["layers"] for p in json.loads(self.good("-T", "json", *chosen, ACKS).stdout)]
        self.assertEqual(layers[1], {"frame.number": ["2"], "infiniband.bth.psn": ["2"], "infiniband.aeth.msn": ["2"]})
        fields = lines(self.good("-T", "fields", *chosen, ACKS))
        self.assertEqual(fields[1], "2\t2\t2")

    def test_prefix_may_be_left_out(self):
        self.assertEqual(self.good("-T", "fields", "-e", "bth.psn", ACKS).stdout,
                         self.good("-T", "fields", "-e", "infiniband.bth.psn", ACKS).stdout)

    def test_wireshark_names_of_feth(self):
        """Wireshark has these names since 4.4, but its masks are wrong. So the values are ours, and the tree does not
        show them twice."""
        chosen = [x for name in ("placement", "plt", "selectivity", "sel") for x in ("-e", f"infiniband.feth.{name}")]
        asked = "infiniband.feth.plt == 3 && infiniband.feth.sel == 1 && infiniband.feth == 00:00:00:13"
        self.assertEqual(lines(self.good("-T", "fields", *chosen, "-Y", asked, PLAIN)), ["3\t3\t1\t1"])
        self.assertEqual(lines(self.good("-T", "fields", "-e", "frame.number", "-Y", "infiniband.feth.sel == 2", PLAIN)), [])
        self.assertEqual(self.good("-V", "-Y", "infiniband.feth.plt", PLAIN).stdout.count(b"Placement Type"), 1)

    def test_tree_and_hex(self):
        text = self.good("-V", ACKS).stdout.decode()
        self.assertEqual(text, self.good("-T", "tree", ACKS).stdout.decode())
        self.assertEqual(text.count("Base Transport Header"), 14)
        self.assertIn("PSN Sequence Error", text)
        dump = lines(self.good("-x", "-c", 1, ACKS))
        self.assertEqual(dump[1][:53], "0000  02 00 00 00 00 01 02 00 00 00 00 02 08 00 45 00")
        packet = bad.pcap_records(ACKS.read_bytes())[2][0][1]
        shown = "".join(re.sub(" ", "", line[6:54]) for line in dump[1:] if line)
        self.assertEqual(bytes.fromhex(shown), packet)

    def test_times(self):
        epoch = lines(self.good("-te", "-c", 2, ACKS))
        self.assertIn(" 1700000000.010007000 ", epoch[1])
        self.assertRegex(lines(self.good("-tu", "-c", 2, ACKS))[1], r"22:13:20\.010007000")
        self.assertRegex(lines(self.good("-tud", "-c", 2, ACKS))[1], r"2023-11-14 22:13:20\.010007000")
        self.assertRegex(lines(self.good("-tr", "-c", 3, ACKS))[2], r" 0\.020014000 ")
        self.assertRegex(lines(self.good("-td", "-c", 3, ACKS))[2], r" 0\.010007000 ")
        west = {"TZ": "EST+5"}
        self.assertRegex(lines(self.good("-ta", "-c", 2, ACKS, env=west))[1], r"17:13:20\.010007000")
        self.assertRegex(lines(self.good("-tad", "-c", 2, ACKS, env=west))[1], r"2023-11-14 17:13:20\.010007000")

    def test_color(self):
        damaged = bad.PCAPS / "damaged.pcap"
        for env in ({}, {"NO_COLOR": "1"}):
            self.assertNotIn(b"\033", self.good(damaged, env=env).stdout)
            self.assertIn(b"\033[31m", self.good("--color=always", damaged, env=env).stdout)
            self.assertNotIn(b"\033", self.good("--color=never", damaged, env=env).stdout)
            self.assertNotIn(b"\033", self.good("--color", damaged, env=env).stdout)

    def test_lists(self):
        rows = [line.split("\t") for line in lines(self.good("-G", "fields"))]
        names = [r[2] for r in rows]
        self.assertTrue(all(r[0] == "F" and len(r) >= 6 for r in rows))
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 200)
        self.assertEqual(names, sorted(names))
        everything = [x for name in names for x in ("-e", name)]
        for at in range(0, len(everything), 400):
            part = everything[at : at + 400]
            got = lines(self.good("-T", "fields", *part, TUNNELS))
            self.assertTrue(all(line.count("\t") == len(part) // 2 - 1 for line in got))
        opcodes = [line.split("\t") for line in lines(self.good("-G", "opcodes"))]
        self.assertEqual(len(opcodes), len({r[0] for r in opcodes}))
        self.assertIn("0x81", [r[0] for r in opcodes])
        values = [line.split("\t") for line in lines(self.good("-G", "values"))]
        self.assertTrue(all(r[0] in "VR" and r[1] in names and len(r) == 4 + (r[0] == "R") for r in values))

    def test_every_finding_has_help(self):
        rows = [line.split("\t") for line in lines(self.good("-G", "findings"))]
        self.assertEqual({len(row) for row in rows}, {8})
        self.assertEqual(len(rows), len({row[0] for row in rows}))
        fields = {line.split("\t")[2] for line in lines(self.good("-G", "fields"))}
        for name, severity, field, *_, means, causes, advice in rows:
            self.assertIn(severity, ("note", "warn", "error"), name)
            self.assertIn(field, fields, name)
            for text in (means, causes, advice):
                self.assertRegex(text, r"^[A-Zi].*\.$", name)

    def test_fields_in_json_are_listed(self):
        names = {line.split("\t")[2] for line in lines(self.good("-G", "fields"))}
        for path in bad.captures():
            for row in jsonl(self.good("-T", "jsonl", path)):
                odd = {k for k in row if k not in names and k.removesuffix(".name") not in names}
                self.assertEqual(odd, set(), path.name)


class Input(Case):
    def test_stdin_and_gzip(self):
        text = self.good(ACKS).stdout
        data = ACKS.read_bytes()
        for args in (("-",), ("-r", "-")):
            self.assertEqual(self.good(*args, data=data).stdout, text)
            self.assertEqual(self.good(*args, data=gzip.compress(data)).stdout, text)
        self.assertEqual(self.good("-r", ACKS).stdout, text)
        self.assertEqual(self.good(self.file(gzip.compress(data), "no-ending")).stdout, text)
        twice = gzip.compress(data[:500]) + gzip.compress(data[500:])
        self.assertEqual(self.good(self.file(twice, "members.gz")).stdout, text)

    def test_count(self):
        for n in (1, 5, 14, 15):
            self.assertEqual(len(lines(self.good("-c", n, ACKS))), min(n, 14))
        self.assertEqual(len(json.loads(self.good("-c", 2, "-T", "json", ACKS).stdout)), 2)

    def test_part_of_the_time(self):
        """Consecutive parts of a capture together have each packet once. A part is judged as if the capture had nothing
        else."""
        for path in (ACKS, bad.PCAPS / "rxe-reorder-rc.pcap", bad.PCAPS / "ib-native-erf.pcap", bad.PCAPS / "rxe-uc-send-mtu256.pcap.gz"):
            with self.subTest(path.name):
                rows = self.good("-T", "fields", "-e", "frame.file_number", "-e", "frame.time_epoch", path).stdout.decode().splitlines()
                times = [row.split("\t")[1] for row in rows]
                middle = times[len(times) // 2]
                parts = [self.good("-T", "fields", "-e", "frame.file_number", "-e", "frame.time_epoch", *options, path).stdout.decode().splitlines()
                         for options in (("--to", middle), ("--from", middle))]
                self.assertEqual(parts[0] + parts[1], rows)
                self.assertTrue(all(time < middle for time in times[:len(parts[0])]) and parts[1])
                numbers = self.good("-T", "fields", "-e", "frame.number", "--from", middle, path).stdout.split()
                self.assertEqual(numbers, [b"%d" % (i + 1) for i in range(len(parts[1]))])
        self.assertEqual(self.good("--from", "+0", ACKS).stdout, self.good(ACKS).stdout)
        self.assertEqual(self.good("--from", "+1000000", ACKS).stdout, b"")
        self.assertEqual(lines(self.good("-c", "2", "--from", "+0", "--to", "+1000000", ACKS)), lines(self.good("-c", "2", ACKS)))
        self.fails(1, "--from", "noon", ACKS, says="--from noon: want a time")
        self.fails(1, "--from", "+2", "--to", "+1", ACKS, says="--from is not before --to")
        self.fails(1, "--to", "+2", "--summary", self.folder / "s.json", ACKS, says="do not go with it")

    def test_merge_by_time(self):
        """One file has the packets with odd numbers, another those with even numbers; merged, they are the original."""
        order, link, records = bad.pcap_records(PLAIN.read_bytes())
        data = PLAIN.read_bytes()
        parts = [b"", b""]
        for i, (at, packet, _) in enumerate(records):
            parts[i % 2] += data[at : at + 16 + len(packet)]
        a, b = (self.file(data[:24] + p, n) for n, p in (("a.pcap", parts[0]), ("b.pcap", parts[1])))
        for pair in ((a, b), (b, a)):
            rows = jsonl(self.good("-T", "jsonl", *pair))
            self.assertEqual([r["frame.number"] for r in rows], list(range(1, len(rows) + 1)))
            files = [pathlib.Path(r.pop("frame.file")).name for r in rows]
            self.assertEqual(files, ["a.pcap", "b.pcap"] * (len(rows) // 2) + ["a.pcap"] * (len(rows) % 2))
            self.assertEqual(rows, jsonl(self.good("-T", "jsonl", PLAIN)))
        shown = lines(self.good(a, b))
        self.assertRegex(shown[1], r"\{.*b\.pcap 1\}$")

    def test_write_and_read_back(self):
        """Writing and reading back loses nothing. Findings, which -w adds as comments, are left out here: see
        analysis.py."""
        for path in bad.captures():
            with self.subTest(path.name):
                whole = jsonl(self.good("-T", "jsonl", path))
                copy = self.folder / "copy.pcapng"
                self.good("-q", "-o", "analysis:off", "-w", copy, path)
                self.assertEqual(jsonl(self.good("-T", "jsonl", copy)), whole)
                piped = self.good("-o", "analysis:off", "-w", "-", path).stdout
                self.assertEqual(piped, copy.read_bytes())
                self.assertEqual(jsonl(self.good("-T", "jsonl", "-", data=piped)), whole)

    def test_write_what_matches(self):
        copy = self.folder / "copy.pcapng"
        self.good("-q", "-Y", "infiniband.aeth.syndrome.opcode == 3", "-w", copy, ACKS)
        self.assertEqual(len(lines(self.good(copy))), 6)

    def test_write_over_the_input(self):
        path = self.file(ACKS.read_bytes())
        self.fails(2, "-w", path, path)
        self.assertEqual(path.read_bytes(), ACKS.read_bytes(), "the capture was destroyed")

    def test_write_into_no_folder(self):
        self.fails(2, "-w", self.folder / "no" / "x.pcapng", ACKS)

    def test_decode_as(self):
        packets = [p for _, p, _ in bad.pcap_records((bad.PCAPS / "ib-native.pcap").read_bytes())[2]]
        user = self.file(bad.pcap(packets, link=150))
        self.assertIn("RC SEND Only", lines(self.good("-d", "user3,infiniband", user))[0])
        self.fails(2, "-d", "user4,infiniband", user)
        rd = bad.PCAPS / "opcodes-rd-erf.pcap"
        dc = jsonl(self.good("-T", "jsonl", "-d", "infiniband.bth.service==RD,dc", rd))
        self.assertTrue(all("infiniband.dcbth.opaque" in r for r in dc))

    def test_decode_qp_as(self):
        redirected = bad.PCAPS / "field-bugs-path.pcap"
        read = lambda *args: jsonl(self.good("-T", "jsonl", "-Y", "infiniband.bth.destqp == 0x1026", *args, redirected))[0]
        self.assertNotIn("infiniband.mad.method", read())
        self.assertEqual(read("-d", "qp==0x1026,mad")["infiniband.mad.method"], read("-d", "qp==4134,mad")["infiniband.mad.method"])
        cm = bad.PCAPS / "field-bugs-agreed.pcap"
        self.assertIn("ComMgt", lines(self.good(cm))[0])
        self.assertNotIn("ComMgt", lines(self.good("-d", "qp==1,data", cm))[0])
        ip = bad.PCAPS / "ib-native.pcap"
        first = lambda *args: jsonl(self.good("-T", "jsonl", *args, ip))
        self.assertEqual(first(), first("-d", "qp==0xabcdef,ipoib"))
        for wrong in ("qp==0x1000000,mad", "qp==,mad", "qp==7,nvme", "qp==7", "qp==-1,mad", "qp==7x,mad"):
            self.fails(1, "-d", wrong, cm, says="want qp==N,mad|ipoib|tm|data")
        self.fails(1, *17 * ["-d", "qp==7,data"], cm, says="more than 16")

    def test_ports(self):
        moved = self.file(PLAIN.read_bytes().replace(struct.pack(">H", 4791), struct.pack(">H", 5000)))
        key = "infiniband.bth.opcode"
        self.assertFalse(any(key in r for r in jsonl(self.good("-T", "jsonl", moved))))
        for args in (("--port", 5000), ("-d", "udp.port==5000,infiniband"), ("-o", "infiniband.rroce.port:5000"),
                     ("--port", 4000, "--port", 5000)):
            self.assertTrue(all(key in r for r in jsonl(self.good("-T", "jsonl", *args, moved))))

    def test_unchecked(self):
        rows = jsonl(self.good("-T", "jsonl", "-o", "icrc:off", bad.PCAPS / "damaged.pcap"))
        self.assertTrue(all(r["infiniband.icrc.status"] not in ("good", "bad") for r in rows))


class Terminal(Case):
    def test_progress_is_gone_before_statistics(self):
        """Statistics do not begin in the line that showed the progress."""
        frame = bad.pcap_records(PLAIN.read_bytes())[2][0][1]
        own, theirs = pty.openpty()
        done = subprocess.run([PROGRAM, "-q", "-z", "qp", self.file(bad.pcap([frame] * 5000))], stdin=subprocess.DEVNULL,
                              stdout=theirs, stderr=theirs, timeout=120, env=PLACE)
        os.close(theirs)
        said = os.read(own, 65536)
        os.close(own)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"packets, ", said)
        self.assertNotIn(b"\r", said.split(b"\x1b[K")[-1].replace(b"\r\n", b"\n"), said)
        self.assertRegex(said, rb"\r\x1b\[K[^\x1b]*QP[^\x1b]*\Z")


class AsTshark(Case):
    """-E, compared with tshark."""

    def both(self, path, *args):
        tshark = subprocess.run(["tshark", "-n", "-r", str(path), "-T", "fields", *args], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=120)
        if tshark.returncode != 0:
            self.skipTest("tshark does not run here")
        # From 4.4 on tshark has words for fields of one bit, and a backslash before an aggregator that is the separator too.
        theirs = tshark.stdout.decode().replace("True", "1").replace("False", "0").replace("\\,", ",")
        self.assertEqual(self.good("-T", "fields", *args, path).stdout.decode(), theirs, args)

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_forms_of_fields(self):
        fields = [x for f in ("frame.number", "ip.src", "udp.port", "eth.addr", "infiniband.bth.psn",
                              "infiniband.bth.p_key", "infiniband.reth.va", "infiniband.bth.a") for x in ("-e", f)]
        for options in ([], ["header=y"], ["separator=,"], ["separator=/s"], ["separator=/t"], ["separator=;"],
                        ["aggregator=;"], ["aggregator=/s"], ["occurrence=f"], ["occurrence=l"], ["occurrence=a"],
                        ["quote=d"], ["quote=s"], ["quote=n"], ["header=y", "separator=|", "quote=d", "occurrence=f"]):
            with self.subTest(options):
                form = [x for o in options for x in ("-E", o)]
                for path in (bad.PCAPS / "rxe-agent-ops.pcap", bad.PCAPS / "rxe-rping-v6.pcap"):
                    self.both(path, *fields, *form)

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_values_of_fields(self):
        names = ("infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.aeth.syndrome", "infiniband.aeth.msn",
                 "infiniband.deth.q_key", "infiniband.reth.dmalen", "infiniband.invariant.crc", "ip.dst", "ip.ttl",
                 "ip.dsfield.ecn", "udp.dstport", "eth.type", "frame.len", "frame.time_epoch", "frame.time_relative")
        self.both(bad.PCAPS / "rxe-udaddy.pcap", "-e", names[0])
        for stem in ("rxe-rping", "rxe-agent-ops", "rxe-udaddy", "acknowledges"):
            with self.subTest(stem):
                self.both(bad.PCAPS / (stem + ".pcap"), *(x for name in names for x in ("-e", name)))


class Cut(Case):
    """A capture cut by a snap length: missing bytes are never reported as errors."""

    STATUS = "infiniband.icrc.status"

    def was_packet(self, row):
        return row.get(self.STATUS, "absent") != "absent"

    @functools.lru_cache(maxsize=None)
    def whole(self, path):
        return jsonl(self.good("-T", "jsonl", path))

    def shortened(self, path, n):
        before = self.whole(path)
        after = jsonl(self.good("-T", "jsonl", self.file(bad.cut(path, n), path.name.removesuffix(".gz"))))
        self.assertEqual(len(before), len(after))
        return zip(before, after)

    def test_every_capture(self):
        for path in bad.captures():
            for n in (60, 90):
                for was, now in self.shortened(path, n):
                    with self.subTest("%s, packet %d cut at %d" % (path.name, was["frame.number"], n)):
                        self.compare(was, now)

    def icrc_is_there(self, was, now):
        """If the missing bytes come after the ICRC, they are the VCRC, or bytes beyond a length field that is too
        small."""
        behind = 2 if "infiniband.vcrc.status" in was else 0
        return "infiniband.fault" in was or now["frame.cap_len"] >= was["frame.len"] - behind

    def compare(self, was, now):
        if "infiniband.fault" not in was:
            self.assertNotIn("infiniband.fault", now)
        if now["frame.cap_len"] < was["frame.cap_len"]:
            self.assertTrue(now.get("infiniband.truncated"))
            if self.was_packet(was) and now.get(self.STATUS) != "truncated":
                self.assertTrue(self.icrc_is_there(was, now))
                self.assertEqual(now.get(self.STATUS), was[self.STATUS])
        else:
            self.assertEqual(now.get(self.STATUS), was.get(self.STATUS))
            self.assertEqual(now.get("infiniband.fault"), was.get("infiniband.fault"))

    def test_every_length(self):
        for stem in ("tunnels", "damaged", "opcodes-xrc", "ib-native"):
            path = bad.PCAPS / (stem + ".pcap")
            for n in range(1, 200, 3):
                for was, now in self.shortened(path, n):
                    with self.subTest("%s, packet %d cut at %d" % (stem, was["frame.number"], n)):
                        self.compare(was, now)


if __name__ == "__main__":
    unittest.main(verbosity=1)
