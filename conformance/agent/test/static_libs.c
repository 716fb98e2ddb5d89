/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that ibagent-static has in place of libcjson's: they read requests as libcjson reads them, which is
 * loaded for comparison. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pcap/pcap.h>
#include <string.h>

typedef cJSON *parse_fn(const char *text, size_t len, const char **end, cJSON_bool whole);
typedef void delete_fn(cJSON *item);
typedef cJSON *find_fn(const cJSON *object, const char *name);
typedef cJSON_bool is_fn(const cJSON *item);

static void *theirs(const char *name)
{
    static void *library;

    if (!library)
        library = dlopen("libcjson.so.1", RTLD_NOW | RTLD_LOCAL);
    cr_assert(library, "%s", dlerror());
    void *f = dlsym(library, name);
    cr_assert(f, "%s", name);
    return f;
}

/* A function of the library; a pointer to data becomes one to a function. */
#define THEIRS(type, name) (*(type **)(void *)&(void *){theirs(name)})

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether two items have the same type, value and name, and so have those in them and after them. */
static bool same(const cJSON *a, const cJSON *b)
{
    for (; a && b; a = a->next, b = b->next) {
        const double more = a->valuedouble - b->valuedouble;
        if ((a->type & 0xff) != (b->type & 0xff) || !same_text(a->string, b->string) ||
            !same_text(a->valuestring, b->valuestring) || more > 0 || more < 0 || !same(a->child, b->child))
            return false;
        cr_expect(!a->next || a->next->prev == a);
    }
    return !a && !b;
}

/* Only objects and arrays, since a number at the end of a text goes on for json-c, which has read no end yet. */
static const char *const texts[] = {
    "{}",
    "{\"verb\":\"hello\"}",
    "{\"verb\":\"post\",\"sge\":[{\"addr\":4096,\"length\":8},{\"addr\":0,\"length\":1}],\"fence\":true}",
    "[1,\"two\",[3],{\"four\":4},null,true,false]",
    "{\"a\":1,\"b\":{\"a\":2},\"c\":\"x\"} ",
    "{\"a\":1}  {\"b\":2}",
    "  {\"a\":\t[ ]}",
    "",
    "{",
    "[-7,18446744073709551615,1.5e3,0,-0.25,\"text\\n\\u0041\"]",
    "[nul]",
    "{\"a\"}",
    "{\"a\":}",
    "[1,2",
    "[1 2]",
};

Test(static_libs, reads_what_cjson_reads)
{
    parse_fn *parse = THEIRS(parse_fn, "cJSON_ParseWithLengthOpts");
    delete_fn *drop = THEIRS(delete_fn, "cJSON_Delete");

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *end = NULL, *its_end = NULL;
        const size_t len = strlen(texts[i]);
        cJSON *item = cJSON_ParseWithLengthOpts(texts[i], len, &end, false),
              *its = parse(texts[i], len, &its_end, false);
        cr_expect_eq(item != NULL, its != NULL, "%s", texts[i]);
        cr_expect(same(item, its), "%s", texts[i]);
        end += item ? strspn(end, " ") : 0; /* json-c has skipped them */
        its_end += its ? strspn(its_end, " ") : 0;
        cr_expect(!item || end == its_end, "%s: the end is at %td, not at %td", texts[i], end - texts[i],
                  its_end - texts[i]);
        cJSON_Delete(item);
        drop(its);
        item = cJSON_ParseWithLengthOpts(texts[i], len, NULL, false);
        cr_expect_eq(item != NULL, end && its != NULL, "%s", texts[i]);
        cJSON_Delete(item);
    }
}

/* Asked for one value alone, it refuses text after it. Texts deeper than a request can be are refused, too. */
Test(static_libs, whole_texts_and_deep_ones)
{
    static const struct {
        const char *text;
        bool part, whole;
    } rows[] = {{"{\"a\":1}", true, true},
                {"{\"a\":1}x", true, false},
                {"{} {}", true, false},
                {"[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", true, true},
                {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", false, false},
                {"\"\xc3\xa4\"", true, true},
                {"\"\xff\"", false, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int whole = 0; whole < 2; whole++) {
            cJSON *item = cJSON_ParseWithLengthOpts(rows[i].text, strlen(rows[i].text), NULL, whole);
            cr_expect_eq(item != NULL, whole ? rows[i].whole : rows[i].part, "%s, %d", rows[i].text, whole);
            cJSON_Delete(item);
        }
}

/* Each question about each kind of item, and about none, has libcjson's answer. */
Test(static_libs, kinds_of_items)
{
    static const struct {
        const char *name;
        is_fn *is;
    } rows[] = {{"cJSON_IsArray", cJSON_IsArray},   {"cJSON_IsNull", cJSON_IsNull},
                {"cJSON_IsBool", cJSON_IsBool},     {"cJSON_IsNumber", cJSON_IsNumber},
                {"cJSON_IsObject", cJSON_IsObject}, {"cJSON_IsString", cJSON_IsString},
                {"cJSON_IsTrue", cJSON_IsTrue}};
    static const char text[] = "[1,\"two\",[3],{\"four\":4},null,true,false]";
    cJSON *all = cJSON_ParseWithLengthOpts(text, strlen(text), NULL, true);

    cr_assert(all);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_fn *is = THEIRS(is_fn, rows[i].name);
        cr_expect_not(rows[i].is(NULL), "%s", rows[i].name);
        for (const cJSON *item = all->child; item; item = item->next)
            cr_expect_eq(!rows[i].is(item), !is(item), "%s of type %d", rows[i].name, item->type);
    }
    cJSON_Delete(all);
}

Test(static_libs, members)
{
    static const char text[] = "{\"a\":1,\"b\":{\"a\":2},\"A\":3,\"ab\":4}";
    find_fn *find = THEIRS(find_fn, "cJSON_GetObjectItemCaseSensitive");
    cJSON *all = cJSON_ParseWithLengthOpts(text, strlen(text), NULL, true);

    cr_assert(all);
    for (const char *const *name = (const char *const[]){"a", "b", "A", "B", "ab", "", NULL}; *name; name++)
        cr_expect_eq(cJSON_GetObjectItemCaseSensitive(all, *name), find(all, *name), "%s", *name);
    cr_expect_null(cJSON_GetObjectItemCaseSensitive(NULL, "a"));
    cr_expect_null(cJSON_GetObjectItemCaseSensitive(all->child, "a"));
    cJSON_Delete(all);
}

/* The allocator counts some pieces that were freed as used. */
Test(static_libs, all_memory_is_given_back)
{
    enum { TURNS = 1000 };
    size_t used = 0;

    for (unsigned turn = 0; turn < 2 * TURNS; turn++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            cJSON_Delete(cJSON_ParseWithLengthOpts(texts[i], strlen(texts[i]), NULL, turn % 2));
        used = turn + 1 == TURNS ? mallinfo2().uordblks : used;
    }
    const size_t left = mallinfo2().uordblks;

    cr_expect_lt(left, used + 16 * TURNS, "%zu bytes are used, after %zu", left, used);
}

/* Without libpcap no wire can be filtered, and the wire says why. */
Test(static_libs, no_filters)
{
    struct bpf_program none = {0, NULL};

    errno = 0;
    cr_expect_null(pcap_open_dead(1, 65535));
    cr_expect_eq(errno, ENOTSUP);
    cr_expect_eq(pcap_compile(NULL, &none, "udp", 1, 0), PCAP_ERROR);
    pcap_freecode(&none);
    pcap_close(NULL);
}
