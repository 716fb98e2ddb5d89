/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/kinds.h"

enum { LISTED = 20, CHECKS = IBA_CHECK_PENDING + 1, PROTOS = IBA_PROTO_ROCE2 + 1 };
enum crc { CRC_ICRC, CRC_VCRC, CRC_LPCRC, CRC_COUNT };

struct bad {
    uint64_t n, number[LISTED];
};
struct icrc {
    uint64_t icrc[PROTOS][CHECKS], vcrc[PROTOS][CHECKS]; /* packets; each packet counts once in each of the two */
    uint64_t malformed;
    struct bad bad[CRC_COUNT];
};

/* The combinations of counts that have a row. */
static const struct row {
    uint8_t crc, proto;
    const char *encapsulation; /* a value of infiniband.encapsulation */
} rows[] = {
    {CRC_ICRC, IBA_PROTO_IB, "InfiniBand"}, {CRC_ICRC, IBA_PROTO_ROCE1, "RoCEv1"},
    {CRC_ICRC, IBA_PROTO_ROCE2, "RoCEv2"},  {CRC_VCRC, IBA_PROTO_IB, "InfiniBand"},
    {CRC_VCRC, IBA_PROTO_IB_RAW, "IB raw"}, {CRC_LPCRC, IBA_PROTO_IB_LINK, "IB link"},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const struct {
    const char *title, *key;
} crcs[CRC_COUNT] = {{"ICRC", "icrc"}, {"VCRC", "vcrc"}, {"LPCRC", "lpcrc"}};
static const uint8_t check_order[CHECKS] = {IBA_CHECK_GOOD, IBA_CHECK_BAD, IBA_CHECK_TRUNCATED, IBA_CHECK_ABSENT,
                                            IBA_CHECK_PENDING};

void *stat_icrc_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("icrc", sizeof(struct icrc), arg, err, errlen);
}

static void note_bad(struct bad *b, uint64_t number)
{
    if (b->n < LISTED)
        b->number[b->n] = number;
    b->n++;
}

/* A packet on the RoCE port that turned out not to be RoCE has a fault of its own, and is not malformed. */
static bool is_malformed(const struct iba_view *v)
{
    return v->err != IBA_OK && stat_is_infiniband(v);
}

void stat_icrc_packet(void *state, const struct packet *p)
{
    struct icrc *s = state;
    const struct iba_view *v = &p->view;

    s->icrc[v->proto][v->icrc]++;
    s->vcrc[v->proto][v->vcrc]++;
    s->malformed += is_malformed(v);
    if (v->icrc == IBA_CHECK_BAD)
        note_bad(&s->bad[CRC_ICRC], p->number);
    if (v->vcrc == IBA_CHECK_BAD)
        note_bad(&s->bad[v->proto == IBA_PROTO_IB_LINK ? CRC_LPCRC : CRC_VCRC], p->number);
}

static uint64_t sum(const uint64_t *n)
{
    uint64_t all = 0;

    for (unsigned c = 0; c < CHECKS; c++)
        all += n[c];
    return all;
}

static uint64_t packets(const struct icrc *s)
{
    uint64_t all = 0;

    for (unsigned p = 0; p < PROTOS; p++)
        all += sum(s->icrc[p]);
    return all;
}

static const uint64_t *counts(const struct icrc *s, const struct row *r)
{
    return r->crc == CRC_ICRC ? s->icrc[r->proto] : s->vcrc[r->proto];
}

static void print_row(struct table *t, const struct icrc *s, const struct row *r)
{
    const uint64_t *n = counts(s, r);

    table_str(t, crcs[r->crc].title);
    table_str(t, r->encapsulation);
    table_u64(t, sum(n));
    for (unsigned c = 0; c < CHECKS; c++)
        table_u64(t, n[check_order[c]]);
}

static void print_bad(struct out *o, const char *title, const struct bad *b)
{
    out_str(o, "Bad ");
    out_str(o, title);
    out_str(o, b->n ? " in packets" : ": none");
    for (uint64_t i = 0; i < b->n && i < LISTED; i++) {
        out_ch(o, ' ');
        out_u64(o, b->number[i]);
    }
    if (b->n > LISTED) {
        out_str(o, " and ");
        out_u64(o, b->n - LISTED);
        out_str(o, " more");
    }
    out_ch(o, '\n');
}

static void print_total(struct out *o, const char *label, uint64_t n)
{
    out_str(o, label);
    out_u64(o, n);
}

static void print_text(const struct icrc *s, struct out *o)
{
    static const struct column columns[] = {
        {"CRC", 5, true},   {"Encapsulation", 13, true}, {"Packets", 12, false}, {"Good", 12, false},
        {"Bad", 12, false}, {"Truncated", 12, false},    {"Absent", 12, false},  {"Unchecked", 12, false}};
    struct table t;

    table_open(&t, o, "CRCs", columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < ROWS; i++)
        print_row(&t, s, &rows[i]);
    table_rule(&t, '-');
    print_total(o, "Packets ", packets(s));
    print_total(o, ", not InfiniBand ", sum(s->icrc[IBA_PROTO_NONE]));
    print_total(o, ", cut too short to be decoded ", sum(s->icrc[IBA_PROTO_UNDECIDED]));
    print_total(o, ", malformed ", s->malformed);
    out_ch(o, '\n');
    for (unsigned c = 0; c < CRC_COUNT; c++)
        print_bad(o, crcs[c].title, &s->bad[c]);
    table_close(&t);
}

static void print_json_row(struct out *o, const struct icrc *s, const struct row *r)
{
    const uint64_t *n = counts(s, r);

    out_str(o, "{\"crc\":\"");
    out_str(o, crcs[r->crc].key);
    out_ch(o, '"');
    json_str(o, "encapsulation", r->encapsulation);
    json_u64(o, "packets", sum(n));
    for (unsigned c = 0; c < CHECKS; c++)
        json_u64(o, iba_check_name((enum iba_check)check_order[c]), n[check_order[c]]);
    out_ch(o, '}');
}

static void print_json_bad(struct out *o, const char *key, const struct bad *b)
{
    out_str(o, "{\"crc\":\"");
    out_str(o, key);
    out_ch(o, '"');
    json_u64(o, "packets", b->n);
    json_key(o, "first");
    out_ch(o, '[');
    for (uint64_t i = 0; i < b->n && i < LISTED; i++) {
        if (i > 0)
            out_ch(o, ',');
        out_u64(o, b->number[i]);
    }
    out_ch(o, ']');
    json_u64(o, "more", b->n > LISTED ? b->n - LISTED : 0);
    out_ch(o, '}');
}

static void print_json(const struct icrc *s, struct out *o)
{
    out_str(o, "{\"stat\":\"icrc\"");
    json_u64(o, "packets", packets(s));
    json_u64(o, "not_infiniband", sum(s->icrc[IBA_PROTO_NONE]));
    json_u64(o, "undecided", sum(s->icrc[IBA_PROTO_UNDECIDED]));
    json_u64(o, "malformed", s->malformed);
    json_key(o, "crcs");
    for (unsigned i = 0; i < ROWS; i++) {
        out_ch(o, i ? ',' : '[');
        print_json_row(o, s, &rows[i]);
    }
    out_ch(o, ']');
    json_key(o, "bad");
    for (unsigned c = 0; c < CRC_COUNT; c++) {
        out_ch(o, c ? ',' : '[');
        print_json_bad(o, crcs[c].key, &s->bad[c]);
    }
    out_str(o, "]}\n");
}

void stat_icrc_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
