/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to -z agreed: the observed values of each direction, the agreed values, and the differences. */
#ifndef DISSECT_STATS_AGREED_H
#define DISSECT_STATS_AGREED_H
#include "track/cm_track.h"
#include "stats/ends.h"

struct agreed_range {
    bool any;
    uint16_t least, most;
};
struct agreed_run { /* one packet that is sent again, perhaps several times */
    bool on;
    iba_psn first, last;
    uint32_t n, most;
};
struct agreed_row {
    const struct direction *d;  /* NULL: no packet of the direction was seen */
    uint32_t reads, most_reads; /* READs and ATOMICs without a response yet, including FLUSH and ATOMIC WRITE */
    uint32_t refused;           /* how many were outstanding when one was refused as invalid; 0: none was refused */
    struct agreed_run retry, rnr;
    uint64_t timeout_ns, rnr_wait_ns; /* the shortest of each; 0: none */
    bool acks, credits;
    bool requests, ect, ce, ack_ect; /* ECN: ECT set; CE set; CE set in its ACKs */
    bool too_often;                  /* a packet was sent again more often than any retry counter allows */
    iba_psn psn;                     /* the first PSN of its requests, if there are any */
    struct agreed_range p_key, sl, dscp, hops, migreq, port;
    uint64_t mac[2]; /* source and destination of the last packet; 0 if it has no MAC addresses */
    enum iba_proto proto;
};
struct agreed {
    struct agreed_row row[JUDGE_DIRECTIONS];
    const struct direction *seen[JUDGE_DIRECTIONS];
    size_t n;
    /* InfiniBand packets of any service from an all-zero MAC address, and the first of them */
    uint64_t no_mac, no_mac_frame;
    struct cm_track cm;
};

/* agreed_value.c: the values that are compared. */
enum agreed_shown {
    SHOW_PMTU,
    SHOW_READS,
    SHOW_RETRIES,
    SHOW_TIMEOUT,
    SHOW_RNR_RETRIES,
    SHOW_RNR_WAIT,
    SHOW_CREDITS,
    SHOW_PSN,
    SHOW_PKEY,
    SHOW_SL,
    SHOW_DSCP,
    SHOW_HOPS,
    SHOW_MIGREQ,
    SHOW_PORT,
    SHOWN
};
/* The format of a number. */
enum agreed_form { FORM_NUMBER, FORM_TIME, FORM_HEX4, FORM_HEX6 };
void agreed_number(struct out *o, enum agreed_form form, uint64_t v);

struct agreed_value { /* a value; the agreed one is a single number, the observed one may be a range */
    uint64_t least, most;
};
/* The observed value. False: the capture does not show it. */
bool agreed_observed(const struct agreed_row *r, enum agreed_shown what, struct agreed_value *v);
/* The value that the sender of the direction agreed to; c NULL: the connection is unknown. */
bool agreed_announced(const struct cm_connection *c, bool active, enum agreed_shown what, uint64_t *v);
/* The connection of the direction. `active`: the active end sends this direction. NULL: unknown. */
const struct cm_connection *agreed_connection(const struct agreed *s, const struct direction *d, bool *active);

/* agreed_differ.c: prints one sentence for each difference, in the order of s->seen. */
void agreed_differ_text(const struct agreed *s, struct out *o);
void agreed_differ_json(const struct agreed *s, struct out *o);
/* The number of directions that begin with the most frequent PSN, if they are the majority and at least four; else 0.
 */
uint32_t agreed_same_psn(const struct agreed *s);
#endif
