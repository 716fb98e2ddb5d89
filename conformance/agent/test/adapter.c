/* SPDX-License-Identifier: BSD-2-Clause */
#include "adapter.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct ibv_device device;
static struct ibv_device *list[] = {&device, &device, NULL};
static struct verbs_context context;
static struct ibv_comp_channel channel;

#define NOTE(...) adapter_note(__VA_ARGS__)

/* ---- the device ---- */

static void begin_gids(enum iba_link link)
{
    static const struct ibv_gid_entry ethernet[] = {
        {.gid = {.raw = {0xfe, 0x80, [8] = 2, [15] = 10}}, .gid_type = IBV_GID_TYPE_ROCE_V1},
        {.gid = {.raw = {0xfe, 0x80, [8] = 2, [15] = 10}}, .gid_index = 1, .gid_type = IBV_GID_TYPE_ROCE_V2},
        {.gid = {.raw = {[10] = 0xff, 0xff, 10, 1, 2, 254}}, .gid_index = 2, .gid_type = IBV_GID_TYPE_ROCE_V1},
        {.gid = {.raw = {[10] = 0xff, 0xff, 10, 1, 2, 254}}, .gid_index = 3, .gid_type = IBV_GID_TYPE_ROCE_V2},
        {.gid = {.raw = {0x20, 1, 0xd, 0xb8, [15] = 1}}, .gid_index = 5, .gid_type = IBV_GID_TYPE_ROCE_V2},
        {.gid = {.raw = {0x20, 1, 0xd, 0xb8, [15] = 2}}, .gid_index = 6, .gid_type = IBV_GID_TYPE_ROCE_V2},
    };
    static const struct ibv_gid_entry ib[] = {
        {.gid = {.raw = {0xfe, 0x80, [8] = 0, 2, 0xc9, [15] = 0x50}}, .gid_type = IBV_GID_TYPE_IB},
    };

    adapter.n_gid = link == IBA_LINK_IB ? 1 : sizeof ethernet / sizeof *ethernet;
    memcpy(adapter.gid, link == IBA_LINK_IB ? ib : ethernet, adapter.n_gid * sizeof *ib);
    for (unsigned i = 0; i < adapter.n_gid; i++) {
        adapter.gid[i].port_num = 1;
        adapter.gid[i].ndev_ifindex = link == IBA_LINK_IB ? 0 : ADAPTER_IFINDEX;
    }
}

void adapter_begin(enum iba_link link)
{
    adapter = (struct adapter){.n_device = 1,
                               .port = {.lid = link == IBA_LINK_IB ? 0x11 : 0},
                               .mac = "02:00:5e:Ab:0c:fE\n",
                               .attr = {.orig_attr = {.phys_port_cnt = 2,
                                                      .fw_ver = "1.2",
                                                      .atomic_cap = IBV_ATOMIC_HCA,
                                                      .max_mcast_grp = 1,
                                                      .device_cap_flags = IBV_DEVICE_XRC}}};
    strcpy(device.name, "pretty0");
    begin_gids(link);
}

struct verbs *adapter_open(enum ibc_link link)
{
    const struct ibc_verbs_options o = {0};
    char err[200] = "";

    adapter_begin(link == IBC_LINK_ib_local || link == IBC_LINK_ib_global ? IBA_LINK_IB : IBA_LINK_ETHERNET);
    struct ibc_target *t = ibc_verbs_open(&o, err, sizeof err);
    cr_assert(t, "%s", err);
    OK(t->ops->reset(t, link, 0));
    adapter.said[0] = 0;
    memset(adapter.made, 0, sizeof adapter.made);
    return (struct verbs *)t;
}

void adapter_close(struct verbs *v)
{
    adapter.refuses = NULL;
    v->t.ops->close(&v->t);
    cr_assert_eq(adapter.alive, 0, "%d objects are left", adapter.alive);
}

struct ibv_device **ibv_get_device_list(int *n)
{
    *n = (int)adapter.n_device;
    return adapter_refuses("get_device_list") ? NULL : list;
}

