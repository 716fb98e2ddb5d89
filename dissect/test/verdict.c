/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict on a packet: what its findings say about it, which clauses it cites, and the comment that Wireshark
 * shows. */
#include "common.h"
#include "field/mad_context.h"
#include "field/verdict.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"

static void add(struct verdict *v, unsigned kind)
{
    verdict_add(v, &(struct iba_finding){.kind = (uint8_t)kind, .frame = 7, .flow = (const struct iba_flow *)v});
}

/* All kinds of findings up to RETRY_CHANGED are about retransmissions. */
Test(verdict, each_kind_marks_its_packet)
{
    for (unsigned kind = 0; kind < IBA_FINDING_COUNT; kind++) {
        struct verdict v = {0};
        add(&v, kind);
        cr_expect_eq(v.n, 1);
        cr_expect_eq(v.worst, iba_findings[kind].severity);
        cr_expect_eq(v.again, kind <= IBA_FINDING_RETRY_CHANGED, "%s", iba_findings[kind].name);
        cr_expect_eq(v.late, kind == IBA_FINDING_LATE);
        cr_expect_eq(v.finding[0].kind, kind);
        cr_expect_null(v.finding[0].flow, "it is valid during the report only");
    }
}

Test(verdict, marks_stay_and_the_worst_counts)
{
    struct verdict v = {0};

    add(&v, IBA_FINDING_RETRY_NAK);
    add(&v, IBA_FINDING_LATE);
    add(&v, IBA_FINDING_LENGTH);
    add(&v, IBA_FINDING_ECN);
    cr_expect(v.again && v.late && v.worst == IBA_ERROR && v.n == 4);
    while (v.n < VERDICT_MOST + 3)
        add(&v, IBA_FINDING_CNP);
    cr_expect_eq(verdict_kept(&v), VERDICT_MOST);
    cr_expect_eq(v.finding[VERDICT_MOST - 1].kind, IBA_FINDING_CNP);
    cr_expect_eq(v.n, VERDICT_MOST + 3);
}

Test(verdict, has_something_to_show)
{
    const struct verdict none = {0}, found = {.n = 1}, asked = {.request_in = 3}, got = {.response_in = 3},
                         twin = {.same_as = 3};

    cr_expect(!verdict_any(NULL) && !verdict_any(&none));
    cr_expect(verdict_any(&found) && verdict_any(&asked) && verdict_any(&got) && verdict_any(&twin));
    cr_expect(!verdict_is_twin(&none, 4) && verdict_is_twin(&twin, 4) && !verdict_is_twin(&twin, 3) &&
              !verdict_is_twin(&twin, 2));
    cr_expect_eq(verdict_kept(NULL), 0);
    cr_expect_eq(verdict_kept(&found), 1);
}

/* A section is cited once, also if the finding cites nothing else. */
Test(verdict, cites_the_clause_and_its_sections)
{
    unsigned sections = 0;

    for (unsigned kind = 0; kind < IBA_FINDING_COUNT; kind++) {
        const char *clause = iba_findings[kind].clause, *cited = verdict_cited(kind);
        cr_expect(strncmp(cited, clause, strlen(clause)) == 0, "%s", cited);
        if (strncmp(clause, "\u00a7", strlen("\u00a7")) == 0) {
            cr_expect_str_eq(cited, clause);
            sections++;
        } else
            cr_expect(cited[strlen(clause)] == '\0' || strncmp(cited + strlen(clause), ", ", 2) == 0, "%s", cited);
    }
    cr_expect_str_eq(verdict_cited(IBA_FINDING_GAP), "RQ-01, UU-03, 9.7.2, 9.8.2.2");
    (void)sections;
}

