/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTION = 0x0a0d0d0a,
    INTERFACE = 1,
    PACKET = 2, /* obsolete, but old tools write it */
    SIMPLE = 3,
    ENHANCED = 6,
    OPT_END = 0,
    OPT_COMMENT = 1,
    IF_NAME = 2,
    IF_TSRESOL = 9,
    IF_TSOFFSET = 14,
    FRAME = 12, /* bytes around the body: type and length before it, length after it */
    ORDER_MAGIC = 0x1a2b3c4d,
    MAX_INTERFACES = 2048, /* of one section */
    SECTION_LEAST = 28,
    MOST_KEPT = 1024 * 1024 /* bytes of interfaces' options */
};

/* The result of a block's handler: GIVE for a packet, GO_ON for a skipped block, FAULT for one that ends the capture.
 */
enum outcome { FAULT, GIVE, GO_ON };

static const char lengths_differ[] = "its two lengths differ";

struct block {
    const uint8_t *body;
    uint32_t size; /* bytes of the body */
};

struct option {
    uint16_t code, size;
    const uint8_t *value;
};

/* Reads the next option within [*at, end). False at the end of the list; then *at == end unless an option overruns it.
 */
static bool next_option(const uint8_t **at, const uint8_t *end, bool big, struct option *o)
{
    if (end - *at < 4) {
        *at = end;
        return false;
    }
    *o = (struct option){.code = cap_get16(*at, big), .size = cap_get16(*at + 2, big), .value = *at + 4};
    if (o->code == OPT_END) {
        *at = end;
        return false;
    }
    if (end - o->value < o->size)
        return false;
    ptrdiff_t padded = (o->size + 3) & ~3;
    *at = end - o->value < padded ? end : o->value + padded;
    return true;
}

/* All options of a block, up to the end of the list, or up to an option that overruns the block. */
static struct cap_options options_of(const uint8_t *from, const uint8_t *end, bool big)
{
    const uint8_t *at = from, *last = from;
    struct option o;

    while (next_option(&at, end, big, &o))
        last = at;
    return (struct cap_options){.list = from, .bytes = (uint32_t)(last - from), .big = big};
}

static enum outcome fault(struct capture *c, uint64_t offset, const char *what)
{
    cap_fail(c, "block at offset 0x%" PRIx64 ": %s", offset, what);
    return FAULT;
}

static enum outcome fault_here(struct capture *c, const char *what)
{
    return fault(c, cap_stream_offset(&c->in), what);
}

/* Copies bytes and appends a zero; the copy stays until the capture is closed. NULL: there is no more room, as in a
 * file with very many interfaces. */
static const uint8_t *keep(struct cap_pcapng *f, const uint8_t *bytes, uint32_t n)
{
    struct cap_kept *k = n > 0 && n < MOST_KEPT - f->kept_bytes ? malloc(sizeof *k + n + 1) : NULL;

    if (k == NULL)
        return NULL;
    k->before = f->kept;
    memcpy(k->bytes, bytes, n);
    k->bytes[n] = 0;
    f->kept = k;
    f->kept_bytes += n + 1;
    return k->bytes;
}

static struct cap_options keep_options(struct cap_pcapng *f, struct cap_options o)
{
    o.list = keep(f, o.list, o.bytes);
    return o.list ? o : (struct cap_options){0};
}

static bool add_interface(struct cap_pcapng *f, const struct cap_iface *iface)
{
    if (f->count == f->room) {
        uint32_t room = f->room ? 2 * f->room : 4;
        struct cap_iface *ifaces = realloc(f->ifaces, room * sizeof *ifaces);
        if (ifaces == NULL)
            return false;
        f->ifaces = ifaces;
        f->room = room;
    }
    f->ifaces[f->count++] = *iface;
    return true;
}

