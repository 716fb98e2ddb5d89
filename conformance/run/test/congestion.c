/* SPDX-License-Identifier: BSD-2-Clause */
/* A congestion notification that no marked packet caused is tolerated directly before or after the NAK of a gap in the
 * PSNs; at any other place it is a failure. */
#include <criterion/criterion.h>
#include <string.h>
#include "cases.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

#define P IBC_IS_PASS
#define F IBC_IS_FAIL
#define T IBC_IS_TOLERATED

enum when { NEVER, BEFORE, AFTER, BEFORE_A_CUT_ONE };
static enum when when;
static struct {
    uint8_t bytes[IBC_FRAME];
    size_t len;
} kept;
static bool done; /* one notification in a scenario */

/* Builds a notification from the device to the tester, with the addresses of that answer of the device. */
static void build(const uint8_t *answer, size_t n, uint8_t *frame, size_t *len)
{
    struct iba_view v;
    struct iba_recipe r;

    cr_assert_eq(iba_view_parse(&v, IBA_LINK_ETHERNET, answer, n, n, NULL), IBA_OK);
    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_CNP_ROCE);
    uint8_t *eth = iba_recipe_part(&r, IBA_H_eth), *ip = iba_recipe_part(&r, IBA_H_ipv4);
    iba_eth_set_src(eth, iba_eth_src(iba_view_hdr(&v, IBA_H_eth)));
    iba_eth_set_dst(eth, iba_eth_dst(iba_view_hdr(&v, IBA_H_eth)));
    iba_ipv4_set_src(ip, iba_ipv4_src(iba_view_hdr(&v, IBA_H_ipv4)));
    iba_ipv4_set_dst(ip, iba_ipv4_dst(iba_view_hdr(&v, IBA_H_ipv4)));
    iba_bth_set_p_key(iba_recipe_part(&r, IBA_H_bth), 0xffff);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), iba_bth_destqp(iba_view_bth(&v)));
    iba_bth_set_becn(iba_recipe_part(&r, IBA_H_bth), 1);
    cr_assert_eq(iba_build(&r, frame, IBC_FRAME, len), IBA_OK);
}

static enum ibc_rc collect_notified(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                    size_t *len, uint64_t *at)
{
    enum ibc_rc rc = IBC_OK;

    if (kept.len) {
        memcpy(frame, kept.bytes, kept.len);
        *len = kept.len;
        *at = whole->now(t);
        kept.len = 0;
        return rc;
    }
    rc = whole->collect(t, d, until, frame, len, at);
    if (*len == 0 || done || when == NEVER)
        return rc;
    done = true;
    if (when == AFTER) {
        build(frame, *len, kept.bytes, &kept.len);
        return rc;
    }
    memcpy(kept.bytes, frame, *len);
    kept.len = *len;
    build(kept.bytes, kept.len, frame, len);
    if (when == BEFORE_A_CUT_ONE) { /* the answer has no AETH, and its first byte is that of a NAK's AETH */
        kept.len -= IBA_BYTES_aeth;
        kept.bytes[0] = 0x60;
    }
    return rc;
}

#define GAP "qp a recv=4\n> a SEND_ONLY psn=+1 ackreq=1\n< a ACKNOWLEDGE psn=+0 syndrome=nak.psn_sequence_error\n"
#define ANSWERED "qp a recv=4\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE syndrome=ack\n"
#define QUIET " a silence 1ms\n"

Test(congestion, notifications)
{
    static const struct {
        const char *text;
        enum when when;
        enum ibc_verdict verdict;
    } rows[] = {
        {RC GAP, NEVER, P},
        {RC GAP QUIET, NEVER, P},
        {RC GAP, BEFORE, T},
        {RC GAP, AFTER, T},
        {RC GAP, BEFORE_A_CUT_ONE, F},
        {RC GAP QUIET, BEFORE, T},
        {RC GAP QUIET, AFTER, T},
        {RC GAP QUIET "> a SEND_ONLY psn=+0 ackreq=1\n< a ACKNOWLEDGE psn=+0 syndrome=ack\n", AFTER, T},
        {RC ANSWERED, BEFORE, F},
        {RC ANSWERED, AFTER, F},
        {RC ANSWERED QUIET, AFTER, F},
        /* the NAK is the tester's own, though it has the number of the tester's queue pair */
        {RC "qp a recv=4\n> a ACKNOWLEDGE syndrome=nak.psn_sequence_error destqp=a.peer\n> a SEND_ONLY ackreq=1\n< a "
            "ACKNOWLEDGE syndrome=ack\n",
         BEFORE, F},
        /* the requester's side is never asked for one */
        {"title a test\nspec RR-03\nrole requester\nservice rc\n" GAP, BEFORE, F},
        /* lines about notifications judge them */
        {RC GAP "< a 0x81\n", AFTER, P},
        {RC GAP "<? a 0x81\n", AFTER, P},
        {RC GAP "<? a 0x81\n", NEVER, P},
        {RC GAP "< a 0x81\n", NEVER, F},
        {RC GAP "< a 0x81\n" QUIET, BEFORE, F},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        changed.collect = collect_notified;
        when = rows[i].when;
        kept.len = 0;
        done = false;
        r = run_text(t, rows[i].text, &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect_eq(r.verdict, rows[i].verdict, "row %zu: %s, %s, not %s", i, ibc_verdict_names[r.verdict],
                     r.finding.got, r.finding.expected);
        if (rows[i].verdict == T)
            cr_expect_str_eq(r.finding.sentence, "some devices send a congestion notification with a NAK");
        if (rows[i].when == BEFORE_A_CUT_ONE) /* not the packet after it */
            cr_expect(strstr(r.finding.got, "CNP"), "%s", r.finding.got);
        close_changed(t, &r);
    }
}
