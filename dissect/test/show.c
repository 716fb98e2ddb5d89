/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"
#include "field/show.h"
#include "wire/iba_opcode_rows.h"

TestSuite(show, .init = printed_clear);

static void forms(const struct packet *p, const char *name, const char *script, const char *human)
{
    struct value v;

    cr_assert(field_first(field_find(name), p, &v), "%s", name);
    printed_clear();
    show_script(&printed, &v);
    cr_assert_str_eq(printed_text(), script, "%s: %s", name, printed_text());
    printed_clear();
    show_human(&printed, &v);
    cr_assert_str_eq(printed_text(), human, "%s: %s", name, printed_text());
}

Test(show, scripts_see_what_tshark_prints)
{
    const struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, 8, NULL);

    forms(p, "infiniband.bth.p_key", "65535", "0xffff");
    forms(p, "infiniband.deth.q_key", "0x0000000011111111", "0x11111111");
    forms(p, "infiniband.deth.srcqp", "0x00000011", "0x00000011");
    forms(p, "infiniband.bth.destqp", "0x000012", "0x000012");
    forms(p, "infiniband.bth.opcode", "100", "100");
    forms(p, "infiniband.bth.m", "1", "True");
    forms(p, "ip.src", "192.0.2.1", "192.0.2.1");
    forms(p, "eth.dst", "02:00:00:00:00:02", "02:00:00:00:00:02");
    forms(p, "ip.hdr_len", "20", "20");
    forms(p, "frame.time_epoch", "1700000000.123456789", "1700000000.123456789");
    forms(p, "infiniband.icrc.status", "good", "good");
    forms(p, "infiniband.payload", "0000000000000000", "0000000000000000");
}

Test(show, codes_have_names)
{
    const struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, 8, NULL);
    struct value v;

    cr_assert(field_first(field_find("infiniband.bth.opcode"), p, &v));
    cr_assert_str_eq(show_name(&v), "UD SEND Only");
    cr_assert(field_first(field_find("ip.proto"), p, &v));
    cr_assert_str_eq(show_name(&v), "UDP");
    cr_assert(field_first(field_find("infiniband.bth.psn"), p, &v));
    cr_assert_eq(show_name(&v), NULL);
    cr_assert(field_first(field_find("infiniband.icrc.status"), p, &v));
    cr_assert_eq(show_name(&v), NULL);
}

static bool shows(void *ctx, const struct value *v)
{
    const struct field *f = ctx;

    printed_clear();
    show_script(&printed, v);
    cr_assert(printed.n > 0 || f->type == FIELD_PRESENCE, "%s shows nothing", f->name);
    printed_clear();
    show_human(&printed, v);
    cr_assert(printed.n > 0 || f->type == FIELD_PRESENCE, "%s shows nothing", f->name);
    return true;
}

Test(show, every_value_of_every_encapsulation_has_a_look)
{
    size_t n, values = 0;
    const struct field *f = field_all(&n);

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        const struct packet *p = packet_of((enum iba_encap)e, IBA_XRC_CMP_SWAP, 8, NULL);
        for (size_t i = 0; i < n; i++, values++)
            field_values(&f[i], p, shows, (void *)(uintptr_t)&f[i]);
    }
    cr_assert_gt(values, 1000);
}
