/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs, getters and setters generated from the field lists of management datagrams, as for headers
 * (wire/iba_hdr.h). */
#ifndef IBA_MAD_LAYOUT_H
#define IBA_MAD_LAYOUT_H
#include <assert.h>
#include "cm_fields.h"
#include "pm_fields.h"
#include "sa_fields.h"
#include "smp_fields.h"
#include "upper_fields.h"
#include "wire/iba_hdr.h"

#define IBA_MAD_LAYOUTS(H) IBA_SMP_LAYOUTS(H) IBA_SA_LAYOUTS(H) IBA_PM_LAYOUTS(H) IBA_CM_LAYOUTS(H) IBA_UPPER_LAYOUTS(H)

IBA_MAD_LAYOUTS(IBA_STRUCT)
IBA_MAD_LAYOUTS(IBA_OFFSETS)
IBA_MAD_LAYOUTS(IBA_ACCESSORS)

enum iba_mad_layout { /* IBA_M_madhdr, IBA_M_portinfo, ... */
#define IBA_MAD_ID(LIST, h, ...) IBA_M_##h,
                      IBA_MAD_LAYOUTS(IBA_MAD_ID) IBA_M_COUNT
};
static_assert(IBA_M_COUNT <= 255, "a part names its layout in a byte");
enum { /* IBA_BYTES_madhdr, ... */
       IBA_MAD_LAYOUTS(IBA_HDR_BYTES)
};
extern const struct iba_hdr_info iba_mad_layouts[IBA_M_COUNT];

/* Attributes of the connection manager: its messages (MD-54). */
enum {
    IBA_CM_ID_REQ = 0x10,
    IBA_CM_ID_MRA = 0x11,
    IBA_CM_ID_REJ = 0x12,
    IBA_CM_ID_REP = 0x13,
    IBA_CM_ID_RTU = 0x14,
    IBA_CM_ID_DREQ = 0x15,
    IBA_CM_ID_DREP = 0x16,
    IBA_CM_ID_SIDR_REQ = 0x17,
    IBA_CM_ID_SIDR_REP = 0x18,
    IBA_CM_ID_LAP = 0x19,
    IBA_CM_ID_APR = 0x1a,
    IBA_CM_ID_SAP = 0x1b,
    IBA_CM_ID_SPR = 0x1c
};

/* One known attribute of a class: its parts, with the offset of each from the start of the class's attributes. */
enum iba_mad_group {
    IBA_GROUP_SMP,
    IBA_GROUP_SA,
    IBA_GROUP_PM,
    IBA_GROUP_DM,
    IBA_GROUP_CM,
    IBA_GROUP_CC,
    IBA_GROUP_BM
};
enum { IBA_MAD_ATTR_PARTS = 4 };
struct iba_mad_attr {
    const char *name;
    const char *components; /* names of a record's components, in the order of the component mask's bits, separated by
                               spaces; "-": no component has the bit */
    uint16_t id;
    uint8_t group; /* enum iba_mad_group */
    struct {
        uint8_t layout, at, n;
    } part[IBA_MAD_ATTR_PARTS]; /* n 0: none */
};
extern const struct iba_mad_attr iba_mad_attrs[];
extern const size_t iba_mad_attr_count;
#endif
