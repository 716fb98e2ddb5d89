/* SPDX-License-Identifier: BSD-2-Clause */
#include "parts.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

char parts_said[1 << 16];
bool parts_terminal;
static int to, out, err;
static uint64_t clock_ns, processor_ns, processor_step;
static char folder[200];

void parts_listen(void)
{
    to = memfd_create("said", MFD_CLOEXEC);
    out = dup(1);
    err = dup(2);
    (void)fflush(NULL);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    cr_assert(to >= 0 && dup2(to, 1) == 1 && dup2(to, 2) == 2);
}

void parts_hear(void)
{
    (void)fflush(NULL);
    cr_assert(dup2(out, 1) == 1 && dup2(err, 2) == 2);
    const ssize_t n = pread(to, parts_said, sizeof parts_said - 1, 0);
    parts_said[n > 0 ? n : 0] = '\0';
    (void)close(to);
    (void)close(out);
    (void)close(err);
}

uint64_t parts_clock(uint64_t ns)
{
    return clock_ns = ns;
}

void parts_processor(uint64_t ns)
{
    processor_ns = 0;
    processor_step = ns;
}

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    const bool processor = id == CLOCK_PROCESS_CPUTIME_ID && processor_step;

    if (!processor && (clock_ns == 0 || id != CLOCK_MONOTONIC))
        return __real_clock_gettime(id, t);
    processor_ns += processor ? processor_step : 0;
    const uint64_t ns = processor ? processor_ns : clock_ns;
    t->tv_sec = (time_t)(ns / 1000000000);
    t->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

int __wrap_isatty(int fd);
int __wrap_isatty(int fd)
{
    return fd >= 0 && parts_terminal;
}

const char *parts_folder(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%.150s/parts.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder));
    return folder;
}

void parts_remove(void)
{
    DIR *d = opendir(folder);
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            (void)remove(parts_file(e->d_name));
    (void)closedir(d);
    cr_expect_eq(rmdir(folder), 0);
}

const char *parts_file(const char *name)
{
    static char path[8][500];
    static unsigned next;
    char *at = path[next++ % 8];

    snprintf(at, sizeof path[0], "%s/%s", folder, name);
    return at;
}

const char *parts_write(const char *name, const char *text)
{
    const char *path = parts_file(name);
    FILE *f = fopen(path, "w");

    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

const char *parts_read(const char *name)
{
    static char text[1 << 16];
    FILE *f = fopen(parts_file(name), "r");

    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        (void)fclose(f);
    return text;
}
