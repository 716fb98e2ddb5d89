/* SPDX-License-Identifier: BSD-2-Clause */
/* A management datagram as its parts: header, class header, attribute or records, each with its layout and offset.
 *
 * Parsing decides which layout applies where, and is the only place that checks lengths and counts from the wire.
 * Parsing copies nothing, and finds at most IBA_MAD_PARTS parts. Of a datagram that the capture cut, or that is shorter
 * than 256 bytes, only the bytes that exist are read: iba_mad_row_at() shows which rows they have. */
#ifndef IBA_MAD_H
#define IBA_MAD_H
#include "iba_mad_layout.h"
#include "wire/iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_MAD_BYTES = 256, IBA_MAD_PARTS = 72 };
/* Classes: DIRECTED is that of SMPs with a directed route (MD-03). */
enum {
    IBA_CLASS_SMP = 0x01,
    IBA_CLASS_SA = 0x03,
    IBA_CLASS_PERF = 0x04,
    IBA_CLASS_BASEBOARD = 0x05,
    IBA_CLASS_CM = 0x07,
    IBA_CLASS_CONGESTION = 0x21,
    IBA_CLASS_DIRECTED = 0x81
};
/* Methods (MD-04). RESPONSE is the bit that answers have. */
enum {
    IBA_METHOD_GET = 0x01,
    IBA_METHOD_SET = 0x02,
    IBA_METHOD_SEND = 0x03,
    IBA_METHOD_TRAP = 0x05,
    IBA_METHOD_REPORT = 0x06,
    IBA_METHOD_TRAP_REPRESS = 0x07,
    IBA_METHOD_GET_TABLE = 0x12,
    IBA_METHOD_DELETE = 0x15,
    IBA_METHOD_RESPONSE = 0x80,
    IBA_METHOD_GET_RESP = 0x81,
    IBA_METHOD_DELETE_RESP = 0x95
};

/* A part has the same layout `n` times, `stride` bytes apart, as in forwarding tables and P_Key tables; most parts have
 * n = 1. */
struct iba_mad_part {
    uint8_t layout; /* enum iba_mad_layout */
    uint8_t n;
    uint16_t record; /* number of the record in a table response, from 1; 0: the part is in no record */
    uint16_t stride;
    uint16_t at;       /* offset from the first byte of the datagram */
    uint16_t from, to; /* the bytes that the part's name covers, where they are known */
    bool named;        /* the part is displayed under the name of its layout; else another part has that name */
};

struct iba_mad {
    const uint8_t *wire;
    uint16_t captured, len;          /* bytes captured, bytes on the wire; for a datagram at most IBA_MAD_BYTES each */
    const struct iba_mad_attr *attr; /* NULL: an unknown attribute */
    uint8_t n_part, n_record;
    struct iba_mad_part part[IBA_MAD_PARTS];
};

/* The upper protocol of a connection, which its service identifier shows; NONE: unknown. Each SRP target has its own
 * identifiers. */
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
enum iba_upper iba_upper_of(uint64_t service_id); /* IBA_UPPER_NONE: an unknown protocol */
/* "NVMe/RDMA"; "" for NONE. */
const char *iba_upper_name(enum iba_upper u);
/* Adds the layout of the private data of a REQ, REP or REJ for a connection of this protocol. Adds nothing if a value
 * in the data shows that they belong to another protocol. */
void iba_mad_add_private(struct iba_mad *m, enum iba_upper u);

/* True when the service identifier is one of the RDMA IP CM service (MD-81). */
bool iba_mad_is_ip_service(uint64_t service_id);
/* True when the packet is a UD SEND Only to or from QP0 or QP1 (MD-12), or to a QP that gets management datagrams by
 * the view's options. False when the options give the QP another use. The test is cheap. */
bool iba_mad_in(const struct iba_view *v);
/* Finds the parts of the datagram in a packet. False when the packet has no management datagram, or its class and
 * method were not captured. */
bool iba_mad_of(struct iba_mad *m, const struct iba_view *v);
/* Finds the parts of a datagram. `captured` is at most `len`; bytes after IBA_MAD_BYTES are ignored. False when class
 * and method were not captured. */
bool iba_mad_parse(struct iba_mad *m, const uint8_t *wire, size_t captured, size_t len);

/* Finds the parts of one record that is outside a datagram. */
void iba_mad_record(struct iba_mad *m, const struct iba_mad_attr *a, const uint8_t *record, size_t n, unsigned number);

/* Returns the offset of the part's i-th layout. Bytes of a row may be read only if iba_mad_row_at() returns the row. */
static inline uint32_t iba_mad_at(const struct iba_mad_part *p, unsigned i)
{
    return p->at + (uint32_t)i * p->stride;
}
/* Returns the first byte of the layout if the row was captured and its condition holds; else NULL. */
const uint8_t *iba_mad_row_at(const struct iba_mad *m, const struct iba_mad_part *p, unsigned i,
                              const struct iba_field *row);
/* Returns the bytes that a part's name covers; NULL if another part has the name. *n is 0 if the bytes are not known.
 */
const uint8_t *iba_mad_part_bytes(const struct iba_mad *m, const struct iba_mad_part *p, size_t *n);

/* Returns the first byte of the first part with this layout, if all of it was captured, else NULL. The getters of the
 * layout take this pointer. */
const uint8_t *iba_mad_layout_at(const struct iba_mad *m, enum iba_mad_layout l);

/* Returns the attribute with this class and identifier; NULL: it is not known. */
const struct iba_mad_attr *iba_mad_attr(uint8_t mgmt_class, uint16_t id);
/* Returns the name of component `bit` of a record; NULL for an unassigned bit (MD-91). The name has *n bytes, and no
 * NUL after them. */
const char *iba_mad_component(const struct iba_mad_attr *a, unsigned bit, size_t *n);
/* The layout of the details of a generic notice with that trap number; IBA_M_notice_data: no rule has this number. */
enum iba_mad_layout iba_trap_details(uint16_t trap);

#ifdef __cplusplus
}
#endif

#endif
