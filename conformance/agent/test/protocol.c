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

/* ---- sentences and values ---- */

/* The sentence about a fault names the verb, and each object that contains the argument. */
Test(protocol, sentences_name_the_place)
{
    static const struct {
        const char *request, *says;
    } rows[] = {
        {"\"create_ah\",\"pd\":0,\"to\":{\"mac\":5}", "create_ah: to: mac: want an address as \"02:00:00:00:00:01\""},
        {"\"create_ah\",\"pd\":0,\"to\":{\"ipv4\":\"10.0.0.256\"}",
         "create_ah: to: ipv4: want an address as \"10.0.0.1\""},
        {"\"create_ah\",\"pd\":0,\"to\":{\"gid\":\"x\"}", "create_ah: to: gid: want an address as \"fe80::1\""},
        {"\"create_ah\",\"pd\":0,\"to\":{\"lid\":65536}", "create_ah: to: lid: want a number of 16 bits"},
        {"\"create_ah\",\"pd\":0,\"to\":7", "create_ah: to: want an object with mac"},
        {"\"post_recv\",\"wr\":{\"sge\":[{\"at\":1,\"len\":2}]}", "post_recv: wr: sge: lkey: missing"},
        {"\"post_recv\",\"wr\":{\"sge\":7}", "post_recv: wr: sge: want a list"},
        {"\"create_cq\"", "create_cq: depth: missing"},
        {"\"create_cq\",\"depht\":1", "create_cq: no argument \"depht\"; did you mean \"depth\"?"},
        {"\"create_cq\",\"quantity\":1", "create_cq: no argument \"quantity\""},
        {"\"create_cq\",\"depth\":1.5", "create_cq: depth: want a whole number, up to 2^53, else \"0x...\""},
        {"\"create_cq\",\"depth\":4294967296", "create_cq: depth: want a number of 32 bits"},
        {"\"create_cq\",\"depth\":1,\"depth\":1", "create_cq: depth: given twice"},
        {"\"write_memory\",\"at\":1,\"hex\":\"000\"",
         "write_memory: hex: want hex digits, two a byte, of 24576 bytes at most"},
        {"\"write_memory\",\"at\":1,\"hex\":\"000g\"", "write_memory: hex: want hex digits, two a byte"},
        {"\"hello\",\"version\":1,\"token\":7", "hello: token: want a text of less than 128 bytes"},
        {"\"reg_mr\",\"pd\":0,\"length\":1,\"access\":[],\"fill\":\"ab\"", "reg_mr: fill: want one letter"},
        {"\"reg_mr\",\"pd\":0,\"length\":1,\"access\":[],\"fill\":\" \"", "reg_mr: fill: want one letter"},
        {"\"reg_mr\",\"pd\":0,\"length\":1,\"access\":7,\"fill\":\"a\"", "reg_mr: access: want a list of words"},
        {"\"reg_mr\",\"pd\":0,\"length\":1,\"access\":[7],\"fill\":\"a\"", "reg_mr: access: want an access right"},
        {"\"reg_mr\",\"pd\":0,\"length\":1,\"access\":[\"mw_bnd\"],\"fill\":\"a\"",
         "reg_mr: access: no access right \"mw_bnd\"; did you mean \"mw_bind\"?"},
        {"\"modify_qp\",\"qpn\":1,\"state\":7", "modify_qp: state: want a state"},
        {"\"modify_qp\",\"qpn\":1,\"state\":\"RTS\"", "modify_qp: state: no state \"RTS\""},
        {"\"modify_qp\",\"qpn\":1,\"state\":\"rts\",\"pmtu\":\"x\"", "modify_qp: pmtu: want a number of bytes"},
        {"\"modify_qp\",\"qpn\":1,\"state\":\"rts\",\"mig\":\"armd\"",
         "modify_qp: mig: no migration state \"armd\"; did you mean \"armed\"?"},
        {"\"arm_cq\",\"cq\":1,\"solicited\":1", "arm_cq: solicited: want true or false"},
        {"\"create_pd\",\"device\":2", "device: want 0 or 1"},
        {"\"create_pd\",\"device\":0,\"device\":0", "device: given twice"},
        {"\"create_pd\",\"id\":1", "id: given twice"},
        {"7", "do: want a verb"},
    };
    char text[300];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "{\"id\":1,\"do\":%s}", rows[i].request);
        cr_expect(asks(text, AG_E_bad_request), "%s", text);
        cr_expect(strncmp(got.text, rows[i].says, strlen(rows[i].says)) == 0, "%s: %s", rows[i].request, got.text);
        if (!strstr(rows[i].says, "no state"))
            cr_expect_str_eq(got.text, rows[i].says);
        cr_expect_str_eq(got.word, "bad_request");
    }
}

