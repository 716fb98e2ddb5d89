/* SPDX-License-Identifier: BSD-2-Clause */
/* Each scenario of the suite with one slip in its text, as somebody who writes one makes: a word left out, twice, cut,
 * in another place, with another value or another letter. damaged.golden has a line for each scenario: the digest of
 * its file, and for each slip the place and a digest of the error message, or "loads".
 *
 * A scenario that is new, or whose file has changed since, is not compared (test/golden.h says how to renew the file).
 * IBPROOF_VERBOSE=ID prints the slips and the messages of that scenario. */
#include <stdlib.h>
#include <unistd.h>
#include "load.h"
#include "sim/iba_random.h"
#include "test/golden.h"

enum { LEAST_PERCENT = 80, LINE = 1024, TEXT = 1 << 17, SLIPS = 12, TRIES = 50 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/scenario/test/damaged.golden"

static char whole[TEXT], text[TEXT];
static struct iba_random slips;

static size_t below(size_t n)
{
    return (size_t)iba_random_below(&slips, n);
}

static const char *one_of(const char *const *words, size_t n)
{
    return words[below(n)];
}

/* Replaces `n` bytes of the text at that place. */
static void put(size_t at, size_t n, const char *bytes, size_t n_bytes)
{
    const size_t len = strlen(text);

    cr_assert(at + n <= len && len + n_bytes - n < TEXT);
    memmove(text + at + n_bytes, text + at + n, len - at - n + 1);
    memcpy(text + at, bytes, n_bytes);
}

static void change_letter(size_t at, size_t n)
{
    static const char others[] = "aez09=|!.,:*$+-\"[]~_AX";
    const char c = others[below(sizeof others - 1)];
    const size_t replaced = below(2);

    put(at + below(n), replaced, &c, 1);
}

static void change_value(size_t at, size_t n)
{
    static const char *const values[] = {"",          "0",     "1|2",         "!1",     "1..2",
                                         "3..1",      "-1",    "99999999999", "zz",     "+1",
                                         "*",         "any",   "hex:00",      "hex:0",  "x+4",
                                         "1s",        "1.5us", "4KiB",        "0x1f",   "$pmtu",
                                         "multicast", "::1",   "1.2.3.4",     "m.rkey", "18446744073709551616"};
    const char *const equals = memchr(text + at, '=', n);
    const size_t from = equals ? (size_t)(equals + 1 - text) : at;
    const char *const value = one_of(values, sizeof values / sizeof *values);

    put(from, at + n - from, value, strlen(value));
}

/* Makes a slip in the word at that place. */
static void slip(size_t at, size_t n)
{
    char word[1200];

    memcpy(word, text + at, n);
    word[n] = ' ';
    switch (below(8)) {
    case 0: put(at, n, "", 0); break;
    case 1: put(at, 0, word, n + 1); break;
    case 2: put(at + n - 1, 1, "", 0); break;
    case 3: put(at + n, 0, "x", 1); break;
    case 4: change_value(at, n); break;
    case 5: change_value(at, n); break;
    case 6: change_letter(at, n); break;
    default: /* changes places with the line's first word */
        put(at, n, "", 0);
        while (at > 0 && text[at - 1] != '\n')
            at--;
        put(at, 0, word, n + 1);
        break;
    }
}

/* Finds the next word outside of comments. Returns false if there is none. */
static bool is_word(size_t at, size_t *from, size_t *n)
{
    size_t line = at, end = at;

    while (line > 0 && text[line - 1] != '\n')
        line--;
    const size_t comment = line + strcspn(text + line, "#\n");
    if (at >= comment || strchr(" \n", text[at]))
        return false;
    while (at > line && text[at - 1] != ' ')
        at--;
    while (end < comment && text[end] != ' ')
        end++;
    *from = at;
    *n = end - at;
    return *n < 1000;
}

/* A new word of the language changes which old words are suggested, so this test leaves suggestions out of the
 * digest. */
static uint64_t without_suggestion(uint64_t digest, const char *err)
{
    const char *const near = strstr(err, "; did you mean");

    return golden_digest(digest, err, near ? (size_t)(near - err) : strlen(err));
}

static uint32_t message(const struct ibc_scenario *of, const char *wanted)
{
    size_t at = 0, n = 0;
    bool found = false;
    char err[500] = "loads";

    strcpy(text, whole);
    for (unsigned i = 0; i < TRIES && !found; i++)
        found = is_word(below(strlen(text)), &at, &n);
    cr_assert(found, "%s", of->id);
    slip(at, n);
    struct ibc_scenario *s = ibc_load_text(text, strlen(text), "f.ibt", "f", err, sizeof err);
    if (wanted && strcmp(wanted, of->id) == 0)
        printf("%.*s: %s\n", (int)strcspn(text + at, "\n"), text + at, err);
    ibc_free(s);
    return golden_short(without_suggestion(GOLDEN_EMPTY, s ? "loads" : err));
}

/* One file with several slips: the error message has a line for each slip that is a fault by itself. */
static uint32_t messages(void)
{
    char path[40], err[4000] = "";
    uint64_t digest = GOLDEN_EMPTY;
    size_t at, n;

    strcpy(text, whole);
    for (unsigned i = 0; i < SLIPS / 2; i++)
        if (is_word(below(strlen(text)), &at, &n))
            slip(at, n);
    (void)snprintf(path, sizeof path, "damaged-%ld.ibt", (long)getpid());
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    struct ibc_scenario *s = ibc_load(path, "f", err, sizeof err);
    ibc_free(s);
    (void)unlink(path);
    for (char *line = strtok(err, "\n"); line; line = strtok(NULL, "\n"))
        digest = without_suggestion(digest, strncmp(line, path, strlen(path)) == 0 ? line + strlen(path) : line);
    return golden_short(digest);
}

static void line_of(const struct ibc_scenario *s, char line[LINE])
{
    FILE *f = fopen(s->path, "r");

    cr_assert_not_null(f, "%s", s->path);
    whole[fread(whole, 1, TEXT / 2, f)] = '\0';
    (void)fclose(f);
    iba_random_seed(&slips, golden_text(GOLDEN_EMPTY, s->id));
    (void)snprintf(line, LINE, "%s %08x", s->id, golden_short(golden_file(s->path)));
    for (unsigned i = 0; i < SLIPS; i++) {
        const uint32_t one = message(s, getenv("IBPROOF_VERBOSE"));
        (void)snprintf(line + strlen(line), LINE - strlen(line), " %08x", one);
    }
    (void)snprintf(line + strlen(line), LINE - strlen(line), " %08x", messages());
}

/* Returns the length of "id digest ", with which a line begins. */
static size_t head_of(const char *line)
{
    const size_t id = strcspn(line, " ") + 1;

    return id + strcspn(line + id, " ") + 1;
}

Test(damaged, every_scenario)
{
    char err[512] = "", line[LINE];
    struct ibc_suite suite;
    struct golden_rows golden = golden_rows_open(GOLDEN);

    cr_assert(ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    for (size_t i = 0; i < suite.n; i++) {
        line_of(suite.s[i], line);
        golden_row(&golden, line, head_of(line));
    }
    golden_rows_close(&golden, LEAST_PERCENT);
    ibc_suite_free(&suite);
}
