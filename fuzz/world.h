/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the engine's targets: one or two adapters with a QP of each kind, regions with guards, and steps selected
 * by records of an input. Everything is in static memory and created again for each input. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H
#include "adapter/iba_change_rules.h"
#include "records.h"
#include "sim/iba_random.h"
#include "wire/iba_build.h"

enum {
    WORLD_QPS = 8, /* QPs of an adapter; world_type() has the type of each */
    WORLD_DEPTH = 8,
    WORLD_CQS = 2,
    WORLD_CQ_ROOM = 24,
    WORLD_PDS = 2,
    WORLD_AHS = 3,
    WORLD_KEYS = 12,
    WORLD_SAVED = 3,
    WORLD_REGIONS = 4, /* region 0 is writable, 1 read-only, 2 on demand; the input chooses region 3 */
    WORLD_BYTES = 8192,
    WORLD_WINDOWS = 2,
    WORLD_GUARD = 64,
    WORLD_QKEY = 0x1234,
    WORLD_READ_ONLY = 1,
    WORLD_ON_DEMAND = 2,
    WORLD_SPARE = 3,
    WORLD_LMC_ROOM = 3, /* LIDs of a port with several: 8 are kept free for it */
};
/* Of the settings: bits of the last byte but one, and of the last one. */
/* A bit of the second setting: two of the QPs are of reliable datagrams, and a third is their EE context. */
enum { WORLD_RD = 0x80, WORLD_RD_QP = 0, WORLD_CONTEXT = 2, WORLD_RD_OTHER = 3 };
enum { WORLD_NOT_FAR = 0x10, WORLD_ARMED = 0x40, WORLD_WITH_VLAN = 0x80 };
enum { WORLD_FEW_RIGHTS = 0x20, WORLD_WITH_GRH = 0x40 };
#define WORLD_MAC UINT64_C(0x020000000001)
#define WORLD_VA UINT64_C(0x10000) /* of region i, times i + 1 */

struct world_qp {
    struct iba_qp qp;
    struct iba_sqe sq[WORLD_DEPTH];
    struct iba_recv_wr rq[WORLD_DEPTH];
    struct iba_saved saved[WORLD_SAVED];
    uint32_t qpn;
    bool alive;
};
struct world_region {
    uint8_t before[WORLD_GUARD], bytes[WORLD_BYTES], after[WORLD_GUARD];
    uint32_t lkey, rkey;
    uint64_t va;
};
/* A device with a deviation: a list's row, or a rule table. All NULL: unchanged. */
struct world_device {
    const struct iba_change *change;
    const struct iba_rules *rules;
    enum iba_rule_table table;
};
struct world_end {
    struct iba_ca ca;
    struct world_qp qp[WORLD_QPS];
    struct world_region region[WORLD_REGIONS];
    struct iba_cq cq[WORLD_CQS];
    struct iba_wc ring[WORLD_CQS][WORLD_CQ_ROOM];
    struct iba_srq srq;
    struct iba_recv_wr srq_ring[WORLD_DEPTH];
    struct iba_tag tags[4];
    struct iba_qp *qps[2 * WORLD_QPS];
    struct iba_cq *cqs[WORLD_CQS];
    struct iba_srq *srqs[1];
    struct iba_ah ahs[WORLD_AHS];
    struct iba_mcast mcasts[4];
    struct iba_mkey keys[WORLD_KEYS];
    uint32_t pds[WORLD_PDS], pd[WORLD_PDS], cqn[WORLD_CQS], srqn, window[WORLD_WINDOWS];
    uint8_t present; /* pages of the on-demand region */
    struct {         /* the key table as it was checked last */
        struct iba_mkey keys[WORLD_KEYS];
        uint32_t pds[WORLD_PDS];
        bool done;
    } checked;
};
struct world {
    struct world_end end[2];
    unsigned ends;
    struct iba_random random; /* the adapters' entropy */
    enum iba_port_kind kind;
    bool v6;
    enum iba_link link;
    uint8_t head[FUZZ_HEAD];
    struct world_device device;
    iba_time now;
};

