/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds one part to a datagram. */
#include "iba_mad_add.h"

static bool named_by_the_one_before(const struct iba_mad *m, enum iba_mad_layout l)
{
    const char *a = iba_mad_layouts[l].prefix, *b;

    if (m->n_part == 0)
        return false;
    for (b = iba_mad_layouts[m->part[m->n_part - 1].layout].prefix; *a && *a == *b;)
        a++, b++;
    return *a == *b;
}

void iba_mad_add_for(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, uint32_t from, uint32_t to)
{
    if (m->n_part == IBA_MAD_PARTS || at >= m->captured)
        return;
    m->part[m->n_part++] = (struct iba_mad_part){.layout = (uint8_t)l,
                                                 .n = 1,
                                                 .stride = iba_mad_layouts[l].bytes,
                                                 .at = (uint16_t)at,
                                                 .from = (uint16_t)from,
                                                 .to = (uint16_t)to,
                                                 .named = true};
}

void iba_mad_add(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, unsigned n, unsigned record)
{
    const bool named = n == 1 && !named_by_the_one_before(m, l);
    const uint8_t before = m->n_part;

    if (n > 0)
        iba_mad_add_for(m, l, at, at, at);
    if (m->n_part == before)
        return;
    m->part[before].n = (uint8_t)n;
    m->part[before].record = (uint16_t)record;
    m->part[before].named = named;
}
