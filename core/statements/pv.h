/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet header validation: area PV of the statements; see conformance/statements/statement.c for the columns. */
#ifndef IBA_STATEMENTS_PV_H
#define IBA_STATEMENTS_PV_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_PV(OPEN, SHUT) \
    OPEN(PV, "PV-01", "9.6.1",     "",        "",    M, S, "A device drops a packet that fails a header check, and changes no state.") \
    OPEN(PV, "PV-02", "9.6.1",     "",        "",    I, S, "When a packet has two faults, the counter that moves shows the order of a device's checks.") \
    OPEN(PV, "PV-03", "9.6.1.1",   "",        "",    M, S, "A device drops packets whose transport version it does not know.") \
    OPEN(PV, "PV-04", "9.6.1.1",   "",        "",    M, S, "A device drops packets for a QP that does not exist, and sends no NAK.") \
    OPEN(PV, "PV-05", "10.3.1",    "",        "",    M, S, "A QP takes requests in RTR, RTS, SQD and SQE, and drops them in every other state.") \
    OPEN(PV, "PV-06", "10.3.1",    "",        "",    M, S, "A QP takes responses only while its send side works, and drops them otherwise.") \
    OPEN(PV, "PV-07", "9.6.1.1",   "",        "",    M, S, "A QP takes only opcodes of its own service; QP0 and QP1 those of datagrams.") \
    OPEN(PV, "PV-08", "9.6.1.1",   "",        "",    M, S, "A datagram QP takes two opcodes, QP0 and QP1 only the one without immediate data.") \
    OPEN(PV, "PV-09", "10.9.3",    "",        "",    M, S, "Two P_Keys match when their low 15 bits are the same and not 0 and at least one is a full member's.") \
    OPEN(PV, "PV-10", "",          "C10-116", "",    M, S, "A P_Key whose low 15 bits are 0 matches no P_Key.") \
    OPEN(PV, "PV-11", "10.9.1",    "",        "",    M, S, "The default partition's keys 0xffff and 0x7fff follow the same rules as others.") \
    OPEN(PV, "PV-12", "10.9.2",    "",        "",    M, S, "A QP compares the packet's P_Key with the one table entry that its index selects.") \
    OPEN(PV, "PV-13", "10.9.8",    "",        "",    M, S, "QP1 takes packets of every partition of its port and reports the entry's index.") \
    OPEN(PV, "PV-14", "10.9",      "",        "",    M, S, "QP0 does not check the P_Key and sends 0xffff.") \
    OPEN(PV, "PV-15", "9.6.1.1",   "",        "",    M, S, "Each QP attached to a multicast group checks the P_Key of a packet separately.") \
    OPEN(PV, "PV-16", "14.2.5.6",  "",        "",    M, S, "A port counts P_Key mismatches in 16 bits, stops at 0xffff and starts again when it is set to 0.") \
    OPEN(PV, "PV-17", "14.3.8",    "",        "",    C, S, "A device that sends traps reports a P_Key mismatch to the subnet manager as trap 257.") \
    OPEN(PV, "PV-18", "9.6.1.4.1", "",        "",    M, S, "A UD QP drops datagrams with another Q_Key than its own.") \
    OPEN(PV, "PV-19", "15.4.2",    "C9-49",   "1.4", M, S, "QP1 takes only datagrams with Q_Key 0x80010000.") \
    OPEN(PV, "PV-20", "9.6.1.4",   "",        "",    M, S, "QP0 does not check the Q_Key.") \
    OPEN(PV, "PV-21", "10.2.5",    "",        "",    M, S, "A sender uses the QP's own Q_Key when the work request's Q_Key has bit 31 set.") \
    OPEN(PV, "PV-22", "9.6.1.2.3", "",        "",    M, S, "A connected QP takes a packet only if it has a GRH when the connection uses one, with the connection's GIDs.") \
    OPEN(PV, "PV-23", "9.6.1.2",   "",        "",    M, S, "A UD QP drops unicast datagrams whose destination GID is not one of the port's.") \
    OPEN(PV, "PV-24", "9.6.1.5",   "",        "",    M, S, "A connected QP drops packets that come from another LID than the peer's, or at another port.") \
    OPEN(PV, "PV-25", "9.6.1.5",   "",        "",    M, K, "A connected QP drops packets that go to another LID of the port than the connection's.") \
    OPEN(PV, "PV-26", "9.6.1.5",   "",        "",    M, K, "A connected QP drops packets that come by multicast.") \
    OPEN(PV, "PV-27", "9.6.1.3",   "",        "",    C, K, "A port drops packets that name an end-to-end context it does not have.") \
    OPEN(PV, "PV-28", "A14",       "",        "A14", C, K, "An XRC target refuses requests for a shared receive queue that is not of its domain.") \
    OPEN(PV, "PV-29", "9.8.3",     "",        "",    M, S, "A port gives a copy of a multicast datagram to every QP of the group that accepts it.") \
    OPEN(PV, "PV-30", "9.8.3",     "",        "",    M, K, "A port drops packets that have a multicast address and no multicast QP number, or the reverse.") \
    SHUT(PV, "PV-31", "10.5.2",    "",        "",    I, S, UNTESTABLE, "A device may or may not deliver a group member's own datagrams to it.",  IBC_WHY_NOTE) \
    OPEN(PV, "PV-32", "17.2.8",    "",        "",    C, S, "An armed QP migrates on MigReq 1 if the packet came along the alternate path, else it drops the packet.") \
    OPEN(PV, "PV-33", "17.2.8",    "",        "",    C, S, "The first packet with MigReq 0 moves a QP from Rearm to Armed.") \
    OPEN(PV, "PV-34", "9.6",       "",        "",    M, S, "A device drops packets too short for the headers of their opcode.") \
    OPEN(PV, "PV-35", "A17",       "",        "A17", M, S, "A device checks every packet and keeps working, however many bad packets it received before.") \
    OPEN(PV, "PV-36", "",          "",        "",    M, S, "A QP checks a request's PSN before any other transport field.") \
    OPEN(PV, "PV-37", "",          "",        "",    M, K, "A packet that fails header checks changes no state, restarts no timer and reloads no retry counter.")
/* clang-format on */
#endif
