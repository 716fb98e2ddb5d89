/* -z agreed: what each side of a reliable connection was seen to do, beside what it agreed to do in the connection
 * manager's REQ and REP. Where the capture lacks them, or they do not say, that side is "-". */
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "track/cm_track.h"
#include "stats/ends.h"
#include "stats/kinds.h"

enum { NO_CREDITS = 31 }; /* in an ACK's syndrome: end-to-end flow control is off */

struct run { /* of one packet that is sent again and again */
    bool on;
    iba_psn first, last;
    uint32_t n, most;
};
struct row {
    const struct direction *d;  /* NULL: nothing seen */
    uint32_t reads, most_reads; /* READs and ATOMICs that wait for their answers; FLUSH and ATOMIC WRITE with them */
    struct run retry, rnr;
    uint64_t timeout_ns, rnr_wait_ns; /* shortest; 0: none */
    bool acks, credits;
};
struct agreed {
    struct row row[JUDGE_DIRECTIONS];
    const struct direction *seen[JUDGE_DIRECTIONS];
    size_t n;
    struct cm_track cm;
};

void *stat_agreed_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("agreed", sizeof(struct agreed), arg, err, errlen);
}

static struct row *row_of(struct agreed *s, const struct direction *d)
{
    struct row *r = &s->row[d->id];

    if (!r->d) {
        r->d = d;
        s->seen[s->n++] = d;
    }
    return r;
}

/* Retries of a packet are counted where the requester goes back to; what it sends again behind that is not. */
static void again(struct run *r, iba_psn psn)
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

/* True when the packet is news: not sent again, not a copy. */
static bool look_at_findings(struct row *r, const struct verdict *v)
{
    bool news = v->same_as == 0;

    for (unsigned i = 0; i < verdict_kept(v); i++) {
        const struct iba_finding *f = &v->judged[i].finding;
        if (f->kind == IBA_FINDING_RETRY_RNR)
            again(&r->rnr, f->psn);
        else if (f->kind < IBA_FINDING_RETRY_CHANGED)
            again(&r->retry, f->psn);
        if (f->kind == IBA_FINDING_RETRY_TIMEOUT)
            shortest(&r->timeout_ns, f->wait_ns);
        if (f->kind == IBA_FINDING_RNR)
            shortest(&r->rnr_wait_ns, f->wait_ns);
        news &= f->kind > IBA_FINDING_NETWORK_COPY && f->kind != IBA_FINDING_LATE;
    }
    return news;
}

static void count_reads(struct agreed *s, struct row *r, const struct iba_view *v)
{
    const bool waits = v->op->pay == IBA_PAY_NONE || v->op->pay == IBA_PAY_EIGHT;
    const bool answer = v->op->pay != IBA_PAY_NONE || iba_view_has(v, IBA_H_atomicacketh);
    const bool ends = v->op->pos == IBA_LAST || v->op->pos == IBA_ONLY;

    if (v->op->dir == IBA_REQ) {
        r->reads += waits;
        r->most_reads = r->reads > r->most_reads ? r->reads : r->most_reads;
    } else if (answer && ends && r->d->peer) {
        struct row *asked = &s->row[r->d->peer - 1];
        asked->reads -= asked->reads > 0;
    }
}

void stat_agreed_packet(void *state, const struct packet *p)
{
    struct agreed *s = state;
    const struct verdict *v = p->verdict;
    const struct iba_view *view = &p->view;

    if (!verdict_is_twin(v, p->number))
        cm_track_packet(&s->cm, p);
    if (!v->direction || !view->op || (view->op->svc != IBA_RC && view->op->svc != IBA_XRC) ||
        view->icrc == IBA_CHECK_BAD || view->err != IBA_OK || (view->has & view->op->hdrs) != view->op->hdrs)
        return;
    struct row *r = row_of(s, v->direction);
    if (look_at_findings(r, v))
        count_reads(s, r, view);
    if (iba_view_has(view, IBA_H_aeth) && iba_aeth_syn_kind(iba_view_hdr(view, IBA_H_aeth)) == 0) {
        r->acks = true;
        r->credits |= iba_aeth_syn_value(iba_view_hdr(view, IBA_H_aeth)) != NO_CREDITS;
    }
}

/* What is compared: how it is called, and its value as observed; false: the capture does not show it. */
enum shown { SHOW_PMTU, SHOW_READS, SHOW_RETRIES, SHOW_TIMEOUT, SHOW_RNR_RETRIES, SHOW_RNR_WAIT, SHOW_CREDITS, SHOWN };
static const struct {
    const char *title, *key;
    uint8_t width;
    bool time;
} shown[SHOWN] = {[SHOW_PMTU] = {"PMTU", "pmtu", 9, false},
                  [SHOW_READS] = {"READs at once", "initiator_depth", 13, false},
                  [SHOW_RETRIES] = {"Retries", "retry_count", 7, false},
                  [SHOW_TIMEOUT] = {"Timeout (s)", "ack_timeout", 23, true},
                  [SHOW_RNR_RETRIES] = {"RNR retries", "rnr_retry_count", 11, false},
                  [SHOW_RNR_WAIT] = {"RNR wait (s)", "rnr_timer", 13, true},
                  [SHOW_CREDITS] = {"Credits", "end_to_end_flow_control", 7, false}};

