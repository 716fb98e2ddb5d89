/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs that make the objects of a scenario: pieces of a region, access rights, completion queues of shared receive
 * queues, groups, and the numbers of two queue pairs that are each other's peers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

#define CAN(capability) (UINT64_C(1) << IBC_CAP_##capability)

static uint64_t claims;
static uint64_t claimed(struct ibc_target *t)
{
    (void)t;
    return claims;
}

/* Plays the text, and returns the verdict. A scenario has a step. */
static enum ibc_verdict play(struct ibc_target *t, const char *text, enum ibc_link link)
{
    char whole_text[512];

    snprintf(whole_text, sizeof whole_text, "%swait 1us\n", text);
    struct ibc_result r = run_text(t, whole_text, &(struct ibc_options){.seed = 5, .link = link});
    const enum ibc_verdict v = r.verdict;
    close_changed(t, &r);
    return v;
}

/* ---- regions ---- */

static struct ibc_mr_spec region;
static struct ibc_mr all_of_m; /* of the region that every scenario has */
static enum ibc_rc see_region(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    const enum ibc_rc rc = whole->reg_mr(t, d, m, out);

    if (m->fill == 'u')
        region = *m;
    if (m->fill == 'm')
        all_of_m = *out;
    return rc;
}

/* Without stride= each round has the same bytes again. */
Test(objects, pieces_of_regions)
{
    static const struct {
        const char *line;
        unsigned n;
        struct {
            uint64_t off;
            uint32_t length;
        } piece[2];
        uint64_t stride, rounds;
    } rows[] = {
        {"mr u piece=m:8\n", 1, {{0, 8}}, 0, 1},
        {"mr u piece=m+64:16 piece=m:9\n", 2, {{64, 16}, {0, 9}}, 0, 1},
        {"mr u piece=m+1:3 stride=16\n", 1, {{1, 3}}, 16, 1},
        {"mr u piece=m:8 piece=m+8:8 stride=32 rounds=4\n", 2, {{0, 8}, {8, 8}}, 32, 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        char text[256];
        changed.reg_mr = see_region;
        memset(&region, 0, sizeof region);
        snprintf(text, sizeof text, RC "%s", rows[i].line);
        (void)play(t, text, IBC_LINK_roce2_ipv4);
        cr_assert_eq(region.n_piece, rows[i].n, "%s: %u", rows[i].line, region.n_piece);
        cr_expect_eq(region.rounds, rows[i].rounds, "%s", rows[i].line);
        for (unsigned k = 0; k < region.n_piece; k++) {
            const struct iba_piece *is = &region.piece[k];
            cr_expect_eq(is->addr - all_of_m.local, rows[i].piece[k].off, "%s: piece %u", rows[i].line, k);
            cr_expect_eq(is->length, rows[i].piece[k].length, "%s: piece %u", rows[i].line, k);
            cr_expect_eq(is->stride, rows[i].stride, "%s: piece %u", rows[i].line, k);
            cr_expect_eq(is->lkey, all_of_m.lkey, "%s: piece %u", rows[i].line, k);
        }
    }
}

/* A region has all rights that the device can grant. The numbers are those of libibverbs, and ours for flushing. */
Test(objects, usual_rights_of_regions)
{
    static const struct {
        uint64_t claims;
        uint32_t access;
    } rows[] = {
        {CAN(rc), 0x07}, /* local write, remote write, remote read */
        {CAN(rc) | CAN(atomic), 0x0f},
        {CAN(rc) | CAN(mw1), 0x17},
        {CAN(rc) | CAN(mw2), 0x17},
        {CAN(rc) | CAN(mw1) | CAN(mw2), 0x17},
        {CAN(rc) | CAN(flush), 0x47},
        {CAN(rc) | CAN(persistent), 0x87},
        {UINT64_MAX, 0xdf},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        changed.reg_mr = see_region;
        changed.capabilities = claimed;
        claims = rows[i].claims;
        memset(&region, 0, sizeof region);
        (void)play(t, RC "mr u\n", IBC_LINK_roce2_ipv4);
        cr_expect_eq(region.access, rows[i].access, "row %zu: 0x%x", i, region.access);
    }
}

/* ---- shared receive queues with a completion queue ---- */

static char queues[256];
static enum ibc_rc see_queue(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq)
{
    const enum ibc_rc rc = whole->create_cq(t, d, depth, cq);
    const size_t n = strlen(queues);

    snprintf(queues + n, sizeof queues - n, "cq %u\n", depth);
    return rc;
}

static enum ibc_rc see_tags(struct ibc_target *t, unsigned d, const struct ibc_tag_srq_spec *s, uint32_t *srq)
{
    const size_t n = strlen(queues);

    (void)t;
    (void)d;
    *srq = 9;
    snprintf(queues + n, sizeof queues - n, "srq depth=%u tags=%u\n", s->depth, s->n_tags);
    return IBC_OK;
}

static enum ibc_rc see_xrc(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *s, uint32_t *srq,
                           uint32_t *number)
{
    const size_t n = strlen(queues);

    (void)t;
    (void)d;
    *srq = 9;
    *number = 8;
    snprintf(queues + n, sizeof queues - n, "xrc srq depth=%u\n", s->depth);
    return IBC_OK;
}

/* The queue that the runner makes for them holds two completions of each receive that they can take. A queue that the
 * line names is used instead. */
Test(objects, queues_of_shared_receive_queues)
{
    static const struct {
        const char *text, *calls;
    } rows[] = {
        {RC "srq s tags=3 depth=5\n", "cq 16\nsrq depth=5 tags=3\n"},
        {RC "srq s tags=1\n", "cq 34\nsrq depth=16 tags=1\n"},
        {RC "cq c depth=7\nsrq s tags=3 depth=5 cq=c\n", "cq 7\nsrq depth=5 tags=3\n"},
        {RC "xrcd x\nsrq s xrcd=x depth=5\n", "cq 10\nxrc srq depth=5\n"},
        {RC "xrcd x\ncq c depth=7\nsrq s xrcd=x depth=5 cq=c\n", "cq 7\nxrc srq depth=5\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        changed.create_cq = see_queue;
        changed.create_tag_srq = see_tags;
        changed.create_xrc_srq = see_xrc;
        queues[0] = '\0';
        (void)play(t, rows[i].text, IBC_LINK_roce2_ipv4);
        cr_expect_eq(strncmp(queues, rows[i].calls, strlen(rows[i].calls)), 0, "%s: %s", rows[i].text, queues);
    }
}

/* ---- groups ---- */

static uint8_t joined[16];
static uint16_t joined_lid;
static enum ibc_rc see_join(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool on)
{
    memcpy(joined, gid, sizeof joined);
    joined_lid = lid;
    return whole->attach(t, d, qpn, gid, lid, on);
}

/* The group is the fifth object: its number is the last byte of its address. Where a link has no IPv4, the group is
 * transient and site-local (FF15::5, 4.1.1). A multicast LID is 0xc000 or more. */
Test(objects, groups)
{
    static const struct {
        enum ibc_link link;
        const char *line;
        uint8_t gid[16];
        uint16_t lid; /* 0: not compared */
    } rows[] = {
        {IBC_LINK_roce2_ipv4, "group g", {[10] = 0xff, [11] = 0xff, 239, 192, 0, 5}, 0},
        {IBC_LINK_roce2_ipv6, "group g", {0xff, 0x15, [15] = 5}, 0},
        {IBC_LINK_roce1, "group g", {0xff, 0x15, [15] = 5}, 0},
        {IBC_LINK_ib_local, "group g lid=0xc055", {0xff, 0x15, [15] = 5}, 0xc055},
        {IBC_LINK_ib_global,
         "group g gid=hex:ff1e0000000000000000000000abcdef lid=0xc001",
         {0xff, 0x1e, [13] = 0xab, 0xcd, 0xef},
         0xc001},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        char text[256];
        changed.attach = see_join;
        memset(joined, 0, sizeof joined);
        snprintf(text, sizeof text, UD "qp a\n%s\nattach a g\n", rows[i].line);
        cr_expect_eq(play(t, text, rows[i].link), IBC_IS_PASS, "%s", rows[i].line);
        cr_expect_arr_eq(joined, rows[i].gid, sizeof joined, "row %zu", i);
        cr_expect(rows[i].lid == 0 || joined_lid == rows[i].lid, "row %zu: 0x%x", i, joined_lid);
    }
}

/* ---- two queue pairs ---- */

static struct {
    uint32_t qpn, expects, sends, peer;
} end[2];
static enum ibc_rc see_modify(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    if (a->a.state == IBA_QPS_RTR && end[d].qpn == 0) { /* the health probe's come later */
        end[d].qpn = qpn;
        end[d].expects = a->a.rq_psn;
        end[d].peer = a->a.dest_qpn;
    }
    if (a->a.state == IBA_QPS_RTS && end[d].sends == 0)
        end[d].sends = a->a.sq_psn;
    return whole->modify_qp(t, d, qpn, a);
}

/* Each of the two expects the PSN with which the other begins, unless its line names another. */
Test(objects, queue_pairs_of_two_devices)
{
    static const struct {
        const char *a, *b;
        uint32_t expects[2], sends[2];
    } rows[] = {
        {"psn=0x111", "psn=0x222", {0x222, 0x111}, {0x111, 0x222}},
        {"psn=0x111 pmtu=256", "psn=0x222 pmtu=256", {0x222, 0x111}, {0x111, 0x222}},
        {"psn=0x111 epsn=0x333", "psn=0x222", {0x333, 0x111}, {0x111, 0x222}},
        {"psn=0x111", "psn=0x222 epsn=0x444", {0x222, 0x444}, {0x111, 0x222}},
        {"", "", {0x2000, 0x2000}, {0x2000, 0x2000}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        char text[256];
        changed.modify_qp = see_modify;
        memset(end, 0, sizeof end);
        snprintf(text, sizeof text,
                 "title t\nspec RR-03\nrole middle\nservice rc\nqp a dut=1 peer=b %s\nqp b dut=2 peer=a %s\n",
                 rows[i].a, rows[i].b);
        (void)play(t, text, IBC_LINK_roce2_ipv4);
        for (unsigned d = 0; d < 2; d++) {
            cr_expect_eq(end[d].expects, rows[i].expects[d], "row %zu, device %u: 0x%x", i, d, end[d].expects);
            cr_expect_eq(end[d].sends, rows[i].sends[d], "row %zu, device %u: 0x%x", i, d, end[d].sends);
            cr_expect_eq(end[d].peer, end[1 - d].qpn, "row %zu, device %u", i, d);
        }
    }
}

/* ---- numbers that are scored ---- */

static uint32_t made, step;
static enum ibc_rc number_of_key(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    const enum ibc_rc rc = whole->reg_mr(t, d, m, out);

    if (m->fill == 's')
        out->rkey = step * made++;
    return rc;
}

static enum ibc_rc number_of_pair(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn)
{
    (void)t;
    (void)d;
    (void)q;
    *qpn = step * made++ & 0xffffff;
    return made > 8 ? IBC_REFUSED : IBC_OK;
}

/* An R_Key has 32 bits, a QPN 24. */
Test(objects, how_wide_scored_numbers_are)
{
    static const struct {
        const char *what;
        uint32_t step;
        const char *measured;
    } rows[] = {
        {"rkeys", 0x10000000,
         "rkeys: 0.00 bits of min-entropy in a step; the most frequent, +0x10000000, 7 of 7 times"},
        {"rkeys", 0xffffff00,
         "rkeys: 0.00 bits of min-entropy in a step; the most frequent, +0xffffff00, 7 of 7 times"},
        {"qpns", 0x00300000, "qpns: 0.00 bits of min-entropy in a step; the most frequent, +0x300000, 7 of 7 times"},
        {"qpns", 0xffffff00, "qpns: 0.00 bits of min-entropy in a step; the most frequent, +0xffff00, 7 of 7 times"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        char text[128];
        changed.reg_mr = number_of_key;
        changed.create_qp = number_of_pair;
        made = 0;
        step = rows[i].step;
        snprintf(text, sizeof text, RC "score %s n=8\n", rows[i].what);
        struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 5});
        cr_expect_str_eq(r.measured, rows[i].measured, "%s", r.measured);
        close_changed(t, &r);
    }
}
