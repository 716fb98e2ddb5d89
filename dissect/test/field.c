/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"
#include "field/computed.h"
#include "field/foreign.h"
#include "wire/iba_opcode_rows.h"

Test(field, names_ascend_and_none_is_twice)
{
    size_t n;
    const struct field *f = field_all(&n);

    cr_assert_gt(n, 200);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(f[i].index, i);
        cr_assert(f[i].label && *f[i].label, "%s has no label", f[i].name);
        cr_assert(i == 0 || strcmp(f[i - 1].name, f[i].name) < 0, "%s", f[i].name);
        cr_assert_eq(field_find(f[i].name), &f[i], "%s", f[i].name);
    }
}

/* Returns the field with this name. */
static const struct field *field_of(const struct iba_hdr_info *info, const struct iba_field *row)
{
    char name[128];

    if (row->name[0] == '=')
        return field_find(row->name + 1);
    snprintf(name, sizeof name, "%s.%s", info->prefix, row->name);
    return field_find(name);
}

Test(field, every_row_of_every_header_has_a_name_and_a_value)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++) {
        const struct iba_hdr_info *info = &iba_headers[h];
        cr_assert(field_find(info->prefix), "header %s has no field name in dissect/field", info->prefix);
        for (unsigned i = 0; i < info->n_field; i++) {
            const struct field *f = field_of(info, &info->field[i]);
            cr_assert(f, "%s.%s of core/wire/iba_fields.h is not found in dissect/field", info->prefix,
                      info->field[i].name);
            cr_assert(f->hdrs >> h & 1, "field %s does not know the header %s", f->name, info->prefix);
        }
    }
}

Test(field, rows_that_share_a_name_share_a_type)
{
    uint8_t wire[64] = {0};

    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        for (unsigned i = 0; i < iba_headers[h].n_field; i++) {
            const struct iba_field *row = &iba_headers[h].field[i];
            const struct field *f = field_of(&iba_headers[h], row);
            const enum field_type type = field_row_value(row, wire).type;
            /* infiniband.immdt is the header and its bytes, as in tshark */
            cr_assert(type == f->type || (f->type == FIELD_PRESENCE && type == FIELD_BYTES),
                      "field %s has another type in %s", f->name, iba_headers[h].name);
        }
}

Test(field, every_computed_field_is_found)
{
    for (unsigned c = 0; c < COMPUTED_COUNT; c++) {
        const struct field *f = field_find(computed_fields[c].name);
        cr_assert(f, "computed field %s is not found by its name", computed_fields[c].name);
        cr_assert_eq(f->type, computed_fields[c].type);
        cr_assert_eq(f->hdrs, 0, "%s is a header's too", f->name);
    }
}

Test(field, the_prefix_may_be_left_out)
{
    cr_assert_eq(field_find("bth.psn"), field_find("infiniband.bth.psn"));
    cr_assert_eq(field_find("icrc.status"), field_find("infiniband.icrc.status"));
    cr_assert_eq(field_find("psn"), NULL);
    cr_assert_eq(field_find(""), NULL);
    char endless[5000];
    memset(endless, 'a', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    cr_assert_eq(field_find(endless), NULL);
}

Test(field, a_typing_error_finds_its_neighbour)
{
    static const char *const typed[][2] = {{"infiniband.bth.pns", "infiniband.bth.psn"},
                                           {"bth.opcod", "infiniband.bth.opcode"},
                                           {"ip.scr", "ip.src"},
                                           {"infiniband.aeth.syndrom", "infiniband.aeth.syndrome"},
                                           {"frame.numbr", "frame.number"},
                                           {"psn", "infiniband.bth.psn"},
                                           {"frame.tim", "frame.time_ns"},
                                           {"infiniband.bth.des", "infiniband.bth.destqp"},
                                           {"bth.opcode_", "infiniband.bth.opcode"}};
    static const char *const others[] = {"tcpx", "smtp", "", "x"};
    char said[256], want[256];

    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        field_unknown(said, sizeof said, typed[i][0]);
        snprintf(want, sizeof want, "no field \"%s\"; nearest is \"%s\"", typed[i][0], typed[i][1]);
        cr_expect_str_eq(said, want);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        field_unknown(said, sizeof said, others[i]);
        snprintf(want, sizeof want, "no field \"%s\"; -G fields lists all", others[i]);
        cr_expect_str_eq(said, want);
    }
}

