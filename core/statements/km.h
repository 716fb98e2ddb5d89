/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and management of ports: area KM of the statements; see conformance/statements/statement.c for the columns. */
#ifndef IBA_STATEMENTS_KM_H
#define IBA_STATEMENTS_KM_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_KM(OPEN, SHUT) \
    OPEN(KM, "KM-01", "14.2.4",    "",                     "", M, S, "A management agent serves an SMP only if the port has no M_Key or the SMP carries it.") \
    OPEN(KM, "KM-02", "14.2.4",    "",                     "", M, S, "The M_Key's protection bits decide which attributes an SMP without the key may still read.") \
    OPEN(KM, "KM-03", "14.2.4",    "",                     "", M, S, "A management agent does not answer an SMP that lacks the M_Key.") \
    OPEN(KM, "KM-04", "14.2.4",    "",                     "", M, S, "A management agent counts M_Key violations in 16 bits.") \
    OPEN(KM, "KM-05", "14.2.4",    "",                     "", M, S, "The first M_Key violation starts the lease period, if there is one.") \
    OPEN(KM, "KM-06", "14.2.4",    "",                     "", M, S, "The M_Key no longer protects the port after its lease has expired.") \
    OPEN(KM, "KM-07", "14.2.4",    "",                     "", M, S, "An SMP with the M_Key stops the lease timer.") \
    OPEN(KM, "KM-08", "14.2.4",    "",                     "", O, S, "A management agent may report a bad M_Key as trap 256.") \
    OPEN(KM, "KM-09", "14.2.4",    "",                     "", M, S, "A port starts without M_Key and lease unless it remembers them.") \
    OPEN(KM, "KM-10", "14.2.4",    "",                     "", M, K, "The M_Key field of a response has no meaning.") \
    OPEN(KM, "KM-11", "10.9.1",    "",                     "", M, S, "The P_Key table is read and set in blocks of 32 entries.") \
    OPEN(KM, "KM-12", "14.2.5.7",  "",                     "", M, S, "A management agent refuses a block beyond the end of the P_Key table.") \
    OPEN(KM, "KM-13", "",          "",                     "", M, K, "A port starts with P_Key 0xffff in entry 0 and no other.") \
    OPEN(KM, "KM-14", "10.9",      "",                     "", M, S, "An entry of the P_Key table that is set to 0 is no entry.") \
    OPEN(KM, "KM-15", "14.2.5.7",  "",                     "", M, K, "A P_Key table may hold a partition twice, as full and as limited member.") \
    OPEN(KM, "KM-16", "18.2",      "",                     "", C, S, "A switch port may be configured to drop packets of foreign partitions.") \
    OPEN(KM, "KM-17", "16.2",      "",                     "", O, S, "A B_Key guards baseboard management as the M_Key guards SMPs.") \
    OPEN(KM, "KM-18", "15.4.2",    "",                     "", M, S, "The general service interface has the Q_Key 0x80010000.") \
    OPEN(KM, "KM-19", "10.2.5",    "",                     "", M, S, "A Q_Key with bit 31 set comes from the QP, never from a work request.") \
    OPEN(KM, "KM-20", "10.2.5",    "",                     "", M, S, "A port counts Q_Key mismatches in 16 bits, stops at 0xffff and starts again when it is set to 0.") \
    OPEN(KM, "KM-21", "4.1.3",     "",                     "", M, S, "A port answers to 2^LMC LIDs in a row and to no other.") \
    OPEN(KM, "KM-22", "4.1.3",     "",                     "", M, S, "A port whose LID is changed answers to the new one and no longer to the old one.") \
    OPEN(KM, "KM-23", "14.2.5.6",  "",                     "", M, S, "A management agent reports a port's attributes by number and refuses numbers it does not have.") \
    OPEN(KM, "KM-24", "",          "",                     "", M, S, "A management agent reports an invalid value and returns the value in force.") \
    OPEN(KM, "KM-25", "7.2.6",     "",                     "", M, S, "A port can be set down, to Armed from Init, and to Active from Armed.") \
    OPEN(KM, "KM-26", "",          "",                     "", M, S, "A port's physical state can be set only along with Down or no state.") \
    OPEN(KM, "KM-27", "7.2.7",     "",                     "", M, K, "A port in Init passes SMPs only; an Armed port becomes Active with the first data packet.") \
    OPEN(KM, "KM-28", "14.2.5.6",  "",                     "", M, S, "The enabled widths and speeds are a subset of the supported ones.") \
    OPEN(KM, "KM-29", "14.2.5.6",  "",                     "", M, S, "A port's MTU and virtual lanes cannot be set above its capabilities.") \
    OPEN(KM, "KM-30", "",          "o14-12.2.1",           "", C, S, "A port that supports client reregistration echoes the bit and raises an event.") \
    OPEN(KM, "KM-31", "",          "",                     "", M, S, "A management agent refuses a LID that is not a unicast one.") \
    OPEN(KM, "KM-32", "",          "",                     "", M, S, "The response may be missing when an SMP takes its own port down.") \
    OPEN(KM, "KM-33", "14.2.5.6",  "",                     "", M, S, "Management timeouts are 4.096 us times a power of 2.") \
    OPEN(KM, "KM-34", "14.2.5.6",  "",                     "", M, S, "A port's capability mask tells which optional attributes it answers.") \
    OPEN(KM, "KM-35", "4.1.1",     "",                     "", M, S, "A port always answers to the GID of its EUI-64 under the default prefix.") \
    OPEN(KM, "KM-36", "14.2.5.5",  "",                     "", M, S, "The GUID table has 8 entries per block, and the first entry is fixed.") \
    OPEN(KM, "KM-37", "14.2.5.6",  "",                     "", M, S, "Packets with link-local GIDs do not leave their subnet.") \
    SHUT(KM, "KM-38", "4.1.1",     "",                     "", M, S, SCOPE, "A multicast GID contains its scope and whether the group is permanent.", IBC_WHY_SA) \
    OPEN(KM, "KM-39", "",          "o15-0.1.5",            "", M, S, "Group GIDs created by the subnet administration contain its signature.") \
    OPEN(KM, "KM-40", "4.1.1",     "",                     "", M, K, "No packet has the GID ::0 or ::1.") \
    OPEN(KM, "KM-41", "",          "",                     "", M, S, "A management agent reports a node's type, ports, GUIDs and device.") \
    OPEN(KM, "KM-42", "",          "",                     "", M, S, "A node's description is text that no SMP can set.") \
    OPEN(KM, "KM-43", "",          "",                     "", M, S, "A management agent refuses the permissive LID as an address.") \
    OPEN(KM, "KM-44", "7.6.6",     "",                     "", C, S, "A port sends each SL on the virtual lane that its SL-to-VL table gives.") \
    OPEN(KM, "KM-45", "",          "",                     "", C, S, "A management agent reports when a port has no SL-to-VL table.") \
    OPEN(KM, "KM-46", "7.6.9",     "",                     "", C, S, "A port arbitrates among virtual lanes by two tables of weights.") \
    OPEN(KM, "KM-47", "7.6.9",     "",                     "", M, K, "VL 15 has priority over data lanes, and flow control over all.") \
    OPEN(KM, "KM-48", "7.9",       "",                     "", M, K, "A port sends flow-control packets for each lane at regular intervals.") \
    OPEN(KM, "KM-49", "7.6.4",     "",                     "", M, K, "A port drops packets on a virtual lane that it does not operate.") \
    OPEN(KM, "KM-50", "18.2",      "",                     "", M, S, "A switch discards packets that waited too long.") \
    OPEN(KM, "KM-51", "",          "C15-0.1.5",            "", M, S, "A subnet administration ignores a request with a wrong SM_Key.") \
    OPEN(KM, "KM-52", "14.4",      "",                     "", M, S, "A subnet manager reports its GUID, priority and state.") \
    OPEN(KM, "KM-53", "14.4.1",    "",                     "", M, S, "Subnet managers change each other's state by five controls.") \
    OPEN(KM, "KM-54", "14.4.1",    "C14-60.2.1",           "", M, S, "Of two subnet managers the one with the higher priority becomes master, by handover.") \
    SHUT(KM, "KM-55", "",          "C15-0.1.3",            "", M, S, SCOPE, "Only the master's subnet administration answers.", IBC_WHY_SA) \
    SHUT(KM, "KM-56", "",          "C15-0.2-1.16",         "", M, S, SCOPE, "A subnet administration keeps privileged data from requesters it does not trust.", IBC_WHY_SA) \
    OPEN(KM, "KM-57", "14.2.5",    "",                     "", M, S, "A device sends SMPs on VL 15 from QP0 to QP0 in the default partition.") \
    OPEN(KM, "KM-58", "",          "o14-1",                "", C, S, "A trap has no M_Key.") \
    OPEN(KM, "KM-59", "",          "o14-3.2.1",            "", C, S, "A management agent sends traps only from an active port.") \
    OPEN(KM, "KM-60", "",          "o14-2",                "", C, S, "A management agent keeps a minimum time between traps.") \
    OPEN(KM, "KM-61", "",          "o14-3.a4 o13-6 o13-7", "", C, S, "A TrapRepress ends a trap's repetition and is not answered.") \
    OPEN(KM, "KM-62", "13.4.9",    "",                     "", M, S, "Get reads a management agent's notice queue, and Set empties it.") \
    OPEN(KM, "KM-63", "14.2.5.10", "",                     "", M, S, "A switch forwards by tables that a manager sets in blocks.") \
    OPEN(KM, "KM-64", "18.2.4",    "",                     "", M, K, "A switch copies a multicast packet to every member port except the one it came in by.")
/* clang-format on */
#endif
