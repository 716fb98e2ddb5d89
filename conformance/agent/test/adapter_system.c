/* SPDX-License-Identifier: BSD-2-Clause */
/* The pretended librdmacm, and the kernel's files and requests (wrapped with the linker's --wrap). */
#include "adapter.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOTE(...) adapter_note(__VA_ARGS__)

/* ---- librdmacm ---- */

void adapter_event(enum rdma_cm_event_type type, struct rdma_cm_id *id, int status)
{
    cr_assert_lt(adapter.n_cm, ADAPTER_QUEUE);
    adapter.cm[adapter.n_cm++] = (struct rdma_cm_event){.id = id, .event = type, .status = status};
}

/* Like librdmacm's functions: 0, or -1 and errno. */
static int said(const char *name)
{
    return adapter_refuses(name) ? -1 : 0;
}

static void note_bytes(const void *bytes, unsigned n)
{
    NOTE(" data %u:", n);
    for (unsigned i = 0; i < n; i++)
        NOTE("%02x", ((const uint8_t *)bytes)[i]);
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
    struct rdma_event_channel *c = adapter_refuses("create_event_channel") ? NULL : calloc(1, sizeof *c);

    if (c)
        adapter.alive++, c->fd = eventfd(0, EFD_CLOEXEC);
    return c;
}

void rdma_destroy_event_channel(struct rdma_event_channel *c)
{
    adapter.alive--;
    (void)close(c->fd);
    free(c);
}

int rdma_create_id(struct rdma_event_channel *c, struct rdma_cm_id **id, void *of, enum rdma_port_space ps)
{
    uint32_t number;

    cr_assert_null(of);
    NOTE("create_id %s\n", ps == RDMA_PS_TCP ? "tcp" : ps == RDMA_PS_UDP ? "udp" : "?");
    *id = adapter.newest = adapter_made("create_id", sizeof **id, ADAPTER_ID, &number);
    if (!*id)
        return -1;
    adapter.newest->channel = c;
    adapter.newest->ps = ps;
    return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
    NOTE("destroy_id\n");
    if (adapter_refuses("destroy_id"))
        return -1;
    adapter_drop(id);
    return 0;
}

static void note_address(const struct sockaddr *a)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)a;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)a;
    char text[INET6_ADDRSTRLEN] = "?";

    if (a->sa_family == AF_INET) {
        NOTE(" %s:%u", inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text), ntohs(v4->sin_port));
    } else {
        cr_assert_eq(a->sa_family, AF_INET6);
        NOTE(" [%s%%%u]:%u", inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text), v6->sin6_scope_id,
             ntohs(v6->sin6_port));
    }
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *a)
{
    (void)id;
    NOTE("bind_addr");
    note_address(a);
    NOTE("\n");
    return said("bind_addr");
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
    (void)id;
    NOTE("listen %d\n", backlog);
    return said("listen");
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int ms)
{
    NOTE("resolve_addr");
    note_address(from);
    note_address(to);
    NOTE(" %d ms\n", ms);
    if (adapter_refuses("resolve_addr"))
        return -1;
    if (!adapter.silent)
        adapter_event(adapter.unresolved ? RDMA_CM_EVENT_ADDR_ERROR : RDMA_CM_EVENT_ADDR_RESOLVED, id, 0);
    return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int ms)
{
    NOTE("resolve_route %d ms\n", ms);
    if (adapter_refuses("resolve_route"))
        return -1;
    adapter_event(adapter_refuses("route") ? RDMA_CM_EVENT_ROUTE_ERROR : RDMA_CM_EVENT_ROUTE_RESOLVED, id, 0);
    return 0;
}

static int note_params(const char *name, const struct rdma_conn_param *p)
{
    NOTE("%s qpn %x resources %u depth %u flow %u retries %u %u srq %u", name, p->qp_num, p->responder_resources,
         p->initiator_depth, p->flow_control, p->retry_count, p->rnr_retry_count, p->srq);
    note_bytes(p->private_data, p->private_data_len);
    NOTE("\n");
    return said(name);
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *p)
{
    (void)id;
    return note_params("connect", p);
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *p)
{
    (void)id;
    return note_params("accept", p);
}

