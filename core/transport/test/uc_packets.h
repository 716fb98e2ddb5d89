/* SPDX-License-Identifier: BSD-2-Clause */
/* UC packets for the UC QP of a bed. */
#ifndef IBPROOF_TEST_UC_PACKETS_H
#define IBPROOF_TEST_UC_PACKETS_H
#include "receive.h"
#include "wire/iba_opcode_rows.h"

static inline void uc(struct bed *b, uint8_t opcode, uint32_t psn, size_t payload)
{
    packet(b, IBA_ENCAP_IB_LOCAL, opcode, UC_QPN, psn, payload);
}

static inline void first_in_rtr(struct bed *b)
{
    b->uc.state = IBA_QPS_RTR;
    uc(b, IBA_UC_WRITE_ONLY, 5, 8);
}

static inline void absent(struct bed *b)
{
    b->present = 0;
    region(b, ALL_RIGHTS | IBA_ACCESS_ON_DEMAND, b->pd, &b->lkey, &b->rkey);
}

#endif
