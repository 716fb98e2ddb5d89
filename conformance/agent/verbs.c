/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target: open, close, reset and the conversion of results. */
#include "verbs_device.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, MOST_EVENTS = 4096 };

/* ---- a context ---- */

static bool set_nonblocking(int fd)
{
    const int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static struct ibv_device *device_named(struct ibv_device **list, int n, const char *name)
{
    if (!name)
        return n == 1 ? list[0] : NULL;
    for (int i = 0; i < n; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            return list[i];
    return NULL;
}

static void list_devices(struct ibv_device **list, int n, const char *name, char *err, size_t errlen)
{
    int used = name ? snprintf(err, errlen, "%s: no such verbs device; there is", name)
                    : snprintf(err, errlen, "which verbs device? There is");

    for (int i = 0; i < n && used > 0 && (size_t)used < errlen; i++)
        used += snprintf(err + used, errlen - (size_t)used, "%s %s", i ? "," : "", ibv_get_device_name(list[i]));
    if (n <= 0 && used > 0 && (size_t)used < errlen)
        (void)snprintf(err + used, errlen - (size_t)used,
                       " none. Soft-RoCE: rdma link add rxe0 type rxe netdev IFACE; the reference: --engine");
}

static struct ibv_context *open_named(const char *name, char *err, size_t errlen)
{
    int n = 0;
    struct ibv_device **list = ibv_get_device_list(&n);
    struct ibv_device *device = list ? device_named(list, n, name) : NULL;
    struct ibv_context *ctx = device ? ibv_open_device(device) : NULL;

    if (!device)
        list_devices(list, list ? n : 0, name, err, errlen);
    else if (!ctx)
        (void)snprintf(err, errlen, "%s: cannot be opened: %s", ibv_get_device_name(device), strerror(errno));
    if (list)
        ibv_free_device_list(list);
    return ctx;
}

static bool open_context(struct verbs *v, const char *name, char *err, size_t errlen)
{
    v->ctx = open_named(name, err, errlen);
    if (!v->ctx)
        return false;
    (void)snprintf(v->name, sizeof v->name, "%s", ibv_get_device_name(v->ctx->device));
    v->channel = ibv_create_comp_channel(v->ctx);
    if (v->channel && set_nonblocking(v->ctx->async_fd) && set_nonblocking(v->channel->fd) &&
        ibv_query_device_ex(v->ctx, NULL, &v->attr) == 0)
        return true;
    (void)snprintf(err, errlen, "%s: %s", v->name, strerror(errno));
    return false;
}

static void close_context(struct verbs *v)
{
    if (v->channel)
        (void)ibv_destroy_comp_channel(v->channel);
    if (v->ctx)
        (void)ibv_close_device(v->ctx);
    v->channel = NULL;
    v->ctx = NULL;
}

/* ---- reset ---- */

static void forget_events(struct verbs *v)
{
    struct ibv_async_event event;
    struct ibv_cq *cq;
    void *context;

    for (unsigned i = 0; i < MOST_EVENTS && ibv_get_async_event(v->ctx, &event) == 0; i++)
        ibv_ack_async_event(&event);
    for (unsigned i = 0; i < MOST_EVENTS && ibv_get_cq_event(v->channel, &cq, &context) == 0; i++)
        ibv_ack_cq_events(cq, 1);
}

/* Destroys all objects. Those that the device refuses to destroy one by one are destroyed with the context. */
static bool make_clean(struct verbs *v)
{
    char name[VERBS_NAME], err[sizeof v->t.fault];

    if (v->ctx && verbs_destroy_all(v)) {
        forget_events(v);
        return true;
    }
    memcpy(name, v->name, sizeof name);
    close_context(v);
    return open_context(v, name, err, sizeof err);
}

static enum ibc_rc reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    struct verbs *v = verbs_of(t);
    const bool hold = verbs_guards_hold(v);

    (void)seed; /* a device makes its own random choices */
    if (link >= IBC_LINK_COUNT || !(v->links >> link & 1))
        return IBC_UNSUPPORTED;
    t->refusal[0] = t->fault[0] = 0;
    v->link = link;
    t->framing = link == IBC_LINK_ib_local || link == IBC_LINK_ib_global ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    if (!make_clean(v))
        return verbs_fault(v, IBC_DEAD, "%s does not let go of its objects and cannot be opened again", v->name);
    return hold ? IBC_OK : verbs_fault(v, IBC_BROKEN, "the device wrote outside its regions before this reset");
}

static uint64_t capabilities(struct ibc_target *t)
{
    return verbs_of(t)->capabilities;
}

static uint32_t links(struct ibc_target *t)
{
    return verbs_of(t)->links;
}

static uint64_t now(struct ibc_target *t)
{
    struct timespec ts = {0};

    (void)t;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static enum ibc_rc page(struct ibc_target *t, unsigned d, uint64_t at, bool present)
{
    (void)t, (void)d, (void)at, (void)present;
    return IBC_UNSUPPORTED; /* the system's pager controls this */
}

static enum ibc_rc set_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value)
{
    (void)t, (void)d, (void)key, (void)index, (void)value;
    return IBC_UNSUPPORTED; /* the subnet manager and the kernel control this */
}

static void close_verbs(struct ibc_target *t)
{
    struct verbs *v = verbs_of(t);

    if (v->ctx)
        (void)verbs_destroy_all(v);
    close_context(v);
    if (v->kmsg >= 0)
        (void)close(v->kmsg);
    free(v);
}

static const struct ibc_target_ops verbs_ops = {
    .name = "verbs",
    .help = "a device of this machine, by libibverbs",
    .reset = reset,
    .capabilities = capabilities,
    .links = links,
    .create_pd = verbs_create_pd,
    .create_cq = verbs_create_cq,
    .create_srq = verbs_create_srq,
    .create_xrcd = verbs_create_xrcd,
    .create_xrc_srq = verbs_create_xrc_srq,
    .create_ah = verbs_create_ah,
    .create_qp = verbs_create_qp,
    .reg_mr = verbs_reg_mr,
    .reregister = verbs_reregister,
    .alloc_mw = verbs_alloc_mw,
    .destroy = verbs_destroy,
    .arm_cq = verbs_arm_cq,
    .resize_cq = verbs_resize_cq,
    .notified = verbs_notified,
    .arm_srq = verbs_arm_srq,
    .modify_qp = verbs_modify_qp,
    .query_qp = verbs_query_qp,
    .post_send = verbs_post_send,
    .post_recv = verbs_post_recv,
    .post_srq_recv = verbs_post_srq_recv,
    .poll_cq = verbs_poll_cq,
    .poll_event = verbs_poll_event,
    .attach = verbs_attach,
    .read_memory = verbs_read_memory,
    .write_memory = verbs_write_memory,
    .page = page,
    .prefetch = verbs_prefetch,
    .set_port = set_port,
    .counters = verbs_counters,
    .cm_open = verbs_cm_open,
    .cm_call = verbs_cm_call,
    .cm_event = verbs_cm_event,
    .cm_attributes = verbs_cm_attributes,
    .log = verbs_log,
    .now = now,
    .close = close_verbs,
};

void ibc_verbs_describe(const struct ibc_target *t, char *out, size_t n)
{
    const struct verbs *v = (const struct verbs *)t;
    const char *firmware = v->attr.orig_attr.fw_ver;
    struct utsname is;

    if (uname(&is) != 0)
        is.sysname[0] = is.release[0] = '\0';
    (void)snprintf(out, n, "%s%s%s %s %s", v->name, *firmware ? " firmware " : "", firmware, is.sysname, is.release);
}

static bool set_up(struct verbs *v, const struct ibc_verbs_options *o, char *err, size_t errlen)
{
    if (o->port > v->attr.orig_attr.phys_port_cnt) {
        (void)snprintf(err, errlen, "%s: no port %u, it has %u", v->name, o->port, v->attr.orig_attr.phys_port_cnt);
        return false;
    }
    v->port = o->port ? (uint8_t)o->port : 1;
    if (!verbs_find_links(v, o, err, errlen))
        return false;
    for (unsigned l = 0; l < IBC_LINK_COUNT && !(v->links >> v->link & 1); l++)
        v->link = (enum ibc_link)l;
    v->capabilities = verbs_probe(v);
    if (reset(&v->t, v->link, 0) == IBC_OK)
        return true;
    (void)snprintf(err, errlen, "%s", v->t.fault);
    return false;
}

struct ibc_target *ibc_verbs_open(const struct ibc_verbs_options *o, char *err, size_t errlen)
{
    struct verbs *v = calloc(1, sizeof *v);

    if (!v) {
        (void)snprintf(err, errlen, "no memory for a device");
        return NULL;
    }
    v->t = (struct ibc_target){.ops = &verbs_ops, .time_scale = 1};
    verbs_log_open(v);
    if (open_context(v, o->device, err, errlen) && set_up(v, o, err, errlen))
        return &v->t;
    close_verbs(&v->t);
    return NULL;
}
