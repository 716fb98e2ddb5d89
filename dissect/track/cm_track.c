/* SPDX-License-Identifier: BSD-2-Clause */
#include "track/cm_message.h"

const char *cm_state_name(enum cm_state s)
{
    static const char *const name[CM_STATES] = {"requested", "replied",   "established",
                                                "rejected",  "releasing", "released"};
    return name[s];
}

/* ---- connections by the identifier of their active end ---- */

struct id_key {
    uint32_t id;
    uint8_t kind, sidr, zero[2];
    uint8_t active[16], passive[16];
};

/* The bucket of a key. Of the connections of one key only the last is found, so it takes the place of the others. */
static uint16_t *bucket_of(struct cm_track *t, const struct id_key *k)
{
    return &t->bucket[stat_hash(k, sizeof *k) % CM_CONNECTIONS];
}

static struct id_key id_key(uint32_t id, bool sidr, uint8_t kind, const uint8_t *active, const uint8_t *passive)
{
    struct id_key k = {.id = id, .sidr = sidr, .kind = kind};

    memcpy(k.active, active, sizeof k.active);
    memcpy(k.passive, passive, sizeof k.passive);
    return k;
}

static struct id_key id_key_of(const struct cm_connection *c)
{
    return id_key(c->active.comm_id, c->sidr, c->kind, c->active.addr, c->passive.addr);
}

static void leave_bucket(struct cm_track *t, const struct cm_connection *c)
{
    const struct id_key k = id_key_of(c);
    const uint16_t self = (uint16_t)(c - t->connection + 1);
    uint16_t *at = bucket_of(t, &k);

    while (*at && *at != self)
        at = &t->connection[*at - 1].next;
    if (*at)
        *at = c->next;
}

/* ---- ends by address and QP ---- */

static struct cm_end *end_at(struct cm_track *t, uint16_t link, struct cm_connection **c, unsigned *key)
{
    const unsigned n = (link - 1u) / CM_KEYS;

    *key = (link - 1u) % CM_KEYS;
    *c = &t->connection[n / 2];
    return n % 2 ? &(*c)->passive : &(*c)->active;
}

static uint16_t *next_link(struct cm_track *t, uint16_t link)
{
    struct cm_connection *c;
    unsigned key;
    struct cm_end *e = end_at(t, link, &c, &key);

    return &e->key[key].next;
}

static void drop_link(struct cm_track *t, uint16_t link)
{
    struct cm_connection *c;
    unsigned key;
    struct cm_end *e = end_at(t, link, &c, &key);
    uint16_t *at = &t->qp_bucket[e->key[key].bucket - 1];

    while (*at && *at != link)
        at = next_link(t, *at);
    if (*at)
        *at = e->key[key].next;
    e->key[key].bucket = 0;
}

static uint16_t link_of(const struct cm_track *t, const struct cm_connection *c, const struct cm_end *e, unsigned key)
{
    return (uint16_t)(((size_t)(c - t->connection) * 2 + (e == &c->passive)) * CM_KEYS + key + 1);
}

static void drop_qp(struct cm_track *t, struct cm_connection *c, struct cm_end *e)
{
    for (unsigned n = 0; e->known && n < CM_KEYS; n++)
        if (e->key[n].bucket)
            drop_link(t, link_of(t, c, e, n));
    e->known = false;
}

/* Ends older connections with this QP at this end, whether their DREP was seen or not: a QP belongs to one connection
 * at a time. */
static void outlive(struct cm_track *t, const struct cm_connection *c, const struct cm_end *e, uint32_t qpn)
{
    const struct cm_end_key k = cm_end_key(qpn, c->kind, e->addr);

    for (uint16_t at = t->qp_bucket[cm_end_bucket(&k)]; at; at = *next_link(t, at)) {
        struct cm_connection *old;
        unsigned key;
        const struct cm_end *other = end_at(t, at, &old, &key);
        if (key != 0 || old == c || old->sidr || old->kind != c->kind || other->qpn != qpn ||
            memcmp(other->addr, e->addr, sizeof e->addr) != 0)
            continue;
        if (!old->outlived && old->state != CM_REQUESTED && old->state != CM_REJECTED) {
            t->reuses = old->begin_frame;
            t->reuses_source = old->begin_source;
        }
        old->outlived = true;
    }
}