Test(field, a_name_of_tsharks_gets_what_does_the_same)
{
    static const char *const names[] = {
        "frame.time",    "frame.protocols", "udp.stream",   "_ws.col.Info", "_ws.expert", "tcp",         "tcp.port",
        "conv,ip",       "endpoints,ip",    "endpoints",    "follow,udp",   "flow",       "plen,tree",   "dests,tree",
        "ip_hosts,tree", "udp.payload",     "io,phs",       "psml",         "ps",         "tabs",        "jsonraw",
        "arp",           "arp.opcode",      "icmp",         "icmp.type",    "ip.host",    "ip.src_host", "ip.dst_host",
        "ip.geoip.city", "_ws.malformed",   "frame.marked", "roce",         "rroce"};
    char said[256], want[256];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert_not_null(foreign_instead(names[i]), "%s", names[i]);
        field_unknown(said, sizeof said, names[i]);
        snprintf(want, sizeof want, "no field \"%s\"; %s", names[i], foreign_instead(names[i]));
        cr_expect_str_eq(said, want);
    }
    cr_expect_null(foreign_instead("frame.time_"));
    field_unknown(said, sizeof said, "frame.tiem");
    snprintf(want, sizeof want, "no field \"frame.tiem\"; nearest is tshark's \"frame.time\": %s",
             foreign_instead("frame.time"));
    cr_expect_str_eq(said, want);
    cr_expect_null(foreign_instead("conv"));
    cr_expect_null(foreign_instead(""));
}

struct seen {
    uint64_t u[8];
    unsigned n;
};

static bool note(void *ctx, const struct value *v)
{
    struct seen *s = ctx;
    s->u[s->n++ % 8] = v->u;
    return true;
}

static bool note_one(void *ctx, const struct value *v)
{
    (void)note(ctx, v);
    return false;
}

Test(field, a_tunnel_has_several_values_in_wire_order)
{
    const struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4_VXLAN, IBA_RC_SEND_ONLY, 8, NULL);
    struct seen s = {.n = 0};

    field_values(field_find("udp.dstport"), p, note, &s);
    cr_assert_eq(s.n, 2);
    cr_assert_eq(s.u[0], 4789);
    cr_assert_eq(s.u[1], 4791);
    s.n = 0;
    field_values(field_find("udp.port"), p, note, &s);
    cr_assert_eq(s.n, 4);
    s.n = 0;
    field_values(field_find("udp.port"), p, note_one, &s);
    cr_assert_eq(s.n, 1, "who has had enough is asked again");
}

Test(field, what_is_not_there_has_no_value)
{
    const struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL);
    struct value v;

    cr_assert_not(field_first(field_find("infiniband.aeth"), p, &v));
    cr_assert_not(field_first(field_find("infiniband.aeth.msn"), p, &v));
    cr_assert_not(field_first(field_find("infiniband.vcrc.status"), p, &v));
    cr_assert_not(field_first(field_find("infiniband.fault"), p, &v));
    cr_assert(field_first(field_find("infiniband"), p, &v));
    cr_assert(field_first(field_find("infiniband.bth"), p, &v));
    cr_assert_eq(v.len, 12);
    cr_assert(field_first(field_find("infiniband.icrc.status"), p, &v));
    cr_assert_eq(v.len, 4);
    cr_assert_arr_eq(v.bytes, "good", 4);
}

static void nak(struct iba_recipe *r)
{
    iba_aeth_set_syn_kind(iba_recipe_part(r, IBA_H_aeth), 3);
    iba_aeth_set_syn_value(iba_recipe_part(r, IBA_H_aeth), 2);
}

Test(field, a_syndrome_is_read_by_its_kind)
{
    const struct packet *p = packet_of(IBA_ENCAP_ROCE2_V6, IBA_RC_ACKNOWLEDGE, 0, nak);
    struct value v;

    cr_assert(field_first(field_find("infiniband.aeth.syndrome.error_code"), p, &v));
    cr_assert_eq(v.u, 2);
    cr_assert_not(field_first(field_find("infiniband.aeth.syndrome.credit_count"), p, &v));
    cr_assert_not(field_first(field_find("infiniband.aeth.syndrome.timer"), p, &v));
}
