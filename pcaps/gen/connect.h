/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of connections: established by the connection manager, and used. Each has hosts of its own, 10.0.N.1 and
 * 10.0.N.2. */
#ifndef PCAPS_CONNECT_H
#define PCAPS_CONNECT_H

/* clang-format off */
/* Packets of entry N (two hex digits), in both directions; datagrams of the connection manager. */
#define TO(n) " ipv4.src=0x0a00" n "01 ipv4.dst=0x0a00" n "02"
#define FROM(n) " ipv4.src=0x0a00" n "02 ipv4.dst=0x0a00" n "01"
#define CM(way) "roce2-ipv4 UD_SEND_ONLY " way " bth.destqp=1 bth.p_key=0xffff deth.q_key=0x80010000 deth.srcqp=1 mad=7:3:"
/* That of the REQ with this identifier, and of all answers. */
#define TRANSACTION(id) " at=8:00000000" id
#define GID16 "00000000000000000000ffff0a000001"
/* Identifier, QP, responder resources, initiator depth, first PSN for the other end, retries (low three bits), P_Key,
 * MTU and RNR retries, traffic class, hop limit, ACK timeout (high five bits); all hex digits. Service: TCP port
 * 7174. */
#define REQ(n, id, qp, takes, makes, psn, retries, p_key, mtu_rnr, class, hops, timeout) \
    CM("") "10" TO(n) TRANSACTION(id) " at=24:" id "00000000" "0000000001061c06" "0002c90300000001" "00000000" "00000000" qp takes "000000" makes "000000a0" psn "a" retries \
    p_key mtu_rnr "f0" "00000000" GID16 GID16 "00000000" class hops "00" timeout \
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" \
    "0040114400000000" "00000000" "00000000" "0a00" n "01" "000000000000000000000000" "0a00" n "02\n"
/* Identifiers, QP, first PSN for the other end, responder resources, initiator depth, RNR retries (high three bits). */
#define REP(n, id, of, qp, psn, takes, makes, rnr) \
    CM("reverse=1") "13" FROM(n) TRANSACTION(of) " at=24:" id of "00000000" qp "00" "00000000" psn "00" takes makes "00" rnr "0002c90300000002\n"
#define RTU(n, id, of) CM("") "14" TO(n) TRANSACTION(id) " at=24:" id of "\n"
#define MRA(n, id, of) CM("reverse=1") "11" FROM(n) TRANSACTION(of) " at=24:" id of "00a00000\n"
#define REJ(n, id, of, reason) CM("reverse=1") "12" FROM(n) TRANSACTION(of) " at=24:" id of "0000" reason "00000000\n"
/* The default agreement: 16 READs, PSN 0x100 in one direction and 0x200 in the other, 7 retries of each kind, path MTU
 * 1024, 67 ms. */
#define CONNECT(n, qp, takes, makes, rep_takes, rep_makes, rnr, class, p_key) \
    REQ(n, "000000" n, "0020" qp, takes, makes, "000200", "7", p_key, "37", class, "40", "70") \
    REP(n, "000001" n, "000000" n, "0010" qp, "000100", rep_takes, rep_makes, rnr) \
    RTU(n, "000000" n, "000001" n)
#define SEND(n, qp, psn) "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x10" qp " bth.a=1 payload=64 bth.psn=" psn TO(n)
#define ACK(n, qp, psn, msn) "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x20" qp " bth.psn=" psn " aeth.syndrome=0x1f aeth.msn=" msn FROM(n)
#define NAK(n, qp, psn, syndrome) "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x20" qp " bth.psn=" psn " aeth.syndrome=" syndrome " aeth.msn=0" FROM(n)
/* clang-format on */
#endif