int rdma_reject(struct rdma_cm_id *id, const void *bytes, uint8_t n)
{
    (void)id;
    NOTE("reject");
    note_bytes(bytes, n);
    NOTE("\n");
    return said("reject");
}

int rdma_establish(struct rdma_cm_id *id)
{
    (void)id;
    NOTE("establish\n");
    return said("establish");
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
    (void)id;
    NOTE("notify %s\n", event == IBV_EVENT_COMM_EST ? "comm_est" : "?");
    return said("rdma_notify");
}

int rdma_disconnect(struct rdma_cm_id *id)
{
    (void)id;
    NOTE("disconnect\n");
    return said("disconnect");
}

int rdma_get_cm_event(struct rdma_event_channel *c, struct rdma_cm_event **e)
{
    static struct rdma_cm_event now;

    (void)c;
    if (adapter.n_cm == 0)
        return -1;
    now = adapter.cm[0];
    memmove(adapter.cm, adapter.cm + 1, --adapter.n_cm * sizeof now);
    *e = &now;
    return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *e)
{
    NOTE("ack %s\n", rdma_event_str(e->event));
    return 0;
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
    (void)id;
    return htons(0xabcd);
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *a, int *mask)
{
    const enum ibv_qp_state state = a->qp_state;

    (void)id;
    NOTE("init_qp_attr state %d\n", state);
    *a = adapter.is;
    a->qp_state = state;
    *mask = 0;
    return said("init_qp_attr");
}

/* ---- the kernel ---- */

int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, void *of);
ssize_t __wrap_read(int fd, void *to, size_t n);
off_t __wrap_lseek(int fd, off_t at, int whence);
FILE *__wrap_fopen(const char *path, const char *how);
DIR *__wrap_opendir(const char *path);
int __wrap_access(const char *path, int how);
char *__wrap_if_indextoname(unsigned index, char *name);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t n);
ssize_t __real_read(int fd, void *to, size_t n);
FILE *__real_fopen(const char *path, const char *how);
DIR *__real_opendir(const char *path);
int __real_access(const char *path, int how);

enum { LOG = 4711 };

