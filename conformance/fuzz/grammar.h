/* SPDX-License-Identifier: BSD-2-Clause */
/* What sequences are made of. A rule stands for a piece of scenario text with holes in it; rules of one name are
 * alternatives. A hole is
 *
 *     {name}     a rule of that name, or one of make.c's own words (a PSN, a length, ...)
 *     {name?}    likewise, now and then; mostly nothing
 *     {1..9}     a number
 *     {a|b|}     one of these, which may have holes too
 *
 * A rule that needs what the device does not have, or that is of another link, is not there. */
#ifndef IBC_FUZZ_GRAMMAR_H
#define IBC_FUZZ_GRAMMAR_H
#include "fuzz.h"

#define FUZZ_CAP(w) (UINT64_C(1) << IBC_CAP_##w)
#define FUZZ_LINK(w) (1u << IBC_LINK_##w)
#define FUZZ_V4 FUZZ_LINK(roce2_ipv4)
#define FUZZ_V6 FUZZ_LINK(roce2_ipv6)
#define FUZZ_ROCE2 (FUZZ_V4 | FUZZ_V6)
#define FUZZ_ROCE (FUZZ_ROCE2 | FUZZ_LINK(roce1))
#define FUZZ_IB (FUZZ_LINK(ib_local) | FUZZ_LINK(ib_global))
#define FUZZ_GRH (FUZZ_LINK(roce1) | FUZZ_LINK(ib_global))
#define FUZZ_ANY (FUZZ_ROCE | FUZZ_IB)

struct fuzz_rule {
    const char *name;
    uint64_t needs; /* 1 << enum ibc_capability */
    uint32_t links; /* 1 << enum ibc_link */
    const char *text;
};
/* What a case is about: the objects there are, and what each input is made of. */
struct fuzz_kind {
    const char *name;
    uint32_t weight; /* how often, of all kinds */
    uint32_t links;
    uint64_t needs;
    const char *spec, *service;
    const char *objects; /* text with holes */
    const char *begin;   /* text with holes: the first inputs; NULL: as any */
    const char *step;    /* rule of an input */
};
extern const struct fuzz_kind fuzz_kinds[];
extern const size_t fuzz_kind_count;

struct fuzz_rules {
    const struct fuzz_rule *rule;
    size_t n;
};
enum { FUZZ_RULE_FILES = 3 };
extern const struct fuzz_rules fuzz_packet_rules, fuzz_work_rules, fuzz_verb_rules;
#endif
