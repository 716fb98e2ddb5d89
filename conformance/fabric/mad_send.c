/* SPDX-License-Identifier: BSD-2-Clause */
#include "mad_kind.h"
#include "mad_send.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PSN_FIRST = 0x10000, PSN_LAST = 0xffffff };

struct iba_node_port *mad_send_port(const struct mad_layer *l, unsigned open)
{
    return &subnet_node(l->subnet, l->open[open].node)->n.port[l->open[open].port];
}

int mad_send_now(struct mad_layer *l, unsigned open, const struct mad_envelope *to, const uint8_t *mad)
{
    const struct mad_open *o = &l->open[open];
    uint8_t packet[MAD_PACKET];
    size_t len;

    l->psn = l->psn < PSN_LAST ? l->psn + 1 : PSN_FIRST;
    len = mad_packet_build(packet, mad_send_port(l, open), to, mad_is_smp(mad), l->psn, mad);
    if (len == 0)
        return EINVAL;
    subnet_send(l->subnet, o->node, o->port, packet, len);
    return 0;
}

struct mad_send *mad_send_find(struct mad_layer *l, unsigned open, unsigned agent, uint64_t tid, uint8_t class)
{
    for (size_t k = 0; k < l->n_send; k++) {
        struct mad_send *s = &l->send[k];
        if (s->used && s->open == open && s->agent == agent && iba_madhdr_transactionid(s->mad) == tid &&
            iba_madhdr_mgmtclass(s->mad) == class)
            return s;
    }
    return NULL;
}

void mad_send_forget(struct mad_layer *l, struct mad_send *s)
{
    free(s->mad);
    *s = (struct mad_send){0};
    while (l->n_send > 0 && !l->send[l->n_send - 1].used)
        l->n_send--;
}

void mad_send_fail(struct mad_layer *l, struct mad_send *s, int error)
{
    struct mad_envelope e = s->to;
    uint8_t header[MAD_HEADER];
    const unsigned open = s->open;

    memcpy(header, s->mad, sizeof header);
    e.agent = s->agent;
    e.status = (uint32_t)error;
    mad_send_forget(l, s);
    l->deliver(l->ctx, open, &e, header, sizeof header);
}
