/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields with several values: those of a packet's findings, and those of a management datagram. */
#include "common.h"
#include "field/foreign.h"
#include "field/verdict.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"
#include "output/finding_text.h"
#include "wire/iba_opcode_rows.h"

enum { MOST = 16, TEXT_BYTES = 512 };

/* The values that a field passed on, separated by "|"; `wanted`: it is asked for so many. */
struct taken {
    char text[TEXT_BYTES];
    unsigned n, wanted;
};

static bool take(void *ctx, const struct value *v)
{
    struct taken *t = ctx;
    const size_t used = strlen(t->text);

    if (v->type == FIELD_TEXT)
        (void)snprintf(t->text + used, sizeof t->text - used, "%s%.*s", t->n ? "|" : "", (int)v->len,
                       (const char *)v->bytes);
    else
        (void)snprintf(t->text + used, sizeof t->text - used, "%s%llu", t->n ? "|" : "", (unsigned long long)v->u);
    return ++t->n < t->wanted;
}

static struct taken taken(const char *field, const struct packet *p, unsigned wanted)
{
    struct taken t = {.wanted = wanted};
    const struct field *f = field_find(field);

    cr_assert(f, "%s", field);
    field_values(f, p, take, &t);
    return t;
}

static const struct verdict_names names = {.file = {"a.pcap"}};

static void add(struct verdict *v, unsigned kind, uint64_t cause)
{
    verdict_add(v, &(struct iba_finding){.kind = (uint8_t)kind, .frame = 7, .cause = cause});
}

/* Each finding, with each of its clauses; each frame that explains some of them once. */
Test(found, values_of_findings)
{
    static const struct {
        const char *field, *values;
    } rows[] = {
        {"infiniband.analysis.finding", "GAP|RETRY_RNR|LATE|RETRY_NAK"},
        {"infiniband.analysis.clause", "RQ-01|UU-03|RQ-28|RR-02|RQ-26"},
        {"infiniband.analysis.cause", "5|9"},
        {"infiniband.analysis.gap", "GAP"},
        {"infiniband.analysis.out_of_order", "LATE"},
        {"infiniband.analysis.retransmission", "RETRY_RNR|RETRY_NAK"},
        {"infiniband.analysis.severity", "warn"},
        {"infiniband.analysis.length", ""},
    };
    struct packet p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL);
    struct verdict v = {.names = &names};

    add(&v, IBA_FINDING_GAP, 5);
    add(&v, IBA_FINDING_RETRY_RNR, 0);
    add(&v, IBA_FINDING_LATE, 9);
    add(&v, IBA_FINDING_RETRY_NAK, 5);
    p.verdict = &v;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct taken all = taken(rows[i].field, &p, MOST);
        cr_expect_str_eq(all.text, rows[i].values, "%s: %s", rows[i].field, all.text);
        for (unsigned n = 1; n <= all.n; n++) {
            const struct taken some = taken(rows[i].field, &p, n);
            cr_expect_eq(some.n, n, "%s is asked for %u, and gives %u", rows[i].field, n, some.n);
        }
    }
    cr_expect_eq(taken("infiniband.analysis.message", &p, MOST).n, 4);
    p.verdict = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(taken(rows[i].field, &p, MOST).n, 0, "%s", rows[i].field);
}

/* ---- the fields of a packet that have values ---- */

struct listed {
    char text[4096];
    unsigned n;
};

static void list(void *ctx, const struct packet *p, const struct field *f, unsigned values)
{
    struct listed *l = ctx;
    const size_t used = strlen(l->text);
    char one[128];

    (void)snprintf(one, sizeof one, " %s ", f->name);
    cr_expect_null(strstr(l->text, one), "%s comes twice", f->name);
    (void)snprintf(l->text + used, sizeof l->text - used, "%s", used ? one + 1 : one);
    cr_expect_eq(taken(f->name, p, 1000).n, values, "%s", f->name);
    l->n++;
}

Test(found, fields_of_findings)
{
    struct packet p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL);
    static const struct verdict none, answers = {.request_in = 3, .time_ns = 4};
    static struct listed l;
    struct verdict found = {.names = &names, .same_as = 2};

    field_analysis(&p, list, &l);
    p.verdict = &none;
    field_analysis(&p, list, &l);
    cr_expect_eq(l.n, 0, "%s", l.text);
    p.verdict = &answers;
    field_analysis(&p, list, &l);
    cr_expect_str_eq(l.text, " infiniband.analysis.request_in infiniband.analysis.time ");
    l = (struct listed){.n = 0};
    add(&found, IBA_FINDING_GAP, 1);
    p.verdict = &found;
    field_analysis(&p, list, &l);
    cr_expect_str_eq(l.text, " infiniband.analysis infiniband.analysis.cause infiniband.analysis.clause "
                             "infiniband.analysis.finding infiniband.analysis.gap infiniband.analysis.message "
                             "infiniband.analysis.same_as infiniband.analysis.section infiniband.analysis.severity ");
}

