/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that misread arriving packets: they drop packets for a field that may have any value, read a field
 * wrongly, or ignore where a packet is addressed to. */
#ifndef IBC_HEAR_H
#define IBC_HEAR_H
#include "emit.h"

/* Rows that are not fields, and how a device with the row acts. */
enum ref_hear_what {
    /* "ip.ttl=!64": drops packets with other values; "ip.dsfield.ecn=3": reads this value whatever the packet has */
    HEAR_FIELD,
    HEAR_TRAILER,    /* "trailer=!0": drops frames with bytes after their CRC */
    HEAR_PAD,        /* "pad=!0": drops packets whose pad bytes are not 0 */
    HEAR_UNKNOWN_QP, /* "unknown_qp=1": delivers packets for a QP that does not exist to one that does */
    HEAR_SHORT,      /* "short=1": reads zeros where a packet is too short for the headers of its opcode */
    HEAR_FAULTS,     /* "faults=!4": drops all packets after so many packets had a wrong ICRC */
    HEAR_COUNT
};
struct ref_hear {
    uint8_t what;          /* enum ref_hear_what */
    bool minds;            /* true: drops the packet; false: reads another value */
    struct ref_emit field; /* the field of HEAR_FIELD */
    uint64_t value;
    uint64_t seen; /* HEAR_FAULTS: packets with a wrong ICRC so far */
};

/* Reads a field and a change, such as "ip.ttl" and "!64". False: there is no such field, or the change is wrong. */
bool hear_parse(struct ref_hear *h, const char *name, size_t len, const char *change);
/* Handles a frame that arrives, and its view, whose CRCs were checked. May change the frame, and make it longer by
 * HEAR_MORE bytes. False: the device drops the frame. any_qp: a QP of the device; knows_qp: whether the device has
 * the QP that the packet is for. */
enum { HEAR_MORE = 64 };
bool hear_change(struct ref_hear *h, enum iba_link link, const struct iba_view *v, uint8_t *frame, size_t *len,
                 bool knows_qp, uint32_t any_qp);

/* One row for each mutant. */
struct hear_row {
    const char *name, *change, *clause, *words;
};
extern const struct hear_row hear_rows[];
extern const size_t hear_row_count;
#endif
