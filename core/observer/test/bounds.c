/* SPDX-License-Identifier: BSD-2-Clause */
/* Many senders to one QP: a search for a direction looks at few others, and nothing is mistaken. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "observer/iba_obs_parts.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { SENDERS = 5000, FLOWS = 64, CAP = 400, MOST_OF_ONE_QP = 40 };

static unsigned found[IBA_FINDING_COUNT];

static void report(void *ctx, const struct iba_finding *f)
{
    (void)ctx;
    found[f->kind]++;
}

static struct iba_observer *open_observer(uint64_t seed)
{
    const struct iba_observer_config cfg = {.n_flow = FLOWS, .n_known = 2 * SENDERS, .seed = seed, .report = report};

    memset(found, 0, sizeof found);
    return iba_observer_init(malloc(iba_observer_bytes(&cfg)), &cfg);
}

static void send(struct iba_observer *s, uint8_t opcode, uint32_t sender, uint32_t qpn, uint64_t n)
{
    static struct iba_recipe r;
    uint8_t packet[CAP], payload[8] = {0}, *h;
    struct iba_view v;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, opcode);
    h = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_destqp(h, qpn);
    iba_bth_set_psn(h, n & IBA_PSN_MASK);
    h = iba_recipe_part(&r, IBA_H_ipv4);
    iba_ipv4_set_src(h, 0x0a000000 + sender);
    iba_ipv4_set_dst(h, 0x0b000001);
    r.payload = payload;
    r.payload_len = sizeof payload;
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    iba_view_check(&v);
    (void)iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = n * 10000, .frame = n + 1});
}

/* The most entries that a search may have to look at: of occupied buckets in a row. */
static uint32_t longest_run(const struct iba_observer *s)
{
    const uint32_t n = s->cfg.n_known * IBA_OBS_BUCKETS;
    uint32_t run = 0, most = 0;

    for (uint32_t i = 0; i < n; i++) {
        run = s->bucket[i] ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static uint32_t run_of(uint8_t opcode, bool one_qp)
{
    struct iba_observer *s = open_observer(7);

    for (uint32_t i = 0; i < SENDERS; i++)
        send(s, opcode, i, one_qp ? 5 : 2 + i, i);
    const uint32_t most = longest_run(s);
    free(s);
    return most;
}

/* As ordinary as senders to different QPs. */
Test(bounds, senders_of_datagrams)
{
    const uint32_t ordinary = run_of(IBA_UD_SEND_ONLY, false);

    cr_expect_leq(run_of(IBA_UD_SEND_ONLY, true), 3 * ordinary, "%u", ordinary);
    cr_expect_eq(found[IBA_FINDING_EVICTED], 0);
}

Test(bounds, senders_to_a_connected_qp)
{
    cr_expect_leq(run_of(IBA_RC_SEND_ONLY, true), MOST_OF_ONE_QP);
    cr_expect_gt(found[IBA_FINDING_EVICTED], 0);
    cr_expect_eq(found[IBA_FINDING_SPOOF] + found[IBA_FINDING_QP_REUSED], 0);
}

/* Datagrams of each sender stay a direction of their own, whatever the others send. */
Test(bounds, each_sender_is_known_again)
{
    struct iba_observer *s = open_observer(1);

    for (uint64_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < SENDERS; i++)
            send(s, IBA_UD_SEND_ONLY, i, 5, round * SENDERS + i);
    cr_expect_eq(s->n_known, SENDERS);
    free(s);
}

/* No result depends on the seed. */
Test(bounds, seeds)
{
    unsigned first[IBA_FINDING_COUNT];

    for (uint64_t seed = 0; seed < 4; seed++) {
        struct iba_observer *s = open_observer(seed * UINT64_C(0x123456789abcdef1));
        for (uint32_t i = 0; i < SENDERS; i++)
            send(s, i % 3 ? IBA_RC_SEND_ONLY : IBA_UD_SEND_ONLY, i % 100, i % 7, i);
        iba_observer_end(s, SENDERS * UINT64_C(10000));
        if (seed == 0)
            memcpy(first, found, sizeof first);
        cr_expect_eq(memcmp(first, found, sizeof first), 0);
        free(s);
    }
}
