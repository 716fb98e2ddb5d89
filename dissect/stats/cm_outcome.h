/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of all connections of a run had each outcome, and how long the phases took, including connections that the
 * table has forgotten. The memory is bounded, whatever the number of connections. */
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
    int64_t now_ns; /* time of the last packet, since the first */
};

struct cm_survey {
    struct cm_track track;
    struct cm_outcomes forgotten;
};
/* Prepares a survey whose members are all 0; the survey must not move afterwards. */
void cm_survey_begin(struct cm_survey *s);
void cm_survey_packet(struct cm_survey *s, const struct packet *p);
/* The outcomes of all connections, including those that the table still has. */
void cm_survey_outcomes(const struct cm_survey *s, struct cm_outcomes *all);

/* Calls `line` for each connection whose sentence is shown: if there are at most CM_FEW connections, each of them; if
 * there are more, those that did not go well, at most CM_LINES of each outcome. Returns how many more connections the
 * table has. */
enum { CM_FEW = 20, CM_LINES = 10 };
typedef void cm_line(struct out *o, enum cm_why why, const struct cm_connection *c, int64_t now_ns);
uint64_t cm_outcome_lines(const struct cm_outcomes *s, const struct cm_track *t, struct out *o, cm_line *line);
/* Prints the sentences of connections that did not go well, then the number of each outcome, and the times. */
void cm_outcome_text(const struct cm_outcomes *s, const struct cm_track *t, struct out *o);
/* Prints members of an object, each preceded by a comma. */
void cm_outcome_json(const struct cm_outcomes *s, struct out *o);
/* Prints the members "why" and "end" of one connection, each with a kind and a sentence. */
void cm_outcome_connection_json(struct out *o, const struct cm_connection *c, int64_t now_ns);
#endif
