/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the reference target: two adapters of libiba on one virtual clock, with all the memory they may need.
 * Everything is allocated at open; a reset clears only what was used since the last one. */
#ifndef IBC_REFERENCE_H
#define IBC_REFERENCE_H
#include "adapter/iba_ca.h"
#include "adapter/iba_change_rules.h"
#include "adapter/iba_gsi.h"
#include "cm/deviations_cm.h"
#include "emit.h"
#include "hear.h"
#include "sim/iba_random.h"
#include "targets/target.h"
#include "transport/iba_dcqcn.h"

enum {
    REF_QPS = 128, /* QPs that a device can have */
    REF_CQS = 192,
    REF_SRQS = 16,
    REF_TAGS = 64, /* tagged receives of a shared receive queue */
    REF_AHS = 64,
    REF_GROUPS = 32,
    REF_KEYS = 256, /* keys of regions and windows; index 0 is not used */
    REF_PDS = 32,
    REF_SAVED = 16, /* READs and ATOMICs that a responder remembers */
    REF_DEPTH = 16384,
    REF_EVENTS = 256,
    REF_REGIONS = 512, /* regions that the tester may still read, deregistered ones included */
    REF_OF_PIECES = 8, /* regions of pieces that a scenario may register */
    REF_PORTS = 2,
    REF_PKEYS = 16,
    REF_GUARD = 64,           /* bytes of REF_GUARD_BYTE around each region */
    REF_RINGS = 8 << 20,      /* bytes for queues, per device; pages are used on demand */
    REF_MEMORY = 32 << 20,    /* bytes for regions, per device; pages are used on demand */
    REF_MOST_FRAMES = 100000, /* frames from one reset to the next: a broken device may never stop sending */
    /* rounds of timers from one reset to the next: a broken device may never stop its timers */
    REF_MOST_ROUNDS = 1000000,
};
#define REF_GUARD_BYTE 0xa5
#define REF_LINE_RATE UINT64_C(100000000000) /* bit/s; only flows that a notification has slowed down have a rate */
#define REF_START UINT64_C(1000000000)       /* the time after a reset, ns */
#define REF_FIRST_VA UINT64_C(0x00007f4c00000000) /* above 32 bits, as addresses of processes are */

