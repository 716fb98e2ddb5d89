/* SPDX-License-Identifier: BSD-2-Clause */
/* The responder of a reliable connection, or of an EE context, with an arbitrary requester: it acknowledges only
 * requests that came, and no response is longer than the path MTU. */
#include "world.h"
#include "wire/iba_opcode_rows.h"

const struct fuzz_target fuzz_target = {"responder", FUZZ_RECORDS, NULL};

enum { MOST_STEPS = 200, MOST_POLLS = 64 };

static uint8_t frame[IBA_TX_MOST];

static void check_response(const struct world *w, size_t len)
{
    const bool rd = world_type(w, 0) == IBA_QPT_RD;
    const struct iba_qp *qp = &w->end[0].qp[rd ? WORLD_CONTEXT : 0].qp;
    struct iba_view v;

    (void)iba_view_parse(&v, w->link, frame, len, len, NULL);
    iba_view_check(&v);
    FUZZ_CHECK(v.err == IBA_OK && v.icrc == IBA_CHECK_GOOD && v.op);
    if (v.op->dir != IBA_RSP || v.op->svc == IBA_CNP /* a CNP has PSN 0 */ ||
        (rd ? v.op->svc != IBA_RD : iba_bth_destqp(iba_view_bth(&v)) != qp->attr.dest_qpn))
        return;
    FUZZ_CHECK(v.payload_len <= iba_mtu_bytes((enum iba_mtu)qp->attr.path_mtu));
    const uint32_t behind = (qp->r.epsn.v - iba_bth_psn(iba_view_bth(&v))) & IBA_PSN_MASK;
    FUZZ_CHECK(behind <= IBA_PSN_MASK / 2); /* RR-03: a NAK's PSN is the expected one, a response's is before it */
}

static void answers(struct world *w)
{
    size_t len;

    for (unsigned i = 0; i < MOST_POLLS && (len = world_poll(w, 0, frame, sizeof frame)) > 0; i++)
        check_response(w, len);
}

static void request(struct world *w, struct fuzz_in *in)
{
    uint8_t body[32] = {0}; /* byte 0 selects QP 0; the input gives the other bytes */
    const size_t n = in->n < sizeof body - 1 ? in->n : sizeof body - 1;
    struct fuzz_in made = {body, n + 1};

    for (size_t i = 0; i < n; i++)
        body[i + 1] = in->p[i];
    body[1] &= 0x1f;
    if (body[1] >= IBA_RC_READ_RESP_FIRST && body[1] <= IBA_RC_ATOMIC_ACKNOWLEDGE)
        body[1] = IBA_RC_SEND_ONLY;
    const size_t len = world_craft(w, 0, &made, frame, sizeof frame);
    if (len > 0)
        world_feed(w, 0, frame, len);
}

static void step(struct world *w, uint8_t kind, struct fuzz_in *in)
{
    switch (kind % RESPONDER_KINDS) {
    case RESPONDER_RAW: world_feed_raw(w, 0, kind, in); break;
    case RESPONDER_RECV: world_post_recv(w, 0, in); break;
    case RESPONDER_WAIT: world_wait(w, in); break;
    case RESPONDER_MEMORY: world_memory(w, 0, in); break;
    default: request(w, in); break;
    }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n}, body;
    struct world *w = world_open(&in, 1);
    uint8_t kind;

    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++, fuzz_steps++) {
        step(w, kind, &body);
        if (!(kind & RESPONDER_PILED))
            answers(w);
        world_check(w);
    }
    answers(w);
    world_complete(w, 0);
    world_close(w);
    return 0;
}
