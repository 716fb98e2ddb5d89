/* SPDX-License-Identifier: BSD-2-Clause */
/* diff: two reports of `run --json`, and what changed from the first to the second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "difference.h"
#include "fault.h"
#include "json.h"
#include "system/text.h"

enum { FORMAT = 1 }; /* of report/json.c */

struct played {
    const char *id;
    enum ibc_verdict verdict;
    const char *statement, *expected, *got; /* "" where the report has none */
};
struct report {
    cJSON *root;
    struct played *p; /* by id */
    size_t n;
};
struct change {
    enum difference what;
    const struct played *old, *new_one; /* one of them may be NULL */
};
struct changes {
    struct change *c; /* those of kind SAME are not among them */
    size_t n, count[DIFFERENCE_COUNT];
};

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? item->valuestring : "";
}

/* IBC_IS_COUNT: no verdict has that name. */
static enum ibc_verdict verdict_of(const char *name)
{
    int v = 0;

    while (v < IBC_IS_COUNT && strcmp(ibc_verdict_names[v], name) != 0)
        v++;
    return (enum ibc_verdict)v;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct played *)a)->id, ((const struct played *)b)->id);
}

static int not_a_report(const char *path, const char *why)
{
    return wrong(EXIT_USAGE, "%s: not what ibconform run --json writes: %s", path, why);
}

static int fill(struct report *r, const char *path, const cJSON *results)
{
    const cJSON *one;

    r->p = calloc((size_t)cJSON_GetArraySize(results) + 1, sizeof *r->p);
    if (!r->p)
        return wrong(EXIT_HARNESS, "out of memory");
    cJSON_ArrayForEach(one, results)
    {
        const cJSON *finding = cJSON_GetObjectItemCaseSensitive(one, "finding");
        struct played *p = &r->p[r->n++];

        *p = (struct played){text_of(one, "id"), verdict_of(text_of(one, "verdict")), text_of(finding, "statement"),
                             text_of(finding, "expected"), text_of(finding, "got")};
        if (!*p->id || p->verdict == IBC_IS_COUNT)
            return not_a_report(path, "a result has no id, or a verdict that this version does not know");
    }
    qsort(r->p, r->n, sizeof *r->p, by_id);
    for (size_t i = 1; i < r->n; i++)
        if (strcmp(r->p[i - 1].id, r->p[i].id) == 0)
            return not_a_report(path, "two results have one id");
    return EXIT_OK;
}

static int open_report(struct report *r, const char *path)
{
    r->root = json_read(path);
    if (!r->root)
        return EXIT_USAGE;
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(r->root, "format");
    const cJSON *results = cJSON_GetObjectItemCaseSensitive(r->root, "results");
    if (strcmp(text_of(r->root, "tool"), "ibconform") != 0 || !cJSON_IsArray(results))
        return not_a_report(path, "no results");
    if (!cJSON_IsNumber(format) || format->valueint != FORMAT)
        return not_a_report(path, "the format is another version's");
    return fill(r, path, results);
}

static bool same_symptom(const struct played *a, const struct played *b)
{
    return strcmp(a->statement, b->statement) == 0 && strcmp(a->expected, b->expected) == 0 &&
           strcmp(a->got, b->got) == 0;
}

static void compare(struct changes *to, const struct played *old, const struct played *new_one)
{
    enum difference what = difference_of(old ? old->verdict : IBC_IS_COUNT, new_one ? new_one->verdict : IBC_IS_COUNT);

    if (old && new_one && what == DIFFERENCE_SAME && difference_has_symptom(new_one->verdict) &&
        !same_symptom(old, new_one))
        what = DIFFERENCE_CHANGED_SYMPTOM;
    to->count[what]++;
    if (what != DIFFERENCE_SAME)
        to->c[to->n++] = (struct change){what, old, new_one};
}

