/* SPDX-License-Identifier: BSD-2-Clause */
#include "track/track.h"
#include <stdlib.h>
#include "track/cm_why.h"
#include "mad/iba_mad.h"

/* Whether two partitions differ. Only datagrams between GSIs have a partition; the highest bit is the sender's
 * membership (MD-07). */
static bool is_of_other_partition(const struct iba_view *v, uint16_t p_key)
{
    enum { GSI = 1, PARTITION = 0x7fff };
    const uint8_t *bth = iba_view_bth(v);

    return iba_bth_destqp(bth) == GSI && ((iba_bth_p_key(bth) ^ p_key) & PARTITION) != 0;
}

/* Follows a transaction, also with a bad ICRC: datagrams that software recorded have no ICRC. */
static void follow_transaction(struct track *t, struct packet *p, const struct iba_mad *m)
{
    const uint8_t *h = iba_mad_layout_at(m, IBA_M_madhdr);
    bool first = false;
    const struct mad_request *r = h ? mad_pair(&t->pairs, p, m, h, &first) : NULL;

    if (!r)
        return;
    p->mad_context.response_to = r->frame;
    p->mad_context.response_to_source = r->source;
    p->mad_context.other_partition = first && is_of_other_partition(&p->view, r->p_key);
    p->mad_context.has_time = r->has_time && p->cap->has_ts;
    p->mad_context.time_ns = (int64_t)(p->cap->ts_ns - p->first_ns) - r->ns;
}

struct track *track_open(void)
{
    return calloc(1, sizeof(struct track));
}

void track_close(struct track *t)
{
    free(t);
}

void track_hint(struct track *t, uint64_t service_id, enum iba_upper u)
{
    const uint64_t kept = t->hints < SERVICE_HINTS ? t->hints : SERVICE_HINTS;
    uint64_t i = 0;

    while (i < kept && t->hint[i].service_id != service_id)
        i++;
    if (i == kept)
        i = t->hints++ % SERVICE_HINTS;
    t->hint[i] = (struct service_hint){service_id, (uint8_t)u};
}

static enum iba_upper upper_of(const struct track *t, uint64_t service_id)
{
    for (uint64_t i = 0; i < t->hints && i < SERVICE_HINTS; i++)
        if (t->hint[i].service_id == service_id)
            return (enum iba_upper)t->hint[i].upper;
    return iba_upper_of(service_id);
}

/* Learns services of an I/O controller, which lists them by name and identifier. The name here is that of SRP targets
 * (T10 SRP, annex B). */
static void learn_services(struct track *t, const struct packet *p, const struct iba_mad *m)
{
    static const char srp[] = "SRP.T10:";

    if (p->view.icrc == IBA_CHECK_BAD || !iba_mad_layout_at(m, IBA_M_dm_entry))
        return;
    for (unsigned k = 0; k < m->n_part; k++)
        for (unsigned i = 0; m->part[k].layout == IBA_M_dm_entry && i < m->part[k].n; i++) {
            const uint32_t at = iba_mad_at(&m->part[k], i);
            if (at + IBA_BYTES_dm_entry <= m->captured &&
                memcmp(iba_dm_entry_name(m->wire + at), srp, sizeof srp - 1) == 0)
                track_hint(t, iba_dm_entry_id(m->wire + at), IBA_UPPER_SRP);
        }
}

/* The table that this packet completes, or NULL. */
static const struct iba_rmpp_transfer *reassemble(struct track *t, const struct packet *p, const struct iba_mad *m)
{
    struct iba_rmpp_ends ends;
    struct stat_addrs a;

    if (p->view.icrc == IBA_CHECK_BAD || !stat_addrs_get(&a, &p->view))
        return NULL;
    ends.kind = a.kind;
    memcpy(ends.src, a.src, sizeof ends.src);
    memcpy(ends.dst, a.dst, sizeof ends.dst);
    return iba_rmpp_feed(&t->desk, &ends, m);
}

static const struct cm_connection *follow_datagram(struct track *t, struct packet *p, const struct iba_mad *m)
{
    p->mad_context.used = true;
    p->table = reassemble(t, p, m);
    learn_services(t, p, m);
    follow_transaction(t, p, m);
    const struct cm_connection *c = cm_track_message(&t->cm, p, m);
    p->mad_context.refused = t->cm.refused;
    p->mad_context.reused_in = t->cm.reuses;
    p->mad_context.reused_source = t->cm.reuses_source;
    p->mad_context.reason = t->cm.reason;
    p->mad_context.n_said = t->cm.n_said;
    memcpy(p->mad_context.said, t->cm.said, t->cm.n_said * sizeof *t->cm.said);
    if (c)
        p->mad_context.why = cm_why_now(c, (int64_t)(p->cap->ts_ns - p->first_ns));
    return c;
}

void track_packet(struct track *t, struct packet *p)
{
    const struct cm_connection *c = NULL;
    const struct cm_end *source = NULL;
    struct iba_mad m;

    if (p->mad_context.used) /* set by the packet that used this memory before */
        p->mad_context = (struct mad_context){0};
    p->table = NULL;
    if (!iba_mad_in(&p->view))
        c = cm_track_of(&t->cm, &p->view, &source);
    else if (iba_mad_of(&m, &p->view))
        c = follow_datagram(t, p, &m);
    if (!c)
        return;
    p->mad_context.used = true;
    p->mad_context.setup_in = c->begin_frame;
    p->mad_context.setup_source = c->begin_source;
    p->mad_context.begun_in = source ? c->answer_frame : 0;
    p->mad_context.service_id = c->service_id;
    p->mad_context.upper = (uint8_t)upper_of(t, c->service_id);
    p->mad_context.has_source_qp = source != NULL;
    p->mad_context.source_qp = source ? source->qpn : 0;
}
