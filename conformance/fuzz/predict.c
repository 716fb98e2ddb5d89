/* What the model says comes of a case. Played with a pause behind each input, in which all that it causes comes; then
 * written down as expectations, by the packet's kind. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "fuzz.h"
#include "run/play.h"

enum {
    GRAIN = 64, /* bytes of memory that are told of together */
    REGION = 65536,
    MOST_ANSWERS = 256,
};

/* Expectation lines wait in their order until the text is put together. */
struct answer {
    uint32_t line; /* of the input's script */
    char text[700];
};
struct predicting {
    const struct fuzz_case *c;
    char *text, *err;
    size_t used;
    bool full;
    struct answer *answer;
    unsigned n_answer;
    uint32_t first_line; /* of the first input, in the script */
    bool had_play;
};

static void __attribute__((format(printf, 2, 3))) add(struct predicting *f, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(f->text + f->used, FUZZ_TEXT - f->used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= FUZZ_TEXT - f->used)
        f->full = true;
    else
        f->used += (size_t)n;
}

/* ---- packets ---- */

/* "-3", "+7": from the first PSN of the direction */
static int relative(const struct run_live *q, const struct iba_view *v, bool sent)
{
    const iba_psn base = iba_psn_of((v->op->dir == IBA_REQ) != sent ? q->psn : q->epsn);

    return (int)iba_psn_diff(iba_psn_of(iba_bth_psn(iba_view_bth(v))), base);
}

static int payload(char *to, size_t room, const struct iba_view *v, bool bytes)
{
    const uint8_t *p = v->wire + v->payload_at;
    int n = snprintf(to, room, " payload=");

    if (!bytes || v->payload_len == 0 || v->payload_len > 256)
        return n + snprintf(to + n, room - (size_t)n, "%u", v->payload_len);
    n += snprintf(to + n, room - (size_t)n, "hex:");
    for (uint32_t i = 0; i < v->payload_len && (size_t)n + 3 < room; i++)
        n += snprintf(to + n, room - (size_t)n, "%02x", p[i]);
    return n;
}

static int syndrome(char *to, size_t room, const uint8_t *aeth)
{
    static const char *const kind[] = {"ack", "rnr", "0x40", "nak:"};
    const unsigned k = iba_aeth_syn_kind(aeth);

    if (k == 3)
        return snprintf(to, room, " syndrome=nak:%u msn=%u", (unsigned)iba_aeth_syn_value(aeth), iba_aeth_msn(aeth));
    return snprintf(to, room, " syndrome=%s msn=%u", kind[k], iba_aeth_msn(aeth));
}

/* What is compared: all that the rules fix. */
static void describe(char *to, size_t room, const struct run_live *q, const struct iba_view *v)
{
    int n = snprintf(to, room, "a %s psn=%+d", v->op->name + strlen("RC_"), relative(q, v, false));

    if (iba_view_has(v, IBA_H_reth))
        n += snprintf(to + n, room - (size_t)n, " dmalen=%u", (unsigned)iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth)));
    if (iba_view_has(v, IBA_H_aeth))
        n += syndrome(to + n, room - (size_t)n, iba_view_hdr(v, IBA_H_aeth));
    if (iba_view_has(v, IBA_H_atomicacketh))
        n += snprintf(to + n, room - (size_t)n, " orig=0x%" PRIx64,
                      (uint64_t)iba_atomicacketh_origremdt(iba_view_hdr(v, IBA_H_atomicacketh)));
    if (v->op->pay != IBA_PAY_NONE)
        (void)payload(to + n, room - (size_t)n, v, v->op->dir == IBA_RSP);
}

static bool asked(const struct iba_view *v)
{
    return iba_bth_a(iba_view_bth(v)) || v->op == &iba_opcodes[IBA_RC_READ_REQUEST];
}

/* An acknowledgement that nobody asked for may be left out, or come where the model sends none. */
static void note(struct predicting *f, const struct run_live *q, const struct run_packet *in,
                 const struct run_packet *out)
{
    const struct iba_view *v = &out->view;
    const bool ack = v->op == &iba_opcodes[IBA_RC_ACKNOWLEDGE] && iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth)) == 0;
    struct answer *a = &f->answer[f->n_answer];
    int n;

    if (f->n_answer == MOST_ANSWERS) {
        f->full = true;
        return;
    }
    f->n_answer++;
    a->line = out->line;
    n = snprintf(a->text, sizeof a->text, "<%s ",
                 ack && in && iba_view_has_bth(&in->view) && !asked(&in->view) ? "?" : "");
    describe(a->text + n, sizeof a->text - (size_t)n, q, v);
}

static void packets(struct predicting *f, struct run_player *p, const struct run_live *q)
{
    const struct run_packet *in = NULL;

    for (const struct run_packet *k = p->first; k; k = k->next) {
        if (k->sent)
            in = k;
        else if (k->view.op && k->view.op->svc == IBA_RC)
            note(f, q, in && in->line + 1 >= k->line ? in : NULL, k);
    }
}

/* Where the model does not acknowledge what nobody asked it to, another may. */
static bool may_acknowledge(const struct run_packet *k)
{
    return iba_view_has_bth(&k->view) && k->view.op && k->view.op->dir == IBA_REQ && !asked(&k->view);
}

static void silent_inputs(struct predicting *f, struct run_player *p, const struct run_live *q)
{
    for (const struct run_packet *k = p->first; k; k = k->next) {
        const struct run_packet *next = k->next;
        if (!k->sent || !may_acknowledge(k) || (next && !next->sent) || f->n_answer == MOST_ANSWERS)
            continue;
        struct answer *a = &f->answer[f->n_answer++];
        a->line = k->line;
        snprintf(a->text, sizeof a->text, "<? a ACKNOWLEDGE psn=%+d syndrome=ack", relative(q, &k->view, true));
    }
}

