/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_rate.h"

unsigned iba_rate_lanes(uint8_t width)
{
    static const uint8_t lanes[IBA_RATE_WIDTHS] = {1, 4, 8, 12, 2};

    for (unsigned i = 0; i < IBA_RATE_WIDTHS; i++)
        if (width == 1u << i)
            return lanes[i];
    return 0;
}

/* Of one lane, after line coding: SDR, DDR, QDR (8b/10b), then FDR, EDR, HDR, NDR (64b/66b). */
static uint32_t lane_mbit(const struct iba_portinfo *i)
{
    static const uint32_t mbit[] = {2000, 4000, 8000}, mbit_ext[] = {13636, 25000, 50000, 100000};
    uint32_t rate = mbit[0];

    for (unsigned k = 0; k < 3; k++)
        if (i->linkspeedactive == 1u << k)
            rate = mbit[k];
    for (unsigned k = 0; k < 4; k++)
        if (i->linkspeedextactive == 1u << k)
            rate = mbit_ext[k];
    return rate;
}

enum { BITS_MBIT_PS = 8000000 }; /* of a byte: picoseconds at 1 Mbit/s */

uint32_t iba_rate_ps_per_byte(const struct iba_node_port *p)
{
    const unsigned lanes = iba_rate_lanes(p->info.linkwidthactive);

    return BITS_MBIT_PS / (lane_mbit(&p->info) * (lanes ? lanes : 1));
}

uint32_t iba_rate_ps_per_symbol(const struct iba_node_port *p)
{
    return BITS_MBIT_PS / lane_mbit(&p->info);
}
