/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing of management datagrams: which parts are found where, for any bytes. */
#include "mad/iba_mad.h"
#include <stdlib.h>
#include "wire/test/wire.h"

/* Writes a datagram with this class, method and attribute; its other bytes are zero. */
static void header(uint8_t *w, uint8_t class, uint8_t method, uint16_t attribute)
{
    memset(w, 0, IBA_MAD_BYTES);
    iba_madhdr_set_baseversion(w, 1);
    iba_madhdr_set_mgmtclass(w, class);
    iba_madhdr_set_method(w, method);
    iba_madhdr_set_attributeid(w, attribute);
}

static unsigned count(const struct iba_mad *m, enum iba_mad_layout l)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->n_part; i++)
        n += m->part[i].layout == l;
    return n;
}

/* Reads every part, which must lie inside the captured bytes. The bytes are on the heap, so that a sanitizer detects a
 * read beyond them. */
static uint64_t read_all(const struct iba_mad *m)
{
    uint64_t sum = 0;

    cr_assert(m->n_part <= IBA_MAD_PARTS);
    for (unsigned k = 0; k < m->n_part; k++) {
        const struct iba_mad_part *p = &m->part[k];
        const struct iba_hdr_info *info = &iba_mad_layouts[p->layout];
        size_t n;
        const uint8_t *whole = iba_mad_part_bytes(m, p, &n);
        EXPECT(n <= m->captured && (!whole || whole + n <= m->wire + m->captured), "part %s ends after the datagram",
               info->name);
        for (unsigned i = 0; i < p->n; i++)
            for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++) {
                const uint8_t *wire = iba_mad_row_at(m, p, i, f);
                if (!wire)
                    continue;
                EXPECT(wire + (f->at + f->bits + 7) / 8 <= m->wire + m->captured, "%s.%s ends after the datagram",
                       info->name, f->name);
                sum += iba_field_is_bytes(f) ? wire[f->at / 8 + f->bits / 8 - 1] : iba_field_get(f, wire);
            }
    }
    return sum;
}

static void one(const uint8_t *w, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    struct iba_mad m;

    memcpy(copy, w, n);
    for (unsigned u = 0; u < IBA_UPPERS && iba_mad_parse(&m, copy, n, IBA_MAD_BYTES); u++) {
        if (u > 0 && copy[1] != IBA_CLASS_CM)
            break; /* no other message has private data */
        iba_mad_add_private(&m, (enum iba_upper)u);
        (void)read_all(&m);
    }
    free(copy);
}

Test(mad, every_prefix_of_every_attribute_is_read_as_far_as_it_goes)
{
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x06, 0x07, 0x21, 0x05, 0x08, 0x30};
    uint64_t seed = 7;

    for (size_t c = 0; c < COUNT(classes); c++)
        for (size_t i = 0; i < iba_mad_attr_count; i++) {
            uint8_t w[IBA_MAD_BYTES];
            rnd_bytes(&seed, w, sizeof w);
            w[1] = classes[c];
            w[3] = 0x92;
            iba_madhdr_set_attributeid(w, iba_mad_attrs[i].id);
            for (size_t n = 0; n <= sizeof w; n += 1 + n / 16)
                one(w, n);
        }
}

/* IBPROOF_MADS sets the number of datagrams; a long run takes 1000000. */
Test(mad, mutated_datagrams_do_no_harm, .timeout = 600)
{
    const char *wish = getenv("IBPROOF_MADS");
    const unsigned long runs = wish ? strtoul(wish, NULL, 10) : 20000;
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x03, 0x03, 0x04, 0x06,
                                      0x07, 0x07, 0x21, 0x05, 0x08, 0x30, 0xff};
    static const uint8_t methods[] = {0x01, 0x81, 0x03, 0x05, 0x06, 0x92, 0x94};
    uint64_t seed = 3;

    for (unsigned long k = 0; k < runs; k++) {
        uint8_t w[IBA_MAD_BYTES];
        const uint64_t dice = rnd(&seed);
        rnd_bytes(&seed, w, dice % 4 ? sizeof w : 64);
        w[1] = classes[dice % COUNT(classes)];
        w[3] = methods[(dice >> 8) % COUNT(methods)];
        if (dice >> 16 & 7)
            iba_madhdr_set_attributeid(w, iba_mad_attrs[(dice >> 24) % iba_mad_attr_count].id);
        if (dice >> 19 & 1)
            w[25] = (uint8_t)(dice >> 40 & 7); /* RMPP type */
        if (dice >> 20 & 1)
            iba_sa_set_attributeoffset(w + 36, dice >> 44 & 31);
        one(w, dice >> 50 & 3 ? sizeof w : (dice >> 52) % (sizeof w + 1));
    }
}

