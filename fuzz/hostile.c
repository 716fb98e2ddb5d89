/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes any packet through core's mutator and lossy network. Checks that repaired packets have good CRCs, and that the
 * network's log has for each frame whether it was lost or how often it arrived. */
#include "records.h"
#include "sim/iba_mutate.h"
#include "sim/iba_net.h"

const struct fuzz_target fuzz_target = {"hostile", FUZZ_PACKET, NULL};

enum { ROOM = 4096, MUTATIONS = 4, SLOTS = 8, FRAMES = 6, HALF = 500000 };

struct log {
    unsigned n[IBA_NET_DELIVERED + 1];
};

static void on_event(void *ctx, const struct iba_net_event *e)
{
    ((struct log *)ctx)->n[e->what]++;
    fuzz_note((uint64_t)e->what << 32 | e->frame);
}

static size_t mutate(struct iba_random *r, enum iba_link link, uint8_t *p, size_t n)
{
    struct iba_mutation what;
    struct iba_view v;

    for (unsigned i = 0; i < MUTATIONS; i++) {
        n = iba_mutate(r, link, p, n, ROOM, HALF, &what);
        FUZZ_CHECK(n >= 1 && n <= ROOM && what.kind < IBA_MUTATION_COUNT && what.at <= n);
        (void)iba_view_parse(&v, link, p, n, n, NULL);
        iba_view_check(&v);
        FUZZ_CHECK(!what.repaired || (v.icrc != IBA_CHECK_BAD && v.vcrc != IBA_CHECK_BAD));
        fuzz_note_bytes(p, n);
    }
    return n;
}

static void travel(uint64_t seed, uint8_t how, enum iba_link link, const uint8_t *p, size_t n)
{
    static struct iba_net_slot slot[SLOTS];
    static uint8_t bytes[SLOTS * ROOM], frame[ROOM];
    const uint32_t often = HALF * (how & 1u);
    const struct iba_net_faults faults = {.lose = how & 2 ? HALF : 0,
                                          .duplicate = often,
                                          .corrupt = how & 4 ? HALF : 0,
                                          .reorder = how & 8 ? HALF : 0,
                                          .ecn_mark = how & 16 ? HALF : 0,
                                          .delay_ns = how,
                                          .jitter_ns = how & 32 ? 100 : 0,
                                          .reorder_ns = 1000};
    struct iba_net net;
    struct log log = {.n = {0}};
    unsigned arrived = 0;

    iba_net_init(&net, seed, &faults, link, slot, bytes, how & 64 ? 2 : SLOTS, ROOM);
    net.log = on_event;
    net.log_ctx = &log;
    for (unsigned i = 0; i < FRAMES; i++)
        iba_net_send(&net, i & 1, p, n, i);
    for (iba_time now; (now = iba_net_deadline(&net)) != IBA_NEVER;)
        for (uint8_t to = 0; to < 2; to++)
            for (size_t len; (len = iba_net_receive(&net, to, frame, sizeof frame, now)) > 0; arrived++) {
                FUZZ_CHECK(len == n);
                fuzz_note_bytes(frame, len);
            }
    FUZZ_CHECK(log.n[IBA_NET_SENT] == FRAMES && log.n[IBA_NET_DELIVERED] == arrived);
    FUZZ_CHECK(arrived == FRAMES - log.n[IBA_NET_LOST] + log.n[IBA_NET_DUPLICATED]);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static uint8_t packet[ROOM];
    struct fuzz_in in = {data, n};
    const enum iba_link link = fuzz_link(fuzz_u8(&in));
    const uint8_t how = fuzz_u8(&in);
    struct iba_random r;

    if (in.n == 0 || in.n > sizeof packet)
        return 0;
    fuzz_packet(link, in.p, in.n);
    memcpy(packet, in.p, in.n);
    iba_random_seed(&r, how + in.n);
    travel(how + in.n, how, link, packet, mutate(&r, link, packet, in.n));
    return 0;
}
