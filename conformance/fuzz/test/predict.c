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

/* A message of a connection manager has only whole fields, whatever the room is: a field begins only if there is room
 * for 60 letters, more than any field has. */
Test(predict, messages_have_whole_fields)
{
    static struct predicting f;
    struct ibc_object o = {.name = "c"};
    const struct run_live c = {.o = &o, .kind = IBC_O_cm, .id = {0, 1}, .peer = 2};
    uint8_t mad[IBA_MAD_BYTES];
    char whole[2000], part[2000];

    memset(mad, 0xff, sizeof mad);
    iba_madhdr_set_attributeid(mad, IBA_CM_ID_REQ);
    const size_t n = predict_cm_message(whole, sizeof whole, &f, &c, mad, false);
    cr_assert(n == strlen(whole) && n > 200, "%s", whole);
    for (size_t room = 100; room < n + 100; room++) {
        memset(part, '#', sizeof part);
        const size_t used = predict_cm_message(part, room, &f, &c, mad, false);
        cr_assert(used < room && part[used] == '\0' && part[room] == '#', "%zu letters of %zu", used, room);
        cr_expect(strncmp(part, whole, used) == 0 && strchr(" ", whole[used]), "%zu: %s", room, part);
        cr_expect(used + 61 > room || used == n, "%zu letters of %zu: another field has room", used, room);
        cr_expect((size_t)(strrchr(part, ' ') - part) + 60 < room, "%zu: %s", room, part);
    }
}
