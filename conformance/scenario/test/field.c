/* SPDX-License-Identifier: BSD-2-Clause */
/* Header fields, opcodes and the words of their values, all of core's. */
#include "load.h"
#include "scenario/field.h"

static struct ibc_value value_of(const char *word, const char *key)
{
    char text[400];
    struct ibc_scenario *s;
    struct ibc_play *p;
    struct ibc_value v;

    sprintf(text, "%sqp a\n< a ANY %s=%s\n", HEAD, key, word);
    p = play_of(text, &s);
    v = p->step[0].arg[0].v[0];
    done(p, s);
    return v;
}

Test(field, each_short_name_is_a_field_of_core)
{
    for (size_t i = 0; i < ibc_field_name_count; i++) {
        const struct ibc_field_name *n = &ibc_field_names[i];
        const struct iba_field *f, *core = iba_field_find((enum iba_hdr)n->hdr, n->row);
        enum iba_hdr hdr;
        uint8_t attr;

        cr_assert_not_null(core, "short name %s of conformance/scenario/field.c is no field of core/wire/iba_fields.h",
                           n->name);
        cr_expect_eq(ibc_field_find(n->name, IBA_HDR_BIT(n->hdr), &hdr, &f, &attr), IBC_FIELD_FOUND);
        cr_expect(hdr == n->hdr && f == core && attr == n->attr, "short name %s finds another field", n->name);
        if (n->hdr >= IBA_H_bth)
            cr_expect_eq(ibc_field_find(n->name, 0, &hdr, &f, &attr), IBC_FIELD_ABSENT);
    }
}

Test(field, each_whole_name_finds_a_field)
{
    const size_t n = ibc_field_count();
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        const char *name = ibc_field_whole(i, NULL);
        const struct iba_field *f;
        enum iba_hdr hdr;
        uint8_t attr;

        if (*name == '\0')
            continue;
        found++;
        cr_expect_eq(ibc_field_find(name, UINT64_MAX, &hdr, &f, &attr), IBC_FIELD_FOUND,
                     "field %s is not found by its whole name", name);
        cr_expect_neq(strncmp(name, "infiniband.", 11), 0);
    }
    cr_expect_gt(found, 150);
}

Test(field, each_opcode_is_found_by_service_and_by_its_whole_name)
{
    static const struct {
        uint8_t type, svc;
    } types[] = {
        {IBA_QPT_RC, IBA_RC}, {IBA_QPT_UC, IBA_UC}, {IBA_QPT_UD, IBA_UD}, {IBA_QPT_SMI, IBA_UD}, {IBA_QPT_GSI, IBA_UD}};

    for (unsigned code = 0; code < 256; code++) {
        if (iba_opcodes[code].name == NULL)
            continue;
        cr_expect_eq(ibc_opcode_find(iba_opcodes[code].name, IBA_QPT_RC), code);
        cr_expect_eq(ibc_opcode_find(iba_opcodes[code].name, IBA_QPT_RAW_IPV6), code);
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (types[t].svc == iba_opcodes[code].svc)
                cr_expect_eq(ibc_opcode_find(ibc_opcode_name(code, NULL), types[t].type), code);
    }
    static const char *const no_names[] = {"",
                                           "R",
                                           "RC",
                                           "RC_",
                                           "SEND_ONLY",
                                           "XX_SEND_ONLY",
                                           "rc_SEND_ONLY",
                                           "RCSEND_ONLY",
                                           "RCXSEND_ONLY",
                                           "RC.SEND_ONLY",
                                           "RC__SEND_ONLY",
                                           "RC_SEND_ONL",
                                           "RC_SEND_ONLY_",
                                           "XX",
                                           "UD_READ_REQUEST"};
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++)
        cr_expect_eq(ibc_opcode_find(no_names[i], IBA_QPT_RAW_ETHERTYPE), IBC_NO_OP, "'%s'", no_names[i]);
    cr_expect_eq(ibc_opcode_find("ANY", IBA_QPT_RAW_ETHERTYPE), IBC_ANY_OPCODE);
    cr_expect_eq(ibc_opcode_find("RAW", IBA_QPT_RC), IBC_RAW_OPCODE);
}

