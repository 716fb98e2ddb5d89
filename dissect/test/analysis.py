#!/usr/bin/env python3
"""What ibdissect says went wrong: findings as fields, in every form, as comments, and as an exit code. IBPROOF_BIN names
its folder."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import bad
from cli import Case, jsonl, lines, no_twins, run

REPLAYED = bad.PCAPS.parent / "tools/replay.d"
REORDER = bad.PCAPS / "rxe-reorder-rc.pcap"
DENIED = bad.PCAPS / "rxe-agent-bad-rkey-read.pcap"
# Of each injected fault: frame, finding, and the frame that explains it.
FAULTS = {
    REPLAYED / "rxe-loss15-rc.pcap": [(29, "GAP", 28), (37, "NAK_SEQUENCE", None), (38, "RETRY_NAK", 37)],
    REPLAYED / "rxe-dup30-rc.pcap": [(3, "NETWORK_COPY", 2), (5, "NETWORK_COPY", 4)],
    REORDER: [(3, "NAK_SEQUENCE", None), (7, "RETRY_NAK", 3), (14, "LATE", None), (21, "RETRY_TIMEOUT", 18)],
    bad.PCAPS / "rxe-dup30-atomic.pcap": [(4, "NETWORK_COPY", 3), (7, "ANSWER_AGAIN", 3)],
    bad.PCAPS / "rxe-corrupt20-rc.pcap": [(4, "BAD_ICRC", None), (5, "RETRY_TIMEOUT", 1), (30, "BAD_ICRC", None)],
    bad.PCAPS / "rxe-agent-rnr-exhaust.pcap": [(2, "RNR", 1), (3, "RETRY_RNR", 2), (5, "RNR", 4)],
    DENIED: [(2, "NAK_ACCESS", 1)],
    bad.PCAPS / "rxe-agent-bad-rkey-write.pcap": [(4, "NAK_ACCESS", 1)],
    REPLAYED / "rxe-agent-recv-too-short.pcap": [(4, "NAK_OPERATION", 1)],
    bad.PCAPS / "rxe-agent-dest-qp-gone.pcap": [(2, "RETRY_TIMEOUT", 1), (3, "RETRY_TIMEOUT", 2)],
    bad.PCAPS / "rxe-agent-imm.pcap": [(10, "MSN_WRONG", 9)],
}
CLEAN = ["rxe-rping", "rxe-rping-v6", "rxe-udaddy", "rxe-ucmatose", "rxe-agent-ops", "rxe-bw-atomic-cas", "rxe-ud-send-100",
         "opcodes-roce1", "opcodes-roce2-v4", "opcodes-roce2-v6"]


def listed(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def findings(rows):
    return [(row["frame.number"], kind) for row in rows for kind in listed(row.get("infiniband.analysis.finding"))]


class Fields(Case):
    def test_each_fault_is_named_with_its_packets_and_clause(self):
        for path, wanted in FAULTS.items():
            rows = {row["frame.number"]: row for row in jsonl(self.good("-T", "jsonl", path))}
            for frame, kind, cause in wanted:
                with self.subTest("%s: %d %s" % (path.name, frame, kind)):
                    row = rows[frame]
                    at = listed(row.get("infiniband.analysis.finding")).index(kind)
                    self.assertTrue(listed(row["infiniband.analysis.clause"]))
                    said = listed(row["infiniband.analysis.message"])[at]
                    self.assertEqual("(frame %s" % cause in said, cause is not None, said)

    def test_clean_captures_have_no_finding(self):
        for stem in CLEAN:
            with self.subTest(stem):
                r = self.good("-Y", "infiniband.analysis", bad.PCAPS / (stem + ".pcap"))
                self.assertEqual(lines(r), [])

    def test_every_form_says_the_same(self):
        for path in FAULTS:
            with self.subTest(path.name):
                want = findings(jsonl(self.good("-T", "jsonl", path)))
                name = "infiniband.analysis.finding"
                chosen = self.good("-T", "fields", "-e", "frame.number", "-e", name, path)
                rows = [line.split("\t") for line in lines(chosen)]
                self.assertEqual([(int(n), k) for n, kinds in rows for k in kinds.split(",") if k], want)
                whole = json.loads(self.good("-T", "json", path).stdout)
                layers = [packet["_source"]["layers"] for packet in whole]
                self.assertEqual([(int(x["frame"]["frame.number"]), k) for x in layers
                                  for k in listed(x.get("infiniband", {}).get(name))], want)
                pdml = xml.etree.ElementTree.fromstring(self.good("-T", "pdml", path).stdout)
                self.assertEqual([f.get("show") for f in pdml.iter("field") if f.get("name") == name], [k for _, k in want])
                tree = [line for line in lines(self.good("-V", path)) if line.startswith("    ") and line.endswith("]")]
                self.assertEqual(len(tree), len(want))

    def test_filters(self):
        every = findings(jsonl(self.good("-T", "jsonl", REORDER)))
        for kind in {k for _, k in every}:
            r = self.good("-T", "fields", "-e", "frame.number", "-Y", "analysis.finding == \"%s\"" % kind, REORDER)
            self.assertEqual([int(n) for n in lines(r)], sorted({n for n, k in every if k == kind}))
        count = lambda expr: len(lines(self.good("-Y", expr, REORDER)))
        again = {n for n, k in every if k.startswith("RETRY")}
        self.assertEqual(count("infiniband.analysis.retransmission"), len(again))
        self.assertEqual(count("!infiniband.analysis"), 36 - len({n for n, _ in every}))
        self.assertEqual(count("analysis.severity == \"warn\" || analysis.severity == \"note\""), len({n for n, _ in every}))
        self.assertEqual(count("analysis.clause == \"RQ-26\" && analysis.time"), 0)

    def test_a_response_names_its_request(self):
        for stem in ("rxe-rping", "rxe-agent-ops", "rxe-bw-atomic-cas"):
            rows = jsonl(self.good("-T", "jsonl", bad.PCAPS / (stem + ".pcap")))
            at = {row["frame.number"]: row for row in rows}
            linked = [row for row in rows if "infiniband.analysis.request_in" in row]
            self.assertEqual(len(linked), sum(13 <= row["infiniband.bth.opcode"] <= 18 for row in rows), stem)
            for row in linked:
                asked = at[row["infiniband.analysis.request_in"]]
                self.assertEqual(asked["ip.src"], row["ip.dst"])
                self.assertLessEqual(asked["infiniband.bth.psn"], row["infiniband.bth.psn"])
                took = row["frame.time_epoch"] - asked["frame.time_epoch"]
                self.assertAlmostEqual(row["infiniband.analysis.time"], took, places=6)

    def test_a_clause_each(self):
        r = self.good("-T", "jsonl", "-e", "infiniband.analysis.clause", "-Y", "frame.number == 4", REORDER)
        self.assertEqual(jsonl(r), [{"infiniband.analysis.clause": ["RQ-01", "UU-03"]}])

    def test_not_judged_when_told(self):
        r = self.good("-o", "analysis:off", "-T", "jsonl", REORDER)
        self.assertNotIn(b"analysis", r.stdout)
        r = self.good("-o", "analysis:off", "-Y", "analysis.nak", REORDER)
        self.assertEqual(len(lines(r)), 2)

    def test_mtu(self):
        path = bad.PCAPS / "rxe-uc-send-mtu256.pcap.gz"
        self.assertEqual(lines(self.good("--mtu", "256", "-Y", "analysis.length", path)), [])
        self.assertGreater(len(lines(self.good("--mtu", "512", "-Y", "analysis.length", path))), 0)
        for wrong in ("0", "255", "300", "8192", "x", ""):
            self.fails(1, "--mtu", wrong, path, says="--mtu")


class Statistics(Case):
    """Each statistic against the packets it counts, and as it is known to look."""

    GOLDEN = pathlib.Path(__file__).parent / "golden"
    GOLDENS = {"rc": ["rc,analysis"], "expert": ["expert"], "expert-error": ["expert,error"], "qp": ["qp"]}

    def stat(self, name, *paths):
        return json.loads(self.good("-q", "-T", "json", "-z", name, *paths).stdout, object_pairs_hook=no_twins)

    def test_as_known(self):
        for stem, stats in self.GOLDENS.items():
            for path in (REORDER, bad.PCAPS / "rxe-rping.pcap"):
                for form in ("text", "json"):
                    golden = self.GOLDEN / ("%s-%s.%s" % (stem, path.stem, form))
                    options = [word for name in stats for word in ("-z", name)]
                    r = run("-q", "-T", form, *options, path.name, cwd=path.parent)
                    if os.environ.get("IBPROOF_BLESS"):
                        golden.write_bytes(r.stdout)
                    with self.subTest(golden.name):
                        self.assertEqual((r.returncode, r.stderr), (0, b""))
                        self.assertEqual(r.stdout.decode(), golden.read_text())

    def test_rc_adds_up_what_the_packets_say(self):
        for path in FAULTS:
            with self.subTest(path.name):
                rows = jsonl(self.good("-T", "jsonl", path))
                rc = self.stat("rc,analysis", path)
                every = collections.Counter(kind for _, kind in findings(rows))
                found = collections.Counter(rc["total"]["found"])
                late = found - every
                self.assertLessEqual(set(late), {"SILENCE", "SERVICE"})
                self.assertEqual(found - late + (every - found), every)
                self.assertEqual(sum((every - found).values()), rc["elsewhere_findings"])
                for d in rc["directions"]:
                    mine = [row for row in rows if (row.get("ip.src"), row.get("ip.dst"), row.get("infiniband.bth.destqp")) ==
                            (d["src"], d["dst"], d["dest_qp"]) and row.get("infiniband.bth.service") == d["service"]]
                    self.assertEqual(d["packets"], len(mine))
                    of_mine = collections.Counter(kind for _, kind in findings(mine))
                    self.assertEqual(of_mine - late, collections.Counter(d["found"]) - late)
                self.assertEqual(rc["total"]["packets"], sum(d["packets"] for d in rc["directions"]))

    def test_expert_counts_and_names_the_first(self):
        for path in FAULTS:
            every = findings(jsonl(self.good("-T", "jsonl", path)))
            for least, kinds in (("note", ("note", "warn", "error")), ("warn", ("warn", "error")), ("error", ("error",))):
                told = self.stat("expert,%s" % least, path)
                self.assertLessEqual({f["severity"] for f in told["findings"]}, set(kinds))
                for f in told["findings"]:
                    frames = [n for n, kind in every if kind == f["finding"]]
                    if f["finding"] not in ("SILENCE", "SERVICE"):
                        self.assertEqual(f["count"], len(frames))
                        self.assertEqual([x["frame"] for x in f["first"]], frames[:5])
            self.assertEqual(told["least"], "error")
        self.assertEqual(self.stat("expert", *[bad.PCAPS / (stem + ".pcap") for stem in CLEAN[:7]])["findings"], [])

    def test_silence_is_told_at_the_end(self):
        told = self.stat("expert", bad.PCAPS / "rxe-agent-dest-qp-gone.pcap")["findings"]
        self.assertEqual([(f["finding"], f["first"][0]["frame"]) for f in told if f["finding"] == "SILENCE"], [("SILENCE", 1)])

    def test_qp_pairs_directions(self):
        for stem in CLEAN[:7]:
            path = bad.PCAPS / (stem + ".pcap")
            qps = self.stat("qp", path)
            self.assertEqual(sum(d["packets"] for d in qps["directions"]) + qps["no_connection"], qps["packets"])
            at = {d["direction"]: d for d in qps["directions"]}
            for d in at.values():
                if d["peer"] is not None:
                    other = at[d["peer"]]
                    self.assertEqual((other["peer"], other["src"], other["dst"]), (d["direction"], d["dst"], d["src"]))
                    self.assertEqual((other["dest_qp"], other["source_qp"]), (d["source_qp"], d["dest_qp"]))

    def test_wrong_arguments(self):
        self.fails(1, "-z", "expert,bad", REORDER, says="note warn error")
        self.fails(1, "-z", "rc,analysis,x", REORDER, says="takes no argument")


class Comments(Case):
    def test_wireshark_shows_what_was_found(self):
        out = self.folder / "out.pcapng"
        for path in FAULTS:
            self.good("-w", out, path)
            rows = jsonl(self.good("-T", "jsonl", path))
            back = jsonl(self.good("-T", "jsonl", "-e", "frame.number", "-e", "frame.comment", out))
            for row, read in zip(rows, back, strict=True):
                said = listed(row.get("infiniband.analysis.message"))
                comment = read.get("frame.comment", "")
                self.assertEqual(len(comment.splitlines()), len(said))
                for line, message in zip(comment.splitlines(), said):
                    self.assertRegex(line, r"\A(note|warn|error): [a-z_]+: ")
                    self.assertIn(": " + message + " [", line)

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_tshark_reads_the_comments(self):
        out = self.folder / "out.pcapng"
        self.good("-w", out, REORDER)
        seen = subprocess.run(["tshark", "-n", "-r", out, "-Y", "frame.comment", "-T", "fields", "-e", "frame.number"],
                              stdout=subprocess.PIPE, check=True).stdout.split()
        ours = self.good("-Y", "infiniband.analysis", "-T", "fields", "-e", "frame.number", REORDER).stdout.split()
        self.assertEqual(seen, ours)

    def test_without_judgement_no_comments(self):
        out = self.folder / "out.pcapng"
        self.good("-w", out, "-o", "analysis:off", REORDER)
        self.assertEqual(lines(self.good("-Y", "frame.comment", out)), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