Test(mad, records_of_a_table_are_as_many_as_fit_and_are_told)
{
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    header(w, IBA_CLASS_SA, 0x92, 0x35);
    iba_rmpp_set_rmpptype(w + 24, 1);
    iba_rmpp_set_rmppflag_first(w + 24, 1);
    iba_rmpp_set_rmppflag_last(w + 24, 1);
    iba_rmpp_set_data1(w + 24, 1);
    iba_sa_set_attributeoffset(w + 36, 8);
    for (unsigned n = 0; n <= 3; n++) {
        iba_rmpp_set_data2(w + 24, 20 + 64 * n);
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        cr_assert_eq(count(&m, IBA_M_pathrecord), n);
        cr_assert_eq(m.n_record, n);
    }
    iba_rmpp_set_data2(w + 24, UINT32_MAX); /* more than a datagram has */
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w) && m.n_record == 3);
    iba_rmpp_set_data2(w + 24, 7); /* less than its own header */
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w) && m.n_record == 0);
    iba_rmpp_set_rmppflag_last(w + 24, 0); /* the first of several: full */
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w) && m.n_record == 3);
    iba_rmpp_set_data1(w + 24, 2);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w) && m.n_record == 0);
    iba_rmpp_set_data1(w + 24, 1);
    iba_sa_set_attributeoffset(w + 36, 0);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w) && m.n_record == 0);
    iba_sa_set_attributeoffset(w + 36, 0xffff);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w) && m.n_record == 0);
}

Test(mad, paths_are_as_long_as_the_hop_count)
{
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    for (unsigned hops = 0; hops <= 64; hops++) {
        header(w, IBA_CLASS_DIRECTED, 1, 0x11);
        w[7] = (uint8_t)hops;
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        cr_assert_eq(count(&m, IBA_M_initial_path), hops > 0 && hops < 64, "a path of %u hops", hops);
        for (unsigned i = 0; i < m.n_part; i++)
            cr_assert(m.part[i].layout != IBA_M_initial_path || (m.part[i].n == hops && m.part[i].at == 129));
    }
}

Test(mad, data_of_a_notice_follow_its_trap_number)
{
    static const struct {
        uint16_t trap;
        uint8_t layout;
    } known[] = {{64, IBA_M_trap_gid},      {67, IBA_M_trap_gid},         {69, IBA_M_trap_repath},
                 {128, IBA_M_trap_switch},  {131, IBA_M_trap_port},       {144, IBA_M_trap_local},
                 {145, IBA_M_trap_sysguid}, {256, IBA_M_trap_mkey},       {257, IBA_M_trap_key},
                 {258, IBA_M_trap_key},     {259, IBA_M_trap_switch_pkey}};
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    for (size_t i = 0; i < COUNT(known); i++) {
        header(w, 1, 5, 2);
        iba_notice_set_isgeneric(w + 64, 1);
        iba_notice_set_trap(w + 64, known[i].trap);
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        cr_assert_eq(count(&m, (enum iba_mad_layout)known[i].layout), 1, "trap %u", known[i].trap);
        iba_notice_set_isgeneric(w + 64, 0); /* a vendor's device identifier then */
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        cr_assert_eq(count(&m, (enum iba_mad_layout)known[i].layout), 0, "trap %u", known[i].trap);
    }
}

Test(mad, private_data_of_the_ip_service_only_behind_its_service_identifier)
{
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    header(w, IBA_CLASS_CM, 3, 0x10);
    iba_cm_req_set_serviceid(w + 24, UINT64_C(0x1000000000000404));
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(count(&m, IBA_M_cm_req_private) == 1 && count(&m, IBA_M_ip_cm) == 0);
    iba_cm_req_set_serviceid(w + 24, 0x01061389);
    w[165] = 0x40;
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(count(&m, IBA_M_ip_cm) == 1 && count(&m, IBA_M_ip_cm4) == 1 && count(&m, IBA_M_ip_cm6) == 0);
    w[165] = 0x60;
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(count(&m, IBA_M_ip_cm4) == 0 && count(&m, IBA_M_ip_cm6) == 1);
    w[165] = 0x50;
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(count(&m, IBA_M_ip_cm4) == 0 && count(&m, IBA_M_ip_cm6) == 0);
}

static bool is_component(const struct iba_mad_attr *a, unsigned bit, const char *name)
{
    size_t n;
    const char *s = iba_mad_component(a, bit, &n);

    return name ? s && n == strlen(name) && strncmp(s, name, n) == 0 : !s;
}

Test(mad, components_are_named_in_the_order_of_the_mask)
{
    const struct iba_mad_attr *path = iba_mad_attr(IBA_CLASS_SA, 0x35);

    cr_assert(is_component(path, 0, "ServiceIDHigh") && is_component(path, 2, "DGID"));
    cr_assert(is_component(path, 7, NULL)); /* reserved */
    cr_assert(is_component(path, 22, "Preference") && is_component(path, 23, NULL) && is_component(path, 63, NULL));
    cr_assert(is_component(iba_mad_attr(IBA_CLASS_CM, 0x10), 0, NULL));
}

