/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes scenarios from a seed: generated sequences with the model's results. fuzz_make() generates what the tester
 * does, fuzz_predict() adds the model's results as expectations, and ibc_run() plays the scenario. Where the rules
 * leave a choice the expectations do, too: an unsolicited acknowledgement may come or not, and a field that may
 * have any value is not compared. */
#ifndef IBC_FUZZ_H
#define IBC_FUZZ_H
#include "run/run.h"

enum { FUZZ_INPUTS = 32, FUZZ_LINE = 400, FUZZ_HEAD = 1600, FUZZ_TEXT = 60000 };

/* The capabilities and links of the device: sequences use nothing else. */
struct fuzz_may {
    uint64_t caps;  /* 1 << enum ibc_capability */
    uint32_t links; /* 1 << enum ibc_link; not 0 */
    uint64_t known; /* known deviations to avoid: fuzz/known.h */
};
struct fuzz_case {
    char id[32]; /* "sequence-SEED" */
    enum ibc_link link;
    uint32_t is_free;     /* enum fuzz_free: results that are not compared because of known deviations */
    const char *kind;     /* the kind of the case */
    char head[FUZZ_HEAD]; /* the scenario's text up to the first step */
    unsigned n;
    char input[FUZZ_INPUTS][FUZZ_LINE]; /* each input is a line of the scenario language */
};
/* Makes a case, which is the same for the same seed and the same device. */
void fuzz_make(struct fuzz_case *c, const struct fuzz_may *may, uint64_t seed);
/* Plays the case against the model, writes the scenario, and loads it. The caller owns the result: ibc_free().
 * NULL: the case cannot become a scenario, and err has one line. */
struct ibc_scenario *fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, char text[FUZZ_TEXT],
                                  char err[256]);

/* Whether a case still shows the difference that it was kept for. */
typedef bool fuzz_shows(void *ctx, const struct fuzz_case *c);
/* Removes inputs without which the difference still shows: half of them at once, then fewer, then each. */
void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx);
#endif
