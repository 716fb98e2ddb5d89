/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of judged packets: each finding in its column, each packet at its direction, the order of rows. Directions
 * and verdicts are made by hand, and so are the figures that are expected. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "judge/judge.h"
#include "stats/kinds.h"
#include "observer/iba_finding_kinds.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

enum { DIRECTIONS = 6, WORDS = 2 };

/* Three connections of 10.0.0.1 and 10.0.0.2, each with its two directions; the last one is UD. */
struct bench {
    struct feed f;
    struct direction d[DIRECTIONS];
    struct verdict_names names;
    struct verdict v;
};

static void begin(struct bench *b, const char *statistic)
{
    memset(b, 0, sizeof *b);
    feed_open(&b->f, statistic);
    for (uint32_t i = 0; i < DIRECTIONS; i++) {
        struct direction *d = &b->d[i];
        *d = (struct direction){.id = i, .peer = (i ^ 1) + 1, .svc = i < 4 ? IBA_RC : IBA_UD, .pmtu = 1024};
        d->key.kind = IBA_ADDR_IPV4;
        d->key.src[0] = d->key.dst[0] = 10;
        d->key.src[3] = (uint8_t)(1 + i % 2);
        d->key.dst[3] = (uint8_t)(2 - i % 2);
        d->key.qpn = 16 + i;
        d->source_qp = 16 + (i ^ 1);
        d->knows_source_qp = true;
    }
    b->names.direction = b->d;
    b->names.file[0] = "a.pcap";
    b->names.file[1] = "b.pcap";
    b->f.p.source_name = "a.pcap";
    b->f.p.verdict = &b->v;
}

/* Feeds a packet of a direction (NULL: no direction) with a finding (IBA_FINDING_COUNT: no finding). */
static void packet(struct bench *b, const struct spec *s, const struct direction *d, unsigned kind)
{
    const struct frame frame = frame_of(s);

    b->v = (struct verdict){.names = &b->names, .direction = d};
    if (kind < IBA_FINDING_COUNT)
        verdict_add(&b->v, &(struct iba_finding){.kind = (uint8_t)kind,
                                                 .frame = b->f.p.number + 1,
                                                 .tag = b->f.p.source | (b->f.p.number + 1) << VERDICT_SOURCE_BITS,
                                                 .direction = d ? d->id + 1 : 0});
    feed(&b->f, &frame, (int64_t)b->f.p.number * 1000);
}

static struct spec send_of(uint32_t psn)
{
    return (struct spec){.proto = IBA_PROTO_ROCE2,
                         .src = 1,
                         .dst = 2,
                         .opcode = IBA_RC_SEND_ONLY,
                         .p_key = 0x8001,
                         .psn = psn,
                         .words = WORDS};
}

static void sends(struct bench *b, const struct direction *d, unsigned kind)
{
    const struct spec s = send_of(1);

    packet(b, &s, d, kind);
}

/* Returns the number of `key` after the first occurrence of `after`. */
static uint64_t number(const char *json, const char *after, const char *key)
{
    char name[64];
    const char *at = strstr(json, after);

    (void)snprintf(name, sizeof name, "\"%s\":", key);
    at = at ? strstr(at, name) : NULL;
    cr_assert(at, "no %s behind %s in %.300s", key, after, json);
    return strtoull(at + strlen(name), NULL, 10);
}

/* ---- rc,analysis ---- */

