/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/times.h"

/* The class of a time. Times below 64 ns have a class each; above, each power of two has 64 classes. */
unsigned times_class(uint64_t ns)
{
    if (ns < TIMES_SUBS)
        return (unsigned)ns;
    const unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return (power - TIMES_SUB_BITS + 1) * TIMES_SUBS + (unsigned)(ns >> (power - TIMES_SUB_BITS)) - TIMES_SUBS;
}

unsigned times_octave(unsigned class)
{
    if (class >= TIMES_SUBS)
        return class / TIMES_SUBS + TIMES_SUB_BITS - 1;
    return class ? 31 - (unsigned)__builtin_clz(class) : 0;
}

/* The longest time of the class. */
static uint64_t class_end(unsigned c)
{
    if (c < TIMES_SUBS)
        return c;
    const unsigned power = c / TIMES_SUBS + TIMES_SUB_BITS - 1;
    return (((uint64_t)(c % TIMES_SUBS) + TIMES_SUBS + 1) << (power - TIMES_SUB_BITS)) - 1;
}

void times_add(struct times *t, uint64_t ns)
{
    t->shortest = t->n == 0 || ns < t->shortest ? ns : t->shortest;
    t->longest = ns > t->longest ? ns : t->longest;
    t->n++;
    t->count[times_class(ns)]++;
}

uint64_t times_percentile(const struct times *t, unsigned percent)
{
    const uint64_t rank = t->n - t->n * (100 - percent) / 100;
    uint64_t seen = 0;

    for (unsigned c = 0; c < TIMES_CLASSES; c++) {
        seen += t->count[c];
        if (seen >= rank)
            return class_end(c) < t->longest ? class_end(c) : t->longest;
    }
    return t->longest;
}

static const struct {
    uint64_t most;
    const char *title;
} sizes[TIMES_SIZES] = {{64, "0-64"},      {512, "65-512"},     {4096, "513-4K"},
                        {65536, "4K-64K"}, {1048576, "64K-1M"}, {UINT64_MAX, "1M-"}};

unsigned times_size(uint64_t bytes)
{
    unsigned size = 0;

    while (bytes > sizes[size].most)
        size++;
    return size;
}

const char *times_size_title(unsigned size)
{
    return sizes[size].title;
}
