/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture of the links of a subnet, built by hand. An adapter asks by its port, which leads to port 1 of switch S;
 * ports 2 and 3 of S lead to switch T, by its ports 4 and 5. Interface 0 has what the adapter sends; 1, 2 and 3 what S
 * sends by these ports; 4 and 5 what T sends. */
#ifndef JUDGE_TEST_CAPTURE_H
#define JUDGE_TEST_CAPTURE_H
#include "judge/links.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_node.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"

enum {
    GET = 1,
    SET = 2,
    TRAP = 5,
    TRAP_REPRESS = 7,
    GET_RESP = 0x81,
    DIRECTED = 0x81,
    BY_LID = 1,
    VL15 = 15,
    PORT_OF_ADAPTER = 1
};
enum { NODE_INFO = 0x11, SWITCH_INFO = 0x12, PORT_INFO = 0x15, P_KEYS = 0x16, LANES = 0x17, ROUTES = 0x19 };
enum { S = 0xaaaa, T = 0xbbbb, FROM = 1, LID = 9 };
#define SECOND_NS (UINT64_C(1000) * 1000 * 1000)

struct capture {
    struct links *links;
    struct packet packet;
    struct cap_packet cap;
    uint64_t now, transaction, kinds; /* kinds: a bit for each kind that was found */
    struct iba_finding last, all[16]; /* all: the first ones */
    unsigned n;
    uint8_t bytes[IBA_MGMT_BYTES];
    bool by_source; /* each interface is that of a file of its own */
    uint8_t sl;     /* of packets of data */
    uint16_t p_key; /* the same; 0: 0xffff */
    struct {
        uint64_t at;
        uint32_t psn;
    } frame[1024];
};
#define TAG(frame) ((frame) + 5000)
struct smp {
    uint8_t method, hops;
    uint16_t attribute;
    uint32_t modifier;
    const uint8_t *data;        /* 64 bytes; NULL: zeros */
    const struct route *by;     /* NULL: the route to S, or with two hops to T */
    uint8_t status, pointer_at; /* status: the lower byte; pointer_at: what the hop pointer says; 0: where it is */
    uint64_t key;
};
/* A directed route: of each hop the ports by which it leaves and enters, and the interfaces that capture requests and
 * answers. */
struct route {
    uint8_t out[8], in[8];
    uint32_t request[8], answer[8];
};
struct told {
    uint8_t port, vl; /* of LID; of SL 0 from port 1 to port 2 */
    uint16_t key;     /* in the tables of all ports */
    uint16_t top;
    bool enforce;
};
extern const struct told usual;

/* Begins a capture in which both switches and their tables are known. */
void begin(struct capture *c);
void begin_as(struct capture *c, bool by_source);
/* Begins a capture in which nothing is known. */
void begin_unknown(struct capture *c);
/* Ends it, and compares the kinds and the number of findings. */
void end(struct capture *c, uint64_t kinds, unsigned n);
#define BIT(kind) (UINT64_C(1) << (IBA_FINDING_##kind - IBA_FINDING_FIRST_FABRIC))

/* Adds the next packet, of n bytes in c->bytes, 1 us after the one before. */
void capture(struct capture *c, uint32_t iface, size_t n);
/* Adds a datagram. */
void shoot(struct capture *c, uint32_t iface, const struct iba_mgmt_to *to, uint8_t vl, const uint8_t *mad);
/* Adds a packet of data to this LID. */
void data(struct capture *c, uint32_t iface, uint16_t lid, uint32_t psn, uint8_t vl);
/* Adds a datagram on the route to S, or with two hops to T; back: its answer. */
void smp(struct capture *c, uint32_t iface, const struct smp *x, bool back, uint8_t pointer);
/* Adds a request and its answer, as captured on each link of their route. */
void ask(struct capture *c, const struct smp *request, const uint8_t *answer);
/* Adds a request alone, on each link of its route. */
void ask_only(struct capture *c, const struct smp *request);
/* Adds the answer of a node to a question for what it is: a switch of 8 ports. */
void node(struct capture *c, uint64_t guid, uint8_t hops, uint8_t port);
/* Sets the tables of S so that S sends LID 9 by `port`. */
void tell(struct capture *c, const struct told *t, uint8_t method);
#endif
