/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of several segments, printed in each form at the packet that completes it. */
#include "common.h"
#include "mad/iba_rmpp.h"
#include "output/mad_text.h"
#include "output/printer.h"
#include "wire/iba_opcode_rows.h"

enum { NODE_RECORD = 0x11, RECORD = 112, RECORDS = 2, SEGMENTS = 3, RECORD_NODE_AT = 4, RECORD_NAME_AT = 44 };

static struct iba_rmpp_transfer transfer;
static uint8_t mad[IBA_MAD_BYTES];

static void to_gsi(struct iba_recipe *r)
{
    iba_bth_set_destqp(iba_recipe_part(r, IBA_H_bth), 1);
    r->payload = mad;
}

/* The last segment of a table of node records: it has no whole record itself. */
static struct packet *last_segment(bool request)
{
    memset(mad, 0, sizeof mad);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_SA);
    iba_madhdr_set_classversion(mad, 2);
    iba_madhdr_set_method(mad, 0x92);
    iba_madhdr_set_attributeid(mad, NODE_RECORD);
    transfer = (struct iba_rmpp_transfer){.attr = iba_mad_attr(IBA_CLASS_SA, NODE_RECORD),
                                          .record_bytes = RECORD,
                                          .last = SEGMENTS,
                                          .request = request,
                                          .bytes = RECORDS * RECORD + RECORD - 1};
    for (unsigned i = 0; i < RECORDS; i++) {
        uint8_t *record = transfer.data + i * RECORD;
        iba_rid_lid_set_lid(record, 100 + i);
        iba_nodeinfo_set_numports(record + RECORD_NODE_AT, 30 + i);
        (void)snprintf((char *)record + RECORD_NAME_AT, 16, "node-%u", i);
    }
    struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, IBA_MAD_BYTES, to_gsi);
    p->table = &transfer;
    return p;
}

static unsigned times(const char *in, const char *what)
{
    unsigned n = 0;

    for (; (in = strstr(in, what)) != NULL; in += strlen(what))
        n++;
    return n;
}

Test(table, lines)
{
    printed_clear();
    print_mad_info(&printed, last_segment(false));
    cr_expect(strstr(printed_text(), ", table of 2 records complete"), "%s", printed_text());
    printed_clear();
    print_mad_info(&printed, last_segment(true));
    cr_expect(strstr(printed_text(), ", request of 3 segments complete"), "%s", printed_text());
    transfer.record_bytes = 0;
    transfer.request = false;
    printed_clear();
    struct packet *p = last_segment(false);
    transfer.record_bytes = 0;
    print_mad_info(&printed, p);
    cr_expect(strstr(printed_text(), ", table of 0 records complete"), "%s", printed_text());
}

Test(table, trees)
{
    printed_clear();
    print_mad_tree(&printed, last_segment(false));
    const char *at = strstr(printed_text(), "Table of 2 records in 3 segments\n");
    cr_assert(at, "%s", printed_text());
    for (unsigned i = 0; i < RECORDS; i++) {
        char name[32], lid[32], ports[32];
        (void)snprintf(name, sizeof name, "node-%u", i);
        (void)snprintf(lid, sizeof lid, "LID: %u", 100 + i);
        (void)snprintf(ports, sizeof ports, "Number of Ports: %u", 30 + i);
        cr_expect_eq(times(at, name), 1, "%s", at);
        cr_expect_eq(times(at, lid), 1, "%s", at);
    }
    cr_expect_eq(times(at, ", record 1\n"), 3, "its LID, its node, its name");
    cr_expect_eq(times(at, ", record 2\n"), 3);
    cr_expect_eq(times(at, ", record "), 6);
    printed_clear();
    print_mad_tree(&printed, last_segment(true));
    cr_expect(strstr(printed_text(), "Request in 3 segments\n"));
}
