/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"
#include <string.h>

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Returns the end of the word at `i`; len + 1: a quote has no end. */
static size_t word_end(const char *s, size_t len, size_t i)
{
    bool quoted = false;

    for (; i < len && (quoted || !blank(s[i])); i++)
        if (s[i] == '"')
            quoted = !quoted;
    return quoted ? len + 1 : i;
}

static void word_take(struct ibc_arena *a, const char *s, size_t n, unsigned column, struct ibc_word *w)
{
    char *out = ibc_arena_take(a, n + 1);
    size_t k = 0;

    *w = (struct ibc_word){.s = out, .column = (uint16_t)column, .value = (uint16_t)column};
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '=' && w->value == column)
            w->value = (uint16_t)(column + i + 1);
        if (s[i] == '$')
            w->dollar = true;
        if (s[i] == '"')
            w->quoted = true;
        else
            out[k++] = s[i];
    }
    out[k] = '\0';
}

bool ibc_text_words(struct ibc_arena *a, const char *s, size_t len, unsigned column, struct ibc_word *word, unsigned *n)
{
    const unsigned room = *n;
    unsigned count = 0;

    for (size_t i = 0, end; i < len; i = end) {
        if (blank(s[i])) {
            end = i + 1;
            continue;
        }
        end = word_end(s, len, i);
        if (end > len) {
            *n = column + (unsigned)i;
            return false;
        }
        if (count < room)
            word_take(a, s + i, end - i, column + (unsigned)i, &word[count]);
        count++;
    }
    *n = count;
    return true;
}

/* Returns the length of the line in bytes without its comment. */
static size_t without_comment(const char *s, size_t len)
{
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        if (s[i] == '"')
            quoted = !quoted;
        if (s[i] == '#' && !quoted && (i == 0 || blank(s[i - 1])))
            return i;
    }
    return len;
}

static bool is_text(struct ibc_fault *f, uint32_t number, const char *s, size_t len)
{
    if (len > IBC_MAX_LINE)
        return ibc_fault(f, number, IBC_MAX_LINE + 1, "the line has more than %d bytes", IBC_MAX_LINE);
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)s[i] < ' ' && s[i] != '\t') || s[i] == 0x7f)
            return ibc_fault(f, number, (uint32_t)i + 1, "byte 0x%02x is no text", (unsigned char)s[i]);
    return true;
}

/* Reads one line. *used: whether the line has any words. */
static bool line_read(struct ibc_arena *a, struct ibc_fault *f, const char *s, size_t len, struct ibc_text *t,
                      bool *used)
{
    size_t from = 0;
    unsigned n = 0;

    if (len > 0 && s[len - 1] == '\r')
        len--;
    if (!is_text(f, t->line, s, len))
        return false;
    len = without_comment(s, len);
    while (len > 0 && blank(s[len - 1]))
        len--;
    while (from < len && blank(s[from]))
        from++;
    *used = from < len;
    t->column = (uint16_t)(from + 1);
    t->text = ibc_arena_string(a, s + from, len - from);
    t->dollar = memchr(s + from, '$', len - from) != NULL;
    if (!ibc_text_words(a, t->text, len - from, t->column, NULL, &n))
        return ibc_fault(f, t->line, n, "the quote never ends");
    t->n_word = (uint16_t)n;
    t->word = ibc_arena_take(a, n * sizeof *t->word + 1);
    return ibc_text_words(a, t->text, len - from, t->column, t->word, &n);
}

bool ibc_text_read(struct ibc_arena *a, struct ibc_fault *f, const char *text, size_t len, struct ibc_text **line,
                   unsigned *n)
{
    const char *end;
    size_t lines = 1;
    uint32_t number = 0;
    bool used = false;

    if (len > IBC_MAX_FILE)
        return ibc_fault(f, 0, 0, "more than %d KiB", IBC_MAX_FILE / 1024);
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    *line = ibc_arena_zero(a, lines * sizeof **line);
    *n = 0;
    for (size_t at = 0; at < len; at = (size_t)(end - text) + 1) {
        struct ibc_text *t = *line + *n;

        end = memchr(text + at, '\n', len - at);
        if (end == NULL)
            end = text + len;
        t->line = ++number;
        if (!line_read(a, f, text + at, (size_t)(end - text) - at, t, &used))
            return false;
        *n += used;
    }
    return true;
}
