/* SPDX-License-Identifier: BSD-2-Clause */
/* RoCE: area RO of the statements; see conformance/statements/statement.c for the columns. */
#ifndef IBA_STATEMENTS_RO_H
#define IBA_STATEMENTS_RO_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_RO(OPEN, SHUT) \
    OPEN(RO, "RO-01", "A16", "", "A16", C, S, "A RoCEv1 packet is an Ethernet frame of type 0x8915 with GRH, BTH and ICRC, without LRH and VCRC.") \
    OPEN(RO, "RO-02", "A16", "", "A16", C, S, "The GRH of a RoCEv1 packet has version 6, next header 0x1b and a length from the BTH to the ICRC.") \
    OPEN(RO, "RO-03", "A16", "", "A16", C, S, "A VLAN tag's priority is the low three bits of the SL.") \
    OPEN(RO, "RO-04", "A16", "", "A16", C, K, "A receiver ignores Ethernet's padding after a RoCEv1 packet.") \
    SHUT(RO, "RO-05", "A16", "", "A16", C, S, UNTESTABLE, "A RoCE address vector has GRH data, and its GID index selects MAC and VLAN.", "the target fills address vectors in: none can lack the GRH, and Linux refuses such a one before its driver sees it") \
    OPEN(RO, "RO-06", "A16", "", "A16", C, S, "The Ethernet group address of a multicast GID consists of the GID's low bits.") \
    OPEN(RO, "RO-07", "A16", "", "A16", C, K, "A port drops frames for another MAC address.") \
    OPEN(RO, "RO-08", "A16", "", "A16", C, K, "A packet of the path MTU with its headers fits into the port's Ethernet MTU.") \
    SHUT(RO, "RO-09", "A16", "", "A16", R, S, SCOPE, "A RoCEv1 network should be lossless.", IBC_WHY_LINK) \
    OPEN(RO, "RO-10", "A16", "", "A16", C, K, "A RoCEv1 port drops packets for QP0; QP1 works.") \
    OPEN(RO, "RO-11", "A17", "", "A17", M, S, "RoCEv2 goes over IPv4 and over IPv6.") \
    OPEN(RO, "RO-12", "A17", "", "A17", M, S, "A RoCEv2 packet's IPv4 header has no options, and its length reaches to the ICRC.") \
    OPEN(RO, "RO-13", "A17", "", "A17", M, S, "The DSCP is the traffic class's high six bits; ECN is 0 without congestion management.") \
    OPEN(RO, "RO-14", "A17", "", "A17", M, S, "RoCEv2 packets must not be fragmented: sent with DF, dropped as fragments.") \
    OPEN(RO, "RO-15", "A17", "", "A17", M, S, "TTL or hop limit is the address vector's, and the IP protocol is UDP.") \
    OPEN(RO, "RO-16", "A17", "", "A17", M, S, "IP addresses are the GIDs: IPv6 unchanged, IPv4 mapped.") \
    OPEN(RO, "RO-17", "A17", "", "A17", M, S, "Over IPv6, traffic class and flow label are the address vector's, and there are no extension headers.") \
    OPEN(RO, "RO-18", "A17", "", "A17", M, S, "RoCEv2 is UDP port 4791.") \
    OPEN(RO, "RO-19", "A17", "", "A17", M, S, "A QP's packets have one UDP source port.") \
    OPEN(RO, "RO-20", "A17", "", "A17", M, S, "The UDP length counts from the UDP header to the ICRC.") \
    OPEN(RO, "RO-21", "A17", "", "A17", R, S, "A sender leaves the UDP checksum 0; a receiver accepts 0 and a correct one.") \
    OPEN(RO, "RO-22", "A17", "", "A17", M, S, "RoCEv2 packets carry an ICRC over the IP and UDP headers' invariant fields.") \
    OPEN(RO, "RO-23", "A17", "", "A17", M, S, "A port drops packets whose IP or UDP header does not meet the rules of RoCEv2.") \
    OPEN(RO, "RO-24", "A17", "", "A17", M, S, "A QP with IPv4 addresses takes only IPv4 packets, a QP with IPv6 addresses only IPv6 packets.") \
    OPEN(RO, "RO-25", "A17", "", "A17", M, S, "A connected QP takes only packets with its two addresses, a datagram QP only those to the port or its groups.") \
    OPEN(RO, "RO-26", "A17", "", "A17", M, S, "A QP on RoCEv2 drops RoCEv1 frames.") \
    OPEN(RO, "RO-27", "A17", "", "A17", M, S, "SLs 0 to 7 map to Ethernet priorities; higher ones are refused.") \
    OPEN(RO, "RO-28", "A17", "", "A17", M, S, "A RoCEv2 device has no raw InfiniBand packets.") \
    OPEN(RO, "RO-29", "A17", "", "A17", M, S, "On RoCEv2 a sender sets FECN and BECN to 0 and a receiver ignores them.") \
    OPEN(RO, "RO-30", "A17", "", "A17", M, S, "LIDs in connection messages have no meaning over RoCEv2.") \
    OPEN(RO, "RO-31", "A17", "", "A17", M, S, "No connection is rejected because of its LIDs over RoCEv2.") \
    SHUT(RO, "RO-32", "A17", "", "A17", M, S, UNTESTABLE, "A RoCEv2 port raises no event of a subnet manager.",    "there is no manager that could provoke one") \
    OPEN(RO, "RO-33", "A17", "", "A17", M, S, "A RoCEv2 port drops packets for QP0.") \
    SHUT(RO, "RO-34", "A17", "", "A17", M, S, SCOPE, "Subnet and performance management do not apply to RoCEv2.", "over Ethernet no subnet is under test") \
    OPEN(RO, "RO-35", "A17", "", "A17", M, S, "Over RoCEv2 transport errors are handled as over InfiniBand.") \
    OPEN(RO, "RO-36", "A17", "", "A17", M, S, "A datagram's IP header is delivered in the 40 bytes before it: IPv6 in all of them, IPv4 in the last 20.") \
    OPEN(RO, "RO-37", "A17", "", "A17", M, S, "RoCEv2 packets have a P_Key, by default 0xffff, and the matching rules are the same.") \
    OPEN(RO, "RO-38", "A17", "", "A17", M, K, "A receiver ignores Ethernet's padding after a RoCEv2 packet.") \
    OPEN(RO, "RO-39", "A17", "", "A17", M, K, "A receiver accepts frames without a VLAN tag and with a priority tag.") \
    SHUT(RO, "RO-40", "A17", "", "A17", M, S, UNTESTABLE, "A RoCEv2 path MTU leaves room for IP, UDP, transport headers and ICRC in the Ethernet MTU.", "no verb reads or sets the MTU of the Ethernet port") \
    OPEN(RO, "RO-41", "A17", "", "A17", C, S, "A receiver of a packet marked Congestion Experienced sends its source a CNP.") \
    OPEN(RO, "RO-42", "A17", "", "A17", C, S, "A RoCEv2 CNP is opcode 0x81 for the marked packet's source QP, PSN 0, with 16 zero bytes.") \
    OPEN(RO, "RO-43", "A17", "", "A17", C, S, "A packet without the mark causes no CNP.") \
    OPEN(RO, "RO-44", "A17", "", "A17", C, S, "A sender that gets a CNP reduces the flow's rate.") \
    OPEN(RO, "RO-45", "A17", "", "A17", C, S, "A sender's rate recovers when CNPs stop.") \
    OPEN(RO, "RO-46", "A17", "", "A17", C, K, "A CNP never causes another CNP and advances no PSN; one for an unknown QP is dropped.") \
    SHUT(RO, "RO-47", "A17", "", "A17", O, K, UNTESTABLE, "The vendor chooses how a sender's rate falls and rises.",    IBC_WHY_NOTE) \
    OPEN(RO, "RO-48", "A17", "", "A17", I, K, "RoCEv2 multicast uses the IP group that the GID maps to, and QP 0xffffff.") \
    OPEN(RO, "RO-49", "A17", "", "A17", I, K, "QP1 works over RoCE by GIDs alone, with the same Q_Key.") \
    OPEN(RO, "RO-50", "A17", "", "A17", I, K, "A RoCE device sends MigReq 1, since there is no alternate path.")
/* clang-format on */
#endif
