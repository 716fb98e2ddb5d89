/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"
#include <criterion/criterion.h>
#include <string.h>

struct ibc_target *run_reference(void)
{
    char err[256] = "";
    struct ibc_target *t = ibc_target_open("reference", err, sizeof err);

    cr_assert_not_null(t, "%s", err);
    return t;
}

struct ibc_result run_text(struct ibc_target *t, const char *text, const struct ibc_options *o)
{
    char err[512] = "";
    struct ibc_scenario *s = ibc_load_text(text, strlen(text), "case.ibt", "a.case", err, sizeof err);
    struct ibc_result r;

    cr_assert_not_null(s, "%s\n%s", err, text);
    ibc_run(s, t, o, &r);
    return r;
}

static bool same(const char *want, const char *is)
{
    return !want || strcmp(want, is) == 0;
}

void run_cases_on(enum ibc_link link, const struct run_case *c, size_t n)
{
    struct ibc_target *t = run_reference();
    const struct ibc_options o = {.seed = 7, .link = link};

    for (size_t i = 0; i < n; i++) {
        struct ibc_result r = run_text(t, c[i].text, &o);
        cr_expect(r.verdict == c[i].verdict && same(c[i].expected, r.finding.expected) && same(c[i].got, r.finding.got),
                  "case %zu: %s, line %u\n  expected: %s\n  got: %s\n%s", i, ibc_verdict_names[r.verdict],
                  r.finding.line, r.finding.expected, r.finding.got, c[i].text);
        ibc_free((struct ibc_scenario *)r.scenario);
        ibc_result_clear(&r);
    }
    ibc_target_close(t);
}

struct ibc_target_ops changed;
const struct ibc_target_ops *whole;

struct ibc_target *open_changed(void)
{
    struct ibc_target *t = run_reference();

    whole = t->ops;
    changed = *t->ops;
    t->ops = &changed;
    return t;
}

void close_changed(struct ibc_target *t, struct ibc_result *r)
{
    ibc_free((struct ibc_scenario *)r->scenario);
    ibc_result_clear(r);
    t->ops = whole;
    ibc_target_close(t);
}
