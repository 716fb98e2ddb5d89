/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of the suite is played against the engine in this process and against the same engine behind an agent and
 * wires. Results and packets must be the same, down to the time of each packet. Every scenario on every link is for
 * live.py, which takes longer. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/play.h"
#include "targets/live.h"
#include "targets/wire.h"
#include "test/golden.h"

enum { EVERY = 8, WIRES = 2, MOST_LEFT_OUT = 25 /* % */ };

static char folder[] = "same.XXXXXX", tester[WIRES][64], agent[WIRES][64];

static struct ibc_target *open_live(struct ibc_wire *wire[WIRES])
{
    const char *const bin = getenv("IBPROOF_BIN");
    char command[4096], err[512] = "";

    cr_assert(bin && mkdtemp(folder));
    for (unsigned i = 0; i < WIRES; i++) {
        char spec[160];
        snprintf(tester[i], sizeof tester[i], "%s/tester%u", folder, i);
        snprintf(agent[i], sizeof agent[i], "%s/agent%u", folder, i);
        snprintf(spec, sizeof spec, "unix:%s,%s", agent[i], tester[i]);
        wire[i] = ibc_wire_open(spec, err, sizeof err);
        cr_assert(wire[i], "%s", err);
    }
    snprintf(command, sizeof command, "exec:exec %s/ibagent --engine --wire unix:%s,%s --wire unix:%s,%s", bin,
             tester[0], agent[0], tester[1], agent[1]);
    struct ibc_target *t = ibc_live_open(
        &(struct ibc_live){.wire = {wire[0], wire[1]}, .agent = command, .time_scale = 1}, err, sizeof err);
    cr_assert(t, "%s", err);
    return t;
}

static void close_live(struct ibc_target *t, struct ibc_wire *wire[WIRES])
{
    ibc_target_close(t);
    for (unsigned i = 0; i < WIRES; i++) {
        ibc_wire_close(wire[i]);
        (void)unlink(tester[i]);
        (void)unlink(agent[i]);
    }
    (void)rmdir(folder);
}

/* Adds the packets of a play to the digest. */
static void add_packets(void *ctx, struct run_player *p)
{
    uint64_t *digest = ctx;

    for (const struct run_packet *k = p->first; k; k = k->next) {
        *digest = golden_digest(golden_number(*digest, k->at), k->frame, k->len);
        *digest = golden_number(golden_number(*digest, k->device), k->sent);
    }
}

static struct ibc_result play(struct ibc_target *t, const struct ibc_scenario *s, uint32_t link, uint64_t *packets)
{
    struct ibc_result r;

    *packets = GOLDEN_EMPTY;
    ibc_run(s, t, &(struct ibc_options){.seed = 1, .link = link, .ended = add_packets, .ctx = packets}, &r);
    return r;
}

static bool same(const struct ibc_result *a, const struct ibc_result *b)
{
    return a->verdict == b->verdict && a->counters == b->counters && a->variations == b->variations &&
           a->passed == b->passed && strcmp(a->measured, b->measured) == 0 &&
           strcmp(a->finding.expected, b->finding.expected) == 0 && strcmp(a->finding.got, b->finding.got) == 0 &&
           strcmp(a->counter_finding.got, b->counter_finding.got) == 0;
}

Test(same, behind_an_agent)
{
    struct ibc_wire *wire[WIRES];
    struct ibc_suite suite;
    struct ibc_target *live = open_live(wire);
    char err[512] = "";
    unsigned n = 0, left_out = 0;

    cr_assert(ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    struct ibc_target *ours = ibc_target_open("reference", err, sizeof err);
    cr_assert(ours, "%s", err);
    for (size_t i = 0; i < suite.n; i += EVERY, n++) {
        const struct ibc_scenario *s = suite.s[i];
        const uint32_t link = (uint32_t)(golden_text(GOLDEN_EMPTY, s->id) / 4 % IBC_LINK_COUNT);
        uint64_t packets[2];
        struct ibc_result a = play(ours, s, link, &packets[0]), b = play(live, s, link, &packets[1]);
        left_out += b.verdict == IBC_IS_NOT_APPLICABLE; /* the agent has no verb for it */
        cr_expect(b.verdict == IBC_IS_NOT_APPLICABLE || (same(&a, &b) && packets[0] == packets[1]),
                  "%s, link %u: %s %s, over the agent %s %s%s", s->id, link, ibc_verdict_names[a.verdict],
                  a.finding.got, ibc_verdict_names[b.verdict], b.finding.got,
                  packets[0] == packets[1] ? "" : " and other packets");
        ibc_result_clear(&a);
        ibc_result_clear(&b);
    }
    cr_expect_lt(100 * left_out, MOST_LEFT_OUT * n, "%u of %u are left out", left_out, n);
    ibc_target_close(ours);
    close_live(live, wire);
    ibc_suite_free(&suite);
}
