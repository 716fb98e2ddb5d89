/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets that lack a function, crash, or have a fault: the reference with one function replaced. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

#define EXCHANGE RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n a state rts\n"

static enum ibc_rc answer;
static enum ibc_rc query_answers(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    (void)d;
    (void)qpn;
    (void)a;
    snprintf(t->fault, sizeof t->fault, "no answer for 3 s");
    snprintf(t->refusal, sizeof t->refusal, "no_qp");
    return answer;
}

Test(target, answers)
{
    static const struct {
        enum ibc_rc rc;
        enum ibc_verdict verdict;
        const char *got;
    } c[] = {
        {IBC_REFUSED, IBC_IS_FAIL, "refused: no_qp"},
        {IBC_UNSUPPORTED, IBC_IS_UNSUPPORTED, "this target cannot say its state"},
        {IBC_DEAD, IBC_IS_FAIL, "no answer for 3 s"},
        {IBC_BROKEN, IBC_IS_ERROR, "no answer for 3 s"},
        {IBC_LOST, IBC_IS_ERROR, "no answer for 3 s; it does not say if it was up"},
    };
    const struct ibc_options o = {.seed = 1};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        changed.query_qp = query_answers;
        answer = c[i].rc;
        r = run_text(t, EXCHANGE, &o);
        cr_expect_eq(r.verdict, c[i].verdict, "%zu: %s", i, ibc_verdict_names[r.verdict]);
        cr_expect_str_eq(r.finding.got, c[i].got);
        cr_expect_eq(r.finding.what, c[i].rc == IBC_REFUSED ? IBC_FOUND_REFUSAL : IBC_FOUND_OTHERWISE);
        cr_expect_eq(r.passed, 0);
        close_changed(t, &r);
    }
}

static enum ibc_rc reset_answers(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    (void)link;
    (void)seed;
    snprintf(t->fault, sizeof t->fault, "the agent is gone");
    snprintf(t->refusal, sizeof t->refusal, "busy");
    return answer;
}

Test(target, no_clean_device)
{
    static const enum ibc_rc rc[] = {IBC_REFUSED, IBC_UNSUPPORTED, IBC_DEAD, IBC_BROKEN, IBC_LOST};
    const struct ibc_options o = {.seed = 1};

    for (size_t i = 0; i < sizeof rc / sizeof *rc; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        changed.reset = reset_answers;
        answer = rc[i];
        r = run_text(t, EXCHANGE, &o);
        cr_expect_eq(r.verdict, rc[i] == IBC_UNSUPPORTED ? IBC_IS_UNSUPPORTED : IBC_IS_ERROR, "%zu", i);
        cr_expect_eq(r.finding.what, IBC_FOUND_UNCLEAN, "%zu", i);
        cr_expect_str_eq(r.finding.expected, "a clean device");
        if (rc[i] != IBC_UNSUPPORTED && rc[i] != IBC_LOST)
            cr_expect_str_eq(r.finding.got, rc[i] == IBC_REFUSED ? "refused: busy" : "the agent is gone");
        close_changed(t, &r);
    }
}

static unsigned domains;
static enum ibc_rc second_domain_kills(struct ibc_target *t, unsigned d, uint32_t *pd)
{
    if (domains++ == 0)
        return whole->create_pd(t, d, pd);
    snprintf(t->fault, sizeof t->fault, "the agent is gone");
    return IBC_DEAD;
}

static enum ibc_rc second_domain_is_lost(struct ibc_target *t, unsigned d, uint32_t *pd)
{
    if (domains++ == 0)
        return whole->create_pd(t, d, pd);
    snprintf(t->fault, sizeof t->fault, "agent: it hung up");
    return IBC_LOST;
}

Test(target, dies_after_the_case)
{
    const struct ibc_options o = {.seed = 1};
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.create_pd = second_domain_kills;
    r = run_text(t, EXCHANGE, &o);
    cr_expect_eq(r.verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r.finding.got, "the agent is gone: the device did not survive");
    close_changed(t, &r);
    t = open_changed(); /* the health probe runs after a failure too: the next case must not be blamed */
    changed.create_pd = second_domain_kills;
    domains = 0;
    r = run_text(t, RC "qp a\n a state err\n", &o);
    cr_expect_str_eq(r.finding.got, "state Ready to Send: the device did not survive");
    close_changed(t, &r);
    t = open_changed(); /* except for mutants, which need not be alive after the first finding */
    changed.create_pd = second_domain_kills;
    domains = 0;
    r = run_text(t, RC "qp a\n a state err\n", &(struct ibc_options){.seed = 1, .stop_at_first = true});
    cr_expect_str_eq(r.finding.got, "state Ready to Send");
    close_changed(t, &r);
}

