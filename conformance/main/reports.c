/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports.h"
#include <string.h>
#include <unistd.h>
#include "fault.h"
#include "result.h"
#include "system/files.h"

enum { REPORTS = 3 };

static const struct report_row {
    const char *option;
    size_t path; /* offset of the path in struct options */
    bool (*write)(const char *path, const struct ibc_report *r, char *err, size_t errlen);
} rows[REPORTS] = {{"--junit", offsetof(struct options, junit), ibc_report_junit},
                   {"--json", offsetof(struct options, json_file), ibc_report_json},
                   {"--html", offsetof(struct options, html), ibc_report_html}};

static const char *path_of(const struct options *o, size_t i)
{
    return *(const char *const *)((const char *)o + rows[i].path);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool reports_take_stdout(const struct options *o)
{
    return is_stdout(o->junit) || is_stdout(o->json_file) || is_stdout(o->html);
}

/* Checks that a report is not a file that the run reads. */
static int check_input(const char *report, const struct file_id *id, const char *input, const char *option)
{
    struct file_id in;

    if (!input)
        return EXIT_OK;
    in = file_id(input, STDIN_FILENO);
    return file_same(id, &in) ? wrong(EXIT_USAGE, "%s: is the file of %s; the report would destroy it", report, option)
                              : EXIT_OK;
}

int reports_check(const struct options *o)
{
    struct file_id id[REPORTS];
    int rc = EXIT_OK;

    for (size_t i = 0; rc == EXIT_OK && i < REPORTS; i++) {
        const char *path = path_of(o, i);
        id[i] = path ? file_id(path, STDOUT_FILENO) : (struct file_id){0};
        for (size_t k = 0; path && rc == EXIT_OK && k < i; k++)
            if (is_stdout(path) && is_stdout(path_of(o, k)))
                rc = wrong(EXIT_USAGE, "only one report can go to the standard output");
            else if (file_same(&id[i], &id[k]))
                rc = wrong(EXIT_USAGE, "%s: %s and %s are the same file", path, rows[k].option, rows[i].option);
        if (path && rc == EXIT_OK)
            rc = check_input(path, &id[i], o->waivers, "--waivers");
        if (path && rc == EXIT_OK)
            rc = check_input(path, &id[i], o->rerun_failed, "--rerun-failed");
        if (path && rc == EXIT_OK)
            rc = check_input(path, &id[i], o->agent_token_file, "--agent-token-file");
    }
    return rc;
}

static int write_some(const struct options *o, const struct ibc_report *r, bool on_stdout, bool create)
{
    char err[512];
    int rc = EXIT_OK;

    for (size_t i = 0; i < REPORTS; i++) {
        const char *path = path_of(o, i);
        const bool here = is_stdout(path);
        if (path && (on_stdout || !here) && (create || access(path, F_OK) == 0) &&
            !rows[i].write(path, r, err, sizeof err) && !(here && reader_left()))
            rc = wrong(EXIT_HARNESS, "%s", err);
    }
    return rc;
}

int reports_write(const struct options *o, const struct ibc_report *r, bool on_stdout)
{
    return write_some(o, r, on_stdout, true);
}

int reports_of_no_result(const struct options *o, const struct ibc_run_info *info, const char *why, bool create)
{
    static const char run[] = "title    the run has results\n"
                              "spec     none\n"
                              "class    informational\n"
                              "role     responder\n"
                              "service  rc\n"
                              "health\n";
    struct ibc_result r = {0};
    char err[256];
    struct ibc_scenario *s;
    int rc;

    if (!o->junit && !o->json_file && !o->html)
        return EXIT_OK;
    s = ibc_load_text(run, sizeof run - 1, "run.ibt", REPORTS_NO_RESULT, err, sizeof err);
    if (!s)
        return wrong(EXIT_HARNESS, "%s", err);
    result_error(&r, s, why);
    rc = write_some(o, &(struct ibc_report){.info = info, .result = &r, .n = 1}, false, create);
    ibc_free(s);
    return rc;
}
