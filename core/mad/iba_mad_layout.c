/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_mad_layout.h"
#include "wire/iba_table.h"

IBA_MAD_LAYOUTS(IBA_TABLE)

#define IBA_MAD_INFO(LIST, h, bytes, prefix, title) [IBA_M_##h] = IBA_INFO(h, bytes, prefix, title),
const struct iba_hdr_info iba_mad_layouts[IBA_M_COUNT] = {IBA_MAD_LAYOUTS(IBA_MAD_INFO)};
