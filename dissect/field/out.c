#include "field/out.h"
#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

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

/* Two digits a step, in 32 bits where they suffice: most of what is printed is a small number. */
static char *two_digits(char *end, uint32_t v)
{
    static const char pair[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

    for (; v >= 100; v /= 100)
        memcpy(end -= 2, pair + 2 * (v % 100), 2);
    if (v >= 10)
        memcpy(end -= 2, pair + 2 * v, 2);
    else
        *--end = (char)('0' + v);
    return end;
}

void out_u64(struct out *o, uint64_t v)
{
    enum { LOW = 100000000, LOW_DIGITS = 8 };
    char digits[24], *const end = digits + sizeof digits, *p = end;

    out_room(o);
    if (v < 10) {
        o->buf[o->n++] = (char)('0' + v);
        return;
    }
    for (; v > UINT32_MAX; v /= LOW) {
        char *const stop = p - LOW_DIGITS;
        p = two_digits(p, (uint32_t)(v % LOW));
        while (p > stop)
            *--p = '0';
    }
    p = two_digits(p, (uint32_t)v);
    memcpy(o->buf + o->n, p, (size_t)(end - p));
    o->n += (size_t)(end - p);
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
    enum { GIGA = 1000000000, DECIMALS = 9 };
    uint64_t t = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    uint32_t rest = (uint32_t)(t % GIGA);

    if (ns < 0)
        out_ch(o, '-');
    out_u64(o, t / GIGA);
    out_room(o);
    o->buf[o->n++] = '.';
    for (unsigned i = DECIMALS; i-- > 0; rest /= 10)
        o->buf[o->n + i] = (char)('0' + rest % 10);
    o->n += DECIMALS;
}

void out_ip4(struct out *o, uint32_t a)
{
    for (unsigned shift = 24;; shift -= 8) {
        out_u64(o, a >> shift & 0xff);
        if (shift == 0)
            return;
        out_ch(o, '.');
    }
}

void out_ip6(struct out *o, const uint8_t *a)
{
    char text[INET6_ADDRSTRLEN];

    if (inet_ntop(AF_INET6, a, text, sizeof text))
        out_str(o, text);
}

void out_mac(struct out *o, uint64_t a)
{
    out_room(o);
    for (unsigned shift = 48; shift > 0;) {
        shift -= 8;
        o->buf[o->n++] = hex_digit[a >> (shift + 4) & 0xf];
        o->buf[o->n++] = hex_digit[a >> shift & 0xf];
        if (shift > 0)
            o->buf[o->n++] = ':';
    }
}

static size_t missing(const struct out *o, size_t from, size_t width)
{
    const size_t have = o->n - from;
    const size_t want = width > have ? width - have : 0;

    return o->n >= from && want < OUT_SLACK && o->n + want <= OUT_BYTES ? want : 0;
}

void out_pad(struct out *o, size_t from, size_t width)
{
    const size_t pad = missing(o, from, width);

    memset(o->buf + o->n, ' ', pad);
    o->n += pad;
}

void out_pad_left(struct out *o, size_t from, size_t width)
{
    const size_t pad = missing(o, from, width);

    memmove(o->buf + from + pad, o->buf + from, o->n - from);
    memset(o->buf + from, ' ', pad);
    o->n += pad;
}

/* Bytes of the UTF-8 sequence at s, 0 when it is not well formed (RFC 3629). */
static size_t utf8(const unsigned char *s, size_t n)
{
    const size_t k = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    uint32_t c = k < 2 ? s[0] : s[0] & (0x7fu >> k);
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (k == 0 || k > n)
        return 0;
    for (size_t i = 1; i < k; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    return c < least[k] || c > 0x10ffff || c >> 11 == 0x1b ? 0 : k;
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

void out_json(struct out *o, const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;

    for (size_t k; n > 0; p += k, n -= k) {
        k = utf8(p, n);
        if (k == 0) {
            OUT_LIT(o, replacement);
            k = 1;
        } else if (*p == '"' || *p == '\\') {
            out_ch(o, '\\');
            out_ch(o, (char)*p);
        } else if (*p < 0x20) {
            OUT_LIT(o, "\\u00");
            out_hex_bytes(o, p, 1);
        } else
            out_mem(o, (const char *)p, k);
    }
}

void out_xml(struct out *o, const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;

    for (size_t k; n > 0; p += k, n -= k) {
        k = utf8(p, n);
        switch (k ? *p : 0) {
        case '<': OUT_LIT(o, "&lt;"); break;
        case '>': OUT_LIT(o, "&gt;"); break;
        case '&': OUT_LIT(o, "&amp;"); break;
        case '"': OUT_LIT(o, "&quot;"); break;
        default:
            if (k == 0 || (*p < 0x20 && *p != '\t' && *p != '\n'))
                OUT_LIT(o, replacement);
            else
                out_mem(o, (const char *)p, k);
        }
        if (k == 0)
            k = 1;
    }
}
