/* SPDX-License-Identifier: BSD-2-Clause */
/* Summaries as files: --summary, and the command merge. */
#include "summaries.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "help.h"
#include "seed.h"
#include "summary/rows.h"
#include "system/confine.h"
#include "system/files.h"
#include "system/privileges.h"
#include "system/text.h"

struct summaries {
    const char *path; /* of the summary; NULL: none is written */
    const char *folder;
    int fd;
    struct summary_run *run;
    struct rows *rows; /* NULL: none */
    struct out out;
};

static bool open_file(struct summaries *f, char *err, size_t errlen)
{
    enum { MODE = 0666 };

    f->fd = !f->path                    ? STDOUT_FILENO
            : strcmp(f->path, "-") == 0 ? STDOUT_FILENO
                                        : open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
    if (f->fd < 0)
        (void)snprintf(err, errlen, "%s: %s", f->path, strerror(errno));
    return f->fd >= 0;
}

struct summaries *summaries_open(const struct options *opt, char *err, size_t errlen)
{
    struct summaries *f = calloc(1, sizeof *f);
    const char *host = opt->host ? opt->host : "";

    if (f)
        f->run = summary_run_open(host);
    if (!f || !f->run) {
        (void)snprintf(err, errlen, "out of memory");
        free(f);
        return NULL;
    }
    f->path = opt->summary_path;
    f->folder = opt->rows;
    bool good = open_file(f, err, errlen);
    if (good && opt->rows)
        good = (f->rows = rows_open(opt->rows, host, err, errlen)) != NULL;
    if (good)
        return f;
    if (f->fd >= 0 && f->fd != STDOUT_FILENO)
        (void)close(f->fd);
    summary_run_close(f->run);
    free(f);
    return NULL;
}

void summaries_packet(struct summaries *f, const struct packet *p)
{
    summary_run_packet(f->run, p);
    for (unsigned i = 0; f->rows && i < verdict_kept(p->verdict); i++)
        rows_finding(f->rows, &p->verdict->finding[i], p->verdict->names);
}

void summaries_late(struct summaries *f, const struct iba_finding *x, const struct verdict_names *names)
{
    summary_run_late(f->run, x, names);
    if (f->rows)
        rows_finding(f->rows, x, names);
}

void summaries_message(struct summaries *f, const struct iba_message *m, const struct verdict_names *names)
{
    summary_run_message(f->run, m, names);
    if (f->rows)
        rows_message(f->rows, m, names);
}

void summaries_capture(struct summaries *f, uint32_t source, const char *name, bool whole)
{
    summary_run_capture(f->run, source, name, whole);
}

/* False with one line in err. */
static bool put(struct summary *s, struct out *o, int fd, const char *path, char *err, size_t errlen)
{
    char why[256];

    out_init(o, fd);
    if (!summary_write(s, o, why, sizeof why)) {
        (void)snprintf(err, errlen, "%s", why);
        return false;
    }
    (void)out_flush(o);
    if (o->error == 0 || o->error == EPIPE)
        return true;
    (void)snprintf(err, errlen, "%s: %s", path, strerror(o->error));
    return false;
}

bool summaries_finish(struct summaries *f, char *err, size_t errlen)
{
    struct summary *s = summary_run_end(f->run);
    bool good = !f->path || put(s, &f->out, f->fd, f->path, err, errlen);
    const int rows = f->rows ? rows_end(f->rows, s) : 0;

    if (f->fd != STDOUT_FILENO && close(f->fd) != 0 && good) {
        (void)snprintf(err, errlen, "%s: %s", f->path, strerror(errno));
        good = false;
    }
    if (rows && good) {
        (void)snprintf(err, errlen, "%s: %s", f->folder, strerror(rows));
        good = false;
    }
    summary_run_close(f->run);
    free(f);
    return good;
}

/* ---- merge ---- */

