/* SPDX-License-Identifier: BSD-2-Clause */
/* Spoiled subnet managers: each kind alters or drops datagrams of a manager that works, so that a scenario can be
 * shown to fail. */
#ifndef IBC_SM_SPOIL_H
#define IBC_SM_SPOIL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sm_spoil {
    const char *name, *sentence; /* sentence: what the manager does wrong */
    uint8_t method;
    uint16_t attribute;
    /* changes the datagram; NULL: it is dropped, and a request has the answer that a node would give */
    void (*change)(uint8_t *mad);
};
extern const struct sm_spoil sm_spoils[];
extern const size_t sm_spoil_count;
/* Returns the row of that name; NULL: there is none. */
const struct sm_spoil *sm_spoil_find(const char *name, size_t len);
/* Alters a datagram (server.alter); ctx: the row, or NULL. */
bool sm_spoil_apply(void *ctx, uint8_t *mad);
#endif
