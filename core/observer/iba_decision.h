/* SPDX-License-Identifier: BSD-2-Clause */
/* The decisions that the observer takes by a table of rules: the first row that applies decides. */
#ifndef IBA_DECISION_H
#define IBA_DECISION_H
#include <stdbool.h>
#include <stdint.h>

/* One row of a table. `ibdissect -V` prints it as "why.nak: SENTENCE [CLAUSE]". */
struct iba_decision {
    const char *table, *name;
    const char *says; /* "RETRY_NAK", a kind of finding; "nothing"; or "yes", "no" */
    const char *sentence, *clause;
    uint8_t kind; /* enum iba_finding_kind, or IBA_FINDING_COUNT for no finding; or whether the row decides "yes" */
};
struct iba_decisions {
    const char *name, *question;
    const struct iba_decision *row;
    unsigned n;
};
extern const struct iba_decisions iba_why_rules;    /* why a request comes again: iba_obs_reason.c */
extern const struct iba_decisions iba_late_rules;   /* whether a request is late: iba_obs_late.c */
extern const struct iba_decisions iba_answer_rules; /* whether a response with data is late: iba_obs_read.c */
extern const struct iba_decisions iba_ack_rules;    /* whether an old acknowledgement is late: iba_obs_ack.c */
extern const struct iba_decisions iba_alone_rules;  /* responses without their requests: iba_obs_alone.c */
extern const struct iba_decisions iba_copy_rules;   /* whether the network copied a packet: iba_obs_copy.c */
#endif
