/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken engines under observation. The observer never says that an unbroken engine breaks a rule (hostile.c). For some
 * broken engines it must say so. An observer cannot see all that a device does inside; the changes in this table are
 * visible in the packets. */
#include <string.h>
#include "adapter/iba_change_rules.h"
#include "adapter/test/pair.h"
#include "transport/iba_wr_ops.h"
#include "witness.h"

enum { MESSAGES = 20, SLOT = 2048, MOST = 2000, CLEAN = 0, LOSSY, COPYING, UNREADY, KINDS_OF_NETWORK, SEEDS = 3 };
#define SECOND UINT64_C(1000000000)
#define K(kind) (UINT64_C(1) << IBA_FINDING_##kind)
/* Findings that no device causes that keeps the rules, whatever the network does. Applications do not write into
 * buffers in use here. */
#define BREACHES                                                                                                       \
    (K(RETRY_CHANGED) | K(RETRY_PAYLOAD) | K(NAK_RESERVED) | K(SYNDROME_RESERVED) | K(NAK_AGAIN) | K(NAK_AFTER_RNR) |  \
     K(RNR_EARLY) | K(GHOST_ACK) | K(MSN_WRONG) | K(AFTER_FATAL) | K(SEQUENCE) | K(ANSWER_KIND) | K(ANSWER_SEQUENCE) | \
     K(OPCODE_RESERVED) | K(LENGTH) | K(DMA_LENGTH) | K(ANSWER_LENGTH) | K(PKEY) | K(SILENCE))

struct scene {
    struct pair *p;
    struct witness *w;
};

static void tap(void *ctx, unsigned from, bool arrived, const struct iba_view *v)
{
    struct scene *s = ctx;

    if (from == 0 ? !arrived : arrived)
        return; /* the capture is at end 1 */
    s->w->frame++;
    (void)iba_observer_feed(s->w->observer, &(struct iba_sighting){.view = v, .now = s->p->now, .frame = s->w->frame});
}

/* Broken devices may refuse, fail or hang: this test does not judge that. */
static void exchange(struct pair *p, uint64_t seed, bool unready)
{
    static const uint8_t op[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_READ, IBA_WR_WRITE_IMM, IBA_WR_FETCH_ADD};
    struct iba_random r;

    iba_random_seed(&r, seed);
    for (unsigned i = 0; i < MESSAGES; i++) {
        const uint8_t o = op[iba_random_below(&r, sizeof op)];
        const bool fetches = o == IBA_WR_READ || o == IBA_WR_FETCH_ADD;
        struct iba_send_wr send = {
            .wr_id = i,
            .op = o,
            .va = PAIR_VA,
            .rkey = p->end[1].rkey,
            .flags = IBA_WR_SIGNALED,
            .n_sge = 1,
            .sge = {{PAIR_VA + (fetches ? SLOT : 0), o == IBA_WR_FETCH_ADD ? 8 : (uint32_t)iba_random_below(&r, MOST),
                     p->end[0].lkey}}};
        const struct iba_recv_wr recv = {.wr_id = i, .n_sge = 1, .sge = {{PAIR_VA + SLOT, MOST, p->end[1].lkey}}};
        if (!unready)
            (void)iba_post_recv(&p->end[1].ca, p->end[1].qpn, &recv);
        (void)iba_post_send(&p->end[0].ca, p->end[0].qpn, &send);
        if (unready) {
            (void)pair_run(p, p->now + 300000);
            (void)iba_post_recv(&p->end[1].ca, p->end[1].qpn, &recv);
        }
        if (iba_random_below(&r, 2))
            (void)pair_run(p, p->now + iba_random_below(&r, 2000000));
    }
    (void)pair_run(p, p->now + SECOND);
}

struct mutant {
    const struct iba_change *change; /* the changed row; NULL: `rules` replaces `table` */
    const struct iba_rules *rules;
    enum iba_rule_table table;
};

static uint64_t breaches(const struct mutant *m)
{
    static struct witness w;
    uint64_t found = 0;

    for (unsigned n = 0; n < KINDS_OF_NETWORK * SEEDS; n++) {
        const unsigned net = n % KINDS_OF_NETWORK;
        const struct pair_config c = {
            .seed = n + 1,
            .kind = IBA_PORT_ROCE2,
            .type = IBA_QPT_RC,
            .mtu = IBA_MTU_256,
            .psn = 0xfffff0,
            .timeout = 14,
            .retry = 7,
            .rnr_retry = 7,
            .rd_depth = 4,
            .bytes = 2 * (size_t)SLOT,
            .faults = {.delay_ns = 1000, .lose = net == LOSSY ? 40000 : 0, .duplicate = net == COPYING ? 40000 : 0}};
        struct scene s = {pair_open(&c), &w};
        witness_init(&w, NULL);
        s.p->tap = tap;
        s.p->tap_ctx = &s;
        for (unsigned e = 0; e < 2; e++)
            if (m->change)
                iba_ca_change(&s.p->end[e].ca, m->change);
            else if (m->rules)
                iba_ca_set_rules(&s.p->end[e].ca, m->table, m->rules);
        exchange(s.p, n, net == UNREADY);
        iba_observer_end(w.observer, s.p->now + SECOND);
        pair_close(s.p);
        for (unsigned k = 0; k < IBA_FINDING_FIRST_CM; k++)
            found |= (uint64_t)(w.found[k] > 0) << k;
    }
    return found & BREACHES;
}

