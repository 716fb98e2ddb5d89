/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "transport/iba_wr_ops.h"
#include "world.h"

/* A window's key as it is now: binding gives it another byte. */
static uint32_t window_key(const struct world_end *e, unsigned i)
{
    const uint32_t key = e->window[i], index = iba_key_index(key);

    return index < WORLD_KEYS ? iba_key_of(index, e->keys[index].rkey_byte) : key;
}

struct world_place world_place(struct world *w, unsigned end, bool remote, struct fuzz_in *in)
{
    enum { STALE = 4 };
    const uint8_t what = fuzz_u8(in);
    const uint16_t at = fuzz_u16(in), length = fuzz_u16(in);
    struct world_end *e = &w->end[end];
    const unsigned i = what & PLACE_SPARE ? WORLD_SPARE : what % WORLD_SPARE;
    const struct world_region *r = &e->region[i];
    struct world_place p = {.va = r->va, .length = length};

    /* It ends a byte before the end of the region, there, or a byte behind. */
    p.va += what & PLACE_NEAR_END ? WORLD_BYTES - 1u - length + at % 3u : at % WORLD_BYTES;
    if (what & PLACE_VAST)
        p.length <<= 16;
    p.key = remote ? r->rkey : r->lkey;
    if (what & PLACE_WINDOW)
        p.key = at & STALE ? e->window[at % WORLD_WINDOWS] : window_key(e, at % WORLD_WINDOWS);
    if (what & PLACE_WRONG_KEY)
        p.key ^= 1u << length % 32u;
    return p;
}

/* ---- work ---- */

static uint8_t fill_sge(struct world *w, unsigned end, struct iba_sge *sge, struct fuzz_in *in)
{
    const uint8_t said = fuzz_u8(in), n = said % (IBA_MAX_SGE + 1);

    if (said == UINT8_MAX)
        return IBA_MAX_SGE + 1; /* is refused */
    for (unsigned i = 0; i < n; i++) {
        const struct world_place p = world_place(w, end, false, in);
        sge[i] = (struct iba_sge){p.va, p.length, p.key};
    }
    return n;
}

/* The byte chooses: 8 or more: the EE context, a QP and the Q_Key that exist; less: another Q_Key, and with 1 the QP in
 * place of its context, with 2 a QP that does not exist. */
static void name_context(const struct world *w, unsigned end, unsigned i, struct iba_send_wr *wr, struct fuzz_in *in)
{
    enum { OTHERS = 8 };
    const uint8_t said = fuzz_u8(in);

    wr->rd.eecn = w->end[end].qp[said == 1 ? i : WORLD_CONTEXT].qpn;
    wr->rd.remote_qpn = w->end[w->ends == 2 ? 1 - end : end].qp[said % 2 ? WORLD_RD_OTHER : i].qpn;
    wr->rd.remote_qkey = WORLD_QKEY ^ (said < OTHERS ? (uint32_t)said << 30 : 0);
    if (said == 2)
        wr->rd.remote_qpn = 0xffffff;
}

static void set_remote(struct world *w, unsigned end, unsigned i, struct iba_send_wr *wr, struct fuzz_in *in)
{
    const struct world_place p = world_place(w, w->ends == 2 ? 1 - end : end, true, in);
    const struct world_qp *q = &w->end[end].qp[i];
    const enum iba_qp_type type = q->alive ? (enum iba_qp_type)q->qp.type : world_type(w, i);

    if (wr->op == IBA_WR_BIND_MW) {
        wr->bind.mw_rkey = window_key(&w->end[end], p.length % WORLD_WINDOWS);
        wr->bind.va = p.va;
        wr->bind.length = p.length;
        wr->bind.key_byte = fuzz_u8(in);
        wr->bind.access = (IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ) ^ fuzz_u8(in);
        wr->bind.mr_lkey = w->end[end].region[fuzz_u8(in) % WORLD_REGIONS].lkey;
    } else if (type == IBA_QPT_RC || type == IBA_QPT_UC || type == IBA_QPT_XRC_INI || type == IBA_QPT_RD) {
        wr->va = p.va;
        wr->rkey = p.key;
        wr->compare_add = fuzz_u8(in);
        if (wr->op == IBA_WR_FLUSH) {
            wr->flush_placement = fuzz_u8(in);
            wr->flush_selectivity = fuzz_u8(in);
        } else
            wr->swap = fuzz_u8(in);
        wr->xrc_srqn = fuzz_u8(in);
        if (type == IBA_QPT_RD)
            name_context(w, end, i, wr, in);
    } else {
        wr->ah = fuzz_u8(in) % (WORLD_AHS + 1);
        wr->remote_qpn = q->qpn ^ (uint32_t)fuzz_u8(in) << 20; /* and beyond what there may be */
        if (fuzz_u8(in) & 1)
            wr->remote_qpn = 0xffffff;
        wr->remote_qkey = type == IBA_QPT_GSI ? IBA_GSI_QKEY : WORLD_QKEY;
        wr->remote_qkey ^= (uint32_t)fuzz_u8(in) << 24;
    }
    wr->imm_or_key = p.key;
}

