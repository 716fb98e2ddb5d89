/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults from the field in which each packet by itself is correct: the two ends, their agreement and their behaviour,
 * several connections. Each has hosts of its own, 10.0.N.1 and 10.0.N.2. dissect/test/field_bugs.py has the expected
 * output of `-z agreed` and `-z cm` for each. Packets are 10 ms apart. */
#include "connect.h"
#include "gen.h"

/* clang-format off */
#define READ(n, qp, psn) "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x10" qp " reth.dmalen=64 bth.psn=" psn TO(n) "\n"
#define READS9(n, qp) READ(n, qp, "256") READ(n, qp, "257") READ(n, qp, "258") READ(n, qp, "259") READ(n, qp, "260") \
    READ(n, qp, "261") READ(n, qp, "262") READ(n, qp, "263") READ(n, qp, "264")

const char *const field_bugs_agreed[] = {
    /* a connection without faults, which must have no findings */
    CONNECT("01", "01", "10", "10", "10", "10", "e0", "68", "ffff") SEND("01", "01", "256") " ipv4.dsfield.dscp=26\n" ACK("01", "01", "256", "1") " ipv4.dsfield.dscp=26\n",
    /* PSN-07: the PSN of the connection before */
    CONNECT("02", "02", "10", "10", "10", "10", "e0", "00", "ffff") SEND("02", "02", "768") "\n" ACK("02", "02", "768", "1") "\n",
    /* RNR-05, RNR-08: one RNR retry only, and a receiver that is not ready */
    CONNECT("03", "03", "10", "10", "10", "10", "20", "00", "ffff") SEND("03", "03", "256") "\n" NAK("03", "03", "256", "0x2e") "\n",
    /* RDA-01: the ninth READ is refused, though 16 were agreed */
    CONNECT("04", "04", "10", "10", "10", "10", "e0", "00", "ffff") READS9("04", "04") NAK("04", "04", "256", "0x61") "\n",
    /* RDA-02: more READs at once than were agreed, 8 */
    CONNECT("05", "05", "08", "08", "08", "08", "e0", "00", "ffff") READS9("05", "05"),
    /* RDA-05: an initiator that offers no READ to a service that needs them */
    CONNECT("06", "06", "00", "01", "01", "00", "e0", "00", "ffff") SEND("06", "06", "256") "\n" "roce2-ipv4 RC_READ_REQUEST reverse=1 bth.destqp=0x2006 reth.dmalen=64 bth.psn=512" FROM("06") "\n",
    /* RDA-06: the server's own limit applies to it as a responder */
    CONNECT("07", "07", "01", "10", "10", "10", "e0", "00", "ffff") SEND("07", "07", "256") "\n" ACK("07", "07", "256", "1") "\n",
    /* CM-04: 67 ms were agreed, the retry comes after 10 ms */
    CONNECT("08", "08", "10", "10", "10", "10", "e0", "00", "ffff") "roce2-ipv4 RC_SEND_ONLY reverse=1 bth.destqp=0x2008 bth.a=1 payload=64 bth.psn=512" FROM("08") "\n"
    "roce2-ipv4 RC_SEND_ONLY reverse=1 bth.destqp=0x2008 bth.a=1 payload=64 bth.psn=512" FROM("08") "\n" "roce2-ipv4 RC_ACKNOWLEDGE bth.destqp=0x1008 bth.psn=512 aeth.syndrome=0x1f aeth.msn=1" TO("08") "\n",
    /* ADR-12, ADR-15: DSCP 26 was asked for, 0 is sent */
    CONNECT("09", "09", "10", "10", "10", "10", "e0", "68", "ffff") SEND("09", "09", "256") "\n" ACK("09", "09", "256", "1") "\n",
    /* MGT-01: a full member agrees on its key, a limited one sends its own: the same partition */
    CONNECT("0a", "0a", "10", "10", "10", "10", "e0", "00", "8123") SEND("0a", "0a", "256") " bth.p_key=0x8123\n" ACK("0a", "0a", "256", "1") " bth.p_key=0x0123\n",
    /* MGT-02: both ends are limited members */
    CONNECT("0b", "0b", "10", "10", "10", "10", "e0", "00", "0123") SEND("0b", "0b", "256") " bth.p_key=0x0123\n" ACK("0b", "0b", "256", "1") " bth.p_key=0x0123\n",
    /* LEN-04: 4096 bytes a packet where 1024 were agreed */
    CONNECT("0c", "0c", "10", "10", "10", "10", "e0", "00", "ffff") "roce2-ipv4 RC_SEND_FIRST bth.destqp=0x100c payload=4096 bth.psn=256" TO("0c") "\n" "roce2-ipv4 RC_SEND_LAST bth.destqp=0x100c bth.a=1 payload=64 bth.psn=257" TO("0c") "\n",
    /* CM-01: an initiator after a power loss is rejected as stale whenever it comes back */
    REQ("0d", "0000000d", "00200d", "10", "10", "000200", "7", "ffff", "37", "00", "40", "70") REJ("0d", "00000000", "0000000d", "000a")
    REQ("0d", "0000100d", "00200d", "10", "10", "000300", "7", "ffff", "37", "00", "40", "70") REJ("0d", "00000000", "0000100d", "000a")
    REQ("0d", "0000200d", "00200d", "10", "10", "000400", "7", "ffff", "37", "00", "40", "70") REJ("0d", "00000000", "0000200d", "000a"),
    /* CM-03: a REJ directly after an MRA */
    REQ("0e", "0000000e", "00200e", "10", "10", "000200", "7", "ffff", "37", "00", "40", "70") MRA("0e", "0000010e", "0000000e") REJ("0e", "0000010e", "0000000e", "001c"),
    /* CM-07: retries are exhausted on a connection, and each new one is refused */
    CONNECT("0f", "0f", "10", "10", "10", "10", "e0", "00", "ffff") SEND("0f", "0f", "256") "\n" SEND("0f", "0f", "256") "\n"
    REQ("0f", "0000100f", "00210f", "10", "10", "000200", "7", "ffff", "37", "00", "40", "70") REJ("0f", "00000000", "0000100f", "001c")
    REQ("0f", "0000200f", "00220f", "10", "10", "000200", "7", "ffff", "37", "00", "40", "70") REJ("0f", "00000000", "0000200f", "001c"),
    NULL};

