/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for tests that compare what the code does with the lines of a file, the golden, so that no behaviour
 * changes by accident. Such a test does not know what is right. After an intended change, check the lines that differ,
 * and renew the file: run the test with IBPROOF_BLESS=1, or build the target "bless". */
#ifndef IBA_TEST_GOLDEN_H
#define IBA_TEST_GOLDEN_H
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_LINE = 4096, GOLDEN_SHOWN = 20, GOLDEN_BYTES = 1 << 20 };
struct golden {
    const char *path;
    FILE *file;
    bool bless;
    unsigned differ;
};

static inline struct golden golden_open(const char *path)
{
    struct golden g = {.path = path, .bless = getenv("IBPROOF_BLESS") != NULL};

    g.file = fopen(path, g.bless ? "w" : "r");
    cr_assert(g.file != NULL, "%s: cannot be opened", path);
    return g;
}

/* `line` ends with a newline. */
static inline void golden_line(struct golden *g, const char *line)
{
    char old[GOLDEN_LINE] = "(nothing)\n";

    if (g->bless) {
        cr_assert(fputs(line, g->file) >= 0);
        return;
    }
    (void)!fgets(old, sizeof old, g->file);
    if (strcmp(old, line) != 0 && g->differ++ < GOLDEN_SHOWN)
        printf("-%s+%s", old, line);
}

static inline void golden_close(struct golden *g)
{
    char rest[GOLDEN_LINE];

    cr_expect(g->bless || !fgets(rest, sizeof rest, g->file), "%s has more lines", g->path);
    (void)fclose(g->file);
    cr_assert_eq(g->differ, 0,
                 "%s: %u lines differ (the first %d are shown); when that is meant: cmake --build build/dev "
                 "--target bless",
                 g->path, g->differ, GOLDEN_SHOWN);
}

/* A golden of rows that are often added and removed, as scenarios are. The first `head` bytes of a row are its name and
 * a blank. A row whose name the file does not have is not compared. */
struct golden_rows {
    const char *path;
    FILE *out;        /* the file that is written again; NULL: rows are compared */
    char *text;       /* all text of the file */
    const char *next; /* the line after the one found last, where the search for the next row begins */
    size_t n, known;
};

static inline struct golden_rows golden_rows_open(const char *path)
{
    struct golden_rows g = {.path = path};
    const bool bless = getenv("IBPROOF_BLESS") != NULL;
    FILE *f = fopen(path, bless ? "w" : "r");

    cr_assert(f != NULL, "%s: cannot be opened", path);
    if (bless) {
        g.out = f;
        return g;
    }
    g.next = g.text = calloc(1, GOLDEN_BYTES);
    cr_assert(g.text != NULL);
    cr_assert_lt(fread(g.text, 1, GOLDEN_BYTES - 1, f), GOLDEN_BYTES - 1, "%s is too long", path);
    (void)fclose(f);
    return g;
}

static inline void golden_row(struct golden_rows *g, const char *row, size_t head)
{
    const size_t n = strlen(row);

    g->n++;
    if (g->out) {
        (void)fprintf(g->out, "%s\n", row);
        return;
    }
    for (unsigned turn = 0; turn < 2; turn++, g->next = g->text)
        for (const char *at = g->next; at && *at; at = strchr(at, '\n'), at += at != NULL) {
            if (strncmp(at, row, head) != 0)
                continue;
            cr_expect(strncmp(at, row, n) == 0 && at[n] == '\n', "not as before: %s", row);
            g->known++;
            g->next = at + strcspn(at, "\n");
            g->next += *g->next == '\n';
            return;
        }
}

static inline void golden_rows_close(struct golden_rows *g, unsigned least_percent)
{
    cr_expect(g->out || 100 * g->known >= least_percent * g->n, "%s knows only %zu of %zu rows: renew it", g->path,
              g->known, g->n);
    if (g->out)
        cr_assert_eq(fclose(g->out), 0);
    free(g->text);
}

/* Continues the FNV-1a hash `hash` with these bytes. The hash of no bytes is GOLDEN_EMPTY. */
#define GOLDEN_EMPTY UINT64_C(0xcbf29ce484222325)
static inline uint64_t golden_digest(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}
static inline uint64_t golden_number(uint64_t hash, uint64_t value)
{
    return golden_digest(hash, &value, sizeof value); /* the digest holds for little-endian machines */
}
static inline uint64_t golden_text(uint64_t hash, const char *text)
{
    return golden_digest(hash, text, strlen(text));
}
static inline uint64_t golden_file(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *f = fopen(path, "r");

    cr_assert(f != NULL, "%s", path);
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    (void)fclose(f);
    return golden_digest(GOLDEN_EMPTY, bytes, n);
}
/* Returns 32 bits of a digest for a row: eight hexadecimal digits suffice to notice a change. */
static inline uint32_t golden_short(uint64_t digest)
{
    return (uint32_t)(digest ^ digest >> 32);
}
#endif
