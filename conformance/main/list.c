/* SPDX-License-Identifier: BSD-2-Clause */
/* list, show: the scenarios and their contents. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "fault.h"
#include "json.h"
#include "run/run.h"
#include "select.h"
#include "targets/target.h"

void command_print_capability(const char *indent, unsigned capability)
{
    size_t longest = 0;

    for (unsigned i = 0; i < IBC_CAP_COUNT; i++)
        longest = strlen(ibc_capability_names[i]) > longest ? strlen(ibc_capability_names[i]) : longest;
    printf("%s%-*s  %s\n", indent, (int)longest, ibc_capability_names[capability], ibc_capability_words[capability]);
}

static int list_capabilities(const struct options *o)
{
    cJSON *list = o->json ? cJSON_CreateArray() : NULL;

    for (unsigned i = 0; i < IBC_CAP_COUNT; i++) {
        if (!list) {
            command_print_capability("", i);
            continue;
        }
        cJSON *one = json_add_object(list, NULL);
        cJSON_AddStringToObject(one, "capability", ibc_capability_names[i]);
        cJSON_AddStringToObject(one, "words", ibc_capability_words[i]);
    }
    return list ? json_print(list) : EXIT_OK;
}

static void add_bits(cJSON *to, const char *key, uint64_t bits, const char *const *names, unsigned n)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);

    for (unsigned i = 0; i < n; i++)
        if (bits >> i & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(names[i]));
}

static void add_texts(cJSON *to, const char *key, const char *const *text, unsigned n)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);

    for (unsigned i = 0; i < n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(text[i]));
}

static void add_scenario(cJSON *list, const struct ibc_scenario *s)
{
    cJSON *one = json_add_object(list, NULL);

    cJSON_AddStringToObject(one, "id", s->id);
    add_texts(one, "clause", s->spec, s->n_spec);
    cJSON_AddStringToObject(one, "class", ibc_class_names[scenario_class(s)]);
    cJSON_AddStringToObject(one, "sentence", s->title);
    cJSON_AddStringToObject(one, "role", ibc_role_names[s->role]);
    add_bits(one, "links", s->links, ibc_link_names, IBC_LINK_COUNT);
    add_bits(one, "needs", s->needs, ibc_capability_names, IBC_CAP_COUNT);
    add_texts(one, "covers", s->covers, s->n_covers);
    cJSON_AddNumberToObject(one, "variations", s->n_variation * (double)__builtin_popcount(s->services));
    if (s->hazard)
        cJSON_AddStringToObject(one, "hazard", s->hazard);
    cJSON_AddStringToObject(one, "path", s->path);
    cJSON_AddItemToObject(one, "doubt",
                          ibc_uncertainty(s) ? cJSON_CreateString(ibc_uncertainty(s)) : cJSON_CreateNull());
}

static void join_clauses(const struct ibc_scenario *s, char *out, size_t n)
{
    size_t used = 0;

    out[0] = '\0';
    for (unsigned i = 0; i < s->n_spec && used < n; i++)
        used += (size_t)snprintf(out + used, n - used, "%s%s", i ? "," : "", s->spec[i]);
}

static void print_list(const struct selection *sel)
{
    size_t id = 0, clause = 0;
    char clauses[256];

    for (size_t i = 0; i < sel->n; i++) {
        join_clauses(sel->s[i], clauses, sizeof clauses);
        id = strlen(sel->s[i]->id) > id ? strlen(sel->s[i]->id) : id;
        clause = strlen(clauses) > clause ? strlen(clauses) : clause;
    }
    for (size_t i = 0; i < sel->n; i++) {
        join_clauses(sel->s[i], clauses, sizeof clauses);
        printf("%-*s  %-*s  %-13s  %s\n", (int)id, sel->s[i]->id, (int)clause, clauses,
               ibc_class_names[scenario_class(sel->s[i])], sel->s[i]->title);
    }
}

int command_list(const struct options *o)
{
    struct selection sel;
    int rc;

    if (o->capabilities)
        return o->pattern.n ? wrong(EXIT_USAGE, "list --capabilities takes no pattern") : list_capabilities(o);
    rc = select_scenarios(&sel, o, &o->pattern, &o->exclude);
    if (rc == EXIT_OK && o->json) {
        cJSON *list = cJSON_CreateArray();
        for (size_t i = 0; i < sel.n; i++)
            add_scenario(list, sel.s[i]);
        rc = json_print(list);
    } else if (rc == EXIT_OK)
        print_list(&sel);
    select_free(&sel);
    return rc;
}
