/* SPDX-License-Identifier: BSD-2-Clause */
/* One packet inside ibdissect: the reader's data, and the view of it. */
#ifndef DISSECT_PACKET_H
#define DISSECT_PACKET_H
#include "field/mad_context.h"
#include "input/capture.h"
#include "mad/iba_rmpp.h"
#include "wire/iba_view.h"

struct verdict;

struct packet {
    const struct cap_packet *cap; /* borrowed from the reader, valid until its next call */
    struct iba_view view;         /* the view of cap->data; its CRCs are checked unless -o icrc:off */
    uint64_t number;              /* 1-based, over all files */
    uint64_t first_ns, prev_ns;   /* times of the first packet and of the packet before this one */
    uint32_t source;              /* index of the file that the packet came from */
    const char *source_name;
    const struct iba_rmpp_transfer *table; /* a table of many segments that this packet completes; else NULL */
    struct mad_context mad_context;
    const uint64_t *content;       /* iba_observer_content() of the packet, or NULL */
    const struct verdict *verdict; /* NULL: this run does not judge packets */
};

/* The packet's bytes on the wire, its captured bytes, and where they start. The ERF header before the frame does not
 * count. */
static inline uint32_t packet_len(const struct packet *p)
{
    return p->view.len - p->view.frame_at;
}
static inline uint32_t packet_caplen(const struct packet *p)
{
    return p->view.caplen > p->view.frame_at ? p->view.caplen - p->view.frame_at : 0;
}
static inline const uint8_t *packet_bytes(const struct packet *p)
{
    return p->view.wire + p->view.frame_at;
}
#endif
