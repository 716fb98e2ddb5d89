/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FILE = 1 << 20, MAX_TEXT = 4000, MAX_PATTERN = 256, DAY = sizeof "YYYY-MM-DD" };

/* The members of a waiver in the JSON file. All are text, and the first ones are required. */
static const char *const field_names[] = {"pattern", "target",    "statement", "reason",  "symptom", "expires",
                                          "name",    "was",       "certain",   "cause",   "mended",  "impact",
                                          "remedy",  "sometimes", "seen",      "evidence"};
enum { N_FIELDS = sizeof field_names / sizeof *field_names, N_MUST = 6 };

static char **field_of(struct ibc_waiver *w, size_t i)
{
    char **const field[N_FIELDS] = {&w->pattern, &w->target,    &w->statement, &w->reason,  &w->symptom, &w->expires,
                                    &w->name,    &w->was,       &w->certain,   &w->cause,   &w->mended,  &w->impact,
                                    &w->remedy,  &w->sometimes, &w->seen,      &w->evidence};

    return field[i];
}

struct complaint {
    const char *path;
    char *err;
    size_t errlen;
};

static bool wrong(const struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(const struct complaint *c, const char *format, ...)
{
    va_list ap;
    const int n = snprintf(c->err, c->errlen, "%s: ", c->path);

    va_start(ap, format);
    if (n >= 0 && (size_t)n < c->errlen)
        vsnprintf(c->err + n, c->errlen - (size_t)n, format, ap);
    va_end(ap);
    return false;
}

static const char *field_name(size_t i, const void *ctx)
{
    (void)ctx;
    return field_names[i];
}

static size_t find_field(const char *name)
{
    size_t i = 0;

    while (i < N_FIELDS && strcmp(field_names[i], name) != 0)
        i++;
    return i;
}

static const char *statement_id(size_t i, const void *ctx)
{
    (void)ctx;
    return ibc_statements[i].id;
}

/* Whether the text is an existing day in the form YYYY-MM-DD. */
static bool is_date(const char *s)
{
    static const int days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}; /* no month is number 0 */

    if (strlen(s) != 10 || strspn(s, "0123456789") != 4 || s[4] != '-' || strspn(s + 5, "0123456789") != 2 ||
        s[7] != '-' || strspn(s + 8, "0123456789") != 2)
        return false;
    const long year = strtol(s, NULL, 10), month = strtol(s + 5, NULL, 10), day = strtol(s + 8, NULL, 10);
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month <= 12 && day >= 1 && day <= days[month] + (leap && month == 2);
}

static bool take_field(struct ibc_waiver *w, const cJSON *field, int entry, const struct complaint *c)
{
    const size_t i = find_field(field->string);

    if (i == N_FIELDS) {
        const char *near = ibc_nearest(field->string, field_name, N_FIELDS, NULL);
        return wrong(c, "waiver %d: no field \"%.40s\"%s%s%s", entry, field->string, near ? "; did you mean \"" : "",
                     near ? near : "", near ? "\"?" : "; see the man page");
    }
    char **to = field_of(w, i);
    if (*to)
        return wrong(c, "waiver %d: \"%s\" stands twice", entry, field_names[i]);
    if (!cJSON_IsString(field) || field->valuestring[0] == '\0' || strlen(field->valuestring) > MAX_TEXT)
        return wrong(c, "waiver %d: \"%s\" must be a text of 1 to %d characters", entry, field_names[i], MAX_TEXT);
    *to = strdup(field->valuestring);
    return *to ? true : wrong(c, "out of memory");
}

