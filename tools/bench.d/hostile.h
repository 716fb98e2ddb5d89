/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet of a hostile capture, and the file of such packets. */
#ifndef BENCH_HOSTILE_H
#define BENCH_HOSTILE_H
#include <stdio.h>
#include "mad/iba_mad.h"
#include "sim/iba_random.h"
#include "wire/iba_endpoints.h"

enum { GSI = 1, FRAME = 512, PAYLOAD = 64, STEP_NS = 1000, NS = 1000000000, PSNS = 1 << 24 };

/* A packet; a kind changes the members that differ from those of an ordinary SEND. */
struct shape {
    uint8_t src[IBA_ADDR_MOST], dst[IBA_ADDR_MOST]; /* IPv4: in the last four bytes */
    uint32_t qpn, psn, msn, bytes;                  /* bytes: of the payload */
    uint32_t length;                                /* of a READ */
    uint64_t content;                               /* first bytes of the payload */
    uint64_t wait_ns;                               /* since the packet before */
    uint8_t opcode, syndrome;
    bool v6, native, ask, damaged, congested;
    uint8_t mad[IBA_MAD_BYTES];
};
typedef void make(struct shape *p, uint64_t i, struct iba_random *r);

/* Writes the capture. False: an error of the file, or a packet that cannot be built (errno 0). */
bool hostile_write(FILE *out, make *kind, uint64_t packets);
#endif
