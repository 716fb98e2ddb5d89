/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a scenario against a target and returns the result. */
#ifndef IBC_RUN_H
#define IBC_RUN_H
#include "scenario/scenario.h"
#include "statements/statement.h"
#include "targets/target.h"

/* clang-format off */
#define IBC_VERDICTS(V)                                                                                                \
    V(PASS,           "PASS",           "as the statement says")                                                       \
    V(TOLERATED,      "TOLERATED",      "not the strict answer, but one that the scenario knows and tolerates")        \
    V(INCONCLUSIVE,   "INCONCLUSIVE",   "the evidence is not complete")                                                \
    V(DEVIATES,       "DEVIATES",       "against a statement whose source is not certain, or what is drawn from one")  \
    V(FAIL,           "FAIL",           "against the statement")                                                       \
    V(ERROR,          "ERROR",          "a fault of the harness")                                                      \
    V(INFO,           "INFO",           "measured; nothing is required")                                               \
    V(NOT_APPLICABLE, "NOT_APPLICABLE", "the device does not claim what the scenario needs")                           \
    V(UNSUPPORTED,    "UNSUPPORTED",    "the target cannot do a step of the scenario")                                 \
    V(XFAIL,          "XFAIL",          "failed, and a waiver says why")                                               \
    V(XPASS,          "XPASS",          "passed, and a waiver said it would not")
/* clang-format on */
enum ibc_verdict { /* PASS < TOLERATED < INCONCLUSIVE < DEVIATES < FAIL < ERROR: worst wins; others do not rank */
#define IBC_VERDICT_ID(id, name, words) IBC_IS_##id,
                   IBC_VERDICTS(IBC_VERDICT_ID) IBC_IS_COUNT
};
extern const char *const ibc_verdict_names[];
/* Whether the scenario's expectations were not met, even if the device is not blamed for it. */
static inline bool ibc_failed(enum ibc_verdict v)
{
    return v == IBC_IS_FAIL || v == IBC_IS_DEVIATES;
}
/* A failure violates the first statement that the scenario cites, and reports quote that statement. Returns why the
 * device is not blamed for it, so that the case only DEVIATES; NULL: it FAILs. */
static inline const char *ibc_uncertainty(const struct ibc_scenario *s)
{
    const struct ibc_statement *st = s->n_spec ? ibc_statement_find(s->spec[0]) : NULL;

    if (s->drawn)
        return s->drawn;
    if (!st)
        return "the scenario cites no statement";
    return st->certain ? NULL : "the source of the statement is not certain";
}

enum ibc_found {
    IBC_FOUND_OTHERWISE,
    IBC_FOUND_REFUSAL, /* a verb failed that should have succeeded */
    IBC_FOUND_LATE,    /* a packet came after its time limit */
    IBC_FOUND_MISSING, /* what the line waits for did not come within its time limit */
    IBC_FOUND_UNCLEAN, /* the play could not begin: the device could not be reset */
    IBC_FOUND_UNSURE,  /* a failure that proves nothing: the tester was late, or its wire lost frames */
};
#define IBC_NO_COMPLAINT "no complaint in the log of the device's system"
/* Where and how a scenario failed. `got` and `expected` are texts for people: "bth.psn 0x000101". */
struct ibc_finding {
    enum ibc_found what;
    bool down; /* the device went down or no longer works, or its system complained: a fault whatever the source of the
                  statement */
    uint32_t line;   /* line of the scenario */
    uint32_t packet; /* number of the packet in the evidence, from 1; 0: none */
    char variation[128];
    char expected[160], got[160];
    char sentence[200]; /* sentence of the statement, or of the alternative that decided */
};
struct ibc_result {
    const struct ibc_scenario *scenario;
    enum ibc_verdict verdict;
    /* PASS, FAIL or DEVIATES, separate from `verdict`; NOT_APPLICABLE: no counters are expected */
    enum ibc_verdict counters;
    struct ibc_finding finding;         /* finding of the worst verdict, of several the first */
    struct ibc_finding counter_finding; /* finding of the worst counter verdict */
    unsigned variations, passed;        /* number of plays, and how many of them passed */
    char measured[160];                 /* INFO: the measurement; otherwise a note on the verdict */
    bool logged;                        /* `measured` is a complaint in the log of the device's system */
    bool unwell;                        /* in some play the health probe at the end failed */
    bool proved;                        /* the device's system itself reported the failure: one play is enough */
    bool died;                          /* in some play the device went down, or its system complained */
    bool spared;                        /* the scenario was not played, since it is known to crash devices */
    char *evidence;                     /* path, or NULL; owned */
    uint64_t wall_ns;
    const struct ibc_waiver *waiver; /* the waiver that applied; NULL: none did */
};
void ibc_result_clear(struct ibc_result *r);

