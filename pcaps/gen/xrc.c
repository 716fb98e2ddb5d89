/* SPDX-License-Identifier: BSD-2-Clause */
/* Two XRC initiators, 0x2001 on 10.0.1.1 and 0x2002 on 10.0.2.1, send to the targets 0x1001 and 0x1002 of 10.0.3.1,
 * which share the receive queues 0x21 and 0x22. A receive queue is empty once, and a request is lost once. Nothing else
 * is wrong. Packets are 10 ms apart, but for those that a NAK asked for. dissect/test/xrc.py has the expected findings.
 */
#include "connect.h"
#include "gen.h"

/* clang-format off */
#define A_TO " ipv4.src=0x0a000101 ipv4.dst=0x0a000301"
#define A_FROM " ipv4.src=0x0a000301 ipv4.dst=0x0a000101"
#define B_TO " ipv4.src=0x0a000201 ipv4.dst=0x0a000301"
#define B_FROM " ipv4.src=0x0a000301 ipv4.dst=0x0a000201"
#define A_GID "00000000000000000000ffff0a000101"
#define T_GID "00000000000000000000ffff0a000301"
#define A(opcode, psn, srq, rest) "roce2-ipv4 XRC_" opcode " bth.destqp=0x1001 bth.psn=" psn " xrceth.srqn=" srq " " rest A_TO "\n"
#define B(opcode, psn, srq, rest) "roce2-ipv4 XRC_" opcode " bth.destqp=0x1002 bth.psn=" psn " xrceth.srqn=" srq " " rest B_TO "\n"
#define TO_A(opcode, psn, msn, rest) "roce2-ipv4 XRC_" opcode " reverse=1 bth.destqp=0x2001 bth.psn=" psn " aeth.msn=" msn " " rest A_FROM "\n"
#define TO_B(opcode, psn, msn, rest) "roce2-ipv4 XRC_" opcode " reverse=1 bth.destqp=0x2002 bth.psn=" psn " aeth.msn=" msn " " rest B_FROM "\n"
#define ACKS "aeth.syndrome=0x1f"
#define ASKS "bth.a=1 payload=64"

const char *const xrc[] = {
    /* REQ: transport service type 3 (extended), SRQ 1, extended transport 1 (XRC); REP: the target in the place of the
     * local EE context */
    CM("") "10" A_TO TRANSACTION("00000001") " at=24:" "00000001" "00000000" "0000000001061c06" "0002c90300000001" "00000000" "00000000" "002001" "04" "000000" "04"
    "000000a6" "000200" "a7" "ffff" "37" "f9" "00000000" A_GID T_GID "00000000" "00" "40" "00" "70"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0040114400000000" "00000000" "00000000" "0a000101" "000000000000000000000000" "0a000301\n"
    CM("reverse=1") "13" A_FROM TRANSACTION("00000001") " at=24:" "00000101" "00000001" "00000000" "00000000" "001001" "00" "000100" "00" "04" "04" "00" "e0" "0002c90300000003\n"
    CM("") "14" A_TO TRANSACTION("00000001") " at=24:" "00000001" "00000101\n",
    /* one message of each to a queue; then both in the middle of a message to the same queue */
    A("SEND_ONLY", "0x100", "0x21", ASKS) TO_A("ACKNOWLEDGE", "0x100", "1", ACKS)
    B("SEND_ONLY", "0x500", "0x22", ASKS) TO_B("ACKNOWLEDGE", "0x500", "1", ACKS)
    A("SEND_FIRST", "0x101", "0x22", "payload=1024") B("SEND_FIRST", "0x501", "0x22", "payload=1024")
    A("SEND_LAST", "0x102", "0x22", ASKS) B("SEND_LAST", "0x502", "0x22", ASKS)
    TO_B("ACKNOWLEDGE", "0x502", "2", ACKS) TO_A("ACKNOWLEDGE", "0x102", "2", ACKS),
    /* other operations name a queue too */
    A("WRITE_ONLY_IMM", "0x103", "0x21", ASKS " reth.dmalen=64 reth.va=0x1000 reth.r_key=0x77") TO_A("ACKNOWLEDGE", "0x103", "3", ACKS)
    A("READ_REQUEST", "0x104", "0x22", "bth.a=1 reth.dmalen=64 reth.va=0x1000 reth.r_key=0x77") TO_A("READ_RESP_ONLY", "0x104", "4", ACKS " payload=64")
    B("FETCH_ADD", "0x503", "0x21", "bth.a=1 atomiceth.va=0x1000 atomiceth.r_key=0x77") TO_B("ATOMIC_ACKNOWLEDGE", "0x503", "3", ACKS),
    /* queue 0x21 is empty: one initiator waits, the other goes on with queue 0x22 */
    A("SEND_ONLY", "0x105", "0x21", ASKS) TO_A("ACKNOWLEDGE", "0x105", "4", "aeth.syndrome=0x2e")
    B("SEND_ONLY", "0x504", "0x22", ASKS) TO_B("ACKNOWLEDGE", "0x504", "4", ACKS)
    A("SEND_ONLY", "0x105", "0x21", ASKS) TO_A("ACKNOWLEDGE", "0x105", "5", ACKS),
    /* 0x106 is lost, to another queue than the packet after it */
    A("SEND_ONLY", "0x107", "0x22", ASKS) TO_A("ACKNOWLEDGE", "0x106", "5", "aeth.syndrome=0x60")
    A("SEND_ONLY", "0x106", "0x21", ASKS " after=100000") A("SEND_ONLY", "0x107", "0x22", ASKS " after=10000") TO_A("ACKNOWLEDGE", "0x107", "7", ACKS),
    NULL};
