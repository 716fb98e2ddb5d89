/* SPDX-License-Identifier: BSD-2-Clause */
/* 1,000 seeds: two CMs connect and disconnect over a network that loses 20 % of the datagrams, copies, delays and
 * reorders them; both are established, or both know why not. And 10,000 connections at once. */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"

enum { MS = 1000000 };

static struct lab l;

/* The life of one connection as both users see it. */
struct life {
    uint32_t id[2];
    uint8_t last[2]; /* most recent event */
    bool up[2], down[2];
};
static struct life life;
static const struct iba_cm_rep rep_of_all = {.localqpn = 0x654321, .startpsn = 5, .respres = 1, .initdepth = 1};

static void user(void *ctx, unsigned end, const struct iba_cm_event *e)
{
    struct life *u = ctx;
    struct iba_cm *cm = &l.end[end].cm;

    u->last[end] = e->kind == IBA_CME_TIMEWAIT_EXIT ? u->last[end] : e->kind;
    switch ((enum iba_cm_event_kind)e->kind) {
    case IBA_CME_REQ:
        u->id[end] = e->id;
        cr_assert_eq(iba_cm_accept(cm, e->id, &rep_of_all, LAB_NOTHING, l.now), IBA_CM_OK);
        break;
    case IBA_CME_REP:
        cr_assert_eq(iba_cm_confirm(cm, e->id, LAB_NOTHING, l.now), IBA_CM_OK);
        u->up[end] = true;
        break;
    case IBA_CME_ESTABLISHED: u->up[end] = true; break;
    case IBA_CME_DREQ:
        if (iba_cm_find(cm, e->id)->state == IBA_CMS_DREQ_RCVD)
            cr_assert_eq(iba_cm_disconnect(cm, e->id, LAB_NOTHING, l.now), IBA_CM_OK);
        break;
    default: break;
    }
}

/* Returns whether an event of this kind explains to the user why the connection is gone. */
static bool knows_why(uint8_t kind)
{
    return kind == IBA_CME_REJ || kind == IBA_CME_UNREACHABLE || kind == IBA_CME_UNCONFIRMED || kind == IBA_CME_DREQ ||
           kind == IBA_CME_DREP || kind == IBA_CME_UNRELEASED;
}

static void disconnect(unsigned end)
{
    const struct iba_cm_conn *c = iba_cm_find(&l.end[end].cm, life.id[end]);

    if (c && c->state == IBA_CMS_ESTABLISHED)
        cr_assert_eq(iba_cm_disconnect(&l.end[end].cm, life.id[end], LAB_NOTHING, l.now), IBA_CM_OK);
}

static bool seed(uint64_t s, const struct iba_net_faults *f)
{
    struct iba_cm_request r;
    uint32_t number;

    lab_open(&l, (enum iba_port_kind)(s % 3), LAB_CONNS, s, f);
    life = (struct life){0};
    l.event = user, l.ctx = &life;
    cr_assert_eq(iba_cm_listen(&l.end[0].cm,
                               &(struct iba_cm_listen){.service_id = LAB_SERVICE, .service_mask = UINT64_MAX}, &number),
                 IBA_CM_OK);
    r = lab_request(&l, 1, 0x123456);
    r.req.maxcmretr = s % 2 ? 15 : 2;
    cr_assert_eq(iba_cm_connect(&l.end[1].cm, &r, l.now, &life.id[1]), IBA_CM_OK);
    lab_run(&l, l.now + (iba_time)3000 * MS);
    const bool up = life.up[0] && life.up[1];
    for (unsigned end = 0; end < 2; end++)
        if ((s + end) % 4 < 3) /* one of them, or both at once */
            disconnect(end);
    lab_run(&l, IBA_NEVER);
    for (unsigned end = 0; end < 2; end++) /* one whose peer gave up waiting for the RTU, and whose REJ was lost */
        disconnect(end);
    lab_run(&l, IBA_NEVER);
    for (unsigned end = 0; end < 2; end++) {
        if (life.last[end] == IBA_CME_NONE)
            cr_assert(!life.up[0] && !life.up[1], "seed %llu", (unsigned long long)s); /* the REQ never came */
        else
            cr_expect(knows_why(life.last[end]), "seed %llu: end %u ends with %s", (unsigned long long)s, end,
                      iba_cm_event_name((enum iba_cm_event_kind)life.last[end]));
        cr_expect_eq(l.end[end].cm.n_used, 0, "seed %llu: a connection is left", (unsigned long long)s);
        cr_expect_eq(iba_cm_deadline(&l.end[end].cm), IBA_NEVER);
    }
    lab_close(&l);
    return up;
}

Test(seeds, two_cms_connect_and_disconnect_or_both_know_why)
{
    const struct iba_net_faults f = {.lose = 200000,
                                     .duplicate = 100000,
                                     .reorder = 100000,
                                     .delay_ns = 20000,
                                     .jitter_ns = 5 * MS,
                                     .reorder_ns = 100 * MS};
    unsigned up = 0;

    for (uint64_t s = 0; s < 1000; s++)
        up += seed(s, &f);
    cr_expect_gt(up, 900);
    cr_expect_lt(up, 1000);
}

/* ---- many ---- */

enum { MANY = 10000 };
static struct lab many;
static unsigned up[2];

static void many_users(void *ctx, unsigned end, const struct iba_cm_event *e)
{
    struct iba_cm *cm = &many.end[end].cm;
    struct iba_cm_rep rep = rep_of_all;

    (void)ctx;
    rep.localqpn = 0x100000 + e->id % 0x800000;
    while (e->kind == IBA_CME_REQ && iba_cm_accept(cm, e->id, &rep, LAB_NOTHING, many.now) == IBA_CM_QP_BUSY)
        rep.localqpn++;
    if (e->kind == IBA_CME_REP)
        cr_assert_eq(iba_cm_confirm(cm, e->id, LAB_NOTHING, many.now), IBA_CM_OK);
    up[end] += e->kind == IBA_CME_REP || e->kind == IBA_CME_ESTABLISHED;
}

/* Each connection takes 650 bytes of the caller's memory or less, all tables included. */
Test(seeds, ten_thousand_connections_at_once)
{
    const struct iba_net_faults good = {.delay_ns = 1000};
    uint32_t number, id;

    cr_expect_leq(sizeof(struct iba_cm_conn) + (1 + IBA_CM_KEYS) * sizeof(uint32_t), 650, "%zu bytes",
                  sizeof(struct iba_cm_conn) + (1 + IBA_CM_KEYS) * sizeof(uint32_t));
    lab_open(&many, IBA_PORT_ROCE2, MANY, 1, &good);
    many.event = many_users;
    many.unchecked = true; /* invariants are checked at the end only, because the check visits every connection */
    cr_assert_eq(iba_cm_listen(&many.end[0].cm,
                               &(struct iba_cm_listen){.service_id = LAB_SERVICE, .service_mask = UINT64_MAX}, &number),
                 IBA_CM_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct iba_cm_request r = lab_request(&many, 1, 0x1000 + i);
        cr_assert_eq(iba_cm_connect(&many.end[1].cm, &r, many.now, &id), IBA_CM_OK);
        lab_run(&many, many.now + 10000);
    }
    lab_run(&many, many.now + (iba_time)1000 * MS);
    cr_expect_eq(up[0], MANY);
    cr_expect_eq(up[1], MANY);
    cr_expect_eq(many.end[0].cm.n_used, MANY);
    iba_cm_check(&many.end[0].cm);
    iba_cm_check(&many.end[1].cm);
    lab_close(&many);
}
