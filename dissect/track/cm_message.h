/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the connections: a message as their files pass it on, and how an end is found by its address and QP. */
#ifndef DISSECT_CM_MESSAGE_H
#define DISSECT_CM_MESSAGE_H
#include "mad/iba_mad.h"
#include "track/cm_track.h"

struct cm_message {
    const struct packet *p;
    const struct iba_mad *m;
    struct stat_addrs addrs;
    int64_t ns;       /* since the first packet of the run */
    bool from_active; /* its connection is known, and the active end sent it */
};

/* A data packet shows the address of an end's messages, or that of a path of the connection: a link for each leads to
 * the end. Links hold the number of connection, end and key, plus 1. */
struct cm_end_key {
    uint32_t qpn, lid; /* lid: 1 if the address is a LID */
    uint8_t addr[16];
};
struct cm_end_key cm_end_key(uint32_t qpn, uint8_t kind, const uint8_t *addr);
/* The n-th key of an end. False: it has none. */
bool cm_nth_key(const struct cm_connection *c, const struct cm_end *e, unsigned n, struct cm_end_key *k);
size_t cm_end_bucket(const struct cm_end_key *k);

/* ---- cm_rules.c ---- */
/* Judges the message, whose connection (NULL: not known) has taken it already: fills t->said. */
void cm_rules_judge(struct cm_track *t, const struct cm_message *in, struct cm_connection *c);
#endif