struct ref_qp {
    struct iba_qp qp;
    struct iba_sqe *sq;
    struct iba_recv_wr *rq;
    struct iba_saved saved[REF_SAVED];
    uint32_t n_sq, n_rq; /* depths for which the slot has memory */
    bool used;
};
struct ref_cq {
    struct iba_cq cq;
    struct iba_wc *ring, *spare; /* spare: second ring of a queue that was resized, or NULL */
    uint32_t n, n_spare;
    bool used;
};
struct ref_srq {
    struct iba_srq srq;
    struct iba_recv_wr *ring;
    struct iba_tag tag[REF_TAGS];
    uint32_t n;
    bool used;
};
struct ref_ah { /* an address handle that was created on demand */
    struct iba_av av;
    uint32_t pd, number, epoch; /* epoch: number of the port's settings when the handle was created */
};
/* The pieces of a region, to which the engine's table refers. */
struct ref_pieces {
    struct iba_pieces pieces;
    struct iba_piece piece[IBA_MAX_SGE];
};
struct ref_region {
    uint8_t *base, *present; /* present: of a region with on-demand paging, one bit for each page */
    uint64_t va, length;     /* va: as in the device's own work requests */
    size_t room;
    uint32_t lkey, access;
    bool live;
};
enum {
    REF_CM_CONNS = 16,
    REF_CM_LISTENERS = 8,
    REF_CM_RING = 32,
    REF_ACK_DELAY = 12,    /* code of the device's ACK delay in a REP */
    REF_SIDR_TIMEOUT = 14, /* code of the time that the device waits for a SIDR_REP */
    REF_SIDR_RETRIES = 2,
};
#define REF_CA_GUID UINT64_C(0x0002c90300000001)
struct ref_cm {
    struct iba_cm cm;
    struct iba_gsi gsi;
    struct iba_cm_conn conn[REF_CM_CONNS];
    /* number: the number of the last listener */
    uint32_t heap[REF_CM_CONNS], bucket[IBA_CM_KEYS * REF_CM_CONNS], number;
    struct iba_cm_listener listener[REF_CM_LISTENERS];
    struct iba_cm_datagram out[REF_CM_RING];
    struct iba_cm_event event[REF_CM_RING];
    bool open;
};
struct reference;
struct ref_device {
    struct iba_ca ca;
    struct reference *of;
    struct iba_random random;
    struct ref_cm cm;
    struct iba_qp *qps[REF_QPS];
    struct iba_cq *cqs[REF_CQS];
    struct iba_srq *srqs[REF_SRQS];
    struct iba_ah ahs[REF_AHS];
    struct iba_mcast mcasts[REF_GROUPS];
    struct iba_mkey keys[REF_KEYS];
    uint32_t pds[REF_PDS];
    struct ref_qp qp[REF_QPS];
    struct ref_cq cq[REF_CQS];
    struct ref_srq srq[REF_SRQS];
    struct ref_ah ah[REF_AHS];
    struct ref_region region[REF_REGIONS];
    struct ref_pieces of_pieces[REF_OF_PIECES];
    struct iba_dcqcn dcqcn;
    struct iba_dcqcn_flow flow[REF_QPS];
    struct iba_event event[REF_EVENTS]; /* a ring; events that do not fit are lost */
    uint32_t n_qp, n_cq, n_srq;         /* number of slots that were used since the reset */
    uint32_t n_ah, n_region, n_of_pieces, first_event, n_event, epoch;
    uint8_t *rings, *memory;
    size_t rings_used, memory_used;
    uint64_t next_va;
};

/* The change of a mutant; at most one of these members is set. */
struct ref_change {
    bool emits; /* the mutant sends a field wrong: `emit` */
    struct ref_emit emit;
    bool hears; /* the mutant misreads packets: `hear` */
    struct ref_hear hear;
    bool decides; /* the mutant has `rules` instead of the engine's own rules of `table` */
    enum iba_rule_table table;
    struct iba_changed_rules rules;
    bool cm_decides; /* the mutant has `cm_rules` instead of the CM's own rules of `cm_table` */
    enum iba_cm_table cm_table;
    struct iba_cm_changed_rules cm_rules;
    uint8_t without_tag; /* tag matching lacks that row, see iba_tag_srq_init.left_out; 0: it lacks none */
    bool breaks;         /* nodes of a subnet lack `row` */
    bool does;           /* the mutant has the behaviour `change` */
    struct iba_change change;
    struct iba_node_break row;
};

struct ref_fabric;
struct reference {
    struct ibc_target t;
    struct ref_fabric *fabric; /* created with the first subnet; NULL before */
    struct ref_device d[IBC_DEVICES];
    enum ibc_link link;
    iba_time now;
    uint32_t frames, rounds, last; /* frames and rounds since the reset; last: device that sent last */
    struct ref_change change;
};
static inline struct reference *reference_of(struct ibc_target *t)
{
    return (struct reference *)t; /* its first member */
}
static inline struct ref_device *device_of(struct ibc_target *t, unsigned d)
{
    return &reference_of(t)->d[d < IBC_DEVICES ? d : 0];
}

/* Creates an unchanged device; NULL: no memory. Mutants are made from the device before the first reset. */
struct reference *ref_open(void);

/* ---- ref_answer.c: results of the engine as the target returns them ---- */
/* Returns a refusal whose text is the error's name in small letters: "attr_missing" for "VERB_ATTR_MISSING",
 * "mem_busy" for "MEM_BUSY". */
