/* SPDX-License-Identifier: BSD-2-Clause */
#include "mads_bed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "topology_text.h"

struct bed w;

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    (void)mad_layer_received(&w.l, node, port, packet, len);
}

static void deliver(void *ctx, unsigned open, struct mad_envelope *e, const uint8_t *mad, size_t len)
{
    (void)ctx;
    cr_assert(w.n < DELIVERIES);
    w.got[w.n] = (struct delivery){open, *e, malloc(len), len};
    memcpy(w.got[w.n++].mad, mad, len);
}

void forget(void)
{
    while (w.n > 0)
        free(w.got[--w.n].mad);
}

void begin(void)
{
    static const char text[] = "Switch\t4 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\nHca 1 \"A\"\nHca 1 \"B\"\n";
    const struct subnet_events events = {.received = received};

    w = (struct bed){.t = topology_of(text)};
    w.s = subnet_new(w.t, &(struct subnet_config){0}, &events);
    w.l.deliver = deliver;
    cr_assert(w.s && mad_layer_begin(&w.l, w.s));
    subnet_run(w.s, 0);
    for (size_t i = 0; i < subnet_nodes(w.s); i++) {
        struct iba_node *n = &subnet_node(w.s, i)->n;
        for (unsigned p = 0; p <= n->cfg.n_port; p++) {
            if (n->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
                n->port[p].info.portstate = IBA_PORT_ACTIVE;
            n->port[p].info.lid = (uint16_t)(i ? i : 3);
        }
    }
    struct iba_node *n = &subnet_node(w.s, 0)->n;
    n->sw.linearfdbtop = 2;
    n->lft[1] = 1;
    n->lft[2] = 2;
    for (unsigned i = 0; i < PROGRAMS; i++)
        mad_layer_open(&w.l, i, i + 1, 1);
}

void end(void)
{
    forget();
    mad_layer_end(&w.l);
    subnet_free(w.s);
    topology_free(w.t);
}

void run(iba_time until)
{
    for (;;) {
        const iba_time packets = subnet_deadline(w.s), datagrams = mad_layer_deadline(&w.l);
        const iba_time next = packets < datagrams ? packets : datagrams;
        if (next > until)
            break;
        subnet_run(w.s, next);
        mad_layer_advance(&w.l);
    }
    subnet_run(w.s, until);
}
