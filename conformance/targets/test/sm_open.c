/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets of subnet managers are opened by their names: programs, spoiled managers, the library that a program
 * preloads, and names that are refused in one line. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../sm.h"
#include "../sm_inside.h"
#include "held.h"

#define NO_LIBRARY "libumad2sim (Debian: package libumad2sim0)"

static char err[400];

/* Opens a target. NULL: this machine does not have libumad2sim, and the error says so. */
static struct sm *opened(const char *spec)
{
    glob_t g;
    const bool has = glob("/usr/lib/*/umad2sim/libumad2sim.so", 0, NULL, &g) == 0 ||
                     glob("/usr/lib*/umad2sim/libumad2sim.so", 0, NULL, &g) == 0;
    struct ibc_target *t = ibc_sm_open(spec, err, sizeof err);

    cr_assert_eq(t != NULL, has, "%s: %s", spec, err);
    if (has)
        globfree(&g);
    else
        cr_assert(strstr(err, NO_LIBRARY), "%s", err);
    return t ? sm_of(t) : NULL;
}

static void refused(const char *spec, const char *says)
{
    struct ibc_target *t = ibc_sm_open(spec, err, sizeof err);

    cr_expect_null(t, "%.40s", spec);
    cr_expect_str_eq(err, says, "%s", err);
}

Test(sm_open, names_of_managers)
{
    cr_expect(ibc_sm_is("sm:opensm"));
    cr_expect(ibc_sm_is("spoiled:one-lid:opensm"));
    cr_expect_not(ibc_sm_is("sm"));
    cr_expect_not(ibc_sm_is("spoiled"));
    cr_expect_not(ibc_sm_is("reference"));
    cr_expect_not(ibc_sm_is("mutant:sm:x"));
}

Test(sm_open, a_manager)
{
    struct sm *s = opened("sm:sh -c true");
    struct ibc_counter c[IBC_MAX_COUNTERS];

    if (!s)
        return;
    struct ibc_target *t = &s->t;
    const struct ibc_target_ops *o = t->ops;
    cr_expect_str_eq(s->command, "sh -c true");
    cr_expect(!s->own && s->spoil.row == NULL);
    cr_expect(strstr(s->shim, "/libumad2sim.so") != NULL, "%s", s->shim);
    cr_expect_str_eq(o->name, "sm");
    cr_expect_eq(o->capabilities(t), UINT64_C(1) << IBC_CAP_sm);
    cr_expect_eq(o->links(t), 1u << IBC_LINK_ib_local);
    cr_expect_eq(t->framing, IBA_LINK_IB);
    cr_expect_eq(o->counters(t, 0, c), 0);
    cr_expect_eq(o->lost(t), 0);
    cr_expect_lt(o->now(t), UINT64_C(60000000000), "its clock begins when it is opened");
    (void)usleep(20000);
    const uint64_t before = o->now(t);
    cr_expect_geq(before, UINT64_C(20000000));
    cr_expect_eq(o->reset(t, IBC_LINK_ib_local, 1), IBC_OK);
    (void)usleep(1000);
    cr_expect(o->now(t) > 0 && o->now(t) < before + UINT64_C(60000000000), "and again with each reset");
    o->close(t);
}

Test(sm_open, spoiled_managers)
{
    for (size_t i = 0; i < sm_spoil_count; i++) {
        char spec[200];
        (void)snprintf(spec, sizeof spec, "spoiled:%s:sh -c 'a:b'", sm_spoils[i].name);
        struct sm *s = opened(spec);
        if (!s)
            return;
        cr_expect_eq(s->spoil.row, &sm_spoils[i], "%s", spec);
        cr_expect_str_eq(s->command, "sh -c 'a:b'");
        s->t.ops->close(&s->t);
    }
    refused("spoiled:one-lidd:sh", "spoiled:one-lidd:sh: want spoiled:ROW:COMMAND, and ROW of docs/tables/spoiled.md; "
                                   "did you mean one-lid?");
    refused("spoiled:one-lid", "spoiled:one-lid: want spoiled:ROW:COMMAND, and ROW of docs/tables/spoiled.md");
    refused("spoiled:", "spoiled:: want spoiled:ROW:COMMAND, and ROW of docs/tables/spoiled.md");
    refused("spoiled:a-name-that-is-much-longer-than-the-name-of-any-row-and-longer-than-sixty-four-bytes:sh",
            "spoiled:a-name-that-is-much-longer-than-the-name-of-any-row-and-longer-than-sixty-four-bytes:sh: want "
            "spoiled:ROW:COMMAND, and ROW of docs/tables/spoiled.md");
}