enum ibc_rc ref_refused(struct ibc_target *t, const char *name);
enum ibc_rc ref_verb(struct ibc_target *t, enum iba_verb_err e);
enum ibc_rc ref_mem(struct ibc_target *t, enum iba_mem_err e);
/* Sets the error text of DEAD and BROKEN. */
enum ibc_rc ref_fault(struct ibc_target *t, enum ibc_rc rc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- ref_link.c: the addresses on the wire ---- */
void ref_set_addresses(struct reference *r);
void ref_set_ports(struct reference *r, unsigned d);
/* Returns the path along the link to `to`; NULL means the tester. */
struct iba_av ref_path(const struct reference *r, uint8_t port, const struct ibc_address *to);
struct iba_av ref_path_to_group(const struct reference *r, uint8_t port, const uint8_t *gid);
/* Returns the device's port at which a frame arrives: the second only if the frame is addressed to it. */
uint8_t ref_port_of_frame(const struct ref_device *dev, const uint8_t *frame, size_t len);
enum ibc_rc ref_set_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value);
enum ibc_rc ref_set_gid(struct ibc_target *t, unsigned d, uint32_t index, const uint8_t gid[16]);
/* Copies the fields of an address vector except the destination. */
void ref_put_path(struct iba_av *av, const struct ibc_path *path);

/* ---- ref_object.c, ref_memory.c, ref_queue.c: verbs ---- */
/* ref_cm.c */
enum ibc_rc ref_cm_open(struct ibc_target *t, unsigned d);
enum ibc_rc ref_cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *c);
enum ibc_rc ref_cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n);
enum ibc_rc ref_cm_attributes(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                              struct iba_qp_attr *a);
enum ibc_rc ref_create_pd(struct ibc_target *t, unsigned d, uint32_t *pd);
enum ibc_rc ref_create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq);
enum ibc_rc ref_create_ah(struct ibc_target *t, unsigned d, uint32_t pd, const struct ibc_address *to, uint32_t *ah);
enum ibc_rc ref_resize_cq(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth);
enum ibc_rc ref_create_xrcd(struct ibc_target *t, unsigned d, uint32_t *xrcd);
enum ibc_rc ref_create_xrc_srq(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *spec, uint32_t *srq,
                               uint32_t *number);
enum ibc_rc ref_create_tag_srq(struct ibc_target *t, unsigned d, const struct ibc_tag_srq_spec *spec, uint32_t *srq);
enum ibc_rc ref_create_srq(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit,
                           uint32_t *srq);
enum ibc_rc ref_create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn);
enum ibc_rc ref_destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id);
enum ibc_rc ref_notified(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times);
enum ibc_rc ref_attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool attach);

enum ibc_rc ref_reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out);
enum ibc_rc ref_alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey);
enum ibc_rc ref_reregister(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out);
enum ibc_rc ref_dereg(struct ibc_target *t, unsigned d, uint32_t lkey);
enum ibc_rc ref_read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n);
enum ibc_rc ref_write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n);
enum ibc_rc ref_page(struct ibc_target *t, unsigned d, uint64_t at, bool present);
enum ibc_rc ref_prefetch(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p);
bool ref_guards_hold(const struct ref_device *dev);

enum ibc_rc ref_modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a);
enum ibc_rc ref_query_qp(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a);
enum ibc_rc ref_post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s);

/* ---- ref_fabric.c ---- */
enum ibc_rc ref_fabric_open(struct ibc_target *t, const struct ibc_fabric *f);
enum ibc_rc ref_fabric_plug(struct ibc_target *t, unsigned end, bool in);
bool ref_fabric_is_open(const struct reference *r);
void ref_fabric_close(struct reference *r);
enum ibc_rc ref_fabric_inject(struct reference *r, unsigned end, const uint8_t *frame, size_t len);
/* Takes the next packet that leaves by any end before `until`. */
enum ibc_rc ref_fabric_collect(struct reference *r, iba_time until, uint8_t *frame, size_t *len, unsigned *from);

/* ---- ref_counters.c ---- */
unsigned ref_counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS]);
#endif
