/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes seeds to files, with their settings and records. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "seed.h"

static const char *folder;
uint64_t fuzz_trace, fuzz_steps; /* targets need these variables of their driver; this program does not read them */

void seed_folder(const char *path)
{
    folder = path;
    (void)mkdir(folder, 0777);
}

void seed_save(const char *target, const char *name, const uint8_t *p, size_t n)
{
    char path[512];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    f = fopen(path, "wb");
    if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
}

void seed_save_steps(const char *target, const char *what, unsigned a, unsigned b, const uint8_t *p, size_t n)
{
    char name[64];

    (void)snprintf(name, sizeof name, "%s-%u-%02x", what, a, b);
    seed_save(target, name, p, n);
}

size_t seed_record(uint8_t *to, uint8_t kind, const uint8_t *body, size_t n)
{
    to[0] = kind;
    to[1] = (uint8_t)n;
    to[2] = (uint8_t)(n >> 8);
    memcpy(to + 3, body, n);
    return n + 3;
}

enum { FAR = 6, LAST = 7 };
size_t seed_settings(uint8_t *to, uint8_t link, unsigned variant)
{
    const uint8_t head[FUZZ_HEAD] = {link, 0x08, 0xfe, 0xff, 0xff, 0x3f, 0x0f, 0x05};
    static const uint8_t far[SEED_VARIANTS] = {0, WORLD_NOT_FAR, 0, WORLD_ARMED};
    static const uint8_t last[SEED_VARIANTS] = {0, 0, WORLD_FEW_RIGHTS, WORLD_WITH_GRH};

    memcpy(to, head, sizeof head);
    to[FAR] |= far[variant];
    to[LAST] |= last[variant];
    return sizeof head;
}
