/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the CM: functions that its files share. Not for users of libiba. */
#ifndef IBA_CM_INPUT_H
#define IBA_CM_INPUT_H
#include "cm/iba_cm_rules.h"
#include "wire/iba_change.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An input of the CM, and the connection that the input is for. */
struct iba_cm_rx {
    struct iba_cm *cm;
    struct iba_cm_conn *c; /* NULL: none */
    uint8_t on;            /* enum iba_cm_input */
    iba_time now;
    /* a message */
    const uint8_t *mad, *data; /* NULL: no message */
    const struct iba_cm_source *from;
    struct iba_cm_conn *stale;        /* REQ, REP: another connection with the sender's queue pair */
    struct iba_cm_listener *listener; /* REQ, SIDR_REQ: the listener for it; NULL: none */
    /* a verb */
    const void *body; /* the layout that the caller filled in, as wire bytes; NULL: none */
    struct iba_cm_private priv, ari;
    uint16_t reason; /* reason of a REJ, or status of an APR */
};

static inline bool iba_cm_is_up(uint8_t state) /* the connection is in Established or one of its sub-states */
{
    return state >= IBA_CMS_ESTABLISHED && state <= IBA_CMS_MRA_LAP_SENT;
}

/* ---- iba_cm_apply.c ---- */
/* Applies the first row of the table whose conditions hold, and returns the row; NULL: no row applies. */
const struct iba_cm_rule *iba_cm_apply(struct iba_cm_rx *x, enum iba_cm_table t);
/* Disconnects a connection that the peer has forgotten (MD-73). */
void iba_cm_forget(struct iba_cm *cm, struct iba_cm_conn *c, iba_time now);

/* ---- iba_cm_conns.c: connections, and how they are found ---- */
struct iba_cm_conn *iba_cm_conn_new(struct iba_cm *cm); /* NULL: all are used */
void iba_cm_conn_free(struct iba_cm *cm, struct iba_cm_conn *c);
struct iba_cm_conn *iba_cm_by_id(const struct iba_cm *cm, uint32_t id);
struct iba_cm_conn *iba_cm_by_remote_id(const struct iba_cm *cm, uint64_t guid, uint32_t id);
struct iba_cm_conn *iba_cm_by_remote_qp(const struct iba_cm *cm, uint64_t guid, uint32_t qpn);
struct iba_cm_conn *iba_cm_by_local_qp(const struct iba_cm *cm, uint32_t qpn);
/* Sets the keys by which a connection is found. A number 0 is no key. */
void iba_cm_set_remote(struct iba_cm *cm, struct iba_cm_conn *c, uint64_t guid, uint32_t id, uint32_t qpn);
void iba_cm_set_local_qp(struct iba_cm *cm, struct iba_cm_conn *c, uint32_t qpn);
/* Returns the connection that sent a REQ for this service, and would also take a REQ for the same service from its peer
 * (MD-86). */
struct iba_cm_conn *iba_cm_peer_of(const struct iba_cm *cm, uint64_t service_id);
void iba_cm_set_peer(struct iba_cm *cm, struct iba_cm_conn *c); /* call it when `req` of the connection is filled in */
void iba_cm_conns_init(struct iba_cm *cm);

/* ---- iba_cm_heap.c: timers ---- */
void iba_cm_set_timer(struct iba_cm *cm, struct iba_cm_conn *c, iba_time due); /* `due` IBA_NEVER: stops the timer */
struct iba_cm_conn *iba_cm_first_due(const struct iba_cm *cm);                 /* NULL: no timer runs */
/* Returns for how long the timer runs. */
iba_time iba_cm_timeout(const struct iba_cm_conn *c, enum iba_cm_timer t);

/* ---- iba_cm_build.c: datagrams and events ---- */
/* Builds the message that a row answers with, and puts it into the ring of datagrams. */
void iba_cm_answer(struct iba_cm_rx *x, enum iba_cm_answer a, uint16_t code);
void iba_cm_report(struct iba_cm_rx *x, enum iba_cm_event_kind k);
bool iba_cm_has_room(const struct iba_cm *cm);

/* ---- iba_cm_request.c: conditions on a REQ, and what the connection takes from the REQ ---- */
iba_cm_when iba_cm_no_service, iba_cm_wrong_type, iba_cm_wrong_mtu, iba_cm_foreign_gid, iba_cm_foreign_lid,
    iba_cm_blocked_sl, iba_cm_foreign_alt_gid, iba_cm_foreign_alt_lid, iba_cm_wrong_ip, iba_cm_stale, iba_cm_no_slot,
    iba_cm_full_backlog, iba_cm_peer_loses;
iba_cm_take iba_cm_take_req, iba_cm_take_sidr_req, iba_cm_take_stale, iba_cm_yield;

/* ---- iba_cm_alternate.c: alternate paths ---- */
bool iba_cm_has_alternate(const uint8_t *req);
/* Returns the number of the port with that GID or LID; 0: no port has it. An alternate path may lead to any port of the
 * adapter.
 */
uint8_t iba_cm_port_with_gid(const struct iba_cm *cm, const uint8_t *gid);
uint8_t iba_cm_port_with_lid(const struct iba_cm *cm, uint16_t lid);
iba_cm_when iba_cm_lap_foreign_lid, iba_cm_lap_foreign_gid;
iba_cm_take iba_cm_take_lap, iba_cm_take_load, iba_cm_take_alternate;
/* Gives the alternate path of the connection, seen from this end. False: the connection has none, or uses Ethernet,
 * where a path needs a MAC address that no message has. */
bool iba_cm_alternate(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_av *av);

/* ---- iba_cm_find.c: which connection a message is for ---- */
void iba_cm_match(struct iba_cm_rx *x);
uint64_t iba_cm_sidr_key(const struct iba_cm_rx *x); /* identifies the sender of a SIDR_REQ */

#ifdef __cplusplus
}
#endif

#endif
