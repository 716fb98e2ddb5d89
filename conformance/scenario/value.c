/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the values of a key or a field: alternatives, '!' and `any`. */
#include "bind.h"
#include <string.h>

static bool compared(const struct ibc_binder *b, const struct ibc_want *want)
{
    if (want->row != NULL && (want->row->type == IBC_T_ERROR || want->row->key == IBC_K_late))
        return true; /* this key is an expectation on lines whose other keys are instructions */
    return b->compares && (want->row == NULL || (want->row->flags & IBC_R_PLAIN) == 0);
}

static bool one(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                struct ibc_arg *arg)
{
    struct ibc_value *v = &arg->v[arg->n];
    const bool compares = compared(b, want);

    if (arg->n == IBC_MAX_ALTS)
        return ibc_fault(IBC_AT_VALUE(b, w), "more than %d alternatives", IBC_MAX_ALTS);
    if (compares && *s == '!')
        v->negated = true, s++;
    if (compares && strcmp(s, "any") == 0) {
        v->kind = IBC_V_ANY;
        v->mask = UINT64_MAX;
    } else if (!ibc_atom(b, want, w, s, arg, v)) {
        return false;
    }
    arg->n++;
    return true;
}

static bool values(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                   struct ibc_arg *arg)
{
    const bool all = b->compares;
    bool good = true;

    b->compares = compared(b, want);
    if (!b->compares || strchr(s, '|') == NULL) {
        good = one(b, want, w, s, arg);
    } else {
        for (size_t n; good && s != NULL; s = s[n] == '|' ? s + n + 1 : NULL) {
            n = strcspn(s, "|");
            good = *s == '!' ? ibc_fault(IBC_AT_VALUE(b, w), "'!' and '|' do not go together")
                             : one(b, want, w, ibc_arena_string(b->arena, s, n), arg);
        }
    }
    b->compares = all;
    return good;
}

bool ibc_value_bind(struct ibc_binder *b, const struct ibc_row *row, const struct ibc_word *w, const char *s,
                    struct ibc_arg *arg)
{
    struct ibc_want want = {.row = row, .attr = IBC_A_ITSELF, .max = row->max};

    if (row->type == IBC_T_NUMBER)
        want.attr = (uint8_t)row->of;
    if (row->type == IBC_T_PLACE || row->type == IBC_T_SGE)
        want.attr = IBC_A_va, want.max = UINT64_MAX;
    if (row->type == IBC_T_EVERYWHERE)
        want.words = (uint8_t)row->of;
    if (row->type == IBC_T_PAYLOAD)
        want.max = IBC_MAX_FILE;
    return values(b, &want, w, s, arg);
}

bool ibc_field_bind(struct ibc_binder *b, const struct ibc_word *w, const char *s, uint8_t attr, struct ibc_arg *arg)
{
    const struct iba_field *f = arg->field;
    struct ibc_want want = {.field = f,
                            .attr = attr,
                            .max = f->bits > 64 ? 0 : iba_field_max(f) * iba_shows[f->show].unit,
                            .words = f->values,
                            .relative = arg->hdr == IBA_H_bth && f->at == IBA_AT_bth_psn};

    return values(b, &want, w, s, arg);
}
