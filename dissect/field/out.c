/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/out.h"
#include <errno.h>
#include <unistd.h>
#include "field/put.h"
#include "system/text.h"

void out_init(struct out *o, int fd)
{
    o->fd = fd;
    o->n = 0;
    o->error = 0;
}

static void write_all(struct out *o, const char *p, size_t n)
{
    while (n > 0 && !o->error) {
        const ssize_t k = write(o->fd, p, n);
        if (k < 0 && errno != EINTR)
            o->error = errno;
        else if (k > 0) {
            p += k;
            n -= (size_t)k;
        }
    }
}

bool out_flush(struct out *o)
{
    write_all(o, o->buf, o->n);
    o->n = 0;
    return o->error == 0;
}

void out_mem(struct out *o, const char *s, size_t n)
{
    if (n > OUT_BYTES - o->n)
        (void)out_flush(o);
    if (n > OUT_BYTES) {
        write_all(o, s, n);
        return;
    }
    memcpy(o->buf + o->n, s, n);
    o->n += n;
}

void out_u64(struct out *o, uint64_t v)
{
    out_room(o);
    out_advance(o, put_u64(o->buf + o->n, v));
}

static const char hex_digit[] = "0123456789abcdef";

void out_hex(struct out *o, uint64_t v, unsigned digits)
{
    unsigned n = digits ? digits : 1;

    while (n < 16 && v >> 4 * n != 0)
        n++;
    out_room(o);
    o->buf[o->n++] = '0';
    o->buf[o->n++] = 'x';
    while (n-- > 0)
        o->buf[o->n++] = hex_digit[v >> 4 * n & 0xf];
}

void out_hex_bytes(struct out *o, const uint8_t *p, size_t n)
{
    while (n > 0) {
        size_t k = n < OUT_SLACK / 2 ? n : OUT_SLACK / 2;
        out_room(o);
        n -= k;
        for (; k > 0; k--, p++) {
            o->buf[o->n++] = hex_digit[*p >> 4];
            o->buf[o->n++] = hex_digit[*p & 0xf];
        }
    }
}

void out_time(struct out *o, int64_t ns)
{
    out_room(o);
    out_advance(o, put_time(o->buf + o->n, ns));
}

void out_ip4(struct out *o, uint32_t a)
{
    out_room(o);
    out_advance(o, put_ip4(o->buf + o->n, a));
}

/* Finds the longest run of at least two zeros among the eight groups; of runs of the same length the first. Returns its
 * length. */
static unsigned longest_zeros(const uint16_t group[8], unsigned *at)
{
    unsigned most = 1;

    *at = 8;
    for (unsigned i = 0, n = 0; i < 8; i++) {
        n = group[i] == 0 ? n + 1 : 0;
        if (n > most) {
            most = n;
            *at = i + 1 - n;
        }
    }
    return most > 1 ? most : 0;
}

static char *put_hex_group(char *p, uint16_t v)
{
    for (unsigned n = v > 0xfff ? 4 : v > 0xff ? 3 : v > 0xf ? 2 : 1; n-- > 0;)
        *p++ = hex_digit[v >> 4 * n & 0xf];
    return p;
}

char *put_ip6(char *p, const uint8_t *a)
{
    uint16_t group[8];
    unsigned at;

    for (unsigned i = 0; i < 8; i++)
        group[i] = (uint16_t)(a[2 * i] << 8 | a[2 * i + 1]);
    const unsigned zeros = longest_zeros(group, &at);
    const bool ipv4 = at == 0 && (zeros == 6 || (zeros == 5 && group[5] == 0xffff));

    for (unsigned i = 0; i < (ipv4 ? 6 : 8); i++) {
        if (i == at) {
            *p++ = ':', *p++ = ':';
            i += zeros - 1;
            continue;
        }
        if (i > 0 && i != at + zeros)
            *p++ = ':';
        p = put_hex_group(p, group[i]);
    }
    if (!ipv4)
        return p;
    if (zeros == 5)
        *p++ = ':';
    return put_ip4(p, (uint32_t)group[6] << 16 | group[7]);
}

