#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""JSON that ibdissect prints follows docs/schemas, for every sample capture. IBPROOF_BIN names the programs' folder."""
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))
import json_schema  # noqa: E402

PROGRAM = pathlib.Path(os.environ["IBPROOF_BIN"], "ibdissect")
SCHEMAS = ROOT / "docs/schemas"
CAPTURES = sorted(path for path in (ROOT / "pcaps").iterdir() if path.name.endswith((".pcap", ".pcapng", ".gz", ".erf")))
PACKETS = "300"  # of each capture
ARGUMENTS = {"io,stat,SEC": "io,stat,0.5", "expert[,SEVERITY]": "expert", "rails,FILE": f"rails,{ROOT}/examples/rails.txt"}


def read(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def printed(*args):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=True, timeout=60).stdout


@functools.cache
def flat(path):
    """The output of -T jsonl for a capture, with everything that it can print."""
    return lines(printed("-T", "jsonl", "-x", "-c", PACKETS, path))


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def types():
    """The JSON types of each field in -T jsonl, by the list of fields. Layouts share the names of reserved fields,
    which have any width."""
    of = {"FT_BOOLEAN": {bool}, "FT_NONE": {bool, str}, "FT_RELATIVE_TIME": {float}, "FT_ABSOLUTE_TIME": {float}}
    rows = [line.split("\t") for line in printed("-G", "fields").splitlines()]
    return {row[2]: {int, str} if ".reserved" in row[2] else of.get(row[3], {int} if "INT" in row[3] else {str})
            for row in rows if row[0] == "F"}


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def follows(self, schema, value, about):
        self.assertEqual(json_schema.faults(value, schema)[:5], [], about)

    def test_statistics(self):
        """Every statistic, in both forms, of every capture; the schema has no statistic that does not exist."""
        schema = read("statistics")
        names = [line.split()[1] for line in printed("-G", "statistics").splitlines()]
        asked = [word for name in names for word in ("-z", ARGUMENTS.get(name, name))]
        seen = set()
        for path in CAPTURES:
            found = lines(printed("-q", "-T", "jsonl", *asked, path))
            self.assertEqual(found, lines(printed("-q", "-T", "json", *asked, path)), path.name)
            for one in found:
                self.follows(schema, one, path.name)
                seen.add(one["stat"])
        self.assertEqual({one["$ref"].rsplit("/", 1)[1] for one in schema["anyOf"]}, {name.replace(",", "_") for name in seen})

    def test_columns(self):
        columns = ",infiniband,FRAMES,BYTES()udp,COUNT(ip.addr),SUM(bth.psn),AVG(bth.psn),MIN(aeth.msn),MAX(frame.time_delta)"
        for one in lines(printed("-q", "-T", "jsonl", "-z", "io,stat,0.01," + columns, ROOT / "pcaps/rxe-rping.pcap")):
            self.follows(read("statistics"), one, columns)

    def test_packets(self):
        tshark, ek, jsonl = read("packets-json"), read("packets-ek"), read("packets-jsonl")
        for path in CAPTURES:
            self.follows(tshark, json.loads(printed("-T", "json", "-c", PACKETS, path)), path.name)
            for line in lines(printed("-T", "ek", "-c", PACKETS, path)):
                self.follows(ek, line, path.name)
            for line in flat(path):
                self.follows(jsonl, line, path.name)

    def test_chosen_fields(self):
        chosen = ("-e", "frame.number", "-e", "infiniband.bth.psn", "-e", "ip.src", ROOT / "pcaps/rxe-rping.pcap")
        self.follows(read("packets-json"), json.loads(printed("-T", "json", *chosen)), "json")
        for form, name in (("ek", "packets-ek"), ("jsonl", "packets-jsonl")):
            for line in lines(printed("-T", form, *chosen)):
                self.follows(read(name), line, form)

    def test_types_of_fields(self):
        """A value of -T jsonl has the type that -G fields gives the field."""
        of = types()
        for path in CAPTURES:
            for line in flat(path):
                for key, value in line.items():
                    base = key[:-5] if key.endswith(".name") and key not in of else key
                    want = {str} if base != key else of.get(base)
                    self.assertIsNotNone(want, (path.name, key))
                    for one in value if isinstance(value, list) else [value]:
                        self.assertIn(type(one), want, (path.name, key, one))

    def test_rows(self):
        """Every file of --rows has a schema, and every line follows it."""
        rows = self.folder / "rows"
        printed("-q", "--host", "here", "--rows", rows, *CAPTURES)
        names = sorted(path.name for path in rows.iterdir())
        self.assertEqual([path.name for path in sorted(SCHEMAS.glob("rows-*"))],
                         [f"rows-{name.removesuffix('.ndjson')}.schema.json" for name in names])
        for name in names:
            schema = read("rows-" + name.removesuffix(".ndjson"))
            found = lines((rows / name).read_text())
            self.assertGreater(len(found), 0, name)
            for line in found:
                self.follows(schema, line, name)
                self.assertEqual(list(line), list(schema["properties"]), "columns come in the schema's order")


if __name__ == "__main__":
    unittest.main()
