/* SPDX-License-Identifier: BSD-2-Clause */
#include "mutator_file.h"
#define ZLIB_CONST
#include <zlib.h>
#include "sim/iba_mutate.h"
#include "wire/iba_build.h"

enum {
    MOST = 1 << 16, /* bytes of an inflated file */
    REPAIR = 900000,
    PCAP_HEADER = 24,
    PCAP_RECORD = 16,
    NG_FRAME = 12, /* bytes of a block's type, and of its two lengths */
    NG_PACKET = 28,
    NG_SECTION = 0x0a0d0d0a,
    NG_ENHANCED = 6,
    NG_OBSOLETE = 2,
    NG_INTERFACE = 1,
    ERF_HEADER = 16,
    WORD = 4,
};

static uint64_t below(struct iba_random *r, uint64_t n)
{
    return iba_random_below(r, n);
}

static uint32_t get(const uint8_t *p, bool big)
{
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void put(uint8_t *p, uint32_t v, bool big)
{
    for (unsigned i = 0; i < WORD; i++)
        p[i] = (uint8_t)(v >> 8 * (big ? WORD - 1 - i : i));
}

static size_t padded(size_t n)
{
    return (n + WORD - 1) / WORD * WORD;
}

/* ---- records ---- */

static enum file_kind kind_of(const uint8_t *p, size_t n, bool *big)
{
    static const uint32_t pcap[] = {0xa1b2c3d4, 0xa1b23c4d};

    *big = false;
    for (unsigned i = 0; n >= PCAP_HEADER && i < 2; i++) {
        *big = get(p, true) == pcap[i];
        if (*big || get(p, false) == pcap[i])
            return FILE_PCAP;
    }
    if (n >= PCAP_HEADER && get(p, false) == NG_SECTION) {
        *big = p[8] == 0x1a;
        return FILE_PCAPNG;
    }
    *big = true;
    return n >= ERF_HEADER && (p[8] & 0x7f) > 0 && (p[8] & 0x7f) <= 48 && p[10] < 8 ? FILE_ERF : FILE_UNKNOWN;
}

/* Reads the record at `p`, where `left` bytes are left. False: the record is broken. */
static bool read_record(struct file_records *f, const uint8_t *p, size_t left, struct file_record *to)
{
    switch (f->kind) {
    case FILE_PCAP:
        if (left < PCAP_RECORD || get(p + 8, f->big) > left - PCAP_RECORD)
            return false;
        *to = (struct file_record){.bytes = PCAP_RECORD + get(p + 8, f->big), .data = PCAP_RECORD};
        to->data_bytes = get(p + 8, f->big);
        return true;
    case FILE_PCAPNG:
        if (left < NG_FRAME || get(p + 4, f->big) < NG_FRAME || get(p + 4, f->big) > left)
            return false;
        *to = (struct file_record){.bytes = get(p + 4, f->big), .data = NG_PACKET};
        if (to->bytes % WORD != 0)
            return false;
        if (get(p, f->big) == NG_INTERFACE && f->dlt == UINT32_MAX && to->bytes >= NG_FRAME + WORD)
            f->dlt = p[f->big ? 9 : 8];
        if ((get(p, f->big) == NG_ENHANCED || get(p, f->big) == NG_OBSOLETE) && to->bytes >= NG_PACKET + WORD &&
            get(p + 20, f->big) <= to->bytes - NG_PACKET - WORD)
            to->data_bytes = get(p + 20, f->big);
        return true;
    case FILE_ERF:
        if (left < ERF_HEADER)
            return false;
        *to = (struct file_record){.bytes = (size_t)p[10] << 8 | p[11]};
        to->data_bytes = to->bytes; /* the reader passes on the ERF header as a part of the packet */
        return to->bytes >= ERF_HEADER && to->bytes <= left;
    default: return false;
    }
}

void file_records(struct file_records *f, const uint8_t *data, size_t n)
{
    *f = (struct file_records){.dlt = UINT32_MAX};
    f->kind = kind_of(data, n, &f->big);
    if (f->kind == FILE_PCAP)
        f->dlt = get(data + 20, f->big) & 0xffff;
    for (size_t at = f->kind == FILE_PCAP ? PCAP_HEADER : 0;
         f->n < FILE_MOST_RECORDS && read_record(f, data + at, n - at, &f->record[f->n]); f->n++) {
        f->record[f->n].at = at;
        f->record[f->n].data += at;
        at += f->record[f->n].bytes;
    }
}

/* ---- one change ---- */

static enum iba_link link_of(const struct file_records *f)
{
    static const struct {
        uint32_t dlt;
        enum iba_link link;
    } known[] = {{1, IBA_LINK_ETHERNET}, {247, IBA_LINK_IB},  {101, IBA_LINK_IP},    {113, IBA_LINK_SLL},
                 {20, IBA_LINK_SLL2},    {197, IBA_LINK_ERF}, {242, IBA_LINK_IPOIB}, {228, IBA_LINK_IP}};

    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].dlt == f->dlt)
            return known[i].link;
    return f->kind == FILE_ERF ? IBA_LINK_ERF : IBA_LINK_ETHERNET;
}

