/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "end.h"
#include "transport/iba_wr_ops.h"

enum { RESPONSE = 20, RETRIES = 15 }; /* code of 4.3 s, and MaxCMRetries, as librdmacm has them */
enum { IP_HEADER = 36, OWN_PORT = 0x1234 };

/* ---- queue pairs ---- */

struct pair *end_pair(struct end *e, enum iba_qp_type type)
{
    struct pair *p = e->pair;

    while (p < e->pair + PAIRS && p->used)
        p++;
    if (p == e->pair + PAIRS)
        die("more than %d queue pairs", PAIRS);
    memset(p, 0, sizeof *p);
    const struct iba_qp_init init = {.type = (uint8_t)type,
                                     .pd = e->pd,
                                     .send_cq = e->cqn,
                                     .recv_cq = e->cqn,
                                     .srq = IBA_NONE,
                                     .sq = p->sq,
                                     .rq = p->rq,
                                     .saved = p->saved,
                                     .n_sq = DEPTH,
                                     .n_rq = DEPTH,
                                     .n_saved = SAVED};
    must(iba_create_qp(&e->ca, &p->qp, &init, &p->qpn) == IBA_VERB_OK, "a queue pair");
    p->used = true;
    return p;
}

void end_drop_pair(struct end *e, struct pair *p)
{
    must(iba_destroy_qp(&e->ca, p->qpn) == IBA_VERB_OK, "to destroy a queue pair");
    p->used = false;
}

struct pair *end_pair_of(struct end *e, uint32_t id)
{
    for (struct pair *p = e->pair; p < e->pair + PAIRS; p++)
        if (p->used && p->id == id)
            return p;
    return NULL;
}

/* Takes the queue pair to a state, with the attributes that the messages of the connection give. */
static void modify(struct end *e, const struct pair *p, enum iba_qp_state state)
{
    struct iba_qp_attr a;
    uint32_t mask;

    must(iba_cm_qp_attr(&e->cm, p->id, state, &a, &mask), "the attributes of a connection");
    a.access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ;
    a.min_rnr = 12; /* 0.64 ms */
    mask |= state == IBA_QPS_INIT ? IBA_QPA_ACCESS : 0;
    must(iba_modify_qp(&e->ca, p->qpn, &a, mask) == IBA_VERB_OK, iba_qp_state_name(state));
}

void end_ready(struct end *e, struct pair *p, uint32_t qkey)
{
    const struct iba_qp_attr init = {.state = IBA_QPS_INIT, .port = 1, .qkey = qkey}, rtr = {.state = IBA_QPS_RTR},
                             rts = {.state = IBA_QPS_RTS, .sq_psn = iba_random_psn(&e->ca)};

    must(iba_modify_qp(&e->ca, p->qpn, &init, IBA_QPA_STATE | IBA_QPA_PORT | IBA_QPA_PKEY_INDEX | IBA_QPA_QKEY) ==
             IBA_VERB_OK,
         "Init");
    must(iba_modify_qp(&e->ca, p->qpn, &rtr, IBA_QPA_STATE) == IBA_VERB_OK, "Ready to Receive");
    must(iba_modify_qp(&e->ca, p->qpn, &rts, IBA_QPA_STATE | IBA_QPA_SQ_PSN) == IBA_VERB_OK, "Ready to Send");
}

/* ---- connections ---- */

static uint64_t service(enum ports space, unsigned port)
{
    return (uint64_t)space << 16 | port; /* MD-81 */
}

void end_listen(struct end *e, enum ports space, unsigned port)
{
    const struct iba_cm_listen l = {
        .service_id = service(space, port), .service_mask = UINT64_MAX, .datagrams = space == UDP_SPACE};
    uint32_t number;

    must(iba_cm_listen(&e->cm, &l, &number) == IBA_CM_OK, "to listen");
}

/* The header of the RDMA IP CM service (A11.4.1): version 0, the family, our port, both addresses. */
static void ip_header(const struct end *e, uint8_t h[IP_HEADER])
{
    const uint8_t *own = e->ca.port[0].gid[0], *peer = e->to.dgid;

    memset(h, 0, IP_HEADER);
    h[1] = (uint8_t)(e->v6 ? 6 << 4 : 4 << 4);
    h[2] = OWN_PORT >> 8;
    h[3] = OWN_PORT & 0xff;
    const size_t n = e->v6 ? 16 : 4; /* the last bytes of each */
    memcpy(h + 4 + 16 - n, own + 16 - n, n);
    memcpy(h + 20 + 16 - n, peer + 16 - n, n);
}

void end_connect(struct end *e, struct pair *p, unsigned port, unsigned retries)
{
    end_connect_with(e, p, port, retries, NULL, 0);
}

