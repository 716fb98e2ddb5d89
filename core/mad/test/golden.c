/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact parts of datagrams: core/mad/test/datagrams.golden has a line for each class and attribute, with digests of
 * the parts of each method, of the datagram cut after each byte, of the datagram with each bit flipped, and of records
 * with each header of a segment; and a line for each of some thousand segments in any order (core/test/golden.h says
 * how to renew it). The last captured byte is the last that may be read at all. */
#include "test/golden.h"
#include <sys/mman.h>
#include <unistd.h>
#include "mad/iba_rmpp.h"
#include "wire/test/wire.h"

enum { RMPP = 24, SA = 36, DATA = 56, PRIVATE = 164 };

static uint64_t digest;
static uint8_t *page_end; /* bytes from here on cannot be read */

static void open_page(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert(two != MAP_FAILED);
    cr_assert_eq(mprotect(two + page, page, PROT_NONE), 0);
    page_end = two + page;
}

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
}

static void see_rows(const struct iba_mad *m, const struct iba_mad_part *p)
{
    const struct iba_hdr_info *info = &iba_mad_layouts[p->layout];
    uint64_t there = 0;

    for (unsigned i = 0; i < info->n_field; i++)
        there = there << 1 ^ there >> 63 ^ (iba_mad_row_at(m, p, p->n - 1u, &info->field[i]) != NULL);
    number(there);
}

static void see(const struct iba_mad *m)
{
    number((uint64_t)m->captured << 32 | (uint64_t)m->len << 16 | (uint64_t)m->n_part << 8 | m->n_record);
    for (unsigned i = 0; i < m->n_part; i++) {
        const struct iba_mad_part *p = &m->part[i];
        size_t n;
        number((uint64_t)p->layout << 48 | (uint64_t)p->n << 40 | (uint64_t)p->record << 24 | (uint64_t)p->named << 16 |
               p->at);
        number((uint64_t)p->from << 32 | (uint64_t)p->to << 16 | p->stride);
        number((uint64_t)(iba_mad_part_bytes(m, p, &n) != NULL) << 32 | n);
        number(iba_mad_layout_at(m, (enum iba_mad_layout)p->layout) != NULL);
    }
}

/* Parses the first bytes of a datagram, which lie directly before a page that cannot be read. */
static void parse(const uint8_t *w, size_t captured, size_t len, bool rows)
{
    struct iba_mad m;
    uint8_t *at = page_end - captured;

    memcpy(at, w, captured);
    number(iba_mad_parse(&m, at, captured, len));
    for (unsigned u = 0; u < IBA_UPPERS; u++) {
        const uint8_t before = m.n_part;
        iba_mad_add_private(&m, (enum iba_upper)u);
        number((uint64_t)u << 8 | (unsigned)(m.n_part - before));
    }
    see(&m);
    for (unsigned i = 0; rows && i < m.n_part; i++)
        see_rows(&m, &m.part[i]);
}

static unsigned cut(const uint8_t *w)
{
    digest = GOLDEN_EMPTY;
    for (size_t n = 0; n <= IBA_MAD_BYTES; n++) {
        parse(w, n, n, false);
        parse(w, n, IBA_MAD_BYTES, n % 8 == 0);
    }
    return golden_short(digest);
}

static bool is_value(unsigned byte)
{
    return (byte >= RMPP && byte < 100) || (byte >= PRIVATE && byte < PRIVATE + 64);
}

/* Flips each bit of the header and one bit of each other byte, one at a time. In a datagram of zeros it also flips each
 * bit of a value on which other parts may depend. */
static unsigned flipped(const uint8_t *w)
{
    uint8_t copy[IBA_MAD_BYTES];

    digest = GOLDEN_EMPTY;
    for (unsigned zeros = 0; zeros < 2; zeros++) {
        memcpy(copy, w, sizeof copy);
        memset(copy + RMPP, 0, zeros ? sizeof copy - RMPP : 0);
        for (unsigned k = 0; k < IBA_MAD_BYTES * 8; k++) {
            const unsigned i = k / 8, bit = k % 8;
            if (zeros ? !is_value(i) : i >= RMPP && bit != i % 8)
                continue;
            copy[i] ^= (uint8_t)(1u << bit);
            parse(copy, sizeof copy, sizeof copy, false);
            copy[i] ^= (uint8_t)(1u << bit);
        }
    }
    return golden_short(digest);
}

