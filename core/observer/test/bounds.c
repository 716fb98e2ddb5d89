/* SPDX-License-Identifier: BSD-2-Clause */
/* Many senders to one QP, and hosts whose addresses were chosen so that their hashes collide. A search looks at few
 * entries, no packet is matched wrongly, and no result depends on the seed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "observer/iba_obs_direction.h"
#include "wire/iba_build.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

enum { SENDERS = 5000, FLOWS = 64, CAP = 400, MOST_OF_ONE_QP = 40 };

static unsigned found[IBA_FINDING_COUNT];
static uint64_t sum; /* of all findings, in their order */

static void report(void *ctx, const struct iba_finding *f)
{
    (void)ctx;
    found[f->kind]++;
    sum = iba_obs_mix(iba_obs_mix(iba_obs_mix(sum, f->kind), f->frame), f->cause);
}

/* Returns an observer in memory that another use has left full of bytes. */
static struct iba_observer *in_used_memory(const struct iba_observer_config *cfg)
{
    const size_t bytes = iba_observer_bytes(cfg);
    void *const memory = malloc(bytes);

    cr_assert_not_null(memory);
    return iba_observer_init(memset(memory, 0xa5, bytes), cfg);
}

static struct iba_observer *open_observer(uint64_t seed)
{
    const struct iba_observer_config cfg = {.n_flow = FLOWS, .n_known = 2 * SENDERS, .seed = seed, .report = report};

    memset(found, 0, sizeof found);
    sum = 0;
    return in_used_memory(&cfg);
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

/* Returns the longest run of occupied buckets, which is the most entries that a search may have to look at. */
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

/* Many senders of datagrams to one QP cost no more than senders to different QPs. */
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

/* The datagrams of each sender stay one direction, whatever the other senders send. */
Test(bounds, each_sender_is_known_again)
{
    struct iba_observer *s = open_observer(1);

    for (uint64_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < SENDERS; i++)
            send(s, IBA_UD_SEND_ONLY, i, 5, round * SENDERS + i);
    cr_expect_eq(s->n_known, SENDERS);
    free(s);
}

static const uint64_t seeds[] = {0, 1, UINT64_C(0x123456789abcdef1), UINT64_MAX};
enum { SEEDS = sizeof seeds / sizeof *seeds };

Test(bounds, findings_do_not_depend_on_the_seed)
{
    uint64_t first = 0;

    for (unsigned k = 0; k < SEEDS; k++) {
        struct iba_observer *s = open_observer(seeds[k]);
        for (uint32_t i = 0; i < SENDERS; i++)
            send(s, i % 3 ? IBA_RC_SEND_ONLY : IBA_UD_SEND_ONLY, i % 100, i % 7, i);
        iba_observer_end(s, SENDERS * UINT64_C(10000));
        first = k ? first : sum;
        cr_expect(sum != 0 && sum == first, "seed %u", k);
        free(s);
    }
}

/* ---- requests whose responses come when all have been sent ---- */

enum { ASKED = 1024, PAIRS = 1500 };

struct host {
    uint8_t address[IBA_ADDR_MOST];
    uint32_t qpn, server_qpn; /* the sender's own QP, and the server's QP, to which it sends */
};

static const struct iba_flow *packet(struct iba_observer *s, bool response, const struct host *h, uint64_t n)
{
    static const uint8_t server[IBA_ADDR_MOST] = {0x20, 1, [15] = 1};
    static struct iba_recipe r;
    uint8_t wire[CAP], payload[8] = {0}, *ip, *bth;
    struct iba_view v;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V6, response ? IBA_RC_ACKNOWLEDGE : IBA_RC_SEND_ONLY);
    bth = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_destqp(bth, response ? h->qpn : h->server_qpn);
    iba_bth_set_psn(bth, 77);
    ip = iba_recipe_part(&r, IBA_H_ipv6);
    memcpy(ip + IBA_AT_ipv6_src / 8, response ? server : h->address, IBA_ADDR_MOST);
    memcpy(ip + IBA_AT_ipv6_dst / 8, response ? h->address : server, IBA_ADDR_MOST);
    iba_bits_put(payload, 0, 64, n); /* no two requests are copies of each other */
    r.payload = payload;
    r.payload_len = response ? 0 : sizeof payload;
    cr_assert_eq(iba_build(&r, wire, sizeof wire, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, wire, len, len, NULL);
    iba_view_check(&v);
    return iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = n * 10000, .frame = n + 1})->flow;
}

