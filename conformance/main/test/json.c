/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of JSON: read and written whole or not at all, and what they say of broken engines and of earlier runs. */
#include "main/json.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "main/earlier.h"
#include "main/fault.h"
#include "main/matrix.h"
#include "parts.h"

static void begin(void)
{
    (void)parts_folder();
}
TestSuite(json, .init = begin, .fini = parts_remove);

/* Reads the file; parts_said has the complaint. */
static cJSON *reads(const char *path)
{
    parts_listen();
    cJSON *root = json_read(path);
    parts_hear();
    return root;
}

/* Lengths around those at which the buffer grows. */
Test(json, long_files)
{
    static const size_t lengths[] = {2, 65534, 65535, 65536, 65537, 131070, 131071, 131072, 131073, 300000};
    char *text = malloc(300001);

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        memset(text, ' ', n);
        text[0] = '[';
        text[n - 1] = ']';
        text[n] = '\0';
        cJSON *root = reads(parts_write("long.json", text));
        cr_expect(root && cJSON_IsArray(root), "%zu bytes: %s", n, parts_said);
        cJSON_Delete(root);
        text[n - 1] = ' ';
        cr_expect_null(reads(parts_write("long.json", text)), "%zu bytes", n);
    }
    free(text);
}

Test(json, files_that_are_none)
{
    static const char *const texts[] = {"", "{", "{} {}", "nothing", "[1,]"};
    char want[600];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *path = parts_write("x.json", texts[i]);
        snprintf(want, sizeof want, "ibconform: %s: not JSON\n", path);
        cr_expect_null(reads(path), "%s", texts[i]);
        cr_expect_str_eq(parts_said, want);
    }
    cr_expect_null(reads("/nowhere/x.json"));
    cr_expect_str_eq(parts_said, "ibconform: /nowhere/x.json: No such file or directory\n");
    cr_expect_null(reads("/"));
    cr_expect_str_eq(parts_said, "ibconform: /: Is a directory\n");
}

static int writes(const char *path)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddNumberToObject(json_add_object(root, "a"), "b", 7);
    parts_listen();
    const int code = path ? json_write(root, path) : json_print(root);
    parts_hear();
    return code;
}

Test(json, written)
{
    static const char text[] = "{\n\t\"a\":\t{\n\t\t\"b\":\t7\n\t}\n}\n";

    cr_expect_eq(writes(NULL), EXIT_OK);
    cr_expect_str_eq(parts_said, text);
    cr_expect_eq(writes("-"), EXIT_OK);
    cr_expect_str_eq(parts_said, text);
    cr_expect_eq(writes(parts_file("w.json")), EXIT_OK);
    cr_expect_str_eq(parts_said, "");
    cr_expect_str_eq(parts_read("w.json"), text);
    cr_expect_eq(writes("/nowhere/w.json"), EXIT_HARNESS);
    cr_expect_str_eq(parts_said, "ibconform: /nowhere/w.json: No such file or directory\n");
    cr_expect_eq(writes("/dev/full"), EXIT_HARNESS);
    cr_expect_str_eq(parts_said, "ibconform: /dev/full: not all could be written\n");
}

/* ---- broken engines ---- */

Test(json, clauses)
{
    static const struct {
        const char *clause, *list;
    } rows[] = {{"", "[]"},
                {"RR-03", "[\"RR-03\"]"},
                {"RR-03, RR-04", "[\"RR-03\",\"RR-04\"]"},
                {" ,RR-03 ,, RR-04 ", "[\"RR-03\",\"RR-04\"]"},
                {"0123456789012345678901234567890 x", "[\"0123456789012345678901234567890\",\"x\"]"},
                {"01234567890123456789012345678901 x", "[\"x\"]"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cJSON *list = clause_list(rows[i].clause);
        char *text = cJSON_PrintUnformatted(list);
        cr_expect_str_eq(text, rows[i].list, "%s: %s", rows[i].clause, text);
        free(text);
        cJSON_Delete(list);
    }
}

static cJSON *matrix(const char *text)
{
    const char *path = parts_write("m.json", text);

    parts_listen();
    cJSON *root = matrix_read(path);
    parts_hear();
    return root;
}

Test(json, matrices)
{
    static const char *const bad[] = {
        "[]",
        "{}",
        "{\"mutants\":7}",
        "{\"mutants\":[7]}",
        "{\"mutants\":[{\"clause\":[],\"killed_by\":[]}]}",
        "{\"mutants\":[{\"spec\":\"m\",\"killed_by\":[]}]}",
        "{\"mutants\":[{\"spec\":\"m\",\"clause\":[]}]}",
        "{\"mutants\":[{\"spec\":\"m\",\"clause\":[7],\"killed_by\":[]}]}",
        "{\"mutants\":[{\"spec\":\"m\",\"clause\":[],\"killed_by\":[{}]}]}",
        "{\"mutants\":[{\"spec\":\"m\",\"clause\":[],\"killed_by\":[]},7]}",
    };
    static const char *spec[] = {"RR-03", "RR-04"};
    struct ibc_scenario one = {.id = (char *)(uintptr_t) "one", .spec = spec, .n_spec = 1},
                        two = {.id = (char *)(uintptr_t) "two", .spec = spec, .n_spec = 2};
    struct ibc_scenario *all[] = {&one, &two};
    const struct ibc_suite suite = {all, 2};
    const char *mutant = NULL, *scenario = NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_null(matrix(bad[i]), "%s", bad[i]);
        cr_expect(strstr(parts_said, "m.json: not what ibconform mutants --out writes\n"), "%s", parts_said);
    }
    cJSON *m = matrix("{\"mutants\":["
                      "{\"spec\":\"a\",\"clause\":[\"RR-04\"],\"killed_by\":[]},"
                      "{\"spec\":\"b\",\"clause\":[\"RR-04\"],\"killed_by\":[{\"scenario\":\"one\"}]},"
                      "{\"spec\":\"c\",\"clause\":[\"RR-03\"],\"killed_by\":[{\"scenario\":\"gone\"}]},"
                      "{\"spec\":\"d\",\"clause\":[\"RR-05\",\"RR-04\"],"
                      "\"killed_by\":[{\"scenario\":\"one\"},{\"scenario\":\"two\"}]}]}");
    cr_assert(m, "%s", parts_said);
    cr_expect(matrix_shows(m, &suite, "RR-04", &mutant, &scenario));
    cr_expect(mutant && strcmp(mutant, "d") == 0 && strcmp(scenario, "two") == 0, "it cites the statement");
    cr_expect_not(matrix_shows(m, &suite, "RR-03", &mutant, &scenario), "the scenario is gone");
    cr_expect_not(matrix_shows(m, &suite, "RR-05", &mutant, &scenario), "no scenario cites it");
    cJSON_Delete(m);
}

