/* SPDX-License-Identifier: BSD-2-Clause */
/* Every character, and every way to begin one, against RFC 3629 and the lists of text.h as they are stated there. */
#include "system/text.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { CODES = 0x110000 };

/* Writes the character as RFC 3629, section 3, states. Returns the number of bytes. */
static size_t encode(uint32_t c, char out[4])
{
    static const struct {
        uint32_t below;
        unsigned char first;
    } forms[] = {{0x80, 0}, {0x800, 0xc0}, {0x10000, 0xe0}, {CODES, 0xf0}};
    size_t n = 0;

    while (c >= forms[n].below)
        n++;
    for (size_t i = n; i > 0; i--, c /= 64)
        out[i] = (char)(0x80 + c % 64);
    out[0] = (char)(forms[n].first + c);
    return n + 1;
}

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c <= 0xdfff;
}

Test(every, character_is_read)
{
    char s[5] = "";
    uint32_t code;

    for (uint32_t c = 0; c < CODES; c++) {
        const size_t n = encode(c, s), k = text_char(s, n, &code);
        s[n] = 'x';
        if (is_surrogate(c))
            cr_assert(k == 0 && code == TEXT_BROKEN, "%x: %zu", c, k);
        else
            cr_assert(k == n && code == c, "%x: %zu bytes, %x", c, k, code);
        cr_assert(n == 1 || text_char(s, n - 1, &code) == 0, "%x is cut", c);
    }
}

/* The number of bytes of the first character; 0: the bytes are none (RFC 3629, section 4, the rules UTF8-1 to UTF8-4).
 */
static size_t well_formed(const unsigned char *s, size_t n)
{
    static const struct {
        unsigned char first[2], second[2]; /* from, to */
        size_t bytes;
    } rules[] = {{{0x00, 0x7f}, {0, 0}, 1},       {{0xc2, 0xdf}, {0x80, 0xbf}, 2}, {{0xe0, 0xe0}, {0xa0, 0xbf}, 3},
                 {{0xe1, 0xec}, {0x80, 0xbf}, 3}, {{0xed, 0xed}, {0x80, 0x9f}, 3}, {{0xee, 0xef}, {0x80, 0xbf}, 3},
                 {{0xf0, 0xf0}, {0x90, 0xbf}, 4}, {{0xf1, 0xf3}, {0x80, 0xbf}, 4}, {{0xf4, 0xf4}, {0x80, 0x8f}, 4}};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const size_t k = rules[i].bytes;
        if (s[0] < rules[i].first[0] || s[0] > rules[i].first[1])
            continue;
        if (k > n || (k > 1 && (s[1] < rules[i].second[0] || s[1] > rules[i].second[1])))
            return 0;
        for (size_t j = 2; j < k; j++)
            if (s[j] < 0x80 || s[j] > 0xbf)
                return 0;
        return k;
    }
    return 0;
}

Test(every, beginning_is_a_character_or_none)
{
    static const unsigned char second[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff},
                               later[] = {0x3f, 0x80, 0xbf, 0xc0};
    uint32_t code;

    for (unsigned first = 0; first < 256; first++)
        for (size_t i = 0; i < sizeof second; i++)
            for (size_t j = 0; j < sizeof later * sizeof later; j++)
                for (size_t n = 1; n <= 4; n++) {
                    const unsigned char s[4] = {(unsigned char)first, second[i], later[j / 4], later[j % 4]};
                    const size_t k = text_char((const char *)s, n, &code), want = well_formed(s, n);
                    cr_assert(k == want && (want > 0 || code == TEXT_BROKEN), "%02x%02x%02x%02x, %zu bytes: %zu", s[0],
                              s[1], s[2], s[3], n, k);
                }
}

