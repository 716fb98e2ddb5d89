/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that need no thousand sequences: placeholders and words of the grammar, single predictions, known deviations.
 */
#include "fuzz/known.h"
#include "fuzz/making.h"
#include "fuzz/predict.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bed.h"

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

Test(cases, every_hole_can_be_filled)
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

Test(cases, slots)
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

/* A range, a choice and a word may be in each other. A placeholder whose content is none of them is left empty. */
Test(cases, contents_of_slots)
{
    static const struct {
        const char *text, *filled;
    } rows[] = {
        {"{7..7}", "7"},
        {"{0x10..0x10} {010..010}", "16 8"},
        {"a{b|b}c", "abc"},
        {"{a|a} {b|b}{c|c}", "a bc"},
        {"{{7..7}|{7..7}}", "7"},
        {"{x{y|y}|x{y|y}}z", "xyz"},
        {"{|}", ""},
        {"{}!", "!"},
        {"{..5}", ""},
        {"{+5..5}", ""},
        {"{-1..5}", ""},
        {"{5..4}", ""},
        {"{5..5x}", ""},
        {"{5.5}", ""},
        {"{5}", ""},
        {"{no_such_word}", ""},
        {"x} {7..7}", "x} 7"},
        {"{7..7} {x", "7 {x"},
        {"no placeholder", "no placeholder"},
    };
    static struct fuzz_case c;
    struct making m = {.c = &c, .may = &all, .pmtu = 256};
    char text[MAKING_TEXT];

    iba_random_seed(&m.r, 7);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        strcpy(text, rows[i].text);
        making_fill(&m, text);
        cr_expect_str_eq(text, rows[i].filled, "%s: %s", rows[i].text, text);
    }
}

/* A text may fill its room to the last letter. */
Test(cases, slots_of_a_text_that_is_full)
{
    static struct fuzz_case c;
    struct making m = {.c = &c, .may = &all, .pmtu = 256};
    char text[MAKING_TEXT + 1];

    iba_random_seed(&m.r, 7);
    for (size_t n = 0; n < 4; n++) { /* letters after the placeholder that have no room */
        memset(text, 'x', sizeof text);
        memcpy(text, "{1000..1000}", 12); /* 12 letters become 4 */
        text[MAKING_TEXT - 1] = '\0';
        text[MAKING_TEXT] = '!';
        if (n)
            memcpy(text + MAKING_TEXT - 1 - 6 - n, "{8..8}", 6);
        making_fill(&m, text);
        cr_assert_eq(strlen(text), MAKING_TEXT - 1 - 8 - (n ? 5 : 0));
        cr_assert_eq(strncmp(text, "1000xxx", 7), 0);
        cr_assert_eq(text[MAKING_TEXT], '!');
    }
}

/* ---- predictions ---- */

Test(cases, what_the_loader_refuses_is_told)
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
Test(cases, refusals_are_learnt)
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

/* On a real device a request may fail at once, later, or not at all; the fuzzer does not provoke such failures
 * there. */
Test(cases, work_that_fails_at_home_is_left_out_where_time_is_real)
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
Test(cases, an_acknowledgement_again_may_have_either_psn)
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
Test(cases, a_lost_queue_may_fail_its_idle_queue_pairs_at_once_or_later)
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

/* The first 40 bytes of a receive, shared or not, may have any content after a datagram without a GRH. Datagrams to QP0
 * and QP1 have 256 bytes. */
Test(cases, room_for_a_grh_is_not_compared)
{
    static const struct {
        const char *own, *input, *data;
    } rows[] = {
        {"qp a type=ud recv=1\n", "> a SEND_ONLY payload=8", "memory l+32808 len=8 hex:"},
        {"srq s recv=1\nqp a type=ud srq=s\n", "> a SEND_ONLY payload=8", "memory l+32808 len=8 hex:"},
        {"qp a type=gsi recv=1\n", "> a SEND_ONLY payload=256", "memory l+32808 len=64 hex:"},
        {"link ib-local\nqp a type=smi recv=1\n", "> a SEND_ONLY payload=256 lrh.vl=15", "memory l+32808 len=64 hex:"},
    };
    static struct fuzz_case c = {.n = 1};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256] = "";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(c.head, sizeof c.head, "title t\nspec UU-20\nrole both\nservice rc\n%s", rows[i].own);
        snprintf(c.input[0], FUZZ_LINE, "%s", rows[i].input);
        struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
        cr_assert(s, "%s", err);
        cr_assert(strstr(text, "memory l+0 len=32768 unchanged\n") && strstr(text, rows[i].data), "%s", text);
        ibc_free(s);
    }
    ibc_target_close(model);
}

