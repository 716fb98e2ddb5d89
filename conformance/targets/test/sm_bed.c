/* SPDX-License-Identifier: BSD-2-Clause */
#include "sm_bed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ibc_fabric sm_bed_fabric = {
    .unmanaged = true,
    .n_node = SM_BED_NODES,
    .node = {[SW] = {.name = "sw", .type = IBA_NODE_SWITCH, .ports = 3},
             [A] = {.name = "a", .type = IBA_NODE_CA, .ports = 1},
             [B] = {.name = "b", .type = IBA_NODE_CA, .ports = 1},
             [C] = {.name = "c", .type = IBA_NODE_CA, .ports = 2}},
    .n_end = SM_BED_ENDS,
    .end = {[SW0] = {SW, 0, 0},
            [SW1] = {SW, 1, A1 + 1},
            [SW2] = {SW, 2, B1 + 1},
            [SW3] = {SW, 3, C1 + 1},
            [A0] = {A, 0, 0},
            [A1] = {A, 1, SW1 + 1},
            [B0] = {B, 0, 0},
            [B1] = {B, 1, SW2 + 1},
            [C0] = {C, 0, 0},
            [C1] = {C, 1, SW3 + 1},
            [C2] = {C, 2, 0}},
};

struct sm *sm_bed_open(const char *command)
{
    static const struct ibc_target_ops none;
    struct sm *s = calloc(1, sizeof *s);

    cr_assert_not_null(s);
    s->frame = calloc(SM_FRAMES, sizeof *s->frame);
    cr_assert_not_null(s->frame);
    (void)snprintf(s->command, sizeof s->command, "%s", command);
    s->t.ops = &none;
    s->t.framing = IBA_LINK_IB;
    s->begun = sm_now(&s->t);
    return s;
}

void sm_bed_close(struct sm *s)
{
    sm_stop_all(s);
    sm_subnet_close(s);
    free(s->frame);
    free(s);
}

struct iba_node *sm_bed_node(struct sm *s, unsigned node)
{
    return &subnet_node(s->subnet, node)->n;
}

struct iba_portinfo *sm_bed_port(struct sm *s, unsigned node, unsigned port)
{
    return &sm_bed_node(s, node)->port[port].info;
}

void sm_bed_manage(struct sm *s)
{
    static const struct {
        uint8_t node, port, lid, lmc, out; /* out: port of the switch that leads there */
    } rows[] = {{SW, 0, 1, 0, 0}, {A, 1, 4, 1, 1}, {B, 1, 6, 0, 2}, {C, 1, 8, 0, 3}};
    uint8_t *lft = sm_bed_node(s, SW)->lft;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_portinfo *p = sm_bed_port(s, rows[i].node, rows[i].port);
        p->lid = rows[i].lid;
        p->lmc = rows[i].lmc;
        for (unsigned k = 0; k < 1u << rows[i].lmc; k++)
            lft[rows[i].lid + k] = rows[i].out;
    }
    for (unsigned i = 0; i < SM_BED_ENDS; i++)
        if (sm_bed_fabric.end[i].to)
            sm_bed_port(s, sm_bed_fabric.end[i].node, sm_bed_fabric.end[i].port)->portstate = IBA_PORT_ACTIVE;
    sm_bed_node(s, SW)->sw.linearfdbtop = 16;
}
