/* SPDX-License-Identifier: BSD-2-Clause */
/* A MAD layer between two adapters, on virtual time. */
#ifndef IBF_TEST_MADS_BED_H
#define IBF_TEST_MADS_BED_H
#include "mad_layer.h"

enum { A, B, PROGRAMS };
enum { DELIVERIES = 128 };

struct delivery {
    unsigned open;
    struct mad_envelope e;
    uint8_t *mad;
    size_t len;
};
struct bed {
    struct topology *t;
    struct subnet *s;
    struct mad_layer l;
    struct delivery got[DELIVERIES];
    size_t n;
};
extern struct bed w;

/* Two adapters at a switch, Active, with the LIDs 1 and 2. Program A is at the first, B at the second. */
void begin(void);
void end(void);
void run(iba_time until);
void forget(void); /* all deliveries */
#endif
