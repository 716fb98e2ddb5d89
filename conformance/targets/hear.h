/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that take what arrives for something else than it is: they drop packets for a field that may have any value,
 * read a field wrongly, or do not look where a packet goes. */
#ifndef IBC_HEAR_H
#define IBC_HEAR_H
#include "emit.h"

/* Rows that are not fields, and how a device with the row acts. */
enum ref_hear_what {
    HEAR_FIELD,      /* "ip.ttl=!64": drops other values; "ip.dsfield.ecn=3": reads this whatever is there */
    HEAR_TRAILER,    /* "trailer=!0": drops frames with bytes after their CRC */
    HEAR_PAD,        /* "pad=!0": drops packets whose pad bytes are not 0 */
    HEAR_UNKNOWN_QP, /* "unknown_qp=1": gives packets for a QP that does not exist to one that does */
    HEAR_SHORT,      /* "short=1": reads zeros where a packet is too short for the headers of its opcode */
    HEAR_FAULTS,     /* "faults=!4": drops everything once so many packets had a wrong ICRC */
    HEAR_COUNT
};
struct ref_hear {
    uint8_t what;          /* enum ref_hear_what */
    bool minds;            /* drops the packet; else reads another value */
    struct ref_emit field; /* of HEAR_FIELD */
    uint64_t value;
    uint64_t seen; /* HEAR_FAULTS: so far */
};

/* "ip.ttl", "!64". False: no such field, or value. */
bool hear_parse(struct ref_hear *h, const char *name, size_t len, const char *change);
/* One frame that arrives, and its view, whose CRCs are checked. The frame may be changed, and become longer by
 * HEAR_MORE bytes. False: the device drops it. any_qp: a QP that it has; knows_qp: whether it has the one that the
 * packet is for. */
enum { HEAR_MORE = 64 };
bool hear_change(struct ref_hear *h, enum iba_link link, const struct iba_view *v, uint8_t *frame, size_t *len,
                 bool knows_qp, uint32_t any_qp);

/* One mutant a row. */
struct hear_row {
    const char *name, *change, *clause, *words;
};
extern const struct hear_row hear_rows[];
extern const size_t hear_row_count;
#endif
