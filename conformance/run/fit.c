/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the size of the largest packets of a scenario in either direction, since not every port carries them. */
#include "run/play.h"
#include "transport/iba_wr_ops.h"

enum {
    HEADERS = 40 + 8 + 12 + 28 + 4 + 4, /* IPv6, UDP, BTH, the longest extended headers, immediate data, ICRC */
    POSTED = 64,                        /* default bytes of a work request */
    USUAL_PMTU = 1024,
};

static uint64_t largest(const struct ibc_arg *a)
{
    uint64_t most = 0;

    for (unsigned i = 0; a && i < a->n; i++) {
        const struct ibc_value *v = &a->v[i];
        const uint64_t n = v->kind == IBC_V_BYTES ? v->n_bytes : v->kind == IBC_V_RANGE ? v->hi : v->n;
        most = n > most ? n : most;
    }
    return most;
}

/* Returns the length in bytes of the longest message that a line makes the device send. */
static uint64_t message_of(const struct ibc_step *s)
{
    const bool posted = s->kind == IBC_S_post && s->op != IBA_WR_BIND_MW;
    uint64_t most = posted ? POSTED : 0, sum = 0;

    for (unsigned i = 0; i < s->n_arg; i++) {
        const struct ibc_arg *a = &s->arg[i];
        const bool of_read = s->kind == IBC_S_send && a->key == IBC_K_FIELD && a->hdr == IBA_H_reth;
        if (posted && a->key == IBC_K_sge)
            sum += a->at;
        else if ((posted && a->key == IBC_K_len) || (of_read && strcmp(a->name, "dmalen") == 0))
            most = largest(a) > most ? largest(a) : most;
    }
    return sum > most ? sum : most;
}

static uint64_t payload_of(const struct ibc_play *play)
{
    uint64_t pmtu = 0, sent = 0, message = 0;

    for (unsigned i = 0; i < play->n_object; i++) {
        const struct ibc_object *o = &play->object[i];
        const uint64_t n = o->kind == IBC_O_qp ? ibc_arg_n(o->arg, o->n_arg, IBC_K_pmtu, USUAL_PMTU) : 0;
        pmtu = n > pmtu ? n : pmtu;
    }
    for (unsigned i = 0; i < play->n_step; i++) {
        const struct ibc_step *s = &play->step[i];
        const uint64_t n = s->kind == IBC_S_send ? largest(run_arg(s, IBC_K_payload)) : 0, m = message_of(s);
        sent = n > sent ? n : sent;
        message = m > message ? m : message;
    }
    message = message < pmtu ? message : pmtu;
    return sent > message ? sent : message;
}

unsigned ibc_packet_bytes(const struct ibc_scenario *s)
{
    uint64_t most = 0;

    for (uint32_t left = s->services; left; left &= left - 1)
        for (unsigned i = 0; i < s->n_variation; i++) {
            struct ibc_play *play = ibc_bind(s, (enum iba_qp_type)__builtin_ctz(left), i);
            const uint64_t n = payload_of(play);
            most = n > most ? n : most;
            ibc_play_free(play);
        }
    return HEADERS + (unsigned)(most < IBC_FRAME ? most : IBC_FRAME);
}
