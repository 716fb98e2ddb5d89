# SPDX-License-Identifier: BSD-2-Clause
"""Running the two dissectors, and what both of them know."""

import os
import subprocess

SEPARATOR = "\x01"


class Failed(Exception):
    pass


class Rows:
    """The output of one dissector for one file: a list of packets, each a dict of field to bytes as text."""

    def __init__(self, fields, run):
        self.status = run.returncode
        self.message = run.stderr.decode("latin-1").strip().replace("\n", "; ")
        self.packets = [dict(zip(fields, line.split(SEPARATOR))) for line in run.stdout.decode("latin-1").split("\n")[:-1]]


class Program:
    def __init__(self, name):
        self.name = name

    def run(self, *arguments, by=()):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        return subprocess.run([*by, self.name, *arguments], capture_output=True, env=environment, stdin=subprocess.DEVNULL)

    def lines(self, *arguments):
        run = self.run(*arguments)
        if run.returncode:
            raise Failed(f"{self.name} {' '.join(arguments)}: {run.stderr.decode('latin-1').strip()}")
        return run.stdout.decode("latin-1").split("\n")[:-1]

    def fields(self):
        """Names of all fields (not of protocols)."""
        rows = (line.split("\t") for line in self.lines("-G", "fields"))
        return {row[2] for row in rows if len(row) > 3 and row[0] == "F" and row[3].startswith("FT_")}

    def dissect(self, path, fields, *options):
        columns = [word for field in fields for word in ("-e", field)]
        return Rows(fields, self.run("-n", *options, "-r", path, "-T", "fields", *columns, "-E", f"separator={SEPARATOR}", "-E", "occurrence=a"))

