/* SPDX-License-Identifier: BSD-2-Clause */
/* Sent and expected packets: defaults, fields, faults, patterns, times. */
#include <criterion/criterion.h>
#include <string.h>
#include "cases.h"

#define P IBC_IS_PASS
#define F IBC_IS_FAIL

Test(packets, expected_and_not)
{
    static const struct run_case c[] = {
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=8\n< a ACKNOWLEDGE psn=+0 syndrome=ack msn=1\n", P, "", ""},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n", F, "bth.psn 0x001001", "bth.psn 0x001000"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE msn=2\n", F, "aeth.msn 2", "aeth.msn 1"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a READ_RESP_ONLY\n", F, "READ_RESP_ONLY",
         "ACKNOWLEDGE psn 0x001000 ACK 31 msn 1"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE syndrome=nak\n", F, "aeth.syndrome NAK",
         "aeth.syndrome ACK 31"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE syndrome=nak.invalid_request\n", F,
         "aeth.syndrome NAK Invalid Request", "aeth.syndrome ACK 31"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE payload=4\n", F, "4 bytes of payload",
         "0 bytes of payload"},
        {RC "qp a recv=1\n> a SEND_ONLY\n< a ACKNOWLEDGE ackreq=1\n", F, "bth.a 1", "bth.a 0"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ANY\n", P, "", ""},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+5|+0 msn=0..3 pkey=!0x1234 hop=64\n", P, "", ""},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+5|+6\n", F, "bth.psn 0x001005 or 0x001006",
         "bth.psn 0x001000"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=!+0\n", F, "bth.psn not 0x001000",
         "bth.psn 0x001000"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE destqp=a.peer\n", P, "", ""},
        {RC "qp a recv=1\n< a ACKNOWLEDGE\n", F, "ACKNOWLEDGE", "nothing for 1000 ms"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n", F, "no more packets", "ACKNOWLEDGE psn 0x001000 ACK 31 msn 1"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n a silence\n", F, "a silence",
         "ACKNOWLEDGE psn 0x001000 ACK 31 msn 1"},
    };
    run_cases(c);
}

/* The device repeats its request when its timer of 134 ms expires; the silence is over before that. */
#define AGAIN(line)                                                                                                    \
    RC "qp a timeout=15 retry=1\n a post SEND len=4\n< a SEND_ONLY psn=+0\n" line " a silence 1ms\nwait 200ms\n"       \
       "> a ACKNOWLEDGE psn=+0 msn=1\n a completion SEND\n"

Test(packets, any_number_may_come_after_a_silence_too)
{
    static const struct run_case c[] = {
        {AGAIN("<* a SEND_ONLY psn=+0\n"), P, NULL, NULL},
        {AGAIN("<? a SEND_ONLY psn=+0\n"), F, "no more packets", NULL}, /* one answer, whose time is over */
        {AGAIN("<* a SEND_ONLY psn=+1\n"), F, "no more packets", NULL}, /* another packet */
        {AGAIN(""), F, "no more packets", NULL},
    };

    run_cases(c);
}

Test(packets, psn_counts_from_the_direction_and_wraps)
{
    static const struct run_case c[] = {
        {RC "qp a recv=4 epsn=0xfffffe\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=0xfffffe\n> a SEND_ONLY\n"
            "wait 1us\n> a SEND_ONLY ackreq=1\n< a ANY psn=0xffffff\n< a ANY psn=0x000000\n",
         P, NULL, NULL},
        {RC "qp a recv=4 epsn=0xfffffe\n> a SEND_ONLY psn=+0\n< a ANY psn=+0\n> a SEND_ONLY psn=+1\n< a ANY psn=+1\n"
            "> a SEND_ONLY psn=+2 ackreq=1\n< a ACKNOWLEDGE psn=+2 syndrome=ack\n",
         P, NULL, NULL},
        {RC "qp a psn=0xffffff\n a post SEND len=2048\n< a SEND_FIRST psn=+0\n< a SEND_LAST psn=0\n"
            "> a ACKNOWLEDGE psn=+1 msn=1\n a completion SEND\n",
         P, NULL, NULL},
        {RC "qp a epsn=0\n> a SEND_ONLY psn=-1 ackreq=1\n a silence\n", F, NULL, NULL},
    };
    run_cases(c);
}

