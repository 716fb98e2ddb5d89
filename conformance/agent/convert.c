/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts core's structures to those of the protocol, and back. */
#include <string.h>
#include "protocol.h"
#include "transport/iba_wr_ops.h"

/* ---- addresses ---- */

static bool is_zero(const uint8_t *b)
{
    static const uint8_t zero[16];

    return memcmp(b, zero, sizeof zero) == 0;
}

static struct ag_gid gid_of(const uint8_t *b)
{
    struct ag_gid g;

    memcpy(g.b, b, sizeof g.b);
    return g;
}

struct ag_address ag_from_address(const struct ibc_address *a)
{
    struct ag_address to = {0};

    if (a->mac != 0)
        AG_SET(&to, address, mac, a->mac);
    if (a->ipv4 != 0)
        AG_SET(&to, address, ipv4, a->ipv4);
    if (!is_zero(a->ipv6))
        AG_SET(&to, address, ipv6, gid_of(a->ipv6));
    if (!is_zero(a->gid))
        AG_SET(&to, address, gid, gid_of(a->gid));
    if (a->lid != 0)
        AG_SET(&to, address, lid, a->lid);
    return to;
}

struct ibc_address ag_to_address(const struct ag_address *a)
{
    struct ibc_address to = {.mac = a->mac, .ipv4 = a->ipv4, .lid = a->lid};

    memcpy(to.ipv6, a->ipv6.b, sizeof to.ipv6);
    memcpy(to.gid, a->gid.b, sizeof to.gid);
    return to;
}

/* ---- attributes of queue pairs ---- */

/* clang-format off */
/*    member       core's       bit of the mask */
#define ATTRIBUTES(A)                                                                                                  \
    A(cur_state,   cur_state,   CUR_STATE)                                                                             \
    A(sqd_notify,  sqd_notify,  SQD_NOTIFY)                                                                            \
    A(access,      access,      ACCESS)                                                                                \
    A(pkey,        pkey_index,  PKEY_INDEX)                                                                            \
    A(port,        port,        PORT)                                                                                  \
    A(qkey,        qkey,        QKEY)                                                                                  \
    A(pmtu,        path_mtu,    PATH_MTU)                                                                              \
    A(timeout,     timeout,     TIMEOUT)                                                                               \
    A(retry,       retry,       RETRY)                                                                                 \
    A(rnr_retry,   rnr_retry,   RNR_RETRY)                                                                             \
    A(epsn,        rq_psn,      RQ_PSN)                                                                                \
    A(rd,          max_rd,      MAX_RD)                                                                                \
    A(min_rnr,     min_rnr,     MIN_RNR)                                                                               \
    A(psn,         sq_psn,      SQ_PSN)                                                                                \
    A(dest_rd,     max_dest_rd, MAX_DEST_RD)                                                                           \
    A(mig,         path_mig,    PATH_MIG)                                                                              \
    A(qpn_of_peer, dest_qpn,    DEST_QPN)                                                                              \
    A(flow_control, flow_control, DEST_QPN)
/* clang-format on */

static void from_path(struct ag_modify_qp_args *to, const struct ibc_qp_attr *a, const struct ibc_address *partner)
{
    const struct ibc_address *first = a->to ? a->to : a->to_partner ? partner : NULL;
    const struct ibc_address *second = a->alt ? a->alt : a->to_partner ? partner : NULL;

    if (first)
        AG_SET(to, modify_qp_args, to, ag_from_address(first));
    if (second)
        AG_SET(to, modify_qp_args, alt_to, ag_from_address(second));
    AG_SET(to, modify_qp_args, sl, a->sl);
    AG_SET(to, modify_qp_args, hop, a->hop);
    AG_SET(to, modify_qp_args, tclass, a->tclass);
    AG_SET(to, modify_qp_args, flow, a->flow);
    AG_SET(to, modify_qp_args, sport, a->path.sport);
    AG_SET(to, modify_qp_args, gid_index, a->path.gid_index);
    AG_SET(to, modify_qp_args, path_bits, a->path.path_bits);
    if (a->av_port)
        AG_SET(to, modify_qp_args, av_port, a->av_port);
    if (a->alt_port)
        AG_SET(to, modify_qp_args, alt_port, a->alt_port);
    if (a->path.tagged)
        AG_SET(to, modify_qp_args, vlan, a->path.vlan);
}