Test(sm_open, programs_that_cannot_be_started)
{
    char longest[SM_COMMAND + 8] = "sm:sh ";

    refused("sm:no-such-program -v", "sm:no-such-program -v: there is no such program (Debian: package opensm)");
    refused("sm:", "sm:: there is no such program (Debian: package opensm)");
    refused("sm:umad:no-such-program", "sm:umad:no-such-program: there is no such program (Debian: package opensm)");
    refused("sm:umad:sh", "sm:umad:sh: there is no libibfabric-umad.so beside ibconform, nor in lib/ibproof");
    memset(longest + 6, 'x', SM_COMMAND - 3);
    refused(longest, "sm:sh xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: longer than 1023 bytes");
    longest[SM_COMMAND + 2] = '\0'; /* one byte fewer */
    struct sm *s = opened(longest);
    if (s) {
        cr_expect_str_eq(s->command, longest + 3);
        s->t.ops->close(&s->t);
    }
}

/* A target gives all memory back, and one that cannot be opened takes none. */
Test(sm_open, nothing_stays)
{
    static const char *const specs[] = {"sm:sh", "sm:no-such-program", "spoiled:one-lidd:sh", "sm:umad:sh"};
    size_t held[HELD_ROUNDS];

    for (unsigned i = 0; i < HELD_ROUNDS; i++) {
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            struct ibc_target *t = ibc_sm_open(specs[k], err, sizeof err);
            if (t)
                t->ops->close(t);
        }
        held[i] = held_bytes();
    }
    held_the_same(held);
}

/* ---- the library of our own ---- */

/* Plays this test in a copy of its program, with the library at that place, and without the environment that makes a
 * program a worker of Criterion. */
static void with_library_at(const char *folder, const char *place, const char *makes)
{
    char command[1200];

    (void)snprintf(command, sizeof command,
                   "cd %s && mkdir -p bin %s && cp /proc/%ld/exe bin/test && : >%s/libibfabric-umad.so && "
                   "env -i IBPROOF_LIBRARY=%s/%s/libibfabric-umad.so bin/test --filter sm_open/a_library_of_our_own "
                   ">out 2>&1 || { cat out; exit 1; }; rm -rf bin lib out",
                   folder, makes, (long)getpid(), makes, folder, place);
    cr_expect_eq(system(command), 0, "%s", place);
}

Test(sm_open, a_library_of_our_own)
{
    const char *const wanted = getenv("IBPROOF_LIBRARY");
    char folder[] = P_tmpdir "/library-XXXXXX";

    if (wanted) {
        struct ibc_target *t = ibc_sm_open("sm:umad:sh -c true", err, sizeof err);
        cr_assert_not_null(t, "%s", err);
        cr_expect(sm_of(t)->own);
        cr_expect_str_eq(sm_of(t)->shim, wanted, "%s", sm_of(t)->shim);
        cr_expect_str_eq(sm_of(t)->command, "sh -c true");
        t->ops->close(t);
        return;
    }
    cr_assert_not_null(mkdtemp(folder));
    with_library_at(folder, "bin", "bin");
    with_library_at(folder, "bin/../lib/ibproof", "lib/ibproof");
    with_library_at(folder, "bin/../lib/x86_64-linux-gnu/ibproof", "lib/x86_64-linux-gnu/ibproof");
    cr_expect_eq(rmdir(folder), 0);
}
