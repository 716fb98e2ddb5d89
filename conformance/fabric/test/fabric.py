# SPDX-License-Identifier: BSD-2-Clause
"""ibfabric, and the programs of others that its tests run against it: OpenSM, infiniband-diags. IBPROOF_BIN names the folder
of our programs."""
import glob
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["IBPROOF_BIN"])
SOURCE = pathlib.Path(__file__).resolve().parents[3]
SHIMS = glob.glob("/usr/lib/*/umad2sim/libumad2sim.so") + glob.glob("/usr/lib*/umad2sim/libumad2sim.so")
LIBRARY = pathlib.Path(os.environ.get("IBPROOF_UMAD", BIN / "libibfabric-umad.so"))
OPENSM = "/usr/sbin/opensm"
PATIENCE = 120  # seconds, on a machine that does other things


def star(adapters, ports=36):
    """One switch: a topology file."""
    lines = [f'Switch\t{ports} "S0"'] + [f'[{i + 1}]\t"H{i}"[1]' for i in range(adapters)] + [""]
    for i in range(adapters):
        lines += [f'Hca\t1 "H{i}"', f'[1]\t"S0"[{i + 1}]', ""]
    return "\n".join(lines)


def ring(switches, adapters):
    """Switches in a ring, the adapters spread evenly: a topology file. S0's neighbours are at its last two ports."""
    each = adapters // switches
    ports = each + 2
    lines = []
    for i in range(switches):
        lines += [f'Switch\t{ports} "S{i}"'] + [f'[{k + 1}]\t"H{i * each + k}"[1]' for k in range(each)]
        lines += [f'[{ports}]\t"S{(i + 1) % switches}"[{ports - 1}]', ""]
    for i in range(adapters):
        lines += [f'Hca\t1 "H{i}"', f'[1]\t"S{i // each}"[{i % each + 1}]', ""]
    return "\n".join(lines)


class Fabric:
    """A running ibfabric, and its console."""

    count = 0

    def __init__(self, folder, topology, *options):
        Fabric.count += 1
        self.folder = pathlib.Path(folder)
        self.name = f"ibproof-{os.getpid()}-{Fabric.count}"
        net = self.folder / f"{self.name}.net"
        net.write_text(topology)
        self.log = open(self.folder / f"{self.name}.err", "w+")
        self.program = subprocess.Popen([BIN / "ibfabric", "--console", "--sim", self.name, *options, net], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        self.ask("help")  # it answers, so it serves

    def ask(self, command):
        """The lines of the answer."""
        self.program.stdin.write(command + "\n")
        self.program.stdin.flush()
        lines = []
        while True:
            line = self.program.stdout.readline()
            if not line:
                self.log.seek(0)
                raise AssertionError(f"ibfabric ended, at {command}: {self.log.read()}")
            if line == "\n":
                return lines
            lines.append(line.rstrip("\n"))

    def pairs(self, command):
        """The answer as a dictionary, from lines NAME tab VALUE."""
        return dict(line.split("\t", 1) for line in self.ask(command))

    def rules(self):
        return {name: int(count) for name, count in self.pairs("rules").items()}

    def guids(self):
        """The GUID of each node, by name."""
        return {name: guid for name, _, _, guid in (line.split("\t") for line in self.ask("nodes"))}

    def environment(self, host):
        return {**os.environ, "IBSIM_SOCKNAME": self.name, "SIM_HOST": host, "LD_PRELOAD": SHIMS[0], "OSM_CACHE_DIR": ".",
                "OSM_TMP_DIR": "."}

    def run(self, host, *command, timeout=PATIENCE):
        """A program at a node, in a folder of its own, since the shim leaves files there: its exit code and outputs."""
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            return subprocess.run(command, cwd=own, env=self.environment(host), text=True, capture_output=True,
                                  timeout=timeout, check=False)

    def close(self):
        self.program.stdin.close()
        code = self.program.wait(PATIENCE)
        self.program.stdout.close()
        self.log.close()
        return code


class Preloaded(Fabric):
    """Its programs preload libibfabric-umad.so instead of libumad2sim; in a build with sanitizers their runtime, too. What
    programs of others leave allocated at their end is not ours to judge."""

    RUNTIME = os.environ.get("IBPROOF_RUNTIME")

    def environment(self, host):
        libraries = f"{self.RUNTIME}:{LIBRARY}" if self.RUNTIME else str(LIBRARY)
        judge = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"} if self.RUNTIME else {}
        return {**os.environ, **judge, "IBFABRIC_SIM": self.name, "IBFABRIC_NODE": host, "LD_PRELOAD": libraries,
                "OSM_CACHE_DIR": ".", "OSM_TMP_DIR": "."}


class Manager:
    """An OpenSM at a node, running until close()."""

    count = 0

    def __init__(self, fabric, host, config="", *options, partitions=None):
        Manager.count += 1
        self.folder = fabric.folder / f"sm{Manager.count}"
        self.folder.mkdir()
        self.log = self.folder / "osm.log"
        (self.folder / "opensm.conf").write_text("force_log_flush TRUE\n" + config)
        if partitions is not None:
            (self.folder / "partitions.conf").write_text(partitions)
            options = ("-P", "partitions.conf", *options)
        self.out = open(self.folder / "out", "w")
        self.program = subprocess.Popen([OPENSM, "-F", "opensm.conf", "-f", "osm.log", "-D", "0x43", *options], cwd=self.folder,
                                        env=fabric.environment(host), stdin=subprocess.DEVNULL, stdout=self.out,
                                        stderr=subprocess.STDOUT)

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait(self, pattern, count=1, seconds=PATIENCE):
        """Until the log has the pattern that often; the last match."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = list(re.finditer(pattern, self.text()))
            if len(found) >= count:
                return found[-1]
            if self.program.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"OpenSM's log has no {pattern!r}:\n{self.text()[-3000:]}")

    def close(self):
        if self.program.poll() is None:
            self.program.terminate()
            self.program.wait(PATIENCE)
        self.out.close()


class Case(unittest.TestCase):
    """Each test has a folder; what it starts ends with it. ibdissect judges every packet of a test whose class says so."""

    FABRIC = Fabric
    FINDINGS = None  # a class in which no node is broken names the findings there may be: a set

    def setUp(self):
        self.assertTrue(SHIMS and os.path.exists(OPENSM), "no witness: install what tools/setup test lists")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fabric(self, topology, *options):
        if self.FINDINGS is None:
            f = self.FABRIC(self.folder, topology, *options)
            self.addCleanup(f.close)
            return f
        capture = tempfile.mktemp(".pcapng", dir=self.folder)
        f = self.FABRIC(self.folder, topology, "--pcap", capture, *options)
        self.addCleanup(self.judge, f, capture)
        return f

    def judge(self, fabric, capture):
        """All that travelled over all links is lawful: findings would accuse the innocent."""
        fabric.close()
        text = subprocess.run([BIN / "ibdissect", "-q", "-z", "expert", "-T", "json", capture], capture_output=True, text=True,
                              check=True).stdout
        self.assertLessEqual({row["finding"] for row in json.loads(text)["findings"]}, self.FINDINGS)

    def manager(self, fabric, host, config="", *options, **more):
        m = Manager(fabric, host, config, *options, **more)
        self.addCleanup(m.close)
        return m

    def good(self, fabric, host, *command):
        """The program's output; it must end with 0."""
        done = fabric.run(host, *command)
        self.assertEqual(done.returncode, 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
        return done.stdout
