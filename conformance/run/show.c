/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and packets in readable form: "bth.psn 0x000101", "ACKNOWLEDGE psn 0x001001 NAK PSN Sequence Error". */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"
#include "wire/iba_aeth.h"

static void add(char *out, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *out, size_t n, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;

    va_start(args, format);
    if (used < n)
        vsnprintf(out + used, n - used, format, args);
    va_end(args);
}

static unsigned kind_of(uint64_t syndrome)
{
    return iba_syndrome_kind((uint8_t)syndrome) & IBA_AETH_NAK; /* kind of the syndrome without its reserved bit */
}

static void add_syndrome(char *out, size_t n, uint64_t syndrome)
{
    const unsigned kind = kind_of(syndrome), value = iba_syndrome_code((uint8_t)syndrome);

    if (kind == IBA_AETH_NAK)
        add(out, n, "NAK %s", iba_value_name(IBA_VALUES_NAK, value));
    else if (kind == IBA_AETH_RNR)
        add(out, n, "RNR NAK timer %u", value);
    else
        add(out, n, "%s %u", kind == IBA_AETH_ACK ? "ACK" : "reserved", value);
    if (kind == IBA_AETH_NAK && value >= IBA_NAK_CODES)
        add(out, n, " %u", value);
    if (syndrome >> 7)
        add(out, n, " with the reserved bit");
}

/* Appends "bth.psn", made of "infiniband.bth" and "psn". A name that begins with '=' is complete already. */
static void add_name(char *out, size_t n, uint8_t hdr, const struct iba_field *f)
{
    static const char family[] = "infiniband.";
    const char *prefix = hdr == IBC_H_MAD ? "" : iba_headers[hdr].prefix;

    if (f->name[0] == '=') {
        add(out, n, "%s ", f->name + 1);
        return;
    }
    if (hdr == IBC_H_MAD) {
        add(out, n, "%s ", f->name);
        return;
    }
    if (strncmp(prefix, family, sizeof family - 1) == 0)
        prefix += sizeof family - 1;
    add(out, n, "%s.%s ", prefix, f->name);
}

static void add_value(char *out, size_t n, uint8_t hdr, const struct iba_field *f, uint64_t v)
{
    const struct iba_show_info *show = &iba_shows[f->show];
    const char *name = f->values != IBA_VALUES_NONE ? iba_value_name((enum iba_vocabulary)f->values, v) : NULL;

    if (hdr == IBA_H_aeth && strcmp(f->name, "syndrome") == 0)
        add_syndrome(out, n, v);
    else if (hdr == IBA_H_bth && strcmp(f->name, "psn") == 0) /* a PSN is written as in scenarios */
        add(out, n, "0x%06" PRIx64, v);
    else if (show->human_base == 16)
        add(out, n, "0x%0*" PRIx64, show->human_digits, v);
    else if (f->show == IBA_SHOW_MAC || f->show == IBA_SHOW_IP4)
        add(out, n, "0x%" PRIx64, v);
    else
        add(out, n, "%" PRIu64, v);
    if (name)
        add(out, n, " (%s)", name);
}

void run_show_field(uint8_t hdr, const struct iba_field *f, uint64_t v, char *out, size_t n)
{
    out[0] = '\0';
    add_name(out, n, hdr, f);
    add_value(out, n, hdr, f, v);
}

void run_show_bytes(uint8_t hdr, const struct iba_field *f, const uint8_t *bytes, size_t len, char *out, size_t n)
{
    out[0] = '\0';
    if (f)
        add_name(out, n, hdr, f);
    for (size_t i = 0; i < len && i < 16; i++)
        add(out, n, "%02x", bytes[i]);
    if (len > 16)
        add(out, n, "...");
}

/* Writes the values that an argument allows: "0x000101 or 1..5, not 7". */
void run_show_wanted(const struct run_player *p, const struct ibc_arg *a, uint8_t hdr, const struct iba_field *f,
                     const struct run_context *c, char *out, size_t n)
{
    out[0] = '\0';
    add_name(out, n, hdr, f);
    for (unsigned i = 0; i < a->n; i++) {
        const struct ibc_value *v = &a->v[i];
        add(out, n, "%s%s", i ? " or " : "", v->negated ? "not " : "");
        if (v->kind == IBC_V_BYTES) {
            for (size_t b = 0; b < v->n_bytes && b < 16; b++)
                add(out, n, "%02x", v->bytes[b]);
        } else if (v->kind == IBC_V_ANY) {
            add(out, n, "any");
        } else if (v->kind == IBC_V_NUMBER && v->mask && hdr == IBA_H_aeth && !iba_syndrome_code((uint8_t)v->mask)) {
            add(out, n, "%s",
                kind_of(v->n) == IBA_AETH_ACK   ? "ACK"
                : kind_of(v->n) == IBA_AETH_RNR ? "RNR NAK"
                                                : "NAK");
        } else {
            add_value(out, n, hdr, f, run_value(p, v, c));
            if (v->kind == IBC_V_RANGE)
                add(out, n, ".."), add_value(out, n, hdr, f, v->hi);
        }
    }
}

