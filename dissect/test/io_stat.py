#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""-z io,stat,SEC,FILTER... against tshark's, interval by interval. tshark needs the field in the filter, averages whole numbers without a
rest, prints times with six digits, and takes a packet's time to the microsecond."""

import json
import re
import shutil
import subprocess
import unittest

import bad
from cli import PROGRAM, run

TSHARK = shutil.which("tshark")
COLUMNS = ("", "infiniband", "infiniband.aeth", "FRAMES()infiniband.reth", "BYTES()udp", "infiniband.bth.psn > 100 && ip",
           *(f"{what}({field}){field}" for what in ("COUNT", "SUM", "AVG", "MIN", "MAX")
             for field in ("infiniband.bth.psn", "infiniband.reth.dmalen", "udp.srcport", "frame.len")),
           "COUNT(infiniband.bth)infiniband.bth", "COUNT(ip.src)ip.src", "SUM(frame.len)frame.len && infiniband.aeth",
           *(f"{what}(frame.time_delta)frame.time_delta" for what in ("SUM", "AVG", "MIN", "MAX", "COUNT")))
MOST = 16  # columns of ibdissect
CAPTURES = ("acknowledges", "field-bugs-order", "rxe-corrupt20-rc", "rxe-counted-loss-write")
SECONDS = ("0", "0.003", "0.1")


def witness(capture, seconds, columns):
    """tshark's rows: the numbers of each interval, as text."""
    text = subprocess.run([TSHARK, "-r", str(capture), "-q", "-z", ",".join(["io,stat", seconds, *columns])], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8").stdout
    rows = re.findall(r"^\| *([\d.]+) <> *(?:[\d.]+|Dur) *\|(.*)\|$", text, re.M)
    return [(float(at), [cell.strip() for cell in cells.split("|") if cell.strip()]) for at, cells in rows]


def ours(capture, seconds, columns):
    done = run("-q", "-T", "json", "-z", ",".join(["io,stat", seconds, *columns]), capture)
    assert done.returncode == 0, done.stderr
    return [(i["start"], [n for c in i["columns"] for n in c.values()]) for i in json.loads(done.stdout)["intervals"]]


def same(number, text):
    if number is None:  # tshark prints 0 where there is no value
        return float(text) == 0
    if "." in text:
        return abs(number - float(text)) < 1.5e-6
    return int(number) == int(text)


class Witness(unittest.TestCase):
    def test_intervals_are_tsharks(self):
        compared = 0
        self.assertIsNotNone(TSHARK, "tshark is the witness")
        for name in CAPTURES:
            capture = bad.PCAPS / (name + ".pcap")
            for seconds in SECONDS:
                for columns in (COLUMNS[at:at + MOST] for at in range(0, len(COLUMNS), MOST)):
                    want, got = witness(capture, seconds, columns), ours(capture, seconds, columns)
                    self.assertEqual(len(want), len(got), (name, seconds))
                    for (at, cells), (start, numbers) in zip(want, got):
                        self.assertAlmostEqual(at, start, 6)
                        self.assertEqual(len(cells), len(numbers), (name, seconds, columns, cells))
                        for number, text in zip(numbers, cells):
                            self.assertTrue(same(number, text), (name, seconds, columns, at, cells, numbers))
                            compared += 1
        print(f"{compared} numbers compared")
        self.assertGreater(compared, 2000)

    def test_headers_that_tshark_4_0_does_not_know(self):
        """A FLUSH has FETH and RETH, an ATOMIC WRITE a RETH (WF-56, WF-57; Linux, drivers/infiniband/sw/rxe/rxe_opcode.c). tshark 4.0
        knows neither opcode, and shows no header after their BTH (tools/compare-tshark.d/README.md, B11)."""
        capture, flush, atomic_write = bad.PCAPS / "opcodes-roce2-v4.pcap", 0x1c, 0x1d

        def with_reth(program, *arguments):
            text = subprocess.run([program, "-r", str(capture), "-Y", "infiniband.reth", "-T", "fields", "-e", "frame.number", "-e",
                                   "infiniband.bth.opcode", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  encoding="utf-8").stdout
            return {tuple(int(n) for n in line.split()) for line in text.splitlines()}

        mine, theirs = with_reth(PROGRAM), with_reth(TSHARK)
        self.assertLessEqual(theirs, mine)
        self.assertIn({opcode for _, opcode in mine - theirs}, ({flush, atomic_write}, set()))
        self.assertEqual(len(mine), 12)
        others = f"infiniband.reth && infiniband.bth.opcode != {flush} && infiniband.bth.opcode != {atomic_write}"
        columns = (others, "infiniband.bth", f"FRAMES(){others}", f"BYTES(){others}")
        self.assertEqual([[int(c) for c in cells] for _, cells in witness(capture, "0", columns)],
                         [numbers for _, numbers in ours(capture, "0", columns)])


if __name__ == "__main__":
    unittest.main()
