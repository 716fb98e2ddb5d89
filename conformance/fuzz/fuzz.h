/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequences that nobody wrote, and what the model says comes of them: scenarios made from a seed.
 *
 *     fuzz_make(&c, &may, seed);                     what the tester does
 *     s = fuzz_predict(&c, model, text, err);        with what the model did as its expectations
 *     ibc_run(s, target, ...);
 *
 * Where the rules leave a choice the expectations do: acknowledgements nobody asked for may come or not, a field that
 * is free is not compared. */
#ifndef IBC_FUZZ_H
#define IBC_FUZZ_H
#include "run/run.h"

enum { FUZZ_INPUTS = 32, FUZZ_LINE = 400, FUZZ_HEAD = 1600, FUZZ_TEXT = 60000 };

/* What the device can do: nothing else is asked of it. */
struct fuzz_may {
    uint64_t caps;  /* 1 << enum ibc_capability */
    uint32_t links; /* 1 << enum ibc_link; not 0 */
    uint64_t known; /* deviations that are not to be met: fuzz/known.h */
};
struct fuzz_case {
    char id[32]; /* "sequence-SEED" */
    enum ibc_link link;
    uint32_t is_free;     /* of known deviations: not compared */
    const char *kind;     /* what it is about */
    char head[FUZZ_HEAD]; /* up to the first step */
    unsigned n;
    char input[FUZZ_INPUTS][FUZZ_LINE]; /* a line of the scenario language each */
};
/* The same case for the same seed and the same device. */
void fuzz_make(struct fuzz_case *c, const struct fuzz_may *may, uint64_t seed);
/* Plays it against the model, writes the scenario, and loads it: owned, ibc_free(). NULL with one line in err: no
 * scenario can be made of it. */
struct ibc_scenario *fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, char text[FUZZ_TEXT],
                                  char err[256]);

/* Whether a case still shows what it was kept for. */
typedef bool fuzz_shows(void *ctx, const struct fuzz_case *c);
/* Takes away inputs that it shows the same without: half of them at once, then fewer, then each. */
void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx);
#endif
