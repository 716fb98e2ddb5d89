/* SPDX-License-Identifier: BSD-2-Clause */
#include "end.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OWN = 2, PEER = 1 }; /* numbers of the two ends, which end their addresses */
#define SECOND UINT64_C(1000000000)

void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("ibrdmacm: ", stderr);
    (void)vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

iba_time end_now(void)
{
    return ibc_wire_clock();
}

static uint64_t entropy(void *ctx)
{
    return iba_random_next(ctx);
}

/* ---- capture ---- */

static void put32(FILE *f, uint32_t v)
{
    (void)fwrite(&v, sizeof v, 1, f);
}

static FILE *begin_capture(const char *path)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        die("%s: it cannot be written", path);
    put32(f, 0xa1b23c4d); /* nanoseconds */
    put32(f, 4u << 16 | 2);
    put32(f, 0);
    put32(f, 0);
    put32(f, 65535);
    put32(f, 1);
    return f;
}

static void record(struct end *e, const uint8_t *frame, size_t len)
{
    struct timespec now;

    if (!e->capture)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    put32(e->capture, (uint32_t)now.tv_sec);
    put32(e->capture, (uint32_t)now.tv_nsec);
    put32(e->capture, (uint32_t)len);
    put32(e->capture, (uint32_t)len);
    (void)fwrite(frame, 1, len, e->capture);
}

/* ---- the adapter ---- */

static void gid_of(uint8_t gid[16], bool v6, unsigned n)
{
    static const uint8_t prefix[4] = {0x20, 0x01, 0x0d, 0xb8};

    memset(gid, 0, 16);
    if (v6) {
        memcpy(gid, prefix, sizeof prefix);
        gid[15] = (uint8_t)n;
    } else
        iba_gid_set_ipv4(gid, 0x0a000000u + n);
}

static void set_addresses(struct end *e)
{
    struct iba_port *port = iba_ca_port(&e->ca, 1);

    iba_port_init(port, 1, IBA_PORT_ROCE2, IBA_MTU_4096, UINT64_C(0x020000000000) + OWN);
    gid_of(port->gid[0], e->v6, OWN);
    port->n_gid = 1;
    e->to = (struct iba_av){
        .port = 1, .vlan = 0xffff, .hop_limit = 64, .grh = true, .dmac = UINT64_C(0x020000000000) + PEER};
    gid_of(e->to.dgid, e->v6, PEER);
}

static void open_adapter(struct end *e)
{
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = e->qps,
                                      .cq = e->cqs,
                                      .ah = e->ahs,
                                      .key = e->keys,
                                      .pd = e->pds,
                                      .n_qp = SLOTS,
                                      .n_cq = 8,
                                      .n_ah = 8,
                                      .n_key = 8,
                                      .n_pd = 8,
                                      .random = entropy,
                                      .ctx = &e->random};
    struct iba_mr_attr mr = {.base = e->memory,
                             .length = MEMORY,
                             .iova = MEMORY_VA,
                             .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ};

    iba_ca_init(&e->ca, &cfg);
    set_addresses(e);
    must(iba_pd_create(&e->ca.mem, &e->pd) == IBA_MEM_OK, "a protection domain");
    mr.pd = e->pd;
    must(iba_mr_register(&e->ca.mem, &mr, &e->lkey, &e->rkey) == IBA_MEM_OK, "a region");
    must(iba_create_cq(&e->ca, &e->cq, e->wcs, 4 * DEPTH, &e->cqn) == IBA_VERB_OK, "a completion queue");
}

static void open_manager(struct end *e)
{
    const struct iba_cm_config cfg = {.ca_guid = UINT64_C(0x0200000000000000) + OWN,
                                      .port = e->ca.port,
                                      .n_port = 1,
                                      .target_ack_delay = 15,
                                      .conn = e->conn,
                                      .heap = e->heap,
                                      .bucket = e->bucket,
                                      .n_conn = CONNS,
                                      .listener = e->listener,
                                      .n_listener = 4,
                                      .out = e->out,
                                      .event = e->event,
                                      .n_out = RING,
                                      .n_event = RING,
                                      .random = entropy,
                                      .ctx = &e->random};

    iba_cm_init(&e->cm, &cfg);
    must(iba_gsi_open(&e->gsi, &e->ca, &e->cm) == IBA_VERB_OK, "QP1");
}

