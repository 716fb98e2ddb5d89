/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "filter/parser.h"

static const struct keyword {
    const char *text;
    enum token_kind kind;
    uint8_t op;
    bool all;
} words[] =
    {
        {"and", TOKEN_AND, 0, false},
        {"or", TOKEN_OR, 0, false},
        {"xor", TOKEN_XOR, 0, false},
        {"not", TOKEN_NOT, 0, false},
        {"in", TOKEN_IN, 0, false},
        {"any", TOKEN_ANY, 0, false},
        {"all", TOKEN_ALL, 0, false},
        {"matches", TOKEN_MATCHES, 0, false},
        {"contains", TOKEN_TEST, OP_CONTAINS, false},
        {"eq", TOKEN_TEST, OP_EQ, false},
        {"any_eq", TOKEN_TEST, OP_EQ, false},
        {"all_eq", TOKEN_TEST, OP_EQ, true},
        {"ne", TOKEN_TEST, OP_NE, true},
        {"all_ne", TOKEN_TEST, OP_NE, true},
        {"any_ne", TOKEN_TEST, OP_NE, false},
        {"lt", TOKEN_TEST, OP_LT, false},
        {"le", TOKEN_TEST, OP_LE, false},
        {"gt", TOKEN_TEST, OP_GT, false},
        {"ge", TOKEN_TEST, OP_GE, false},
        {"bitwise_and", TOKEN_ARITH, ARITH_AND, false},
},
  marks[] = {
      /* longer tokens before their prefixes */
      {"===", TOKEN_TEST, OP_EQ, true},     {"!==", TOKEN_TEST, OP_NE, false},    {"==", TOKEN_TEST, OP_EQ, false},
      {"!=", TOKEN_TEST, OP_NE, true},      {"~=", TOKEN_TEST, OP_NE, false},     {"<=", TOKEN_TEST, OP_LE, false},
      {">=", TOKEN_TEST, OP_GE, false},     {"<", TOKEN_TEST, OP_LT, false},      {">", TOKEN_TEST, OP_GT, false},
      {"&&", TOKEN_AND, 0, false},          {"||", TOKEN_OR, 0, false},           {"^^", TOKEN_XOR, 0, false},
      {"..", TOKEN_DOTS, 0, false},         {"~", TOKEN_MATCHES, 0, false},       {"!", TOKEN_NOT, 0, false},
      {"&", TOKEN_ARITH, ARITH_AND, false}, {"+", TOKEN_ARITH, ARITH_ADD, false}, {"-", TOKEN_ARITH, ARITH_SUB, false},
      {"*", TOKEN_ARITH, ARITH_MUL, false}, {"/", TOKEN_ARITH, ARITH_DIV, false}, {"%", TOKEN_ARITH, ARITH_MOD, false},
      {"(", TOKEN_LPAREN, 0, false},        {")", TOKEN_RPAREN, 0, false},        {"{", TOKEN_LBRACE, 0, false},
      {"}", TOKEN_RBRACE, 0, false},        {"[", TOKEN_LBRACKET, 0, false},      {"]", TOKEN_RBRACKET, 0, false},
      {",", TOKEN_COMMA, 0, false},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}
static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The text ends with NUL bytes, so that looking one or two characters ahead is safe. */
static char at(const struct parser *ps, size_t i)
{
    if (i >= ps->len)
        return '\0';
    return ps->f->text[i];
}
static uint32_t column(size_t i)
{
    return (uint32_t)(i + 1);
}

static void bad(struct parser *ps, size_t i, const char *what)
{
    parser_fail(ps, column(i), "%s", what);
    ps->t.kind = TOKEN_BAD;
}

/* Where the word ends. A dot or a dash belongs to a word when another character of the word follows; a slash when the
 * word looks like an address. */
static size_t word_end(const struct parser *ps, size_t from)
{
    bool dot = false, colon = false;
    size_t i = from;

    for (;; i++) {
        const char c = at(ps, i), after = at(ps, i + 1);
        if (c == '/' && ((dot && is_digit(at(ps, from))) || colon) && is_digit(after))
            continue;
        if (!is_word(c) && !((c == '.' || c == '-') && i > from && is_word(after)) &&
            !(c == '.' && i > from && after != '.'))
            return i;
        dot |= c == '.';
        colon |= c == ':';
    }
}

static void take_word(struct parser *ps)
{
    struct token *t = &ps->t;
    const size_t from = ps->pos;

    ps->pos = word_end(ps, from);
    t->kind = TOKEN_WORD;
    t->text = ps->f->text + from;
    t->len = ps->pos - from;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == t->len && memcmp(words[i].text, t->text, t->len) == 0) {
            t->kind = words[i].kind;
            t->op = words[i].op;
            t->all = words[i].all;
        }
}

static bool take_mark(struct parser *ps)
{
    struct token *t = &ps->t;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t n = strlen(marks[i].text);
        if (strncmp(ps->f->text + ps->pos, marks[i].text, n) != 0)
            continue;
        *t = (struct token){.kind = marks[i].kind, .op = marks[i].op, .all = marks[i].all, .col = t->col, .len = n};
        t->text = ps->f->text + ps->pos;
        ps->pos += n;
        return true;
    }
    return false;
}