/* ---- agents that are lost ---- */

static enum ibc_contact became;
static enum ibc_contact tells(struct ibc_target *t, char *text, size_t n)
{
    (void)t;
    snprintf(text, n, "%s", became == IBC_CONTACT_LOG ? "BUG: of memory" : "");
    return became;
}

static enum ibc_rc loses_agent(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    (void)d;
    (void)qpn;
    (void)a;
    snprintf(t->fault, sizeof t->fault, "agent: it hung up");
    return IBC_LOST;
}

static enum ibc_rc lost_at_reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    (void)link;
    (void)seed;
    snprintf(t->fault, sizeof t->fault, "agent: it hung up");
    return IBC_LOST;
}

/* Tries every row of the table in contact.c: with an agent lost in a step, and with one lost before the play began. */
Test(target, loses_its_agent)
{
    static const struct {
        enum ibc_contact became;
        bool unclean;
        enum ibc_verdict verdict;
        bool died, unwell, proved;
        const char *expected, *got;
    } c[] = {
        {IBC_CONTACT_SAME, false, IBC_IS_ERROR, false, false, false, "say its state",
         "agent: it hung up; its system was up all the time"},
        {IBC_CONTACT_REBOOT, false, IBC_IS_FAIL, true, true, false, "say its state",
         "agent: it hung up: the device did not survive"},
        {IBC_CONTACT_LOG, false, IBC_IS_FAIL, true, true, true, IBC_NO_COMPLAINT, "its log: BUG: of memory"},
        {IBC_CONTACT_UNKNOWN, false, IBC_IS_ERROR, false, false, false, "say its state",
         "agent: it hung up; it does not say if it was up"},
        {IBC_CONTACT_NONE, false, IBC_IS_ERROR, true, false, false, "say its state",
         "agent: it hung up; it did not come back"},
        {IBC_CONTACT_SAME, true, IBC_IS_ERROR, false, false, false, "a clean device",
         "agent: it hung up; its system was up all the time"},
        {IBC_CONTACT_REBOOT, true, IBC_IS_ERROR, false, false, false, "a clean device",
         "agent: it hung up; it went down before the play"},
        {IBC_CONTACT_LOG, true, IBC_IS_ERROR, false, false, false, "a clean device",
         "agent: it hung up; it went down before the play"},
        {IBC_CONTACT_UNKNOWN, true, IBC_IS_ERROR, false, false, false, "a clean device",
         "agent: it hung up; it does not say if it was up"},
        {IBC_CONTACT_NONE, true, IBC_IS_ERROR, true, false, false, "a clean device",
         "agent: it hung up; it did not come back"},
    };
    const struct ibc_options o = {.seed = 1};

    _Static_assert(sizeof c / sizeof *c == 2 * IBC_CONTACT_COUNT, "each row both ways");
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        changed.query_qp = loses_agent;
        changed.contact = tells;
        if (c[i].unclean)
            changed.reset = lost_at_reset;
        became = c[i].became;
        r = run_text(t, EXCHANGE, &o);
        cr_expect_eq(r.verdict, c[i].verdict, "%zu: %s", i, ibc_verdict_names[r.verdict]);
        cr_expect_str_eq(r.finding.expected, c[i].expected, "%zu: %s", i, r.finding.expected);
        cr_expect_str_eq(r.finding.got, c[i].got, "%zu: %s", i, r.finding.got);
        cr_expect(r.died == c[i].died && r.unwell == c[i].unwell && r.proved == c[i].proved, "%zu", i);
        close_changed(t, &r);
    }
}

/* If a failure came before the agent was lost, the device went down, and the failure stays the finding. Otherwise the
 * device is not blamed. */
