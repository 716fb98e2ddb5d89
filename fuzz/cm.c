/* SPDX-License-Identifier: BSD-2-Clause */
/* Two connection managers whose users call any verb, over a network that loses, changes and forges their datagrams.
 * After a step the invariants hold at the end that it changed (iba_cm_check): no queue pair has two connections, and
 * every state has its timer. After the input every connection ends, or waits for its user. */
#include "cm/iba_cm.h"
#include "fuzz.h"
#include "sim/iba_random.h"

const struct fuzz_target fuzz_target = {"cm", FUZZ_BYTES, NULL};

enum { CONNS = 8, LISTENERS = 2, RING = 16, FLIGHT = 32, STEPS = 4096, NONE = 2 };
#define SERVICE UINT64_C(0x42)

struct end {
    struct iba_cm cm;
    struct iba_port port;
    struct iba_cm_conn conn[CONNS];
    uint32_t heap[CONNS], bucket[IBA_CM_KEYS * CONNS], id[CONNS];
    struct iba_cm_listener listener[LISTENERS];
    struct iba_cm_datagram out[RING];
    struct iba_cm_event event[RING];
    struct iba_random random;
};
struct world {
    struct end end[2];
    uint8_t flight[FLIGHT][IBA_MAD_BYTES], to[FLIGHT];
    unsigned n_flight;
    iba_time now;
    const uint8_t *data;
    size_t n;
};
static struct world w;

static uint64_t entropy(void *ctx)
{
    return iba_random_next(ctx);
}

static uint8_t next(void)
{
    if (w.n == 0)
        return 0;
    w.n--;
    return *w.data++;
}

static void open_end(unsigned i)
{
    struct end *e = &w.end[i];
    uint32_t number;

    iba_random_seed(&e->random, i + 1);
    iba_port_init(&e->port, 1, IBA_PORT_IB, IBA_MTU_4096, 0x10 + i);
    e->port.lid = (uint16_t)(1 + i);
    iba_cm_init(&e->cm, &(struct iba_cm_config){.ca_guid = 1 + i,
                                                .port = &e->port,
                                                .n_port = 1,
                                                .conn = e->conn,
                                                .heap = e->heap,
                                                .bucket = e->bucket,
                                                .n_conn = CONNS,
                                                .listener = e->listener,
                                                .n_listener = LISTENERS,
                                                .out = e->out,
                                                .event = e->event,
                                                .n_out = RING,
                                                .n_event = RING,
                                                .random = entropy,
                                                .ctx = &e->random});
    for (unsigned d = 0; d < 2; d++)
        FUZZ_CHECK(iba_cm_listen(
                       &e->cm,
                       &(struct iba_cm_listen){.service_id = SERVICE, .service_mask = UINT64_MAX, .datagrams = d == 1},
                       &number) == IBA_CM_OK);
}

static struct iba_av path_to(unsigned i)
{
    return (struct iba_av){.port = 1, .dlid = w.end[i].port.lid};
}

/* Takes the datagrams that an end sends into the network. A datagram without space is lost. */
static void carry(unsigned i)
{
    struct iba_cm_datagram d;
    struct iba_cm_event e;

    while (iba_cm_poll(&w.end[i].cm, &d)) {
        fuzz_note_bytes(d.mad, sizeof d.mad);
        if (w.n_flight == FLIGHT)
            continue;
        memcpy(w.flight[w.n_flight], d.mad, sizeof d.mad);
        w.to[w.n_flight++] = (uint8_t)!i;
    }
    while (iba_cm_next_event(&w.end[i].cm, &e)) {
        fuzz_note(e.kind);
        w.end[i].id[e.id % CONNS] = e.id;
    }
}

/* Delivers a datagram, and returns the end that gets it; NONE: it was lost. */
static unsigned deliver(unsigned at, uint8_t change)
{
    const unsigned to = w.to[at];
    const struct iba_cm_source from = {.av = path_to(!to), .pkey = 0xffff, .port = 1};
    uint8_t mad[IBA_MAD_BYTES];

    memcpy(mad, w.flight[at], sizeof mad);
    if (change & 1)
        mad[next()] = next();
    if (!(change & 2)) { /* otherwise a copy stays in flight */
        w.n_flight--;
        memcpy(w.flight[at], w.flight[w.n_flight], sizeof mad);
        w.to[at] = w.to[w.n_flight];
    }
    if (change & 4)
        return NONE;
    iba_cm_feed(&w.end[to].cm, &from, mad, w.now);
    return to;
}

