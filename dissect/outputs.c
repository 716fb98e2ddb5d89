/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "system/confine.h"
#include "system/files.h"
#include "system/privileges.h"

enum { OUTPUTS = 5 }; /* -w, --report, --summary, --metrics, standard output */

struct output {
    const char *path, *option;
    struct file_id id;
};

static bool is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool outputs_take_standard(const struct options *opt)
{
    return is_standard(opt->write_path) || is_standard(opt->report_path) || is_standard(opt->summary_path);
}

/* Lists the outputs of this run. Standard output is one of them when something is printed on it. */
static size_t list(const struct options *opt, struct output to[OUTPUTS])
{
    const bool prints = !opt->quiet || opt->n_stat > 0;
    size_t n = 0;

    if (opt->write_path)
        to[n++] = (struct output){opt->write_path, "-w", file_id(opt->write_path, STDOUT_FILENO)};
    if (opt->report_path)
        to[n++] = (struct output){opt->report_path, "--report", file_id(opt->report_path, STDOUT_FILENO)};
    if (opt->summary_path)
        to[n++] = (struct output){opt->summary_path, "--summary", file_id(opt->summary_path, STDOUT_FILENO)};
    if (opt->metrics_path)
        to[n++] = (struct output){opt->metrics_path, "--metrics", file_id(opt->metrics_path, STDOUT_FILENO)};
    if (prints && !outputs_take_standard(opt))
        to[n++] = (struct output){"-", "standard output", file_id("-", STDOUT_FILENO)};
    return n;
}

static bool is_input(const struct options *opt, const struct output *o)
{
    for (size_t i = 0; i < opt->n_file; i++) {
        const struct file_id in = file_id(opt->file[i], STDIN_FILENO);
        if (file_same(&in, &o->id))
            return true;
    }
    return false;
}

static bool several_on_standard(const struct options *opt, char *err, size_t errlen)
{
    static const char *const name[] = {"-w", "--report", "--summary"};
    const bool is[] = {is_standard(opt->write_path), is_standard(opt->report_path), is_standard(opt->summary_path)};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        if (is[i] && first) {
            (void)snprintf(err, errlen, "only one of %s and %s can be the standard output", first, name[i]);
            return true;
        }
        first = is[i] ? name[i] : first;
    }
    if (!first || opt->n_stat == 0)
        return false;
    (void)snprintf(err, errlen, "%s -: the standard output cannot take the statistics of -z, too", first);
    return true;
}

bool outputs_are_apart(const struct options *opt, char *err, size_t errlen)
{
    struct output to[OUTPUTS];
    const size_t n = list(opt, to);

    if (several_on_standard(opt, err, errlen))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (is_input(opt, &to[i])) {
            (void)snprintf(err, errlen, "%s: is the input; %s would destroy it", to[i].path, to[i].option);
            return false;
        }
        for (size_t k = 0; k < i; k++)
            if (file_same(&to[i].id, &to[k].id)) {
                (void)snprintf(err, errlen, "%s: %s and %s are the same file", to[k].path, to[k].option, to[i].option);
                return false;
            }
    }
    return true;
}

void outputs_confine(const struct options *opt, bool threads)
{
    const char *page = opt->report_path && !is_standard(opt->report_path) ? opt->report_path : NULL;
    struct confine c;

    tzset(); /* the first call reads the file of the time zone, which confinement forbids */
    if (opt->no_sandbox) {
        (void)fputs("ibdissect: --no-sandbox: packets are parsed with all rights of this user\n", stderr);
        return;
    }
    if (!opt->iface) { /* with an interface, root was given up when the interface was open */
        char folder[FILE_FOLDER];
        const bool names = page && file_folder(page, folder);
        privileges_leave(opt->every_s || opt->metrics_path ? PRIVILEGES_KEEP_FILES
                         : names                           ? PRIVILEGES_KEEP_FOLDER
                                                           : PRIVILEGES_KEEP_NONE,
                         folder);
    }
    confine_begin(&c);
    if (page)
        confine_allow_folder_of(&c, page, CONFINE_RENAME);
    if (opt->every_s && opt->summary_path)
        confine_allow(&c, opt->summary_path, CONFINE_WRITE);
    if (opt->metrics_path)
        confine_allow_folder_of(&c, opt->metrics_path, CONFINE_WRITE);
    (void)confine_end(&c, (opt->iface ? CONFINE_CAPTURE : 0) | (page ? CONFINE_NAMES : 0) |
                              (opt->every_s || opt->metrics_path ? CONFINE_FILES | CONFINE_NAMES : 0) |
                              (threads ? CONFINE_THREADS : 0));
}
