/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that gives the reason, and who reads the standard output. */
#include "main/fault.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "parts.h"

static int says(int code, const char *text)
{
    parts_listen();
    const int is = wrong(code, "%s: %d", text, 7);
    parts_hear();
    return is;
}

Test(fault, sentences)
{
    char name[301] = "", want[320];

    cr_expect_str_eq(wrong_last(), "");
    cr_expect_eq(says(EXIT_USAGE, "x"), EXIT_USAGE);
    cr_expect_str_eq(parts_said, "ibconform: x: 7\n");
    cr_expect_str_eq(wrong_last(), "x: 7");
    memset(name, 'y', sizeof name - 1);
    snprintf(want, sizeof want, "ibconform: %s: 7\n", name);
    cr_expect_eq(says(EXIT_HARNESS, name), EXIT_HARNESS);
    cr_expect_str_eq(parts_said, want);
    cr_expect_eq(strlen(wrong_last()), 159, "the last sentence is kept up to a limit");
    cr_expect_eq(says(EXIT_OK, ""), EXIT_OK);
    cr_expect_str_eq(wrong_last(), ": 7");
}

/* Makes the descriptor the standard output. */
static bool left(int fd)
{
    const int own = dup(1);

    (void)fflush(stdout);
    cr_assert(own >= 0 && dup2(fd, 1) == 1);
    const bool is = reader_left();
    cr_assert_eq(dup2(own, 1), 1);
    (void)close(own);
    return is;
}

Test(fault, readers)
{
    int end[2];
    FILE *f = tmpfile();
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    cr_assert(f && null >= 0 && pipe(end) == 0);
    cr_expect_not(left(end[1]), "it may still read");
    cr_expect_not(left(null));
    cr_expect_not(left(fileno(f)));
    (void)close(end[0]);
    cr_expect(left(end[1]));
    (void)close(end[1]);
    (void)close(null);
    (void)fclose(f);
}