void end_connect_with(struct end *e, struct pair *p, unsigned port, unsigned retries, const void *private_data,
                      size_t n)
{
    uint8_t header[IBA_CM_REQ_BYTES];
    struct iba_cm_request r = {.req = {.serviceid = service(TCP_SPACE, port),
                                       .localqpn = p->qpn,
                                       .responderres = 1,
                                       .initdepth = 1,
                                       .remoteresptout = RESPONSE,
                                       .startpsn = iba_random_psn(&e->ca),
                                       .localresptout = RESPONSE,
                                       .retrcount = (uint8_t)retries,
                                       .pkey = 0xffff,
                                       .pppmtu = IBA_MTU_1024,
                                       .rnrretrcount = 7,
                                       .maxcmretr = RETRIES,
                                       .prim_pktrate = 3,
                                       .prim_hoplim = 64,
                                       .prim_localacktout = 18},
                               .private_data = {header, IP_HEADER + n},
                               .av = e->to};

    ip_header(e, header);
    must(n <= sizeof header - IP_HEADER, "so much private data");
    if (n > 0)
        memcpy(header + IP_HEADER, private_data, n);
    memcpy(r.req.prim_localgid, e->ca.port[0].gid[0], 16);
    memcpy(r.req.prim_remotegid, e->to.dgid, 16);
    must(iba_cm_connect(&e->cm, &r, end_now(), &p->id) == IBA_CM_OK, "to connect");
}

void end_confirm(struct end *e, struct pair *p)
{
    for (enum iba_qp_state s = IBA_QPS_INIT; s <= IBA_QPS_RTS; s++)
        if (s != IBA_QPS_INIT || p->qp.state == IBA_QPS_RESET)
            modify(e, p, s);
    must(iba_cm_confirm(&e->cm, p->id, (struct iba_cm_private){0}, end_now()) == IBA_CM_OK, "to confirm");
}

void end_accept(struct end *e, struct pair *p, uint32_t id, const void *private_data, size_t n)
{
    const struct iba_cm_rep rep = {
        .localqpn = p->qpn, .startpsn = iba_random_psn(&e->ca), .respres = 1, .initdepth = 1, .rnrretrcount = 7};

    p->id = id;
    must(iba_cm_accept(&e->cm, id, &rep, (struct iba_cm_private){private_data, n}, end_now()) == IBA_CM_OK,
         "to accept");
    modify(e, p, IBA_QPS_INIT);
    modify(e, p, IBA_QPS_RTR);
    modify(e, p, IBA_QPS_RTS); /* as librdmacm does: the peer may take a message of ours for the RTU */
}

void end_established(struct end *e, struct pair *p)
{
    const struct iba_cm_event *v = end_event(e, IBA_CME_ESTABLISHED);

    if (v->id != p->id)
        die("another connection is established");
}

void end_disconnect(struct end *e, uint32_t id)
{
    must(iba_cm_disconnect(&e->cm, id, (struct iba_cm_private){0}, end_now()) == IBA_CM_OK, "to disconnect");
}

void end_leave(struct end *e, uint32_t id)
{
    const struct iba_cm_event *v = end_event_within(e, 3);
    const bool asked = v && v->kind == IBA_CME_DREQ;

    if (v && !asked)
        die("event %s", iba_cm_event_name((enum iba_cm_event_kind)v->kind));
    end_disconnect(e, id);
    if (!asked)
        (void)end_event(e, IBA_CME_DREP);
}

void end_resolve(struct end *e, unsigned port)
{
    uint8_t header[IP_HEADER];
    const struct iba_cm_resolve r = {.service_id = service(UDP_SPACE, port),
                                     .pkey = 0xffff,
                                     .response = RESPONSE,
                                     .retries = RETRIES,
                                     .private_data = {header, sizeof header},
                                     .av = e->to};
    uint32_t id;

    ip_header(e, header);
    must(iba_cm_resolve(&e->cm, &r, end_now(), &id) == IBA_CM_OK, "to resolve a service");
}

/* ---- work requests ---- */

void end_post_recv(struct end *e, const struct pair *p, size_t at, uint32_t n)
{
    const struct iba_recv_wr wr = {.wr_id = at, .n_sge = 1, .sge = {{MEMORY_VA + at, n, e->lkey}}};

    must(iba_post_recv(&e->ca, p->qpn, &wr) == IBA_VERB_OK, "a receive");
}

void end_post(struct end *e, const struct pair *p, struct iba_send_wr *wr, size_t at, uint32_t n)
{
    wr->flags |= IBA_WR_SIGNALED;
    wr->n_sge = 1;
    wr->sge[0] = (struct iba_sge){MEMORY_VA + at, n, e->lkey};
    must(iba_post_send(&e->ca, p->qpn, wr) == IBA_VERB_OK, iba_wr_op_name((enum iba_wr_op)wr->op));
}

void end_post_send(struct end *e, const struct pair *p, size_t at, uint32_t n)
{
    end_post(e, p, &(struct iba_send_wr){.op = IBA_WR_SEND}, at, n);
}
