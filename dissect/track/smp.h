/* SPDX-License-Identifier: BSD-2-Clause */
/* Subnet management datagrams of 256 bytes: offsets of what is read from them, and two questions about
 * those on directed routes (sections 14.2 and 14.2.2). */
#ifndef DISSECT_TRACK_SMP_H
#define DISSECT_TRACK_SMP_H
#include "mad/iba_mad.h"

enum {
    SMP_STATUS_AT = 4,
    SMP_POINTER_AT = 6,
    SMP_HOPS_AT = 7,
    SMP_LIDS_AT = 24,
    SMP_DATA_AT = 64,
    SMP_OUT_AT = 128, /* initial path */
    SMP_IN_AT = 192   /* return path */
};

/* Whether the datagram is an answer: its D bit. */
static inline bool smp_goes_back(const uint8_t *mad)
{
    return iba_smpdirected_d(mad + SMP_STATUS_AT);
}
/* Whether the status is 0; the D bit does not belong to the status. */
static inline bool smp_is_good(const uint8_t *mad)
{
    return (mad[SMP_STATUS_AT] & 0x7f) == 0 && mad[SMP_STATUS_AT + 1] == 0;
}
#endif
