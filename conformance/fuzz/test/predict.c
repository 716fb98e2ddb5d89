/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's predictions of given sequences, compared as a whole with those of predictions.golden. */
#include "fuzz/predict.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bed.h"

enum { MOST = 2 * FUZZ_TEXT };

static void spell_out(const char *from, char to[MOST])
{
    size_t n = 0;

    while (*from) {
        const char *with = NULL;
        for (size_t i = 0; i < sizeof shorts / sizeof *shorts && !with; i++)
            if (strncmp(from, shorts[i].name, strlen(shorts[i].name)) == 0) {
                with = shorts[i].text;
                from += strlen(shorts[i].name);
            }
        cr_assert_lt(n + 200, MOST);
        if (with)
            n += (size_t)snprintf(to + n, MOST - n, "%s", with);
        else
            to[n++] = *from++;
    }
    to[n] = '\0';
}

/* Cuts the text up to the first empty line off, and returns it. */
static char *part(char **at)
{
    char *begin = *at, *end = strstr(begin, "\n\n");

    if (end)
        end[1] = '\0';
    *at = end ? end + 2 : begin + strlen(begin);
    return begin;
}

static void one(struct ibc_target *model, char *text)
{
    static struct fuzz_case c;
    static char is[FUZZ_TEXT], must[MOST];
    char err[256] = "", *at = text, *name;
    const unsigned long is_free = strtoul(text, &name, 16);

    at = strchr(at, '\n') + 1;
    at[-1] = '\0';
    c = (struct fuzz_case){.is_free = (uint32_t)is_free};
    snprintf(c.head, sizeof c.head, "title t\n%s", part(&at));
    for (char *line = strtok(part(&at), "\n"); line; line = strtok(NULL, "\n"))
        snprintf(c.input[c.n++], FUZZ_LINE, "%s", line);
    spell_out(part(&at), must);

    struct ibc_scenario *s = fuzz_predict(&c, model, is, err);
    cr_assert(s, "%s: %s", name, err);
    cr_assert_eq(strncmp(is, c.head, strlen(c.head)), 0, "%s: %s", name, is);
    cr_expect_str_eq(is + strlen(c.head), must, "%s:\n%s", name, is);
    ibc_free(s);
}

Test(predict, given_sequences)
{
    static char file[MOST];
    FILE *f = fopen(IBPROOF_SOURCE_DIR "/conformance/fuzz/test/predictions.golden", "r");
    char err[512];
    struct ibc_target *model = ibc_target_open("reference", err, sizeof err);
    unsigned n = 0;

    cr_assert(f && model);
    const size_t len = fread(file, 1, sizeof file - 1, f);
    file[len] = '\0';
    cr_assert(feof(f) && fclose(f) == 0);
    for (char *at = strstr(file, "\n== "), *next; at; at = next, n++) {
        next = strstr(at + 1, "\n== ");
        if (next)
            *next = '\0';
        one(model, at + strlen("\n== "));
    }
    cr_assert_gt(n, 50);
    ibc_target_close(model);
}

/* A payload is spelled out if its line stays below 925 letters: the longest time limits of a packet, " after=" and
 * " within=" with numbers of 20 digits, need 59 of the 990 that a line may have. Only names of the greatest length make
 * the line of 256 bytes so long: here the line of a datagram to a group, which a letter less in the group's name makes
 * a letter shorter. */
Test(predict, lines_have_room_for_time_limits)
{
    enum { LONGEST = 31, MOST_LETTERS = 924, OTHERS = 897 /* letters of the line without the group's name */ };
    static const char name[] = "a123456789012345678901234567890";
    static struct fuzz_case c = {.n = 1};
    static char text[FUZZ_TEXT];
    struct ibc_target *model = target("reference");
    char err[256] = "";

    for (int n = LONGEST - 8; n <= LONGEST; n++) {
        snprintf(c.head, sizeof c.head,
                 "title t\nspec UU-16\nrole both\nservice ud\nlink ib-local\ngroup g%.*s\nqp %s\n", n - 1, name, name);
        snprintf(c.input[0], FUZZ_LINE, "  %s post SEND_IMM imm=1 len=256 dest=g%.*s", name, n - 1, name);
        struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
        cr_assert(s, "%s", err);
        const char *line = strstr(text, "\n< ");
        cr_assert(line, "%s", text);
        const size_t letters = strcspn(line + 1, "\n"), spelled = OTHERS + (size_t)n;
        if (spelled <= MOST_LETTERS)
            cr_expect_eq(letters, spelled, "%d: %s", n, line);
        else
            cr_expect(strstr(line, " payload=256\n"), "%d: %s", n, line);
        ibc_free(s);
    }
    ibc_target_close(model);
}
