/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of a run as a file, or of each of its intervals as a file of its own. */
#include "summaries.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "summary/metrics.h"
#include "summary/rows.h"
#include "system/files.h"

struct summaries {
    const char *path; /* path of the summary, with every_ns the folder of the summaries; NULL: no summary is written */
    const char *folder;
    int fd;            /* -1: with every_ns */
    uint64_t every_ns; /* 0: one summary of the run */
    uint64_t from_ns;  /* begin of the interval; 0: no packet had a time yet */
    bool any;          /* the interval has a packet or finding */
    struct summary_run *run;
    struct rows *rows;       /* NULL: none */
    struct metrics *metrics; /* NULL: none */
    const char *metrics_path;
    struct out out;
};

enum { GIGA = 1000000000, PATH = 4096, NAME_MOST = 64, TRIES = 10000 };

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

/* Writes the metrics. False with one line in err. */
static bool put_metrics(struct summaries *f, char *err, size_t errlen)
{
    struct file_new place;

    if (!file_begin(&place, f->metrics_path)) {
        (void)snprintf(err, errlen, "%s: %s", f->metrics_path, strerror(errno));
        return false;
    }
    out_init(&f->out, place.fd);
    metrics_write(f->metrics, &f->out);
    (void)out_flush(&f->out);
    const int error = f->out.error, end = file_end(&place, f->out.error == 0);
    if (error || end)
        (void)snprintf(err, errlen, "%s: %s", f->metrics_path, strerror(error ? error : end));
    return !error && !end;
}

/* Names the summary of the interval by the interval's begin, in UTC. If a monitor that was started again in the
 * interval has written such a file already, or the clock was set back, the name gets a number. False with errno: all
 * names are used. */
static bool name_interval(const struct summaries *f, char path[PATH])
{
    const time_t begin = (time_t)(f->from_ns / GIGA);
    char name[32] = "";
    struct tm tm;

    if (gmtime_r(&begin, &tm))
        (void)strftime(name, sizeof name, "%Y%m%dT%H%M%SZ", &tm);
    (void)snprintf(path, PATH, "%s/%s.json", f->path, name);
    for (unsigned n = 1; access(path, F_OK) == 0; n++) {
        if (n == TRIES) {
            errno = EEXIST;
            return false;
        }
        (void)snprintf(path, PATH, "%s/%s-%u.json", f->path, name, n);
    }
    return true;
}

/* Checks that the folder exists and that files can be made in it. */
static bool open_folder(struct summaries *f, char *err, size_t errlen)
{
    enum { MODE = 0777 };
    struct file_new try;
    char path[PATH];

    f->fd = -1;
    bool good = mkdir(f->path, MODE) == 0 || errno == EEXIST;
    if (good && strlen(f->path) > PATH - NAME_MOST) {
        errno = ENAMETOOLONG;
        good = false;
    }
    good = good && name_interval(f, path) && file_begin(&try, path);
    if (good)
        (void)file_end(&try, false);
    else
        (void)snprintf(err, errlen, "%s: %s", f->path, strerror(errno));
    return good;
}

/* Writes a first file without packets, which shows that the file can be written. */
static bool open_metrics(struct summaries *f, const char *path, char *err, size_t errlen)
{
    f->metrics_path = path;
    f->metrics = metrics_open();
    if (f->metrics)
        return put_metrics(f, err, errlen);
    (void)snprintf(err, errlen, "out of memory");
    return false;
}

struct summaries *summaries_open(const struct options *opt, char *err, size_t errlen)
{
    struct summaries *f = calloc(1, sizeof *f);
    const char *host = opt->host ? opt->host : "";

    if (f)
        f->run = summary_run_open(host, &opt->sample);
    if (!f || !f->run) {
        (void)snprintf(err, errlen, "out of memory");
        free(f);
        return NULL;
    }
    f->path = opt->summary_path;
    f->folder = opt->rows;
    f->every_ns = (uint64_t)opt->every_s * GIGA;
    bool good = f->every_ns && f->path ? open_folder(f, err, errlen) : open_file(f, err, errlen);
    if (good && opt->metrics_path)
        good = open_metrics(f, opt->metrics_path, err, errlen);
    if (good && opt->rows)
        good = (f->rows = rows_open(opt->rows, host, err, errlen)) != NULL;
    if (good)
        return f;
    if (f->fd > STDOUT_FILENO)
        (void)close(f->fd);
    summary_run_close(f->run);
    free(f->metrics);
    free(f);
    return NULL;
}