static unsigned each_method(const uint8_t *w)
{
    static const uint8_t methods[] = {0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x12, 0x13, 0x14,
                                      0x15, 0x81, 0x83, 0x86, 0x92, 0x93, 0x94, 0x95};
    uint8_t copy[IBA_MAD_BYTES];

    digest = GOLDEN_EMPTY;
    memcpy(copy, w, sizeof copy);
    for (size_t i = 0; i < COUNT(methods); i++) {
        copy[3] = methods[i];
        parse(copy, sizeof copy, sizeof copy, true);
    }
    return golden_short(digest);
}

/* Tries types, flags, segment numbers, lengths and record sizes of RMPP and the SA. */
static unsigned each_segment(const uint8_t *w)
{
    static const uint32_t lengths[] = {0, 19, 20, 27, 28, 60, 84, 219, 220, 221, 0xffffffff};
    static const uint16_t sizes[] = {0, 1, 7, 8, 25, 0xffff};
    uint8_t copy[IBA_MAD_BYTES];

    digest = GOLDEN_EMPTY;
    memcpy(copy, w, sizeof copy);
    for (unsigned k = 0; k < 2 * 6 * 8 * 3 * COUNT(lengths); k++) {
        unsigned left = k;
        copy[3] = left % 2 ? 0x92 : 0x81, left /= 2;
        copy[RMPP + 1] = (uint8_t)(left % 6), left /= 6;
        copy[RMPP + 2] = (uint8_t)(left % 8), left /= 8;
        iba_rmpp_set_data1(copy + RMPP, left % 3), left /= 3;
        iba_rmpp_set_data2(copy + RMPP, lengths[left]);
        iba_sa_set_attributeoffset(copy + SA, sizes[k % COUNT(sizes)]);
        parse(copy, sizeof copy, sizeof copy, false);
    }
    return golden_short(digest);
}

/* Tries service identifiers, and private data that show their protocol. */
static unsigned each_upper(const uint8_t *w)
{
    static const uint64_t services[] = {0x10000,
                                        0x1ffff,
                                        0x20000,
                                        UINT64_C(0x1000000000abcdef),
                                        0x01060000 | 445,
                                        0x01060000 | 987,
                                        0x01060000 | 3260,
                                        0x01060000 | 4420,
                                        0x01060000 | 20049,
                                        0x01110000 | 4420,
                                        UINT64_C(0x0002c90300001f2d)};
    static const uint8_t signs[] = {0, 1, 0x40, 0x60, 0xc0, 0xc2, 0xf6};
    static const uint8_t rpc[] = {0xf6, 0xab, 0x0e, 0x18};
    uint8_t copy[IBA_MAD_BYTES];

    digest = GOLDEN_EMPTY;
    for (unsigned k = 0; k < COUNT(services) * COUNT(signs); k++) {
        const uint8_t sign = signs[k / COUNT(services)];
        memcpy(copy, w, sizeof copy);
        iba_bits_put(copy, RMPP * 8 + IBA_AT_cm_req_serviceid, 64, services[k % COUNT(services)]);
        iba_cm_sidr_req_set_serviceid(copy + RMPP, services[k % COUNT(services)]);
        number(iba_upper_of(services[k % COUNT(services)]));
        for (unsigned at = 0; at < 8; at++) /* where some message has them */
            memcpy(copy + (const uint8_t[]){36, 60, 84, 88, 108, PRIVATE, PRIVATE + 36, PRIVATE + 1}[at], rpc,
                   sign == 0xf6 ? sizeof rpc : 0);
        for (unsigned at = 60; at < IBA_MAD_BYTES && sign != 0xf6; at++)
            copy[at] = sign;
        memset(copy + RMPP + IBA_AT_cm_req_prim_localgid / 8, k % 2 ? 0 : 0x20, 32);
        if (k % 3 == 0)
            copy[RMPP + IBA_AT_cm_req_prim_localgid / 8 + 10] = copy[RMPP + IBA_AT_cm_req_prim_localgid / 8 + 11] =
                0xff;
        if (k % 5 == 0)
            copy[RMPP + IBA_AT_cm_req_prim_remotegid / 8 + 10] = copy[RMPP + IBA_AT_cm_req_prim_remotegid / 8 + 11] =
                0xff;
        parse(copy, sizeof copy, sizeof copy, false);
        parse(copy, IBA_MAD_BYTES - k % 100, sizeof copy, false);
    }
    return golden_short(digest);
}

