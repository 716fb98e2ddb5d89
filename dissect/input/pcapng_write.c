/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcapng_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INTERFACES = 64, OPTION_MAX = 65535, OPT_COMMENT = 1, SHB_USERAPPL = 4, IF_TSRESOL = 9 };

struct pcapng_writer {
    FILE *file;
    int error; /* errno of the first failure */
    uint64_t last_ts_ns;
    uint32_t count;
    uint32_t dlts[MAX_INTERFACES];
};

static uint8_t *put16(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
    return b + 2;
}

static uint8_t *put32(uint8_t *b, uint32_t v)
{
    return put16(put16(b, v), v >> 16);
}

static uint32_t padded(size_t n)
{
    return (uint32_t)(n + 3) & ~3u;
}

static void emit(struct pcapng_writer *w, const void *data, size_t size)
{
    if (w->error != 0 || size == 0)
        return;
    errno = EIO;
    if (fwrite(data, 1, size, w->file) != size)
        w->error = errno;
}

static void emit_padded(struct pcapng_writer *w, const void *data, size_t size)
{
    static const uint8_t zeros[4];
    emit(w, data, size);
    emit(w, zeros, padded(size) - size);
}

static void emit32(struct pcapng_writer *w, uint32_t v)
{
    uint8_t b[4];
    put32(b, v);
    emit(w, b, sizeof b);
}

static void emit_option(struct pcapng_writer *w, uint32_t code, const void *value, size_t size)
{
    uint8_t b[4];
    put16(put16(b, code), (uint32_t)size);
    emit(w, b, sizeof b);
    emit_padded(w, value, size);
}

static void write_section(struct pcapng_writer *w)
{
    static const char application[] = "ibdissect";
    const uint32_t size = 28 + 4 + padded(sizeof application - 1) + 4;
    uint8_t b[24], *at = put32(put32(put32(b, 0x0a0d0d0a), size), 0x1a2b3c4d);
    at = put16(put16(at, 1), 0);
    put32(put32(at, UINT32_MAX), UINT32_MAX); /* length not known */
    emit(w, b, sizeof b);
    emit_option(w, SHB_USERAPPL, application, sizeof application - 1);
    emit32(w, 0); /* end of options */
    emit32(w, size);
}

static void write_interface(struct pcapng_writer *w, uint32_t dlt)
{
    static const uint8_t nanoseconds = 9;
    const uint32_t size = 20 + 8 + 4;
    uint8_t b[16];
    put32(put16(put16(put32(put32(b, 1), size), dlt), 0), CAP_MAX_RECORD);
    emit(w, b, sizeof b);
    emit_option(w, IF_TSRESOL, &nanoseconds, 1);
    emit32(w, 0);
    emit32(w, size);
}

/* The number of the interface for this link type, described when new; MAX_INTERFACES when there are too many. */
static uint32_t find_interface(struct pcapng_writer *w, uint32_t dlt)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->dlts[i] == dlt)
            return i;
    if (w->count == MAX_INTERFACES)
        return MAX_INTERFACES;
    write_interface(w, dlt);
    w->dlts[w->count] = dlt;
    return w->count++;
}

/* Bytes of a comment that fit an option, without half a UTF-8 character at the end. */
static size_t comment_size(const char *comment)
{
    size_t n = comment ? strnlen(comment, OPTION_MAX + 1) : 0;
    if (n <= OPTION_MAX)
        return n;
    n = OPTION_MAX;
    while (n > 0 && ((unsigned char)comment[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static uint32_t option_space(size_t size)
{
    return size ? 4 + padded(size) : 0;
}

static void write_packet(struct pcapng_writer *w, const struct cap_packet *p, uint32_t iface, const char *comment)
{
    const char *comments[2] = {comment, p->comment};
    size_t sizes[2] = {comment_size(comment), comment_size(p->comment)};
    uint32_t options = option_space(sizes[0]) + option_space(sizes[1]);
    uint32_t size = 32 + padded(p->caplen) + (options ? options + 4 : 0);
    uint64_t ts = w->last_ts_ns;
    uint8_t b[28], *at = put32(put32(put32(b, 6), size), iface);
    put32(put32(put32(put32(at, (uint32_t)(ts >> 32)), (uint32_t)ts), p->caplen), p->len);
    emit(w, b, sizeof b);
    emit_padded(w, p->data, p->caplen);
    for (size_t i = 0; i < 2; i++)
        if (sizes[i] > 0)
            emit_option(w, OPT_COMMENT, comments[i], sizes[i]);
    if (options > 0)
        emit32(w, 0);
    emit32(w, size);
}

struct pcapng_writer *pcapng_open(const char *path, char *err, size_t errlen)
{
    struct pcapng_writer *w = calloc(1, sizeof *w);
    if (w != NULL)
        w->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wbe");
    if (w == NULL || w->file == NULL) {
        snprintf(err, errlen, "%s: %s", path, strerror(errno));
        free(w);
        return NULL;
    }
    write_section(w);
    return w;
}

int pcapng_packet(struct pcapng_writer *w, const struct cap_packet *p, const char *comment)
{
    if (w->error != 0)
        return w->error;
    if (p->caplen > CAP_MAX_RECORD)
        return EMSGSIZE;
    uint32_t iface = find_interface(w, p->dlt);
    if (iface == MAX_INTERFACES)
        return E2BIG;
    if (p->has_ts)
        w->last_ts_ns = p->ts_ns;
    write_packet(w, p, iface, comment);
    return w->error;
}

int pcapng_flush(struct pcapng_writer *w)
{
    if (fflush(w->file) != 0 && w->error == 0)
        w->error = errno;
    return w->error;
}

int pcapng_close(struct pcapng_writer *w)
{
    int error = pcapng_flush(w);
    if (w->file != stdout && fclose(w->file) != 0 && error == 0)
        error = errno;
    free(w);
    return error;
}
