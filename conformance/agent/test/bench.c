/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench *bench_open(unsigned n_wire, const char *token)
{
    struct bench *b = calloc(1, sizeof *b);
    char err[200];

    b->s.target = ibc_target_open("reference", err, sizeof err);
    b->s.name = "reference";
    b->s.token = token;
    cr_assert(b->s.target, "%s", err);
    for (; b->s.n_wire < n_wire; b->s.n_wire++) {
        cr_assert(ibc_wire_loop(b->end[b->s.n_wire]));
        b->s.wire[b->s.n_wire] = b->end[b->s.n_wire][0];
    }
    return b;
}

void bench_close(struct bench *b)
{
    for (unsigned d = 0; d < b->s.n_wire; d++)
        for (unsigned i = 0; i < 2; i++)
            ibc_wire_close(b->end[d][i]);
    ibc_target_close(b->s.target);
    free(b);
}

struct ag_request *request(struct bench *b, enum ag_verb verb, unsigned d)
{
    memset(&b->q, 0, sizeof b->q);
    b->q.id++;
    b->q.verb = verb;
    b->q.device = d;
    return &b->q;
}

enum ag_error ask(struct bench *b)
{
    char why[AG_SENTENCE];
    size_t n = ag_write_request(&b->q, b->line, sizeof b->line);

    cr_assert_gt(n, 0);
    n = ag_serve(&b->s, b->line, n, b->answer);
    cr_assert(n > 0 && n < AG_LINE);
    cr_assert(ag_read_reply(b->answer, n, b->q.verb, &b->r, why, sizeof why), "%s: %s", b->answer, why);
    cr_assert(b->r.has_id && b->r.id == b->q.id);
    return b->r.error;
}

void must(struct bench *b)
{
    cr_assert_eq(ask(b), AG_FINE, "%s\n%s: %s", b->line, b->r.word, b->r.text);
}

const char *say(struct bench *b, const char *line)
{
    return ag_serve(&b->s, line, strlen(line), b->answer) > 0 ? b->answer : NULL;
}

void hello(struct bench *b)
{
    request(b, AG_V_hello, 0)->u.hello.version = AG_VERSION;
    must(b);
}

void reset(struct bench *b, enum ibc_link link)
{
    request(b, AG_V_reset, 0)->u.reset.link = (uint8_t)link;
    must(b);
}

void make(struct bench *b, unsigned d, struct side *s)
{
    struct ag_create_qp_args *q;
    struct ag_reg_mr_args *m;

    request(b, AG_V_create_pd, d);
    must(b);
    s->pd = b->r.u.create_pd.pd;
    request(b, AG_V_create_cq, d)->u.create_cq.depth = 64;
    must(b);
    s->cq = b->r.u.create_cq.cq;
    m = &request(b, AG_V_reg_mr, d)->u.reg_mr;
    *m = (struct ag_reg_mr_args){.pd = s->pd,
                                 .length = 65536,
                                 .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE,
                                 .fill = d ? 'b' : 'a'};
    must(b);
    s->mr = b->r.u.reg_mr;
    q = &request(b, AG_V_create_qp, d)->u.create_qp;
    *q = (struct ag_create_qp_args){.type = IBA_QPT_RC, .pd = s->pd, .scq = s->cq, .rcq = s->cq, .sq = 16};
    AG_SET(q, create_qp_args, rq, 16);
    AG_SET(q, create_qp_args, sig_all, true);
    must(b);
    s->qpn = b->r.u.create_qp.qpn;
}

void go(struct bench *b, unsigned d, const struct side *s, struct ibc_qp_attr a, enum iba_qp_state to, uint32_t mask)
{
    a.a.state = (uint8_t)to;
    a.mask = mask;
    request(b, AG_V_modify_qp, d);
    ag_from_modify(&b->q.u.modify_qp, s->qpn, &a, &b->s.target->device[d ^ 1]);
    must(b);
}

void join_with(struct bench *b, unsigned d, const struct side *s, uint32_t peer, uint8_t timeout, uint8_t retry)
{
    const struct ibc_qp_attr a = {.a = {.port = 1,
                                        .access = IBA_ACCESS_REMOTE_WRITE,
                                        .path_mtu = IBA_MTU_1024,
                                        .rq_psn = 0x1000,
                                        .sq_psn = 0x1000,
                                        .dest_qpn = peer,
                                        .timeout = timeout,
                                        .retry = retry,
                                        .rnr_retry = 7,
                                        .max_rd = 4,
                                        .max_dest_rd = 4,
                                        .min_rnr = 12},
                                  .to_partner = true,
                                  .hop = 64};

    go(b, d, s, a, IBA_QPS_INIT, IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_ACCESS);
    go(b, d, s, a, IBA_QPS_RTR,
       IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN | IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR);
    go(b, d, s, a, IBA_QPS_RTS, IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_SQ_PSN | IBA_QPA_MAX_RD);
}

void join(struct bench *b, unsigned d, const struct side *s, uint32_t peer)
{
    join_with(b, d, s, peer, 14, 7);
}

unsigned pass_on(struct bench *b)
{
    static uint8_t frame[IBC_WIRE_MOST];
    uint64_t at, now = 0;
    size_t len;
    unsigned n = 0;

    for (;;) {
        request(b, AG_V_advance, 0)->u.advance.until = b->s.target->ops->now(b->s.target) + 1000000;
        must(b);
        cr_assert_geq(b->r.u.advance.now, now);
        now = b->r.u.advance.now;
        if (b->r.u.advance.frames == 0)
            return n;
        n += b->r.u.advance.frames;
        for (unsigned d = 0; d < b->s.n_wire; d++)
            while (ibc_wire_receive(b->end[d][1], frame, &len, &at, 0) == IBC_WIRE_FRAME)
                cr_assert(b->s.n_wire < 2 || ibc_wire_send(b->end[d ^ 1][1], frame, len));
    }
}

struct ag_wc completion(struct bench *b, unsigned d, const struct side *s)
{
    request(b, AG_V_poll_cq, d)->u.poll_cq.cq = s->cq;
    must(b);
    cr_assert(AG_HAS(&b->r.u.poll_cq, poll_cq_ok, wc), "no completion of device %u", d);
    return b->r.u.poll_cq.wc;
}

void post(struct bench *b, const struct side *from)
{
    struct ibc_send s = {.wr = {.wr_id = 21, .op = IBA_WR_SEND, .n_sge = 1}};

    s.wr.sge[0] = (struct iba_sge){.addr = from->mr.local, .length = PAYLOAD, .lkey = from->mr.lkey};
    request(b, AG_V_post_send, 0);
    ag_from_send(&b->q.u.post_send, from->qpn, &s, false);
    must(b);
}

void post_receive(struct bench *b, const struct side *to)
{
    struct ag_post_recv_args *a = &request(b, AG_V_post_recv, 1)->u.post_recv;

    AG_SET(a, post_recv_args, qpn, to->qpn);
    a->wr = ag_from_recv(&(struct iba_recv_wr){
        .wr_id = 42, .n_sge = 1, .sge = {{.addr = to->mr.local, .length = 4096, .lkey = to->mr.lkey}}});
    must(b);
}
