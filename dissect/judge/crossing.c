/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/crossing.h"
#include "track/addr.h"

bool crossing_key_of(struct crossing_key *k, const struct packet *p)
{
    const struct iba_view *v = &p->view;
    const uint8_t *lrh, *bth;

    if (!iba_view_has(v, IBA_H_lrh) || v->proto != IBA_PROTO_IB || iba_view_is_damaged(v) || v->truncated ||
        v->end > v->caplen || v->end < IBA_ICRC_BYTES)
        return false;
    lrh = iba_view_hdr(v, IBA_H_lrh);
    bth = iba_view_bth(v);
    *k = (struct crossing_key){.psn = iba_bth_psn(bth),
                               .qp = iba_bth_destqp(bth),
                               .bytes = v->end - v->at[IBA_H_lrh],
                               .dlid = (uint16_t)iba_lrh_dlid(lrh),
                               .slid = (uint16_t)iba_lrh_slid(lrh)};
    memcpy(&k->icrc, v->wire + v->end - IBA_ICRC_BYTES, sizeof k->icrc);
    return true;
}

static uint32_t *bucket_of(struct crossings *c, const struct crossing_key *k)
{
    return &c->bucket[stat_hash(k, sizeof *k) % CROSSING_BUCKETS];
}

struct crossing *crossing_next(struct crossings *c)
{
    return &c->item[c->next];
}

/* The index of the packet's flow, plus 1. A new flow gets a place. 0: there is no room for it. */
static size_t flow_of(struct crossings *c, const struct crossing *x)
{
    const struct crossing_flow like = {.key = {x->node, x->key.slid, x->key.dlid, x->in, x->sl}};
    const struct stat_items t = {c->flow, sizeof *c->flow, CROSSING_FLOWS, &c->n_flow, c->flow_slot};

    return stat_item_or_new(&t, &like.key, sizeof like.key);
}

void crossing_enter(struct crossings *c, const struct crossing *x)
{
    struct crossing *to = crossing_next(c);
    uint32_t *bucket = bucket_of(c, &x->key);

    if (to->used)
        crossing_remove(c, to);
    *to = *x;
    to->used = true;
    to->flow = (uint16_t)flow_of(c, x);
    to->newer = 0;
    to->older = *bucket;
    if (*bucket)
        c->item[*bucket - 1].newer = c->next + 1;
    *bucket = ++c->next;
    c->next %= CROSSINGS;
}

struct crossing *crossing_find(struct crossings *c, const struct crossing_key *k, uint16_t node, bool any)
{
    for (uint32_t i = *bucket_of(c, k); i; i = c->item[i - 1].older) {
        struct crossing *x = &c->item[i - 1];
        if ((x->node == node) != any && memcmp(&x->key, k, sizeof *k) == 0)
            return x;
    }
    return NULL;
}

void crossing_remove(struct crossings *c, struct crossing *x)
{
    if (x->older)
        c->item[x->older - 1].newer = x->newer;
    if (x->newer)
        c->item[x->newer - 1].older = x->older;
    else
        *bucket_of(c, &x->key) = x->older;
    x->used = false;
}

void crossing_leave(struct crossings *c, struct crossing *x)
{
    if (x->flow && c->flow[x->flow - 1].left < x->frame)
        c->flow[x->flow - 1].left = x->frame;
    crossing_remove(c, x);
}

bool crossing_overtaken(const struct crossings *c, const struct crossing *x)
{
    return x->flow && c->flow[x->flow - 1].left > x->frame;
}