struct run_player; /* run/play.h */
struct ibc_options {
    uint64_t seed;
    const char *evidence_dir; /* NULL: no files */
    uint32_t link;            /* enum ibc_link: the link for scenarios that allow several */
    bool stop_at_first;       /* stops at the first variation that fails (for mutants) */
    /* Called after the last step of each play, while its objects still exist. Optional. */
    void (*ended)(void *ctx, struct run_player *p);
    void *ctx;
};
/* Plays all variations with all services. An error of the harness is a verdict, too. */
void ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o, struct ibc_result *r);
/* Returns the time in ns that the script itself waits in all variations of all services. */
uint64_t ibc_waits(const struct ibc_scenario *s);
/* Returns the length in bytes of the largest IP packet (RoCEv2) that the scenario's plays may send or receive. */
unsigned ibc_packet_bytes(const struct ibc_scenario *s);

/* ---- waivers: one JSON file ---- */
struct ibc_waiver {
    char *pattern, *target, *statement, *reason, *symptom, *expires;
    /* Texts for people, may be NULL: the short name, former names, whether the statement's source is certain, the
     * place of the cause in the device's source, the version that fixed it, who suffers, a suggested fix, how to
     * see it. */
    char *name, *was, *certain, *cause, *mended, *impact, *remedy, *evidence, *seen;
    char *sometimes; /* why the deviation is not always seen, so that a pass is no XPASS; otherwise NULL */
    bool used;
};
struct ibc_waivers {
    struct ibc_waiver *w;
    size_t n;
};
/* Reads a file of waivers. today: YYYY-MM-DD; NULL: the date of the clock. */
bool ibc_waivers_load(struct ibc_waivers *out, const char *path, const char *today, char *err, size_t errlen);
void ibc_waivers_free(struct ibc_waivers *w);
/* Copies the i-th word of a waiver's pattern or statement. False: there are fewer words. */
bool ibc_waiver_word(const char *words, size_t i, char *out, size_t n);
/* Whether the scenario cites one of the waiver's statements. */
bool ibc_waiver_cited(const struct ibc_waiver *w, const struct ibc_scenario *s);
/* FAIL, DEVIATES or a failed counter becomes XFAIL if a waiver matches pattern and symptom; a pass that a waiver names
 * becomes XPASS. */
void ibc_waivers_apply(struct ibc_waivers *w, const char *target, struct ibc_result *r);

/* ---- the whole run: the data that reports print ---- */
struct ibc_run_info {
    const char *target, *link, *version;
    uint64_t seed;
    unsigned repeat, jobs;
    uint64_t wall_ns;
    const char *started; /* ISO 8601 */
    bool strict;         /* whether DEVIATES and UNSUPPORTED fail the run */
};
/* Returns the exit code: 0 all passed, 1 a failure or XPASS, 3 inconclusive, 4 a fault of the harness. If several
 * apply, 4 precedes 1, and 1 precedes 3. strict: DEVIATES and UNSUPPORTED count as failures, too. */
int ibc_exit_code(const struct ibc_result *r, size_t n, bool strict);
#endif
