/* SPDX-License-Identifier: BSD-2-Clause */
/* The device under test, behind one table of functions. A target is one device, or two with the tester between
 * them. Each device has the verbs of the agent's protocol (conformance/agent) and one wire to the tester. Verbs
 * return REFUSED if the device itself refuses (its error is in `refusal`), and UNSUPPORTED if the target cannot ask
 * the device. The target does not judge. Times are ns on the target's clock, which is virtual for the reference. */
#ifndef IBC_TARGET_H
#define IBC_TARGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "cm/iba_cm.h"
#include "fabric/iba_node.h"
#include "scenario/scenario.h"
#include "transport/iba_verbs.h"
#include "wire/iba_crc.h"
#include "wire/iba_view.h"

enum ibc_rc {
    IBC_OK,
    IBC_REFUSED,     /* the device refused: its error is in `refusal` */
    IBC_UNSUPPORTED, /* the target cannot do this step */
    IBC_DEAD,        /* the device is gone, or does not answer: the caller reports this */
    IBC_BROKEN,      /* a fault of the harness: the text is in ibc_target.fault */
    /* the agent is gone, silent or broke the protocol, or nothing answers on the wire: see contact() */
    IBC_LOST,
};
/* The state of the device after the agent was lost */
enum ibc_contact {
    IBC_CONTACT_SAME,    /* the agent is back, and its system was up all the time */
    IBC_CONTACT_REBOOT,  /* the agent is back, and its system has restarted */
    IBC_CONTACT_LOG,     /* the agent is back, and its system's log has a new complaint */
    IBC_CONTACT_UNKNOWN, /* the agent is back, and cannot report either */
    IBC_CONTACT_NONE,    /* the agent did not come back */
    IBC_CONTACT_COUNT
};

struct ibc_target;
struct ibc_counter {
    const char *name; /* Linux' name if Linux has the counter (hw_counters), otherwise a name of ours */
    uint64_t value;
};
enum { IBC_MAX_COUNTERS = 48, IBC_FRAME = 16384, IBC_DEVICES = 2 };

/* Returns the length in bytes up to the end of the frame's last CRC: a view ends before the VCRC. */
static inline size_t ibc_frame_end(enum iba_link framing, const struct iba_view *v)
{
    return v->end + (framing == IBA_LINK_IB ? IBA_VCRC_BYTES : 0u);
}

/* The addresses at which tester and device reach each other, on every link the target has. */
struct ibc_address {
    uint64_t mac;
    uint32_t ipv4;
    uint8_t ipv6[16]; /* RoCEv2 over IPv6; its GID */
    uint8_t gid[16];  /* RoCEv1 and InfiniBand */
    uint16_t lid;
};