/* The comment has the full text of every finding, whatever their number and length. */
Test(verdict, comment_has_a_line_for_each)
{
    static const struct verdict_names names = {.file = {"a.pcap"}};
    char comment[VERDICT_COMMENT];

    for (unsigned kind = 0; kind < IBA_FINDING_COUNT; kind++) {
        struct verdict v = {.names = &names};
        unsigned lines = 1;
        for (unsigned i = 0; i < VERDICT_MOST; i++)
            add(&v, kind);
        cr_assert(verdict_comment(&v, comment));
        for (const char *at = comment; (at = strchr(at, '\n')) != NULL; at++)
            lines++;
        cr_expect_eq(lines, VERDICT_MOST, "%s", comment);
        cr_expect_eq(comment[strlen(comment) - 1], ']', "%s", comment);
    }
    const struct verdict none = {0};
    cr_expect(!verdict_comment(&none, comment) && !verdict_comment(NULL, comment));
}

Test(verdict, values_of_fields)
{
    static const struct verdict_names names = {.file = {"a.pcap"}};
    struct verdict v = {.names = &names};

    add(&v, IBA_FINDING_RETRY_RNR);
    add(&v, IBA_FINDING_NAK_ACCESS);
    cr_expect_str_eq(verdict_value(&v, 0, VERDICT_FINDING, 0), "RETRY_RNR");
    cr_expect_str_eq(verdict_value(&v, 1, VERDICT_FINDING, 0), "NAK_ACCESS");
    cr_expect_str_eq(verdict_value(&v, 0, VERDICT_OF_KIND, IBA_FINDING_RETRY_NAK),
                     "RETRY_RNR"); /* both are retransmissions */
    cr_expect_null(verdict_value(&v, 1, VERDICT_OF_KIND, IBA_FINDING_RETRY_NAK));
    cr_expect_str_eq(verdict_value(&v, 1, VERDICT_CLAUSE, 0), iba_findings[IBA_FINDING_NAK_ACCESS].clause);
    cr_expect_str_eq(verdict_value(&v, 0, VERDICT_SECTION, 0), verdict_sections(IBA_FINDING_RETRY_RNR));
    cr_expect(strstr(verdict_value(&v, 1, VERDICT_MESSAGE, 0), "the responder denies the access"));
    cr_expect_eq(verdict_first_kind(IBA_FINDING_RETRY_NAK), IBA_FINDING_RETRY_NAK);
    cr_expect_eq(verdict_first_kind(IBA_FINDING_ANSWER_AGAIN), IBA_FINDING_RETRY_NAK);
    cr_expect_eq(verdict_first_kind(IBA_FINDING_LATE), IBA_FINDING_LATE);
}

/* The service identifiers of RDMA's connection manager (A11.3): a protocol and a port. */
Test(verdict, owners_of_services)
{
    static const struct {
        uint64_t service_id;
        uint8_t upper;
        const char *text;
    } rows[] = {{0x0000000001061d2f, IBA_UPPER_NONE, "TCP port 7471"},
                {0x0000000001111d2f, IBA_UPPER_NONE, "UDP port 7471"},
                {0x00000000013f1d2f, IBA_UPPER_NONE, "librdmacm, port space IB, 7471"},
                {0x0000000001051d2f, IBA_UPPER_NONE, ""},
                {0x1000000001061d2f, IBA_UPPER_NONE, ""},
                {0x1000000000061d2f, IBA_UPPER_NONE, ""},
                {0x0000000000011d2f, IBA_UPPER_SDP, "SDP port 7471"},
                {0x0000000001000123, IBA_UPPER_IPOIB, "IPoIB QP 0x000123"},
                {0x00000000ff123456, IBA_UPPER_IPOIB, "IPoIB QP 0x123456"}};
    char text[OWNER_BYTES];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        owner_text(text, rows[i].service_id, rows[i].upper);
        cr_expect_str_eq(text, rows[i].text, "row %zu: %s", i, text);
    }
    owner_text(text, 0, IBA_UPPER_SRP);
    cr_expect_str_eq(text, iba_upper_name(IBA_UPPER_SRP));
}
