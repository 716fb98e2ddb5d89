/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints of every encapsulation, against the offsets of the addresses in the specifications. */
#include "wire/iba_endpoints.h"
#include "wire.h"
#include "wire/iba_opcode_rows.h"

/* RFC 791, RFC 8200, and the GRH and LRH of chapters 8.3 and 7.7 */
static const struct place {
    enum iba_hdr hdr;
    enum iba_addr_kind kind;
    unsigned src, dst, bytes;
} places[] = {{IBA_H_ipv4, IBA_ADDR_IPV4, 12, 16, 4},
              {IBA_H_ipv6, IBA_ADDR_IPV6, 8, 24, 16},
              {IBA_H_grh, IBA_ADDR_GID, 8, 24, 16},
              {IBA_H_lrh, IBA_ADDR_LID, 6, 2, 2}};
_Static_assert(COUNT(places) == IBA_ADDR_KINDS, "core/wire/test/endpoints.c: a kind of address has no place");

static const struct place *place_of(unsigned hdr)
{
    for (size_t i = 0; i < COUNT(places); i++)
        if (places[i].hdr == hdr)
            return &places[i];
    return NULL;
}

/* Gives each network header different addresses. Returns the innermost network header, whose addresses are those of the
 * InfiniBand packet. */
static const struct iba_part *address(struct iba_recipe *r, uint64_t *seed)
{
    const struct iba_part *last = NULL;

    for (unsigned i = 0; i < r->n_part; i++) {
        const struct place *p = place_of(r->part[i].hdr);
        if (!p)
            continue;
        rnd_bytes(seed, r->part[i].bytes + p->src, p->bytes);
        rnd_bytes(seed, r->part[i].bytes + p->dst, p->bytes);
        last = &r->part[i];
    }
    return last;
}

static void is_gid(const uint8_t *gid, const struct place *p, const uint8_t *addr, const char *name)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:a.b.c.d */
    const bool ipv4 = p->kind == IBA_ADDR_IPV4;

    cr_assert(!ipv4 || memcmp(gid, mapped, sizeof mapped) == 0, "%s", name);
    cr_assert(memcmp(gid + (ipv4 ? sizeof mapped : 0), addr, p->bytes) == 0, "%s", name);
    cr_assert(!ipv4 || iba_gid_is_ipv4(gid), "%s", name);
}

static void are_right(const struct iba_view *v, const struct iba_part *part, const char *name)
{
    const struct place *p = place_of(part->hdr);
    struct iba_endpoints e;
    struct iba_endpoint_gids g;

    cr_assert(iba_endpoints_of(&e, v), "core/wire/iba_endpoints.h: no endpoints of %s", name);
    cr_assert_eq(e.kind, p->kind, "core/wire/iba_endpoints.h: %s has addresses of kind %u", name, e.kind);
    cr_assert(memcmp(e.src, part->bytes + p->src, p->bytes) == 0, "source of %s", name);
    cr_assert(memcmp(e.dst, part->bytes + p->dst, p->bytes) == 0, "destination of %s", name);
    cr_assert_eq(iba_endpoints_gids(&g, v), p->kind != IBA_ADDR_LID, "GIDs of %s", name);
    if (p->kind == IBA_ADDR_LID)
        return;
    is_gid(g.src, p, part->bytes + p->src, name);
    is_gid(g.dst, p, part->bytes + p->dst, name);
}

Test(endpoints, of_every_encapsulation)
{
    uint64_t seed = 1;
    unsigned met[IBA_ADDR_KINDS] = {0};

    for (unsigned i = 0; i < IBA_ENCAP_COUNT; i++) {
        struct iba_recipe r;
        struct iba_view v;
        struct iba_endpoints e;
        struct iba_endpoint_gids g;
        uint8_t frame[512];
        size_t n;

        iba_recipe_init(&r, (enum iba_encap)i, IBA_RC_SEND_ONLY);
        const struct iba_part *part = address(&r, &seed);
        cr_assert_eq(iba_build(&r, frame, sizeof frame, &n), IBA_OK, "%s", iba_encaps[i].name);
        (void)iba_view_parse(&v, (enum iba_link)iba_encaps[i].link, frame, n, n, NULL);
        if (iba_view_has_bth(&v)) {
            are_right(&v, part, iba_encaps[i].name);
            met[place_of(part->hdr)->kind]++;
        } else
            cr_assert(!iba_endpoints_of(&e, &v) && !iba_endpoints_gids(&g, &v), "%s", iba_encaps[i].name);
    }
    for (unsigned k = 0; k < IBA_ADDR_KINDS; k++)
        cr_assert_gt(met[k], 0, "no encapsulation has addresses of kind %u", k);
}

Test(endpoints, as_many_bytes_count_as_the_kind_has)
{
    for (size_t i = 0; i < COUNT(places); i++)
        for (unsigned differs = 0; differs < IBA_ADDR_MOST; differs++) {
            const uint8_t a[IBA_ADDR_MOST] = {0};
            uint8_t b[IBA_ADDR_MOST] = {0}, copy[IBA_ADDR_MOST] = {0};
            const bool counts = differs < places[i].bytes;
            b[differs] = 1;
            iba_addr_copy(copy, places[i].kind, b);
            cr_assert_eq(copy[differs], counts, "kind %u, byte %u", places[i].kind, differs);
            cr_assert_eq(iba_addr_eq(a, b, places[i].kind), !counts, "kind %u, byte %u", places[i].kind, differs);
        }
}

/* ::ffff:0:0/96 (RFC 4291): a GID that differs in any one of the 96 bits is not IPv4. */
Test(endpoints, an_ipv4_gid_has_the_prefix_of_mapped_addresses)
{
    uint8_t gid[IBA_ADDR_MOST];

    iba_gid_set_ipv4(gid, 0xc0000201);
    cr_assert(iba_gid_is_ipv4(gid));
    for (unsigned bit = 0; bit < 128; bit++) {
        gid[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        cr_assert_eq(iba_gid_is_ipv4(gid), bit >= 96, "bit %u", bit);
        gid[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
    }
}