/* Gives the packet of a record another length, and the bytes at `packet`. */
static size_t resize(const struct file_records *f, const struct file_record *c, uint8_t *data, size_t n,
                     const uint8_t *packet, size_t len)
{
    const bool words = f->kind == FILE_PCAPNG;
    const size_t was = words ? padded(c->data_bytes) : c->data_bytes, now = words ? padded(len) : len;
    uint8_t *p = data + c->at;

    memmove(data + c->data + now, data + c->data + was, n - c->data - was);
    memset(data + c->data, 0, now);
    memcpy(data + c->data, packet, len);
    const uint32_t bytes = (uint32_t)(c->bytes + now - was);
    switch (f->kind) {
    case FILE_PCAP:
        put(p + 8, (uint32_t)len, f->big);
        if (get(p + 12, f->big) < len)
            put(p + 12, (uint32_t)len, f->big);
        break;
    case FILE_PCAPNG:
        put(p + 4, bytes, f->big);
        put(p + bytes - WORD, bytes, f->big);
        put(p + 20, (uint32_t)len, f->big);
        if (get(p + 24, f->big) < len)
            put(p + 24, (uint32_t)len, f->big);
        break;
    default:
        if (bytes >= ERF_HEADER && bytes <= UINT16_MAX) {
            p[10] = (uint8_t)(bytes >> 8);
            p[11] = (uint8_t)bytes;
        }
    }
    return n + now - was;
}

static size_t mutate_packet(struct iba_random *r, const struct file_records *f, const struct file_record *c,
                            uint8_t *data, size_t n, size_t most)
{
    static uint8_t packet[MOST + 64];
    const size_t room = most - n < 64 ? most - n : 64;

    if (c->data_bytes == 0 || c->data_bytes > MOST || room < WORD)
        return n;
    memcpy(packet, data + c->data, c->data_bytes);
    const size_t len = iba_mutate(r, link_of(f), packet, c->data_bytes, c->data_bytes + room - WORD + 1, REPAIR, NULL);
    return resize(f, c, data, n, packet, len);
}

/* Characters that output forms have to escape. */
static const char unsafe[] = "\x1b[31m\"<&>'\\\xef\xbf\xbe\n\t\xe2\x80\xae";

/* Writes such characters into the packet at any place, and repairs its CRCs. */
static void write_text(struct iba_random *r, const struct file_records *f, const struct file_record *c, uint8_t *data)
{
    const size_t bytes = sizeof unsafe - 1, len = c->data_bytes;
    struct iba_view v;

    if (len < bytes)
        return;
    memcpy(data + c->data + below(r, len - bytes + 1), unsafe, bytes);
    iba_view_parse(&v, link_of(f), data + c->data, (uint32_t)len, (uint32_t)len, NULL);
    iba_view_repair_crc(&v, data + c->data);
}

static size_t drop(const struct file_record *c, uint8_t *data, size_t n)
{
    memmove(data + c->at, data + c->at + c->bytes, n - c->at - c->bytes);
    return n - c->bytes > 0 ? n - c->bytes : n;
}

/* Puts a copy of a record before another one. */
static size_t repeat(const struct file_record *c, const struct file_record *to, uint8_t *data, size_t n, size_t most)
{
    static uint8_t copy[MOST];

    if (c->bytes > sizeof copy || n + c->bytes > most)
        return n;
    memcpy(copy, data + c->at, c->bytes);
    memmove(data + to->at + c->bytes, data + to->at, n - to->at);
    memcpy(data + to->at, copy, c->bytes);
    return n + c->bytes;
}

