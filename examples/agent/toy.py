# SPDX-License-Identifier: BSD-2-Clause
"""A toy stack: an RC responder over RoCEv2 and IPv4, for SEND and WRITE. It sends no requests, and is no model for a real stack."""
import ipaddress
import struct
import zlib

TRANSITIONS = {("reset", "init"), ("init", "init"), ("init", "rtr"), ("rtr", "rts"), ("rts", "rts")}
FIRST, MIDDLE, LAST, ONLY = {0, 6}, {1, 7}, {2, 3, 8, 9}, {4, 5, 10, 11}
WITH_IMMEDIATE = {3, 5, 9, 11}
SEQUENCE, INVALID, ACCESS, OPERATIONAL = 0x60, 0x61, 0x62, 0x63


def icrc(ip):
    """returns the ICRC of a packet, which begins with its IP header and has no ICRC yet: fields that routers change count as ones"""
    masked = bytearray(ip)
    for at in (1, 8, 10, 11, 26, 27, 32):  # TOS, TTL, checksums of IP and UDP, FECN and BECN
        masked[at] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


class Region:
    def __init__(self, pd, key, at, data, access, va):
        self.pd, self.key, self.at, self.bytes, self.access, self.va = pd, key, at, data, access, va


class Qp:
    def __init__(self, stack, number, pd, cq, depth):
        self.stack, self.number, self.pd, self.cq, self.depth = stack, number, pd, cq, depth
        self.state, self.attributes, self.receives = "reset", {}, []
        self.start()

    def start(self):
        self.msn, self.epsn, self.nak_sent, self.message = 0, 0, False, None

    def may_become(self, state):
        return state in ("reset", "err") or (self.state, state) in TRANSITIONS

    def modify(self, state, attributes):
        if state == "reset":
            self.attributes, self.receives = {}, []
            self.start()
        self.attributes.update(attributes)
        self.epsn = attributes.get("epsn", self.epsn)
        self.state = state
        if state == "err":
            self.fail()

    def post_recv(self, wr, sges):
        if self.state == "reset":
            return "verb_state"
        if len(self.receives) >= self.depth:
            return "verb_full"
        self.receives.append((wr, sges))
        if self.state == "err":
            self.fail()
        return None

    def fail(self):
        """moves the queue pair to Error: its receives complete as flushed"""
        self.state, self.message = "err", None
        for wr, _ in self.receives:
            self.complete(wr, "flushed")
        self.receives = []

    def complete(self, wr, status, **members):
        self.stack.cqs[self.cq].append({"id": wr, "status": status, "qpn": self.number, **members})

    def answer(self, psn, syndrome):
        self.stack.acknowledge(self, psn, syndrome)

    def refuse(self, syndrome):
        self.answer(self.epsn, syndrome)
        if self.message and not self.message["write"] and self.receives:
            self.complete(self.receives.pop(0)[0], "remote_invalid_req")  # the receive that the unfinished message uses
        self.fail()

    def request(self, opcode, psn, ask, body):
        ahead = (psn - self.epsn) & 0xFFFFFF
        if ahead >= 1 << 23:  # a duplicate, which was executed before
            self.answer((self.epsn - 1) & 0xFFFFFF, 0x1F)
            return
        if ahead:
            if not self.nak_sent:
                self.nak_sent = True
                self.answer(self.epsn, SEQUENCE)
            return
        self.nak_sent = False
        write, begins, ends = opcode >= 6, opcode in FIRST | ONLY, opcode in LAST | ONLY
        if opcode > 11 or begins == (self.message is not None) or (not begins and self.message["write"] != write):
            return self.refuse(INVALID)
        head = 16 if write and begins else 0
        immediate = 4 if opcode in WITH_IMMEDIATE else 0
        payload, pmtu = body[head + immediate:], self.attributes.get("pmtu", 256)
        if len(payload) > pmtu or (not ends and len(payload) != pmtu) or (opcode in LAST and not payload):
            return self.refuse(INVALID)
        if (not write and begins or write and immediate) and not self.receives:
            self.nak_sent = True  # one NAK suffices: the requester sends the packets after the gap again, too
            return self.answer(psn, 0x20 | self.attributes.get("min_rnr", 0))
        if begins:
            self.message = {"write": write, "done": 0, "target": struct.unpack(">QII", body[:16]) if write else None}
        problem, status = self.write(payload, ends) if write else self.fill(payload)
        if problem:
            if status:
                self.complete(self.receives.pop(0)[0], status)
                self.message = None
            return self.refuse(problem)
        self.message["done"] += len(payload)
        self.epsn = (self.epsn + 1) & 0xFFFFFF
        if ends:
            self.msn = (self.msn + 1) & 0xFFFFFF
            if not write or immediate:
                wr, _ = self.receives.pop(0)
                extra = {"imm": struct.unpack(">I", body[head:head + 4])[0]} if immediate else {}
                self.complete(wr, "success", op="recv_write_imm" if write else "recv", bytes=self.message["done"], srcqp=self.attributes["qpn_of_peer"], **extra)
            self.message = None
        if ask or ends:
            self.answer(psn, 0x1F)

    def write(self, payload, ends):
        """stores a packet of a WRITE; returns the syndrome of the NAK or 0, and the status of the receive or None"""
        va, key, length = self.message["target"]
        end, region = self.message["done"] + len(payload), self.stack.regions.get(key)
        if end > length or (ends and end != length):
            return INVALID, None
        if length and not (region and region.pd == self.pd and "remote_write" in region.access and "remote_write" in self.attributes.get("access", [])
                           and region.va <= va and va + length <= region.va + len(region.bytes)):
            return ACCESS, None
        if payload:
            at = va - region.va + end
            region.bytes[at - len(payload):at] = payload
        return 0, None

    def fill(self, payload):
        """stores a packet of a SEND in the buffers of the receive; returns the same as write()"""
        skip = self.message["done"]
        for at, length, key in self.receives[0][1]:
            n = max(0, min(length - skip, len(payload)))
            region = self.stack.regions.get(key)
            if n:
                begin = at - region.at + skip if region else 0
                if not region or region.pd != self.pd or "local_write" not in region.access or begin < 0 or begin + n > len(region.bytes):
                    return OPERATIONAL, "local_protection"
                region.bytes[begin:begin + n] = payload[:n]
            payload, skip = payload[n:], max(0, skip - length)
        return (INVALID, "local_length") if payload else (0, None)


