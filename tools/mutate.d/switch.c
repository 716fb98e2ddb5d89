/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of every program and library of the builds of tools/mutate: knows which mutant is on, and records which
 * mutants a test reaches.
 *
 * Their sources contain many mutants at once, each with a number (switched.py). MUTATE=N turns number N on; without it
 * all are off. MUTATE_SEEN=FILE turns none on, and sets byte N of FILE to 1 where number N would have had an effect:
 * tools/mutate then asks about a mutant only tests that reach it. A test may start a program with another
 * environment: then both variables are those of the nearest ancestor process that has one of them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ENVIRONMENT = 1 << 17, PATH = 4096, NUMBERS = 1 << 20, SEEN = -1 };

int mutate_active; /* 0: no mutant; SEEN: no mutant, but reached numbers are recorded */
static unsigned char *seen;

void mutate_seen(unsigned number);

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

static void write_into(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0)
        return;
    if (ftruncate(fd, NUMBERS) == 0) {
        void *const map = mmap(NULL, NUMBERS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED) {
            seen = map;
            mutate_active = SEEN;
        }
    }
    close(fd);
}

__attribute__((constructor(101))) static void find_number(void)
{
    static const char on[] = "MUTATE=", file[] = "MUTATE_SEEN=";
    static char environment[ENVIRONMENT];

    for (pid_t process = getpid(); process > 1; process = parent_of(process)) {
        const size_t n = bytes_of(process, "environ", environment, sizeof environment);
        for (const char *entry = environment; entry < environment + n; entry += strlen(entry) + 1) {
            if (strncmp(entry, on, sizeof on - 1) == 0) {
                mutate_active = atoi(entry + sizeof on - 1);
                return;
            }
            if (strncmp(entry, file, sizeof file - 1) == 0) {
                write_into(entry + sizeof file - 1);
                return;
            }
        }
    }
}

void mutate_seen(unsigned number)
{
    if (seen && number < NUMBERS)
        seen[number] = 1;
}