/* The settings, at the front of `in`: link; path MTU, flow control, congestion, ACK delay, reliable datagrams; PSN (3);
 * retries and LIDs a port has; READs, how far QPs go, VLAN; how long the ACK timeout is and what QPs allow. Adapter 0,
 * and 1 when `ends` is 2, each QP connected with its namesake at the other end. */
struct world *world_open(struct fuzz_in *in, unsigned ends);
/* The same for devices with deviations; NULL: unchanged. */
struct world *world_open_as(struct fuzz_in *in, unsigned ends, const struct world_device *d);
enum iba_qp_type world_type(const struct world *w, unsigned qp);
/* If QP 0 is of reliable datagrams, the work request gets its EE context at `from`, and QP 0 of `to` as receiver. */
void world_to_rd(const struct world *w, struct iba_send_wr *wr, const struct world_end *from,
                 const struct world_end *to);
uint16_t world_lid(const struct world *w, unsigned end);
struct iba_av world_av(const struct world *w, unsigned from);
/* The step's default, before the input changes something. */
struct iba_qp_init world_init(struct world *w, unsigned end, unsigned i);
/* Creates QP i of that end, and takes it to RTS. */
void world_connect(struct world *w, unsigned end, unsigned i);
/* Call this after each step: checks the guards, and of unbroken devices all invariants. */
void world_check(struct world *w);
/* Call this at the end: checks that read-only memory of unbroken devices is unchanged, too. */
void world_close(const struct world *w);
/* Does a step of any kind (world_step.c). With two ends, the packets that leave one arrive at the other. */
void world_step(struct world *w, unsigned end, uint8_t kind, struct fuzz_in *in);
enum {
    WORLD_RAW = FUZZ_RAW,
    WORLD_CRAFT,
    WORLD_SEND,
    WORLD_RECV,
    WORLD_DRAIN,
    WORLD_WAIT,
    WORLD_COMPLETE,
    WORLD_MODIFY,
    WORLD_MEMORY,
    WORLD_OBJECT,
    WORLD_KINDS
};
/* The kinds of steps that other targets know. */
enum {
    RESPONDER_RAW = FUZZ_RAW,
    RESPONDER_REQUEST, /* as world_craft() takes it, without its QP */
    RESPONDER_REQUEST_TOO,
    RESPONDER_RECV,
    RESPONDER_WAIT,
    RESPONDER_MEMORY,
    RESPONDER_KINDS
};
enum { RESPONDER_PILED = 0x40 }; /* bit of a kind: its answers wait until after the next step */
enum {
    REQUESTER_RAW = FUZZ_RAW,
    REQUESTER_SEND,
    REQUESTER_RESPONSE,
    REQUESTER_ACKNOWLEDGE,
    REQUESTER_WAIT,
    REQUESTER_SEND_ON,
    REQUESTER_KINDS
};
enum { NETWORK_NOTHING = FUZZ_RAW, NETWORK_MESSAGE, NETWORK_FATES, NETWORK_KINDS };
/* The action of a step on memory or objects, by its first byte. */
enum {
    MEMORY_INVALIDATE,
    MEMORY_FREE,
    MEMORY_ALLOC,
    MEMORY_BIND,
    MEMORY_PAGES,
    MEMORY_DEREGISTER,
    MEMORY_REGISTER,
    MEMORY_DOMAIN,
    MEMORY_CHOICES
};
enum {
    OBJECT_CONNECT,
    OBJECT_DESTROY,
    OBJECT_ATTACH,
    OBJECT_DETACH,
    OBJECT_PKEY,
    OBJECT_NOTIFY,
    OBJECT_ARM,
    OBJECT_CQ,
    OBJECT_CREATE,
    OBJECT_ADDRESS,
    OBJECT_SRQ,
    OBJECT_CQ_AGAIN,
    OBJECT_CHOICES
};

