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
/* Connects two ends whose ports are of that kind. `n_conn`: connections of each. */
void lab_open(struct lab *l, enum iba_port_kind kind, uint32_t n_conn, uint64_t seed, const struct iba_net_faults *f);
void lab_close(struct lab *l);
/* Moves everything that is due now; then the clock to the next deadline, at most to `until`. False: nothing is left. */
bool lab_step(struct lab *l, iba_time until);
void lab_run(struct lab *l, iba_time until);
/* The next event of an end within `within`; kind NONE: there was none. */
struct iba_cm_event lab_next(struct lab *l, unsigned end, iba_time within);
/* A datagram of the other end, or of a stranger with its path, arrives at `end`. */
void lab_feed(struct lab *l, unsigned end, const uint8_t *mad);
/* The next datagram that an end sends at once; false: none. It does not reach the other end. */
bool lab_take(struct lab *l, unsigned end, uint8_t *mad);
/* A request to the service, from the queue pair; a REP. */
struct iba_cm_request lab_request(const struct lab *l, unsigned from, uint32_t qpn);
struct iba_cm_rep lab_rep(uint32_t qpn);
#define LAB_NOTHING ((struct iba_cm_private){NULL, 0})
#endif