void summaries_packet(struct summaries *f, const struct packet *p)
{
    f->any = true;
    summary_run_packet(f->run, p);
    for (unsigned i = 0; f->rows && i < verdict_kept(p->verdict); i++)
        rows_finding(f->rows, &p->verdict->finding[i], p->verdict->names);
}

void summaries_late(struct summaries *f, const struct iba_finding *x, const struct verdict_names *names)
{
    f->any = true;
    summary_run_late(f->run, x, names);
    if (f->rows)
        rows_finding(f->rows, x, names);
}

void summaries_message(struct summaries *f, const struct iba_message *m, const struct verdict_names *names)
{
    f->any = true;
    summary_run_message(f->run, m, names);
    if (f->rows)
        rows_message(f->rows, m, names);
}

void summaries_capture(struct summaries *f, uint32_t source, const char *name, bool whole)
{
    if (!f->every_ns || summary_run_packets(f->run, source) > 0)
        summary_run_capture(f->run, source, name, whole);
}

bool summaries_put(struct summary *s, bool (*write_it)(struct summary *, struct out *, char *, size_t), struct out *o,
                   int fd, const char *path, char *err, size_t errlen)
{
    char why[256];

    out_init(o, fd);
    if (!write_it(s, o, why, sizeof why)) {
        (void)snprintf(err, errlen, "%s", why);
        return false;
    }
    (void)out_flush(o);
    if (o->error == 0 || o->error == EPIPE)
        return true;
    (void)snprintf(err, errlen, "%s: %s", path, strerror(o->error));
    return false;
}

/* ---- intervals ---- */

bool summaries_is_over(struct summaries *f, uint64_t now_ns)
{
    if (f->every_ns == 0)
        return false;
    if (f->from_ns == 0)
        f->from_ns = now_ns - now_ns % f->every_ns;
    if (now_ns < f->from_ns) /* less than an interval: packets are not in order; more: the clock was set back */
        return f->from_ns - now_ns > f->every_ns;
    return now_ns >= f->from_ns + f->every_ns;
}

/* Writes the summary of the interval to a file that appears when it is complete. False with one line in err. */
static bool write_interval(struct summaries *f, struct summary *s, char *err, size_t errlen)
{
    struct file_new place;
    char path[PATH];

    if (!f->path)
        return true;
    if (!name_interval(f, path) || !file_begin(&place, path)) {
        (void)snprintf(err, errlen, "%s: %s", path, strerror(errno));
        return false;
    }
    const bool good = summaries_put(s, summary_write, &f->out, place.fd, path, err, errlen);
    const int error = file_end(&place, good);
    if (good && error)
        (void)snprintf(err, errlen, "%s: %s", path, strerror(error));
    return good && !error;
}

/* Writes all files of the interval, or of the run. An interval in which nothing is counted changes no file. If the
 * summary of an interval cannot be written, the metrics still count its packets; err has the first fault. */
static bool write_all(struct summaries *f, struct summary *s, char *err, size_t errlen)
{
    bool good = true;

    if (!f->every_ns && f->path)
        good = summaries_put(s, summary_write, &f->out, f->fd, f->path, err, errlen);
    else if (f->every_ns && f->any)
        good = write_interval(f, s, err, errlen);
    if (!f->metrics || (f->every_ns && !f->any))
        return good;
    metrics_add(f->metrics, s);
    char second[512];
    return put_metrics(f, good ? err : second, good ? errlen : sizeof second) && good;
}

bool summaries_next(struct summaries *f, uint64_t now_ns, bool renew, char *err, size_t errlen)
{
    bool good = write_all(f, summary_run_end(f->run, renew), err, errlen);

    f->any = false;
    f->from_ns = now_ns - now_ns % f->every_ns;
    if (!summary_run_next(f->run, renew) && good) {
        (void)snprintf(err, errlen, "out of memory");
        good = false;
    }
    return good;
}

bool summaries_finish(struct summaries *f, char *err, size_t errlen)
{
    struct summary *s = summary_run_end(f->run, true);
    bool good = write_all(f, s, err, errlen);
    const int rows = f->rows ? rows_end(f->rows, s) : 0;

    if (f->fd > STDOUT_FILENO && close(f->fd) != 0 && good) {
        (void)snprintf(err, errlen, "%s: %s", f->path, strerror(errno));
        good = false;
    }
    if (rows && good) {
        (void)snprintf(err, errlen, "%s: %s", f->folder, strerror(rows));
        good = false;
    }
    summary_run_close(f->run);
    free(f->metrics);
    free(f);
    return good;
}
