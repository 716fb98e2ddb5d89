/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields that no header has: the value of each where a packet has it, and no value where it has none. */
#include "common.h"
#include "field/computed.h"
#include "field/verdict.h"
#include "wire/iba_opcode_rows.h"

/* A field and its expected value: text, a number, or none. */
struct row {
    const char *name, *text;
    uint64_t number;
    bool none;
};

static void check(const struct packet *p, const struct row *row, size_t n, const char *of)
{
    for (size_t i = 0; i < n; i++) {
        struct value v = {0};
        const struct field *f = field_find(row[i].name);
        cr_assert(f, "%s", row[i].name);
        const bool has = field_first(f, p, &v);
        cr_expect_eq(has, !row[i].none, "%s of %s", row[i].name, of);
        if (!has || row[i].none)
            continue;
        if (row[i].text)
            cr_expect(v.type == FIELD_TEXT && v.len == strlen(row[i].text) && memcmp(v.bytes, row[i].text, v.len) == 0,
                      "%s of %s is \"%.*s\", not \"%s\"", row[i].name, of, (int)v.len, (const char *)v.bytes,
                      row[i].text);
        else if (v.type == FIELD_BYTES || v.type == FIELD_PRESENCE)
            cr_expect_eq(v.len, row[i].number, "%s of %s has %zu bytes", row[i].name, of, v.len);
        else if (v.type == FIELD_TIME)
            cr_expect_eq(v.ns, (int64_t)row[i].number, "%s of %s is %lld ns", row[i].name, of, (long long)v.ns);
        else
            cr_expect_eq(v.u, row[i].number, "%s of %s is %llu", row[i].name, of, (unsigned long long)v.u);
    }
}
#define CHECK(p, rows, of) check(p, rows, sizeof(rows) / sizeof *(rows), of)
#define TEXT(name_, text_)                                                                                             \
    {                                                                                                                  \
        .name = (name_), .text = (text_)                                                                               \
    }
#define NUMBER(name_, number_)                                                                                         \
    {                                                                                                                  \
        .name = (name_), .number = (number_)                                                                           \
    }
#define NONE(name_)                                                                                                    \
    {                                                                                                                  \
        .name = (name_), .none = true                                                                                  \
    }

enum { FRAME = 14 + 20 + 8 + 12 + 8 + 4, PAYLOAD = 8 };

/* Fills in all that a packet of a capture, a verdict and a connection tell about a packet. */
static void tell_all(struct packet *p, struct cap_packet *cap, const struct verdict *v)
{
    cap->number = 7;
    cap->iface = 3;
    cap->iface_name = "eth9";
    cap->comment = "a note";
    p->cap = cap;
    p->number = 11;
    p->first_ns = cap->ts_ns - 1000;
    p->prev_ns = cap->ts_ns - 100;
    p->source_name = "a.pcap";
    p->verdict = v;
    p->mad_context = (struct mad_context){.used = true,
                                          .response_to = 31,
                                          .response_in = 32,
                                          .time_ns = 33,
                                          .has_time = true,
                                          .source_qp = 0x34,
                                          .has_source_qp = true,
                                          .service_id = 0x106000 + 35,
                                          .setup_in = 36,
                                          .why = "CONNECTED"};
}

