/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequences from seeds: they are reproducible, the model itself passes them, and broken engines fail them. */
#include "fuzz/known.h"
#include "fuzz/making.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bed.h"

static enum ibc_verdict verdict_of(struct ibc_target *t, const struct ibc_scenario *s, char got[160])
{
    const struct ibc_options o = {.seed = 99};
    struct ibc_result r = {0};

    ibc_run(s, t, &o, &r);
    const enum ibc_verdict v = r.verdict;
    strcpy(got, r.finding.got);
    ibc_result_clear(&r);
    return v;
}

Test(fuzz, a_seed_is_a_case)
{
    static struct fuzz_case a, b;

    for (uint64_t seed = 0; seed < 500; seed++) {
        fuzz_make(&a, &all, seed);
        fuzz_make(&b, &all, seed);
        cr_assert(a.n > 0 && a.n <= FUZZ_INPUTS);
        cr_assert_eq(a.n, b.n);
        cr_assert_str_eq(a.head, b.head);
        for (unsigned i = 0; i < a.n; i++)
            cr_assert_str_eq(a.input[i], b.input[i]);
    }
}

/* The prediction comes true on a second reference, with other keys, numbers and addresses. */
Test(fuzz, the_model_does_what_it_says)
{
    enum { SEEDS = 300, UNFIT = 9 /* for example, a device whose port settings stop it from receiving */ };
    static struct fuzz_case c;
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference"), *other = target("reference");
    char err[256], got[160];
    unsigned unfit = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fuzz_make(&c, &all, seed);
        struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
        unfit += s == NULL;
        if (s)
            cr_assert_eq(verdict_of(other, s, got), IBC_IS_PASS, "%s: %s", got, text);
        ibc_free(s);
    }
    cr_assert_leq(unfit, UNFIT);
    ibc_target_close(model);
    ibc_target_close(other);
}

/* A device without an optional request is neither sent nor asked to send it. The senders of UC and UD are asked for
 * ATOMIC requests, since their service has none, so each device refuses them. */
static void has_no_optional_request(const struct fuzz_case *c)
{
    static const char *const optional[] = {"CMP_SWAP", "FETCH_ADD", "ATOMIC_WRITE", "FLUSH", "_INV "};

    for (unsigned i = 0; i < c->n && strcmp(c->kind, "UC sender") != 0 && strcmp(c->kind, "UD sender") != 0; i++)
        for (size_t o = 0; o < sizeof optional / sizeof *optional; o++)
            cr_assert_not(strstr(c->input[i], optional[o]), "%s of the kind '%s' has %s", c->id, c->kind, c->input[i]);
}

/* On every link, every rule is used, and no scenario needs a capability that the device does not claim. */
Test(fuzz, every_kind_has_its_turn)
{
    static struct fuzz_case c;
    const struct fuzz_may bare = {0, 1u << IBC_LINK_roce2_ipv6, 0};
    const struct fuzz_may objects = {
        FUZZ_CAP(xrc) | FUZZ_CAP(srq) | FUZZ_CAP(notify) | FUZZ_CAP(ud) | FUZZ_CAP(qp_states), all.links, 0};
    uint32_t links = 0;
    size_t seen = 0;
    bool was[64] = {false};

    cr_assert_leq(fuzz_kind_count, 64);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        fuzz_make(&c, &all, seed);
        links |= 1u << c.link;
        for (size_t i = 0; i < fuzz_kind_count; i++)
            if (c.kind == fuzz_kinds[i].name) {
                seen += !was[i];
                was[i] = true;
            }
        fuzz_make(&c, &bare, seed);
        cr_assert_eq(c.link, IBC_LINK_roce2_ipv6);
        cr_assert_not(strstr(c.head, "needs"), "%s", c.head);
        has_no_optional_request(&c);
        fuzz_make(&c, &objects, seed);
        has_no_optional_request(&c);
    }
    cr_assert_eq(links, all.links);
    for (size_t i = 0; i < fuzz_kind_count; i++)
        cr_assert(was[i], "kind '%s' of conformance/fuzz/kinds.c had no turn in 2000 seeds", fuzz_kinds[i].name);
    cr_assert_eq(seen, fuzz_kind_count);
}

/* Each kind is as frequent as its weight says, among those that the link and the device allow. */
Test(fuzz, kinds_have_their_weight)
{
    enum { SEEDS = 4000 };
    static struct fuzz_case c;
    static const struct fuzz_may on[] = {{UINT64_MAX, FUZZ_LINK(ib_local), 0},
                                         {~FUZZ_CAP(cm), FUZZ_LINK(roce2_ipv4), 0}};

    for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
        unsigned n[64] = {0}, sum = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            fuzz_make(&c, &on[k], seed);
            for (size_t i = 0; i < fuzz_kind_count; i++)
                n[i] += c.kind == fuzz_kinds[i].name;
        }
        for (size_t i = 0; i < fuzz_kind_count; i++)
            if (!(fuzz_kinds[i].needs & ~on[k].caps) && (fuzz_kinds[i].links & on[k].links))
                sum += fuzz_kinds[i].weight;
        for (size_t i = 0; i < fuzz_kind_count; i++) {
            const bool may = !(fuzz_kinds[i].needs & ~on[k].caps) && (fuzz_kinds[i].links & on[k].links);
            const double share = may ? (double)fuzz_kinds[i].weight / sum : 0;
            cr_expect(n[i] >= (share - 0.02) * SEEDS && n[i] <= (share + 0.02) * SEEDS && (n[i] > 0) == may,
                      "%s: %u of %d, not %.3f", fuzz_kinds[i].name, n[i], SEEDS, share);
        }
    }
}

