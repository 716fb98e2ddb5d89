/* SPDX-License-Identifier: BSD-2-Clause */
/* The wire between tester and device: whole frames out and in, behind one table of functions. Both ends use it: the
 * tester's live target, and the agent that serves the engine. Not thread-safe.
 *
 * A frame is one Ethernet frame without its FCS, or one native InfiniBand packet from the LRH to the VCRC (link type
 * 247) on adapters that carry those. Frames that an adapter lost are counted: a case that lost frames proves
 * nothing. */
#ifndef IBC_WIRE_H
#define IBC_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IBC_WIRE_MOST = 16384 }; /* bytes of a frame; longer ones are dropped */

enum ibc_wire_got {
    IBC_WIRE_NOTHING, /* within the timeout */
    IBC_WIRE_FRAME,
    IBC_WIRE_GONE, /* the adapter is permanently broken; the text is in `fault` */
};

struct ibc_wire;
/* Properties of a network interface, as far as the system tells */
struct ibc_wire_port {
    char name[16];
    uint64_t mac;
    unsigned mtu;   /* bytes of an IP packet; 0: no limit */
    bool up, link;  /* switched on; the cable has a link */
    char joins[64]; /* settings that join frames before we read them; empty: none */
    char rdma[64];  /* an RDMA device that also answers on it; empty: none */
};
/* An adapter. Users of a wire call the functions below, which add the common part. */
struct ibc_wire_ops {
    const char *name, *form, *help; /* form: of its spec */
    bool infiniband;                /* carries native InfiniBand frames too */
    /* Fills `fd` (and `peer`); `args` is the part after the name and its colon. */
    bool (*open)(struct ibc_wire *w, const char *args, char *err, size_t errlen);
    /* 0, or errno; EAGAIN: not now */
    int (*send)(struct ibc_wire *w, const uint8_t *frame, size_t len);
    /* Takes a frame that has arrived. `room` is IBC_WIRE_MOST at least. 0, or errno; EAGAIN: nothing; EMSGSIZE: a frame
     * was lost */
    int (*take)(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *len, uint64_t *at);
    bool (*hear)(struct ibc_wire *w, const uint64_t *mac, size_t n); /* NULL: it receives everything */
    void (*close)(struct ibc_wire *w);                               /* closes more than `fd`; NULL: nothing */
    /* NULL: see ibc_wire_leaves(). */
    bool (*leaves)(const struct ibc_wire *w, const char *args);
    void (*look)(const struct ibc_wire *w, struct ibc_wire_port *p); /* NULL: it is no port */
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
    struct wire_tap *tap;   /* reports frames that have left; NULL: only the adapter's return value is known */
    struct wire_lead *lead; /* how far our clock is ahead of the adapter's; NULL: it has none */
    uint64_t lost, random;
    uint64_t sent, came; /* frames */
    uint32_t drop;       /* number of 2^32 frames, dropped on purpose */
    char peer[108], own[108];
};

/* "unix:PEER,OWN" (datagram sockets, as of qemu's -netdev dgram), "dgram:HOST:PORT,HOST:PORT" (UDP; peer, own),
 * "afpacket:IFACE"; after each ",drop=N%": drops frames on purpose, in both directions. NULL with one line in err. */
struct ibc_wire *ibc_wire_open(const char *spec, char *err, size_t errlen);
/* The adapter "loop": two ends in one process. False: the sockets cannot be created. */
bool ibc_wire_loop(struct ibc_wire *end[2]);
void ibc_wire_close(struct ibc_wire *w); /* NULL is allowed */
/* Whether the spec names an adapter that needs CAP_NET_RAW. */
bool ibc_wire_privileged(const char *spec);
/* Whether frames may leave this machine: an interface's do, datagrams' do unless the peer's address, resolved, is this
 * machine's own. Those of a local socket do not, as far as we can see: a virtual machine at its other end may pass them
 * on. w: the open wire of that spec, or NULL before it is opened. */
bool ibc_wire_leaves(const char *spec, const struct ibc_wire *w);

/* True: the adapter took the frame. Waits while the other end's queue is full, 2 s at most; keeps frames that arrive
 * meanwhile. */
bool ibc_wire_send(struct ibc_wire *w, const uint8_t *frame, size_t len);
/* The next frame, and when it came (ibc_wire_clock). Waits `timeout` ns at most; 0: takes a frame only if it is already
 * there. `frame` has room for IBC_WIRE_MOST bytes. */
enum ibc_wire_got ibc_wire_receive(struct ibc_wire *w, uint8_t *frame, size_t *len, uint64_t *at, uint64_t timeout);
/* Readable when a frame is there, but not for frames that are kept: call ibc_wire_waiting() before polling it. */
int ibc_wire_fd(const struct ibc_wire *w);
bool ibc_wire_waiting(const struct ibc_wire *w);
/* Keeps frames that have arrived: a caller that waits for something else empties the queue so that the other end can go
 * on. */
void ibc_wire_keep(struct ibc_wire *w);
/* Drops frames that have arrived, kept or not. */
void ibc_wire_drain(struct ibc_wire *w);
/* Frames lost by the adapter since it was opened, as far as the kernel tells, and those that it accepted and did not
 * send within 100 ms. */
uint64_t ibc_wire_lost(struct ibc_wire *w);
/* From now on receives only RoCE, ARP and IPv6 neighbour discovery, from or to these MACs or to groups. Adapters that
 * are no Ethernet interface receive everything all the same. */
bool ibc_wire_hear(struct ibc_wire *w, const uint64_t *mac, size_t n);
/* False: the adapter is no port of this machine, and has no limit. */
bool ibc_wire_port(const struct ibc_wire *w, struct ibc_wire_port *p);
uint64_t ibc_wire_clock(void); /* ns, monotonic */
#endif