void ibv_free_device_list(struct ibv_device **of)
{
    cr_assert_eq(of, list);
}

const char *ibv_get_device_name(struct ibv_device *d)
{
    return d->name;
}

/* ---- objects ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *c)
{
    uint32_t n = 0;
    struct ibv_pd *pd = adapter_made("alloc_pd", sizeof *pd, ADAPTER_PD, &n);

    NOTE("alloc_pd %u\n", n);
    return pd ? *pd = (struct ibv_pd){.context = c, .handle = n}, pd : NULL;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    return adapter_gone("dealloc_pd", pd, pd->handle);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *c, int cqe, void *of, struct ibv_comp_channel *ch, int vector)
{
    uint32_t n = 0;
    struct ibv_cq *cq = adapter_made("create_cq", sizeof *cq, ADAPTER_CQ, &n);

    cr_assert(!of && ch == &channel && vector == 0);
    NOTE("create_cq %u depth %d\n", n, cqe);
    if (cq)
        cq->context = c, cq->handle = n;
    return cq;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
    NOTE("resize_cq %u depth %d\n", cq->handle, cqe);
    return adapter_result("resize_cq");
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    return adapter_gone("destroy_cq", cq, cq->handle);
}

static int req_notify(struct ibv_cq *cq, int solicited)
{
    NOTE("notify %u solicited %d\n", cq->handle, solicited);
    return adapter_result("notify");
}

static int poll_one(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
    const int n = adapter.polled;

    (void)cq;
    cr_assert_eq(entries, 1);
    if (n > 0)
        *wc = adapter.wc;
    adapter.polled = 0;
    return n;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *a)
{
    uint32_t n = 0;
    struct ibv_srq *srq = adapter_made("create_srq", sizeof *srq, ADAPTER_SRQ, &n);

    NOTE("create_srq %u pd %u depth %u sges %u limit %u\n", n, pd->handle, a->attr.max_wr, a->attr.max_sge,
         a->attr.srq_limit);
    if (srq)
        srq->context = pd->context, srq->handle = n;
    return srq;
}

static struct ibv_srq *create_srq_ex(struct ibv_context *c, struct ibv_srq_init_attr_ex *a)
{
    uint32_t n = 0;
    struct ibv_srq *srq = adapter_made("create_srq_ex", sizeof *srq, ADAPTER_SRQ, &n);

    cr_assert(a->xrcd && a->srq_type == IBV_SRQT_XRC);
    NOTE("create_srq_ex %u pd %u cq %u depth %u sges %u mask %x\n", n, a->pd->handle, a->cq->handle, a->attr.max_wr,
         a->attr.max_sge, a->comp_mask);
    if (srq)
        srq->context = c, srq->handle = n;
    return srq;
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
    *number = ADAPTER_KEYS + srq->handle;
    return adapter_result("get_srq_num");
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *a, int mask)
{
    NOTE("modify_srq %u limit %u mask %d\n", srq->handle, a->srq_limit, mask);
    return adapter_result("modify_srq");
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
    return adapter_gone("destroy_srq", srq, srq->handle);
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *c, struct ibv_xrcd_init_attr *a)
{
    uint32_t n = 0;
    struct ibv_xrcd *x = adapter_made("open_xrcd", sizeof *x, ADAPTER_XRCD, &n);

    NOTE("open_xrcd %u fd %d create %d mask %x\n", n, a->fd, a->oflags == O_CREAT, a->comp_mask);
    if (x)
        x->context = c;
    return x;
}

static int close_xrcd(struct ibv_xrcd *x)
{
    return adapter_gone("close_xrcd", x, 0);
}

/* ---- queue pairs ---- */

static struct ibv_qp *qp_of(const char *name, struct ibv_qp_init_attr_ex *a)
{
    uint32_t n = 0;
    struct ibv_qp_ex *qp = adapter_made(name, sizeof *qp, ADAPTER_QP, &n);

