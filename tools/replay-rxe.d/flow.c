/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the directions of the capture: the requester, the responder, and their packets. */
#include <stdlib.h>
#include <string.h>
#include "replay.h"
#include "wire/iba_opcode_rows.h"

const struct packet *flow_request(const struct capture_file *c, const struct flow *f, size_t i)
{
    return &c->packet[f->request[i]];
}

const struct packet *flow_response(const struct capture_file *c, const struct flow *f, size_t i)
{
    return &c->packet[f->response[i]];
}

/* Addresses of both ends in the form of a port (RO-16). False: the packet is not RoCEv2, and is ignored. */
static bool addresses(const struct packet *p, struct address *from, struct address *to)
{
    const uint8_t *eth = packet_hdr(p, IBA_H_eth);
    struct iba_endpoint_gids gids;

    if (!eth || p->view.proto != IBA_PROTO_ROCE2 || !iba_endpoints_gids(&gids, &p->view))
        return false;
    from->mac = iba_eth_src(eth);
    to->mac = iba_eth_dst(eth);
    memcpy(from->gid, gids.src, sizeof from->gid);
    memcpy(to->gid, gids.dst, sizeof to->gid);
    return true;
}

static bool same(const struct address *a, const struct address *b)
{
    return memcmp(a->gid, b->gid, sizeof a->gid) == 0;
}

static struct flow *find(struct flows *fs, const struct packet *p, const struct address *from, const struct address *to)
{
    for (size_t i = 0; i < fs->n; i++) {
        struct flow *f = &fs->flow[i];
        if (f->qpn == iba_bth_destqp(iba_view_bth(&p->view)) && f->service == packet_opcode(p) >> 5 &&
            same(&f->from, from) && same(&f->to, to))
            return f;
    }
    return NULL;
}

static void add_request(struct flows *fs, const struct capture_file *c, size_t at)
{
    const struct packet *p = &c->packet[at];
    struct address from, to;
    struct flow *f;

    if (!addresses(p, &from, &to))
        return;
    f = find(fs, p, &from, &to);
    if (!f && !packet_good(p)) /* damaged, and not from the address of a known requester */
        return;
    if (!f) {
        fs->flow = grow(fs->flow, fs->n, sizeof *fs->flow);
        f = &fs->flow[fs->n++];
        *f = (struct flow){.from = from,
                           .to = to,
                           .qpn = iba_bth_destqp(iba_view_bth(&p->view)),
                           .peer_qpn = IBA_NONE,
                           .service = (uint8_t)(packet_opcode(p) >> 5)};
        const uint8_t *deth = packet_hdr(p, IBA_H_deth);
        if (deth)
            f->peer_qpn = iba_deth_srcqp(deth);
    }
    f->request = grow(f->request, f->n_request, sizeof *f->request);
    f->request[f->n_request++] = at;
}

/* The distance of the response's PSN from earlier requests; UINT32_MAX if there were none. */
static uint32_t distance(const struct capture_file *c, const struct flow *f, const struct packet *p)
{
    enum { LEAST_MTU = 256 };
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < f->n_request && flow_request(c, f, i)->number < p->number; i++) {
        const struct packet *q = flow_request(c, f, i);
        const uint8_t *reth = packet_hdr(q, IBA_H_reth);
        if (!packet_good(q))
            continue;
        const int32_t d = iba_psn_diff(packet_psn(p), packet_psn(q));
        const int32_t n =
            packet_opcode(q) == IBA_RC_READ_REQUEST && reth ? (int32_t)(iba_reth_dmalen(reth) / LEAST_MTU) : 0;
        const uint32_t far = d < 0 ? (uint32_t)-d : d <= n ? 0 : (uint32_t)(d - n);
        best = far < best ? far : best;
    }
    return best;
}

static void add_response(struct flows *fs, const struct capture_file *c, size_t at)
{
    enum { FAR = 4096 }; /* PSNs: more than are ever outstanding */
    const struct packet *p = &c->packet[at];
    const uint32_t qpn = iba_bth_destqp(iba_view_bth(&p->view));
    struct address from, to;
    struct flow *best = NULL;
    uint32_t best_far = FAR;

    if (!addresses(p, &from, &to) || !packet_good(p))
        return;
    for (size_t i = 0; i < fs->n; i++) {
        struct flow *f = &fs->flow[i];
        if (f->service != IBA_RC || !same(&f->from, &to) || !same(&f->to, &from) ||
            (f->peer_qpn != IBA_NONE && f->peer_qpn != qpn))
            continue;
        const uint32_t far = distance(c, f, p);
        if (far < best_far || (far < FAR && f->peer_qpn == qpn))
            best = f, best_far = f->peer_qpn == qpn ? 0 : far;
    }
    if (!best) {
        fs->alone++;
        return;
    }
    best->peer_qpn = qpn;
    best->response = grow(best->response, best->n_response, sizeof *best->response);
    best->response[best->n_response++] = at;
}

static bool wanted(const struct packet *p)
{
    const unsigned service = packet_opcode(p) >> 5;

    return service == IBA_RC || service == IBA_UC || service == IBA_UD;
}

void flows_find(const struct capture_file *c, struct flows *fs)
{
    *fs = (struct flows){0};
    for (size_t i = 0; i < c->n; i++) {
        const struct packet *p = &c->packet[i];
        if (!iba_view_is_transport(&p->view) || !iba_view_has_bth(&p->view) || !wanted(p))
            continue;
        if (iba_opcodes[packet_opcode(p)].name && iba_opcodes[packet_opcode(p)].dir == IBA_RSP)
            add_response(fs, c, i);
        else
            add_request(fs, c, i);
    }
}

void flows_free(struct flows *fs)
{
    for (size_t i = 0; i < fs->n; i++) {
        free(fs->flow[i].request);
        free(fs->flow[i].response);
    }
    free(fs->flow);
}

static void look(const struct packet *p, uint32_t *exact, uint32_t *most)
{
    if (!packet_good(p) || !p->view.op)
        return;
    if (p->view.op->pay == IBA_PAY_PMTU)
        *exact = p->view.payload_len;
    if (p->view.payload_len > *most)
        *most = p->view.payload_len;
}

enum iba_mtu flow_mtu(const struct capture_file *c, const struct flow *f)
{
    enum { USUAL = 1024 };
    uint32_t exact = 0, most = 0;

    for (size_t i = 0; i < f->n_request; i++)
        look(flow_request(c, f, i), &exact, &most);
    for (size_t i = 0; i < f->n_response; i++)
        look(flow_response(c, f, i), &exact, &most);
    if (exact == 0)
        exact = most > USUAL ? most : USUAL;
    for (enum iba_mtu m = IBA_MTU_256; m < IBA_MTU_4096; m++)
        if (exact <= iba_mtu_bytes(m))
            return m;
    return IBA_MTU_4096;
}
