/* SPDX-License-Identifier: BSD-2-Clause */
/* Wire formats: area WF of the statements; see conformance/statements/statement.c for the columns. */
#ifndef IBA_STATEMENTS_WF_H
#define IBA_STATEMENTS_WF_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_WF(OPEN, SHUT) \
    SHUT(WF, "WF-01", "1.5.1",     "",      "",    M, S, IMPLICIT, "A device sends and reads header fields of several bytes most significant byte first.", "no peer would understand the packet if it were otherwise") \
    OPEN(WF, "WF-02", "7.7.5",     "",      "",    M, S, "A port looks for a transport header only where LRH.LNH is 2 or 3, and for a GRH only where it is 3.") \
    SHUT(WF, "WF-03", "5.1",       "",      "",    M, K, IMPLICIT, "A device puts headers in the order of the opcode table, then payload, pad and CRCs.", "no peer would find the headers if it were otherwise") \
    OPEN(WF, "WF-04", "5.2.13",    "",      "",    M, S, "On InfiniBand transport packets have ICRC and VCRC, raw packets a VCRC only.") \
    OPEN(WF, "WF-05", "",          "",      "",    M, K, "A device sends reserved fields as zero and ignores those it receives.") \
    OPEN(WF, "WF-06", "7.7",       "",      "",    M, S, "The LRH is 8 bytes: VL, LVer, SL, LNH, DLID, PktLen and SLID.") \
    OPEN(WF, "WF-07", "7.7.2",     "",      "",    M, S, "A port drops packets whose LRH.LVer is not 0.") \
    OPEN(WF, "WF-08", "7.7.8",     "",      "",    M, S, "PktLen counts 4-byte words from the LRH to the end of the ICRC; the VCRC does not count.") \
    OPEN(WF, "WF-09", "7.7.8",     "",      "",    M, K, "A port drops transport packets shorter than 6 words and raw ones shorter than 5.") \
    OPEN(WF, "WF-10", "7.7.8",     "",      "",    M, K, "A port drops packets longer than its MTU plus 124 bytes of headers.") \
    OPEN(WF, "WF-11", "7.7.8",     "",      "",    M, K, "A port drops packets whose PktLen differs from the received length.") \
    OPEN(WF, "WF-12", "7.6.3",     "",      "",    M, S, "VL 15 is for QP0 and only for it: a port drops other packets there, and those for QP0 elsewhere.") \
    OPEN(WF, "WF-13", "7.6.3",     "",      "",    M, S, "VL 15 has no flow control; a port without buffers drops its packets and counts them.") \
    OPEN(WF, "WF-14", "7.7.3",     "",      "",    M, K, "A device sends on the VL that its table gives for the SL, and does not change the SL.") \
    OPEN(WF, "WF-15", "4.1.3",     "",      "",    M, S, "Four fixed ranges divide LIDs into reserved, unicast, multicast and permissive ones.") \
    OPEN(WF, "WF-16", "7.7.6",     "",      "",    M, K, "A port drops packets whose DLID is neither one of its own nor of a group it is in.") \
    OPEN(WF, "WF-17", "9.6.1.5",   "",      "",    M, S, "A port takes the permissive LID for QP0 only.") \
    OPEN(WF, "WF-18", "7.7.10",    "",      "",    M, K, "A port drops packets whose SLID is a multicast LID.") \
    OPEN(WF, "WF-19", "4.1.3",     "",      "",    M, S, "A sender's SLID is its base LID with the path bits of the address vector.") \
    OPEN(WF, "WF-20", "8.3",       "",      "",    M, S, "The GRH is 40 bytes: version, traffic class, flow label, payload length, next header, hop limit and two GIDs.") \
    OPEN(WF, "WF-21", "8.4.1",     "",      "",    M, S, "A device drops packets whose GRH version is not 6.") \
    OPEN(WF, "WF-22", "8.4.1",     "C8-7",  "",    M, S, "A device drops packets whose GRH has another next header than 0x1b.") \
    OPEN(WF, "WF-23", "8.4.1",     "",      "",    M, S, "GRH.PayLen counts from after the GRH to the end of the ICRC.") \
    OPEN(WF, "WF-24", "8.4.1",     "",      "",    M, K, "An end node accepts packets whatever their hop limit.") \
    OPEN(WF, "WF-25", "8.4.1",     "",      "",    M, K, "A sender copies traffic class and flow label from the address vector; a receiver accepts any.") \
    OPEN(WF, "WF-26", "8.4.2",     "",      "",    M, S, "A multicast packet has a GRH that names the group; a port drops one without a GRH.") \
    OPEN(WF, "WF-27", "9.2",       "C9-1",  "1.4", M, S, "The BTH is 12 bytes with fields at fixed offsets.") \
    OPEN(WF, "WF-28", "9.2.2",     "",      "",    M, S, "A requester sets the solicited event bit only in the packet that ends a message with a receive completion.") \
    OPEN(WF, "WF-29", "9.2.2",     "",      "",    M, S, "A queue armed for solicited completions notifies for solicited and failed ones only.") \
    OPEN(WF, "WF-30", "9.2.3",     "",      "",    M, S, "A QP that has migrated, or does not support migration, sends MigReq 1.") \
    OPEN(WF, "WF-31", "9.2.4",     "",      "",    M, S, "A sender pads payload to whole words and puts the number of pad bytes into PadCnt; they are never delivered.") \
    OPEN(WF, "WF-32", "9.2.4",     "",      "",    M, S, "A receiver treats pad bytes in a First or Middle packet as a wrong length.") \
    OPEN(WF, "WF-33", "9.2.4",     "",      "",    I, S, "A receiver does not check the content of pad bytes.") \
    OPEN(WF, "WF-34", "9.2.5",     "",      "",    M, S, "A receiver drops packets of another transport version than 0, and changes no state.") \
    OPEN(WF, "WF-35", "9.2.6",     "",      "",    M, S, "A QP sends all 16 bits of the P_Key that its index selects, in responses too.") \
    OPEN(WF, "WF-36", "9.2",       "",      "A10", C, S, "A device without congestion management sends FECN and BECN as 0 and ignores them.") \
    OPEN(WF, "WF-37", "9.2.7",     "",      "",    M, S, "QP numbers 0, 1 and 0xffffff are never assigned to an ordinary queue pair.") \
    OPEN(WF, "WF-38", "9.2.9",     "",      "",    M, S, "AckReq has a meaning in reliable requests only; elsewhere it is sent as 0 and ignored.") \
    OPEN(WF, "WF-39", "9.2.11",    "",      "",    M, K, "PSNs of every service count modulo 2^24.") \
    OPEN(WF, "WF-40", "9.3.1",     "",      "",    C, K, "The RDETH is 4 bytes and holds the end-to-end context's number.") \
    OPEN(WF, "WF-41", "9.3.2",     "",      "",    M, S, "The DETH is 8 bytes: Q_Key and source QP; a response goes to that QP.") \
    OPEN(WF, "WF-42", "A14",       "",      "A14", C, S, "The XRCETH follows the BTH of every XRC request, and is in no response.") \
    OPEN(WF, "WF-43", "9.3.3",     "",      "",    M, S, "The RETH is 16 bytes: address, R_Key and DMA length.") \
    OPEN(WF, "WF-44", "9.3.3",     "C9-94", "",    M, S, "A responder accepts DMA lengths up to 2^31.") \
    OPEN(WF, "WF-45", "9.3.4",     "",      "",    C, S, "The AtomicETH is 28 bytes: address, R_Key, swap or add value, compare value.") \
    OPEN(WF, "WF-46", "9.3.5",     "",      "",    M, S, "The AETH is 4 bytes: syndrome and MSN.") \
    OPEN(WF, "WF-47", "9.3.5",     "",      "1.4", M, S, "A responder sends only syndromes of the kinds ACK, RNR NAK and NAK.") \
    OPEN(WF, "WF-48", "9.7.6",     "",      "",    M, S, "A requester drops responses with a reserved syndrome or NAK code.") \
    OPEN(WF, "WF-49", "9.7.7",     "",      "",    M, S, "A requester reads the 5-bit credit code by the table; 31 sets no limit.") \
    OPEN(WF, "WF-50", "9.7.5.2.8", "",      "",    M, S, "A requester reads the 5-bit RNR timer code by the table.") \
    OPEN(WF, "WF-51", "9.3.5",     "",      "1.4", M, S, "A responder on a reliable connection uses NAK codes 0 to 3 only.") \
    SHUT(WF, "WF-52", "9.3.5.2",   "",      "",    M, S, UNTESTABLE, "The MSN counts modulo 2^24.", "takes 2^24 messages on one connection: no verb sets the MSN") \
    OPEN(WF, "WF-53", "9.3",       "",      "",    C, S, "The AtomicAckETH carries the 64-bit value from before the operation.") \
    OPEN(WF, "WF-54", "9.3",       "",      "",    M, S, "Immediate data are delivered in the receive completion byte for byte as they were sent.") \
    OPEN(WF, "WF-55", "9.3.7",     "",      "",    C, S, "The IETH carries the R_Key to invalidate, in the packet that ends the SEND.") \
    OPEN(WF, "WF-56", "A19.4.1",   "",      "A19", C, S, "The FETH precedes the RETH of a FLUSH: placement in bits 0 to 3, selectivity in 4 and 5.") \
    OPEN(WF, "WF-57", "A19.4.2",   "",      "A19", C, S, "An ATOMIC WRITE has a RETH and exactly 8 bytes of payload.") \
    OPEN(WF, "WF-58", "5.3",       "",      "",    C, K, "A raw EtherType packet has a 4-byte RWH after the LRH, payload in whole words, and no ICRC.") \
    OPEN(WF, "WF-59", "9.2",       "C9-2",  "1.4", M, S, "A device sends only opcodes that the table lists for the QP's service.") \
    OPEN(WF, "WF-60", "9.6.1.1",   "",      "",    M, S, "A QP drops packets whose opcode is another service's, and sends no NAK.") \
    OPEN(WF, "WF-61", "9.9.3",     "",      "",    M, S, "A reserved opcode of the right service fails a reliable connection; other services drop it.") \
    OPEN(WF, "WF-62", "9.7.4.1.6", "C9-92", "",    M, S, "A receiver checks each opcode's payload length: exactly a path MTU, 1 byte to a path MTU, or at most one.") \
    OPEN(WF, "WF-63", "9.7.4.1",   "",      "",    M, K, "A device accepts no payload in READ and ATOMIC requests, FLUSH and acknowledgements.") \
    OPEN(WF, "WF-64", "9.7.3",     "",      "",    M, S, "A requester cuts a message into as few packets as the path MTU allows, the last one never empty.") \
    OPEN(WF, "WF-65", "9.7.5.1",   "",      "",    M, S, "A responder segments a READ's data the same way; a READ of zero bytes gets one empty response.") \
    OPEN(WF, "WF-66", "9.2",       "",      "",    M, S, "Codes 1 to 5 mean a path MTU of 256 to 4096 bytes, chosen for each connection.") \
    OPEN(WF, "WF-67", "9.4.1",     "",      "",    M, K, "A message has at most 2^31 bytes, a datagram at most one packet.") \
    OPEN(WF, "WF-68", "9.3.4",     "",      "",    C, K, "Atomic operations work on 8 bytes; a work request of another size fails.") \
    OPEN(WF, "WF-69", "7.8.1",     "",      "",    M, S, "The ICRC is the CRC-32 of Ethernet over the packet's invariant fields.") \
    OPEN(WF, "WF-70", "7.8.1",     "",      "",    M, S, "The ICRC is stored low byte of the CRC-32 first.") \
    OPEN(WF, "WF-71", "7.8.1",     "",      "",    M, S, "The ICRC leaves out the fields that switches and routers may change, and nothing else.") \
    SHUT(WF, "WF-72", "7.8.3",     "",      "",    M, S, UNTESTABLE, "The specification's sample packet has the ICRC 96 25 b7 5a.", "a vector for the calculation itself: core's tests check it") \
    SHUT(WF, "WF-73", "7.8.3",     "",      "",    I, S, UNTESTABLE, "A generator's sample with a GRH has the ICRC 14 93 ec 46.", "a vector for the calculation itself: core's tests check it") \
    SHUT(WF, "WF-74", "A16",       "",      "A16", M, S, IMPLICIT, "Over Ethernet the ICRC begins with 8 bytes of ones in the LRH's place.", "no peer would accept the packet if it were otherwise") \
    OPEN(WF, "WF-75", "A16",       "",      "A16", M, S, "On RoCEv1 the ICRC covers the GRH without traffic class, flow label and hop limit, and not the Ethernet header.") \
    OPEN(WF, "WF-76", "A17",       "",      "A17", M, S, "On RoCEv2 over IPv4 the ICRC covers IP and UDP headers without TOS, TTL and the two checksums.") \
    OPEN(WF, "WF-77", "A17",       "",      "A17", M, S, "On RoCEv2 over IPv6 the ICRC leaves out traffic class, flow label, hop limit and the UDP checksum.") \
    OPEN(WF, "WF-78", "9.6",       "",      "",    M, S, "A receiver drops packets with a bad ICRC without an answer, and changes no state.") \
    OPEN(WF, "WF-79", "7.8.2",     "",      "",    M, S, "The VCRC covers every byte from the LRH to the ICRC.") \
    OPEN(WF, "WF-80", "7.8.2",     "",      "",    M, K, "A port drops packets with a bad VCRC.") \
    OPEN(WF, "WF-81", "A10.3.2",   "",      "A10", C, S, "A receiver that gets FECN and has no response to carry BECN sends a CNP with 16 zero bytes.") \
    OPEN(WF, "WF-82", "A10",       "",      "A10", C, K, "A responder answers a request with FECN with BECN in its response.") \
    OPEN(WF, "WF-83", "A10",       "",      "A10", C, K, "A sender that gets BECN reduces the flow's rate and recovers with time.") \
    OPEN(WF, "WF-84", "A10",       "",      "A10", C, K, "A CNP is not acknowledged, has no PSN of the sequence, and causes no other CNP.")
/* clang-format on */
#endif
