/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect on users when a device violates a statement. statement.c uses the rows.
 *
 * Columns: an area, or the id of a statement whose severity differs from its area's; severity. Areas first, ids in
 * order. That a device goes down is an observation and not a statement's severity. */
#ifndef IBC_STATEMENTS_SEVERITY_H
#define IBC_STATEMENTS_SEVERITY_H

/* clang-format off */
#define IBC_SEVERITY_ROWS(S) \
    S("WF", INTEROP) S("PV", INTEROP) S("RR", INTEROP) S("RQ", INTEROP) S("UU", INTEROP) S("QS", ANSWER) S("KM", INTEROP) S("MD", INTEROP) \
    S("RO", INTEROP) S("VN", INTEROP) \
    /* access to memory without a right, wrong data, work reported complete that is not */              \
    S("KM-19", SAFETY) \
    S("PV-10", SAFETY) S("PV-12", SAFETY) S("PV-15", SAFETY) S("PV-16", ANSWER) S("PV-18", SAFETY) S("PV-19", SAFETY) \
    S("PV-21", SAFETY) S("PV-22", SAFETY) S("PV-24", SAFETY) \
    S("QS-42", SAFETY) S("QS-54", SAFETY) S("QS-55", SAFETY) S("QS-56", SAFETY) S("QS-57", SAFETY) S("QS-58", SAFETY) \
    S("QS-59", SAFETY) S("QS-60", SAFETY) S("QS-61", SAFETY) S("QS-62", SAFETY) S("QS-63", SAFETY) S("QS-64", SAFETY) \
    S("QS-69", SAFETY) S("QS-71", SAFETY) \
    S("RO-22", SAFETY) \
    S("RO-50", COSMETIC) \
    S("RQ-06", SAFETY) S("RQ-33", SAFETY) S("RQ-35", SAFETY) S("RQ-38", SAFETY) S("RQ-46", SAFETY) S("RQ-47", SAFETY) \
    S("RQ-48", SAFETY) S("RQ-49", SAFETY) S("RQ-52", SAFETY) S("RQ-53", ANSWER) S("RQ-54", ANSWER) S("RQ-55", ANSWER) \
    S("RQ-56", ANSWER) S("RQ-57", ANSWER) S("RQ-62", SAFETY) \
    S("RR-23", SAFETY) S("RR-28", SAFETY) S("RR-38", SAFETY) S("RR-41", SAFETY) S("RR-42", SAFETY) S("RR-43", SAFETY) \
    S("RR-45", SAFETY) S("RR-54", SAFETY) S("RR-59", ANSWER) S("RR-64", ANSWER) S("RR-66", SAFETY) S("RR-67", SAFETY) \
    S("UU-10", SAFETY) S("UU-12", SAFETY) S("UU-15", SAFETY) S("UU-18", SAFETY) S("UU-20", SAFETY) S("UU-23", ANSWER) \
    S("WF-05", COSMETIC) S("WF-30", COSMETIC) S("WF-33", COSMETIC) S("WF-38", COSMETIC) S("WF-48", SAFETY) S("WF-78", SAFETY)
/* clang-format on */
#endif
