/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets around the first finding of each kind, as a ladder diagram: requests to the right, responses to the
 * left. */
#include "page/collected.h"
#include "wire/iba_aeth.h"
#include "wire/iba_values.h"

static struct report_step step_of(const struct report *r, const struct packet *p)
{
    const struct iba_view *v = &p->view;
    const uint8_t *bth = iba_view_bth(v);
    struct report_step s = {.frame = p->number,
                            .ns = (int64_t)(p->cap->ts_ns - r->first_ns),
                            .len = (uint32_t)v->payload_len,
                            .psn = iba_psn_of(iba_bth_psn(bth)),
                            .opcode = (uint8_t)iba_bth_opcode(bth),
                            .answers = v->op->dir == IBA_RSP,
                            .has_aeth = iba_view_has(v, IBA_H_aeth),
                            .has_reth = iba_view_has(v, IBA_H_reth)};

    if (s.has_aeth) {
        s.syndrome = (uint8_t)iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth));
        s.value = (uint8_t)iba_aeth_syn_value(iba_view_hdr(v, IBA_H_aeth));
    }
    if (s.has_reth)
        s.dmalen = (uint32_t)iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth));
    for (unsigned i = 0; i < verdict_kept(p->verdict) && !s.has_finding; i++) {
        s.finding = p->verdict->finding[i];
        s.has_finding = iba_findings[s.finding.kind].severity == p->verdict->worst;
    }
    return s;
}

static bool is_new_kind(const struct report *r, const struct report_step *s)
{
    if (!s->has_finding || iba_findings[s->finding.kind].severity < IBA_WARN)
        return false;
    for (uint32_t i = 0; i < r->n_ladder; i++)
        if (r->ladder[i].step[r->ladder[i].hit].finding.kind == s->finding.kind)
            return false;
    return r->n_ladder < REPORT_LADDERS;
}

static void begin(struct report *r, struct report_line *l, const struct report_step *s)
{
    struct report_ladder *a = &r->ladder[r->n_ladder++];
    const uint64_t n = l->steps < REPORT_BEFORE ? l->steps : REPORT_BEFORE;

    *a = (struct report_ladder){.line = l};
    for (uint64_t i = l->steps - n; i < l->steps; i++)
        a->step[a->n++] = l->last_step[i % REPORT_BEFORE];
    a->hit = a->n;
    a->step[a->n++] = *s;
    l->open = a;
}

void report_climb(struct report *r, struct report_line *l, const struct packet *p)
{
    const struct report_step s = step_of(r, p);

    if (l->open && l->open->n < l->open->hit + 1 + REPORT_AFTER)
        l->open->step[l->open->n++] = s;
    else if (is_new_kind(r, &s))
        begin(r, l, &s);
    l->last_step[l->steps++ % REPORT_BEFORE] = s;
}

/* ---- as text ---- */

static void answer(struct out *o, uint8_t k, uint8_t value)
{
    static const struct {
        const char *lead;
        enum iba_vocabulary value;
    } kind[] = {[IBA_AETH_ACK] = {"", IBA_VALUES_NONE},
                [IBA_AETH_RNR] = {" RNR NAK ", IBA_VALUES_RNR_MS},
                [IBA_AETH_RESERVED] = {" reserved syndrome ", IBA_VALUES_NONE},
                [IBA_AETH_NAK] = {" NAK ", IBA_VALUES_NAK}};
    const char *name = iba_value_name(kind[k].value, value);

    if (k == IBA_AETH_ACK)
        return;
    out_str(o, kind[k].lead);
    if (name)
        report_text(o, name);
    else
        out_u64(o, value);
}

static void words(struct out *o, const struct report_step *s)
{
    out_str(o, s->answers ? "\342\206\220 " : "");
    report_text(o, iba_opcode_title(s->opcode));
    OUT_LIT(o, " PSN ");
    out_hex(o, s->psn.v, 6);
    if (s->has_reth) {
        OUT_LIT(o, " of ");
        report_counted(o, s->dmalen, "byte");
    } else if (s->len > 0) {
        OUT_LIT(o, ", ");
        report_counted(o, s->len, "byte");
    }
    if (s->has_aeth)
        answer(o, s->syndrome, s->value);
    out_str(o, s->answers ? "" : " \342\206\222");
}

static void row(struct out *o, const struct report_step *s, bool hit)
{
    OUT_LIT(o, "<tr");
    out_str(o, hit ? " class=\"hit\"" : "");
    OUT_LIT(o, "><td class=\"n\">");
    out_u64(o, s->frame);
    OUT_LIT(o, "</td><td class=\"n\">");
    out_time(o, s->ns);
    OUT_LIT(o, "</td><td class=\"");
    out_str(o, s->answers ? "answer" : "request");
    OUT_LIT(o, "\">");
    words(o, s);
    OUT_LIT(o, "</td><td class=\"");
    out_str(o, s->has_finding ? iba_severity_name(iba_findings[s->finding.kind].severity) : "none");
    OUT_LIT(o, "\">");
    if (s->has_finding)
        report_text(o, iba_findings[s->finding.kind].name);
    OUT_LIT(o, "</td></tr>\n");
}

void report_ladders(const struct report *r, struct out *o)
{
    if (r->n_ladder == 0)
        return;
    OUT_LIT(o, "<h2>What happened</h2>\n<p>Around the first finding of each kind; packets of this connection only, "
               "requests to the "
               "right, answers to the left.</p>\n");
    for (uint32_t i = 0; i < r->n_ladder; i++) {
        const struct report_ladder *a = &r->ladder[i];
        const struct iba_finding *f = &a->step[a->hit].finding;
        OUT_LIT(o, "<figure class=\"ladder\">\n<figcaption>");
        out_str(o, iba_findings[f->kind].name);
        OUT_LIT(o, ": ");
        report_text(o, verdict_text(f, r->names));
        OUT_LIT(o, " [");
        report_text(o, verdict_cited(f->kind));
        OUT_LIT(o, "]</figcaption>\n<table class=\"ladder\">\n");
        for (uint32_t k = 0; k < a->n; k++)
            row(o, &a->step[k], k == a->hit);
        OUT_LIT(o, "</table>\n</figure>\n");
    }
}
