/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters with Linux' names: those of the port, of the port's hardware, and of the device. */
#include "verbs_device.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 192, NUMBER = 32 };

/* Reads a counter. False: the file has no number. */
static bool read_number(int folder, const char *name, uint64_t *value)
{
    char text[NUMBER], *end;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    *value = strtoull(text, &end, 10);
    return end != text && (*end == 0 || *end == '\n');
}

/* Makes the kernel read hardware counters at each query. Otherwise it reads them again only after the time in
 * "lifespan" (ms), but a tester wants current values. Without the privileges that this needs, counters may be late
 * by that time. */
static void no_copies(int folder)
{
    const int fd = openat(folder, "lifespan", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "0\n", 2);
    (void)close(fd);
}

static unsigned read_folder(struct verbs *v, const char *path, struct ibc_counter *out, unsigned n)
{
    DIR *dir = opendir(path);
    const struct dirent *e;

    if (!dir)
        return n;
    no_copies(dirfd(dir));
    while (n < IBC_MAX_COUNTERS && (e = readdir(dir)) != NULL) {
        uint64_t value;
        if (e->d_name[0] == '.' || strcmp(e->d_name, "lifespan") == 0 || strlen(e->d_name) >= VERBS_NAME ||
            !read_number(dirfd(dir), e->d_name, &value))
            continue;
        memcpy(v->counter_names[n], e->d_name, strlen(e->d_name) + 1);
        out[n] = (struct ibc_counter){v->counter_names[n], value};
        n++;
    }
    (void)closedir(dir);
    return n;
}

unsigned verbs_counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    static const char of_device[] = "/sys/class/infiniband/%s/hw_counters";
    static const char of_port[] = "/sys/class/infiniband/%s/ports/%u/%s";
    struct verbs *v = verbs_of(t);
    char path[PATH];
    unsigned n;

    (void)d;
    (void)snprintf(path, sizeof path, of_port, v->name, v->port, "hw_counters");
    n = read_folder(v, path, out, 0);
    (void)snprintf(path, sizeof path, of_port, v->name, v->port, "counters");
    n = read_folder(v, path, out, n);
    (void)snprintf(path, sizeof path, of_device, v->name);
    return read_folder(v, path, out, n);
}
