/* SPDX-License-Identifier: BSD-2-Clause */
/* The command merge: reads summaries, and writes their sum and its page. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "help.h"
#include "page/page.h"
#include "seed.h"
#include "summaries.h"
#include "system/confine.h"
#include "system/files.h"
#include "system/privileges.h"
#include "system/text.h"

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
    const char *to;     /* file for the sum; "-": standard output; NULL: no sum is written */
    const char *report; /* file for the page, with the same special values */
    bool no_sandbox;
    struct file_new place, page;
    char *text; /* of one input */
    size_t room;
    struct out out;
};

/* Makes more room for a text; false: the text is too long. */
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

/* Reads the whole file; false with errno. */
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

/* Gives up all rights except to read the files: files of other hosts are foreign bytes. */
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
    if (m->page.to)
        confine_allow_folder_of(&c, m->report, CONFINE_RENAME);
    (void)confine_end(&c, CONFINE_FILES | CONFINE_NAMES);
}

static int merge(struct merging *m, char *const *path, int n)
{
    char err[512];
    int rc = EXIT_OK;

    for (int i = 0; i < n && rc == EXIT_OK; i++)
        rc = add(m, path[i], (uint32_t)i);
    if (rc == EXIT_OK && m->to && !summaries_put(m->sum, summary_write, &m->out, m->place.fd, m->to, err, sizeof err))
        rc = wrong(EXIT_INPUT, "%s", err);
    if (rc == EXIT_OK && m->report &&
        !summaries_put(m->sum, report_merged, &m->out, m->page.fd, m->report, err, sizeof err))
        rc = wrong(EXIT_INPUT, "%s", err);
    const uint64_t split = rc == EXIT_OK ? summary_split(m->sum) : 0;
    if (split > 0)
        fprintf(stderr,
                "ibdissect merge: connections with several parts: %llu; the parts are side by side, and not added\n",
                (unsigned long long)split);
    return rc;
}

/* Whether the page would replace one of the summaries. The sum may: it contains all numbers of that summary. */
static bool page_is_one_of(const struct file_id *page, char *const *path, int n)
{
    for (int i = 0; i < n; i++) {
        const struct file_id in = file_id(path[i], STDIN_FILENO);
        if (in.name[0] == '\0' && file_same(&in, page))
            return true;
    }
    return false;
}

static int parse(struct merging *m, int argc, char **argv, bool *done)
{
    static const struct option longs[] = {{"help", no_argument, NULL, 'h'},
                                          {"no-sandbox", no_argument, NULL, 'n'},
                                          {"report", required_argument, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
    int c;

    while ((c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1) {
        if (c == 'o')
            m->to = optarg;
        else if (c == 'r')
            m->report = optarg;
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
    if (!m->to && !m->report)
        m->to = "-";
    const struct file_id to = file_id(m->to ? m->to : "", STDOUT_FILENO);
    const struct file_id page = file_id(m->report ? m->report : "", STDOUT_FILENO);
    if (m->to && m->report && (strcmp(m->to, m->report) == 0 || file_same(&to, &page)))
        return wrong(EXIT_USAGE, "%s: -o and --report are the same file", m->to);
    if (m->report && page_is_one_of(&page, argv + optind, argc - optind))
        return wrong(EXIT_USAGE, "%s: is one of the summaries; the page would destroy it", m->report);
    return optind < argc ? EXIT_OK : wrong(EXIT_USAGE, "no summary named; see ibdissect merge --help");
}

/* Begins an output of the merge. path NULL: this output is not wanted. False: the error was reported. */
static bool begin(struct file_new *f, const char *path)
{
    *f = (struct file_new){.fd = STDOUT_FILENO};
    if (!path || strcmp(path, "-") == 0 || file_begin(f, path))
        return true;
    (void)wrong(EXIT_INPUT, "%s: %s", path, strerror(errno));
    return false;
}

/* Completes the output, or removes it if rc shows that something failed. Returns the exit code. */
static int complete(struct file_new *f, const char *path, int rc)
{
    const int error = f->to ? file_end(f, rc == EXIT_OK) : 0;

    return error && rc == EXIT_OK ? wrong(EXIT_INPUT, "%s: %s", path, strerror(error)) : rc;
}

int summaries_merge(int argc, char **argv)
{
    static struct merging m;
    bool done = false;

    m = (struct merging){.to = NULL};
    int rc = parse(&m, argc, argv, &done);

    if (rc != EXIT_OK || done)
        return rc;
    (void)seed_hashes(); /* so that nobody can make summaries whose texts collide */
    m.sum = summary_open();
    if (!m.sum)
        return wrong(EXIT_INPUT, "out of memory");
    if (!begin(&m.place, m.to) || !begin(&m.page, m.report))
        rc = EXIT_INPUT;
    if (rc == EXIT_OK) {
        confine(&m, argv + optind, argc - optind);
        rc = merge(&m, argv + optind, argc - optind);
    }
    rc = complete(&m.place, m.to, rc);
    rc = complete(&m.page, m.report, rc);
    summary_free(m.sum);
    free(m.text);
    return rc;
}
