/* SPDX-License-Identifier: BSD-2-Clause */
/* The pretended libibverbs: work requests, memory, windows. */
#include "adapter.h"
#include <errno.h>
#include <stdlib.h>

#define NOTE(...) adapter_note(__VA_ARGS__)

/* ---- work requests ---- */

static void note_sges(const struct ibv_sge *s, int n)
{
    for (int i = 0; i < n; i++)
        NOTE(" [%llx %u %x]", (unsigned long long)s[i].addr, s[i].length, s[i].lkey);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    (void)bad;
    cr_assert_null(wr->next);
    NOTE("post_send %u id %llx op %d flags %x imm %x", qp->handle, (unsigned long long)wr->wr_id, wr->opcode,
         wr->send_flags, wr->opcode == IBV_WR_BIND_MW ? 0 : wr->imm_data);
    if (wr->opcode == IBV_WR_BIND_MW) {
        NOTE(" window %u key %x region %u at %llx length %llu access %x", wr->bind_mw.mw->handle, wr->bind_mw.rkey,
             wr->bind_mw.bind_info.mr ? wr->bind_mw.bind_info.mr->handle : 0,
             (unsigned long long)wr->bind_mw.bind_info.addr, (unsigned long long)wr->bind_mw.bind_info.length,
             wr->bind_mw.bind_info.mw_access_flags);
    } else if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        NOTE(" at %llx %x add %llx swap %llx", (unsigned long long)wr->wr.atomic.remote_addr, wr->wr.atomic.rkey,
             (unsigned long long)wr->wr.atomic.compare_add, (unsigned long long)wr->wr.atomic.swap);
    } else if (qp->qp_type == IBV_QPT_UD) {
        NOTE(" ah %u qpn %x qkey %x", wr->wr.ud.ah->handle, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
    } else {
        NOTE(" at %llx %x srq %x", (unsigned long long)wr->wr.rdma.remote_addr, wr->wr.rdma.rkey,
             wr->qp_type.xrc.remote_srqn);
    }
    note_sges(wr->sg_list, wr->num_sge);
    NOTE("\n");
    return adapter_result("post_send");
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)bad;
    NOTE("post_recv %u id %llx", qp->handle, (unsigned long long)wr->wr_id);
    note_sges(wr->sg_list, wr->num_sge);
    NOTE("\n");
    return adapter_result("post_recv");
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)bad;
    NOTE("post_srq_recv %u id %llx", srq->handle, (unsigned long long)wr->wr_id);
    note_sges(wr->sg_list, wr->num_sge);
    NOTE("\n");
    return adapter_result("post_srq_recv");
}

static void wr_start(struct ibv_qp_ex *qp)
{
    NOTE("wr_start %u\n", qp->qp_base.handle);
}

static void wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t at, const void *bytes)
{
    NOTE("wr_atomic_write %u id %llx flags %x at %llx %x %.8s\n", qp->qp_base.handle, (unsigned long long)qp->wr_id,
         qp->wr_flags, (unsigned long long)at, rkey, (const char *)bytes);
}

static int wr_complete(struct ibv_qp_ex *qp)
{
    NOTE("wr_complete %u\n", qp->qp_base.handle);
    return adapter_result("wr_complete");
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
    struct ibv_qp_ex *ex = (struct ibv_qp_ex *)qp;

    ex->wr_start = wr_start;
    ex->wr_atomic_write = wr_atomic_write;
    ex->wr_complete = wr_complete;
    return adapter_refuses("qp_ex") ? NULL : ex;
}

/* ---- memory ---- */

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *at, size_t length, uint64_t iova, unsigned access)
{
    uint32_t n = 0;
    struct ibv_mr *mr = adapter_made("reg_mr", sizeof *mr, ADAPTER_MR, &n);

    NOTE("reg_mr %u pd %u length %zu at %s access %x\n", n, pd->handle, length,
         iova == (uintptr_t)at ? "itself"
         : iova == 0           ? "0"
                               : "another",
         access);
    if (mr)
        *mr = (struct ibv_mr){.context = pd->context,
                              .pd = pd,
                              .addr = at,
                              .length = length,
                              .handle = n,
                              .lkey = ADAPTER_KEYS + n,
                              .rkey = 2 * ADAPTER_KEYS + n};
    return mr;
}

#undef ibv_reg_mr_iova
struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *at, size_t length, uint64_t iova, int access)
{
    return ibv_reg_mr_iova2(pd, at, length, iova, (unsigned)access);
}

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *at, size_t length, int access)
{
    NOTE("rereg_mr %u flags %x pd %u memory %d length %zu access %x\n", mr->handle, (unsigned)flags,
         pd ? pd->handle : 0, at != NULL, length, (unsigned)access);
    if (adapter_refuses("rereg_mr"))
        return IBV_REREG_MR_ERR_CMD;
    mr->lkey += 0x100;
    mr->rkey += 0x100;
    return 0;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    return adapter_gone("dereg_mr", mr, mr->handle);
}

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *s, uint32_t n)
{
    NOTE("advise_mr pd %u advice %d flags %x", pd->handle, (int)advice, flags);
    note_sges(s, (int)n);
    NOTE("\n");
    return adapter_result("advise_mr");
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    uint32_t n = 0;
    struct ibv_mw *mw = adapter_made("alloc_mw", sizeof *mw, ADAPTER_MW, &n);

    NOTE("alloc_mw %u pd %u type %d\n", n, pd->handle, type);
    if (mw)
        *mw = (struct ibv_mw){
            .context = pd->context, .pd = pd, .type = type, .handle = n, .rkey = (3 * ADAPTER_KEYS + n) << 8};
    return mw;
}

/* A type 1 bind chooses the next key. */
static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *b)
{
    NOTE("bind_mw %u window %u id %llx flags %x region %u at %llx length %llu access %x\n", qp->handle, mw->handle,
         (unsigned long long)b->wr_id, b->send_flags, b->bind_info.mr ? b->bind_info.mr->handle : 0,
         (unsigned long long)b->bind_info.addr, (unsigned long long)b->bind_info.length, b->bind_info.mw_access_flags);
    mw->rkey++;
    return adapter_result("bind_mw");
}

static int dealloc_mw(struct ibv_mw *mw)
{
    return adapter_gone("dealloc_mw", mw, mw->handle);
}

void adapter_work(struct verbs_context *c)
{
    c->advise_mr = advise_mr;
    c->context.ops.alloc_mw = alloc_mw;
    c->context.ops.bind_mw = bind_mw;
    c->context.ops.dealloc_mw = dealloc_mw;
    c->context.ops.post_send = post_send;
    c->context.ops.post_recv = post_recv;
    c->context.ops.post_srq_recv = post_srq_recv;
}
