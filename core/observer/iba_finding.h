/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding: one sentence about one packet. iba_finding_kinds.h lists the kinds. */
#ifndef IBA_FINDING_H
#define IBA_FINDING_H
#include <stdbool.h>
#include "wire/iba_psn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iba_severity { IBA_SEVERITY_NONE, IBA_NOTE, IBA_WARN, IBA_ERROR };
struct iba_finding_info {
    const char *name, *field; /* name: RETRY_NAK; field: "retransmission" */
    enum iba_severity severity;
    const char *sentence, *clause;
};
extern const struct iba_finding_info iba_findings[]; /* by enum iba_finding_kind */
const char *iba_severity_name(enum iba_severity s);  /* "note", "warn", "error"; never NULL */

enum iba_copy { IBA_COPY_UNKNOWN, IBA_COPY_ARRIVED, IBA_COPY_LOST };

struct iba_decision; /* observer/iba_decision.h */
struct iba_flow;
struct iba_finding {
    uint8_t kind;   /* enum iba_finding_kind */
    uint64_t frame; /* frame of the packet; SILENCE: of the request that got no response */
    uint64_t cause; /* frame of the packet that explains the finding: the NAK, the original, the request; 0: no such
                       packet was seen */
    uint64_t tag, cause_tag; /* the tags that the caller gave with `frame` and `cause` */
    uint32_t direction;      /* the number that the caller gave the direction; 0: none */
    iba_time at;
    const struct iba_decision *decision; /* the row that decided the finding; NULL: no table decides this kind */
    const struct iba_flow *flow;         /* NULL: the packet belongs to no connection. Valid during the report */
    iba_psn psn;
    bool response; /* the packet is a response, not a request */
    bool no_psn;   /* the packet ends before its BTH */
    /* GAP and its relatives: missing PSNs; NAKs: code; RNR: timer code; MSN_WRONG: MSN; PATH_CHANGED: one bit for each
     * part of the path that changed; CNP: us since the previous notification; RETRY_PAYLOAD: enum iba_copy of the
     * previous copy */
    uint32_t count;
    iba_time wait_ns; /* retransmissions: time since the cause; RNR: time to wait; 0: the kind has no time */
};
/* The name of the part of a path that bit `part` of `count` stands for; NULL: no part has this bit. */
const char *iba_path_part_name(unsigned part);

#ifdef __cplusplus
}
#endif

#endif
