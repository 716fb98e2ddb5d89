/* SPDX-License-Identifier: BSD-2-Clause */
/* Both sides of the protocol agree, verb by verb, and refuse lines that are no request. */
#include <criterion/criterion.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "random.h"

enum { ROUNDS = 200 };

static struct ag_request asked, read;
static struct ag_reply said, got;
static char line[AG_LINE];

static bool asks(const char *text, enum ag_error want)
{
    return ag_read_request(text, strlen(text), &read, &got) == want;
}

Test(protocol, every_request_is_read_as_it_was_written)
{
    struct iba_random r;

    iba_random_seed(&r, 1);
    for (unsigned i = 0; i < ROUNDS * AG_V_COUNT; i++) {
        memset(&asked, 0, sizeof asked);
        asked.verb = (enum ag_verb)(i % AG_V_COUNT);
        asked.id = iba_random_next(&r) >> iba_random_below(&r, 64);
        asked.device = (uint32_t)iba_random_below(&r, IBC_DEVICES);
        random_members(&r, ag_args_shape(asked.verb), &asked.u);
        const size_t n = ag_write_request(&asked, line, sizeof line);
        cr_assert(n > 0 && n < AG_LINE, "%s", ag_verb_name(asked.verb));
        cr_assert_eq(strlen(line), n);
        cr_assert_eq(ag_read_request(line, n, &read, &got), AG_FINE, "%.300s: %s", line, got.text);
        cr_assert_eq(memcmp(&read, &asked, sizeof asked), 0, "%.2000s", line);
    }
}

Test(protocol, every_answer_is_read_as_it_was_written)
{
    struct iba_random r;
    char why[AG_SENTENCE];

    iba_random_seed(&r, 2);
    for (unsigned i = 0; i < ROUNDS * AG_V_COUNT; i++) {
        memset(&said, 0, sizeof said);
        said.verb = (enum ag_verb)(i % AG_V_COUNT);
        said.id = iba_random_next(&r) >> iba_random_below(&r, 64);
        said.has_id = true;
        random_members(&r, ag_ok_shape(said.verb), &said.u);
        const size_t n = ag_write_reply(&said, line, sizeof line);
        cr_assert(n > 0 && n < AG_LINE, "%s", ag_verb_name(said.verb));
        cr_assert(ag_read_reply(line, n, said.verb, &got, why, sizeof why), "%.300s: %s", line, why);
        cr_assert_eq(memcmp(&got, &said, sizeof said), 0, "%.2000s", line);
    }
}

Test(protocol, errors_come_as_they_were_said)
{
    char why[AG_SENTENCE];

    for (int e = AG_FINE + 1; e <= AG_E_COUNT; e++) {
        memset(&said, 0, sizeof said);
        said.has_id = e % 2;
        said.id = said.has_id ? 7 : 0;
        ag_refuse(&said, (enum ag_error)e, e == AG_E_COUNT ? "attr_missing" : NULL, "because \"%d\"\t%c", e, 0xe9);
        const size_t n = ag_write_reply(&said, line, sizeof line);
        cr_assert(ag_read_reply(line, n, AG_V_modify_qp, &got, why, sizeof why), "%s", why);
        cr_assert_eq(got.error, (enum ag_error)e);
        cr_assert_str_eq(got.word, e == AG_E_COUNT ? "attr_missing" : ag_error_word((enum ag_error)e));
        cr_assert_eq(got.has_id, said.has_id);
        cr_assert(strstr(got.text, "because \"") && strstr(got.text, "\t?"));
    }
}

/* ---- arguments left out, and of the wrong type ---- */

static cJSON *some_request(struct iba_random *r, enum ag_verb verb)
{
    memset(&asked, 0, sizeof asked);
    asked.verb = verb;
    asked.id = 5;
    random_members(r, ag_args_shape(verb), &asked.u);
    cr_assert_neq(ag_write_request(&asked, line, sizeof line), 0);
    return cJSON_Parse(line);
}

/* Parses the object into `read` and `got`, then frees the object. */
static enum ag_error judged(cJSON *j)
{
    char *text = cJSON_PrintUnformatted(j);
    const enum ag_error e = ag_read_request(text, strlen(text), &read, &got);

    cJSON_Delete(j);
    free(text);
    return e;
}