int __wrap_open(const char *path, int flags, ...)
{
    cr_assert_str_eq(path, "/dev/kmsg");
    cr_assert_eq(flags, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return adapter.no_log ? -1 : LOG;
}

/* A record that is NULL was overwritten before it was read. */
ssize_t __wrap_read(int fd, void *to, size_t n)
{
    const char *text;

    if (fd != LOG)
        return __real_read(fd, to, n);
    if (adapter.at_record == adapter.n_record) {
        errno = EAGAIN;
        return -1;
    }
    text = adapter.record[adapter.at_record++];
    errno = EPIPE;
    if (!text)
        return -1;
    cr_assert_leq(strlen(text), n);
    memcpy(to, text, strlen(text));
    return (ssize_t)strlen(text);
}

off_t __wrap_lseek(int fd, off_t at, int whence)
{
    cr_assert(fd == LOG && at == 0 && whence == SEEK_SET);
    NOTE("back\n");
    adapter.at_record = 0;
    return 0;
}

FILE *__wrap_fopen(const char *path, const char *how)
{
    if (strncmp(path, "/sys/class/net/", 15) != 0)
        return __real_fopen(path, how);
    cr_assert_str_eq(path, "/sys/class/net/pretty7/address");
    return adapter.mac ? fmemopen((void *)(uintptr_t)adapter.mac, strlen(adapter.mac), "r") : NULL;
}

char *__wrap_if_indextoname(unsigned index, char *name)
{
    cr_assert_eq(index, ADAPTER_IFINDEX);
    strcpy(name, "pretty7");
    return name;
}

static const char *beside(const char *path, char *text, size_t n)
{
    static const char sys[] = "/sys/class/infiniband/";

    cr_assert_eq(strncmp(path, sys, strlen(sys)), 0, "%s", path);
    (void)snprintf(text, n, "%s/%s", adapter.sys ? adapter.sys : "/nowhere", path + strlen(sys));
    return text;
}

DIR *__wrap_opendir(const char *path)
{
    char text[400];

    return __real_opendir(beside(path, text, sizeof text));
}

int __wrap_access(const char *path, int how)
{
    char text[400];

    return __real_access(beside(path, text, sizeof text), how);
}

static const struct ib_uverbs_attr *attribute(const struct ib_uverbs_ioctl_hdr *h, unsigned i, uint16_t id,
                                              uint16_t len)
{
    const struct ib_uverbs_attr *a = &h->attrs[i];

    cr_assert(i < h->num_attrs && a->attr_id == id && a->len == len && a->flags == UVERBS_ATTR_F_MANDATORY);
    return a;
}

static void invoke_write(const struct ib_uverbs_ioctl_hdr *h)
{
    const struct ib_uverbs_rereg_mr *in =
        (const void *)(uintptr_t)attribute(h, 0, UVERBS_ATTR_CORE_IN, sizeof *in)->data;
    struct ib_uverbs_rereg_mr_resp *out = (void *)(uintptr_t)attribute(h, 1, UVERBS_ATTR_CORE_OUT, sizeof *out)->data;

    cr_assert_eq(attribute(h, 2, UVERBS_ATTR_WRITE_CMD, 8)->data, IB_USER_VERBS_CMD_REREG_MR);
    cr_assert_eq(in->start, in->hca_va);
    NOTE("kernel: rereg_mr %u flags %x memory %d length %llu pd %u access %x\n", in->mr_handle, in->flags,
         in->start != 0, (unsigned long long)in->length, in->pd_handle, in->access_flags);
    out->lkey = ADAPTER_KEYS + 0x200 + in->mr_handle;
    out->rkey = 2 * ADAPTER_KEYS + 0x200 + in->mr_handle;
}

static void advise(const struct ib_uverbs_ioctl_hdr *h)
{
    const struct ibv_sge *s;

    s = (const void *)(uintptr_t)attribute(h, 3, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof *s)->data;
    NOTE("kernel: advise_mr pd %llu advice %llu flags %llx [%llx %u %x]\n",
         (unsigned long long)attribute(h, 0, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0)->data,
         (unsigned long long)attribute(h, 1, UVERBS_ATTR_ADVISE_MR_ADVICE, 8)->data,
         (unsigned long long)attribute(h, 2, UVERBS_ATTR_ADVISE_MR_FLAGS, 8)->data, (unsigned long long)s->addr,
         s->length, s->lkey);
}

int __wrap_ioctl(int fd, unsigned long request, void *of)
{
    const struct ib_uverbs_ioctl_hdr *h = of;

    cr_assert(fd == 77 && request == RDMA_VERBS_IOCTL && h->driver_id == RDMA_DRIVER_RXE);
    cr_assert_eq(h->length, sizeof *h + h->num_attrs * sizeof *h->attrs);
    if (h->object_id == UVERBS_OBJECT_DEVICE && h->method_id == UVERBS_METHOD_INVOKE_WRITE)
        invoke_write(h);
    else if (h->object_id == UVERBS_OBJECT_MR && h->method_id == UVERBS_METHOD_ADVISE_MR)
        advise(h);
    else
        cr_assert_fail("object %u method %u", h->object_id, h->method_id);
    return adapter_refuses("ioctl") ? -1 : 0;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t n)
{
    const struct ip_mreqn *four = value;
    const struct ipv6_mreq *six = value;
    char text[INET6_ADDRSTRLEN];

    (void)fd;
    if (level == IPPROTO_IP && option == IP_ADD_MEMBERSHIP && n == sizeof *four)
        NOTE("join %s %d\n", inet_ntop(AF_INET, &four->imr_multiaddr, text, sizeof text), four->imr_ifindex);
    else if (level == IPPROTO_IPV6 && option == IPV6_ADD_MEMBERSHIP && n == sizeof *six)
        NOTE("join %s %u\n", inet_ntop(AF_INET6, &six->ipv6mr_multiaddr, text, sizeof text), six->ipv6mr_interface);
    else
        cr_assert_fail("option %d", option);
    return adapter_refuses("join") ? -1 : 0;
}
