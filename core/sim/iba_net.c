/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_net.h"
#include <assert.h>
#include <string.h>

enum { ECN_CE = 3 };

void iba_net_init(struct iba_net *n, uint64_t seed, const struct iba_net_faults *f, enum iba_link link,
                  struct iba_net_slot *slot, uint8_t *bytes, uint32_t n_slot, uint32_t slot_bytes)
{
    *n = (struct iba_net){
        .faults = *f,
        .link = link,
        .slot = slot,
        .bytes = bytes,
        .n_slot = n_slot,
        .slot_bytes = slot_bytes,
        .next = {IBA_NEVER, IBA_NEVER},
    };
    iba_random_seed(&n->random, seed);
    for (uint32_t i = 0; i < n_slot; i++)
        slot[i] = (struct iba_net_slot){0};
}

static void report(const struct iba_net *n, enum iba_net_fate what, uint64_t frame, uint8_t from, iba_time at)
{
    const struct iba_net_event e = {.at = at, .frame = frame, .what = what, .from = from};

    if (n->log)
        n->log(n->log_ctx, &e);
}

static bool happens(struct iba_random *r, uint32_t per_million)
{
    return iba_random_below(r, 1000000) < per_million;
}

/* The faults of one frame. All random numbers are drawn before any fault is applied, so no fault changes the numbers
 * of another. */
struct fate {
    bool lose, duplicate, corrupt, reorder, mark;
    iba_time due, copy_due;
    uint64_t flips;
};

/* Returns the time at which a frame that is sent now leaves. The next frame to side `to` leaves `spacing_ns` later, or
 * after that. */
static iba_time leaves(struct iba_net *n, uint8_t to, iba_time now)
{
    const iba_time begins = n->wire[to] > now ? n->wire[to] : now;

    n->wire[to] = begins + n->faults.spacing_ns;
    return begins;
}

static struct fate draw(struct iba_random *r, const struct iba_net_faults *f, iba_time now)
{
    struct fate x;

    x.lose = happens(r, f->lose);
    x.duplicate = happens(r, f->duplicate);
    x.corrupt = happens(r, f->corrupt);
    x.reorder = happens(r, f->reorder);
    x.mark = happens(r, f->ecn_mark);
    x.flips = iba_random_next(r);
    x.due = now + f->delay_ns + iba_random_below(r, f->jitter_ns + 1) + (x.reorder ? f->reorder_ns : 0);
    x.copy_due = now + f->delay_ns + iba_random_below(r, f->jitter_ns + 1);
    return x;
}

/* Flips different bits, so that no bit is flipped back. */
static void corrupt(uint8_t *frame, size_t len, uint64_t seed)
{
    struct iba_random r;
    uint64_t bit[3], n;

    iba_random_seed(&r, seed);
    n = 1 + iba_random_below(&r, 3);
    for (uint64_t i = 0, k; i < n; i++) {
        do {
            bit[i] = iba_random_below(&r, len * 8);
            for (k = 0; bit[k] != bit[i]; k++)
                ;
        } while (k < i);
        frame[bit[i] / 8] ^= (uint8_t)(1u << bit[i] % 8);
    }
}

