/* SPDX-License-Identifier: BSD-2-Clause */
/* A million random packets: random bytes, and good packets with changed bytes, fields, lengths and ends. The properties
 * of every view hold, nothing is read beyond the bytes (each packet has a block of its own), and
 * iba_view_check() accepts each packet whose CRCs were made right again. */
#include "wire.h"

enum { PACKETS = 1000000, CAP = 400, POOL = 600, LINKS = IBA_LINK_IPOIB + 1 };

static struct base {
    uint8_t bytes[CAP];
    size_t len;
    enum iba_link link;
    struct iba_view view; /* of bytes[] */
} pool[POOL];
static unsigned n_pool;

/* Fills the pool with each encapsulation and as many opcodes as there is room for. */
static void fill_pool(uint64_t *seed)
{
    static struct iba_recipe r;
    uint8_t payload[64];

    for (n_pool = 0; n_pool < POOL; n_pool++) {
        struct base *b = &pool[n_pool];
        const enum iba_encap e = (enum iba_encap)(n_pool % IBA_ENCAP_COUNT);
        uint8_t code = (uint8_t)rnd(seed);
        while (rnd(seed) % 8 && !iba_opcodes[code].name)
            code++;
        iba_recipe_init(&r, e, code);
        if (rnd(seed) % 8 == 0) /* a datagram that carries IP */
            iba_recipe_add(&r, IBA_H_ipoibsend), iba_recipe_add(&r, IBA_H_ipv4), iba_recipe_add(&r, IBA_H_udp);
        rnd_bytes(seed, payload, sizeof payload);
        r.payload = payload;
        r.payload_len = rnd(seed) % sizeof payload;
        b->link = (enum iba_link)iba_encaps[e].link;
        b->len = serve(&r, b->link, &b->view, b->bytes, sizeof b->bytes);
    }
}

static uint64_t odd_value(uint64_t *seed, uint64_t max)
{
    switch (rnd(seed) % 6) {
    case 0: return 0;
    case 1: return max;
    case 2: return max >> 1;
    case 3: return rnd(seed) % 64;
    default: return rnd(seed) & max;
    }
}

/* Changes any field of any header that the packet has. */
static void mutate_field(uint8_t *p, const struct iba_view *v, uint64_t *seed)
{
    if (v->n_layer == 0)
        return;
    const struct iba_layer *l = &v->layer[rnd(seed) % v->n_layer];
    const struct iba_field *f = &iba_headers[l->hdr].field[rnd(seed) % iba_headers[l->hdr].n_field];
    if (f->bits <= 64)
        iba_bits_put(p + l->at, f->at, f->bits, odd_value(seed, iba_field_max(f)));
    else
        rnd_bytes(seed, p + l->at + f->at / 8, f->bits / 8u);
}

/* Changes a length field by a small number. */
static void mutate_length(uint8_t *p, const struct iba_view *v, uint64_t *seed)
{
#define L(h, name)                                                                                                     \
    {                                                                                                                  \
        IBA_H_##h, IBA_AT_##h##_##name, IBA_W_##h##_##name                                                             \
    }
    static const struct {
        uint8_t hdr;
        uint16_t at, n;
    } lengths[] = {L(erf, rlen),   L(erf, wlen),   L(ipv4, len),   L(ipv4, hdr_len), L(ipv6, plen),
                   L(ip6ext, len), L(grh, paylen), L(udp, length), L(lrh, pktlen),   L(bth, padcnt)};
    const unsigned i = (unsigned)(rnd(seed) % COUNT(lengths));

    if (!iba_view_has(v, (enum iba_hdr)lengths[i].hdr))
        return;
    uint8_t *h = p + v->at[lengths[i].hdr];
    iba_bits_put(h, lengths[i].at, lengths[i].n, iba_bits_get(h, lengths[i].at, lengths[i].n) + rnd(seed) % 17 - 8);
}

static size_t mutate(uint8_t *p, const struct base *b, uint64_t *seed)
{
    size_t len = b->len;

    memcpy(p, b->bytes, len);
    for (unsigned n = 1 + (unsigned)(rnd(seed) % 3); n > 0; n--)
        switch (rnd(seed) % 8) {
        case 0: p[rnd(seed) % len] = (uint8_t)rnd(seed); break;
        case 1: p[rnd(seed) % len] ^= (uint8_t)(1u << rnd(seed) % 8); break;
        case 2: mutate_length(p, &b->view, seed); break;
        case 3: len = 1 + rnd(seed) % len; break;
        case 4: /* repeats a part of the packet */
            if (len > 40)
                memmove(p + rnd(seed) % (len - 20), p + rnd(seed) % (len - 20), 20);
            break;
        default: mutate_field(p, &b->view, seed); break;
        }
    for (size_t i = len; i < b->len; i++)
        p[i] = 0;
    return len;
}

