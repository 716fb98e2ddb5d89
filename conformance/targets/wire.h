/* SPDX-License-Identifier: BSD-2-Clause */
/* The wire between tester and device sends and receives whole frames, behind one table of functions. Both ends use
 * it: the tester's live target, and the agent that serves the engine. It is not thread-safe. A frame is one
 * Ethernet frame without its FCS or, on adapters that carry those, one native InfiniBand packet from the LRH to the
 * VCRC (link type 247). Frames that an adapter lost are counted: a case that lost frames proves nothing. */
#ifndef IBC_WIRE_H
#define IBC_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IBC_WIRE_MOST = 16384 }; /* bytes of a frame; longer ones are dropped */

enum ibc_wire_got {
    IBC_WIRE_NOTHING, /* no frame came within the time limit */
    IBC_WIRE_FRAME,
    IBC_WIRE_GONE, /* the adapter is permanently broken; the text is in `fault` */
};

struct ibc_wire;
/* Properties of a network interface, as far as the system reports them */
struct ibc_wire_port {
    char name[16];
    uint64_t mac;
    unsigned mtu;   /* bytes of an IP packet; 0: no limit */
    bool up, link;  /* switched on; the cable has a link */
    char joins[64]; /* settings that join frames before this program reads them; empty: none */
    char rdma[64];  /* an RDMA device that also answers on the interface; empty: none */
};
/* The functions of one adapter. Users of a wire call the functions below, which add the part common to all
 * adapters. */
struct ibc_wire_ops {
    const char *name, *form, *help; /* form: form of the adapter's spec */
    bool infiniband;                /* the adapter carries native InfiniBand frames too */
    /* Fills `fd` (and `peer`); `args` is the part after the name and its colon. */
    bool (*open)(struct ibc_wire *w, const char *args, char *err, size_t errlen);
    /* Sends a frame. Returns 0 or errno; EAGAIN: the queue is full now. */
    int (*send)(struct ibc_wire *w, const uint8_t *frame, size_t len);
    /* Takes a frame that has arrived. `room` is at least IBC_WIRE_MOST. Returns 0 or errno; EAGAIN: none has
     * arrived; EMSGSIZE: a frame was lost. */
    int (*take)(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *len, uint64_t *at);
    /* NULL: the adapter receives everything */
    bool (*hear)(struct ibc_wire *w, const uint64_t *mac, size_t n);
    void (*close)(struct ibc_wire *w); /* closes what the adapter has opened besides `fd`; NULL: nothing */
    /* NULL: see ibc_wire_leaves(). */
    bool (*leaves)(const struct ibc_wire *w, const char *args);
    void (*look)(const struct ibc_wire *w, struct ibc_wire_port *p); /* NULL: the adapter is no port */
};
struct ibc_wire_kept; /* frames that came before a caller asked for one */
struct wire_tap;
struct wire_lead;
struct ibc_wire {
    const struct ibc_wire_ops *ops;
    char spec[240], fault[160]; /* fault: why the last call failed, one sentence that names the wire */
    int fd;
    bool nobody; /* why the last send failed: nothing listens at the other end */
    struct ibc_wire_kept *kept, *last;
    size_t kept_bytes;
    /* reports which frames have left; NULL: only the adapter's return value is known */
    struct wire_tap *tap;
    /* how far this machine's clock is ahead of the adapter's; NULL: the adapter has no clock */
    struct wire_lead *lead;
    uint64_t lost, random;
    uint64_t sent, came; /* number of frames */
    uint32_t drop;       /* of 2^32 frames so many are dropped on purpose */
    char peer[108], own[108];
};

/* Opens a wire: "unix:PEER,OWN" (datagram sockets, like those of qemu's -netdev dgram), "dgram:HOST:PORT,HOST:PORT"
 * (UDP; peer, own), or "afpacket:IFACE". After each, ",drop=N%" drops frames on purpose in both directions. NULL:
 * it failed, and err has one line. */
struct ibc_wire *ibc_wire_open(const char *spec, char *err, size_t errlen);
/* Opens the adapter "loop", which has both ends in one process. False: the sockets cannot be created. */
bool ibc_wire_loop(struct ibc_wire *end[2]);
void ibc_wire_close(struct ibc_wire *w); /* NULL is allowed */
/* Whether the spec names an adapter that needs CAP_NET_RAW. */
bool ibc_wire_privileged(const char *spec);
/* Whether frames may leave this machine. Frames on an interface may; UDP datagrams may unless the peer's address,
 * resolved, is this machine's own. Frames on a local socket do not, as far as is known: a virtual machine at its
 * other end may pass them on. w: the open wire of that spec, or NULL before it is opened. */
bool ibc_wire_leaves(const char *spec, const struct ibc_wire *w);

/* Sends a frame. True: the adapter took it. Waits at most 2 s while the other end's queue is full, and keeps frames
 * that arrive meanwhile. */
bool ibc_wire_send(struct ibc_wire *w, const uint8_t *frame, size_t len);
/* Receives the next frame, and the time when it came (ibc_wire_clock). Waits at most `timeout` ns; 0: takes only a
 * frame that has already come. `frame` has space for IBC_WIRE_MOST bytes. */
enum ibc_wire_got ibc_wire_receive(struct ibc_wire *w, uint8_t *frame, size_t *len, uint64_t *at, uint64_t timeout);
/* Returns a descriptor that is readable when a frame has come, except for frames that are kept: call
 * ibc_wire_waiting() before polling it. */
int ibc_wire_fd(const struct ibc_wire *w);
bool ibc_wire_waiting(const struct ibc_wire *w);
/* Keeps frames that have arrived. A caller that waits for another event empties the queue by this, so that the
 * other end can continue. */
void ibc_wire_keep(struct ibc_wire *w);
/* Drops frames that have arrived, kept or not. */
void ibc_wire_drain(struct ibc_wire *w);
/* Returns the number of frames that the adapter lost since it was opened, as far as the kernel reports them, and of
 * those that it accepted and did not send within 100 ms. */
uint64_t ibc_wire_lost(struct ibc_wire *w);
/* From now on receives only RoCE, ARP and IPv6 neighbour discovery, from or to these MACs or to groups. Adapters
 * that are no Ethernet interface still receive everything. */
bool ibc_wire_hear(struct ibc_wire *w, const uint64_t *mac, size_t n);
/* False: the adapter is no port of this machine, and has no limit. */
bool ibc_wire_port(const struct ibc_wire *w, struct ibc_wire_port *p);
uint64_t ibc_wire_clock(void); /* ns, monotonic */
#endif
