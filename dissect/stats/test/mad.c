/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams by class, method, attribute and status, and the times of their answers. Names are those of the
 * IBA (13.4.5, 15.2.5), times are computed by hand. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "stats/kinds.h"
#include "wire/iba_opcode_rows.h"

enum { MAD_WORDS = 64, ICRC = 4, MS = 1000000 };
enum {
    SA = 3,
    PERFORMANCE = 4,
    DIRECTED = 0x81,
    GET = 1,
    SET = 2,
    GET_RESP = 0x81,
    TRAP = 5,
    PATH_RECORD = 0x35,
    NODE_INFO = 0x11
};

struct mad {
    bool back; /* from the answering end */
    uint8_t class, method;
    uint16_t status, attribute;
    uint64_t transaction;
};

static struct frame frame_mad(const struct mad *m)
{
    struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                             .src = m->back ? 2 : 1,
                                             .dst = m->back ? 1 : 2,
                                             .opcode = IBA_UD_SEND_ONLY,
                                             .p_key = 0xffff,
                                             .dest_qp = 1,
                                             .source_qp = 1,
                                             .words = MAD_WORDS});
    uint8_t *h = f.b + f.n - ICRC - 4 * MAD_WORDS;

    iba_madhdr_set_baseversion(h, 1);
    iba_madhdr_set_mgmtclass(h, m->class);
    iba_madhdr_set_classversion(h, m->class == SA ? 2 : 1);
    iba_madhdr_set_method(h, m->method);
    iba_bits_put(h, IBA_AT_madhdr_status_class, 16, m->status);
    iba_madhdr_set_transactionid(h, m->transaction);
    iba_madhdr_set_attributeid(h, m->attribute);
    return f;
}

static void sends(struct feed *f, const struct mad *m, int64_t at_ns)
{
    const struct frame frame = frame_mad(m);

    f->unchecked = true; /* zeros became a datagram, the ICRC stayed */
    feed(f, &frame, at_ns);
}

static void exchange(struct feed *f, uint16_t attribute, uint64_t transaction, int64_t at_ns, int64_t took)
{
    const struct mad get = {false, SA, GET, 0, attribute, transaction},
                     got = {true, SA, GET_RESP, 0, attribute, transaction};

    sends(f, &get, at_ns);
    sends(f, &got, at_ns + took);
}

Test(mad, answers_and_their_times)
{
    struct feed f;

    feed_open(&f, "mad");
    exchange(&f, PATH_RECORD, 1, 0, 5 * MS);
    exchange(&f, PATH_RECORD, 2, 20 * MS, 10 * MS);
    exchange(&f, PATH_RECORD, 3, 40 * MS, 3 * MS);
    const struct mad again = {true, SA, GET_RESP, 0, PATH_RECORD, 3}, lost = {false, SA, GET, 0, PATH_RECORD, 4};
    sends(&f, &again, 90 * MS); /* only the first answer has a time */
    sends(&f, &lost, 91 * MS);
    char *j = printed(&f, true), *t = printed(&f, false);
    cr_expect_str_eq(
        j, "{\"stat\":\"mad\",\"packets\":8,\"cut\":0,\"beyond\":0,\"unanswered\":1,\"limit\":1024,\"rows\":["
           "{\"class\":3,\"class_name\":\"SubnAdm\",\"attribute\":53,\"attribute_name\":\"PathRecord\",\"method\":1,"
           "\"method_name\":\"Get\",\"status\":0,\"packets\":4,\"first_frame\":1,\"answers\":0},"
           "{\"class\":3,\"class_name\":\"SubnAdm\",\"attribute\":53,\"attribute_name\":\"PathRecord\",\"method\":129,"
           "\"method_name\":\"GetResp\",\"status\":0,\"packets\":4,\"first_frame\":2,\"answers\":3,"
           "\"least\":0.003000000,\"mean\":0.006000000,\"most\":0.010000000}]}\n");
    cr_expect(strstr(t, "       4        1                 -              -              -\n"), "%s", t);
    cr_expect(strstr(t, "       4        2       0.003000000    0.006000000    0.010000000\n"), "%s", t);
    cr_expect(strstr(t, "\nDatagrams 8, cut in the header 0, of kinds that found no room 0, requests without an answer "
                        "1 (0 not waited"
                        " for, for want of room)\n"),
              "%s", t);
    free(j);
    free(t);
    expect(&f, "mad-answers");
}