/* ---- known deviations ---- */

Test(cases, known_differences_are_told_from_new_ones)
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

/* Which results each known deviation leaves open; the others leave none. */
Test(cases, known_deviations_leave_results_open)
{
    static const struct {
        const char *waiver;
        uint32_t is_free;
    } rows[] = {{"migration-bit-zero", FUZZ_FREE_migreq},
                {"hop-limit-of-the-route", FUZZ_FREE_hop},
                {"flow-label-zero", FUZZ_FREE_flow},
                {"congestion-mark-sent", FUZZ_FREE_ecn},
                {"no-established-event", FUZZ_FREE_events},
                {"qp-limits-unchecked", FUZZ_FREE_refused},
                {"current-state-believed", FUZZ_FREE_refused},
                {"overlong-message-is-taken", FUZZ_FREE_refused},
                {"error-raises-no-solicited-notification", FUZZ_FREE_notified}};
    uint64_t open = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(fuzz_known_free(known_as(rows[i].waiver)), rows[i].is_free, "%s", rows[i].waiver);
        open |= known_as(rows[i].waiver);
    }
    cr_expect_eq(fuzz_known_free(~open), 0);
    cr_expect_eq(fuzz_known_free(known_as("flow-label-zero") | known_as("hop-limit-of-the-route")),
                 FUZZ_FREE_flow | FUZZ_FREE_hop);
}

