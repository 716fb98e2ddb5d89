#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cable.py [--mtu N] TAP PEER,OWN COMMAND...: a network interface whose cable leads to a unix: wire.

Makes the interface TAP, of MTU N (9000), in this network namespace, carries frames between it and datagram sockets (PEER's path, our OWN:
what qemu's -netdev dgram and `ibagent --wire unix:` speak), and runs COMMAND meanwhile; ends with its exit code. So a device
on a unix: wire is tested over afpacket: too. Needs root in the namespace:

    tools/guest run -- tools/guest.d/same_wires.sh build/rel/bin/ibconform rc.responder
"""

import fcntl
import os
import select
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
LONGEST = 65535
ETHERNET = 14 + 4  # bytes before the packet: the header, with a VLAN tag


def carry(tap, wire, peer, mtu):
    while True:
        for end in select.select([tap, wire], [], [])[0]:
            try:
                if end is wire:
                    frame = wire.recv(LONGEST)
                    if len(frame) <= mtu + ETHERNET:  # a real port receives no longer frames, but a tap would
                        os.write(tap, frame)
                else:
                    wire.sendto(os.read(tap, LONGEST), peer)
            except OSError:
                pass  # no receiver: the frame is lost, as on any cable


def open_tun():
    """A system that was not booted, as in a chroot, may lack the device's node: root makes one for itself."""
    node = "/dev/net/tun"
    if os.path.exists(node) or os.geteuid() != 0:
        return os.open(node, os.O_RDWR)
    with tempfile.TemporaryDirectory() as folder:
        node = os.path.join(folder, "tun")
        os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(10, 200))
        return os.open(node, os.O_RDWR)


def main():
    args, mtu = sys.argv[1:], 9000
    if args[0] == "--mtu":
        args, mtu = args[2:], int(args[1])
    name, (peer, own), command = args[0], args[1].split(","), args[2:]
    tap = open_tun()
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    # Prevents the kernel from sending packets of its own.
    with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w", encoding="ascii") as f:
        f.write("1")
    subprocess.run(["ip", "link", "set", name, "mtu", str(mtu), "up"], check=True)
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    if os.path.exists(own):
        os.unlink(own)
    wire.bind(own)
    threading.Thread(target=carry, args=(tap, wire, peer, mtu), daemon=True).start()
    code = subprocess.run(command, check=False).returncode
    os.unlink(own)
    sys.exit(code)


if __name__ == "__main__":
    main()
