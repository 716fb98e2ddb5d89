/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ibdissect, checked and in one place. */
#ifndef DISSECT_OPTIONS_H
#define DISSECT_OPTIONS_H
#include "output/printer.h"
#include "observer/iba_finding.h"
#include "stats/stats.h"
#include "track/sample.h"
#include "track/track.h"
#include "window.h"

enum { EXIT_OK = 0, EXIT_USAGE = 1, EXIT_INPUT = 2, EXIT_FAIL_ON = 3 };
enum { MAX_FILES = 64, MAX_STATS = 32 };

struct filter;
struct run_stat {
    const struct stat_kind *kind;
    void *state;
};

struct options {
    const char *file[MAX_FILES];
    size_t n_file;
    const char *iface, *bpf;
    const char *user;      /* --user, with -i; NULL: privileges_drop() chooses */
    struct filter *filter; /* NULL: every packet */
    uint64_t count;        /* -c: packets to print; 0 for no limit */
    struct window window;  /* --from, --to */
    struct sample sample;  /* --sample */
    const struct printer *printer;
    struct print_opts print;
    struct run_stat stat[MAX_STATS];
    size_t n_stat;
    bool json_stats; /* -T json with -q */
    bool quiet, line_buffered;
    bool check_crc;     /* -o icrc:off clears it */
    bool hold;          /* -2: buffer packets until later packets complete them */
    bool judge;         /* some output needs judged packets */
    bool judge_printed; /* -o analysis:off: not for the forms that show everything */
    /* --fail-on; IBA_SEVERITY_NONE: findings do not change the exit code */
    enum iba_severity fail_on;
    uint32_t pmtu;                              /* --mtu; 0: learned */
    enum iba_link user_link[16];                /* the link type of DLT 147..162, -d user0,infiniband */
    struct service_hint service[SERVICE_HINTS]; /* -d infiniband.cm.serviceid==ID,PROTOCOL */
    size_t n_service;
    struct iba_view_opts view;
    uint64_t seed;            /* seed of the observer's hashes */
    bool print_anyway;        /* -P: print packets even with -w */
    bool no_sandbox;          /* --no-sandbox: keep root, and run unconfined */
    unsigned jobs;            /* --jobs; 0: not given, means 1 */
    const char *write_path;   /* -w */
    const char *report_path;  /* --report; NULL: none */
    const char *summary_path; /* --summary; NULL: none. With --every: a folder */
    unsigned every_s;         /* --every; 0: one summary at the end */
    const char *metrics_path; /* --metrics; NULL: none */
    const char *rows;         /* --rows: a folder; NULL: none */
    const char *host;         /* --host: a name for the captures in the summary; NULL: "" */
};

/* EXIT_OK without *done: the run may begin. Otherwise the program ends with the returned code; a message has been
 * printed. */
int options_parse(struct options *opt, int argc, char **argv, bool *done);
void options_free(struct options *opt);

/* -G: prints a list for scripts and people. False when there is no such list. */
bool list_print(struct out *o, const char *what);
#endif
