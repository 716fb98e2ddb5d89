/* SPDX-License-Identifier: BSD-2-Clause */
/* Container formats, in simple code that can also write unusual files. */
#include "gen.h"
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { GIGA = 1000000000, ERF_HEADER = 16, ERF_ALIGN = 8, LINKTYPE_ERF = 197 };

void put(struct bytes *b, const void *p, size_t n)
{
    if (b->n + n > b->room) {
        b->room = (b->n + n) * 2;
        b->at = realloc(b->at, b->room);
        if (!b->at)
            abort();
    }
    if (n > 0)
        memcpy(b->at + b->n, p, n);
    b->n += n;
}

void put_uint(struct bytes *b, uint64_t v, unsigned size)
{
    uint8_t wire[8];

    for (unsigned i = 0; i < size; i++)
        wire[b->big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
    put(b, wire, size);
}

void put_hex(struct bytes *b, const char *digits)
{
    for (char pair[3] = ""; digits[0] && digits[1]; digits += 2) {
        memcpy(pair, digits, 2);
        put_uint(b, strtoul(pair, NULL, 16), 1);
    }
}

static void put_zeros(struct bytes *b, size_t n)
{
    for (; n > 0; n--)
        put_uint(b, 0, 1);
}

void write_begin(struct job *job)
{
    const struct capture *c = job->capture;
    struct bytes *b = &job->out;
    const uint32_t linktype = c->form == FORM_PCAP_ERF ? LINKTYPE_ERF : c->linktype;

    b->big = c->flags & BIG_ENDIAN_FILE;
    if (c->form != FORM_PCAP && c->form != FORM_PCAP_ERF)
        return;
    put_uint(b, c->flags & NANOSECONDS ? 0xa1b23c4d : 0xa1b2c3d4, 4);
    put_uint(b, 2, 2);
    put_uint(b, 4, 2);
    put_uint(b, 0, 8);
    put_uint(b, c->snaplen ? c->snaplen : 262144, 4);
    put_uint(b, linktype, 4);
}

/* The time in the form of an ERF header: little-endian seconds, the fraction in the low 32 bits */
static uint64_t erf_time(uint64_t ns)
{
    return ns / GIGA << 32 | ((ns % GIGA << 32) + GIGA / 2) / GIGA;
}

static void erf_header(struct bytes *b, const struct frame *f, unsigned type, size_t pad, size_t record)
{
    enum { VARYING = 4 };
    const bool big = b->big;

    b->big = false;
    put_uint(b, erf_time(f->ns), 8);
    b->big = true;
    put_uint(b, type, 1);
    put_uint(b, VARYING, 1);
    put_uint(b, record, 2);
    put_uint(b, 0, 2);
    put_uint(b, f->len, 2);
    put_zeros(b, pad);
    b->big = big;
}

/* The frame as an ERF record. If it already is one, only its time is set. */
static struct bytes erf_record(const struct job *job, const struct frame *f)
{
    static const struct {
        enum iba_link link;
        uint8_t type, pad;
    } types[] = {{IBA_LINK_ETHERNET, 2, 2}, {IBA_LINK_IB, 21, 0}, {IBA_LINK_IB_LINK, 25, 0}};
    struct bytes b = {0};

    if (f->link == IBA_LINK_ERF) {
        put_uint(&b, erf_time(f->ns), 8);
        put(&b, f->data + b.n, f->caplen - b.n);
        return b;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].link != f->link)
            continue;
        /* padding of a record and captured bytes cannot be distinguished, so a card cuts at a multiple of 8 */
        const size_t before = ERF_HEADER + types[i].pad, used = before + f->caplen;
        const size_t record = (f->caplen < f->len ? used : used + ERF_ALIGN - 1) / ERF_ALIGN * ERF_ALIGN;
        erf_header(&b, f, types[i].type, types[i].pad, record);
        put(&b, f->data, f->caplen < record - before ? f->caplen : record - before);
        put_zeros(&b, record - b.n);
        return b;
    }
    die(job, "no ERF type for this kind of packet", "");
}

static void pcap_record(struct job *job, uint64_t ns, const uint8_t *p, size_t caplen, size_t len)
{
    struct bytes *b = &job->out;
    const unsigned unit = job->capture->flags & NANOSECONDS ? 1 : 1000;

    put_uint(b, ns / GIGA, 4);
    put_uint(b, ns % GIGA / unit, 4);
    put_uint(b, caplen, 4);
    put_uint(b, len, 4);
    put(b, p, caplen);
}

/* Blocks: type, length, body, length again. The two lengths are filled in when the body is complete. */
static size_t block_begin(struct bytes *b, uint32_t type)
{
    const size_t from = b->n;

    put_uint(b, type, 4);
    put_uint(b, 0, 4);
    return from;
}

static void block_end(struct bytes *b, size_t from)
{
    struct bytes length = {.big = b->big};

    put_zeros(b, (from - b->n) & 3);
    put_uint(&length, b->n - from + 4, 4);
    memcpy(b->at + from + 4, length.at, 4);
    put(b, length.at, 4);
    free(length.at);
}

