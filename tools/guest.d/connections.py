#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""connections.py --guests FOLDER FOLDER --kernel NAME --out FOLDER [--] [NAME...]
connections.py --list [--] [NAME...]

Makes captures of connection attempts, good ones and failures of each kind, between two guests that `tools/guest connections`
has started. NAME.pcap has every frame that either guest sent, also those that the relay lost; NAME.json
tells how it was made, and so its cause. A NAME is a shell pattern; without one all attempts are made.
"""

import os
import sys
import threading
import time

sys.dont_write_bytecode = True

import cases  # noqa: E402
from attempts import ATTEMPTS, Losses  # noqa: E402
from peer import Failed, Peer  # noqa: E402
from relay import CM_MESSAGES, Relay, cm_message  # noqa: E402
from traffic import text  # noqa: E402

DATA_MOST = 40  # packets of data in a capture
MOST_QUIET = 20
LAST_RESEND, MOST_RESENDING = 9, 150  # after an attempt the kernel may still retransmit messages


class Link:
    """The link between the guests during one attempt. It loses frames, keeps the first REQ, and sends frames of our own."""

    def __init__(self, relay, losses):
        self.relay, self.losses, self.req = relay, Losses(losses), None
        relay.loses = self.passes

    def passes(self, side, frame):
        if self.req is None and cm_message(frame) == CM_MESSAGES["REQ"]:
            self.req = frame
        return self.losses(side, frame)

    def inject(self, make):
        """Sends the frame to b as if a had sent it."""
        if self.req is None:
            raise Failed("there is no REQ to make another of")
        frame = make(self.req)
        self.relay.record(frame)
        self.relay.sockets[1].sendto(frame, self.relay.peers[1])


def at_times(attempt, peers, way):
    """Starts what happens while the client runs; the client's wait goes on meanwhile."""
    for seconds, side, command in attempt.during:
        threading.Timer(seconds, peers[side].shell.start, (command,)).start()
    if attempt.inject:
        threading.Timer(2, way.inject, (attempt.inject,)).start()


def make(attempt, peers, relay, story):
    a, b = peers["a"].shell, peers["b"].shell
    server = None
    way = Link(relay, attempt.losses)
    if attempt.server:
        server = b.start(f"timeout {attempt.patience + 30} {attempt.server}")
        if not peers["b"].wait_for_listener(server):
            raise Failed("the server does not listen")
    if attempt.before:
        b.run(attempt.before)
    at_times(attempt, peers, way)
    code, said = a.run(f"timeout {attempt.patience} {attempt.client}", attempt.patience + 20)
    story["client"] = {"guest": "a", "command": attempt.client, "exit": code, "output": said.splitlines()[-6:]}
    relay.wait_quiet(attempt.quiet, MOST_QUIET)
    if server is not None:
        program = attempt.server.split()[0]
        b.run(f"killall -q -CONT {program}; killall -q {program}")
        code, said = b.wait(server, 30)
        story["server"] = {"guest": "b", "command": attempt.server, "exit": code, "output": said.splitlines()[-6:]}
    relay.wait_quiet(attempt.quiet, MOST_QUIET)


def run(attempt, peers, relay, given):
    path = os.path.join(given.out, attempt.name)
    story = {"name": attempt.name, "truth": attempt.truth, "why": attempt.why, "kernel": peers["a"].kernel}
    story |= {"made": time.strftime("%Y-%m-%d", time.gmtime()), "lost": [vars(loss) for loss in attempt.losses]}
    fault, began = None, time.monotonic()
    relay.data_most = DATA_MOST
    relay.open(f"{path}.pcap")
    try:
        make(attempt, peers, relay, story)
    except (Failed, OSError) as error:
        fault = str(error)
    finally:
        relay.close()
        relay.loses = None
    story |= {"frames": relay.frames, "data_left_out": max(0, relay.data - DATA_MOST), "fault": fault}
    with open(f"{path}.json", "w", encoding="utf-8") as f:
        f.write(text(story) + "\n")
    done = f"{'FAIL' if fault else 'ok':4}  {attempt.name:20} {time.monotonic() - began:6.1f} s {relay.frames:5} packets"
    print(f"{done}  {fault or attempt.truth}", flush=True)
    relay.wait_quiet(LAST_RESEND if attempt.losses or attempt.inject else 1, MOST_RESENDING)
    return not fault


def main():
    given = cases.arguments(__doc__, ATTEMPTS, "attempt", {"guests": 2, "kernel": None, "out": None})
    wanted = given.chosen
    if given.list:
        for e in wanted:
            print(f"{e.name:20} {e.truth}" + (f" ({e.why})" if e.why else ""))
        return 0
    relay = Relay([(os.path.join(folder, "tester"), os.path.join(folder, "dut")) for folder in given.guests])
    peers = {name: Peer(name, folder) for name, folder in zip("ab", given.guests)}
    good = sum([run(attempt, peers, relay, given) for attempt in wanted])
    print(f"{good} of {len(wanted)} attempts made: {given.out}")
    return 0 if good == len(wanted) else 1


if __name__ == "__main__":
    cases.run(main)
