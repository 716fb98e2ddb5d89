/* SPDX-License-Identifier: BSD-2-Clause */
/* diff: compares two reports of `run --json`, and prints what changed from the first to the second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "difference.h"
#include "earlier.h"
#include "fault.h"
#include "json.h"
#include "system/text.h"

/* The deviations that the waivers of one report name, by name. */
struct waived {
    const char *name;
    size_t scenarios;
    bool both; /* the other report has a waiver of that name as well */
};
struct waivers {
    struct waived *w;
    size_t n;
};

struct change {
    enum difference what;
    const struct earlier_case *old, *new_one; /* one of them may be NULL */
};
struct changes {
    struct change *c; /* all changes except those of kind SAME */
    size_t n, count[DIFFERENCE_COUNT];
    struct waivers old, new_one;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct waived *)a)->name, ((const struct waived *)b)->name);
}

/* Returns the waivers of a report; w is NULL: out of memory. */
static struct waivers waivers_of(const struct earlier *r)
{
    struct waivers all = {calloc(r->n + 1, sizeof *all.w), 0};
    size_t n = 0;

    for (size_t i = 0; all.w && i < r->n; i++)
        if (r->p[i].verdict == IBC_IS_XFAIL && *r->p[i].waiver)
            all.w[n++] = (struct waived){r->p[i].waiver, 1, false};
    if (n > 0)
        qsort(all.w, n, sizeof *all.w, by_name);
    for (size_t i = 0; i < n; i++)
        if (all.n > 0 && by_name(&all.w[all.n - 1], &all.w[i]) == 0)
            all.w[all.n - 1].scenarios++;
        else
            all.w[all.n++] = all.w[i];
    return all;
}

static void mark_both(struct waivers *a, const struct waivers *b)
{
    for (size_t i = 0; b->n > 0 && i < a->n; i++) {
        struct waived *other = bsearch(&a->w[i], b->w, b->n, sizeof *b->w, by_name);
        if (other)
            a->w[i].both = other->both = true;
    }
}

static size_t count_alone(const struct waivers *of)
{
    size_t n = 0;

    for (size_t i = 0; i < of->n; i++)
        n += !of->w[i].both;
    return n;
}

static bool same_symptom(const struct earlier_case *a, const struct earlier_case *b)
{
    return strcmp(a->statement, b->statement) == 0 && strcmp(a->expected, b->expected) == 0 &&
           strcmp(a->got, b->got) == 0;
}

static void compare(struct changes *to, const struct earlier_case *old, const struct earlier_case *new_one)
{
    enum difference what = difference_of(old ? old->verdict : IBC_IS_COUNT, new_one ? new_one->verdict : IBC_IS_COUNT);

    if (old && new_one && what == DIFFERENCE_SAME && difference_has_symptom(new_one->verdict) &&
        !same_symptom(old, new_one))
        what = DIFFERENCE_CHANGED_SYMPTOM;
    to->count[what]++;
    if (what != DIFFERENCE_SAME)
        to->c[to->n++] = (struct change){what, old, new_one};
}

/* Compares two reports, which are both sorted by id. */
static void compare_all(struct changes *to, const struct earlier *a, const struct earlier *b)
{
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        const int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->p[i].id, b->p[k].id);
        compare(to, order <= 0 ? &a->p[i] : NULL, order >= 0 ? &b->p[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

static const char *verdict_name(const struct earlier_case *p)
{
    return p ? ibc_verdict_names[p->verdict] : "-";
}

static void print_symptom(const char *when, const struct earlier_case *p)
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

static void print_waivers(const char *which, const struct waivers *of)
{
    const size_t n = count_alone(of);

    if (n == 0)
        return;
    printf("waived in the %s report only: %zu\n", which, n);
    for (size_t i = 0; i < of->n; i++)
        if (!of->w[i].both)
            text_line(stdout, "  %s  %zu scenario%s", of->w[i].name, of->w[i].scenarios,
                      of->w[i].scenarios == 1 ? "" : "s");
    printf("\n");
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
    print_waivers("old", &all->old);
    print_waivers("new", &all->new_one);
    for (int what = DIFFERENCE_SAME + 1; what < DIFFERENCE_COUNT; what++)
        if (what <= DIFFERENCE_NEWLY_PASSING || all->count[what])
            printf("%zu %s, ", all->count[what], difference_names[what]);
    printf("%zu the same\n", all->count[DIFFERENCE_SAME]);
}

static void add_played(cJSON *to, const char *key, const struct earlier_case *p)
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

static void add_waivers(cJSON *to, const char *key, const struct waivers *of)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);

    for (size_t i = 0; i < of->n; i++) {
        if (of->w[i].both)
            continue;
        cJSON *one = json_add_object(list, NULL);
        cJSON_AddStringToObject(one, "name", of->w[i].name);
        cJSON_AddNumberToObject(one, "scenarios", (double)of->w[i].scenarios);
    }
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
    cJSON *waived = json_add_object(root, "waived");
    add_waivers(waived, "only in the old report", &all->old);
    add_waivers(waived, "only in the new report", &all->new_one);
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
    struct earlier old = {.n = 0}, new_one = {.n = 0};
    struct changes all = {.n = 0};
    int rc = earlier_open(&old, o->pattern.w[0]);

    if (rc == EXIT_OK)
        rc = earlier_open(&new_one, o->pattern.w[1]);
    if (rc == EXIT_OK) {
        all = (struct changes){.c = calloc(old.n + new_one.n + 1, sizeof *all.c)};
        all.old = waivers_of(&old);
        all.new_one = waivers_of(&new_one);
    }
    if (rc == EXIT_OK && (!all.c || !all.old.w || !all.new_one.w)) {
        rc = wrong(EXIT_HARNESS, "out of memory");
    } else if (rc == EXIT_OK) {
        compare_all(&all, &old, &new_one);
        mark_both(&all.old, &all.new_one);
        if (o->json)
            rc = print_json(&all);
        else
            print_changes(&all);
    }
    if (rc == EXIT_OK)
        rc = verdict_of_all(&all);
    free(all.c);
    free(all.old.w);
    free(all.new_one.w);
    earlier_free(&old);
    earlier_free(&new_one);
    return rc;
}
