/* SPDX-License-Identifier: BSD-2-Clause */
/* The server over the reference, and what a tester asks of it. */
#ifndef IBC_AGENT_TEST_BENCH_H
#define IBC_AGENT_TEST_BENCH_H
#include <criterion/criterion.h>
#include "agent/server.h"
#include "random.h"
#include "transport/iba_wr_ops.h"

enum { PAYLOAD = 3000 };

struct bench {
    struct ag_server s;
    struct ibc_wire *end[IBC_DEVICES][2]; /* the device's, the tester's */
    struct ag_request q;
    struct ag_reply r;
    uint32_t qpn; /* the newest one */
    char line[AG_LINE], answer[AG_LINE];
};

struct side {
    uint32_t pd, cq, qpn;
    struct ag_reg_mr_ok mr;
};

struct bench *bench_open(unsigned n_wire, const char *token);
void bench_close(struct bench *b);
struct ag_request *request(struct bench *b, enum ag_verb verb, unsigned d);
/* Has the server answer the request in b->q; the reply is in b->r. */
enum ag_error ask(struct bench *b);
void must(struct bench *b);
/* Sends a line unchanged; the reply is in b->answer. */
const char *say(struct bench *b, const char *line);
void hello(struct bench *b);
void reset(struct bench *b, enum ibc_link link);
void make(struct bench *b, unsigned d, struct side *s);
void go(struct bench *b, unsigned d, const struct side *s, struct ibc_qp_attr a, enum iba_qp_state to, uint32_t mask);
void join_with(struct bench *b, unsigned d, const struct side *s, uint32_t peer, uint8_t timeout, uint8_t retry);
void join(struct bench *b, unsigned d, const struct side *s, uint32_t peer);
/* The tester forwards frames until no frame has come for a millisecond. Returns how many frames it forwarded. */
unsigned pass_on(struct bench *b);
struct ag_wc completion(struct bench *b, unsigned d, const struct side *s);
void post(struct bench *b, const struct side *from);
void post_receive(struct bench *b, const struct side *to);
#endif
