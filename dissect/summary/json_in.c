/* SPDX-License-Identifier: BSD-2-Clause */
#include "summary/json_in.h"
#include <string.h>

void json_in_begin(struct json_in *j, const char *text, size_t n)
{
    j->at = text;
    j->end = text + n;
    j->line = 1;
    j->fresh = false;
    j->fault = NULL;
    j->text[0] = '\0';
}

bool json_in_refuse(struct json_in *j, const char *fault)
{
    if (!j->fault)
        j->fault = fault;
    return false;
}

/* The next character that is no white space; 0: the text has ended, or there is a fault. */
static char peek(struct json_in *j)
{
    if (j->fault)
        return '\0';
    for (; j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'); j->at++)
        j->line += *j->at == '\n';
    return j->at < j->end ? *j->at : '\0';
}

static bool take(struct json_in *j, char c)
{
    if (peek(j) != c)
        return false;
    j->at++;
    return true;
}

bool json_in_object(struct json_in *j)
{
    j->fresh = take(j, '{');
    return j->fresh || json_in_refuse(j, "an object is missing");
}

bool json_in_list(struct json_in *j)
{
    j->fresh = take(j, '[');
    return j->fresh || json_in_refuse(j, "a list is missing");
}

/* Whether another member or item follows. */
static bool more(struct json_in *j, char close)
{
    const bool fresh = j->fresh;

    j->fresh = false;
    if (take(j, close))
        return false;
    return fresh || take(j, ',') ? !j->fault : json_in_refuse(j, "a comma or the end of a list or object is missing");
}

bool json_in_key(struct json_in *j)
{
    return more(j, '}') && json_in_text(j) && (take(j, ':') || json_in_refuse(j, "a colon is missing"));
}

bool json_in_item(struct json_in *j)
{
    return more(j, ']');
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads four hex digits; 0: there are none, or they are zeros, which no text may have. */
static int32_t unit(struct json_in *j)
{
    int32_t v = 0;

    if (j->end - j->at < 4)
        return 0;
    for (unsigned i = 0; i < 4; i++) {
        const int d = hex_digit(*j->at++);
        if (d < 0)
            return 0;
        v = v << 4 | d;
    }
    return v;
}

/* Reads the code after "\u"; -1: it is invalid. */
static int32_t escaped(struct json_in *j)
{
    const int32_t high = unit(j);

    if (high < 0xd800 || high > 0xdfff)
        return high == 0 ? -1 : high;
    if (high > 0xdbff || j->end - j->at < 6 || j->at[0] != '\\' || j->at[1] != 'u')
        return -1;
    j->at += 2;
    const int32_t low = unit(j);
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
}

/* Writes the character as UTF-8; returns the number of bytes. */
static size_t encode(char to[4], int32_t code)
{
    const unsigned bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (unsigned i = bytes; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(lead[bytes] | code);
    return bytes;
}

/* Reads the character after a backslash. Returns its bytes; 0: it is invalid. */
static size_t escape(struct json_in *j, char to[4])
{
    static const char plain[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char c = j->at < j->end ? *j->at++ : '\0';
    const char *known = c ? strchr(plain, c) : NULL;

    if (known) {
        to[0] = means[known - plain];
        return 1;
    }
    const int32_t code = c == 'u' ? escaped(j) : -1;
    return code < 0 ? 0 : encode(to, code);
}

bool json_in_text(struct json_in *j)
{
    size_t n = 0;

    if (!take(j, '"'))
        return json_in_refuse(j, "a text is missing");
    while (j->at < j->end && *j->at != '"') {
        char to[4] = {*j->at++};
        size_t bytes = 1;
        if (to[0] == '\\')
            bytes = escape(j, to);
        else if ((uint8_t)to[0] < ' ')
            bytes = 0;
        if (bytes == 0)
            return json_in_refuse(j, "a text has a character that JSON or this form does not allow");
        if (n + bytes >= sizeof j->text)
            return json_in_refuse(j, "a text is too long");
        memcpy(j->text + n, to, bytes);
        n += bytes;
    }
    j->text[n] = '\0';
    return take(j, '"') || json_in_refuse(j, "a text does not end");
}

bool json_in_u64(struct json_in *j, uint64_t *v)
{
    const char first = peek(j);

    if (first < '0' || first > '9')
        return json_in_refuse(j, "a whole number is missing");
    for (*v = 0; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
        const unsigned digit = (unsigned)(*j->at - '0');
        if (*v > (UINT64_MAX - digit) / 10)
            return json_in_refuse(j, "a number is above 2^64 - 1");
        *v = *v * 10 + digit;
    }
    if (j->at < j->end && (*j->at == '.' || *j->at == 'e' || *j->at == 'E'))
        return json_in_refuse(j, "a number is not whole");
    return true;
}

static bool word(struct json_in *j, const char *w)
{
    const size_t n = strlen(w);

    if (peek(j) != *w || (size_t)(j->end - j->at) < n || memcmp(j->at, w, n) != 0)
        return false;
    j->at += n;
    return true;
}

bool json_in_null(struct json_in *j)
{
    return word(j, "null");
}

bool json_in_bool(struct json_in *j, bool *v)
{
    *v = word(j, "true");
    return *v || word(j, "false") || json_in_refuse(j, "true or false is missing");
}

bool json_in_end(struct json_in *j)
{
    return (peek(j) == '\0' && j->at == j->end && !j->fault) || json_in_refuse(j, "something follows the end");
}
