/* SPDX-License-Identifier: BSD-2-Clause */
/* run: plays scenarios, applies waivers, and writes reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cases.h"
#include "command.h"
#include "fault.h"
#include "narrow.h"
#include "play.h"
#include "pool.h"
#include "progress.h"
#include "report/report.h"
#include "reports.h"
#include "result.h"
#include "sandbox.h"
#include "system/signals.h"
#include "system/text.h"

struct running {
    const struct options *o;
    struct live_dut live;
    struct dut dut;
    struct selection sel;
    struct cases cases;
    struct ibc_waivers waivers;
    struct ibc_result *played; /* ordered by case, then by seed */
    bool *has;                 /* which of them are results */
    struct ibc_result *r;      /* result of each scenario of the selection */
    char started[32];
    uint64_t since_ns;
    unsigned children;
    bool opened;     /* the wires are open, and root has been given up */
    bool unwritable; /* a report could not be written */
    bool taken;      /* a report uses the standard output */
};

static void read_clock(struct running *u)
{
    const time_t now = time(NULL);
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(u->started, sizeof u->started, "%Y-%m-%dT%H:%M:%SZ", &tm);
    u->since_ns = wall_ns();
}

/* Checks a pattern of a waiver. A waiver is for the whole suite, not for the selection: each of its patterns must
 * match a scenario that cites the waiver's statement. `n`: number of the waiver in the file. */
static int check_pattern(const struct running *u, const struct ibc_waiver *w, size_t n, const char *pattern)
{
    const struct ibc_suite *suite = &u->sel.suite;
    char near[256];

    if (!select_matches(suite, pattern, near, sizeof near))
        return wrong(EXIT_USAGE, "%s: waiver %zu: no scenario matches \"%s\"%s", u->o->waivers, n, pattern, near);
    for (size_t k = 0; k < suite->n; k++)
        if (ibc_id_matches(suite->s[k], pattern) && ibc_waiver_cited(w, suite->s[k]))
            return EXIT_OK;
    return wrong(EXIT_USAGE, "%s: waiver %zu: no scenario that matches \"%s\" cites %s", u->o->waivers, n, pattern,
                 w->statement);
}

static int load_waivers(struct running *u)
{
    char err[512], pattern[256];
    int rc = EXIT_OK;

    if (!u->o->waivers)
        return EXIT_OK;
    if (!ibc_waivers_load(&u->waivers, u->o->waivers, NULL, err, sizeof err))
        return wrong(EXIT_USAGE, "%s", err);
    for (size_t i = 0; i < u->waivers.n; i++)
        for (size_t k = 0; rc == EXIT_OK && ibc_waiver_word(u->waivers.w[i].pattern, k, pattern, sizeof pattern); k++)
            rc = check_pattern(u, &u->waivers.w[i], i + 1, pattern);
    return rc;
}

static int make_evidence(const struct options *o)
{
    struct stat st;

    if (o->evidence && mkdir(o->evidence, 0777) != 0 && (stat(o->evidence, &st) != 0 || !S_ISDIR(st.st_mode)))
        return wrong(EXIT_USAGE, "--evidence %s: no folder, and none can be made", o->evidence);
    return EXIT_OK;
}

static int play_all(struct running *u)
{
    const struct options *o = u->o;
    const struct play_run run = {.dut = u->dut,
                                 .cases = &u->cases,
                                 .seed = o->seed,
                                 .repeat = o->repeat,
                                 .children = u->children,
                                 .timeout_scale = o->timeout_scale,
                                 .evidence = o->evidence,
                                 .waivers = &u->waivers,
                                 .max_failures = o->max_failures,
                                 .deadline_ns = o->deadline ? u->since_ns + o->deadline * UINT64_C(1000000000) : 0,
                                 .hazardous = o->hazardous,
                                 .target = dut_name(&u->dut)};

    if (u->cases.n > UINT32_MAX / o->repeat)
        return wrong(EXIT_USAGE, "--repeat %u: too many for %zu cases", o->repeat, u->cases.n);
    u->played = calloc(u->cases.n * o->repeat, sizeof *u->played);
    u->has = calloc(u->cases.n * o->repeat, sizeof *u->has);
    u->r = calloc(u->sel.n, sizeof *u->r);
    if (!u->played || !u->has || !u->r)
        return wrong(EXIT_HARNESS, "out of memory");
    return play_cases(&run, u->played, u->has) ? EXIT_OK : EXIT_HARNESS;
}

/* Adds the result of a case to that of the first link with the same seed, which may be missing. */
static void add(struct running *u, size_t to, size_t from)
{
    if (!u->has[from])
        return;
    if (u->has[to]) {
        result_add(&u->played[to], &u->played[from]);
    } else {
        u->played[to] = u->played[from];
        u->played[from] = (struct ibc_result){0};
        u->has[to] = true;
    }
}

