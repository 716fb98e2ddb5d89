/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYSTEM_TEST_LARGE_H
#define SYSTEM_TEST_LARGE_H
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Returns whether the mapping of this address asks for huge pages, which flag "hg" in /proc/self/smaps shows. */
static inline bool is_large(const void *at)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false, large = false;

    cr_assert_not_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (uintptr_t)at >= from && (uintptr_t)at < to;
        large |= inside && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") != NULL;
    }
    fclose(f);
    return large;
}

#endif