static const struct {
    const char *list, *row;
    enum iba_change_kind kind;
    enum iba_finding_kind finding;
} broken[] = {
    {"RC responder", "MSN_COUNTS", IBA_CHANGE_DROP, IBA_FINDING_MSN_WRONG},
    {"RC responder", "MSN_READ", IBA_CHANGE_DROP, IBA_FINDING_MSN_WRONG},
    {"RC responder", "MSN_IN_NAK", IBA_CHANGE_OTHER, IBA_FINDING_MSN_WRONG},
    {"RC responder", "READ_FIRST", IBA_CHANGE_OTHER, IBA_FINDING_ANSWER_SEQUENCE},
    {"RC responder", "READ_PAD", IBA_CHANGE_OTHER, IBA_FINDING_ANSWER_LENGTH},
    {"RC responder", "NAK_PSN", IBA_CHANGE_OTHER, IBA_FINDING_SILENCE},
    {"RC responder", "gap_known", IBA_CHANGE_DROP, IBA_FINDING_NAK_AGAIN},
    {"RC responder", "duplicate", IBA_CHANGE_DROP, IBA_FINDING_GHOST_ACK},
    {"requester", "rnr_holds", IBA_CHANGE_DROP, IBA_FINDING_RNR_EARLY},
    {"requester", "rnr_time", IBA_CHANGE_OTHER, IBA_FINDING_RNR_EARLY},
    {"requester", "timer_runs", IBA_CHANGE_DROP, IBA_FINDING_SILENCE},
    {"request packet", "path_mtu", IBA_CHANGE_DROP, IBA_FINDING_LENGTH},
    {"request packet", "again_opcode", IBA_CHANGE_DROP, IBA_FINDING_RETRY_CHANGED},
    {"request packet", "again_payload", IBA_CHANGE_DROP, IBA_FINDING_RETRY_PAYLOAD},
    {"request packet", "reth_length", IBA_CHANGE_OTHER, IBA_FINDING_DMA_LENGTH},
    {"position", "FIRST", IBA_CHANGE_SWAP, IBA_FINDING_SEQUENCE},
    {"operation", "WRITE_IMM", IBA_CHANGE_SWAP, IBA_FINDING_LENGTH},
};

static uint64_t breaches_of_behaviour(const char *list, const char *row, enum iba_change_kind kind)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    for (size_t l = 0; l < n; l++)
        for (uint16_t i = 0; i < lists[l]->n; i++)
            if (strcmp(lists[l]->name, list) == 0 && strcmp(lists[l]->row[i].name, row) == 0) {
                const struct iba_change c = {.list = lists[l], .row = i, .kind = (uint8_t)kind};
                return breaches(&(struct mutant){.change = &c});
            }
    return UINT64_MAX;
}

static uint64_t breaches_of_rule(const char *list, const char *row, enum iba_change_kind kind)
{
    static const struct iba_rules *const tables[] = {
#define TABLE(id, rules, title) &rules,
        IBA_RULE_TABLES(TABLE)};
    static struct iba_changed_rules changed;

    for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++)
        for (uint16_t i = 0; i < tables[t]->n; i++)
            if (strcmp(tables[t]->name, list) == 0 && strcmp(tables[t]->row[i].name, row) == 0) {
                cr_assert(iba_rules_change(&changed, (enum iba_rule_table)t, i, kind, 0));
                return breaches(&(struct mutant){.rules = &changed.rules, .table = (enum iba_rule_table)t});
            }
    return UINT64_MAX;
}

Test(broken, shows_on_the_wire)
{
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        uint64_t found = breaches_of_rule(broken[i].list, broken[i].row, broken[i].kind);
        if (found == UINT64_MAX)
            found = breaches_of_behaviour(broken[i].list, broken[i].row, broken[i].kind);
        cr_expect_neq(found, UINT64_MAX, "no row %s.%s", broken[i].list, broken[i].row);
        cr_expect(found >> broken[i].finding & 1, "%s.%s: no %s", broken[i].list, broken[i].row,
                  iba_findings[broken[i].finding].name);
    }
}

Test(broken, a_whole_one_shows_nothing)
{
    cr_assert_eq(breaches(&(struct mutant){0}), 0);
}
