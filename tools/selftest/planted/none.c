/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: no case at all; Criterion exits 0.
#include <criterion/criterion.h>

int planted_none(void);

int planted_none(void)
{
    return 0;
}