    NOTE("%s %u type %d pd %u cqs %u %u srq %u depths %u %u sges %u %u inline %u all %d mask %x\n", name, n, a->qp_type,
         a->pd ? a->pd->handle : 0, a->send_cq ? a->send_cq->handle : 0, a->recv_cq ? a->recv_cq->handle : 0,
         a->srq ? a->srq->handle : 0, a->cap.max_send_wr, a->cap.max_recv_wr, a->cap.max_send_sge, a->cap.max_recv_sge,
         a->cap.max_inline_data, a->sq_sig_all, a->comp_mask);
    if (!qp)
        return NULL;
    a->cap.max_send_wr += adapter.deeper;
    a->cap.max_recv_wr += adapter.deeper;
    qp->qp_base = (struct ibv_qp){
        .context = &context.context, .pd = a->pd, .handle = n, .qp_num = ADAPTER_KEYS + n, .qp_type = a->qp_type};
    adapter.is.cap = a->cap;
    return &qp->qp_base;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
    struct ibv_qp_init_attr_ex ex = {.send_cq = a->send_cq,
                                     .recv_cq = a->recv_cq,
                                     .srq = a->srq,
                                     .cap = a->cap,
                                     .qp_type = a->qp_type,
                                     .sq_sig_all = a->sq_sig_all,
                                     .pd = pd};

    return qp_of("create_qp", &ex);
}

