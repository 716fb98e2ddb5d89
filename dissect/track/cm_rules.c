/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the rules of the connection manager that a message breaks, as far as the capture shows it, by a table of rows.
 * A message is compared with earlier messages of its own sender, and with the message that it answers. It is not
 * compared with messages that its sender should have received, since these may be lost after the capture point. */
#include "cm/iba_cm.h"
#include "observer/iba_finding_kinds.h"
#include "track/cm_message.h"
#include "wire/iba_values.h"

enum { APR_STATUSES = 14, SIDR_STATUSES = 6 }; /* MD-79, MD-80 */

struct sight {
    const struct cm_message *in;
    const uint8_t *mad, *w; /* the header, and the data after the header */
    uint16_t attribute;
    struct cm_connection *c; /* the connection of the message; NULL: not known */
    /* without c: the connection whose transaction or ID the message names; NULL: there is none */
    struct cm_connection *meant;
    struct cm_end *own, *peer;      /* valid with c */
    const struct cm_asked *answers; /* the message of the peer that this one answers; NULL: none is known */
    /* the sender's own message that this one repeats or replaces; NULL: there is none */
    struct cm_asked *before;
    struct cm_asked now; /* this message; valid with `before` */
};

static bool is(const struct sight *s, uint16_t attribute)
{
    return s->attribute == attribute;
}

/* ---- one message alone ---- */

static bool other_version(const struct sight *s)
{
    return iba_madhdr_classversion(s->mad) != IBA_CM_VERSION;
}

static bool other_method(const struct sight *s)
{
    return iba_madhdr_method(s->mad) != IBA_CM_SEND;
}

static bool undefined_rej(const uint8_t *w)
{
    return iba_cm_rej_msgrej(w) > IBA_CM_OTHER || iba_cm_rej_rejinfolen(w) > IBA_CM_ARI_BYTES ||
           !iba_value_name(IBA_VALUES_CM_REJECT, iba_cm_rej_reason(w));
}

static bool undefined_req(const uint8_t *w)
{
    return iba_cm_req_pppmtu(w) < IBA_MTU_256 || iba_cm_req_pppmtu(w) > IBA_MTU_4096 ||
           (iba_cm_req_transpsvctype(w) == IBA_CM_EXTENDED && iba_cm_req_ext_transport(w) != IBA_CM_EXT_XRC);
}

static bool undefined(const struct sight *s)
{
    switch (s->attribute) {
    case IBA_CM_ID_REQ: return undefined_req(s->w);
    case IBA_CM_ID_MRA: return iba_cm_mra_msgmraed(s->w) > IBA_CM_OTHER;
    case IBA_CM_ID_REJ: return undefined_rej(s->w);
    case IBA_CM_ID_APR: return iba_cm_apr_status(s->w) >= APR_STATUSES;
    case IBA_CM_ID_SIDR_REP: return iba_cm_sidr_rep_status(s->w) >= SIDR_STATUSES;
    default: return false;
    }
}

/* ---- what its sender is ---- */

/* The number of the message that an MRA or a REJ names; for other messages a number that names none. */
static unsigned named_by(const struct sight *s)
{
    return is(s, IBA_CM_ID_MRA)   ? iba_cm_mra_msgmraed(s->w)
           : is(s, IBA_CM_ID_REJ) ? iba_cm_rej_msgrej(s->w)
                                  : (unsigned)IBA_CM_OTHER;
}

/* Whether the message surely belongs to this connection. If two ends ask each other for a connection, one of them takes
 * the other's REQ, and keeps the ID of its own (MD-86). If the capture lacks that REQ, messages of the one connection
 * look like messages of the other. A message surely is of this connection if there was a REP, or if it belongs to the
 * transaction of the REQ. */
static bool is_sure(const struct sight *s)
{
    const struct cm_asked *req = &s->c->active.asked[CM_ASKED_FIRST];

    return s->c->passive.known || (req->attribute && req->tid == iba_madhdr_transactionid(s->mad));
}

static bool other_role(const struct sight *s)
{
    if (!s->c || !is_sure(s))
        return false;
    if (s->in->from_active)
        return named_by(s) == IBA_CM_OF_REQ && s->c->passive.known;
    return is(s, IBA_CM_ID_RTU) || named_by(s) == IBA_CM_OF_REP;
}

