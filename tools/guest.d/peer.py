# SPDX-License-Identifier: BSD-2-Clause
"""One of the two guests: its shell (commands by number, tools/guest.d/init), its agent (conformance/agent/README.md), its
counters."""

import base64
import contextlib
import json
import os
import re
import socket
import time

COUNTERS = "/sys/class/infiniband/rxe0/ports/1/hw_counters"
# The resource to wait for: perftest's and ibverbs-utils' port (18515, in hex), or an id of the connection manager.
LISTENS = "grep -qsE ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6 || rdma resource show cm_id | grep -q 'state LISTEN'"


class Failed(Exception):
    """An experiment failed, or a guest does not answer."""


class Gone(Exception):
    """A guest crashed; it is started again, but without its state."""


class Unlucky(Failed):
    """By chance the disturbance had no effect; another attempt may work."""


def channel(path, seconds):
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(seconds)
    end.connect(path)
    return end


class Shell:
    """Commands in the guest, any number of them at a time."""

    def __init__(self, folder, name):
        self.socket = channel(os.path.join(folder, "sh"), 10)
        self.gone = f"{name} went down (see {folder}/console)"
        self.number, self.ended, self.rest = 0, {}, b""

    def start(self, command):
        self.number += 1
        try:
            self.socket.sendall(f"{self.number} {command}\n".encode())
        except OSError:
            raise Gone(self.gone) from None
        return self.number

    def wait(self, number, seconds):
        """Returns exit code and output; raises Failed if the command takes longer."""
        until = time.monotonic() + seconds
        while number not in self.ended:
            self.socket.settimeout(max(0.01, until - time.monotonic()))
            try:
                data = self.socket.recv(65536)
            except TimeoutError:
                raise Failed(f"a command has not ended after {seconds} s") from None
            except OSError:
                data = b""
            if not data:
                raise Gone(self.gone)
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                what, code, *output = line.decode().split()
                self.ended[int(what)] = int(code), base64.b64decode("".join(output)).decode(errors="replace")
        return self.ended.pop(number)

    def end(self, number, command, seconds):
        """As wait, but kills a command that takes longer."""
        try:
            return self.wait(number, seconds)
        except Failed:
            self.run(f"killall -q {command.split()[0]}")
            return self.wait(number, 20)

    def run(self, command, seconds=20):
        return self.wait(self.start(command), seconds)


def brief(answer):
    """The line without long contents of memory."""
    if isinstance(answer, dict) and len(answer.get("hex", "")) > 64:
        return {"bytes": len(answer["hex"]) // 2}
    return answer


class Agent:
    """Requests and replies; all of them are kept in `said`."""

    def __init__(self, path, name):
        self.socket = channel(path, 20)
        self.lines = self.socket.makefile("rw")
        self.name, self.said, self.number = name, None, 0
        self("hello", version=1)
        self.address = self("reset", link="roce2-ipv4", seed=1)["device"][0]
        self.said = []

    def __call__(self, do, **args):
        self.number += 1
        self.lines.write(json.dumps({"id": self.number, "do": do, **args}) + "\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline() or "null")
        if not answer or answer.get("id") != self.number:
            raise Failed(f"guest {self.name}'s agent: {answer} to {do}")
        # Polls without a result are not recorded, since their number is random.
        if self.said is not None and answer.get("ok") != {"wc": None}:
            self.said.append({"do": do, **args, **{key: brief(answer[key]) for key in ("ok", "error", "text") if key in answer}})
        if "ok" not in answer:
            raise Failed(f"guest {self.name}'s agent: {do}: {answer.get('text') or answer.get('error')}")
        return answer["ok"]

    def close(self):
        self.lines.close()
        self.socket.close()


class Peer:
    def __init__(self, name, folder):
        self.name, self.folder, self.disturbed = name, folder, False
        self.shell = Shell(folder, name)
        self.shell.run(f"echo 0 >{COUNTERS}/lifespan")  # no copies of them are kept
        self.kernel = self.shell.run("uname -r")[1].strip()

    @contextlib.contextmanager
    def agent(self):
        agent = Agent(os.path.join(self.folder, "ctl"), self.name)
        try:
            yield agent
        finally:
            agent.close()
            # The watcher ends when it sees that; the next one must be another.
            self.shell.run("n=0; while pidof ibagent >/dev/null && [ $n -lt 100 ]; do n=$((n + 1)); usleep 20000; done")

    def counters(self):
        code, text = self.shell.run(f"cd {COUNTERS} && grep . *")
        found = dict(line.split(":") for line in text.split())
        found.pop("lifespan", None)
        if code or not found:
            raise Failed(f"guest {self.name}: no counters: {text}")
        return {name: int(value) for name, value in found.items()}

    def wait_for_listener(self, server, seconds=10):
        """False when the server, a command that was started, has ended, or does not listen."""
        until = time.monotonic() + seconds
        while self.shell.run(LISTENS)[0]:
            if server in self.shell.ended or time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    # netem disturbs RoCE packets only, not the programs' TCP connection.
    def disturb(self, netem):
        commands = ["tc qdisc add dev eth0 root handle 1: prio bands 4", f"tc qdisc add dev eth0 parent 1:4 handle 4: netem {netem}"]
        for family, match in (("ip", "ip"), ("ipv6", "ip6")):
            commands.append(f"tc filter add dev eth0 parent 1: protocol {family} u32 match {match} dport 4791 0xffff flowid 1:4")
        code, text = self.shell.run(" && ".join(f"/bin/{command}" for command in commands))
        if code:
            raise Failed(f"guest {self.name}: netem {netem}: {text.strip()}")
        self.disturbed = True

    def leave_in_peace(self):
        """Ends the disturbance; returns how many packets it let pass, and dropped."""
        self.disturbed = False
        text = self.shell.run("/bin/tc -s qdisc show dev eth0 parent 1:4; /bin/tc qdisc del dev eth0 root")[1]
        found = re.search(r"(\d+) pkt \(dropped (\d+)", text)
        if not found:
            raise Failed(f"guest {self.name}: no netem any more: {text.strip()}")
        return {"sent": int(found[1]), "dropped": int(found[2])}
