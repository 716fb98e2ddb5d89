/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what memory does. */
#include "iba_mem_does.h"
#include "wire/iba_does.h"

IBA_BEHAVIOURS(iba_mem_behaviours, "memory", IBA_MEM_DOES)
