/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that lines give to packets and paces. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "player.h"

TestSuite(name, .init = player_begin, .fini = player_end);

static void remember(const char *name, const struct run_packet *k, unsigned n)
{
    const struct ibc_arg as = {.key = IBC_K_as, .n = 1, .v = {{.kind = IBC_V_WORD, .text = name}}};
    const struct ibc_step s = {.arg = &as, .n_arg = name ? 1 : 0};

    if (n)
        run_remember_pace(p, &s, k, (struct run_pace){n, n + 1, n + 2});
    else
        run_remember(p, &s, k);
}

Test(name, packets_and_paces)
{
    static struct run_packet k[3];

    cr_expect(run_recall(p, "a") == NULL && run_pace(p, "a").n == 0);
    remember(NULL, &k[0], 0);
    cr_expect_eq(p->n_name, 0, "a line without as=");
    remember("a", &k[0], 0);
    remember("b", &k[1], 7);
    remember("ab", &k[2], 0);
    cr_expect(run_recall(p, "a") == &k[0] && run_recall(p, "b") == &k[1] && run_recall(p, "ab") == &k[2]);
    cr_expect(run_recall(p, "") == NULL && run_recall(p, "c") == NULL);
    cr_expect(run_pace(p, "a").n == 0 && run_pace(p, "c").n == 0);
    cr_expect(run_pace(p, "b").n == 7 && run_pace(p, "b").took == 8 && run_pace(p, "b").longest == 9);
    remember("a", &k[2], 5); /* again */
    cr_expect(run_recall(p, "a") == &k[2] && run_pace(p, "a").n == 5 && p->n_name == 3);
    cr_expect(run_recall(p, "b") == &k[1] && run_pace(p, "b").n == 7, "others stay");
}

/* Names beyond the last place are forgotten. A name that is there already needs no other place. */
Test(name, as_many_as_there_is_room_for)
{
    static struct run_packet k[RUN_MAX_NAMES + 1];
    static char names[RUN_MAX_NAMES + 1][8];

    for (unsigned i = 0; i <= RUN_MAX_NAMES; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%u", i);
        remember(names[i], &k[i], i + 1);
        cr_expect_eq(p->n_name, i < RUN_MAX_NAMES ? i + 1 : RUN_MAX_NAMES);
    }
    for (unsigned i = 0; i <= RUN_MAX_NAMES; i++) {
        cr_expect_eq(run_recall(p, names[i]), i < RUN_MAX_NAMES ? &k[i] : NULL, "name %u", i);
        cr_expect_eq(run_pace(p, names[i]).n, i < RUN_MAX_NAMES ? i + 1 : 0, "name %u", i);
    }
    remember(names[RUN_MAX_NAMES - 1], &k[0], 0);
    cr_expect(run_recall(p, names[RUN_MAX_NAMES - 1]) == &k[0] && p->n_name == RUN_MAX_NAMES);
}
