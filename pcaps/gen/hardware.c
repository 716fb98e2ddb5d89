/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour of adapters that Soft-RoCE does not have, each on QPs of its own; and correct behaviour that resembles a
 * fault. Times are those of a fabric. dissect/test/hardware.py has the expected findings of each. */
#include "gen.h"

/* clang-format off */
#define OUT(qp, psn, id, rest) "roce2-ipv4 RC_SEND_ONLY after=2000 bth.destqp=0x" qp " bth.a=1 payload=16 bth.psn=" psn " ipv4.id=" id " " rest "\n"
#define BACK(qp, psn, syndrome, msn) "roce2-ipv4 RC_ACKNOWLEDGE after=3000 reverse=1 bth.destqp=0x" qp " bth.psn=" psn " aeth.syndrome=" syndrome " aeth.msn=" msn "\n"
#define ONE(qp, back, psn, id, msn) OUT(qp, psn, id, "") BACK(back, psn, "0x1f", msn)

const char *const hardware[] = {
    /* 01: a peer whose QP number is always 0x2001 gets a second QP as its peer, with PSNs of its own */
    ONE("1001", "2001", "1", "1", "1") ONE("1001", "2001", "2", "2", "2")
    OUT("1101", "5000", "3", "after=50000000") BACK("2001", "5000", "0x1f", "1") ONE("1101", "2001", "5001", "4", "2"),
    /* 02: a timer that begins with 64 us, and doubles */
    ONE("1002", "2002", "201", "1", "1") OUT("1002", "202", "2", "") OUT("1002", "202", "3", "after=64000") OUT("1002", "202", "4", "after=128000") BACK("2002", "202", "0x1f", "2"),
    /* 03: each packet takes another path; the receiver accepts them in any order */
    ONE("1003", "2003", "301", "1", "1") OUT("1003", "303", "3", "") OUT("1003", "302", "2", "") OUT("1003", "305", "5", "") OUT("1003", "304", "4", "") BACK("2003", "305", "0x1f", "5")
    OUT("1003", "308", "8", "") OUT("1003", "306", "6", "") OUT("1003", "307", "7", "") BACK("2003", "308", "0x1f", "8"),
    /* 04: only lost packets are sent again */
    ONE("1004", "2004", "401", "1", "1") OUT("1004", "402", "2", "") OUT("1004", "403", "3", "") OUT("1004", "404", "4", "") BACK("2004", "402", "0x60", "1") OUT("1004", "402", "5", "") BACK("2004", "404", "0x1f", "4"),
    /* 05: a buffer that was overwritten while its SEND was in flight; then another length */
    OUT("1005", "501", "1", "") OUT("1005", "501", "2", "after=70000000 at=0:ff") OUT("1005", "501", "3", "after=140000000 payload=8") BACK("2005", "501", "0x1f", "1"),
    /* 06: a NAK without effect: only the timer causes the retry; then no response, more than seven times */
    ONE("1006", "2006", "601", "1", "1") OUT("1006", "603", "3", "after=1000000") BACK("2006", "602", "0x60", "1") OUT("1006", "602", "4", "after=70000000") OUT("1006", "603", "5", "") BACK("2006", "603", "0x1f", "3")
    OUT("1006", "604", "6", "") OUT("1006", "604", "7", "after=70000000") OUT("1006", "604", "8", "after=70000000") OUT("1006", "604", "9", "after=70000000") OUT("1006", "604", "10", "after=70000000")
    OUT("1006", "604", "11", "after=70000000") OUT("1006", "604", "12", "after=70000000") OUT("1006", "604", "13", "after=70000000") OUT("1006", "604", "14", "after=70000000"),
    /* 07: a NAK requests four packets again; two of them and a new one overtake another, as their identifications
     * show */
    ONE("1007", "2007", "701", "1", "1") OUT("1007", "703", "3", "") OUT("1007", "704", "4", "") OUT("1007", "705", "5", "") BACK("2007", "702", "0x60", "1")
    OUT("1007", "702", "6", "") OUT("1007", "704", "8", "") OUT("1007", "705", "9", "") OUT("1007", "706", "10", "") OUT("1007", "703", "7", "") BACK("2007", "706", "0x1f", "6"),
    NULL};
