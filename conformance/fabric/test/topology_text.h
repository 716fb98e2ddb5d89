/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBF_TEST_TOPOLOGY_TEXT_H
#define IBF_TEST_TOPOLOGY_TEXT_H
#include "topology.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reads a text in the form of ibnetdiscover's output. The caller owns the result: topology_free(). */
static inline struct topology *topology_of(const char *text)
{
    const int fd = memfd_create("topology", 0);
    char path[64], err[TOPOLOGY_ERROR] = "";
    struct topology *t;

    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    t = topology_read(path, err);
    (void)close(fd);
    cr_assert_not_null(t, "%s", err);
    return t;
}

#endif
