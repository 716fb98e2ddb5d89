/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of progress on a terminal. */
#include "main/progress.h"
#include <criterion/criterion.h>
#include <string.h>
#include "parts.h"

enum { MS = 1000000 };

/* At most one line in 100 ms: how many cases are done, the time that the others take if they are as long, and a name of
 * 80 characters at most. */
Test(progress, on_a_terminal)
{
    char name[100];
    struct progress p;

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    parts_terminal = true;
    parts_listen();
    (void)parts_clock(UINT64_C(10000) * MS);
    progress_begin(&p, 40);
    (void)parts_clock(UINT64_C(10050) * MS);
    progress_step(&p, "area.one");
    (void)parts_clock(UINT64_C(10149) * MS);
    progress_step(&p, "area.two");
    (void)parts_clock(UINT64_C(10150) * MS);
    progress_step(&p, NULL);
    (void)parts_clock(UINT64_C(12400) * MS);
    progress_step(&p, name);
    progress_end(&p);
    progress_step(&p, "area.two");
    progress_end(&p);
    (void)parts_clock(0);
    parts_hear();
    parts_terminal = false;
    cr_expect_str_eq(parts_said,
                     "\r1 of 40, 2 s to go  area.one\033[K\r3 of 40, 2 s to go\033[K\r4 of 40, 22 s to go  "
                     "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn[K\r\033[K",
                     "%s", parts_said);
    cr_expect_eq(p.done, 5);
}

Test(progress, on_none)
{
    struct progress p;

    parts_listen();
    progress_begin(&p, 40);
    progress_step(&p, "area.one");
    progress_end(&p);
    parts_hear();
    cr_expect_str_eq(parts_said, "");
    cr_expect_eq(p.done, 1);
}

Test(progress, clock)
{
    (void)parts_clock(UINT64_C(3000000007));
    cr_expect_eq(wall_ns(), UINT64_C(3000000007));
    (void)parts_clock(0);
}
