/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares Linux' responses with ours: pairs, fields, and responses that only one of the two sent. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "replay.h"

struct match {
    const struct capture_file *c;
    const struct flow *f;
    struct side *s;
    size_t *partner; /* of each response of the capture: index into s->answer */
};

static const uint8_t *bth(const struct iba_view *v)
{
    return iba_view_bth(v);
}

static iba_psn psn_of(const struct iba_view *v)
{
    return iba_psn_of(iba_bth_psn(bth(v)));
}

/* Responses of one class and PSN are the same response, whatever their other fields. */
enum class { ACK, RNR, RESERVED, NAK, READ, ATOMIC };
static enum class class_of(const struct iba_view *v) {
    switch (iba_opcode_operation(iba_bth_opcode(bth(v)))){
        case IBA_OPERATION_ACK : return (enum class)iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth));
        case IBA_OPERATION_ATOMIC_ACK : return ATOMIC;
        default : return READ;
    }
}

static bool same_response(const struct iba_view *a, const struct iba_view *b)
{
    return class_of(a) == class_of(b) && iba_psn_eq(psn_of(a), psn_of(b));
}

/* A frame of the responder that the network damaged, as long as `a` is. */
static bool damaged(const struct match *m, const struct packet *p, const struct answer *a)
{
    const uint8_t *eth = packet_hdr(p, IBA_H_eth);

    return eth && !packet_good(p) && p->view.len == a->view.len && iba_eth_src(eth) == m->f->to.mac &&
           iba_eth_dst(eth) == m->f->from.mac;
}

static bool taken(const struct match *m, uint64_t number)
{
    for (size_t i = 0; i < m->s->n_answer; i++)
        if (m->s->answer[i].damaged == number)
            return true;
    return false;
}

/* The earliest packet after the request that may be the response, even if damaged. */
static void find_partner(struct match *m, size_t i)
{
    struct answer *a = &m->s->answer[i];
    size_t k = 0;

    for (size_t n = m->f->request[a->request]; n < m->c->n; n++) {
        const struct packet *p = &m->c->packet[n];
        while (k < m->f->n_response && m->f->response[k] < n)
            k++;
        if (k < m->f->n_response && m->f->response[k] == n && m->partner[k] == NOBODY &&
            same_response(&a->view, &p->view)) {
            a->match = k;
            m->partner[k] = i;
            return;
        }
        if (damaged(m, p, a) && !taken(m, p->number)) {
            a->damaged = p->number;
            return;
        }
    }
}

/* ---- words ---- */

static void put_response(const struct iba_view *v)
{
    static const char *const words[] = {"ACK", "RNR NAK", "reserved syndrome", "NAK", "READ response", "ATOMIC ACK"};
    const enum class k = class_of(v);

    printf("%s", words[k]);
    if (k == RNR || k == NAK)
        printf(" %u", iba_aeth_syn_value(iba_view_hdr(v, IBA_H_aeth)));
    printf(" PSN %" PRIu32, psn_of(v).v);
    if (iba_view_has(v, IBA_H_aeth))
        printf(" MSN %" PRIu32, iba_aeth_msn(iba_view_hdr(v, IBA_H_aeth)));
    if (k == READ)
        printf(" %" PRIu32 " bytes", v->payload_len);
}

static void put_address(const struct address *a)
{
    if (iba_gid_is_ipv4(a->gid))
        printf("%u.%u.%u.%u", a->gid[12], a->gid[13], a->gid[14], a->gid[15]);
    else
        for (unsigned i = 0; i < 16; i += 2)
            printf("%s%x", i ? ":" : "", a->gid[i] << 8 | a->gid[i + 1]);
}

static void begin(const struct match *m, const char *what)
{
    printf("{\"capture\":\"%s\",\"responder\":\"", m->c->name);
    put_address(&m->f->to);
    printf("\",\"qp\":%" PRIu32 ",\"service\":\"%s\",\"what\":\"%s\"", m->f->qpn,
           iba_svc_name((enum iba_svc)m->f->service), what);
}

/* The request, and the row of our tables that decided about it. */
static void put_request(const struct match *m, size_t i)
{
    if (i == NOBODY)
        return;
    const struct packet *q = flow_request(m->c, m->f, i);
    const struct verdict *v = &m->s->verdict[i];
    const uint8_t *reth = packet_hdr(q, IBA_H_reth);

    printf(",\"request\":%" PRIu64 ",\"opcode\":\"%s\",\"psn\":%" PRIu32 ",\"ackreq\":%s", q->number,
           iba_opcode_title(packet_opcode(q)), packet_psn(q).v, iba_bth_a(bth(&q->view)) ? "true" : "false");
    if (reth)
        printf(",\"dmalen\":%" PRIu32, iba_reth_dmalen(reth));
    if (v->rule)
        printf(",\"table\":\"%s\",\"rule\":\"%s\",\"clause\":\"%s\"", v->table, v->rule->name, v->rule->clause);
}