static bool observed(const struct row *r, enum shown what, uint64_t *v)
{
    switch (what) {
    case SHOW_PMTU: *v = r->d->pmtu; return *v != 0;
    case SHOW_READS: *v = r->most_reads; return true;
    case SHOW_RETRIES: *v = r->retry.most; return true;
    case SHOW_TIMEOUT: *v = r->timeout_ns; return *v != 0;
    case SHOW_RNR_RETRIES: *v = r->rnr.most; return true;
    case SHOW_RNR_WAIT: *v = r->rnr_wait_ns; return *v != 0;
    default: *v = r->credits; return r->acks;
    }
}

/* The connection that the direction is of; `active`: sent by its active end. NULL: nothing tells. */
static const struct cm_connection *connection_of(const struct agreed *s, const struct direction *d, bool *active)
{
    const struct path *p = d->path;

    return cm_track_find(&s->cm, p->kind, p->src, d->knows_source_qp ? &d->source_qp : NULL, p->dst, d->qpn, active);
}

/* What the sender of the direction agreed to. REQ says what the passive end is to do: how often to send again and how
 * long to wait; of the active end REP says the RNR retries only (sections 12.7.27, 12.7.34, 12.7.38). */
static bool agreed(const struct cm_connection *c, bool active, enum shown what, uint64_t *v)
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
    default: return false;
    }
}

static void number(struct out *o, enum shown what, uint64_t v)
{
    if (shown[what].time)
        out_time(o, (int64_t)v);
    else
        out_u64(o, v);
}

static void print_text(const struct agreed *s, struct out *o)
{
    struct column column[ENDS_COLUMNS + SHOWN];
    struct table t;
    uint64_t v;

    ends_columns(o, column, s->seen, s->n);
    for (unsigned i = 0; i < SHOWN; i++)
        column[ENDS_COLUMNS + i] = (struct column){shown[i].title, shown[i].width, false};
    table_open(&t, o, "Reliable connections: agreed/observed", column, sizeof column / sizeof *column);
    for (size_t i = 0; i < s->n; i++) {
        const struct row *r = &s->row[s->seen[i]->id];
        bool active = false;
        const struct cm_connection *c = connection_of(s, r->d, &active);
        ends_cells(&t, r->d);
        for (unsigned k = 0; k < SHOWN; k++) {
            table_begin(&t);
            if (agreed(c, active, (enum shown)k, &v))
                number(o, (enum shown)k, v);
            else
                out_ch(o, '-');
            out_ch(o, '/');
            if (observed(r, (enum shown)k, &v))
                number(o, (enum shown)k, v);
            else
                out_ch(o, '-');
            table_end(&t);
        }
    }
    table_rule(&t, '-');
    out_str(o, "Agreed: - where no REQ and REP in the capture tell\n");
    table_close(&t);
}

static void print_json(const struct agreed *s, struct out *o)
{
    uint64_t v;

    out_str(o, "{\"stat\":\"agreed\",\"directions\":[");
    for (size_t i = 0; i < s->n; i++) {
        const struct row *r = &s->row[s->seen[i]->id];
        out_str(o, i > 0 ? ",{\"direction\":" : "{\"direction\":");
        out_u64(o, r->d->id);
        bool active = false;
        const struct cm_connection *c = connection_of(s, r->d, &active);
        ends_json(o, r->d);
        for (unsigned k = 0; k < SHOWN; k++) {
            json_key(o, shown[k].key);
            OUT_LIT(o, "{\"agreed\":");
            if (agreed(c, active, (enum shown)k, &v))
                number(o, (enum shown)k, v);
            else
                OUT_LIT(o, "null");
            OUT_LIT(o, ",\"observed\":");
            if (observed(r, (enum shown)k, &v))
                number(o, (enum shown)k, v);
            else
                OUT_LIT(o, "null");
            out_ch(o, '}');
        }
        out_ch(o, '}');
    }
    out_ch(o, ']');
    json_u64(o, "limit", JUDGE_DIRECTIONS);
    out_str(o, "}\n");
}

void stat_agreed_print(void *state, struct out *o, bool json)
{
    struct agreed *s = state;

    ends_sort(s->seen, s->n, NULL, NULL);
    (json ? print_json : print_text)(s, o);
}
