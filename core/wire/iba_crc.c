/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_crc.h"
#include <assert.h>
#include <isa-l.h>
#include <stdbool.h>
#include <string.h>

/* The CRC-32, as zlib computes it, of eight 0xFF bytes. They replace the LRH that RoCE lacks (WF-74: register
 * 0xDEBB20E3, complemented). */
#define ROCE_SEED (~UINT32_C(0xdebb20e3))

/* The masks of a packet without a header between the outer header and the BTH. Masked bits count as ones: fields of the
 * outer header, the UDP checksum in the BTH_PART bytes before the BTH, and byte 4 of the BTH with FECN and BECN. */
enum { HEAD = 64, BTH_PART = 2, BTH_END = 5 };
#define IP6_MASK(base) [base] = 0x0f, [(base) + 1] = 0xff, [(base) + 2] = 0xff, [(base) + 3] = 0xff, [(base) + 7] = 0xff
#define UDP_MASK(bth) [(bth)-2] = 0xff, [(bth)-1] = 0xff
#define BTH_MASK(bth) [(bth) + 4] = 0xff

static const struct mask {
    uint32_t seed;
    uint8_t bth_at;
    uint8_t ones[HEAD];
} masks[] = {
    [IBA_ICRC_LOCAL] = {0, 8, {[0] = 0xf0, BTH_MASK(8)}},
    [IBA_ICRC_GLOBAL] = {0, 48, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, IP6_MASK(8), BTH_MASK(48)}},
    [IBA_ICRC_ROCE1] = {ROCE_SEED, 40, {IP6_MASK(0), BTH_MASK(40)}},
    [IBA_ICRC_ROCE2_V4] = {ROCE_SEED,
                           28,
                           {[1] = 0xff, [8] = 0xff, [10] = 0xff, [11] = 0xff, UDP_MASK(28), BTH_MASK(28)}},
    [IBA_ICRC_ROCE2_V6] = {ROCE_SEED, 48, {IP6_MASK(0), UDP_MASK(48), BTH_MASK(48)}},
};

/* Masks a packet that has other headers between the outer header and the BTH, or fewer than HEAD bytes. */
static void mask_apart(const struct mask *m, uint8_t *copy, size_t bth_at)
{
    const size_t outer = m->bth_at - BTH_PART;

    for (size_t i = 0; i < outer; i++)
        copy[i] |= m->ones[i];
    for (size_t i = 0; i < BTH_PART + BTH_END; i++)
        copy[bth_at - BTH_PART + i] |= m->ones[outer + i];
}

/* The CRC loads many bytes at once, and the processor would wait for a byte that was just stored alone. So the masked
 * bytes are written while they are copied. */
__attribute__((hot)) uint32_t iba_icrc(enum iba_icrc_kind kind, const uint8_t *from, size_t bth_at, size_t end)
{
    const struct mask *m = &masks[kind];
    const bool usual = bth_at == m->bth_at && end >= HEAD;
    uint8_t copy[IBA_ICRC_MAX_BTH_AT + BTH_END];
    const size_t head = usual ? HEAD : end < sizeof copy ? end : bth_at + BTH_END;
    uint32_t crc;

    assert(bth_at >= 8 && bth_at <= IBA_ICRC_MAX_BTH_AT && bth_at + BTH_END <= end);
    if (usual) {
        for (unsigned i = 0; i < HEAD; i++)
            copy[i] = from[i] | m->ones[i];
    } else {
        memcpy(copy, from, head);
        mask_apart(m, copy, bth_at);
    }
    crc = crc32_gzip_refl(m->seed, copy, head);
    return head == end ? crc : crc32_gzip_refl(crc, from + head, end - head);
}

/* CRC-16, polynomial 0x100B, least significant bit first (reflected 0xD008), preset and complemented (WF-79). A step
 * takes 16 bytes: the table lookups of a step wait only for two bytes of the step before. Cn is the register n shifts
 * after a single 1 was shifted out; the entries of the tables are sums of these 128 constants. */
#define SHIFT(c) (((c)&1) ? ((c) >> 1) ^ 0xd008 : (c) >> 1)
#define C8(a, b, c, d, e, f, g, h, i)                                                                                  \
    b = SHIFT(a), c = SHIFT(b), d = SHIFT(c), e = SHIFT(d), f = SHIFT(e), g = SHIFT(f), h = SHIFT(g), i = SHIFT(h)