Test(packets, defaults)
{
    static const struct run_case c[] = {
        {RC "qp a\n> a WRITE_ONLY payload=100 ackreq=1\n< a ACKNOWLEDGE syndrome=ack\nmemory m len=100 fill=p\n"
            "memory m+100 unchanged\n",
         P, NULL, NULL},
        {RC "qp a\n> a READ_REQUEST dmalen=100\n< a READ_RESP_ONLY payload=100 fill=m\n", P, NULL, NULL},
        {RC "qp a\n> a READ_REQUEST va=m+8 dmalen=2048 \n< a READ_RESP_FIRST payload=1024 fill=m+8\n"
            "< a READ_RESP_LAST payload=1024 fill=m\n",
         P, NULL, NULL},
        {RC "qp a\n> a READ_REQUEST dmalen=8\n< a READ_RESP_ONLY fill=m+1\n", F, NULL, NULL},
        {RC "qp a\nwrite m u64=5\n> a FETCH_ADD add=3\n< a ATOMIC_ACKNOWLEDGE\nmemory m u64=0x0300000000000005|8\n", P,
         NULL, NULL},
        {RC "qp a\n> a WRITE_FIRST payload=1024 dmalen=1500\n> a WRITE_LAST payload=476 ackreq=1\n"
            "< a ANY psn=+1\nmemory m len=1500 fill=p\n",
         P, NULL, NULL},
        {RC "qp a\n> a WRITE_FIRST payload=1024 dmalen=1500 fill=z+5\n> a WRITE_LAST payload=476 ackreq=1\n<* a "
            "ACKNOWLEDGE\n"
            "memory m len=1500 fill=z+5\n",
         P, NULL, NULL},
        {RC "qp a\n> a WRITE_ONLY payload=hex:0102030405 ackreq=1\n< a ACKNOWLEDGE\nmemory m hex:0102030405\n", P, NULL,
         NULL},
        {RC "qp a rd=1\n a post READ len=2048\n< a READ_REQUEST psn=+0 va=0x10000 rkey=0x1234 dmalen=2048\n"
            "> a READ_RESP_FIRST payload=1024\n> a READ_RESP_LAST psn=+1 payload=1024\n a completion READ fill=p\n"
            "memory l len=2048 fill=p\n",
         P, NULL, NULL},
        {UD "qp a recv=1\n> a SEND_ONLY payload=64\n a completion recv bytes=104 srcqp=a.peer fill=p\n", P, NULL, NULL},
        {UC "qp a recv=1\n> a SEND_ONLY payload=64\n a silence\n a completion recv bytes=64 fill=p\n", P, NULL, NULL},
    };
    run_cases(c);
}

Test(packets, faults)
{
    static const struct run_case c[] = {
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 icrc=bad\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 icrc=0x12345678\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 icrc=none\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 cut=10\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 extra=6\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 poke=60:ff\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 poke=60:ff repair\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 insert=50:00\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 remove=50:4\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 remove=50:4000\n a silence\n", IBC_IS_ERROR, NULL,
         "the packet has no such bytes"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 poke=4000:00\n a silence\n", IBC_IS_ERROR, NULL,
         "the packet has no such bytes"},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 insert=122:00 repair\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=64 insert=123:00\n", IBC_IS_ERROR, NULL,
         "the packet has no such bytes"},
        {RC
         "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=5 pad_byte=0xff\n< a ACKNOWLEDGE\n a completion recv bytes=5\n",
         P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 pad=3\n<? a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 tver=1\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 pkey=0x1234\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 from=stranger\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 via=roce2-ipv4-vlan\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a 0x1f ackreq=1\n< a ACKNOWLEDGE syndrome=nak.invalid_request\n", P, NULL, NULL},
    };
    run_cases(c);
}

Test(packets, copies_and_names)
{
    static const struct run_case c[] = {
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 times=3\n< a ACKNOWLEDGE psn=+0 msn=1\n a completions recv=1\n", P,
         NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 times=2\n< a ACKNOWLEDGE psn=+0 times=3\n", F, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 as=first payload=8\n< a ACKNOWLEDGE as=x\n> a SEND_ONLY same=first\n"
            "< a ACKNOWLEDGE same=x\n",
         P, NULL, NULL},
        {RC "qp a recv=2\n> a SEND_ONLY ackreq=1 as=first payload=8\n< a ACKNOWLEDGE as=x\n> a SEND_ONLY ackreq=1\n"
            "< a ACKNOWLEDGE same=x\n",
         F, NULL, NULL},
    };
    run_cases(c);
}

