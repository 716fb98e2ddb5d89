/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/text.h"
#include <stdlib.h>
#include <string.h>

enum { MORE = 0x80, LAST = 0x10ffff };

size_t text_char(const char *s, size_t n, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)s;
    const size_t k = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    uint32_t c = k < 2 ? p[0] : p[0] & (0x7fu >> k);

    *code = TEXT_BROKEN;
    if (k == 0 || k > n)
        return 0;
    for (size_t i = 1; i < k; i++) {
        if ((p[i] & 0xc0) != MORE)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    /* an overlong form, too large a code, or half of a surrogate pair */
    if (c < least[k] || c > LAST || c >> 11 == 0x1b)
        return 0;
    *code = c;
    return k;
}

struct range {
    uint32_t from, to;
};

static bool is_in(const struct range *r, size_t n, uint32_t code)
{
    bool in = false;

    for (size_t i = 0; i < n; i++)
        in |= code >= r[i].from && code <= r[i].to;
    return in;
}

bool text_is_plain(uint32_t code)
{
    static const struct range not [] = {{0, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

    return !is_in(not, sizeof not / sizeof *not, code);
}

bool text_is_xml(uint32_t code)
{
    static const struct range chars[] = {{0x9, 0xa}, {0xd, 0xd}, {0x20, 0xd7ff}, {0xe000, 0xfffd}, {0x10000, LAST}};

    return is_in(chars, sizeof chars / sizeof *chars, code);
}

static char *put_octal(char *at, unsigned char byte)
{
    *at++ = '\\';
    for (unsigned shift = 9; shift > 0;)
        *at++ = (char)('0' + (byte >> (shift -= 3) & 7));
    return at;
}

size_t text_escape(char out[TEXT_ESCAPED], const char *s, size_t n, char quote, size_t *taken)
{
    static const char letters[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['\\'] = '\\'};
    const unsigned char first = (unsigned char)*s;
    uint32_t code;
    const size_t k = text_char(s, n, &code);
    char *at = out;

    *taken = k ? k : 1;
    if (k > 0 && text_is_plain(code) && first != '\\' && (quote == '\0' || *s != quote)) {
        memcpy(out, s, k);
        return k;
    }
    if (k == 1 && ((first < sizeof letters && letters[first]) || (quote != '\0' && *s == quote))) {
        out[0] = '\\';
        out[1] = first < sizeof letters && letters[first] ? letters[first] : *s;
        return 2;
    }
    for (size_t i = 0; i < *taken; i++)
        at = put_octal(at, (unsigned char)s[i]);
    return (size_t)(at - out);
}

/* Works as text_escape(), but leaves a backslash single. */
static size_t for_people(char out[TEXT_ESCAPED], const char *s, size_t n, size_t *taken)
{
    const size_t put = text_escape(out, s, n, '\0', taken);

    return *s == '\\' ? 1 : put;
}

void text_print(FILE *to, const char *s, size_t n)
{
    char out[TEXT_ESCAPED];

    for (size_t k; n > 0; s += k, n -= k)
        (void)fwrite(out, 1, for_people(out, s, n, &k), to);
}

unsigned text_columns(const char *s, size_t n)
{
    char out[TEXT_ESCAPED];
    size_t columns = 0;

    for (size_t k; n > 0; s += k, n -= k) {
        const size_t put = for_people(out, s, n, &k);
        columns += (unsigned char)*out < 0x80 ? put : 1;
    }
    return (unsigned)columns;
}

static void say(FILE *to, const char *format, va_list args)
{
    va_list again;
    char some[512], *all = NULL;

    va_copy(again, args);
    const int n = vsnprintf(some, sizeof some, format, args);
    if (n >= (int)sizeof some && (all = malloc((size_t)n + 1)) != NULL)
        (void)vsnprintf(all, (size_t)n + 1, format, again);
    va_end(again);
    const char *text = all ? all : some;
    text_print(to, text, n < 0 ? 0 : strlen(text));
    fputc('\n', to);
    free(all);
}

void text_line(FILE *to, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(to, format, args);
    va_end(args);
}

void text_complain(FILE *to, const char *program, const char *format, va_list args)
{
    fprintf(to, "%s: ", program);
    say(to, format, args);
}