/* ---- management datagrams ---- */

enum { SUBN_ADM = 3, PATH_RECORD = 0x35, GET = 1 };
static uint8_t mad[IBA_MAD_BYTES];

static void to_gsi(struct iba_recipe *r)
{
    iba_bth_set_destqp(iba_recipe_part(r, IBA_H_bth), 1);
    r->payload = mad;
}

/* A request for a path, whose other bytes are `fill`. */
static struct packet path_record(uint8_t fill)
{
    memset(mad, fill, sizeof mad);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, SUBN_ADM);
    iba_madhdr_set_classversion(mad, 2);
    iba_madhdr_set_method(mad, GET);
    iba_madhdr_set_attributeid(mad, PATH_RECORD);
    iba_madhdr_set_transactionid(mad, 0x1234);
    return *packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, IBA_MAD_BYTES, to_gsi);
}

/* Every visible row that has a value comes once; reserved rows only if they are not zero. */
Test(found, fields_of_a_datagram)
{
    for (unsigned filled = 0; filled < 2; filled++) {
        static struct listed l;
        const struct packet p = path_record(filled ? 0xff : 0);
        struct iba_mad m;
        unsigned reserved = 0;
        cr_assert(packet_mad(&m, &p));
        l = (struct listed){.n = 0};
        field_mad(&p, list, &l);
        for (unsigned k = 0; k < m.n_part; k++) {
            const struct iba_hdr_info *info = &iba_mad_layouts[m.part[k].layout];
            for (unsigned i = 0; i < info->n_field; i++) {
                const struct field *f = field_of_mad_row((enum iba_mad_layout)m.part[k].layout, i);
                char one[128];
                (void)snprintf(one, sizeof one, " %s ", f->name);
                const bool there = strstr(l.text, one) != NULL;
                if (info->field[i].vis == IBA_VIS_H)
                    continue;
                if (info->field[i].vis == IBA_VIS_R) {
                    reserved++;
                    cr_expect_eq(there, filled == 1, "%s", f->name);
                } else
                    cr_expect_eq(there, taken(f->name, &p, MOST).n > 0, "%s", f->name);
            }
        }
        cr_expect_gt(reserved, 0);
    }
}

Test(found, values_of_a_datagram)
{
    const struct packet p = path_record(0);
    static struct listed l;
    struct iba_mad m;

    cr_expect_str_eq(taken("infiniband.mad.mgmtclass", &p, MOST).text, "3");
    cr_expect_str_eq(taken("infiniband.mad.attributeid", &p, MOST).text, "53");
    cr_expect_str_eq(taken("infiniband.mad.transactionid", &p, MOST).text, "4660");
    const struct packet other = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL);
    cr_expect_eq(taken("infiniband.mad.mgmtclass", &other, MOST).n, 0);
    cr_expect_not(packet_mad(&m, &other));
    field_mad(&other, list, &l);
    cr_expect_eq(l.n, 0);
}

/* ---- zeros ---- */

Test(found, values_that_are_zero)
{
    static const uint8_t zeros[4], last[4] = {0, 0, 0, 1}, first[4] = {1};

    cr_expect(field_is_zero(&(struct value){.type = FIELD_UINT}));
    cr_expect_not(field_is_zero(&(struct value){.type = FIELD_UINT, .u = 1}));
    cr_expect(field_is_zero(&(struct value){.type = FIELD_BYTES, .bytes = zeros, .len = 4}));
    cr_expect_not(field_is_zero(&(struct value){.type = FIELD_BYTES, .bytes = last, .len = 4}));
    cr_expect(field_is_zero(&(struct value){.type = FIELD_BYTES, .bytes = last, .len = 3}));
    cr_expect_not(field_is_zero(&(struct value){.type = FIELD_BYTES, .bytes = first, .len = 4}));
    cr_expect(field_is_analysis(field_find("infiniband.analysis.gap")));
    cr_expect_not(field_is_analysis(field_find("infiniband.bth.psn")));
}