static void line_of(struct golden *g, uint8_t mgmt_class, uint16_t attribute)
{
    const struct iba_mad_attr *a = iba_mad_attr(mgmt_class, attribute);
    uint64_t seed = (uint64_t)mgmt_class << 16 | attribute;
    char line[GOLDEN_LINE];
    uint8_t w[IBA_MAD_BYTES];

    rnd_bytes(&seed, w, sizeof w);
    w[0] = 1, w[1] = mgmt_class, w[2] = 1, w[3] = 0x81;
    iba_madhdr_set_attributeid(w, attribute);
    w[7] = (uint8_t)(mgmt_class == IBA_CLASS_DIRECTED ? attribute % 64 : w[7]);
    memset(w + RMPP, 0, mgmt_class == IBA_CLASS_SA ? DATA - RMPP : 0);
    (void)snprintf(line, sizeof line, "class 0x%02x attribute 0x%04x %s: methods %08x cut %08x flipped %08x",
                   mgmt_class, attribute, a ? a->name : "-", each_method(w), cut(w), flipped(w));
    if (mgmt_class == IBA_CLASS_SA)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " segments %08x", each_segment(w));
    if (mgmt_class == IBA_CLASS_CM)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " uppers %08x", each_upper(w));
    (void)snprintf(line + strlen(line), sizeof line - strlen(line), "\n");
    golden_line(g, line);
}

Test(golden, parts_are_the_same)
{
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x05, 0x06, 0x07, 0x21};
    static const uint8_t others[] = {0x00, 0x02, 0x08, 0x09, 0x20, 0x22, 0x2f, 0x30, 0x4f, 0x50, 0x80, 0x82, 0xff};
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/mad/test/datagrams.golden");

    open_page();
    for (size_t c = 0; c < COUNT(classes); c++) {
        for (size_t i = 0; i < iba_mad_attr_count; i++)
            if (iba_mad_attr(classes[c], iba_mad_attrs[i].id) == &iba_mad_attrs[i])
                line_of(&g, classes[c], iba_mad_attrs[i].id);
        line_of(&g, classes[c], 0xfffe);
    }
    for (size_t i = 0; i < COUNT(others); i++)
        line_of(&g, others[i], 0x0001);
    golden_close(&g);
}

/* ---- segments ---- */

static struct iba_rmpp_desk desk; /* too big for a stack */

static void see_desk(const struct iba_rmpp_transfer *t)
{
    struct iba_mad m;

    number(desk.whole << 48 | desk.ended << 36 | desk.given_up << 24 | desk.wrong << 12 | desk.too_long);
    if (!t)
        return;
    number((uint64_t)t->bytes << 32 | t->record_bytes);
    number((uint64_t)iba_rmpp_records(t) << 1 | t->request);
    digest = golden_digest(digest, t->data, t->bytes);
    for (uint32_t i = 0; i < iba_rmpp_records(t) && i < 3; i++) {
        iba_rmpp_record(t, i, &m);
        number((uint64_t)m.part[0].record << 32 | (uint64_t)m.len << 16 | m.n_part);
    }
}

/* Feeds a segment of one of a few transfers between a few ends. Most segments belong to their transfer, some contradict
 * it. */
