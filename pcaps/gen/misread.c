/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that tshark decodes as another protocol, or not at all; and damaged packets that are no gap. */
#include "gen.h"

/* clang-format off */
/* UDP ports below 4791 that belong to other protocols (TFTP, DNS): the destination port says RoCE. Then a WRITE that
 * ends before its RETH, and a REQ to a service of the IP CM whose IP version is 0. */
const char misread[] =
    "roce2-ipv4 RC_SEND_ONLY_IMM udp.srcport=69 bth.psn=1 bth.a=1 payload=24\n"
    "roce2-ipv4 RC_ACKNOWLEDGE udp.srcport=69 bth.psn=1 reverse=1 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_ONLY udp.srcport=53 bth.destqp=0x13 bth.psn=1 payload=61\n"
    "roce2-ipv6 RC_SEND_ONLY udp.srcport=69 bth.destqp=0x14 bth.psn=1 payload=8\n"
    "roce2-ipv4 RC_SEND_ONLY bth.opcode=0x0a bth.destqp=0x15 bth.psn=1 payload=0\n"
    "roce2-ipv4 UD_SEND_ONLY mad=7:3:10 at=8:0000000000000001 at=24:0a000001 at=32:0000000001061144 at=164:00001388"
    "0000000000000000000000000a0000010000000000000000000000000a000002 bth.destqp=1 deth.srcqp=1\n";

/* PSNs 2 and 3 are damaged in flight, a NAK asks for them, and 3 is damaged once more. None of them is missing from the
 * capture. */
const char damaged_not_missing[] =
    "roce2-ipv4 RC_SEND_ONLY ipv4.id=1 bth.psn=1 bth.a=1 payload=16\n"
    "roce2-ipv4 RC_ACKNOWLEDGE after=3000 reverse=1 bth.psn=1 aeth.syndrome=0x1f aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_FIRST ipv4.id=2 after=2000 bth.psn=2 payload=256 icrc=bad\n"
    "roce2-ipv4 RC_SEND_MIDDLE ipv4.id=3 after=2000 bth.psn=3 payload=256 icrc=bad\n"
    "roce2-ipv4 RC_SEND_LAST ipv4.id=4 after=2000 bth.psn=4 bth.a=1 payload=16\n"
    "roce2-ipv4 RC_ACKNOWLEDGE after=3000 reverse=1 bth.psn=2 aeth.syndrome=0x60 aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_FIRST ipv4.id=5 after=5000 bth.psn=2 payload=256\n"
    "roce2-ipv4 RC_SEND_MIDDLE ipv4.id=6 after=2000 bth.psn=3 payload=256 icrc=bad\n"
    "roce2-ipv4 RC_SEND_LAST ipv4.id=7 after=2000 bth.psn=4 bth.a=1 payload=16\n"
    "roce2-ipv4 RC_ACKNOWLEDGE after=3000 reverse=1 bth.psn=3 aeth.syndrome=0x60 aeth.msn=1\n"
    "roce2-ipv4 RC_SEND_MIDDLE ipv4.id=8 after=5000 bth.psn=3 payload=256\n"
    "roce2-ipv4 RC_SEND_LAST ipv4.id=9 after=2000 bth.psn=4 bth.a=1 payload=16\n"
    "roce2-ipv4 RC_ACKNOWLEDGE after=3000 reverse=1 bth.psn=4 aeth.syndrome=0x1f aeth.msn=2\n";
/* clang-format on */
