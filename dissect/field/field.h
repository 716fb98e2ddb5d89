/* SPDX-License-Identifier: BSD-2-Clause */
/* Every name a user can type: the rows of core's header tables, and the fields that ibdissect computes.
 *
 * A name may have several sources (udp.port is both ports, erspan.version is in two headers), and a header may occur
 * several times in a packet, so a field has zero or more values in a packet, in wire order. */
#ifndef DISSECT_FIELD_H
#define DISSECT_FIELD_H
#include "field/packet.h"
#include "mad/iba_mad.h"

enum field_type {
    FIELD_UINT,
    FIELD_BOOL,
    FIELD_ETHER,    /* value.u holds 48 bits */
    FIELD_IPV4,     /* value.u holds 32 bits */
    FIELD_IPV6,     /* value.bytes, 16 of them */
    FIELD_BYTES,    /* value.bytes */
    FIELD_TEXT,     /* value.bytes, UTF-8, not NUL terminated */
    FIELD_TIME,     /* value.ns, signed nanoseconds */
    FIELD_PRESENCE, /* a header as a whole: its bytes; or a protocol, without bytes */
};

struct value {
    enum field_type type;
    uint64_t u;
    int64_t ns;
    const uint8_t *bytes; /* borrowed from the packet, or constant */
    size_t len;
    const struct iba_field *row; /* the row that the value came from, or NULL: its format, and the names of its codes */
};

struct field {
    const char *name; /* "infiniband.bth.psn" */
    const char *label;
    enum field_type type;
    uint64_t hdrs;  /* IBA_HDR_BIT of the headers that have the field; 0 for a computed field */
    uint32_t index; /* position in the registry, dense from 0 */
};

/* All fields, by ascending name. The first call builds the list; nothing frees it. */
const struct field *field_all(size_t *n);
#define FIELD_PREFIX "infiniband."
/* The field of this name; NULL when there is none. FIELD_PREFIX may be left out. */
const struct field *field_find(const char *name);
/* Writes the answer to a name that no field has: `no field "x"; nearest is "y"`. A field is near if the name is its
 * last part (psn), or the beginning of its name (frame.tim), or differs from it by few letters. For a name of tshark's,
 * or one near to it, the answer says what does the same here. If nothing is near, it names the list of all fields. */
void field_unknown(char *out, size_t room, const char *name);

/* The packet's datagram, with the private data of its connection's upper protocol if that is known. Apart from this it
 * works as iba_mad_of(). */
bool packet_mad(struct iba_mad *m, const struct packet *p);

/* Calls `each` for every value the field has in the packet, in wire order, until it returns false. */
typedef bool field_each(void *ctx, const struct value *v);
void field_values(const struct field *f, const struct packet *p, field_each *each, void *ctx);
/* The field's first value in the packet; false when the packet has none. */
bool field_first(const struct field *f, const struct packet *p, struct value *v);
/* The value of one row of the header at `wire`; the row must be present there (iba_field_present). */
struct value field_row_value(const struct iba_field *row, const uint8_t *wire);
/* Whether the field has values only when packets are judged. */
bool field_is_analysis(const struct field *f);
/* Calls `each` for every field of judging that has a value in the packet, by name, with the number of its values. */
typedef void field_of_packet(void *ctx, const struct packet *p, const struct field *f, unsigned values);
void field_analysis(const struct packet *p, field_of_packet *each, void *ctx);
/* Calls `each` for the fields of the packet's management datagram that are shown, in the order of the datagram. */
void field_mad(const struct packet *p, field_of_packet *each, void *ctx);
/* The field of row `row` of a layout. */
const struct field *field_of_mad_row(enum iba_mad_layout l, unsigned row);
/* Whether the value is 0, or all of its bytes are. */
bool field_is_zero(const struct value *v);
/* The row with the format and names of this field's values; NULL for a computed field. */
const struct iba_field *field_row(const struct field *f);
#endif
