/* SPDX-License-Identifier: BSD-2-Clause */
/* The grammar of sequences. A rule is a piece of scenario text with placeholders; rules of one name are alternatives. A
 * placeholder is
 *
 *     {name}     a rule of that name, or one of make.c's own words (a PSN, a length, ...)
 *     {name?}    the same, now and then; mostly nothing
 *     {1..9}     a number
 *     {a|b|}     one of these, which may contain placeholders too
 *
 * A rule that needs a capability that the device lacks, or that is for another link, is not used. */
#ifndef IBC_FUZZ_GRAMMAR_H
#define IBC_FUZZ_GRAMMAR_H
#include "fuzz.h"

#define FUZZ_WORD(w) " " #w " " /* a word of the language */
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
/* A kind of cases: the objects of a case, and the rule of its inputs. */
struct fuzz_kind {
    const char *name;
    uint32_t weight; /* relative frequency among kinds */
    uint32_t links;
    uint64_t needs;
    const char *spec, *service;
    const char *objects; /* text with placeholders */
    const char *begin;   /* the first inputs as text with placeholders; NULL: they are like the others */
    const char *step;    /* rule of an input */
};
extern const struct fuzz_kind fuzz_kinds[];
extern const size_t fuzz_kind_count;

struct fuzz_rules {
    const struct fuzz_rule *rule;
    size_t n;
};
enum { FUZZ_RULE_FILES = 4 };
extern const struct fuzz_rules fuzz_packet_rules, fuzz_work_rules, fuzz_verb_rules, fuzz_cm_rules;
#endif
