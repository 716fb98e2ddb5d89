/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequences from seeds: they are reproducible, the model itself passes them, and broken engines fail them. */
#include "fuzz/known.h"
#include "fuzz/making.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fuzz_may all = {UINT64_MAX, (1u << IBC_LINK_COUNT) - 1, 0};

static struct ibc_target *target(const char *spec)
{
    char err[512] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    cr_assert(t, "%s", err);
    return t;
}

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

/* On every link, every rule is used, and no scenario needs a capability that the device does not claim. */
Test(fuzz, every_kind_has_its_turn)
{
    static struct fuzz_case c;
    const struct fuzz_may bare = {0, 1u << IBC_LINK_roce2_ipv6, 0};
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
    }
    cr_assert_eq(links, all.links);
    for (size_t i = 0; i < fuzz_kind_count; i++)
        cr_assert(was[i], "kind '%s' of conformance/fuzz/kinds.c had no turn in 2000 seeds", fuzz_kinds[i].name);
    cr_assert_eq(seen, fuzz_kind_count);
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

static bool is_named(const char *name, size_t len)
{
    static const struct fuzz_rules *const files[] = {&fuzz_packet_rules, &fuzz_work_rules, &fuzz_verb_rules,
                                                     &fuzz_cm_rules};
    static struct fuzz_case c;
    struct making m = {.c = &c, .may = &all, .pmtu = 256};
    char out[MAKING_TEXT];

    iba_random_seed(&m.r, 1);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (size_t i = 0; i < files[f]->n; i++)
            if (strlen(files[f]->rule[i].name) == len && strncmp(files[f]->rule[i].name, name, len) == 0)
                return true;
    return making_word(&m, name, len, out, sizeof out);
}

static void look_at_slots(const char *text)
{
    for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
        const size_t len = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
        const char end = at[1 + len];
        if (len > 0 && (end == '}' || end == '?'))
            cr_assert(is_named(at + 1, len), "{%.*s} in %s", (int)len, at + 1, text);
    }
}

Test(fuzz, every_hole_can_be_filled)
{
    static const struct fuzz_rules *const files[] = {&fuzz_packet_rules, &fuzz_work_rules, &fuzz_verb_rules,
                                                     &fuzz_cm_rules};

    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (size_t i = 0; i < files[f]->n; i++)
            look_at_slots(files[f]->rule[i].text);
    for (size_t i = 0; i < fuzz_kind_count; i++) {
        look_at_slots(fuzz_kinds[i].objects);
        look_at_slots(fuzz_kinds[i].service);
        if (fuzz_kinds[i].begin)
            look_at_slots(fuzz_kinds[i].begin);
        cr_assert(is_named(fuzz_kinds[i].step, strlen(fuzz_kinds[i].step)),
                  "kind '%s' names the rule %s, which is in no conformance/fuzz/rules_*.c", fuzz_kinds[i].name,
                  fuzz_kinds[i].step);
    }
}

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

