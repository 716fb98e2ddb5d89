/* SPDX-License-Identifier: BSD-2-Clause */
/* Many plays, one verdict; notes beside the verdict. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"
#include "run/play.h"

#define BODY "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=$x\n"

static struct ibc_result of(const char *text)
{
    static const struct ibc_options o = {.seed = 3};
    struct ibc_target *t = run_reference();
    struct ibc_result r = run_text(t, text, &o);

    ibc_target_close(t);
    return r;
}

static void done(struct ibc_result *r)
{
    ibc_free((struct ibc_scenario *)r->scenario);
    ibc_result_clear(r);
}

Test(verdict, worst_wins_and_the_first_is_kept)
{
    struct ibc_result r = of(CASE_HEAD("rc") "vary x +0 +1 +2\n" BODY);

    cr_expect_eq(r.verdict, IBC_IS_FAIL);
    cr_expect_eq(r.variations, 3);
    cr_expect_eq(r.passed, 1);
    cr_expect_str_eq(r.finding.variation, "x=+1");
    cr_expect_str_eq(r.finding.expected, "bth.psn 0x001001");
    cr_expect_eq(r.finding.line, 8);
    cr_expect_eq(r.finding.packet, 6, "%u", r.finding.packet); /* two of the health probe after the first play */
    cr_expect_str_eq(r.finding.sentence, ibc_statement_find("RR-03")->words);
    done(&r);
}

/* A failure belongs to the first statement that the scenario cites. RR-05 and RR-08 are not certain; RR-03 is. */
Test(verdict, what_is_not_certain_deviates)
{
#define HEAD_OF(spec) "title t\nspec " spec "\nrole responder\nservice rc\n"
#define OTHER "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n"
    static const struct run_case c[] = {
        {HEAD_OF("none") OTHER, IBC_IS_DEVIATES, "bth.psn 0x001001", "bth.psn 0x001000"},
        {HEAD_OF("RR-03") OTHER, IBC_IS_FAIL, "bth.psn 0x001001", "bth.psn 0x001000"},
        {HEAD_OF("RR-03 RR-05") OTHER, IBC_IS_FAIL, NULL, NULL},
        {HEAD_OF("RR-05 RR-03") OTHER, IBC_IS_DEVIATES, "bth.psn 0x001001", "bth.psn 0x001000"},
        {HEAD_OF("RR-05") OTHER "| fail \"never\" < a ACKNOWLEDGE\n", IBC_IS_DEVIATES, NULL, NULL},
        {HEAD_OF("RR-03\ndrawn \"from it\"") OTHER, IBC_IS_DEVIATES, NULL, NULL},
        {HEAD_OF("RR-03\nclass informational\ndrawn \"from it\"") OTHER, IBC_IS_INFO, NULL, NULL},
        {HEAD_OF("RR-05") "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n| tolerated \"b\" < a "
                          "ACKNOWLEDGE\n",
         IBC_IS_TOLERATED, NULL, NULL},
        {HEAD_OF("RR-05") "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n", IBC_IS_PASS, NULL, NULL},
    };
    struct ibc_result r = of(HEAD_OF("RR-05") "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\ncounter "
                                              "packets_in +7\n");

    cr_expect_eq(r.verdict, IBC_IS_PASS);
    cr_expect_eq(r.counters, IBC_IS_DEVIATES, "%s", ibc_verdict_names[r.counters]);
    done(&r);
    run_cases(c);
    r = of(HEAD_OF("RR-05") OTHER);
    cr_expect_str_eq(ibc_uncertainty(r.scenario), "the source of the statement is not certain");
    cr_expect_str_eq(r.finding.sentence, ibc_statement_find("RR-05")->words);
    done(&r);
}

/* The finding prints a refused value as the line writes it. */
Test(verdict, any_value_is_too_much)
{
    static const struct run_case c[] = {{RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=!any\n",
                                         IBC_IS_FAIL, "bth.psn not any", "bth.psn 0x001000"}};

    run_cases(c);
}

