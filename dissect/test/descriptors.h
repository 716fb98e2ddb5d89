/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_TEST_DESCRIPTORS_H
#define DISSECT_TEST_DESCRIPTORS_H
#include <criterion/criterion.h>
#include <dirent.h>

/* Counts the open descriptors of the process. Each call counts three more: ".", "..", and the folder that it reads. */
static inline unsigned descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;

    cr_assert(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

#endif
