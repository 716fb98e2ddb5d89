/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes packets as expectations, with every field that the rules determine. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "known.h"
#include "predict.h"
#include "wire/iba_aeth.h"
#include "wire/iba_opcode.h"

#define ANY_PSN (UINT32_C(1) << 31) /* in addition to enum fuzz_free: the PSN is not compared */
/* MOST_WORDS: the line's object, the packet, and 18 fields. As a line has IBC_MAX_ARGS, six other words may follow. */
enum { HEX = 256, MOST_WORDS = 20 };
#define LISTED "another word of the line, or one of its checks"
#define PARSED "a packet with another is none, or has another payload"
#define TIMED (100 * RUN_US) /* a packet that comes later than that after another one was caused by a timer */

/* Fields that devices choose, or that the line's other words determine. */
static const struct {
    uint8_t hdr;
    const char *name, *why;
} unsaid[] = {
    {IBA_H_ipv4, "id", "a packet that may not be fragmented needs none (RFC 6864)"},
    {IBA_H_udp, "srcport", "the device's choice (RO-19)"},
    {IBA_H_udp, "checksum", "0 or right (RO-21)"},
    {IBA_H_bth, "a", "told apart below (RQ-05)"},
    {IBA_H_bth, "opcode", LISTED},
    {IBA_H_bth, "destqp", LISTED},
    {IBA_H_deth, "srcqp", LISTED},
    {IBA_H_aeth, "syndrome.reserved", LISTED},
    {IBA_H_aeth, "syndrome.opcode", LISTED},
    {IBA_H_aeth, "syndrome.value", LISTED},
    {IBA_H_lrh, "dlid", LISTED},
    {IBA_H_lrh, "slid", LISTED},
    {IBA_H_ipv4, "src", LISTED},
    {IBA_H_ipv4, "dst", LISTED},
    {IBA_H_ipv4, "checksum", LISTED},
    {IBA_H_ipv4, "version", PARSED},
    {IBA_H_ipv4, "hdr_len", PARSED},
    {IBA_H_ipv4, "len", PARSED},
    {IBA_H_ipv4, "flags.mf", PARSED},
    {IBA_H_ipv4, "frag_offset", PARSED},
    {IBA_H_ipv4, "proto", PARSED},
    {IBA_H_ipv6, "version", PARSED},
    {IBA_H_ipv6, "plen", PARSED},
    {IBA_H_ipv6, "nxt", PARSED},
    {IBA_H_udp, "dstport", PARSED},
    {IBA_H_udp, "length", PARSED},
    {IBA_H_vlan, "etype", PARSED},
    {IBA_H_lrh, "lver", PARSED},
    {IBA_H_lrh, "lnh", PARSED},
    {IBA_H_lrh, "pktlen", PARSED},
    {IBA_H_grh, "ipver", PARSED},
    {IBA_H_grh, "paylen", PARSED},
    {IBA_H_grh, "nxthdr", PARSED},
    {IBA_H_bth, "padcnt", PARSED},
};

/* Fields that a device is known to fill wrongly. */
static const struct {
    const char *name;
    uint32_t is_free; /* enum fuzz_free */
    uint8_t hdr;
} known[] = {
    {"m", FUZZ_FREE_migreq, IBA_H_bth},         {"ttl", FUZZ_FREE_hop, IBA_H_ipv4},
    {"hlim", FUZZ_FREE_hop, IBA_H_ipv6},        {"flow", FUZZ_FREE_flow, IBA_H_ipv6},
    {"dsfield.ecn", FUZZ_FREE_ecn, IBA_H_ipv4}, {"tclass.ecn", FUZZ_FREE_ecn, IBA_H_ipv6},
};

