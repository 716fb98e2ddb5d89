/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults from the field, each on a pair of QPs of its own. dissect/test/field_bugs.py has the expected findings of
 * each. Packets are 10 ms apart. */
#include "gen.h"

/* clang-format off */
const char field_bugs_order[] =
    /* PSN-02: an ACK for a WRITE sent twice has the PSN of the READ after it */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1001 bth.psn=131102 payload=64 reth.dmalen=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2001 bth.psn=131102 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x1001 bth.psn=131103 reth.dmalen=64\n"
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1001 bth.psn=131102 payload=64 reth.dmalen=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2001 bth.psn=131103 aeth.syndrome=0x1f aeth.msn=2\n"
    /* PSN-03: a later ACK skips a READ, which is never requested again */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1002 bth.psn=196648 payload=64 reth.dmalen=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2002 bth.psn=196648 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x1002 bth.psn=196649 reth.dmalen=64\n"
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1002 bth.psn=196650 payload=64 reth.dmalen=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2002 bth.psn=196650 aeth.syndrome=0x1f aeth.msn=3\n"
    /* PSN-06: a message of zero length takes two PSNs */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1003 bth.psn=262145 payload=0\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1003 bth.psn=262147 payload=64\n"
    /* PSN-08: a gap causes no NAK: the timer must recover it */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1004 bth.psn=327681 payload=64\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1004 bth.psn=327683 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1004 bth.psn=327682 payload=64\n"
    /* PSN-09: no response comes: the timeout is visible */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1005 bth.psn=393217 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1005 bth.psn=393217 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2005 bth.psn=393217 aeth.syndrome=0x1f aeth.msn=1\n"
    /* PSN-12: a WRITE has fewer bytes than its DMA length */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1006 bth.psn=458753 payload=64 reth.dmalen=100\n"
    /* PSN-13: an ACK counts one message too few */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1007 bth.psn=524289 payload=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2007 bth.psn=524289 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1007 bth.psn=524290 payload=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2007 bth.psn=524290 aeth.syndrome=0x1f aeth.msn=1\n"
    /* PSN-15: the flag overtakes the data */
    "roce2-ipv4 UC_WRITE_ONLY bth.destqp=0x1008 bth.psn=589826 payload=8 reth.dmalen=8\n"
    "roce2-ipv4 UC_WRITE_ONLY bth.destqp=0x1008 bth.psn=589825 payload=64 reth.dmalen=64\n"
    /* RNR-01: after an RNR NAK only the refused SEND is sent again */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1009 bth.psn=655361 payload=64\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1009 bth.psn=655362 payload=64\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1009 bth.psn=655363 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2009 bth.psn=655361 aeth.syndrome=0x21 aeth.msn=0\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1009 bth.psn=655361 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1009 bth.psn=655364 payload=64 bth.a=1\n"
    /* RNR-02, RNR-03: sent again long before the RNR timer of 491.52 ms is over */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x100a bth.psn=720897 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200a bth.psn=720897 aeth.syndrome=0x3f aeth.msn=0\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x100a bth.psn=720897 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200a bth.psn=720897 aeth.syndrome=0x1f aeth.msn=1\n"
    /* RNR-04: timer code 0 is the longest wait, not the shortest */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x100b bth.psn=786433 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200b bth.psn=786433 aeth.syndrome=0x20 aeth.msn=0\n"
    /* RNR-07: RNR NAK after RNR NAK with the shortest wait */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x100c bth.psn=851969 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200c bth.psn=851969 aeth.syndrome=0x21 aeth.msn=0\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x100c bth.psn=851969 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200c bth.psn=851969 aeth.syndrome=0x21 aeth.msn=0\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x100c bth.psn=851969 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200c bth.psn=851969 aeth.syndrome=0x21 aeth.msn=0\n"
    /* RNR-14: an RNR NAK for a READ, which needs no receive */
    "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x100d bth.psn=917505 reth.dmalen=64\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200d bth.psn=917505 aeth.syndrome=0x2a aeth.msn=0\n";

const char field_bugs_content[] =
    /* RDA-12: FetchAdd to an address that is not aligned */
    "roce2-ipv4 RC_FETCH_ADD bth.destqp=0x100e bth.psn=983041 atomiceth.va=0x1001\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200e bth.psn=983041 aeth.syndrome=0x61 aeth.msn=0\n"
    /* KEY-04, KEY-09: WRITE with a key that is refused */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x100f bth.psn=1048577 payload=64 reth.dmalen=64 reth.r_key=0x1001\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x200f bth.psn=1048577 aeth.syndrome=0x62 aeth.msn=0\n"
    /* LEN-04, LEN-05: 1024 bytes in a packet in one direction, 512 in the other */
    "roce2-ipv4 RC_SEND_FIRST bth.destqp=0x1010 bth.psn=1114113 payload=1024\n"
    "roce2-ipv4 RC_SEND_LAST bth.destqp=0x1010 bth.psn=1114114 payload=64 bth.a=1\n"
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x2010 bth.psn=1114114 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_FIRST reverse=1 bth.destqp=0x2010 bth.psn=1114113 payload=512\n"
    /* LEN-06: a packet longer than the path allows is sent again and again */
    "roce2-ipv4 RC_SEND_FIRST bth.destqp=0x1011 bth.psn=1179649 payload=2048 bth.a=1\n"
    "roce2-ipv4 RC_SEND_FIRST bth.destqp=0x1011 bth.psn=1179649 payload=2048 bth.a=1\n"
    /* LEN-13: the ICRC counts as payload in the UDP length */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1012 bth.psn=1245185 payload=64 udp.length=80\n"
    /* CRC-01, CRC-04: a bad ICRC */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1013 bth.psn=1310721 payload=64 icrc=bad\n"
    /* CC-01: Congestion Experienced on every packet from the first on */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1014 bth.psn=1376257 payload=64 ipv4.dsfield.ecn=3\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1014 bth.psn=1376258 payload=64 ipv4.dsfield.ecn=3\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1014 bth.psn=1376259 payload=64 ipv4.dsfield.ecn=3\n"
    /* MGT-04: a packet of another partition */
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1015 bth.psn=1441793 payload=64\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1015 bth.psn=1441794 payload=64 bth.p_key=0x8123\n"
    /* stall: a READ of 2400 bytes: three PSNs to the responder, two to the requester */
    "roce2-ipv4 RC_READ_REQUEST bth.destqp=0x1016 bth.psn=1507329 reth.dmalen=2400 bth.a=1\n"
    "roce2-ipv4 RC_READ_RESP_FIRST reverse=1 bth.destqp=0x2016 bth.psn=1507329 payload=1024 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_READ_RESP_MIDDLE reverse=1 bth.destqp=0x2016 bth.psn=1507330 payload=1024\n"
    "roce2-ipv4 RC_READ_RESP_LAST reverse=1 bth.destqp=0x2016 bth.psn=1507331 payload=352 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x1016 bth.psn=1507331 payload=64 bth.a=1\n"
    /* MGT-03: the response has another partition than the request */
    "roce2-ipv4 UD_SEND_ONLY bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000 bth.p_key=0x8123 mad=4:1:1 at=8:0000000000000017\n"
    "roce2-ipv4 UD_SEND_ONLY reverse=1 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000 bth.p_key=0xffff mad=4:81:1 at=8:0000000000000017\n";
/* clang-format on */
