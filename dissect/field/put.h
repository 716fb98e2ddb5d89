/* SPDX-License-Identifier: BSD-2-Clause */
/* Text written at a cursor: each function returns the position of the next character. The caller has made sure that
 * there is room; no function writes more than PUT_MOST bytes. */
#ifndef DISSECT_PUT_H
#define DISSECT_PUT_H
#include <stdint.h>
#include <string.h>

enum { PUT_MOST = 40 };

static inline char *put_pair(char *p, uint32_t v)
{
    static const char pair[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    memcpy(p, pair + 2 * v, 2);
    return p + 2;
}

/* Writes exactly eight digits. */
static inline char *put_8(char *p, uint32_t v)
{
    const uint32_t high = v / 10000, low = v % 10000;

    p = put_pair(put_pair(p, high / 100), high % 100);
    return put_pair(put_pair(p, low / 100), low % 100);
}

/* Writes a decimal number. Small numbers have a fast path, since most printed values are small. */
static inline char *put_u32(char *p, uint32_t v)
{
    if (v < 100) {
        if (v >= 10)
            return put_pair(p, v);
        *p = (char)('0' + v);
        return p + 1;
    }
    if (v < 10000) {
        p = put_u32(p, v / 100);
        return put_pair(p, v % 100);
    }
    if (v < 100000000) {
        p = put_u32(p, v / 10000);
        return put_pair(put_pair(p, v / 100 % 100), v % 100);
    }
    p = put_u32(p, v / 100000000);
    return put_8(p, v % 100000000);
}

static inline char *put_u64(char *p, uint64_t v)
{
    enum { E8 = 100000000 };

    if (v <= UINT32_MAX)
        return put_u32(p, (uint32_t)v);
    if (v / E8 <= UINT32_MAX)
        p = put_u32(p, (uint32_t)(v / E8));
    else
        p = put_8(put_u32(p, (uint32_t)(v / E8 / E8)), (uint32_t)(v / E8 % E8));
    return put_8(p, (uint32_t)(v % E8));
}

static inline char *put_hex_byte(char *p, unsigned byte)
{
    static const char digit[] = "0123456789abcdef";
    p[0] = digit[byte >> 4 & 0xf];
    p[1] = digit[byte & 0xf];
    return p + 2;
}

static inline char *put_ip4(char *p, uint32_t a)
{
    p = put_u32(p, a >> 24);
    *p++ = '.';
    p = put_u32(p, a >> 16 & 0xff);
    *p++ = '.';
    p = put_u32(p, a >> 8 & 0xff);
    *p++ = '.';
    return put_u32(p, a & 0xff);
}

static inline char *put_mac(char *p, uint64_t a)
{
    for (unsigned shift = 40; shift > 0; shift -= 8) {
        p = put_hex_byte(p, (unsigned)(a >> shift) & 0xff);
        *p++ = ':';
    }
    return put_hex_byte(p, (unsigned)a & 0xff);
}

/* Writes the address as inet_ntop() does (RFC 5952), in a twentieth of its time: a statistic may list 262144 addresses.
 */
char *put_ip6(char *p, const uint8_t *a);

/* Nanoseconds as seconds with nine decimals. */
static inline char *put_time(char *p, int64_t ns)
{
    enum { GIGA = 1000000000 };
    const uint64_t t = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    const uint32_t rest = (uint32_t)(t % GIGA);

    if (ns < 0)
        *p++ = '-';
    p = put_u64(p, t / GIGA);
    *p++ = '.';
    *p++ = (char)('0' + rest / 100000000);
    return put_8(p, rest % 100000000);
}
#endif
