/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding: one sentence about one packet. The kinds stand in iba_finding_kinds.h. */
#ifndef IBA_FINDING_H
#define IBA_FINDING_H
#include <stdbool.h>
#include "wire/iba_psn.h"

enum iba_severity { IBA_SEVERITY_NONE, IBA_NOTE, IBA_WARN, IBA_ERROR };
struct iba_finding_info {
    const char *name, *field; /* "retry_nak" in capitals, "retransmission" */
    enum iba_severity severity;
    const char *sentence, *clause;
};
extern const struct iba_finding_info iba_findings[]; /* by enum iba_finding_kind */
const char *iba_severity_name(enum iba_severity s);  /* "note", "warn", "error"; never NULL */

enum iba_copy { IBA_COPY_UNKNOWN, IBA_COPY_ARRIVED, IBA_COPY_LOST };

struct iba_decision; /* observer/iba_decision.h */
struct iba_flow;
struct iba_finding {
    uint8_t kind;            /* enum iba_finding_kind */
    uint64_t frame;          /* of the packet; for SILENCE that which asked */
    uint64_t cause;          /* of the packet that explains it: the NAK, the original, the request; 0: none was seen */
    uint64_t tag, cause_tag; /* as the caller gave with those frames */
    iba_time at;
    const struct iba_decision *decision; /* the row of a table that decided it; NULL: no table decides this kind */
    const struct iba_flow *flow;         /* NULL: of no connection. Valid during the report */
    iba_psn psn;
    bool response; /* the packet is a response, not a request */
    bool no_psn;   /* the packet ends before its BTH */
    uint32_t
        count; /* PSNs that are missing (gaps); NAK or RNR timer code; MSN; bit of each part of the path that changed;
                  us since the notification before (CNP); the copy before (RETRY_PAYLOAD): enum iba_copy */
    iba_time wait_ns; /* how long it took, or was to wait: retries, RNR; 0 where it means nothing */
};
/* What changed with a path: the name of bit `part` of `count`; NULL: there is no such bit. */
const char *iba_path_part_name(unsigned part);
#endif
