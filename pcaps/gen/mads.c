/* SPDX-License-Identifier: BSD-2-Clause */
/* A management datagram for each attribute of a class. */
#include <stdio.h>
#include <stdlib.h>
#include "gen.h"
#include "mad/iba_mad.h"

void mads_line(struct job *job, const char *class, const char *encap)
{
    const unsigned long c = strtoul(class, NULL, 16);

    for (size_t i = 0; i < iba_mad_attr_count; i++) {
        const struct iba_mad_attr *a = iba_mad_attr((uint8_t)c, iba_mad_attrs[i].id);
        char line[LINE_BYTES];
        if (a != &iba_mad_attrs[i])
            continue;
        const unsigned method = c == IBA_CLASS_CM ? 3 : c == IBA_CLASS_SA && a->components ? 0x92 : 0x81;
        snprintf(line, sizeof line, "%s UD_SEND_ONLY mad=%lx:%x:%x bth.destqp=%d deth.srcqp=%d deth.q_key=0x80010000",
                 encap, c, method, a->id, a->group != IBA_GROUP_SMP, a->group != IBA_GROUP_SMP);
        packet_line(job, line);
    }
}