Test(field, each_word_of_core_s_vocabularies_is_found)
{
    for (unsigned w = IBA_VALUES_OPCODE + 1; w < IBA_VALUES_COUNT; w++) {
        const enum iba_vocabulary of = (enum iba_vocabulary)w;
        size_t n;
        const struct iba_value *row = iba_values(of, &n);

        for (size_t i = 0; i < n; i++) {
            const struct iba_value *v = ibc_value_find(of, ibc_value_word(i, &of));

            cr_assert_not_null(v, "%s", row[i].name);
            cr_expect_str_eq(v->name, row[i].name);
        }
    }
}

Test(field, va_and_rkey_are_of_whichever_header_is_there)
{
    struct ibc_scenario *s;
    struct ibc_play *p = play_of(HEAD "qp a\n> a WRITE_ONLY va=1 rkey=2\n> a CMP_SWAP va=1 rkey=2 swap=3 cmp=4\n", &s);

    cr_expect_eq(p->step[0].arg[0].hdr, IBA_H_reth);
    cr_expect_eq(p->step[0].arg[1].hdr, IBA_H_reth);
    cr_expect_eq(p->step[1].arg[0].hdr, IBA_H_atomiceth);
    cr_expect_eq(p->step[1].arg[1].field, iba_field_find(IBA_H_atomiceth, "r_key"));
    cr_expect_eq(p->step[1].arg[2].field, iba_field_find(IBA_H_atomiceth, "swapdt"));
    cr_expect_eq(p->step[1].arg[3].field, iba_field_find(IBA_H_atomiceth, "cmpdt"));
    done(p, s);
}

Test(field, a_syndrome_is_a_kind_and_perhaps_a_code)
{
    static const struct {
        const char *word;
        uint64_t n, mask;
    } is[] = {{"ack", 0x1f, 0xe0},
              {"ack:5", 0x05, UINT64_MAX},
              {"rnr", 0x2c, 0xe0},
              {"rnr:0", 0x20, UINT64_MAX},
              {"nak", 0x60, 0xe0},
              {"nak:31", 0x7f, UINT64_MAX},
              {"nak.psn_sequence_error", 0x60, UINT64_MAX},
              {"nak.invalid_request", 0x61, UINT64_MAX},
              {"nak.remote_access_error", 0x62, UINT64_MAX},
              {"nak.remote_operational_error", 0x63, UINT64_MAX},
              {"nak.invalid_rd_request", 0x64, UINT64_MAX},
              {"0xff", 0xff, UINT64_MAX}};

    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        const struct ibc_value v = value_of(is[i].word, "syndrome");

        cr_expect(v.kind == IBC_V_NUMBER && v.n == is[i].n && v.mask == is[i].mask, "%s", is[i].word);
    }
}

Test(field, addresses_have_their_own_forms)
{
    struct ibc_value v = value_of("10.1.2.3", "ip.dst");

    cr_expect_eq(v.n, 0x0a010203);
    v = value_of("00:11:22:33:44:5f", "eth.src");
    cr_expect_eq(v.n, 0x00112233445f);
    v = value_of("aB:Cd:eF:Af:09:90", "eth.src");
    cr_expect_eq(v.n, 0xabcdefaf0990);
    v = value_of("multicast", "dlid");
    cr_expect(v.kind == IBC_V_RANGE && v.n == 0xc000 && v.hi == 0xfffe);
    v = value_of("roce", "eth.type");
    cr_expect_eq(v.n, 0x8915);
    v = value_of("fe80::2", "grh.dgid");
    cr_expect(v.kind == IBC_V_BYTES && v.n_bytes == 16);
}
