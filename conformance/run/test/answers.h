/* SPDX-License-Identifier: BSD-2-Clause */
/* A layer between the runner and the reference. It counts the answers to the device's verbs, and makes one of them
 * wrong. */
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
/* Call it after open_changed(). */
void answers_attach(void);
/* In the next scenario, makes answer number `place` of this kind wrong; the seed chooses how. */
void answers_begin(enum answer kind, long place, uint64_t seed);
unsigned answers_count(enum answer kind);
/* Returns the name of the answer that became wrong; NULL if no answer did. */
const char *answers_changed(void);
#endif