Test(packets, times)
{
    static const struct run_case c[] = {
        {RC "qp a timeout=8 retry=1\n a post SEND\n< a SEND_ONLY as=s\n< a SEND_ONLY same=s after=1ms within=5ms\n"
            "> a ACKNOWLEDGE\n a completion SEND\n",
         P, NULL, NULL},
        {RC "qp a timeout=8 retry=1\n a post SEND\n< a SEND_ONLY as=s\n< a SEND_ONLY same=s within=1us\n", F,
         "within 1.000 us", NULL},
        {RC "qp a timeout=8 retry=1\n a post SEND\n< a SEND_ONLY as=s\n< a SEND_ONLY same=s after=1s\n", F,
         "not before 1000000.000 us", NULL},
        {RC "qp a timeout=8 retry=1\n a post SEND\n< a SEND_ONLY as=s\nwait 2ms\n< a SEND_ONLY same=s after=1ms "
            "within=2ms\n"
            "> a ACKNOWLEDGE after=10us\n a completion SEND\n a silence 1s\n",
         P, NULL, NULL},
        {RC "qp a timeout=8 retry=1\n a post SEND\n< a SEND_ONLY\n a silence 1ms\n> a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a timeout=8 retry=1\n a post SEND\n< a SEND_ONLY\n a silence 10ms\n", F, "a silence 10ms", NULL},
    };
    run_cases(c);
}

Test(packets, optional_and_alternatives)
{
    static const struct run_case c[] = {
        {RC "qp a recv=3\n> a SEND_ONLY\n<? a ACKNOWLEDGE psn=+0\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n", P,
         NULL, NULL},
        {RC "qp a recv=3\n<? a ACKNOWLEDGE psn=+7\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+0\n", P, NULL, NULL},
        {RC "qp a recv=3\nrepeat 3\n> a SEND_ONLY ackreq=1\nwait 1us\nend\n<* a ACKNOWLEDGE\n< a ACKNOWLEDGE\n"
            " a silence\n",
         P, NULL, NULL},
        {RC "qp a recv=3\nrepeat 3\n> a SEND_ONLY ackreq=1\nwait 1us\nend\n<? a ACKNOWLEDGE\n< a ACKNOWLEDGE\n"
            " a silence\n",
         F, "a silence", NULL},
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n| tolerated \"one behind\" < a ACKNOWLEDGE "
            "psn=+0\n",
         IBC_IS_TOLERATED, NULL, "ACKNOWLEDGE psn 0x001000 ACK 31 msn 1"},
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n| < a ACKNOWLEDGE psn=+0\n", P, NULL, NULL},
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n| fail \"no\" < a ACKNOWLEDGE psn=+0\n", F,
         NULL, NULL},
        /* no line is played after an optional one whose alternative fails the device */
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1\n<? a ACKNOWLEDGE psn=+1\n| fail \"no\" < a ACKNOWLEDGE psn=+0\n< a "
            "SEND_ONLY\n> a SEND_ONLY poke=999:aa\n",
         F, "the answer above", NULL},
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n| fail \"no\" < a ACKNOWLEDGE psn=+3\n", F,
         "bth.psn 0x001001", "bth.psn 0x001000"},
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1 icrc=bad\n< a ACKNOWLEDGE\n| tolerated \"drops it\" a silence\n",
         IBC_IS_TOLERATED, NULL, "silence"},
        {RC "qp a recv=3\n> a SEND_ONLY ackreq=1\n a silence\n| tolerated \"answers\" < a ACKNOWLEDGE\n",
         IBC_IS_TOLERATED, NULL, NULL},
    };
    run_cases(c);
}