static void refused(cJSON *j, enum ag_verb verb, const char *name, const char *how)
{
    cr_assert_eq(judged(j), AG_E_bad_request, "%s without a good %s: %s", ag_verb_name(verb), name, how);
    cr_assert(strstr(got.text, name), "%s: %s", name, got.text);
    cr_assert_str_eq(got.word, "bad_request");
    cr_assert(got.has_id && got.id == 5);
}

Test(protocol, what_must_be_there_is_missed)
{
    struct iba_random r;
    unsigned n = 0;

    iba_random_seed(&r, 3);
    for (unsigned v = 0; v < AG_V_COUNT; v++) {
        const struct ag_shape *s = ag_args_shape((enum ag_verb)v);
        for (unsigned i = 0; i < s->n; i++) {
            cJSON *j = some_request(&r, (enum ag_verb)v);
            cJSON_DeleteItemFromObjectCaseSensitive(j, s->field[i].name);
            if (s->field[i].need == AG_MUST)
                refused(j, (enum ag_verb)v, s->field[i].name, "left out");
            else
                cr_assert_eq(judged(j), AG_FINE, "%s", got.text);
            n += s->field[i].need == AG_MUST;
        }
    }
    cr_assert_geq(n, 40);
}

static bool has_members_it_must(const struct ag_shape *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->field[i].need == AG_MUST)
            return true;
    return false;
}

static bool takes(const struct ag_field *f, const char *json)
{
    const enum ag_form how = (enum ag_form)ag_form[f->kind];

    if (strcmp(json, "null") == 0)
        return f->need != AG_MUST;
    if (strcmp(json, "true") == 0)
        return how == AG_H_FLAG;
    if (strcmp(json, "[]") == 0)
        return how == AG_H_WORDS || how == AG_H_LIST;
    if (strcmp(json, "\"?\"") == 0)
        return how == AG_H_TEXT || how == AG_H_LETTER;
    return strcmp(json, "{}") == 0 && how == AG_H_MEMBERS && !has_members_it_must(&ag_shapes[ag_of[f->kind]]);
}

Test(protocol, wrong_types_are_refused_with_the_argument_s_name)
{
    static const char *const values[] = {"null",  "true", "[]",     "{}",     "\"?\"",   "-1",     "1.5",
                                         "1e300", "[[]]", "[1,{}]", "\"0x\"", "\"0xg\"", "[null]", "\"-0x1\""};
    struct iba_random r;

    iba_random_seed(&r, 4);
    for (unsigned v = 0; v < AG_V_COUNT; v++) {
        const struct ag_shape *s = ag_args_shape((enum ag_verb)v);
        for (unsigned i = 0; i < s->n; i++)
            for (unsigned k = 0; k < sizeof values / sizeof *values; k++) {
                const struct ag_field *f = &s->field[i];
                cJSON *j = some_request(&r, (enum ag_verb)v);
                if (ag_form[f->kind] == AG_H_TEXT && values[k][0] == '"') {
                    cJSON_Delete(j);
                    continue;
                }
                cJSON_DeleteItemFromObjectCaseSensitive(j, f->name);
                cJSON_AddItemToObject(j, f->name, cJSON_Parse(values[k]));
                if (takes(f, values[k]))
                    cr_assert_eq(judged(j), AG_FINE, "%s=%s: %s", f->name, values[k], got.text);
                else
                    refused(j, (enum ag_verb)v, f->name, values[k]);
            }
    }
}

Test(protocol, numbers_that_do_not_fit_are_refused)
{
    cr_assert(asks("{\"id\":1,\"do\":\"create_cq\",\"depth\":4294967295}", AG_FINE));
    cr_assert(asks("{\"id\":1,\"do\":\"create_cq\",\"depth\":\"0xffffffff\"}", AG_FINE));
    cr_assert(asks("{\"id\":1,\"do\":\"create_cq\",\"depth\":4294967296}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"create_cq\",\"depth\":\"0x100000000\"}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"advance\",\"until\":9007199254740992}", AG_FINE));
    cr_assert(asks("{\"id\":1,\"do\":\"advance\",\"until\":9007199254740994}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"advance\",\"until\":\"0xffffffffffffffff\"}", AG_FINE));
    cr_assert_eq(read.u.advance.until, UINT64_MAX);
    cr_assert(asks("{\"id\":1,\"do\":\"advance\",\"until\":\"0x10000000000000000\"}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"alloc_mw\",\"type\":257,\"pd\":0}", AG_E_bad_request));
}