static struct host ordinary_host(uint32_t i)
{
    struct host h = {.address = {0x20, 1}, .qpn = 100 + i, .server_qpn = 3 + i};

    iba_bits_put(h.address, 96, 32, 0x0a000000 + i);
    return h;
}

/* Under a hash that passes on the highest bits of a word, a chain of these addresses would have the same sum: the byte
 * that is highest in the first word is also in both places of the second word where it comes out. */
static struct host colliding_host(uint32_t i)
{
    struct host h = {.address = {0x20, 1}, .qpn = 100, .server_qpn = 3 + i};

    h.address[7] = (uint8_t)i;
    h.address[15] = h.address[11] = (uint8_t)(i >> 8);
    return h;
}

/* Checks which of the hosts' responses find their requests: those of the newest n_asked hosts, for every seed. */
static void pairs(struct host host_of(uint32_t i))
{
    for (unsigned k = 0; k < SEEDS; k++) {
        const struct iba_observer_config cfg = {
            .n_flow = FLOWS, .n_known = 2 * SENDERS, .n_asked = ASKED, .seed = seeds[k], .report = report};
        struct iba_observer *s = in_used_memory(&cfg);
        for (uint32_t i = 0; i < PAIRS; i++) {
            const struct host h = host_of(i);
            (void)packet(s, false, &h, i);
        }
        cr_expect_eq(s->n_known, PAIRS);
        for (uint32_t i = 0; i < PAIRS; i++) {
            const struct host h = host_of(i);
            const struct iba_flow *f = packet(s, true, &h, PAIRS + i);
            if (i >= FLOWS) /* the other hosts may still be in the table, in places that a search visits */
                cr_expect_eq(iba_flow_is_paired(f), i >= PAIRS - ASKED, "seed %u: host %u", k, i);
        }
        cr_expect_eq(s->n_known, 2 * PAIRS);
        free(s);
    }
}

Test(bounds, requests_are_forgotten_by_their_age)
{
    pairs(ordinary_host);
}

Test(bounds, addresses_that_were_chosen_to_collide)
{
    pairs(colliding_host);
}

static uint32_t longest_chain(const struct iba_observer *s)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < IBA_OBS_CHAINS * s->cfg.n_asked; c++) {
        uint32_t n = 0;
        for (uint32_t at = s->chain[c]; at != 0 && s->last_asked - at < s->cfg.n_asked; n++)
            at = s->asked[at & (s->cfg.n_asked - 1)].before;
        most = n > most ? n : most;
    }
    return most;
}

/* One request again and again; requests of more senders than a QP may have, each of which is forgotten before it comes
 * again. */
Test(bounds, a_chain_has_a_request_once)
{
    for (uint32_t senders = 1; senders < MOST_OF_ONE_QP; senders += 33) {
        struct iba_observer *s = open_observer(3);
        for (uint32_t i = 0; i < PAIRS; i++) {
            const struct host h = {.address = {0x20, 1, [15] = (uint8_t)(i % senders)}, .server_qpn = 9};
            (void)packet(s, false, &h, i);
        }
        cr_expect_eq(s->last_asked, PAIRS);
        cr_expect_leq(longest_chain(s), 2, "%u senders", senders);
        free(s);
    }
}

/* The hash gives the same value with compilers that have no 128-bit type. */
Test(bounds, a_step_of_the_hash_is_the_same_by_halves)
{
    uint64_t h = 1;

    cr_expect_eq(iba_obs_mix_by_halves(0, UINT64_MAX), iba_obs_mix(0, UINT64_MAX));
    for (unsigned i = 0; i < 10000; i++) {
        cr_assert_eq(iba_obs_mix_by_halves(h, i), iba_obs_mix(h, i), "%u", i);
        h = iba_obs_mix(h, i);
    }
}