Test(packets, addresses_and_ports)
{
    static const struct run_case roce2[] = {
        {RC "qp a recv=1 vlan=7 sl=5 sport=0xd000\n> a SEND_ONLY ackreq=1\n"
            "< a ACKNOWLEDGE vlan.id=7 vlan.priority=5 sport=0xd000\n",
         P, NULL, NULL},
        {RC "qp a recv=1 sport=0xd000\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE sport=0xd001\n", F, NULL, NULL},
        {RC "qp a recv=1 port=2\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1 port=2\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE port=2\n", P, NULL, NULL},
        {RC "qp a recv=1 port=2\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE port=1\n", F, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE port=2\n", F, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 port=2\n a silence\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 port=1\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 via=roce2-ipv6 mapped\n a silence\n", P, NULL, NULL},
        {RC "port pkey_violations=9\nqp a\n> a SEND_ONLY pkey=0x8123\n a silence\ncounter pkey_violations +10\n", P,
         NULL, NULL},
    };
    static const struct run_case global[] = {
        {RC "port gid[1]=fe80::77\nqp a gid_index=1\n a post SEND\n< a SEND_ONLY sgid=fe80::77\n", P, NULL, NULL},
        {RC "port gid[1]=fe80::77\nqp a gid_index=1\n a post SEND\n< a SEND_ONLY\n", F, NULL, NULL},
        {RC "port gid[1]=fe80::77\nqp a gid_index=1\n a post SEND\n< a SEND_ONLY sgid=fe80::76|fe80::77\n", P, NULL,
         NULL},
        {RC "port gid[1]=fe80::77\nqp a gid_index=1\n a post SEND\n< a SEND_ONLY sgid=fe80::76|fe80::78\n", F, NULL,
         NULL},
        {RC "port gid[1]=fe80::77\nqp a gid_index=1\n a post SEND\n< a SEND_ONLY sgid=!fe80::76\n", P, NULL, NULL},
        {RC "port gid[1]=fe80::77\nqp a gid_index=1\n a post SEND\n< a SEND_ONLY sgid=!fe80::77\n", F, NULL, NULL},
        {UD "group g\nqp u\n u post SEND dest=g qpn=0xffffff\n< u SEND_ONLY to=g dgid=g\n", P, NULL, NULL},
        {UD "group g\nqp u\n u post SEND dest=g qpn=0xffffff\n< u SEND_ONLY to=g dgid=!g\n", F, NULL, NULL},
        {UD "group g\nqp u recv=1\nattach u g\n> u SEND_ONLY to=g dgid=g\n u completions recv=1\n", P, NULL, NULL},
        {UD "qp u recv=1\n> u SEND_ONLY slid=0x99 sl=3\n u completion recv slid=0x99 sl=3 path_bits=0\n", P, NULL,
         NULL},
        {UD "qp u recv=1\n> u SEND_ONLY slid=0x99\n u completion recv slid=0x98\n", F, "completion.slid 0x98",
         "completion.slid 0x99"},
    };

    run_cases(roce2);
    run_cases_on(IBC_LINK_ib_global, global, sizeof global / sizeof *global);
}

/* ---- after the CRC ---- */
static size_t behind;
static enum ibc_rc longer_frames(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                 size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);

    if (*len > 0) { /* the first only: the exchange at the end is not meant */
        memset(frame + *len, 0, behind);
        *len += behind;
        behind = 0;
    }
    return rc;
}

Test(packets, end_with_their_crc)
{
    static const struct {
        enum ibc_link link;
        const char *text;
        size_t behind;
        enum ibc_verdict verdict;
    } c[] = {
        {IBC_LINK_roce2_ipv4, RC "qp a\n a post SEND len=0\n< a SEND_ONLY\n", 2, P}, /* 60 bytes, as Ethernet pads */
        {IBC_LINK_roce2_ipv4, RC "qp a\n a post SEND len=0\n< a SEND_ONLY\n", 6, P}, /* the tag was taken off */
        {IBC_LINK_roce2_ipv4, RC "qp a\n a post SEND len=0\n< a SEND_ONLY\n", 7, F},
        {IBC_LINK_roce2_ipv4, RC "qp a\n a post SEND len=64\n< a SEND_ONLY\n", 1, F},
        {IBC_LINK_roce1, RC "qp a\n a post SEND len=0\n< a SEND_ONLY\n", 1, F},
        {IBC_LINK_ib_local, RC "qp a\n a post SEND len=0\n< a SEND_ONLY\n", 0, P},
        {IBC_LINK_ib_local, RC "qp a\n a post SEND len=0\n< a SEND_ONLY\n", 1, F},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        behind = c[i].behind;
        changed.collect = longer_frames;
        r = run_text(t, c[i].text, &(struct ibc_options){.seed = 1, .link = c[i].link, .stop_at_first = true});
        cr_expect_eq(r.verdict, c[i].verdict, "%zu: %s", i, r.finding.got);
        if (c[i].verdict == F && c[i].link != IBC_LINK_ib_local)
            cr_expect_str_eq(r.finding.expected, "a frame that ends with its CRC", "%zu", i);
        close_changed(t, &r);
    }
}

/* If a line does not name the group of a packet, the packet's MAC address shows which group it goes to. */
Test(packets, groups_by_their_address)
{
    static const struct run_case c[] = {
        {UD "group g\ngroup h\nqp u\n u post SEND dest=h qpn=0xffffff\n< u SEND_ONLY destqp=0xffffff\n", P, NULL, NULL},
        {UD "group g\ngroup h\nqp u\n u post SEND dest=g qpn=0xffffff\n< u SEND_ONLY destqp=0xffffff\n", P, NULL, NULL},
        {UD "group g\ngroup h\nqp u\n u post SEND dest=h qpn=0xffffff\n< u SEND_ONLY to=g\n", F, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1 payload=8\n a post SEND id=6\n< a ACKNOWLEDGE\n< a SEND_ONLY\n"
            "> a ACKNOWLEDGE msn=1\n a completion send id=6\n a completion recv bytes=8\n",
         P, NULL, NULL},
    };

    run_cases(c);
    run_cases_on(IBC_LINK_roce1, c, sizeof c / sizeof *c);
}
