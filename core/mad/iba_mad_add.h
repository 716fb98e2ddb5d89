/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that add parts to a datagram, for iba_mad_parse() only. Not for users of libiba. */
#ifndef IBA_MAD_ADD_H
#define IBA_MAD_ADD_H
#include "iba_mad.h"

enum { IBA_RMPP_DATA = 1, IBA_RMPP_ACK = 2, IBA_RMPP_STOP = 3, IBA_RMPP_ABORT = 4 };
enum { IBA_RMPP_AT = 24, IBA_SA_AT = 36, IBA_SA_DATA_AT = 56, IBA_SA_DATA_BYTES = 200 };

/* ---- iba_mad_parts.c ---- */
/* Adds a layout `n` times. Adds nothing if the layout begins after the captured bytes, or if all parts are used. */
void iba_mad_add(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, unsigned n, unsigned record);
/* Adds a layout whose name covers the bytes from `from` to before `to`. */
void iba_mad_add_for(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, uint32_t from, uint32_t to);

/* ---- iba_mad_variant.c ---- */
/* Adds the parts that depend on the content of a layout at this offset: data of a notice, GIDs, private data. */
void iba_mad_add_variant(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, unsigned record);

/* ---- iba_mad_records.c ---- */
/* Adds the parts of an attribute at this offset. */
void iba_mad_add_attr(struct iba_mad *m, const struct iba_mad_attr *a, uint32_t at, unsigned record);
/* Adds the records of a subnet administration datagram. */
void iba_mad_add_records(struct iba_mad *m);
#endif
