/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what memory does. */
#include "deviations_memory.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_mem_behaviours, "memory", IBA_MEM_BEHAVIOURS)
