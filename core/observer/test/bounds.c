/* SPDX-License-Identifier: BSD-2-Clause */
/* Many senders to one QP, and hosts whose addresses were chosen so that their hashes collide. A search looks at few
 * entries, no packet is matched wrongly, and no result depends on the seed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "observer/iba_obs_direction.h"
#include "wire/iba_build.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

#define MS UINT64_C(1000000)
enum { SENDERS = 5000, FLOWS = 64, CAP = 400, MOST_OF_ONE_QP = 40 };

static unsigned found[IBA_FINDING_COUNT];
static uint64_t sum;     /* of all findings, in their order */
static uint64_t evicted; /* the last packet of the direction that was forgotten last */

static void report(void *ctx, const struct iba_finding *f)
{
    (void)ctx;
    found[f->kind]++;
    evicted = f->kind == IBA_FINDING_EVICTED ? f->cause : evicted;
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

/* ---- limits of the tables ---- */

/* The observer remembers 16 directions to one connected QP. A new one replaces the direction that was unseen longest.
 * Datagrams to the number of the QP do not count. */
static void senders_that_a_qp_has(void)
{
    static const uint8_t opcodes[] = {IBA_RC_SEND_ONLY, IBA_UC_SEND_ONLY, IBA_XRC_SEND_ONLY};

    for (unsigned k = 0; k < sizeof opcodes; k++) {
        struct iba_observer *s = open_observer(k);
        for (uint32_t i = 0; i < 16; i++)
            send(s, opcodes[k], i, 5, i);
        send(s, opcodes[k], 0, 5, 16);
        send(s, IBA_UD_SEND_ONLY, 99, 5, 17);
        cr_expect_eq(found[IBA_FINDING_EVICTED], 0);
        send(s, opcodes[k], 16, 5, 18);
        cr_expect(found[IBA_FINDING_EVICTED] == 1 && evicted == 2, "%u of frame %u", found[IBA_FINDING_EVICTED],
                  (unsigned)evicted);
        cr_expect_eq(s->n_known, 17);
        free(s);
    }
}

static uint32_t newest(const struct iba_observer *s)
{
    return s->flow[s->list[IBA_OBS_PROTECTED].newest - 1].known;
}

/* A used flow moves to the front when n_flow / 16 packets have come since it was there. */
static void a_flow_in_use_moves_forward(void)
{
    struct iba_observer *s = open_observer(0);

    for (uint32_t i = 0; i < 4; i++)
        send(s, IBA_RC_SEND_ONLY, i, 100 + i, i);
    send(s, IBA_RC_SEND_ONLY, 1, 101, 4);
    cr_expect_eq(newest(s), 4, "three packets since");
    send(s, IBA_RC_SEND_ONLY, 1, 101, 5);
    cr_expect_eq(newest(s), 2, "four packets since");
    free(s);
}

enum { FIRST_ON_PROBATION = FLOWS - 8 };

/* Uses all flows; the last eight are on probation. */
static struct iba_observer *open_full(void)
{
    struct iba_observer *s = open_observer(0);

    for (uint32_t i = 0; i < FLOWS; i++)
        send(s, IBA_RC_SEND_ONLY, i, 100 + i, i);
    cr_assert_eq(s->list[IBA_OBS_PROBATION].n, 8);
    cr_assert_eq(s->resting, 0);
    return s;
}

/* A new direction displaces the oldest one on probation. If that was used twice, it displaces the oldest of all. */
static void a_second_packet_protects(void)
{
    for (unsigned again = 0; again < 2; again++) {
        struct iba_observer *s = open_full();
        if (again)
            send(s, IBA_RC_SEND_ONLY, FIRST_ON_PROBATION, 100 + FIRST_ON_PROBATION, FLOWS);
        send(s, IBA_RC_SEND_ONLY, FLOWS, 100 + FLOWS, FLOWS + 1);
        cr_expect_eq(s->known[FIRST_ON_PROBATION].flow == 0, !again);
        cr_expect_eq(s->known[0].flow == 0, again);
        cr_expect_eq(s->resting, 1);
        cr_expect_eq(s->list[IBA_OBS_PROBATION].n, 8);
        free(s);
    }
}

/* A direction that comes back from its rest within n_flow packets is protected. */
static void who_comes_back_soon_is_protected(void)
{
    for (unsigned late = 0; late < 2; late++) {
        struct iba_observer *s = open_full();
        uint32_t n = FLOWS;
        send(s, IBA_RC_SEND_ONLY, FLOWS, 100 + FLOWS, n++);
        cr_assert_eq(s->known[FIRST_ON_PROBATION].flow, 0);
        while (n < FIRST_ON_PROBATION + FLOWS - 1 + late)
            send(s, IBA_RC_SEND_ONLY, FLOWS - 1, 100 + FLOWS - 1, n++);
        send(s, IBA_RC_SEND_ONLY, FIRST_ON_PROBATION, 100 + FIRST_ON_PROBATION, n);
        const struct iba_flow *f = &s->flow[s->known[FIRST_ON_PROBATION].flow - 1];
        cr_expect_eq(f->list, late ? IBA_OBS_PROBATION : IBA_OBS_PROTECTED, "%u", late);
        cr_expect_eq(s->known[0].flow == 0, !late);
        free(s);
    }
}

/* The direction that is forgotten is the one among eight at rest that was seen longest ago. The next search goes on
 * after these eight. */
static void eight_at_rest_are_compared(void)
{
    const struct iba_observer_config cfg = {.n_flow = 2, .n_known = 12, .report = report};
    struct iba_observer *s = in_used_memory(&cfg);

    for (uint32_t i = 0; i < cfg.n_known; i++)
        send(s, IBA_RC_SEND_ONLY, i, 100 + i, i);
    cr_assert_eq(s->resting, 10);
    for (uint32_t i = 0; i < 10; i++)
        s->rests[i] = 1000 + i;
    s->rests[7] = 5;
    s->rests[8] = 4;
    send(s, IBA_RC_SEND_ONLY, 50, 150, 50);
    cr_expect_eq(evicted, 8, "%u", (unsigned)evicted);
    send(s, IBA_RC_SEND_ONLY, 51, 151, 51);
    cr_expect_eq(evicted, 9, "%u", (unsigned)evicted);
    free(s);
}

/* A response to the sender, from the host that gets all requests. */
static const struct iba_flow *answer(struct iba_observer *s, uint32_t sender, uint32_t psn, uint64_t n)
{
    static struct iba_recipe r;
    uint8_t packet[CAP], *h;
    struct iba_view v;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_ACKNOWLEDGE);
    h = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_destqp(h, 7);
    iba_bth_set_psn(h, psn);
    h = iba_recipe_part(&r, IBA_H_ipv4);
    iba_ipv4_set_src(h, 0x0b000001);
    iba_ipv4_set_dst(h, 0x0a000000 + sender);
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    iba_view_check(&v);
    return iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = n * 10000, .frame = n + 1})->flow;
}