/* ---- earlier runs ---- */

static int opens(struct earlier *r, const char *text)
{
    const char *path = parts_write("r.json", text);

    *r = (struct earlier){.n = 0};
    parts_listen();
    const int code = earlier_open(r, path);
    parts_hear();
    return code;
}

#define HEAD "{\"tool\":\"ibconform\",\"format\":1,\"results\":"

Test(json, reports_that_are_none)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"{\"tool\":\"ibdissect\",\"format\":1,\"results\":[]}", "no results"},
        {"{\"format\":1,\"results\":[]}", "no results"},
        {HEAD "{}}", "no results"},
        {"{\"tool\":\"ibconform\",\"results\":[]}", "the format is another version's"},
        {"{\"tool\":\"ibconform\",\"format\":2,\"results\":[]}", "the format is another version's"},
        {"{\"tool\":\"ibconform\",\"format\":\"1\",\"results\":[]}", "the format is another version's"},
        {HEAD "[{\"verdict\":\"PASS\"}]}", "a result has no id, or a verdict that this version does not know"},
        {HEAD "[{\"id\":\"a\"}]}", "a result has no id, or a verdict that this version does not know"},
        {HEAD "[{\"id\":\"a\",\"verdict\":\"FINE\"}]}",
         "a result has no id, or a verdict that this version does not know"},
        {HEAD "[{\"id\":\"b\",\"verdict\":\"PASS\"},{\"id\":\"a\",\"verdict\":\"PASS\"},{\"id\":\"b\",\"verdict\":"
              "\"FAIL\"}]}",
         "two results have one id"},
    };
    struct earlier r;
    char want[600];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(opens(&r, rows[i].text), EXIT_USAGE, "%s", rows[i].text);
        snprintf(want, sizeof want, "ibconform: %s: not what ibconform run --json writes: %s\n", parts_file("r.json"),
                 rows[i].says);
        cr_expect_str_eq(parts_said, want);
        earlier_free(&r);
    }
}

Test(json, earlier_results)
{
    struct earlier r;

    cr_assert_eq(opens(&r, HEAD "[]}"), EXIT_OK);
    cr_expect(r.n == 0 && earlier_find(&r, "a") == NULL);
    earlier_free(&r);
    cr_assert_eq(opens(&r, HEAD "[{\"id\":\"c\",\"verdict\":\"XFAIL\",\"waiver\":{},\"cause\":\"known\",\"finding\":"
                                "{\"statement\":\"RR-03\",\"expected\":\"x\",\"got\":\"y\"}},"
                                "{\"id\":\"a\",\"verdict\":\"PASS\",\"cause\":\"none\"},"
                                "{\"id\":\"b\",\"verdict\":\"XPASS\",\"waiver\":{}}]}"),
                 EXIT_OK, "%s", parts_said);
    cr_assert_eq(r.n, 3);
    cr_expect(strcmp(r.p[0].id, "a") == 0 && strcmp(r.p[1].id, "b") == 0 && strcmp(r.p[2].id, "c") == 0, "sorted");
    const struct earlier_case *c = earlier_find(&r, "c"), *a = earlier_find(&r, "a"), *b = earlier_find(&r, "b");
    cr_assert(a == &r.p[0] && b == &r.p[1] && c == &r.p[2] && earlier_find(&r, "d") == NULL);
    cr_expect(c->verdict == IBC_IS_XFAIL && strcmp(c->waiver, "known") == 0 && strcmp(c->statement, "RR-03") == 0);
    cr_expect(strcmp(c->expected, "x") == 0 && strcmp(c->got, "y") == 0);
    cr_expect(a->verdict == IBC_IS_PASS && *a->waiver == '\0' && *a->statement == '\0' && *a->got == '\0');
    cr_expect(b->verdict == IBC_IS_XPASS && *b->waiver == '\0', "its waiver has no name");
    earlier_free(&r);
    cr_expect(r.n == 0 && r.p == NULL && r.root == NULL);
}