/* Drops the oldest of many ends of one address and QP; otherwise their chain could have any length. */
static void drop_oldest(struct cm_track *t, size_t bucket, const struct cm_end_key *k)
{
    unsigned same = 0;
    uint16_t oldest = 0;

    for (uint16_t at = t->qp_bucket[bucket]; at; at = *next_link(t, at)) {
        struct cm_connection *c;
        struct cm_end_key is;
        unsigned key;
        const struct cm_end *e = end_at(t, at, &c, &key);
        if (cm_nth_key(c, e, key, &is) && memcmp(&is, k, sizeof is) == 0) {
            same++;
            oldest = at;
        }
    }
    if (same > CM_SAME)
        drop_link(t, oldest);
}

static bool has_key_before(const struct cm_connection *c, const struct cm_end *e, unsigned n,
                           const struct cm_end_key *k)
{
    struct cm_end_key is;

    for (unsigned i = 0; i < n; i++)
        if (cm_nth_key(c, e, i, &is) && memcmp(&is, k, sizeof is) == 0)
            return true;
    return false;
}

static void keep_qp(struct cm_track *t, struct cm_connection *c, struct cm_end *e, uint32_t qpn)
{
    struct cm_end_key k;

    drop_qp(t, c, e);
    outlive(t, c, e, qpn);
    e->known = true;
    e->qpn = qpn;
    for (unsigned n = 0; n < CM_KEYS; n++) {
        if (!cm_nth_key(c, e, n, &k) || has_key_before(c, e, n, &k))
            continue;
        const size_t bucket = cm_end_bucket(&k);
        e->key[n].bucket = (uint16_t)(bucket + 1);
        e->key[n].next = t->qp_bucket[bucket];
        t->qp_bucket[bucket] = link_of(t, c, e, n);
        drop_oldest(t, bucket, &k);
    }
}

/* ---- from begin to end ---- */

static void count_sent(struct cm_connection *c, enum cm_kept k, int64_t ns)
{
    struct cm_sent *s = &c->sent[k];

    if (s->n == 0)
        s->first_ns = ns;
    s->last_ns = ns;
    if (s->n < UINT16_MAX)
        s->n++;
}

static void forget(struct cm_track *t, struct cm_connection *c)
{
    if (t->ending)
        t->ending(t->ctx, c);
    drop_qp(t, c, &c->active);
    drop_qp(t, c, &c->passive);
    leave_bucket(t, c);
    t->forgotten++;
}

/* Begins a connection. replaces: the earlier connection of the same ends and identifier, or NULL. */
static struct cm_connection *begin(struct cm_track *t, const struct cm_message *in, uint32_t id, bool sidr,
                                   const struct cm_connection *replaces)
{
    struct cm_connection *c = &t->connection[t->begun++ % CM_CONNECTIONS];
    const struct id_key k = id_key(id, sidr, in->addrs.kind, in->addrs.src, in->addrs.dst);
    uint16_t *bucket = bucket_of(t, &k);

    if (replaces)
        leave_bucket(t, replaces);
    if (c->used)
        forget(t, c);
    *c = (struct cm_connection){.used = true, .sidr = sidr, .kind = in->addrs.kind, .next = *bucket};
    *bucket = (uint16_t)(c - t->connection + 1);
    memcpy(c->active.addr, in->addrs.src, sizeof c->active.addr);
    memcpy(c->passive.addr, in->addrs.dst, sizeof c->passive.addr);
    c->active.comm_id = id;
    c->begin_frame = in->p->number;
    c->begin_source = in->p->source;
    c->begin_ns = in->ns;
    count_sent(c, CM_KEPT_REQ, in->ns);
    return c;
}