Test(fuzz, slots)
{
    static struct fuzz_case c;
    struct making m = {.c = &c, .may = &all, .pmtu = 256};
    char text[MAKING_TEXT];
    unsigned first = 0;

    iba_random_seed(&m.r, 7);
    for (unsigned i = 0; i < 1000; i++) {
        unsigned n;
        strcpy(text, "{1..3} {a|b{c|d}|} psn=+{next}");
        making_fill(&m, text);
        cr_assert_not(strpbrk(text, "{}|"), "%s", text);
        n = (unsigned)(text[0] - '0');
        cr_assert(n >= 1 && n <= 3);
        first += n == 1;
    }
    cr_assert(first > 250 && first < 420);
    cr_assert_eq(m.next, 1000);
    strcpy(text, "{a|b"); /* no placeholder */
    making_fill(&m, text);
    cr_assert_str_eq(text, "{a|b");
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

Test(fuzz, what_the_loader_refuses_is_told)
{
    static struct fuzz_case c = {
        .head = "title t\nspec RR-01\nrole both\nservice rc\nqp a\n", .n = 1, .input = {"> a NONSENSE"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256] = "";

    cr_assert_null(fuzz_predict(&c, model, text, err));
    cr_assert(strstr(err, "NONSENSE"), "%s", err);
    ibc_target_close(model);
}

/* The model predicts the result of a verb with nonsense arguments. Inputs that are not valid language are left out. */
Test(fuzz, refusals_are_learnt)
{
    static struct fuzz_case c = {
        .head = "title t\nspec RR-01\nrole both\nservice rc\nqp a\n",
        .n = 3,
        .input = {"  a modify state=sqe", "> nobody SEND_ONLY", "> a SEND_ONLY ackreq=1 payload=8"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256] = "";
    struct ibc_scenario *s = fuzz_predict(&c, model, text, err);

    cr_assert(s, "%s", err);
    cr_assert(strstr(text, "a modify state=sqe error=any\n"), "%s", text);
    cr_assert_not(strstr(text, "nobody"));
    cr_assert(strstr(text, "< a RC_ACKNOWLEDGE ") || strstr(text, "syndrome=0x20"), "%s", text);
    ibc_free(s);
    ibc_target_close(model);
}

/* ---- known deviations ---- */

static uint64_t known_as(const char *waiver)
{
    uint64_t set = 0;

    for (size_t i = 0; i < fuzz_known_count; i++)
        if (strcmp(fuzz_known[i].waiver, waiver) == 0)
            set |= UINT64_C(1) << i;
    cr_assert(set, "%s", waiver);
    return set;
}

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

Test(fuzz, known_differences_are_told_from_new_ones)
{
    static const struct fuzz_case c = {.n = 1, .input = {"> a SEND_FIRST psn=+0 payload=256-1"}},
                                  good = {.n = 1, .input = {"> a SEND_FIRST psn=+0 payload=256 va=m+8"}};
    const uint64_t lengths = known_as("lengths-unchecked"), rnr = known_as("nak-behind-rnr");

    cr_assert_str_eq(fuzz_known_as(lengths, &c, "aeth.msn 0", "aeth.msn 1"), "lengths-unchecked");
    cr_assert_null(fuzz_known_as(lengths, &c, "unchanged", "byte 0 of the memory 0x00"));
    cr_assert_str_eq(fuzz_known_as(lengths, &c, "no completion", "a completion of a receive, Success"),
                     "lengths-unchecked");
    cr_assert_null(fuzz_known_as(lengths, &good, "aeth.msn 0", "aeth.msn 1"), "the sum is no payload's");
    cr_assert_null(fuzz_known_as(rnr, &c, "anything", "else"));
    cr_assert_str_eq(fuzz_known_as(rnr, &c, "aeth.syndrome RNR NAK timer 12", "aeth.syndrome NAK PSN Sequence Error"),
                     "nak-behind-rnr");
    cr_assert_null(fuzz_known_as(0, &c, "no more packets", "NAK PSN Sequence Error"));
    cr_assert_eq(fuzz_known_free(known_as("migration-bit-zero")), FUZZ_FREE_migreq);
}

/* On a real device a request may fail at once, later, or not at all; the fuzzer does not provoke such failures
 * there. */
Test(fuzz, work_that_fails_at_home_is_left_out_where_time_is_real)
{
    static struct fuzz_case c = {.head = "title t\nspec RR-01\nrole both\nservice rc\nqp a\n",
                                 .n = 2,
                                 .input = {"  a post SEND len=8 id=1 lkey=0x00bad000", "  a post SEND len=8 id=12"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256];
    struct ibc_scenario *s = fuzz_predict(&c, model, text, err);

    cr_assert(s && strstr(text, "status=local_protection id=1"), "%s", text);
    ibc_free(s);
    c.is_free = FUZZ_FREE_local;
    s = fuzz_predict(&c, model, text, err);
    cr_assert(s && !strstr(text, "bad000") && strstr(text, "id=12"), "%s", text);
    ibc_free(s);
    ibc_target_close(model);
}

/* Sources differ about the PSN of the acknowledgement for a repeated SEND. */
Test(fuzz, an_acknowledgement_again_may_have_either_psn)
{
    static struct fuzz_case c = {
        .head = "title t\nspec RR-01\nrole both\nservice rc\nqp a recv=4\n",
        .n = 3,
        .input = {"> a SEND_ONLY psn=+0 ackreq=1", "> a SEND_ONLY psn=+1 ackreq=1", "> a SEND_ONLY psn=+0 ackreq=1"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256];
    struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
    const char *first = s ? strstr(text, "bth.psn=0x1000 ") : NULL,
               *second = s ? strstr(text, "bth.psn=0x1001 ") : NULL;

    cr_assert(first && second, "%s%s", err, text);
    cr_assert_not(strstr(second + 1, "bth.psn="), "%s", text);
    ibc_free(s);
    ibc_target_close(model);
}

/* After an error, an idle queue may fail at its next completion or at once (QS-32), so the states of both are not
 * compared. */
Test(fuzz, a_lost_queue_may_fail_its_idle_queue_pairs_at_once_or_later)
{
    static struct fuzz_case c = {
        .head = "title t\nspec QS-32\nrole both\nservice rc\ncq c depth=1\nqp a rcq=c recv=2\nqp b rcq=c\nqp e\n",
        .n = 1,
        .input = {"  a modify state=err"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256];
    struct ibc_scenario *s = fuzz_predict(&c, model, text, err);

    cr_assert(s, "%s", err);
    cr_assert(strstr(text, "c event cq_error\n") && strstr(text, "e state rts\n"), "%s", text);
    cr_assert_not(strstr(text, "b state"), "%s", text);
    ibc_free(s);
    ibc_target_close(model);
}

/* The first 40 bytes of a receive, shared or not, may have any content after a datagram without a GRH. */
Test(fuzz, room_for_a_grh_is_not_compared)
{
    static const char *const own[] = {"qp a type=ud recv=1\n", "srq s recv=1\nqp a type=ud srq=s\n"};
    static struct fuzz_case c = {.n = 1, .input = {"> a SEND_ONLY payload=8"}};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256] = "";

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        snprintf(c.head, sizeof c.head, "title t\nspec UU-20\nrole both\nservice rc\n%s", own[i]);
        struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
        cr_assert(s, "%s", err);
        cr_assert(strstr(text, "memory l+0 len=32768 unchanged\n") && strstr(text, "memory l+32808 len=8 hex:"), "%s",
                  text);
        ibc_free(s);
    }
    ibc_target_close(model);
}