class Stack:
    """One device. It calls `send` for each frame that it sends; call `receive` for each frame that arrives."""

    def __init__(self, address, send):
        self.mac = bytes.fromhex(address["mac"].replace(":", ""))
        self.ip, self.send = ipaddress.ip_address(address["ipv4"]).packed, send
        self.domains, self.cqs, self.qps, self.regions, self.events, self.memory, self.place = 0, [], {}, {}, [], [], 0x100000
        self.numbers = 0x100  # the number of the next queue pair

    def new_domain(self):
        self.domains += 1
        return self.domains - 1

    def new_cq(self, depth):
        self.cqs.append([])
        return len(self.cqs) - 1

    def new_qp(self, pd, cq, depth):
        number, self.numbers = self.numbers, self.numbers + 1
        self.qps[number] = Qp(self, number, pd, cq, depth)
        return number

    def new_region(self, pd, data, access, iova):
        key = 0x1000 + len(self.memory)
        at, self.place = self.place, self.place + len(data) + 0x10000
        self.regions[key] = Region(pd, key, at, bytearray(data), access, at if iova is None else iova)
        self.memory.append(self.regions[key])  # the memory stays after the region is deregistered
        return self.regions[key]

    def receive(self, frame):
        ip = frame[14:14 + struct.unpack(">H", frame[16:18])[0]] if len(frame) >= 58 and frame[12:14] == b"\x08\x00" else b""
        if len(ip) < 44 or ip[0] != 0x45 or ip[9] != 17 or ip[16:20] != self.ip or ip[22:24] != b"\x12\xb7" or icrc(ip[:-4]) != ip[-4:]:
            return
        opcode, flags, pkey, number = ip[28], ip[29], struct.unpack(">H", ip[30:32])[0], int.from_bytes(ip[33:36], "big")
        qp = self.qps.get(number)
        if not qp or qp.state not in ("rtr", "rts") or opcode >> 5 or flags & 15 or pkey & 0x7FFF != 0x7FFF or 12 < opcode < 20:
            return
        qp.peer = (frame[6:12], ip[12:16])
        pad = flags >> 4 & 3
        qp.request(opcode, int.from_bytes(ip[37:40], "big"), ip[36] >> 7, ip[40:len(ip) - 4 - pad])

    def acknowledge(self, qp, psn, syndrome):
        mac, address = qp.peer
        bth = struct.pack(">BBHII", 17, 0, 0xFFFF, qp.attributes["qpn_of_peer"], psn)
        body = bth + struct.pack(">I", syndrome << 24 | qp.msn)
        udp = struct.pack(">HHHH", 0xC000, 4791, 8 + len(body) + 4, 0)
        head = bytearray(struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp) + len(body) + 4, 0, 0x4000, 64, 17, 0) + self.ip + address)
        total = sum(struct.unpack(">10H", head))
        total = (total & 0xFFFF) + (total >> 16)
        head[10:12] = struct.pack(">H", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF)
        packet = bytes(head) + udp + body
        self.send(mac + self.mac + b"\x08\x00" + packet + icrc(packet))
