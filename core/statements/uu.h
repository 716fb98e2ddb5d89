/* SPDX-License-Identifier: BSD-2-Clause */
/* Unreliable services, reliable datagrams, raw packets: area UU of the statements; see
 * conformance/statements/statement.c for the columns. */
#ifndef IBA_STATEMENTS_UU_H
#define IBA_STATEMENTS_UU_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_UU(OPEN, SHUT) \
    OPEN(UU, "UU-01", "9.8.2",     "",      "",    M, S, "A UC QP takes SENDs and WRITEs only and drops every other opcode.") \
    OPEN(UU, "UU-02", "9.8.2.1",   "",      "",    M, S, "A UC receiver never answers, whatever AckReq says.") \
    OPEN(UU, "UU-03", "9.8.2.2",   "",      "",    M, S, "A UC receiver that misses a packet drops the rest of the message and goes on at the next First or Only.") \
    OPEN(UU, "UU-04", "9.8.2.2",   "",      "",    M, S, "A UC receiver accepts a message that starts after the PSN it expected.") \
    OPEN(UU, "UU-05", "9.8.2",     "",      "",    M, K, "A UC receiver does not look for duplicates: each First or Only starts a message.") \
    OPEN(UU, "UU-06", "9.8.2",     "",      "",    M, S, "A UC receiver drops a Middle or Last without a First, and abandons a message without its Last.") \
    OPEN(UU, "UU-07", "9.8.2",     "C9-92", "",    M, S, "A UC receiver drops a message with a payload that does not fit its opcode.") \
    OPEN(UU, "UU-08", "9.8.2",     "",      "",    M, S, "A UC receiver that finds no receive drops a SEND, and of a WRITE the notification.") \
    OPEN(UU, "UU-09", "9.8.2",     "",      "",    M, S, "A UC receiver keeps the receive of an unfinished SEND for the next message.") \
    OPEN(UU, "UU-10", "9.8.2",     "",      "",    M, S, "A UC receiver drops a WRITE without the right key, range or access and sends no answer.") \
    OPEN(UU, "UU-11", "9.8.2",     "",      "",    M, S, "A UC receiver does not check the R_Key of a WRITE of zero length.") \
    OPEN(UU, "UU-12", "9.8.2",     "",      "",    M, K, "A UC receive completes only with the message's last packet, none missing.") \
    OPEN(UU, "UU-13", "9.8.2",     "",      "",    M, S, "A UC send completes when its last packet has left, and is never sent again.") \
    OPEN(UU, "UU-14", "9.9.2",     "",      "",    M, K, "A UC QP whose send fails locally enters SQE and goes on receiving.") \
    OPEN(UU, "UU-15", "9.8.2",     "",      "",    M, K, "A UC receiver drops a SEND longer than its receive and writes nothing beyond it.") \
    OPEN(UU, "UU-16", "9.8.3",     "",      "",    M, S, "A datagram is one packet with at most one MTU of payload; a longer one is not sent.") \
    OPEN(UU, "UU-17", "9.8.3",     "",      "",    M, S, "A UD receiver checks neither order nor duplicates of PSNs.") \
    OPEN(UU, "UU-18", "9.6.1.4.1", "",      "",    M, S, "A datagram with another Q_Key consumes no receive.") \
    OPEN(UU, "UU-19", "9.8.3",     "",      "",    M, S, "A UD receiver that finds no receive drops the datagram.") \
    OPEN(UU, "UU-20", "9.8.3",     "",      "",    M, S, "A UD receiver delivers no datagram longer than its receive, and writes nothing beyond it.") \
    OPEN(UU, "UU-21", "11.4.2",    "",      "",    M, S, "A UD receive keeps its first 40 bytes for a GRH, and its byte count includes them.") \
    OPEN(UU, "UU-22", "A17",       "",      "A17", C, S, "Over IPv4 a UD receive has the IP header in the last 20 of those 40 bytes.") \
    OPEN(UU, "UU-23", "11.6.2",    "",      "",    M, S, "A UD completion has the source QP, its LID, SL and path bits, and the immediate data.") \
    OPEN(UU, "UU-24", "10.5",      "",      "",    M, S, "A multicast datagram goes to QP 0xffffff and the group's address, with a GRH that names it.") \
    OPEN(UU, "UU-25", "10.5.2",    "",      "",    M, K, "Only a QP that is attached to a group receives its datagrams, and only datagram and raw QPs can be attached.") \
    OPEN(UU, "UU-26", "13.5.3",    "",      "",    M, S, "QP0 and QP1 take datagrams of 256 bytes only.") \
    OPEN(UU, "UU-27", "9.8.3",     "",      "",    M, S, "A port without a LID sends SMPs from the permissive one.") \
    OPEN(UU, "UU-28", "9.9.2",     "",      "",    M, S, "A UD QP whose send fails locally enters SQE, from where it may return to RTS.") \
    OPEN(UU, "UU-29", "9.9.3",     "",      "",    M, S, "A UD receive in memory without local write fails and puts the QP in Error.") \
    OPEN(UU, "UU-30", "10.2.5",    "",      "",    M, S, "A datagram posted with bit 31 of its Q_Key set leaves with the QP's own Q_Key.") \
    OPEN(UU, "UU-31", "9.8.3",     "",      "",    M, K, "A sender keeps the packet rate of the address handle.") \
    OPEN(UU, "UU-32", "9.7.8",     "",      "",    C, K, "A reliable datagram has an RDETH, a request a DETH besides.") \
    OPEN(UU, "UU-33", "9.7.8",     "",      "",    C, K, "An end-to-end context has one message outstanding at a time.") \
    OPEN(UU, "UU-34", "9.7.8",     "",      "",    C, K, "A requester that gave up a reliable datagram message sets the responder's PSN with RESYNC.") \
    OPEN(UU, "UU-35", "9.7.5.2.7", "",      "",    C, K, "A responder answers a reliable datagram with a wrong Q_Key or domain with NAK 0x64.") \
    OPEN(UU, "UU-36", "10.2.9",    "",      "",    C, K, "A reliable datagram's QP and context are of the same domain at both ends.") \
    OPEN(UU, "UU-37", "9.7.8",     "",      "",    C, K, "An RNR NAK delays only one QP's reliable datagrams, and not the context's others.") \
    OPEN(UU, "UU-38", "",          "",      "",    C, K, "Reliable datagrams have no SEND with Invalidate.") \
    OPEN(UU, "UU-39", "9.8.4",     "",      "",    O, S, "A raw QP sends and receives packets without BTH, ICRC and keys.") \
    OPEN(UU, "UU-40", "9.8.4",     "",      "",    O, K, "A raw packet reaches the port's raw QP of its kind, and is dropped where there is none.") \
    OPEN(UU, "UU-41", "9.8.4",     "",      "",    O, S, "A switch port may be configured to drop raw packets.") \
    OPEN(UU, "UU-42", "A17",       "",      "A17", M, S, "Raw packets cannot be sent over RoCEv2.")
/* clang-format on */
#endif