struct ibc_mr_spec {
    uint32_t pd;
    uint64_t length, iova;
    bool has_iova;
    uint32_t access; /* enum iba_access */
    char fill;       /* letter of the pattern that the region is filled with at first */
    /* n_piece > 0: the region consists of pieces of other regions (iba_mem.h); `length` and `fill` are ignored */
    struct iba_piece piece[IBA_MAX_SGE];
    uint32_t n_piece;
    uint64_t rounds;
};
struct ibc_mr {
    uint32_t id;
    uint64_t va;    /* the address of its first byte for the peer */
    uint64_t local; /* its address in the device's own work requests */
    uint32_t lkey, rkey;
};
struct ibc_xrc_srq_spec {
    uint32_t pd, depth, xrcd, cq;
};
struct ibc_tag_srq_spec {
    uint32_t pd, depth, cq;
    uint32_t n_tags; /* the most tagged receives at one time */
};
struct ibc_qp_spec {
    uint8_t type; /* enum iba_qp_type */
    uint32_t pd, scq, rcq, srq;
    bool has_srq, has_xrcd, sig_all;
    uint32_t xrcd;   /* XRC domain of an XRC target */
    uint32_t rdd;    /* RD domain of an RD QP or an EE context */
    uint32_t sq, rq; /* depths */
};
struct ibc_tagged { /* a tagged receive */
    struct iba_recv_wr wr;
    uint64_t tag, mask;
    uint32_t handled; /* the number of unexpected messages that software has handled */
};
/* The fields of an address vector except the destination. */
struct ibc_path {
    bool tagged;          /* RoCE: with a VLAN tag */
    uint16_t vlan, sport; /* sport: RoCEv2; 0: the device chooses */
    uint8_t gid_index, path_bits;
};
/* Attributes of modify: those of core, with the peer given by its address. */
struct ibc_qp_attr {
    struct iba_qp_attr a; /* the target fills in av and alt_av */
    uint32_t mask;        /* enum iba_qp_attr_mask; STATE is always set */
    uint8_t hop, tclass, sl;
    uint32_t flow;
    bool to_partner;                    /* role middle: the peer is the other device */
    const struct ibc_address *to, *alt; /* the destinations of the first and the alternate path; NULL: the peer */
    struct ibc_path path;
    uint8_t av_port, alt_port; /* the ports of the first and the alternate path; 0: the QP's */
};
struct ibc_ah_spec {
    const struct ibc_address *to; /* NULL: the tester */
    const uint8_t *group;         /* a multicast GID instead */
    uint8_t hop, tclass, sl;
    struct ibc_path path;
    uint32_t pd;       /* protection domain of the handle if has_pd is set; otherwise that of the QP */
    bool has_pd, none; /* none: no handle at all */
    uint8_t port;      /* port by which the datagram leaves; 0: the QP's */
};
struct ibc_send {
    struct iba_send_wr wr; /* the target fills in ah from `dest` */
    struct ibc_ah_spec dest;
};

/* A verb of a connection manager (core/cm). Its message has the values that the user gives; the device fills in all
 * others before it sends. */
struct ibc_cm_call {
    enum ibc_cm_verb verb;
    uint32_t id; /* connection; after connect and resolve: the new connection */
    uint8_t mad[IBA_MAD_BYTES];
    uint32_t backlog;     /* listen */
    bool datagrams, both; /* listen: for SIDR_REQs; connect: peer-to-peer */
    uint8_t compare[IBA_CM_REQ_BYTES], compare_n;
};

/* A subnet under test: nodes as a subnet manager has set them up, and the ends of their wires. */
enum { IBC_NODES = 6, IBC_ENDS = 24, IBC_ROUTES = 24 };
struct ibc_node_spec {
    const char *name;
    uint8_t type;  /* enum iba_node_type */
    uint8_t ports; /* without a switch's port 0 */
    uint8_t state; /* enum iba_port_state of all ports */
    uint8_t vls;   /* code of VLCap */
    uint16_t lid, sm;
    uint8_t lmc, protect;
    uint64_t mkey;
    uint16_t lease;
    uint16_t buffer; /* blocks of each lane's receive buffer; 0: no credits */
    bool refresh;    /* flow-control packets at regular intervals */
    bool unmapped;   /* without SL-to-VL tables */
    uint8_t ipd;     /* static rate at which software of an adapter sends */
};
struct ibc_end {
    uint8_t node, port; /* port 0: the node's software */
    uint8_t to;         /* number of the end that a cable leads to, plus 1; 0: the tester has the other end */
};
struct ibc_route {
    uint8_t node, port;
    uint16_t lid;
};
/* A subnet manager, with what its administrator tells it. */
enum { IBC_MANAGERS = 4, IBC_PARTITIONS = 4, IBC_MEMBERS = 8, IBC_UNSAID = -1 };
struct ibc_manager {
    uint8_t node;         /* the adapter at whose first port it runs */
    int priority, lmc;    /* IBC_UNSAID: the manager's default */
    uint64_t mkey;        /* 0: none */
    int protect, lease;   /* protection level, and lease in s; IBC_UNSAID as above */
    uint64_t sweep, poll; /* ns between sweeps, and between a standby's questions to the master; 0 as above */
};
struct ibc_partition {
    uint16_t pkey; /* without the bit of full members */
    unsigned n;
    struct {
        uint8_t node, port;
        bool full;
    } member[IBC_MEMBERS];
};
struct ibc_fabric {
    bool unmanaged; /* the nodes are as after power-up; names are given */
    struct ibc_partition partition[IBC_PARTITIONS];
    unsigned n_partition;
    struct ibc_node_spec node[IBC_NODES];
    struct ibc_end end[IBC_ENDS];
    struct ibc_route route[IBC_ROUTES]; /* routes in the forwarding tables of switches */
    unsigned n_node, n_end, n_route;
};

