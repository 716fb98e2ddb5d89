/* SPDX-License-Identifier: BSD-2-Clause */
/* -G: every name that a user can type, printed from the tables. */
#include "field/field.h"
#include "finding_help.h"
#include "options.h"
#include "stats/stats.h"

static const char *type_name(const struct field *f)
{
    static const char *const name[] = {"FT_UINT64", "FT_BOOLEAN", "FT_ETHER",         "FT_IPv4", "FT_IPv6",
                                       "FT_BYTES",  "FT_STRING",  "FT_RELATIVE_TIME", "FT_BYTES"};
    const struct iba_field *row = field_row(f);

    if (f->type == FIELD_UINT && row)
        return row->bits <= 8    ? "FT_UINT8"
               : row->bits <= 16 ? "FT_UINT16"
               : row->bits <= 24 ? "FT_UINT24"
               : row->bits <= 32 ? "FT_UINT32"
                                 : "FT_UINT64";
    if (f->type == FIELD_PRESENCE && f->hdrs == 0)
        return "FT_NONE";
    return name[f->type];
}

static const char *base_name(const struct field *f)
{
    const struct iba_field *row = field_row(f);

    if (f->type != FIELD_UINT)
        return "";
    return row && iba_shows[row->show].script_base == 16 ? "BASE_HEX" : "BASE_DEC";
}

static void tab(struct out *o, const char *s)
{
    out_ch(o, '\t');
    out_str(o, s);
}

/* As `tshark -G fields`: F, label, name, type, protocol, base. */
static void list_fields(struct out *o)
{
    size_t n;
    const struct field *f = field_all(&n);

    for (; n > 0; n--, f++) {
        out_ch(o, 'F');
        tab(o, f->label);
        tab(o, f->name);
        tab(o, type_name(f));
        out_ch(o, '\t');
        out_mem(o, f->name, strcspn(f->name, "."));
        tab(o, base_name(f));
        out_ch(o, '\n');
    }
}

static void list_opcode_values(struct out *o, const char *name)
{
    for (unsigned code = 0; code < 256; code++)
        if (iba_opcodes[code].name) {
            OUT_LIT(o, "V\t");
            out_str(o, name);
            out_ch(o, '\t');
            out_u64(o, code);
            tab(o, iba_opcodes[code].title);
            out_ch(o, '\n');
        }
}

/* As `tshark -G values`: V, field, value, name; R, field, first, last, name for a range. */
static void list_values(struct out *o)
{
    size_t n, rows;

    for (const struct field *f = field_all(&n); n > 0; n--, f++) {
        const struct iba_field *row = field_row(f);
        if (!row)
            continue;
        if (row->values == IBA_VALUES_OPCODE)
            list_opcode_values(o, f->name);
        for (const struct iba_value *v = iba_values((enum iba_vocabulary)row->values, &rows); rows > 0; rows--, v++) {
            out_str(o, v->lo == v->hi ? "V\t" : "R\t");
            out_str(o, f->name);
            out_ch(o, '\t');
            out_u64(o, v->lo);
            if (v->lo != v->hi) {
                out_ch(o, '\t');
                out_u64(o, v->hi);
            }
            tab(o, v->name);
            out_ch(o, '\n');
        }
    }
}

/* Prints code, name, service, direction, position, payload rule, headers, title. */
static void list_opcodes(struct out *o)
{
    static const char *const dir[] = {"request", "response"}, *const pos[] = {"first", "middle", "last", "only"},
                             *const pay[] = {"none", "PMTU", "1..PMTU", "0..PMTU", "8"};

    for (unsigned code = 0; code < 256; code++) {
        const struct iba_opcode *op = &iba_opcodes[code];
        if (!op->name)
            continue;
        out_hex(o, code, 2);
        tab(o, op->name);
        tab(o, iba_svc_name((enum iba_svc)op->svc));
        tab(o, dir[op->dir]);
        tab(o, pos[op->pos]);
        tab(o, pay[op->pay]);
        out_ch(o, '\t');
        for (unsigned h = 0; h < IBA_H_COUNT; h++)
            if (op->hdrs >> h & 1) {
                if (h != IBA_H_bth)
                    out_ch(o, ' ');
                out_str(o, iba_headers[h].name);
            }
        tab(o, op->title);
        out_ch(o, '\n');
    }
}

/* Prints name, severity, field, sentence, clause, what it means, what causes it, what to do. */
static void list_findings(struct out *o)
{
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++) {
        const struct iba_finding_info *f = &iba_findings[i];
        out_str(o, f->name);
        tab(o, iba_severity_name(f->severity));
        OUT_LIT(o, "\tinfiniband.analysis.");
        out_str(o, f->field);
        tab(o, f->sentence);
        tab(o, f->clause);
        tab(o, finding_help[i].means);
        tab(o, finding_help[i].causes);
        tab(o, finding_help[i].advice);
        out_ch(o, '\n');
    }
}

bool list_print(struct out *o, const char *what)
{
    static const struct {
        const char *name;
        void (*print)(struct out *o);
    } lists[] = {{"fields", list_fields},
                 {"values", list_values},
                 {"opcodes", list_opcodes},
                 {"findings", list_findings},
                 {"statistics", stat_list}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(what, lists[i].name) == 0) {
            lists[i].print(o);
            return true;
        }
    return false;
}