/* A packet of which everything is known. */
Test(computed, all_that_is_known)
{
    struct packet p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    struct cap_packet cap = *p.cap;
    const struct verdict v = {
        .worst = IBA_WARN, .n = 1, .request_in = 21, .response_in = 22, .same_as = 23, .time_ns = -24};
    const struct row rows[] = {
        NUMBER("frame", FRAME),
        NUMBER("frame.number", 11),
        NUMBER("frame.len", FRAME),
        NUMBER("frame.cap_len", FRAME),
        NUMBER("frame.time_epoch", cap.ts_ns),
        NUMBER("frame.time_ns", cap.ts_ns),
        NUMBER("frame.time_relative", 1000),
        NUMBER("frame.time_delta", 100),
        TEXT("frame.file", "a.pcap"),
        NUMBER("frame.file_number", 7),
        NUMBER("frame.interface", 3),
        NUMBER("frame.interface_id", 3),
        TEXT("frame.interface_name", "eth9"),
        TEXT("frame.comment", "a note"),
        NUMBER("infiniband", 0),
        TEXT("infiniband.encapsulation", "RoCEv2"),
        TEXT("infiniband.bth.service", "RC"),
        NUMBER("infiniband.payload", PAYLOAD),
        NUMBER("infiniband.payload.length", PAYLOAD),
        TEXT("infiniband.icrc.status", "good"),
        NONE("infiniband.variant.crc"),
        NONE("infiniband.vcrc.status"),
        NONE("infiniband_link.lpcrc.status"),
        NONE("infiniband.truncated"),
        NONE("infiniband.fault"),
        NUMBER("infiniband.mad.response_to", 31),
        NUMBER("infiniband.mad.response_in", 32),
        NUMBER("infiniband.mad.time", 33),
        NUMBER("infiniband.cm.srcqp", 0x34),
        NUMBER("infiniband.cm.serviceid", 0x106000 + 35),
        NUMBER("infiniband.cm.setup_in", 36),
        TEXT("infiniband.cm.why", "CONNECTED"),
        NUMBER("infiniband.analysis", 0),
        TEXT("infiniband.analysis.severity", "warn"),
        NUMBER("infiniband.analysis.request_in", 21),
        NUMBER("infiniband.analysis.response_in", 22),
        NUMBER("infiniband.analysis.same_as", 23),
        NUMBER("infiniband.analysis.time", (uint64_t)-24),
    };

    tell_all(&p, &cap, &v);
    CHECK(&p, rows, "a whole packet");
    struct value crc, computed;
    cr_assert(field_first(field_find("infiniband.invariant.crc"), &p, &crc));
    cr_assert(field_first(field_find("infiniband.icrc.calculated"), &p, &computed));
    cr_expect_eq(crc.u, computed.u);
    cr_expect_eq(crc.u, iba_bits_get(p.cap->data + FRAME - IBA_ICRC_BYTES, 0, 32), "as it is on the wire");
}

/* The same packet without a time, a verdict, a connection, and names. */
Test(computed, nothing_that_is_unknown)
{
    struct packet p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    struct cap_packet cap = *p.cap;
    static const struct verdict none;
    static const struct row rows[] = {
        NONE("frame.time_epoch"),
        NONE("frame.time_ns"),
        NONE("frame.time_relative"),
        NONE("frame.time_delta"),
        NONE("frame.file"),
        NONE("frame.interface_name"),
        NONE("frame.comment"),
        NONE("infiniband.mad.response_to"),
        NONE("infiniband.mad.response_in"),
        NONE("infiniband.mad.time"),
        NONE("infiniband.cm.srcqp"),
        NONE("infiniband.cm.serviceid"),
        NONE("infiniband.cm.owner"),
        NONE("infiniband.cm.setup_in"),
        NONE("infiniband.cm.why"),
        NONE("infiniband.analysis"),
        NONE("infiniband.analysis.severity"),
        NONE("infiniband.analysis.request_in"),
        NONE("infiniband.analysis.response_in"),
        NONE("infiniband.analysis.same_as"),
        NONE("infiniband.analysis.time"),
    };

    cap.has_ts = false;
    p.cap = &cap;
    p.source_name = NULL;
    CHECK(&p, rows, "a packet that is not judged");
    p.verdict = &none;
    CHECK(&p, rows, "a packet without findings");
}

/* A time needs the request, and a difference that is known; a service of no known protocol has no owner. */
Test(computed, facts_that_need_others)
{
    struct packet p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    static const struct verdict response = {.response_in = 9, .time_ns = 5};
    static const struct row no_time[] = {NUMBER("infiniband.mad.response_to", 3), NONE("infiniband.mad.time"),
                                         NONE("infiniband.analysis.time")},
                            no_request[] = {NONE("infiniband.mad.response_to"), NONE("infiniband.mad.time")},
                            owner[] = {NUMBER("infiniband.cm.serviceid", 0x0106021b),
                                       TEXT("infiniband.cm.owner", "TCP port 539")},
                            no_owner[] = {NUMBER("infiniband.cm.serviceid", 1), NONE("infiniband.cm.owner")};

    p.verdict = &response;
    p.mad_context = (struct mad_context){.used = true, .response_to = 3, .time_ns = 4};
    CHECK(&p, no_time, "an answer without a time");
    p.mad_context = (struct mad_context){.used = true, .response_in = 3, .has_time = true, .time_ns = 4};
    CHECK(&p, no_request, "a request");
    p.mad_context = (struct mad_context){.used = true, .setup_in = 1, .service_id = 0x0106021b}; /* 6: TCP */
    CHECK(&p, owner, "a service of RDMA CM");
    p.mad_context.service_id = 1;
    CHECK(&p, no_owner, "another service");
}

