/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a run reports to: which are written when, and which may not be. */
#include "main/reports.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "main/fault.h"
#include "parts.h"

static const struct ibc_run_info info = {.target = "reference", .link = "", .version = "1", .started = "now"};

static int checks(const struct options *o)
{
    parts_listen();
    const int code = reports_check(o);
    parts_hear();
    return code;
}

Test(reports, files_that_are_others)
{
    struct options o = {.seed = 1};
    char want[1200];

    parts_folder();
    o.waivers = parts_write("w.json", "[]");
    o.json_file = parts_file("r.json");
    o.html = "-";
    cr_expect_eq(checks(&o), EXIT_OK);
    cr_expect_str_eq(parts_said, "");
    cr_expect(reports_take_stdout(&o));
    cr_assert_eq(symlink("w.json", o.json_file), 0);
    snprintf(want, sizeof want, "ibconform: %s: is the file of --waivers; the report would destroy it\n", o.json_file);
    cr_expect_eq(checks(&o), EXIT_USAGE);
    cr_expect_str_eq(parts_said, want);
    o.waivers = NULL;
    o.junit = parts_file("w.json");
    o.html = NULL;
    snprintf(want, sizeof want, "ibconform: %s: --junit and --json are the same file\n", o.json_file);
    cr_expect_eq(checks(&o), EXIT_USAGE);
    cr_expect_str_eq(parts_said, want);
    cr_expect_not(reports_take_stdout(&o));
    o.junit = o.json_file = "-";
    cr_expect_eq(checks(&o), EXIT_USAGE);
    cr_expect_str_eq(parts_said, "ibconform: only one report can go to the standard output\n");
    parts_remove();
}

/* A run that has no results says so in each of its files; as root, before its rights are given up, only in those that
 * an earlier run wrote. */
Test(reports, no_result)
{
    struct options o = {.seed = 1};

    parts_folder();
    parts_listen();
    cr_expect_eq(reports_of_no_result(&o, &info, "why not", true), EXIT_OK);
    o.json_file = parts_file("r.json");
    o.junit = "-";
    cr_expect_eq(reports_of_no_result(&o, &info, "why not", false), EXIT_OK);
    cr_expect_neq(access(parts_file("r.json"), F_OK), 0);
    cr_expect_eq(reports_of_no_result(&o, &info, "why not", true), EXIT_OK);
    cr_expect(strstr(parts_read("r.json"), "\"id\": \"run\"") && strstr(parts_read("r.json"), "\"got\": \"why not\"") &&
              strstr(parts_read("r.json"), "\"ERROR\": 1,") &&
              strstr(parts_read("r.json"), "\"target\": \"reference\""));
    cr_expect_eq(reports_of_no_result(&o, &info, "another", false), EXIT_OK);
    cr_expect(strstr(parts_read("r.json"), "\"got\": \"another\""));
    parts_hear();
    cr_expect_str_eq(parts_said, "", "nothing to the standard output: %s", parts_said);
    o.html = "/nowhere/r.html";
    parts_listen();
    cr_expect_eq(reports_of_no_result(&o, &info, "why", false), EXIT_OK);
    cr_expect_eq(reports_of_no_result(&o, &info, "why", true), EXIT_HARNESS);
    parts_hear();
    cr_expect_str_eq(parts_said, "ibconform: /nowhere/r.html: No such file or directory\n");
    parts_remove();
}

Test(reports, on_the_standard_output)
{
    struct ibc_report none = {.info = &info};
    struct options o = {.seed = 1, .json_file = "-"};

    parts_listen();
    cr_expect_eq(reports_write(&o, &none, false), EXIT_OK);
    parts_hear();
    cr_expect_str_eq(parts_said, "");
    parts_listen();
    cr_expect_eq(reports_write(&o, &none, true), EXIT_OK);
    parts_hear();
    cr_expect(strncmp(parts_said, "{\n  \"tool\": \"ibconform\",\n  \"format\": 1,\n", 40) == 0, "%s", parts_said);
}
