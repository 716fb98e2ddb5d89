/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that several parts of the page use. */
#include "page/collected.h"
#include "track/addr.h"

void report_text(struct out *o, const char *s)
{
    out_xml(o, s, strlen(s));
}

void report_direction(struct out *o, const struct direction *d)
{
    stat_addr_print(o, (enum iba_addr_kind)d->key.kind, d->key.src);
    if (d->knows_source_qp) {
        OUT_LIT(o, " QP ");
        out_hex(o, d->source_qp, 6);
        out_str(o, d->guess ? "?" : "");
    }
    OUT_LIT(o, " to ");
    stat_addr_print(o, (enum iba_addr_kind)d->key.kind, d->key.dst);
    OUT_LIT(o, " QP ");
    out_hex(o, d->key.qpn, 6);
}

void report_sample(struct out *o, const struct sample *s)
{
    if (!sample_is_one(s))
        return;
    OUT_LIT(o, "<p>");
    sample_say(o, s);
    OUT_LIT(o, "</p>\n");
}

void report_counted(struct out *o, uint64_t n, const char *what)
{
    out_u64(o, n);
    out_ch(o, ' ');
    out_str(o, what);
    if (n != 1)
        out_ch(o, 's');
}

void report_verdict(const uint64_t severity[IBA_ERROR + 1], struct out *o)
{
    report_counted(o, severity[IBA_ERROR], "error");
    OUT_LIT(o, ", ");
    report_counted(o, severity[IBA_WARN], "warning");
    OUT_LIT(o, ", ");
    report_counted(o, severity[IBA_NOTE], "note");
}
