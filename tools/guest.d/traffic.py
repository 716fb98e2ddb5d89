#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""traffic.py --guests FOLDER FOLDER --kernel NAME --out FOLDER [--] [NAME...]
traffic.py --list [--] [NAME...]

Makes captures between two guests that `tools/guest traffic` has started, whose sockets are in these folders. A NAME is a shell
pattern; without one all experiments are made.
"""

import contextlib
import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True

import cases  # noqa: E402
from experiments import EXPERIMENTS  # noqa: E402
from peer import Failed, Peer, Unlucky  # noqa: E402
from relay import Relay  # noqa: E402

PATIENCE, AFTERWARDS = 20, 5  # seconds for a client; for its server, after that
ATTEMPTS = 5
RETRIED = ("completer_retry_err", "duplicate_request", "out_of_seq_request", "rcvd_seq_err")
QUIET, MOST_QUIET = 0.15, 4  # seconds without a frame, after which the experiment counts as ended


def last_line(text):
    return (text.strip().splitlines() or ["it says nothing"])[-1]


def by_programs(experiment, a, b, story):
    """Runs server, then client; each must end well. story records the results, also of a failure."""
    server = b.shell.start(f"timeout {PATIENCE + 10} {experiment.server}")
    story["server"] = {"guest": "b", "command": experiment.server}
    story["client"] = {"guest": "a", "command": experiment.client}
    listens = b.wait_for_listener(server)
    code, text = -1, ""
    if listens:
        if experiment.netem:
            {"a": a, "b": b}[experiment.at].disturb(experiment.netem)
        code, text = a.shell.run(f"timeout {PATIENCE} {experiment.client}", PATIENCE + 10)
        story["client"] |= {"exit": code, "output": text.splitlines()[-8:]}
    server_code, server_text = b.shell.end(server, experiment.server, 0 if code else AFTERWARDS)
    story["server"] |= {"exit": server_code, "output": server_text.splitlines()[-8:]}
    if not listens:
        raise Failed(f"the server does not listen: {last_line(server_text)}")
    if experiment.says not in text:
        # rping's server gives up when the first message comes before the event of the connection.
        raise Unlucky(f"the client does not say '{experiment.says}'")
    if experiment.netem and bool(code) != bool(server_code):
        # One end may exit before the other knows. With retry count 7, which these programs use, rxe then retries forever.
        raise Unlucky("the last acknowledge did not arrive")
    if code or server_code:
        raise Failed(f"exit code {code} on a, {server_code} on b: {last_line(text if code else server_text)}")


def by_verbs(experiment, agents, peers, story):
    story["verbs"] = {agent.name: agent.said for agent in agents}
    if experiment.netem:
        peers[experiment.at].disturb(experiment.netem)
    experiment.play(*agents)


def text(value, indent=""):
    """JSON, an object or list on one line where that is short."""
    flat = json.dumps(value)
    if len(indent) + len(flat) <= 120 or not isinstance(value, (dict, list)):
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key)}: {text(item, inner)}" for key, item in value.items()]
    else:
        lines = [inner + text(item, inner) for item in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return begin + "\n" + ",\n".join(lines) + "\n" + indent + end


def difference(before, after):
    return {name: after[name] - before[name] for name in after if after[name] != before.get(name, 0)}


@contextlib.contextmanager
def captured(relay, path, peers, story):
    """The traffic between the two readings of the counters, in a capture."""
    relay.wait_quiet(QUIET, MOST_QUIET)
    before = {name: peer.counters() for name, peer in peers.items()}
    relay.open(path)
    try:
        yield
    finally:
        relay.wait_quiet(QUIET, MOST_QUIET)
        relay.close()
        story |= {"frames": relay.frames, "roce": relay.roce, "counters": {}}
        for name, peer in peers.items():
            after = peer.counters()
            story["counters"][name] = {"before": before[name], "after": after, "difference": difference(before[name], after)}


def make(experiment, a, b, capture, story):
    peers = {"a": a, "b": b}
    if experiment.netem:
        story["netem"] = {"guest": experiment.at, "setting": experiment.netem}
    try:
        if experiment.play:
            with a.agent() as agent_a, b.agent() as agent_b, capture:
                by_verbs(experiment, (agent_a, agent_b), peers, story)
        else:
            with capture:
                by_programs(experiment, a, b, story)
    finally:
        if peers[experiment.at].disturbed:
            story["netem"] |= peers[experiment.at].leave_in_peace()
    if not story["roce"]:
        raise Failed("no RoCE packet was captured")
    judge_luck(experiment, story)


def judge_luck(experiment, story):
    """By chance netem may drop no packet, and a guest that waited for its processor may retransmit without a loss."""
    counted = {name: counters["difference"] for name, counters in story["counters"].items()}
    netem = story.get("netem")
    if experiment.netem.startswith("loss") and not netem["dropped"]:
        raise Unlucky("netem lost nothing")
    if experiment.netem.startswith("duplicate") and netem["sent"] <= counted[experiment.at]["sent_pkts"]:
        raise Unlucky("netem doubled nothing")
    again = [name for name in RETRIED for guest in counted.values() if name in guest]
    if again and not netem and not experiment.retries:
        raise Unlucky(f"a guest was too slow: {', '.join(again)}")


def run(experiment, peers, relay, given):
    """True if it went as it must; prints one line."""
    a, b = peers.values()
    path = os.path.join(given.out, experiment.name)
    began = time.monotonic()
    for attempt in range(1, ATTEMPTS + 1):
        story = {"name": experiment.name, "what": experiment.what, "kernel": a.kernel, "made": time.strftime("%Y-%m-%d", time.gmtime())}
        story |= {"limit": experiment.limit} if experiment.limit else {}
        fault = None
        pathlib.Path(f"{path}.pcap").unlink(missing_ok=True)
        try:
            make(experiment, a, b, captured(relay, f"{path}.pcap", peers, story), story)
            break
        except Unlucky as error:
            fault = str(error)
        except (Failed, OSError) as error:
            fault = str(error)
            break
    story |= {"attempt": attempt, "fault": fault}
    with open(f"{path}.json", "w", encoding="utf-8") as f:
        f.write(text(story) + "\n")
    done = f"{'FAIL' if fault else 'ok':4}  {experiment.name:20} {time.monotonic() - began:6.1f} s {story.get('roce', 0):6} packets"
    print(f"{done}  {fault or experiment.what}" + (f" (attempt {attempt})" if attempt > 1 else ""), flush=True)
    return not fault


def main():
    given = cases.arguments(__doc__, EXPERIMENTS, "experiment", {"guests": 2, "kernel": None, "out": None})
    wanted = given.chosen
    if given.list:
        for e in wanted:
            print(f"{e.name:20} {e.what}" + (f" ({e.at}: netem {e.netem})" if e.netem else ""))
        return 0
    began = time.monotonic()
    relay = Relay([(os.path.join(folder, "tester"), os.path.join(folder, "dut")) for folder in given.guests])
    peers = {name: Peer(name, folder) for name, folder in zip("ab", given.guests)}
    good = sum([run(experiment, peers, relay, given) for experiment in wanted])
    print(f"{good} of {len(wanted)} experiments as they must be, {time.monotonic() - began:.0f} s: {given.out}")
    return 0 if good == len(wanted) else 1


if __name__ == "__main__":
    cases.run(main)
