/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of an adapter's life: memory, objects, and which step a record stands for. */
#include "world.h"

enum { MOST_POLLS = 16 };

static uint8_t frame[IBA_TX_MOST];

/* ---- memory ---- */

static void register_spare(struct world_end *e, uint8_t which, const struct world_place *p, struct fuzz_in *in)
{
    struct world_region *r = &e->region[WORLD_SPARE];
    const struct iba_mr_attr a = {.base = r->bytes,
                                  .length = p->length % (WORLD_BYTES + 1u),
                                  .iova = which & 2 ? UINT64_MAX - p->length / 2 : r->va,
                                  .pd = which & 1   ? e->pd[1]
                                        : which & 4 ? WORLD_PDS
                                                    : e->pd[0],
                                  .access = fuzz_u16(in),
                                  .present = which & 8 ? &e->present : NULL};
    uint32_t lkey, rkey;
    const enum iba_mem_err err = iba_mr_register(&e->ca.mem, &a, &lkey, &rkey);

    if (err == IBA_MEM_OK) {
        r->lkey = lkey;
        r->rkey = rkey;
        r->va = a.access & IBA_ACCESS_ZERO_BASED ? 0 : a.iova;
    }
    fuzz_note(err);
}

static void bind(struct world_end *e, uint8_t which, const struct world_place *p, struct fuzz_in *in)
{
    const struct world_qp *q = &e->qp[which % WORLD_QPS];
    uint32_t *window = &e->window[which % WORLD_WINDOWS];
    const struct iba_bind b = {.mw_rkey = *window,
                               .mr_lkey = p->key,
                               .va = p->va,
                               .length = p->length,
                               .access = which,
                               .key_byte = fuzz_u8(in)};

    /* Of a bind or an invalidation a completion tells only whether it was done. */
    fuzz_note(iba_mw_bind(&e->ca.mem, &b, fuzz_u8(in) & 1 ? e->pd[1] : e->pd[0], q->alive ? q->qpn : which, window) ==
              IBA_MEM_OK);
}

/* A domain goes, and comes back. */
static void domain(struct world_end *e, uint8_t which)
{
    uint32_t *pd = &e->pd[which % WORLD_PDS];

    fuzz_note(iba_pd_destroy(&e->ca.mem, which & 2 ? WORLD_PDS : *pd));
    if (iba_pd_create(&e->ca.mem, pd) != IBA_MEM_OK)
        fuzz_note(WORLD_PDS);
}

void world_memory(struct world *w, unsigned end, struct fuzz_in *in)
{
    struct world_end *e = &w->end[end];
    const uint8_t what = fuzz_u8(in) % MEMORY_CHOICES, which = fuzz_u8(in);
    const struct world_place p = world_place(w, end, false, in);
    uint32_t *window = &e->window[which % WORLD_WINDOWS];

    switch (what) {
    case MEMORY_INVALIDATE:
        fuzz_note(iba_mem_invalidate(&e->ca.mem, p.key, e->pd[which >> 1 & 1], e->qp[which >> 2 & 7].qpn, which & 1) ==
                  IBA_MEM_OK);
        break;
    case MEMORY_FREE: fuzz_note(iba_mw_free(&e->ca.mem, which & 2 ? p.key : *window)); break;
    case MEMORY_ALLOC:
        fuzz_note(iba_mw_alloc(&e->ca.mem, (enum iba_mem_kind)(which % 6), e->pd[which & 1], window));
        break;
    case MEMORY_BIND: bind(e, which, &p, in); break;
    case MEMORY_PAGES: e->present = which; break;
    case MEMORY_DEREGISTER: fuzz_note(iba_mr_deregister(&e->ca.mem, p.key)); break;
    case MEMORY_REGISTER: register_spare(e, which, &p, in); break;
    default: domain(e, which); break;
    }
}

/* ---- objects ---- */

static void group(struct world_end *e, uint8_t which, bool attach, struct fuzz_in *in)
{
    uint8_t gid[16] = {(uint8_t)(0xff ^ fuzz_u8(in)), 0x12, [15] = which >> 6};
    const uint32_t qpn = e->qp[which % WORLD_QPS].qpn;
    const uint16_t lid = (uint16_t)((0xc000 | which >> 6) ^ fuzz_u8(in) << 8);

    if (which & 0x20)
        iba_gid_set_ipv4(gid, 0xef000000u);
    fuzz_note(attach ? iba_attach_mcast(&e->ca, qpn, gid, lid) : iba_detach_mcast(&e->ca, qpn, gid, lid));
}

