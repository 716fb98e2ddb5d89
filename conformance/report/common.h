/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the reports: results in order of group and id, counts, and escaping of untrusted text. */
#ifndef IBC_REPORT_COMMON_H
#define IBC_REPORT_COMMON_H
#include "output/printer.h"
#include "report/report.h"

struct rep_case {
    const struct ibc_result *r;
    /* the first existing statement that the scenario cites; NULL: there is none */
    const struct ibc_statement *statement;
    const char *id, *name;        /* name: the part of the id after the group */
    size_t n_group;               /* bytes of the id that are the group: "rc.responder" */
    const struct rep_case *cause; /* the first case with the same cause; NULL: it did not fail */
};
/* Cases with one cause: the same waiver, or the same statement and symptom */
struct rep_cause {
    const struct rep_case *first;
    size_t n;
    enum ibc_severity severity; /* the worst severity of the cases */
};
struct rep {
    const struct ibc_report *of;
    const char *path; /* path of the report; NULL: it has no file of its own */
    struct rep_case *c;
    size_t n;
    unsigned count[IBC_IS_COUNT]; /* number of cases for each verdict */
    unsigned counters_off;        /* cases with wrong counters */
    unsigned spared;              /* cases that were not played, since they are known to crash devices */
    bool *cited;                  /* for each statement: a played scenario cites it */
    size_t n_cited;
    struct rep_cause *cause; /* causes, the worst first */
    size_t n_cause;
};
/* Prepares a report. False: out of memory. The caller calls rep_clear() in either case. */
bool rep_begin(struct rep *p, const struct ibc_report *of);
void rep_clear(struct rep *p);

/* Returns the index after the last case of the group that begins with case `first`. */
size_t rep_group_end(const struct rep *p, size_t first);
enum ibc_class rep_class(const struct rep_case *c);
/* Returns why the device is not blamed for a case that DEVIATES, or would without a waiver; otherwise NULL. */
const char *rep_uncertainty(const struct rep_case *c);
/* Writes the section and the compliance numbers that are known of a statement, such as "9.7.5.1 C9-105"; "": none
 * are. */
enum { REP_CLAUSE = 96 };
void rep_clause(const struct ibc_statement *s, char out[REP_CLAUSE]);
/* ---- cause.c ---- */
/* Whether a verdict needs attention: FAIL, DEVIATES, ERROR, INCONCLUSIVE, XPASS. */
bool rep_bad(enum ibc_verdict v);
enum ibc_severity rep_severity(const struct rep_case *c);
bool rep_causes(struct rep *p); /* called by rep_begin(); false: out of memory */
/* Returns the next case after `c` with that cause; for NULL the first one. NULL: there are no more. */
const struct rep_case *rep_cause_next(const struct rep *p, const struct rep_cause *x, const struct rep_case *c);

/* Returns the sentence on which the verdict is based: the alternative's, or else the statement's, or else the
 * title. f->sentence may lack its final 0. */
const char *rep_sentence(const struct rep_case *c, const struct ibc_finding *f);

extern const char *const rep_class_names[IBC_CLASS_COUNT];
/* Verdicts in the order in which reports count them. */
struct rep_verdict {
    uint8_t v;           /* enum ibc_verdict */
    uint8_t color;       /* ANSI color code */
    const char *counted; /* "failed" */
};
extern const struct rep_verdict rep_verdicts[IBC_IS_COUNT];
const struct rep_verdict *rep_verdict(enum ibc_verdict v);
extern const char *const rep_verdict_names[IBC_IS_COUNT], *const rep_verdict_words[IBC_IS_COUNT];

/* Returns the text of a scenario's file, unchanged. NULL: the file cannot be read or has more than 256 KiB. */
char *rep_source(const struct ibc_scenario *s, size_t *len);

/* Writes untrusted text, escaped for XML and HTML. */
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
