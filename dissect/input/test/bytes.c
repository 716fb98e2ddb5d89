/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* Doubles the size of the buffer, because sanitizers copy at every realloc. The buffer has at least one byte, so that
 * even an empty file has an address. */
static uint8_t *grow(struct bytes *f, size_t n)
{
    if (f->n + n >= f->room) {
        f->room = 2 * (f->n + n) + 64;
        f->b = realloc(f->b, f->room);
        if (f->b == NULL)
            abort();
    }
    f->n += n;
    return f->b + f->n - n;
}

void put(struct bytes *f, const void *data, size_t n)
{
    uint8_t *to = grow(f, n);
    if (n > 0)
        memcpy(to, data, n);
}

void put_fill(struct bytes *f, uint8_t value, size_t n)
{
    memset(grow(f, n), value, n);
}

static void put_number(struct bytes *f, uint64_t v, size_t size, bool big)
{
    uint8_t *to = grow(f, size);
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

void put16(struct bytes *f, uint16_t v, bool big)
{
    put_number(f, v, 2, big);
}

void put32(struct bytes *f, uint32_t v, bool big)
{
    put_number(f, v, 4, big);
}

void put64(struct bytes *f, uint64_t v, bool big)
{
    put_number(f, v, 8, big);
}

void bytes_free(struct bytes *f)
{
    free(f->b);
    *f = (struct bytes){0};
}

void pcap_header(struct bytes *f, uint32_t magic, bool big, uint32_t snaplen, uint32_t network)
{
    put32(f, magic, big);
    put16(f, 2, big);
    put16(f, 4, big);
    put64(f, 0, big);
    put32(f, snaplen, big);
    put32(f, network, big);
}

void pcap_record(struct bytes *f, bool big, uint32_t sec, uint32_t frac, uint32_t n, uint8_t fill)
{
    put32(f, sec, big);
    put32(f, frac, big);
    put32(f, n, big);
    put32(f, n, big);
    put_fill(f, fill, n);
}

void ng_block(struct bytes *f, bool big, uint32_t type, const struct bytes *body)
{
    uint32_t size = 12 + (((uint32_t)body->n + 3) & ~3u);
    put32(f, type, big);
    put32(f, size, big);
    put(f, body->b, body->n);
    put_fill(f, 0, size - 12 - body->n);
    put32(f, size, big);
}

void ng_section(struct bytes *f, bool big)
{
    struct bytes body = {0};
    put32(&body, 0x1a2b3c4d, big);
    put16(&body, 1, big);
    put16(&body, 0, big);
    put64(&body, UINT64_MAX, big);
    ng_block(f, big, 0x0a0d0d0a, &body);
    bytes_free(&body);
}

void ng_interface(struct bytes *f, bool big, uint16_t dlt, uint32_t snaplen, const struct bytes *options)
{
    struct bytes body = {0};
    put16(&body, dlt, big);
    put16(&body, 0, big);
    put32(&body, snaplen, big);
    if (options != NULL)
        put(&body, options->b, options->n);
    ng_block(f, big, 1, &body);
    bytes_free(&body);
}

void ng_packet(struct bytes *f, bool big, uint32_t iface, uint64_t ts, uint32_t n, uint8_t fill,
               const struct bytes *options)
{
    struct bytes body = {0};
    put32(&body, iface, big);
    put32(&body, (uint32_t)(ts >> 32), big);
    put32(&body, (uint32_t)ts, big);
    put32(&body, n, big);
    put32(&body, n, big);
    put_fill(&body, fill, n);
    put_fill(&body, 0, -n & 3u);
    if (options != NULL)
        put(&body, options->b, options->n);
    ng_block(f, big, 6, &body);
    bytes_free(&body);
}

void ng_option(struct bytes *f, bool big, uint16_t code, const void *value, uint16_t n)
{
    put16(f, code, big);
    put16(f, n, big);
    put(f, value, n);
    put_fill(f, 0, -n & 3u);
}

void erf_record(struct bytes *f, uint8_t type, uint64_t ts, uint16_t loss, uint16_t n, uint8_t fill)
{
    put64(f, ts, false);
    put_fill(f, type, 1);
    put_fill(f, 4, 1);
    put16(f, (uint16_t)(16 + n), true);
    put16(f, loss, true);
    put16(f, n, true);
    put_fill(f, fill, n);
}

static void sample_pcap(struct bytes *f, uint32_t magic, bool big)
{
    pcap_header(f, magic, big, 65535, 1);
    for (uint32_t i = 0; i < 3; i++) {
        if (magic != 0xa1b2cd34) {
            pcap_record(f, big, 1700000000 + i, 5, 20 + i, (uint8_t)i);
            continue;
        }
        pcap_record(f, big, 1700000000 + i, 5, 0, 0);
        put64(f, 0, big);
    }
}

static void sample_pcapng(struct bytes *f, bool big)
{
    struct bytes options = {0}, simple = {0}, unknown = {0};
    ng_option(&options, big, 1, "hello", 5);
    put32(&options, 0, big);
    put32(&simple, 10, big);
    put_fill(&simple, 7, 10);
    put_fill(&unknown, 9, 30);
    ng_section(f, big);
    ng_interface(f, big, 1, 65535, NULL);
    ng_interface(f, big, 247, 0, NULL);
    ng_packet(f, big, 0, 1700000000000000, 21, 1, &options);
    ng_block(f, big, 0xbad, &unknown);
    ng_packet(f, big, 1, 1700000000000001, 22, 2, NULL);
    ng_block(f, big, 3, &simple);
    bytes_free(&options);
    bytes_free(&simple);
    bytes_free(&unknown);
}

struct bytes sample(int index)
{
    struct bytes f = {0};
    switch (index) {
    case 0: sample_pcap(&f, 0xa1b2c3d4, false); break;
    case 1: sample_pcap(&f, 0xa1b2c3d4, true); break;
    case 2: sample_pcap(&f, 0xa1b23c4d, false); break;
    case 3: sample_pcap(&f, 0xa1b23c4d, true); break;
    case 4: sample_pcap(&f, 0xa1b2cd34, false); break;
    case 5: sample_pcapng(&f, false); break;
    case 6: sample_pcapng(&f, true); break;
    default:
        for (uint16_t i = 0; i < 3; i++)
            erf_record(&f, 21, ((uint64_t)1700000000 + i) << 32, i, (uint16_t)(40 + i), (uint8_t)i);
    }
    return f;
}

struct bytes noisy_pcap(uint32_t packets)
{
    struct bytes f = {0};
    uint64_t seed = 9;
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    for (uint32_t i = 0; i < packets; i++) {
        pcap_record(&f, false, i, 0, 100, 0);
        for (size_t j = f.n - 100; j < f.n; j++)
            f.b[j] = (uint8_t)next_random(&seed);
    }
    return f;
}

void put_gzip(struct bytes *f, const void *data, size_t n)
{
    z_stream z = {0};
    size_t room = compressBound(n) + 64;
    uint8_t *out = malloc(room);
    if (out == NULL || deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (uint8_t *)(uintptr_t)data;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    put(f, out, room - z.avail_out);
    deflateEnd(&z);
    free(out);
}

struct capture *open_bytes(const void *data, size_t n, char *err, size_t errlen)
{
    int fd = memfd_create("f", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    return cap_open_fd(fd, "f", err, errlen);
}

/* Reads every byte of the packet, so that a sanitizer detects a wrong pointer. */
static unsigned touch(const struct cap_packet *p)
{
    unsigned sum = p->comment ? (unsigned)strlen(p->comment) : 0;
    for (uint32_t i = 0; i < p->caplen; i++)
        sum += p->data[i];
    return sum;
}

static struct outcome read_open(struct capture *c, struct outcome o)
{
    struct cap_packet p;
    if (c == NULL)
        return o;
    enum cap_result r;
    while ((r = cap_next(c, &p)) == CAP_PACKET) {
        o.sum += touch(&p);
        o.packets++;
        if (p.number != o.packets || p.len < p.caplen || p.caplen > CAP_MAX_RECORD)
            abort();
    }
    snprintf(o.line, sizeof o.line, "%s", cap_error(c));
    if ((r == CAP_ERROR) != (o.line[0] != '\0') || cap_next(c, &p) != r)
        abort();
    cap_close(c);
    return o;
}

struct outcome read_all(const void *data, size_t n)
{
    struct outcome o = {0};
    struct capture *c = open_bytes(data, n, o.line, sizeof o.line);
    return read_open(c, o);
}

struct outcome read_all_ahead(const void *data, size_t n)
{
    struct outcome o = {0};
    struct capture *c = open_bytes(data, n, o.line, sizeof o.line);
    if (c == NULL || !cap_can_ahead(c))
        abort();
    cap_ahead(c);
    if (cap_can_ahead(c))
        abort();
    return read_open(c, o);
}

uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
