/* SPDX-License-Identifier: BSD-2-Clause */
/* For ibagent-static only: the functions that the agent needs of two libraries without a static version, implemented
 * with two that have one, and a refusal in place of libpcap, whose static version needs shared libraries. If a member
 * is given twice the last one counts here; cJSON keeps both, and the agent refuses them. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <json-c/json.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16 }; /* a request has only four levels */

/* ---- libpcap: without a filter an interface is no wire; other wires need none ---- */

pcap_t *pcap_open_dead(int type, int most)
{
    (void)type, (void)most;
    errno = ENOTSUP;
    return NULL;
}

int pcap_compile(pcap_t *p, struct bpf_program *program, const char *text, int optimized, bpf_u_int32 mask)
{
    (void)p, (void)program, (void)text, (void)optimized, (void)mask;
    return PCAP_ERROR;
}

void pcap_freecode(struct bpf_program *program)
{
    (void)program;
}

void pcap_close(pcap_t *p)
{
    (void)p;
}

/* ---- the part of cJSON that the agent uses to read requests ---- */

void cJSON_Delete(cJSON *item)
{
    while (item) { /* depth: MOST_DEPTH */
        cJSON *next = item->next;
        cJSON_Delete(item->child);
        free(item->valuestring);
        free(item->string);
        free(item);
        item = next;
    }
}

static cJSON *from(json_object *j, const char *name);

/* Appends after `last`, or as the first child of `parent`. False: no memory. */
static bool add(cJSON *parent, cJSON **last, cJSON *item)
{
    if (!item)
        return false;
    if (*last)
        (*last)->next = item, item->prev = *last;
    else
        parent->child = item;
    *last = item;
    return true;
}

static bool add_members(cJSON *to, json_object *j)
{
    cJSON *last = NULL;
    bool good = true;

    if (json_object_is_type(j, json_type_object)) {
        json_object_object_foreach(j, name, member)
        {
            good = good && add(to, &last, from(member, name));
        }
    } else if (json_object_is_type(j, json_type_array)) {
        for (size_t i = 0; good && i < json_object_array_length(j); i++)
            good = add(to, &last, from(json_object_array_get_idx(j, i), NULL));
    }
    return good;
}

static int type_of(json_object *j)
{
    switch (json_object_get_type(j)) {
    case json_type_boolean: return json_object_get_boolean(j) ? cJSON_True : cJSON_False;
    case json_type_double:
    case json_type_int: return cJSON_Number;
    case json_type_string: return cJSON_String;
    case json_type_object: return cJSON_Object;
    case json_type_array: return cJSON_Array;
    default: return cJSON_NULL;
    }
}

static cJSON *from(json_object *j, const char *name)
{
    cJSON *item = calloc(1, sizeof *item);
    bool good = item != NULL;

    if (!good)
        return NULL;
    item->type = type_of(j);
    if (item->type == cJSON_Number)
        item->valuedouble = json_object_get_double(j);
    if (item->type == cJSON_String)
        good = (item->valuestring = strdup(json_object_get_string(j))) != NULL;
    if (name)
        good = (item->string = strdup(name)) != NULL && good;
    if (good && add_members(item, j))
        return item;
    cJSON_Delete(item);
    return NULL;
}

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t len, const char **end, cJSON_bool whole)
{
    struct json_tokener *tokener = json_tokener_new_ex(MOST_DEPTH);
    json_object *j = NULL;
    cJSON *item = NULL;

    if (!tokener)
        return NULL;
    json_tokener_set_flags(tokener,
                           JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS | JSON_TOKENER_VALIDATE_UTF8);
    j = json_tokener_parse_ex(tokener, text, (int)len);
    if (json_tokener_get_error(tokener) == json_tokener_success &&
        (!whole || json_tokener_get_parse_end(tokener) == len))
        item = from(j, NULL);
    if (end)
        *end = text + json_tokener_get_parse_end(tokener);
    json_object_put(j);
    json_tokener_free(tokener);
    return item;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name)
{
    for (cJSON *i = object ? object->child : NULL; i; i = i->next)
        if (i->string && strcmp(i->string, name) == 0)
            return i;
    return NULL;
}

static cJSON_bool is(const cJSON *item, int type)
{
    return item && (item->type & 0xff & type) != 0;
}

#define IS(name, type)                                                                                                 \
    cJSON_bool cJSON_Is##name(const cJSON *item)                                                                       \
    {                                                                                                                  \
        return is(item, type);                                                                                         \
    }
IS(Array, cJSON_Array)
IS(Null, cJSON_NULL)
IS(Bool, cJSON_True | cJSON_False)
IS(Number, cJSON_Number)
IS(Object, cJSON_Object)
IS(String, cJSON_String)
IS(True, cJSON_True)
