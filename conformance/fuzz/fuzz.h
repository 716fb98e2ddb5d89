/* Sequences that nobody wrote, and what the model says comes of them: scenarios made from a seed.
 *
 *     fuzz_make(&c, seed);                               what the tester does
 *     if (fuzz_predict(&c, model, link, text, err))      with what the model did as its expectations
 *         s = ibc_load_text(text, ...); ibc_run(s, target, ...);
 *
 * Where the rules leave a choice the expectations do: acknowledgements nobody asked for may come or not. */
#ifndef IBC_FUZZ_H
#define IBC_FUZZ_H
#include "run/run.h"

enum { FUZZ_INPUTS = 20, FUZZ_LINE = 160, FUZZ_HEAD = 512, FUZZ_TEXT = 60000 };

struct fuzz_case {
    char head[FUZZ_HEAD]; /* up to the first step */
    unsigned n;
    char input[FUZZ_INPUTS][FUZZ_LINE]; /* a line of the scenario language each */
};
/* The same case for the same seed. */
void fuzz_make(struct fuzz_case *c, uint64_t seed);
/* Plays it against the model and writes the scenario. False with one line in err: no scenario can be made of it. */
bool fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, enum ibc_link link, char text[FUZZ_TEXT],
                  char err[256]);

/* Whether a case still shows what it was kept for. */
typedef bool fuzz_shows(void *ctx, const struct fuzz_case *c);
/* Takes away inputs, one after the other, that it shows the same without. */
void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx);
#endif
