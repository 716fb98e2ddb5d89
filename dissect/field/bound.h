/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of tables that packets fill. */
#ifndef DISSECT_BOUND_H
#define DISSECT_BOUND_H

/* The bound is `many`. In fuzz builds it is `few`, so that an input of some packets fills the table, and no time goes
 * into empty memory. */
#ifdef IBPROOF_FUZZED
#define BOUND(many, few) (few)
#else
#define BOUND(many, few) (many)
#endif
#endif
