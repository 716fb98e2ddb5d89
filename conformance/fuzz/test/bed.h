/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of `ibconform fuzz`. */
#ifndef IBC_FUZZ_TEST_BED_H
#define IBC_FUZZ_TEST_BED_H
#include "fuzz/known.h"
#include "fuzz/making.h"
#include <criterion/criterion.h>
#include <string.h>

/* All that a device can do, on every link, without known deviations. */
static const struct fuzz_may all = {UINT64_MAX, (1u << IBC_LINK_COUNT) - 1, 0};

/* Opens a target, which the caller closes: ibc_target_close(). */
static inline struct ibc_target *target(const char *spec)
{
    char err[512] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    cr_assert(t, "%s", err);
    return t;
}

/* The known deviations that a waiver stands for, as bits of their places in fuzz_known. */
static inline uint64_t known_as(const char *waiver)
{
    uint64_t set = 0;

    for (size_t i = 0; i < fuzz_known_count; i++)
        if (strcmp(fuzz_known[i].waiver, waiver) == 0)
            set |= UINT64_C(1) << i;
    cr_assert(set, "%s", waiver);
    return set;
}

/* Short forms of texts that most packets have in common: a pause, and the fields of a header that nobody set. */
static const struct {
    const char *name, *text;
} shorts[] = {
    {" {.}", "\nwait 1ms"},
    {"{ip}", " ip.dsfield.dscp=0x0 ip.dsfield.ecn=0x2 ip.flags.rb=0x0 ip.flags.df=0x1 ip.ttl=0x40"},
    {"{ip6}", " ipv6.tclass.dscp=0x0 ipv6.tclass.ecn=0x2 ipv6.flow=0x0 ipv6.hlim=0x40"},
    {"{lrh}", " lrh.vl=0x0 lrh.sl=0x0 lrh.reserved2=0x0 lrh.reserved5=0x0"},
    {"{grh}", " grh.tclass=0x0 grh.flowlabel=0x0 grh.hoplmt=0x40"},
    {"{bth}", " bth.se=0x0 bth.m=0x1 bth.tver=0x0 bth.p_key=0xffff bth.fecn=0x0 bth.becn=0x0 bth.reserved6=0x0 "
              "bth.reserved7=0x0"},
};

#endif
