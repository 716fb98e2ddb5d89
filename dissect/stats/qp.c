/* SPDX-License-Identifier: BSD-2-Clause */
/* -z qp: queue pairs, each by the direction of packets that goes to it. */
#include <stdlib.h>
#include "stats/ends.h"
#include "stats/kinds.h"

struct row {
    const struct direction *d; /* NULL: no packet was seen */
    uint64_t packets, bytes;
    uint64_t first_frame, last_frame;
    uint32_t first_psn, last_psn;
    bool requests; /* first_psn is of a request */
    uint16_t p_key;
    enum iba_severity worst;
};
struct qps {
    uint64_t packets, no_connection;
    struct row row[JUDGE_DIRECTIONS];
    const struct direction *seen[JUDGE_DIRECTIONS];
    size_t n;
};

void *stat_qp_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("qp", sizeof(struct qps), arg, err, errlen);
}

/* Notes the first PSN of requests. The request that comes first may be a retransmission, or late. */
static void begin_with(struct row *r, const struct iba_view *v)
{
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));

    if (r->requests && v->op && v->op->dir == IBA_REQ && v->icrc != IBA_CHECK_BAD &&
        stat_is_before(psn, iba_psn_of(r->first_psn)))
        r->first_psn = psn.v;
}

void stat_qp_packet(void *state, const struct packet *p)
{
    struct qps *s = state;
    const struct direction *d = p->verdict->direction;

    if (verdict_is_twin(p->verdict, p->number))
        return;
    s->packets++;
    if (!d) {
        s->no_connection++;
        return;
    }
    const uint8_t *bth = iba_view_bth(&p->view);
    struct row *r = &s->row[d->id];
    if (!r->d) {
        *r = (struct row){.d = d, .first_frame = p->number, .p_key = iba_bth_p_key(bth)};
        r->first_psn = iba_bth_psn(bth);
        r->requests = p->view.op && p->view.op->dir == IBA_REQ;
        ends_add(s->seen, &s->n, d, s, sizeof *s);
    }
    r->packets++;
    r->bytes += p->view.icrc == IBA_CHECK_BAD ? 0 : p->view.payload_len;
    begin_with(r, &p->view);
    r->last_frame = p->number;
    r->last_psn = iba_bth_psn(bth);
    r->worst = p->verdict->worst > r->worst ? p->verdict->worst : r->worst;
}

static const char *worst_name(const struct row *r)
{
    return r->worst == IBA_SEVERITY_NONE ? "-" : iba_severity_name(r->worst);
}

static void print_text(const struct qps *s, struct out *o)
{
    struct column column[ENDS_COLUMNS + 9] = {
        [ENDS_COLUMNS] = {"P_Key", 6, true}, {"PMTU", 5, false},         {"Packets", 10, false},
        {"Payload bytes", 14, false},        {"First PSN", 9, false},    {"Last PSN", 9, false},
        {"First packet", 12, false},         {"Last packet", 11, false}, {"Worst", 5, false}};
    struct table t;

    ends_columns(o, column, s->seen, s->n);
    table_open(&t, o, "Queue pairs, by the packets that go to each", column, sizeof column / sizeof *column);
    for (size_t i = 0; i < s->n; i++) {
        const struct row *r = &s->row[s->seen[i]->id];
        ends_cells(&t, r->d);
        table_begin(&t);
        out_hex(o, r->p_key, 4);
        table_end(&t);
        table_known(&t, r->d->pmtu != 0, r->d->pmtu);
        table_u64(&t, r->packets);
        table_u64(&t, r->bytes);
        table_u64(&t, r->first_psn);
        table_u64(&t, r->last_psn);
        table_u64(&t, r->first_frame);
        table_u64(&t, r->last_frame);
        table_str(&t, worst_name(r));
    }
    table_rule(&t, '-');
    out_str(o, "Directions ");
    out_u64(o, s->n);
    out_str(o, ", packets ");
    out_u64(o, s->packets);
    out_str(o, ", of no connection ");
    out_u64(o, s->no_connection);
    out_ch(o, '\n');
    table_close(&t);
}

static void print_json(const struct qps *s, struct out *o)
{
    out_str(o, "{\"stat\":\"qp\"");
    json_u64(o, "packets", s->packets);
    json_u64(o, "no_connection", s->no_connection);
    json_u64(o, "limit", JUDGE_DIRECTIONS);
    json_key(o, "directions");
    out_ch(o, '[');
    for (size_t i = 0; i < s->n; i++) {
        const struct row *r = &s->row[s->seen[i]->id];
        out_str(o, i > 0 ? ",{\"direction\":" : "{\"direction\":");
        out_u64(o, r->d->id);
        json_known(o, "peer", r->d->peer != 0, r->d->peer - 1);
        ends_json(o, r->d);
        json_u64(o, "p_key", r->p_key);
        json_known(o, "pmtu", r->d->pmtu != 0, r->d->pmtu);
        json_u64(o, "packets", r->packets);
        json_u64(o, "payload_bytes", r->bytes);
        json_u64(o, "first_psn", r->first_psn);
        json_u64(o, "last_psn", r->last_psn);
        json_u64(o, "first_frame", r->first_frame);
        json_u64(o, "last_frame", r->last_frame);
        json_key(o, "worst");
        if (r->worst == IBA_SEVERITY_NONE)
            OUT_LIT(o, "null");
        else {
            out_ch(o, '"');
            out_str(o, iba_severity_name(r->worst));
            out_ch(o, '"');
        }
        out_ch(o, '}');
    }
    out_str(o, "]}\n");
}

void stat_qp_print(void *state, struct out *o, bool json)
{
    struct qps *s = state;

    ends_sort(s->seen, s->n, NULL, NULL);
    (json ? print_json : print_text)(s, o);
}
