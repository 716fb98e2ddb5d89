/* SPDX-License-Identifier: BSD-2-Clause */
/* Spoiled subnet managers: each kind alters or drops datagrams of a manager that works, so that a scenario can be
 * shown to fail. */
#ifndef IBC_SM_SPOIL_H
#define IBC_SM_SPOIL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sm_spoiling;
enum sm_spoil_when {
    SM_ALWAYS,
    SM_LATER,   /* once the manager has repressed a trap */
    SM_ARRIVES, /* datagrams that the manager receives, instead of those that it sends */
};
struct sm_spoil {
    const char *name, *sentence; /* sentence: what the manager does wrong */
    uint8_t mgmtclass, method;   /* mgmtclass: 1 stands for both classes of subnet management */
    uint16_t attribute;          /* SM_ANY: each */
    uint8_t when;                /* enum sm_spoil_when */
    /* changes the datagram; NULL: it is dropped, and a request has the answer that a node would give */
    void (*change)(struct sm_spoiling *s, uint8_t *mad);
};
enum { SM_ANY = 0xffff, SM_DATA = 64 };
extern const struct sm_spoil sm_spoils[];
extern const size_t sm_spoil_count;
/* Returns the row of that name; NULL: there is none. */
const struct sm_spoil *sm_spoil_find(const char *name, size_t len);

struct sm_spoiling {
    const struct sm_spoil *row; /* NULL: the manager is as it is */
    bool trapped;               /* the manager has repressed a trap */
    uint8_t kept[SM_DATA];      /* what rows remember */
};
void sm_spoil_begin(struct sm_spoiling *s); /* forgets what an earlier manager did */
/* Alters a datagram (server.alter). */
bool sm_spoil_apply(void *spoiling, bool from_client, uint8_t *mad);
#endif
