/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics over all packets of a run: -z NAME[,ARG]. One table of kinds; a run may hold several, also of one kind. */
#ifndef DISSECT_STATS_H
#define DISSECT_STATS_H
#include "field/out.h"
#include "field/packet.h"
#include "field/verdict.h"

struct field;       /* field/field.h */
struct iba_message; /* observer/iba_message.h */
/* Some of the packets of a run were counted by themselves: their directions, and names, in the whole run. */
struct stat_part {
    const struct direction *const *direction; /* by the part's number of a direction, from 0 */
    const struct verdict_names *names;
};
struct stat_kind {
    const char *name;  /* "io,stat"; what follows it and a comma is the argument */
    const char *usage; /* "io,stat,SEC" */
    const char *help;
    /* The state of one -z. NULL with one line in err when the argument is wrong. Owned by the caller: close(). */
    void *(*open)(const char *arg, char *err, size_t errlen);
    void (*packet)(void *state, const struct packet *p);
    /* The result, for people, or as one JSON object (one line) for programs. */
    void (*print)(void *state, struct out *o, bool json);
    void (*close)(void *state);
    bool judged; /* packets must come with a verdict */
    /* Optional: whether its argument uses a field for which `is` is true. */
    bool (*uses)(const void *state, bool (*is)(const struct field *f));
    /* Optional: a packet of this direction is most likely next: prefetch its data. */
    void (*expect)(void *state, uint32_t direction);
    /* Optional: a finding that does not belong to the current packet, but to an earlier one. Called for all packets,
     * whatever -Y selects. */
    void (*late)(void *state, const struct iba_finding *f, const struct verdict_names *names);
    /* Optional: every message when it ends, whatever -Y selects; messages are tracked when a statistic needs them. */
    void (*message)(void *state, const struct iba_message *m, const struct verdict_names *names);
    /* Optional: adds the state of a part, which is not used afterwards, except to be closed. False: the sum would not
     * be what one state counts of all packets. Only kinds without an argument have it. */
    bool (*join)(void *state, void *part, const struct stat_part *as);
};

/* The table; ends with a row whose name is NULL. */
extern const struct stat_kind stat_kinds[];
/* A line for each kind. */
void stat_list(struct out *o);
/* The kind that `text` names, and where its argument begins (or NULL); NULL with one line in err, naming the nearest.
 */
const struct stat_kind *stat_find(const char *text, const char **arg, char *err, size_t errlen);
#endif
