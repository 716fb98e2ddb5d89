/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fault.h"

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Finds the installed scenarios relative to the program, so that the installed folder may be moved. */
static bool installed(char *out, size_t n)
{
    char self[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    if (len <= 0)
        return false;
    self[len] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    return (size_t)snprintf(out, n, "%s/%s", self, IBC_BIN_TO_SCENARIOS) < n && is_folder(out);
}

/* Returns the folder of scenarios; NULL: none is given, and none is installed. */
static const char *scenario_dir(const struct options *o, char *buffer, size_t n)
{
    const char *env = getenv("IBPROOF_SCENARIOS");

    if (o->scenarios)
        return o->scenarios;
    if (env && *env)
        return env;
    return installed(buffer, n) ? buffer : NULL;
}

static const char *id_of(size_t i, const void *ctx)
{
    const struct ibc_suite *suite = ctx;

    return suite->s[i]->id;
}

static const char *name_at(size_t i, const void *ctx)
{
    const char *const *name = ctx;

    return name[i];
}

static const char *statement_id(size_t i, const void *ctx)
{
    (void)ctx;
    return ibc_statements[i].id;
}

const char *statement_nearest(const char *id)
{
    return ibc_nearest(id, statement_id, ibc_statement_count, NULL);
}

/* Finds the most similar group of ids with as many parts as the pattern has, such as "rc.responder" for
 * "rc.respnder", and writes it to `near`. */
static void nearest_group(const struct ibc_suite *suite, const char *pattern, char *near, size_t n)
{
    struct group {
        char name[128];
    } *group = calloc(suite->n + 1, sizeof *group);
    const char **name = calloc(suite->n + 1, sizeof *name), *best;

    for (size_t i = 0; group && name && i < suite->n; i++) {
        const char *end = suite->s[i]->id;
        for (const char *p = pattern; p && end; p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL)
            end = strchr(end + (p != pattern), '.');
        snprintf(group[i].name, sizeof group[i].name, "%.*s", end ? (int)(end - suite->s[i]->id) : 0, suite->s[i]->id);
        name[i] = group[i].name;
    }
    best = group && name ? ibc_nearest(pattern, name_at, suite->n, name) : NULL;
    snprintf(near, n, "%s%.127s%s", best ? "; nearest is \"" : "", best ? best : "", best ? "\"" : "");
    free(group);
    free(name);
}

bool select_matches(const struct ibc_suite *suite, const char *pattern, char *near, size_t n)
{
    for (size_t i = 0; i < suite->n; i++)
        if (ibc_id_matches(suite->s[i], pattern))
            return true;
    const char *id = ibc_nearest(pattern, id_of, suite->n, suite);
    snprintf(near, n, "%s%.200s%s", id ? "; nearest is \"" : "", id ? id : "", id ? "\"" : "");
    if (!id)
        nearest_group(suite, pattern, near, n);
    if (near[0] == '\0')
        snprintf(near, n, "; ibconform list prints all");
    return false;
}

static int check_patterns(const struct ibc_suite *suite, const struct words *w, const char *what)
{
    char near[256];

    for (size_t i = 0; i < w->n; i++) {
        if (strpbrk(w->w[i], "[]{}"))
            return wrong(EXIT_USAGE, "%s\"%s\": patterns know '*' and '?' only", what, w->w[i]);
        if (select_matches(suite, w->w[i], near, sizeof near))
            continue;
        if (ibc_statement_find(w->w[i]))
            return wrong(EXIT_USAGE, "%sno scenario cites %s", what, w->w[i]);
        return wrong(EXIT_USAGE, "%sno scenario matches \"%s\"%s", what, w->w[i], near);
    }
    return EXIT_OK;
}

/* Prints every citation of the scenario that names no statement. */
static int check_citations(const struct ibc_scenario *s)
{
    int rc = EXIT_OK;

    for (unsigned i = 0; i < s->n_spec; i++)
        if (!ibc_statement_find(s->spec[i])) {
            const char *near = statement_nearest(s->spec[i]);
            rc = wrong(EXIT_USAGE, "%s:%u:%u: no statement \"%s\"%s%s%s", s->path, s->spec_at[i].line,
                       s->spec_at[i].column, s->spec[i], near ? "; nearest is \"" : "", near ? near : "",
                       near ? "\"" : "");
        }
    return rc;
}

static bool matches_any(const struct ibc_scenario *s, const struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (ibc_id_matches(s, w->w[i]))
            return true;
    return false;
}

/* Loads all scenarios. False: a line for every fault of every file was printed. */
static bool load(struct selection *sel, const char *dir)
{
    enum { ROOM = 64 * 1024 };
    char *err = malloc(ROOM), *next;
    const bool good = err && ibc_suite_load(&sel->suite, dir, err, ROOM);

    if (!err)
        wrong(EXIT_HARNESS, "out of memory");
    for (char *line = err; !good && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        wrong(EXIT_USAGE, "%s", line);
    }
    free(err);
    return good;
}

int select_scenarios(struct selection *sel, const struct options *o, const struct words *pattern,
                     const struct words *exclude)
{
    char buffer[PATH_MAX];
    const char *dir = scenario_dir(o, buffer, sizeof buffer);
    int rc = EXIT_OK;

    *sel = (struct selection){0};
    if (!dir)
        return wrong(EXIT_USAGE, "no scenarios in ../share/ibproof beside this program: say --scenarios DIR");
    if (!load(sel, dir))
        return EXIT_USAGE;
    if (sel->suite.n == 0)
        return wrong(EXIT_USAGE, "%s: no scenario there (*.ibt)", dir);
    for (size_t i = 0; i < sel->suite.n; i++)
        if (check_citations(sel->suite.s[i]) != EXIT_OK)
            rc = EXIT_USAGE;
    if (rc == EXIT_OK)
        rc = check_patterns(&sel->suite, pattern, "");
    if (rc == EXIT_OK)
        rc = check_patterns(&sel->suite, exclude, "--exclude: ");
    if (rc != EXIT_OK)
        return rc;
    sel->s = calloc(sel->suite.n, sizeof *sel->s);
    if (!sel->s)
        return wrong(EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < sel->suite.n; i++)
        if ((pattern->n == 0 || matches_any(sel->suite.s[i], pattern)) && !matches_any(sel->suite.s[i], exclude))
            sel->s[sel->n++] = sel->suite.s[i];
    return sel->n > 0 ? EXIT_OK : wrong(EXIT_USAGE, "--exclude leaves nothing of what was chosen");
}

void select_free(struct selection *sel)
{
    free(sel->s);
    ibc_suite_free(&sel->suite);
    *sel = (struct selection){0};
}

void statement_print_clause(const struct ibc_statement *st)
{
    printf("%s%s%s%s", *st->reference ? "; " : "", st->reference, *st->compliance ? "; " : "", st->compliance);
    printf("%s%s%s", *st->edition ? "; edition " : "", st->edition, st->certain ? "" : "; source not certain");
}

enum ibc_class scenario_class(const struct ibc_scenario *s)
{
    const struct ibc_statement *first = scenario_statement(s, 0);

    if (s->klass < IBC_CLASS_COUNT)
        return (enum ibc_class)s->klass;
    return first ? (enum ibc_class)first->klass : IBC_CLASS_mandatory;
}

const struct ibc_statement *scenario_statement(const struct ibc_scenario *s, unsigned i)
{
    return i < s->n_spec ? ibc_statement_find(s->spec[i]) : NULL;
}