struct end *end_open(const char *spec, bool v6, const char *capture, unsigned patience)
{
    struct end *e = calloc(1, sizeof *e);
    char err[256];

    if (!e)
        die("no memory");
    e->v6 = v6;
    e->until = end_now() + patience * SECOND;
    iba_random_seed(&e->random, end_now());
    open_adapter(e);
    open_manager(e);
    e->capture = capture ? begin_capture(capture) : NULL;
    e->wire = ibc_wire_open(spec, err, sizeof err);
    if (!e->wire)
        die("%s", err);
    return e;
}

void end_close(struct end *e)
{
    ibc_wire_close(e->wire);
    if (e->capture && fclose(e->capture) != 0)
        die("the capture could not be written");
    free(e);
}

/* ---- the wire ---- */

static void send_all(struct end *e)
{
    static uint8_t frame[IBA_TX_MOST];
    uint8_t port;
    size_t len;

    for (;;) {
        if (iba_gsi_poll(&e->gsi, &port, frame, sizeof frame, &len, end_now()) != IBA_OK || len == 0)
            if (iba_ca_poll(&e->ca, 1, frame, sizeof frame, &len, end_now()) != IBA_OK || len == 0)
                return;
        record(e, frame, len);
        if (!ibc_wire_send(e->wire, frame, len))
            die("%s", e->wire->fault);
    }
}

static void take(struct end *e, const uint8_t *frame, size_t len)
{
    struct iba_view view;

    record(e, frame, len);
    if (iba_view_parse(&view, IBA_LINK_ETHERNET, frame, len, len, NULL) != IBA_OK || view.proto == IBA_PROTO_NONE)
        return;
    iba_view_check(&view);
    iba_gsi_feed(&e->gsi, 1, &view, end_now());
}

/* Time until the adapter or the CM must act, at most `most`. */
static uint64_t idle(const struct end *e, uint64_t most)
{
    const iba_time now = end_now(), ca = iba_ca_deadline(&e->ca), cm = iba_cm_deadline(&e->cm);
    const iba_time next = ca < cm ? ca : cm;

    if (next <= now)
        return 0;
    return next - now < most ? next - now : most;
}

static void step(struct end *e, uint64_t most)
{
    static uint8_t frame[IBC_WIRE_MOST];
    uint64_t at;
    size_t len;

    iba_ca_advance(&e->ca, end_now());
    iba_cm_advance(&e->cm, end_now());
    send_all(e);
    if (ibc_wire_receive(e->wire, frame, &len, &at, idle(e, most)) == IBC_WIRE_FRAME)
        take(e, frame, len);
    send_all(e);
    if (end_now() > e->until)
        die("it takes too long");
}

void end_serve(struct end *e, double seconds)
{
    const iba_time until = end_now() + (iba_time)(seconds * (double)SECOND);

    for (iba_time now = end_now(); now < until; now = end_now())
        step(e, until - now);
}

/* A program gets no event at the end of TimeWait, nor for a copy of a message that it has answered. */
const struct iba_cm_event *end_event_within(struct end *e, double seconds)
{
    static struct iba_cm_event event;
    const iba_time until = end_now() + (iba_time)(seconds * (double)SECOND);

    for (;;) {
        while (iba_cm_next_event(&e->cm, &event))
            if (event.kind != IBA_CME_TIMEWAIT_EXIT && event.kind != IBA_CME_MRA)
                return &event;
        const iba_time now = end_now();
        if (now >= until)
            return NULL;
        step(e, until - now);
    }
}

const struct iba_cm_event *end_event(struct end *e, enum iba_cm_event_kind kind)
{
    const struct iba_cm_event *v = NULL;

    while (!v)
        v = end_event_within(e, 1);
    if (v->kind != kind)
        die("event %s (%u), not %s", iba_cm_event_name((enum iba_cm_event_kind)v->kind), v->reason,
            iba_cm_event_name(kind));
    return v;
}

struct iba_wc end_completion(struct end *e)
{
    struct iba_wc wc;

    while (iba_poll_cq(&e->ca, e->cqn, &wc) == 0)
        step(e, SECOND);
    if (wc.status != IBA_WC_SUCCESS)
        die("a completion with %s", iba_wc_status_name((enum iba_wc_status)wc.status));
    return wc;
}
