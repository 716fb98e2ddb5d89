/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics over all packets of a run: -z NAME[,ARG]. There is one table of kinds. A run may have several statistics,
 * also of one kind. */
#ifndef DISSECT_STATS_H
#define DISSECT_STATS_H
#include "field/out.h"
#include "field/packet.h"
#include "field/verdict.h"

struct field;       /* field/field.h */
struct iba_message; /* observer/iba_message.h */
/* A part of a run, whose packets were counted separately: its directions, and names, as the whole run has them. */
struct stat_part {
    const struct direction *const *direction; /* indexed by the part's number of a direction, from 0 */
    const struct verdict_names *names;
};
struct stat_kind {
    const char *name;  /* "io,stat"; a comma and the argument may follow */
    const char *usage; /* "io,stat,SEC" */
    const char *help;
    /* Opens one -z and returns its state. NULL with one line in err when the argument is wrong. Owned by the caller:
     * close(). */
    void *(*open)(const char *arg, char *err, size_t errlen);
    void (*packet)(void *state, const struct packet *p);
    /* Prints the result for people, or for programs as one JSON object in one line. */
    void (*print)(void *state, struct out *o, bool json);
    void (*close)(void *state);
    bool judged; /* the statistic needs packets with verdicts */
    /* Whether the argument uses a field for which `is` is true. Optional. */
    bool (*uses)(const void *state, bool (*is)(const struct field *f));
    /* Prefetches data of this direction, of which a packet probably comes next. Optional. */
    void (*expect)(void *state, uint32_t direction);
    /* Takes a finding that does not belong to the current packet, but to an earlier one. Optional. Called for all
     * packets, whatever -Y selects. */
    void (*late)(void *state, const struct iba_finding *f, const struct verdict_names *names);
    /* Takes every message when it ends, whatever -Y selects. Optional. Messages are followed only when a statistic
     * needs them. */
    void (*message)(void *state, const struct iba_message *m, const struct verdict_names *names);
    /* Adds the state of a part, which is only closed afterwards. False: the sum would differ from what one state counts
     * of all packets. Optional: only kinds without an argument have it. */
    bool (*join)(void *state, void *part, const struct stat_part *as);
};

/* The table of kinds; it ends with a row whose name is NULL. */
extern const struct stat_kind stat_kinds[];
/* Prints a line for each kind. */
void stat_list(struct out *o);
/* The kind that `text` names, and where its argument begins (or NULL). NULL with one line in err, which names the
 * nearest kind. */
const struct stat_kind *stat_find(const char *text, const char **arg, char *err, size_t errlen);
#endif
