/* SPDX-License-Identifier: BSD-2-Clause */
/* A management datagram in the packet's line and in the full tree. Names are those of the IBA (13.4.5, 13.4.7, 15.2.4,
 * 12.6.7). */
#include "common.h"
#include "mad/iba_mad.h"
#include "output/mad_text.h"
#include "wire/iba_opcode_rows.h"

TestSuite(mad_text, .init = printed_clear);

enum { SUBN_LID = 1, SUBN_ADM = 3, PERFORMANCE = 4, CM = 7, DIRECTED = 0x81 };
enum { GET = 1, SET = 2, SEND = 3, GET_RESP = 0x81 };
enum { NODE_INFO = 0x11, PATH_RECORD = 0x35, REQ = 0x10, REJ = 0x12, REP = 0x13 };

static uint8_t mad[IBA_MAD_BYTES];

static void to_gsi(struct iba_recipe *r)
{
    iba_bth_set_destqp(iba_recipe_part(r, IBA_H_bth), 1);
    r->payload = mad;
}

struct sent {
    uint8_t class, method;
    uint16_t attribute, status;
    uint32_t modifier;
};

static void begin(const struct sent *s)
{
    memset(mad, 0, sizeof mad);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, s->class);
    iba_madhdr_set_classversion(mad, s->class == SUBN_ADM || s->class == CM ? 2 : 1);
    iba_madhdr_set_method(mad, s->method);
    iba_bits_put(mad, IBA_AT_madhdr_status_class, 16, s->status);
    iba_madhdr_set_attributeid(mad, s->attribute);
    iba_madhdr_set_attributemodifier(mad, s->modifier);
}

static const char *line(void)
{
    printed_clear();
    print_mad_info(&printed, packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, IBA_MAD_BYTES, to_gsi));
    return printed_text();
}

Test(mad_text, lines)
{
    static const struct {
        struct sent sent;
        const char *line;
    } rows[] = {
        {{SUBN_ADM, GET, PATH_RECORD, 0, 0}, " | SubnAdm Get PathRecord"},
        {{SUBN_ADM, GET_RESP, PATH_RECORD, 0x0300, 0}, " | SubnAdm GetResp PathRecord status=0x0300 no records"},
        {{SUBN_ADM, GET_RESP, PATH_RECORD, 0x0001, 0}, " | SubnAdm GetResp PathRecord status=0x0001"},
        {{SUBN_ADM, GET_RESP, PATH_RECORD, 0x0008, 0},
         " | SubnAdm GetResp PathRecord status=0x0008 method not supported"},
        {{PERFORMANCE, GET_RESP, 0x12, 0x0300, 0}, " | PerfMgt GetResp PortCounters status=0x0300"},
        {{DIRECTED, GET, NODE_INFO, 0x8000, 0}, " | SubnMgmt (directed route) Get NodeInfo"},
        {{DIRECTED, GET, NODE_INFO, 0x8001, 0}, " | SubnMgmt (directed route) Get NodeInfo status=0x0001"},
        {{SUBN_LID, GET, NODE_INFO, 0x8000, 0}, " | SubnMgmt (LID routed) Get NodeInfo status=0x8000"},
        {{SUBN_LID, SET, 0x15, 0, 0x102}, " | SubnMgmt (LID routed) Set PortInfo mod=0x102"},
        {{0x4f, 0x7f, 0xfffe, 0, 0}, " | Vendor with OUI 0x7f 0xfffe"},
        {{0x66, SEND, 0x5, 0, 1}, " | 0x66 Send 0x0005 mod=0x1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&rows[i].sent);
        const char *is = line();
        cr_expect_str_eq(is, rows[i].line, "row %zu: %s", i, is);
    }
}

/* The connection manager names the service and the QP, and the reason of a refusal. */
Test(mad_text, connections)
{
    uint8_t *const body = mad + IBA_BYTES_madhdr;

    begin(&(struct sent){CM, SEND, REQ, 0, 0});
    iba_cm_req_set_serviceid(body, 0x1234567890);
    iba_cm_req_set_localqpn(body, 0x77);
    cr_expect_str_eq(line(), " | ComMgt Send REQ Service=0x0000001234567890 QP=0x000077");
    begin(&(struct sent){CM, SEND, REP, 0, 0});
    iba_cm_rep_set_localqpn(body, 0x78);
    cr_expect_str_eq(line(), " | ComMgt Send REP QP=0x000078");
    begin(&(struct sent){CM, SEND, REP, 0, 0});
    iba_cm_rep_set_localeecn(body, 0x79); /* of XRC */
    cr_expect_str_eq(line(), " | ComMgt Send REP QP=0x000079");
    begin(&(struct sent){CM, SEND, REJ, 0, 0});
    iba_cm_rej_set_reason(body, 8);
    cr_expect_str_eq(line(), " | ComMgt Send REJ invalid service ID");
    begin(&(struct sent){CM, SEND, REJ, 0, 0});
    iba_cm_rej_set_reason(body, 0xfff0);
    cr_expect_str_eq(line(), " | ComMgt Send REJ 0xfff0");
}

Test(mad_text, no_datagram)
{
    print_mad_info(&printed, packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL));
    print_mad_tree(&printed, packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL));
    cr_expect_str_eq(printed_text(), "");
}

static const char *tree(void)
{
    printed_clear();
    print_mad_tree(&printed, packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, IBA_MAD_BYTES, to_gsi));
    return printed_text();
}

/* A component mask names the components of the attribute from bit 0 on; bits beyond these are numbers. */
Test(mad_text, components)
{
    begin(&(struct sent){SUBN_ADM, GET, PATH_RECORD, 0, 0});
    cr_expect_null(strstr(tree(), "Components"));
    iba_sa_set_componentmask(mad + IBA_BYTES_madhdr + 12, UINT64_C(1) << 2 | UINT64_C(1) << 3 | UINT64_C(1) << 63);
    cr_expect(strstr(tree(), "    Components: DGID, SGID, bit 63\n"), "%s", tree());
}

/* An array's lines have their index. */
Test(mad_text, trees)
{
    begin(&(struct sent){SUBN_ADM, GET, PATH_RECORD, 0, 0});
    cr_expect(strstr(tree(), "    Attribute: PathRecord\n"), "%s", tree());
    begin(&(struct sent){SUBN_ADM, GET, 0xfffe, 0, 0});
    cr_expect(strstr(tree(), "    Attribute: unknown\n"), "%s", tree());
    begin(&(struct sent){SUBN_LID, GET_RESP, 0x16, 0, 0}); /* P_KeyTable: 32 entries */
    iba_bits_put(mad + 64, 16 * 31, 16, 0xffff);
    cr_expect(strstr(tree(), "[0]: ") && strstr(tree(), "[9]: ") && strstr(tree(), "[10]: ") &&
                  strstr(tree(), "[31]: ") && !strstr(tree(), "[32]"),
              "%s", tree());
}