/* Merges the results of all links, then of all seeds, into one result a scenario, in the order of the selection. */
static void merge(struct running *u)
{
    const size_t repeat = u->o->repeat;

    for (size_t i = 0; i < u->sel.n; i++) {
        const size_t first = u->cases.first[i] * repeat;
        struct ibc_result *of = &u->played[first];
        for (size_t c = u->cases.first[i] + 1; c < u->cases.first[i + 1]; c++)
            for (size_t k = 0; k < repeat; k++)
                add(u, first + k, c * repeat + k);
        result_repeats(of, &u->has[first], repeat, u->o->seed);
        u->r[i] = *of;
        *of = (struct ibc_result){0};
        ibc_waivers_apply(&u->waivers, dut_name(&u->dut), &u->r[i]);
    }
}

static int report(struct running *u)
{
    const struct options *o = u->o;
    const struct ibc_run_info info = {.target = dut_name(&u->dut),
                                      .link = cases_link_name(&u->cases),
                                      .version = IBPROOF_VERSION,
                                      .seed = o->seed,
                                      .repeat = o->repeat,
                                      .jobs = u->children,
                                      .wall_ns = wall_ns() - u->since_ns,
                                      .started = u->started,
                                      .strict = o->strict};
    const struct ibc_report rep = {.info = &info, .result = u->r, .n = u->sel.n};
    const int rc = ibc_exit_code(u->r, u->sel.n, o->strict);
    int written = reports_write(o, &rep, true);

    u->taken = reports_take_stdout(o);
    if (!u->taken && !ibc_report_terminal(stdout, &rep, o->color, o->verbose))
        written = wrong(EXIT_HARNESS, "out of memory");
    return written != EXIT_OK ? written : rc;
}

/* Writes reports without results until the run has results, so that the reports of an earlier run are not taken for
 * those of this one. */
static int report_nothing(const struct running *u, const char *why)
{
    const bool root = geteuid() == 0 && u->o->wire.n > 0 && !u->opened; /* root has not been given up yet */
    const struct ibc_run_info info = {.target = u->o->target ? u->o->target : "reference",
                                      .link = u->o->link ? u->o->link : "",
                                      .version = IBPROOF_VERSION,
                                      .seed = u->o->seed,
                                      .repeat = u->o->repeat,
                                      .wall_ns = wall_ns() - u->since_ns,
                                      .started = u->started,
                                      .strict = u->o->strict};

    return reports_of_no_result(u->o, &info, why, !root);
}

/* ---- scenarios left out ---- */

struct reason {
    const char *why;
    size_t n;
};

static int by_count(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;

    return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->why, y->why);
}

/* Prints after a terminal's report how many scenarios do not apply to a device that others made, for each missing
 * capability. */
static void print_left_out(const struct running *u)
{
    struct reason *all = (u->dut.live || u->dut.manager) && !u->taken ? calloc(u->sel.n, sizeof *all) : NULL;
    size_t n = 0, k;

    for (size_t i = 0; all && i < u->sel.n; i++) {
        if (u->r[i].verdict != IBC_IS_NOT_APPLICABLE && u->r[i].verdict != IBC_IS_UNSUPPORTED)
            continue;
        for (k = 0; k < n && strcmp(all[k].why, u->r[i].measured) != 0; k++)
            ;
        all[k].why = u->r[i].measured;
        all[k].n++;
        n += k == n;
    }
    if (n > 0)
        qsort(all, n, sizeof *all, by_count);
    for (k = 0; k < n; k++)
        text_line(stdout, "%6zu left out: %s", all[k].n, all[k].why);
    free(all);
}

/* ---- the target ---- */

static struct ibc_target *open_lane(const struct running *u, unsigned lane, const char *before)
{
    char err[512], hint[320];
    struct ibc_target *t = dut_open(&u->dut, lane, err, sizeof err);

    if (t)
        return t;
    dut_hint(&u->dut, err, hint, sizeof hint);
    (void)wrong(EXIT_HARNESS, "%s%s%s", before, err, hint);
    return NULL;
}

static int look_at(const struct running *u, unsigned lane, const char *before, const char *when)
{
    struct ibc_target *t = open_lane(u, lane, before);
    int rc = EXIT_HARNESS;

    if (t)
        rc = live_health(t, u->o, u->cases.link, when);
    ibc_target_close(t);
    return rc;
}

/* Opens the target to check that it works, and to learn its links; a live one must pass the health probe, too. */
static int look(struct running *u)
{
    static const char when[] = "before the first scenario";
    char err[512];
    struct ibc_target *t = u->dut.live ? open_lane(u, 0, "") : dut_open(&u->dut, 0, err, sizeof err);
    int rc;

    if (!t && u->dut.live)
        return EXIT_HARNESS;
    if (!t)
        return wrong(EXIT_USAGE, "--target: %s", err);
    if (u->dut.live)
        live_name(&u->live, t);
    rc = cases_make(&u->cases, &u->sel, t, u->o->link);
    if (rc == EXIT_OK && u->dut.live)
        rc = dut_look_at_ports(&u->dut, &u->cases);
    if (rc == EXIT_OK && u->dut.live)
        rc = live_health(t, u->o, u->cases.link, when);
    ibc_target_close(t);
    for (unsigned lane = 1; rc == EXIT_OK && lane < u->live.n; lane++)
        rc = look_at(u, lane, "", when);
    return rc;
}

