/* SPDX-License-Identifier: BSD-2-Clause */
#include "options_check.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "filter/filter.h"
#include "system/text.h"

int options_wrong(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    text_complain(stderr, "ibdissect", format, ap);
    va_end(ap);
    return EXIT_USAGE;
}

/* Whether later packets determine the values of the field. */
static bool needs_future(const struct field *f)
{
    static const char *const names[] = {"infiniband.analysis.response_in", "infiniband.mad.response_in",
                                        "infiniband.analysis.gap", "infiniband.analysis.out_of_order"};
    bool any = false;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        any |= strcmp(f->name, names[i]) == 0;
    return any;
}

/* Whether the argument of a statistic uses a field for which `is` is true. */
static bool stats_use(const struct options *opt, bool (*is)(const struct field *f))
{
    for (size_t i = 0; i < opt->n_stat; i++)
        if (opt->stat[i].kind->uses && opt->stat[i].kind->uses(opt->stat[i].state, is))
            return true;
    return false;
}

static bool wants_future(const struct options *opt)
{
    bool wants = opt->hold || (opt->filter && filter_uses(opt->filter, needs_future)) || stats_use(opt, needs_future);

    /* Findings that are made later must not count if they are about packets that do not match. */
    wants |= opt->filter && opt->fail_on != IBA_SEVERITY_NONE;

    for (size_t i = 0; i < opt->print.n_field; i++)
        wants |= needs_future(opt->print.field[i]);
    return wants;
}

/* Whether some output uses the result of judging; otherwise packets are not judged, since judging costs time. */
static bool wants_judgement(const struct options *opt)
{
    bool wants =
        opt->fail_on != IBA_SEVERITY_NONE || opt->report_path || opt->summary_path || opt->rows || opt->metrics_path;

    wants |= (opt->filter && filter_uses(opt->filter, field_is_analysis)) || stats_use(opt, field_is_analysis);
    for (size_t i = 0; i < opt->print.n_field; i++)
        wants |= field_is_analysis(opt->print.field[i]);
    for (size_t i = 0; i < opt->n_stat; i++)
        wants |= opt->stat[i].kind->judged;
    return wants || (opt->judge_printed && (opt->write_path || (!opt->quiet && opt->print.n_field == 0)));
}

/* Refuses a word that is a filter and no file, as in "ibdissect FILE infiniband.aeth": tshark and tcpdump take a filter
 * there. */
static int check_files(const struct options *opt)
{
    char err[512];

    for (size_t i = 0; i < opt->n_file; i++) {
        if (strcmp(opt->file[i], "-") == 0 || access(opt->file[i], F_OK) == 0 || errno != ENOENT)
            continue;
        struct filter *f = filter_compile(opt->file[i], err, sizeof err);
        filter_free(f);
        if (f)
            return options_wrong("%s: no such file; a filter follows -Y: -Y '%s'", opt->file[i], opt->file[i]);
    }
    return EXIT_OK;
}

/* Refuses options that need the whole run together with --every: a monitor forgets what it has written. */
static int check_every(const struct options *opt)
{
    if (opt->every_s == 0)
        return EXIT_OK;
    if (opt->summary_path ? strcmp(opt->summary_path, "-") == 0 : !opt->metrics_path)
        return options_wrong("--every SECONDS needs --summary DIR, a folder for the summaries, or --metrics FILE");
    if (opt->n_stat > 0 || opt->report_path || opt->rows)
        return options_wrong("--every forgets what it has written: -z, --report and --rows do not go with it");
    return opt->hold ? options_wrong("--every does not go with -2, nor with fields that later packets determine")
                     : EXIT_OK;
}

int options_check(struct options *opt)
{
    const int rc = check_files(opt);

    if (rc != EXIT_OK)
        return rc;
    if (opt->iface && opt->n_file > 0)
        return options_wrong("-i and files do not go together");
    if (opt->bpf && !opt->iface)
        return options_wrong("-f is a capture filter and needs -i; for files there is -Y");
    if (opt->user && !opt->iface)
        return options_wrong("--user is for -i: files are read as the user who starts the program");
    if (window_is_empty(&opt->window))
        return options_wrong("--from is not before --to: no packet could be read");
    if (!opt->iface && opt->n_file == 0)
        return options_wrong("no capture named; try ibdissect FILE, or --help");
    if ((opt->summary_path || opt->rows || opt->metrics_path) &&
        (opt->filter || opt->count || opt->window.from.set || opt->window.to.set))
        return options_wrong("%s sums up whole captures: -Y, -c, --from and --to do not go with it",
                             opt->summary_path ? "--summary"
                             : opt->rows       ? "--rows"
                                               : "--metrics");
    if (opt->host && !opt->summary_path && !opt->rows)
        return options_wrong("--host names the captures in a summary: it needs --summary FILE or --rows DIR");
    if (strcmp(opt->printer->name, "fields") == 0 && opt->print.n_field == 0)
        return options_wrong("-T fields needs at least one -e FIELD; -G fields lists them");
    if (opt->print.n_field > 0 && !strstr("fields json jsonl ek", opt->printer->name))
        return options_wrong("-e goes with -T fields, json, jsonl or ek");
    if (opt->rows && sample_is_one(&opt->sample))
        return options_wrong("--rows of a sample would not say so: --sample does not go with it");
    if (opt->metrics_path && strcmp(opt->metrics_path, "-") == 0)
        return options_wrong("--metrics writes a file, which other programs read while it is renewed: not -");
    opt->json_stats = strncmp(opt->printer->name, "json", 4) == 0;
    opt->quiet |= opt->write_path && !opt->print_anyway;
    opt->print.sources = opt->n_file > 1;
    opt->hold = wants_future(opt);
    opt->judge = opt->hold || wants_judgement(opt);
    return check_every(opt);
}