/* Software's advice that it will soon access these bytes of an on-demand region (ibv_advise_mr(3)). */
struct ibc_prefetch {
    uint64_t at; /* the device's own address, as in a work request */
    uint32_t length, lkey, pd;
    bool write;    /* the pages are to be writable */
    bool no_fault; /* only pages that the host has in its memory already */
    bool later;    /* the call returns before the pages are there */
};

/* A region is registered again (ibv_rereg_mr(3)): the attributes that change. The others stay. */
struct ibc_reregister {
    uint32_t lkey, pd, access;
    uint64_t length;
    char fill;
    bool has_pd, has_access;
    bool has_range; /* the region gets other memory, of this length and filled with the pattern `fill` */
};

struct ibc_target_ops {
    const char *name, *help;
    /* Makes the device clean: it has no objects, its clock runs, its link is `link`. Errors: DEAD, or the device
     * lacks the link. */
    enum ibc_rc (*reset)(struct ibc_target *t, enum ibc_link link, uint64_t seed);
    uint64_t (*capabilities)(struct ibc_target *t); /* 1 << enum ibc_capability; of the device in its current state */
    uint32_t (*links)(struct ibc_target *t);        /* 1 << enum ibc_link */

    /* Objects of device d (0 or 1). */
    enum ibc_rc (*create_pd)(struct ibc_target *t, unsigned d, uint32_t *pd);
    enum ibc_rc (*create_cq)(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq);
    enum ibc_rc (*create_srq)(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit,
                              uint32_t *srq);
    /* XRC domains, and shared receive queues in them. *number: the number of the SRQ in requests. NULL: the target
     * has none. */
    enum ibc_rc (*create_xrcd)(struct ibc_target *t, unsigned d, uint32_t *xrcd);
    enum ibc_rc (*create_xrc_srq)(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *s, uint32_t *srq,
                                  uint32_t *number);
    enum ibc_rc (*create_qp)(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn);
    enum ibc_rc (*reg_mr)(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out);
    /* If the device refuses, *out stays as it was, but the device may have invalidated the region. */
    enum ibc_rc (*reregister)(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out);
    /* type: 1; 2, the device's own kind of type 2; 3, type 2A */
    enum ibc_rc (*alloc_mw)(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey);
    /* Creates an address handle of the default path to that address. The handle keeps the protection domain in use
     * as long as it exists. Handles that the target creates for work requests do not, and are destroyed with the
     * domain. */
    enum ibc_rc (*create_ah)(struct ibc_target *t, unsigned d, uint32_t pd, const struct ibc_address *to, uint32_t *ah);
    /* kind: enum ibc_object_kind; id: of a region its L_Key, of a window its R_Key, of a QP its number */
    enum ibc_rc (*destroy)(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id);
    enum ibc_rc (*arm_cq)(struct ibc_target *t, unsigned d, uint32_t cq, bool solicited_only);
    enum ibc_rc (*resize_cq)(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth);
    enum ibc_rc (*notified)(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times);
    enum ibc_rc (*arm_srq)(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t limit);

    enum ibc_rc (*modify_qp)(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a);
    enum ibc_rc (*query_qp)(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a);
    enum ibc_rc (*post_send)(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s);
    enum ibc_rc (*post_recv)(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr);
    enum ibc_rc (*post_srq_recv)(struct ibc_target *t, unsigned d, uint32_t srq, const struct iba_recv_wr *wr);
    /* *n: 1 with *wc, or 0 */
    enum ibc_rc (*poll_cq)(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n);
    enum ibc_rc (*poll_event)(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n);
    enum ibc_rc (*attach)(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid,
                          bool attach);

