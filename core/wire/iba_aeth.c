/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_aeth.h"

#define UNITS(A, code, units, words) [code] = (units),
const uint32_t iba_rnr_timers_10us[IBA_SYNDROME_CODES] = {IBA_RNR_TIMERS(UNITS, )};

#define MESSAGES(A, code, messages) [code] = (messages),
const uint16_t iba_credits[IBA_SYNDROME_CODES] = {IBA_CREDITS(MESSAGES, )};
