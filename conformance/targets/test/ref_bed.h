/* SPDX-License-Identifier: BSD-2-Clause */
/* The bed of the tests of the reference target, on RoCEv2 at first. */
#ifndef REF_BED_H
#define REF_BED_H
#include "bed.h"
#include "targets/reference.h"

static struct bed *b;
static const struct ibc_target_ops *o;

static inline void begin_with(const char *spec, enum ibc_link link)
{
    b = bed_open(spec, link, 1);
    o = b->t->ops;
}

static inline void begin(void)
{
    begin_with("reference", IBC_LINK_roce2_ipv4);
}

static inline void end(void)
{
    bed_close(b);
}
#endif
