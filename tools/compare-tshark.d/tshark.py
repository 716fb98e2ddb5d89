# SPDX-License-Identifier: BSD-2-Clause
"""The comparison with tshark: the same packets, every field both know, the same bytes."""

import collections
import functools
import os

import capture

# Not compared: tshark has a name for interfaces that the file does not name ("unknown", "Port A (ERF Interface 0)"), counts them
# from 0 again in each section, and gives packets of pcap files none.
INTERFACES = {"frame.interface_id", "frame.interface_name"}
# Fields requested from one program only: predicates need them, and the question whether a packet is InfiniBand.
THEIRS = ["frame.protocols", "_ws.malformed", "data.data", "infiniband.mad.mgmtclass", "infiniband.mad.attributeid",
          "infiniband.vendor", "ip.fragment", "ipv6.fraghdr.more"]
OURS = ["infiniband.encapsulation", "infiniband.truncated", "infiniband.fault", "infiniband.icrc.status",
        "infiniband.vcrc.status", "infiniband.payload.length", "frame", "infiniband.cm.owner", "infiniband.linkspeedwidthpairstable.width2_5",
        "infiniband.linkspeedwidthpairstable.width5", "infiniband.linkspeedwidthpairstable.width10"]
ONLY = "theirs only"
CUTS = (60, 90)
TOGETHER = 8  # captures at most that are read as one file

# A second opinion: tshark without its guesses at what a payload is, so that it shows all payload as data.
GUESSES = ["rpcordma", "smb_direct", "smc", "nvme-rdma", "lnet", "iser", "infiniband.eoib", "infiniband_sdp", "fcoib"]
PLAIN = [word for guess in GUESSES for word in ("--disable-protocol", guess)] + ["--disable-heuristic", "eth_over_ib"]
PLAIN_FIELDS = ["data.data", "infiniband.invariant.crc", "infiniband.variant.crc"]


def predicate_names(theirs, ours, plain=None):
    """The names that a predicate can use for one packet besides `theirs` and `ours`. A field that was not requested is an
    error."""
    protocols = theirs["frame.protocols"].split(":")
    behind = protocols[protocols.index("infiniband") + 1 :] if "infiniband" in protocols else []
    return {"plain": plain, "blob": theirs["infiniband.vendor"].split(",")[-1], "tshark": theirs.__getitem__, "our": ours.__getitem__, "protocols": protocols, "behind": behind,
            "number": lambda name: _number(ours[name]), "their_number": lambda name: _number(theirs[name])}


def _number(text):
    """The innermost header's, or -1."""
    last = text.split(",")[-1]
    return int(last, 0) if last else -1


def theirs_only(theirs, ours):
    """InfiniBand's fields that ibdissect does not have under that name."""
    return sorted(field for field in theirs - ours if field.startswith("infiniband."))


def packets_of(path):
    try:
        return capture.read(path)
    except capture.Unreadable:
        return []


def groups(paths):
    """Captures to cut and then to read as one file, since tshark takes a quarter of a second to start. Those of a group have the same
    link types, as tshark 4.0 shows microseconds only of ERF records in a file with packets of other types."""
    alike = collections.defaultdict(list)
    for path in paths:
        alike[frozenset(capture.as_erf(p).link for p in packets_of(path))].append(path)
    return [same[at : at + TOGETHER] for same in alike.values() for at in range(0, len(same), TOGETHER)]