bool ibc_waiver_word(const char *words, size_t i, char *out, size_t n)
{
    const char *at = words + strspn(words, " ");

    for (; i > 0 && *at; i--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    snprintf(out, n, "%.*s", (int)strcspn(at, " "), at);
    return *at != '\0';
}

static bool check_statements(const struct ibc_waiver *w, int entry, const struct complaint *c)
{
    char id[MAX_PATTERN];

    for (size_t i = 0; ibc_waiver_word(w->statement, i, id, sizeof id); i++) {
        const char *near = ibc_statement_find(id) ? NULL : ibc_nearest(id, statement_id, ibc_statement_count, NULL);
        if (!ibc_statement_find(id))
            return wrong(c, "waiver %d: no statement \"%.40s\"%s%s%s", entry, id, near ? "; nearest is \"" : "",
                         near ? near : "", near ? "\"" : "");
    }
    return true;
}

static bool check(struct ibc_waiver *w, const char *today, int entry, const struct complaint *c)
{
    for (size_t i = 0; i < N_MUST; i++)
        if (!*field_of(w, i))
            return wrong(c, "waiver %d: no \"%s\"", entry, field_names[i]);
    if (w->pattern[strspn(w->pattern, " ")] == '\0')
        return wrong(c, "waiver %d: \"pattern\" names nothing", entry);
    if (w->statement[strspn(w->statement, " ")] == '\0')
        return wrong(c, "waiver %d: \"statement\" names nothing", entry);
    if (!is_date(w->expires))
        return wrong(c, "waiver %d: \"expires\": \"%.40s\" is no day, want YYYY-MM-DD", entry, w->expires);
    if (strcmp(w->expires, today) < 0)
        return wrong(c, "waiver %d (%.80s): expired on %s", entry, w->pattern, w->expires);
    return check_statements(w, entry, c);
}

/* Reads the whole file and appends a 0 byte. NULL: it reported why it could not. */
static char *read_file(const struct complaint *c, size_t *n)
{
    FILE *f = fopen(c->path, "rb");
    char *text = f ? malloc(MAX_FILE + 1) : NULL;

    if (!text) {
        wrong(c, "%s", strerror(f ? ENOMEM : errno));
        if (f)
            fclose(f);
        return NULL;
    }
    *n = fread(text, 1, MAX_FILE + 1, f);
    const bool bad = ferror(f) != 0;
    const int error = errno;
    fclose(f);
    if (!bad && *n <= MAX_FILE) {
        text[*n] = '\0';
        return text;
    }
    if (bad)
        wrong(c, "%s", strerror(error));
    else
        wrong(c, "longer than 1 MiB");
    free(text);
    return NULL;
}

static cJSON *parse(const struct complaint *c)
{
    size_t n, line = 1, column = 1;
    char *text = read_file(c, &n);
    const char *end = text;

    if (!text)
        return NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(text, n + 1, &end, 1); /* including the final 0 */
    for (const char *p = text; !root && p < end; p++) {
        line += *p == '\n';
        column = *p == '\n' ? 1 : column + 1;
    }
    if (!root)
        wrong(c, "line %zu, near column %zu: not JSON", line, column);
    else if (!cJSON_IsArray(root)) {
        wrong(c, "not a list of waivers: [{\"pattern\": ..., ...}, ...]; see WAIVERS in the manual page");
        cJSON_Delete(root);
        root = NULL;
    }
    free(text);
    return root;
}

static bool take(struct ibc_waivers *out, const cJSON *entry, const char *today, const struct complaint *c)
{
    const int number = (int)out->n + 1;
    struct ibc_waiver *w = &out->w[out->n++];

    if (!cJSON_IsObject(entry))
        return wrong(c, "waiver %d: not an object", number);
    for (const cJSON *f = entry->child; f; f = f->next)
        if (!take_field(w, f, number, c))
            return false;
    return check(w, today, number, c);
}

static void read_clock(char today[DAY])
{
    const time_t now = time(NULL);
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(today, DAY, "%Y-%m-%d", &tm);
}

bool ibc_waivers_load(struct ibc_waivers *out, const char *path, const char *today, char *err, size_t errlen)
{
    const struct complaint c = {path, err, errlen};
    cJSON *root = parse(&c);
    bool good = root != NULL;
    char clock[DAY];

    *out = (struct ibc_waivers){0};
    if (!root)
        return false;
    read_clock(clock);
    out->w = calloc((size_t)cJSON_GetArraySize(root) + 1, sizeof *out->w);
    if (!out->w)
        good = wrong(&c, "out of memory");
    for (const cJSON *e = root->child; good && e; e = e->next)
        good = take(out, e, today ? today : clock, &c);
    cJSON_Delete(root);
    if (!good)
        ibc_waivers_free(out);
    return good;
}

void ibc_waivers_free(struct ibc_waivers *w)
{
    for (size_t i = 0; i < w->n; i++)
        for (size_t f = 0; f < N_FIELDS; f++)
            free(*field_of(&w->w[i], f));
    free(w->w);
    *w = (struct ibc_waivers){0};
}

static bool any_word(const char *words, const struct ibc_scenario *s,
                     bool (*fits)(const struct ibc_scenario *s, const char *word))
{
    char word[MAX_PATTERN];
    bool found = false;

    for (size_t i = 0; !found && ibc_waiver_word(words, i, word, sizeof word); i++)
        found = fits(s, word);
    return found;
}

bool ibc_waiver_cited(const struct ibc_waiver *w, const struct ibc_scenario *s)
{
    return any_word(w->statement, s, ibc_cites);
}

/* Whether one of several alternatives, separated by " | ", fits. */
static bool any_of(const char *several, bool (*fits)(const char *one, const void *ctx), const void *ctx)
{
    static const char bar[] = " | ";
    char one[MAX_TEXT + 1];
    const char *end;

    for (; (end = strstr(several, bar)) != NULL; several = end + strlen(bar)) {
        snprintf(one, sizeof one, "%.*s", (int)(end - several), several);
        if (fits(one, ctx))
            return true;
    }
    return fits(several, ctx);
}

static bool names_target(const char *pattern, const void *target)
{
    return fnmatch(pattern, target, 0) == 0;
}

static bool shows(const char *symptom, const void *finding)
{
    const struct ibc_finding *f = finding;

    return strstr(f->got, symptom) || strstr(f->expected, symptom) || strstr(f->sentence, symptom) ||
           strstr(f->variation, symptom);
}

/* Returns the verdict after the waiver; COUNT: the waiver does not apply. A waiver does not cover a failure with
 * another symptom, which is another fault. */
static enum ibc_verdict waived(const struct ibc_waiver *w, const struct ibc_result *r)
{
    const bool bad = ibc_failed(r->verdict), miscounted = ibc_failed(r->counters);

    if ((bad || miscounted) && (!bad || any_of(w->symptom, shows, &r->finding)) &&
        (!miscounted || any_of(w->symptom, shows, &r->counter_finding)))
        return IBC_IS_XFAIL;
    if (!w->sometimes && !bad && !miscounted && (r->verdict == IBC_IS_PASS || r->verdict == IBC_IS_TOLERATED))
        return IBC_IS_XPASS;
    return IBC_IS_COUNT;
}

void ibc_waivers_apply(struct ibc_waivers *w, const char *target, struct ibc_result *r)
{
    for (size_t i = 0; i < w->n; i++) {
        struct ibc_waiver *one = &w->w[i];
        if (!any_word(one->pattern, r->scenario, ibc_id_matches) || !ibc_waiver_cited(one, r->scenario) ||
            !any_of(one->target, names_target, target))
            continue;
        const enum ibc_verdict v = waived(one, r);
        if (v == IBC_IS_COUNT)
            continue;
        one->used = true;
        r->waiver = one;
        r->verdict = v;
        return;
    }
}