Test(target, loses_its_agent_behind_a_failure)
{
    static const struct {
        enum ibc_contact became;
        enum ibc_verdict verdict;
        const char *got;
    } c[] = {
        {IBC_CONTACT_REBOOT, IBC_IS_FAIL, "state Ready to Send: the device did not survive"},
        {IBC_CONTACT_SAME, IBC_IS_ERROR, "agent: it hung up; its system was up all the time"},
    };
    const struct ibc_options o = {.seed = 1};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        changed.contact = tells;
        changed.create_pd = second_domain_is_lost;
        domains = 0;
        became = c[i].became;
        r = run_text(t, RC "qp a\n a state err\n", &o);
        cr_expect_eq(r.verdict, c[i].verdict, "%zu: %s", i, ibc_verdict_names[r.verdict]);
        cr_expect_str_eq(r.finding.got, c[i].got, "%zu: %s", i, r.finding.got);
        close_changed(t, &r);
    }
}

/* ---- logs ---- */

static const char *says[8]; /* one at a time */
static unsigned asked;
static enum ibc_rc complains(struct ibc_target *t, unsigned d, char *text, size_t n)
{
    (void)t;
    (void)d;
    snprintf(text, n, "%s", says[asked] ? says[asked] : "");
    asked++;
    return IBC_OK;
}

Test(target, complains_in_its_log)
{
    const struct ibc_options o = {.seed = 1};
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.log = complains;
    says[0] = "WARNING: of the case before";
    r = run_text(t, EXCHANGE, &o);
    cr_expect_eq(r.verdict, IBC_IS_PASS);
    cr_expect_eq(asked, 2);
    close_changed(t, &r);
    t = open_changed();
    changed.log = complains;
    says[3] = "WARNING: CPU: 0 PID: 7";
    r = run_text(t, EXCHANGE, &o);
    cr_expect_eq(r.verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r.finding.got, "its log: WARNING: CPU: 0 PID: 7");
    cr_expect_not(r.logged, "it is the finding");
    close_changed(t, &r);
    t = open_changed(); /* the failure stays the finding; the log's complaint is beside it */
    changed.log = complains;
    says[5] = "BUG: of memory";
    r = run_text(t, RC "qp a\n a state err\n", &o);
    cr_expect_str_eq(r.finding.got, "state Ready to Send");
    cr_expect_str_eq(r.measured, "its log: BUG: of memory");
    cr_expect(r.logged);
    close_changed(t, &r);
}

static uint64_t frames_lost;
static uint64_t loses(struct ibc_target *t)
{
    (void)t;
    return frames_lost++;
}

#define DRAWN "title t\nspec RR-05\nrole responder\nservice rc\nqp a\n"
#define INFORMS "title t\nspec RR-03\nclass informational\nrole responder\nservice rc\nqp a\n"
#define GONE "the agent is gone: the device did not survive"
#define STATE "state Ready to Send, not state Error"

Test(target, informational_measures_no_dead_device)
{
    static const struct {
        const char *text;
        bool dies, loses;
        enum ibc_verdict verdict;
        unsigned passed;
        const char *measured, *got;
    } c[] = {
        {INFORMS " a state rts\n", false, false, IBC_IS_INFO, 1, "as the scenario says", ""},
        {INFORMS " a state rts\n", true, false, IBC_IS_FAIL, 0, "", GONE},
        {INFORMS "score psns n=8 quiet\n", true, false, IBC_IS_FAIL, 0, "", GONE},
        {INFORMS " a state err\n", false, false, IBC_IS_INFO, 1, STATE, "state Ready to Send"},
        {INFORMS " a state err\n", true, false, IBC_IS_FAIL, 0, STATE, GONE},
        {INFORMS "health\n a state err\n", true, false, IBC_IS_FAIL, 0, "", GONE},
        {DRAWN " a state err\n", false, false, IBC_IS_DEVIATES, 0, "", "state Ready to Send"},
        {DRAWN " a state rts\n", true, false, IBC_IS_FAIL, 0, "", GONE},
        {INFORMS " a state rts\n", false, true, IBC_IS_INCONCLUSIVE, 0, "", "1 frames lost by the tester's wire"},
        {INFORMS " a state err\n", false, true, IBC_IS_INCONCLUSIVE, 0, "",
         "1 frames lost by the tester's wire; state Ready to Send"},
    };
    const struct ibc_options o = {.seed = 1};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        domains = 0;
        frames_lost = 0;
        if (c[i].dies)
            changed.create_pd = second_domain_kills;
        if (c[i].loses)
            changed.lost = loses;
        r = run_text(t, c[i].text, &o);
        cr_expect_eq(r.verdict, c[i].verdict, "%zu: %s", i, ibc_verdict_names[r.verdict]);
        cr_expect_eq(r.passed, c[i].passed, "%zu", i);
        cr_expect_str_eq(r.measured, c[i].measured, "%zu: %s", i, r.measured);
        cr_expect_str_eq(r.finding.got, c[i].got, "%zu: %s", i, r.finding.got);
        close_changed(t, &r);
    }
}

