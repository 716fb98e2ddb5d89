/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetches pages of on-demand regions: ibv_advise_mr(3). Soft-RoCE's provider in libibverbs lacks it before
 * rdma-core's pull request 1605, also where the kernel's driver has it. Then the request goes to the kernel without the
 * provider (rdma/ib_user_ioctl_cmds.h). */
#include "verbs_device.h"
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>

static int ask_kernel(const struct ibv_pd *pd, uint64_t advice, uint64_t flags, const struct ibv_sge *sge)
{
    const struct ib_uverbs_attr attr[VERBS_ATTRIBUTES] = {
        verbs_attribute(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd->handle),
        verbs_attribute(UVERBS_ATTR_ADVISE_MR_ADVICE, sizeof advice, advice),
        verbs_attribute(UVERBS_ATTR_ADVISE_MR_FLAGS, sizeof flags, flags),
        verbs_attribute(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof *sge, (uintptr_t)sge),
    };

    return verbs_ask_rxe(pd->context, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, attr, VERBS_ATTRIBUTES);
}

enum ibc_rc verbs_prefetch(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p)
{
    struct verbs *v = verbs_of(t);
    struct ibv_pd *pd = verbs_find_pd(v, p->pd);
    struct ibv_sge sge = {.addr = p->at, .length = p->length, .lkey = p->lkey};
    const enum ibv_advise_mr_advice advice = p->no_fault ? IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
                                             : p->write  ? IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE
                                                         : IBV_ADVISE_MR_ADVICE_PREFETCH;
    const uint32_t flags = p->later ? 0 : IBV_ADVISE_MR_FLAG_FLUSH;
    int result;

    (void)d;
    if (!pd)
        return verbs_refused(v, "mem_no_pd");
    result = ibv_advise_mr(pd, advice, flags, &sge, 1);
    if (result == EOPNOTSUPP || result == ENOSYS)
        result = ask_kernel(pd, advice, flags, &sge);
    return verbs_answer(v, result);
}