/* Returns whether a repair corrects every CRC that can be checked, and changes nothing else. */
static bool repairs(const struct iba_view *v, enum iba_link link, uint8_t *p, size_t caplen, size_t len)
{
    struct iba_view again;

    iba_view_repair_crc(v, p);
    look(&again, link, p, caplen, len);
    EXPECT(!checkable(v->icrc) || again.icrc == IBA_CHECK_GOOD, "ICRC %s after repair", iba_check_name(again.icrc));
    EXPECT(!checkable(v->vcrc) || again.vcrc == IBA_CHECK_GOOD, "VCRC %s after repair", iba_check_name(again.vcrc));
    EXPECT(again.err == v->err && again.n_layer == v->n_layer, "repair changed the packet's shape");
    return checkable(v->icrc) || checkable(v->vcrc);
}

struct tally {
    unsigned err[IBA_ERR_COUNT], proto[IBA_PROTO_ROCE2 + 1], icrc[IBA_CHECK_PENDING + 1], repaired;
};

static void one(uint64_t *seed, struct tally *t)
{
    const struct base *b = &pool[rnd(seed) % n_pool];
    const bool noise = rnd(seed) % 16 == 0;
    enum iba_link link = rnd(seed) % 8 ? b->link : (enum iba_link)(rnd(seed) % LINKS);
    uint8_t p[CAP];
    size_t len = 1 + rnd(seed) % 200, caplen;
    struct iba_view v;

    if (noise)
        rnd_bytes(seed, p, len);
    else
        len = mutate(p, b, seed);
    caplen = rnd(seed) % 8 ? len : rnd(seed) % (len + 1);
    uint8_t *own = malloc(caplen ? caplen : 1), *at = caplen ? own : own + 1;
    memcpy(at, p, caplen);
    look(&v, link, at, caplen, len);
    EXPECT(v.err != IBA_NO_ROOM, "an error of the builder");
    t->err[v.err]++;
    t->proto[v.proto]++;
    t->icrc[v.icrc]++;
    t->repaired += repairs(&v, link, at, caplen, len);
    free(own);
}

/* Checks that the mutations reach every header and every fault. */
static void reached_everything(const struct tally *t)
{
    for (unsigned e = 0; e < IBA_ERR_COUNT; e++)
        cr_expect(t->err[e] > 0 || e == IBA_NO_ROOM || e == IBA_TOO_DEEP, "never: %s", iba_strerror((enum iba_err)e));
    for (unsigned i = 0; i < COUNT(t->proto); i++)
        cr_expect(t->proto[i] > PACKETS / 1000, "protocol %u only %u times", i, t->proto[i]);
    for (unsigned i = 0; i < IBA_CHECK_PENDING; i++)
        cr_expect(t->icrc[i] > PACKETS / 100, "ICRC %s only %u times", iba_check_name((enum iba_check)i), t->icrc[i]);
    cr_expect(t->icrc[IBA_CHECK_PENDING] == 0);
    cr_expect(t->repaired > PACKETS / 4, "only %u repaired", t->repaired);
}

Test(view_random, a_million_packets_keep_the_invariants)
{
    static struct tally t;
    uint64_t seed = 20;

    fill_pool(&seed);
    for (unsigned i = 0; i < PACKETS; i++)
        one(&seed, &t);
    reached_everything(&t);
}

/* Every link type with an empty packet, and with more layers than the view accepts. */
Test(view_random, nothing_and_too_much)
{
    uint8_t p[4 * 64];
    struct iba_view v;

    for (unsigned link = 0; link < LINKS; link++) {
        uint8_t *empty = malloc(1);
        look(&v, (enum iba_link)link, empty + 1, 0, 0);
        cr_assert_eq(v.n_layer, 0);
        free(empty);
    }
    memset(p, 0, sizeof p);
    iba_eth_set_type(p, 0x8100);
    for (size_t i = 14; i + 4 <= sizeof p; i += 4)
        iba_vlan_set_etype(p + i, 0x8100);
    look(&v, IBA_LINK_ETHERNET, p, sizeof p, sizeof p);
    cr_assert_eq(v.err, IBA_TOO_DEEP);
    cr_assert_eq(v.n_layer, IBA_MAX_LAYERS);
}