Test(cases, what_kills_a_device_is_avoided)
{
    static const struct {
        const char *waiver, *input;
        bool avoids;
    } rows[] = {
        {"write-of-no-length-with-payload-panics", "> a WRITE_ONLY psn=+0 va=m+0 dmalen=0 payload=8", true},
        {"write-of-no-length-with-payload-panics", "> a WRITE_ONLY psn=+0 va=m+0 dmalen=8 payload=8", false},
        {"write-of-no-length-with-payload-panics", "  a post WRITE dmalen=0", false},
        {"short-datagram-panics", "> a SEND_ONLY udp.length=8", true},
        {"second-invalidate-kills-the-host", "  a post LOCAL_INV len=0", true},
        {"second-invalidate-kills-the-host", "> a SEND_ONLY_INV psn=+0", true},
        {"second-invalidate-kills-the-host", "> a SEND_ONLY psn=+0", false},
        {"destroy-waits-for-its-window", "  w destroy", true},
        {"flow-label-zero", "> a SEND_ONLY udp.length=8", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(fuzz_known_avoids(known_as(rows[i].waiver), rows[i].input), rows[i].avoids, "%s: %s",
                     rows[i].waiver, rows[i].input);
    cr_expect_not(fuzz_known_avoids(0, "  w destroy"));
    cr_expect_not(fuzz_known_avoids(~known_as("destroy-waits-for-its-window"), "  w destroy"));
}

/* Differences that a waiver covers, and the nearest ones that it does not cover. */
Test(cases, symptoms_of_known_deviations)
{
    static const struct {
        const char *waiver, *input, *expected, *got;
        bool is;
    } rows[] = {
        {"atomic-repeats-a-read", "> a READ_REQUEST psn=+0", "anything", "ATOMIC_ACKNOWLEDGE psn", true},
        {"atomic-repeats-a-read", "> b READ_REQUEST psn=+0", "anything", "ATOMIC_ACKNOWLEDGE psn", false},
        {"controlled-qkey-sent", "> a SEND", "deth.q_key 0x11111111", "deth.q_key 0x80010000", true},
        {"controlled-qkey-sent", "> a SEND", "deth.q_key 0x11111111", "deth.q_key 0x70010000", false},
        {"plain-ack-completes-read", "> a ACKNOWLEDGE psn=+0 syndrome=ack msn=1", "RC_CMP_SWAP of a", "nothing for 1 s",
         true},
        {"plain-ack-completes-read", "> a ACKNOWLEDGE psn=+0 syndrome=ack msn=1", "RC_FETCH_ADD", "nothing for 1 s",
         true},
        {"plain-ack-completes-read", "> a ACKNOWLEDGE psn=+0 syndrome=ack msn=1", "RC_SEND_ONLY", "nothing for 1 s",
         false},
        {"ack-of-what-was-never-sent", "> a ACKNOWLEDGE syndrome=ack", "no completion", "a completion of SEND, Success",
         true},
        {"datagram-too-long-is-an-error", "> a SEND_ONLY psn=+0 payload=100", "state Ready to Send", "state Error",
         true},
        {"datagram-too-long-is-an-error", "> a SEND_ONLY psn=+0 payload=99", "state Ready to Send", "state Error",
         false},
        {"request-with-payload-is-answered", "> a READ_REQUEST psn=+0 payload=4", "RC_ACKNOWLEDGE", "READ_RESP_ONLY",
         true},
        {"request-with-payload-is-answered", "> a READ_REQUEST psn=+0 payload=0", "RC_ACKNOWLEDGE", "READ_RESP_ONLY",
         false},
        {"reserved-syndrome-fails-request", "> a ACKNOWLEDGE syndrome=nak:5", "x", "state Error", true},
        {"reserved-syndrome-fails-request", "> a ACKNOWLEDGE syndrome=nak:31", "x", "completion.status", true},
        {"reserved-syndrome-fails-request", "> a ACKNOWLEDGE syndrome=0x40", "x", "a completion of y", true},
        {"reserved-syndrome-fails-request", "> a ACKNOWLEDGE syndrome=nak:4", "x", "state Error", false},
        {"error-of-a-message-is-unsolicited", "  c arm solicited", "1 notifications", "0 notifications", true},
        {"=which-of-two-faults", "> a FETCH_ADD", "a NAK Invalid Request", "a NAK Remote Access Error", true},
        {"=which-of-two-faults", "> a SEND", "a NAK Invalid Request", "a NAK Remote Access Error", false},
        {"flow-label-zero", "> a SEND", "x", "y", false},
        {"short-datagram-panics", "> a SEND", "x", "y", false},
    };
    static struct fuzz_case c;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c.n = 2;
        strcpy(c.input[0], "  wait 1ms");
        strcpy(c.input[1], rows[i].input);
        const char *as = fuzz_known_as(known_as(rows[i].waiver), &c, rows[i].expected, rows[i].got);
        cr_expect_eq(as && strcmp(as, rows[i].waiver) == 0, rows[i].is, "%s: %s, not %s, after %s", rows[i].waiver,
                     rows[i].got, rows[i].expected, rows[i].input);
        c.n = 1;
        cr_expect(!rows[i].is || strcmp(rows[i].waiver, "controlled-qkey-sent") == 0 ||
                      !fuzz_known_as(known_as(rows[i].waiver), &c, rows[i].expected, rows[i].got),
                  "%s without its input", rows[i].waiver);
    }
}

/* ---- how cases are made ---- */

/* Results of features that a device does not claim are left out of the comparison. */
Test(cases, what_is_not_claimed_is_not_compared)
{
    static const struct {
        uint64_t lacks;
        uint32_t is_free;
    } rows[] = {{0, 0},
                {FUZZ_CAP(virtual_time), FUZZ_FREE_local | FUZZ_FREE_solicited},
                {FUZZ_CAP(congestion), FUZZ_FREE_cnp},
                {FUZZ_CAP(cm_fields), FUZZ_FREE_cm},
                {FUZZ_CAP(cm_fields) | FUZZ_CAP(congestion), FUZZ_FREE_cm | FUZZ_FREE_cnp}};
    static struct fuzz_case c;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fuzz_may may = {~rows[i].lacks, all.links, known_as("flow-label-zero")};
        fuzz_make(&c, &may, 3);
        cr_expect_eq(c.is_free, rows[i].is_free | FUZZ_FREE_flow, "%zu", i);
    }
}

