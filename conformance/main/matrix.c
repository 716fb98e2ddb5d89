/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix.h"
#include <string.h>
#include "fault.h"
#include "json.h"

static const char separators[] = ", ";

cJSON *clause_list(const char *clause)
{
    cJSON *list = cJSON_CreateArray();
    char id[32];

    for (const char *p = clause; *p;) {
        p += strspn(p, separators);
        const size_t n = strcspn(p, separators);
        if (n > 0 && n < sizeof id) {
            memcpy(id, p, n);
            id[n] = '\0';
            cJSON_AddItemToArray(list, cJSON_CreateString(id));
        }
        p += n;
    }
    return list;
}

static bool is_text(const cJSON *object, const char *key)
{
    return cJSON_IsString(cJSON_GetObjectItemCaseSensitive(object, key));
}

static bool is_list(const cJSON *object, const char *key)
{
    return cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(object, key));
}

static bool is_mutant(const cJSON *m)
{
    const cJSON *one;

    if (!is_text(m, "spec") || !is_list(m, "clause") || !is_list(m, "killed_by"))
        return false;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(m, "clause"))
    {
        if (!cJSON_IsString(one))
            return false;
    }
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(m, "killed_by"))
    {
        if (!is_text(one, "scenario"))
            return false;
    }
    return true;
}

cJSON *matrix_read(const char *path)
{
    cJSON *root = json_read(path);
    bool good = root && is_list(root, "mutants");
    const cJSON *one = good ? cJSON_GetObjectItemCaseSensitive(root, "mutants")->child : NULL;

    if (!root)
        return NULL;
    for (; one; one = one->next)
        good &= is_mutant(one);
    if (good)
        return root;
    cJSON_Delete(root);
    wrong(EXIT_USAGE, "%s: not what ibconform mutants --out writes", path);
    return NULL;
}

static const struct ibc_scenario *find(const struct ibc_suite *suite, const char *id)
{
    for (size_t i = 0; i < suite->n; i++)
        if (strcmp(suite->s[i]->id, id) == 0)
            return suite->s[i];
    return NULL;
}

static const char *killer(const cJSON *mutant, const struct ibc_suite *suite, const char *statement)
{
    const cJSON *k;

    cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(mutant, "killed_by"))
    {
        const struct ibc_scenario *s = find(suite, cJSON_GetObjectItemCaseSensitive(k, "scenario")->valuestring);
        if (s && ibc_cites(s, statement))
            return s->id;
    }
    return NULL;
}

static bool stands_for(const cJSON *mutant, const char *statement)
{
    const cJSON *c;

    cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(mutant, "clause"))
    {
        if (strcmp(c->valuestring, statement) == 0)
            return true;
    }
    return false;
}

bool matrix_shows(const cJSON *matrix, const struct ibc_suite *suite, const char *statement, const char **mutant,
                  const char **scenario)
{
    const cJSON *m;

    cJSON_ArrayForEach(m, cJSON_GetObjectItemCaseSensitive(matrix, "mutants"))
    {
        if (!stands_for(m, statement) || !(*scenario = killer(m, suite, statement)))
            continue;
        *mutant = cJSON_GetObjectItemCaseSensitive(m, "spec")->valuestring;
        return true;
    }
    return false;
}
