/* SPDX-License-Identifier: BSD-2-Clause */
/* Random packets. The observer stays within its memory, and its lists stay consistent. IBPROOF_PACKETS sets the number
 * of packets. */
#include <stdlib.h>
#include "sim/iba_mutate.h"
#include "wire/iba_build.h"

#include "sound.h"
#include "witness.h"

enum { PACKETS = 1000000, CAP = 512, EVERY = 4096 };

static unsigned long packets(void)
{
    const char *s = getenv("IBPROOF_PACKETS");
    return s ? strtoul(s, NULL, 10) : PACKETS;
}

/* Builds a packet with one of a few QPs, PSNs and sizes, so that packets relate to each other. */
static size_t build(struct iba_random *r, uint8_t *packet, enum iba_link *link)
{
    static const enum iba_encap encap[] = {IBA_ENCAP_ROCE2_V4, IBA_ENCAP_ROCE2_V6, IBA_ENCAP_ROCE1, IBA_ENCAP_IB_LOCAL,
                                           IBA_ENCAP_IB_GLOBAL};
    static const uint8_t payload[CAP] = {1};
    static const uint16_t size[] = {0, 8, 100, 256, 256};
    static struct iba_recipe recipe;
    const enum iba_encap e = encap[iba_random_below(r, sizeof encap / sizeof *encap)];
    const uint8_t opcode = (uint8_t)(iba_random_below(r, 4) ? iba_random_below(r, 0x20) : iba_random_below(r, 256));
    uint8_t *part;
    size_t len;

    iba_recipe_init(&recipe, e, opcode);
    part = iba_recipe_part(&recipe, IBA_H_bth);
    iba_bth_set_psn(part, 0xfffff8 + iba_random_below(r, 40));
    iba_bth_set_destqp(part, iba_random_below(r, 6));
    iba_bth_set_a(part, iba_random_below(r, 2));
    if ((part = iba_recipe_part(&recipe, IBA_H_reth)))
        iba_reth_set_dmalen(part, iba_random_below(r, 4) ? iba_random_below(r, 3000) : iba_random_next(r));
    if ((part = iba_recipe_part(&recipe, IBA_H_aeth)))
        part[0] = (uint8_t)iba_random_below(r, 256);
    if ((part = iba_recipe_part(&recipe, IBA_H_ipv4)))
        iba_ipv4_set_id(part, iba_random_below(r, 3) ? 0 : iba_random_below(r, 200));
    recipe.payload = payload;
    recipe.payload_len = size[iba_random_below(r, sizeof size / sizeof *size)];
    *link = (enum iba_link)iba_encaps[e].link;
    cr_assert_eq(iba_build(&recipe, packet, CAP, &len), IBA_OK);
    return len;
}

/* Runs with flows for all directions, with fewer, and with so few that no flow is on probation. */
static const struct iba_observer_config rooms[] = {{0}, {.n_flow = 16, .n_known = 20}, {.n_flow = 2, .n_known = 12}};

static void observe(const struct iba_observer_config *room, unsigned long n)
{
    static struct witness w;
    uint8_t packet[CAP];
    struct iba_random r;
    struct iba_view v;
    enum iba_link link;
    iba_time now = 0;

    iba_random_seed(&r, 1);
    witness_init(&w, room);
    for (unsigned long i = 0; i < n; i++) {
        size_t len = build(&r, packet, &link), caplen;
        if (iba_random_below(&r, 2))
            len = iba_mutate(&r, link, packet, len, sizeof packet, 900000, NULL);
        caplen = iba_random_below(&r, 8) ? len : 1 + (size_t)iba_random_below(&r, len);
        uint8_t *exact = malloc(caplen); /* exact size, so that a sanitizer sees reads past the end */
        cr_assert_not_null(exact);
        memcpy(exact, packet, caplen);
        now += iba_random_below(&r, 5) ? iba_random_below(&r, 100000) : iba_random_below(&r, 3000000000u);
        (void)iba_view_parse(&v, link, exact, caplen, len, NULL);
        iba_view_check(&v);
        w.n_kept = 0;
        (void)iba_observer_feed(w.observer, &(struct iba_sighting){.view = &v,
                                                                   .now = iba_random_below(&r, 50) ? now : 0,
                                                                   .frame = i + 1,
                                                                   .source = (uint32_t)(i % 2)});
        free(exact);
        if (i % EVERY == 0)
            cr_assert(sound(w.observer));
        if (i == n / 2)
            iba_observer_shrink(w.observer, (w.observer->cfg.n_flow + 2) / 2);
    }
    iba_observer_end(w.observer, now);
    cr_assert(sound(w.observer));
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        cr_assert_eq(w.found[k], w.observer->found[k], "%s", iba_findings[k].name);
}

Test(random, any_packets)
{
    for (unsigned i = 0; i < sizeof rooms / sizeof *rooms; i++)
        observe(&rooms[i], packets() / (sizeof rooms / sizeof *rooms));
}