/* Both reports are sorted by id. */
static void compare_all(struct changes *to, const struct report *a, const struct report *b)
{
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        const int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->p[i].id, b->p[k].id);
        compare(to, order <= 0 ? &a->p[i] : NULL, order >= 0 ? &b->p[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

static const char *verdict_name(const struct played *p)
{
    return p ? ibc_verdict_names[p->verdict] : "-";
}

static void print_symptom(const char *when, const struct played *p)
{
    if (p && difference_has_symptom(p->verdict) && (*p->expected || *p->got))
        text_line(stdout, "      %s%s: expected %s, got %s", when, *p->statement ? p->statement : "no statement",
                  *p->expected ? p->expected : "nothing", *p->got ? p->got : "nothing");
}

static void print_change(const struct change *c)
{
    const bool both = c->what == DIFFERENCE_CHANGED_SYMPTOM;

    text_line(stdout, "  %s  %s -> %s", c->new_one ? c->new_one->id : c->old->id, verdict_name(c->old),
              verdict_name(c->new_one));
    if (both || c->what == DIFFERENCE_NEWLY_PASSING)
        print_symptom("before: ", c->old);
    print_symptom(both ? "now: " : "", c->new_one);
}

static void print_changes(const struct changes *all)
{
    for (int what = DIFFERENCE_SAME + 1; what < DIFFERENCE_COUNT; what++) {
        if (all->count[what] == 0)
            continue;
        printf("%s: %zu\n", difference_names[what], all->count[what]);
        for (size_t i = 0; i < all->n; i++)
            if ((int)all->c[i].what == what)
                print_change(&all->c[i]);
        printf("\n");
    }
    for (int what = DIFFERENCE_SAME + 1; what < DIFFERENCE_COUNT; what++)
        if (what <= DIFFERENCE_NEWLY_PASSING || all->count[what])
            printf("%zu %s, ", all->count[what], difference_names[what]);
    printf("%zu the same\n", all->count[DIFFERENCE_SAME]);
}

static void add_played(cJSON *to, const char *key, const struct played *p)
{
    if (!p) {
        cJSON_AddNullToObject(to, key);
        return;
    }
    cJSON *one = json_add_object(to, key);
    cJSON_AddStringToObject(one, "verdict", ibc_verdict_names[p->verdict]);
    cJSON_AddStringToObject(one, "statement", p->statement);
    cJSON_AddStringToObject(one, "expected", p->expected);
    cJSON_AddStringToObject(one, "got", p->got);
}

static int print_json(const struct changes *all)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *counts = json_add_object(root, "counts");
    cJSON *list = cJSON_AddArrayToObject(root, "changes");

    for (int what = 0; what < DIFFERENCE_COUNT; what++)
        cJSON_AddNumberToObject(counts, difference_names[what], (double)all->count[what]);
    for (size_t i = 0; i < all->n; i++) {
        const struct change *c = &all->c[i];
        cJSON *one = json_add_object(list, NULL);
        cJSON_AddStringToObject(one, "id", c->new_one ? c->new_one->id : c->old->id);
        cJSON_AddStringToObject(one, "change", difference_names[c->what]);
        add_played(one, "old", c->old);
        add_played(one, "new", c->new_one);
    }
    return json_print(root);
}

static int verdict_of_all(const struct changes *all)
{
    if (all->count[DIFFERENCE_NEWLY_FAILING])
        return EXIT_FAILED;
    return all->count[DIFFERENCE_NO_LONGER_JUDGED] ? EXIT_INCONCLUSIVE : EXIT_OK;
}

int command_diff(const struct options *o)
{
    struct report old = {.n = 0}, new_one = {.n = 0};
    struct changes all = {.n = 0};
    int rc = open_report(&old, o->pattern.w[0]);

    if (rc == EXIT_OK)
        rc = open_report(&new_one, o->pattern.w[1]);
    if (rc == EXIT_OK) {
        all.c = calloc(old.n + new_one.n + 1, sizeof *all.c);
        rc = all.c ? EXIT_OK : wrong(EXIT_HARNESS, "out of memory");
    }
    if (all.c) {
        compare_all(&all, &old, &new_one);
        if (o->json)
            rc = print_json(&all);
        else
            print_changes(&all);
    }
    if (rc == EXIT_OK)
        rc = verdict_of_all(&all);
    free(all.c);
    free(old.p);
    free(new_one.p);
    cJSON_Delete(old.root);
    cJSON_Delete(new_one.root);
    return rc;
}