static bool executes(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

static bool is_char_of_xml(uint32_t c)
{
    return c == 0x9 || c == 0xa || c == 0xd || (c >= 0x20 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) ||
           (c >= 0x10000 && c <= 0x10ffff);
}

Test(every, character_is_allowed_or_not)
{
    for (uint32_t c = 0; c < CODES + 9; c++) {
        cr_assert_eq(text_is_plain(c), !executes(c), "%x", c);
        cr_assert_eq(text_is_xml(c), is_char_of_xml(c), "%x", c);
    }
}

/* The form that text.h promises for the first character of s, which is `code` and has k bytes, or is no character (0).
 */
static size_t escaped(char *out, const char *s, size_t k, uint32_t code, char quote)
{
    const char *const named = "\nn\rr\tt\\\\";
    const char *name = k == 1 && *s ? strchr(named, *s) : NULL;
    size_t n = 0;

    if (name && (name - named) % 2 == 0)
        return (size_t)sprintf(out, "\\%c", name[1]);
    if (quote && *s == quote)
        return (size_t)sprintf(out, "\\%c", quote);
    if (*s == '\\')
        return (size_t)sprintf(out, "\\\\");
    if (k > 0 && !executes(code)) {
        memcpy(out, s, k);
        return k;
    }
    for (size_t i = 0; i < (k ? k : 1); i++)
        n += (size_t)sprintf(out + n, "\\%03o", (unsigned char)s[i]);
    return n;
}

Test(every, character_is_escaped)
{
    static const char quotes[] = {'\0', '"', '\''};
    char s[5] = "", out[TEXT_ESCAPED], want[32];
    size_t taken;

    for (uint32_t c = 0; c < 0x2100; c++)
        for (size_t q = 0; q < sizeof quotes; q++) {
            const size_t n = encode(c, s), wanted = escaped(want, s, n, c, quotes[q]);
            const size_t put = text_escape(out, s, n, quotes[q], &taken);
            cr_assert(put == wanted && taken == n && memcmp(out, want, put) == 0, "%x, quote %x: %.*s", c,
                      (unsigned)quotes[q], (int)put, out);
        }
    for (unsigned byte = 0x80; byte < 0x100; byte++) {
        s[0] = (char)byte;
        s[1] = 'x';
        const size_t wanted = escaped(want, s, 0, 0, '"'), put = text_escape(out, s, 2, '"', &taken);
        cr_assert(put == wanted && taken == 1 && memcmp(out, want, put) == 0, "%x: %.*s", byte, (int)put, out);
    }
}

/* ---- lines ---- */

static char *line;
static size_t line_bytes;

static void complain(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(FILE *to, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_complain(to, "program", format, args);
    va_end(args);
}

static void is_line(FILE *f, const char *before, char c, size_t n)
{
    cr_assert_eq(fclose(f), 0);
    cr_assert_eq(line_bytes, strlen(before) + n + 1, "%zu of %zu", line_bytes, n);
    cr_assert_eq(memcmp(line, before, strlen(before)), 0);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(line[strlen(before) + i], c);
    cr_assert_eq(line[line_bytes - 1], '\n');
    free(line);
}

/* Short texts and long ones, and those about as long as a buffer for short ones. */
Test(every, length_of_a_line)
{
    static char text[1200];

    for (size_t n = 0; n + 1 < sizeof text; n += n > 2 && n < 500 ? 17 : 1) {
        memset(text, 'a', n);
        text[n] = '\0';
        FILE *f = open_memstream(&line, &line_bytes);
        text_line(f, "%s", text);
        is_line(f, "", 'a', n);
        f = open_memstream(&line, &line_bytes);
        complain(f, "%s%d", text, 0);
        text[n] = '0';
        cr_assert_eq(fclose(f), 0);
        cr_assert(line_bytes == 9 + n + 2 && memcmp(line, "program: ", 9) == 0 && line[9 + n] == '0', "%zu", n);
        free(line);
    }
}

Test(every, line_that_cannot_be_formatted_is_empty)
{
    FILE *f = open_memstream(&line, &line_bytes);

    text_line(f, "text%lc", (wint_t)0xfffff); /* no character of the locale "C" */
    is_line(f, "", 'x', 0);
}

Test(every, column_is_counted)
{
    static const struct {
        const char *text;
        unsigned columns;
    } rows[] = {{"", 0},
                {"a", 1},
                {"\\", 1},
                {"\n", 2},
                {"\x1b", 4},
                {"\xc3\xa4", 1},
                {"\xe2\x86\x92", 1},
                {"\xf0\x9f\x98\x80", 1},
                {"\xff", 4},
                {"\xc2\x9b", 8},
                {"\xe2\x80\xa8", 12},
                {"\xc3\xa4\xc3\xa4z\t\\n", 7}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(text_columns(rows[i].text, strlen(rows[i].text)), rows[i].columns, "row %zu", i);
        char twice[64];
        snprintf(twice, sizeof twice, "%s%s", rows[i].text, rows[i].text);
        cr_expect_eq(text_columns(twice, strlen(rows[i].text)), rows[i].columns, "row %zu: only so many bytes", i);
    }
}