/* ---- what it answers ---- */

/* Whether a response has another transaction than its request. An APR may answer a LAP that the capture lacks, since an
 * end may send several LAPs. */
static bool other_transaction(const struct sight *s)
{
    return s->answers && s->answers->attribute != IBA_CM_ID_LAP && !s->answers->mixed &&
           iba_madhdr_transactionid(s->mad) != s->answers->tid;
}

/* Whether the message has other IDs than its connection. The passive end's ID is that of its REP. A message before the
 * REP, and a REJ, may be of an end that keeps no connection, or that gave up and began again. */
static bool other_ids(const struct sight *s)
{
    if (!s->c)
        return s->meant != NULL;
    if (s->in->from_active || s->c->sidr || !s->c->passive.known)
        return false;
    return (is(s, IBA_CM_ID_DREQ) || is(s, IBA_CM_ID_DREP) || is(s, IBA_CM_ID_LAP) || is(s, IBA_CM_ID_APR)) &&
           iba_cm_rtu_localcommid(s->w) != s->c->passive.comm_id;
}

static bool other_qp(const struct sight *s)
{
    if (!s->c || !s->c->passive.known || !s->peer->known || s->c->service == IBA_CM_EXTENDED)
        return false;
    return (is(s, IBA_CM_ID_DREQ) && iba_cm_dreq_remoteqpn(s->w) != s->peer->qpn) ||
           (is(s, IBA_CM_ID_LAP) && iba_cm_lap_remoteqpn(s->w) != s->peer->qpn);
}

static bool beyond_bounds(const struct sight *s)
{
    return s->c && is(s, IBA_CM_ID_REP) && s->c->service == IBA_CM_RC &&
           (iba_cm_rep_respres(s->w) > s->c->wanted_reads || iba_cm_rep_initdepth(s->w) > s->c->offered_reads);
}

static bool other_service(const struct sight *s)
{
    return s->c && is(s, IBA_CM_ID_SIDR_REP) && iba_cm_sidr_rep_status(s->w) == 0 &&
           iba_cm_sidr_rep_serviceid(s->w) != s->c->service_id;
}

/* Whether this is the first REJ of a connection that the active end asked for, and that nobody refused or released
 * before. */
static bool unknown(const struct sight *s)
{
    return s->c && is(s, IBA_CM_ID_REJ) && s->in->from_active && iba_cm_rej_reason(s->w) == IBA_CM_REJ_COMM_ID &&
           s->c->end_frame == s->in->p->number && !cm_was_sent(s->c, CM_KEPT_DREQ);
}

/* ---- what it repeats: the first row that fits ---- */

/* Whether the message repeats the one before. Another LAP is no repeat: an end may ask once more after it gave up, and
 * Linux has one transaction ID for all LAPs of a connection (cm.c: cm_form_tid). A passive end that has given up takes
 * a repeated REQ for the first one, and sends a REP of its own. After an answer, the same may be requested in another
 * transaction. */
static bool repeats(const struct sight *s)
{
    const struct cm_asked *before = s->before;

    if (!before || before->attribute != s->attribute)
        return false;
    const bool same = before->digest == s->now.digest, same_tid = before->tid == s->now.tid;
    if (is(s, IBA_CM_ID_LAP))
        return same && same_tid && !before->answered;
    if (before->id != s->now.id)
        return false;
    return same_tid || (same && !before->answered);
}

static bool changed(const struct sight *s)
{
    return repeats(s) && (s->before->tid != s->now.tid || s->before->digest != s->now.digest);
}

/* Whether the sender alone decides when it repeats the message. A REP is repeated for each REQ that comes again, and
 * that REQ may be a copy that the network made (MD-70). */
static bool has_own_pace(const struct sight *s)
{
    return repeats(s) && !s->c->sidr && !is(s, IBA_CM_ID_REP);
}

static bool too_often(const struct sight *s)
{
    return has_own_pace(s) && s->before->n > s->c->cm_retries;
}

/* MD-69: whether a repeat comes too early. Only a REQ is judged, since a LAP that the capture lacks may have stated
 * another time. Three quarters of the time are enough, since clocks of hosts count in units of some milliseconds. Where
 * the capture's clock stepped back, the time is not known. */
