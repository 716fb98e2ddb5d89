/* SPDX-License-Identifier: BSD-2-Clause */
/* Of all connections of a run, also those that the table has forgotten: how many of each outcome, and how long the
 * phases took. Bounded, whatever the number of connections. */
#ifndef DISSECT_CM_OUTCOME_H
#define DISSECT_CM_OUTCOME_H
#include "stats/table.h"
#include "stats/times.h"
#include "track/cm_why.h"

enum cm_phase { CM_PHASE_REPLY, CM_PHASE_CONFIRM, CM_PHASE_SETUP, CM_PHASE_RESOLVE, CM_PHASE_RELEASE, CM_PHASES };
const char *cm_phase_title(enum cm_phase p); /* "REQ to REP" */
struct cm_outcomes {
    struct {
        uint64_t n, first_frame;
    } of[CM_WHY_COUNT];
    struct times phase[CM_PHASES];
    int64_t now_ns; /* of the last packet, since the first */
};

struct cm_survey {
    struct cm_track track;
    struct cm_outcomes forgotten;
};
/* A survey that is all 0 becomes ready to use; it must not move. */
void cm_survey_begin(struct cm_survey *s);
void cm_survey_packet(struct cm_survey *s, const struct packet *p);
/* Of those that are kept, too. */
void cm_survey_outcomes(const struct cm_survey *s, struct cm_outcomes *all);

/* Calls `line` for each connection whose sentence is worth one: of a few connections all, of many those that did not go
 * well, CM_LINES of each outcome at most. Returns how many more of those that are kept there are. */
enum { CM_FEW = 20, CM_LINES = 10 };
typedef void cm_line(struct out *o, enum cm_why why, const struct cm_connection *c, int64_t now_ns);
uint64_t cm_outcome_lines(const struct cm_outcomes *s, const struct cm_track *t, struct out *o, cm_line *line);
/* The sentences of connections that did not go well, then the outcomes, and the times. */
void cm_outcome_text(const struct cm_outcomes *s, const struct cm_track *t, struct out *o);
/* Members of an object, each preceded by a comma. */
void cm_outcome_json(const struct cm_outcomes *s, struct out *o);
/* The same of one connection: "why" and "end", each a kind and a sentence. */
void cm_outcome_connection_json(struct out *o, const struct cm_connection *c, int64_t now_ns);
#endif