/* A wrong counter has a finding of its own, which quotes the sentence of the statement. */
Test(verdict, a_wrong_counter_has_its_sentence)
{
    struct ibc_result r = of(HEAD_OF("RR-03") "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\ncounter "
                                              "packets_in +7\n");

    cr_expect_eq(r.counters, IBC_IS_FAIL, "%s", ibc_verdict_names[r.counters]);
    cr_expect_str_eq(r.counter_finding.sentence, ibc_statement_find("RR-03")->words);
    cr_expect_str_eq(r.finding.sentence, "");
    done(&r);
}

static uint64_t lacking;
static uint32_t rights;

static uint64_t fewer_capabilities(struct ibc_target *t)
{
    return whole->capabilities(t) & ~lacking;
}

static enum ibc_rc keep_rights(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    if (rights == 0 && (a->mask & IBA_QPA_ACCESS))
        rights = a->a.access;
    return whole->modify_qp(t, d, qpn, a);
}

/* A QP asks only for the access rights that the device has. */
Test(verdict, a_qp_asks_for_no_right_that_the_device_lacks)
{
    static const struct {
        uint64_t lacks;
        uint32_t not_given;
    } c[] = {{0, 0},
             {UINT64_C(1) << IBC_CAP_flush, IBA_ACCESS_FLUSH_GLOBAL},
             {UINT64_C(1) << IBC_CAP_persistent, IBA_ACCESS_FLUSH_PERSISTENT},
             {UINT64_C(1) << IBC_CAP_atomic, IBA_ACCESS_REMOTE_ATOMIC}};
    static const struct ibc_options o = {.seed = 3};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        lacking = c[i].lacks;
        rights = 0;
        changed.capabilities = fewer_capabilities;
        changed.modify_qp = keep_rights;
        struct ibc_result r = run_text(t, RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n", &o);
        cr_expect_eq(r.verdict, IBC_IS_PASS);
        cr_expect_eq(rights, IBA_ACCESS_REMOTE & ~c[i].not_given, "case %zu: %#x", i, rights);
        close_changed(t, &r);
    }
}

Test(verdict, a_run_takes_time)
{
    struct ibc_result r = of(CASE_HEAD("rc") "vary x +0 +1\n" BODY);

    cr_expect(r.wall_ns > 0 && r.wall_ns < UINT64_C(60000000000), "%llu ns", (unsigned long long)r.wall_ns);
    done(&r);
}

/* The verdicts in this order rank, and the worst one wins; all other verdicts do not rank. */
Test(verdict, order)
{
    static const enum ibc_verdict ascending[] = {IBC_IS_PASS,     IBC_IS_TOLERATED, IBC_IS_INCONCLUSIVE,
                                                 IBC_IS_DEVIATES, IBC_IS_FAIL,      IBC_IS_ERROR};
    unsigned ranked = 0;

    for (size_t i = 0; i + 1 < sizeof ascending / sizeof *ascending; i++)
        cr_expect_lt(run_rank(ascending[i]), run_rank(ascending[i + 1]));
    for (unsigned v = 0; v < IBC_IS_COUNT; v++)
        ranked += run_rank((enum ibc_verdict)v) > 0;
    cr_expect_eq(ranked, sizeof ascending / sizeof *ascending);
    cr_expect_gt(run_rank(IBC_IS_PASS), 0);
}

Test(verdict, tolerated_counts_as_passed)
{
    struct ibc_result r = of(RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n"
                                "| tolerated \"because\" < a ACKNOWLEDGE\n");

    cr_expect_eq(r.verdict, IBC_IS_TOLERATED);
    cr_expect_eq(r.passed, 1);
    cr_expect_str_eq(r.finding.sentence, "because");
    done(&r);
}

Test(verdict, informational_judges_nothing)
{
    struct ibc_result r = of("title t\nspec RR-03\nclass informational\nrole responder\nservice rc\nqp a recv=1\n"
                             "> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+1\n");

    cr_expect_eq(r.verdict, IBC_IS_INFO);
    cr_expect_str_eq(r.measured, "bth.psn 0x001000, not bth.psn 0x001001");
    done(&r);
}

#define COUNTED "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\ncounter packets_in $n\n"

