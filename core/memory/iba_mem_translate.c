/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include "iba_mem.h"
#include "deviations_memory.h"
#include "wire/iba_behaviours.h"

/* An access and the entry of its key: entry 0, which is never in use, if there is none. */
struct lookup {
    const struct iba_mem *m;
    const struct iba_reach *r;
    const struct iba_mkey *k;
};

static bool no_index(const struct lookup *l)
{
    return l->k == l->m->key;
}

/* A window has no L_Key. */
static bool not_in_force(const struct lookup *l)
{
    return l->k->state != IBA_MEM_VALID || (l->k->kind != IBA_MEM_MR && !l->r->remote);
}

static bool key_byte(const struct lookup *l)
{
    return iba_key_byte(l->r->key) != (l->r->remote ? l->k->rkey_byte : l->k->lkey_byte);
}

static bool other_pd(const struct lookup *l)
{
    return l->k->kind != IBA_MEM_MW2A && l->k->pd != l->r->pd;
}

static bool other_qp(const struct lookup *l)
{
    return (l->k->kind == IBA_MEM_MW2A || l->k->kind == IBA_MEM_MW2B) && l->k->qpn != l->r->qpn;
}

/* Uses only differences that cannot wrap: it never computes va + length nor the entry's end. */
static bool range(const struct lookup *l)
{
    const uint64_t va = l->r->va, first = l->k->va, bytes = l->k->length;

    return !l->r->whole && (va < first || va - first > bytes || l->r->length > bytes - (va - first));
}

static bool right(const struct lookup *l)
{
    return (l->r->need & ~l->k->access) != 0;
}

static uint64_t offset(const struct lookup *l)
{
    return l->r->whole ? 0 : l->r->va - l->k->va;
}

static bool absent(const struct lookup *l)
{
    const struct iba_mkey *k = l->k, *mr = k->kind == IBA_MEM_MR ? k : &l->m->key[k->parent];
    const uint64_t first = (uint64_t)(k->base - mr->base) + offset(l), n = l->r->whole ? k->length : l->r->length;

    if (!k->present || n == 0)
        return false;
    for (uint64_t page = first / IBA_MEM_PAGE; page <= (first + n - 1) / IBA_MEM_PAGE; page++)
        if (!(k->present[page / 8] >> page % 8 & 1))
            return true;
    return false;
}

static bool reached(const struct lookup *l)
{
    (void)l;
    return true;
}

/* clang-format off */
/* The kinds are those of the row as a behaviour: OTHER, it answers "not there yet" for "refused", or the other way
 * round. A row that protects host memory is always in its place.
 *    when          verdict   guard  kinds               the access ...                                                  clause */
#define RULES(R)                                                                                                                           \
    R(no_index,     NO_KEY,   true,  OTHER,              "has a key that names no entry of the table, as the reserved L_Key", "QS-54, QS-60") \
    R(not_in_force, NO_KEY,   true,  OTHER,              "has a key that is freed, unbound or invalid, or a window's key locally", "QS-57, QS-59") \
    R(key_byte,     KEY_BYTE, false, DROP | OTHER,       "has a key byte other than the one in force",                 "QS-54, QS-62")     \
    R(other_pd,     PD,       false, DROP | OTHER,       "is for another protection domain (not checked for type 2A)", "QS-54, QS-55")     \
    R(other_qp,     PD,       false, DROP | OTHER,       "comes from another QP than the one that bound the type 2 window", "QS-69, QS-48") \
    R(range,        RANGE,    true,  OTHER,              "exceeds the region or window, or 2^64",                      "QS-54, QS-71")     \
    R(right,        RIGHT,    false, DROP | SWAP | OTHER, "needs a right that the region or window does not grant",    "QS-54, QS-55")     \
    R(absent,       ABSENT,   false, DROP | OTHER,       "includes an absent page",                                    "RR-50")            \
    R(reached,      OK,       true,  0,                  "is granted: host address = base + (va - first va)",          "RR-41, QS-56")
/* clang-format on */

#define INFO(when, verdict, guard, kinds, sentence, clause) {#when, sentence, clause, IBA_REACH_##verdict, guard},
const struct iba_mem_rule_info iba_mem_rules[] = {RULES(INFO)};
const size_t iba_mem_rule_count = sizeof iba_mem_rules / sizeof *iba_mem_rules;

#define BEHAVIOUR(when, verdict, guard, kinds, sentence, clause)                                                       \
    IBA_BEHAVIOUR_ROW(when, kinds, "answers " #verdict " to an access that " sentence, clause)
static const struct iba_behaviour behaviours[] = {RULES(BEHAVIOUR)};
const struct iba_behaviours iba_reach_behaviours = {
    .name = "translation",
    .row = behaviours,
    .n = sizeof behaviours / sizeof *behaviours - 1 /* all but the row that grants */
};

enum {
#define ROW(when, ...) ROW_##when,
    RULES(ROW) ROW_COUNT
};
_Static_assert(ROW_COUNT <= sizeof((struct iba_mem *)0)->hits / sizeof(uint32_t), "a counter for each rule");

static unsigned first_that_applies(const struct lookup *l)
{
#define FIRST(when, verdict, guard, ...)                                                                               \
    if (((guard) || !(l->m->left_out >> ROW_##when & 1)) && when(l))                                                   \
        return ROW_##when;
    RULES(FIRST)
    return ROW_reached; /* as in the last row */
}

/* The same walk for a device with a changed row. */
static unsigned first_of_changed(const struct lookup *l)
{
    static bool (*const applies[])(const struct lookup *l) = {
#define WHEN(when, ...) when,
        RULES(WHEN)};

    for (unsigned at = 0; at < ROW_reached; at++) {
        const unsigned i = iba_row_for(l->m->change, &iba_reach_behaviours, at);
        if ((iba_mem_rules[i].guard || iba_keeps(l->m->change, &iba_reach_behaviours, i)) && applies[i](l))
            return i;
    }
    return ROW_reached;
}

static enum iba_mem_verdict verdict_of(const struct iba_mem *m, unsigned i)
{
    const enum iba_mem_verdict v = iba_mem_rules[i].verdict;

    if (v == IBA_REACH_OK || !iba_deviates(m->change, &iba_reach_behaviours, i))
        return v;
    return v == IBA_REACH_ABSENT ? IBA_REACH_RIGHT : IBA_REACH_ABSENT;
}

static enum iba_mem_verdict reach_of_changed(struct iba_mem *m, const struct lookup *l, uint8_t **host)
{
    const unsigned i = first_of_changed(l);

    m->hits[i]++;
    *host = i == ROW_reached ? l->k->base + offset(l) : NULL;
    return verdict_of(m, i);
}

enum iba_mem_verdict iba_mem_reach(struct iba_mem *m, const struct iba_reach *r, uint8_t **host)
{
    const uint32_t index = iba_key_index(r->key);
    const struct lookup l = {m, r, &m->key[index < m->n_key ? index : 0]};
    unsigned i;

    assert(host);
    if (m->deviate && m->change->list == &iba_reach_behaviours)
        return reach_of_changed(m, &l, host);
    i = first_that_applies(&l);
    m->hits[i]++;
    *host = iba_mem_rules[i].verdict == IBA_REACH_OK ? l.k->base + offset(&l) : NULL;
    return iba_mem_rules[i].verdict;
}
