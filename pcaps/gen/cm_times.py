#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cm_times.py CAPTURE...: when the messages of cm-messages*.pcap are sent again, as tshark reads the captures.

MD-68: a message that nobody answers is sent again when the time has passed that its sender gave the peer; as often as the
REQ says. MD-69: that time is 4.096 us * 2^code, and after an MRA the time that it names. A packet needs time for its way there
and back, which two lifetimes of the path allow for: ib_send_cm_req() of Linux adds them, too. A SIDR_REQ names no path. The test
computes the times from the fields of the REQ; it shares no code with core/cm.
"""

import itertools
import subprocess
import sys

REQ, MRA, REJ, REP, DREQ, SIDR_REQ = 0x10, 0x11, 0x12, 0x13, 0x15, 0x17
FIELDS = ("frame.time_epoch", "infiniband.mad.attributeid", "infiniband.mad.transactionid", "infiniband.cm.req.remoteresptout",
          "infiniband.cm.req.localresptout", "infiniband.cm.req.maxcmretr", "infiniband.cm.req.prim_localacktout")
ROOM_US = 60  # the users answer in steps of 10 us, a packet takes 20 us
SIDR_CODE = 14  # a SIDR_REQ has no field for it
MRA_CODE = 16  # tshark does not decode an MRA


def us(code):
    return 4.096 * 2**code


def messages(path):
    """(time in us, attribute, transaction, fields of a REQ or None) of each datagram."""
    run = subprocess.run(["tshark", "-r", path, "-T", "fields", "-E", "occurrence=f", *itertools.chain(*(("-e", f) for f in FIELDS))],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in run.stdout.splitlines():
        at, attribute, transaction, remote, local, retries, lifetimes = line.split("\t")
        seconds, _, fraction = at.partition(".")
        req = tuple(int(v, 0) for v in (remote, local, retries, lifetimes)) if retries else None
        yield int(seconds) % 1000 * 1e6 + int(fraction.ljust(9, "0")) / 1e3, int(attribute, 0), int(transaction, 0), req


def check(path):
    """Compares each resend with the message before it. Returns (faults, resends of each message)."""
    faults, resends, req, sent, delayed = [], {}, None, {}, {}
    for at, attribute, transaction, fields in messages(path):
        req = fields or req
        key = attribute, transaction
        if attribute == MRA:
            delayed[transaction] = at
        if attribute not in (REQ, REP, DREQ, SIDR_REQ):
            if attribute == REJ and (REQ, transaction) in sent and sent[REQ, transaction][1] > 1:
                resends["given up"] = resends.get("given up", 0) + 1
            continue
        if key in sent and not (attribute == REP and at - sent[REQ, transaction][0] < ROOM_US):  # else the answer to a REQ that came again
            before, n = sent[key]
            remote, local, retries, lifetimes = req
            code = local if attribute == REP else SIDR_CODE if attribute == SIDR_REQ else remote
            want = us(code) + (us(lifetimes) if attribute != SIDR_REQ else 0)
            if attribute == REQ and delayed.get(transaction, 0) > before:
                before, want = delayed[transaction], us(MRA_CODE) + us(lifetimes)
            if not want <= at - before + 0.5 <= want + ROOM_US:
                faults.append(f"{path}: {attribute:#x} again after {at - before:.1f} us, want {want:.1f}")
            if n > retries:
                faults.append(f"{path}: {attribute:#x} came {n + 1} times, want {1 + retries} at most")
            resends[attribute] = resends.get(attribute, 0) + 1
        sent[key] = at, sent.get(key, (0, 0))[1] + 1
    return faults, resends


def main():
    faults = []
    for path in sys.argv[1:]:
        bad, resends = check(path)
        faults += bad
        print(f"{path}: resends on time: REQ {resends.get(REQ)}, REP {resends.get(REP)}, DREQ {resends.get(DREQ)}, "
              f"SIDR_REQ {resends.get(SIDR_REQ)}; given up {resends.get('given up')}")
        want = {REQ: 4, REP: 2, DREQ: 1, SIDR_REQ: 1, "given up": 1}
        if any(resends.get(k, 0) < n for k, n in want.items()):
            faults.append(f"{path}: fewer resends than the capture is made of: {resends}")
    print("\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
