/* SPDX-License-Identifier: BSD-2-Clause */
/* What broken devices do at each point, as a table. */
#include "transport/deviations.h"

const struct iba_deviations iba_deviations = {
#define ENTRY(returns, name, arguments) .name = iba_deviate_##name,
    IBA_POINTS(ENTRY)};
