/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of tag matching: their layouts against libibverbs' header, and which packets the view reads them in. */
#include <endian.h>
#include <infiniband/tm_types.h>
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 400, QPN = 0x900, SHORTEST = 1, TMH = 16, WITH_RVH = 32, BODY = 40 };
static uint8_t buf[CAP];
static struct iba_recipe r;
static struct iba_view v;

#define SAME_SIZE(h, type) cr_assert_eq((size_t)IBA_BYTES_##h, sizeof(type), #h " has other bytes than " #type)
#define SAME_PLACE(h, field, type, member)                                                                             \
    cr_assert_eq((size_t)IBA_AT_##h##_##field, 8 * offsetof(type, member), #h "." #field);                             \
    cr_assert_eq((size_t)IBA_W_##h##_##field, 8 * sizeof(((type *)NULL)->member), #h "." #field)

Test(tm, layouts_and_values_of_libibverbs)
{
    SAME_SIZE(tmh, struct ibv_tmh);
    SAME_PLACE(tmh, opcode, struct ibv_tmh, opcode);
    SAME_PLACE(tmh, reserved, struct ibv_tmh, reserved);
    SAME_PLACE(tmh, app_ctx, struct ibv_tmh, app_ctx);
    SAME_PLACE(tmh, tag, struct ibv_tmh, tag);
    SAME_SIZE(rvh, struct ibv_rvh);
    SAME_PLACE(rvh, va, struct ibv_rvh, va);
    SAME_PLACE(rvh, r_key, struct ibv_rvh, rkey);
    SAME_PLACE(rvh, len, struct ibv_rvh, len);
    SAME_PLACE(tmop, opcode, struct ibv_tmh, opcode);
    cr_assert_eq((int)IBA_TM_NO_TAG, (int)IBV_TMH_NO_TAG);
    cr_assert_eq((int)IBA_TM_RNDV, (int)IBV_TMH_RNDV);
    cr_assert_eq((int)IBA_TM_FIN, (int)IBV_TMH_FIN);
    cr_assert_eq((int)IBA_TM_EAGER, (int)IBV_TMH_EAGER);
}

Test(tm, reads_structures_of_libibverbs)
{
    const struct ibv_tmh tmh = {IBV_TMH_RNDV, {0, 0, 0}, htobe32(0x01020304), htobe64(0x1122334455667788)};
    const struct ibv_rvh rvh = {htobe64(0x8877665544332211), htobe32(0xa1a2a3a4), htobe32(0xb1b2b3b4)};
    const uint8_t *t = (const uint8_t *)&tmh, *h = (const uint8_t *)&rvh;

    cr_assert(iba_tmh_opcode(t) == IBA_TM_RNDV && iba_tmh_reserved(t) == 0 && iba_tmh_app_ctx(t) == 0x01020304);
    cr_assert(iba_tmh_tag(t) == 0x1122334455667788 && iba_rvh_va(h) == 0x8877665544332211);
    cr_assert(iba_rvh_r_key(h) == 0xa1a2a3a4 && iba_rvh_len(h) == 0xb1b2b3b4);
}

/* Parses a packet whose payload is `n` bytes, of which the first is the kind; the capture lacks the last `cut` bytes.
 */
static size_t see(uint8_t opcode, uint8_t kind, size_t n, enum iba_holds holds, size_t cut)
{
    static uint8_t body[BODY];
    const struct iba_view_opts opts = {.qp = {{0x12, IBA_HOLDS_DATA}, {QPN, (uint8_t)holds}}};

    body[0] = kind;
    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, opcode);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), QPN);
    r.payload = body;
    r.payload_len = n;
    const size_t len = built(&r, buf, sizeof buf);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, buf, len - cut, len, &opts);
    EXPECT(v.err == IBA_OK, "opcode 0x%02x: %s", opcode, iba_strerror(v.err));
    return len;
}

static unsigned headers(void)
{
    return iba_view_has(&v, IBA_H_tmop) + 2u * iba_view_has(&v, IBA_H_tmh) + 4u * iba_view_has(&v, IBA_H_rvh);
}

/* Returns whether a packet with this opcode has the first bytes of a SEND of RC or XRC. */
static bool may_hold(uint8_t opcode)
{
    static const uint8_t begins[] = {0x00, 0x04, 0x05, 0x17, 0xa0, 0xa4, 0xa5, 0xb7};

    return memchr(begins, opcode, sizeof begins) != NULL;
}

Test(tm, begins_only_sends_of_connections_and_only_when_declared)
{
    for (unsigned code = 0; code < 256; code++) {
        const bool empty = iba_opcodes[code].name && iba_opcodes[code].pay == IBA_PAY_NONE;
        (void)see((uint8_t)code, IBA_TM_EAGER, empty ? 0 : BODY, IBA_HOLDS_TM, 0);
        EXPECT(headers() == (may_hold((uint8_t)code) ? 2u : 0u), "opcode 0x%02x", code);
        for (unsigned holds = IBA_HOLDS_UNKNOWN; holds < IBA_HOLDS_TM; holds++) {
            (void)see((uint8_t)code, IBA_TM_EAGER, empty ? 0 : BODY, (enum iba_holds)holds, 0);
            EXPECT(headers() == 0, "opcode 0x%02x, which holds %u", code, holds);
        }
    }
}

/* Returns the headers of a message of that kind with `n` bytes: 1 the first byte alone, 2 a TMH, 4 an RVH. */
static unsigned expected(unsigned kind, size_t n)
{
    if (kind == IBV_TMH_NO_TAG || kind > IBV_TMH_EAGER)
        return n >= SHORTEST ? 1 : 0;
    return (n >= TMH ? 2u : 0u) + ((kind == IBV_TMH_RNDV || kind == IBV_TMH_FIN) && n >= WITH_RVH ? 4u : 0u);
}

/* A header that does not fit is payload: the packet has no fault, since its headers before the payload fit. */
Test(tm, kinds_and_lengths)
{
    static const uint8_t kinds[] = {0, 1, 2, 3, 4, 0x80, 255};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t n = 0; n <= BODY; n++) {
            (void)see(IBA_RC_SEND_ONLY, kinds[k], n, IBA_HOLDS_TM, 0);
            EXPECT(headers() == expected(kinds[k], n), "kind %u, %zu bytes: %u", kinds[k], n, headers());
            EXPECT(v.payload_len == n && v.icrc == IBA_CHECK_PENDING, "kind %u, %zu bytes", kinds[k], n);
            const struct iba_layer *last = &v.layer[v.n_layer - 1];
            if (headers() == 2 || headers() == 1)
                EXPECT(last->at == v.payload_at, "kind %u, %zu bytes: at %u", kinds[k], n, last->at);
        }
}

Test(tm, cut_captures)
{
    static const uint8_t kinds[] = {0, 1, 2, 3};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t cut = 1; cut <= BODY + IBA_ICRC_BYTES; cut++) {
            const size_t len = see(IBA_RC_SEND_ONLY, kinds[k], BODY, IBA_HOLDS_TM, cut);
            const size_t there = len - cut - v.payload_at;
            EXPECT(headers() == expected(kinds[k], there < BODY ? there : BODY), "kind %u, %zu bytes captured",
                   kinds[k], there);
        }
}
