/* SPDX-License-Identifier: BSD-2-Clause */
/* The normative statements in scope, one row each: printed, cited by scenarios, counted. Ids are the catalogue's and
 * never change; `compliance` has a compliance number of the specification only if a public source shows it. */
#ifndef IBC_STATEMENT_H
#define IBC_STATEMENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a statement has no scenario; scenarios are to cover IBC_ST_OPEN statements. */
#define IBC_STATEMENT_STATUSES(S)                                                                                      \
    S(OPEN, "open", "a scenario can show it")                                                                          \
    S(IMPLICIT, "implicit", "every scenario would fail without it")                                                    \
    S(UNTESTABLE, "untestable", "nothing on the wire or in a verb shows it")                                           \
    S(SCOPE, "out of scope", "not an endpoint's, or not of transport, partitions, keys and RoCE")                      \
    S(NOT_YET, "not yet", "the reference engine does not offer it yet")
enum ibc_statement_status {
#define IBC_STATEMENT_STATUS_ID(id, name, words) IBC_ST_##id,
    IBC_STATEMENT_STATUSES(IBC_STATEMENT_STATUS_ID) IBC_ST_COUNT
};
struct ibc_statement {
    const char *id, *area;  /* "RR-04", "RR" */
    const char *reference;  /* section, "" where not known */
    const char *compliance; /* "C9-105", several with blanks between, or "" */
    const char *edition;    /* "1.4", "A17", or "" */
    uint8_t klass;          /* enum ibc_class */
    uint8_t status;         /* enum ibc_statement_status */
    bool certain;           /* seen in a public source, and not known only to us */
    const char *words;      /* one sentence in our words */
    const char *reason;     /* for every status but OPEN */
};
/* Behaviour or expectations of others, compared with the statement's own source: witnesses.h */
enum ibc_witness_kind { IBC_CONFIRMS, IBC_SETTLES, IBC_CONTRADICTS };
struct ibc_witness {
    const char *id; /* id of the statement */
    uint8_t kind;   /* enum ibc_witness_kind; SETTLES: confirms, and made the statement certain */
    const char *who, *where;
};
extern const struct ibc_witness ibc_witnesses[]; /* sorted by id */
extern const size_t ibc_witness_count;
/* Returns the first witness of a statement, and their number in *n; NULL and 0 if there are none. */
const struct ibc_witness *ibc_witnesses_of(const char *id, size_t *n);
/* Returns the number of statements that are certain. *settled: how many of these are certain only by a second
 * source. */
size_t ibc_certain_count(size_t *settled);

/* The effect on users, the worst first */
#define IBC_SEVERITIES(S)                                                                                              \
    S(DOWN, "goes down", "the device goes down")                                                                       \
    S(SAFETY, "unsafe", "memory without access, other data than was sent, or work reported done that is not")          \
    S(INTEROP, "interoperation", "does not work with a peer that keeps the rules")                                     \
    S(ANSWER, "wrong answer", "the user gets a wrong status, or a verb acts differently")                              \
    S(COSMETIC, "cosmetic", "nobody minds")
enum ibc_severity {
#define IBC_SEVERITY_ID(id, name, words) IBC_SEVERITY_##id,
    IBC_SEVERITIES(IBC_SEVERITY_ID) IBC_SEVERITY_COUNT
};
extern const char *const ibc_severity_names[];

extern const struct ibc_statement ibc_statements[];
extern const size_t ibc_statement_count;
const struct ibc_statement *ibc_statement_find(const char *id); /* NULL: none */
enum ibc_severity ibc_severity_of(const struct ibc_statement *s);
/* Returns why no broken engine shows that a scenario checks the statement, although one cites it (unproven.h).
 * NULL: some engine does, or should. */
const char *ibc_unproven_why(const char *id);

/* clang-format off */
#define IBC_AREAS(A)                                                                                                   \
    A(WF, "wire formats")                                                                                              \
    A(PV, "packet header validation")                                                                                  \
    A(RR, "responder of a reliable connection")                                                                        \
    A(RQ, "requester of a reliable connection")                                                                        \
    A(UU, "unreliable connections, datagrams, raw packets")                                                            \
    A(QS, "queue pairs, completions, memory, events")                                                                  \
    A(KM, "keys and management of ports")                                                                              \
    A(MD, "connection management")                                                                              \
    A(RO, "RoCE")                                                                                                      \
    A(VN, "what some vendors do")
/* clang-format on */
const char *ibc_area_title(const char *area); /* NULL: none */
/* Array of IBC_ST_COUNT: "not yet" */
extern const char *const ibc_statement_status_names[];
#endif
