/* SPDX-License-Identifier: BSD-2-Clause */
/* Connection management: area MD of the statements; see conformance/statements/statement.c for the columns. Statements
 * whose only public source is Linux are K: the devices under test run it, and a rule whose only source is the device is
 * no rule. */
#ifndef IBA_STATEMENTS_MD_H
#define IBA_STATEMENTS_MD_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_MD(OPEN, SHUT) \
    OPEN(MD, "MD-54", "", "", "", M, S, "The connection manager's messages are datagrams of class 7, class version 2, method Send.") \
    OPEN(MD, "MD-55", "", "", "", M, S, "A REQ has its fields at their places; its private data are 92 bytes.") \
    OPEN(MD, "MD-56", "", "", "", M, S, "An MRA or REJ has its fields at their places; private data are 222 and 148 bytes.") \
    OPEN(MD, "MD-57", "", "", "", M, S, "A REP has its fields at their places; its private data are 196 bytes.") \
    OPEN(MD, "MD-58", "", "", "", M, S, "An RTU, DREQ or DREP has its fields at their places; private data are 224, 220 and 224 bytes.") \
    OPEN(MD, "MD-59", "", "", "", C, S, "A LAP or APR has its fields at their places; private data are 168 and 148 bytes.") \
    OPEN(MD, "MD-60", "", "", "", C, S, "A SIDR_REQ or SIDR_REP has its fields at their places; private data are 216 and 136 bytes.") \
    OPEN(MD, "MD-61", "12.7", "", "", M, S, "A REQ for a transport service that the end lacks is rejected with reason 9.") \
    OPEN(MD, "MD-62", "12.7", "", "", M, K, "A REP grants no more responder resources and initiator depth than the REQ can use.") \
    OPEN(MD, "MD-63", "12.7", "", "", M, K, "StartingPSN is where its sender begins to receive, and the peer to send.") \
    OPEN(MD, "MD-64", "12.7", "", "", M, K, "The active end's ACK timeout also covers the delay that the REP names.") \
    OPEN(MD, "MD-65", "12.9", "", "", M, K, "A listener's REQ is answered with REP, MRA or REJ, and the RTU establishes the connection.") \
    OPEN(MD, "MD-66", "12.9", "", "", M, K, "A packet of the connection establishes it like an RTU.") \
    OPEN(MD, "MD-67", "12.9", "", "", M, K, "An active end answers the REP with an RTU, and is established.") \
    OPEN(MD, "MD-68", "12.9.8", "", "", M, K, "A message that nobody answers is sent again, unchanged, MaxCMRetries times; then the end gives up.") \
    OPEN(MD, "MD-69", "12.8", "", "", M, K, "An MRA makes the peer wait the time that it names before it sends again.") \
    OPEN(MD, "MD-70", "", "", "", M, K, "A duplicate REQ gets the answer of the first, and makes no second connection.") \
    OPEN(MD, "MD-71", "", "", "", M, K, "A duplicate REP gets the RTU again.") \
    OPEN(MD, "MD-72", "", "", "", M, K, "A REQ for a service that nobody listens for is rejected with reason 8.") \
    OPEN(MD, "MD-73", "", "", "", M, K, "A REQ of a queue pair that already has a connection is rejected with reason 10, and the old connection ends.") \
    OPEN(MD, "MD-74", "", "", "", M, K, "A REJ has the reason for which it rejects, and the value that would be accepted.") \
    OPEN(MD, "MD-75", "", "", "", M, K, "A REP for a connection that does not exist is rejected with reason 6.") \
    OPEN(MD, "MD-76", "12.9.9", "", "", M, K, "A DREQ for the right queue pair is answered with a DREP; one for another is dropped.") \
    OPEN(MD, "MD-77", "12.9.9", "", "", M, K, "A DREQ for a connection that is gone is answered with a DREP.") \
    OPEN(MD, "MD-78", "12.9.8", "", "", M, K, "A queue pair is not connected again before its packets have left the fabric.") \
    OPEN(MD, "MD-79", "12.8", "", "", C, K, "A LAP is answered with an APR that has the status.") \
    OPEN(MD, "MD-80", "12.11", "", "", C, K, "A SIDR_REQ is answered with a SIDR_REP that has the status, and the queue pair if there is one.") \
    OPEN(MD, "MD-81", "A11.4.1", "", "A11", C, K, "A REQ to a service of the RDMA IP CM service begins its private data with an IP CM header.") \
    OPEN(MD, "MD-82", "12.9", "", "", M, K, "Datagrams of the connection manager go from QP1 to QP1, back along the path of the REQ.") \
    OPEN(MD, "MD-83", "A17", "", "A17", C, S, "The LIDs of a REQ are reserved over RoCE: they are sent as 0 and not checked.") \
    OPEN(MD, "MD-84", "", "", "", M, K, "A lost RTU is repaired by the REP that comes again.") \
    OPEN(MD, "MD-85", "", "", "", M, K, "A REJ ends the connection in the state it meets.") \
    OPEN(MD, "MD-86", "", "", "", O, K, "Of two ends that connect to each other, one takes the other's REQ and withdraws its own.")
/* clang-format on */
#endif
