/* SPDX-License-Identifier: BSD-2-Clause */
/* One line for each packet, and the full tree. */
#include "field/computed.h"
#include "field/show.h"
#include "field/verdict.h"
#include "output/mad_text.h"
#include "output/printer.h"
#include "wire/iba_aeth.h"
#include "observer/iba_decision.h"
#include "observer/iba_finding_kinds.h"

enum { WIDTH_NUMBER = 5, WIDTH_TIME = 12, WIDTH_ADDRESS = 15, WIDTH_PROTOCOL = 10, WIDTH_LENGTH = 4 };

/* Appends the source or the destination of the packet's network header. */
static void address(struct out *o, const struct iba_view *v, bool source)
{
    const bool ib = iba_view_is_transport(v) && iba_view_has_bth(v);
    const uint8_t l3 = ib ? v->l3 : iba_view_has(v, IBA_H_ipv6) ? IBA_H_ipv6 : IBA_H_ipv4;
    const uint8_t *h = v->wire + v->l3_at;

    if (ib && iba_view_has(v, IBA_H_grh)) {
        h = iba_view_hdr(v, IBA_H_grh);
        out_ip6(o, source ? iba_grh_sgid(h) : iba_grh_dgid(h));
    } else if (iba_view_has(v, IBA_H_lrh) && (ib || !iba_view_has(v, (enum iba_hdr)l3))) {
        h = iba_view_hdr(v, IBA_H_lrh);
        OUT_LIT(o, "LID ");
        out_u64(o, source ? iba_lrh_slid(h) : iba_lrh_dlid(h));
    } else if (iba_view_has(v, (enum iba_hdr)l3)) {
        h = ib ? h : iba_view_hdr(v, (enum iba_hdr)l3);
        if (l3 == IBA_H_ipv6)
            out_ip6(o, source ? iba_ipv6_src(h) : iba_ipv6_dst(h));
        else
            out_ip4(o, source ? iba_ipv4_src(h) : iba_ipv4_dst(h));
    } else if (iba_view_has(v, IBA_H_eth)) {
        h = iba_view_hdr(v, IBA_H_eth);
        out_mac(o, source ? iba_eth_src(h) : iba_eth_dst(h));
    }
}

static const char *color_of(const struct packet *p)
{
    const struct iba_view *v = &p->view;
    const enum iba_severity worst = p->verdict ? p->verdict->worst : IBA_SEVERITY_NONE;

    if (worst == IBA_ERROR || iba_view_is_damaged(v))
        return "\033[31m";
    if (worst == IBA_WARN)
        return "\033[33m";
    if (iba_view_has(v, IBA_H_aeth) && iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth)) != IBA_AETH_ACK)
        return "\033[33m";
    if (v->op && v->op->svc == IBA_CNP)
        return "\033[36m";
    return NULL;
}

/* Appends the kind of each finding, and the frame that explains it, unless the line names that frame already. */
static void findings(struct out *o, const struct verdict *v)
{
    for (unsigned i = 0; i < verdict_kept(v); i++) {
        const struct iba_finding *f = &v->finding[i];
        if (f->kind == IBA_FINDING_BAD_ICRC || f->kind == IBA_FINDING_MALFORMED || f->kind == IBA_FINDING_CNP)
            continue;
        OUT_LIT(o, " [");
        out_str(o, iba_findings[f->kind].name);
        if (f->cause) {
            OUT_LIT(o, " \xe2\x86\x90 ");
            out_u64(o, f->cause);
        }
        out_ch(o, ']');
    }
}

void print_text(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    const char *color = opts->color ? color_of(p) : NULL;
    size_t from;

    (void)first;
    out_line(o);
    if (color)
        out_str(o, color);
    from = o->n;
    out_u64(o, p->number);
    out_pad_left(o, from, WIDTH_NUMBER);
    out_ch(o, ' ');
    from = o->n;
    print_time(o, p, opts->time);
    out_pad_left(o, from, WIDTH_TIME);
    out_ch(o, ' ');
    from = o->n;
    address(o, &p->view, true);
    out_pad_left(o, from, WIDTH_ADDRESS);
    OUT_LIT(o, " \xe2\x86\x92 ");
    from = o->n;
    address(o, &p->view, false);
    out_pad(o, from, WIDTH_ADDRESS);
    out_ch(o, ' ');
    from = o->n;
    out_str(o, print_protocol(p));
    out_pad(o, from, WIDTH_PROTOCOL);
    out_ch(o, ' ');
    from = o->n;
    out_u64(o, packet_len(p));
    out_pad_left(o, from, WIDTH_LENGTH);
    out_ch(o, ' ');
    print_info(o, p);
    findings(o, p->verdict);
    if (opts->sources) {
        OUT_LIT(o, " {");
        out_text(o, p->source_name, strlen(p->source_name));
        out_ch(o, ' ');
        out_u64(o, p->cap->number);
        out_ch(o, '}');
    }
    if (color)
        OUT_LIT(o, "\033[0m");
    out_ch(o, '\n');
    if (opts->hex)
        print_hex_dump(o, p);
}

