/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of a CM, and how a message finds its own.
 *
 * A communication ID contains the number of a slot, so that the CM finds the connection at once. The other bits of the
 * ID are random, so that a stranger cannot guess the ID. Three hash tables find a connection by the peer's ID, by the
 * peer's queue pair (MD-70, MD-73) and by its own queue pair. The keys of these tables come from packets. A secret
 * number in the hash keeps an attacker from making long chains. */
#include <assert.h>
#include <string.h>
#include "cm/iba_cm_input.h"

#define LAST UINT32_MAX /* of a chain */

static uint32_t slot_of(const struct iba_cm *cm, const struct iba_cm_conn *c)
{
    return (uint32_t)(c - cm->cfg.conn);
}

void iba_cm_conns_init(struct iba_cm *cm)
{
    memset(cm->cfg.conn, 0, cm->cfg.n_conn * sizeof *cm->cfg.conn);
    for (uint32_t i = 0; i < cm->cfg.n_conn; i++)
        cm->cfg.conn[i].due = IBA_NEVER;
    memset(cm->cfg.bucket, 0xff, (size_t)IBA_CM_KEYS * cm->cfg.n_conn * sizeof *cm->cfg.bucket);
    cm->operand = (uint32_t)cm->cfg.random(cm->cfg.ctx);
    cm->generation = (uint32_t)cm->cfg.random(cm->cfg.ctx);
    cm->seed = cm->cfg.random(cm->cfg.ctx);
    cm->tid = cm->cfg.random(cm->cfg.ctx);
}

/* ---- slots ---- */

static uint32_t id_of_slot(struct iba_cm *cm, uint32_t slot)
{
    const uint32_t most = (uint32_t)((UINT64_C(1) << 32) / cm->cfg.n_conn);

    return (cm->generation++ % most * cm->cfg.n_conn + slot) ^ cm->operand;
}

struct iba_cm_conn *iba_cm_conn_new(struct iba_cm *cm)
{
    for (uint32_t i = 0; i < cm->cfg.n_conn && cm->n_used < cm->cfg.n_conn; i++) {
        const uint32_t slot = cm->free_at;
        struct iba_cm_conn *c = &cm->cfg.conn[slot];
        cm->free_at = slot + 1 == cm->cfg.n_conn ? 0 : slot + 1;
        if (c->local_id)
            continue;
        memset(c, 0, sizeof *c);
        c->due = IBA_NEVER;
        c->listener = IBA_CM_NO_LISTENER;
        do
            c->local_id = id_of_slot(cm, slot);
        while (!c->local_id);
        cm->n_used++;
        return c;
    }
    return NULL;
}

struct iba_cm_conn *iba_cm_by_id(const struct iba_cm *cm, uint32_t id)
{
    struct iba_cm_conn *c = &cm->cfg.conn[(id ^ cm->operand) % cm->cfg.n_conn];

    return id && c->local_id == id ? c : NULL;
}

/* ---- chains ---- */

struct key {
    uint64_t guid;
    uint32_t number;
    bool known; /* false: the connection is in no chain */
};

/* A connection that waits for a REP, and would also take a REQ of its peer, is found by the service. The secret number
 * keeps a peer from choosing this key. */
static struct key key_of_peer(const struct iba_cm *cm, uint64_t service_id)
{
    return (struct key){service_id ^ cm->seed, 1, true};
}

static struct key key_of(const struct iba_cm *cm, const struct iba_cm_conn *c, enum iba_cm_key k)
{
    switch (k) {
    case IBA_CM_KEY_REMOTE_ID:
        if (c->peer)
            return key_of_peer(cm, iba_cm_req_serviceid(c->req));
        return (struct key){c->remote_guid, c->remote_id, c->known};
    case IBA_CM_KEY_REMOTE_QP: return (struct key){c->remote_guid, c->remote_qpn, c->remote_qpn != 0};
    default: return (struct key){0, c->local_qpn, c->local_qpn != 0};
    }
}