void out_ip6(struct out *o, const uint8_t *a)
{
    out_room(o);
    out_advance(o, put_ip6(o->buf + o->n, a));
}

void out_mac(struct out *o, uint64_t a)
{
    out_room(o);
    out_advance(o, put_mac(o->buf + o->n, a));
}

static size_t missing(const struct out *o, size_t from, size_t width)
{
    const size_t have = o->n - from;
    const size_t want = width > have ? width - have : 0;

    return o->n >= from && want < OUT_SLACK && o->n + want <= OUT_BYTES ? want : 0;
}

/* Most cells have few characters. Writing a fixed number of bytes is faster than writing the exact number; the next
 * text overwrites the bytes after this one. */
enum { FEW = 16 };

void out_pad(struct out *o, size_t from, size_t width)
{
    const size_t pad = missing(o, from, width);

    if (pad <= 2 * FEW && o->n + 2 * FEW <= OUT_BYTES)
        memset(o->buf + o->n, ' ', 2 * FEW);
    else
        memset(o->buf + o->n, ' ', pad);
    o->n += pad;
}

void out_pad_left(struct out *o, size_t from, size_t width)
{
    const size_t pad = missing(o, from, width);
    char *const at = o->buf + from;
    char text[FEW];

    if (pad == 0)
        return;
    if (o->n - from <= FEW && pad <= 2 * FEW && from + 3 * FEW <= OUT_BYTES) {
        memcpy(text, at, FEW);
        memset(at, ' ', 2 * FEW);
        memcpy(at + pad, text, FEW);
    } else {
        memmove(at + pad, at, o->n - from);
        memset(at, ' ', pad);
    }
    o->n += pad;
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* The number of characters of s that JSON takes unescaped. */
static size_t plain(const unsigned char *s, size_t n)
{
    size_t k = 0;

    while (k < n && s[k] >= 0x20 && s[k] < 0x7f && s[k] != '"' && s[k] != '\\')
        k++;
    return k;
}

void out_json(struct out *o, const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    uint32_t code;

    for (size_t k; n > 0; p += k, n -= k) {
        if ((k = plain(p, n)) > 0) {
            out_mem(o, (const char *)p, k);
            continue;
        }
        k = text_char((const char *)p, n, &code);
        if (k == 0) {
            OUT_LIT(o, replacement);
            k = 1;
        } else if (*p == '"' || *p == '\\') {
            out_ch(o, '\\');
            out_ch(o, (char)*p);
        } else if (!text_is_plain(code)) {
            const uint8_t unit[2] = {(uint8_t)(code >> 8), (uint8_t)code}; /* all of these are below U+10000 */
            OUT_LIT(o, "\\u");
            out_hex_bytes(o, unit, sizeof unit);
        } else
            out_mem(o, (const char *)p, k);
    }
}

void out_xml(struct out *o, const char *s, size_t n)
{
    uint32_t code;

    for (size_t k; n > 0; s += k, n -= k) {
        k = text_char(s, n, &code);
        switch (code) {
        case '<': OUT_LIT(o, "&lt;"); break;
        case '>': OUT_LIT(o, "&gt;"); break;
        case '&': OUT_LIT(o, "&amp;"); break;
        case '"': OUT_LIT(o, "&quot;"); break;
        default:
            if (k == 0 || !text_is_xml(code) || code == '\r' || !(text_is_plain(code) || code == '\t' || code == '\n'))
                OUT_LIT(o, replacement);
            else
                out_mem(o, s, k);
        }
        if (k == 0)
            k = 1;
    }
}

void out_quoted(struct out *o, const char *s, size_t n, char quote)
{
    for (size_t k; n > 0; s += k, n -= k) {
        out_room(o);
        o->n += text_escape(o->buf + o->n, s, n, quote, &k);
    }
}

void out_text(struct out *o, const char *s, size_t n)
{
    out_quoted(o, s, n, '\0');
}
