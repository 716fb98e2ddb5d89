/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to the kernel's Soft-RoCE driver that its provider in libibverbs lacks: the same ioctl that libibverbs uses,
 * which is public (rdma/rdma_user_ioctl_cmds.h). */
#include "verbs_device.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

struct ib_uverbs_attr verbs_attribute(uint16_t id, size_t length, uint64_t value)
{
    struct ib_uverbs_attr a = {.attr_id = id, .len = (uint16_t)length, .flags = UVERBS_ATTR_F_MANDATORY};

    a.data = value;
    return a;
}

/* The request has the number of the Soft-RoCE driver, which any other driver refuses. */
int verbs_ask_rxe(const struct ibv_context *ctx, uint16_t object, uint16_t method, const struct ib_uverbs_attr *attr,
                  unsigned n)
{
    union {
        struct ib_uverbs_ioctl_hdr hdr;
        uint8_t room[sizeof(struct ib_uverbs_ioctl_hdr) + VERBS_ATTRIBUTES * sizeof *attr];
    } ask = {.hdr = {.length = (uint16_t)(sizeof ask.hdr + n * sizeof *attr),
                     .object_id = object,
                     .method_id = method,
                     .num_attrs = (uint16_t)n,
                     .driver_id = RDMA_DRIVER_RXE}};

    memcpy(ask.room + offsetof(struct ib_uverbs_ioctl_hdr, attrs), attr, n * sizeof *attr);
    return ioctl(ctx->cmd_fd, RDMA_VERBS_IOCTL, &ask) == 0 ? 0 : errno;
}
