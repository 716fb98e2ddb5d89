/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the memory that a READ, ATOMIC, FLUSH or ATOMIC WRITE accesses. */
#include "iba_responder.h"

enum { FLUSH_GLOBAL = 1, FLUSH_PERSISTENT = 2, FLUSH_REGION = 1 };

unsigned iba_flush_access(const struct iba_rx *x)
{
    const unsigned placement = iba_feth_placement(iba_rx_hdr(x, IBA_H_feth));

    return (placement & FLUSH_GLOBAL ? IBA_ACCESS_FLUSH_GLOBAL : 0u) |
           (placement & FLUSH_PERSISTENT ? IBA_ACCESS_FLUSH_PERSISTENT : 0u);
}

static enum iba_mem_verdict flush_reach(const struct iba_rx *x, struct iba_place *place)
{
    const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);
    const struct iba_reach r = {
        .va = iba_reth_va(reth),
        .length = iba_reth_dmalen(reth),
        .key = iba_reth_r_key(reth),
        .pd = iba_rx_pd(x),
        .qpn = iba_rx_user(x)->qpn,
        .need = (uint16_t)iba_flush_access(x),
        .remote = true,
        .whole = iba_feth_selectivity(iba_rx_hdr(x, IBA_H_feth)) == FLUSH_REGION,
    };
    return iba_mem_reach(&x->ca->mem, &r, place);
}

static enum iba_mem_verdict read_reach(const struct iba_rx *x, struct iba_place *place)
{
    const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);

    return iba_rx_reach(x, iba_reth_r_key(reth), iba_reth_va(reth), iba_reth_dmalen(reth), IBA_ACCESS_REMOTE_READ,
                        place);
}

enum iba_mem_verdict iba_responder_reach(const struct iba_rx *x, struct iba_place *place)
{
    place->key = NULL; /* an access to no bytes has no place */
    switch ((enum iba_operation)x->operation) {
    case IBA_OPERATION_READ: return read_reach(x, place);
    case IBA_OPERATION_FLUSH: return flush_reach(x, place);
    case IBA_OPERATION_ATOMIC: {
        const uint8_t *eth = iba_rx_hdr(x, IBA_H_atomiceth);
        return iba_rx_reach(x, iba_atomiceth_r_key(eth), iba_atomiceth_va(eth), IBA_ATOMIC_BYTES,
                            IBA_ACCESS_REMOTE_ATOMIC, place);
    }
    case IBA_OPERATION_ATOMIC_WRITE: {
        const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);
        return iba_rx_reach(x, iba_reth_r_key(reth), iba_reth_va(reth), IBA_ATOMIC_BYTES, IBA_ACCESS_REMOTE_WRITE,
                            place);
    }
    default: return IBA_REACH_OK;
    }
}
