/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the connection of a message by the communication IDs in the message. If the sender cannot know this end's ID,
 * its own ID is enough. */
#include <string.h>
#include "cm/deviations_cm.h"

/* A SIDR_REQ has no field that identifies its sender. So the sender's LID or GID makes the number that identifies it.
 * The subnet prefix is multiplied, so that node 1 of subnet 1 is not node 2 of subnet 2. */
uint64_t iba_cm_sidr_key(const struct iba_cm_rx *x)
{
    const struct iba_av *av = &x->from->av;

    return iba_bits_get(av->dgid, 0, 64) * UINT64_C(0x9e3779b97f4a7c15) ^ iba_bits_get(av->dgid, 64, 64) ^ av->dmac ^
           (uint64_t)av->dlid << 48 ^ 1;
}

/* The message agrees with the service ID and the private data that the listener asks for (MD-55, MD-60).
 * iba_cm_listen() takes no listener that compares more bytes than a REQ has, and a SIDR_REQ has more. */
static bool fits(const struct iba_cm_listen *l, uint64_t service, const uint8_t *priv)
{
    if (((service ^ l->service_id) & l->service_mask) != 0)
        return false;
    for (unsigned i = 0; i < l->compare_n; i++)
        if (((priv[l->compare_at + i] ^ l->compare[i]) & l->compare_mask[i]) != 0)
            return false;
    return true;
}

/* Whether listener `a` asks for more than `b`: the mask of `a` has a bit that the mask of `b` lacks, or both masks are
 * equal and `a` compares more private data. No clause says which of two listeners takes a message. */
static bool is_closer(const struct iba_cm_listen *a, const struct iba_cm_listen *b)
{
    const uint64_t more = a->service_mask & ~b->service_mask;

    return more != 0 || (a->service_mask == b->service_mask && a->compare_n > b->compare_n);
}

static struct iba_cm_listener *listener_of(const struct iba_cm_rx *x, bool datagrams, uint64_t service)
{
    struct iba_cm_listener *best = NULL;
    size_t at, n;

    iba_cm_private_place(datagrams ? IBA_CM_ID_SIDR_REQ : IBA_CM_ID_REQ, &at, &n);
    for (uint32_t i = 0; i < x->cm->cfg.n_listener; i++) {
        struct iba_cm_listener *l = &x->cm->cfg.listener[i];
        if (l->used && l->what.datagrams == datagrams && fits(&l->what, service, x->mad + at) &&
            (!best || is_closer(&l->what, &best->what)))
            best = l;
    }
    return best;
}

/* ---- one function for each kind of key ---- */

static void by_request(struct iba_cm_rx *x)
{
    const uint64_t guid = iba_cm_req_localcaguid(x->data);

    x->c = iba_cm_by_remote_id(x->cm, guid, iba_cm_req_localcommid(x->data));
    if (!x->c)
        x->stale = iba_cm_by_remote_qp(x->cm, guid, iba_cm_req_localqpn(x->data));
    if (!x->c && !x->stale)
        x->c = iba_cm_peer_of(x->cm, iba_cm_req_serviceid(x->data));
    if (!x->c)
        x->listener = listener_of(x, false, iba_cm_req_serviceid(x->data));
}

/* The two communication IDs are at the same offset in all messages that have both. */
static void by_both(struct iba_cm_rx *x)
{
    x->c = iba_cm_by_id(x->cm, iba_cm_rtu_remotecommid(x->data));
    if (x->c && IBA_KEEPS(x->cm, cm, REMOTE_ID) && (!x->c->known || x->c->remote_id != iba_cm_rtu_localcommid(x->data)))
        x->c = NULL;
}

/* Before the REP, the active end does not know the peer's ID. So the active end's own ID alone finds the connection. */
static void by_own_before_rep(struct iba_cm_rx *x)
{
    x->c = iba_cm_by_id(x->cm, iba_cm_rtu_remotecommid(x->data));
    if (x->c && x->c->known)
        by_both(x);
}

/* A peer that got no answer to its REQ or REP does not know this end's ID, or assumes that this end does not know the
 * peer. So the REJ of that peer has the peer's own ID (MD-74). */
static void by_rejected(struct iba_cm_rx *x)
{
    if (iba_cm_rej_reason(x->data) == IBA_CM_REJ_TIMEOUT && iba_cm_rej_rejinfolen(x->data) >= 8)
        x->c =
            iba_cm_by_remote_id(x->cm, iba_bits_get(iba_cm_rej_ari(x->data), 0, 64), iba_cm_rej_localcommid(x->data));
    else if (iba_cm_rej_msgrej(x->data) == 0)
        by_own_before_rep(x);
    else
        by_both(x);
}

static void by_reply(struct iba_cm_rx *x)
{
    by_own_before_rep(x);
    if (!x->c || x->c->known)
        return;
    x->stale = iba_cm_by_remote_qp(x->cm, iba_cm_rep_localcaguid(x->data), iba_cm_rep_qp(x->data, x->c->service));
}

static void by_service(struct iba_cm_rx *x)
{
    x->c = iba_cm_by_remote_id(x->cm, iba_cm_sidr_key(x), iba_cm_sidr_req_requestid(x->data));
    if (!x->c)
        x->listener = listener_of(x, true, iba_cm_sidr_req_serviceid(x->data));
}

static void by_request_id(struct iba_cm_rx *x)
{
    x->c = iba_cm_by_id(x->cm, iba_cm_sidr_rep_requestid(x->data));
}

void iba_cm_match(struct iba_cm_rx *x)
{
    switch ((enum iba_cm_input)x->on) {
    case IBA_CM_ON_REQ: by_request(x); break;
    case IBA_CM_ON_MRA: by_own_before_rep(x); break;
    case IBA_CM_ON_REJ: by_rejected(x); break;
    case IBA_CM_ON_REP: by_reply(x); break;
    case IBA_CM_ON_SIDR_REQ: by_service(x); break;
    case IBA_CM_ON_SIDR_REP: by_request_id(x); break;
    default: by_both(x); break;
    }
}
