/* SPDX-License-Identifier: BSD-2-Clause */
/* Responder of a reliable connection: area RR of the statements; see conformance/statements/statement.c for the
 * columns. */
#ifndef IBA_STATEMENTS_RR_H
#define IBA_STATEMENTS_RR_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_RR(OPEN, SHUT) \
    OPEN(RR, "RR-01", "9.7.4.1.2", "",                "",    M, S, "A responder expects its initial PSN, then one more for each request packet, and for a READ one for each response.") \
    OPEN(RR, "RR-02", "9.7.1",     "",                "",    M, S, "A PSN up to half the PSN space before the expected one is a duplicate; a later PSN is out of sequence.") \
    OPEN(RR, "RR-03", "9.7.4.1.2", "",                "",    M, S, "A responder answers a request after a PSN gap with NAK 0x60 and the expected PSN, and drops it.") \
    OPEN(RR, "RR-04", "",          "C9-80 C9-114",    "",    M, S, "A responder sends one NAK for a gap, then does not answer later packets until the missing one has come.") \
    OPEN(RR, "RR-05", "9.7.5.2",   "",                "",    M, K, "A responder sends NAKs other than for sequence only for the request with the expected PSN.") \
    OPEN(RR, "RR-06", "9.7.4",     "",                "",    M, S, "A responder answers in PSN order and executes messages in order.") \
    OPEN(RR, "RR-07", "9.7.5.1",   "",                "",    M, S, "A NAK also acknowledges all requests before its PSN.") \
    OPEN(RR, "RR-08", "9.7.4.1.2", "",                "",    M, K, "A responder that missed a packet continues as soon as it is sent again.") \
    OPEN(RR, "RR-09", "9.7.5.1.2", "",                "",    M, S, "A responder answers a request with AckReq; others it need not acknowledge one by one.") \
    OPEN(RR, "RR-10", "9.7.5.1.2", "",                "",    M, S, "An ACK's PSN is that of the latest request it acknowledges, and it covers all before.") \
    OPEN(RR, "RR-11", "9.7.5.1",   "",                "",    O, K, "A responder may acknowledge requests without AckReq.") \
    OPEN(RR, "RR-12", "9.7.5.1.1", "",                "",    M, S, "An ACK is opcode 0x11 for the requester's QP under the responder's P_Key, other BTH bits 0.") \
    OPEN(RR, "RR-13", "9.7.5.1",   "",                "",    M, K, "A responder acknowledges a packet only after it has passed every check.") \
    OPEN(RR, "RR-14", "9.7.5.1",   "",                "",    M, S, "A READ response or ATOMIC Acknowledge acknowledges all earlier requests; separate ACKs may be left out.") \
    OPEN(RR, "RR-15", "9.7.5.1",   "",                "",    M, K, "A responder answers along its QP's address vector, whatever the source of the request.") \
    OPEN(RR, "RR-16", "9.7.5.2",   "",                "",    M, S, "The MSN starts at 0 and counts each new message when it is complete; duplicates do not count.") \
    OPEN(RR, "RR-17", "",          "C9-148",          "",    M, S, "A responder may count a READ in the MSN from the time it accepts it.") \
    OPEN(RR, "RR-18", "9.7.5.2",   "",                "",    M, S, "A NAK's MSN does not count the refused message.") \
    OPEN(RR, "RR-19", "9.7.7",     "",                "",    C, S, "A responder's ACK announces no more credits than receives are posted.") \
    OPEN(RR, "RR-20", "9.7.7",     "",                "",    M, S, "A QP with a shared receive queue announces credit code 31.") \
    OPEN(RR, "RR-21", "9.7.7",     "",                "",    M, S, "A responder announces credit code 31 where flow control was not agreed on.") \
    OPEN(RR, "RR-22", "9.7.7",     "",                "",    O, S, "A responder may repeat its last ACK to announce new credits.") \
    OPEN(RR, "RR-23", "",          "C9-105",          "",    M, S, "A responder acknowledges a duplicate SEND or WRITE again and does not execute it again.") \
    OPEN(RR, "RR-24", "9.7.5.1.4", "",                "",    M, S, "A responder never answers a duplicate with a NAK of any kind.") \
    OPEN(RR, "RR-25", "9.7.4.1",   "",                "1.4", M, S, "A responder executes a duplicate READ again, also one that asks for the rest from a later PSN.") \
    OPEN(RR, "RR-26", "9.7.4.1",   "",                "1.4", M, S, "A responder drops a duplicate READ that matches no remembered request.") \
    OPEN(RR, "RR-27", "9.7.4",     "",                "",    M, S, "A responder checks a repeated READ's key again and returns what memory holds now.") \
    OPEN(RR, "RR-28", "9.4.5",     "",                "",    C, S, "A responder answers a duplicate ATOMIC with the value it saved and does not execute it again.") \
    OPEN(RR, "RR-29", "9.7.4.1",   "",                "1.4", C, S, "A responder remembers as many READs and ATOMICs as were agreed on, and forgets the oldest first.") \
    OPEN(RR, "RR-30", "",          "C9-110",          "",    M, S, "A responder answers duplicates in PSN order and goes back when an earlier one arrives.") \
    OPEN(RR, "RR-31", "9.7.5.1.4", "",                "",    M, S, "A responder need not acknowledge a duplicate SEND or WRITE without AckReq.") \
    OPEN(RR, "RR-32", "9.7.5",     "oA19-14 oA19-15", "A19", C, S, "A responder answers a duplicate FLUSH or ATOMIC WRITE again and does not execute it again.") \
    OPEN(RR, "RR-33", "9.7.4.1.3", "",                "",    M, S, "A responder refuses an opcode that cannot follow the one before with NAK 0x61 and enters Error.") \
    OPEN(RR, "RR-34", "9.7.4.1.4", "",                "",    M, S, "A responder refuses an operation that its QP does not allow with NAK 0x61 and enters Error.") \
    OPEN(RR, "RR-35", "9.7.4.1.5", "",                "",    M, S, "A responder refuses READs and ATOMICs beyond the number agreed on with NAK 0x61.") \
    OPEN(RR, "RR-36", "9.7.4.1.6", "C9-92",           "",    M, S, "A responder refuses a request whose payload does not fit its opcode with NAK 0x61.") \
    OPEN(RR, "RR-37", "9.7.4.1.6", "",                "",    M, S, "A responder refuses a WRITE with more or fewer bytes than its DMA length with NAK 0x61.") \
    OPEN(RR, "RR-38", "9.7.4.1.6", "",                "",    M, S, "A responder refuses a SEND longer than its receive with NAK 0x61, fails the receive and writes nothing beyond it.") \
    OPEN(RR, "RR-39", "9.3.3",     "C9-94",           "",    M, S, "A responder refuses a DMA length above 2^31 with NAK 0x61.") \
    OPEN(RR, "RR-40", "",          "C9-88",           "",    M, S, "A responder does not check address and R_Key of a READ or WRITE of zero length.") \
    OPEN(RR, "RR-41", "10.6.3",    "",                "1.4", M, S, "A responder refuses a wrong R_Key, domain, right or range with NAK 0x62 and enters Error.") \
    OPEN(RR, "RR-42", "9.7.4.1",   "",                "",    M, S, "A responder checks a WRITE's whole range at its first packet, and writes nothing if it exceeds the region.") \
    OPEN(RR, "RR-43", "9.7.4",     "",                "",    M, S, "A responder checks a READ's whole range before its first response.") \
    OPEN(RR, "RR-44", "9.4.5",     "",                "",    C, S, "A responder refuses an ATOMIC on an address that is not a multiple of 8 with NAK 0x61.") \
    OPEN(RR, "RR-45", "9.4.5",     "",                "",    C, S, "An ATOMIC needs the right on the QP, else NAK 0x61, and on the region, else NAK 0x62.") \
    OPEN(RR, "RR-46", "9.4.5",     "",                "1.4", C, S, "An ATOMIC sees the data of earlier requests, and is done before later ones.") \
    OPEN(RR, "RR-47", "9.4.5",     "",                "",    C, K, "ATOMICs of two QPs on one device never lose each other's result.") \
    OPEN(RR, "RR-48", "9.4.5",     "",                "",    C, S, "Compare and Swap stores only on equality, Fetch and Add adds modulo 2^64, and both return the value before.") \
    OPEN(RR, "RR-49", "9.7.5.2.8", "",                "",    M, S, "A responder without a receive answers with RNR NAK and the QP's timer code, and keeps expecting that PSN.") \
    OPEN(RR, "RR-50", "9.7.5.2.8", "",                "",    O, K, "A responder may answer RNR NAK to any request whose resources are temporarily missing.") \
    OPEN(RR, "RR-51", "9.7.5.2.8", "",                "",    M, S, "After an RNR NAK a responder drops later packets without an answer until the refused one comes again.") \
    OPEN(RR, "RR-52", "9.7.5.2.8", "",                "",    M, K, "A responder that is still not ready answers the retry with another RNR NAK.") \
    OPEN(RR, "RR-53", "9.7.4",     "",                "",    M, S, "A WRITE with immediate data consumes a receive at its last packet and reports the whole length.") \
    OPEN(RR, "RR-54", "9.4.1.1",   "",                "",    C, S, "A SEND with Invalidate invalidates its key before the completion, which names it.") \
    OPEN(RR, "RR-55", "9.9.3",     "",                "",    C, S, "A key that cannot be invalidated fails the receive and puts the responder's QP in Error.") \
    OPEN(RR, "RR-56", "9.9.3",     "",                "",    M, S, "A responder reacts to a fault by its class: local, sequence or not ready, bad request, or dropped.") \
    OPEN(RR, "RR-57", "9.9.3",     "",                "",    M, S, "A responder whose receive has memory without local write answers NAK 0x63, fails the receive and enters Error.") \
    OPEN(RR, "RR-58", "9.9.3",     "",                "",    M, S, "After a NAK other than for sequence the responder is in Error, sends nothing, and flushes its queues.") \
    OPEN(RR, "RR-59", "9.9.3",     "",                "",    M, K, "A responder reports a bad request that consumed no receive as an event of the QP.") \
    OPEN(RR, "RR-60", "9.7.5.1",   "",                "",    M, K, "A READ that fails between responses ends with a NAK in place of the next response.") \
    OPEN(RR, "RR-61", "9.7.5.1",   "",                "",    M, S, "READ responses count PSNs up from the request's; First, Last and Only have an AETH.") \
    OPEN(RR, "RR-62", "9.7.5.1",   "",                "",    M, S, "A READ that is repeated from an inner PSN starts again with a First or Only response.") \
    OPEN(RR, "RR-63", "9.7.5.1",   "",                "",    O, K, "A responder may interleave responses of several QPs but keeps the order within each.") \
    OPEN(RR, "RR-64", "10.3.1",    "",                "",    M, S, "A QP in RTR answers requests, and reports the first one as an event.") \
    OPEN(RR, "RR-65", "9.7.5",     "",                "",    M, S, "A QP answers requests in RTR, RTS, SQD and SQE alike.") \
    OPEN(RR, "RR-66", "A19.4.1",   "oA19-13",         "A19", C, S, "A FLUSH needs the right for each placement type, and is answered after earlier WRITEs are placed.") \
    OPEN(RR, "RR-67", "A19.4.2",   "oA19-28",         "A19", C, S, "An ATOMIC WRITE needs the right to write and an address that is a multiple of 8, and stores 8 bytes at once.") \
    OPEN(RR, "RR-68", "A19",       "",                "A19", C, S, "FLUSH and ATOMIC WRITE need a responder resource as READs and ATOMICs do.")
/* clang-format on */
#endif