/* ---- what is left ---- */

static void words(char *to, size_t room, const char *name)
{
    size_t i;

    for (i = 0; name[i] && i + 1 < room; i++)
        to[i] = (char)tolower((unsigned char)name[i]);
    to[i] = '\0';
}

static void completions(struct predicting *f, struct run_player *p, const struct run_live *q)
{
    static const char *const status[] = {
#define STATUS(name, said) #name,
        IBA_WC_STATUSES(STATUS)};
    const uint32_t cq[] = {q->scq, q->rcq};
    struct iba_wc wc;
    unsigned n = 1;
    char name[48];

    for (unsigned i = 0; i < 2; i++)
        while (p->t->ops->poll_cq(p->t, 0, cq[i], &wc, &n) == IBC_OK && n == 1) {
            words(name, sizeof name, wc.status < IBA_WC_STATUS_COUNT ? status[wc.status] : "success");
            add(f, "  a completion %s status=%s\n", wc.op >= IBA_WR_RECV ? "recv" : "send", name);
        }
}

static void state(struct predicting *f, struct run_player *p, const struct run_live *q)
{
    static const char *const name[] = {
        [IBA_QPS_RESET] = "reset", [IBA_QPS_INIT] = "init", [IBA_QPS_RTR] = "rtr", [IBA_QPS_RTS] = "rts",
        [IBA_QPS_SQD] = "sqd",     [IBA_QPS_SQE] = "sqe",   [IBA_QPS_ERR] = "err"};
    struct iba_qp_attr a;

    if (p->t->ops->query_qp(p->t, 0, q->id[0], &a) == IBC_OK)
        add(f, "  a state %s\n", name[a.state]);
}

static bool is_as_begun(const uint8_t *at, uint32_t off)
{
    for (uint32_t i = 0; i < GRAIN; i++)
        if (at[i] != ibc_pattern('m', off + i))
            return false;
    return true;
}

static void memory(struct predicting *f, struct run_player *p, const struct run_live *m)
{
    static uint8_t is[REGION];
    uint32_t same = 0;

    if (p->t->ops->read_memory(p->t, 0, m->mr[0].local, is, sizeof is) != IBC_OK)
        return;
    for (uint32_t off = 0; off < REGION; off += GRAIN) {
        if (is_as_begun(is + off, off))
            continue;
        if (off > same)
            add(f, "  memory m+%u len=%u unchanged\n", same, off - same);
        add(f, "  memory m+%u len=%u hex:", off, (unsigned)GRAIN);
        for (uint32_t i = 0; i < GRAIN; i++)
            add(f, "%02x", is[off + i]);
        add(f, "\n");
        same = off + GRAIN;
    }
    if (same < REGION)
        add(f, "  memory m+%u len=%u unchanged\n", same, REGION - same);
}

static const struct run_live *named(const struct run_player *p, const char *name)
{
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if (p->live[i].made && p->live[i].o && strcmp(p->live[i].o->name, name) == 0)
            return &p->live[i];
    return NULL;
}

/* What may be acknowledged is given time to be, else that comes behind what is answered later. */
static void answers_of(struct predicting *f, uint32_t line)
{
    bool may = false;

    for (unsigned i = 0; i < f->n_answer; i++)
        if (f->answer[i].line == line || f->answer[i].line == line + 1) {
            may |= f->answer[i].text[1] == '?';
            add(f, "%s\n", f->answer[i].text);
        }
    add(f, "%s", may ? "  wait 1ms\n" : "");
}

static void ended(void *ctx, struct run_player *p)
{
    struct predicting *f = ctx;
    const struct run_live *q = named(p, "a"), *m = named(p, "m");

    if (!q || !m || p->verdict == IBC_IS_ERROR)
        return;
    packets(f, p, q);
    silent_inputs(f, p, q);
    add(f, "%s", f->c->head);
    for (unsigned i = 0; i < f->c->n; i++) {
        add(f, "%s\n", f->c->input[i]);
        answers_of(f, f->first_line + 2 * i);
    }
    add(f, "  a silence 20ms\n");
    state(f, p, q);
    completions(f, p, q);
    memory(f, p, m);
    f->had_play = true;
}

/* The inputs alone, each followed by a pause. */
static size_t script(const struct fuzz_case *c, char *to, uint32_t *first_line)
{
    size_t n = (size_t)snprintf(to, FUZZ_TEXT, "%s", c->head);

    *first_line = 1;
    for (size_t i = 0; i < n; i++)
        *first_line += to[i] == '\n';
    for (unsigned i = 0; i < c->n; i++)
        n += (size_t)snprintf(to + n, FUZZ_TEXT - n, "%s\nwait 1ms\n", c->input[i]);
    return n;
}

bool fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, enum ibc_link link, char text[FUZZ_TEXT],
                  char err[256])
{
    static struct answer answer[MOST_ANSWERS];
    struct predicting f = {.c = c, .text = text, .err = err, .answer = answer};
    const struct ibc_options o = {.seed = 1, .link = link, .ended = ended, .ctx = &f};
    const size_t n = script(c, text, &f.first_line);
    struct ibc_scenario *s = ibc_load_text(text, n, "sequence.ibt", "sequence", err, 256);
    struct ibc_result r = {0};

    if (!s)
        return false;
    ibc_run(s, model, &o, &r);
    if (!f.had_play || f.full)
        snprintf(err, 256, "%.250s", f.full ? "it says too much" : r.finding.got);
    ibc_result_clear(&r);
    ibc_free(s);
    return f.had_play && !f.full;
}
