/* SPDX-License-Identifier: BSD-2-Clause */
/* Linked to tests and programs that are built with -finstrument-functions: writes down, once a process, each function
 * that runs, as "module offset", into the file that MUTATE_REACH names. tools/mutate then asks about a mutant only
 * tests that reach it. Tests that run a program may give it an environment of its own: then MUTATE_REACH is that of the
 * nearest ancestor that has it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEN = 1 << 16, ENVIRONMENT = 1 << 17, PATH = 4096 };
static char reach_file[PATH]; /* "": nobody asks */
static void *seen[SEEN];      /* by address, open addressing; when it is full the rest is written more than once */
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

/* The bytes of a file of /proc, ended by two zeros; 0: it cannot be read. */
static size_t bytes_of(pid_t process, const char *name, char *to, size_t room)
{
    char path[64];
    size_t n = 0;
    ssize_t got;

    (void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)process, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n + 2 < room && (got = read(fd, to + n, room - n - 2)) > 0)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    to[n] = to[n + 1] = '\0';
    return n;
}

static pid_t parent_of(pid_t process)
{
    char stat[1024];
    long parent = 0;
    const char *end;

    if (bytes_of(process, "stat", stat, sizeof stat) > 0 && (end = strrchr(stat, ')')))
        (void)sscanf(end, ") %*c %ld", &parent);
    return (pid_t)parent;
}

__attribute__((constructor)) static void find_file(void)
{
    static const char name[] = "MUTATE_REACH=";
    static char environment[ENVIRONMENT];

    for (pid_t process = getpid(); process > 1; process = parent_of(process)) {
        const size_t n = bytes_of(process, "environ", environment, sizeof environment);
        for (const char *entry = environment; entry < environment + n; entry += strlen(entry) + 1)
            if (strncmp(entry, name, sizeof name - 1) == 0) {
                (void)snprintf(reach_file, sizeof reach_file, "%s", entry + sizeof name - 1);
                return;
            }
    }
}

void __cyg_profile_func_enter(void *function, void *site)
{
    char line[4096];
    Dl_info info;

    (void)site;
    if (busy || !reach_file[0] || !is_new(function))
        return;
    busy = 1;
    if (dladdr(function, &info) && info.dli_fname) {
        const int n = snprintf(line, sizeof line, "%s %lx\n", info.dli_fname,
                               (unsigned long)((uintptr_t)function - (uintptr_t)info.dli_fbase));
        const int fd =
            n > 0 && (size_t)n < sizeof line ? open(reach_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
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