/* Waits for a device that the last scenario crashed, as after any other scenario. */
static void await(const struct running *u, unsigned lane)
{
    const struct timespec nap = {.tv_nsec = 500000000};
    const uint64_t until = wall_ns() + (uint64_t)((double)IBC_LIVE_RETURN * u->o->timeout_scale);
    struct ibc_target *t = NULL;
    char err[512];

    while (!(t = dut_open(&u->dut, lane, err, sizeof err)) && wall_ns() < until && !signals_came())
        nanosleep(&nap, NULL);
    ibc_target_close(t);
}

/* Checks live devices at the end: if they fail, their earlier results may mean nothing. */
static int look_again(const struct running *u)
{
    int rc = EXIT_OK;

    for (unsigned lane = 0; rc == EXIT_OK && lane < u->live.n; lane++) {
        await(u, lane);
        rc = look_at(u, lane, "after the last scenario: ", "after the last scenario");
    }
    return rc;
}

static void end(struct running *u)
{
    for (size_t i = 0; u->r && i < u->sel.n; i++)
        ibc_result_clear(&u->r[i]);
    for (size_t i = 0; u->played && u->has && i < u->cases.n * u->o->repeat; i++)
        if (u->has[i])
            ibc_result_clear(&u->played[i]);
    free(u->has);
    free(u->r);
    free(u->played);
    ibc_waivers_free(&u->waivers);
    cases_free(&u->cases);
    select_free(&u->sel);
    live_end(&u->live);
}

/* Sequences that `fuzz` found have the title "sequence NUMBER: ...". */
static bool was_found_by_fuzz(const char *title)
{
    static const char word[] = "sequence ";

    if (!title || strncmp(title, word, sizeof word - 1) != 0)
        return false;
    title += sizeof word - 1;
    const size_t digits = strspn(title, "0123456789");
    return digits > 0 && title[digits] == ':';
}

/* Sequences that `fuzz` found are broken packets, too. */
static int may_replay(const struct running *u)
{
    const char *wire = "";

    if (u->o->own_network || !dut_leaves(&u->dut, u->o, &wire))
        return EXIT_OK;
    for (size_t i = 0; i < u->sel.n; i++)
        if (was_found_by_fuzz(u->sel.s[i]->title))
            return wrong(EXIT_USAGE,
                         "%s: found by fuzz; --wire %s: its broken packets go out on it; say "
                         "--i-own-this-network if you do",
                         u->sel.s[i]->id, wire);
    return EXIT_OK;
}

static int prepare(struct running *u)
{
    const struct options *o = u->o;
    int rc = select_scenarios(&u->sel, o, &o->pattern, &o->exclude);

    if (rc == EXIT_OK)
        rc = narrow_selection(&u->sel, o);

    if (rc == EXIT_OK)
        rc = load_waivers(u);
    if (rc == EXIT_OK)
        rc = may_replay(u);
    if (rc == EXIT_OK)
        rc = dut_choose(&u->dut, &u->live, u->o);
    if (rc == EXIT_OK)
        rc = may_replay(u); /* checked again: a host name may have another address than before */
    if (rc == EXIT_OK)
        u->opened = true;
    if (rc == EXIT_OK)
        u->unwritable = (rc = report_nothing(u, "the run has not ended")) != EXIT_OK;
    if (rc == EXIT_OK)
        rc = make_evidence(o);
    if (rc == EXIT_OK) {
        sandbox_enter(&u->dut, o, &u->sel.suite);
        rc = look(u);
    }
    if (rc == EXIT_OK && signals_came())
        rc = wrong(EXIT_HARNESS, "a signal ended the run");
    return rc;
}

int command_run(const struct options *o)
{
    struct running u = {.o = o};
    int rc = reports_check(o);

    read_clock(&u);
    if (rc != EXIT_OK)
        return rc;
    rc = prepare(&u);
    if (rc == EXIT_OK) {
        u.children = o->jobs ? o->jobs : u.cases.virtual_time && !u.dut.live ? pool_cores() : 1;
        rc = play_all(&u);
    }
    if (rc == EXIT_OK) {
        const int last = signals_came() ? EXIT_HARNESS : look_again(&u);
        merge(&u);
        rc = report(&u);
        print_left_out(&u);
        rc = last != EXIT_OK ? last : rc;
    } else if (!u.unwritable)
        (void)report_nothing(&u, wrong_last());
    end(&u);
    return rc;
}
