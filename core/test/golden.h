/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that pin what the code does, line by line, in a file: nothing of it can change without somebody who means it.
 * Such a test does not know what is right. After an intended change, check the lines that differ, and renew the file:
 * run the test with IBPROOF_BLESS=1, or build the target "bless". */
#ifndef IBA_TEST_GOLDEN_H
#define IBA_TEST_GOLDEN_H
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_LINE = 4096, GOLDEN_SHOWN = 20 };
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

/* FNV-1a, going on from `hash`; it begins with GOLDEN_EMPTY. */
#define GOLDEN_EMPTY UINT64_C(0xcbf29ce484222325)
static inline uint64_t golden_digest(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}
static inline uint64_t golden_number(uint64_t hash, uint64_t value)
{
    return golden_digest(hash, &value, sizeof value); /* little-endian machines, as all that this is tested on */
}
#endif