static int wrong(int rc, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(int rc, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    text_complain(stderr, "ibdissect merge", format, ap);
    va_end(ap);
    return rc;
}

struct merging {
    struct summary *sum;
    const char *to; /* "-": standard output */
    bool no_sandbox;
    struct file_new place;
    char *text; /* of one input */
    size_t room;
    struct out out;
};

/* More room for a text; false: it is too long. */
static bool widen(struct merging *m)
{
    enum { LEAST = 1 << 20 };
    static const size_t most = (size_t)1 << 30;
    const size_t room = m->room ? 2 * m->room : (size_t)LEAST;
    char *more = m->room < most ? realloc(m->text, room) : NULL;

    if (!more) {
        errno = EFBIG;
        return false;
    }
    m->text = more;
    m->room = room;
    return true;
}

/* The whole file; false with errno. */
static bool slurp(struct merging *m, int fd, size_t *n)
{
    ssize_t got;

    for (*n = 0;; *n += (size_t)got) {
        if (*n == m->room && !widen(m))
            return false;
        do
            got = read(fd, m->text + *n, m->room - *n);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            return got == 0;
    }
}

static int add(struct merging *m, const char *path, uint32_t input)
{
    const bool standard = strcmp(path, "-") == 0;
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char err[256];
    size_t n;

    if (fd < 0)
        return wrong(EXIT_INPUT, "%s: %s", path, strerror(errno));
    const bool got = slurp(m, fd, &n);
    const int error = errno;
    if (!standard)
        (void)close(fd);
    if (!got)
        return wrong(EXIT_INPUT, "%s: %s", path, strerror(error));
    if (!summary_read(m->sum, m->text, n, input, err, sizeof err))
        return wrong(EXIT_INPUT, "%s: %s", path, err);
    return EXIT_OK;
}

/* The files of other hosts are foreign bytes: they are parsed without any rights but to read them. */
static void confine(const struct merging *m, char *const *path, int n)
{
    struct confine c;

    if (m->no_sandbox)
        return;
    privileges_leave(PRIVILEGES_KEEP_FILES, NULL);
    confine_begin(&c);
    for (int i = 0; i < n; i++)
        confine_allow(&c, path[i], CONFINE_READ);
    if (m->place.to)
        confine_allow_folder_of(&c, m->to, CONFINE_RENAME);
    (void)confine_end(&c, CONFINE_FILES | CONFINE_NAMES);
}

static int merge(struct merging *m, char *const *path, int n)
{
    char err[512];
    int rc = EXIT_OK;

    for (int i = 0; i < n && rc == EXIT_OK; i++)
        rc = add(m, path[i], (uint32_t)i);
    if (rc == EXIT_OK && !put(m->sum, &m->out, m->place.fd, m->to, err, sizeof err))
        rc = wrong(EXIT_INPUT, "%s", err);
    const uint64_t split = rc == EXIT_OK ? summary_split(m->sum) : 0;
    if (split > 0)
        fprintf(stderr,
                "ibdissect merge: connections with several parts: %llu; the parts are side by side, and not added\n",
                (unsigned long long)split);
    return rc;
}

static int parse(struct merging *m, int argc, char **argv, bool *done)
{
    static const struct option longs[] = {
        {"help", no_argument, NULL, 'h'}, {"no-sandbox", no_argument, NULL, 'n'}, {NULL, 0, NULL, 0}};
    int c;

    *done = false;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1) {
        if (c == 'o')
            m->to = optarg;
        else if (c == 'n')
            m->no_sandbox = true;
        else if (c == 'h') {
            *done = true;
            return fputs(help_merge, stdout) < 0 || fflush(stdout) != 0 ? EXIT_INPUT : EXIT_OK;
        } else
            return wrong(EXIT_USAGE,
                         c == ':' ? "%s: wants a value; see ibdissect merge --help"
                                  : "no option %s; see ibdissect merge --help",
                         argv[optind - 1]);
    }
    return optind < argc ? EXIT_OK : wrong(EXIT_USAGE, "no summary named; see ibdissect merge --help");
}

int summaries_merge(int argc, char **argv)
{
    static struct merging m = {.to = "-"};
    bool done;
    int rc = parse(&m, argc, argv, &done);

    if (rc != EXIT_OK || done)
        return rc;
    (void)seed_hashes(); /* nobody can make summaries whose texts collide */
    m.sum = summary_open();
    if (!m.sum)
        return wrong(EXIT_INPUT, "out of memory");
    if (strcmp(m.to, "-") == 0)
        m.place = (struct file_new){.fd = STDOUT_FILENO};
    else if (!file_begin(&m.place, m.to)) {
        summary_free(m.sum);
        return wrong(EXIT_INPUT, "%s: %s", m.to, strerror(errno));
    }
    confine(&m, argv + optind, argc - optind);
    rc = merge(&m, argv + optind, argc - optind);
    if (m.place.to) {
        const int error = file_end(&m.place, rc == EXIT_OK);
        if (error && rc == EXIT_OK)
            rc = wrong(EXIT_INPUT, "%s: %s", m.to, strerror(error));
    }
    summary_free(m.sum);
    free(m.text);
    return rc;
}
