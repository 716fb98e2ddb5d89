# SPDX-License-Identifier: BSD-2-Clause
"""Display filters: both programs let the same packets through. tshark answers all expressions in one run (a Lua listener
for each), because a run for each takes half a second."""

import os
import re
import subprocess
import zlib

import capture

LIST = "dissect/filter/test/tshark.filters"
FILES = 6
LINK_PACKETS = "ib-native.pcap"
NOBODY = (("unshare", "--user"), ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+dac_override",
                                  "--ambient-caps=+dac_override"))  # fmt: skip

SCRIPT = """
local expressions = {%s}
for i, expression in ipairs(expressions) do
    local found, good = {}, true
    local made, tap = pcall(Listener.new, "frame", expression)
    if made then
        function tap.packet(pinfo) found[#found + 1] = pinfo.number end
        function tap.draw() print("\\1" .. i .. "\\1" .. table.concat(found, ",")) end
    else
        print("\\1" .. i .. "\\1refused")
    end
end
"""


def expressions(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def pick(files, scratch):
    """At most FILES captures as files that tshark can open; with the name to show. They are drawn by their names, so another
    capture changes one of them at most, and the one with link packets is always among them."""
    for path in sorted(files, key=lambda path: (os.path.basename(path) != LINK_PACKETS, zlib.crc32(os.path.basename(path).encode())))[:FILES]:
        try:
            packets = capture.read(path)
        except capture.Unreadable:
            packets = []
        readable = path
        if any(p.link == capture.INFINIBAND for p in packets):
            readable = os.path.join(scratch, "filters.pcap")
            capture.write(readable, [capture.as_erf(p) for p in packets])
        yield path, readable


def not_root():
    """From 4.4 on tshark runs no script of root's. Nobody of a user namespace still reads root's files, such as captures in a
    folder for root alone; in a chroot there is no such namespace, and nobody needs the capability for it."""
    if os.geteuid() != 0:
        return ()
    return next((by for by in NOBODY if subprocess.run([*by, "true"], capture_output=True).returncode == 0), ())


def quoted(text):
    return '"' + "".join(f"\\{byte:03d}" for byte in text.encode()) + '"'


def concerns(expression, fields):
    """Does the expression name one of the fields, or the protocol that is there for one side only?"""
    words = set(re.findall(r"[a-z][a-z0-9_.]*", expression))
    roots = {field.split(".")[0] for field in fields} - {"infiniband"}
    if "(infiniband)" in fields and any(word.split(".")[0] == "infiniband" for word in words):
        return True
    return bool(words & (fields | roots))


def compare(ours, theirs, files, scratch, path, differing):
    """Packets whose fields differ are left out if the expression names these fields; tshark.py judges such differences."""
    wanted, left_out = expressions(path), 0
    if not wanted:
        print(f"no display filters to compare ({LIST} is not there)")
        return
    script = os.path.join(scratch, "filters.lua")
    with open(script, "w", encoding="ascii") as file:
        file.write(SCRIPT % ", ".join(quoted(e) for e in wanted))
    by = not_root()
    for name, readable in pick(files, scratch):
        run = theirs.run("-n", "-q", "-X", f"lua_script:{script}", "-r", readable, by=by)
        rows = [line.split("\1") for line in run.stdout.decode("latin-1").split("\n") if line.startswith("\1")]
        answers = {int(row[1]): row[2] for row in rows}
        silent = f"no answer ({run.stderr.decode('latin-1').strip()[-120:]})"
        odd = {where.rsplit(" ", 1)[1]: fields for where, fields in differing.items() if where.startswith(f"{name} packet ")}
        for number, expression in enumerate(wanted, 1):
            skip = {frame for frame, fields in odd.items() if concerns(expression, fields)}
            left_out += len(skip)
            mine = ours.run("-r", readable, "-Y", expression, "-T", "fields", "-e", "frame.number")
            answer = ",".join(mine.stdout.decode().split()) if mine.returncode == 0 else "refused"
            yield "filter", expression, name, without(answers[number], skip) if number in answers else silent, without(answer, skip)
    print(f"{left_out} answers about packets left out of the filters' comparison, because the fields asked for differ")


def without(numbers, skip):
    return ",".join(number for number in numbers.split(",") if number not in skip) or "none"
