/* SPDX-License-Identifier: BSD-2-Clause */
/* -z agreed: for each side of a reliable connection, the observed behaviour next to the values that it agreed to in the
 * connection manager's REQ and REP. The agreed value is "-" where the capture lacks REQ and REP, or where they do not
 * contain the value. */
#include "stats/agreed.h"
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "stats/kinds.h"
#include "wire/iba_aeth.h"
#include "observer/iba_finding_kinds.h"

void *stat_agreed_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("agreed", sizeof(struct agreed), arg, err, errlen);
}

static struct agreed_row *row_of(struct agreed *s, const struct direction *d)
{
    struct agreed_row *r = &s->row[d->id];

    if (!r->d) {
        r->d = d;
        ends_add(s->seen, &s->n, d, s, sizeof *s);
    }
    return r;
}

/* Counts a retransmission. Retries are counted for the packet that the requester goes back to, not for the packets that
 * it sends again after that one. */
static void again(struct agreed_run *r, iba_psn psn)
{
    const bool within = r->on && iba_psn_diff(psn, r->first) >= 0 && iba_psn_diff(psn, r->last) <= 1;

    if (!within) {
        r->on = true;
        r->first = r->last = psn;
        r->n = 0;
    }
    r->last = iba_psn_diff(psn, r->last) > 0 ? psn : r->last;
    r->n += iba_psn_eq(psn, r->first) ? 1 : 0;
    r->most = r->n > r->most ? r->n : r->most;
}

static void shortest(uint64_t *least, uint64_t ns)
{
    *least = ns != 0 && (*least == 0 || ns < *least) ? ns : *least;
}

/* Notes the findings of a packet. True when the packet is new: neither sent again nor a copy. */
static bool look_at_findings(struct agreed *s, struct agreed_row *r, const struct verdict *v)
{
    bool news = v->same_as == 0;

    for (unsigned i = 0; i < verdict_kept(v); i++) {
        const struct iba_finding *f = &v->finding[i];
        if (f->kind == IBA_FINDING_RETRY_RNR)
            again(&r->rnr, f->psn);
        else if (f->kind < IBA_FINDING_RETRY_CHANGED)
            again(&r->retry, f->psn);
        r->too_often |= f->kind == IBA_FINDING_RETRY_LIMIT;
        if (f->kind == IBA_FINDING_RETRY_TIMEOUT)
            shortest(&r->timeout_ns, f->wait_ns);
        if (f->kind == IBA_FINDING_NAK_INVALID && r->d->peer && s->row[r->d->peer - 1].reads > 0)
            s->row[r->d->peer - 1].refused = s->row[r->d->peer - 1].reads;
        if (f->kind == IBA_FINDING_RNR)
            shortest(&r->rnr_wait_ns, f->wait_ns);
        news &= f->kind > IBA_FINDING_NETWORK_COPY && f->kind != IBA_FINDING_LATE;
    }
    return news;
}

static void count_reads(struct agreed *s, struct agreed_row *r, const struct iba_view *v)
{
    const bool waits = v->op->pay == IBA_PAY_NONE || v->op->pay == IBA_PAY_EIGHT;
    const bool answer = v->op->pay != IBA_PAY_NONE || iba_view_has(v, IBA_H_atomicacketh);
    const bool ends = iba_opcode_ends(v->op);

    if (v->op->dir == IBA_REQ) {
        r->reads += waits;
        r->most_reads = r->reads > r->most_reads ? r->reads : r->most_reads;
    } else if (answer && ends && r->d->peer) {
        struct agreed_row *asked = &s->row[r->d->peer - 1];
        asked->reads -= asked->reads > 0;
    }
}

/* Extends a range by a value. Header fields that are compared here have at most 16 bits. */
static void widen(struct agreed_range *r, uint32_t v)
{
    r->least = (uint16_t)(r->any && r->least < v ? r->least : v);
    r->most = (uint16_t)(r->any && r->most > v ? r->most : v);
    r->any = true;
}