void world_post_send(struct world *w, unsigned end, struct fuzz_in *in)
{
    const unsigned i = fuzz_u8(in) % WORLD_QPS;
    struct iba_send_wr wr = {.wr_id = i, .op = fuzz_u8(in) % IBA_WR_OP_COUNT, .flags = fuzz_u8(in) & 7};

    wr.n_sge = fill_sge(w, end, wr.sge, in);
    set_remote(w, end, i, &wr, in);
    world_log_send(end, i, &wr);
    fuzz_note(iba_post_send(&w->end[end].ca, w->end[end].qp[i].qpn, &wr));
}

/* Adds the receive for tags with or without one bit, or for all, or removes one. Software knows of all unexpected
 * messages, or not of the newest. */
static void tag(struct world_end *e, const struct iba_recv_wr *wr, uint8_t how)
{
    const uint32_t handled = e->srq.tags.unexpected - (how >> 2 & 1);
    uint32_t handle;

    if (how & 8)
        fuzz_note(iba_remove_tag(&e->ca, e->srqn, how >> 4, handled));
    else
        fuzz_note(iba_add_tag(&e->ca, e->srqn, wr, how, how & 2, handled, &handle));
    if (how & 0x80)
        fuzz_note(iba_sync_tags(&e->ca, e->srqn, e->srq.tags.unexpected));
}

void world_post_recv(struct world *w, unsigned end, struct fuzz_in *in)
{
    const unsigned i = fuzz_u8(in) % WORLD_QPS;
    struct iba_recv_wr wr = {.wr_id = i};

    wr.n_sge = fill_sge(w, end, wr.sge, in);
    world_log_recv(end, i, &wr);
    if (i == 1 && w->end[end].srq.tags.list && (wr.n_sge & 1))
        tag(&w->end[end], &wr, fuzz_u8(in));
    else if (i == 1)
        fuzz_note(iba_post_srq_recv(&w->end[end].ca, w->end[end].srqn, &wr));
    else
        fuzz_note(iba_post_recv(&w->end[end].ca, w->end[end].qp[i].qpn, &wr));
}

void world_complete(struct world *w, unsigned end)
{
    struct iba_wc wc;

    for (unsigned i = 0; i < WORLD_CQS; i++)
        while (iba_poll_cq(&w->end[end].ca, w->end[end].cqn[i], &wc)) {
            fuzz_note(wc.wr_id);
            fuzz_note((uint64_t)wc.status << 48 | (uint64_t)wc.op << 40 | wc.byte_len);
        }
}

void world_wait(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    const iba_time before = w->now;
    iba_time next = IBA_NEVER;

    for (unsigned i = 0; i < w->ends; i++) {
        const iba_time t = iba_ca_deadline(&w->end[i].ca);
        next = t < next ? t : next;
    }
    if (how & 0x80)
        w->now += (iba_time)(how & 0x0f) << (how >> 4 & 7) * 5;
    else if (next != IBA_NEVER && next > w->now)
        w->now = next;
    world_log_wait(w->now - before);
    for (unsigned i = 0; i < w->ends; i++)
        iba_ca_advance(&w->end[i].ca, w->now);
}

/* ---- states ---- */

