/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios as text, played against the reference, and their results. */
#ifndef IBC_RUN_TEST_CASES_H
#define IBC_RUN_TEST_CASES_H
#include "run/run.h"

#define CASE_HEAD(service) "title a test\nspec RR-03\nrole responder\nservice " service "\n"
#define RC CASE_HEAD("rc")
#define UC CASE_HEAD("uc")
#define UD CASE_HEAD("ud")
#define MIDDLE "title a test\nspec RR-03\nrole middle\nservice rc\nqp a dut=1 peer=b recv=8\nqp b dut=2 peer=a recv=8\n"

struct run_case {
    const char *text;
    enum ibc_verdict verdict;
    const char *expected, *got; /* of the finding; NULL: not checked */
};
/* Plays the cases on this link. All cases use one reference target, which is reset before each case. */
void run_cases_on(enum ibc_link link, const struct run_case *c, size_t n);
#define run_cases(c) run_cases_on(IBC_LINK_roce2_ipv4, (c), sizeof(c) / sizeof *(c))

/* Loads and plays one text with these options. The caller owns the result: ibc_result_clear(),
 * ibc_free(r->scenario). */
struct ibc_result run_text(struct ibc_target *t, const char *text, const struct ibc_options *o);
struct ibc_target *run_reference(void);

/* The functions of a reference some of which a test replaces in `changed`; `whole` has the original functions. */
extern struct ibc_target_ops changed;
extern const struct ibc_target_ops *whole;
struct ibc_target *open_changed(void);
void close_changed(struct ibc_target *t, struct ibc_result *r); /* closes the target, and frees the text's result */
#endif
