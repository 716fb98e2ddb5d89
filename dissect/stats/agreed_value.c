/* SPDX-License-Identifier: BSD-2-Clause */
/* One value of a connection from both sources: observed and agreed. */
#include "stats/agreed.h"

static bool range(const struct agreed_range *r, struct agreed_value *v)
{
    *v = (struct agreed_value){r->least, r->most};
    return r->any;
}

static bool one(uint64_t n, bool known, struct agreed_value *v)
{
    *v = (struct agreed_value){n, n};
    return known;
}

bool agreed_observed(const struct agreed_row *r, enum agreed_shown what, struct agreed_value *v)
{
    switch (what) {
    case SHOW_PMTU: return one(r->d->pmtu, r->d->pmtu != 0, v);
    case SHOW_READS: return one(r->most_reads, true, v);
    case SHOW_RETRIES: return one(r->retry.most, true, v);
    case SHOW_TIMEOUT: return one(r->timeout_ns, r->timeout_ns != 0, v);
    case SHOW_RNR_RETRIES: return one(r->rnr.most, true, v);
    case SHOW_RNR_WAIT: return one(r->rnr_wait_ns, r->rnr_wait_ns != 0, v);
    case SHOW_CREDITS: return one(r->credits, r->acks, v);
    case SHOW_PSN: return one(r->psn.v, r->requests, v);
    case SHOW_PKEY: return range(&r->p_key, v);
    case SHOW_SL: return range(&r->sl, v);
    case SHOW_DSCP: return range(&r->dscp, v);
    case SHOW_HOPS: return range(&r->hops, v);
    case SHOW_MIGREQ: return range(&r->migreq, v);
    default: return range(&r->port, v);
    }
}

const struct cm_connection *agreed_connection(const struct agreed *s, const struct direction *d, bool *active)
{
    const struct iba_flow_key *k = &d->key;

    return cm_track_find(&s->cm, k->kind, k->src, d->knows_source_qp ? &d->source_qp : NULL, k->dst, k->qpn, active);
}

/* The agreed value. Each end gives the first PSN of the other. REQ sets the retry count and the timeout of the passive
 * end; for the active end REP has only the RNR retries (sections 12.7.27, 12.7.34, 12.7.38). */
bool agreed_announced(const struct cm_connection *c, bool active, enum agreed_shown what, uint64_t *v)
{
    const struct cm_end *end = c ? active ? &c->active : &c->passive : NULL;

    if (!c)
        return false;
    switch (what) {
    case SHOW_PMTU: *v = UINT64_C(128) << c->mtu_code; return iba_value_name(IBA_VALUES_MTU, c->mtu_code) != NULL;
    case SHOW_READS: *v = end->reads; return true;
    case SHOW_RETRIES: *v = c->retries; return !active;
    case SHOW_TIMEOUT: *v = UINT64_C(4096) << c->ack_timeout; return !active;
    case SHOW_RNR_RETRIES: *v = end->rnr_retries; return true;
    case SHOW_CREDITS: *v = end->flow_control; return true;
    case SHOW_PSN:
        *v = active ? c->passive.psn : c->active.psn;
        return true; /* each end gives the first PSN of the other */
    case SHOW_PKEY: *v = c->p_key; return true;
    case SHOW_SL: *v = c->sl; return true;
    case SHOW_DSCP: *v = c->traffic_class >> 2; return true;
    case SHOW_HOPS: *v = c->hop_limit; return active;
    default: return false;
    }
}

void agreed_number(struct out *o, enum agreed_form form, uint64_t v)
{
    switch (form) {
    case FORM_TIME: out_time(o, (int64_t)v); break;
    case FORM_HEX4: out_hex(o, v, 4); break;
    case FORM_HEX6: out_hex(o, v, 6); break;
    default: out_u64(o, v); break;
    }
}