static uint64_t claims;
static uint64_t claimed(struct ibc_target *t)
{
    (void)t;
    return claims;
}
static uint32_t has_links;
static uint32_t links(struct ibc_target *t)
{
    (void)t;
    return has_links;
}

#define CAN(capability) (UINT64_C(1) << IBC_CAP_##capability)
#define OF_PIECES RC "mr u piece=m:8 stride=16 rounds=2\nwait 1us\n"
#define EXCHANGE_BY(port) RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE port=" port "\n"

Test(target, claims_less)
{
    static const struct {
        const char *text;
        uint64_t claims;
        uint32_t links;
        enum ibc_verdict verdict;
        unsigned variations;
        const char *measured;
    } c[] = {
        {"title t\nspec RR-03\nrole responder\nservice rc uc\nqp a\n a state rts\n", CAN(rc), ~0u, IBC_IS_PASS, 1, ""},
        {"title t\nspec RR-03\nrole responder\nservice uc\nqp a\n a state rts\n", CAN(rc), ~0u, IBC_IS_NOT_APPLICABLE,
         0, "the device does not claim uc"},
        {"title t\nspec RR-03\nrole responder\nservice rc\nneeds srq\nqp a\n a state rts\n", CAN(rc), ~0u,
         IBC_IS_NOT_APPLICABLE, 0, "the device does not claim srq"},
        {MIDDLE " a state rts\n", CAN(rc), ~0u, IBC_IS_NOT_APPLICABLE, 0, "the device does not claim two_devices"},
        {"title t\nspec RR-03\nrole responder\nservice rc\nlink roce1\nqp a\n a state rts\n", CAN(rc),
         1u << IBC_LINK_roce2_ipv4, IBC_IS_NOT_APPLICABLE, 0, "the target has no link that the scenario is for"},
        {"title t\nspec RR-03\nrole responder\nservice rc\nlink roce1 roce2-ipv6\nqp a\n a state rts\n", CAN(rc),
         1u << IBC_LINK_roce2_ipv6, IBC_IS_PASS, 1, ""},
        {RC "qp a\n> a WRITE_ONLY payload=8 ackreq=1\n< a ACKNOWLEDGE syndrome=ack\n", CAN(rc), ~0u, IBC_IS_PASS, 1,
         ""},
        {OF_PIECES, CAN(rc), ~0u, IBC_IS_UNSUPPORTED, 1, "this target cannot mr"},
        {OF_PIECES, CAN(rc) | CAN(pieces), ~0u, IBC_IS_PASS, 1, ""},
        /* the addresses of a second port are known only if the device has one */
        {EXCHANGE_BY("2"), CAN(rc), ~0u, IBC_IS_PASS, 1, ""},
        {EXCHANGE_BY("2"), CAN(rc) | CAN(two_ports), ~0u, IBC_IS_FAIL, 1, ""},
        {EXCHANGE_BY("1"), CAN(rc), ~0u, IBC_IS_PASS, 1, ""},
    };
    const struct ibc_options o = {.seed = 1};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        changed.capabilities = claimed;
        changed.links = links;
        claims = c[i].claims;
        has_links = c[i].links;
        r = run_text(t, c[i].text, &o);
        cr_expect_eq(r.verdict, c[i].verdict, "%zu: %s %s", i, ibc_verdict_names[r.verdict], r.finding.got);
        cr_expect_eq(r.variations, c[i].variations);
        cr_expect_str_eq(r.measured, c[i].measured);
        close_changed(t, &r);
    }
}