/* FNV-1a */
static uint32_t point_of(const char *name)
{
    uint32_t hash = UINT32_C(0x811c9dc5);

    for (const char *c = name; c && *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT32_C(0x01000193);
    return name ? (hash >> 8 | 1) & 0xffffff : 0;
}

static enum outcome read_interface(struct capture *c, struct block b, struct cap_packet *p)
{
    struct cap_pcapng *f = &c->pcapng;
    struct cap_iface iface = {
        .dlt = cap_get16(b.body, f->big), .snaplen = cap_get32(b.body + 4, f->big), .exponent = 6};
    const uint8_t *at = b.body + 8, *end = b.body + b.size;
    struct option o;
    (void)p;
    while (next_option(&at, end, f->big, &o)) {
        if (o.code == IF_TSRESOL && o.size == 1) {
            iface.binary = *o.value & 0x80;
            iface.exponent = *o.value & 0x7f;
        } else if (o.code == IF_TSOFFSET && o.size == 8) {
            iface.ts_offset = (int64_t)cap_get64(o.value, f->big);
        } else if (o.code == IF_NAME && iface.name == NULL) {
            iface.name = (const char *)keep(f, o.value, o.size);
        }
    }
    if (at != end)
        return fault_here(c, "an option overruns it");
    if (f->count == MAX_INTERFACES)
        return fault_here(c, "more than 2048 interfaces in a section");
    iface.point = point_of(iface.name);
    iface.options = keep_options(f, options_of(b.body + 8, end, f->big));
    return add_interface(f, &iface) ? GO_ON : fault_here(c, "out of memory");
}

static uint64_t power_of_ten(unsigned n)
{
    uint64_t v = 1;
    while (n-- > 0)
        v *= 10;
    return v;
}

static uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t binary_ns(uint64_t ticks, unsigned exponent)
{
    uint64_t seconds = exponent < 64 ? ticks >> exponent : 0;
    uint64_t fraction = exponent < 64 ? ticks & ((UINT64_C(1) << exponent) - 1) : ticks;
    if (exponent > 34) { /* 34 bits times 10^9 still fit */
        unsigned excess = exponent - 34;
        fraction = excess < 64 ? fraction >> excess : 0;
        exponent = 34;
    }
    uint64_t whole = saturating_multiply(seconds, 1000000000u), part = fraction * 1000000000u >> exponent;
    return whole > UINT64_MAX - part ? UINT64_MAX : whole + part;
}

static uint64_t decimal_ns(uint64_t ticks, unsigned exponent)
{
    if (exponent <= 9)
        return saturating_multiply(ticks, power_of_ten(9 - exponent));
    return exponent - 9 < 20 ? ticks / power_of_ten(exponent - 9) : 0;
}

/* Adds seconds. The time is clamped to 64 bits of ns since 1970, which only a hostile file exceeds. */
static uint64_t add_offset(uint64_t ns, int64_t seconds)
{
    uint64_t magnitude = seconds < 0 ? 0 - (uint64_t)seconds : (uint64_t)seconds;
    uint64_t shift = saturating_multiply(magnitude, 1000000000u);
    if (seconds < 0)
        return ns < shift ? 0 : ns - shift;
    return ns > UINT64_MAX - shift ? UINT64_MAX : ns + shift;
}

static uint64_t ticks_ns(const struct cap_iface *iface, uint64_t ticks)
{
    uint64_t ns = iface->binary ? binary_ns(ticks, iface->exponent) : decimal_ns(ticks, iface->exponent);
    return add_offset(ns, iface->ts_offset);
}

/* A copy of the first comment, ended by a NUL; NULL when there is none. */
static const char *find_comment(struct capture *c, const uint8_t *at, const uint8_t *end)
{
    struct cap_pcapng *f = &c->pcapng;
    struct option o;

    while (next_option(&at, end, f->big, &o)) {
        if (o.code != OPT_COMMENT)
            continue;
        if (f->comment == NULL)
            f->comment = malloc(UINT16_MAX + 1);
        if (f->comment == NULL)
            return NULL;
        memcpy(f->comment, o.value, o.size);
        f->comment[o.size] = '\0';
        return f->comment;
    }
    return NULL;
}

/* Returns the packet of a block whose data starts at body + header. The options of the packet come after the padded
 * data. */
static enum outcome give(struct capture *c, struct block b, uint32_t header, struct cap_packet *p)
{
    const struct cap_pcapng *f = &c->pcapng;
    if (p->iface >= f->count) {
        cap_fail_packet(c, "interface %" PRIu32 " is not described", p->iface);
        return FAULT;
    }
    if (p->caplen > b.size - header) {
        cap_fail_packet(c, "captured length %" PRIu32 " exceeds its block of %" PRIu32 " bytes", p->caplen,
                        b.size + FRAME);
        return FAULT;
    }
    if (p->caplen > CAP_MAX_RECORD) {
        cap_fail_packet(c, "record length %" PRIu32 " exceeds %d, the longest a record can be", p->caplen,
                        CAP_MAX_RECORD);
        return FAULT;
    }
    const struct cap_iface *iface = &f->ifaces[p->iface];
    p->data = b.body + header;
    p->len = p->len < p->caplen ? p->caplen : p->len;
    p->dlt = iface->dlt;
    p->ts_ns = p->has_ts ? ticks_ns(iface, p->ts_ns) : 0;
    p->iface_options = iface->options;
    p->iface_name = iface->name;
    p->point = iface->point;
    p->iface += f->before;
    p->offset = cap_stream_offset(&c->in);
    p->number = ++c->number;
    return GIVE;
}

/* Enhanced and obsolete packet blocks: time, lengths, data, options. */
static enum outcome give_timed(struct capture *c, struct block b, uint32_t iface, struct cap_packet *out)
{
    bool big = c->pcapng.big;
    struct cap_packet p = {.iface = iface,
                           .ts_ns = (uint64_t)cap_get32(b.body + 4, big) << 32 | cap_get32(b.body + 8, big),
                           .has_ts = true,
                           .caplen = cap_get32(b.body + 12, big),
                           .len = cap_get32(b.body + 16, big)};
    if (give(c, b, 20, &p) == FAULT)
        return FAULT;
    uint32_t options = 20 + ((p.caplen + 3) & ~3u);
    if (options < b.size) {
        p.comment = find_comment(c, b.body + options, b.body + b.size);
        p.options = options_of(b.body + options, b.body + b.size, big);
    }
    *out = p;
    return GIVE;
}

static enum outcome read_enhanced(struct capture *c, struct block b, struct cap_packet *p)
{
    return give_timed(c, b, cap_get32(b.body, c->pcapng.big), p);
}

static enum outcome read_obsolete(struct capture *c, struct block b, struct cap_packet *p)
{
    return give_timed(c, b, cap_get16(b.body, c->pcapng.big), p);
}

/* Reads a Simple Packet Block: interface 0, no time. The captured length is the smaller of the length and the snapshot
 * length. */
static enum outcome read_simple(struct capture *c, struct block b, struct cap_packet *out)
{
    const struct cap_pcapng *f = &c->pcapng;
    struct cap_packet p = {.len = cap_get32(b.body, f->big)};
    uint32_t snaplen = f->count > 0 ? f->ifaces[0].snaplen : 0;
    p.caplen = snaplen > 0 && snaplen < p.len ? snaplen : p.len;
    enum outcome o = give(c, b, 4, &p);
    if (o == GIVE)
        *out = p;
    return o;
}

static enum outcome read_section(struct capture *c, struct block b, struct cap_packet *p)
{
    struct cap_pcapng *f = &c->pcapng;
    unsigned major = cap_get16(b.body + 4, f->big), minor = cap_get16(b.body + 6, f->big);
    (void)p;
    if (major != 1 || (minor != 0 && minor != 2)) {
        cap_fail(c, "pcapng version %u.%u is not known (1.0 and 1.2 are)", major, minor);
        return FAULT;
    }
    f->before += f->count;
    f->count = 0;
    return GO_ON;
}

static const struct kind {
    uint32_t type, least; /* least: fewest bytes of the body */
    enum outcome (*read)(struct capture *c, struct block b, struct cap_packet *p);
    bool is_packet;
} kinds[] = {
    {ENHANCED, 20, read_enhanced, true},   {PACKET, 20, read_obsolete, true},  {SIMPLE, 4, read_simple, true},
    {INTERFACE, 8, read_interface, false}, {SECTION, 16, read_section, false},
};

static const struct kind *find_kind(uint32_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

static enum outcome cut(struct capture *c, uint64_t offset, uint64_t have, uint64_t need)
{
    cap_fail_early(c, "cut in block at offset 0x%" PRIx64 ": %" PRIu64 " of %" PRIu64 " bytes", offset, have, need);
    return FAULT;
}

/* Finds the byte order of a section, which its header shows in a number of known value. */
static bool read_byte_order(struct capture *c)
{
    const uint8_t *mark = c->in.at + 8;
    c->pcapng.big = cap_get32(mark, true) == ORDER_MAGIC;
    return c->pcapng.big || cap_get32(mark, false) == ORDER_MAGIC;
}

/* Skips a block of an unknown type, whatever its length. */
static enum outcome skip_block(struct capture *c, uint32_t length)
{
    uint64_t start = cap_stream_offset(&c->in), skipped = cap_stream_skip(&c->in, length - 4);
    size_t have = cap_stream_fill(&c->in, 4);
    if (have < 4)
        return cut(c, start, skipped + have, length);
    if (cap_get32(c->in.at, c->pcapng.big) != length)
        return fault(c, start, lengths_differ);
    c->in.at += 4;
    return GO_ON;
}

static enum outcome read_whole(struct capture *c, const struct kind *k, uint32_t length, struct cap_packet *p)
{
    struct cap_stream *s = &c->in;
    if (length > CAP_STREAM_MAX)
        return fault_here(c, "too long for its type");
    if (length < FRAME + k->least)
        return fault_here(c, "too short for its type");
    if (cap_stream_have(s) < length && cap_stream_fill(s, length) < length) {
        if (!k->is_packet)
            return cut(c, cap_stream_offset(s), cap_stream_have(s), length);
        cap_fail_cut(c, cap_stream_have(s), length);
        return FAULT;
    }
    if (cap_get32(s->at + length - 4, c->pcapng.big) != length)
        return fault_here(c, lengths_differ);
    enum outcome o = k->read(c, (struct block){.body = s->at + 8, .size = length - FRAME}, p);
    if (o != FAULT)
        s->at += length;
    return o;
}

static enum outcome read_block(struct capture *c, struct cap_packet *p)
{
    struct cap_stream *s = &c->in;
    if (cap_stream_have(s) < FRAME && cap_stream_fill(s, FRAME) < FRAME)
        return cut(c, cap_stream_offset(s), cap_stream_have(s), FRAME);
    uint32_t type = cap_get32(s->at, c->pcapng.big);
    if (type == SECTION && !read_byte_order(c))
        return fault_here(c, "its byte-order magic is wrong");
    uint32_t length = cap_get32(s->at + 4, c->pcapng.big);
    if (length < FRAME || length % 4 != 0) {
        cap_fail(c, "block at offset 0x%" PRIx64 ": length %" PRIu32 " is impossible", cap_stream_offset(s), length);
        return FAULT;
    }
    const struct kind *k = find_kind(type);
    return k ? read_whole(c, k, length, p) : skip_block(c, length);
}

static enum cap_result next(struct capture *c, struct cap_packet *p)
{
    enum outcome o = GO_ON;
    while (o == GO_ON) {
        if (cap_stream_have(&c->in) == 0 && cap_stream_fill(&c->in, 1) == 0)
            return cap_finish(c);
        o = read_block(c, p);
    }
    return o == GIVE ? CAP_PACKET : c->verdict;
}

bool cap_pcapng_begin(struct capture *c)
{
    struct cap_stream *s = &c->in;
    if (!read_byte_order(c)) {
        fault_here(c, "its byte-order magic is wrong");
        return false;
    }
    uint32_t length = cap_get32(s->at + 4, c->pcapng.big);
    size_t have = length <= CAP_STREAM_MAX ? cap_stream_fill(s, length) : length;
    if (have < length) {
        cap_fail_header(c, have, length);
        return false;
    }
    c->next = next;
    return read_block(c, NULL) != FAULT;
}
