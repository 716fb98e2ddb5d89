/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetches pages of on-demand regions: ibv_advise_mr(3). Soft-RoCE's provider in libibverbs lacks it before
 * rdma-core's pull request 1605, also where the kernel's driver has it. Then the request goes to the kernel without the
 * provider: the same ioctl, which is public (rdma/ib_user_ioctl_cmds.h). */
#include "verbs_device.h"
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

enum { ATTRIBUTES = 4 };

/* An attribute of at most eight bytes: its value; a longer one: the address of its bytes. */
static struct ib_uverbs_attr attribute(uint16_t id, size_t length, uint64_t value)
{
    struct ib_uverbs_attr a = {.attr_id = id, .len = (uint16_t)length, .flags = UVERBS_ATTR_F_MANDATORY};

    a.data = value;
    return a;
}

/* Asks Soft-RoCE in the kernel. Any other driver refuses Soft-RoCE's driver number (EINVAL), so the agent reports that
 * the device cannot prefetch. */
static int ask_kernel(const struct ibv_pd *pd, uint64_t advice, uint64_t flags, const struct ibv_sge *sge)
{
    union {
        struct ib_uverbs_ioctl_hdr hdr;
        uint8_t room[sizeof(struct ib_uverbs_ioctl_hdr) + ATTRIBUTES * sizeof(struct ib_uverbs_attr)];
    } ask = {.hdr = {.length = sizeof ask,
                     .object_id = UVERBS_OBJECT_MR,
                     .method_id = UVERBS_METHOD_ADVISE_MR,
                     .num_attrs = ATTRIBUTES,
                     .driver_id = RDMA_DRIVER_RXE}};
    const struct ib_uverbs_attr attr[ATTRIBUTES] = {
        attribute(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd->handle),
        attribute(UVERBS_ATTR_ADVISE_MR_ADVICE, sizeof advice, advice),
        attribute(UVERBS_ATTR_ADVISE_MR_FLAGS, sizeof flags, flags),
        attribute(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof *sge, (uintptr_t)sge),
    };

    memcpy(ask.room + offsetof(struct ib_uverbs_ioctl_hdr, attrs), attr, sizeof attr);
    return ioctl(pd->context->cmd_fd, RDMA_VERBS_IOCTL, &ask) == 0 ? 0 : errno;
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
