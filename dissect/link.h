/* SPDX-License-Identifier: BSD-2-Clause */
/* Link types of captures. */
#ifndef DISSECT_LINK_H
#define DISSECT_LINK_H
#include "options.h"

/* The link type of the packet view for a link type of a capture. False: the link type is unknown. */
static inline bool link_of(const struct options *opt, uint32_t dlt, enum iba_link *link)
{
    static const struct {
        uint8_t dlt, link;
    } known[] = {{1, IBA_LINK_ETHERNET}, {12, IBA_LINK_IP},   {14, IBA_LINK_IP},  {101, IBA_LINK_IP},
                 {113, IBA_LINK_SLL},    {197, IBA_LINK_ERF}, {228, IBA_LINK_IP}, {229, IBA_LINK_IP},
                 {242, IBA_LINK_IPOIB},  {247, IBA_LINK_IB}};
    enum { SLL2 = 276, USER0 = 147, USER15 = 162 };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].dlt == dlt) {
            *link = (enum iba_link)known[i].link;
            return true;
        }
    *link = dlt == SLL2 ? IBA_LINK_SLL2 : dlt >= USER0 && dlt <= USER15 ? opt->user_link[dlt - USER0] : IBA_LINK_NONE;
    return *link != IBA_LINK_NONE;
}
#endif