static struct ibv_qp *create_qp_ex(struct ibv_context *c, struct ibv_qp_init_attr_ex *a)
{
    (void)c;
    if (a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
        cr_assert_eq(a->send_ops_flags, IBV_QP_EX_WITH_ATOMIC_WRITE);
    if (a->comp_mask & IBV_QP_INIT_ATTR_XRCD)
        cr_assert(a->xrcd);
    return qp_of("create_qp_ex", a);
}

static void note_path(const char *name, const struct ibv_ah_attr *a)
{
    char gid[40];

    for (unsigned i = 0; i < 16; i++)
        (void)snprintf(gid + 2 * i, 3, "%02x", a->grh.dgid.raw[i]);
    NOTE(" %s global %u lid %x sl %u bits %u port %u index %u hop %u class %u flow %x %s", name, a->is_global, a->dlid,
         a->sl, a->src_path_bits, a->port_num, a->grh.sgid_index, a->grh.hop_limit, a->grh.traffic_class,
         a->grh.flow_label, gid);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask)
{
    NOTE("modify_qp %u mask %x state %d %d mtu %d mig %d qkey %x psns %x %x peer %x access %x", qp->handle,
         (unsigned)mask, a->qp_state, a->cur_qp_state, a->path_mtu, a->path_mig_state, a->qkey, a->rq_psn, a->sq_psn,
         a->dest_qp_num, a->qp_access_flags);
    NOTE(" pkeys %u %u notify %u rd %u %u rnr %u ports %u %u timeouts %u %u retries %u %u\n", a->pkey_index,
         a->alt_pkey_index, a->en_sqd_async_notify, a->max_rd_atomic, a->max_dest_rd_atomic, a->min_rnr_timer,
         a->port_num, a->alt_port_num, a->timeout, a->alt_timeout, a->retry_cnt, a->rnr_retry);
    if (mask & IBV_QP_AV)
        note_path("to", &a->ah_attr), NOTE("\n");
    if (mask & IBV_QP_ALT_PATH)
        note_path("or", &a->alt_ah_attr), NOTE("\n");
    return adapter_result("modify_qp");
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *init)
{
    NOTE("query_qp %u mask %x\n", qp->handle, (unsigned)mask);
    *a = adapter.is;
    *init = (struct ibv_qp_init_attr){0};
    if (mask & IBV_QP_CAP) /* a device need not tell what it was not asked for */
        init->cap = adapter.is.cap;
    return adapter_result("query_qp");
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    return adapter_gone("destroy_qp", qp, qp->handle);
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    NOTE("attach %u %02x..%02x lid %x\n", qp->handle, gid->raw[0], gid->raw[15], lid);
    return adapter_result("attach");
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    NOTE("detach %u %02x..%02x lid %x\n", qp->handle, gid->raw[0], gid->raw[15], lid);
    return adapter_result("detach");
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *a)
{
    uint32_t n = 0;
    struct ibv_ah *ah = adapter_made("create_ah", sizeof *ah, ADAPTER_AH, &n);

    NOTE("create_ah %u pd %u", n, pd->handle);
    note_path("to", a);
    NOTE("\n");
    if (ah)
        ah->handle = n;
    return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
    return adapter_gone("destroy_ah", ah, ah->handle);
}

/* ---- events ---- */

int ibv_get_async_event(struct ibv_context *c, struct ibv_async_event *e)
{
    (void)c;
    if (adapter.n_async == 0)
        return -1;
    *e = adapter.async[0];
    memmove(adapter.async, adapter.async + 1, --adapter.n_async * sizeof *e);
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *e)
{
    NOTE("ack_event %d\n", e->event_type);
}

int ibv_get_cq_event(struct ibv_comp_channel *c, struct ibv_cq **cq, void **of)
{
    (void)c;
    *of = NULL;
    if (adapter.n_completed == 0)
        return -1;
    *cq = adapter.completed[0];
    memmove(adapter.completed, adapter.completed + 1, --adapter.n_completed * sizeof *cq);
    return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    NOTE("ack_cq %u %u\n", cq->handle, n);
}

/* ---- open and close ---- */

static int query_device_ex(struct ibv_context *c, const struct ibv_query_device_ex_input *in,
                           struct ibv_device_attr_ex *a, size_t size)
{
    (void)c, (void)in;
    cr_assert_eq(size, sizeof *a);
    *a = adapter.attr;
    return adapter_result("query_device");
}

static int query_port(struct ibv_context *c, uint8_t port, struct ibv_port_attr *a, size_t size)
{
    (void)c;
    cr_assert(size == sizeof *a && port >= 1 && port <= adapter.attr.orig_attr.phys_port_cnt);
    *a = adapter.port;
    return adapter_result("query_port");
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
    NOTE("open_device\n");
    if (adapter_refuses("open_device"))
        return NULL;
    adapter.alive++;
    context = (struct verbs_context){.query_device_ex = query_device_ex,
                                     .query_port = query_port,
                                     .create_qp_ex = create_qp_ex,
                                     .get_srq_num = get_srq_num,
                                     .create_srq_ex = create_srq_ex,
                                     .open_xrcd = open_xrcd,
                                     .close_xrcd = close_xrcd,
                                     .sz = sizeof context,
                                     .context = {.device = d,
                                                 .ops = {.poll_cq = poll_one, .req_notify_cq = req_notify},
                                                 .cmd_fd = 77,
                                                 .async_fd = eventfd(0, EFD_CLOEXEC),
                                                 .abi_compat = __VERBS_ABI_IS_EXTENDED}};
    adapter_work(&context);
    return &context.context;
}

int ibv_close_device(struct ibv_context *c)
{
    NOTE("close_device\n");
    adapter_end_objects();
    adapter.alive--;
    return close(c->async_fd);
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *c)
{
    if (adapter_refuses("comp_channel"))
        return NULL;
    adapter.alive++;
    channel = (struct ibv_comp_channel){.context = c, .fd = eventfd(0, EFD_CLOEXEC)};
    return &channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *c)
{
    adapter.alive--;
    return close(c->fd);
}

ssize_t _ibv_query_gid_table(struct ibv_context *c, struct ibv_gid_entry *e, size_t most, uint32_t flags, size_t size)
{
    (void)c;
    cr_assert(most >= adapter.n_gid && flags == 0 && size == sizeof *e);
    memcpy(e, adapter.gid, adapter.n_gid * sizeof *e);
    return adapter_refuses("gid_table") ? -1 : (ssize_t)adapter.n_gid;
}
