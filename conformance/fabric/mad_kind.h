/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions about a datagram. */
#ifndef IBF_MAD_KIND_H
#define IBF_MAD_KIND_H
#include "mad/iba_mad.h"

static inline bool mad_is_smp(const uint8_t *mad)
{
    return iba_madhdr_mgmtclass(mad) == IBA_CLASS_SMP || iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED;
}

/* Whether it answers another one. TrapRepress is the answer to a trap (KM-60). */
static inline bool mad_is_answer(const uint8_t *mad)
{
    return (iba_madhdr_method(mad) & IBA_METHOD_RESPONSE) || iba_madhdr_method(mad) == IBA_METHOD_TRAP_REPRESS;
}
#endif
