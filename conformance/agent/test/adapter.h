/* SPDX-License-Identifier: BSD-2-Clause */
/* libibverbs, librdmacm and the kernel's files of a device that exists in the test alone. They write down how they are
 * called, and refuse what the test wants. Objects have the numbers 1, 2, ... of their kind; keys and QP numbers are
 * made of them. */
#ifndef IBC_AGENT_TEST_ADAPTER_H
#define IBC_AGENT_TEST_ADAPTER_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "agent/verbs_device.h"
#include "cm/iba_cm.h"

enum { ADAPTER_GIDS = 8, ADAPTER_QUEUE = 16, ADAPTER_SAID = 16384, ADAPTER_KEYS = 0x1000, ADAPTER_IFINDEX = 7 };

enum {
    ADAPTER_PD,
    ADAPTER_CQ,
    ADAPTER_SRQ,
    ADAPTER_QP,
    ADAPTER_MR,
    ADAPTER_MW,
    ADAPTER_AH,
    ADAPTER_XRCD,
    ADAPTER_ID,
    ADAPTER_KINDS
};

struct adapter {
    /* what it is; adapter_begin() sets these */
    unsigned n_device;
    struct ibv_device_attr_ex attr;
    struct ibv_port_attr port;
    struct ibv_gid_entry gid[ADAPTER_GIDS];
    unsigned n_gid;
    const char *mac; /* the interface's file with its address; NULL: there is none */
    unsigned deeper; /* entries that each queue has more than was asked for */
    /* the function that refuses ("create_cq"; a list: "create_cq,alloc_pd") and its errno; it returns -1 instead if
     * `minus` */
    const char *refuses;
    int error;
    bool minus;
    /* what comes next */
    struct ibv_wc wc;
    int polled; /* result of the next ibv_poll_cq() */
    struct ibv_async_event async[ADAPTER_QUEUE];
    struct ibv_cq *completed[ADAPTER_QUEUE];
    struct rdma_cm_event cm[ADAPTER_QUEUE];
    unsigned n_async, n_completed, n_cm;
    bool unresolved;                   /* no address is resolved */
    bool silent;                       /* nothing is heard of addresses */
    struct ibv_qp_attr is;             /* what a query returns */
    const char *record[ADAPTER_QUEUE]; /* the kernel's log */
    unsigned n_record, at_record;
    bool no_log;
    const char *sys; /* folder that stands for /sys/class/infiniband */
    /* what was called, one line each; alive: objects that are not destroyed yet */
    char said[ADAPTER_SAID];
    int alive;
    unsigned made[ADAPTER_KINDS];
    struct rdma_cm_id *newest; /* connection */
};
extern struct adapter adapter;

/* The device "pretty0": RoCE with an IPv4 address, two of IPv6 and one of RoCEv1, or InfiniBand. */
void adapter_begin(enum iba_link link);
struct verbs *adapter_open(enum ibc_link link);
void adapter_close(struct verbs *v);
void adapter_event(enum rdma_cm_event_type type, struct rdma_cm_id *id, int status);
void adapter_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool adapter_refuses(const char *name);
/* Of the parts of the pretended libraries: a result that is an errno, or -1 and errno; an object that is made, one that
 * is destroyed. */
int adapter_result(const char *name);
void *adapter_made(const char *name, size_t size, unsigned kind, uint32_t *number);
int adapter_gone(const char *name, void *object, uint32_t number);
void adapter_drop(void *object);
void adapter_end_objects(void);
void adapter_work(struct verbs_context *c);

/* The calls since the last SAID() are exactly these. */
#define SAID(text)                                                                                                     \
    do {                                                                                                               \
        cr_assert_str_eq(adapter.said, text);                                                                          \
        adapter.said[0] = 0;                                                                                           \
    } while (0)
#define REFUSED(v, call, word)                                                                                         \
    do {                                                                                                               \
        cr_assert_eq(call, IBC_REFUSED);                                                                               \
        cr_assert_str_eq((v)->t.refusal, word);                                                                        \
    } while (0)
#define OK(call) cr_assert_eq(call, IBC_OK)
#endif
