/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers that wait: each place in the table has its time, and its owner. */
#include "mad_rmpp.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "mads_bed.h"

TestSuite(mad_rmpp, .init = begin, .fini = end);

static void fill(void)
{
    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        w.l.transfer[i] = (struct mad_transfer){
            .used = true, .whole = true, .open = (uint8_t)(i % 3), .agent = (uint8_t)(i / 3 % 2), .due = 5000 + i};
}

static unsigned used(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        n += w.l.transfer[i].used;
    return n;
}

/* The layer acts when the time of any of them has come, and not before. */
Test(mad_rmpp, times)
{
    cr_expect_eq(mad_rmpp_deadline(&w.l), IBA_NEVER);
    w.l.transfer[7].due = 10; /* of one that is over */
    cr_expect_eq(mad_rmpp_deadline(&w.l), IBA_NEVER);
    for (unsigned i = 0; i < MAD_TRANSFERS; i++) {
        fill();
        w.l.transfer[i].due = 4000;
        cr_expect(mad_rmpp_deadline(&w.l) == 4000 && mad_layer_deadline(&w.l) == 4000, "place %u", i);
        w.l.transfer[i].due = subnet_now(w.s) + 1;
        mad_rmpp_advance(&w.l);
        cr_expect_eq(used(), MAD_TRANSFERS, "place %u", i);
        w.l.transfer[i].due = subnet_now(w.s);
        mad_rmpp_advance(&w.l);
        cr_expect(used() == MAD_TRANSFERS - 1 && !w.l.transfer[i].used, "place %u", i);
    }
}

/* A program that leaves takes its own transfers with it. */
Test(mad_rmpp, owners)
{
    for (unsigned open = 0; open < 3; open++)
        for (unsigned agent = 0; agent < 2; agent++) {
            fill();
            mad_rmpp_forget(&w.l, open, agent);
            for (unsigned i = 0; i < MAD_TRANSFERS; i++)
                cr_expect_eq(w.l.transfer[i].used, i % 3 != open || i / 3 % 2 != agent, "place %u", i);
        }
    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        w.l.transfer[i] = (struct mad_transfer){.used = false};
}
