/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the runner and the reference: counts the answers of the device's verbs, and makes one of them wrong. */
#ifndef IBC_RUN_TEST_ANSWERS_H
#define IBC_RUN_TEST_ANSWERS_H
#include <stdint.h>

#define ANSWERS(X)                                                                                                     \
    X(mr, "mr")                                                                                                        \
    X(mw, "mw")                                                                                                        \
    X(qp, "qp")                                                                                                        \
    X(destroy, "destroy")                                                                                              \
    X(modify, "modify")                                                                                                \
    X(send, "send")                                                                                                    \
    X(recv, "recv")                                                                                                    \
    X(port, "port")                                                                                                    \
    X(attach, "attach")                                                                                                \
    X(cm, "cm")                                                                                                        \
    X(completion, "completion")                                                                                        \
    X(event, "event")                                                                                                  \
    X(query, "query")                                                                                                  \
    X(memory, "memory")                                                                                                \
    X(notified, "notified")                                                                                            \
    X(counter, "counter")                                                                                              \
    X(cm_event, "cm-event")                                                                                            \
    X(frame, "frame")
enum answer {
#define ANSWER(name, text) ANSWER_##name,
    ANSWERS(ANSWER) ANSWER_KINDS
};
enum { ANSWERS_NONE = -1 };
/* After open_changed() */
void answers_attach(void);
/* The answer of that place among those of its kind in the next scenario becomes wrong, in a way that the seed chooses.
 */
void answers_begin(enum answer kind, long place, uint64_t seed);
unsigned answers_count(enum answer kind);
/* The name of the answer that became wrong; NULL: none did */
const char *answers_changed(void);
#endif
