/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester of a reliable connection with a responder that answers arbitrarily: work completes in the order it was
 * posted, each at most once, and after the first error everything else is flushed (RQ-55). */
#include "transport/iba_wr_ops.h"
#include "world.h"
#include "wire/iba_opcode_rows.h"

const struct fuzz_target fuzz_target = {"requester", FUZZ_RECORDS, NULL};

enum { MOST_STEPS = 200, MOST_POLLS = 16 };

static uint8_t frame[IBA_TX_MOST];

struct work {
    uint64_t posted, done; /* wr_id of the next work request to post, and of the next to complete */
    bool failed;
};

static void send(struct world *w, struct work *k, struct fuzz_in *in)
{
    static const uint8_t op[] = {IBA_WR_SEND,  IBA_WR_SEND_IMM,    IBA_WR_WRITE,     IBA_WR_WRITE_IMM,
                                 IBA_WR_READ,  IBA_WR_CMP_SWAP,    IBA_WR_FETCH_ADD, IBA_WR_LOCAL_INV,
                                 IBA_WR_FLUSH, IBA_WR_ATOMIC_WRITE};
    struct iba_send_wr wr = {
        .wr_id = k->posted, .op = op[fuzz_u8(in) % sizeof op], .flags = fuzz_u8(in) & 7, .n_sge = 1};
    const struct world_place from = world_place(w, 0, false, in);
    const bool atomic = wr.op == IBA_WR_CMP_SWAP || wr.op == IBA_WR_FETCH_ADD || wr.op == IBA_WR_ATOMIC_WRITE;

    if (wr.op == IBA_WR_LOCAL_INV)
        wr.n_sge = 0;
    wr.va = WORLD_VA;
    wr.rkey = from.key;
    wr.imm_or_key = from.key;
    wr.sge[0] = (struct iba_sge){from.va, atomic ? 8 : from.length, from.key};
    world_to_rd(w, &wr, &w->end[0], &w->end[0]);
    world_log_send(0, 0, &wr);
    k->posted += iba_post_send(&w->end[0].ca, w->end[0].qp[0].qpn, &wr) == IBA_VERB_OK;
}

/* Sends an acknowledgement. The input has the distance of its PSN from the oldest unacknowledged PSN, and its syndrome.
 */
static void respond(struct world *w, struct fuzz_in *in, bool acknowledge)
{
    uint8_t body[32] = {0};
    struct fuzz_in made = {body, sizeof body};
    size_t n = 0;

    body[1] = acknowledge ? IBA_RC_ACKNOWLEDGE : (uint8_t)(IBA_RC_READ_RESP_FIRST + fuzz_u8(in) % 6);
    body[2] = fuzz_u8(in);
    if (acknowledge) {
        body[11] = fuzz_u8(in);
        body[12] = fuzz_u8(in);
    } else
        for (n = 3; n < sizeof body; n++)
            body[n] = fuzz_u8(in);
    n = world_craft(w, 0, &made, frame, sizeof frame);
    if (n > 0)
        world_feed(w, 0, frame, n);
}

static void complete(struct world *w, struct work *k)
{
    struct iba_wc wc;

    while (iba_poll_cq(&w->end[0].ca, w->end[0].cqn[0], &wc)) {
        FUZZ_CHECK(wc.wr_id >= k->done && wc.wr_id < k->posted);
        FUZZ_CHECK(wc.status == IBA_WC_FLUSHED || !k->failed);
        k->failed |= wc.status != IBA_WC_SUCCESS;
        k->done = wc.wr_id + 1;
        fuzz_note(wc.wr_id << 8 | wc.status);
    }
}

static void step(struct world *w, struct work *k, uint8_t kind, struct fuzz_in *in)
{
    switch (kind % REQUESTER_KINDS) {
    case REQUESTER_RAW: world_feed_raw(w, 0, kind, in); break;
    case REQUESTER_SEND: send(w, k, in); break;
    case REQUESTER_RESPONSE: respond(w, in, false); break;
    case REQUESTER_ACKNOWLEDGE: respond(w, in, true); break;
    case REQUESTER_WAIT: world_wait(w, in); break;
    default: break;
    }
    for (unsigned i = 0; i < MOST_POLLS && world_poll(w, 0, frame, sizeof frame) > 0; i++)
        ;
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n}, body;
    struct world *w = world_open(&in, 1);
    struct work k = {.posted = 0};
    uint8_t kind;

    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++, fuzz_steps++) {
        step(w, &k, kind, &body);
        world_check(w);
        complete(w, &k);
    }
    world_close(w);
    return 0;
}
