/* SPDX-License-Identifier: BSD-2-Clause */
/* The wire between tester and device: whole frames out and in, behind one table of functions. Both ends use it: the
 * tester's live target, and the agent that serves the engine. Of one thread at a time.
 *
 * A frame is one Ethernet frame without its FCS, or one native InfiniBand packet from the LRH to the VCRC (link type
 * 247) on adapters that carry those. What an adapter lost by itself is counted: a case that lost frames proves nothing.
 */
#ifndef IBC_WIRE_H
#define IBC_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IBC_WIRE_MOST = 16384 }; /* bytes of a frame; longer ones are lost */

enum ibc_wire_got {
    IBC_WIRE_NOTHING, /* in the time there was */
    IBC_WIRE_FRAME,
    IBC_WIRE_GONE, /* the adapter is broken for good; the sentence is in `fault` */
};

struct ibc_wire;
/* What a network interface says of itself, as far as the system tells */
struct ibc_wire_port {
    char name[16];
    unsigned mtu;   /* bytes of an IP packet; 0: no limit */
    bool up, link;  /* switched on; somebody is at the other end of the cable */
    char joins[64]; /* settings by which it joins frames before we see them; empty: none */
    char rdma[64];  /* an RDMA device that answers on it, beside us; empty: none */
};
/* An adapter. Users of a wire call the functions below, which add what is the same for all. */
struct ibc_wire_ops {
    const char *name, *form, *help; /* form: of its spec */
    bool infiniband;                /* carries native InfiniBand frames too */
    /* Fills `fd` (and `peer`); `args` is what stands behind the name and its colon. */
    bool (*open)(struct ibc_wire *w, const char *args, char *err, size_t errlen);
    /* 0, or errno; EAGAIN: not now */
    int (*send)(struct ibc_wire *w, const uint8_t *frame, size_t len);
    /* What is there now. `room` is IBC_WIRE_MOST at least. 0, or errno; EAGAIN: nothing; EMSGSIZE: one that was lost */
    int (*take)(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *len, uint64_t *at);
    bool (*hear)(struct ibc_wire *w, const uint64_t *mac, size_t n); /* NULL: it hears everything */
    void (*close)(struct ibc_wire *w);                               /* beyond `fd`; NULL: nothing */
    void (*look)(const struct ibc_wire *w, struct ibc_wire_port *p); /* NULL: it is no port */
};
struct ibc_wire_kept; /* frames that came while nobody asked for one */
struct wire_tap;
struct wire_lead;
struct ibc_wire {
    const struct ibc_wire_ops *ops;
    char spec[240], fault[160]; /* fault: why the last call failed, one sentence that names the wire */
    int fd;
    bool nobody; /* why the last send failed: nobody is at the other end */
    struct ibc_wire_kept *kept, *last;
    size_t kept_bytes;
    struct wire_tap *tap;   /* sees what was sent leave; NULL: the adapter's word is all there is */
    struct wire_lead *lead; /* of our clock before the adapter's; NULL: it has none */
    uint64_t lost, random;
    uint64_t sent, came; /* frames */
    uint32_t drop;       /* of 2^32 frames, on purpose */
    char peer[108], own[108];
};

/* "unix:PEER,OWN" (datagram sockets, what qemu's -netdev dgram speaks), "dgram:HOST:PORT,HOST:PORT" (UDP; peer, own),
 * "afpacket:IFACE"; behind each ",drop=N%": loses frames on purpose, both ways. NULL with one line in err. */
struct ibc_wire *ibc_wire_open(const char *spec, char *err, size_t errlen);
/* The adapter "loop": two ends in one process. False: no sockets to be had. */
bool ibc_wire_loop(struct ibc_wire *end[2]);
void ibc_wire_close(struct ibc_wire *w); /* NULL is allowed */
/* Whether the spec names an adapter that needs CAP_NET_RAW. */
bool ibc_wire_privileged(const char *spec);

/* True: the adapter took the frame. Waits while the other end's queue is full, 2 s at most; what comes meanwhile is
 * kept. */
bool ibc_wire_send(struct ibc_wire *w, const uint8_t *frame, size_t len);
/* The next frame, and when it came (ibc_wire_clock). Waits `timeout` ns at most; 0: takes what is there. `frame` has
 * room for IBC_WIRE_MOST bytes. */
enum ibc_wire_got ibc_wire_receive(struct ibc_wire *w, uint8_t *frame, size_t *len, uint64_t *at, uint64_t timeout);
/* Readable when a frame is there, but not for frames that are kept: whoever polls it asks ibc_wire_waiting() first. */
int ibc_wire_fd(const struct ibc_wire *w);
bool ibc_wire_waiting(const struct ibc_wire *w);
/* Keeps what is there: who waits for something else makes room so that the other end can go on. */
void ibc_wire_keep(struct ibc_wire *w);
/* Drops what is there, kept or not. */
void ibc_wire_drain(struct ibc_wire *w);
/* Frames lost by the adapter since it was opened, as far as the kernel tells, and those it took and was not seen to
 * send within 100 ms. */
uint64_t ibc_wire_lost(struct ibc_wire *w);
/* From now on only RoCE, ARP and IPv6 neighbour discovery, from or to these MACs or to groups. Adapters that are no
 * Ethernet interface hear everything all the same. */
bool ibc_wire_hear(struct ibc_wire *w, const uint64_t *mac, size_t n);
/* False: the adapter is no port of this machine, and sets no limit. */
bool ibc_wire_port(const struct ibc_wire *w, struct ibc_wire_port *p);
uint64_t ibc_wire_clock(void); /* ns, monotonic */
#endif