/* Sets a word of the file's header, or of a record's. */
static void set_word(struct iba_random *r, const struct file_records *f, const struct file_record *c, uint8_t *data,
                     size_t n)
{
    static const uint32_t value[] = {0,    1,     2,     3,      6,          8,          9,          10,        12,
                                     20,   28,    147,   197,    228,        242,        247,        276,       113,
                                     4096, 65535, 65536, 262144, 0x7fffffff, 0x80000000, 0xffffffff, 0x1a2b3c4d};
    const size_t at = (below(r, 4) == 0 ? 0 : c->at) + WORD * below(r, 8);

    if (at + WORD > n)
        return;
    const uint32_t v = get(data + at, f->big);
    switch (below(r, 4)) {
    case 0: put(data + at, v + 1 - 2 * (uint32_t)below(r, 2), f->big); break;
    case 1: put(data + at, v ^ (uint32_t)1 << below(r, 32), f->big); break;
    default: put(data + at, value[below(r, sizeof value / sizeof *value)], f->big); break;
    }
}

/* Adds an option to a pcapng block, before the length at its end. */
static size_t add_option(struct iba_random *r, const struct file_records *f, const struct file_record *c, uint8_t *data,
                         size_t n, size_t most)
{
    static const uint8_t code[] = {1, 1, 1, 1, 0, 2, 3, 4, 9, 11, 14}; /* 1: a comment, which all forms print */
    const size_t bytes = below(r, 2) ? sizeof unsafe - 1 : below(r, sizeof unsafe), all = WORD + padded(bytes),
                 at = c->at + c->bytes - WORD;
    uint8_t *p = data + at;

    if (f->kind != FILE_PCAPNG || n + all > most)
        return n;
    memmove(p + all, p, n - at);
    memset(p, 0, all);
    p[f->big] = code[below(r, sizeof code)];
    p[2 + f->big] = (uint8_t)bytes;
    memcpy(p + WORD, unsafe + below(r, sizeof unsafe - bytes + 1), bytes);
    put(data + c->at + 4, (uint32_t)(c->bytes + all), f->big);
    put(p + all, (uint32_t)(c->bytes + all), f->big);
    return n + all;
}

static size_t damage(struct iba_random *r, uint8_t *data, size_t n)
{
    data[below(r, n)] ^= (uint8_t)(1u << below(r, 8));
    return below(r, 4) ? n : 1 + below(r, n);
}

static size_t mutate_plain(struct iba_random *r, uint8_t *data, size_t n, size_t most)
{
    enum { PACKETS = 8, DROP = PACKETS, REPEAT, OPTION, DAMAGE, TEXT, CHOICES = 16 };
    struct file_records f;

    file_records(&f, data, n);
    if (f.n == 0)
        return damage(r, data, n);
    const struct file_record *c = &f.record[below(r, f.n)];
    const uint64_t choice = below(r, CHOICES);
    if (choice < PACKETS)
        return mutate_packet(r, &f, c, data, n, most);
    switch (choice) {
    case DROP: return drop(c, data, n);
    case REPEAT: return repeat(c, &f.record[below(r, f.n)], data, n, most);
    case OPTION: return add_option(r, &f, c, data, n, most);
    case DAMAGE: return damage(r, data, n);
    case TEXT:
    case TEXT + 1: write_text(r, &f, c, data); return n;
    default: set_word(r, &f, c, data, n); return n;
    }
}

/* ---- gzip ---- */

enum { GZIP = 16 + MAX_WBITS };

/* Inflates all gzip members, up to the first fault or the end of the space. */
static size_t inflated(const uint8_t *data, size_t n, uint8_t *to, size_t most)
{
    z_stream z = {.next_in = data, .avail_in = (uInt)n, .next_out = to, .avail_out = (uInt)most};

    if (inflateInit2(&z, GZIP) != Z_OK)
        return 0;
    (void)inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return most - z.avail_out;
}

/* Returns the length of the gzipped bytes; 0: they do not fit. */
static size_t deflated(const uint8_t *data, size_t n, uint8_t *to, size_t most)
{
    enum { LEVEL = 1, MEMORY = 8 };
    z_stream z = {.next_in = data, .avail_in = (uInt)n, .next_out = to, .avail_out = (uInt)most};

    if (deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    const bool fits = deflate(&z, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&z);
    return fits ? most - z.avail_out : 0;
}

size_t fuzz_mutate_file(struct iba_random *r, uint8_t *data, size_t n, size_t most)
{
    static uint8_t plain[MOST];

    if (n < 2 || data[0] != 0x1f || data[1] != 0x8b || below(r, 4) == 0)
        return mutate_plain(r, data, n, most);
    size_t bytes = inflated(data, n, plain, sizeof plain);
    if (bytes == 0)
        return damage(r, data, n);
    bytes = mutate_plain(r, plain, bytes, sizeof plain);
    bytes = deflated(plain, bytes, data, most);
    return bytes ? bytes : 1;
}
