/* SPDX-License-Identifier: BSD-2-Clause */
/* The points at which a broken CM deviates from an unbroken one; as transport/deviations.h. The code of the CM is that
 * of an unbroken one. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_CM_H
#define IBA_DEVIATIONS_CM_H
#include "cm/iba_cm_parts.h"

struct iba_cm_deviations {
    /* Returns the row that decides; `room` has space for a changed row. */
    const struct iba_cm_rule *(*rule)(const struct iba_cm_rx *x, enum iba_cm_table t, struct iba_cm_rule *room);
    /* A message is complete, and leaves. */
    void (*message)(const struct iba_cm_rx *x, enum iba_cm_answer a, uint8_t *mad);
    /* A timer is started; an unbroken CM lets it run for `runs`. */
    iba_time (*timeout)(const struct iba_cm_rx *x, enum iba_cm_timer t, iba_time runs);
};
#endif
