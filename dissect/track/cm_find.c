/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the connection of a data packet. */
#include "track/cm_message.h"
#include "mad/iba_mad.h"

struct cm_end_key cm_end_key(uint32_t qpn, uint8_t kind, const uint8_t *addr)
{
    struct cm_end_key k = {.qpn = qpn, .lid = kind == IBA_ADDR_LID};

    if (kind == IBA_ADDR_IPV4)
        iba_gid_set_ipv4(k.addr, (uint32_t)iba_bits_get(addr, 0, 32)); /* A17 */
    else
        memcpy(k.addr, addr, sizeof k.addr);
    return k;
}

bool cm_nth_key(const struct cm_connection *c, const struct cm_end *e, unsigned n, struct cm_end_key *k)
{
    static const uint8_t none[16] = {0};
    uint8_t lid[16] = {0};

    if (n == 0)
        *k = cm_end_key(e->qpn, c->kind, e->addr);
    else if (n <= CM_PATHS)
        *k = cm_end_key(e->qpn, IBA_ADDR_GID, e->gid[n - 1]);
    else {
        iba_bits_put(lid, 0, 16, e->lid[n - 1 - CM_PATHS]);
        *k = cm_end_key(e->qpn, IBA_ADDR_LID, lid);
    }
    return n == 0 || memcmp(k->addr, none, sizeof none) != 0;
}

size_t cm_end_bucket(const struct cm_end_key *k)
{
    return stat_hash(k, sizeof *k) % CM_BUCKETS;
}

/* Whether the end has this address: the address of its messages, or of a path of the connection. */
static bool end_is_at(const struct cm_connection *c, const struct cm_end *e, uint8_t kind, const uint8_t *addr)
{
    static const uint8_t none[16] = {0};
    uint8_t gid[16];
    bool at = c->kind == kind && memcmp(e->addr, addr, sizeof e->addr) == 0;

    if (kind == IBA_ADDR_IPV4)
        iba_gid_set_ipv4(gid, (uint32_t)iba_bits_get(addr, 0, 32)); /* A17 */
    else
        memcpy(gid, addr, sizeof gid);
    for (unsigned i = 0; i < CM_PATHS && !at; i++)
        if (kind == IBA_ADDR_LID)
            at = e->lid[i] != 0 && e->lid[i] == iba_bits_get(addr, 0, 16);
        else
            at = memcmp(e->gid[i], gid, sizeof gid) == 0 && memcmp(gid, none, sizeof gid) != 0;
    return at;
}

struct walk {
    const struct cm_track *t;
    uint16_t link;
    struct cm_end_key key;
};

/* The next connection with an end of this key. The connection whose QP was seen last comes first. Other keys in the
 * same bucket are skipped, since the secret of the hash decides which keys share a bucket. */
static const struct cm_connection *walk_on(struct walk *w, const struct cm_end **end, const struct cm_end **other)
{
    while (w->link) {
        const unsigned n = (w->link - 1u) / CM_KEYS, key = (w->link - 1u) % CM_KEYS;
        const struct cm_connection *c = &w->t->connection[n / 2];
        *end = n % 2 ? &c->passive : &c->active;
        *other = n % 2 ? &c->active : &c->passive;
        w->link = (*end)->key[key].next;
        struct cm_end_key is;
        if (cm_nth_key(c, *end, key, &is) && memcmp(&is, &w->key, sizeof is) == 0)
            return c;
    }
    return NULL;
}

static struct walk walk_from(const struct cm_track *t, uint8_t kind, const uint8_t *addr, uint32_t qpn)
{
    const struct cm_end_key k = cm_end_key(qpn, kind, addr);

    return (struct walk){t, t->qp_bucket[cm_end_bucket(&k)], k};
}

static bool lasts(const struct cm_connection *c)
{
    return !c->outlived && (c->state == CM_REPLIED || c->state == CM_ESTABLISHED || c->state == CM_RELEASING);
}

/* The datagram service of a QP, if the connection manager assigned this QP at this address to a service. */
static const struct cm_connection *service_at(const struct cm_track *t, uint8_t kind, const uint8_t *addr, uint32_t qpn)
{
    struct walk w = walk_from(t, kind, addr, qpn);
    const struct cm_connection *c;
    const struct cm_end *end, *other;

    while ((c = walk_on(&w, &end, &other)) != NULL)
        if (c->sidr && lasts(c) && end_is_at(c, end, kind, addr))
            return c;
    return NULL;
}

const struct cm_connection *cm_track_of(const struct cm_track *t, const struct iba_view *v,
                                        const struct cm_end **source)
{
    const struct cm_connection *c;
    const struct cm_end *end, *other;
    struct stat_addrs a;

    *source = NULL;
    if (t->begun == 0 || !v->op || v->icrc == IBA_CHECK_BAD || !iba_view_has_bth(v) || !stat_addrs_get(&a, v))
        return NULL;
    const uint32_t dst_qpn = iba_bth_destqp(iba_view_bth(v));
    if (iba_view_has(v, IBA_H_deth)) {
        c = service_at(t, a.kind, a.dst, dst_qpn);
        return c ? c : service_at(t, a.kind, a.src, iba_deth_srcqp(iba_view_hdr(v, IBA_H_deth)));
    }
    struct walk w = walk_from(t, a.kind, a.dst, dst_qpn);
    while ((c = walk_on(&w, &end, &other)) != NULL)
        if (!c->sidr && lasts(c) && other->known && end_is_at(c, end, a.kind, a.dst) &&
            end_is_at(c, other, a.kind, a.src)) {
            *source = other;
            return c;
        }
    return NULL;
}

const struct cm_connection *cm_track_find(const struct cm_track *t, uint8_t kind, const uint8_t *src,
                                          const uint32_t *src_qpn, const uint8_t *dst, uint32_t dst_qpn, bool *active)
{
    if (t->begun == 0)
        return NULL;
    struct walk w = walk_from(t, kind, dst, dst_qpn);
    const struct cm_connection *c;
    const struct cm_end *end, *other;

    while ((c = walk_on(&w, &end, &other)) != NULL) {
        *active = end == &c->passive;
        if (!c->sidr && other->known && (!src_qpn || other->qpn == *src_qpn) && end_is_at(c, end, kind, dst) &&
            end_is_at(c, other, kind, src))
            return c;
    }
    return NULL;
}