/* Rows are in the order of class, attribute, method and status. A value without a name is shown as a number. */
Test(mad, order_and_names_of_rows)
{
    static const struct mad sent[] = {
        {false, DIRECTED, GET, 0x8000, NODE_INFO, 1}, {false, SA, SET, 0, PATH_RECORD, 2},
        {true, SA, GET_RESP, 0x0300, PATH_RECORD, 3}, {true, SA, GET_RESP, 0, PATH_RECORD, 4},
        {false, SA, GET, 0x8000, PATH_RECORD, 5},     {false, 0x4f, 0x7f, 0, 0xfffe, 6},
        {false, DIRECTED, GET, 0, NODE_INFO, 7},      {false, SA, GET, 0, NODE_INFO, 8},
        {false, PERFORMANCE, GET, 0, PATH_RECORD, 9},
    };
    static const char *const rows[] = {
        "{\"class\":3,\"class_name\":\"SubnAdm\",\"attribute\":17,\"attribute_name\":\"NodeRecord\",\"method\":1,"
        "\"method_name\":\"Get\","
        "\"status\":0,",
        "\"attribute\":53,\"attribute_name\":\"PathRecord\",\"method\":1,\"method_name\":\"Get\",\"status\":32768,",
        "\"method\":2,\"method_name\":\"Set\",\"status\":0,",
        "\"method\":129,\"method_name\":\"GetResp\",\"status\":0,",
        "\"method\":129,\"method_name\":\"GetResp\",\"status\":768,",
        "{\"class\":4,\"class_name\":\"PerfMgt\",\"attribute\":53,\"attribute_name\":\"PortVLXmitTimeCong\",",
        "{\"class\":79,\"class_name\":\"Vendor with "
        "OUI\",\"attribute\":65534,\"attribute_name\":\"\",\"method\":127,\"method_name\":"
        "\"\",\"status\":0,",
        /* the highest bit of a directed datagram's status is its direction */
        "{\"class\":129,\"class_name\":\"SubnMgmt (directed "
        "route)\",\"attribute\":17,\"attribute_name\":\"NodeInfo\",\"method\":1,"
        "\"method_name\":\"Get\","
        "\"status\":0,\"packets\":2,\"first_frame\":1,",
    };
    struct feed f;

    feed_open(&f, "mad");
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        sends(&f, &sent[i], (int64_t)i);
    char *j = printed(&f, true), *at = j, *t = printed(&f, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *next = strstr(at, rows[i]);
        cr_expect(next, "row %zu, %s, does not follow the one before: %s", i, rows[i], j);
        at = next ? next : at;
    }
    cr_expect_eq(occurrences(j, "{\"class\":"), sizeof rows / sizeof *rows);
    cr_expect(strstr(t, "\nVendor with OUI            0xfffe                         0x7f          0x0000  "), "%s", t);
    free(j);
    free(t);
    expect(&f, "mad-order");
}

Test(mad, rows_beyond_the_limit)
{
    enum { ROWS = 1024 };
    struct feed f;
    struct mad m = {false, SA, TRAP, 0, 0, 1};

    feed_open(&f, "mad");
    for (unsigned i = 0; i < ROWS + 3; i++) {
        m.attribute = (uint16_t)i;
        sends(&f, &m, i);
    }
    m.attribute = 5; /* has a row */
    sends(&f, &m, ROWS + 3);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "{\"stat\":\"mad\",\"packets\":1028,\"cut\":0,\"beyond\":3,\"unanswered\":0,"), "%.200s", j);
    cr_expect_eq(occurrences(j, "{\"class\":"), ROWS);
    cr_expect(strstr(
        j,
        "\"attribute\":5,\"attribute_name\":\"\",\"method\":5,\"method_name\":\"Trap\",\"status\":0,\"packets\":2,"));
    free(j);
    feed_close(&f);
}

Test(mad, cut_and_others)
{
    const struct frame other = frame_captured();
    const struct mad get = {false, SA, GET, 0, PATH_RECORD, 1}, got = {true, SA, GET_RESP, 0, PATH_RECORD, 1};
    struct frame cut = frame_mad(&get);
    struct feed f;

    feed_open(&f, "mad");
    feed(&f, &other, 0); /* no datagram */
    cut.caplen = cut.n - ICRC - 4 * MAD_WORDS + 23;
    feed(&f, &cut, 1);
    cut.caplen++; /* its whole header */
    feed(&f, &cut, 2);
    sends(&f, &got, UNTIMED); /* an answer, but after which time? */
    char *j = printed(&f, true);
    cr_expect(strstr(j, "{\"stat\":\"mad\",\"packets\":3,\"cut\":1,\"beyond\":0,\"unanswered\":0,"), "%s", j);
    cr_expect_eq(occurrences(j, "\"answers\":0}"), 2);
    free(j);
    feed_close(&f);
}