/* The head names the seed, the kind and the link, and the capabilities that the case needs and no other. */
Test(cases, heads)
{
    static struct fuzz_case c;
    unsigned with = 0, links[IBC_LINK_COUNT] = {0}, long_packets = 0, long_where_time_is_real = 0;
    const struct fuzz_may real = {~FUZZ_CAP(virtual_time), all.links, 0};

    for (uint64_t seed = 0; seed < 200; seed++) {
        char title[128];
        fuzz_make(&c, &real, seed);
        long_where_time_is_real += strstr(c.head, "pmtu=4096") != NULL;
        fuzz_make(&c, &all, seed);
        snprintf(title, sizeof title, "title    sequence %u: %s\nspec     ", (unsigned)seed, c.kind);
        cr_assert_eq(strncmp(c.head, title, strlen(title)), 0, "%s", c.head);
        snprintf(title, sizeof title, "sequence-%u", (unsigned)seed);
        cr_assert_str_eq(c.id, title);
        snprintf(title, sizeof title, "\nlink     %s\n", ibc_link_names[c.link]);
        cr_assert(strstr(c.head, title), "%s", c.head);
        cr_assert(strstr(c.head, "\nrole     both\nservice  "), "%s", c.head);
        cr_assert_eq(c.head[strlen(c.head) - 1], '\n');
        long_packets += strstr(c.head, "pmtu=4096") != NULL;
        links[c.link]++;
        const char *needs = strstr(c.head, "\nneeds    ");
        if (strncmp(c.kind, "datagram services", 17) == 0 || strncmp(c.kind, "credits", 7) == 0)
            cr_assert(needs && strstr(needs, c.kind[0] == 'd' ? " cm" : " credits"), "%s", c.head);
        with += needs != NULL;
    }
    for (size_t i = 0; i < IBC_LINK_COUNT; i++)
        cr_expect(links[i] > 25 && links[i] < 60, "link %zu: %u of 200", i, links[i]);
    cr_expect_gt(with, 100);
    cr_expect_gt(long_packets, 10);
    cr_expect_eq(long_where_time_is_real, 0);
}

/* Inputs are whole lines of the language without placeholders: packets, or verbs of an object or a port. About each
 * number of them up to 30 is as frequent, and the last message may add a few. */
Test(cases, inputs)
{
    enum { SEEDS = 400 };
    static struct fuzz_case c;
    unsigned sum = 0, many = 0, packets = 0, verbs = 0, atomics = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fuzz_make(&c, &all, seed);
        cr_assert(c.n >= 3 && c.n <= FUZZ_INPUTS, "%u inputs of seed %u", c.n, (unsigned)seed);
        for (unsigned i = 0; i < c.n; i++) {
            const char *input = c.input[i];
            const bool packet = strncmp(input, "> ", 2) == 0, verb = strncmp(input, "  ", 2) == 0;
            cr_assert(strlen(input) > 4 && !strpbrk(input, "{}\n"), "%s", input);
            packets += packet;
            verbs += verb;
            atomics += packet && strstr(input, " CMP_SWAP ") && strstr(input, " swap=");
            cr_assert(!packet || !strstr(input, " swap=") || strstr(c.head, " atomic"), "%s", c.head);
        }
        const char *pmtu = strstr(c.head, " pmtu=");
        cr_assert(!pmtu || strchr("2514", pmtu[6]), "%s", c.head);
        cr_assert(!pmtu || strtoul(pmtu + 6, NULL, 10) % 256 == 0, "%s", c.head);
        sum += c.n;
        many += c.n > 16;
    }
    cr_expect(sum > 13 * SEEDS && sum < 20 * SEEDS, "%u", sum);
    cr_expect(many > SEEDS / 3 && many < 2 * SEEDS / 3, "%u", many);
    cr_expect_gt(atomics, 0, "the head names the capabilities that they need");
    cr_expect(packets > sum / 4 && verbs > sum / 4, "%u and %u of %u", packets, verbs, sum);
}

/* ---- smaller cases ---- */

struct wanted {
    const char *need[3];
    unsigned n, asked;
};

static bool has_all(void *ctx, const struct fuzz_case *c)
{
    struct wanted *w = ctx;
    unsigned found = 0;

    w->asked++;
    cr_assert_gt(c->n, 0);
    for (unsigned i = 0; i < c->n && found < w->n; i++)
        found += strcmp(c->input[i], w->need[found]) == 0;
    return found == w->n;
}

