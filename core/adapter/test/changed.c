/* SPDX-License-Identifier: BSD-2-Clause */
/* Every row of the lists of memory, ports, verbs and receivers, changed in every possible way: random events on two
 * such devices do no harm to their host. IBPROOF_STEPS sets the number of steps for each. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chaos.h"
#include "fabric/deviations_port.h"
#include "memory/deviations_memory.h"
#include "transport/deviations_qp.h"
#include "transport/deviations_receiver.h"

#define LIST(list) &(list),
static const struct iba_behaviours *const lists[] = {IBA_MEM_LISTS(LIST) IBA_PORT_LISTS(LIST) IBA_QP_LISTS(LIST)
                                                         IBA_RECEIVE_LISTS(LIST)};
enum { N_LISTS = sizeof lists / sizeof *lists, STEPS = 600, CHECK_EVERY = 50 };

static uint64_t steps(void)
{
    const char *s = getenv("IBPROOF_STEPS");
    return s ? strtoull(s, NULL, 10) : STEPS;
}

static uint64_t world(uint64_t seed, uint64_t n, const struct iba_change *change)
{
    struct chaos *c = chaos_open(seed);
    uint64_t h;

    for (unsigned i = 0; i < 2; i++)
        iba_ca_change(&c->end[i].ca, change);
    for (uint64_t i = 0; i < n; i++) {
        chaos_step(c);
        if (i % CHECK_EVERY == 0)
            chaos_check_lent(c);
    }
    chaos_check_lent(c);
    h = c->hash;
    chaos_close(c);
    return h;
}

Test(changed, no_row_harms_the_host)
{
    uint64_t seed = 0;

    for (unsigned l = 0; l < N_LISTS; l++)
        for (uint16_t row = 0; row < lists[l]->n; row++)
            for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++) {
                const struct iba_change c = {.list = lists[l], .row = row, .kind = (uint8_t)kind};
                if (!(lists[l]->row[row].kinds >> kind & 1))
                    continue;
                (void)setenv("IBPROOF_AT_ROW", lists[l]->row[row].name, 1); /* for the reader of a core dump */
                if (getenv("IBPROOF_VERBOSE"))
                    fprintf(stderr, "%s: %s\n", lists[l]->name, lists[l]->row[row].name);
                (void)world(seed++, steps(), &c);
            }
}

enum { SEEDS = 40 };
static uint64_t whole[SEEDS];

static bool is_another(const struct iba_change *c)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        if (world(seed, 8000, c) != whole[seed])
            return true;
    return false;
}

/* Returns whether the random events cannot show a change of this row: only other addresses (a LID mask) show it, or a
 * region that is removed at the wrong time. The lists of ports and of verbs have tests of their own. */
static bool is_out_of_reach(const char *name)
{
    return strcmp(name, "UD_PATH_BITS") == 0 || strcmp(name, "READ_LOST") == 0 || strcmp(name, "NEW_PATH") == 0;
}

/* A change to an unused row leaves a device unchanged: it behaves like one without a change. */
Test(changed, a_row_makes_another_device)
{
    static const struct iba_behaviours *const shown[] = {&iba_state_behaviours, &iba_event_behaviours,
                                                         &iba_receive_behaviours, &iba_respond_behaviours};
    const struct iba_change nobodys = {.list = &iba_port_behaviours, .row = IBA_ROW_port_COUNT};

    for (uint64_t seed = 0; seed < SEEDS; seed++)
        whole[seed] = world(seed, 8000, NULL);
    cr_assert_not(is_another(&nobodys));
    for (unsigned l = 0; l < sizeof shown / sizeof *shown; l++)
        for (uint16_t row = 0; row < shown[l]->n; row++)
            for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++) {
                const struct iba_change c = {.list = shown[l], .row = row, .kind = (uint8_t)kind};
                const struct iba_behaviour *r = &shown[l]->row[row];
                if (!(r->kinds >> kind & 1) || is_out_of_reach(r->name))
                    continue;
                cr_expect(is_another(&c), "%s: %s, kind %u", shown[l]->name, r->name, kind);
            }
}

Test(changed, a_row_says_what_it_is)
{
    unsigned n = 0;

    for (unsigned l = 0; l < N_LISTS; l++)
        for (unsigned i = 0; i < lists[l]->n; i++, n++) {
            const struct iba_behaviour *r = &lists[l]->row[i];
            cr_assert(r->name && *r->name && r->sentence && *r->sentence && r->clause && strchr(r->clause, '-'),
                      "behaviour %u of %s lacks its name, sentence or clause", i, lists[l]->name);
            cr_assert(r->kinds != 0 && r->kinds < 1 << (IBA_CHANGE_OTHER + 1), "behaviour %s of %s names no change",
                      r->name, lists[l]->name);
            cr_assert(!(r->kinds >> IBA_CHANGE_SWAP & 1) || i + 1 < lists[l]->n,
                      "behaviour %s of %s is the last, and has none to be swapped with", r->name, lists[l]->name);
        }
    cr_assert_gt(n, 300, "%u rows", n);
}

Test(changed, no_two_rows_of_a_list_share_a_name)
{
    for (unsigned l = 0; l < N_LISTS; l++)
        for (unsigned i = 0; i < lists[l]->n; i++)
            for (unsigned k = 0; k < i; k++)
                cr_assert_str_neq(lists[l]->row[i].name, lists[l]->row[k].name, "in %s", lists[l]->name);
}