    /* Reads and writes the device's memory by its own addresses (ibc_mr.local). */
    enum ibc_rc (*read_memory)(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n);
    enum ibc_rc (*write_memory)(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n);
    enum ibc_rc (*page)(struct ibc_target *t, unsigned d, uint64_t at, bool present);
    enum ibc_rc (*prefetch)(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p);
    /* key: IBC_K_pkey (index), IBC_K_lmc, IBC_K_lid, IBC_K_mtu, IBC_K_congestion, IBC_K_sl2vl (index),
     * IBC_K_pkey_violations, IBC_K_qkey_violations */
    enum ibc_rc (*set_port)(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value);
    /* Returns the number of counters; 0: the device has none. */
    unsigned (*counters)(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS]);

    /* The wire of device d. */
    uint64_t (*now)(struct ibc_target *t);
    enum ibc_rc (*inject)(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len);
    /* Returns the next frame that the device sends; *len is 0: none came before `until`. Advances time as little as
     * possible. *at: the time when the frame left. */
    enum ibc_rc (*collect)(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                           uint64_t *at);
    /* Returns the next frame of any device; *from is its number. */
    enum ibc_rc (*collect_any)(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                               uint64_t *at, unsigned *from);
    void (*close)(struct ibc_target *t);
    /* The connection manager of device d, on its first port; NULL: the target has none. cm_open makes the manager
     * take QP1. */
    enum ibc_rc (*cm_open)(struct ibc_target *t, unsigned d);
    enum ibc_rc (*cm_call)(struct ibc_target *t, unsigned d, struct ibc_cm_call *c);
    enum ibc_rc (*cm_event)(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n);
    enum ibc_rc (*cm_attributes)(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                                 struct iba_qp_attr *a);
    /* Returns a starting PSN as the device's software would choose it; NULL: the target cannot choose one. */
    enum ibc_rc (*choose_psn)(struct ibc_target *t, unsigned d, uint32_t *psn);
    /* Sets an entry of the first port's GID table; NULL: the target cannot set it. */
    enum ibc_rc (*set_gid)(struct ibc_target *t, unsigned d, uint32_t index, const uint8_t gid[16]);
    /* Builds a subnet. From then until the next reset, inject() and collect_any() take the number of an end of the
     * subnet's wires instead of a device. A frame of end N is one that the port of the end sends, or that its
     * software receives. NULL: the target has no subnets. */
    enum ibc_rc (*fabric_open)(struct ibc_target *t, const struct ibc_fabric *f);
    /* Pulls the cable of an end, or plugs it in. */
    enum ibc_rc (*fabric_plug)(struct ibc_target *t, unsigned end, bool in);
    /* Role sm; NULL: the target has no subnet managers. Starts manager `number`, or ends it at once. */
    enum ibc_rc (*manager_start)(struct ibc_target *t, unsigned number, const struct ibc_manager *m);
    enum ibc_rc (*manager_stop)(struct ibc_target *t, unsigned number);
    /* Returns for how many ns the running managers have waited for a processor so far. */
    uint64_t (*managers_waited)(struct ibc_target *t);
    /* Turns a Get of subnet management into the answer of the port's node, without a packet. */
    enum ibc_rc (*fabric_read)(struct ibc_target *t, unsigned end, uint8_t mad[IBA_MAD_BYTES]);
    /* Whether the whole subnet is as required; if not, `got` says what differs. */
    bool (*fabric_check)(struct ibc_target *t, enum ibc_check check, char *got, size_t n);
    /* Tag matching (iba_verbs.h): an SRQ with tags completes into a CQ of its own. NULL: the target has none. */
    enum ibc_rc (*create_tag_srq)(struct ibc_target *t, unsigned d, const struct ibc_tag_srq_spec *s, uint32_t *srq);
    enum ibc_rc (*add_tag)(struct ibc_target *t, unsigned d, uint32_t srq, const struct ibc_tagged *g,
                           uint32_t *handle);
    enum ibc_rc (*remove_tag)(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t handle, uint32_t handled);
    enum ibc_rc (*sync_tags)(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t handled);
    /* Returns the first complaint of the device's system since the last call; empty: there was none. NULL: the
     * target cannot read the log. */
    enum ibc_rc (*log)(struct ibc_target *t, unsigned d, char *text, size_t n);
    /* Returns the number of frames that the wire is known to have lost since the target was opened; NULL: the wire
     * loses none. */
    uint64_t (*lost)(struct ibc_target *t);
    /* After IBC_LOST: waits for the agent to come back, and returns the state of the device; text: its system's
     * complaint with IBC_CONTACT_LOG. NULL: the target never loses its agent. */
    enum ibc_contact (*contact)(struct ibc_target *t, char *text, size_t n);
};
struct ibc_target {
    const struct ibc_target_ops *ops;
    enum iba_link framing;                  /* encapsulation of the target's frames, for the view and the evidence */
    struct ibc_address device[IBC_DEVICES]; /* role middle: device 0 and 1 are each other's peer */
    struct ibc_address tester, stranger;
    char refusal[80];  /* REFUSED: the device's error: enum iba_verb_err or iba_mem_err, "attr_missing", "mem_busy" */
    char fault[160];   /* DEAD, BROKEN: one sentence */
    double time_scale; /* live: waits are multiplied by this factor */
    bool virtual_time;
    bool hurried;                           /* live: do not wait for an agent that is gone */
    struct ibc_address second[IBC_DEVICES]; /* the second port, capability two_ports */
    /* The RDMA IP CM service (annex A11) that the user of the connection manager offers and connects to, if the
     * system chooses communication IDs and service IDs; 0: the user chooses both. The service ID for datagrams has
     * UDP's protocol number instead of TCP's. */
    uint64_t cm_service;
    /* before reading the log: where to begin, 0: where the last call ended; afterwards: its end */
    uint64_t log_at;
    uint64_t slowest;      /* longest time in ns that a verb, other than reset, took since the last reset, */
    const char *slow_verb; /* and that verb; NULL: none */
};

