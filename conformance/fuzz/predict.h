/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to fuzz/: the state while the model's results become expectations. */
#ifndef IBC_FUZZ_PREDICT_H
#define IBC_FUZZ_PREDICT_H
#include "fuzz.h"
#include "run/play.h"

enum { PREDICT_ANSWERS = 256, PREDICT_LINE = 990 };

/* Expectation lines, kept in order until the text is assembled. */
struct predict_answer {
    uint32_t line; /* line of the input in the script */
    char text[PREDICT_LINE + 1];
};
struct predicting {
    struct fuzz_case c; /* invalid inputs are removed, refused ones are marked */
    char *text, *err;
    size_t used;
    bool full;
    struct predict_answer *answer;
    unsigned n_answer;
    uint32_t first_line, last_line; /* line of the first input in the script, and line after the last one */
    bool had_play;
    uint64_t
        /* for each conversation of a connection manager the transaction of its last request */
        tid[IBC_MAX_OBJECTS];
    unsigned local; /* an input whose request failed locally, if that is not to be sent, or if the result is open; c.n:
                       none */
};

void predict_print(struct predicting *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the datagram of the conversation's connection manager; NULL: the packet has none, or one of another
 * conversation. */
const uint8_t *predict_cm_of(const struct run_live *c, const struct iba_view *v);
/* Writes the message with the fields that the rules fix; returns its length. same_tid: it has the transaction of the
 * last request. */
size_t predict_cm_message(char *to, size_t room, const struct predicting *f, const struct run_live *c,
                          const uint8_t *mad, bool same_tid);
/* Adds the events that no line waited for. */
void predict_cm_events(struct predicting *f, struct run_player *p);
/* Adds the received packets, each after the input that came before it. */
void predict_packets(struct predicting *f, struct run_player *p);
/* Adds the state after the last input: QP states, completions, events, notifications, memory. */
void predict_after(struct predicting *f, struct run_player *p);
#endif