static bool is_listed(unsigned h, const struct iba_field *f, uint32_t is_free)
{
    if ((is_free & ANY_PSN) && h == IBA_H_bth && strcmp(f->name, "psn") == 0)
        return false;
    if (f->mem_size == 0 || f->bits > 64 || f->name[0] == '=' || h == IBA_H_eth)
        return false;
    for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++)
        if (unsaid[i].hdr == h && strcmp(unsaid[i].name, f->name) == 0)
            return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].is_free & is_free) && known[i].hdr == h && strcmp(known[i].name, f->name) == 0)
            return false;
    return true;
}

struct line {
    char *to;
    size_t room, n;
    unsigned words;
    uint32_t is_free;
};

static void __attribute__((format(printf, 2, 3))) put(struct line *l, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(l->to + l->n, l->room - l->n, format, args);
    va_end(args);
    for (int i = 0; i < n && l->n + (size_t)i < l->room; i++)
        l->words += l->to[l->n + (size_t)i] == ' ';
    if (n > 0)
        l->n = l->n + (size_t)n < l->room ? l->n + (size_t)n : l->room - 1;
}

static void header(struct line *l, const struct iba_view *v, unsigned h)
{
    static const char infiniband[] = "infiniband.";
    const struct iba_hdr_info *info = &iba_headers[h];
    const char *prefix = strncmp(info->prefix, infiniband, sizeof infiniband - 1) == 0
                             ? info->prefix + sizeof infiniband - 1
                             : info->prefix;

    for (unsigned i = 0; i < info->n_field; i++) {
        const struct iba_field *f = &info->field[i];
        if (is_listed(h, f, l->is_free) && l->words < MOST_WORDS &&
            iba_field_present(f, iba_view_hdr(v, (enum iba_hdr)h)))
            put(l, " %s.%s=0x%" PRIx64, prefix, f->name, iba_field_get(f, iba_view_hdr(v, (enum iba_hdr)h)));
    }
}

/* RQ-05: AckReq may be set where it is not needed, and requests that return data are answered without it. */
static void ack_request(struct line *l, const struct iba_view *v)
{
    const bool a = iba_bth_a(iba_view_bth(v));

    if (!v->op || v->op->dir == IBA_RSP)
        put(l, " ackreq=%d", a);
    else if (a && !iba_view_has(v, IBA_H_atomiceth) && !(iba_view_has(v, IBA_H_reth) && v->op->pay == IBA_PAY_NONE))
        put(l, " ackreq=1");
}

static void payload(struct line *l, const struct iba_view *v)
{
    const uint8_t *p = v->wire + v->payload_at;

    if (v->payload_len == 0 || v->payload_len > HEX || l->n + 20 + 2u * v->payload_len > l->room) {
        put(l, " payload=%u", v->payload_len);
        return;
    }
    put(l, " payload=hex:");
    for (uint32_t i = 0; i < v->payload_len; i++)
        put(l, "%02x", p[i]);
}

/* Names a group or the third host, if that is the destination. */
static void destination(struct line *l, const struct run_player *p, const struct iba_view *v)
{
    const bool ib = iba_view_has(v, IBA_H_lrh);
    const uint64_t to = ib ? iba_lrh_dlid(iba_view_hdr(v, IBA_H_lrh)) : iba_eth_dst(iba_view_hdr(v, IBA_H_eth));

    if (to == (ib ? p->t->stranger.lid : p->t->stranger.mac)) {
        put(l, " to=stranger");
        return;
    }
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++) {
        const struct run_live *g = &p->live[i];
        if (g->made && g->kind == IBC_O_group && to == (ib ? g->lid : g->mac)) {
            put(l, " to=%s", g->o->name);
            return;
        }
    }
}

