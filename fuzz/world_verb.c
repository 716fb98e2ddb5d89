#include <string.h>
#include "world.h"

struct world_place world_place(struct world *w, unsigned end, bool remote, struct fuzz_in *in)
{
    enum { NEAR_END = 0x80, WINDOW = 0x40, WRONG_KEY = 0x20, VAST = 0x10 };
    const uint8_t what = fuzz_u8(in);
    const uint16_t at = fuzz_u16(in), length = fuzz_u16(in);
    struct world_end *e = &w->end[end];
    const struct world_region *r = &e->region[what % WORLD_REGIONS];
    struct world_place p = {.va = WORLD_VA * (what % WORLD_REGIONS + 1u), .length = length};

    /* It ends a byte before the end of the region, there, or a byte behind. */
    p.va += what & NEAR_END ? WORLD_BYTES - 1u - length + at % 3u : at % WORLD_BYTES;
    if (what & VAST)
        p.length <<= 16;
    p.key = remote ? r->rkey : r->lkey;
    if (what & WINDOW)
        p.key = e->window[at % WORLD_WINDOWS];
    if (what & WRONG_KEY)
        p.key ^= 1u << length % 32u;
    return p;
}

/* ---- work ---- */

static uint8_t fill_sge(struct world *w, unsigned end, struct iba_sge *sge, struct fuzz_in *in)
{
    const uint8_t n = fuzz_u8(in) % (IBA_MAX_SGE + 1);

    for (unsigned i = 0; i < n; i++) {
        const struct world_place p = world_place(w, end, false, in);
        sge[i] = (struct iba_sge){p.va, p.length, p.key};
    }
    return n;
}

static void set_remote(struct world *w, unsigned end, unsigned i, struct iba_send_wr *wr, struct fuzz_in *in)
{
    const struct world_place p = world_place(w, w->ends == 2 ? 1 - end : end, true, in);
    const enum iba_qp_type type = world_type(i);

    if (wr->op == IBA_WR_BIND_MW) {
        wr->bind.mw_rkey = w->end[end].window[p.length % WORLD_WINDOWS];
        wr->bind.mr_lkey = w->end[end].region[0].lkey;
        wr->bind.va = p.va;
        wr->bind.length = p.length;
        wr->bind.access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ;
        wr->bind.key_byte = fuzz_u8(in);
    } else if (type == IBA_QPT_RC || type == IBA_QPT_UC) {
        wr->va = p.va;
        wr->rkey = p.key;
        wr->compare_add = fuzz_u8(in);
        if (wr->op == IBA_WR_FLUSH) {
            wr->flush_placement = fuzz_u8(in);
            wr->flush_selectivity = fuzz_u8(in);
        } else
            wr->swap = fuzz_u8(in);
    } else {
        wr->ah = fuzz_u8(in) % 2;
        wr->remote_qpn = w->end[end].qp[i].qpn;
        wr->remote_qkey = type == IBA_QPT_GSI ? IBA_GSI_QKEY : WORLD_QKEY;
    }
    wr->imm_or_key = p.key;
}

void world_post_send(struct world *w, unsigned end, struct fuzz_in *in)
{
    const unsigned i = fuzz_u8(in) % WORLD_QPS;
    struct iba_send_wr wr = {.wr_id = i, .op = fuzz_u8(in) % IBA_WR_OP_COUNT, .flags = fuzz_u8(in) & 7};

    wr.n_sge = fill_sge(w, end, wr.sge, in);
    set_remote(w, end, i, &wr, in);
    fuzz_note(iba_post_send(&w->end[end].ca, w->end[end].qp[i].qpn, &wr));
}

