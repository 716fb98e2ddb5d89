/* SPDX-License-Identifier: BSD-2-Clause */
/* Two connection managers on one virtual clock, joined by a lossy network that carries their datagrams. */
#ifndef IBA_TEST_CM_LAB_H
#define IBA_TEST_CM_LAB_H
#include "cm/iba_cm.h"
#include "cm/iba_cm_rules.h"
#include "sim/iba_net.h"

enum { LAB_CONNS = 16, LAB_LISTENERS = 4, LAB_RING = 32, LAB_FLIGHT = 256 };
#define LAB_SERVICE UINT64_C(0x1000000000000042)

struct lab_end {
    struct iba_cm cm;
    struct iba_port port[2];
    struct iba_av to; /* the path to the other end */
    struct iba_cm_conn *conn;
    uint32_t *heap, *bucket;
    struct iba_cm_listener listener[LAB_LISTENERS];
    struct iba_cm_datagram out[LAB_RING];
    struct iba_cm_event event[LAB_RING];
    struct iba_random random;
};
struct lab {
    struct lab_end end[2];
    struct iba_net net;
    struct iba_net_slot slot[LAB_FLIGHT];
    uint8_t bytes[LAB_FLIGHT * IBA_MAD_BYTES];
    iba_time now;
    /* Optional: called for each datagram that leaves; false: it is lost. */
    bool (*leaves)(void *ctx, unsigned from, const struct iba_cm_datagram *d);
    /* Optional: called for each event. Without it, lab_next() hands events out. */
    void (*event)(void *ctx, unsigned end, const struct iba_cm_event *e);
    void *ctx;
    bool unchecked; /* do not check invariants at each step */
};
/* Connects two ends whose ports are of that kind. Each end can have `n_conn` connections. */
void lab_open(struct lab *l, enum iba_port_kind kind, uint32_t n_conn, uint64_t seed, const struct iba_net_faults *f);
void lab_close(struct lab *l);
/* Delivers everything that is due now, then sets the clock to the next deadline, at most to `until`. Returns false if
 * nothing is left to do. */
bool lab_step(struct lab *l, iba_time until);
void lab_run(struct lab *l, iba_time until);
/* Returns the next event of an end within the time `within`; its kind is NONE if no event came. */
struct iba_cm_event lab_next(struct lab *l, unsigned end, iba_time within);
/* Delivers a datagram to `end`. */
void lab_feed(struct lab *l, unsigned end, const uint8_t *mad);
/* Takes the next datagram that an end sends without delay, so that it does not reach the other end. Returns false if
 * there is none. */
bool lab_take(struct lab *l, unsigned end, uint8_t *mad);
/* lab_request() returns a request to LAB_SERVICE from this queue pair; lab_rep() returns a REP. */
struct iba_cm_request lab_request(const struct lab *l, unsigned from, uint32_t qpn);
struct iba_cm_rep lab_rep(uint32_t qpn);
#define LAB_NOTHING ((struct iba_cm_private){NULL, 0})
#endif