enum {
    C0 = 0xd008,
    C8(C0, C1, C2, C3, C4, C5, C6, C7, C10),
    C8(C10, C11, C12, C13, C14, C15, C16, C17, C20),
    C8(C20, C21, C22, C23, C24, C25, C26, C27, C30),
    C8(C30, C31, C32, C33, C34, C35, C36, C37, C40),
    C8(C40, C41, C42, C43, C44, C45, C46, C47, C50),
    C8(C50, C51, C52, C53, C54, C55, C56, C57, C60),
    C8(C60, C61, C62, C63, C64, C65, C66, C67, C70),
    C8(C70, C71, C72, C73, C74, C75, C76, C77, C80),
    C8(C80, C81, C82, C83, C84, C85, C86, C87, C90),
    C8(C90, C91, C92, C93, C94, C95, C96, C97, CA0),
    C8(CA0, CA1, CA2, CA3, CA4, CA5, CA6, CA7, CB0),
    C8(CB0, CB1, CB2, CB3, CB4, CB5, CB6, CB7, CC0),
    C8(CC0, CC1, CC2, CC3, CC4, CC5, CC6, CC7, CD0),
    C8(CD0, CD1, CD2, CD3, CD4, CD5, CD6, CD7, CE0),
    C8(CE0, CE1, CE2, CE3, CE4, CE5, CE6, CE7, CF0),
    C8(CF0, CF1, CF2, CF3, CF4, CF5, CF6, CF7, C100),
};
#define BIT(i, k, c) ((((i) >> (k)) & 1) * (c))
#define SUM(i, a, b, c, d, e, f, g, h)                                                                                 \
    (uint16_t)(BIT(i, 7, a) ^ BIT(i, 6, b) ^ BIT(i, 5, c) ^ BIT(i, 4, d) ^ BIT(i, 3, e) ^ BIT(i, 2, f) ^               \
               BIT(i, 1, g) ^ BIT(i, 0, h))
#define T0(i) SUM(i, C0, C1, C2, C3, C4, C5, C6, C7)
#define T1(i) SUM(i, C10, C11, C12, C13, C14, C15, C16, C17)
#define T2(i) SUM(i, C20, C21, C22, C23, C24, C25, C26, C27)
#define T3(i) SUM(i, C30, C31, C32, C33, C34, C35, C36, C37)
#define T4(i) SUM(i, C40, C41, C42, C43, C44, C45, C46, C47)
#define T5(i) SUM(i, C50, C51, C52, C53, C54, C55, C56, C57)
#define T6(i) SUM(i, C60, C61, C62, C63, C64, C65, C66, C67)
#define T7(i) SUM(i, C70, C71, C72, C73, C74, C75, C76, C77)
#define T8(i) SUM(i, C80, C81, C82, C83, C84, C85, C86, C87)
#define T9(i) SUM(i, C90, C91, C92, C93, C94, C95, C96, C97)
#define T10(i) SUM(i, CA0, CA1, CA2, CA3, CA4, CA5, CA6, CA7)
#define T11(i) SUM(i, CB0, CB1, CB2, CB3, CB4, CB5, CB6, CB7)
#define T12(i) SUM(i, CC0, CC1, CC2, CC3, CC4, CC5, CC6, CC7)
#define T13(i) SUM(i, CD0, CD1, CD2, CD3, CD4, CD5, CD6, CD7)
#define T14(i) SUM(i, CE0, CE1, CE2, CE3, CE4, CE5, CE6, CE7)
#define T15(i) SUM(i, CF0, CF1, CF2, CF3, CF4, CF5, CF6, CF7)
#define R4(T, i) T(i), T((i) + 1), T((i) + 2), T((i) + 3)
#define R16(T, i) R4(T, i), R4(T, (i) + 4), R4(T, (i) + 8), R4(T, (i) + 12)
#define R64(T, i) R16(T, i), R16(T, (i) + 16), R16(T, (i) + 32), R16(T, (i) + 48)
#define R256(T)                                                                                                        \
    {                                                                                                                  \
        R64(T, 0), R64(T, 64), R64(T, 128), R64(T, 192)                                                                \
    }
static const uint16_t slice[16][256] = {R256(T0),  R256(T1),  R256(T2),  R256(T3), R256(T4),  R256(T5),
                                        R256(T6),  R256(T7),  R256(T8),  R256(T9), R256(T10), R256(T11),
                                        R256(T12), R256(T13), R256(T14), R256(T15)};

/* The sum of the table entries of the last bytes of a step, which do not depend on the register. */
#define LAST6(p)                                                                                                       \
    (slice[5][(p)[0]] ^ slice[4][(p)[1]] ^ slice[3][(p)[2]] ^ slice[2][(p)[3]] ^ slice[1][(p)[4]] ^ slice[0][(p)[5]])
#define LAST14(p)                                                                                                      \
    (slice[13][(p)[0]] ^ slice[12][(p)[1]] ^ slice[11][(p)[2]] ^ slice[10][(p)[3]] ^ slice[9][(p)[4]] ^                \
     slice[8][(p)[5]] ^ slice[7][(p)[6]] ^ slice[6][(p)[7]] ^ LAST6((p) + 8))

static uint16_t crc16(const uint8_t *p, size_t n)
{
    uint16_t crc = 0xffff;

    for (; n >= 16; n -= 16, p += 16)
        crc = (uint16_t)(LAST14(p + 2) ^ slice[15][(p[0] ^ crc) & 0xff] ^ slice[14][p[1] ^ crc >> 8]);
    for (; n >= 8; n -= 8, p += 8)
        crc = (uint16_t)(LAST6(p + 2) ^ slice[7][(p[0] ^ crc) & 0xff] ^ slice[6][p[1] ^ crc >> 8]);
    while (n-- > 0)
        crc = (uint16_t)(crc >> 8 ^ slice[0][(crc ^ *p++) & 0xff]);
    return (uint16_t)~crc;
}

uint16_t iba_vcrc(const uint8_t *lrh, size_t len)
{
    return crc16(lrh, len);
}

uint16_t iba_lpcrc(const uint8_t *fc)
{
    return crc16(fc, 4);
}
