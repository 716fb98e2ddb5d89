/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of core/wire: a seeded generator, the properties of every view, packets from recipes. */
#ifndef WIRE_TEST_H
#define WIRE_TEST_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "wire/iba_build.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
/* An assertion inside a hot loop: Criterion is only called when it fails. */
#define EXPECT(cond, ...)                                                                                              \
    do {                                                                                                               \
        if (!(cond))                                                                                                   \
            cr_assert(0, __VA_ARGS__);                                                                                 \
    } while (0)

static inline uint64_t rnd(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline void rnd_bytes(uint64_t *seed, uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)rnd(seed);
}

static inline bool checkable(enum iba_check c)
{
    return c == IBA_CHECK_GOOD || c == IBA_CHECK_BAD || c == IBA_CHECK_PENDING;
}

static inline const char *broken_layers(const struct iba_view *v)
{
    uint64_t has = 0;
    uint16_t last[IBA_H_COUNT];
    uint32_t at = 0;

    if (v->n_layer > IBA_MAX_LAYERS)
        return "too many layers";
    for (unsigned i = 0; i < v->n_layer; i++) {
        const struct iba_layer *l = &v->layer[i];
        if (l->hdr >= IBA_H_COUNT || l->at < at)
            return "layers overlap";
        at = l->at + iba_headers[l->hdr].bytes;
        if (at > v->caplen)
            return "a layer reaches beyond the capture";
        has |= IBA_HDR_BIT(l->hdr);
        last[l->hdr] = l->at;
    }
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        if ((has >> h & 1) && v->at[h] != last[h])
            return "at[] is not the last header of its kind";
    return has == v->has ? NULL : "has[] disagrees with the layers";
}

/* Returns the name of a property that the view violates; NULL if it has all properties. */
static inline const char *broken(const struct iba_view *v)
{
    const char *layers = broken_layers(v);

    if (layers)
        return layers;
    if (v->caplen > v->len || v->frame_at > v->len)
        return "ends out of order";
    if (v->truncated != (v->caplen < v->len))
        return "truncated is not caplen < len";
    if (v->end > v->len || (uint64_t)v->payload_at + v->payload_len + v->pad > v->len)
        return "the packet or its payload reaches beyond the frame";
    if (v->payload_len > 0 && v->payload_at + v->payload_len + v->pad + IBA_ICRC_BYTES != v->end)
        return "payload, pad and ICRC do not end the packet";
    if (checkable(v->icrc) && (v->end > v->caplen || v->end < v->bth_at + IBA_BYTES_bth + IBA_ICRC_BYTES))
        return "an ICRC that is not there";
    if (checkable(v->vcrc) && v->proto != IBA_PROTO_IB_LINK && v->end + IBA_VCRC_BYTES > v->caplen)
        return "a VCRC that is not there";
    if (v->icrc == IBA_CHECK_TRUNCATED && !v->truncated && !v->fragment)
        return "ICRC truncated by nothing";
    if (iba_view_payload_captured(v) > v->payload_len)
        return "more payload captured than sent";
    if (iba_view_is_transport(v) && v->op && v->err == IBA_OK && !v->truncated && !v->fragment &&
        v->payload_at + v->payload_len + v->pad + IBA_ICRC_BYTES != v->end)
        return "a complete packet with a gap";
    if (v->op && !iba_view_has_bth(v))
        return "an opcode without BTH";
    return NULL;
}

/* Parses and checks the packet, and asserts the properties that every view must have. */
static inline enum iba_err look(struct iba_view *v, enum iba_link link, const uint8_t *p, size_t caplen, size_t len)
{
    iba_view_parse(v, link, p, caplen, len, NULL);
    iba_view_check(v);
    const char *why = broken(v);
    EXPECT(!why, "link %u, %zu of %zu bytes: %s", link, caplen, len, why);
    return v->err;
}

static inline size_t built(const struct iba_recipe *r, uint8_t *buf, size_t cap)
{
    size_t len;

    EXPECT(iba_build(r, buf, cap, &len) == IBA_OK, "the recipe does not build");
    return len;
}

/* Builds and parses a packet. `buf` must stay as long as the view is used. Returns the packet's length. */
static inline size_t serve(const struct iba_recipe *r, enum iba_link link, struct iba_view *v, uint8_t *buf, size_t cap)
{
    const size_t len = built(r, buf, cap);

    look(v, link, buf, len, len);
    return len;
}

/* Returns whether the encapsulation can carry a BTH. */
static inline bool has_transport(enum iba_encap e)
{
    return iba_encaps[e].hdr[iba_encaps[e].n_hdr - 1] == IBA_H_bth;
}
#endif