/* Reads one escape after the backslash at pos - 1; -1 for an unknown escape. */
static int take_escape(struct parser *ps)
{
    static const char from[] = "abfnrtv\\'\"?", to[] = "\a\b\f\n\r\t\v\\'\"?";
    const char c = at(ps, ps->pos++);
    const char *simple = c ? strchr(from, c) : NULL;
    int v = 0, n = 0;

    if (simple)
        return to[simple - from];
    if (c == 'x') {
        for (; n < 2 && hex_digit(at(ps, ps->pos)) >= 0; n++)
            v = v * 16 + hex_digit(at(ps, ps->pos++));
        return n ? v : -1;
    }
    for (ps->pos--; n < 3 && at(ps, ps->pos) >= '0' && at(ps, ps->pos) <= '7'; n++)
        v = v * 8 + (at(ps, ps->pos++) - '0');
    return n && v < 256 ? v : -1;
}

/* Reads a quoted text from the character after the opening quote, and moves past the closing quote. */
static void take_quoted(struct parser *ps, char quote, bool raw)
{
    struct filter *f = ps->f;
    struct token *t = &ps->t;
    char *const out = f->text + f->text_used;

    t->text = out;
    t->len = 0;
    t->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHAR;
    while (ps->pos < ps->len && at(ps, ps->pos) != quote) {
        const size_t from = ps->pos;
        int c = (uint8_t)at(ps, ps->pos++);
        /* In a raw string the backslash and the quote stay an escape for the regular expression. */
        if (raw && c == '\\' && at(ps, ps->pos) == quote) {
            out[t->len++] = '\\';
            c = (uint8_t)at(ps, ps->pos++);
        } else if (!raw && c == '\\') {
            c = take_escape(ps);
            if (c < 0) {
                bad(ps, from, "unknown escape; a regular expression is easier as r\"...\"");
                return;
            }
        }
        out[t->len++] = (char)c;
    }
    f->text_used += t->len;
    if (ps->pos >= ps->len)
        bad(ps, t->col - 1, "the quote is never closed");
    else if (t->kind == TOKEN_CHAR && t->len != 1)
        bad(ps, t->col - 1, "a character constant has exactly one character");
    ps->pos++;
}

void lexer_next(struct parser *ps)
{
    while (at(ps, ps->pos) == ' ' || (at(ps, ps->pos) >= '\t' && at(ps, ps->pos) <= '\r'))
        ps->pos++;
    const char c = at(ps, ps->pos), after = at(ps, ps->pos + 1);
    ps->t = (struct token){.kind = TOKEN_END, .col = column(ps->pos), .text = ps->f->text + ps->pos};
    if (ps->pos >= ps->len)
        return;
    if (c == '"' || c == '\'') {
        ps->pos++;
        take_quoted(ps, c, false);
    } else if ((c == 'r' || c == 'R') && after == '"') {
        ps->pos += 2;
        take_quoted(ps, '"', true);
    } else if (is_word(c))
        take_word(ps);
    else if (!take_mark(ps))
        bad(ps, ps->pos,
            c == '='   ? "a single \"=\"; equality is \"==\""
            : c == '#' ? "layer numbers (#) are not supported"
            : c == '$' ? "macros and references (${...}) are Wireshark's; write the value"
            : c == '@' ? "raw values (@) are not supported; slice the header: eth[0:6]"
                       : "this character means nothing here");
}

static void skip_blanks(struct parser *ps)
{
    while (at(ps, ps->pos) == ' ' || at(ps, ps->pos) == '\t')
        ps->pos++;
}

/* Reads a number in a slice into *n. */
static bool take_index(struct parser *ps, int64_t *n)
{
    const bool minus = at(ps, ps->pos) == '-';
    size_t i = ps->pos + minus;
    int64_t v = 0;

    for (; is_digit(at(ps, i)) && v <= INT32_MAX; i++)
        v = v * 10 + (at(ps, i) - '0');
    if (i == ps->pos + minus || v > INT32_MAX)
        return false;
    ps->pos = i;
    *n = minus ? -v : v;
    return true;
}

/* Reads what follows the first index of a slice: ":count", ":", "-last" or nothing. */
static bool take_count(struct parser *ps, int64_t from, int64_t *count)
{
    const char c = at(ps, ps->pos);
    int64_t last;

    *count = 1;
    if (c != ':' && c != '-')
        return true;
    const size_t mark = ps->pos++;
    skip_blanks(ps);
    if (c == ':') {
        *count = 0;
        return !take_index(ps, count) || *count > 0 || parser_fail(ps, column(mark), "a slice of no bytes");
    }
    if (from < 0 || !take_index(ps, &last) || last < from)
        return parser_fail(ps, column(mark), "a slice from-to needs two offsets that ascend");
    *count = last - from + 1;
    return true;
}

bool lexer_span(struct parser *ps, struct span *s, bool *last)
{
    int64_t from = 0, count;

    skip_blanks(ps);
    if (!take_index(ps, &from) && (at(ps, ps->pos) != ':' || at(ps, ps->pos + 1) == ']'))
        return parser_fail(ps, column(ps->pos), "a slice is [i], [i:count], [i-last], [i:] or [:count]");
    skip_blanks(ps);
    if (!take_count(ps, from, &count))
        return false;
    skip_blanks(ps);
    const char c = at(ps, ps->pos);
    if (c != ']' && c != ',')
        return parser_fail(ps, column(ps->pos), "a slice ends with \"]\"");
    ps->pos++;
    *last = c == ']';
    *s = (struct span){.from = (int32_t)from, .count = (uint32_t)count};
    return true;
}
