/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes, and damaged files of every format: the reader refuses them, or says where it stops. */
#include "bytes.h"

#include <criterion/criterion.h>

Test(damaged, random_bytes_are_no_capture)
{
    static uint8_t noise[20000];
    uint64_t seed = 7, wrong = 0;
    for (int i = 0; i < 2000; i++) {
        size_t n = 1000 + next_random(&seed) % 19000;
        for (size_t j = 0; j < n; j++)
            noise[j] = (uint8_t)next_random(&seed);
        noise[0] |= 0xc0; /* no magic begins so */
        wrong += read_all(noise, n).packets > 0;
    }
    cr_assert_leq(wrong, 2, "%lu of 2000 taken for ERF", (unsigned long)wrong);
}

static void mutate(struct bytes *f, uint64_t *seed)
{
    static const uint8_t telling[] = {0, 1, 3, 4, 0x7f, 0x80, 0xff};
    uint64_t changes = 1 + next_random(seed) % 4;
    while (changes-- > 0) {
        uint64_t r = next_random(seed);
        size_t at = (size_t)(r >> 32) % f->n;
        f->b[at] = r & 1 ? telling[(r >> 1) % sizeof telling] : (uint8_t)(r >> 8);
    }
    if (next_random(seed) % 8 == 0)
        f->n = (size_t)(next_random(seed) % f->n);
}

Test(damaged, mutated_files_never_break_the_reader)
{
    struct bytes originals[2 * SAMPLES] = {0};
    uint64_t seed = 1, packets = 0, lines = 0;
    for (int i = 0; i < SAMPLES; i++) {
        originals[2 * i] = sample(i);
        put_gzip(&originals[2 * i + 1], originals[2 * i].b, originals[2 * i].n);
    }
    for (int i = 0; i < 100000; i++) {
        struct bytes f = {0};
        put(&f, originals[i % (2 * SAMPLES)].b, originals[i % (2 * SAMPLES)].n);
        mutate(&f, &seed);
        struct outcome o = read_all(f.b, f.n);
        packets += o.packets;
        lines += o.line[0] != '\0';
        bytes_free(&f);
    }
    for (int i = 0; i < 2 * SAMPLES; i++)
        bytes_free(&originals[i]);
    cr_assert_gt(packets, 50000u);
    cr_assert_gt(lines, 20000u);
}
