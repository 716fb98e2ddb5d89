/* SPDX-License-Identifier: BSD-2-Clause */
/* The LID that a node of a subnet has now. */
#include "run/fabric.h"

uint16_t run_lid(const struct run_player *p, const struct run_live *node)
{
    enum { GET = IBA_METHOD_GET, PORTINFO = 0x15, DATA_AT = 64 };
    const bool is_switch = node->kind == IBC_O_switch;
    const struct run_live *w = node + (is_switch ? 1 : 2); /* the wires of a node follow it */
    uint8_t mad[IBA_MAD_BYTES] = {0};

    if (!p->managed)
        return (uint16_t)ibc_arg_n(node->o->arg, node->o->n_arg, IBC_K_lid, 1);
    iba_madhdr_set_method(mad, GET);
    iba_madhdr_set_attributeid(mad, PORTINFO);
    return p->t->ops->fabric_read(p->t, w->id[0], mad) == IBC_OK ? (uint16_t)iba_portinfo_lid(mad + DATA_AT) : 0;
}
