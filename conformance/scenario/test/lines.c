/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes, lines and words of a text, and the nearest of several names. */
#include <stdlib.h>
#include "load.h"
#include "scenario/text.h"

static struct ibc_text *line;
static unsigned n_line;

static struct ibc_arena *read_text(const char *text, size_t len, char err[200])
{
    struct ibc_arena *a = ibc_arena_new();
    struct ibc_fault f = {.path = "f", .err = err, .errlen = 200};

    err[0] = '\0';
    if (!ibc_text_read(a, &f, text, len, &line, &n_line))
        cr_assert_neq(err[0], '\0', "a text is refused without a reason");
    return a;
}

/* Writes each word as "column:word", then '=' and the column of its value if the value begins at another column. 'q'
 * marks a word in quotes, '$' a word that has a variable. */
static void describe(char *out, size_t room)
{
    size_t n = 0;

    out[0] = '\0';
    for (unsigned i = 0; i < n_line; i++) {
        n += (size_t)snprintf(out + n, room - n, "%s%u@%u%s", i ? " / " : "", (unsigned)line[i].line, line[i].column,
                              line[i].dollar ? "$" : "");
        for (unsigned k = 0; k < line[i].n_word; k++) {
            const struct ibc_word *w = &line[i].word[k];
            n += (size_t)snprintf(out + n, room - n, " %u:%s", w->column, w->s);
            if (w->value != w->column)
                n += (size_t)snprintf(out + n, room - n, "=%u", w->value);
            n += (size_t)snprintf(out + n, room - n, "%s%s", w->quoted ? "q" : "", w->dollar ? "$" : "");
        }
    }
}

