/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to cm_*.c: a message as these files pass it on, and how an end of a connection is found by its address and
 * QP. */
#ifndef DISSECT_CM_MESSAGE_H
#define DISSECT_CM_MESSAGE_H
#include "mad/iba_mad.h"
#include "track/cm_track.h"

struct cm_message {
    const struct packet *p;
    const struct iba_mad *m;
    struct stat_addrs addrs;
    int64_t ns;       /* since the first packet of the run */
    bool from_active; /* the connection is known, and its active end sent the message */
};

/* A data packet shows the address of an end's messages, or that of a path of the connection, so a link for each of
 * these leads to the end. A link holds the number of the connection, the end and the key, plus 1. */
struct cm_end_key {
    uint32_t qpn, lid; /* lid: 1 if the address is a LID */
    uint8_t addr[16];
};
struct cm_end_key cm_end_key(uint32_t qpn, uint8_t kind, const uint8_t *addr);
/* The n-th key of an end. False: the end has no more keys. */
bool cm_nth_key(const struct cm_connection *c, const struct cm_end *e, unsigned n, struct cm_end_key *k);
size_t cm_end_bucket(const struct cm_end_key *k);

/* ---- cm_rules.c ---- */
/* Judges the message and fills t->said. The message's connection (NULL: not known) has taken the message already. */
void cm_rules_judge(struct cm_track *t, const struct cm_message *in, struct cm_connection *c);
#endif
