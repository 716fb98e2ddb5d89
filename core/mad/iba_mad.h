/* SPDX-License-Identifier: BSD-2-Clause */
/* A management datagram as its parts: header, class header, attribute or records, each where a layout stands.
 *
 * Parsing decides which layouts stand where, and is the one place where lengths and counts off the wire are believed or
 * not; it copies nothing and its work is bounded by IBA_MAD_PARTS. A datagram that the capture cut, or that is shorter
 * than 256 bytes, is read as far as it goes: iba_mad_row_at() tells which rows are there. */
#ifndef IBA_MAD_H
#define IBA_MAD_H
#include "iba_mad_layout.h"
#include "wire/iba_view.h"

enum { IBA_MAD_BYTES = 256, IBA_MAD_PARTS = 72 };
enum { IBA_CLASS_SA = 0x03, IBA_CLASS_CM = 0x07, IBA_CLASS_DIRECTED = 0x81 };

/* `n` times the same layout, `stride` bytes apart (forwarding tables, P_Keys); most parts are there once. */
struct iba_mad_part {
    uint8_t layout; /* enum iba_mad_layout */
    uint8_t n;
    uint16_t record; /* 1-based, of a table response; 0: of the datagram as a whole */
    uint16_t stride;
    uint16_t at;       /* from the first byte of the datagram */
    uint16_t from, to; /* bytes that the part's name stands for, where they are told */
    bool named;        /* the part has the name of its layout; else another part has */
};

struct iba_mad {
    const uint8_t *wire;
    uint16_t captured, len;          /* bytes there, bytes on the wire; of a datagram at most IBA_MAD_BYTES each */
    const struct iba_mad_attr *attr; /* NULL: not one that is known */
    uint8_t n_part, n_record;
    struct iba_mad_part part[IBA_MAD_PARTS];
};

/* Whose a connection is, as its service identifier tells; NONE: it does not. SRP's identifiers are each target's own.
 */
enum iba_upper {
    IBA_UPPER_NONE,
    IBA_UPPER_SDP,
    IBA_UPPER_IPOIB,
    IBA_UPPER_SRP,
    IBA_UPPER_ISER,
    IBA_UPPER_SMB_DIRECT,
    IBA_UPPER_LNET,
    IBA_UPPER_NVME,
    IBA_UPPER_RPC,
    IBA_UPPERS
};
enum iba_upper iba_upper_of(uint64_t service_id);
/* "NVMe/RDMA"; "" for NONE. */
const char *iba_upper_name(enum iba_upper u);
/* Adds what the private data of a REQ, REP or REJ hold when the connection is this protocol's. Where the data
 * themselves say that they are something else nothing is added. */
void iba_mad_add_private(struct iba_mad *m, enum iba_upper u);

/* Whether the service identifier is one of the RDMA IP CM service (MD-81). */
bool iba_mad_is_ip_service(uint64_t service_id);
/* Whether the packet is a UD SEND Only to or from QP0 or QP1 (MD-12), or to a QP of which the options of its view say
 * that it holds datagrams; not where they say something else. Cheap. */
bool iba_mad_in(const struct iba_view *v);
/* False when the packet is none, or not even its class and method were captured. */
bool iba_mad_of(struct iba_mad *m, const struct iba_view *v);
/* captured <= len; what is beyond IBA_MAD_BYTES is not looked at. False as above. */
bool iba_mad_parse(struct iba_mad *m, const uint8_t *wire, size_t captured, size_t len);

/* One record, apart from a datagram: `m` has the parts of it. */
void iba_mad_record(struct iba_mad *m, const struct iba_mad_attr *a, const uint8_t *record, size_t n, unsigned number);

/* Where the part's i-th layout begins; to be read only as far as iba_mad_row_at() says. */
static inline uint32_t iba_mad_at(const struct iba_mad_part *p, unsigned i)
{
    return p->at + (uint32_t)i * p->stride;
}
/* The first byte of the layout when the row was captured and its condition holds; else NULL. */
const uint8_t *iba_mad_row_at(const struct iba_mad *m, const struct iba_mad_part *p, unsigned i,
                              const struct iba_field *row);
/* The bytes that a part's name stands for; NULL when another part has the name, 0 bytes when they are not told. */
const uint8_t *iba_mad_whole(const struct iba_mad *m, const struct iba_mad_part *p, size_t *n);

/* The first byte of the first part of this layout if all of it was captured, for the accessors; else NULL. */
const uint8_t *iba_mad_layout_at(const struct iba_mad *m, enum iba_mad_layout l);

/* The known attribute, or NULL. */
const struct iba_mad_attr *iba_mad_attr(uint8_t mgmt_class, uint16_t id);
/* The name of component `bit` of a record, NULL for a bit that stands for none (MD-91). Not NUL-terminated: `n` bytes.
 */
const char *iba_mad_component(const struct iba_mad_attr *a, unsigned bit, size_t *n);
#endif
