/* SPDX-License-Identifier: BSD-2-Clause */
/* The evidence of a play, read with the reader of ibdissect. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "capture.h"
#include "cases.h"

struct kept {
    unsigned n;
    uint32_t dlt;
    char comment[64][256];
    uint64_t at[64];
};

static void read_back(const char *path, struct kept *k)
{
    char err[256];
    struct capture *c = cap_open(path, err, sizeof err);
    struct cap_packet p;

    cr_assert_not_null(c, "%s", err);
    memset(k, 0, sizeof *k);
    while (cap_next(c, &p) == CAP_PACKET && k->n < 64) {
        snprintf(k->comment[k->n], sizeof k->comment[0], "%s", p.comment ? p.comment : "");
        k->dlt = p.dlt;
        k->at[k->n++] = p.ts_ns;
    }
    cr_assert_str_eq(cap_error(c), "");
    cap_close(c);
}

static void play(const char *text, enum ibc_link link, struct kept *k, struct ibc_result *r)
{
    char dir[] = "evidence-XXXXXX";
    struct ibc_target *t = run_reference();
    struct ibc_options o = {.seed = 5, .link = link};

    cr_assert_not_null(mkdtemp(dir));
    o.evidence_dir = dir;
    *r = run_text(t, text, &o);
    cr_assert_not_null(r->evidence);
    cr_assert_str_eq(strrchr(r->evidence, '/'), "/a.case.pcapng");
    read_back(r->evidence, k);
    unlink(r->evidence);
    rmdir(dir);
    ibc_target_close(t);
}

static void done(struct ibc_result *r)
{
    ibc_free((struct ibc_scenario *)r->scenario);
    ibc_result_clear(r);
}

Test(evidence, tells_what_was_sent_and_judged)
{
    struct kept k;
    struct ibc_result r;

    play(RC "vary n 8 9\nqp a recv=2\n> a SEND_ONLY ackreq=1 payload=$n\n< a ACKNOWLEDGE psn=+0\n"
            "> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1 msn=10-$n\n",
         IBC_LINK_roce2_ipv4, &k, &r);
    cr_expect_eq(k.n, 4 + 2 + 4 + 2, "%u", k.n); /* a health probe after each play */
    cr_expect_eq(k.dlt, 1);
    cr_expect_str_eq(k.comment[0], "variation: RC n=8\nline 7: > a SEND_ONLY ackreq=1 payload=8");
    cr_expect_str_eq(k.comment[1], "line 8: < a ACKNOWLEDGE psn=+0: as expected");
    cr_expect(strncmp(k.comment[6], "variation: RC n=9\n", 18) == 0, "%s", k.comment[6]);
    cr_expect_str_eq(k.comment[9],
                     "line 10: < a ACKNOWLEDGE psn=+1 msn=10-9: FAIL: expected aeth.msn 1, got aeth.msn 2");
    cr_expect_eq(r.finding.packet, 10);
    for (unsigned i = 1; i < k.n; i++)
        cr_expect(k.at[i] >= k.at[i - 1]);
    done(&r);
}

/* If an alternative takes a packet, the packet's comment is the sentence of that alternative. If the alternative's
 * statement is not certain, the verdict is DEVIATES. */
Test(evidence, an_alternative_has_its_own_verdict)
{
#define OTHER(spec, says)                                                                                              \
    "title t\nspec " spec                                                                                              \
    "\nrole responder\nservice rc\nqp a recv=2\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n"                      \
    "| " says "< a ACKNOWLEDGE psn=+0\n"
    static const struct {
        const char *text, *verdict;
    } rows[] = {
        {OTHER("RR-03", ""), "as expected"},      {OTHER("RR-03", "pass "), "as expected"},
        {OTHER("RR-03", "done "), "as expected"}, {OTHER("RR-03", "tolerated \"b\" "), "tolerated"},
        {OTHER("RR-03", "fail \"b\" "), "FAIL"},  {OTHER("RR-05", "fail \"b\" "), "DEVIATES"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kept k;
        struct ibc_result r;
        char want[128];
        play(rows[i].text, IBC_LINK_roce2_ipv4, &k, &r);
        snprintf(want, sizeof want, "< a ACKNOWLEDGE psn=+0: %s", rows[i].verdict);
        const char *const said = strstr(k.comment[1], "< a ");
        cr_expect(said && strcmp(said, want) == 0, "%s: %s", rows[i].text, k.comment[1]);
        done(&r);
    }
}

Test(evidence, is_of_the_link_it_was_on)
{
    struct kept k;
    struct ibc_result r;

    play(RC "qp a recv=2\n> a SEND_ONLY ackreq=1\n", IBC_LINK_ib_global, &k, &r);
    cr_expect_eq(k.dlt, 247);
    cr_expect_eq(k.n, 2 + 2);
    cr_expect(strstr(k.comment[1], "FAIL") != NULL, "%s", k.comment[1]);
    done(&r);
}

Test(evidence, tells_what_no_packet_shows)
{
    struct kept k;
    struct ibc_result r;

    play(RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+0\n a state err\n", IBC_LINK_roce2_ipv4, &k, &r);
    cr_expect_eq(k.n, 4);
    cr_expect_str_eq(k.comment[0], "variation: RC\nline 6: > a SEND_ONLY ackreq=1\n"
                                   "line 8: FAIL: expected state Error, got state Ready to Send");
    done(&r);
}

Test(evidence, has_nowhere_to_go)
{
    struct ibc_target *t = run_reference();
    const struct ibc_options o = {.evidence_dir = "/proc/none/there"};
    struct ibc_result r = run_text(t, RC "qp a\n a state rts\n", &o);

    cr_expect_eq(r.verdict, IBC_IS_ERROR);
    cr_expect_str_eq(r.finding.got, "the evidence cannot be written");
    cr_expect_null(r.evidence);
    done(&r);
    /* a play that has ended as ERROR keeps its own reason */
    r = run_text(t, RC "qp a recv=1\n> a SEND_ONLY payload=4 poke=999:aa\n", &o);
    cr_expect_eq(r.verdict, IBC_IS_ERROR);
    cr_expect_str_eq(r.finding.got, "the packet has no such bytes", "%s", r.finding.got);
    done(&r);
    ibc_target_close(t);
}

/* The place of the scenario's file is taken by a folder. */
Test(evidence, has_its_place_taken)
{
    char dir[] = "evidence-XXXXXX", path[64];
    struct ibc_target *t = run_reference();
    struct ibc_options o = {.seed = 5};

    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.case.pcapng", dir);
    cr_assert_eq(mkdir(path, 0777), 0);
    o.evidence_dir = dir;
    struct ibc_result r = run_text(t, RC "qp a\n a state rts\n", &o);
    cr_expect_eq(r.verdict, IBC_IS_ERROR, "%s", ibc_verdict_names[r.verdict]);
    cr_expect_str_eq(r.finding.got, "the evidence cannot be written", "%s", r.finding.got);
    rmdir(path);
    rmdir(dir);
    done(&r);
    ibc_target_close(t);
}