/* The service of a scenario is a capability that the device must claim. Each service is tried on a device that claims
 * nothing else, and on one that claims everything else. */
Test(target, each_service_is_claimed)
{
    static const struct {
        const char *service;
        enum ibc_capability needs;
        const char *measured;
    } rows[] = {
        {"rc", IBC_CAP_rc, "the device does not claim rc"},
        {"uc", IBC_CAP_uc, "the device does not claim uc"},
        {"ud", IBC_CAP_ud, "the device does not claim ud"},
        {"xrc-ini", IBC_CAP_xrc, "the device does not claim xrc"},
        {"gsi", IBC_CAP_management, "the device does not claim management"},
        {"smi", IBC_CAP_management, "the device does not claim management"},
        {"raw-ipv6", IBC_CAP_raw, "the device does not claim raw"},
        {"raw-ethertype", IBC_CAP_raw, "the device does not claim raw"},
    };

    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const bool only = i % 2; /* the device claims nothing else */
        const uint64_t one = UINT64_C(1) << rows[i / 2].needs;
        struct ibc_target *t = open_changed();
        char text[128];
        changed.capabilities = claimed;
        claims = only ? one : ~one;
        snprintf(text, sizeof text, "title t\nspec RR-03\nrole responder\nservice %s\nwait 1us\n", rows[i / 2].service);
        struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 1, .link = IBC_LINK_ib_local});
        cr_expect_eq(r.verdict, only ? IBC_IS_PASS : IBC_IS_NOT_APPLICABLE, "%s: %s %s", rows[i / 2].service,
                     ibc_verdict_names[r.verdict], r.measured);
        cr_expect(only || strncmp(r.measured, rows[i / 2].measured, strlen(rows[i / 2].measured)) == 0, "%s: %s",
                  rows[i / 2].service, r.measured);
        close_changed(t, &r);
    }
}

static enum ibc_rc chatters(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                            uint64_t *at)
{
    static uint8_t last[IBC_FRAME];
    static size_t n;
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);

    if (*len) {
        n = *len;
        memcpy(last, frame, n);
    } else if (n) {
        *len = n;
        *at = whole->now(t);
        memcpy(frame, last, n);
    }
    return rc;
}

Test(target, never_stops_talking)
{
    const struct ibc_options o = {.seed = 1};
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.collect = chatters;
    r = run_text(t, RC "qp a recv=1\n> a SEND_ONLY ackreq=1\nwait 1ms\n", &o);
    cr_expect_eq(r.verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r.finding.got, "packets without end: the device did not survive");
    close_changed(t, &r);
}

static enum ibc_rc to_somebody(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                               uint64_t *at)
{
    enum { DESTQP_LOW = 14 + 20 + 8 + 7 };
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);

    if (*len)
        frame[DESTQP_LOW] ^= 0x80;
    return rc;
}

Test(target, talks_to_strangers)
{
    const struct ibc_options o = {.seed = 1};
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.collect = to_somebody;
    r = run_text(t, EXCHANGE, &o);
    cr_expect_eq(r.verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r.finding.expected, "packets to the tester's queue pairs only");
    close_changed(t, &r);
}

/* ---- completions in another queue than the queue pair's ---- */
static enum ibc_rc poll_of_next(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    return whole->poll_cq(t, d, cq ^ 1, wc, n);
}

Test(target, completes_into_another_queue)
{
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.poll_cq = poll_of_next;
    r = run_text(t, RC "qp a recv=1\nqp b recv=1\n> b SEND_ONLY\n b completion recv\n",
                 &(struct ibc_options){.seed = 1, .stop_at_first = true});
    cr_expect_eq(r.verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r.finding.expected, "a completion of a queue pair that the CQ is for");
    cr_expect(strstr(r.finding.got, "whose receives complete into another"), "%s", r.finding.got);
    close_changed(t, &r);
}

/* ---- what a target cannot do at all ---- */
#define XRC_TGT CASE_HEAD("xrc-tgt") "xrcd x\nwait 1us\n"
#define XRC_TGT_SRQ CASE_HEAD("xrc-tgt") "xrcd x\nsrq s xrcd=x\nwait 1us\n"

