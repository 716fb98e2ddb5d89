/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the verbs target: tables of created objects, so that a reset can destroy them in order. */
#ifndef IBC_VERBS_DEVICE_H
#define IBC_VERBS_DEVICE_H
#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/rdma_cma.h>
#include "agent/verbs.h"

enum {
    VERBS_GUARD = 64, /* bytes of VERBS_GUARD_BYTE around each region */
    VERBS_NAME = 64,
    VERBS_ID_BITS = 56,
    VERBS_CMS = 64, /* number of listeners and connections */
    VERBS_CM_EVENTS = 128,
    VERBS_CM_NOTHING = 0xff,
};
#define VERBS_GUARD_BYTE 0xa5
/* the kernel's bits for capabilities whose names older headers lack */
#define VERBS_DEVICE_FLUSH_GLOBAL (UINT64_C(1) << 38)
#define VERBS_DEVICE_FLUSH_PERSISTENT (UINT64_C(1) << 39)
#define VERBS_DEVICE_ATOMIC_WRITE (UINT64_C(1) << 40)
#define VERBS_ACCESS_FLUSH_GLOBAL (1u << 8)
#define VERBS_ACCESS_FLUSH_PERSISTENT (1u << 9)

struct verbs_cq {
    struct ibv_cq *cq; /* NULL: the slot is free; likewise below */
    uint64_t notified;
};
struct verbs_qp {
    struct ibv_qp *qp;
    uint8_t type; /* enum iba_qp_type */
};
struct verbs_mw {
    struct ibv_mw *mw;
    /* the key that the user knows; libibverbs reports the new key of a type 1 window as soon as its bind is posted */
    uint32_t rkey;
    uint32_t next;    /* the key once the posted bind has succeeded */
    uint64_t bind_id; /* id of that bind */
    uint32_t bind_qpn;
    bool binding;
};
struct verbs_ah {
    struct ibv_ah *ah;
    struct ibv_pd *pd;
    struct ibv_ah_attr attr;
    bool named; /* created by the tester, who also destroys it; false: created for a work request */
};
struct verbs_group {
    struct ibv_qp *qp;
    union ibv_gid gid;
    uint16_t lid;
    int member; /* socket of the host's membership, -1: none */
};
struct verbs_region {
    struct ibv_mr *mr; /* NULL: the region is deregistered, and its memory still allocated */
    uint8_t *map;      /* pages: guard, region from a page's beginning, guard; NULL: free */
    size_t mapped;
    uint8_t *base;
    uint64_t local, length; /* local: as in the device's own work requests */
    uint64_t age;
};
struct verbs_cm_conn {
    struct rdma_cm_id *id;              /* NULL: the slot is free */
    uint32_t number;                    /* the tester's number for the connection; none is used twice */
    bool listens, active, disconnected; /* disconnected: the user has requested the disconnection */
    uint8_t latest;                     /* enum rdma_cm_event_type; VERBS_CM_NOTHING: no event yet */
};
struct verbs_cm {
    struct rdma_event_channel *channel; /* NULL: the tester has not asked for a connection manager */
    struct verbs_cm_conn conn[VERBS_CMS];
    struct iba_cm_event event[VERBS_CM_EVENTS];
    uint32_t n_event, numbers;
};

struct verbs {
    struct ibc_target t;
    char name[VERBS_NAME];
    uint8_t port;
    uint32_t ifindex; /* index of the Ethernet interface, 0: none */
    struct ibv_context *ctx;
    struct ibv_comp_channel *channel;
    struct ibv_device_attr_ex attr;
    uint64_t capabilities; /* determined once, at the start */
    uint32_t links;        /* 1 << enum ibc_link */
    uint8_t gid_index[IBC_LINK_COUNT];
    enum ibc_link link;

    struct ibv_pd *pd[VERBS_PDS];
    struct verbs_cq cq[VERBS_CQS];
    struct ibv_xrcd *xrcd[VERBS_XRCDS];
    struct ibv_srq *srq[VERBS_SRQS];
    struct verbs_qp qp[VERBS_QPS];
    struct verbs_mw mw[VERBS_MWS];
    struct verbs_ah ah[VERBS_AHS];
    struct verbs_group group[VERBS_GROUPS];
    struct verbs_region region[VERBS_REGIONS];
    struct verbs_cm cm;
    size_t memory; /* bytes of mapped memory */
    uint64_t age;  /* number of regions registered so far */