/* A line may nest eight deep; brackets in texts do not count. */
Test(protocol, depths)
{
    cr_expect(asks("{\"id\":1,\"do\":\"counters\",\"x\":[[[[[[[1]]]]]]]}", AG_E_bad_request));
    cr_expect(asks("{\"id\":1,\"do\":\"counters\",\"x\":[[[[[[[[1]]]]]]]]}", AG_E_bad_json));
    cr_expect(asks("{\"id\":1,\"do\":\"counters\",\"x\":\"]]}}\",\"y\":[[[[[[[[1]]]]]]]]}", AG_E_bad_json));
    cr_expect(asks("{\"id\":1,\"do\":\"counters\",\"x\":\"\\\"]]}}\",\"y\":[[[[[[[[1]]]]]]]]}", AG_E_bad_json));
    cr_expect(
        asks("{\"id\":1,\"do\":\"counters\",\"x\":[[1]],\"y\":[[1]],\"z\":[[[{}]]],\"a\":[[[[]]]]}", AG_E_bad_request));
    cr_expect(asks("}{\"id\":1,\"do\":\"counters\"}", AG_E_bad_json));
}

/* Numbers of each size at their ends, and as hex digits. */
Test(protocol, numbers)
{
    static const struct {
        const char *value;
        uint64_t is; /* of "until" */
        bool good;
    } rows[] = {{"0", 0, true},
                {"\"0xAbCdEf\"", 0xabcdef, true},
                {"\"0x0123456789\"", 0x0123456789, true},
                {"\"0xfedcba9876543210\"", UINT64_C(0xfedcba9876543210), true},
                {"\"0x0fedcba9876543210\"", 0, false},
                {"\"0x\"", 0, false},
                {"\"1x10\"", 0, false},
                {"\"0X10\"", 0, false},
                {"\"0x1g\"", 0, false},
                {"\"0010\"", 0, false},
                {"-1", 0, false},
                {"0.5", 0, false},
                {"9007199254740991", UINT64_C(9007199254740991), true}};
    char text[200];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "{\"id\":1,\"do\":\"advance\",\"until\":%s}", rows[i].value);
        cr_expect(asks(text, rows[i].good ? AG_FINE : AG_E_bad_request), "%s", text);
        if (rows[i].good)
            cr_expect_eq(read.u.advance.until, rows[i].is, "%s", text);
    }
    cr_expect(asks("{\"id\":1,\"do\":\"alloc_mw\",\"type\":255,\"pd\":0}", AG_FINE) && read.u.alloc_mw.type == 255);
    cr_expect(asks("{\"id\":1,\"do\":\"alloc_mw\",\"type\":256,\"pd\":0}", AG_E_bad_request));
    cr_expect(asks("{\"id\":1,\"do\":\"create_ah\",\"pd\":0,\"to\":{\"lid\":65535}}", AG_FINE));
    cr_expect_eq(read.u.create_ah.to.lid, 65535);
    cr_expect(asks("{\"id\":\"0x10\",\"do\":\"create_pd\",\"device\":1}", AG_FINE));
    cr_expect(read.id == 16 && read.device == 1);
}

