/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <string.h>
#include "iba_mem_pieces.h"
#include "deviations_memory.h"
#include "wire/iba_behaviours.h"

/* An access and the entry of its key; if there is none entry 0, which is never in use. */
struct lookup {
    const struct iba_mem *m;
    const struct iba_reach *r;
    const struct iba_mkey *k;
    unsigned depth; /* number of levels of regions of pieces above the entry */
};

static enum iba_mem_verdict below(const struct lookup *l);

static bool no_index(const struct lookup *l)
{
    return l->k == l->m->key;
}

/* The key gives no access: its entry is free or invalid, or a local access names a window, which has no L_Key. */
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

static bool range(const struct lookup *l)
{
    return !l->r->whole && iba_mkey_lacks(l->k, l->r->va, l->r->length);
}

static bool right(const struct lookup *l)
{
    return (l->r->need & ~l->k->access) != 0;
}

static uint64_t offset(const struct lookup *l)
{
    return l->r->whole ? 0 : l->r->va - l->k->va;
}

static bool piece(const struct lookup *l)
{
    const enum iba_mem_verdict v = l->k->pieces && l->depth == 0 ? below(l) : IBA_REACH_OK;

    return v != IBA_REACH_OK && v != IBA_REACH_ABSENT;
}

static bool absent(const struct lookup *l)
{
    const struct iba_mkey *k = l->k, *mr = k->kind == IBA_MEM_MR ? k : &l->m->key[k->parent];
    const uint64_t n = l->r->whole ? k->length : l->r->length;

    if (k->pieces)
        return l->depth == 0 && below(l) == IBA_REACH_ABSENT;
    if (!k->present || n == 0)
        return false;
    const uint64_t first = (uint64_t)(k->base - mr->base) + offset(l);
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
    R(piece,        RANGE,    true,  OTHER,              "includes bytes of a piece to which the piece's own key gives no access", "QS-54, VN-11")     \
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
    return ROW_reached; /* the condition of the last row always holds */
}

/* Returns the access to one block under the key of its piece. It is a local access, even when the access to the region
 * of pieces is remote. */
static struct iba_reach reach_of_run(const struct lookup *above, const struct iba_run *run)
{
    const bool writes =
        (above->r->need & (IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_ATOMIC)) != 0;

    return (struct iba_reach){.va = run->addr,
                              .length = run->length,
                              .key = run->piece->lkey,
                              .pd = above->k->pd,
                              .qpn = UINT32_MAX,
                              .need = writes ? IBA_ACCESS_LOCAL_WRITE : 0};
}

/* Bytes that are copied into a region, or out of it. */
struct cargo {
    const uint8_t *from; /* NULL: bytes are copied out of the region, to `to` */
    uint8_t *to;
};

static void move_run(uint8_t *host, struct cargo *c, size_t n)
{
    if (c->from) {
        memcpy(host, c->from, n);
        c->from += n;
    } else {
        memcpy(c->to, host, n);
        c->to += n;
    }
}

/* Checks the key of each block of these bytes, down to ordinary regions, and moves the bytes if `c` is not NULL. At the
 * first verdict that is not OK it stops, and returns that verdict. */
static enum iba_mem_verdict through_pieces(const struct lookup *l, uint64_t at, uint64_t n, struct cargo *c)
{
    enum iba_mem_verdict v = l->depth < IBA_MEM_DEPTH ? IBA_REACH_OK : IBA_REACH_NO_KEY;
    struct iba_run run = iba_run_at(l->k->pieces, at, n);

    for (uint64_t done = 0; done < n && v == IBA_REACH_OK; iba_run_next(l->k->pieces, &run, n - done)) {
        const struct iba_reach r = reach_of_run(l, &run);
        const struct lookup one = {l->m, &r, iba_mem_entry(l->m, r.key), l->depth + 1};
        v = iba_mem_rules[first_that_applies(&one)].verdict;
        if (v == IBA_REACH_OK && one.k->pieces)
            v = through_pieces(&one, offset(&one), run.length, c);
        else if (v == IBA_REACH_OK && c)
            move_run(one.k->base + offset(&one), c, run.length);
        done += run.length;
    }
    return v;
}

/* Returns the verdict of the pieces' keys on the first IBA_MEM_PAGE bytes of an access. */
static enum iba_mem_verdict below(const struct lookup *l)
{
    const uint64_t all = l->r->whole ? 0 : l->r->length;

    return through_pieces(l, offset(l), all < IBA_MEM_PAGE ? all : IBA_MEM_PAGE, NULL);
}

/* The table may have changed since iba_mem_reach(), so the keys of the pieces are checked again. A key that refuses
 * ends the move, and has no other effect. */
static void move(const struct iba_place *p, struct cargo c, size_t n)
{
    const struct iba_reach r = {.need = c.from ? IBA_ACCESS_LOCAL_WRITE : 0};
    const struct lookup l = {p->mem, &r, p->key, 0};

    if (p->key->pieces)
        (void)through_pieces(&l, p->at, n, &c);
    else if (n > 0)
        move_run(p->key->base + p->at, &c, n);
}

void iba_mem_put(const struct iba_place *place, const uint8_t *from, size_t n)
{
    move(place, (struct cargo){.from = from}, n);
}

void iba_mem_get(const struct iba_place *place, uint8_t *to, size_t n)
{
    move(place, (struct cargo){.to = to}, n);
}

/* first_that_applies() for a device with a changed row. */
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

static struct iba_place place_of(const struct lookup *l, bool granted)
{
    return granted ? (struct iba_place){l->m, l->k, offset(l)} : (struct iba_place){0};
}

static enum iba_mem_verdict reach_of_changed(struct iba_mem *m, const struct lookup *l, struct iba_place *place)
{
    const unsigned i = first_of_changed(l);

    m->hits[i]++;
    *place = place_of(l, i == ROW_reached);
    return verdict_of(m, i);
}

enum iba_mem_verdict iba_mem_reach(struct iba_mem *m, const struct iba_reach *r, struct iba_place *place)
{
    const struct lookup l = {m, r, iba_mem_entry(m, r->key), 0};
    unsigned i;

    assert(place);
    if (m->deviate && m->change->list == &iba_reach_behaviours)
        return reach_of_changed(m, &l, place);
    i = first_that_applies(&l);
    m->hits[i]++;
    *place = place_of(&l, iba_mem_rules[i].verdict == IBA_REACH_OK);
    return iba_mem_rules[i].verdict;
}
