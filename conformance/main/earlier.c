/* SPDX-License-Identifier: BSD-2-Clause */
#include "earlier.h"
#include <stdlib.h>
#include <string.h>
#include "fault.h"
#include "json.h"

enum { FORMAT = 1 }; /* the format number that report/json.c writes */

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? item->valuestring : "";
}

/* Returns the verdict of that name; IBC_IS_COUNT: there is none. */
static enum ibc_verdict verdict_of(const char *name)
{
    int v = 0;

    while (v < IBC_IS_COUNT && strcmp(ibc_verdict_names[v], name) != 0)
        v++;
    return (enum ibc_verdict)v;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct earlier_case *)a)->id, ((const struct earlier_case *)b)->id);
}

static int not_a_report(const char *path, const char *why)
{
    return wrong(EXIT_USAGE, "%s: not what ibconform run --json writes: %s", path, why);
}

static int fill(struct earlier *r, const char *path, const cJSON *results)
{
    const cJSON *one;

    r->p = calloc((size_t)cJSON_GetArraySize(results) + 1, sizeof *r->p);
    if (!r->p)
        return wrong(EXIT_HARNESS, "out of memory");
    cJSON_ArrayForEach(one, results)
    {
        const cJSON *finding = cJSON_GetObjectItemCaseSensitive(one, "finding");
        struct earlier_case *p = &r->p[r->n++];

        const bool waived = cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(one, "waiver"));
        *p = (struct earlier_case){text_of(one, "id"),
                                   verdict_of(text_of(one, "verdict")),
                                   text_of(finding, "statement"),
                                   text_of(finding, "expected"),
                                   text_of(finding, "got"),
                                   waived ? text_of(one, "cause") : ""};
        if (!*p->id || p->verdict == IBC_IS_COUNT)
            return not_a_report(path, "a result has no id, or a verdict that this version does not know");
    }
    qsort(r->p, r->n, sizeof *r->p, by_id);
    for (size_t i = 1; i < r->n; i++)
        if (strcmp(r->p[i - 1].id, r->p[i].id) == 0)
            return not_a_report(path, "two results have one id");
    return EXIT_OK;
}

int earlier_open(struct earlier *r, const char *path)
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

const struct earlier_case *earlier_find(const struct earlier *r, const char *id)
{
    const struct earlier_case key = {.id = id};

    return r->n ? bsearch(&key, r->p, r->n, sizeof *r->p, by_id) : NULL;
}

void earlier_free(struct earlier *r)
{
    free(r->p);
    cJSON_Delete(r->root);
    *r = (struct earlier){.n = 0};
}
