/* SPDX-License-Identifier: BSD-2-Clause */
/* A player of a scenario, for functions of the runner that are called alone. Its target has a clock and no other
 * operation; a test sets those that it needs in `ops`. */
#ifndef RUN_TEST_PLAYER_H
#define RUN_TEST_PLAYER_H
#include <stdlib.h>
#include "cases.h"
#include "run/fabric.h"

#define NUMBER(is)                                                                                                     \
    {                                                                                                                  \
        .kind = IBC_V_NUMBER, .n = (is), .mask = UINT64_MAX                                                            \
    }

static struct run_player *p;
static struct ibc_target target;
static struct ibc_target_ops ops;
static uint64_t clock_ns;

static uint64_t now(struct ibc_target *t)
{
    (void)t;
    return clock_ns;
}

static void player_begin(void)
{
    p = calloc(1, sizeof *p);
    cr_assert_not_null(p);
    ops = (struct ibc_target_ops){.now = now};
    target = (struct ibc_target){.ops = &ops};
    p->t = &target;
}

static void player_end(void)
{
    free(p);
}
#endif