/* Finding k comes k + 1 times, so that no two columns have the same sum by chance. */
Test(judged, rc_each_finding_is_in_its_column)
{
    static const struct {
        const char *key;
        uint8_t n, kind[6];
    } columns[] = {{"retransmissions_nak", 1, {IBA_FINDING_RETRY_NAK}},
                   {"retransmissions_rnr", 1, {IBA_FINDING_RETRY_RNR}},
                   {"retransmissions_implied", 1, {IBA_FINDING_RETRY_IMPLIED}},
                   {"retransmissions_timeout", 1, {IBA_FINDING_RETRY_TIMEOUT}},
                   {"retransmissions_unclear", 1, {IBA_FINDING_RETRY_UNCLEAR}},
                   {"copies", 1, {IBA_FINDING_NETWORK_COPY}},
                   {"gaps", 3, {IBA_FINDING_GAP, IBA_FINDING_RESPONSE_GAP, IBA_FINDING_ANSWER_MISSING}},
                   {"out_of_order", 1, {IBA_FINDING_LATE}},
                   {"nak_sequence", 1, {IBA_FINDING_NAK_SEQUENCE}},
                   {"nak_other",
                    6,
                    {IBA_FINDING_NAK_INVALID, IBA_FINDING_NAK_ACCESS, IBA_FINDING_NAK_OPERATION, IBA_FINDING_NAK_RD,
                     IBA_FINDING_NAK_RESERVED, IBA_FINDING_SYNDROME_RESERVED}},
                   {"rnr", 1, {IBA_FINDING_RNR}},
                   {"duplicate_acks", 2, {IBA_FINDING_ACK_AGAIN, IBA_FINDING_ANSWER_AGAIN}},
                   {"ghost_acks", 1, {IBA_FINDING_GHOST_ACK}},
                   {"bad_icrc", 1, {IBA_FINDING_BAD_ICRC}},
                   {"ecn", 1, {IBA_FINDING_ECN}}};
    static struct bench b;
    uint64_t severity[IBA_ERROR + 1] = {0}, packets = 0;

    begin(&b, "rc,analysis");
    for (unsigned kind = 0; kind < IBA_FINDING_COUNT; kind++)
        for (unsigned i = 0; i <= kind; i++, packets++) {
            sends(&b, &b.d[kind % 4], kind);
            severity[iba_findings[kind].severity]++;
        }
    char *j = printed(&b.f, true);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        uint64_t want = 0;
        for (unsigned k = 0; k < columns[i].n; k++)
            want += columns[i].kind[k] + 1u;
        cr_expect_eq(number(j, "\"total\":", columns[i].key), want, "%s", columns[i].key);
    }
    for (unsigned kind = 0; kind < IBA_FINDING_COUNT; kind++)
        cr_expect_eq(number(strstr(j, "\"total\":"), "\"found\":", iba_findings[kind].name), kind + 1);
    for (unsigned s = IBA_NOTE; s <= IBA_ERROR; s++)
        cr_expect_eq(number(j, "\"total\":", iba_severity_name((enum iba_severity)s)), severity[s]);
    cr_expect_eq(number(j, "\"total\":", "packets"), packets);
    cr_expect_eq(number(j, "\"total\":", "payload_bytes"), packets * WORDS * 4);
    cr_expect_eq(number(j, "\"total\":", "directions"), 4);
    /* RETRY_CHANGED, the sixth kind, is the first error: after 1 + 2 + 3 + 4 + 5 packets */
    cr_expect(strstr(j, "\"first\":{\"packet\":16,\"finding\":\"RETRY_CHANGED\","), "%s", j);
    free(j);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "\nFirst error: packet 16 "), "%s", t);
    free(t);
    expect(&b.f, "rc-findings");
}

Test(judged, rc_first_of_the_worst)
{
    static struct bench b;

    begin(&b, "rc,analysis");
    sends(&b, &b.d[0], IBA_FINDING_ECN); /* a note is none */
    char *j = printed(&b.f, true);
    cr_expect_null(strstr(j, "\"first\":"));
    free(j);
    sends(&b, &b.d[0], IBA_FINDING_GAP);
    sends(&b, &b.d[1], IBA_FINDING_LATE);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "\nFirst warning: packet 2 "), "%s", t);
    free(t);
    sends(&b, &b.d[2], IBA_FINDING_MSN_WRONG);
    sends(&b, &b.d[2], IBA_FINDING_LENGTH);
    t = printed(&b.f, false);
    cr_expect(strstr(t, "\nFirst error: packet 4 "), "%s", t);
    free(t);
    feed_close(&b.f);
}

/* Two judges counted parts of the packets. The sum has the worse finding and the earlier time of both. Of two findings
 * at the same time it cannot tell which was first. */
