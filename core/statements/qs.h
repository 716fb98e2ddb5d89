/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pairs, completions, memory, events: area QS of the statements; see conformance/statements/statement.c for the
 * columns. */
#ifndef IBA_STATEMENTS_QS_H
#define IBA_STATEMENTS_QS_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_QS(OPEN, SHUT) \
    OPEN(QS, "QS-01", "10.3.1",   "",            "",    M, S, "The transition from Reset to Init requires P_Key index, port and Q_Key or access rights.") \
    OPEN(QS, "QS-02", "10.3.1",   "",            "",    M, S, "A QP in Init accepts another P_Key index, port and Q_Key or access rights.") \
    OPEN(QS, "QS-03", "10.3.1",   "",            "",    M, S, "The transition of a connected QP from Init to RTR requires address, path MTU, peer and PSN, for RC also depth and RNR timer.") \
    OPEN(QS, "QS-04", "10.3.1",   "",            "",    M, S, "The transition from Init to RTR accepts another P_Key index and alternate path or Q_Key.") \
    OPEN(QS, "QS-05", "10.3.1",   "",            "",    M, S, "The transition from RTR to RTS requires the send PSN, for RC also timeout, retry counts and depth.") \
    OPEN(QS, "QS-06", "10.3.1",   "",            "",    M, S, "The transition from RTR to RTS accepts the attributes of the QP's service, and no others.") \
    OPEN(QS, "QS-07", "10.3.1",   "",            "",    M, S, "A QP in RTS accepts access rights, alternate path and migration state or Q_Key, and no more.") \
    OPEN(QS, "QS-08", "10.3.1",   "",            "",    M, S, "The transition from RTS to SQD may ask for an event when the QP is drained.") \
    OPEN(QS, "QS-09", "10.3.1",   "",            "",    M, S, "The transition from SQD to RTS accepts the attributes that a QP in RTS accepts.") \
    OPEN(QS, "QS-10", "10.3.1",   "",            "",    M, S, "A QP in SQD accepts another path, timers, retry counts and depths.") \
    OPEN(QS, "QS-11", "10.3.1",   "",            "",    M, S, "A UC or UD QP returns from SQE to RTS; an RC QP is never in SQE.") \
    OPEN(QS, "QS-12", "10.3.1",   "",            "",    M, S, "QP0 and QP1 need P_Key index and Q_Key for Init and a send PSN for RTS.") \
    OPEN(QS, "QS-13", "10.3.1",   "",            "",    M, S, "A raw QP needs a port for Init.") \
    OPEN(QS, "QS-14", "10.3.1",   "",            "",    M, S, "A QP goes to Reset and to Error from any state, and between other states only along the diagram.") \
    OPEN(QS, "QS-15", "11.2.5.2", "",            "",    M, S, "A failed modify QP changes neither state nor attribute.") \
    OPEN(QS, "QS-16", "11.2.5.2", "",            "",    M, S, "Modify QP with a current state fails unless the QP is in it.") \
    OPEN(QS, "QS-17", "10.3.1.1", "",            "",    M, S, "A QP in Reset refuses work and drops packets; work that was queued is discarded without completion.") \
    OPEN(QS, "QS-18", "10.3.1.2", "",            "",    M, S, "A QP in Init keeps receives for later, takes no sends and drops packets.") \
    OPEN(QS, "QS-19", "10.3.1.3", "",            "",    M, S, "A QP in RTR receives and answers, and takes no sends.") \
    OPEN(QS, "QS-20", "10.3.1.3", "",            "",    C, S, "A QP in RTR reports its first packet as an event, once.") \
    OPEN(QS, "QS-21", "10.3.1.4", "",            "",    M, K, "A QP in RTS sends and receives.") \
    OPEN(QS, "QS-22", "10.3.1.5", "",            "",    M, S, "A QP in SQD finishes the requests that it began to send, keeps the rest queued and goes on receiving.") \
    OPEN(QS, "QS-23", "10.3.1.5", "",            "",    C, S, "A QP in SQD reports when it is drained, if asked to, and accepts other attributes only then.") \
    OPEN(QS, "QS-24", "10.3.1.6", "",            "",    M, S, "A QP in SQE flushes sends and goes on receiving; an RC QP never enters SQE.") \
    OPEN(QS, "QS-25", "10.3.1.7", "C10-96",      "",    M, S, "A QP in Error flushes all work, including work posted later, drops packets and sends nothing.") \
    OPEN(QS, "QS-26", "10.3.1",   "",            "",    M, K, "One of the completions of a failed queue has the cause.") \
    OPEN(QS, "QS-27", "10.3.1.7", "",            "",    C, S, "A failed QP does not flush the shared receive queue, and reports that it took its last receive.") \
    OPEN(QS, "QS-28", "10.2.3",   "",            "",    M, K, "The protection domain and queues of a QP cannot be destroyed before the QP.") \
    OPEN(QS, "QS-29", "11.2.5.1", "",            "",    M, K, "A QP can be destroyed in any state, and packets for it are dropped from then on.") \
    SHUT(QS, "QS-30", "10.2.4",   "",            "",    I, K, UNTESTABLE, "If a QP number is used again too early, old packets may reach the new QP.", "advice to connection managers; nothing is required of a device") \
    OPEN(QS, "QS-31", "10.2.6",   "",            "",    M, K, "Each signaled send and each receive has one completion.") \
    OPEN(QS, "QS-32", "10.8",     "",            "",    M, S, "A completion queue that overflows reports an error and fails the QPs that complete into it.") \
    OPEN(QS, "QS-33", "11.4.2.2", "",            "",    M, S, "An armed completion queue notifies once; arming it again may extend the kinds of completions, not reduce them.") \
    OPEN(QS, "QS-34", "10.8.5",   "",            "",    M, K, "Completions of one work queue come in the order in which its work requests finished.") \
    OPEN(QS, "QS-35", "11.2.8",   "",            "",    M, S, "A completion queue that is resized keeps its completions, and refuses fewer entries than those.") \
    OPEN(QS, "QS-36", "10.8",     "",            "",    M, S, "A send has a completion if its QP or the work request asks for it, and whenever it fails.") \
    OPEN(QS, "QS-37", "10.2.9",   "",            "",    C, S, "QPs take receives from a shared queue in posting order, at a message's first packet.") \
    OPEN(QS, "QS-38", "10.2.9",   "",            "",    C, S, "A shared receive queue below its limit reports that once and disarms the limit.") \
    OPEN(QS, "QS-39", "9.7.7",    "",            "",    C, S, "An ACK from a QP with a shared receive queue does not limit the requester.") \
    OPEN(QS, "QS-40", "10.2.9",   "",            "",    C, K, "A request that finds a shared receive queue empty gets an RNR NAK on RC, and is dropped on UC and UD.") \
    OPEN(QS, "QS-41", "10.2.9",   "",            "",    C, S, "A fault fails only the shared receive that the message used, and no other of the queue.") \
    OPEN(QS, "QS-42", "10.2.9",   "",            "",    M, S, "A shared receive's keys are checked against the queue's own domain.") \
    OPEN(QS, "QS-43", "10.2.9",   "",            "",    M, K, "A shared receive queue in error reports itself to its QPs.") \
    OPEN(QS, "QS-44", "A14",      "",            "A14", C, S, "XRC has domains, shared receive queues in them, initiators without a receive queue and targets without a send queue.") \
    OPEN(QS, "QS-45", "A14",      "",            "A14", C, S, "An XRC target delivers to the shared receive queue that the packet names, if both are of one domain.") \
    OPEN(QS, "QS-46", "A14",      "",            "A14", C, K, "An XRC target checks keys against its shared receive queue's protection domain.") \
    OPEN(QS, "QS-47", "A14",      "",            "A14", C, S, "An XRC receive completes into its shared receive queue's completion queue.") \
    OPEN(QS, "QS-48", "A14",      "",            "A14", C, K, "A type 2 window cannot be accessed through an XRC target.") \
    OPEN(QS, "QS-49", "A14",      "",            "A14", C, S, "A connection request for XRC has that extended transport type.") \
    OPEN(QS, "QS-50", "A14",      "",            "A14", C, K, "XRC READs and ATOMICs name a shared receive queue too.") \
    OPEN(QS, "QS-51", "A14",      "",            "A14", C, K, "All packets of an XRC message name the same shared receive queue.") \
    OPEN(QS, "QS-52", "A14",      "",            "A14", C, K, "An error of an XRC target does not affect other work of its shared receive queue.") \
    OPEN(QS, "QS-53", "10.6.3",   "",            "",    M, K, "A region with remote write or atomic rights needs local write, or it cannot be registered.") \
    OPEN(QS, "QS-54", "10.6.3",   "",            "",    M, S, "Remote access requires a valid key of the QP's domain with the right, and must stay in range, also near 2^64.") \
    OPEN(QS, "QS-55", "10.6.3",   "",            "",    M, S, "Local access requires a key of the domain, and for writes the right to write.") \
    OPEN(QS, "QS-56", "10.6.2",   "",            "",    C, S, "Addresses in a zero-based region begin at 0.") \
    OPEN(QS, "QS-57", "10.6.5",   "",            "",    C, S, "An invalidated key gives no access from then on, even in the middle of a message.") \
    OPEN(QS, "QS-58", "10.6",     "",            "",    C, S, "A region that can be invalidated gives access only while it is valid.") \
    OPEN(QS, "QS-59", "10.6",     "",            "",    C, K, "A Local Invalidate is executed in the order of the send queue; its key gives no access after it.") \
    OPEN(QS, "QS-60", "10.6.2",   "",            "",    M, K, "The reserved L_Key gives no remote access.") \
    OPEN(QS, "QS-61", "10.6.7",   "o10-37.2.26", "",    C, S, "Remote Invalidate works on fast-registered regions of the domain and type 2 windows of the QP, never on type 1.") \
    OPEN(QS, "QS-62", "",         "o10-36.2.2",  "",    C, S, "A type 1 window gets a new key with each bind, and is never zero-based.") \
    OPEN(QS, "QS-63", "",         "o10-37.2.30", "",    C, S, "A type 2 window can be bound only while it is unbound.") \
    OPEN(QS, "QS-64", "",         "C10-72",      "",    C, S, "A type 2 window can be bound only by a QP of its own domain.") \
    OPEN(QS, "QS-65", "",         "o10-37.2.40", "",    C, S, "A type 2 window cannot be bound with length 0.") \
    OPEN(QS, "QS-66", "",         "C10-73",      "",    C, S, "A window can be bound only to a region registered with the bind right.") \
    OPEN(QS, "QS-67", "",         "C10-74",      "",    C, S, "A window with remote write or atomic rights can be bound only to a region with local write.") \
    OPEN(QS, "QS-68", "",         "C10-75",      "",    C, S, "A window lies within its region.") \
    OPEN(QS, "QS-69", "10.6.7.2", "",            "",    C, S, "Only the QP that bound a type 2 window gives access to it.") \
    OPEN(QS, "QS-70", "",         "o10-37.2.26", "",    C, S, "A type 1 window cannot be invalidated.") \
    OPEN(QS, "QS-71", "10.6.7",   "",            "",    C, S, "A bind is executed in the order of the send queue; after it the window's own range applies.") \
    OPEN(QS, "QS-72", "10.6.7",   "",            "",    C, S, "The consumer chooses a type 2 window's key byte, a new one with each bind.") \
    SHUT(QS, "QS-73", "",         "",            "",    I, S, UNTESTABLE, "One implementation refuses windows on zero-based regions.", "the sentence describes one implementation, and requires nothing") \
    OPEN(QS, "QS-74", "10.6.7",   "",            "",    C, K, "A region with bound windows cannot be deregistered, or its windows become invalid with it.") \
    OPEN(QS, "QS-75", "11.6.3",   "",            "",    M, S, "A device reports migration, established communication, drained queues, last receives and queue limits as events.") \
    OPEN(QS, "QS-76", "11.6.3",   "",            "",    M, S, "A device reports failed queues, invalid requests and access violations as events.") \
    OPEN(QS, "QS-77", "11.6.3",   "",            "",    M, K, "A device reports changes by a manager on a port, such as its P_Keys, as events.") \
    OPEN(QS, "QS-78", "17.2.8.1", "",            "",    C, S, "The consumer moves a QP from Migrated to Rearm, the peer from Rearm to Armed, and a migration back to Migrated.") \
    OPEN(QS, "QS-79", "10.9",     "",            "",    M, S, "A changed P_Key applies to a QP from the next packet on, and fails no QP.") \
    OPEN(QS, "QS-80", "11.2.1.2", "",            "",    M, K, "A device refuses values beyond its limits.") \
    OPEN(QS, "QS-81", "10.2",     "",            "",    M, S, "The length of a message is the sum of its scatter/gather entries; beyond 2^31 bytes it fails.") \
    OPEN(QS, "QS-82", "10.2.2.3", "",            "",    M, S, "A datagram takes SL, destination and GRH from its address handle.") \
    OPEN(QS, "QS-83", "11.4.1",   "",            "",    M, K, "Work beyond a queue's depth or number of entries is refused at once; work posted before stays.") \
    OPEN(QS, "QS-84", "10.2.8",   "",            "",    C, K, "Inline data may be overwritten as soon as they are posted.")
/* clang-format on */
#endif
