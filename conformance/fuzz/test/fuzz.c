/* Sequences from seeds: the same again, as predicted by the model itself, and seen through by broken engines. */
#include "fuzz/fuzz.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct ibc_target *target(const char *spec)
{
    char err[512] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    cr_assert(t, "%s", err);
    return t;
}

static enum ibc_verdict verdict_of(struct ibc_target *t, const char *text, enum ibc_link link, char got[160])
{
    char err[256] = "";
    struct ibc_scenario *s = ibc_load_text(text, strlen(text), "t.ibt", "t", err, sizeof err);
    const struct ibc_options o = {.seed = 99, .link = (uint32_t)link};
    struct ibc_result r = {0};

    cr_assert(s, "%s\n%s", err, text);
    ibc_run(s, t, &o, &r);
    const enum ibc_verdict v = r.verdict;
    strcpy(got, r.finding.got);
    ibc_result_clear(&r);
    ibc_free(s);
    return v;
}

Test(fuzz, a_seed_is_a_case)
{
    static struct fuzz_case a, b;

    for (uint64_t seed = 0; seed < 500; seed++) {
        fuzz_make(&a, seed);
        fuzz_make(&b, seed);
        cr_assert(a.n > 0 && a.n <= FUZZ_INPUTS);
        cr_assert_eq(a.n, b.n);
        cr_assert_str_eq(a.head, b.head);
        for (unsigned i = 0; i < a.n; i++)
            cr_assert_str_eq(a.input[i], b.input[i]);
    }
}

/* With other keys, numbers and addresses than those it was predicted with. */
Test(fuzz, the_model_does_what_it_says)
{
    static struct fuzz_case c;
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference"), *other = target("reference");
    char err[256], got[160];
    unsigned predicted = 0;

    for (uint64_t seed = 0; seed < 600; seed++) {
        const enum ibc_link link = (enum ibc_link)(seed % IBC_LINK_COUNT);
        fuzz_make(&c, seed);
        if (!fuzz_predict(&c, model, link, text, err))
            continue;
        predicted++;
        cr_assert_eq(verdict_of(other, text, link, got), IBC_IS_PASS, "%s: %s", got, text);
    }
    cr_assert_eq(predicted, 600);
    ibc_target_close(model);
    ibc_target_close(other);
}

struct kept {
    struct ibc_target *model, *broken;
    unsigned asked;
};

static bool fails(void *ctx, const struct fuzz_case *c)
{
    static char text[FUZZ_TEXT];
    struct kept *k = ctx;
    char err[256], got[160];

    k->asked++;
    return fuzz_predict(c, k->model, IBC_LINK_roce2_ipv4, text, err) &&
           verdict_of(k->broken, text, IBC_LINK_roce2_ipv4, got) == IBC_IS_FAIL;
}

/* One that answers, one that asks, one that touches memory it should not. */
Test(fuzz, broken_engines_are_found_and_the_case_made_small)
{
    static const char *const spec[] = {"mutant:emit.aeth.msn=+1", "mutant:emit.bth.psn=+1",
                                       "mutant:header-validation.bad_icrc=drop"};
    static struct fuzz_case c;

    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        struct kept k = {target("reference"), target(spec[i]), 0};
        uint64_t seed = 0;
        for (fuzz_make(&c, seed); !fails(&k, &c) && seed < 400; fuzz_make(&c, ++seed))
            ;
        cr_assert_lt(seed, 400, "%s", spec[i]);
        fuzz_minimise(&c, fails, &k);
        cr_expect(fails(&k, &c));
        cr_expect_leq(c.n, 4, "%s: %u inputs", spec[i], c.n);
        ibc_target_close(k.model);
        ibc_target_close(k.broken);
    }
}

Test(fuzz, what_the_loader_refuses_is_told)
{
    static struct fuzz_case c = {
        .head = "title t\nspec RR-01\nrole responder\nservice rc\nqp a\n", .n = 1, .input = {"> a NONSENSE"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256] = "";

    cr_assert_not(fuzz_predict(&c, model, IBC_LINK_roce2_ipv4, text, err));
    cr_assert(strstr(err, "NONSENSE"), "%s", err);
    ibc_target_close(model);
}