Test(protocol, what_is_no_request_is_refused)
{
    cr_assert(asks("", AG_E_bad_json));
    cr_assert(asks("{", AG_E_bad_json));
    cr_assert(asks("[]", AG_E_bad_json));
    cr_assert(asks("7", AG_E_bad_json));
    cr_assert(asks("{} {}", AG_E_bad_json));
    cr_assert(asks("{\"id\":1,\"do\":\"counters\"}x", AG_E_bad_json));
    cr_assert(asks("{\"id\":1,\"do\":\"counters\"} \r", AG_FINE));
    cr_assert(asks("{\"a\":[[[[[[[[[[[1]]]]]]]]]]]}", AG_E_bad_json));
    cr_assert(asks("{\"id\":1,\"do\":\"counters\",\"x\":\"[[[[[[[[[[[[\"}", AG_E_bad_request), "a text does not nest");
    cr_assert(asks("{}", AG_E_bad_request));
    cr_assert_not(got.has_id);
    cr_assert(asks("{\"id\":-1,\"do\":\"counters\"}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":7}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"counters\",\"device\":2}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"counters\",\"device\":\"0\"}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"notified\",\"cq\":1,\"cq\":2}", AG_E_bad_request));
    cr_assert(asks("{\"id\":1,\"do\":\"no_such_verb\"}", AG_E_unsupported));
    cr_assert(asks("{\"id\":1,\"do\":\"create_pq\"}", AG_E_unsupported));
    cr_assert(strstr(got.text, "create_pd"), "%s", got.text);
    cr_assert(asks("{\"id\":1,\"do\":\"modify_qp\",\"qpn\":1,\"state\":\"rst\"}", AG_E_bad_request));
    cr_assert(strstr(got.text, "did you mean \"rts\"") || strstr(got.text, "no state"), "%s", got.text);
    cr_assert(asks("{\"id\":1,\"do\":\"modify_qp\",\"qpn\":1,\"state\":\"RTS\"}", AG_E_bad_request), "small letters");
}

Test(protocol, a_verb_that_cannot_be_is_asked_for)
{
    memset(&asked, 0, sizeof asked);
    asked.id = 3;
    asked.verb = AG_V_no_such_verb;
    cr_assert_gt(ag_write_request(&asked, line, sizeof line), 0);
    cr_assert_str_eq(line, "{\"id\":3,\"do\":\"no_such_verb\"}");
}

Test(protocol, a_newer_agent_may_say_more)
{
    const char *text =
        "{\"id\":1,\"extra\":7,\"ok\":{\"version\":1,\"name\":\"x\",\"devices\":1,\"links\":[\"roce9\",\"roce1\"],"
        "\"capabilities\":[\"rc\",\"telepathy\"],\"time\":\"real\",\"limits\":{\"line\":1,\"bytes\":2,"
        "\"objects\":3},\"mood\":\"fair\"}}";
    char why[AG_SENTENCE];

    cr_assert(ag_read_reply(text, strlen(text), AG_V_hello, &got, why, sizeof why), "%s", why);
    cr_assert_eq(got.u.hello.links, 1u << IBC_LINK_roce1);
    cr_assert_eq(got.u.hello.capabilities, UINT64_C(1) << IBC_CAP_rc);
    text = "{\"id\":1,\"ok\":{}}";
    cr_assert_not(ag_read_reply(text, strlen(text), AG_V_hello, &got, why, sizeof why));
    cr_assert(strstr(why, "version: missing"), "%s", why);
    text = "{\"id\":1}";
    cr_assert_not(ag_read_reply(text, strlen(text), AG_V_hello, &got, why, sizeof why));
    text = "{\"id\":1,\"ok\":{},\"error\":\"fault\"}";
    cr_assert_not(ag_read_reply(text, strlen(text), AG_V_create_pd, &got, why, sizeof why));
}

Test(protocol, what_does_not_fit_is_not_cut)
{
    memset(&asked, 0, sizeof asked);
    asked.verb = AG_V_write_memory;
    asked.u.write_memory.hex.n = 100;
    cr_assert_eq(ag_write_request(&asked, line, 100), 0);
    cr_assert_gt(ag_write_request(&asked, line, 400), 0);
}