/* A finding in words: its PSN, the frame that explains it, its number with a unit, and its time. */
Test(found, words_of_findings)
{
    static const struct {
        struct iba_finding f;
        const char *head, *tail; /* the sentence of the kind is between them */
    } rows[] = {
        {{.kind = IBA_FINDING_GAP, .psn = {3}}, "PSN 0x000003 ", ""},
        {{.kind = IBA_FINDING_GAP, .psn = {3}, .count = 1}, "PSN 0x000003 ", " (1 missing)"},
        {{.kind = IBA_FINDING_GAP, .psn = {3}, .count = 2, .cause = 9}, "PSN 0x000003 ", " (frame 9, 2 missing)"},
        {{.kind = IBA_FINDING_GAP, .no_psn = true, .cause = 9}, "the packet ", " (frame 9)"},
        {{.kind = IBA_FINDING_RETRY_NAK, .cause = 9, .wait_ns = 1500}, "PSN 0x000000 ", " (frame 9, 1.5 us)"},
        {{.kind = IBA_FINDING_RETRY_NAK, .wait_ns = 999999}, "PSN 0x000000 ", " (1e+03 us)"},
        {{.kind = IBA_FINDING_RETRY_NAK, .wait_ns = 1000000}, "PSN 0x000000 ", " (1 ms)"},
        {{.kind = IBA_FINDING_RETRY_NAK, .wait_ns = 1234567}, "PSN 0x000000 ", " (1.235 ms)"},
        {{.kind = IBA_FINDING_RETRY_PAYLOAD, .count = IBA_COPY_UNKNOWN},
         "PSN 0x000000 ",
         " (the copy before may have arrived)"},
        {{.kind = IBA_FINDING_RETRY_PAYLOAD, .count = IBA_COPY_ARRIVED},
         "PSN 0x000000 ",
         " (the copy before had arrived)"},
        {{.kind = IBA_FINDING_RETRY_PAYLOAD, .count = IBA_COPY_LOST}, "PSN 0x000000 ", " (the copy before was lost)"},
        {{.kind = IBA_FINDING_RETRY_PAYLOAD, .count = IBA_COPY_LOST + 1},
         "PSN 0x000000 ",
         " (the copy before may have arrived)"},
        {{.kind = IBA_FINDING_END_REFUSED, .count = 8}, "PSN 0x000000 ", " (reason 8: invalid service ID)"},
        {{.kind = IBA_FINDING_END_REFUSED, .count = 999, .cause = 4}, "PSN 0x000000 ", " (frame 4, reason 999)"},
        {{.kind = IBA_FINDING_END_REFUSED}, "PSN 0x000000 ", ""},
    };
    char want[512];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(want, sizeof want, "%s%s%s", rows[i].head, iba_findings[rows[i].f.kind].sentence, rows[i].tail);
        cr_expect_str_eq(verdict_text(&rows[i].f, &names), want, "row %zu: %s", i, verdict_text(&rows[i].f, &names));
    }
}

/* A text that has no more room ends where the room ends. */
Test(found, words_without_room)
{
    const struct iba_finding f = {.kind = IBA_FINDING_GAP, .psn = {3}, .count = 2, .cause = 9, .wait_ns = 5};
    char whole[512], part[512];

    finding_text(whole, sizeof whole, &f, NULL);
    for (size_t n = 1; n <= strlen(whole) + 1; n++) {
        memset(part, '#', sizeof part);
        finding_text(part, n, &f, NULL);
        cr_expect_eq(strlen(part), n - 1);
        cr_expect(strncmp(part, whole, n - 1) == 0 && part[n] == '#', "%zu: %s", n, part);
    }
    finding_text(whole, sizeof whole, &f, "a.pcap");
    cr_expect(strstr(whole, " (a.pcap frame 9, 2 missing, 0.005 us)"), "%s", whole);
}

/* Names of tshark that are looked at when a name is misspelled: those that stand for one field only. */
Test(found, names_of_tshark)
{
    size_t n = 0;

    cr_expect_str_eq(foreign_name(0), "_ws.expert");
    for (; foreign_name(n); n++) {
        const char last = foreign_name(n)[strlen(foreign_name(n)) - 1];
        cr_expect(last != '.' && last != ',', "%s", foreign_name(n));
        cr_expect_not_null(foreign_instead(foreign_name(n)));
    }
    cr_expect_str_eq(foreign_name(n - 1), "jsonraw");
    cr_expect_null(foreign_name(n + 1));
    cr_expect(foreign_instead("tcp.port") && foreign_instead("tcp") && foreign_instead("conv,tcp"));
    cr_expect(!foreign_instead("tc") && !foreign_instead("tcpx") && !foreign_instead("arp_") &&
              !foreign_instead("frame.time_epoch") && !foreign_instead(""));
}
