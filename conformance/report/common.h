/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the reports: results in order of group and id, counts, and escaping of untrusted text. */
#ifndef IBC_REPORT_COMMON_H
#define IBC_REPORT_COMMON_H
#include "output/printer.h"
#include "report/report.h"

struct rep_case {
    const struct ibc_result *r;
    const struct ibc_statement *statement; /* the first that it cites; NULL: none exists */
    const char *id, *name;                 /* name: the part of the id after the group */
    size_t n_group;                        /* bytes of the id that are the group: "rc.responder" */
    const struct rep_case *cause;          /* the first case with the same cause; NULL: it did not fail */
};
/* Cases with one cause: the same waiver, or the same statement and symptom */
struct rep_cause {
    const struct rep_case *first;
    size_t n;
    enum ibc_severity severity; /* the worst of theirs */
};
struct rep {
    const struct ibc_report *of;
    const char *path; /* of the report; NULL: no file of its own */
    struct rep_case *c;
    size_t n;
    unsigned count[IBC_IS_COUNT]; /* by verdict */
    unsigned counters_off;        /* cases with wrong counters */
    unsigned spared;              /* not played, since they are known to crash devices */
    bool *cited;                  /* by statement: a played scenario cites it */
    size_t n_cited;
    struct rep_cause *cause; /* the worst first */
    size_t n_cause;
};
/* False: out of memory. rep_clear() in either case. */
bool rep_begin(struct rep *p, const struct ibc_report *of);
void rep_clear(struct rep *p);

/* Cases from `first` on that are of one group. */
size_t rep_group_end(const struct rep *p, size_t first);
enum ibc_class rep_class(const struct rep_case *c);
/* For a case that DEVIATES, or would without a waiver: why the device is not blamed; else NULL. */
const char *rep_uncertainty(const struct rep_case *c);
/* "9.7.5.1 C9-105", the section and the compliance numbers of what is known of a statement; "" */
enum { REP_CLAUSE = 96 };
void rep_clause(const struct ibc_statement *s, char out[REP_CLAUSE]);
/* ---- cause.c ---- */
/* Needs attention: FAIL, DEVIATES, ERROR, INCONCLUSIVE, XPASS. */
bool rep_bad(enum ibc_verdict v);
enum ibc_severity rep_severity(const struct rep_case *c);
bool rep_causes(struct rep *p); /* of rep_begin(); false: out of memory */
/* The case behind `c` of that cause, the first one for NULL; NULL: no more. */
const struct rep_case *rep_cause_next(const struct rep *p, const struct rep_cause *x, const struct rep_case *c);

/* The basis of the verdict: the alternative's words, else the statement's, else the title. f->sentence may lack its
 * 0. */
const char *rep_sentence(const struct rep_case *c, const struct ibc_finding *f);

extern const char *const rep_class_names[IBC_CLASS_COUNT];
/* Verdicts in the order in which reports count them. */
struct rep_verdict {
    uint8_t v;           /* enum ibc_verdict */
    uint8_t color;       /* ANSI */
    const char *counted; /* "failed" */
};
extern const struct rep_verdict rep_verdicts[IBC_IS_COUNT];
const struct rep_verdict *rep_verdict(enum ibc_verdict v);
extern const char *const rep_verdict_names[IBC_IS_COUNT], *const rep_verdict_words[IBC_IS_COUNT];

/* The lines of a scenario's file, as they are; NULL when it cannot be read or has more than 256 KiB. */
char *rep_source(const struct ibc_scenario *s, size_t *len);

/* Untrusted text, for XML and HTML */
static inline void rep_str(struct out *o, const char *s)
{
    out_xml(o, s, strlen(s));
}

/* ---- files ---- */
/* Writes the report that `document` makes to a file, "-" for stdout. False with one line in err. */
bool rep_write(const char *path, const struct ibc_report *r, void (*document)(struct out *o, const struct rep *p),
               char *err, size_t errlen);

/* A char array that may lack its final 0 */
#define REP_ARRAY(a) (a), strnlen((a), sizeof(a))
#endif