static void show_opcode(uint8_t opcode, char *out, size_t n)
{
    const struct iba_opcode *op = &iba_opcodes[opcode];

    out[0] = '\0';
    if (!op->name)
        add(out, n, "opcode 0x%02x", opcode);
    else if (op->svc == IBA_CNP || !strchr(op->name, '_'))
        add(out, n, "%s", op->name);
    else
        add(out, n, "%s", strchr(op->name, '_') + 1);
}

static bool is_cm(const struct iba_view *v)
{
    const uint8_t *mad = v->wire + v->payload_at;

    return iba_mad_in(v) && v->payload_len == IBA_MAD_BYTES && iba_madhdr_mgmtclass(mad) == IBA_CLASS_CM;
}

/* Appends a description such as "CM REJ tid 0x1000 reason 8 (invalid service ID)". */
static void add_cm(char *out, size_t n, const uint8_t *mad)
{
    const struct iba_mad_attr *a = iba_mad_attr(IBA_CLASS_CM, iba_madhdr_attributeid(mad));

    snprintf(out, n, "CM %s tid 0x%" PRIx64, a ? a->name : "unknown message", iba_madhdr_transactionid(mad));
    if (a && a->id == IBA_CM_ID_REJ) {
        const unsigned reason = iba_cm_rej_reason(mad + IBA_BYTES_madhdr);
        add(out, n, " reason %u (%s)", reason, iba_value_name(IBA_VALUES_CM_REJECT, reason));
    }
}

void run_show_packet(const struct run_packet *k, char *out, size_t n)
{
    const struct iba_view *v = &k->view;

    if (iba_view_has(v, IBA_H_fc)) {
        const uint8_t *fc = iba_view_hdr(v, IBA_H_fc);
        snprintf(out, n, "FLOW op %u vl %u fctbs %u fccl %u", (unsigned)iba_fc_op(fc), (unsigned)iba_fc_vl(fc),
                 (unsigned)iba_fc_fctbs(fc), (unsigned)iba_fc_fccl(fc));
        return;
    }
    if (!iba_view_has_bth(v)) {
        snprintf(out, n, "%u bytes%s%s", k->len, v->err ? ": " : " without transport header",
                 v->err ? iba_strerror(v->err) : "");
        return;
    }
    if (is_cm(v)) {
        add_cm(out, n, v->wire + v->payload_at);
        return;
    }
    if (run_smp_show(v, out, n))
        return;
    show_opcode(iba_bth_opcode(iba_view_bth(v)), out, n);
    add(out, n, " psn 0x%06x", iba_bth_psn(iba_view_bth(v)));
    if (iba_view_has(v, IBA_H_aeth)) {
        add(out, n, " ");
        add_syndrome(out, n, iba_bits_get(iba_view_hdr(v, IBA_H_aeth), 0, 8));
        add(out, n, " msn %u", iba_aeth_msn(iba_view_hdr(v, IBA_H_aeth)));
    }
    if (v->payload_len > 0)
        add(out, n, ", %u bytes", v->payload_len);
    if (v->err)
        add(out, n, ", %s", iba_strerror(v->err));
    if (v->icrc == IBA_CHECK_BAD)
        add(out, n, ", bad ICRC");
    if (v->vcrc == IBA_CHECK_BAD)
        add(out, n, ", bad VCRC");
    if (k->sent)
        add(out, n, " (sent)");
}

/* Writes the line without its mark ('<') and its QP. */
void run_show_expected(const struct ibc_step *s, char *out, size_t n)
{
    const char *t = s->text ? s->text : "";

    if (s->is_alternative && strchr(t, '<'))
        t = strchr(t, '<');
    if (*t == '<') {
        t += strspn(t, "<?* ");
        t += strcspn(t, " ");
        t += strspn(t, " ");
    }
    snprintf(out, n, "%s", *t ? t : s->text);
}
