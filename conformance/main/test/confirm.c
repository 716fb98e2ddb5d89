/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdicts of several plays, row by row: a letter for each play, and the verdict after the last; AGAIN after each
 * before. */
#include <criterion/criterion.h>
#include <string.h>
#include "main/confirm.h"

static const char letters[] = "golbdpf"; /* by enum play_kind */

static const struct {
    const char *plays;
    enum confirm is;
} rows[] = {
    {"g", CONFIRM_STANDS},    {"f", CONFIRM_STANDS},    {"p", CONFIRM_STANDS},
    {"bf", CONFIRM_STANDS},   {"bp", CONFIRM_STANDS},   {"bb", CONFIRM_STANDS},
    {"bgb", CONFIRM_STANDS},  {"bgg", CONFIRM_NOTED},   {"dd", CONFIRM_STANDS},
    {"dgd", CONFIRM_STANDS},  {"dgg", CONFIRM_OPEN},    {"dbd", CONFIRM_STANDS},
    {"dbb", CONFIRM_STANDS},  {"df", CONFIRM_STANDS},   {"og", CONFIRM_STANDS},
    {"oog", CONFIRM_STANDS},  {"ooo", CONFIRM_STANDS},  {"bob", CONFIRM_STANDS},
    {"obgb", CONFIRM_STANDS}, {"bogog", CONFIRM_NOTED}, {"boooo", CONFIRM_OPEN},
    {"bogoo", CONFIRM_OPEN},  {"lg", CONFIRM_NOTED},    {"lllll", CONFIRM_STANDS},
    {"llllg", CONFIRM_NOTED}, {"lbb", CONFIRM_STANDS},  {"lblll", CONFIRM_OPEN},
    {"lbgg", CONFIRM_NOTED},  {"dogoo", CONFIRM_OPEN},  {"ooob", CONFIRM_STANDS} /* ends with its third letter */,
};

Test(confirm, rows)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plays p = {{0}};
        const char *at = rows[i].plays;
        enum confirm is = CONFIRM_AGAIN;
        for (; *at && is == CONFIRM_AGAIN; at++) {
            p.n[strchr(letters, *at) - letters]++;
            is = confirm(&p);
        }
        cr_expect_eq(is, rows[i].is, "%s: %d", rows[i].plays, (int)is);
        cr_expect(*at == '\0' || strcmp(rows[i].plays, "ooob") == 0, "%s ends at %s", rows[i].plays, at);
    }
}

/* Any series of plays ends. */
Test(confirm, ends)
{
    for (unsigned seed = 0; seed < 7 * 7 * 7 * 7 * 7; seed++) {
        struct plays p = {{0}};
        unsigned n = 0, left = seed;
        enum confirm is = CONFIRM_AGAIN;
        for (; n < 5 && is == CONFIRM_AGAIN; n++, left /= 7) {
            p.n[left % 7]++;
            is = confirm(&p);
        }
        cr_assert_neq(is, CONFIRM_AGAIN, "%u", seed);
    }
}
