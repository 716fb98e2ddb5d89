/* SPDX-License-Identifier: BSD-2-Clause */
/* Preloaded into tests that are built with -finstrument-functions: writes down, once a process, each function that
 * runs, as "module offset", into the file that MUTATE_REACH names. tools/mutate then asks about a mutant only tests
 * that reach it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SEEN = 1 << 16 };
static void *seen[SEEN]; /* by address, open addressing; when it is full the rest is written more than once */
static _Thread_local int busy;

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static int is_new(void *function)
{
    unsigned at = (unsigned)((uintptr_t)function >> 4) % SEEN;

    for (unsigned i = 0; i < 64; i++, at = (at + 1) % SEEN) {
        if (seen[at] == function)
            return 0;
        if (!seen[at]) {
            seen[at] = function;
            return 1;
        }
    }
    return 1;
}

void __cyg_profile_func_enter(void *function, void *site)
{
    const char *path;
    char line[4096];
    Dl_info info;

    (void)site;
    if (busy || !is_new(function))
        return;
    busy = 1;
    path = getenv("MUTATE_REACH");
    if (path && dladdr(function, &info) && info.dli_fname) {
        const int n = snprintf(line, sizeof line, "%s %lx\n", info.dli_fname,
                               (unsigned long)((uintptr_t)function - (uintptr_t)info.dli_fbase));
        const int fd =
            n > 0 && (size_t)n < sizeof line ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
        if (fd >= 0) {
            if (write(fd, line, (size_t)n) != n)
                seen[(unsigned)((uintptr_t)function >> 4) % SEEN] = NULL; /* again at its next call */
            close(fd);
        }
    }
    busy = 0;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
}
