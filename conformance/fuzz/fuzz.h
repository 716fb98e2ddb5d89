/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated sequences with the model's results: scenarios made from a seed.
 *
 *     fuzz_make(&c, &may, seed);                     what the tester does
 *     s = fuzz_predict(&c, model, text, err);        adds the model's results as expectations
 *     ibc_run(s, target, ...);
 *
 * Where the rules leave a choice the expectations do, too: unsolicited acknowledgements may come or not, and a field
 * with any value is not compared. */
#ifndef IBC_FUZZ_H
#define IBC_FUZZ_H
#include "run/run.h"

enum { FUZZ_INPUTS = 32, FUZZ_LINE = 400, FUZZ_HEAD = 1600, FUZZ_TEXT = 60000 };

/* The capabilities of the device: sequences use nothing else. */
struct fuzz_may {
    uint64_t caps;  /* 1 << enum ibc_capability */
    uint32_t links; /* 1 << enum ibc_link; not 0 */
    uint64_t known; /* known deviations to avoid: fuzz/known.h */
};
struct fuzz_case {
    char id[32]; /* "sequence-SEED" */
    enum ibc_link link;
    uint32_t is_free;     /* bits of known deviations: not compared */
    const char *kind;     /* the kind of the case */
    char head[FUZZ_HEAD]; /* up to the first step */
    unsigned n;
    char input[FUZZ_INPUTS][FUZZ_LINE]; /* a line of the scenario language each */
};
/* The same case for the same seed and the same device. */
void fuzz_make(struct fuzz_case *c, const struct fuzz_may *may, uint64_t seed);
/* Plays it against the model, writes the scenario, and loads it: owned, ibc_free(). NULL with one line in err: it
 * cannot become a scenario. */
struct ibc_scenario *fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, char text[FUZZ_TEXT],
                                  char err[256]);

/* Whether a case still shows the difference that it was kept for. */
typedef bool fuzz_shows(void *ctx, const struct fuzz_case *c);
/* Removes inputs without which the difference still shows: half of them at once, then fewer, then each. */
void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx);
#endif
