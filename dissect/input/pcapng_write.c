/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcapng_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ERF_HEADER = 16,     /* bytes */
    MAX_INTERFACES = 64, /* most interfaces without options */
    MAX_NAMED = 256,     /* most interfaces with options */
    OPTION_MAX = 65535,
    OPT_COMMENT = 1,
    SHB_USERAPPL = 4,
    IF_TSRESOL = 9,
    IF_FILTER = 11,
    IF_TSOFFSET = 14,
    MOST_KNOWN = 18 /* the content of options from this code on is not known here */
};

struct pcapng_writer {
    FILE *file;
    int error; /* errno of the first failure */
    uint64_t last_ts_ns;
    /* numbers of interfaces, of link types, and of interfaces with options; last: the interface used last */
    uint32_t count, types, named, last;
    struct {
        uint32_t dlt;
        /* the options that tell this interface from others; NULL: the interface of all packets whose interface has no
         * options */
        const uint8_t *options;
    } iface[MAX_INTERFACES + MAX_NAMED];
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
    put32(put32(at, UINT32_MAX), UINT32_MAX); /* the length of the section is not known */
    emit(w, b, sizeof b);
    emit_option(w, SHB_USERAPPL, application, sizeof application - 1);
    emit32(w, 0); /* the option that ends the options */
    emit32(w, size);
}

/* ---- options of the capture that is read ---- */

/* Among the options of a block only numbers are in the byte order of the section. */
struct number {
    uint16_t code, bytes;
};
static const struct number packet_numbers[] = {
    {2, 4}, {4, 8}, {5, 8}, {6, 4}, {0, 0}}; /* flags, drops, packet, queue */
static const struct number iface_numbers[] = {{8, 8}, {10, 4}, {13, 1}, {16, 8}, {17, 8}, {0, 0}}; /* speed, ... */

static uint32_t get16(const uint8_t *b, bool big)
{
    return big ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

/* Whether the option is left out: the writer writes one of its own, or the option's byte order is not known. */
static bool leaves_out(uint32_t code, const struct number *numbers, const struct cap_options *o)
{
    const bool of_iface = numbers == iface_numbers;

    return (of_iface && (code == IF_TSRESOL || code == IF_TSOFFSET)) ||
           (o->big && (code >= MOST_KNOWN || (of_iface && code == IF_FILTER)));
}

static void emit_value(struct pcapng_writer *w, const uint8_t *value, uint32_t size, uint32_t code, bool big,
                       const struct number *numbers)
{
    uint8_t turned[8];

    while (numbers->bytes && numbers->code != code)
        numbers++;
    if (!big || numbers->bytes != size || size > sizeof turned) {
        emit_padded(w, value, size);
        return;
    }
    for (uint32_t i = 0; i < size; i++)
        turned[i] = value[size - 1 - i];
    emit_padded(w, turned, size);
}

/* Returns the bytes that the options take; with `w` also writes them. */
static uint32_t copy_options(struct pcapng_writer *w, const struct cap_options *o, const struct number *numbers)
{
    uint32_t space = 0;

    for (uint32_t at = 0; o->bytes - at >= 4;) {
        const uint32_t code = get16(o->list + at, o->big), size = get16(o->list + at + 2, o->big);
        if (size > o->bytes - at - 4)
            break;
        if (!leaves_out(code, numbers, o)) {
            uint8_t head[4];
            space += 4 + padded(size);
            put16(put16(head, code), size);
            if (w) {
                emit(w, head, sizeof head);
                emit_value(w, o->list + at + 4, size, code, o->big, numbers);
            }
        }
        at = padded(size) > o->bytes - at - 4 ? o->bytes : at + 4 + padded(size);
    }
    return space;
}

static void write_interface(struct pcapng_writer *w, uint32_t dlt, const struct cap_options *options)
{
    static const uint8_t nanoseconds = 9;
    const uint32_t size = 20 + copy_options(NULL, options, iface_numbers) + 8 + 4;
    uint8_t b[16];
    put32(put16(put16(put32(put32(b, 1), size), dlt), 0), CAP_MAX_RECORD);
    emit(w, b, sizeof b);
    (void)copy_options(w, options, iface_numbers);
    emit_option(w, IF_TSRESOL, &nanoseconds, 1);
    emit32(w, 0);
    emit32(w, size);
}

/* The number of the packet's interface in the file. Describes an interface that is new. Interfaces with options, such
 * as a name, have a number each, up to MAX_NAMED; other interfaces share one for each link type. MAX_INTERFACES +
 * MAX_NAMED when there are too many. */
static uint32_t find_interface(struct pcapng_writer *w, const struct cap_packet *p)
{
    static const struct cap_options none = {0};
    const struct cap_options *o = &p->iface_options;

    if (o->bytes == 0 || w->named == MAX_NAMED)
        o = &none;
    for (uint32_t i = 0, at = w->last; i < w->count; i++, at = at + 1 == w->count ? 0 : at + 1)
        if (w->iface[at].dlt == p->dlt &&
            w->iface[at].options == (p->iface_options.bytes ? p->iface_options.list : NULL))
            return w->last = at;
    for (uint32_t i = 0; o == &none && i < w->count; i++)
        if (w->iface[i].dlt == p->dlt && !w->iface[i].options)
            return w->last = i;
    if (o == &none && w->types == MAX_INTERFACES)
        return MAX_INTERFACES + MAX_NAMED;
    w->types += o == &none;
    w->named += o != &none;
    write_interface(w, p->dlt, o);
    w->iface[w->count].dlt = p->dlt;
    w->iface[w->count].options = o->list;
    return w->last = w->count++;
}

/* Bytes of a comment that fit into an option; a UTF-8 character is not cut in half. */
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
    const char *own = p->options.bytes > 0 ? NULL : p->comment; /* otherwise the comment is among the options */
    const char *comments[2] = {comment, own};
    size_t sizes[2] = {comment_size(comment), comment_size(own)};
    uint32_t options =
        option_space(sizes[0]) + option_space(sizes[1]) + copy_options(NULL, &p->options, packet_numbers);
    uint32_t size = 32 + padded(p->caplen) + (options ? options + 4 : 0);
    uint64_t ts = w->last_ts_ns;
    uint8_t b[28], *at = put32(put32(put32(b, 6), size), iface);
    put32(put32(put32(put32(at, (uint32_t)(ts >> 32)), (uint32_t)ts), p->caplen), p->len);
    emit(w, b, sizeof b);
    emit_padded(w, p->data, p->caplen);
    for (size_t i = 0; i < 2; i++)
        if (sizes[i] > 0)
            emit_option(w, OPT_COMMENT, comments[i], sizes[i]);
    (void)copy_options(w, &p->options, packet_numbers);
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
    if (p->dlt == CAP_LINKTYPE_ERF && p->caplen < ERF_HEADER)
        return EBADMSG;
    uint32_t iface = find_interface(w, p);
    if (iface == MAX_INTERFACES + MAX_NAMED)
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
