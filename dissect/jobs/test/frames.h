/* SPDX-License-Identifier: BSD-2-Clause */
/* RoCEv2 frames between hosts 10.0.0.N for the tests of this folder. */
#ifndef JOBS_TEST_FRAMES_H
#define JOBS_TEST_FRAMES_H
#include <criterion/criterion.h>
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { FRAME_MOST = 1200 };

struct frame {
    uint8_t src, dst; /* last byte of the addresses */
    uint8_t opcode;   /* 0: RC SEND Only */
    uint32_t qp, psn, bytes;
    bool bad_icrc;
};

/* Builds the frame, and returns its length. */
static inline uint32_t frame_put(uint8_t to[FRAME_MOST], const struct frame *f)
{
    static struct iba_recipe r;
    static const uint8_t payload[1024];
    size_t n;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, f->opcode ? f->opcode : IBA_RC_SEND_ONLY);
    uint8_t *ip = iba_recipe_part(&r, IBA_H_ipv4), *bth = iba_recipe_part(&r, IBA_H_bth);
    iba_ipv4_set_src(ip, 0x0a000000U + f->src);
    iba_ipv4_set_dst(ip, 0x0a000000U + f->dst);
    iba_bth_set_psn(bth, f->psn);
    iba_bth_set_destqp(bth, f->qp);
    r.payload = payload;
    r.payload_len = f->bytes;
    cr_assert_eq(iba_build(&r, to, FRAME_MOST, &n), IBA_OK);
    to[n - 1] ^= f->bad_icrc;
    return (uint32_t)n;
}
#endif
