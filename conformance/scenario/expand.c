/* SPDX-License-Identifier: BSD-2-Clause */
#include "bind.h"
#include <string.h>

static bool name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *var_name(size_t i, const void *binder)
{
    return ((const struct ibc_binder *)binder)->var[i].name;
}

/* Returns the value of the variable whose name, "x" or "{x}", stands at *s after the '$'; *s moves past the name. */
static const char *var_value(struct ibc_binder *b, const char **s, uint32_t line, uint32_t column)
{
    const bool brace = **s == '{';
    const char *from = *s += brace;
    char name[IBC_NAME];
    size_t n;

    while (name_byte(**s))
        (*s)++;
    n = (size_t)(*s - from);
    if (brace)
        (*s) += **s == '}';
    for (unsigned i = 0; i < b->n_var; i++)
        if (strncmp(b->var[i].name, from, n) == 0 && b->var[i].name[n] == '\0' && n > 0)
            return b->var[i].value;
    n = n < sizeof name ? n : sizeof name - 1;
    memcpy(name, from, n);
    name[n] = '\0';
    ibc_fault_unknown(b->fault, line, column, "variable", name, var_name, b->n_var, b);
    return NULL;
}

const char *ibc_expand(struct ibc_binder *b, const char *s, uint32_t line, uint32_t column)
{
    char out[IBC_MAX_LINE + 1];
    size_t n = 0;

    if (strchr(s, '$') == NULL)
        return s;
    while (*s != '\0') {
        const char *value = s;
        size_t more = strcspn(s, "$");

        s += more;
        if (more == 0) {
            s++;
            value = var_value(b, &s, line, column);
            if (value == NULL)
                return NULL;
            more = strlen(value);
        }
        if (more > sizeof out - 1 - n) {
            ibc_fault(b->fault, line, column, "more than %d bytes with its variables filled in", IBC_MAX_LINE);
            return NULL;
        }
        memcpy(out + n, value, more);
        n += more;
    }
    return ibc_arena_string(b->arena, out, n);
}

/* Expands one word of the file. If a variable's value has several words or none, so has the result. */
static bool word_expand(struct ibc_binder *b, const struct ibc_word *w)
{
    const char *s = ibc_expand(b, w->s, b->at->line, w->column);
    unsigned n = IBC_MAX_WORDS - b->n_word;

    if (s == NULL)
        return false;
    if (w->quoted && n > 0) {
        b->word[b->n_word] = *w;
        b->word[b->n_word++].s = s;
        return true;
    }
    if (!ibc_text_words(b->arena, s, strlen(s), w->column, b->word + b->n_word, &n))
        return ibc_fault(IBC_AT(b, w), "the quote never ends");
    if (n > IBC_MAX_WORDS - b->n_word)
        return ibc_fault(IBC_AT(b, w), "more than %d words", IBC_MAX_WORDS);
    for (struct ibc_word *x = b->word + b->n_word; x < b->word + b->n_word + n; x++) {
        x->column = w->column; /* columns count the variable as written in the file, not its value */
        x->value = w->value;
    }
    b->n_word += n;
    return true;
}

bool ibc_words(struct ibc_binder *b)
{
    b->n_word = 0;
    for (const struct ibc_word *w = b->at->word; w < b->at->word + b->at->n_word; w++) {
        if (w->dollar) {
            if (!word_expand(b, w))
                return false;
            continue;
        }
        if (b->n_word == IBC_MAX_WORDS)
            return ibc_fault(IBC_AT(b, w), "more than %d words", IBC_MAX_WORDS);
        b->word[b->n_word++] = *w;
    }
    return true;
}
