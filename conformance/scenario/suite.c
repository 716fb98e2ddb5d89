/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"
#include "scenario.h"
#include <errno.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8, PATH = 1024, LONGEST_ID = 160, MOST = 20000 };

struct visit {
    struct ibc_suite *suite;
    struct ibc_fault *f; /* f->err is the remaining space for messages */
    bool bad;            /* a file has a fault */
    char path[PATH];
    char id[LONGEST_ID];
};

static bool keep(struct visit *v, struct ibc_scenario *s)
{
    struct ibc_suite *u = v->suite;
    struct ibc_scenario **more;

    if (u->n == MOST) {
        ibc_free(s);
        return ibc_fault(v->f, 0, 0, "more than %d scenarios", MOST);
    }
    if ((u->n & (u->n - 1)) == 0) { /* the list is full at every power of two */
        more = realloc(u->s, (u->n == 0 ? 1 : 2 * u->n) * sizeof *more);
        if (more == NULL) {
            ibc_free(s);
            return ibc_fault(v->f, 0, 0, "out of memory");
        }
        u->s = more;
    }
    u->s[u->n++] = s;
    return true;
}

/* Adds `name` to path and id. False: it cannot be part of an id, and a fault was reported. */
static bool enter(struct visit *v, const char *name, bool folder)
{
    const size_t n = strlen(v->path), k = strlen(v->id), len = strlen(name), ending = folder ? 0 : 4;

    if (n + len + 2 > sizeof v->path || k + len + 2 > sizeof v->id)
        return ibc_fault(v->f, 0, 0, "the name '%.80s' is too long", name);
    snprintf(v->path + n, sizeof v->path - n, "/%s", name);
    if (len <= ending || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != len - ending)
        return ibc_fault(v->f, 0, 0, "a name has small letters, digits and '-'%s", folder ? "" : ", and ends in .ibt");
    snprintf(v->id + k, sizeof v->id - k, "%s%.*s", k == 0 ? "" : ".", (int)(len - ending), name);
    return true;
}

static bool folder(struct visit *v, unsigned depth);

/* Keeps the message as a line of its own, and continues with the next file. */
static void go_on(struct visit *v)
{
    const size_t n = strlen(v->f->err);

    v->bad = true;
    v->f->set = false;
    if (n + 2 > v->f->errlen) {
        v->f->errlen = 0; /* later messages do not replace the one that was cut */
        return;
    }
    v->f->err[n] = '\n';
    v->f->err[n + 1] = '\0';
    v->f->err += n + 1;
    v->f->errlen -= n + 1;
}

static bool file(struct visit *v)
{
    struct ibc_scenario *s = ibc_load(v->path, v->id, v->f->err, v->f->errlen);

    if (s == NULL)
        go_on(v);
    return s == NULL || keep(v, s);
}

/* Whether the suite ignores the file: hidden files and texts for readers. */
static bool passed_over(const char *name)
{
    const size_t n = strlen(name);

    return *name == '.' || (n > 3 && strcmp(name + n - 3, ".md") == 0);
}

static bool visit(struct visit *v, const char *name, unsigned depth)
{
    const size_t n = strlen(v->path), k = strlen(v->id), len = strlen(name);
    struct stat st;
    bool good;

    if (passed_over(name))
        return true;
    if (n + len + 2 > sizeof v->path)
        return ibc_fault(v->f, 0, 0, "the name '%.80s' is too long", name);
    snprintf(v->path + n, sizeof v->path - n, "/%s", name);
    if (stat(v->path, &st) != 0)
        return ibc_fault(v->f, 0, 0, "cannot be looked at");
    v->path[n] = '\0';
    if (!enter(v, name, S_ISDIR(st.st_mode))) {
        go_on(v);
        good = true;
    } else
        good = S_ISDIR(st.st_mode) ? folder(v, depth + 1) : file(v);
    if (good) {
        v->path[n] = '\0';
        v->id[k] = '\0';
    }
    return good;
}

static bool folder(struct visit *v, unsigned depth)
{
    struct dirent **entry;
    bool good = true;
    int n;

    if (depth > DEEPEST)
        return ibc_fault(v->f, 0, 0, "more than %d folders deep", DEEPEST);
    n = scandir(v->path, &entry, NULL, alphasort);
    if (n < 0)
        return ibc_fault(v->f, 0, 0, "cannot be opened: %s", strerror(errno));
    for (int i = 0; i < n; i++) {
        good = good && visit(v, entry[i]->d_name, depth);
        free(entry[i]);
    }
    free(entry);
    return good;
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(struct ibc_scenario *const *)a)->id, (*(struct ibc_scenario *const *)b)->id);
}

bool ibc_suite_load(struct ibc_suite *out, const char *dir, char *err, size_t errlen)
{
    struct visit v = {.suite = out};
    struct ibc_fault f = {.path = v.path, .err = err, .errlen = errlen};

    *out = (struct ibc_suite){0};
    err[0] = '\0';
    v.f = &f;
    snprintf(v.path, sizeof v.path, "%s", dir);
    const bool good = strlen(dir) >= sizeof v.path ? ibc_fault(&f, 0, 0, "the name is too long") : folder(&v, 0);
    const size_t n = strlen(err);
    if (n > 0 && err[n - 1] == '\n')
        err[n - 1] = '\0';
    if (good && !v.bad) {
        if (out->n > 0)
            qsort(out->s, out->n, sizeof *out->s, by_id);
        return true;
    }
    ibc_suite_free(out);
    return false;
}

void ibc_suite_free(struct ibc_suite *suite)
{
    for (size_t i = 0; i < suite->n; i++)
        ibc_free(suite->s[i]);
    free(suite->s);
    *suite = (struct ibc_suite){0};
}

/* ---- patterns of ids ---- */
/* Whether s matches the pattern, in which '*' stands for any bytes and '?' for one byte. */
static bool glob(const char *pattern, const char *s)
{
    const char *star = NULL, *again = s;

    while (*s != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            again = s;
        } else if (*pattern == '?' || *pattern == *s) {
            pattern++, s++;
        } else if (star != NULL) {
            pattern = star + 1;
            s = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool ibc_id_matches(const struct ibc_scenario *s, const char *pattern)
{
    const size_t n = strlen(pattern);

    for (unsigned i = 0; i < s->n_spec; i++)
        if (glob(pattern, s->spec[i]))
            return true;
    if (n > 0 && strpbrk(pattern, "*?") == NULL && strncmp(s->id, pattern, n) == 0 && s->id[n] == '.')
        return true;
    return glob(pattern, s->id);
}