/* Compares all fields that the rules determine. */
static void describe(struct line *l, const struct run_player *p, const struct run_live *q, const struct iba_view *v)
{
    if (!iba_view_has_bth(v)) {
        put(l, "%s RAW", q->o->name);
        if (iba_view_has(v, IBA_H_lrh))
            header(l, v, IBA_H_lrh);
        if (iba_view_has(v, IBA_H_rwh))
            header(l, v, IBA_H_rwh);
        payload(l, v);
        return;
    }
    if (v->op && v->op->name)
        put(l, "%s %s", q->o->name, v->op->name);
    else
        put(l, "%s 0x%02x", q->o->name, (unsigned)iba_bth_opcode(iba_view_bth(v)));
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        if (iba_view_has(v, (enum iba_hdr)h))
            header(l, v, h);
    if (iba_view_has(v, IBA_H_cnp))
        put(l, " cnp.reserved=hex:00000000000000000000000000000000"); /* RO-42 */
    destination(l, p, v);
    ack_request(l, v);
    if (iba_view_has(v, IBA_H_aeth))
        put(l, " syndrome=0x%02x", (unsigned)iba_view_hdr(v, IBA_H_aeth)[0]);
    if (iba_view_has(v, IBA_H_deth) && iba_deth_srcqp(iba_view_hdr(v, IBA_H_deth)) == q->id[0])
        put(l, " srcqp=%s.qpn", q->o->name);
    payload(l, v);
}

static bool is_rc(const struct iba_view *v, enum iba_operation o)
{
    return v->op && v->op->svc == IBA_RC && v->op->operation == o;
}

static bool asked(const struct iba_view *v)
{
    return iba_bth_a(iba_view_bth(v)) || is_rc(v, IBA_OPERATION_READ);
}

static bool is_ack(const struct iba_view *v)
{
    return is_rc(v, IBA_OPERATION_ACK) && iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth)) == IBA_AETH_ACK;
}

static struct predict_answer *new_answer(struct predicting *f, uint32_t line)
{
    static struct predict_answer none;

    if (f->n_answer == PREDICT_ANSWERS) {
        f->full = true;
        return &none;
    }
    f->answer[f->n_answer].line = line;
    return &f->answer[f->n_answer++];
}

/* Returns the time when the step of that line began. On virtual time only waits take time, and the play ends with
 * one. */
static uint64_t begun_at(const struct run_player *p, uint32_t line)
{
    uint64_t waited = 0;

    for (unsigned i = p->play->n_step; i-- > 0 && p->play->step[i].line >= line;)
        if (p->play->step[i].kind == IBC_S_wait)
            waited += p->play->step[i].arg[0].v[0].n;
    return run_now(p) - waited;
}

/* Writes the time limits of a packet. By the rules a timeout may be up to four times the minimum (RQ-19), and no
 * rule limits how soon a requester continues after a wait. */
static void timing(struct line *l, const struct run_player *p, const struct run_packet *k, uint64_t before)
{
    const uint64_t gap = k->at > before ? k->at - before : 0, begun = begun_at(p, k->line);

    if (before && gap > TIMED && k->at > begun + TIMED)
        put(l, " after=%" PRIu64 "us within=%" PRIu64 "us", gap / RUN_US, 4 * gap / RUN_US + 100000);
}

/* Whether the packet acknowledges a repeated SEND or WRITE: sources differ on whether it has the PSN of that
 * request or the newest one. */
static bool is_ack_again(const struct run_packet *in, const struct iba_view *v, const struct run_packet *first)
{
    const struct iba_view *of = in && iba_view_has_bth(&in->view) && in->view.op ? &in->view : NULL;
    const iba_psn psn = iba_psn_of(of ? iba_bth_psn(iba_view_bth(of)) : 0);

    if (!of || !is_ack(v) || of->op->dir != IBA_REQ)
        return false;
    for (const struct run_packet *k = first; k != in; k = k->next)
        if (iba_view_has_bth(&k->view) && k->view.op && k->view.op->svc == IBA_RC &&
            k->sent == (k->view.op->dir == IBA_REQ) &&
            iba_psn_diff(psn, iba_psn_of(iba_bth_psn(iba_view_bth(&k->view)))) <= 0)
            return true;
    return false;
}

/* Whether the packet may be missing: a device may leave out an unsolicited acknowledgement, or send one where the
 * model sends none. */
