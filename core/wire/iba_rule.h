/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour as data: an ordered table of rules. The first row that applies decides; each row counts how often it did.
 *
 * A table is an X-macro list R(name, when, then, sentence, clause): `when` and `then` are functions of the table's own
 * context, `sentence` describes the row in plain words ("the request ..."), `clause` is the catalogue id or the section
 * that it implements. A broken device is a changed table: the caller hands the engine other rows (see struct
 * iba_rules). */
#ifndef IBA_RULE_H
#define IBA_RULE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iba_rx; /* the packet to be judged: transport's context, iba_rx.h */

struct iba_rule {
    const char *name, *sentence, *clause;
    bool (*when)(const struct iba_rx *x); /* pure */
    void (*then)(struct iba_rx *x);
    uint16_t hit; /* index of the row's counter */
};

/* One table as the engine evaluates it. */
struct iba_rules {
    const char *name;
    const struct iba_rule *row;
    uint16_t n;
    /* The first row that applies, NULL for none: the same evaluation, compiled from the same list. Without it, as in a
     * changed table, the rows are evaluated one by one. */
    const struct iba_rule *(*first)(const struct iba_rx *x);
};
#endif
