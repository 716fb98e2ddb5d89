/* SPDX-License-Identifier: BSD-2-Clause */
/* Vocabularies: the words that a value may have, and the number of each. Generated from core's lists and words.h. */
#ifndef IBC_VOCAB_H
#define IBC_VOCAB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/*    id          what one of its words is called in messages */
#define IBC_VOCABS(V)                                                                                                  \
    V(NONE,       "word")                                                                                              \
    V(STATE,      "state")                                                                                             \
    V(SERVICE,    "service")                                                                                           \
    V(WINDOW,     "type of window")                                                                                    \
    V(ACCESS,     "access right")                                                                                      \
    V(QP_ACCESS,  "access right of a QP")                                                                              \
    V(STATUS,     "completion status")                                                                                 \
    V(EVENT,      "event")                                                                                             \
    V(ENCAP,      "encapsulation")                                                                                     \
    V(THEN,       "fate")                                                                                              \
    V(PARTY,      "party")                                                                                             \
    V(ALT,        "alternate path")                                                                                    \
    V(PATH,       "end of a path")                                                                                     \
    V(SCORE,      "thing to score")                                                                                    \
    V(MIG,        "migration state")                                                                                   \
    V(SIG,        "signaling")                                                                                         \
    V(CRC,        "kind of CRC")                                                                                       \
    V(ERROR,      "error of a verb")                                                                                   \
    V(ATTR,       "attribute")                                                                                         \
    V(POST,       "operation")                                                                                         \
    V(DONE,       "operation")                                                                                         \
    V(ROLE,       "role")                                                                                              \
    V(CLASS,      "class")                                                                                             \
    V(LINK,       "link")                                                                                              \
    V(CAPABILITY, "capability")                                                                                        \
    V(SAYS,       "verdict")                                                                                           \
    V(CM_VERB,    "verb of a connection manager")                                                                      \
    V(CM_EVENT,   "event of a connection manager")                                                                     \
    V(METHOD,     "method")                                                                                            \
    V(PORT,       "state of a port")                                                                                   \
    V(CHECK,      "property of a subnet")                                                                              \
    V(KIND,       "kind of object")
/* clang-format on */
enum ibc_vocab {
#define IBC_VOCAB_ID(id, what) IBC_VOCAB_##id,
    IBC_VOCABS(IBC_VOCAB_ID) IBC_VOCAB_COUNT
};
struct ibc_vocab_row {
    const char *name;
    uint64_t n;
};
struct ibc_vocabulary {
    const char *what;
    const struct ibc_vocab_row *row;
    size_t n;
    bool small; /* core's names are in capitals, and files write them in small letters */
};
extern const struct ibc_vocabulary ibc_vocabularies[IBC_VOCAB_COUNT];
/* Returns the row of that word; NULL: there is none. */
const struct ibc_vocab_row *ibc_vocab_find(enum ibc_vocab v, const char *word);
/* Returns name i of vocabulary *(const enum ibc_vocab *)ctx as files write it; valid until the next call of this
 * thread. */
const char *ibc_vocab_name(size_t i, const void *ctx);
#endif
