/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour as data: an ordered table of rules. The first row that applies decides; each row counts how often it did.
 *
 * A table is an X-macro list R(name, when, then, sentence, clause): `when` and `then` are functions of the table's own
 * context, `sentence` describes the row in plain words ("the request ..."), `clause` is the catalogue id or the section
 * that the row implements. A broken device has a changed table: the caller gives the engine other rows (struct
 * iba_rules). */
#ifndef IBA_RULE_H
#define IBA_RULE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iba_rx; /* the packet that the rules decide on (transport/iba_engine.h) */

struct iba_rule {
    const char *name, *sentence, *clause;
    bool (*when)(const struct iba_rx *x); /* has no side effect */
    void (*then)(struct iba_rx *x);
    uint16_t hit; /* index of the row's counter */
};

/* A table of rules. */
struct iba_rules {
    const char *name;
    const struct iba_rule *row;
    uint16_t n;
    /* Returns the first row that applies; NULL: none does. The macro that makes the rows also makes this function, for
     * speed. In a changed table it is NULL, and the engine evaluates the rows one by one. */
    const struct iba_rule *(*first)(const struct iba_rx *x);
};
#endif
