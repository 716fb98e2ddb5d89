/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_hop.h"

const struct iba_fabric_table *const iba_fabric_tables[IBA_FABRIC_TABLE_COUNT] = {
#define TABLE(id, symbol) [IBA_FABRIC_##id] = &symbol,
    IBA_FABRIC_TABLES(TABLE)};

const struct iba_fabric_row *iba_fabric_row(const struct iba_fabric_table *t, unsigned i)
{
    return (const struct iba_fabric_row *)(const void *)((const char *)t->row + (size_t)i * t->stride);
}