void ag_from_modify(struct ag_modify_qp_args *to, uint32_t qpn, const struct ibc_qp_attr *a,
                    const struct ibc_address *partner)
{
    *to = (struct ag_modify_qp_args){.qpn = qpn, .state = a->a.state};
#define GIVE(member, core, bit)                                                                                        \
    if (a->mask & IBA_QPA_##bit)                                                                                       \
        AG_SET(to, modify_qp_args, member, a->a.core);
    ATTRIBUTES(GIVE)
    if (a->mask & IBA_QPA_AV)
        AG_SET(to, modify_qp_args, av, true);
    if (a->mask & IBA_QPA_ALT_PATH)
        AG_SET(to, modify_qp_args, alt, true);
    if (a->mask & (IBA_QPA_AV | IBA_QPA_ALT_PATH))
        from_path(to, a, partner);
}

static struct ibc_path path_of(bool tagged, uint16_t vlan, uint16_t sport, uint8_t gid_index, uint8_t path_bits)
{
    return (struct ibc_path){
        .tagged = tagged, .vlan = vlan, .sport = sport, .gid_index = gid_index, .path_bits = path_bits};
}

void ag_to_modify(struct ibc_qp_attr *to, const struct ag_modify_qp_args *a, struct ibc_address room[2])
{
    *to = (struct ibc_qp_attr){.a.state = a->state, .hop = a->hop, .tclass = a->tclass, .sl = a->sl, .flow = a->flow};
#define TAKE(member, core, bit)                                                                                        \
    if (AG_HAS(a, modify_qp_args, member))                                                                             \
        to->a.core = (AG_T_OF(core))a->member, to->mask |= IBA_QPA_##bit;
#define AG_T_OF(core) __typeof__(to->a.core)
    ATTRIBUTES(TAKE)
    if (!AG_HAS(a, modify_qp_args, qpn_of_peer)) /* flow_control alone has no bit in the mask */
        to->mask &= ~(uint32_t)IBA_QPA_DEST_QPN;
    if (a->av)
        to->mask |= IBA_QPA_AV;
    if (a->alt)
        to->mask |= IBA_QPA_ALT_PATH;
    to->path = path_of(AG_HAS(a, modify_qp_args, vlan), a->vlan, a->sport, a->gid_index, a->path_bits);
    to->av_port = a->av_port;
    to->alt_port = a->alt_port;
    if (AG_HAS(a, modify_qp_args, to)) {
        room[0] = ag_to_address(&a->to);
        to->to = &room[0];
    }
    if (AG_HAS(a, modify_qp_args, alt_to)) {
        room[1] = ag_to_address(&a->alt_to);
        to->alt = &room[1];
    }
}

void ag_from_query(struct ag_query_qp_ok *to, const struct iba_qp_attr *a)
{
    *to = (struct ag_query_qp_ok){.state = a->state};
#define FROM_CORE(member, core, bit) AG_SET(to, query_qp_ok, member, a->core);
    ATTRIBUTES(FROM_CORE)
    AG_SET(to, query_qp_ok, alt_lid, a->alt_av.dlid);
    AG_SET(to, query_qp_ok, alt_port, a->alt_av.port);
}

void ag_to_query(struct iba_qp_attr *to, const struct ag_query_qp_ok *a)
{
    *to = (struct iba_qp_attr){.state = a->state};
#define LEARN(member, core, bit) to->core = (__typeof__(to->core))a->member;
    ATTRIBUTES(LEARN)
    to->alt_av.dlid = a->alt_lid;
    to->alt_av.port = a->alt_port;
}

/* ---- work requests ---- */

static void from_sge(struct ag_sges *to, const struct iba_sge *sge, unsigned n)
{
    to->n = n;
    for (unsigned i = 0; i < n && i < IBA_MAX_SGE; i++)
        to->v[i] = (struct ag_sge){.at = sge[i].addr, .len = sge[i].length, .lkey = sge[i].lkey};
}

static uint8_t to_sge(struct iba_sge *sge, const struct ag_sges *from)
{
    const uint64_t n = from->n < IBA_MAX_SGE ? from->n : IBA_MAX_SGE;

    for (unsigned i = 0; i < n; i++)
        sge[i] = (struct iba_sge){.addr = from->v[i].at, .length = from->v[i].len, .lkey = from->v[i].lkey};
    return (uint8_t)n;
}

static bool takes_key(uint8_t op)
{
    return op == IBA_WR_SEND_INV || op == IBA_WR_LOCAL_INV;
}

static bool is_atomic(uint8_t op)
{
    return op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD;
}

static void from_bind(struct ag_send *to, const struct iba_send_wr *wr)
{
    AG_SET(to, send, mw, wr->bind.mw_rkey);
    AG_SET(to, send, lkey, wr->bind.mr_lkey);
    AG_SET(to, send, va, wr->bind.va);
    AG_SET(to, send, len, wr->bind.length);
    AG_SET(to, send, access, wr->bind.access);
    AG_SET(to, send, key, wr->bind.key_byte);
}

static void from_remote(struct ag_send *to, const struct iba_send_wr *wr)
{
    AG_SET(to, send, to, wr->va);
    AG_SET(to, send, rkey, wr->rkey);
    AG_SET(to, send, srqn, wr->xrc_srqn);
    if (is_atomic(wr->op)) {
        AG_SET(to, send, cmp, wr->compare_add);
        AG_SET(to, send, swap, wr->swap);
    }
    if (wr->op == IBA_WR_FLUSH) {
        AG_SET(to, send, placement, wr->flush_placement);
        AG_SET(to, send, selectivity, wr->flush_selectivity);
    }
}

static void from_dest(struct ag_dest *to, const struct ibc_ah_spec *d)
{
    if (d->to)
        AG_SET(to, dest, to, ag_from_address(d->to));
    if (d->group)
        AG_SET(to, dest, group, gid_of(d->group));
    AG_SET(to, dest, sl, d->sl);
    AG_SET(to, dest, hop, d->hop);
    AG_SET(to, dest, tclass, d->tclass);
    AG_SET(to, dest, sport, d->path.sport);
    AG_SET(to, dest, gid_index, d->path.gid_index);
    AG_SET(to, dest, path_bits, d->path.path_bits);
    if (d->port)
        AG_SET(to, dest, port, d->port);
    if (d->has_pd)
        AG_SET(to, dest, pd, d->pd);
    if (d->none)
        AG_SET(to, dest, none, true);
    if (d->path.tagged)
        AG_SET(to, dest, vlan, d->path.vlan);
}

void ag_from_send(struct ag_post_send_args *to, uint32_t qpn, const struct ibc_send *s, bool datagram)
{
    const struct iba_send_wr *wr = &s->wr;
    struct ag_send *t = &to->wr;

    *to = (struct ag_post_send_args){.qpn = qpn, .wr.op = wr->op};
    AG_SET(t, send, id, wr->wr_id);
    AG_SET(t, send, signaled, (wr->flags & IBA_WR_SIGNALED) != 0);
    AG_SET(t, send, solicited, (wr->flags & IBA_WR_SOLICITED) != 0);
    AG_SET(t, send, fence, (wr->flags & IBA_WR_FENCE) != 0);
    if (wr->flags & IBA_WR_INLINE)
        AG_SET(t, send, inlined, true);
    from_sge(&t->sge, wr->sge, wr->n_sge);
    t->given |= AG_BIT(send, sge);
    if (takes_key(wr->op))
        AG_SET(t, send, inv, wr->imm_or_key);
    else if (wr->imm_or_key != 0)
        AG_SET(t, send, imm, wr->imm_or_key);
    if (wr->op == IBA_WR_BIND_MW) {
        from_bind(t, wr);
    } else if (datagram) {
        AG_SET(t, send, qpn, wr->remote_qpn);
        AG_SET(t, send, qkey, wr->remote_qkey);
        from_dest(&to->dest, &s->dest);
        to->given |= AG_BIT(post_send_args, dest);
    } else {
        from_remote(t, wr);
    }
}

static void to_bind(struct iba_send_wr *wr, const struct ag_send *a)
{
    wr->bind.mw_rkey = a->mw;
    wr->bind.mr_lkey = a->lkey;
    wr->bind.va = a->va;
    wr->bind.length = a->len;
    wr->bind.access = (uint16_t)a->access;
    wr->bind.key_byte = a->key;
}

static void to_remote(struct iba_send_wr *wr, const struct ag_send *a)
{
    wr->va = a->to;
    wr->rkey = a->rkey;
    wr->xrc_srqn = a->srqn;
    if (is_atomic(wr->op)) {
        wr->compare_add = a->cmp;
        wr->swap = a->swap;
    } else if (wr->op == IBA_WR_FLUSH) {
        wr->flush_placement = a->placement;
        wr->flush_selectivity = a->selectivity;
    }
}

static void to_dest(struct ibc_ah_spec *to, const struct ag_dest *d, struct ibc_address *room)
{
    *to = (struct ibc_ah_spec){.hop = d->hop,
                               .tclass = d->tclass,
                               .sl = d->sl,
                               .pd = d->pd,
                               .has_pd = AG_HAS(d, dest, pd),
                               .none = d->none,
                               .port = d->port};
    to->path = path_of(AG_HAS(d, dest, vlan), d->vlan, d->sport, d->gid_index, d->path_bits);
    if (AG_HAS(d, dest, group))
        to->group = d->group.b;
    if (AG_HAS(d, dest, to)) {
        *room = ag_to_address(&d->to);
        to->to = room;
    }
}

void ag_to_send(struct ibc_send *to, const struct ag_post_send_args *a, struct ibc_address *room)
{
    const struct ag_send *t = &a->wr;
    struct iba_send_wr *wr = &to->wr;

    memset(to, 0, sizeof *to);
    wr->wr_id = t->id;
    wr->op = t->op;
    wr->flags = (uint8_t)((t->signaled ? IBA_WR_SIGNALED : 0) | (t->solicited ? IBA_WR_SOLICITED : 0) |
                          (t->fence ? IBA_WR_FENCE : 0) | (t->inlined ? IBA_WR_INLINE : 0));
    wr->imm_or_key = takes_key(t->op) ? t->inv : t->imm;
    wr->n_sge = to_sge(wr->sge, &t->sge);
    if (t->op == IBA_WR_BIND_MW) {
        to_bind(wr, t);
    } else if (AG_HAS(a, post_send_args, dest) || AG_HAS(t, send, qpn)) {
        wr->remote_qpn = t->qpn;
        wr->remote_qkey = t->qkey;
        to_dest(&to->dest, &a->dest, room);
    } else {
        to_remote(wr, t);
    }
}

struct ag_recv ag_from_recv(const struct iba_recv_wr *wr)
{
    struct ag_recv to = {0};

    AG_SET(&to, recv, id, wr->wr_id);
    from_sge(&to.sge, wr->sge, wr->n_sge);
    to.given |= AG_BIT(recv, sge);
    return to;
}

struct ibc_qp_spec ag_to_qp_spec(const struct ag_create_qp_args *a)
{
    return (struct ibc_qp_spec){.type = a->type,
                                .pd = a->pd,
                                .scq = a->scq,
                                .rcq = a->rcq,
                                .srq = a->srq,
                                .has_srq = AG_HAS(a, create_qp_args, srq),
                                .xrcd = a->xrcd,
                                .has_xrcd = AG_HAS(a, create_qp_args, xrcd),
                                .sig_all = a->sig_all,
                                .sq = a->sq,
                                .rq = a->rq};
}

struct ibc_mr_spec ag_to_mr_spec(const struct ag_reg_mr_args *a)
{
    return (struct ibc_mr_spec){.pd = a->pd,
                                .length = a->length,
                                .iova = a->iova,
                                .has_iova = AG_HAS(a, reg_mr_args, iova),
                                .access = (uint32_t)a->access,
                                .fill = a->fill};
}

struct ibc_reregister ag_to_reregister(const struct ag_reregister_args *a)
{
    return (struct ibc_reregister){.lkey = a->lkey,
                                   .has_pd = AG_HAS(a, reregister_args, pd),
                                   .pd = a->pd,
                                   .has_access = AG_HAS(a, reregister_args, access),
                                   .access = (uint32_t)a->access,
                                   .has_range = AG_HAS(a, reregister_args, length),
                                   .length = a->length,
                                   .fill = a->fill};
}

struct iba_recv_wr ag_to_recv(const struct ag_recv *r)
{
    struct iba_recv_wr wr = {.wr_id = r->id};

    wr.n_sge = to_sge(wr.sge, &r->sge);
    return wr;
}

/* ---- completions and events ---- */

struct ag_wc ag_from_wc(const struct iba_wc *wc)
{
    struct ag_wc to = {.id = wc->wr_id, .status = wc->status};

    AG_SET(&to, wc, op, wc->op);
    AG_SET(&to, wc, bytes, wc->byte_len);
    AG_SET(&to, wc, qpn, wc->qpn);
    AG_SET(&to, wc, srcqp, wc->src_qpn);
    AG_SET(&to, wc, srqn, wc->srqn);
    AG_SET(&to, wc, grh, (wc->flags & IBA_WC_GRH) != 0);
    AG_SET(&to, wc, solicited, (wc->flags & IBA_WC_SOLICITED) != 0);
    AG_SET(&to, wc, sl, wc->sl);
    AG_SET(&to, wc, path_bits, wc->path_bits);
    AG_SET(&to, wc, slid, wc->slid);
    AG_SET(&to, wc, pkey_index, wc->pkey_index);
    if (wc->flags & IBA_WC_WITH_IMM)
        AG_SET(&to, wc, imm, wc->imm_or_key);
    else if (wc->flags & IBA_WC_WITH_INV)
        AG_SET(&to, wc, inv, wc->imm_or_key);
    else if (wc->imm_or_key != 0) /* the new key of a bind */
        AG_SET(&to, wc, rkey, wc->imm_or_key);
    return to;
}

struct iba_wc ag_to_wc(const struct ag_wc *w)
{
    const bool imm = AG_HAS(w, wc, imm), inv = AG_HAS(w, wc, inv);

    return (struct iba_wc){
        .wr_id = w->id,
        .status = w->status,
        .op = w->op,
        .flags = (uint8_t)((imm ? IBA_WC_WITH_IMM : 0) | (inv ? IBA_WC_WITH_INV : 0) | (w->grh ? IBA_WC_GRH : 0) |
                           (w->solicited ? IBA_WC_SOLICITED : 0)),
        .sl = w->sl,
        .path_bits = w->path_bits,
        .slid = w->slid,
        .pkey_index = w->pkey_index,
        .byte_len = w->bytes,
        .imm_or_key = imm   ? w->imm
                      : inv ? w->inv
                            : w->rkey,
        .qpn = w->qpn,
        .src_qpn = w->srcqp,
        .srqn = w->srqn,
    };
}

struct ag_event ag_from_event(const struct iba_event *e)
{
    struct ag_event to = {.kind = e->kind};

    AG_SET(&to, event, port, e->port);
    AG_SET(&to, event, object, e->object);
    AG_SET(&to, event, key, e->a);
    AG_SET(&to, event, srcqp, e->b);
    return to;
}

struct iba_event ag_to_event(const struct ag_event *e)
{
    return (struct iba_event){.kind = e->kind, .port = e->port, .object = e->object, .a = e->key, .b = e->srcqp};
}
