/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the functions that the engine of a broken device calls at the points of deviations.h. */
#include "transport/deviations.h"

const struct iba_deviations iba_deviations = {
#define ENTRY(returns, name, arguments) .name = iba_deviate_##name,
    IBA_POINTS(ENTRY)};