/* Notes fields of the network header where the ICRC begins: those that routers and switches use. */
static void look_at_network(struct agreed_row *r, const struct iba_view *v)
{
    const uint8_t *l3 = v->wire + v->l3_at;
    const bool v4 = v->l3 == IBA_H_ipv4, v6 = v->l3 == IBA_H_ipv6;
    const uint32_t ecn = v4 ? iba_ipv4_ecn(l3) : v6 ? iba_ipv6_ecn(l3) : 0;

    if (v4 || v6) {
        widen(&r->dscp, v4 ? iba_ipv4_dscp(l3) : iba_ipv6_dscp(l3));
        widen(&r->hops, v4 ? iba_ipv4_ttl(l3) : iba_ipv6_hlim(l3));
    } else if (iba_view_has(v, IBA_H_grh))
        widen(&r->hops, iba_grh_hoplmt(iba_view_hdr(v, IBA_H_grh)));
    if (iba_view_has(v, IBA_H_lrh))
        widen(&r->sl, iba_lrh_sl(iba_view_hdr(v, IBA_H_lrh)));
    if ((v4 || v6) && iba_view_has(v, IBA_H_udp))
        widen(&r->port, iba_udp_srcport(iba_view_hdr(v, IBA_H_udp)));
    r->ect |= ecn != 0;
    r->ce |= ecn == 3;
    r->ack_ect |= ecn != 0 && v->op->dir == IBA_RSP && v->op->pay == IBA_PAY_NONE;
    r->proto = v->proto;
    if (iba_view_has(v, IBA_H_eth)) {
        r->mac[0] = iba_eth_src(iba_view_hdr(v, IBA_H_eth));
        r->mac[1] = iba_eth_dst(iba_view_hdr(v, IBA_H_eth));
    }
}

static void look_at_transport(struct agreed_row *r, const struct iba_view *v)
{
    const uint8_t *bth = iba_view_bth(v);

    widen(&r->p_key, iba_bth_p_key(bth));
    widen(&r->migreq, iba_bth_m(bth));
    if (v->op->dir == IBA_REQ) {
        const iba_psn psn = iba_psn_of(iba_bth_psn(bth));
        r->psn = r->requests && !stat_is_before(psn, r->psn) ? r->psn : psn;
        r->requests = true;
    }
}

static void look_at_mac(struct agreed *s, const struct packet *p)
{
    if (!iba_view_has_bth(&p->view) || !iba_view_has(&p->view, IBA_H_eth) ||
        iba_eth_src(iba_view_hdr(&p->view, IBA_H_eth)) != 0)
        return;
    s->no_mac_frame = s->no_mac++ ? s->no_mac_frame : p->number;
}

void stat_agreed_packet(void *state, const struct packet *p)
{
    struct agreed *s = state;
    const struct verdict *v = p->verdict;
    const struct iba_view *view = &p->view;

    look_at_mac(s, p);

    if (!verdict_is_twin(v, p->number))
        cm_track_packet(&s->cm, p);
    if (!v->direction || !view->op || (view->op->svc != IBA_RC && view->op->svc != IBA_XRC) ||
        view->icrc == IBA_CHECK_BAD || view->err != IBA_OK || (view->has & view->op->hdrs) != view->op->hdrs)
        return;
    struct agreed_row *r = row_of(s, v->direction);
    if (look_at_findings(s, r, v))
        count_reads(s, r, view);
    look_at_network(r, view);
    look_at_transport(r, view);
    if (iba_view_has(view, IBA_H_aeth) && iba_aeth_syn_kind(iba_view_hdr(view, IBA_H_aeth)) == IBA_AETH_ACK) {
        r->acks = true;
        r->credits |= iba_aeth_syn_value(iba_view_hdr(view, IBA_H_aeth)) != IBA_CREDIT_NO_LIMIT;
    }
}

/* The label and format of each value. The text has two tables: the behaviour of a connection, and the fields of every
 * packet. */
enum { IN_EACH_PACKET = SHOW_PSN };
static const struct {
    const char *title, *key;
    uint8_t width, form;
} shown[SHOWN] = {[SHOW_PMTU] = {"PMTU", "pmtu", 9, FORM_NUMBER},
                  [SHOW_READS] = {"READs at once", "initiator_depth", 13, FORM_NUMBER},
                  [SHOW_RETRIES] = {"Retries", "retry_count", 7, FORM_NUMBER},
                  [SHOW_TIMEOUT] = {"Timeout (s)", "ack_timeout", 23, FORM_TIME},
                  [SHOW_RNR_RETRIES] = {"RNR retries", "rnr_retry_count", 11, FORM_NUMBER},
                  [SHOW_RNR_WAIT] = {"RNR wait (s)", "rnr_timer", 13, FORM_TIME},
                  [SHOW_CREDITS] = {"Credits", "end_to_end_flow_control", 7, FORM_NUMBER},
                  [SHOW_PSN] = {"First PSN", "psn", 17, FORM_HEX6},
                  [SHOW_PKEY] = {"P_Key", "p_key", 13, FORM_HEX4},
                  [SHOW_SL] = {"SL", "service_level", 7, FORM_NUMBER},
                  [SHOW_DSCP] = {"DSCP", "dscp", 8, FORM_NUMBER},
                  [SHOW_HOPS] = {"Hop limit", "hop_limit", 11, FORM_NUMBER},
                  [SHOW_MIGREQ] = {"MigReq", "migreq", 6, FORM_NUMBER},
                  [SHOW_PORT] = {"Source port", "source_port", 13, FORM_NUMBER}};

