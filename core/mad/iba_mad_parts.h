/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of iba_mad_parse(): what adds parts. Not for users of libiba. */
#ifndef IBA_MAD_PARTS_H
#define IBA_MAD_PARTS_H
#include "iba_mad.h"

enum { IBA_RMPP_DATA = 1, IBA_RMPP_ACK = 2, IBA_RMPP_STOP = 3, IBA_RMPP_ABORT = 4 };
enum { IBA_RMPP_AT = 24, IBA_SA_AT = 36, IBA_SA_DATA_AT = 56, IBA_SA_DATA_BYTES = 200 };

/* ---- iba_mad_parts.c ---- */
/* Adds `n` times a layout; nothing when it begins behind what was captured, or no part is left. */
void iba_mad_add(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, unsigned n, unsigned record);
/* Adds a layout whose name stands for these bytes. */
void iba_mad_add_for(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, uint32_t from, uint32_t to);

/* ---- iba_mad_variant.c ---- */
/* What follows from the content of a layout that begins there: data of a notice, GIDs, private data. */
void iba_mad_add_variant(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, unsigned record);

/* ---- iba_mad_records.c ---- */
/* Adds the parts of an attribute that begins there. */
void iba_mad_add_attr(struct iba_mad *m, const struct iba_mad_attr *a, uint32_t at, unsigned record);
/* The records of a subnet administration datagram. */
void iba_mad_add_records(struct iba_mad *m);
#endif