/* A response to a request that the capture lacks finds its pair among the 32 directions used last, which are also all
 * that are known. The observer of a part compares all of them. Where more are known, the pair is a guess, and no pair
 * if the request would come after the newest captured one. */
static void directions_that_a_response_is_compared_with(void)
{
    static const uint32_t before = 995, after = 1001;

    for (unsigned part = 0; part < 2; part++)
        for (uint32_t others = 30; others <= 31; others++)
            for (unsigned k = 0; k < 2; k++) {
                const struct iba_observer_config cfg = {
                    .n_flow = FLOWS, .n_known = FLOWS, .report = report, .part = part};
                struct iba_observer *s = in_used_memory(&cfg);
                for (uint32_t i = 0; i <= others; i++)
                    send(s, IBA_RC_SEND_ONLY, i, 100 + i, 1000 + i);
                const struct iba_flow *f = answer(s, 0, k ? after : before, 1001 + others);
                const bool few = others == 30;
                cr_expect_eq(iba_flow_is_paired(f), few || (part && !k), "part %u, %u others, %u", part, others, k);
                cr_expect_eq(iba_flow_is_guess(f), !few && part && !k);
                free(s);
            }
}

/* Two destinations whose hashes share their place, and packets of one sender to the same QP of both: they are two
 * directions. */
static void directions_that_share_a_place(void)
{
    enum { SLOTS = 1 << 16, TRIES = 1 << 20, QP = 5 };
    static uint32_t seen[SLOTS];
    static struct iba_recipe r;
    uint8_t packet[CAP];
    struct iba_view v;
    struct iba_direction id, first;
    size_t len;
    uint32_t a = 0, b = 0;

    memset(seen, 0, sizeof seen);
    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), QP);
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    for (uint32_t i = 1; i < TRIES && !b; i++) {
        iba_ipv4_set_dst(packet + v.l3_at, 0x0c000000 + i);
        cr_assert(iba_obs_identify(&id, &v, 0));
        uint32_t *const slot = &seen[(id.target >> 32) % SLOTS];
        if (*slot) {
            iba_ipv4_set_dst(packet + v.l3_at, 0x0c000000 + *slot);
            (void)iba_obs_identify(&first, &v, 0);
            if (first.target >> 32 == id.target >> 32)
                a = *slot, b = i;
        }
        *slot = i;
    }
    cr_assert_neq(b, 0);
    struct iba_observer *s = open_observer(0);
    for (unsigned i = 0; i < 4; i++) {
        iba_ipv4_set_dst(packet + v.l3_at, 0x0c000000 + (i % 2 ? b : a));
        (void)iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = i * MS, .frame = i + 1});
    }
    cr_expect_eq(s->n_known, 2);
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

/* In one process: a process for each takes longer than all of them. */
Test(bounds, limits_of_tables)
{
    senders_that_a_qp_has();
    a_flow_in_use_moves_forward();
    a_second_packet_protects();
    who_comes_back_soon_is_protected();
    eight_at_rest_are_compared();
    directions_that_a_response_is_compared_with();
    directions_that_share_a_place();
}
