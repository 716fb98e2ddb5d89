/* SPDX-License-Identifier: BSD-2-Clause */
/* Connection management: area MD of the statements; see conformance/statements/statement.c for the columns. Statements
 * whose only public source is Linux have K in the column "seen": devices under test run Linux, and a rule cannot have
 * the device under test as its only source. */
#ifndef IBA_STATEMENTS_MD_H
#define IBA_STATEMENTS_MD_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_MD(OPEN, SHUT) \
    OPEN(MD, "MD-02", "13.4.2", "", "", M, S, "A datagram of another base version is answered with status 1, bad version, or dropped.") \
    OPEN(MD, "MD-03", "13.4.4", "", "", M, S, "QP0 takes the two classes of subnet management and no other.") \
    OPEN(MD, "MD-04", "13.4.5", "", "", M, S, "Get and Set are answered by GetResp.") \
    OPEN(MD, "MD-05", "13.4.7", "", "", M, S, "The status says why an agent refuses: bad version 1, method 2, attribute 3, value 7.") \
    OPEN(MD, "MD-06", "13.4.6.4", "", "", M, K, "An answer has the transaction, class and attribute of its request, and goes back to where that came from.") \
    OPEN(MD, "MD-102", "16.1", "", "", M, S, "The performance management agent has ClassPortInfo and PortCounters.") \
    OPEN(MD, "MD-103", "16.1", "", "", M, S, "PortCounters has its fields at their places, each with its width.") \
    OPEN(MD, "MD-104", "16.1.3.5", "", "", M, K, "Data counters count words of 4 bytes; counters stop at their largest value.") \
    OPEN(MD, "MD-105", "16.1.3.5", "", "", M, S, "A Set of PortCounters writes the selected counters and no other; a port that does not exist is refused.") \
    OPEN(MD, "MD-106", "16.1.4", "", "", C, S, "PortCountersExtended has the data, packet, unicast and multicast counters in 64 bits.") \
    OPEN(MD, "MD-107", "16.1", "", "", M, S, "The performance management agent refuses unknown attributes and other class versions.") \
    OPEN(MD, "MD-108", "16.1.3.5", "", "", M, S, "A port counts packets that it drops by what was wrong with them.") \
    OPEN(MD, "MD-110", "14.2.5.1", "", "", C, S, "Trap 128 tells that a link of a switch changed its state, 131 that flow-control packets stay out.") \
    OPEN(MD, "MD-112", "14.2.5.1", "", "", C, S, "Traps 256 to 259 tell which key was wrong, whose packet had it, and where it was seen.") \
    OPEN(MD, "MD-113", "13.4.8.2", "", "", M, S, "A notice names the kind of node that produced it.") \
    OPEN(MD, "MD-115", "A10", "", "A10", C, S, "The congestion control agent has class 0x21, version 2, and the nine attributes of its kind of node.") \
    OPEN(MD, "MD-116", "A10", "", "A10", C, K, "Sets need the CC_Key, and Gets if it is protected; without it there is no answer, and the agent counts.") \
    OPEN(MD, "MD-117", "A10", "", "A10", C, K, "CCTI_Limit stays within the table, whose blocks have 64 entries.") \
    OPEN(MD, "MD-18", "14.2.1.1", "", "", M, S, "An SMP by LID goes to the agent of the port that has the LID.") \
    OPEN(MD, "MD-20", "14.2.1.2", "", "", M, S, "An SMP with more than 63 hops is dropped.") \
    OPEN(MD, "MD-21", "14.2.2", "C14-9", "", M, S, "An SMP starts its directed route by the first port of its initial path, with hop pointer 1.") \
    OPEN(MD, "MD-22", "14.2.2", "C14-9", "", M, S, "On its directed route an SMP passes switches only: the port it came by is noted, and it goes on by the next port.") \
    OPEN(MD, "MD-23", "14.2.2", "C14-9", "", M, S, "At the end of its directed route an SMP is for the agent, or goes on to DrDLID.") \
    OPEN(MD, "MD-24", "14.2.2", "C14-9", "", M, S, "An SMP whose hop pointer is beyond its last hop by one is for the agent.") \
    OPEN(MD, "MD-25", "14.2.2", "C14-9", "", M, S, "An SMP whose hop pointer is further beyond its last hop is dropped.") \
    OPEN(MD, "MD-26", "14.2.2", "C14-13", "", M, S, "An answer starts its way back by the port that its request came by.") \
    OPEN(MD, "MD-27", "14.2.2", "C14-13", "", M, S, "When it returns, an SMP follows the return path, then goes on to DrSLID.") \
    OPEN(MD, "MD-28", "14.2.2", "C14-13", "", M, S, "An SMP that has come back along its route is for the manager's software.") \
    OPEN(MD, "MD-30", "14.2.2", "", "", M, S, "In the directed part of a route packets have permissive LIDs.") \
    OPEN(MD, "MD-31", "14.2.5", "", "", M, S, "An agent has the attributes of its kind of node, and refuses others.") \
    OPEN(MD, "MD-32", "14.2.3", "", "", M, K, "The answer to a Set has the attribute as it is then.") \
    OPEN(MD, "MD-33", "14.2.5.6", "", "", M, S, "PortInfo has its fields at their places.") \
    OPEN(MD, "MD-35", "14.2.5.6", "C14-24-2.1", "", M, S, "A Set of PortInfo that takes the port down changes only the states.") \
    OPEN(MD, "MD-36", "14.2.5", "", "", M, S, "A port takes SMPs in Init, Armed and Active.") \
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
    OPEN(MD, "MD-86", "", "", "", O, K, "Of two ends that connect to each other, one takes the other's REQ and withdraws its own.") \
    OPEN(MD, "MD-89", "", "", "", M, S, "The high byte of the status says why a subnet administration refuses a request.") \
    OPEN(MD, "MD-90", "", "C15-0.1.30", "", M, S, "A subnet administration refuses a Get that matches several records.") \
    OPEN(MD, "MD-93", "", "", "", M, S, "A path record has its fields at their places.") \
    OPEN(MD, "MD-95", "15.2.5.17", "o15-0.2.3 o15-0.2.4", "", C, S, "A Set of a member record creates an unknown group, and joins a known one.") \
    OPEN(MD, "MD-96", "", "o15-0.1.14", "", C, S, "A Delete of a member record needs a member with the join states that it names, and clears them.") \
    OPEN(MD, "MD-97", "", "o15-0.1.5 o15-0.1.6", "", C, S, "A subnet administration refuses a group with an invalid GID.")
/* clang-format on */
#endif