/* Destroyed, and made again where that is asked for and it is gone; with a list of tags, too. */
static void shared_queue(struct world_end *e, uint8_t which)
{
    const uint32_t pd = which & 0x80 ? WORLD_PDS : e->pd[which >> 6 & 1];
    const struct iba_tag_srq_init init = {.ring = e->srq_ring,
                                          .list = e->tags,
                                          .n = 1u + which % WORLD_DEPTH,
                                          .n_tags = sizeof e->tags / sizeof *e->tags,
                                          .pd = pd,
                                          .cq = e->cqn[0]};

    fuzz_note(iba_destroy_srq(&e->ca, e->srqn));
    if (e->srqs[0] != NULL)
        return;
    fuzz_note(which & 0x20 ? iba_create_tag_srq(&e->ca, &e->srq, &init, &e->srqn)
                           : iba_create_srq(&e->ca, &e->srq, e->srq_ring, init.n, pd, &e->srqn));
}

static void completion_queue(struct world_end *e, uint8_t which, bool again)
{
    const unsigned i = which % WORLD_CQS;

    fuzz_note(iba_destroy_cq(&e->ca, which & 0x80 ? WORLD_CQS : e->cqn[i]));
    if (again && e->cqs[0] != &e->cq[i] && e->cqs[1] != &e->cq[i])
        fuzz_note(iba_create_cq(&e->ca, &e->cq[i], e->ring[i], 1u + (which >> 1) % WORLD_CQ_ROOM, &e->cqn[i]));
}

void world_object(struct world *w, unsigned end, struct fuzz_in *in)
{
    struct world_end *e = &w->end[end];
    const uint8_t what = fuzz_u8(in) % OBJECT_CHOICES, which = fuzz_u8(in);
    struct world_qp *q = &e->qp[which % WORLD_QPS];

    switch (what) {
    case OBJECT_CONNECT: world_connect(w, end, which % WORLD_QPS); break;
    case OBJECT_DESTROY:
        if (q->alive && iba_destroy_qp(&e->ca, q->qpn) == IBA_VERB_OK)
            q->alive = false;
        break;
    case OBJECT_ATTACH:
    case OBJECT_DETACH: group(e, which, what == OBJECT_ATTACH, in); break;
    case OBJECT_PKEY: {
        const uint16_t key = fuzz_u16(in);
        fuzz_note(iba_set_pkey(&e->ca, 1 ^ fuzz_u8(in), which, key));
        break;
    }
    case OBJECT_NOTIFY: fuzz_note(iba_req_notify_cq(&e->ca, e->cqn[which % WORLD_CQS], which & 2)); break;
    case OBJECT_ARM: fuzz_note(iba_arm_srq(&e->ca, e->srqn, which)); break;
    case OBJECT_CREATE: world_create_qp(w, end, in); break;
    case OBJECT_ADDRESS: world_address(w, end, in); break;
    case OBJECT_SRQ: shared_queue(e, which); break;
    default: completion_queue(e, which, what == OBJECT_CQ_AGAIN); break;
    }
}

/* ---- any step ---- */

static void craft(struct world *w, unsigned end, struct fuzz_in *in)
{
    const size_t len = world_craft(w, end, in, frame, sizeof frame);

    if (len > 0)
        world_feed(w, end, frame, len);
}

/* Of two: each of the first frames is lost, or arrives twice, where its bit says so. */
static void drain(struct world *w, unsigned end, struct fuzz_in *in)
{
    const unsigned lost = fuzz_u8(in), twice = fuzz_u8(in);
    size_t len;

    for (unsigned i = 0; i < MOST_POLLS && (len = world_poll(w, end, frame, sizeof frame)) > 0; i++)
        for (unsigned k = lost >> i & 1; w->ends == 2 && k <= (twice >> i & 1); k++)
            world_feed(w, 1 - end, frame, len);
}

void world_step(struct world *w, unsigned end, uint8_t kind, struct fuzz_in *in)
{
    switch (kind % WORLD_KINDS) {
    case WORLD_RAW: world_feed_raw(w, end, kind, in); break;
    case WORLD_CRAFT: craft(w, end, in); break;
    case WORLD_SEND: world_post_send(w, end, in); break;
    case WORLD_RECV: world_post_recv(w, end, in); break;
    case WORLD_DRAIN: drain(w, end, in); break;
    case WORLD_WAIT: world_wait(w, in); break;
    case WORLD_COMPLETE: world_complete(w, end); break;
    case WORLD_MODIFY: world_modify(w, end, in); break;
    case WORLD_MEMORY: world_memory(w, end, in); break;
    default: world_object(w, end, in); break;
    }
}
