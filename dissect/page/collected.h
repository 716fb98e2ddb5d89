/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the report: the collected data, and the parts of the page. */
#ifndef DISSECT_PAGE_COLLECTED_H
#define DISSECT_PAGE_COLLECTED_H
#include "field/bound.h"
#include "field/out.h"
#include "page/page.h"
#include "observer/iba_finding_kinds.h"
#include "stats/cm_outcome.h"
#include "stats/perf_print.h"
#include "system/files.h"
#include "track/sample.h"

enum {
    REPORT_FINDINGS = BOUND(1000, 20), /* listed one by one */
    REPORT_FIRST = 5,                  /* example packets of each kind */
    REPORT_LINES = BOUND(256, 8),      /* directions whose PSNs are kept */
    REPORT_CHARTS = 24,                /* directions with a chart: those with the most errors and warnings */
    REPORT_POINTS = BOUND(2048, 16),   /* points of a direction; when there are more, every other one is dropped */
    /* packets with findings that are marked in a direction's chart; the first are kept */
    REPORT_MARKS = BOUND(512, 8),
    REPORT_TIMES = 64,         /* classes of latency, each twice as long as the one before */
    REPORT_LADDERS = 16,       /* kinds of findings with a ladder diagram, each for its first finding */
    REPORT_BEFORE = 5,         /* packets that a ladder shows before the one with the finding */
    REPORT_AFTER = 5,          /* packets that a ladder shows after the one with the finding */
    REPORT_EVENT_BUCKETS = 64, /* buckets of time; when they are full, each two become one */
};

struct report_point {
    int64_t ns, psn; /* ns: since the first packet; psn: since the first of the direction, wraps included */
    uint8_t what;
};
enum report_point_kind { POINT_SENT, POINT_ANSWER, POINT_AGAIN, POINT_NAK, POINT_OTHER, POINT_KINDS };

struct report_step { /* one packet of a ladder */
    uint64_t frame;
    int64_t ns;      /* since the first packet */
    uint32_t len;    /* bytes of payload */
    uint32_t dmalen; /* valid with has_reth */
    iba_psn psn;
    uint8_t opcode, syndrome, value; /* the last two: of the AETH, valid with has_aeth */
    bool answers, has_aeth, has_reth, has_finding;
    struct iba_finding finding; /* the worst finding of the packet */
};
struct report_line;
struct report_ladder {
    const struct report_line *line;
    uint32_t n, hit; /* index of the packet with the finding */
    struct report_step step[REPORT_BEFORE + 1 + REPORT_AFTER];
};

struct report_line { /* requests of one direction, and the responses to them */
    const struct direction *d;
    bool any;
    iba_psn last;
    int64_t at;   /* PSN `last`, without the wrap at 2^24 */
    uint64_t bad; /* errors and warnings */
    uint64_t requests, bytes, again, again_bytes, first_bad;
    uint32_t kind[IBA_FINDING_COUNT];
    struct report_step last_step[REPORT_BEFORE]; /* the last packets, a ring */
    uint64_t steps;
    struct report_ladder *open; /* the ladder that still takes packets */
    uint32_t stride, skipped, n, n_mark;
    struct report_point point[REPORT_POINTS], mark[REPORT_MARKS];
};

enum { EVENT_AGAIN, EVENT_RNR, EVENT_ECN, EVENT_CNP, EVENT_KINDS };
struct report_events {
    uint64_t bucket_ns, all;
    unsigned used;
    uint32_t n[EVENT_KINDS][REPORT_EVENT_BUCKETS];
};

struct report_kind {
    uint64_t count, frame[REPORT_FIRST];
};

struct report {
    const char *path;
    const struct sample *sample;
    struct file_new place; /* the page's file; no names for standard output */
    uint64_t packets, severity[IBA_ERROR + 1];
    uint64_t first_ns, last_ns;
    const char *file[8]; /* names of the first captures */
    unsigned n_file, last_source;
    struct report_kind kind[IBA_FINDING_COUNT];
    struct iba_finding finding[REPORT_FINDINGS];
    const struct verdict_names *names; /* NULL: there were no findings */
    uint64_t n_finding;
    struct report_line line[REPORT_LINES];
    uint32_t n_line, line_of[JUDGE_DIRECTIONS]; /* index plus 1 */
    struct report_ladder ladder[REPORT_LADDERS];
    uint32_t n_ladder;
    uint64_t messages, answered[IBA_OPERATION_COUNT];
    uint64_t times[IBA_OPERATION_COUNT][REPORT_TIMES];
    struct cm_survey cm;
    struct perf *perf;
    void *hosts; /* of -z hosts: who begins the rounds of a collective last */
    struct report_events events;
    struct out out;
};

/* words.c */
/* Appends a direction in words: "10.0.0.1 QP 0x000030 to 10.0.0.2 QP 0x000030". */
void report_direction(struct out *o, const struct direction *d);
void report_text(struct out *o, const char *s);
/* "1 error, 2 warnings, 0 notes" */
void report_verdict(const uint64_t severity[IBA_ERROR + 1], struct out *o);
/* "3 packets" */
void report_counted(struct out *o, uint64_t n, const char *what);
/* Appends a paragraph that names the sample, if the run has a sample. */
void report_sample(struct out *o, const struct sample *s);
/* summary.c */
/* Sorts directions with requests, those with the most errors and warnings first; returns their number. */
uint32_t report_order(const struct report *r, const struct report_line *order[REPORT_LINES]);
void report_summary(const struct report *r, struct out *o);
/* why.c: takes a packet with its verdict; writes the first paragraph, charts and tables of rates, repeats and hosts */
void report_event(struct report *r, const struct packet *p);
void report_why(const struct report *r, struct out *o);
void report_over_time(const struct report *r, struct out *o);
/* connect.c: writes how connections were made and ended */
void report_connections(const struct report *r, struct out *o);
/* chart.c */
void report_charts(const struct report *r, struct out *o);
void report_latencies(const struct report *r, struct out *o);
/* Class i holds times of 2^i ns and more, below twice as many. */
void report_histogram(struct out *o, const char *name, const uint64_t times[REPORT_TIMES], uint64_t answered);
/* ladder.c: takes the packets that were plotted, in order */
void report_climb(struct report *r, struct report_line *l, const struct packet *p);
void report_ladders(const struct report *r, struct out *o);
/* page.c: writes what precedes and follows the parts of a page, and the whole page */
void report_head(struct out *o, const uint64_t severity[IBA_ERROR + 1], const char *title);
void report_tail(struct out *o);
void report_page(const struct report *r, struct out *o);
#endif