static bool too_early(const struct sight *s)
{
    const int64_t response_ns = (int64_t)4096 << s->c->cm_timeout;

    return has_own_pace(s) && is(s, IBA_CM_ID_REQ) && s->before->timed && s->now.timed && s->now.ns >= s->before->ns &&
           s->now.ns - s->before->ns < response_ns / 4 * 3;
}

static bool answered(const struct sight *s)
{
    return repeats(s) && s->before->answered;
}

/* ---- the table ---- */

static const struct rule {
    uint8_t kind;
    bool (*broken)(const struct sight *s);
} alone[] = {{IBA_FINDING_CM_VERSION, other_version},
             {IBA_FINDING_CM_METHOD, other_method},
             {IBA_FINDING_CM_UNDEFINED, undefined},
             {IBA_FINDING_CM_ROLE, other_role},
             {IBA_FINDING_CM_TRANSACTION, other_transaction},
             {IBA_FINDING_CM_IDS, other_ids},
             {IBA_FINDING_CM_OTHER_QP, other_qp},
             {IBA_FINDING_CM_BOUNDS, beyond_bounds},
             {IBA_FINDING_CM_SERVICE, other_service},
             {IBA_FINDING_CM_UNKNOWN, unknown}},
  again[] = {{IBA_FINDING_CM_AGAIN_CHANGED, changed},
             {IBA_FINDING_CM_AGAIN_LIMIT, too_often},
             {IBA_FINDING_CM_AGAIN_EARLY, too_early},
             {IBA_FINDING_CM_AGAIN_ANSWERED, answered},
             {IBA_FINDING_CM_AGAIN, repeats}};

static void say(struct cm_track *t, const struct iba_cm_said *said)
{
    if (t->n_said < MAD_SAID_MOST)
        t->said[t->n_said++] = *said;
}

/* The evidence for a finding: the message that is answered, otherwise the message that began the connection. */
static struct iba_cm_said evidence(const struct sight *s, uint8_t kind)
{
    const struct cm_connection *c = s->c ? s->c : s->meant;

    if (s->answers)
        return (struct iba_cm_said){.kind = kind, .cause = {.frame = s->answers->frame, .tag = s->answers->source}};
    if (!c || c->begin_frame == s->in->p->number)
        return (struct iba_cm_said){.kind = kind};
    return (struct iba_cm_said){.kind = kind, .cause = {.frame = c->begin_frame, .tag = c->begin_source}};
}

static void judge_alone(struct cm_track *t, const struct sight *s)
{
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (alone[i].broken(s)) {
            const struct iba_cm_said said = evidence(s, alone[i].kind);
            say(t, &said);
        }
}

static void judge_again(struct cm_track *t, const struct sight *s)
{
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        if (again[i].broken(s)) {
            const bool timed = s->before->timed && s->now.timed && s->now.ns > s->before->ns;
            say(t, &(struct iba_cm_said){.kind = again[i].kind,
                                         .count = s->before->n + 1u,
                                         .cause = {.frame = s->before->frame, .tag = s->before->source},
                                         .wait_ns = timed ? (iba_time)(s->now.ns - s->before->ns) : 0});
            return;
        }
}

/* ---- connections by what only one end has chosen ----
 *
 * A message with wrong IDs shows its connection by its transaction ID, or by the one ID that is right. An entry is the
 * number of a connection, plus 1; one of another key takes its place, and then a fault is missed. The place does not
 * depend on the secret of the hash, so that the findings do not. */

enum hint { BY_TRANSACTION, BY_PASSIVE_ID };
struct hint_key {
    uint64_t value;
    uint8_t from[16], to[16], kind, hint, zero[6];
};

static struct hint_key hint_key(const struct cm_message *in, enum hint hint, uint64_t value, bool of_sender)
{
    struct hint_key k = {.value = value, .kind = in->addrs.kind, .hint = (uint8_t)hint};

    memcpy(k.from, of_sender ? in->addrs.src : in->addrs.dst, sizeof k.from);
    memcpy(k.to, of_sender ? in->addrs.dst : in->addrs.src, sizeof k.to);
    return k;
}