static bool may_be_missing(const struct predicting *f, const struct run_packet *in, const struct iba_view *v)
{
    if ((f->c.is_free & FUZZ_FREE_cnp) && iba_view_has(v, IBA_H_cnp))
        return true;
    return is_ack(v) && in && iba_view_has_bth(&in->view) && !asked(&in->view);
}

static void note_request(struct predicting *f, const struct run_player *p, const struct run_packet *k)
{
    for (unsigned i = 0; i < p->play->n_step; i++) {
        const struct ibc_step *s = &p->play->step[i];
        const uint8_t *mad = s->line == k->line && s->kind == IBC_S_send && s->object < IBC_MAX_OBJECTS
                                 ? predict_cm_of(&p->live[s->object], &k->view)
                                 : NULL;
        if (mad && run_cm_begins(mad))
            f->tid[s->object] = iba_madhdr_transactionid(mad);
    }
}

static void note(struct predicting *f, const struct run_player *p, const struct run_live *q,
                 const struct run_packet *in, const struct run_packet *out, uint64_t before)
{
    struct predict_answer *a = new_answer(f, out->line);
    struct line l = {a->text, sizeof a->text, 0, 0, f->c.is_free};
    const uint8_t *mad = predict_cm_of(q, &out->view);
    uint64_t *tid = &f->tid[q - p->live];
    const bool begins = mad && run_cm_begins(mad);

    if (begins)
        *tid = iba_madhdr_transactionid(mad);
    put(&l, "<%s ", may_be_missing(f, in, &out->view) ? "?" : "");
    l.is_free |= is_ack_again(in, &out->view, p->first) ? ANY_PSN : 0;
    l.room -= 60; /* space for the time limits */
    if (mad)
        l.n +=
            predict_cm_message(l.to + l.n, l.room - l.n, f, q, mad, !begins && iba_madhdr_transactionid(mad) == *tid);
    else
        describe(&l, p, q, &out->view);
    l.room += 60;
    timing(&l, p, out, before);
}

/* Whether an acknowledgement may come that the model does not send: a device may acknowledge requests without
 * AckReq, and sources differ on whether a key that cannot be invalidated is answered with nothing, an ACK or a NAK
 * (RR-55). */
static bool may_acknowledge(const struct run_packet *k)
{
    return iba_view_has_bth(&k->view) && k->view.op && k->view.op->svc == IBA_RC && k->view.op->dir == IBA_REQ &&
           !asked(&k->view);
}

static void silent_input(struct predicting *f, struct run_player *p, const struct run_packet *k)
{
    const struct run_packet *next = k->next;
    const struct run_live *q;
    struct predict_answer *a;

    const bool invalidates = iba_view_has_bth(&k->view) && k->view.op && iba_view_has(&k->view, IBA_H_ieth);

    if ((!may_acknowledge(k) && !invalidates) || (next && !next->sent))
        return;
    q = run_qp_of(p, (uint32_t)iba_bth_destqp(iba_view_bth(&k->view)), 0);
    if (!q || q->type != IBA_QPT_RC)
        return;
    a = new_answer(f, k->line);
    snprintf(a->text, sizeof a->text, "<? %s ACKNOWLEDGE psn=0x%06x%s", q->o->name,
             (unsigned)iba_bth_psn(iba_view_bth(&k->view)), invalidates ? "" : " syndrome=ack");
}

void predict_packets(struct predicting *f, struct run_player *p)
{
    const struct run_packet *in = NULL;
    uint64_t before = 0;

    for (const struct run_packet *k = p->first; k; before = k->at, k = k->next) {
        const struct run_live *q = k->owner;
        if (k->sent) {
            in = k;
            note_request(f, p, k);
            silent_input(f, p, k);
        } else if (q)
            note(f, p, q, in && in->line + 1 >= k->line ? in : NULL, k, before);
    }
}