static bool between(const struct cm_connection *c, const struct cm_message *in, bool from_active)
{
    const uint8_t *src = from_active ? c->active.addr : c->passive.addr;
    const uint8_t *dst = from_active ? c->passive.addr : c->active.addr;

    return c->kind == in->addrs.kind && memcmp(src, in->addrs.src, 16) == 0 && memcmp(dst, in->addrs.dst, 16) == 0;
}

/* The connection between the ends of the message with this identifier at its active end. */
static struct cm_connection *find(struct cm_track *t, const struct cm_message *in, uint32_t active_id, bool from_active,
                                  bool sidr)
{
    const uint8_t *active = from_active ? in->addrs.src : in->addrs.dst;
    const uint8_t *passive = from_active ? in->addrs.dst : in->addrs.src;
    const struct id_key k = id_key(active_id, sidr, in->addrs.kind, active, passive);

    for (uint16_t at = *bucket_of(t, &k); at; at = t->connection[at - 1].next) {
        struct cm_connection *c = &t->connection[at - 1];
        if (c->active.comm_id == active_id && c->sidr == sidr && between(c, in, from_active))
            return c;
    }
    return NULL;
}

/* The connection of a message with both identifiers, whichever end sent it. */
static struct cm_connection *find_either(struct cm_track *t, struct cm_message *in, uint32_t local, uint32_t remote)
{
    struct cm_connection *c = find(t, in, local, true, false);

    in->from_active = c && (!c->passive.known || remote == 0 || c->passive.comm_id == remote);
    if (in->from_active)
        return c;
    c = find(t, in, remote, false, false);
    if (!c)
        t->unknown++;
    return c;
}

/* Notes the addresses that data packets of the connection will have (MD-55). */
static void paths(struct cm_connection *c, const uint8_t *w)
{
    c->active.lid[0] = iba_cm_req_prim_locallid(w);
    c->active.lid[1] = iba_cm_req_alt_locallid(w);
    c->passive.lid[0] = iba_cm_req_prim_remotelid(w);
    c->passive.lid[1] = iba_cm_req_alt_remotelid(w);
    memcpy(c->active.gid[0], iba_cm_req_prim_localgid(w), 16);
    memcpy(c->active.gid[1], iba_cm_req_alt_localgid(w), 16);
    memcpy(c->passive.gid[0], iba_cm_req_prim_remotegid(w), 16);
    memcpy(c->passive.gid[1], iba_cm_req_alt_remotegid(w), 16);
}

static struct cm_connection *request(struct cm_track *t, struct cm_message *in, const uint8_t *w)
{
    struct cm_connection *c = find(t, in, iba_cm_req_localcommid(w), true, false);

    in->from_active = true;
    if (c && c->active.qpn == iba_cm_req_localqpn(w) && c->service_id == iba_cm_req_serviceid(w) &&
        c->active.psn == iba_cm_req_startpsn(w)) {
        c->again++; /* MD-68 */
        count_sent(c, CM_KEPT_REQ, in->ns);
        return c;
    }
    c = begin(t, in, iba_cm_req_localcommid(w), false, c);
    paths(c, w);
    keep_qp(t, c, &c->active, iba_cm_req_localqpn(w));
    c->active.psn = iba_cm_req_startpsn(w);
    c->active.reads = c->wanted_reads = iba_cm_req_initdepth(w);
    c->active.flow_control = iba_cm_req_e2eflowctrl(w);
    c->passive.reads = c->offered_reads = iba_cm_req_responderres(w);
    c->p_key = iba_cm_req_pkey(w);
    c->sl = iba_cm_req_prim_sl(w);
    c->traffic_class = iba_cm_req_prim_tfcclass(w);
    c->hop_limit = iba_cm_req_prim_hoplim(w);
    c->passive.rnr_retries = iba_cm_req_rnrretrcount(w); /* each end states what the other must do */
    c->service_id = iba_cm_req_serviceid(w);
    c->service = iba_cm_req_transpsvctype(w);
    c->extended = iba_cm_req_ext_transport(w);
    c->mtu_code = iba_cm_req_pppmtu(w);
    c->ack_timeout = iba_cm_req_prim_localacktout(w);
    c->retries = iba_cm_req_retrcount(w);
    c->cm_timeout = iba_cm_req_remoteresptout(w);
    c->cm_retries = iba_cm_req_maxcmretr(w);
    return c;
}