static void put_kind(const char *name, const struct iba_view *v)
{
    static const char *const words[] = {"ack", "rnr", "reserved", "nak", "read", "atomic"};
    const enum class k = class_of(v);

    printf(",\"%s\":\"%s", name, words[k]);
    if (k == NAK)
        printf("%u", iba_aeth_syn_value(iba_view_hdr(v, IBA_H_aeth)));
    printf("\",\"%s_psn\":%" PRIu32, name, psn_of(v).v);
}

static void put_ours(const struct match *m, size_t i)
{
    printf(",\"packet\":%" PRIu64 ",\"linux\":\"\",\"ours\":\"",
           flow_request(m->c, m->f, m->s->answer[i].request)->number);
    put_response(&m->s->answer[i].view);
    printf("\"");
    put_kind("kind", &m->s->answer[i].view);
    printf(",\"damaged\":%" PRIu64 ",\"left\":%zu", m->s->answer[i].damaged,
           m->c->n - 1 - m->f->request[m->s->answer[i].request]);
}

/* A frame that is equal to an earlier one byte for byte: the network copied it, not the responder. */
static bool is_copy(const struct match *m, size_t k)
{
    const struct packet *r = flow_response(m->c, m->f, k);

    for (size_t i = 0; i < k; i++) {
        const struct packet *o = flow_response(m->c, m->f, i);
        if (o->view.caplen == r->view.caplen && memcmp(o->bytes, r->bytes, r->view.caplen) == 0)
            return true;
    }
    return false;
}

/* ---- responses that only one of the two sent ---- */

/* Whether a responder may send this response to that request. */
static bool may_answer(const struct packet *q, const struct packet *r)
{
    const int32_t ahead = iba_psn_diff(packet_psn(q), packet_psn(r));

    if (!packet_good(q) || q->number > r->number)
        return false;
    if (packet_is_nak(r, IBA_NAK_SEQUENCE))
        return ahead > 0;
    return class_of(&r->view) == ACK ? ahead <= 0 : class_of(&r->view) == READ ? ahead <= 0 : ahead == 0;
}

/* The request that an unpaired response of Linux most likely answers: responses come in the order of their requests, so
 * it lies between those of its neighbours; and our engine did not answer it. */
static size_t request_of(const struct match *m, size_t k)
{
    const struct packet *r = flow_response(m->c, m->f, k);
    size_t from = 0, to = m->f->n_request, spoken = NOBODY;

    for (size_t i = 0; i < m->f->n_response; i++)
        if (m->partner[i] != NOBODY) {
            const size_t q = m->s->answer[m->partner[i]].request;
            from = i < k && q > from ? q : from;
            to = i > k && q + 1 < to ? q + 1 : to;
        }
    for (size_t i = from; i < to; i++) {
        if (!may_answer(flow_request(m->c, m->f, i), r))
            continue;
        bool said = false;
        for (size_t a = 0; a < m->s->n_answer; a++)
            said |= m->s->answer[a].request == i && m->s->answer[a].match != NOBODY;
        if (!said)
            return i;
        spoken = i;
    }
    return spoken;
}

static void only_linux(const struct match *m, size_t k)
{
    const struct packet *r = flow_response(m->c, m->f, k);

    begin(m, "only linux");
    put_request(m, request_of(m, k));
    printf(",\"packet\":%" PRIu64 ",\"copy\":%s,\"linux\":\"", r->number, is_copy(m, k) ? "true" : "false");
    put_response(&r->view);
    printf("\",\"ours\":\"\"");
    put_kind("kind", &r->view);
    printf("}\n");
}

static void only_ours(const struct match *m, size_t i)
{
    begin(m, "only ours");
    put_request(m, m->s->answer[i].request);
    put_ours(m, i);
    printf("}\n");
}

/* ---- fields of a pair ---- */

static void put_hex(const uint8_t *b, size_t n)
{
    enum { SHOWN = 16 };

    for (size_t i = 0; i < n && i < SHOWN; i++)
        printf("%02x", b[i]);
    if (n > SHOWN)
        printf("...");
}

static void begin_field(const struct match *m, size_t i, const char *prefix, const char *name)
{
    const struct answer *a = &m->s->answer[i];

    begin(m, "field");
    put_request(m, a->request);
    printf(",\"packet\":%" PRIu64 ",\"field\":\"%s%s%s\"", flow_response(m->c, m->f, a->match)->number, prefix,
           *prefix ? "." : "", name);
    put_kind("kind", &a->view);
}