class Comparison:
    def __init__(self, ours, theirs, scratch):
        self.ours, self.theirs, self.scratch = ours, theirs, scratch
        known = ours.fields()
        self.shared = sorted((known & theirs.fields()) - INTERFACES)
        self.only = theirs_only(theirs.fields(), known)

    def file(self, path):
        """All comparisons of one capture: a list of arguments for Verdict.value."""
        packets = packets_of(path)
        stem = os.path.join(self.scratch, f"{os.getpid()}-{abs(hash(path))}")
        foreign = any(p.link == capture.INFINIBAND for p in packets)
        shown, kind, skip = path, "original", ()
        if foreign:
            shown, kind, skip = stem + ".erf.pcap", "rewritten", ("erf.", "frame.cap_len", "frame.comment")
            capture.write(shown, [capture.as_erf(p) for p in packets])
        values = []
        their_rows = self.theirs.dissect(shown, self.shared + sorted({*THEIRS, *self.only}))
        plain = functools.cache(lambda: self.theirs.dissect(shown, PLAIN_FIELDS, *PLAIN).packets)
        our_rows = self.ours.dissect(path, self.shared + OURS)
        values += self.rows(kind, path, their_rows, our_rows, plain, skip)
        values.append((kind, "(packets read)", path, str(len(packets)), str(len(our_rows.packets))))
        if foreign:
            values += self.rows("rewritten", path, their_rows, self.ours.dissect(shown, self.shared + OURS), plain)
        values += self.round_trip(path, stem, their_rows)
        values += self.link(path, stem, [p for p in map(capture.as_erf, packets) if capture.is_link(p)])
        return values

    def cuts(self, paths):
        """The packets of all these captures in one file, cut short."""
        packets, places, values = [], [], []
        for path in paths:
            found = packets_of(path)
            packets += found
            places += [(path, number) for number in range(1, len(found) + 1)]
        for size in CUTS:
            short = os.path.join(self.scratch, f"{os.getpid()}-{abs(hash(paths[0]))}.{size}.capture")
            capture.write(short, [capture.as_erf(capture.cut(p, size)) for p in packets])
            values += self.cut([f"{path} cut to {size} packet {number}" for path, number in places],
                               self.theirs.dissect(short, self.shared + THEIRS), self.ours.dissect(short, self.shared + OURS))
            os.unlink(short)
        return values

    def rows(self, kind, path, theirs, ours, plain, skip=()):
        """Compares field by field. `skip`: fields of the container of rewritten packets."""
        yield kind, "(packets)", path, str(len(theirs.packets)), str(len(ours.packets))
        yield kind, "(exit)", path, str(int(theirs.status != 0)), str(int(ours.status != 0))
        for number, (their, our) in enumerate(zip(theirs.packets, ours.packets), 1):
            names = predicate_names(their, our, lambda name, number=number: plain()[number - 1][name])
            where = f"{path} packet {number}"
            said = any(p.startswith("infiniband") for p in their.get("frame.protocols", "").split(":"))
            yield kind, "(infiniband)", where, str(int(said)), str(int(our.get("infiniband.encapsulation", "") != "")), names
            for field in self.shared:
                if not field.startswith(skip or ("\0",)):
                    yield kind, field, where, their.get(field, ""), our.get(field, ""), names
            for field in self.only:
                if their.get(field):
                    yield ONLY, field, where, their[field], "", names

    def round_trip(self, path, stem, before):
        """tshark reads the same from the output of ibdissect -w as from its input."""
        copy = stem + ".copy.pcapng"
        run = self.ours.run("-q", "-o", "analysis:off", "-r", path, "-w", copy)  # findings would come in as comments
        if not os.path.exists(copy):
            yield "round trip", "(written)", path, "a file", run.stderr.decode("latin-1").strip()
            return
        packets = capture.read(copy)
        if any(p.link == capture.INFINIBAND for p in packets):
            capture.write(copy, [capture.as_erf(p) for p in packets])
        after = self.theirs.dissect(copy, self.shared + THEIRS)
        os.unlink(copy)
        yield "round trip", "(packets)", path, str(len(before.packets)), str(len(after.packets))
        for number, (old, new) in enumerate(zip(before.packets, after.packets), 1):
            names = predicate_names(new, old)
            for field in self.shared:
                yield "round trip", field, f"{path} packet {number}", old.get(field, ""), new.get(field, ""), names

    def link(self, path, stem, packets):
        """tshark gives up on a link packet's six bytes (B2), but shows its fields when bytes follow."""
        if not packets:
            return
        long, short = stem + ".long.pcap", stem + ".short.pcap"
        capture.write(long, [capture.pad_link(p) for p in packets])
        capture.write(short, packets)
        fields = [field for field in self.shared if field.startswith("infiniband_link")]
        theirs, ours = self.theirs.dissect(long, fields).packets, self.ours.dissect(short, fields).packets
        yield "link", "(packets)", path, str(len(theirs)), str(len(ours))
        for number, (their, our) in enumerate(zip(theirs, ours), 1):
            names = {"tshark": their.__getitem__, "our": our.__getitem__, "their_number": lambda name, row=their: _number(row[name])}
            for field in fields:
                yield "link", field, f"{path} link packet {number}", their.get(field, ""), our.get(field, ""), names

    def cut(self, places, theirs, ours):
        """tshark shows few fields of a packet that the capture cut. Fields that both show must be the same, header by header."""
        for side in theirs, ours:
            yield "cut", "(packets)", " ".join(places[:1]), str(len(places)), str(len(side.packets))
        for where, their, our in zip(places, theirs.packets, ours.packets):
            names = predicate_names(their, our)
            for field in self.shared:
                if their.get(field) and our.get(field):
                    pairs = list(zip(their[field].split(","), our[field].split(",")))
                    yield ("cut", field, where, ",".join(pair[0] for pair in pairs),
                           ",".join(pair[1] for pair in pairs), names)