Test(target, lacks_functions)
{
    static const struct {
        const char *text;
        size_t function; /* the function's place in the table; NONE: the target has all functions */
        enum ibc_verdict verdict;
    } rows[] = {
#define OF(name) offsetof(struct ibc_target_ops, name)
        {XRC_TGT, SIZE_MAX, IBC_IS_PASS},
        {XRC_TGT, OF(create_xrcd), IBC_IS_UNSUPPORTED},
        {XRC_TGT_SRQ, SIZE_MAX, IBC_IS_PASS},
        {XRC_TGT_SRQ, OF(create_xrc_srq), IBC_IS_UNSUPPORTED},
        {RC "srq s tags=2\nwait 1us\n", SIZE_MAX, IBC_IS_PASS},
        {RC "srq s tags=2\nwait 1us\n", OF(create_tag_srq), IBC_IS_UNSUPPORTED},
        {RC "port gid[1]=hex:fe800000000000000000000000000077\n", SIZE_MAX, IBC_IS_PASS},
        {RC "port gid[1]=hex:fe800000000000000000000000000077\n", OF(set_gid), IBC_IS_UNSUPPORTED},
        {RC "cm c\nwait 1us\n", SIZE_MAX, IBC_IS_PASS},
        {RC "cm c\nwait 1us\n", OF(cm_open), IBC_IS_UNSUPPORTED},
        {RC "qp a\nwait 1us\n", OF(lost), IBC_IS_PASS},
        {RC "qp a\nwait 1us\n", OF(contact), IBC_IS_PASS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        if (rows[i].function != SIZE_MAX)
            memset((char *)&changed + rows[i].function, 0, sizeof(void (*)(void)));
        r = run_text(t, rows[i].text, &(struct ibc_options){.seed = 1});
        cr_expect_eq(r.verdict, rows[i].verdict, "row %zu: %s %s", i, ibc_verdict_names[r.verdict], r.finding.got);
        close_changed(t, &r);
    }
}

/* A packet during a silence is one too many, even if the line's alternative would take a packet later. */
Test(target, talks_late_in_a_silence)
{
    static const struct {
        const char *line;
        enum ibc_found what;
    } rows[] = {
        {" a silence 1ms\n| < a SEND_ONLY psn=+0 within=1us\n", IBC_FOUND_OTHERWISE},
        {"< a SEND_ONLY psn=+0 within=1us\n", IBC_FOUND_LATE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        char text[256];
        snprintf(text, sizeof text, RC "qp a timeout=1\n a post SEND len=4\n< a SEND_ONLY\n%s", rows[i].line);
        struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect_eq(r.verdict, IBC_IS_FAIL, "row %zu: %s", i, ibc_verdict_names[r.verdict]);
        cr_expect_eq(r.finding.what, rows[i].what, "row %zu: %s, not %s", i, r.finding.got, r.finding.expected);
        close_changed(t, &r);
    }
}

static uint8_t told_state;
static enum ibc_rc query_tells(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    const enum ibc_rc rc = whole->query_qp(t, d, qpn, a);

    a->state = told_state;
    return rc;
}

Test(target, is_in_no_state)
{
    for (unsigned state = 0; state <= IBA_QPS_COUNT; state++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        char got[64];
        changed.query_qp = query_tells;
        told_state = (uint8_t)state;
        snprintf(got, sizeof got, "state %s",
                 state < IBA_QPS_COUNT ? iba_qp_state_name((enum iba_qp_state)state) : "?");
        r = run_text(t, RC "qp a\n a state rts\n", &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect_str_eq(r.finding.got, state == IBA_QPS_RTS ? "" : got, "%u: %s", state, r.finding.got);
        close_changed(t, &r);
    }
}

/* If the device dies in one of several plays, the scenario's result says so, whatever the results of the other plays
 * are. */
Test(target, dies_in_one_play_of_three)
{
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.create_pd = second_domain_kills;
    domains = 0;
    r = run_text(t, RC "vary x 1 2 3\nqp a\n a state rts\n a post SEND len=$x error=any\n| a post SEND len=$x\n",
                 &(struct ibc_options){.seed = 1});
    cr_expect(r.died, "%s: %s", ibc_verdict_names[r.verdict], r.finding.got);
    cr_expect_eq(r.variations, 3);
    close_changed(t, &r);
}
