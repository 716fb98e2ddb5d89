/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered output with little work per value. It detects every write error, and treats a closed pipe as the end of the
 * work. */
#ifndef DISSECT_OUT_H
#define DISSECT_OUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OUT_BYTES = 256 * 1024, OUT_SLACK = 1024 };

struct out {
    int fd;
    size_t n;
    int error; /* errno of the first failed write, EPIPE included; further output is dropped */
    char buf[OUT_BYTES];
};

void out_init(struct out *o, int fd);
/* Writes out what is buffered. False after any error. */
bool out_flush(struct out *o);

/* Ensures that OUT_SLACK more bytes fit, so that small appends need no check. */
static inline void out_room(struct out *o)
{
    if (o->n > OUT_BYTES - OUT_SLACK)
        (void)out_flush(o);
}
/* Called at the start of a line: ensures that the whole line, up to 3 * OUT_SLACK bytes, stays in the buffer, so that
 * columns can be aligned. */
static inline void out_line(struct out *o)
{
    if (o->n > OUT_BYTES - 4 * OUT_SLACK)
        (void)out_flush(o);
}
/* Returns where `n` bytes, n <= OUT_BYTES, may be written with put.h; out_advance() then adds them to the output. */
static inline char *out_cursor(struct out *o, size_t n)
{
    if (n > OUT_BYTES - o->n)
        (void)out_flush(o);
    return o->buf + o->n;
}
static inline void out_advance(struct out *o, const char *to)
{
    o->n = (size_t)(to - o->buf);
}
static inline void out_ch(struct out *o, char c)
{
    out_room(o);
    o->buf[o->n++] = c;
}
void out_mem(struct out *o, const char *s, size_t n);
static inline void out_str(struct out *o, const char *s)
{
    out_mem(o, s, strlen(s));
}
/* Appends text of at most OUT_SLACK bytes. */
static inline void out_short(struct out *o, const char *s, size_t n)
{
    out_room(o);
    memcpy(o->buf + o->n, s, n);
    o->n += n;
}
#define OUT_LIT(o, s) out_short((o), (s), sizeof(s) - 1)
void out_u64(struct out *o, uint64_t v);
/* Appends "0x" and at least `digits` hex digits. */
void out_hex(struct out *o, uint64_t v, unsigned digits);
void out_hex_bytes(struct out *o, const uint8_t *p, size_t n);
/* Appends nanoseconds as seconds with nine decimals. */
void out_time(struct out *o, int64_t ns);
void out_ip4(struct out *o, uint32_t a);
void out_ip6(struct out *o, const uint8_t *a); /* RFC 5952 */
void out_mac(struct out *o, uint64_t a);
/* Pads the text since `from` on the right, or on the left, to `width` characters. `from` is the o->n before the text,
 * which is shorter than OUT_SLACK. */
void out_pad(struct out *o, size_t from, size_t width);
void out_pad_left(struct out *o, size_t from, size_t width);
/* Appends one line that is safe for a terminal. Invalid UTF-8 and characters that are not plain (system/text.h) become
 * \ooo, \n, \r or \t; a backslash is doubled. */
void out_text(struct out *o, const char *s, size_t n);
/* As out_text(), for text between quotes: quotes in the text get a backslash, too. */
void out_quoted(struct out *o, const char *s, size_t n, char quote);
/* Appends text for the inside of JSON quotes. Characters that are not plain (system/text.h) become \uXXXX; invalid
 * UTF-8 becomes U+FFFD. */
void out_json(struct out *o, const char *s, size_t n);
/* Appends text for XML or HTML, also between double quotes. U+FFFD replaces invalid UTF-8, characters that XML 1.0 does
 * not allow, and characters that are not plain (system/text.h), except tab and line feed. */
void out_xml(struct out *o, const char *s, size_t n);
#endif