/* The inputs that are needed are left, in their order, after 50 plays at most. */
Test(cases, a_case_becomes_small)
{
    static struct fuzz_case c;
    static const struct wanted rows[] = {
        {{"1", "", ""}, 1, 0},    {{"32", "", ""}, 1, 0},     {{"17", "", ""}, 1, 0},    {{"1", "32", ""}, 2, 0},
        {{"3", "4", "20"}, 3, 0}, {{"15", "16", "17"}, 3, 0}, {{"30", "31", "32"}, 3, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wanted w = rows[i];
        c.n = FUZZ_INPUTS;
        for (unsigned k = 0; k < c.n; k++)
            snprintf(c.input[k], FUZZ_LINE, "%u", k + 1);
        fuzz_minimise(&c, has_all, &w);
        cr_expect_eq(c.n, w.n, "%zu: %u", i, c.n);
        for (unsigned k = 0; k < w.n; k++)
            cr_expect_str_eq(c.input[k], w.need[k]);
        cr_expect_leq(w.asked, 50, "%zu: %u plays", i, w.asked);
    }
}

static const char *prediction_of(const char *objects, const char *const *input, unsigned n, uint32_t is_free)
{
    static struct fuzz_case c;
    static char text[FUZZ_TEXT], err[256];
    struct ibc_target *model = target("reference");

    c = (struct fuzz_case){.is_free = is_free};
    snprintf(c.head, sizeof c.head, "title t\nspec RR-01\nrole both\nservice rc\nlink roce2-ipv4\n%s", objects);
    for (; c.n < n; c.n++)
        snprintf(c.input[c.n], FUZZ_LINE, "%s", input[c.n]);
    err[0] = '\0';
    struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
    ibc_target_close(model);
    if (!s)
        return err;
    ibc_free(s);
    return text + strlen(c.head);
}

/* A case of one input is none without it: there is no prediction, but a line that says why. */
Test(cases, the_only_input_is_not_left_out)
{
    static const char *const home[] = {"  a post SEND len=8 id=1 lkey=0x00bad000"},
                             *const refused[] = {"  a modify state=sqe"},
                             *const good[] = {"> a SEND_ONLY psn=+0 ackreq=1"};
    const char *why = prediction_of("qp a\n", home, 1, FUZZ_FREE_local);

    cr_expect_not(strstr(why, "\n"), "%s", why);
    why = prediction_of("qp a\n", refused, 1, FUZZ_FREE_refused);
    cr_expect(*why && !strstr(why, "\n"), "%s", why);
    why = prediction_of("qp a nonsense=1\n", good, 1, 0);
    cr_expect(strstr(why, "nonsense") && !strstr(why, "\n"), "%s", why);
    why = prediction_of("qp a\nqp a\n", good, 1, 0);
    cr_expect(*why && !strstr(why, "\n"), "%s", why);
}

/* A refused verb of a line that says so already, or that is too long for it, is left out. */
Test(cases, refusals_that_cannot_be_told)
{
    char room[FUZZ_LINE];
    const char *const lines[] = {room, "> a SEND_ONLY psn=+0 ackreq=1"};

    for (size_t len = FUZZ_LINE - 12; len < FUZZ_LINE - 8; len++) {
        memset(room, ' ', sizeof room);
        memcpy(room, "  a modify state=sqe", strlen("  a modify state=sqe"));
        room[len] = '\0';
        const char *text = prediction_of("qp a recv=1\n", lines, 2, 0);
        cr_expect_eq(strstr(text, " error=any") != NULL, len + strlen(" error=any") + 1 < FUZZ_LINE, "%zu: %s", len,
                     text);
        cr_expect(strstr(text, "\n< a RC_ACKNOWLEDGE "), "%s", text);
    }
}

/* The text never grows beyond its room. */
Test(cases, a_text_that_is_full)
{
    static char text[FUZZ_TEXT + 16];
    struct predicting f = {.text = text, .used = FUZZ_TEXT - 8};

    memset(text, '#', sizeof text);
    predict_print(&f, "%s", "1234567");
    cr_expect(!f.full && f.used == FUZZ_TEXT - 1 && strcmp(text + FUZZ_TEXT - 8, "1234567") == 0);
    f.used = FUZZ_TEXT - 8;
    predict_print(&f, "%s", "12345678");
    cr_expect(f.full && f.used == FUZZ_TEXT - 8);
    f.full = false;
    predict_print(&f, "%s", "123456789012");
    cr_expect(f.full && f.used == FUZZ_TEXT - 8);
    for (size_t i = 0; i < 16; i++)
        cr_expect_eq(text[FUZZ_TEXT + i], '#');
}
