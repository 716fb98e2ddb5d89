/* SPDX-License-Identifier: BSD-2-Clause */
#include "summary/json_in.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct json_in *begin(const char *text)
{
    static struct json_in j;

    json_in_begin(&j, text, strlen(text));
    return &j;
}

static void is_text(const char *json, const char *wanted)
{
    struct json_in *j = begin(json);

    cr_assert(json_in_text(j), "%s: %s", json, j->fault);
    cr_assert_str_eq(j->text, wanted);
    cr_assert(json_in_end(j));
}

static void is_number(const char *json, uint64_t wanted)
{
    struct json_in *j = begin(json);
    uint64_t v;

    cr_assert(json_in_u64(j, &v), "%s: %s", json, j->fault);
    cr_assert_eq(v, wanted);
    cr_assert(json_in_end(j));
}

static void refused(const char *json, bool (*read)(struct json_in *), const char *fault)
{
    struct json_in *j = begin(json);

    cr_assert(!read(j) || !json_in_end(j), "%s", json);
    cr_assert_str_eq(j->fault, fault, "%s: %s", json, j->fault);
    cr_assert(!json_in_text(j) && !json_in_object(j) && !json_in_key(j) && !json_in_null(j),
              "the first fault is final");
    cr_assert_str_eq(j->fault, fault);
}

static bool u64(struct json_in *j)
{
    uint64_t v;
    return json_in_u64(j, &v);
}

static bool truth(struct json_in *j)
{
    bool v;
    return json_in_bool(j, &v);
}

Test(json_in, texts)
{
    is_text("\"\"", "");
    is_text(" \t\r\n\"a b\" ", "a b");
    is_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    is_text("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    is_text(
        "\"\\ud7ff\\ue000\\ud800\\udc00\\udbff\\udfff\"",
        "\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"); /* around the surrogates, and the ends of pairs */
    is_text("\"\\u0001\\u007f\\u0080\\u07ff\\u0800\"", "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80");
}

Test(json_in, texts_that_are_none)
{
    static const char bad[] = "a text has a character that JSON or this form does not allow";
    static const char *const json[] = {"\"\\u0000\"",
                                       "\"\\ud83d\"",
                                       "\"\\ude00\"",
                                       "\"\\ud83dx\"",
                                       "\"\\ud83d\\u0041\"",
                                       "\"\\ud83d\\ude0\"",
                                       "\"\\ud800\\udbff\"",
                                       "\"\\udbff\\ue000\"",
                                       "\"\\udc00\\udc00\"",
                                       "\"\\ud83dxude00\"",
                                       "\"\\ud83d\\xde00\"",
                                       "\"\\u12g4\"",
                                       "\"\\u12",
                                       "\"\\x\"",
                                       "\"a\nb\"",
                                       "\"\x1f\"",
                                       "\"\\"};

    for (size_t i = 0; i < sizeof json / sizeof *json; i++)
        refused(json[i], json_in_text, bad);
    refused("a", json_in_text, "a text is missing");
    refused("", json_in_text, "a text is missing");
    refused("\"a", json_in_text, "a text does not end");
    refused("\"a\" b", json_in_text, "something follows the end");
}

Test(json_in, a_text_has_a_longest_length)
{
    static char most[JSON_TEXT + 2];

    memset(most, 'a', sizeof most);
    most[0] = '"';
    most[JSON_TEXT] = '"';
    most[JSON_TEXT + 1] = '\0';
    struct json_in *j = begin(most);
    cr_assert(json_in_text(j));
    cr_assert_eq(strlen(j->text), JSON_TEXT - 1);
    most[JSON_TEXT] = 'a';
    refused(most, json_in_text, "a text is too long");
}

Test(json_in, numbers)
{
    is_number("0", 0);
    is_number("18446744073709551615", UINT64_MAX);
    refused("18446744073709551616", u64, "a number is above 2^64 - 1");
    refused("99999999999999999999999", u64, "a number is above 2^64 - 1");
    refused("-1", u64, "a whole number is missing");
    refused("", u64, "a whole number is missing");
    refused("1.5", u64, "a number is not whole");
    refused("1e3", u64, "a number is not whole");
    refused("1E3", u64, "a number is not whole");
    refused("1x", u64, "something follows the end");
}

Test(json_in, words)
{
    struct json_in *j = begin("true false null");
    bool v = false;

    cr_assert(json_in_bool(j, &v) && v);
    cr_assert(json_in_bool(j, &v) && !v);
    cr_assert(json_in_null(j) && json_in_end(j));
    cr_assert(!json_in_null(begin("1")));
    cr_assert(!json_in_null(begin("nul")));
    refused("tru", truth, "true or false is missing");
    refused("null", truth, "true or false is missing");
}

Test(json_in, objects_and_lists)
{
    struct json_in *j = begin("{\"a\":[1,[],{}],\n\"b\":[]}");
    uint64_t v;

    cr_assert(json_in_object(j));
    cr_assert(json_in_key(j) && strcmp(j->text, "a") == 0 && json_in_list(j));
    cr_assert(json_in_item(j) && json_in_u64(j, &v) && v == 1);
    cr_assert(json_in_item(j) && json_in_list(j) && !json_in_item(j));
    cr_assert(json_in_item(j) && json_in_object(j) && !json_in_key(j));
    cr_assert(!json_in_item(j));
    cr_assert(json_in_key(j) && strcmp(j->text, "b") == 0 && json_in_list(j) && !json_in_item(j));
    cr_assert(!json_in_key(j) && json_in_end(j));
    cr_assert_eq(j->line, 2);
}

Test(json_in, commas_and_colons)
{
    struct json_in *j = begin("[,1]");
    uint64_t v;

    cr_assert(json_in_list(j) && json_in_item(j) && !json_in_u64(j, &v));
    cr_assert_str_eq(j->fault, "a whole number is missing");
    j = begin("[1 2]");
    cr_assert(json_in_list(j) && json_in_item(j) && json_in_u64(j, &v) && !json_in_item(j));
    cr_assert_str_eq(j->fault, "a comma or the end of a list or object is missing");
    j = begin("[1,]");
    cr_assert(json_in_list(j) && json_in_item(j) && json_in_u64(j, &v) && json_in_item(j) && !json_in_u64(j, &v));
    j = begin("{\"a\" 1}");
    cr_assert(json_in_object(j) && !json_in_key(j));
    cr_assert_str_eq(j->fault, "a colon is missing");
    j = begin("[1}");
    cr_assert(json_in_list(j) && json_in_item(j) && json_in_u64(j, &v) && !json_in_item(j) && j->fault);
    j = begin("[");
    cr_assert(!json_in_object(j) && j->fault);
    j = begin("{");
    cr_assert(!json_in_list(j) && j->fault);
}