/* ---- packets: world_packet.c ---- */
/* Bits of the kind of a record that holds a packet as it is. */
enum { RAW_OTHER_PORT = 0x80, RAW_CUT = 0x40, RAW_HEADERLESS = 0x20 };
/* How a crafted packet differs from the packet that the QP expects. */
enum {
    CRAFT_ACKREQ = 1,
    CRAFT_SOLICITED = 2,
    CRAFT_OTHER_PKEY = 4,
    CRAFT_MARKED = 8,
    CRAFT_BAD_CRC = 16,
    CRAFT_NO_MIGREQ = 32,
    CRAFT_OTHER_SERVICE = 64,
    CRAFT_GROUP = 128
};
enum { CRAFT_BYTES = 11 }; /* of every crafted packet: bytes for its headers and for changes follow */
/* In place of the number of a header whose bytes change. */
enum { TWIST_KEEP = 0xff, TWIST_PAYLOAD = 0xfe, TWIST_MAP_SOURCE = 0xfd, TWIST_MAP_TARGET = 0xfc };
/* Checks a frame and feeds it to port 1 of an end, in memory of exactly the frame's size. */
void world_feed(struct world *w, unsigned end, const uint8_t *frame, size_t len);
/* Likewise as the kind of its record says: at another port, not captured whole, or without any header seen in it. */
void world_feed_raw(struct world *w, unsigned end, uint8_t kind, const struct fuzz_in *in);
/* Builds a packet for a QP of `end` from a few bytes: similar to the one it expects; further bytes change headers. 0:
 * none. */
size_t world_craft(struct world *w, unsigned end, struct fuzz_in *in, uint8_t *buf, size_t cap);
/* Writes the next packet that leaves `end`, and adds it to the trace. Returns its length; 0: none. cap >= IBA_TX_MOST.
 */
size_t world_poll(struct world *w, unsigned end, uint8_t *buf, size_t cap);

/* ---- the same as a scenario, for people: world_log.c ---- */
void world_log_begin(const struct world *w);
void world_log_arrival(const struct world *w, unsigned end, const struct iba_view *v);
void world_log_departure(const struct world *w, unsigned end, const uint8_t *frame, size_t len);
void world_log_recv(unsigned end, unsigned qp, const struct iba_recv_wr *wr);
void world_log_send(unsigned end, unsigned qp, const struct iba_send_wr *wr);
void world_log_wait(iba_time ns);

/* ---- verbs: world_verb.c ---- */
void world_post_send(struct world *w, unsigned end, struct fuzz_in *in);
void world_post_recv(struct world *w, unsigned end, struct fuzz_in *in);
void world_modify(struct world *w, unsigned end, struct fuzz_in *in);
void world_memory(struct world *w, unsigned end, struct fuzz_in *in);
void world_object(struct world *w, unsigned end, struct fuzz_in *in);
void world_create_qp(struct world *w, unsigned end, struct fuzz_in *in);
void world_address(struct world *w, unsigned end, struct fuzz_in *in);
/* Polls completions, and notes them. */
void world_complete(struct world *w, unsigned end);
/* Moves the time to the next deadline, or by a time from the input. */
void world_wait(struct world *w, struct fuzz_in *in);
/* Fields of an address vector that may be turned over. */
enum {
    AV_PORT,
    AV_SL,
    AV_DLID,
    AV_DLID_HIGH,
    AV_VLAN,
    AV_SGID,
    AV_DGID,
    AV_MAC_HIGH,
    AV_FLOW,
    AV_PATH_BITS,
    AV_GRH,
    AV_UDP_SOURCE,
    AV_SMP,
    AV_FIELDS
};
/* A place in a region of `end`: address, length and key, mostly good ones, as the bits of its first byte say. */
enum { PLACE_NEAR_END = 0x80, PLACE_WINDOW = 0x40, PLACE_WRONG_KEY = 0x20, PLACE_VAST = 0x10, PLACE_SPARE = 0x08 };
struct world_place {
    uint64_t va;
    uint32_t length, key;
};
struct world_place world_place(struct world *w, unsigned end, bool remote, struct fuzz_in *in);
#endif