    bool inlines;    /* RC QPs are created for inline data */
    int kmsg;        /* descriptor of the kernel's log; -1: it cannot be read */
    uint64_t log_at; /* number of the record to be read next */
    char counter_names[IBC_MAX_COUNTERS][VERBS_NAME];
};
static inline struct verbs *verbs_of(struct ibc_target *t)
{
    return (struct verbs *)t; /* its first member */
}

/* Finds a free slot of an array of structs: its `member` is NULL. */
#define VERBS_FREE_SLOT(table, member, n, i)                                                                           \
    for (i = 0; i < (n) && (table)[i] member != NULL; i++)                                                             \
    continue

/* ---- verbs_answer.c ---- */
/* Returns the result for a call that returns 0, an errno, or -1 with errno set. */
enum ibc_rc verbs_answer(struct verbs *v, int result);
/* The same; EBUSY is refused with that error of the engine. */
enum ibc_rc verbs_answer_or_busy(struct verbs *v, int result, const char *busy);
/* Returns the result for a call that returns a pointer and sets errno. */
enum ibc_rc verbs_made(struct verbs *v, const void *object);
/* Returns REFUSED with one of the engine's errors. */
enum ibc_rc verbs_refused(struct verbs *v, const char *word);
enum ibc_rc verbs_fault(struct verbs *v, enum ibc_rc rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- verbs_link.c: ports, GIDs, addresses ---- */
/* Finds the links of the port, and on each the addresses of this device, the tester and a third host. */
bool verbs_find_links(struct verbs *v, const struct ibc_verbs_options *o, char *err, size_t errlen);
/* Fills in an address vector on the link of the last reset. UNSUPPORTED: verbs cannot express it. `to` NULL: the
 * tester. */
enum ibc_rc verbs_path(struct verbs *v, const struct ibc_address *to, const uint8_t *group, const struct ibc_path *path,
                       struct ibv_ah_attr *out);

/* ---- verbs_log.c ---- */
void verbs_log_open(struct verbs *v);
enum ibc_rc verbs_log(struct ibc_target *t, unsigned d, char *text, size_t n);

/* ---- verbs_probe.c ---- */
uint64_t verbs_probe(struct verbs *v);

/* ---- verbs_find.c: by the tester's number, NULL if it does not exist ---- */
struct verbs_qp *verbs_find_qp(struct verbs *v, uint32_t qpn);
struct ibv_pd *verbs_find_pd(struct verbs *v, uint32_t pd);
struct verbs_cq *verbs_find_cq(struct verbs *v, uint32_t cq);
struct ibv_srq *verbs_find_srq(struct verbs *v, uint32_t srq);
struct ibv_xrcd *verbs_find_xrcd(struct verbs *v, uint32_t xrcd);

/* ---- verbs_object.c ---- */
/* type: enum iba_qp_type; IBV_QPT_DRIVER: a tester may not have this type */
enum ibv_qp_type verbs_qp_type(uint8_t type);
enum ibc_rc verbs_create_pd(struct ibc_target *t, unsigned d, uint32_t *pd);
enum ibc_rc verbs_create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq);
enum ibc_rc verbs_create_ah(struct ibc_target *t, unsigned d, uint32_t pd, const struct ibc_address *to, uint32_t *ah);
enum ibc_rc verbs_create_xrcd(struct ibc_target *t, unsigned d, uint32_t *xrcd);
enum ibc_rc verbs_close_xrcd(struct verbs *v, uint32_t xrcd);
bool verbs_close_xrcds(struct verbs *v); /* closes all; false: the device refused to close one */
enum ibc_rc verbs_create_xrc_srq(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *s, uint32_t *srq,
                                 uint32_t *number);
struct ibv_qp *verbs_make_target(struct verbs *v, struct ibv_xrcd *xrcd);
enum ibc_rc verbs_create_srq(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit,
                             uint32_t *srq);
