/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP: reassembles the segments of a table (MD-37..MD-53). The memory is the caller's and bounded: a number of
 * transfers at once, of which a new one replaces the one that was quiet longest, and a number of segments each. Order,
 * copies and losses do not matter: a transfer is complete when each segment up to the last one has come. A segment that
 * contradicts others is dropped. */
#ifndef IBA_RMPP_H
#define IBA_RMPP_H
#include "iba_mad.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_RMPP_TRANSFERS = 16, IBA_RMPP_SEGMENTS = 512, IBA_RMPP_SEGMENT = 200 };

/* Source and destination, as the caller distinguishes two ends. */
struct iba_rmpp_ends {
    uint8_t kind, src[16], dst[16];
};

struct iba_rmpp_transfer {
    bool used;
    struct iba_rmpp_ends ends;
    uint64_t transaction;
    uint64_t seen[IBA_RMPP_SEGMENTS / 64]; /* a bit for each segment */
    uint64_t touched;
    uint32_t n_seen, last; /* segments that came; number of the last one, 0: not known */
    uint32_t last_bytes;
    uint32_t record_bytes; /* bytes from one record to the next; 0: not known. For a request: the whole of it */
    bool request; /* one record, sent in segments, and answered with a table: a double-sided transfer (MD-51) */
    const struct iba_mad_attr *attr;
    uint32_t bytes; /* of all records, when complete */
    uint8_t data[IBA_RMPP_SEGMENTS * IBA_RMPP_SEGMENT];
};
/* All unfinished transfers. */
struct iba_rmpp_desk {
    uint64_t clock;
    uint64_t whole, ended; /* transfers completed; ended by STOP or ABORT */
    uint64_t given_up, wrong,
        too_long; /* dropped for lack of space; contradictory segments; segment numbers that are too high */
    struct iba_rmpp_transfer transfer[IBA_RMPP_TRANSFERS];
};

/* Takes a datagram and returns the transfer that it completes, valid until the next call, or NULL. One segment alone is
 * no transfer: iba_mad_parse() reads it. The two directions of a double-sided transfer are a transfer each; STOP and
 * ABORT end both. */
const struct iba_rmpp_transfer *iba_rmpp_feed(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *ends,
                                              const struct iba_mad *m);
static inline uint32_t iba_rmpp_records(const struct iba_rmpp_transfer *t) /* complete ones */
{
    return t->record_bytes ? t->bytes / t->record_bytes : 0;
}
/* The i-th record of a complete transfer, from 0. */
static inline void iba_rmpp_record(const struct iba_rmpp_transfer *t, uint32_t i, struct iba_mad *m)
{
    iba_mad_record(m, t->attr, t->data + (size_t)i * t->record_bytes, t->record_bytes, i + 1);
}

#ifdef __cplusplus
}
#endif

#endif