Test(mad, private_data_are_read_where_they_say_that_they_are_theirs)
{
    enum { REQ = 0x10, PRIVATE = 164, BEHIND_IP_CM = 200 };
    static const struct {
        uint64_t service;
        uint8_t upper, at, layout;
        uint8_t sign[4];
    } cases[] = {{0x10050, IBA_UPPER_SDP, PRIVATE, IBA_M_sdp_hh, {0}},
                 {0x1000000000000404, IBA_UPPER_IPOIB, PRIVATE, IBA_M_ipoib_cm, {0}},
                 {0x0106 << 16 | 20049, IBA_UPPER_RPC, BEHIND_IP_CM, IBA_M_rpc_cm, {0xf6, 0xab, 0x0e, 0x18}},
                 {0x0106 << 16 | 3260, IBA_UPPER_ISER, BEHIND_IP_CM, IBA_M_iser_cm, {0}},
                 {0x0106 << 16 | 4420, IBA_UPPER_NVME, BEHIND_IP_CM, IBA_M_nvme_req, {0}}};
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    for (size_t i = 0; i < COUNT(cases); i++) {
        cr_assert_eq(iba_upper_of(cases[i].service), cases[i].upper, "%zu", i);
        header(w, IBA_CLASS_CM, 3, REQ);
        iba_cm_req_set_serviceid(w + 24, cases[i].service);
        memcpy(w + cases[i].at, cases[i].sign, sizeof cases[i].sign);
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        cr_assert_eq(count(&m, (enum iba_mad_layout)cases[i].layout), 0, "nobody has said whose they are");
        iba_mad_add_private(&m, (enum iba_upper)cases[i].upper);
        cr_assert_eq(count(&m, (enum iba_mad_layout)cases[i].layout), 1, "%zu", i);
        memset(w + cases[i].at, 0xee,
               sizeof cases[i].sign); /* iSER and NVMe/RDMA have no distinguishing bits at this place */
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        iba_mad_add_private(&m, (enum iba_upper)cases[i].upper);
        cr_assert_eq(count(&m, (enum iba_mad_layout)cases[i].layout),
                     cases[i].upper >= IBA_UPPER_ISER && cases[i].upper != IBA_UPPER_RPC, "%zu", i);
    }
    cr_assert_eq(iba_upper_of(0x0111 << 16 | 4420), IBA_UPPER_NONE, "UDP");
    cr_assert_eq(iba_upper_of(0x0002c90300001f2d), IBA_UPPER_NONE);
}

/* MD-12: a packet has a management datagram if it is a whole UD SEND to or from QP0 or QP1, captured at least up to the
 * DETH. An option about the QP overrides this. */
static bool holds_mad(const struct iba_view *v, uint8_t opcode, unsigned to, unsigned from, enum iba_holds holds)
{
    const bool captured = v->caplen >= v->bth_at + IBA_BYTES_bth + IBA_BYTES_deth;

    if (opcode != 0x64 || !iba_view_has_bth(v) || !captured)
        return false;
    return holds == IBA_HOLDS_UNKNOWN ? to <= 1 || from <= 1 : holds == IBA_HOLDS_MAD;
}

static void expect_held(enum iba_encap e, uint8_t opcode, unsigned to, unsigned from)
{
    static struct iba_recipe r;
    uint8_t buf[400];

    iba_recipe_init_with(&r, e, opcode, IBA_HDR_BIT(IBA_H_deth));
    if (!iba_recipe_part(&r, IBA_H_bth))
        return;
    if (opcode == 0x64) {
        iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), to);
        iba_deth_set_srcqp(iba_recipe_part(&r, IBA_H_deth), from);
    }
    const size_t len = built(&r, buf, sizeof buf);
    for (unsigned holds = 0; holds <= IBA_HOLDS_IPOIB; holds++)
        for (size_t n = opcode == 0x64 ? 0 : len; n <= len; n++) {
            const struct iba_view_opts opts = {.qp = {{to, (uint8_t)holds}}};
            struct iba_view v;
            struct iba_mad m;
            (void)iba_view_parse(&v, (enum iba_link)iba_encaps[e].link, buf, n, len, &opts);
            EXPECT(iba_mad_in(&v) == holds_mad(&v, opcode, to, from, (enum iba_holds)holds),
                   "%s, opcode 0x%02x from %u to %u, %zu of %zu bytes", iba_encaps[e].name, opcode, from, to, n, len);
            EXPECT(!iba_mad_of(&m, &v), "without a payload");
        }
}

Test(mad, packets_that_hold_a_datagram)
{
    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (unsigned k = 0; k < 16; k++)
            expect_held((enum iba_encap)e, 0x64, k % 4, k / 4);
    for (unsigned code = 0; code < 256; code++)
        expect_held(IBA_ENCAP_IB_LOCAL, (uint8_t)code, 0, 0);
}
