/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets for the tests of this folder: built by the builder, fed to a judge like a capture. */
#ifndef JUDGE_TEST_WIRE_H
#define JUDGE_TEST_WIRE_H
#include <criterion/criterion.h>
#include "judge/judge.h"
#include "wire/iba_build.h"

#define US UINT64_C(1000)

struct shot {
    uint8_t opcode;
    uint8_t from; /* 0 or 1: who sends */
    uint32_t qp;  /* both ends have this number */
    uint32_t psn, bytes, dma, msn;
    uint8_t syndrome;
};
struct wire {
    struct packet packet;
    struct cap_packet cap;
    uint64_t now;
    uint8_t bytes[2048];
};
/* Adds the next packet of the capture, 10 us after the previous one. */
const struct packet *wire_shoot(struct wire *w, const struct shot *x);
#endif