static uint32_t *bucket_of(const struct iba_cm *cm, enum iba_cm_key k, struct key key)
{
    uint64_t h = (key.guid ^ cm->seed) * UINT64_C(0x9e3779b97f4a7c15) + key.number;

    h = (h ^ h >> 29 ^ cm->seed >> 17) * UINT64_C(0xbf58476d1ce4e5b9);
    return &cm->cfg.bucket[(size_t)k * cm->cfg.n_conn + (h ^ h >> 32) % cm->cfg.n_conn];
}

static struct iba_cm_conn *find(const struct iba_cm *cm, enum iba_cm_key k, struct key key)
{
    if (!key.known)
        return NULL;
    for (uint32_t i = *bucket_of(cm, k, key); i != LAST; i = cm->cfg.conn[i].next[k]) {
        const struct key other = key_of(cm, &cm->cfg.conn[i], k);
        if (other.number == key.number && other.guid == key.guid)
            return &cm->cfg.conn[i];
    }
    return NULL;
}

static void unlink_key(struct iba_cm *cm, struct iba_cm_conn *c, enum iba_cm_key k)
{
    const struct key key = key_of(cm, c, k);

    if (!key.known)
        return;
    uint32_t *at = bucket_of(cm, k, key);
    while (*at != slot_of(cm, c)) {
        assert(*at != LAST);
        at = &cm->cfg.conn[*at].next[k];
    }
    *at = c->next[k];
}

static void link_key(struct iba_cm *cm, struct iba_cm_conn *c, enum iba_cm_key k)
{
    const struct key key = key_of(cm, c, k);

    if (!key.known)
        return;
    uint32_t *at = bucket_of(cm, k, key);
    c->next[k] = *at;
    *at = slot_of(cm, c);
}

void iba_cm_set_remote(struct iba_cm *cm, struct iba_cm_conn *c, uint64_t guid, uint32_t id, uint32_t qpn)
{
    unlink_key(cm, c, IBA_CM_KEY_REMOTE_ID);
    unlink_key(cm, c, IBA_CM_KEY_REMOTE_QP);
    c->peer = false;
    c->known = true;
    c->remote_guid = guid;
    c->remote_id = id;
    c->remote_qpn = qpn;
    link_key(cm, c, IBA_CM_KEY_REMOTE_ID);
    link_key(cm, c, IBA_CM_KEY_REMOTE_QP);
}

void iba_cm_set_local_qp(struct iba_cm *cm, struct iba_cm_conn *c, uint32_t qpn)
{
    unlink_key(cm, c, IBA_CM_KEY_LOCAL_QP);
    c->local_qpn = qpn;
    link_key(cm, c, IBA_CM_KEY_LOCAL_QP);
}

struct iba_cm_conn *iba_cm_by_remote_id(const struct iba_cm *cm, uint64_t guid, uint32_t id)
{
    return find(cm, IBA_CM_KEY_REMOTE_ID, (struct key){guid, id, true});
}

struct iba_cm_conn *iba_cm_by_remote_qp(const struct iba_cm *cm, uint64_t guid, uint32_t qpn)
{
    return find(cm, IBA_CM_KEY_REMOTE_QP, (struct key){guid, qpn, qpn != 0});
}

struct iba_cm_conn *iba_cm_by_local_qp(const struct iba_cm *cm, uint32_t qpn)
{
    return find(cm, IBA_CM_KEY_LOCAL_QP, (struct key){0, qpn, qpn != 0});
}

struct iba_cm_conn *iba_cm_peer_of(const struct iba_cm *cm, uint64_t service_id)
{
    return find(cm, IBA_CM_KEY_REMOTE_ID, key_of_peer(cm, service_id));
}

void iba_cm_set_peer(struct iba_cm *cm, struct iba_cm_conn *c)
{
    c->peer = true;
    link_key(cm, c, IBA_CM_KEY_REMOTE_ID);
}

void iba_cm_conn_free(struct iba_cm *cm, struct iba_cm_conn *c)
{
    iba_cm_set_timer(cm, c, IBA_NEVER);
    if (c->listener != IBA_CM_NO_LISTENER) /* the listener still counts it: only in a broken CM */
        cm->cfg.listener[c->listener].waiting--;
    for (unsigned k = 0; k < IBA_CM_KEYS; k++)
        unlink_key(cm, c, (enum iba_cm_key)k);
    memset(c, 0, sizeof *c);
    c->due = IBA_NEVER;
    cm->n_used--;
}