/* ---- what each encapsulation has ---- */

static struct packet again(struct packet p, enum iba_link link, size_t caplen, size_t len)
{
    (void)iba_view_parse(&p.view, link, p.cap->data, caplen, len, NULL);
    iba_view_check(&p.view);
    return p;
}

Test(computed, encapsulations)
{
    static const struct row native[] = {TEXT("infiniband.encapsulation", "InfiniBand"),
                                        TEXT("infiniband.icrc.status", "good"), TEXT("infiniband.vcrc.status", "good"),
                                        NONE("infiniband_link.lpcrc.status")},
                            v1[] = {TEXT("infiniband.encapsulation", "RoCEv1"), TEXT("infiniband.icrc.status", "good"),
                                    NONE("infiniband.vcrc.status"), NONE("infiniband.variant.crc")},
                            ud[] = {TEXT("infiniband.bth.service", "UD"), NUMBER("infiniband.payload.length", 4)},
                            empty[] = {NONE("infiniband.payload"), NUMBER("infiniband.payload.length", 0)};
    struct packet p = *packet_of(IBA_ENCAP_IB_LOCAL, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    struct value v;

    CHECK(&p, native, "a native packet");
    cr_assert(field_first(field_find("infiniband.variant.crc"), &p, &v));
    cr_expect_eq(v.u, iba_bits_get(p.cap->data + p.view.end, 0, 16));
    p = *packet_of(IBA_ENCAP_ROCE1, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    CHECK(&p, v1, "RoCEv1");
    p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, 4, NULL);
    CHECK(&p, ud, "UD");
    p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_ACKNOWLEDGE, 0, NULL);
    CHECK(&p, empty, "an ACK");
}

Test(computed, cut_packets_and_other_frames)
{
    static const struct row icrc_cut[] = {NUMBER("frame.len", FRAME),
                                          NUMBER("frame.cap_len", FRAME - 1),
                                          NUMBER("infiniband.truncated", 1),
                                          TEXT("infiniband.icrc.status", "truncated"),
                                          NONE("infiniband.invariant.crc"),
                                          NONE("infiniband.icrc.calculated"),
                                          NUMBER("infiniband.payload", PAYLOAD),
                                          NONE("infiniband.fault")},
                            payload_cut[] = {NUMBER("infiniband.payload", 3),
                                             NUMBER("infiniband.payload.length", PAYLOAD)},
                            vcrc_cut[] = {NONE("infiniband.variant.crc"), TEXT("infiniband.vcrc.status", "truncated")},
                            other[] = {NONE("infiniband"),
                                       NONE("infiniband.encapsulation"),
                                       NONE("infiniband.bth.service"),
                                       NONE("infiniband.payload"),
                                       NONE("infiniband.payload.length"),
                                       NONE("infiniband.icrc.status"),
                                       NONE("infiniband.invariant.crc"),
                                       NONE("infiniband.icrc.calculated"),
                                       NONE("infiniband.vcrc.status")};
    struct packet p = *packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    struct packet cut = again(p, IBA_LINK_ETHERNET, FRAME - 1, FRAME);
    static uint8_t arp[60] = {[12] = 8, [13] = 6};
    const struct cap_packet cap = {.data = arp, .caplen = sizeof arp, .len = sizeof arp};

    CHECK(&cut, icrc_cut, "a packet whose ICRC is cut");
    cut = again(p, IBA_LINK_ETHERNET, FRAME - IBA_ICRC_BYTES - PAYLOAD + 3, FRAME);
    CHECK(&cut, payload_cut, "a packet whose payload is cut");
    p = *packet_of(IBA_ENCAP_IB_LOCAL, IBA_RC_SEND_ONLY, PAYLOAD, NULL);
    cut = again(p, IBA_LINK_IB, p.cap->len - 1, p.cap->len);
    CHECK(&cut, vcrc_cut, "a native packet whose VCRC is cut");
    p.cap = &cap;
    p = again(p, IBA_LINK_ETHERNET, sizeof arp, sizeof arp);
    CHECK(&p, other, "no InfiniBand packet");
}