void world_post_recv(struct world *w, unsigned end, struct fuzz_in *in)
{
    const unsigned i = fuzz_u8(in) % WORLD_QPS;
    struct iba_recv_wr wr = {.wr_id = i};

    wr.n_sge = fill_sge(w, end, wr.sge, in);
    if (i == 1)
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
    iba_time next = IBA_NEVER;

    for (unsigned i = 0; i < w->ends; i++) {
        const iba_time t = iba_ca_deadline(&w->end[i].ca);
        next = t < next ? t : next;
    }
    if (how & 0x80)
        w->now += (iba_time)(how & 0x0f) << (how >> 4 & 7) * 5;
    else if (next != IBA_NEVER && next > w->now)
        w->now = next;
    for (unsigned i = 0; i < w->ends; i++)
        iba_ca_advance(&w->end[i].ca, w->now);
}

/* ---- states ---- */

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
    fuzz_note(iba_modify_qp(&w->end[end].ca, q->qpn, &a, mask));
}

/* ---- memory ---- */

void world_memory(struct world *w, unsigned end, struct fuzz_in *in)
{
    enum { INVALIDATE, FREE, ALLOC, BIND, PAGES, DEREGISTER, CHOICES };
    struct world_end *e = &w->end[end];
    const uint8_t what = fuzz_u8(in) % CHOICES, which = fuzz_u8(in);
    const struct world_place p = world_place(w, end, false, in);
    uint32_t *window = &e->window[which % WORLD_WINDOWS];

    switch (what) {
    case INVALIDATE: fuzz_note(iba_mem_invalidate(&e->ca.mem, p.key, e->pd[0], e->qp[0].qpn, which & 1)); break;
    case FREE: fuzz_note(iba_mw_free(&e->ca.mem, *window)); break;
    case ALLOC: fuzz_note(iba_mw_alloc(&e->ca.mem, (enum iba_mem_kind)(which % 6), e->pd[which & 1], window)); break;
    case BIND: {
        const struct iba_bind b = {.mw_rkey = *window,
                                   .mr_lkey = p.key,
                                   .va = p.va,
                                   .length = p.length,
                                   .access = which,
                                   .key_byte = fuzz_u8(in)};
        fuzz_note(iba_mw_bind(&e->ca.mem, &b, e->pd[0], e->qp[which % WORLD_QPS].qpn, window));
        break;
    }
    case PAGES: e->present = which; break;
    default: fuzz_note(iba_mr_deregister(&e->ca.mem, p.key)); break;
    }
}

/* ---- objects ---- */

static void group(struct world_end *e, uint8_t which, bool attach)
{
    uint8_t gid[16] = {0xff, 0x12, [15] = which >> 6};
    const uint32_t qpn = e->qp[which % WORLD_QPS].qpn;
    const uint16_t lid = (uint16_t)(0xc000 | which >> 6);

    if (which & 0x20)
        iba_gid_set_ipv4(gid, 0xef000000u);
    fuzz_note(attach ? iba_attach_mcast(&e->ca, qpn, gid, lid) : iba_detach_mcast(&e->ca, qpn, gid, lid));
}

void world_object(struct world *w, unsigned end, struct fuzz_in *in)
{
    enum { RECONNECT, DESTROY, ATTACH, DETACH, PKEY, NOTIFY, ARM, CQ, CHOICES };
    struct world_end *e = &w->end[end];
    const uint8_t what = fuzz_u8(in) % CHOICES, which = fuzz_u8(in);
    struct world_qp *q = &e->qp[which % WORLD_QPS];

    switch (what) {
    case RECONNECT: world_connect(w, end, which % WORLD_QPS); break;
    case DESTROY:
        if (q->alive && iba_destroy_qp(&e->ca, q->qpn) == IBA_VERB_OK)
            q->alive = false;
        break;
    case ATTACH: group(e, which, true); break;
    case DETACH: group(e, which, false); break;
    case PKEY: fuzz_note(iba_set_pkey(&e->ca, 1, which, fuzz_u16(in))); break;
    case NOTIFY: fuzz_note(iba_req_notify_cq(&e->ca, e->cqn[which % WORLD_CQS], which & 2)); break;
    case ARM: fuzz_note(iba_arm_srq(&e->ca, e->srqn, which)); break;
    default: fuzz_note(iba_destroy_cq(&e->ca, e->cqn[which % WORLD_CQS])); break;
    }
}
