/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP: reassembles the segments of a table (MD-37..MD-53). The caller owns the memory, which has space for a fixed
 * number of transfers, and of segments of each. If all are in use, a new transfer replaces the one that was quiet
 * longest. Segments may come in any order, several times, or late: a transfer is complete when each segment up to the
 * last one has come. A segment that contradicts others is dropped. */
#ifndef IBA_RMPP_H
#define IBA_RMPP_H
#include "iba_mad.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_RMPP_TRANSFERS = 16, IBA_RMPP_SEGMENTS = 512, IBA_RMPP_SEGMENT = 200 };

/* Source and destination of a transfer, in any form in which the caller tells ends apart. */
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
    uint32_t record_bytes; /* bytes from one record to the next; 0: not known. Request: all its bytes */
    bool request; /* the transfer is the request of a double-sided transfer (MD-51): one record in segments, which a
                     table answers */
    const struct iba_mad_attr *attr;
    uint32_t bytes; /* bytes of all records, valid when the transfer is complete */
    uint8_t data[IBA_RMPP_SEGMENTS * IBA_RMPP_SEGMENT];
};
/* All unfinished transfers. */
struct iba_rmpp_desk {
    uint64_t clock;
    uint64_t whole, ended;              /* whole: completed transfers; ended: transfers that STOP or ABORT ended */
    uint64_t given_up, wrong, too_long; /* given_up: transfers dropped for lack of space; wrong: contradictory segments;
                                           too_long: segments with too high numbers */
    struct iba_rmpp_transfer transfer[IBA_RMPP_TRANSFERS];
};

/* Takes a datagram. Returns the transfer that the datagram completes, valid until the next call, or NULL. A table in a
 * single segment is no transfer: iba_mad_parse() reads it. The two directions of a double-sided transfer are a transfer
 * each; STOP and ABORT end both. */
const struct iba_rmpp_transfer *iba_rmpp_feed(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *ends,
                                              const struct iba_mad *m);
static inline uint32_t iba_rmpp_records(const struct iba_rmpp_transfer *t) /* number of complete records */
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