Test(verdict, counters_stand_apart)
{
    struct ibc_result r = of(RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\ncounter packets_in +7\n");

    cr_expect_eq(r.verdict, IBC_IS_PASS);
    cr_expect_eq(r.counters, IBC_IS_FAIL, "%s", ibc_verdict_names[r.counters]);
    cr_expect_str_eq(r.counter_finding.expected, "packets_in +7");
    cr_expect_str_eq(r.counter_finding.got, "packets_in +1");
    done(&r);
    r = of(RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\ncounter packets_in +1\n");
    cr_expect_eq(r.counters, IBC_IS_PASS);
    done(&r);
    for (unsigned i = 0; i < 2; i++) { /* a wrong counter in one of two variations */
        r = of(i ? CASE_HEAD("rc") "vary n +1 +7\n" COUNTED : CASE_HEAD("rc") "vary n +7 +1\n" COUNTED);
        cr_expect_eq(r.counters, IBC_IS_FAIL, "%s", ibc_verdict_names[r.counters]);
        cr_expect_str_eq(r.counter_finding.variation, "n=+7");
        cr_expect_eq(r.variations, 2);
        done(&r);
    }
    r = of(RC "qp a\n a state rts\ncounter unheard_of +1\n");
    cr_expect_eq(r.counters, IBC_IS_NOT_APPLICABLE);
    done(&r);
}

Test(verdict, scores_are_measured)
{
    struct ibc_result r = of(RC "score rkeys n=64\n");

    cr_expect_eq(r.verdict, IBC_IS_INFO);
    cr_expect(strncmp(r.measured, "rkeys: ", 7) == 0, "%s", r.measured);
    done(&r);
    r = of(RC "score qpns n=32\n");
    cr_expect_eq(r.verdict, IBC_IS_INFO, "%s", r.finding.got);
    done(&r);
    r = of(RC "score psns n=32\n");
    cr_expect(strncmp(r.measured, "psns: ", 6) == 0, "%s", r.measured);
    done(&r);
    r = of(RC "score rkeys n=64 quiet\n");
    cr_expect_eq(r.verdict, IBC_IS_PASS);
    cr_expect_eq(r.measured[0], '\0');
    done(&r);
}

static uint32_t psns;
static enum ibc_rc by_turns(struct ibc_target *t, unsigned d, uint32_t *psn)
{
    (void)t;
    (void)d;
    *psn = psns * 3 - psns % 2; /* steps of 2 and 4 by turns */
    psns++;
    return IBC_OK;
}

/* Of two steps that are equally frequent the smaller one is reported. */
Test(verdict, scores_with_a_tie)
{
    struct ibc_target *t = open_changed();

    changed.choose_psn = by_turns;
    struct ibc_result r = run_text(t, RC "score psns n=9\n", &(struct ibc_options){.seed = 1});
    cr_expect_str_eq(r.measured, "psns: 1.00 bits of min-entropy in a step; the most frequent, +0x2, 4 of 8 times",
                     "%s", r.measured);
    close_changed(t, &r);
}

static unsigned logs;
static enum ibc_rc long_log(struct ibc_target *t, unsigned d, char *text, size_t n)
{
    (void)t;
    (void)d;
    memset(text, 0, n);
    if (logs++ > 0) /* what the system complained of before the play does not count */
        memset(text, 'x', n - 1);
    return IBC_OK;
}

/* A finding has room for 159 characters. */
Test(verdict, long_complaints)
{
    static const char *const text[] = {RC "qp a\n a state rts\n", RC "qp a\n a state err\n"};

    for (unsigned i = 0; i < 2; i++) {
        struct ibc_target *t = open_changed();
        char want[160] = "its log: ";
        changed.log = long_log;
        logs = 0;
        memset(want + strlen(want), 'x', sizeof want - 1 - strlen(want));
        want[sizeof want - 1] = '\0';
        struct ibc_result r = run_text(t, text[i], &(struct ibc_options){.seed = 1});
        cr_expect_eq(r.verdict, IBC_IS_FAIL);
        cr_expect_str_eq(i ? r.measured : r.finding.got, want);
        close_changed(t, &r);
    }
}

static const char *complaint[IBC_DEVICES], *to_come[IBC_DEVICES];
static enum ibc_rc answers[IBC_DEVICES];
static enum ibc_rc one_log_of_each(struct ibc_target *t, unsigned d, char *text, size_t n)
{
    (void)t;
    snprintf(text, n, "%s", complaint[d]);
    complaint[d] = "";
    return answers[d];
}

/* The systems complain during the play when the device says its state. */
static enum ibc_rc query_and_complain(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    for (unsigned i = 0; i < IBC_DEVICES; i++)
        complaint[i] = *to_come[i] ? to_come[i] : complaint[i];
    return whole->query_qp(t, d, qpn, a);
}

/* The first of two devices that complained is quoted. Complaints from before the play do not count, even if both
 * devices have one; nor does a log that cannot be read. */
Test(verdict, complaints_of_two_devices)
{
    static const struct {
        const char *before[IBC_DEVICES], *during[IBC_DEVICES];
        enum ibc_rc answers[IBC_DEVICES];
        const char *got;
    } rows[] = {
        {{"", ""}, {"", ""}, {IBC_OK, IBC_OK}, ""},
        {{"", ""}, {"one", "two"}, {IBC_OK, IBC_OK}, "its log: one"},
        {{"", ""}, {"one", ""}, {IBC_OK, IBC_OK}, "its log: one"},
        {{"", ""}, {"", "two"}, {IBC_OK, IBC_OK}, "its log: two"},
        {{"old", ""}, {"", "two"}, {IBC_OK, IBC_OK}, "its log: two"},
        {{"old", "old"}, {"", ""}, {IBC_OK, IBC_OK}, ""},
        {{"", ""}, {"one", "two"}, {IBC_BROKEN, IBC_OK}, "its log: two"},
        {{"", ""}, {"one", "two"}, {IBC_OK, IBC_BROKEN}, "its log: one"},
        {{"", ""}, {"one", "two"}, {IBC_BROKEN, IBC_BROKEN}, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        changed.log = one_log_of_each;
        changed.query_qp = query_and_complain;
        memcpy(complaint, rows[i].before, sizeof complaint);
        memcpy(to_come, rows[i].during, sizeof to_come);
        memcpy(answers, rows[i].answers, sizeof answers);
        struct ibc_result r = run_text(t, MIDDLE " a state rts\n", &(struct ibc_options){.seed = 1});
        cr_expect_str_eq(r.finding.got, rows[i].got, "row %zu: %s", i, r.finding.got);
        close_changed(t, &r);
    }
}

Test(verdict, seeds_change_nothing)
{
    struct ibc_target *t = run_reference();

    for (uint64_t seed = 0; seed < 300; seed += 7) {
        const struct ibc_options o = {.seed = seed * UINT64_C(0x123456789abcdef)};
        struct ibc_result r = run_text(t,
                                       RC "qp a recv=1\nqp b recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n"
                                          "> b SEND_ONLY ackreq=1\n< b ACKNOWLEDGE\n",
                                       &o);
        cr_expect_eq(r.verdict, IBC_IS_PASS, "seed %llu: %s", (unsigned long long)seed, r.finding.got);
        done(&r);
    }
    ibc_target_close(t);
}

Test(verdict, every_link_and_service)
{
    static const struct run_case c[] = {
        {RC "qp a recv=2\n> a SEND_ONLY ackreq=1 payload=13\n< a ACKNOWLEDGE syndrome=ack\n a completion recv fill=p\n"
            " a post SEND len=13\n< a SEND_ONLY fill=l\n> a ACKNOWLEDGE msn=1\n a completion SEND\n",
         IBC_IS_PASS, NULL, NULL},
        {UC "qp a recv=2\n> a SEND_ONLY payload=13\n a completion recv fill=p\n a post SEND len=13\n< a SEND_ONLY "
            "fill=l\n",
         IBC_IS_PASS, NULL, NULL},
        {UD "qp a recv=2\n> a SEND_ONLY payload=13\n a completion recv fill=p\n a post SEND len=13\n< a SEND_ONLY "
            "fill=l\n",
         IBC_IS_PASS, NULL, NULL},
        {UD "qp a recv=2\ngroup g\nattach a g\n> a SEND_ONLY to=g payload=13\n a completion recv fill=p\n"
            " a post SEND len=13 dest=g\n< a SEND_ONLY to=g fill=l\n",
         IBC_IS_PASS, NULL, NULL},
    };

    for (unsigned link = 0; link < IBC_LINK_COUNT; link++)
        run_cases_on((enum ibc_link)link, c, sizeof c / sizeof *c);
}

Test(verdict, management_and_raw)
{
    static const struct run_case c[] = {
        {CASE_HEAD("gsi") "qp a recv=2\n> a SEND_ONLY payload=256\n a completion recv fill=p\n a post SEND len=256\n"
                          "< a SEND_ONLY fill=l\n",
         IBC_IS_PASS, NULL, NULL},
        {CASE_HEAD("smi") "link ib-local\nqp a recv=2\n> a SEND_ONLY payload=256\n a completion recv fill=p\n"
                          " a post SEND len=256\n< a SEND_ONLY fill=l vl=15\n",
         IBC_IS_PASS, NULL, NULL},
        {CASE_HEAD("raw-ethertype") "link ib-local\nqp a recv=2\n> a RAW payload=64\n a completion recv\n a post SEND "
                                    "len=64\n"
                                    "< a RAW fill=l\n",
         IBC_IS_PASS, NULL, NULL},
        {CASE_HEAD("raw-ipv6") "link ib-local\nqp a recv=2\n> a RAW payload=64\n a completion recv\n", IBC_IS_PASS,
         NULL, NULL},
    };
    run_cases_on(IBC_LINK_ib_local, c, sizeof c / sizeof *c);
}

Test(verdict, the_middle)
{
    static const struct run_case c[] = {
        {MIDDLE " a post SEND\n< a SEND_ONLY\n< b ACKNOWLEDGE\n a completion SEND\n b completion recv fill=l\n",
         IBC_IS_PASS, NULL, NULL},
        {MIDDLE " a post SEND\npass\n a completion SEND\n b completion recv\n", IBC_IS_PASS, NULL, NULL},
        {"title a test\nspec RR-03\nrole middle\nservice rc\nqp a dut=1 peer=b timeout=8\nqp b dut=2 peer=a recv=8\n"
         " a post SEND\n< a SEND_ONLY then=drop as=x\n< a SEND_ONLY same=x then=twice\n< b ACKNOWLEDGE\n"
         " a completion SEND\n b completions recv=1\npass\n",
         IBC_IS_PASS, NULL, NULL},
        {MIDDLE " a post SEND\n< a SEND_ONLY then=hold\n a silence\nrelease a\n< b ACKNOWLEDGE\n", IBC_IS_PASS, NULL,
         NULL},
        {MIDDLE " a post SEND\n< a SEND_ONLY then=corrupt\n b silence\n", IBC_IS_PASS, NULL, NULL},
        {MIDDLE " a post WRITE\npass\n a completion WRITE\n", IBC_IS_PASS, NULL, NULL},
        {"title a test\nspec RR-03\nrole middle\nservice rc\nqp a dut=1 peer=b recv=8\nqp b dut=2 peer=a recv=8 "
         "state=rtr\n"
         " a events none\n a post SEND\npass\n b event comm_established\n a events none\n",
         IBC_IS_PASS, NULL, NULL},
    };
    run_cases(c);
}

Test(verdict, how_long_a_script_waits)
{
    char err[256];
    const char *text = CASE_HEAD("rc uc") "vary t 1s 2s\nqp a recv=1\nwait $t\na silence 3ms\nsilence\n";
    struct ibc_scenario *s = ibc_load_text(text, strlen(text), "t.ibt", "t", err, sizeof err);

    cr_assert_not_null(s, "%s", err);
    cr_expect_eq(ibc_waits(s), 2 * (3000 + 2 * 103) * UINT64_C(1000000));
    ibc_free(s);
}

/* A frame has headers of at most 96 bytes and the longest payload: of a line of the tester, or of one packet of the
 * device, which is at most the path MTU. */
Test(verdict, how_large_packets_are)
{
    static const struct {
        const char *text;
        unsigned bytes;
    } rows[] = {
        {RC "qp a\n a state rts\n", 96},
        {RC "qp a\n> a SEND_ONLY payload=0\n", 96},
        {RC "qp a\n> a SEND_ONLY payload=1\n", 96 + 1},
        {RC "qp a\n a post SEND\n", 96 + 64},
        {RC "qp a\n a post SEND len=100\n", 96 + 100},
        {RC "qp a\n a post SEND len=1023\n", 96 + 1023},
        {RC "qp a\n a post SEND len=4000\n", 96 + 1024},
        {RC "qp a pmtu=2048\n a post SEND len=4000\n", 96 + 2048},
        {RC "qp a pmtu=4096\nqp b pmtu=256\n a post SEND len=4000\n", 96 + 4000},
        {RC "qp a\n a post SEND sge=l+8:40 sge=l+100:50\n", 96 + 90},
        {RC "qp a\n> a SEND_ONLY payload=3000\n", 96 + 3000},
        {RC "qp a\n> a SEND_ONLY payload=3000\n> a SEND_ONLY payload=20\n", 96 + 3000},
        {RC "qp a\n> a SEND_ONLY payload=hex:0102\n", 96 + 2},
        {RC "qp a\n> a READ_REQUEST dmalen=500\n", 96 + 500},
        {RC "qp a\n> a READ_REQUEST dmalen=50000\n", 96 + 1024},
        {RC "qp a\n> a WRITE_ONLY payload=200 dmalen=600\n", 96 + 600},
        {RC "mw w\nqp a\n a post BIND_MW mw=w len=900\n", 96},
        {RC "qp a\n a recv len=900\n", 96}, /* a receive sends nothing */
        {RC "qp a\n a recv sge=l:40 sge=l+100:50\n", 96},
        {RC "qp a\n a post SEND sge=l+8:10 sge=l+100:20\n", 96 + 64},
        {RC "qp a\n a post SEND len=100 sge=l+8:70 sge=l+100:90\n", 96 + 160},
        {CASE_HEAD("rc uc") "vary n 10 20 15\nqp a\n> a SEND_ONLY payload=$n\n", 96 + 20},
    };
    char err[256];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_scenario *s = ibc_load_text(rows[i].text, strlen(rows[i].text), "t.ibt", "t", err, sizeof err);
        cr_assert_not_null(s, "%s", err);
        cr_expect_eq(ibc_packet_bytes(s), rows[i].bytes, "row %zu: %u", i, ibc_packet_bytes(s));
        ibc_free(s);
    }
}

/* Mutants need no more than the first failure: no variation is played after it. */
Test(verdict, the_first_failure_may_end_a_run)
{
    static const struct {
        const char *text;
        bool stop;
        unsigned variations, passed;
        enum ibc_verdict verdict;
    } rows[] = {
        {RC "vary x rts err rts\nqp a\n a state $x\n", false, 3, 2, IBC_IS_FAIL},
        {RC "vary x rts err rts\nqp a\n a state $x\n", true, 2, 1, IBC_IS_FAIL},
        {RC "vary x err rts\nqp a\n a state $x\n", true, 1, 0, IBC_IS_FAIL},
        {RC "vary x rts rts\nqp a\n a state $x\n", true, 2, 2, IBC_IS_PASS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = run_reference();
        struct ibc_result r =
            run_text(t, rows[i].text, &(struct ibc_options){.seed = 1, .stop_at_first = rows[i].stop});
        cr_expect_eq(r.verdict, rows[i].verdict, "row %zu: %s", i, ibc_verdict_names[r.verdict]);
        cr_expect(r.variations == rows[i].variations && r.passed == rows[i].passed, "row %zu: %u of %u", i, r.passed,
                  r.variations);
        ibc_free((struct ibc_scenario *)r.scenario);
        ibc_result_clear(&r);
        ibc_target_close(t);
    }
}