static void answered(struct cm_connection *c, const struct cm_message *in, enum cm_state s)
{
    if (c->answer_frame == 0) {
        c->answer_frame = in->p->number;
        c->answer_ns = in->ns;
    } else
        c->again++;
    c->state = (uint8_t)s;
}

static void ended(struct cm_connection *c, const struct cm_message *in)
{
    c->end_frame = in->p->number;
    c->end_ns = in->ns;
}

static struct cm_connection *reply(struct cm_track *t, struct cm_message *in, const uint8_t *w)
{
    struct cm_connection *c = find(t, in, iba_cm_rep_remotecommid(w), false, false);

    if (!c) {
        t->unknown++;
        return NULL;
    }
    answered(c, in, c->state > CM_REPLIED ? (enum cm_state)c->state : CM_REPLIED);
    count_sent(c, CM_KEPT_REP, in->ns);
    keep_qp(t, c, &c->passive, cm_is_xrc(c) ? iba_cm_rep_localeecn(w) : iba_cm_rep_localqpn(w));
    c->passive.comm_id = iba_cm_rep_localcommid(w);
    c->passive.psn = iba_cm_rep_startpsn(w);
    c->passive.reads = iba_cm_rep_initdepth(w); /* MD-62 */
    c->passive.flow_control = iba_cm_rep_e2eflowctrl(w);
    c->active.reads = iba_cm_rep_respres(w);
    c->active.rnr_retries = iba_cm_rep_rnrretrcount(w);
    return c;
}

static struct cm_connection *reject(struct cm_track *t, struct cm_message *in, const uint8_t *w)
{
    struct cm_connection *c = find_either(t, in, iba_cm_rej_localcommid(w), iba_cm_rej_remotecommid(w));

    t->refused = !c || c->state != CM_REJECTED;
    t->reason = iba_cm_rej_reason(w);
    if (!c)
        return NULL;
    if (!in->from_active)
        answered(c, in, CM_REJECTED);
    c->state = CM_REJECTED;
    if (c->refused)
        return c;
    c->refused = true;
    c->refused_by_active = in->from_active;
    c->reason = iba_cm_rej_reason(w);
    ended(c, in);
    return c;
}

static void count_step(struct cm_connection *c, const struct cm_message *in, uint16_t attribute)
{
    const uint8_t *mra = iba_mad_layout_at(in->m, IBA_M_cm_mra);

    if (attribute == IBA_CM_ID_RTU)
        count_sent(c, CM_KEPT_RTU, in->ns);
    else if (attribute == IBA_CM_ID_DREP)
        count_sent(c, CM_KEPT_DREP, in->ns);
    else if (attribute == IBA_CM_ID_DREQ) {
        if (!cm_was_sent(c, CM_KEPT_DREQ))
            c->released_by_active = in->from_active;
        if (c->released_by_active == in->from_active) /* both ends may send a DREQ */
            count_sent(c, CM_KEPT_DREQ, in->ns);
    }
    if (attribute == IBA_CM_ID_MRA && c->mras < UINT8_MAX)
        c->mras++;
    if (mra && !in->from_active) {
        c->asked = true;
        c->more_time = iba_cm_mra_servicetimeout(mra);
    }
}

/* Handles messages that change the state only. All of them begin with both identifiers. */
static struct cm_connection *step(struct cm_track *t, struct cm_message *in, const uint8_t *w, uint16_t attribute)
{
    struct cm_connection *c = find_either(t, in, iba_cm_rtu_localcommid(w), iba_cm_rtu_remotecommid(w));