/* Sets CE. The checksum is updated by the difference of one word (RFC 1624), so a wrong checksum stays wrong. */
static void mark_ipv4(uint8_t *ip)
{
    const uint32_t before = (uint32_t)iba_bits_get(ip, 0, 16);
    uint32_t sum;

    iba_ipv4_set_ecn(ip, ECN_CE);
    sum = (uint16_t)~iba_ipv4_checksum(ip) + (~before & 0xffff) + (uint32_t)iba_bits_get(ip, 0, 16);
    sum = (sum & 0xffff) + (sum >> 16);
    iba_ipv4_set_checksum(ip, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
}

/* Sets FECN. The ICRC does not cover FECN, but the VCRC of InfiniBand does, and is updated. */
static void mark_fecn(const struct iba_view *v, uint8_t *frame)
{
    uint8_t *lrh = frame + v->l3_at, *vcrc = frame + v->end;
    const bool covered =
        v->l3 == IBA_H_lrh && v->vcrc == IBA_CHECK_PENDING && iba_vcrc(lrh, v->end - v->l3_at) == iba_le16(vcrc);

    iba_bth_set_fecn(frame + v->bth_at, 1);
    if (covered)
        iba_put_le16(vcrc, iba_vcrc(lrh, v->end - v->l3_at));
}

static bool mark(enum iba_link link, uint8_t *frame, size_t len)
{
    struct iba_view v;

    iba_view_parse(&v, link, frame, len, len, NULL);
    if (!iba_view_has_bth(&v))
        return false;
    switch (v.l3) {
    case IBA_H_ipv4: mark_ipv4(frame + v.l3_at); return true;
    case IBA_H_ipv6: iba_ipv6_set_ecn(frame + v.l3_at, ECN_CE); return true;
    case IBA_H_lrh:
    case IBA_H_grh: mark_fecn(&v, frame); return true;
    default: return false; /* the frame is cut so short that its network header is unknown */
    }
}

static uint8_t *slot_at(const struct iba_net *n, uint32_t i)
{
    return n->bytes + (size_t)i * n->slot_bytes;
}

/* Takes a free slot and copies `len` bytes into it. Returns the slot's index; n->n_slot: no slot is free. */
static uint32_t take(struct iba_net *n, const uint8_t *bytes, size_t len, uint64_t frame, uint8_t to)
{
    uint32_t i = n->free;

    while (i < n->n_slot && n->slot[i].used)
        i++;
    n->free = i;
    if (i == n->n_slot)
        return i;
    n->free = i + 1;
    if (n->top < n->free)
        n->top = n->free;
    n->slot[i] =
        (struct iba_net_slot){.serial = n->serial++, .frame = frame, .len = (uint32_t)len, .to = to, .used = true};
    memcpy(slot_at(n, i), bytes, len);
    return i;
}

static void schedule(struct iba_net *n, uint32_t i, iba_time due)
{
    iba_time *next = &n->next[n->slot[i].to];

    n->slot[i].due = due;
    if (due < *next)
        *next = due;
}

static void release(struct iba_net *n, uint32_t i)
{
    n->slot[i].used = false;
    if (i < n->free)
        n->free = i;
    while (n->top > 0 && !n->slot[n->top - 1].used)
        n->top--;
}

void iba_net_send(struct iba_net *n, uint8_t from, const uint8_t *frame, size_t len, iba_time now)
{
    const uint64_t id = n->frames++;
    const uint8_t to = from ^ 1;
    struct iba_random own;
    struct fate x;
    uint32_t i, copy;

    assert(from <= 1 && len > 0 && len <= n->slot_bytes);
    iba_random_seed(&own, iba_random_next(&n->random));
    x = draw(&own, &n->faults, leaves(n, to, now));
    report(n, IBA_NET_SENT, id, from, now);
    i = x.lose ? n->n_slot : take(n, frame, len, id, to);
    if (i == n->n_slot) {
        n->overflow += !x.lose;
        report(n, IBA_NET_LOST, id, from, now);
        return;
    }
    if (x.mark && mark(n->link, slot_at(n, i), len))
        report(n, IBA_NET_MARKED, id, from, now);
    if (x.corrupt) {
        corrupt(slot_at(n, i), len, x.flips);
        report(n, IBA_NET_CORRUPTED, id, from, now);
    }
    if (x.reorder)
        report(n, IBA_NET_REORDERED, id, from, now);
    schedule(n, i, x.due);
    copy = x.duplicate ? take(n, slot_at(n, i), len, id, to) : n->n_slot;
    if (copy == n->n_slot)
        return;
    report(n, IBA_NET_DUPLICATED, id, from, now);
    schedule(n, copy, x.copy_due);
}

/* Returns the slot that is due first at side `to`, and sets n->next[to] to the time at which the slot after it is due.
 */
static uint32_t first_due(struct iba_net *n, uint8_t to)
{
    uint32_t first = n->n_slot;
    iba_time rest = IBA_NEVER;

    for (uint32_t i = 0; i < n->top; i++) {
        const struct iba_net_slot *s = &n->slot[i];
        if (!s->used || s->to != to)
            continue;
        if (first == n->n_slot) {
            first = i;
            continue;
        }
        const struct iba_net_slot *f = &n->slot[first];
        const bool sooner = s->due < f->due || (s->due == f->due && s->serial < f->serial);
        const iba_time other = sooner ? f->due : s->due;
        rest = other < rest ? other : rest;
        first = sooner ? i : first;
    }
    n->next[to] = rest;
    return first;
}

size_t iba_net_receive(struct iba_net *n, uint8_t to, uint8_t *buf, size_t cap, iba_time now)
{
    uint32_t i;
    size_t len;

    assert(to <= 1 && cap >= n->slot_bytes);
    (void)cap;
    if (n->next[to] > now || n->next[to] == IBA_NEVER)
        return 0;
    i = first_due(n, to);
    len = n->slot[i].len;
    memcpy(buf, slot_at(n, i), len);
    release(n, i);
    report(n, IBA_NET_DELIVERED, n->slot[i].frame, to ^ 1, now);
    return len;
}

iba_time iba_net_deadline(const struct iba_net *n)
{
    return n->next[0] < n->next[1] ? n->next[0] : n->next[1];
}