static void compare_header(const struct match *m, size_t i, enum iba_hdr h)
{
    const struct iba_view *ours = &m->s->answer[i].view,
                          *theirs = &flow_response(m->c, m->f, m->s->answer[i].match)->view;
    const struct iba_hdr_info *info = &iba_headers[h];

    if (iba_view_has(ours, h) != iba_view_has(theirs, h)) {
        begin_field(m, i, "", info->prefix);
        printf(",\"linux\":\"%d\",\"ours\":\"%d\"}\n", iba_view_has(theirs, h), iba_view_has(ours, h));
        return;
    }
    if (!iba_view_has(ours, h))
        return;
    for (unsigned k = 0; k < info->n_field; k++) {
        const struct iba_field *f = &info->field[k];
        const uint64_t l = iba_field_get(f, iba_view_hdr(theirs, h)), o = iba_field_get(f, iba_view_hdr(ours, h));
        if (f->mem_size == 0 || l == o)
            continue;
        begin_field(m, i, info->prefix, f->name);
        printf(",\"linux\":\"%" PRIu64 "\",\"ours\":\"%" PRIu64 "\"}\n", l, o);
    }
}

static void compare_payload(const struct match *m, size_t i)
{
    const struct iba_view *ours = &m->s->answer[i].view,
                          *theirs = &flow_response(m->c, m->f, m->s->answer[i].match)->view;
    const uint8_t *o = ours->wire + ours->payload_at, *l = theirs->wire + theirs->payload_at;

    if (ours->payload_len == theirs->payload_len && memcmp(o, l, ours->payload_len) == 0)
        return;
    begin_field(m, i, "", "payload");
    printf(",\"linux\":\"");
    put_hex(l, theirs->payload_len);
    printf("\",\"ours\":\"");
    put_hex(o, ours->payload_len);
    printf("\"}\n");
}

static void compare_pair(const struct match *m, size_t i)
{
    static const enum iba_hdr headers[] = {IBA_H_bth, IBA_H_aeth, IBA_H_atomicacketh};

    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++)
        compare_header(m, i, headers[h]);
    compare_payload(m, i);
}

/* ---- the direction as a whole ---- */

static void further(iba_psn *most, bool *any, const struct iba_view *v)
{
    const enum class k = class_of(v);

    if (k != ACK && k != READ && k != ATOMIC)
        return;
    if (!*any || iba_psn_diff(psn_of(v), *most) > 0)
        *most = psn_of(v);
    *any = true;
}

/* Compares the last PSN that Linux acknowledged with the last one that our engine did. */
static void compare_end(const struct match *m)
{
    iba_psn theirs = {0}, ours = {0};
    bool they_did = false, we_did = false;

    for (size_t k = 0; k < m->f->n_response; k++)
        further(&theirs, &they_did, &flow_response(m->c, m->f, k)->view);
    for (size_t i = 0; i < m->s->n_answer; i++)
        further(&ours, &we_did, &m->s->answer[i].view);
    if (they_did == we_did && iba_psn_eq(theirs, ours))
        return;
    begin(m, "end");
    printf(",\"packet\":%" PRIu64 ",\"linux\":\"%d %" PRIu32 "\",\"ours\":\"%d %" PRIu32 "\"}\n",
           flow_request(m->c, m->f, m->f->n_request - 1)->number, they_did, theirs.v, we_did, ours.v);
}

static void compare_delivery(const struct match *m)
{
    if (m->f->service == IBA_RC || m->s->delivered == m->s->messages)
        return;
    begin(m, "delivery");
    printf(",\"packet\":%" PRIu64 ",\"linux\":\"%" PRIu64 "\",\"ours\":\"%" PRIu64 "\"}\n",
           flow_request(m->c, m->f, m->f->n_request - 1)->number, m->s->messages, m->s->delivered);
}

uint64_t match_flow(const struct capture_file *c, const struct flow *f, struct side *s)
{
    struct match m = {c, f, s, calloc(f->n_response + 1, sizeof(size_t))};
    uint64_t looked_at = s->n_answer + (f->service == IBA_RC ? 0 : s->messages);

    if (!m.partner)
        die("out of memory", "");
    for (size_t k = 0; k < f->n_response; k++)
        m.partner[k] = NOBODY;
    for (size_t i = 0; i < s->n_answer; i++)
        find_partner(&m, i);
    for (size_t i = 0; i < s->n_answer; i++) {
        if (s->answer[i].match == NOBODY)
            only_ours(&m, i);
        else
            compare_pair(&m, i);
    }
    for (size_t k = 0; k < f->n_response; k++)
        if (m.partner[k] == NOBODY) {
            looked_at++;
            only_linux(&m, k);
        }
    compare_end(&m);
    compare_delivery(&m);
    free(m.partner);
    return looked_at;
}