const char *const field_bugs_path[] = {
    /* ADR-01, ADR-02: RoCEv1 in one direction, RoCEv2 in the other */
    "roce1 RC_SEND_ONLY bth.destqp=0x1021 bth.a=1 payload=64 bth.psn=1 eth.src=0x020000000021 eth.dst=0x020000001021\n"
    "roce2-ipv4 RC_SEND_ONLY reverse=1 bth.destqp=0x2021 bth.a=1 payload=64 bth.psn=1 eth.src=0x020000001021 eth.dst=0x020000000021" FROM("21") "\n",
    /* ADR-03, ADR-04: a link-local address where a router is on the path */
    "roce2-ipv6 RC_SEND_ONLY bth.destqp=0x1022 bth.a=1 payload=64 bth.psn=1 ipv6.src=fe800000000000000000000000000022 ipv6.dst=20010db8000000000000000000000022\n",
    /* ADR-05: hop limit 1 */
    SEND("23", "23", "1") " ipv4.ttl=1\n" ACK("23", "23", "1", "1") "\n",
    /* ADR-06, ADR-07: all connections of two hosts from one port */
    SEND("24", "24", "1") " udp.srcport=49152\n" ACK("24", "24", "1", "1") "\n" SEND("24", "34", "1001") " udp.srcport=49152\n" ACK("24", "34", "1001", "1") "\n"
    SEND("24", "44", "2001") " udp.srcport=49152\n" ACK("24", "44", "2001", "1") "\n",
    /* ADR-08: a port below those of RoCE */
    SEND("25", "25", "1") " udp.srcport=1234\n" ACK("25", "25", "1", "1") "\n",
    /* ADR-10: datagrams from MAC address 0 */
    "roce2-ipv4 UD_SEND_ONLY bth.destqp=0x1026 payload=64 eth.src=0" TO("26") "\n",
    /* ADR-13: DSCP 26 in one direction, 0 in the other; ADR-14: so do the responses of a responder */
    SEND("27", "27", "1") " ipv4.dsfield.dscp=26\n" ACK("27", "27", "1", "1") "\n",
    /* CC-05: ACKs that switches may mark */
    SEND("28", "28", "1") "\n" ACK("28", "28", "1", "1") " ipv4.dsfield.ecn=2\n",
    /* CC-12: packets are lost, none is marked */
    SEND("29", "29", "1") " ipv4.dsfield.ecn=2\n" ACK("29", "29", "1", "1") "\n" SEND("29", "29", "3") " ipv4.dsfield.ecn=2\n" NAK("29", "29", "2", "0x60") "\n"
    SEND("29", "29", "2") " ipv4.dsfield.ecn=2\n" SEND("29", "29", "3") " ipv4.dsfield.ecn=2\n" ACK("29", "29", "3", "3") "\n",
    /* APM-01: MigReq 1 in one direction, 0 in the other */
    SEND("2a", "2a", "1") " bth.m=1\n" ACK("2a", "2a", "1", "1") " bth.m=0\n",
    /* RNR-12: all connections of one target get RNR NAKs at once */
    SEND("2b", "2b", "1") "\n" SEND("2b", "3b", "1001") "\n" NAK("2b", "2b", "1", "0x2e") "\n" NAK("2b", "3b", "1001", "0x2e") "\n",
    /* PSN-04: a READ that is sent again from its third packet, with its whole length */
    "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x102c reth.dmalen=1024 bth.psn=1" TO("2c") "\n"
    "roce2-ipv4 RC_READ_RESP_FIRST reverse=1 bth.destqp=0x202c payload=256 bth.psn=1 aeth.syndrome=0x1f aeth.msn=1" FROM("2c") "\n"
    "roce2-ipv4 RC_READ_RESP_MIDDLE reverse=1 bth.destqp=0x202c payload=256 bth.psn=2" FROM("2c") "\n"
    "roce2-ipv4 RC_READ_RESP_LAST reverse=1 bth.destqp=0x202c payload=256 bth.psn=4 aeth.syndrome=0x1f aeth.msn=1" FROM("2c") "\n"
    "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x102c reth.dmalen=1024 bth.psn=3" TO("2c") "\n",
    /* PSN-10: a NAK asks for the third packet, the message begins again */
    "roce2-ipv4 RC_SEND_FIRST bth.destqp=0x102d payload=256 bth.psn=1" TO("2d") "\n" "roce2-ipv4 RC_SEND_MIDDLE bth.destqp=0x102d payload=256 bth.psn=2" TO("2d") "\n"
    "roce2-ipv4 RC_SEND_LAST bth.destqp=0x102d bth.a=1 payload=256 bth.psn=4" TO("2d") "\n" NAK("2d", "2d", "3", "0x60") "\n"
    "roce2-ipv4 RC_SEND_FIRST bth.destqp=0x102d payload=256 bth.psn=1" TO("2d") "\n" "roce2-ipv4 RC_SEND_MIDDLE bth.destqp=0x102d payload=256 bth.psn=2" TO("2d") "\n",
    /* PSN-11: a WRITE of 16384 bytes that stops after 8192 */
    "roce2-ipv4 RC_WRITE_FIRST bth.destqp=0x102e payload=4096 reth.dmalen=16384 bth.psn=1" TO("2e") "\n" "roce2-ipv4 RC_WRITE_MIDDLE bth.destqp=0x102e payload=4096 bth.psn=2" TO("2e") "\n",
    /* UDM-06: a datagram longer than Ethernet's 1500 bytes allow */
    "roce2-ipv4 UD_SEND_ONLY bth.destqp=0x102f payload=2048" TO("2f") "\n",
    /* CNT-05: congestion notifications without any marked packet */
    "roce2-ipv4 CNP_ROCE reverse=1 bth.destqp=0x2030 bth.becn=1" FROM("30") "\n" "roce2-ipv4 CNP_ROCE reverse=1 bth.destqp=0x2030 bth.becn=1" FROM("30") "\n",
    /* KEY-08: R_Key 0 is a valid key */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1031 bth.a=1 bth.psn=1 payload=64 reth.dmalen=64 reth.r_key=0" TO("31") "\n" ACK("31", "31", "1", "1") "\n",
    /* MGT-05: packets longer than 400 bytes are lost */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1032 bth.a=1 bth.psn=1 payload=256" TO("32") "\n" ACK("32", "32", "1", "1") "\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1032 bth.a=1 bth.psn=2 payload=1024" TO("32") "\n" "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1032 bth.a=1 bth.psn=2 payload=1024" TO("32") "\n",
    /* TOL-03: a mirror that lost packets: the ACK proves that they arrived */
    SEND("33", "33", "1") "\n" ACK("33", "33", "1", "1") "\n" SEND("33", "33", "4") "\n" ACK("33", "33", "4", "4") "\n",
    NULL};
/* clang-format on */
