/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of real devices: if the tester could not measure the times of packets, the device is not blamed. */
#include <criterion/criterion.h>
#include <string.h>
#include "cases.h"

enum { PACKETS = 16 };
static const uint64_t *gap; /* ns between each packet and the one before */
static unsigned n_seen;
static uint64_t dated;
static enum ibc_rc dates(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                         uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);

    if (rc == IBC_OK && *len) {
        cr_assert_lt(n_seen, PACKETS);
        dated += gap[n_seen++];
        *at += dated;
    }
    return rc;
}

#define WRITES "a post WRITE len=2048\n"
#define SLOWER UC "qp a pmtu=256\n " WRITES "a pace 8 as=before\n " WRITES "a pace 8 slower=before\n"
#define FASTER UC "qp a pmtu=256\n " WRITES "a pace 8 as=before\n " WRITES "a pace 8 faster=before\n"
#define EIGHT(ns) ns, ns, ns, ns, ns, ns, ns, ns

Test(pace, that_was_not_timed_blames_nobody)
{
    static const struct {
        const char *text;
        uint64_t gap[PACKETS];
        enum ibc_verdict verdict;
        const char *got;
    } c[] = {
        {SLOWER, {EIGHT(10000), EIGHT(20000)}, IBC_IS_PASS, ""},
        {FASTER, {EIGHT(20000), EIGHT(10000)}, IBC_IS_PASS, ""},
        {SLOWER, {EIGHT(10000), EIGHT(10000)}, IBC_IS_FAIL, "70000 ns from the first packet to the last"},
        {FASTER, {EIGHT(10000), EIGHT(10000)}, IBC_IS_FAIL, "70000 ns from the first packet to the last"},
        /* the machine of one of them had something else to do */
        {SLOWER,
         {10000, 10000, 10000, 5000000, 10000, 10000, 10000, 10000, EIGHT(20000)},
         IBC_IS_INCONCLUSIVE,
         "packets came unevenly: of 5060000 ns, 5000000 between two of them; 140000 ns from the first packet to the "
         "last"},
        {FASTER,
         {EIGHT(20000), 10000, 10000, 10000, 90000, 10000, 10000, 10000, 10000},
         IBC_IS_INCONCLUSIVE,
         "packets came unevenly: of 150000 ns, 90000 between two of them; 150000 ns from the first packet to the last"},
        /* an interrupt handed all packets of a WRITE over */
        {SLOWER,
         {EIGHT(300), EIGHT(300)},
         IBC_IS_INCONCLUSIVE,
         "the tester cannot time 8 packets in 2100 ns; 2100 ns from the first packet to the last"},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        const struct ibc_options o = {.seed = 1};
        t->virtual_time = false;
        changed.collect = dates;
        gap = c[i].gap;
        n_seen = 0;
        dated = 0;
        struct ibc_result r = run_text(t, c[i].text, &o);
        cr_assert_eq(r.verdict, c[i].verdict, "%s: %s %s", c[i].text, ibc_verdict_names[r.verdict], r.finding.got);
        cr_assert_str_eq(r.finding.got, c[i].got, "%s: %s", c[i].text, r.finding.got);
        close_changed(t, &r);
    }
}

#define MEASURED "title a test\nspec none\nclass informational\nrole requester\nservice uc\nqp a pmtu=256\n"

/* 8 packets of 256 bytes, 10 us apart; the scenario's result lists the rate. The first packet begins the time, so its
 * bytes do not count. Each of the others has 314: 14 of Ethernet, 20 of IPv4, 8 of UDP, a BTH of 12, and an ICRC of 4.
 */
Test(pace, that_is_measured_is_a_rate)
{
    static const struct {
        const char *text;
        uint64_t gap[PACKETS];
        const char *measured;
    } c[] = {
        {MEASURED "a post WRITE len=2048\na pace 8 as=first\n", {EIGHT(10000)}, "Gb/s: first 0.251"},
        {MEASURED "a post WRITE len=2048\na pace 8\n", {EIGHT(10000)}, "Gb/s: 0.251"},
        {MEASURED "a post WRITE len=2048\na pace 8 as=first\n", {EIGHT(0)}, "Gb/s: first at once"},
        {MEASURED "a post WRITE len=512\na pace 2 as=first\n", {0, 1}, "Gb/s: first 2.51e+03"},
        {MEASURED "a post WRITE len=2048\na pace 8 as=first\na post WRITE len=2048\na pace 8 as=next\n",
         {EIGHT(10000), EIGHT(0)},
         ", next at once"},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        t->virtual_time = false;
        changed.collect = dates;
        gap = c[i].gap;
        n_seen = 0;
        dated = 0;
        struct ibc_result r = run_text(t, c[i].text, &(struct ibc_options){.seed = 1});
        cr_expect(strstr(r.measured, c[i].measured), "%s: %s %s: %s", c[i].text, ibc_verdict_names[r.verdict],
                  r.finding.got, r.measured);
        cr_expect_eq(strstr(r.measured, "first at once") != NULL, c[i].gap[1] == 0, "%s", r.measured);
        close_changed(t, &r);
    }
}
