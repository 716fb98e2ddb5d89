/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that the RC QP of a bed gets, and what it must answer. `ahead`: PSNs after EPSN. */
#ifndef IBPROOF_TEST_RC_ANSWERS_H
#define IBPROOF_TEST_RC_ANSWERS_H
#include "receive.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

static inline void expect(uint8_t opcode, int ahead)
{
    cr_assert(answer(&bed), "an answer 0x%02x", opcode);
    cr_assert_eq(answer_opcode(&bed), opcode, "0x%02x, not 0x%02x", answer_opcode(&bed), opcode);
    cr_assert_eq(answer_psn(&bed), (uint32_t)(EPSN + ahead) & IBA_PSN_MASK, "PSN 0x%x", answer_psn(&bed));
}

static inline void expect_syndrome(uint8_t syndrome, int ahead)
{
    expect(IBA_RC_ACKNOWLEDGE, ahead);
    cr_assert_eq(answer_syndrome(&bed), syndrome, "syndrome 0x%02x", answer_syndrome(&bed));
}

static inline void expect_silence(void)
{
    cr_assert(!answer(&bed), "silence, not 0x%02x", answer_opcode(&bed));
}

static inline void give_write(int ahead, bool a)
{
    ask(&bed, IBA_RC_WRITE_ONLY, ahead, 8);
    iba_bth_set_a(PART(&bed, bth), a);
    give(&bed);
}

static inline void ask_read(int ahead, uint64_t va, uint32_t len)
{
    ask(&bed, IBA_RC_READ_REQUEST, ahead, 0);
    iba_reth_set_va(PART(&bed, reth), va);
    iba_reth_set_dmalen(PART(&bed, reth), len);
}

static inline void give_read(int ahead, uint64_t va, uint32_t len)
{
    ask_read(ahead, va, len);
    give(&bed);
}

#endif
