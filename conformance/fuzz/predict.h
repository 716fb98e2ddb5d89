/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of fuzz/: what the model did, on its way to become expectations. */
#ifndef IBC_FUZZ_PREDICT_H
#define IBC_FUZZ_PREDICT_H
#include "fuzz.h"
#include "run/play.h"

enum { PREDICT_ANSWERS = 256, PREDICT_LINE = 990 };

/* Expectation lines wait in their order until the text is put together. */
struct predict_answer {
    uint32_t line; /* of the input's script */
    char text[PREDICT_LINE + 1];
};
struct predicting {
    struct fuzz_case c; /* inputs that are no language are gone, those that were refused say so */
    char *text, *err;
    size_t used;
    bool full;
    struct predict_answer *answer;
    unsigned n_answer;
    uint32_t first_line, last_line; /* of the first input and behind the last one, in the script */
    bool had_play;
    unsigned local; /* an input whose work failed at home, where that is not to be asked, or that is open; c.n: none */
};

void predict_say(struct predicting *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The packets that came, each with the input that it came behind. */
void predict_packets(struct predicting *f, struct run_player *p);
/* What is left behind the last input: states, completions, events, notifications, memory. */
void predict_rest(struct predicting *f, struct run_player *p);
#endif