    if (!c)
        return NULL;
    count_step(c, in, attribute);
    if (attribute == IBA_CM_ID_RTU && c->state == CM_REPLIED)
        c->state = CM_ESTABLISHED;
    else if (attribute == IBA_CM_ID_DREQ && c->state < CM_RELEASED)
        c->state = CM_RELEASING;
    else if (attribute == IBA_CM_ID_DREP) {
        c->state = CM_RELEASED;
        ended(c, in);
    }
    return c;
}

static struct cm_connection *resolution(struct cm_track *t, struct cm_message *in)
{
    const uint8_t *req = iba_mad_layout_at(in->m, IBA_M_cm_sidr_req),
                  *rep = iba_mad_layout_at(in->m, IBA_M_cm_sidr_rep);
    struct cm_connection *c;

    in->from_active = req != NULL;
    if (req) {
        c = find(t, in, iba_cm_sidr_req_requestid(req), true, true);
        if (c && c->state == CM_REQUESTED) {
            c->again++;
            count_sent(c, CM_KEPT_REQ, in->ns);
            return c;
        }
        c = begin(t, in, iba_cm_sidr_req_requestid(req), true, c);
        c->service_id = iba_cm_sidr_req_serviceid(req);
        return c;
    }
    c = rep ? find(t, in, iba_cm_sidr_rep_requestid(rep), false, true) : NULL;
    if (!c) {
        t->unknown += rep != NULL;
        return NULL;
    }
    answered(c, in, iba_cm_sidr_rep_status(rep) ? CM_REJECTED : CM_REPLIED);
    count_sent(c, CM_KEPT_REP, in->ns);
    c->reason = iba_cm_sidr_rep_status(rep);
    c->refused = c->reason != 0;
    keep_qp(t, c, &c->passive, iba_cm_sidr_rep_qpn(rep));
    return c;
}

/* Dispatches a message by its kind. */
static struct cm_connection *take(struct cm_track *t, struct cm_message *in)
{
    const struct iba_mad *m = in->m;
    const uint8_t *w;

    if ((w = iba_mad_layout_at(m, IBA_M_cm_req)))
        return request(t, in, w);
    if ((w = iba_mad_layout_at(m, IBA_M_cm_rep)))
        return reply(t, in, w);
    if ((w = iba_mad_layout_at(m, IBA_M_cm_rej)))
        return reject(t, in, w);
    if (iba_mad_layout_at(m, IBA_M_cm_sidr_req) || iba_mad_layout_at(m, IBA_M_cm_sidr_rep))
        return resolution(t, in);
    return step(t, in, m->wire + IBA_BYTES_madhdr, m->attr->id);
}

struct cm_connection *cm_track_message(struct cm_track *t, const struct packet *p, const struct iba_mad *m)
{
    enum { HEADER = IBA_BYTES_madhdr, BOTH_IDS = 8 };
    struct cm_message in = {.p = p, .m = m, .ns = (int64_t)(p->cap->ts_ns - p->first_ns)};

    t->refused = false;
    t->reuses = 0;
    t->n_said = 0;
    if (!m->attr || m->attr->group != IBA_GROUP_CM || p->view.icrc == IBA_CHECK_BAD ||
        m->captured < HEADER + BOTH_IDS || !stat_addrs_get(&in.addrs, &p->view) ||
        m->part[m->n_part - 1].layout == IBA_M_classportinfo)
        return NULL;
    struct cm_connection *c = take(t, &in);
    cm_rules_judge(t, &in, c);
    return c;
}

struct cm_connection *cm_track_packet(struct cm_track *t, const struct packet *p)
{
    struct iba_mad m;

    return iba_mad_of(&m, &p->view) ? cm_track_message(t, p, &m) : NULL;
}

const struct cm_connection *cm_track_nth(const struct cm_track *t, size_t n)
{
    if (n >= CM_CONNECTIONS || n >= t->begun)
        return NULL;
    return &t->connection[t->begun <= CM_CONNECTIONS ? n : (t->begun + n) % CM_CONNECTIONS];
}
