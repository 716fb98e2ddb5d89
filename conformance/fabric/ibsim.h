/* SPDX-License-Identifier: BSD-2-Clause */
/* The datagrams that programs exchange with a simulated subnet through libumad2sim: ibsim's protocol, as its programs
 * of Debian 12 speak it (ibsim 0.10). Control messages have the byte order of the machine. */
#ifndef IBF_IBSIM_H
#define IBF_IBSIM_H
#include <stdint.h>

enum { IBSIM_CLIENTS = 10, IBSIM_NODE_NAME = 32, IBSIM_CTL_DATA = 64, IBSIM_MAD = 256 };
#define IBSIM_MAGIC 0xdeadbeefu

/* type of a control message */
enum ibsim_type {
    IBSIM_ERROR,
    IBSIM_CONNECT,
    IBSIM_DISCONNECT,
    IBSIM_GET_PORT,
    IBSIM_GET_VENDOR,
    IBSIM_GET_GID,
    IBSIM_GET_GUID,
    IBSIM_GET_NODEINFO,
    IBSIM_GET_PORTINFO,
    IBSIM_SET_ISSM,
    IBSIM_GET_PKEYS,
};
struct ibsim_ctl {
    uint32_t magic, client, type, len;
    uint8_t data[IBSIM_CTL_DATA];
};
/* data of CONNECT; in the answer, id is the client's number and node the name of the client's node */
struct ibsim_connect {
    uint32_t id, qp, issm;
    char node[IBSIM_NODE_NAME];
};
struct ibsim_port { /* data of GET_PORT */
    uint16_t lid;
    uint8_t state;
};
struct ibsim_vendor { /* data of GET_VENDOR */
    uint32_t vendor, part, hardware, pad;
    uint64_t firmware;
};
struct ibsim_request { /* a management datagram; all members but `mad` are big-endian */
    uint16_t dlid, pad1, slid, pad2;
    uint32_t dqp, sqp, status;
    uint32_t pad3;
    uint64_t length; /* number of bytes of `mad` that are used */
    uint8_t mad[IBSIM_MAD];
};
_Static_assert(sizeof(struct ibsim_ctl) == 80, "a control message has 80 bytes");
_Static_assert(sizeof(struct ibsim_request) == 288, "a datagram has 288 bytes");
#endif