Test(judged, rc_first_of_two_parts)
{
    enum { NONE = IBA_FINDING_COUNT, WARNING = IBA_FINDING_GAP, ERROR = IBA_FINDING_MSN_WRONG };
    static const struct {
        unsigned whole, part; /* the finding of each */
        bool later;           /* the part's is later */
        bool joined;
        const char *first; /* NULL: none */
    } rows[] = {
        {NONE, NONE, false, true, NULL},           {NONE, WARNING, false, true, "GAP"},
        {WARNING, NONE, false, true, "GAP"},       {WARNING, ERROR, true, true, "MSN_WRONG"},
        {ERROR, WARNING, true, true, "MSN_WRONG"}, {WARNING, WARNING, true, true, "GAP"},
        {WARNING, WARNING, false, false, NULL},
    };
    static struct bench whole, part;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct direction *directions[DIRECTIONS];
        begin(&whole, "rc,analysis");
        begin(&part, "rc,analysis");
        for (unsigned d = 0; d < DIRECTIONS; d++)
            directions[d] = &whole.d[d];
        const struct spec s = send_of(1);
        whole.names.now = 7;
        part.names.now = rows[i].later ? 8 : 7;
        packet(&whole, &s, &whole.d[0], rows[i].whole);
        packet(&part, &s, &part.d[2], rows[i].part);
        const bool joined = whole.f.kind->join(whole.f.state, part.f.state,
                                               &(struct stat_part){.direction = directions, .names = &whole.names});
        cr_expect_eq(joined, rows[i].joined, "row %zu", i);
        char *j = printed(&whole.f, true);
        if (joined && rows[i].first) {
            char first[64];
            snprintf(first, sizeof first, "\"finding\":\"%s\"", rows[i].first);
            cr_expect(strstr(j, "\"first\":") && strstr(strstr(j, "\"first\":"), first), "row %zu: %s", i, j);
        } else if (joined)
            cr_expect_null(strstr(j, "\"first\":"), "row %zu: %s", i, j);
        free(j);
        feed_close(&whole.f);
        feed_close(&part.f);
    }
}

Test(judged, rc_what_belongs_to_no_reliable_connection)
{
    struct spec s = send_of(1);
    static struct bench b;

    begin(&b, "rc,analysis");
    packet(&b, &s, NULL, IBA_FINDING_COUNT); /* RC, of no direction */
    s.opcode = 0xa4;                         /* XRC SEND Only */
    packet(&b, &s, NULL, IBA_FINDING_COUNT);
    s.opcode = IBA_UC_SEND_ONLY;
    packet(&b, &s, NULL, IBA_FINDING_COUNT);
    s.opcode = IBA_UD_SEND_ONLY;
    packet(&b, &s, &b.d[4], IBA_FINDING_QKEY);
    packet(&b, &s, NULL, IBA_FINDING_MALFORMED);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "\nBeside these: packets of no connection 2, findings of no reliable connection 2\n"), "%s", t);
    free(t);
    s = send_of(2);
    s.bad_icrc = true;
    packet(&b, &s, &b.d[0], IBA_FINDING_BAD_ICRC); /* its bytes are not known */
    b.v.same_as = 3;                               /* the other capture point had it before */
    const struct frame frame = frame_of(&s);
    feed(&b.f, &frame, 0);
    b.v.same_as = 99; /* will have it */
    feed(&b.f, &frame, 0);
    char *j = printed(&b.f, true);
    cr_expect_eq(number(j, "\"total\":", "packets"), 2);
    cr_expect_eq(number(j, "\"total\":", "bad_icrc"), 2);
    cr_expect_eq(number(j, "\"total\":", "payload_bytes"), 0);
    cr_expect_eq(number(j, "\"total\":", "directions"), 1);
    free(j);
    expect(&b.f, "rc-elsewhere");
}

/* Checks which directions are printed, and in which order. */
static void expect_order(struct bench *b, const char *order)
{
    char *j = printed(&b->f, true), got[2 * DIRECTIONS] = "";
    size_t n = 0;

    for (const char *at = j; (at = strstr(at, "{\"direction\":")) && n + 1 < sizeof got; at++)
        got[n++] = at[strlen("{\"direction\":")];
    cr_expect_str_eq(got, order);
    free(j);
}

/* The connection whose two directions have the most errors and warnings comes first; of equal ones, the older
 * connection. Of its two directions the older one comes first. */
Test(judged, rc_order_of_rows)
{
    static struct bench b;

    begin(&b, "rc,analysis");
    b.d[4].svc = b.d[5].svc = IBA_RC;
    for (unsigned i = DIRECTIONS; i-- > 0;)
        sends(&b, &b.d[i], IBA_FINDING_COUNT);
    expect_order(&b, "012345");
    sends(&b, &b.d[0], IBA_FINDING_ECN); /* a note weighs nothing */
    expect_order(&b, "012345");
    sends(&b, &b.d[5], IBA_FINDING_GAP);
    expect_order(&b, "450123");
    sends(&b, &b.d[2], IBA_FINDING_LENGTH);
    expect_order(&b, "234501");
    sends(&b, &b.d[4], IBA_FINDING_LATE);
    expect_order(&b, "452301");
    sends(&b, &b.d[3], IBA_FINDING_GAP);
    expect_order(&b, "234501");
    feed_close(&b.f);
}

/* ---- qp ---- */