static void tree_header(struct out *o, const struct iba_view *v, const struct iba_layer *l)
{
    const struct iba_hdr_info *info = &iba_headers[l->hdr];
    const uint8_t *wire = v->wire + l->at;

    out_str(o, info->title);
    out_ch(o, '\n');
    for (const struct iba_field *row = info->field; row < info->field + info->n_field; row++) {
        if (!iba_field_present(row, wire))
            continue;
        const struct value x = field_row_value(row, wire);
        if (print_row_shown(row, &x))
            print_tree_line(o, row->label, &x);
    }
}

static void tree_computed(struct out *o, const struct packet *p, enum computed c)
{
    struct value v;

    if (computed_value(c, p, &v))
        print_tree_line(o, computed_fields[c].label, &v);
}

static void tree_frame(struct out *o, const struct packet *p, const struct print_opts *opts)
{
    OUT_LIT(o, "Frame ");
    out_u64(o, p->number);
    OUT_LIT(o, ": ");
    out_u64(o, packet_len(p));
    OUT_LIT(o, " bytes on wire, ");
    out_u64(o, packet_caplen(p));
    OUT_LIT(o, " bytes captured\n");
    tree_computed(o, p, COMPUTED_frame_time_epoch);
    tree_computed(o, p, COMPUTED_frame_time_relative);
    if (opts->sources)
        tree_computed(o, p, COMPUTED_frame_file);
    tree_computed(o, p, COMPUTED_frame_comment);
}

/* Prints the row of a decision table that applied; NULL: no row did. */
static void tree_decision(struct out *o, const struct iba_decision *d)
{
    if (!d)
        return;
    OUT_LIT(o, "        rule ");
    out_str(o, d->table);
    out_ch(o, '.');
    out_str(o, d->name);
    OUT_LIT(o, ": ");
    out_str(o, d->sentence);
    OUT_LIT(o, " [");
    out_str(o, d->clause);
    OUT_LIT(o, "]\n");
}

static void tree_verdict(struct out *o, const struct packet *p)
{
    const struct verdict *v = p->verdict;

    if (!verdict_any(v))
        return;
    OUT_LIT(o, "Analysis\n");
    for (unsigned i = 0; i < verdict_kept(v); i++) {
        const struct iba_finding_info *info = &iba_findings[v->finding[i].kind];
        const char *text;
        OUT_LIT(o, "    ");
        out_str(o, iba_severity_name(info->severity));
        OUT_LIT(o, ": ");
        out_str(o, info->field);
        OUT_LIT(o, ": ");
        text = verdict_text(&v->finding[i], v->names);
        out_text(o, text, strlen(text)); /* the text may contain the name of a file */
        OUT_LIT(o, " [");
        out_str(o, verdict_cited(v->finding[i].kind));
        OUT_LIT(o, "]\n");
        tree_decision(o, v->finding[i].decision);
    }
    tree_computed(o, p, COMPUTED_analysis_request_in);
    tree_computed(o, p, COMPUTED_analysis_time);
    tree_computed(o, p, COMPUTED_analysis_response_in);
    tree_computed(o, p, COMPUTED_analysis_same_as);
}

static void tree_mad_context(struct out *o, const struct packet *p)
{
    if (!mad_context_any(&p->mad_context))
        return;
    OUT_LIT(o, "From management datagrams\n");
    for (unsigned c = COMPUTED_MAD; c < COMPUTED_MAD_END; c++)
        tree_computed(o, p, (enum computed)c);
}

void print_tree(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    static const uint8_t last[] = {
        COMPUTED_encapsulation, COMPUTED_service,     COMPUTED_payload_len,  COMPUTED_icrc,      COMPUTED_icrc_status,
        COMPUTED_vcrc,          COMPUTED_vcrc_status, COMPUTED_lpcrc_status, COMPUTED_truncated, COMPUTED_fault};

    if (!first)
        out_ch(o, '\n');
    tree_frame(o, p, opts);
    for (unsigned i = 0; i < p->view.n_layer; i++)
        tree_header(o, &p->view, &p->view.layer[i]);
    print_mad_tree(o, p);
    tree_mad_context(o, p);
    OUT_LIT(o, "Packet\n");
    for (size_t i = 0; i < sizeof last; i++)
        tree_computed(o, p, (enum computed)last[i]);
    if (p->view.icrc == IBA_CHECK_BAD)
        tree_computed(o, p, COMPUTED_icrc_calculated);
    tree_verdict(o, p);
    if (opts->hex)
        print_hex_dump(o, p);
}

void print_hex_dump(struct out *o, const struct packet *p)
{
    enum { WIDE = 16, HEX_COLUMNS = 56 };
    const uint8_t *b = packet_bytes(p);
    const uint32_t n = packet_caplen(p);

    for (uint32_t at = 0; at < n; at += WIDE) {
        const uint8_t offset[3] = {(uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at};
        const uint32_t k = n - at < WIDE ? n - at : WIDE;
        out_line(o);
        const size_t from = o->n;
        out_hex_bytes(o, at > 0xffff ? offset : offset + 1, at > 0xffff ? 3 : 2);
        OUT_LIT(o, "  ");
        for (uint32_t i = 0; i < k; i++) {
            out_hex_bytes(o, b + at + i, 1);
            out_ch(o, ' ');
        }
        out_pad(o, from, HEX_COLUMNS);
        for (uint32_t i = 0; i < k; i++)
            out_ch(o, b[at + i] >= 0x20 && b[at + i] < 0x7f ? (char)b[at + i] : '.');
        out_ch(o, '\n');
    }
    out_ch(o, '\n');
}
