/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares datagrams that management agents send on the wires of a subnet with the expected ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"

enum { VL15 = 15 };

static bool differs(struct run_difference *d, const char *what, uint64_t expected, uint64_t got)
{
    snprintf(d->expected, sizeof d->expected, "%s 0x%" PRIx64, what, expected);
    snprintf(d->got, sizeof d->got, "%s 0x%" PRIx64, what, got);
    return false;
}

static bool bytes_fit(const struct ibc_value *v, const uint8_t *is, size_t n)
{
    const bool fits = v->n_bytes <= n && memcmp(is, v->bytes, v->n_bytes) == 0;

    return fits != v->negated;
}

static bool field_fits(struct run_player *p, const struct ibc_arg *a, const uint8_t *mad, struct run_difference *d)
{
    static const struct run_context none;
    const uint8_t *layout = mad + a->at, *is = layout + a->field->at / 8;
    char got[RUN_TEXT];

    if (a->v[0].kind == IBC_V_BYTES ? bytes_fit(&a->v[0], is, a->field->bits / 8u)
                                    : a->field->bits > 64 || run_fits(p, a, iba_field_get(a->field, layout), &none))
        return true;
    run_show_wanted(p, a, IBC_H_MAD, a->field, &none, d->expected, sizeof d->expected);
    if (a->v[0].kind == IBC_V_BYTES)
        run_show_bytes(IBC_H_MAD, a->field, is, a->field->bits / 8u, got, sizeof got);
    else
        run_show_field(IBC_H_MAD, a->field, iba_field_get(a->field, layout), got, sizeof got);
    snprintf(d->got, sizeof d->got, "%s", got);
    return false;
}

static bool names(const struct ibc_step *s, const char *field)
{
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBC_H_MAD && strcmp(s->arg[i].name, field) == 0)
            return true;
    return false;
}

bool run_smp_has(struct run_player *p, const struct ibc_step *s, const uint8_t *mad, struct run_difference *d)
{
    if (!names(s, "status") && (iba_madhdr_method(mad) & IBA_METHOD_RESPONSE) && run_smp_status(mad) != 0)
        return differs(d, "status", 0, run_smp_status(mad));
    for (unsigned i = 0; i < s->n_arg; i++) {
        const struct ibc_arg *a = &s->arg[i];
        const bool asked = s->kind == IBC_S_get && (strcmp(a->name, "mkey") == 0 || strcmp(a->name, "hops") == 0 ||
                                                    strcmp(a->name, "path") == 0);
        if (a->key == IBC_K_FIELD && a->hdr == IBC_H_MAD && !asked && !field_fits(p, a, mad, d))
            return false;
    }
    return true;
}

static bool is_the_message(const struct ibc_step *s, const struct run_live *w, const uint8_t *mad,
                           struct run_difference *d)
{
    const struct iba_mad_attr *a = ibc_smp_attr(s->message);
    const uint16_t trap = ibc_smp_trap(s->message);
    const uint8_t *data = mad + 64;

    if (!names(s, "method") && iba_madhdr_method(mad) != s->method)
        return differs(d, "method", s->method, iba_madhdr_method(mad));
    if (!names(s, "attribute") && iba_madhdr_attributeid(mad) != a->id)
        return differs(d, "attribute", a->id, iba_madhdr_attributeid(mad));
    if (trap && iba_notice_trap(data) != trap)
        return differs(d, "trap", trap, iba_notice_trap(data));
    if ((s->method & IBA_METHOD_RESPONSE) && !names(s, "tid") && iba_madhdr_transactionid(mad) != w->tid)
        return differs(d, "tid", w->tid, iba_madhdr_transactionid(mad));
    return true;
}

bool run_smp_matches(struct run_player *p, const struct ibc_step *s, const struct run_packet *k,
                     struct run_difference *d)
{
    const uint8_t *mad = run_smp_in(k), *lrh = iba_view_hdr(&k->view, IBA_H_lrh);
    const struct run_live *w = run_live(p, s);
    const bool smp = mad && iba_bth_destqp(iba_view_bth(&k->view)) == 0;

    if (!mad) {
        run_show_expected(s, d->expected, sizeof d->expected);
        run_show_packet(k, d->got, sizeof d->got);
        return false;
    }
    if (w->port > 0 && (iba_lrh_vl(lrh) == VL15) != smp)
        return differs(d, "lrh.vl", smp ? VL15 : 0, iba_lrh_vl(lrh));
    return is_the_message(s, w, mad, d) && run_smp_has(p, s, mad, d);
}

void run_smp_learn(struct run_live *w, const uint8_t *mad)
{
    if (iba_madhdr_method(mad) == IBA_METHOD_TRAP)
        w->trap_tid = iba_madhdr_transactionid(mad);
}