static void sends_psn(struct bench *b, uint8_t opcode, uint32_t psn, bool damaged)
{
    struct spec s = send_of(psn);

    s.opcode = opcode;
    s.words = opcode == IBA_RC_ACKNOWLEDGE ? 0 : WORDS;
    s.bad_icrc = damaged;
    packet(b, &s, &b->d[0], damaged ? IBA_FINDING_BAD_ICRC : IBA_FINDING_COUNT);
}

Test(judged, qp_begins_with_the_first_psn_of_its_requests)
{
    static struct bench b;

    begin(&b, "qp");
    sends_psn(&b, IBA_RC_SEND_ONLY, 0x000010, false);
    sends_psn(&b, IBA_RC_SEND_ONLY, 0xfffffe, false);   /* earlier, around zero */
    sends_psn(&b, IBA_RC_ACKNOWLEDGE, 0xfffff0, false); /* a response has a PSN of the other direction */
    sends_psn(&b, IBA_RC_SEND_ONLY, 0xfffff0, true);    /* who knows */
    sends_psn(&b, IBA_RC_SEND_ONLY, 0x7fffff, false);   /* too far to be a retransmission */
    sends_psn(&b, IBA_RC_SEND_ONLY, 0x000012, false);
    const struct spec s = send_of(1);
    packet(&b, &s, NULL, IBA_FINDING_COUNT);
    char *j = printed(&b.f, true), *t = printed(&b.f, false);
    cr_expect_str_eq(
        j, "{\"stat\":\"qp\",\"packets\":7,\"no_connection\":1,\"limit\":262144,\"directions\":[{\"direction\":0,"
           "\"peer\":1,\"address\":\"ipv4\",\"src\":\"10.0.0.1\",\"source_qp\":17,\"dst\":\"10.0.0.2\",\"dest_qp\":16,"
           "\"service\":\"RC\",\"guess\":false,\"p_key\":32769,\"pmtu\":1024,\"packets\":6,\"payload_bytes\":32,"
           "\"first_psn\":16777214,\"last_psn\":18,\"first_frame\":1,\"last_frame\":6,\"worst\":\"error\"}]}\n");
    cr_expect(
        strstr(
            t,
            "10.0.0.1  0x000011   10.0.0.2     0x000010  RC       0x8001   1024           6              32   16777214"
            "         18             1            6  error\n") ||
            strstr(t, "16777214         18             1            6  error\n"),
        "%s", t);
    cr_expect(strstr(t, "\nDirections 1, packets 7, of no connection 1\n"), "%s", t);
    free(j);
    free(t);
    expect(&b.f, "qp-first-psn");
}

Test(judged, qp_that_begins_with_a_response_keeps_its_psn)
{
    static struct bench b;

    begin(&b, "qp");
    sends_psn(&b, IBA_RC_ACKNOWLEDGE, 0x20, false);
    sends_psn(&b, IBA_RC_SEND_ONLY, 0x10, false);
    b.v.same_as = 1; /* seen at another place before */
    const struct frame again = frame_captured();
    feed(&b.f, &again, 0);
    b.d[0].guess = true;
    b.d[0].pmtu = 0;
    b.d[0].peer = 0;
    char *j = printed(&b.f, true), *t = printed(&b.f, false);
    cr_expect(strstr(j, "{\"stat\":\"qp\",\"packets\":2,"), "%s", j);
    cr_expect(strstr(j, "\"peer\":null,") && strstr(j, "\"guess\":true,") && strstr(j, "\"pmtu\":null,") &&
                  strstr(j, "\"first_psn\":32,\"last_psn\":16,") && strstr(j, "\"worst\":null}"),
              "%s", j);
    cr_expect(strstr(t, " 0x000011?  ") && strstr(t, "  -\n"), "%s", t);
    free(j);
    free(t);
    expect(&b.f, "qp-unknown");
}

/* ---- expert ---- */

Test(judged, expert_takes_a_severity_and_worse)
{
    static const struct {
        const char *statistic;
        unsigned kinds;
    } rows[] = {{"expert", 3}, {"expert,note", 3}, {"expert,warn", 2}, {"expert,error", 1}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct bench b;
        begin(&b, rows[i].statistic);
        sends(&b, &b.d[0], IBA_FINDING_ECN);
        sends(&b, &b.d[0], IBA_FINDING_GAP);
        sends(&b, &b.d[0], IBA_FINDING_LENGTH);
        char *j = printed(&b.f, true);
        cr_expect_eq(occurrences(j, "{\"finding\":"), rows[i].kinds, "%s: %s", rows[i].statistic, j);
        cr_expect(strstr(j, "\"findings\":[{\"finding\":\"LENGTH\","), "the worst first: %s", j);
        cr_expect_eq(number(j, "", "packets"), 3);
        free(j);
        feed_close(&b.f);
    }
}

