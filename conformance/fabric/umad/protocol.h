/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages between libibfabric-umad.so, which programs preload, and ibfabric.
 *
 * A program connects to the SOCK_SEQPACKET socket with the abstract name "NAME:umad". It sends one request, and gets
 * one answer, before it sends the next. Each request and each answer has the size of its struct, but for MAD_SEND: the
 * datagram follows the struct. With the answer to MAD_OPEN comes a second socket, on which the program receives
 * datagrams: struct mad_envelope, then the datagram, as from /dev/infiniband/umadN. The port is closed when the
 * connection ends. Integers have the byte order of the machine, where nothing else is said. */
#ifndef IBF_UMAD_PROTOCOL_H
#define IBF_UMAD_PROTOCOL_H
#include <stddef.h>
#include <stdint.h>

enum {
    MAD_NODE_NAME = 64,
    MAD_AGENTS = 32, /* agents of an open port */
    MAD_PKEYS = 128,
    MAD_METHODS = 128,
    MAD_HEADER = 24,      /* fewest bytes of a datagram */
    MAD_LONGEST = 1 << 18 /* most bytes of a transaction of several segments */
};
#define MAD_MAGIC 0x69626d31u
#define MAD_CA_NAME "ibfabric0"
#define MAD_SOCKET "umad" /* the part of the socket's name after the colon */

enum mad_kind {
    MAD_GET_NODE = 1, /* struct mad_place; the answer is a struct mad_node */
    MAD_GET_PORT,     /* struct mad_place; struct mad_port */
    MAD_OPEN,         /* struct mad_place; struct mad_answer, and the socket of datagrams */
    MAD_SET_ISSM,     /* struct mad_setting; struct mad_answer */
    MAD_REGISTER,     /* struct mad_registration; struct mad_answer */
    MAD_UNREGISTER,   /* struct mad_setting; struct mad_answer */
    MAD_SEND,         /* struct mad_sent; struct mad_answer */
    MAD_KINDS
};
struct mad_head { /* begins each request and each answer */
    uint32_t magic;
    uint16_t kind;
    uint16_t error; /* of an answer: 0 or an errno; an answer with an error is a struct mad_answer */
};
struct mad_place { /* a node by its name, "": the first adapter; 0: the first active port of an adapter */
    struct mad_head head;
    char node[MAD_NODE_NAME];
    uint32_t port, pad;
};
struct mad_answer {
    struct mad_head head;
    uint32_t value; /* of MAD_REGISTER: the agent */
    uint32_t pad;
};
struct mad_setting {
    struct mad_head head;
    uint32_t value; /* of MAD_SET_ISSM: 0 or 1; of MAD_UNREGISTER: the agent */
    uint32_t pad;
};
struct mad_node {
    struct mad_head head;
    uint64_t node_guid, system_guid;
    uint32_t type, ports, device, revision;
};
struct mad_port {
    struct mad_head head;
    uint64_t gid_prefix, port_guid;
    uint32_t number, lid, lmc, sm_lid, sm_sl, state, phys_state, capabilities;
    uint32_t mbit_s; /* Mbit/s of the link */
    uint32_t pkeys;  /* number of entries of `pkey` */
    uint16_t pkey[MAD_PKEYS];
};
enum { MAD_USER_RMPP = 1 };
struct mad_registration {
    struct mad_head head;
    uint8_t class, version, rmpp_version, flags;
    uint8_t has_oui, oui[3];
    uint64_t methods[MAD_METHODS / 64]; /* a bit for each method that the agent receives without having asked */
};
struct mad_envelope { /* has the layout of Linux's struct ib_user_mad */
    uint32_t agent, status, timeout_ms, retries;
    uint32_t length;    /* with this struct */
    uint32_t qpn, qkey; /* big-endian */
    uint16_t lid;       /* big-endian */
    uint8_t sl, path_bits, grh_present, gid_index, hop_limit, traffic_class;
    uint8_t gid[16];
    uint32_t flow_label; /* big-endian */
    uint16_t pkey_index;
    uint8_t reserved[6];
};
struct mad_sent {
    struct mad_head head;
    struct mad_envelope envelope;
};
_Static_assert(sizeof(struct mad_head) == 8, "a header has 8 bytes");
_Static_assert(sizeof(struct mad_place) == 80, "a place has 80 bytes");
_Static_assert(sizeof(struct mad_answer) == 16 && sizeof(struct mad_setting) == 16, "answers have 16 bytes");
_Static_assert(sizeof(struct mad_node) == 40, "a node has 40 bytes");
_Static_assert(sizeof(struct mad_port) == 320, "a port has 320 bytes");
_Static_assert(sizeof(struct mad_registration) == 32, "a registration has 32 bytes");
_Static_assert(sizeof(struct mad_envelope) == 64 && sizeof(struct mad_sent) == 72, "an envelope has 64 bytes");
#endif
