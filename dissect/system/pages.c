/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/pages.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_large(void *table, size_t bytes)
{
#ifdef MADV_HUGEPAGE /* Linux */
    enum { LEAST = 4 << 20 };
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)table / page * page;

    if (bytes >= LEAST)
        (void)madvise((char *)table - ((uintptr_t)table - from), (uintptr_t)table + bytes - from, MADV_HUGEPAGE);
#else
    (void)table;
    (void)bytes;
#endif
}