static uint32_t digest_of(const uint8_t *bytes, size_t n, uint32_t digest)
{
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ bytes[i]) * 0x01000193; /* FNV-1a */
    return digest;
}

static uint16_t *hint_at(struct cm_track *t, const struct hint_key *k)
{
    const uint32_t digest = digest_of((const uint8_t *)k, sizeof *k, 0x811c9dc5);

    return &t->hint[(digest ^ digest >> 15) % CM_HINTS];
}

static void leave_hint(struct cm_track *t, const struct sight *s, enum hint hint, uint64_t value)
{
    const struct hint_key k = hint_key(s->in, hint, value, true);

    *hint_at(t, &k) = (uint16_t)(s->c - t->connection + 1);
}

static struct cm_connection *follow_hint(struct cm_track *t, const struct sight *s, enum hint hint, uint64_t value,
                                         bool of_sender)
{
    const struct hint_key k = hint_key(s->in, hint, value, of_sender);
    const uint16_t at = *hint_at(t, &k);
    struct cm_connection *c = at ? &t->connection[at - 1] : NULL;

    if (!c || c->kind != k.kind || c->outlived || c->state == CM_REJECTED || c->state == CM_RELEASED)
        return NULL;
    const bool forward = memcmp(c->active.addr, k.from, 16) == 0 && memcmp(c->passive.addr, k.to, 16) == 0;
    const bool back = memcmp(c->passive.addr, k.from, 16) == 0 && memcmp(c->active.addr, k.to, 16) == 0;
    return forward || back ? c : NULL;
}

static bool has_transaction(const struct cm_end *e, uint64_t tid)
{
    return (e->asked[CM_ASKED_FIRST].attribute && e->asked[CM_ASKED_FIRST].tid == tid) ||
           (e->asked[CM_ASKED_LATER].attribute && e->asked[CM_ASKED_LATER].tid == tid);
}

static bool is_answer(uint16_t attribute)
{
    return attribute == IBA_CM_ID_REP || attribute == IBA_CM_ID_MRA || attribute == IBA_CM_ID_REJ ||
           attribute == IBA_CM_ID_RTU || attribute == IBA_CM_ID_DREP || attribute == IBA_CM_ID_APR ||
           attribute == IBA_CM_ID_SIDR_REP;
}

/* The connection that a message with unknown IDs belongs to: that of the transaction which the message answers, or for
 * a DREQ or LAP that of the sender's ID. */
static struct cm_connection *meant_by(struct cm_track *t, const struct sight *s)
{
    const uint64_t tid = iba_madhdr_transactionid(s->mad);
    struct cm_connection *c;

    if (is_answer(s->attribute)) {
        c = follow_hint(t, s, BY_TRANSACTION, tid, false);
        return c && (has_transaction(&c->active, tid) || has_transaction(&c->passive, tid)) ? c : NULL;
    }
    if (!is(s, IBA_CM_ID_DREQ) && !is(s, IBA_CM_ID_LAP))
        return NULL;
    c = follow_hint(t, s, BY_PASSIVE_ID, iba_cm_dreq_localcommid(s->w), true);
    return c && c->passive.known && c->passive.comm_id == iba_cm_dreq_localcommid(s->w) ? c : NULL;
}

/* ---- what is remembered ---- */

/* The message that this one answers, if the capture has that message. */
static struct cm_asked *answered_by(const struct sight *s)
{
    uint16_t what = 0;

    switch (s->attribute) {
    case IBA_CM_ID_REP: what = IBA_CM_ID_REQ; break;
    case IBA_CM_ID_RTU: what = IBA_CM_ID_REP; break;
    case IBA_CM_ID_DREP: what = IBA_CM_ID_DREQ; break;
    case IBA_CM_ID_APR: what = IBA_CM_ID_LAP; break;
    case IBA_CM_ID_SIDR_REP: what = IBA_CM_ID_SIDR_REQ; break;
    case IBA_CM_ID_MRA:
    case IBA_CM_ID_REJ:
        what = named_by(s) == IBA_CM_OF_REQ   ? IBA_CM_ID_REQ
               : named_by(s) == IBA_CM_OF_REP ? IBA_CM_ID_REP
               : is(s, IBA_CM_ID_MRA)         ? IBA_CM_ID_LAP
                                              : 0;
        break;
    default: break;
    }
    for (unsigned i = 0; what != 0 && i < CM_ASKED_COUNT; i++)
        if (s->peer->asked[i].attribute == what)
            return &s->peer->asked[i];
    return NULL;
}