static void option(struct bytes *b, unsigned code, const void *p, size_t n)
{
    put_uint(b, code, 2);
    put_uint(b, n, 2);
    put(b, p, n);
    put_zeros(b, (0 - n) & 3);
}

void write_section(struct job *job, bool big)
{
    static const char application[] = "ibpcaps-gen";
    struct bytes *b = &job->out;

    b->big = big;
    job->n_iface = 0;
    const size_t from = block_begin(b, 0x0a0d0d0a);
    put_uint(b, 0x1a2b3c4d, 4);
    put_uint(b, 1, 2);
    put_uint(b, 0, 2);
    put_uint(b, UINT64_MAX, 8);
    option(b, 4, application, sizeof application - 1);
    option(b, 0, NULL, 0);
    block_end(b, from);
}

/* link=N, snaplen=N, tsresol=N, tsoffset=N seconds */
void write_interface(struct job *job, char *options)
{
    struct bytes *b = &job->out;
    enum { LINK, SNAPLEN, RESOLUTION, OFFSET, KEYS };
    static const char *const key[KEYS] = {"link=", "snaplen=", "tsresol=", "tsoffset="};
    long long value[KEYS] = {[LINK] = 1, [RESOLUTION] = 6};

    for (char *save = NULL, *word = strtok_r(options, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        unsigned k = 0;
        while (k < KEYS && strncmp(word, key[k], strlen(key[k])) != 0)
            k++;
        if (k == KEYS)
            die(job, "unknown interface option", word);
        value[k] = strtoll(word + strlen(key[k]), NULL, 10);
    }
    if (job->n_iface == sizeof job->tsresol / sizeof *job->tsresol)
        die(job, "too many interfaces", "");
    const size_t from = block_begin(b, 1);
    put_uint(b, (uint64_t)value[LINK], 2);
    put_uint(b, 0, 2);
    put_uint(b, (uint64_t)value[SNAPLEN], 4);
    const uint8_t code = (uint8_t)value[RESOLUTION];
    option(b, 9, &code, 1);
    if (value[OFFSET]) {
        struct bytes v = {.big = b->big};
        put_uint(&v, (uint64_t)value[OFFSET], 8);
        option(b, 14, v.at, v.n);
        free(v.at);
    }
    option(b, 0, NULL, 0);
    block_end(b, from);
    job->tsresol[job->n_iface++] = (unsigned)value[RESOLUTION];
}

void write_block(struct job *job, uint32_t type, const char *hex)
{
    const size_t from = block_begin(&job->out, type);

    put_hex(&job->out, hex);
    block_end(&job->out, from);
}

static uint64_t in_units(uint64_t ns, unsigned resolution)
{
    uint64_t rest = ns % GIGA, unit = GIGA;

    if (resolution & 0x80)
        return ns / GIGA << (resolution & 0x7f) | ((rest << (resolution & 0x7f)) + GIGA / 2) / GIGA;
    for (; resolution > 0; resolution--)
        unit /= 10;
    return unit ? ns / GIGA * (GIGA / unit) + rest / unit : 0;
}

static void enhanced_packet(struct job *job, const struct frame *f)
{
    struct bytes *b = &job->out;

    if (f->iface >= job->n_iface)
        die(job, "no such interface", "");
    const uint64_t t = in_units(f->ns, job->tsresol[f->iface]);
    const size_t from = block_begin(b, 6);
    put_uint(b, f->iface, 4);
    put_uint(b, t >> 32, 4);
    put_uint(b, t & UINT32_MAX, 4);
    put_uint(b, f->caplen, 4);
    put_uint(b, f->len, 4);
    put(b, f->data, f->caplen);
    put_zeros(b, (0 - f->caplen) & 3);
    if (f->comment) {
        option(b, 1, f->comment, strlen(f->comment));
        option(b, 0, NULL, 0);
    }
    block_end(b, from);
}

void write_frame(struct job *job, const struct frame *f)
{
    struct bytes record;

    switch (job->capture->form) {
    case FORM_PCAPNG: enhanced_packet(job, f); break;
    case FORM_PCAP: pcap_record(job, f->ns, f->data, f->caplen, f->len); break;
    default:
        record = erf_record(job, f);
        if (job->capture->form == FORM_ERF)
            put(&job->out, record.at, record.n);
        else
            pcap_record(job, f->ns, record.at, record.n, record.n);
        free(record.at);
    }
}

void write_gzip(struct job *job)
{
    static const uint8_t head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    struct bytes z = {0};

    put(&z, head, sizeof head);
    for (size_t at = 0; at < job->out.n;) {
        const size_t n = job->out.n - at < UINT16_MAX ? job->out.n - at : UINT16_MAX;
        put_uint(&z, at + n == job->out.n, 1); /* stored; 1 marks the last block */
        put_uint(&z, n, 2);
        put_uint(&z, ~n & UINT16_MAX, 2);
        put(&z, job->out.at + at, n);
        at += n;
    }
    put_uint(&z, crc32(0, job->out.at, (uInt)job->out.n), 4);
    put_uint(&z, job->out.n, 4);
    free(job->out.at);
    job->out = z;
}
