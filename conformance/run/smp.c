/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams to and from management agents: finds them in packets, and describes them for people. */
#include <inttypes.h>
#include <stdio.h>
#include "run/fabric.h"
#include "scenario/vocab.h"

enum { STATUS_AT = 4, DIRECTION = 0x80 };

const uint8_t *run_smp_in(const struct run_packet *k)
{
    const struct iba_view *v = &k->view;

    return iba_mad_in(v) && v->payload_len == IBA_MAD_BYTES ? v->wire + v->payload_at : NULL;
}

unsigned run_smp_status(const uint8_t *mad)
{
    return (unsigned)(mad[STATUS_AT] & ~DIRECTION) << 8 | mad[STATUS_AT + 1];
}

static const char *method_name(unsigned method, char text[8])
{
    const struct ibc_vocabulary *w = &ibc_vocabularies[IBC_VOCAB_METHOD];

    for (size_t i = 0; i < w->n; i++)
        if (w->row[i].n == method)
            return w->row[i].name;
    snprintf(text, 8, "0x%02x", method);
    return text;
}

bool run_smp_show(const struct iba_view *v, char *out, size_t n)
{
    const uint8_t *mad = v->wire + v->payload_at;
    const struct iba_mad_attr *a;
    char text[8];

    if (!iba_mad_in(v) || v->payload_len != IBA_MAD_BYTES || iba_madhdr_mgmtclass(mad) == IBA_CLASS_CM)
        return false;
    a = iba_mad_attr((uint8_t)iba_madhdr_mgmtclass(mad), (uint16_t)iba_madhdr_attributeid(mad));
    snprintf(out, n, "%s %s tid 0x%" PRIx64 " status 0x%02x", method_name(iba_madhdr_method(mad), text),
             a ? a->name : "unknown attribute", (uint64_t)iba_madhdr_transactionid(mad), run_smp_status(mad));
    return true;
}

static bool is_about(const struct run_player *p, const struct ibc_step *s, const struct run_packet *k)
{
    const uint8_t *mad = run_smp_in(k);

    if ((s->kind != IBC_S_gets && s->kind != IBC_S_expect) || p->live[s->object].id[0] != k->device)
        return false;
    if (!s->message)
        return !mad;
    return mad && iba_madhdr_method(mad) == s->method && iba_madhdr_attributeid(mad) == ibc_smp_attr(s->message)->id;
}

bool run_is_passing(const struct run_player *p, const struct run_packet *k)
{
    for (unsigned i = 0; i < p->play->n_step; i++)
        if (is_about(p, &p->play->step[i], k))
            return false;
    return true;
}