Test(protocol, addresses_and_sizes)
{
    static const struct {
        const char *mac;
        uint64_t is; /* 0: refused */
    } rows[] = {{"02:0A:00:00:00:fF", UINT64_C(0x020a000000ff)},
                {"99:9a:Af:00:00:01", UINT64_C(0x999aaf000001)},
                {"02:00:00:00:00:0", 0},
                {"02:00:00:00:00:001", 0},
                {"02-00:00:00:00:01", 0},
                {"02:00:00:00:00-01", 0},
                {"02:00:00:00:00:0g", 0},
                {"g2:00:00:00:00:01", 0},
                {"02:00:00:00:00:01:", 0}};
    static const struct {
        unsigned bytes;
        enum iba_mtu is;
    } mtus[] = {{256, IBA_MTU_256}, {1024, IBA_MTU_1024}, {4096, IBA_MTU_4096}, {1000, 0}, {128, 0}};
    char text[200];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "{\"id\":1,\"do\":\"create_ah\",\"pd\":0,\"to\":{\"mac\":\"%s\"}}", rows[i].mac);
        cr_expect(asks(text, rows[i].is ? AG_FINE : AG_E_bad_request), "%s", text);
        if (rows[i].is)
            cr_expect_eq(read.u.create_ah.to.mac, rows[i].is, "%s", text);
    }
    for (size_t i = 0; i < sizeof mtus / sizeof *mtus; i++) {
        snprintf(text, sizeof text, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":1,\"state\":\"rtr\",\"pmtu\":%u}",
                 mtus[i].bytes);
        cr_expect(asks(text, AG_FINE));
        cr_expect_eq(read.u.modify_qp.pmtu, mtus[i].is, "%u", mtus[i].bytes);
    }
    cr_expect(asks("{\"id\":1,\"do\":\"write_memory\",\"at\":1,\"hex\":\"09aFfa\"}", AG_FINE));
    cr_expect(read.u.write_memory.hex.n == 3 && memcmp(read.u.write_memory.hex.b, "\x09\xaf\xfa", 3) == 0);
}

/* More counters than the tester has room for, and longer names, are left out. */
Test(protocol, counters_beyond_the_limits)
{
    char text[64 * IBC_MAX_COUNTERS + 300], why[AG_SENTENCE];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"id\":1,\"ok\":{\"counters\":{\"%048d\":1,\"%047d\":2", 0, 0);

    for (unsigned i = 0; i < IBC_MAX_COUNTERS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ",\"c%u\":%u", i, i + 3);
    n += (size_t)snprintf(text + n, sizeof text - n, "}}}");
    cr_assert(ag_read_reply(text, n, AG_V_counters, &got, why, sizeof why), "%s", why);
    const struct ag_counters *c = &got.u.counters.counters;
    cr_expect_eq(c->n, IBC_MAX_COUNTERS);
    cr_expect(strlen(c->c[0].name) == 47 && c->c[0].value == 2);
    cr_expect(strcmp(c->c[1].name, "c0") == 0 && c->c[1].value == 3);
    cr_expect_eq(c->c[IBC_MAX_COUNTERS - 1].value, IBC_MAX_COUNTERS + 1);
    static const char odd[] = "{\"id\":1,\"ok\":{\"counters\":{\"x\":-1}}}";
    cr_expect_not(ag_read_reply(odd, strlen(odd), AG_V_counters, &got, why, sizeof why));
    cr_expect_str_eq(why, "counters: counters: want whole numbers");
}

Test(protocol, answers_that_are_none)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"[]", "create_pd: the answer is no JSON object"},
        {"{\"id\":1,\"ok\":{\"pd\":1},\"ok\":{\"pd\":1}}", "create_pd: ok: given twice"},
        {"{\"id\":1,\"error\":\"x\",\"text\":\"\",\"text\":\"\"}", "create_pd: text: given twice"},
        {"{\"id\":1,\"error\":\"x\",\"error\":\"x\"}", "create_pd: error: given twice"},
        {"{\"id\":1}", "create_pd: the answer has neither ok nor error, or both"},
        {"{\"id\":1,\"error\":7}", "create_pd: the answer has neither ok nor error, or both"},
        {"{\"id\":1,\"ok\":{\"pd\":1},\"error\":\"x\"}", "create_pd: the answer has neither ok nor error, or both"},
        {"{\"id\":1,\"ok\":7}", "create_pd: want an object with pd"}};
    char why[AG_SENTENCE];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_not(ag_read_reply(rows[i].line, strlen(rows[i].line), AG_V_create_pd, &got, why, sizeof why));
        cr_expect_str_eq(why, rows[i].says, "%s", why);
    }
    static const char refusal[] = "{\"id\":7,\"error\":\"mem_full\",\"text\":7}";
    cr_expect(ag_read_reply(refusal, strlen(refusal), AG_V_create_pd, &got, why, sizeof why));
    cr_expect(got.error == AG_E_COUNT && strcmp(got.word, "mem_full") == 0 && got.text[0] == '\0');
    cr_expect(got.has_id && got.id == 7 && got.verb == AG_V_create_pd);
}