Test(lines, words_and_columns)
{
    static const struct {
        const char *text, *is;
    } rows[] = {
        {"", ""},
        {"\n\n", ""},
        {"a", "1@1 1:a"},
        {"a\n", "1@1 1:a"},
        {"\na\n\nb", "2@1 1:a / 4@1 1:b"},
        {"a b", "1@1 1:a 3:b"},
        {"  a\t\tb  ", "1@3 3:a 6:b"},
        {"\ta", "1@2 2:a"},
        {"a b\r\nc\r\n", "1@1 1:a 3:b / 2@1 1:c"},
        {"k=v", "1@1 1:k=v=3"},
        {" x k=v=w", "1@2 2:x 4:k=v=w=6"},
        {"=v", "1@1 1:=v=2"},
        {"a # b", "1@1 1:a"},
        {"a #", "1@1 1:a"},
        {"# b", ""},
        {"a\t#b", "1@1 1:a"},
        {"a#b", "1@1 1:a#b"},
        {"a \"x # y\" z # c", "1@1 1:a 3:x # yq 11:z"},
        {"k=\"a b\"c", "1@1 1:k=a bc=3q"},
        {"\"\"", "1@1 1:q"},
        {"a $b c", "1@1$ 1:a 3:$b$ 6:c"},
        {"a # $b", "1@1 1:a"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char err[200], is[500];
        struct ibc_arena *a = read_text(rows[i].text, strlen(rows[i].text), err);
        cr_expect_str_eq(err, "", "row %zu: %s", i, err);
        describe(is, sizeof is);
        cr_expect_str_eq(is, rows[i].is, "row %zu: %s", i, is);
        ibc_arena_free(a);
    }
}

Test(lines, bytes_that_are_no_text)
{
    for (unsigned c = 0; c < 256; c++) {
        const char text[] = {'a', ' ', (char)c, 'b', '\n'};
        char err[200], want[64];
        const bool refused = (c < ' ' && c != '\t' && c != '\n') || c == 0x7f || c == '"';
        struct ibc_arena *a = read_text(text, sizeof text, err);
        snprintf(want, sizeof want, c == '"' ? "f:1:3: the quote never ends" : "f:1:3: byte 0x%02x is no text", c);
        cr_expect_str_eq(err, refused ? want : "", "byte 0x%02x: %s", c, err);
        ibc_arena_free(a);
    }
}

/* Returns `n` bytes in lines of `each` bytes, newline included. */
static char *filled(size_t n, size_t each)
{
    char *text = malloc(n);

    cr_assert_not_null(text);
    for (size_t i = 0; i < n; i++)
        text[i] = i % each == each - 1 ? '\n' : 'a';
    return text;
}

Test(lines, limits)
{
    static const struct {
        size_t bytes, each;
        const char *err;
        unsigned lines;
    } rows[] = {
        {1000, 2000, "", 1},   {1001, 2000, "f:1:1001: the line has more than 1000 bytes", 0},
        {2002, 1001, "", 2},   {2004, 1002, "f:1:1001: the line has more than 1000 bytes", 0},
        {65536, 64, "", 1024}, {65537, 64, "f: more than 64 KiB", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char err[200], *text = filled(rows[i].bytes, rows[i].each);
        struct ibc_arena *a = read_text(text, rows[i].bytes, err);
        cr_expect_str_eq(err, rows[i].err, "row %zu: %s", i, err);
        if (!err[0])
            cr_expect_eq(n_line, rows[i].lines, "row %zu", i);
        ibc_arena_free(a);
        free(text);
    }
}

/* ---- the nearest name ---- */

static const char *name_at(size_t i, const void *names)
{
    return ((const char *const *)names)[i];
}

#define A16 "aaaaaaaaaaaaaaaa"

/* A name is suggested if at most a third of the word's letters, and one more, must change; in a short word one letter.
 * An exchange of two neighbouring letters counts as one change. At least one letter must stay. */
Test(nearest, fewest_changes)
{
    static const struct {
        const char *word, *name[3], *nearest; /* NULL: none */
    } rows[] = {
        {"a", {"b"}, NULL},
        {"a", {"ab"}, "ab"},
        {"a", {"abc"}, NULL},
        {"ab", {"ac"}, "ac"},
        {"ab", {"ba"}, "ba"},
        {"ab", {"cd"}, NULL},
        {"ab", {"abcd"}, NULL},
        {"abc", {"abcde"}, "abcde"},
        {"abc", {"abcdef"}, NULL},
        {"abc", {"a"}, "a"},
        {"abc", {"bc"}, "bc"},
        {"abc", {"cba"}, "cba"},
        {"abc", {"xyz"}, NULL},
        {"abcd", {"bcda"}, "bcda"},
        {"abcd", {"badc"}, "badc"},
        {"abcd", {"cxxb"}, NULL}, /* the 'b' and the 'c' of the word do not change places */
        {"abxy", {"bcuv"}, NULL},
        {"abxy", {"caxy"}, "caxy"},
        {"abcdef", {"abcxyz"}, "abcxyz"},
        {"abcdef", {"abwxyz"}, NULL},
        {"abcdef", {"badcfe"}, "badcfe"},
        {"cat", {"bat", "hat"}, "bat"},
        {"cat", {"bxt", "hat"}, "hat"},
        {"cat", {"cut", "cat"}, NULL}, /* the word is known, but not allowed there */
        {"cat", {"cut", "cart"}, "cut"},
        {"state", {"stats", "status", "state"}, NULL},
        {"a", {"", "ab"}, "ab"},
        {A16 A16 A16, {A16 A16 A16 "a", A16 A16 "aaaaaaaaaaaaaaab"}, A16 A16 "aaaaaaaaaaaaaaab"},
        {A16 A16 A16 "a", {A16 A16 A16}, NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = 0;
        while (n < 3 && rows[i].name[n])
            n++;
        const char *is = ibc_nearest(rows[i].word, name_at, n, rows[i].name);
        cr_expect((is == NULL) == (rows[i].nearest == NULL) && (!is || strcmp(is, rows[i].nearest) == 0), "%s: %s",
                  rows[i].word, is ? is : "none");
    }
}