/* A few of the fields of an address vector, turned over. */
static void twist_av(struct iba_av *av, struct fuzz_in *in)
{
    const uint8_t n = fuzz_u8(in) % 4;

    for (unsigned i = 0; i < n; i++) {
        const uint8_t field = fuzz_u8(in) % AV_FIELDS, value = fuzz_u8(in);
        switch (field) {
        case AV_PORT: av->port ^= value; break;
        case AV_SL: av->sl ^= value; break;
        case AV_DLID: av->dlid ^= value; break;
        case AV_DLID_HIGH: av->dlid = (uint16_t)(av->dlid ^ value << 8); break;
        case AV_VLAN: av->vlan = (uint16_t)(value << 4); break;
        case AV_SGID: av->sgid_index ^= value; break;
        case AV_DGID:
            if (value == 0)
                memset(av->dgid, 0, sizeof av->dgid);
            av->dgid[value % sizeof av->dgid] ^= value;
            break;
        case AV_MAC_HIGH: av->dmac ^= (uint64_t)value << 48; break;
        case AV_FLOW: av->flow_label = (uint32_t)value << 13; break;
        case AV_PATH_BITS: av->path_bits ^= value; break;
        case AV_GRH: av->grh = !av->grh; break;
        case AV_UDP_SOURCE: av->udp_source = value; break;
        default: av->smp = !av->smp; break;
        }
    }
}

void world_modify(struct world *w, unsigned end, struct fuzz_in *in)
{
    struct world_qp *q = &w->end[end].qp[fuzz_u8(in) % WORLD_QPS];
    struct iba_qp_attr a = q->qp.attr;
    const uint32_t mask = fuzz_u32(in) & 0x1fffff;

    a.state = fuzz_u8(in) % (IBA_QPS_COUNT + 1);
    a.cur_state = fuzz_u8(in) % (IBA_QPS_COUNT + 1);
    a.access = fuzz_u16(in);
    a.path_mtu = fuzz_u8(in);
    a.max_rd = fuzz_u8(in);
    a.max_dest_rd = fuzz_u8(in);
    a.timeout = fuzz_u8(in);
    a.retry = fuzz_u8(in);
    a.pkey_index = fuzz_u8(in);
    a.sq_psn = a.rq_psn = fuzz_u32(in);
    a.av = a.alt_av = world_av(w, end);
    a.path_mig = fuzz_u8(in);
    a.port ^= fuzz_u8(in);
    a.min_rnr = fuzz_u8(in);
    a.rnr_retry ^= fuzz_u8(in);
    a.qkey ^= fuzz_u8(in);
    a.dest_qpn ^= (uint32_t)fuzz_u8(in) << 20;
    a.sqd_notify = fuzz_u8(in) & 1;
    twist_av(&a.av, in);
    twist_av(&a.alt_av, in);
    fuzz_note(iba_modify_qp(&w->end[end].ca, q->qpn, &a, mask));
}

void world_create_qp(struct world *w, unsigned end, struct fuzz_in *in)
{
    struct world_end *e = &w->end[end];
    const uint8_t which = fuzz_u8(in), type = fuzz_u8(in), flags = fuzz_u8(in);
    struct world_qp *q = &e->qp[which % WORLD_QPS];
    struct iba_qp_init init = world_init(w, end, which % WORLD_QPS);

    init.type ^= type;
    init.sq_sig_all = flags & 1;
    init.pd = flags & 2 ? e->pd[1] : flags & 4 ? WORLD_PDS : init.pd;
    init.rdd = flags >> 1 & 1;
    init.send_cq ^= flags >> 3 & 3u;
    init.recv_cq ^= flags >> 5 & 3u;
    if (flags & 0x80)
        init.srq = init.srq == IBA_NONE ? e->srqn : IBA_NONE;
    init.qpn ^= (uint32_t)fuzz_u8(in) << 20 | fuzz_u8(in);
    init.n_sq = init.n_sq - fuzz_u8(in) % (WORLD_DEPTH + 1u);
    init.n_saved = init.n_saved - fuzz_u8(in) % (WORLD_SAVED + 1u);
    if (fuzz_u8(in) & 1)
        init.n_rq = init.n_rq ? 0 : 1;
    if (!q->alive)
        q->alive = iba_create_qp(&e->ca, &q->qp, &init, &q->qpn) == IBA_VERB_OK;
    fuzz_note(q->alive);
}

void world_address(struct world *w, unsigned end, struct fuzz_in *in)
{
    struct world_end *e = &w->end[end];
    const uint8_t which = fuzz_u8(in);
    struct iba_av av = world_av(w, end);
    uint32_t number = IBA_NONE;

    if (which & 1) {
        fuzz_note(iba_destroy_ah(&e->ca, which >> 1));
        return;
    }
    twist_av(&av, in);
    fuzz_note(iba_create_ah(&e->ca, which & 2 ? e->pd[1] : which & 4 ? WORLD_PDS : e->pd[0], &av, &number));
    fuzz_note(number);
}
