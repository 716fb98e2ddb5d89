/* SPDX-License-Identifier: BSD-2-Clause */
/* The change from each verdict to each other. */
#include "main/difference.h"
#include <criterion/criterion.h>

/* must[a][b] is the letter of the difference between verdict a in the old report (row) and verdict b in the new one
 * (column); the letters have the order of the columns. The verdicts have the order of IBC_VERDICTS, and "not in the
 * report" comes last. */
static const char letters[] = "=FdsjepJno"; /* in the order of IBC_DIFFERENCES */
/* clang-format off */
static const char *const must[IBC_IS_COUNT + 1] = {
    /* new: P T I D F E i N U X x - */
    /* PASS */           "=djdFj=jjd=o",
    /* TOLERATED */      "p=j=Fjpjj=po",
    /* INCONCLUSIVE */   "JJ=JF=J==JJo",
    /* DEVIATES */       "p=j=Fjpjj=po",
    /* FAIL */           "peje=jpjjepo",
    /* ERROR */          "JJ=JF=J==JJo",
    /* INFO */           "=djdFj=jjd=o",
    /* NOT_APPLICABLE */ "JJ=JF=J==JJo",
    /* UNSUPPORTED */    "JJ=JF=J==JJo",
    /* XFAIL */          "p=j=Fjpjj=po",
    /* XPASS */          "=djdFj=jjd=o",
    /* not there */      "nnnnFnnnnnn=",
};
/* clang-format on */

Test(difference, of_every_pair_of_verdicts)
{
    for (int old = 0; old <= IBC_IS_COUNT; old++)
        for (int now = 0; now <= IBC_IS_COUNT; now++)
            cr_expect_eq(letters[difference_of((enum ibc_verdict)old, (enum ibc_verdict)now)], must[old][now],
                         "from verdict %d to %d", old, now);
}

Test(difference, has_a_name_of_its_own)
{
    for (int i = 0; i < DIFFERENCE_COUNT; i++)
        for (int k = 0; k < i; k++)
            cr_expect_str_neq(difference_names[i], difference_names[k]);
}

Test(difference, symptoms_belong_to_what_was_not_as_expected)
{
    for (int v = 0; v < IBC_IS_COUNT; v++)
        cr_expect_eq(difference_has_symptom((enum ibc_verdict)v),
                     v == IBC_IS_FAIL || v == IBC_IS_DEVIATES || v == IBC_IS_XFAIL || v == IBC_IS_TOLERATED, "%d", v);
}
