/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to check: prints findings and connections as lines, for people or as JSON. */
#ifndef IBC_CHECK_PRINT_H
#define IBC_CHECK_PRINT_H
#include "check.h"
#include "observer/iba_observer.h"

struct ibc_check_print {
    FILE *out;
    bool json, verbose;
    const struct iba_observer *observer;
    const char *const *file; /* indexed by tag */
    iba_time start;          /* time of the first packet */
    uint64_t severity[IBA_ERROR + 1], connections;
};
void ibc_check_finding(struct ibc_check_print *p, const struct iba_finding *f);
/* Prints both directions of a connection once: if called for the direction that was seen first. */
void ibc_check_connection(struct ibc_check_print *p, FILE *to, const struct iba_flow *f);
/* Prints one direction that the observer forgets. */
void ibc_check_forgotten(struct ibc_check_print *p, FILE *to, const struct iba_flow *f);
void ibc_check_totals(struct ibc_check_print *p);
#endif
