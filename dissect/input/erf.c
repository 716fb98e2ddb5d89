/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <inttypes.h>

enum {
    HEADER = 16,
    TYPE_MAX = 48,
    TYPE_PAD = 48,
    FLAG_VARIABLE = 0x04, /* the record is as long as its packet, not a slot of fixed size */
    LOOK_RECORDS = 4,
    SLACK = 32 /* bytes by which a variable record may be longer than its packet: alignment and sub-headers */
};

/* Types whose bytes 12 and 13 count lost packets; in other types they hold a colour. */
static const uint64_t counts_loss = UINT64_C(0x3fe)                   /* 1-9: HDLC, Ethernet, ATM and multichannel */
                                    | 1u << 12 | 1u << 18             /* AAL2 */
                                    | 1u << 21 | 1u << 25             /* InfiniBand, InfiniBand link */
                                    | 1u << 22 | 1u << 23 | 1u << 24; /* IPv4, IPv6, raw link */
/* types with 2 bytes of padding before the frame */
static const uint64_t is_ethernet = 1u << 2 | 1u << 11 | 1u << 16 | 1u << 20;

struct record {
    uint64_t ts; /* seconds as fixed point, 32.32 bits */
    unsigned type, flags, rlen, loss, wlen;
};

static struct record read_header(const uint8_t *b)
{
    return (struct record){.ts = cap_get64(b, false),
                           .type = b[8] & 0x7f,
                           .flags = b[9],
                           .rlen = cap_get16(b + 10, true),
                           .loss = cap_get16(b + 12, true),
                           .wlen = cap_get16(b + 14, true)};
}

static bool header_is_sane(const struct record *r)
{
    return r->type >= 1 && r->type <= TYPE_MAX && r->rlen >= HEADER;
}

/* Bytes before the packet: the header, extension headers, each of which says whether another follows, and Ethernet's
 * padding. */
static uint32_t overhead(const uint8_t *b, const struct record *r)
{
    uint32_t n = HEADER;
    bool more = b[8] & 0x80;
    while (more && n + 8 <= r->rlen) {
        more = b[n] & 0x80;
        n += 8;
    }
    return n + (is_ethernet >> r->type & 1 ? 2 : 0);
}

static bool lengths_agree(const struct record *r)
{
    return r->type == TYPE_PAD || !(r->flags & FLAG_VARIABLE) || r->rlen <= HEADER + r->wlen + SLACK + 8 * HEADER;
}

static bool within_a_year(uint64_t a, uint64_t b)
{
    uint64_t seconds = (a > b ? a - b : b - a) >> 32;
    return seconds <= 366u * 86400u;
}

/* Whether this looks like ERF, which has no magic. The first record must be complete, and the next few records must
 * look like records. */
bool cap_erf_plausible(struct cap_stream *s)
{
    size_t at = 0;
    uint64_t ts = 0;
    for (int i = 0; i < LOOK_RECORDS; i++) {
        size_t have = cap_stream_fill(s, at + HEADER);
        if (i > 0 && have < at + HEADER)
            return true;
        if (have < at + HEADER)
            return false;
        struct record r = read_header(s->at + at);
        if (!header_is_sane(&r) || !lengths_agree(&r) || (i > 0 && !within_a_year(r.ts, ts)))
            return false;
        have = cap_stream_fill(s, at + r.rlen);
        if (have < at + r.rlen)
            return i > 0;
        ts = r.ts;
        at += r.rlen;
    }
    return true;
}

static uint64_t fixed_point_ns(uint64_t ts)
{
    return (ts >> 32) * 1000000000u + (((ts & UINT32_MAX) * 1000000000u + (UINT64_C(1) << 31)) >> 32);
}

static void give(struct capture *c, const struct record *r, struct cap_packet *p)
{
    const uint8_t *b = c->in.at;
    uint32_t wire = overhead(b, r) + r->wlen;
    if (counts_loss >> r->type & 1)
        c->lost += r->loss;
    *p = (struct cap_packet){.data = b,
                             .caplen = r->rlen,
                             .len = wire < r->rlen ? r->rlen : wire,
                             .dlt = CAP_LINKTYPE_ERF,
                             .ts_ns = fixed_point_ns(r->ts),
                             .has_ts = true,
                             .offset = cap_stream_offset(&c->in),
                             .number = ++c->number};
}

static enum cap_result next(struct capture *c, struct cap_packet *p)
{
    struct cap_stream *s = &c->in;
    for (;;) {
        if (cap_stream_have(s) < HEADER && cap_stream_fill(s, HEADER) < HEADER)
            return cap_stream_have(s) > 0 ? cap_fail_cut(c, cap_stream_have(s), HEADER) : cap_finish(c);
        struct record r = read_header(s->at);
        if (!header_is_sane(&r))
            return cap_fail_packet(c, "no ERF record (type %u, record length %u)", r.type, r.rlen);
        if (cap_stream_have(s) < r.rlen && cap_stream_fill(s, r.rlen) < r.rlen)
            return cap_fail_cut(c, cap_stream_have(s), r.rlen);
        if (r.type != TYPE_PAD)
            give(c, &r, p);
        s->at += r.rlen;
        if (r.type != TYPE_PAD)
            return CAP_PACKET;
    }
}

bool cap_erf_begin(struct capture *c)
{
    c->next = next;
    return true;
}

void cap_erf_time(struct cap_packet *p)
{
    if (p->dlt != CAP_LINKTYPE_ERF || p->caplen < HEADER)
        return;
    p->ts_ns = fixed_point_ns(read_header(p->data).ts);
    p->has_ts = true;
}