Test(judged, expert_names_the_first_five_packets)
{
    static struct bench b;

    begin(&b, "expert");
    for (unsigned i = 0; i < 5; i++)
        sends(&b, &b.d[0], IBA_FINDING_GAP);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "        5                             1 2 3 4 5\n"), "%s", t);
    free(t);
    sends(&b, &b.d[0], IBA_FINDING_GAP);
    sends(&b, &b.d[0], IBA_FINDING_LATE);
    t = printed(&b.f, false);
    cr_expect(strstr(t, "        6                         1 2 3 4 5 ...\n"), "%s", t);
    cr_expect(strstr(t, "\nFindings 7, packets 7\n"), "%s", t);
    free(t);
    b.f.p.source = 1;
    b.f.p.source_name = "b.pcap";
    sends(&b, &b.d[0], IBA_FINDING_LENGTH);
    t = printed(&b.f, false);
    char *j = printed(&b.f, true);
    cr_expect(strstr(t, " 8 (8 of b.pcap)\n") && strstr(t, " 1 2 3 4 5 ... (1 of a.pcap)\n"), "%s", t);
    cr_expect(strstr(j, "\"count\":6,\"first\":[{\"frame\":1,\"file\":\"a.pcap\",\"file_number\":1},"), "%s", j);
    cr_expect_eq(occurrences(j, "{\"frame\":"), 5 + 1 + 1);
    free(t);
    free(j);
    expect(&b.f, "expert-first");
}

/* ---- messages ---- */

static struct iba_message message_of(const struct direction *d, uint64_t frame)
{
    return (struct iba_message){.direction = d->id + 1,
                                .operation = IBA_OPERATION_WRITE,
                                .end = IBA_MESSAGE_END_ANSWERED,
                                .whole = true,
                                .closed = true,
                                .first_frame = frame,
                                .last_frame = frame + 1,
                                .answer_frame = frame + 2,
                                .began = 1000,
                                .ended = 3500,
                                .bytes = 700,
                                .again = 3};
}

Test(judged, messages_in_the_order_they_began)
{
    static struct bench b;

    begin(&b, "messages");
    struct iba_message m = message_of(&b.d[2], 7);
    stat_messages_message(b.f.state, &m, &b.names);
    m = message_of(&b.d[0], 4);
    m.operation = IBA_OPERATION_READ;
    m.end = IBA_MESSAGE_END_OPEN;
    m.closed = false;
    m.answer_frame = 0;
    stat_messages_message(b.f.state, &m, &b.names);
    m.whole = false;
    m.closed = true;
    m.first_frame = 5;
    stat_messages_message(b.f.state, &m, &b.names);
    char *j = printed(&b.f, true), *t = printed(&b.f, false);
    cr_expect_eq(occurrences(j, "\"operation\":"), 3);
    cr_expect(strstr(j,
                     "\"operation\":\"READ\",\"end\":\"open\",\"first_frame\":4,\"last_frame\":5,\"answer_frame\":null,"
                     "\"bytes\":700,\"whole\":false,\"sent_again\":3,\"latency\":null},{\"direction\":0,"),
              "%s", j);
    cr_expect(
        strstr(j,
               "\"operation\":\"WRITE\",\"end\":\"answered\",\"first_frame\":7,\"last_frame\":8,\"answer_frame\":9,"
               "\"bytes\":700,\"whole\":true,\"sent_again\":3,\"latency\":0.000002500}],\"limit\":65536,\"others\":0,"),
        "%s", j);
    cr_expect(
        strstr(
            t,
            "  READ          open                 4            5          -         700+           3              -\n"),
        "%s", t);
    cr_expect(
        strstr(
            t,
            "  WRITE         answered             7            8          9          700           3    0.000002500\n"),
        "%s", t);
    cr_expect(strstr(t, "\nMessages 3\n"), "%s", t);
    free(j);
    free(t);
    expect(&b.f, "messages-order");
}

Test(judged, messages_beyond_the_limit_are_counted)
{
    static struct bench b;

    begin(&b, "messages");
    const struct iba_message m = message_of(&b.d[0], 1);
    for (unsigned i = 0; i < 65536 + 2; i++)
        stat_messages_message(b.f.state, &m, &b.names);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "\nMessages 65536; not listed, beyond these: 2, bytes 1400\n"));
    free(t);
    feed_close(&b.f);
}