static void connect(unsigned i)
{
    struct iba_cm_request r = {.req = {.serviceid = SERVICE,
                                       .localqpn = 2 + next() % 16,
                                       .transpsvctype = next() & 3,
                                       .ext_transport = 1,
                                       .remoteresptout = next() & 15,
                                       .localresptout = next() & 15,
                                       .pppmtu = IBA_MTU_1024,
                                       .maxcmretr = next() & 3,
                                       .prim_localacktout = next() & 15,
                                       .prim_locallid = w.end[i].port.lid,
                                       .prim_remotelid = w.end[!i].port.lid},
                               .av = path_to(!i),
                               .peer = (next() & 1) != 0};
    uint32_t id;

    memcpy(r.req.prim_remotegid, w.end[!i].port.gid[0], 16);
    if (iba_cm_connect(&w.end[i].cm, &r, w.now, &id) == IBA_CM_OK)
        w.end[i].id[id % CONNS] = id;
}

static void use(unsigned i, uint8_t verb, uint32_t id)
{
    const struct iba_cm_private none = {NULL, 0};
    const uint32_t qpn = 2u + next() % 16;
    const struct iba_cm_rep rep = {.localqpn = qpn, .localeecn = qpn, .respres = next()};
    const struct iba_cm_sidr_rep sidr = {.qpn = qpn};
    const struct iba_cm_lap lap = {.remoteresptout = next() & 15};
    struct iba_cm *cm = &w.end[i].cm;
    enum iba_cm_err e;

    switch (verb % 12) {
    case 0: e = iba_cm_accept(cm, id, &rep, none, w.now); break;
    case 1: e = iba_cm_confirm(cm, id, none, w.now); break;
    case 2: e = iba_cm_reject(cm, id, next(), none, none, w.now); break;
    case 3: e = iba_cm_delay(cm, id, next() & 15, none, w.now); break;
    case 4: e = iba_cm_established(cm, id, w.now); break;
    case 5: e = iba_cm_disconnect(cm, id, none, w.now); break;
    case 6: e = iba_cm_abandon(cm, id, w.now); break;
    case 7: e = iba_cm_load(cm, id, &lap, none, w.now); break;
    case 8: e = iba_cm_loaded(cm, id, next(), none, none, w.now); break;
    case 9: e = iba_cm_resolved(cm, id, &sidr, none, w.now); break;
    case 10: e = iba_cm_suggest(cm, id, none, w.now); break;
    default: e = iba_cm_suggested(cm, id, none, w.now); break;
    }
    fuzz_note(e);
}

/* Does a step, and returns the end that it may have changed; NONE: neither. */
static unsigned step(uint8_t what)
{
    const unsigned i = what & 1;
    struct iba_cm *cm = &w.end[i].cm;
    const struct iba_cm_resolve r = {.service_id = SERVICE, .response = next() & 15, .av = path_to(!i)};
    uint32_t id;

    switch (what >> 1 & 7) {
    case 0: connect(i); break;
    case 1: (void)iba_cm_resolve(cm, &r, w.now, &id); break;
    case 2:
    case 3:
    case 4:
        if (w.n_flight == 0)
            return NONE;
        return deliver(next() % w.n_flight, next());
    case 5:
        w.now += (iba_time)next() << (what >> 4);
        iba_cm_advance(cm, w.now);
        break;
    default: use(i, what >> 4, w.end[i].id[next() % CONNS]); break;
    }
    return i;
}

/* No datagram arrives any more, and the users end their connections: every connection has to end. */
static void finish(unsigned i)
{
    struct iba_cm *cm = &w.end[i].cm;

    for (unsigned k = 0; k < CONNS; k++)
        if (cm->cfg.conn[k].local_id)
            (void)iba_cm_abandon(cm, cm->cfg.conn[k].local_id, w.now), carry(i);
    for (unsigned k = 0; k < STEPS && iba_cm_deadline(cm) != IBA_NEVER; k++) {
        w.now = iba_cm_deadline(cm) > w.now ? iba_cm_deadline(cm) : w.now;
        iba_cm_advance(cm, w.now);
        carry(i);
        iba_cm_check(cm);
    }
    FUZZ_CHECK(cm->n_used == 0);
    FUZZ_CHECK(iba_cm_deadline(cm) == IBA_NEVER);
    for (unsigned k = 0; k < LISTENERS; k++)
        FUZZ_CHECK(cm->cfg.listener[k].waiting == 0);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    memset(&w, 0, sizeof w);
    w.data = data;
    w.n = n;
    open_end(0);
    open_end(1);
    for (unsigned k = 0; k < STEPS && w.n > 0; k++, fuzz_steps++) {
        const unsigned i = step(next());
        if (i == NONE)
            continue;
        carry(i);
        iba_cm_check(&w.end[i].cm);
    }
    finish(0);
    finish(1);
    return 0;
}
