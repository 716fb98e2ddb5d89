/* SPDX-License-Identifier: BSD-2-Clause */
/* ibreplay: a capture of Linux's Soft-RoCE, and what our engine answers in the place of one side of it.
 *
 *     load.c    the capture as packets
 *     flow.c    the requests and the responses of one direction of a connection
 *     memory.c  the content of the responder's memory, as far as the capture shows it
 *     side.c    the engine as that responder: fed with the requests, its responses kept
 *     match.c   its responses against those of the capture, one line of JSON for each difference
 */
#ifndef IBPROOF_REPLAY_H
#define IBPROOF_REPLAY_H
#include "adapter/iba_ca.h"
#include "wire/iba_aeth.h"
#include "wire/iba_endpoints.h"

#define NOBODY SIZE_MAX

struct packet {
    uint8_t *bytes; /* owned by the capture, as all of it */
    uint64_t number;
    iba_time at; /* since the first packet; never decreases */
    struct iba_view view;
};
struct capture_file {
    const char *name;
    struct packet *packet;
    size_t n;
};

struct address {
    uint8_t gid[16];
    uint64_t mac;
};
struct flow {
    struct address from, to;      /* of the requests */
    uint32_t qpn, peer_qpn;       /* of the responder, of the requester; peer_qpn IBA_NONE: unknown */
    uint8_t service;              /* enum iba_svc: RC, UC, UD */
    size_t *request, n_request;   /* packets to the responder, including damaged ones */
    size_t *response, n_response; /* undamaged responses of the responder */
};
struct flows {
    struct flow *flow;
    size_t n;
    uint64_t alone; /* responses that answer no request in the capture */
};

/* Bytes of the responder that remote requests access, and the R_Key they use. */
struct block {
    uint64_t first, end;
    uint8_t *bytes, *known; /* known: written by a request or shown by the capture */
};
struct region {
    uint32_t rkey, ours; /* as captured, as the engine has it */
    uint64_t first, end;
    struct block *block;
};
struct memory {
    struct block *block;
    struct region *region;
    size_t n_block, n_region;
};

/* One response of the engine. */
struct answer {
    uint8_t *bytes;
    struct iba_view view;
    size_t request;   /* index into flow.request */
    size_t match;     /* index into flow.response; NOBODY: Linux sent no such response */
    uint64_t damaged; /* number of the packet that was this response, before the network damaged it; 0: none */
};
struct verdict { /* the row that decided about a request */
    const char *table;
    const struct iba_rule *rule;
};
struct side {
    struct answer *answer;
    struct verdict *verdict; /* of each request */
    size_t n_answer;
    uint64_t delivered, messages; /* UC and UD: completions, and the number expected from the capture */
};

/* Reports an impossible state and ends the program with 2. */
_Noreturn void die(const char *what, const char *detail);
void *grow(void *array, size_t n, size_t bytes); /* space for one more after n */

void capture_load(struct capture_file *c, const char *path);
void capture_free(struct capture_file *c);

void flows_find(const struct capture_file *c, struct flows *f);
void flows_free(struct flows *f);
/* Path MTU in bytes: the payload of First and Middle packets of the direction, else the smallest that fits every
 * payload. */
enum iba_mtu flow_mtu(const struct capture_file *c, const struct flow *f);
const struct packet *flow_request(const struct capture_file *c, const struct flow *f, size_t i);
const struct packet *flow_response(const struct capture_file *c, const struct flow *f, size_t i);

iba_psn packet_psn(const struct packet *p);
uint8_t packet_opcode(const struct packet *p);
bool packet_good(const struct packet *p); /* InfiniBand, complete, with a good ICRC */
/* The header, NULL if the packet has none. */
const uint8_t *packet_hdr(const struct packet *p, enum iba_hdr h);
bool packet_is_nak(const struct packet *p, enum iba_nak code);
bool packet_is_rnr(const struct packet *p);

void memory_find(const struct capture_file *c, const struct flow *f, struct memory *m);
void memory_free(struct memory *m);
/* Before request i is fed: sets bytes that it reads and that are not known yet from the capture's response. */
void memory_before(const struct capture_file *c, const struct flow *f, struct memory *m, size_t i, uint32_t mtu);
/* After request i is fed: marks written bytes as known; sets the data of a READ or ATOMIC to the capture's values. */
void memory_after(const struct capture_file *c, const struct flow *f, struct memory *m, size_t i, uint32_t mtu);
const struct region *memory_region(const struct memory *m, uint32_t rkey);

void side_play(const struct capture_file *c, const struct flow *f, struct side *s);
void side_free(struct side *s);

/* Prints the differences; returns the number of responses, of either side, that were compared. */
uint64_t match_flow(const struct capture_file *c, const struct flow *f, struct side *s);
#endif