enum ibc_rc verbs_create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn);
enum ibc_rc verbs_destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id);
enum ibc_rc verbs_resize_cq(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth);
enum ibc_rc verbs_arm_cq(struct ibc_target *t, unsigned d, uint32_t cq, bool solicited_only);
enum ibc_rc verbs_notified(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times);
enum ibc_rc verbs_arm_srq(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t limit);
/* Destroys all objects, each before the objects that it uses. False: the device refused to destroy an object. */
bool verbs_destroy_all(struct verbs *v);

/* ---- verbs_group.c ---- */
enum ibc_rc verbs_attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool attach);
/* Leaves a group. 0: the QP has left, and the entry is free; otherwise the result of ibv_detach_mcast(). */
int verbs_leave(struct verbs_group *g);

/* ---- verbs_memory.c ---- */
uint32_t verbs_access(uint32_t access, bool *all); /* *all false: verbs lack some of the rights */
struct verbs_region *verbs_find_mr(struct verbs *v, uint32_t lkey);
/* The region as a verb that registers it tells the tester. */
struct ibc_mr verbs_mr(const struct verbs_region *g);
struct verbs_mw *verbs_find_mw(struct verbs *v, uint32_t rkey);
enum ibc_rc verbs_reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out);
enum ibc_rc verbs_dereg(struct verbs *v, uint32_t lkey);
enum ibc_rc verbs_alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey);
enum ibc_rc verbs_free_mw(struct verbs *v, uint32_t rkey);
enum ibc_rc verbs_read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n);
enum ibc_rc verbs_write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n);
/* Whether the guard bytes between the regions are unchanged. */
bool verbs_guards_hold(const struct verbs *v);
void verbs_unmap(struct verbs *v, struct verbs_region *g);
/* Allocates memory for a region, and fills in its pattern. NULL: there is no room. */
struct verbs_region *verbs_new_region(struct verbs *v, const struct ibc_mr_spec *m);

/* ---- verbs_kernel.c ---- */
enum { VERBS_ATTRIBUTES = 4 };
/* An attribute of a request. `value`: its bytes if they are at most eight; the address of its bytes if they are more,
 * or if the kernel writes them. */
struct ib_uverbs_attr verbs_attribute(uint16_t id, size_t length, uint64_t value);
/* Gives a request directly to the kernel's Soft-RoCE driver, since libibverbs lacks some requests to it. Returns 0 or
 * an errno; EINVAL also if the device has another driver. */
int verbs_ask_rxe(const struct ibv_context *ctx, uint16_t object, uint16_t method, const struct ib_uverbs_attr *attr,
                  unsigned n);

/* ---- verbs_reregister.c ---- */
enum ibc_rc verbs_reregister(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out);

/* ---- verbs_prefetch.c ---- */
enum ibc_rc verbs_prefetch(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p);

/* ---- verbs_queue.c, verbs_post.c ---- */
enum ibc_rc verbs_modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a);
/* Converts attributes of libibverbs to core's. */
void verbs_attributes_of(const struct ibv_qp_attr *b, struct iba_qp_attr *a);
enum ibc_rc verbs_query_qp(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a);
enum ibc_rc verbs_poll_cq(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n);
enum ibc_rc verbs_poll_event(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n);
enum ibc_rc verbs_post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s);
enum ibc_rc verbs_post_recv(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr);
enum ibc_rc verbs_post_srq_recv(struct ibc_target *t, unsigned d, uint32_t srq, const struct iba_recv_wr *wr);

/* ---- verbs_counters.c ---- */
unsigned verbs_counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS]);

/* ---- verbs_cm.c ---- */
/* whether the system has a connection manager that a program may use */
bool verbs_cm_exists(struct verbs *v);
bool verbs_cm_destroy_all(struct verbs *v);
enum ibc_rc verbs_cm_open(struct ibc_target *t, unsigned d);
enum ibc_rc verbs_cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *call);
enum ibc_rc verbs_cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n);
enum ibc_rc verbs_cm_attributes(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                                struct iba_qp_attr *a);
#endif
