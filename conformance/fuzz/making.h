/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to fuzz/: the state of a case while it is generated. */
#ifndef IBC_FUZZ_MAKING_H
#define IBC_FUZZ_MAKING_H
#include "grammar.h"
#include "sim/iba_random.h"

enum { MAKING_REGION = 65536, MAKING_OPEN = 32, MAKING_TEXT = 4000 };

struct making_request { /* a request of the device, as far as a peer knows it */
    uint32_t psn, psns, len;
    bool read, atomic;
};
struct making {
    struct fuzz_case *c;
    const struct fuzz_may *may;
    struct iba_random r;
    uint64_t needs; /* capabilities that the used rules need */
    uint32_t pmtu, ids;
    uint32_t next; /* PSN of the next request, relative to the first: the tester's or the device's */
    /* the device's requests, and how far they are answered */
    struct making_request open[MAKING_OPEN];
    unsigned n_open, answered;
    uint32_t msn, read_done; /* read_done: responses sent of the current READ */
};
static inline uint32_t making_below(struct making *m, uint32_t n)
{
    return (uint32_t)iba_random_below(&m->r, n);
}
static inline bool making_one_in(struct making *m, uint32_t n)
{
    return making_below(m, n) == 0;
}

/* Writes the text of a word that is no rule to `out`, possibly with placeholders. False: there is no word of that
 * name. */
bool making_word(struct making *m, const char *name, size_t len, char *out, size_t room);
/* Fills the placeholders of `text` in place, from left to right. */
void making_fill(struct making *m, char text[MAKING_TEXT]);
#endif
