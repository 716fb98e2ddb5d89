/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers regions again: ibv_rereg_mr(3). Soft-RoCE's provider in libibverbs lacks it, but the kernel's driver has it
 * since Linux 6.5. Then the request goes to the kernel without the provider (rdma/ib_user_verbs.h). */
#include "verbs_device.h"
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

/* What ibv_rereg_mr() takes. */
struct change {
    int flags;
    struct ibv_pd *pd;
    struct verbs_region *to; /* NULL: the region's memory stays */
    uint32_t access;
};

static int ask_kernel(struct ibv_mr *mr, const struct change *c)
{
    const uint64_t write = IB_USER_VERBS_CMD_REREG_MR, start = c->to ? (uintptr_t)c->to->base : 0;
    const struct ib_uverbs_rereg_mr in = {.mr_handle = mr->handle,
                                          .flags = (uint32_t)c->flags,
                                          .start = start,
                                          .length = c->to ? c->to->length : 0,
                                          .hca_va = start,
                                          .pd_handle = c->pd ? c->pd->handle : 0,
                                          .access_flags = c->access};
    struct ib_uverbs_rereg_mr_resp out = {0};
    const struct ib_uverbs_attr attr[] = {
        verbs_attribute(UVERBS_ATTR_CORE_IN, sizeof in, (uintptr_t)&in),
        verbs_attribute(UVERBS_ATTR_CORE_OUT, sizeof out, (uintptr_t)&out),
        verbs_attribute(UVERBS_ATTR_WRITE_CMD, sizeof write, write),
    };
    const int result =
        verbs_ask_rxe(mr->context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, attr, sizeof attr / sizeof *attr);

    if (result != 0)
        return result;
    mr->lkey = out.lkey;
    mr->rkey = out.rkey;
    if (c->pd)
        mr->pd = c->pd;
    return 0;
}

static int reregister(struct ibv_mr *mr, const struct change *c)
{
    errno = 0;
    const int result = ibv_rereg_mr(mr, c->flags, c->pd, c->to ? c->to->base : NULL, c->to ? (size_t)c->to->length : 0,
                                    (int)c->access);

    return result != 0 && (errno == EOPNOTSUPP || errno == ENOSYS) ? ask_kernel(mr, c) : result;
}

/* Finds what the request names. */
static enum ibc_rc change_of(struct verbs *v, const struct verbs_region *g, const struct ibc_reregister *r,
                             struct change *c)
{
    /* No verb changes where the addresses of a region begin. */
    const bool from_zero = g->local == 0, to_zero = r->access & IBA_ACCESS_ZERO_BASED;
    bool all;

    c->access = verbs_access(r->access & ~(uint32_t)IBA_ACCESS_ZERO_BASED, &all);
    if (!all || (r->has_range && from_zero) || (r->has_access && from_zero != to_zero))
        return IBC_UNSUPPORTED;
    c->pd = r->has_pd ? verbs_find_pd(v, r->pd) : NULL;
    if (r->has_pd && !c->pd)
        return verbs_refused(v, "mem_no_pd");
    if (r->has_range && r->length <= VERBS_REGION_MOST)
        c->to = verbs_new_region(v, &(struct ibc_mr_spec){.length = r->length, .fill = r->fill});
    if (r->has_range && !c->to)
        return verbs_refused(v, "mem_full");
    c->flags = (r->has_range ? IBV_REREG_MR_CHANGE_TRANSLATION : 0) | (r->has_pd ? IBV_REREG_MR_CHANGE_PD : 0) |
               (r->has_access ? IBV_REREG_MR_CHANGE_ACCESS : 0);
    return IBC_OK;
}

enum ibc_rc verbs_reregister(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out)
{
    struct verbs *v = verbs_of(t);
    struct verbs_region *g = verbs_find_mr(v, r->lkey);
    struct change c = {0};
    enum ibc_rc rc;

    (void)d;
    if (!g)
        return verbs_refused(v, "mem_no_key");
    rc = change_of(v, g, r, &c);
    if (rc != IBC_OK)
        return rc;
    const int result = reregister(g->mr, &c);
    if (result != 0) {
        rc = verbs_answer_or_busy(v, result, "mem_busy");
        if (c.to)
            verbs_unmap(v, c.to);
        return rc;
    }
    if (c.to) { /* the memory that the region had stays readable */
        c.to->mr = g->mr;
        g->mr = NULL;
        g = c.to;
    }
    *out = verbs_mr(g);
    return IBC_OK;
}