/* The first inputs of each kind of sequence are always present if they are required, and sometimes if they are
 * optional. */
Test(fuzz, a_kind_begins_as_it_says)
{
    static const struct {
        const char *kind, *input;
        bool always;
    } want[] = {
        {"RC responder with all it has", "  port pkey[1]=0x", false},
        {"UD receiver", "  attach a n", false},
        {"paths and entries", "  port pkey[1]=0x", true},
        {"connections, passive end", "  c call listen", true},
        {"connections, active end", "  c call connect", true},
        {"datagram services", "  c call listen datagrams", true},
    };
    static struct fuzz_case c;
    size_t begin = 0;

    for (size_t i = 0; i < fuzz_kind_count; i++)
        begin += fuzz_kinds[i].begin != NULL;
    cr_assert_eq(begin, sizeof want / sizeof *want,
                 "%zu kinds of conformance/fuzz/kinds.c have a beginning, %zu are in conformance/fuzz/test/fuzz.c",
                 begin, sizeof want / sizeof *want);
    for (size_t i = 0; i < begin; i++) {
        unsigned n = 0, as = 0;
        for (uint64_t seed = 0; seed < 2000; seed++) {
            fuzz_make(&c, &all, seed);
            n += strcmp(c.kind, want[i].kind) == 0;
            as += strcmp(c.kind, want[i].kind) == 0 && strncmp(c.input[0], want[i].input, strlen(want[i].input)) == 0;
        }
        cr_assert(want[i].always ? n > 0 && as == n : as > n / 4 && as < n, "%s: %u of %u", want[i].kind, as, n);
    }
}

/* ---- the grammar ---- */

/* Some random inputs cannot be valid: an object that the kind lacks, an opcode that the service lacks, a name drawn
 * twice. The generator leaves these out. */
static bool may_be_made_in_vain(const char *err)
{
    static const char unknown[] = " unknown object '";
    const char *at = strstr(err, unknown);

    at = at ? at + strlen(unknown) : "";
    return (*at && strchr("eiosvwz", at[0]) && at[1] == '\'') || strstr(err, " UC has no ") ||
           strstr(err, " UD has no ") || strstr(err, "' is given twice");
}

Test(fuzz, inputs_are_language)
{
    static struct fuzz_case c;
    static char text[FUZZ_TEXT];

    for (uint64_t seed = 0; seed < 1500; seed++) {
        fuzz_make(&c, &all, seed);
        for (unsigned i = 0; i < c.n; i++) {
            char err[256] = "";
            const int n = snprintf(text, sizeof text, "%s%s\nwait 1ms\n", c.head, c.input[i]);
            struct ibc_scenario *s = ibc_load_text(text, (size_t)n, "sequence.ibt", c.id, err, sizeof err);
            cr_assert(s || may_be_made_in_vain(err), "%s: %s", err, c.input[i]);
            ibc_free(s);
        }
    }
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
    struct ibc_scenario *s = fuzz_predict(c, k->model, text, err);
    const bool bad = s && ibc_failed(verdict_of(k->broken, s, got));
    ibc_free(s);
    return bad;
}

/* Faults of responses, requests, memory access, state transitions, keys, timers, and writes to memory that must not
 * change. */
Test(fuzz, broken_engines_are_found_and_the_case_made_small)
{
    static const char *const spec[] = {"mutant:emit.aeth.msn=+1",
                                       "mutant:emit.bth.psn=+1",
                                       "mutant:header-validation.bad_icrc=drop",
                                       "mutant:transitions.RTS_TO_INIT=drop",
                                       "mutant:translation.right=drop",
                                       "mutant:requester.timer_runs=drop",
                                       "mutant:RC-responder.swap=drop"};
    static struct fuzz_case c;

    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        struct kept k = {target("reference"), target(spec[i]), 0};
        uint64_t seed = 0;
        for (fuzz_make(&c, &all, seed); !fails(&k, &c) && seed < 400; fuzz_make(&c, &all, ++seed))
            ;
        cr_assert_lt(seed, 400, "%s", spec[i]);
        fuzz_minimise(&c, fails, &k);
        cr_expect(fails(&k, &c));
        cr_expect_leq(c.n, 4, "%s: %u inputs", spec[i], c.n);
        ibc_target_close(k.model);
        ibc_target_close(k.broken);
    }
}

/* ---- known deviations ---- */

Test(fuzz, what_kills_a_device_is_not_sent_and_what_it_does_anyway_not_compared)
{
    static struct fuzz_case c;
    static char text[FUZZ_TEXT];
    const uint64_t panics = known_as("write-of-no-length-with-payload-panics"), bit = known_as("migration-bit-zero");
    const struct fuzz_may careful = {UINT64_MAX, 1u << IBC_LINK_roce2_ipv4, panics | bit};
    struct ibc_target *model = target("reference");
    char err[256];
    unsigned avoided = 0, packets = 0;

    for (uint64_t seed = 0; seed < 150; seed++) {
        fuzz_make(&c, &all, seed);
        for (unsigned i = 0; i < c.n; i++)
            avoided += fuzz_known_avoids(panics, c.input[i]);
        fuzz_make(&c, &careful, seed);
        for (unsigned i = 0; i < c.n; i++)
            cr_assert_not(fuzz_known_avoids(panics, c.input[i]), "%s", c.input[i]);
        struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
        packets += s && strstr(text, "\n< ") != NULL;
        cr_assert_not(s && strstr(text, " bth.m="), "%s", text);
        ibc_free(s);
    }
    cr_assert_gt(avoided, 0);
    cr_assert_gt(packets, 50);
    ibc_target_close(model);
}