static void random_segment(uint64_t *seed, unsigned most, unsigned transfers)
{
    const uint64_t dice = rnd(seed);
    const unsigned segment = 1 + (unsigned)((dice >> 8) % most), last = most;
    const unsigned key = (unsigned)(dice >> 40) % transfers;
    const struct iba_rmpp_ends ends = {
        (uint8_t)(key >> 5 & 1), {(uint8_t)(1 + (key & 1))}, {(uint8_t)(2 - (key & 1) + (key >> 4 & 1))}};
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    rnd_bytes(seed, w, sizeof w);
    w[1] = (dice >> 45 & 63) ? IBA_CLASS_SA : 4;
    w[3] = dice >> 51 & 1 ? 0x92 : 0x14;
    iba_madhdr_set_transactionid(w, key >> 1 & 7);
    iba_madhdr_set_attributeid(w, (dice >> 52 & 31) ? 0x35 : 0x7777);
    memset(w + RMPP, 0, 12);
    w[RMPP] = 1;
    w[RMPP + 1] = (uint8_t)((dice >> 57 & 31) ? 1 : dice % 5);
    w[RMPP + 2] = (uint8_t)(((dice >> 20 & 63) != 0) | (segment == 1) << 1 | (segment == last) << 2);
    w[RMPP + 2] ^= (uint8_t)((dice >> 26 & 63) ? 0 : dice >> 32 & 7);
    iba_rmpp_set_data1(w + RMPP, (dice >> 35 & 31) ? segment : rnd(seed) & 1023);
    iba_rmpp_set_data2(w + RMPP, segment == last ? 20 + 8 * most + ((dice >> 45 & 63) == 3) : rnd(seed) % 300);
    iba_sa_set_attributeoffset(w + SA, most);
    (void)iba_mad_parse(&m, w, (dice >> 2 & 63) ? sizeof w : sizeof w - 1, sizeof w);
    see_desk(iba_rmpp_feed(&desk, &ends, &m));
}

/* Feeds tables of the longest possible length, and tables one segment longer. */
static void long_tables(struct golden *g)
{
    uint8_t w[IBA_MAD_BYTES] = {1, IBA_CLASS_SA, 1, 0x92};
    const struct iba_rmpp_ends ends = {0, {1}, {2}};
    char line[GOLDEN_LINE];
    struct iba_mad m;

    for (unsigned most = IBA_RMPP_SEGMENTS - 1; most <= IBA_RMPP_SEGMENTS + 1; most++) {
        memset(&desk, 0, sizeof desk);
        digest = GOLDEN_EMPTY;
        for (unsigned n = 1; n <= most; n++) {
            iba_madhdr_set_attributeid(w, 0x35);
            w[RMPP] = w[RMPP + 1] = 1;
            w[RMPP + 2] = (uint8_t)(1 | (n == 1) << 1 | (n == most) << 2);
            iba_rmpp_set_data1(w + RMPP, n);
            iba_rmpp_set_data2(w + RMPP, n == most ? 20 + 200 : 0);
            iba_sa_set_attributeoffset(w + SA, 8);
            (void)iba_mad_parse(&m, w, sizeof w, sizeof w);
            see_desk(iba_rmpp_feed(&desk, &ends, &m));
        }
        (void)snprintf(line, sizeof line, "table of %u segments %08x\n", most, golden_short(digest));
        golden_line(g, line);
    }
}

Test(golden, transfers_are_the_same)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/mad/test/segments.golden");
    char line[GOLDEN_LINE];

    for (unsigned round = 0; round < 64; round++) {
        uint64_t seed = round;
        memset(&desk, 0, sizeof desk);
        digest = GOLDEN_EMPTY;
        for (unsigned k = 0; k < 400; k++)
            random_segment(&seed, 1 + round % 12, round % 3 == 0 ? 2 : round % 3 == 1 ? 10 : 48);
        (void)snprintf(line, sizeof line, "seed %u whole %u ended %u given up %u wrong %u too long %u: %08x\n", round,
                       (unsigned)desk.whole, (unsigned)desk.ended, (unsigned)desk.given_up, (unsigned)desk.wrong,
                       (unsigned)desk.too_long, golden_short(digest));
        golden_line(&g, line);
    }
    long_tables(&g);
    golden_close(&g);
}
