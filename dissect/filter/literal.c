/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives a constant its type, which depends on the field it is compared with. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "field/moment.h"
#include "filter/parser.h"
#include "wire/iba_opcode.h"

const char *class_name(enum value_class cls)
{
    static const char *const name[] = {
        [CLASS_NONE] = "nothing",        [CLASS_NUMBER] = "a number",     [CLASS_TIME] = "a time in seconds",
        [CLASS_ETHER] = "a MAC address", [CLASS_IP4] = "an IPv4 address", [CLASS_IP6] = "an IPv6 address",
        [CLASS_BYTES] = "bytes in hex",  [CLASS_TEXT] = "text",
    };
    return name[cls];
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Reads a number: decimal, hex after 0x, binary after 0b, octal after 0. */
static bool parse_number(const char *s, size_t n, uint64_t *out)
{
    unsigned base = 10;
    uint64_t v = 0;
    size_t i = 0;

    if (n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X' || s[1] == 'b' || s[1] == 'B')) {
        base = (s[1] | 0x20) == 'x' ? 16 : 2;
        i = 2;
    } else if (n > 1 && s[0] == '0') {
        base = 8;
        i = 1;
    }
    if (n == 0)
        return false;
    for (; i < n; i++) {
        const int d = digit_of(s[i]);
        if (d >= (int)base || v > (UINT64_MAX - (unsigned)d) / base)
            return false;
        v = v * base + (unsigned)d;
    }
    *out = v;
    return true;
}

static bool same(const char *name, const char *s, size_t n)
{
    return name && strlen(name) == n && strncasecmp(name, s, n) == 0;
}

/* Finds opcodes by our name (RC_SEND_ONLY), our title (RC SEND Only), or Wireshark's (Reliable Connection (RC) - SEND
 * Only). */
static bool opcode_named(const char *s, size_t n, struct operand *o)
{
    const char *open = memchr(s, '(', n);
    const char *close = open ? memchr(open, ')', n - (size_t)(open - s)) : NULL;
    char title[FILTER_MAX_WORD];

    if (close && n - (size_t)(close - s) > 4 && memcmp(close, ") - ", 4) == 0 && n < sizeof title) {
        n = (size_t)snprintf(title, sizeof title, "%.*s %.*s", (int)(close - open - 1), open + 1,
                             (int)(s + n - close - 4), close + 4);
        s = title;
    }
    for (unsigned code = 0; code < 256; code++)
        if (same(iba_opcodes[code].name, s, n) || same(iba_opcodes[code].title, s, n)) {
            o->u = o->hi = code;
            return true;
        }
    return false;
}

static bool code_named(const struct field *f, const char *s, size_t n, struct operand *o)
{
    const struct iba_field *row = f ? field_row(f) : NULL;
    size_t n_value;

    if (!row || row->values == IBA_VALUES_NONE)
        return false;
    if (row->values == IBA_VALUES_OPCODE)
        return opcode_named(s, n, o);
    const struct iba_value *v = iba_values((enum iba_vocabulary)row->values, &n_value);
    for (size_t i = 0; i < n_value; i++)
        if (same(v[i].name, s, n)) {
            o->u = v[i].lo;
            o->hi = v[i].hi;
            return true;
        }
    return false;
}

static uint64_t max_of(const struct field *f)
{
    const struct iba_field *row = f ? field_row(f) : NULL;

    return row && row->bits ? iba_field_max(row) * iba_shows[row->show].unit : UINT64_MAX;
}

static bool bind_number(struct parser *ps, struct node *lit, struct operand *o, const struct field *f)
{
    const bool flag = f && f->type == FIELD_BOOL;

    if (flag && (same("true", lit->text, lit->len) || same("false", lit->text, lit->len)))
        o->u = o->hi = lit->len == 4;
    else if (lit->form == LITERAL_CHAR)
        o->u = o->hi = (uint8_t)lit->text[0];
    else if (lit->form == LITERAL_WORD && parse_number(lit->text, lit->len, &o->u))
        o->hi = o->u = flag ? o->u != 0 : o->u;
    else if (!code_named(f, lit->text, lit->len, o))
        return false;
    if (f && o->u > max_of(f))
        return parser_fail(ps, lit->col, "%.*s is too big for %s, maximum %llu", (int)lit->len, lit->text, f->name,
                           (unsigned long long)max_of(f));
    o->below = lit->negative && o->u != 0;
    if (lit->negative)
        o->u = o->hi = 0 - o->u;
    return true;
}

static bool bind_time(const struct node *lit, struct operand *o)
{
    char date[48];

    if (lit->form == LITERAL_WORD && moment_seconds(lit->text, lit->len, &o->ns)) {
        o->ns = lit->negative ? -o->ns : o->ns;
        return true;
    }
    if (lit->len >= sizeof date || memchr(lit->text, 0, lit->len) || lit->negative)
        return false;
    memcpy(date, lit->text, lit->len);
    date[lit->len] = '\0';
    return moment_date(date, &o->ns);
}

/* Reads "0a", "a", "0a0b", "0a:0b", "0a-0b" or "0a.0b" into `out`. -1: the text is none of these, or longer than the
 * room. */
static long parse_hex(const char *s, size_t n, uint8_t *out, size_t room)
{
    size_t used = 0, i = 0;
    char sep = '\0';

    if (n == 1 && digit_of(s[0]) < 16) {
        out[0] = (uint8_t)digit_of(s[0]);
        return 1;
    }
    if (n > 2 && s[0] == '0' && s[1] == 'x')
        i = 2;
    while (i + 1 < n && used < room && digit_of(s[i]) < 16 && digit_of(s[i + 1]) < 16) {
        out[used++] = (uint8_t)(digit_of(s[i]) * 16 + digit_of(s[i + 1]));
        i += 2;
        if (i == n)
            return (long)used;
        if (s[i] == ':' || s[i] == '-' || s[i] == '.') {
            if (sep && s[i] != sep)
                return -1;
            sep = s[i++];
        }
    }
    return -1;
}

static bool bind_bytes(struct parser *ps, const struct node *lit, struct operand *o)
{
    struct filter *f = ps->f;
    uint8_t *out = (uint8_t *)f->text + f->text_used;

    o->bytes = (const uint8_t *)lit->text;
    o->len = lit->len;
    if (lit->form != LITERAL_WORD)
        return true;
    const long n = parse_hex(lit->text, lit->len, out, f->text_room - f->text_used);
    if (n < 0)
        return false;
    o->bytes = out;
    o->len = (size_t)n;
    f->text_used += o->len;
    return true;
}

static bool bind_ether(const struct node *lit, struct operand *o)
{
    uint8_t b[6];

    if (lit->form != LITERAL_WORD || parse_hex(lit->text, lit->len, b, sizeof b) != sizeof b)
        return false;
    operand_set_small(o, CLASS_ETHER, b, sizeof b);
    return true;
}

/* Reads an address and, after a slash, the number of its significant bits. */
static bool bind_ip(const struct node *lit, struct operand *o, enum value_class cls)
{
    const size_t max = cls == CLASS_IP4 ? 32 : 128;
    const char *slash = memchr(lit->text, '/', lit->len);
    const size_t n = slash ? (size_t)(slash - lit->text) : lit->len;
    uint8_t b[16];
    char text[48];
    uint64_t bits = max;

    if (lit->form != LITERAL_WORD || n >= sizeof text)
        return false;
    memcpy(text, lit->text, n);
    text[n] = '\0';
    if (inet_pton(cls == CLASS_IP4 ? AF_INET : AF_INET6, text, b) != 1)
        return false;
    if (slash && (!parse_number(slash + 1, lit->len - n - 1, &bits) || bits > max))
        return false;
    if (cls == CLASS_IP4)
        operand_set_ip4(o, (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3], (uint8_t)bits);
    else
        operand_set_small(o, CLASS_IP6, b, sizeof b);
    o->prefix = (uint8_t)bits;
    return true;
}

static bool bind_class(struct parser *ps, struct node *lit, struct operand *o, const struct field *f)
{
    if (lit->negative && o->cls != CLASS_NUMBER && o->cls != CLASS_TIME)
        return false;
    switch (o->cls) {
    case CLASS_NUMBER: return bind_number(ps, lit, o, f);
    case CLASS_TIME: return bind_time(lit, o);
    case CLASS_ETHER: return bind_ether(lit, o);
    case CLASS_IP4:
    case CLASS_IP6: return bind_ip(lit, o, o->cls);
    case CLASS_BYTES: return bind_bytes(ps, lit, o);
    default:
        o->bytes = (const uint8_t *)lit->text;
        o->len = lit->len;
        return true;
    }
}

/* The text as the user wrote it, for a message of one line. */
static const char *show_literal(const struct node *lit, char *buf, size_t size)
{
    size_t n = 0;

    for (; n < lit->len && n + 4 < size; n++)
        buf[n] = lit->text[n];
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)buf[i] < ' ' || buf[i] == 0x7f)
            buf[i] = '?';
    memcpy(buf + n, n < lit->len ? "..." : "", n < lit->len ? 4 : 1);
    return buf;
}

static bool looks_like_field(const struct node *lit)
{
    if (lit->form != LITERAL_WORD)
        return false;
    const unsigned c = (uint8_t)lit->text[0] | 0x20u; /* a word has a character */
    return c >= 'a' && c <= 'z' && memchr(lit->text, '.', lit->len);
}

bool literal_bind(struct parser *ps, struct node *lit, enum value_class cls, const struct field *f)
{
    const struct iba_field *row = f ? field_row(f) : NULL;
    char shown[64];

    lit->value = (struct operand){.cls = cls, .width = 4};
    if (bind_class(ps, lit, &lit->value, f)) {
        lit->kind = NODE_CONST;
        lit->cls = cls;
        return true;
    }
    if (looks_like_field(lit))
        return parser_fail_field(ps, lit->col, lit->text, lit->len);
    (void)show_literal(lit, shown, sizeof shown);
    if (row && row->values != IBA_VALUES_NONE)
        return parser_fail(ps, lit->col, "\"%s\" is neither a number nor the name of a value of %s", shown, f->name);
    return parser_fail(ps, lit->col, "\"%s\" is not %s%s%s", shown, class_name(cls), f ? ", as needed for " : "",
                       f ? f->name : "");
}
