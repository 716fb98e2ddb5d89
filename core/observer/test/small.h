/* SPDX-License-Identifier: BSD-2-Clause */
/* Small packets of reliable connections between two hosts, over RoCEv2: 10.0.0.1 sends requests, 10.0.0.2 answers. */
#ifndef SMALL_H
#define SMALL_H
#include "sound.h"
#include "wire/iba_build.h"
#include "witness.h"

struct small {
    uint8_t opcode, syndrome; /* syndrome: of packets with an AETH, as msn */
    bool answer;
    uint32_t qpn, psn, msn; /* qpn: destination */
    uint8_t content;        /* first byte of a request's payload */
};

/* Gives the packet to the observer. Every second packet is prefetched, which must not change the results. */
static inline void feed_small(struct witness *w, iba_time now, const struct small *s)
{
    enum { CAP = 256, BYTES = 8 };
    static struct iba_recipe r;
    uint8_t payload[BYTES] = {s->content}, packet[CAP], *h;
    struct iba_expected e;
    struct iba_view v;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, s->opcode);
    h = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_destqp(h, s->qpn);
    iba_bth_set_psn(h, s->psn);
    iba_bth_set_a(h, !s->answer);
    h = iba_recipe_part(&r, IBA_H_ipv4);
    iba_ipv4_set_src(h, s->answer ? 0x0a000002 : 0x0a000001);
    iba_ipv4_set_dst(h, s->answer ? 0x0a000001 : 0x0a000002);
    if ((h = iba_recipe_part(&r, IBA_H_aeth))) {
        h[0] = s->syndrome;
        iba_aeth_set_msn(h, s->msn);
    }
    r.payload = payload;
    r.payload_len = s->answer ? 0 : BYTES;
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    iba_view_check(&v);
    iba_observer_expect(w->observer, &e, &v);
    iba_observer_fetch(w->observer, &e);
    (void)iba_observer_fetch_peer(w->observer, &e);
    w->frame++;
    (void)iba_observer_feed(
        w->observer,
        &(struct iba_sighting){.view = &v, .now = now, .frame = w->frame, .expected = w->frame % 2 ? &e : NULL});
    cr_assert(sound(w->observer));
}
#endif
