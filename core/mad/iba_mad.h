/* SPDX-License-Identifier: BSD-2-Clause */
/* A management datagram as its parts: header, class header, attribute or records, each with its layout and offset.
 *
 * Parsing decides which layout applies where, and is the only place that checks lengths and counts from the wire.
 * It copies nothing, and IBA_MAD_PARTS bounds its work. A datagram that the capture cut, or that is shorter than 256
 * bytes, is read as far as it goes: iba_mad_row_at() tells which rows are there. */
#ifndef IBA_MAD_H
#define IBA_MAD_H
#include "iba_mad_layout.h"
#include "wire/iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_MAD_BYTES = 256, IBA_MAD_PARTS = 72 };
enum { IBA_CLASS_SA = 0x03, IBA_CLASS_CM = 0x07, IBA_CLASS_DIRECTED = 0x81 };

/* `n` times the same layout, `stride` bytes apart (forwarding tables, P_Keys); most parts have n = 1. */
struct iba_mad_part {
    uint8_t layout; /* enum iba_mad_layout */
    uint8_t n;
    uint16_t record; /* 1-based, of a table response; 0: the part belongs to the datagram itself */
    uint16_t stride;
    uint16_t at;       /* offset from the first byte of the datagram */
    uint16_t from, to; /* the bytes that the part's name covers, where they are known */
    bool named;        /* the part has the name of its layout; else another part has */
};

struct iba_mad {
    const uint8_t *wire;
    uint16_t captured, len;          /* bytes captured, bytes on the wire; for a datagram at most IBA_MAD_BYTES each */
    const struct iba_mad_attr *attr; /* NULL: an unknown attribute */
    uint8_t n_part, n_record;
    struct iba_mad_part part[IBA_MAD_PARTS];
};

/* The upper protocol of a connection, by its service identifier; NONE: unknown. Each SRP target has its own
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
enum iba_upper iba_upper_of(uint64_t service_id); /* IBA_UPPER_NONE: none that is known */
/* "NVMe/RDMA"; "" for NONE. */
const char *iba_upper_name(enum iba_upper u);
/* Adds the layout of the private data of a REQ, REP or REJ for a connection of this protocol. Adds nothing if the data
 * themselves show that they are something else. */
void iba_mad_add_private(struct iba_mad *m, enum iba_upper u);

/* Whether the service identifier is one of the RDMA IP CM service (MD-81). */
bool iba_mad_is_ip_service(uint64_t service_id);
/* Whether the packet is a UD SEND Only to or from QP0 or QP1 (MD-12), or to a QP that the view's options declare as
 * holding datagrams; not if the options declare something else. Cheap. */
bool iba_mad_in(const struct iba_view *v);
/* False when the packet is no datagram, or its class and method were not captured. */
bool iba_mad_of(struct iba_mad *m, const struct iba_view *v);
/* captured <= len; bytes after IBA_MAD_BYTES are ignored. False as above. */
bool iba_mad_parse(struct iba_mad *m, const uint8_t *wire, size_t captured, size_t len);

/* One record without a datagram: `m` gets its parts. */
void iba_mad_record(struct iba_mad *m, const struct iba_mad_attr *a, const uint8_t *record, size_t n, unsigned number);

/* The offset of the part's i-th layout; read it only as far as iba_mad_row_at() allows. */
static inline uint32_t iba_mad_at(const struct iba_mad_part *p, unsigned i)
{
    return p->at + (uint32_t)i * p->stride;
}
/* The first byte of the layout when the row was captured and its condition holds; else NULL. */
const uint8_t *iba_mad_row_at(const struct iba_mad *m, const struct iba_mad_part *p, unsigned i,
                              const struct iba_field *row);
/* The bytes that a part's name covers; NULL when another part has the name, 0 bytes when they are not known. */
const uint8_t *iba_mad_part_bytes(const struct iba_mad *m, const struct iba_mad_part *p, size_t *n);

/* The first byte of the first part with this layout if all of it was captured, for the accessors; else NULL. */
const uint8_t *iba_mad_layout_at(const struct iba_mad *m, enum iba_mad_layout l);

/* The known attribute, or NULL. */
const struct iba_mad_attr *iba_mad_attr(uint8_t mgmt_class, uint16_t id);
/* The name of component `bit` of a record, NULL for an unassigned bit (MD-91). Not NUL-terminated: `n` bytes. */
const char *iba_mad_component(const struct iba_mad_attr *a, unsigned bit, size_t *n);
/* The layout of the details of a generic notice with that trap number; IBA_M_notice_data: no rule has this number. */
enum iba_mad_layout iba_trap_details(uint16_t trap);

#ifdef __cplusplus
}
#endif

#endif
