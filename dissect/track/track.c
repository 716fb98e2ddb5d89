#include "track/track.h"
#include "mad/iba_mad.h"

static void tell_transaction(struct track *t, struct packet *p)
{
    struct iba_mad m;
    const uint8_t *h = iba_mad_of(&m, &p->view) ? iba_mad_layout_at(&m, IBA_M_madhdr) : NULL;
    bool first = false;
    const struct mad_request *r = h ? mad_pair(&t->pairs, p, &m, h, &first) : NULL;

    if (!r)
        return;
    p->told.response_to = r->frame;
    p->told.has_time = r->has_time && p->cap->has_ts;
    p->told.time_ns = (int64_t)(p->cap->ts_ns - p->first_ns) - r->ns;
}

void track_packet(struct track *t, struct packet *p)
{
    const struct cm_connection *c;
    const struct cm_end *source = NULL;

    p->told = (struct told){0};
    if (iba_mad_in(&p->view)) {
        tell_transaction(t, p); /* also with a bad ICRC: datagrams that software recorded have none */
        c = cm_track_packet(&t->cm, p);
    } else
        c = cm_track_of(&t->cm, &p->view, &source);
    if (!c)
        return;
    p->told.setup_in = c->begin_frame;
    p->told.service_id = c->service_id;
    p->told.has_source_qp = source != NULL;
    p->told.source_qp = source ? source->qpn : 0;
}