static void cell(struct table *t, const struct agreed_row *r, const struct cm_connection *c, bool active,
                 enum agreed_shown what)
{
    const enum agreed_form form = (enum agreed_form)shown[what].form;
    struct agreed_value v;
    uint64_t said;
    const bool agreed = agreed_announced(c, active, what, &said), observed = agreed_observed(r, what, &v);

    if (!agreed && !observed) {
        table_str(t, "-/-");
        return;
    }
    table_begin(t);
    if (agreed)
        agreed_number(t->o, form, said);
    else
        out_ch(t->o, '-');
    out_ch(t->o, '/');
    if (observed) {
        agreed_number(t->o, form, v.least);
        if (v.most != v.least) {
            OUT_LIT(t->o, "..");
            agreed_number(t->o, form, v.most);
        }
    } else
        out_ch(t->o, '-');
    table_end(t);
}

static void print_table(const struct agreed *s, struct out *o, const char *title, unsigned from, unsigned to)
{
    struct column column[ENDS_COLUMNS + SHOWN];
    struct table t;

    ends_columns(o, column, s->seen, s->n);
    for (unsigned i = from; i < to; i++)
        column[ENDS_COLUMNS + i - from] = (struct column){shown[i].title, shown[i].width, false};
    table_open(&t, o, title, column, ENDS_COLUMNS + to - from);
    for (size_t i = 0; i < s->n; i++) {
        const struct agreed_row *r = &s->row[s->seen[i]->id];
        bool active = false;
        const struct cm_connection *c = agreed_connection(s, r->d, &active);
        ends_cells(&t, r->d);
        for (unsigned k = from; k < to; k++)
            cell(&t, r, c, active, (enum agreed_shown)k);
    }
    table_rule(&t, '-');
    if (to == SHOWN)
        agreed_differ_text(s, o);
    else
        out_str(o, "Agreed: - where no REQ and REP in the capture tell\n");
    table_close(&t);
}

static void print_text(const struct agreed *s, struct out *o)
{
    print_table(s, o, "Reliable connections: agreed/observed", 0, IN_EACH_PACKET);
    print_table(s, o, "The same, of what stands in the packets; then what is remarkable", IN_EACH_PACKET, SHOWN);
}

static void print_json(const struct agreed *s, struct out *o)
{
    struct agreed_value v;
    uint64_t said;

    out_str(o, "{\"stat\":\"agreed\",\"directions\":[");
    for (size_t i = 0; i < s->n; i++) {
        const struct agreed_row *r = &s->row[s->seen[i]->id];
        out_str(o, i > 0 ? ",{\"direction\":" : "{\"direction\":");
        out_u64(o, r->d->id);
        bool active = false;
        const struct cm_connection *c = agreed_connection(s, r->d, &active);
        ends_json(o, r->d);
        for (unsigned k = 0; k < SHOWN; k++) {
            const enum agreed_shown what = (enum agreed_shown)k;
            const bool seen = agreed_observed(r, what, &v);
            const uint64_t unit = shown[k].form == FORM_TIME;
            json_key(o, shown[k].key);
            OUT_LIT(o, "{\"agreed\":");
            if (!agreed_announced(c, active, what, &said))
                OUT_LIT(o, "null");
            else if (unit)
                out_time(o, (int64_t)said);
            else
                out_u64(o, said);
            OUT_LIT(o, ",\"observed\":");
            if (!seen)
                OUT_LIT(o, "null");
            else if (unit)
                out_time(o, (int64_t)v.most);
            else
                out_u64(o, v.most);
            if (seen && v.least != v.most)
                json_u64(o, "least", v.least);
            out_ch(o, '}');
        }
        out_ch(o, '}');
    }
    OUT_LIT(o, "],\"differences\":[");
    agreed_differ_json(s, o);
    out_ch(o, ']');
    json_u64(o, "no_mac", s->no_mac);
    json_u64(o, "same_psn", agreed_same_psn(s));
    json_u64(o, "limit", JUDGE_DIRECTIONS);
    out_str(o, "}\n");
}

void stat_agreed_print(void *state, struct out *o, bool json)
{
    struct agreed *s = state;

    ends_sort(s->seen, s->n, NULL, NULL);
    (json ? print_json : print_text)(s, o);
}