/* Where a message that waits for an answer is kept; NULL: the message needs no answer. */
static struct cm_asked *place_of(const struct sight *s)
{
    switch (s->attribute) {
    case IBA_CM_ID_REQ:
    case IBA_CM_ID_REP:
    case IBA_CM_ID_SIDR_REQ: return &s->own->asked[CM_ASKED_FIRST];
    case IBA_CM_ID_LAP:
    case IBA_CM_ID_DREQ: return &s->own->asked[CM_ASKED_LATER];
    default: return NULL;
    }
}

static struct cm_asked asked_by(const struct sight *s)
{
    const struct packet *p = s->in->p;
    const uint8_t *bth = iba_view_has_bth(&p->view) ? iba_view_bth(&p->view) : NULL;

    return (struct cm_asked){.attribute = s->attribute,
                             .n = 1,
                             .id = iba_cm_rtu_localcommid(s->w),
                             .digest = digest_of(s->w, IBA_MAD_BYTES - IBA_BYTES_madhdr, 0x811c9dc5),
                             .psn = bth ? iba_bth_psn(bth) : 0,
                             .tid = iba_madhdr_transactionid(s->mad),
                             .frame = p->number,
                             .source = p->source,
                             .ns = s->in->ns,
                             .timed = p->cap->has_ts};
}

/* Whether this is the same datagram at another capture point, or twice at this one: its sender sent it once. */
static bool is_copy(const struct sight *s)
{
    return repeats(s) && s->before->psn == s->now.psn && !changed(s);
}

static void remember(struct cm_track *t, struct sight *s)
{
    struct cm_asked *a = s->before;

    if (repeats(s)) {
        a->mixed |= a->tid != s->now.tid;
        a->n = a->n < UINT16_MAX ? a->n + 1u : UINT16_MAX;
        a->psn = s->now.psn;
        a->frame = s->now.frame;
        a->source = s->now.source;
        a->ns = s->now.ns;
        a->timed = s->now.timed;
    } else
        *a = s->now;
    leave_hint(t, s, BY_TRANSACTION, s->now.tid);
    if (is(s, IBA_CM_ID_REP))
        leave_hint(t, s, BY_PASSIVE_ID, iba_cm_rep_localcommid(s->w));
}

/* Forgets the messages of a connection that has ended, when the same values are requested again: the passive end takes
 * the REQ for a new connection. */
static void begin_again(const struct sight *s)
{
    if (!is(s, IBA_CM_ID_REQ) || (s->c->state != CM_REJECTED && s->c->state != CM_RELEASED))
        return;
    memset(s->peer->asked, 0, sizeof s->peer->asked);
    if (s->before->tid != s->now.tid)
        memset(s->own->asked, 0, sizeof s->own->asked);
}

static void follow(struct cm_track *t, struct sight *s)
{
    struct cm_asked *answers;

    s->own = s->in->from_active ? &s->c->active : &s->c->passive;
    s->peer = s->in->from_active ? &s->c->passive : &s->c->active;
    s->answers = answers = answered_by(s);
    s->before = place_of(s);
    if (s->before) {
        s->now = asked_by(s);
        begin_again(s);
    }
    judge_alone(t, s);
    if (answers)
        answers->answered = true;
    if (!s->before || is_copy(s))
        return;
    judge_again(t, s);
    remember(t, s);
}

void cm_rules_judge(struct cm_track *t, const struct cm_message *in, struct cm_connection *c)
{
    struct sight s = {
        .in = in, .mad = in->m->wire, .w = in->m->wire + IBA_BYTES_madhdr, .attribute = in->m->attr->id, .c = c};

    if (in->m->captured < IBA_MAD_BYTES)
        return;
    if (c)
        follow(t, &s);
    else {
        s.meant = meant_by(t, &s);
        judge_alone(t, &s);
    }
}
