/* SPDX-License-Identifier: BSD-2-Clause */
/* How connections end and how others follow them, each on a pair of QPs of its own. dissect/test/connections.py has the
 * expected findings of each. Packets are 10 ms apart. */
#include "connect.h"
#include "gen.h"

/* clang-format off */
#define OUT(qp, psn, rest) "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x10" qp " bth.a=1 payload=64 bth.psn=" psn rest "\n"
#define BACK(qp, psn, syndrome, msn) "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x20" qp " bth.psn=" psn " aeth.syndrome=" syndrome " aeth.msn=" msn "\n"

const char *const connections[] = {
    /* 01: a response, then none: eight retries, and no more */
    OUT("01", "1", "") BACK("01", "1", "0x1f", "1") OUT("01", "2", "") OUT("01", "2", "") OUT("01", "2", "") OUT("01", "2", "")
    OUT("01", "2", "") OUT("01", "2", "") OUT("01", "2", "") OUT("01", "2", ""),
    /* 02: two tries, and then none for long */
    OUT("02", "1", "") OUT("02", "1", ""),
    /* 03: a refused key ends the connection */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1003 bth.a=1 payload=64 reth.dmalen=64 bth.psn=1\n" BACK("03", "1", "0x62", "0"),
    /* 04: a receiver that is never ready */
    OUT("04", "1", "") BACK("04", "1", "0x2e", "0") OUT("04", "1", "") BACK("04", "1", "0x2e", "0") OUT("04", "1", "") BACK("04", "1", "0x2e", "0"),
    /* 05: a QP is used for a second connection, though the first was not closed */
    CONNECT("05", "05", "10", "10", "10", "10", "e0", "00", "ffff") SEND("05", "05", "256") "\n" ACK("05", "05", "256", "1") "\n"
    REQ("05", "00001005", "002005", "10", "10", "000200", "7", "ffff", "37", "00", "40", "70") REP("05", "00001105", "00001005", "001005", "000900", "10", "10", "e0")
    SEND("05", "05", "2304") "\n" ACK("05", "05", "2304", "1") "\n"
    /* 06: no credits left; one message beyond them; two are granted */
    OUT("06", "1", "") BACK("06", "1", "0", "1") OUT("06", "2", "") BACK("06", "2", "2", "2") OUT("06", "3", "")
    /* 07: source port and hop limit change, both in one direction only; then DSCP */
    OUT("07", "1", "") BACK("07", "1", "0x1f", "1") OUT("07", "2", " udp.srcport=50000 ipv4.ttl=9") BACK("07", "2", "0x1f", "2")
    OUT("07", "3", " udp.srcport=50000 ipv4.ttl=9 ipv4.dsfield.dscp=26") BACK("07", "3", "0x1f", "3"),
    NULL};