/* Returns the LID of a multicast group on InfiniBand, as a subnet manager would assign it: it is formed from the
 * last bytes of the group's GID. The MAC address of a group is iba_gid_mac()'s. */
static inline uint16_t ibc_group_lid(const uint8_t *gid)
{
    return (uint16_t)(0xc000 | (gid[14] & 0x1f) << 8 | gid[15]);
}

/* Changes a device's first GID on that link: packets to the device have this GID from now on. */
static inline void ibc_set_first_gid(enum ibc_link link, struct ibc_address *a, const uint8_t gid[16])
{
    if (link == IBC_LINK_roce2_ipv4)
        a->ipv4 = (uint32_t)gid[12] << 24 | (uint32_t)gid[13] << 16 | (uint32_t)gid[14] << 8 | gid[15];
    else
        memcpy(link == IBC_LINK_roce2_ipv6 ? a->ipv6 : a->gid, gid, sizeof a->gid);
}

/* Opens a target: "reference", "mutant:TABLE.ROW=CHANGE" or "mutant:emit.FIELD=VALUE". NULL: err has one line,
 * which includes the most similar valid name. */
struct ibc_target *ibc_target_open(const char *spec, char *err, size_t errlen);
void ibc_target_close(struct ibc_target *t);

/* ---- mutants ---- */
/* All changed devices: changed rows of rule tables and of behaviour lists, and changed fields of sent packets. */
struct ibc_mutant {
    char spec[96];      /* "mutant:RC responder.gap=drop" as --target takes it (blanks as '-') */
    const char *clause; /* ids of the statements that the device breaks, with commas between them */
    const char *says;   /* what the device does wrong, one sentence */
    /* why no exchange distinguishes the device from an unchanged one, or NULL; the mutant is counted nevertheless */
    const char *equivalent;
    const char *allowed;    /* why the rules allow the device as well as ours, or NULL; likewise */
    const char *not_tested; /* what the reference lacks to show the change, or NULL; likewise */
};
size_t ibc_mutant_count(void);
bool ibc_mutant_at(size_t i, struct ibc_mutant *out);
#endif
