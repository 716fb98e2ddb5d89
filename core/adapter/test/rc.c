/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable connections, one directed case at a time. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <stdlib.h>
#include "lab.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum { HALF = LAB_BYTES / 2, RNR_064_MS = 12, ACK = 0, RNR_NAK = 1, NAK = 3 };

struct rc {
    struct lab *l;
    uint32_t a, b; /* QPNs at ends 0 and 1 */
};

static struct rc open_with(struct iba_qp_attr attr)
{
    struct rc t = {.l = lab_open(IBA_PORT_IB, 2)};

    t.a = lab_qp(t.l, 0, IBA_QPT_RC, IBA_NONE);
    t.b = lab_qp(t.l, 1, IBA_QPT_RC, IBA_NONE);
    lab_connect(t.l, 0, t.a, 1, t.b, attr);
    return t;
}

static struct iba_send_wr work(const struct rc *t, uint8_t op, uint64_t wr_id, uint64_t remote)
{
    return (struct iba_send_wr){.wr_id = wr_id, .op = op, .va = LAB_VA + remote, .rkey = t->l->end[1].rkey};
}

static bool lose_all(struct lab *l, unsigned from, uint8_t *frame, struct iba_view *v)
{
    (void)from, (void)frame, (void)v;
    l->tapped++;
    return false;
}

/* ---- receiver not ready ---- */

Test(rc, a_late_receive_is_waited_for_exactly)
{
    struct rc t = open_with(lab_attr());
    const struct lab_seen *first, *nak, *second;

    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_SEND, 1, 0), 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    lab_recv(t.l, 1, t.b, 2, HALF, 100);
    lab_run(t.l, LAB_SECOND);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    cr_assert_eq(lab_done(t.l, 1, 2, IBA_WC_SUCCESS).byte_len, 100);
    cr_assert_eq(lab_count(t.l, IBA_RC_SEND_ONLY), 2);
    first = lab_find(t.l, IBA_RC_SEND_ONLY, 0);
    nak = lab_find(t.l, IBA_RC_ACKNOWLEDGE, 0);
    second = lab_find(t.l, IBA_RC_SEND_ONLY, 1);
    cr_assert_eq(nak->syndrome, RNR_NAK << 5 | RNR_064_MS);
    cr_assert_eq(nak->psn, first->psn);
    cr_assert_eq(second->at - nak->at, 640000); /* RQ-28: code 12 is 0.64 ms */
    lab_close(t.l);
}

Test(rc, rnr_retries_come_to_an_end)
{
    struct rc t = open_with(lab_attr());

    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_SEND, 1, 0), 0, 100), IBA_VERB_OK);
    lab_run(t.l, LAB_SECOND);
    (void)lab_done(t.l, 0, 1, IBA_WC_RNR_RETRY_EXCEEDED);
    cr_assert_eq(lab_count(t.l, IBA_RC_SEND_ONLY), 1 + 3); /* RQ-29 */
    cr_assert_eq(lab_state(t.l, 0, t.a), IBA_QPS_ERR);
    cr_assert_eq(lab_state(t.l, 1, t.b), IBA_QPS_RTS); /* the responder's state is unchanged (RR-51) */
    lab_close(t.l);
}

Test(rc, seven_rnr_retries_are_endless)
{
    struct iba_qp_attr attr = lab_attr();

    attr.rnr_retry = 7;
    struct rc t = open_with(attr);
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_SEND, 1, 0), 0, 100), IBA_VERB_OK);
    lab_run(t.l, 100 * LAB_MS);
    cr_assert_gt(lab_count(t.l, IBA_RC_SEND_ONLY), 100);
    lab_no_wc(t.l, 0);
    lab_recv(t.l, 1, t.b, 2, HALF, 100);
    lab_run(t.l, 101 * LAB_MS);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    lab_close(t.l);
}

/* ---- a peer that does not answer ---- */

Test(rc, retries_come_to_an_end)
{
    struct rc t = open_with(lab_attr());

    t.l->tap = lose_all;
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, 1, 0), 0, 100), IBA_VERB_OK);
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, 2, 0), 0, 100), IBA_VERB_OK);
    lab_run(t.l, 10 * LAB_SECOND);
    (void)lab_done(t.l, 0, 1, IBA_WC_RETRY_EXCEEDED);
    (void)lab_done(t.l, 0, 2, IBA_WC_FLUSHED); /* RQ-55 */
    cr_assert_eq(lab_count(t.l, IBA_RC_WRITE_ONLY), 2 * (1 + 3));
    cr_assert_eq(lab_state(t.l, 0, t.a), IBA_QPS_ERR);
    lab_close(t.l);
}

/* All three requests are outstanding when the memory of the second one is deregistered. When the second must be sent
 * again, it fails locally; the first still completes before it (RQ-13, RQ-14). The test chaos found this. */
Test(rc, a_local_fault_on_a_retry_waits_for_its_turn)
{
    struct rc t = open_with(lab_attr());
    struct iba_send_wr wr = work(&t, IBA_WR_WRITE, 2, 0);
    const struct iba_mr_attr mr = {.base = lab_memory(t.l, 0), .length = 4096, .iova = 0, .pd = t.l->end[0].pd};
    uint32_t lkey, rkey;

    cr_assert_eq(iba_mr_register(&t.l->end[0].ca.mem, &mr, &lkey, &rkey), IBA_MEM_OK);
    wr.n_sge = 1;
    wr.sge[0] = (struct iba_sge){0, 100, lkey};
    t.l->tap = lose_all;
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, 1, 0), 0, 100), IBA_VERB_OK);
    cr_assert_eq(iba_post_send(&t.l->end[0].ca, t.a, &wr), IBA_VERB_OK);
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, 3, 0), 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    cr_assert_eq(lab_count(t.l, IBA_RC_WRITE_ONLY), 3);
    cr_assert_eq(iba_mr_deregister(&t.l->end[0].ca.mem, lkey), IBA_MEM_OK);
    lab_run(t.l, iba_ca_deadline(&t.l->end[0].ca));
    iba_ca_check(&t.l->end[0].ca);
    t.l->tap = NULL;
    lab_run(t.l, LAB_SECOND);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    (void)lab_done(t.l, 0, 2, IBA_WC_LOCAL_PROTECTION);
    (void)lab_done(t.l, 0, 3, IBA_WC_FLUSHED);
    lab_close(t.l);
}

/* ---- refusals ---- */

Test(rc, a_bad_rkey_ends_the_connection_on_both_sides)
{
    struct rc t = open_with(lab_attr());
    struct iba_send_wr wr = work(&t, IBA_WR_WRITE, 1, 0);

    wr.rkey ^= 1;
    lab_recv(t.l, 1, t.b, 7, 0, 100);
    lab_recv(t.l, 0, t.a, 8, 0, 100);
    cr_assert_eq(lab_send(t.l, 0, t.a, wr, 0, 100), IBA_VERB_OK);
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_SEND, 2, 0), 0, 100), IBA_VERB_OK);
    lab_run(t.l, LAB_SECOND);
    cr_assert_eq(lab_find(t.l, IBA_RC_ACKNOWLEDGE, 0)->syndrome, 0x62);
    (void)lab_done(t.l, 0, 1, IBA_WC_REMOTE_ACCESS);
    (void)lab_done(t.l, 0, 2, IBA_WC_FLUSHED);
    (void)lab_done(t.l, 0, 8, IBA_WC_FLUSHED);
    (void)lab_done(t.l, 1, 7, IBA_WC_FLUSHED);
    cr_assert_eq(lab_state(t.l, 0, t.a), IBA_QPS_ERR);
    cr_assert_eq(lab_state(t.l, 1, t.b), IBA_QPS_ERR);
    cr_assert_eq(lab_events(t.l, 1, IBA_EVENT_WQ_ACCESS_VIOLATION), 1);
    cr_assert_eq(lab_events(t.l, 0, IBA_EVENT_WQ_ACCESS_VIOLATION), 0);
    lab_close(t.l);
}

Test(rc, a_send_longer_than_its_receive_is_an_invalid_request)
{
    struct rc t = open_with(lab_attr());

    lab_recv(t.l, 1, t.b, 7, HALF, 1500);
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_SEND, 1, 0), 0, 2000), IBA_VERB_OK);
    lab_run(t.l, LAB_SECOND);
    (void)lab_done(t.l, 0, 1, IBA_WC_REMOTE_INVALID_REQ);
    (void)lab_done(t.l, 1, 7, IBA_WC_LOCAL_LENGTH);
    cr_assert_eq(lab_state(t.l, 1, t.b), IBA_QPS_ERR);
    lab_close(t.l);
}

Test(rc, an_error_flushes_both_queues_in_order)
{
    struct rc t = open_with(lab_attr());
    const struct iba_qp_attr err = {.state = IBA_QPS_ERR};

    for (unsigned i = 0; i < 3; i++) {
        lab_recv(t.l, 0, t.a, 10 + i, 0, 100);
        cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, i, 0), 0, 100), IBA_VERB_OK);
    }
    cr_assert_eq(iba_modify_qp(&t.l->end[0].ca, t.a, &err, IBA_QPA_STATE), IBA_VERB_OK);
    for (unsigned i = 0; i < 3; i++)
        (void)lab_done(t.l, 0, i, IBA_WC_FLUSHED);
    for (unsigned i = 0; i < 3; i++)
        (void)lab_done(t.l, 0, 10 + i, IBA_WC_FLUSHED);
    lab_settle(t.l);
    cr_assert_eq(t.l->n_seen, 0);
    lab_close(t.l);
}

/* ---- windows, invalidation ---- */

static uint32_t bind(const struct rc *t, uint32_t *window)
{
    struct iba_send_wr wr = {.wr_id = 50, .op = IBA_WR_BIND_MW};
    struct iba_wc wc;

    cr_assert_eq(iba_mw_alloc(&t->l->end[1].ca.mem, IBA_MEM_MW2B, t->l->end[1].pd, window), IBA_MEM_OK);
    wr.bind.mw_rkey = *window;
    wr.bind.mr_lkey = t->l->end[1].lkey;
    wr.bind.va = LAB_VA + 1000;
    wr.bind.length = 200;
    wr.bind.access = IBA_ACCESS_REMOTE_WRITE;
    wr.bind.key_byte = (uint8_t)(*window + 1);
    cr_assert_eq(lab_send(t->l, 1, t->b, wr, 0, 0), IBA_VERB_OK);
    lab_settle(t->l);
    wc = lab_done(t->l, 1, 50, IBA_WC_SUCCESS);
    return wc.imm_or_key;
}

Test(rc, a_window_reaches_what_it_was_bound_to_until_it_is_invalidated)
{
    struct rc t = open_with(lab_attr());
    struct iba_send_wr inside = work(&t, IBA_WR_WRITE, 1, 1100), outside;
    uint32_t window;

    inside.rkey = bind(&t, &window);
    cr_assert_eq(inside.rkey, iba_key_of(iba_key_index(window), (uint8_t)(window + 1)));
    cr_assert_eq(lab_send(t.l, 0, t.a, inside, 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    cr_assert_eq(memcmp(lab_memory(t.l, 1) + 1100, lab_memory(t.l, 0), 100), 0);
    outside = inside;
    outside.va += 1;
    cr_assert_eq(lab_send(t.l, 0, t.a, outside, 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 1, IBA_WC_REMOTE_ACCESS);
    lab_close(t.l);
}

Test(rc, send_with_invalidate_takes_the_window_away)
{
    struct rc t = open_with(lab_attr());
    struct iba_send_wr invalidate = work(&t, IBA_WR_SEND_INV, 1, 0), write = work(&t, IBA_WR_WRITE, 2, 1100);
    struct iba_wc wc;
    uint32_t window;

    invalidate.imm_or_key = write.rkey = bind(&t, &window);
    lab_recv(t.l, 1, t.b, 7, HALF, 100);
    cr_assert_eq(lab_send(t.l, 0, t.a, invalidate, 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    wc = lab_done(t.l, 1, 7, IBA_WC_SUCCESS);
    cr_assert(wc.flags & IBA_WC_WITH_INV);
    cr_assert_eq(wc.imm_or_key, write.rkey);
    cr_assert_eq(lab_send(t.l, 0, t.a, write, 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 2, IBA_WC_REMOTE_ACCESS);
    lab_close(t.l);
}

/* RR-41: an ATOMIC accesses eight bytes. The last eight bytes of a region suffice; eight bytes that begin one byte
 * later do not. */
Test(rc, an_atomic_reaches_the_last_eight_bytes)
{
    struct rc t = open_with(lab_attr());
    struct iba_send_wr add = work(&t, IBA_WR_FETCH_ADD, 1, LAB_BYTES - 8);

    cr_assert_eq(lab_send(t.l, 0, t.a, add, 0, 8), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    add.va += 8;
    cr_assert_eq(lab_send(t.l, 0, t.a, add, 0, 8), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 1, IBA_WC_REMOTE_ACCESS);
    lab_close(t.l);
}

/* ---- FLUSH and ATOMIC WRITE ---- */

Test(rc, flush_and_atomic_write_are_answered_by_an_empty_read_response)
{
    struct rc t = open_with(lab_attr());
    struct iba_send_wr flush = work(&t, IBA_WR_FLUSH, 2, 64);

    flush.flush_placement = 1;
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_ATOMIC_WRITE, 1, 64), 8, 8), IBA_VERB_OK);
    cr_assert_eq(lab_send(t.l, 0, t.a, flush, 0, 8), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    (void)lab_done(t.l, 0, 2, IBA_WC_SUCCESS);
    cr_assert_eq(memcmp(lab_memory(t.l, 1) + 64, lab_memory(t.l, 0) + 8, 8), 0);
    cr_assert_eq(lab_count(t.l, IBA_RC_READ_RESP_ONLY), 2);
    lab_close(t.l);
}

/* ---- draining ---- */

Test(rc, a_drained_queue_goes_on_where_it_stopped)
{
    struct rc t = open_with(lab_attr());
    const struct iba_qp_attr sqd = {.state = IBA_QPS_SQD, .sqd_notify = true}, rts = {.state = IBA_QPS_RTS};

    t.l->tap = lose_all;
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, 1, 0), 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    cr_assert_eq(iba_modify_qp(&t.l->end[0].ca, t.a, &sqd, IBA_QPA_STATE | IBA_QPA_SQD_NOTIFY), IBA_VERB_OK);
    cr_assert_eq(lab_send(t.l, 0, t.a, work(&t, IBA_WR_WRITE, 2, 0), 0, 100), IBA_VERB_OK);
    lab_settle(t.l);
    cr_assert_eq(lab_events(t.l, 0, IBA_EVENT_SQ_DRAINED), 0); /* the first is still outstanding (QS-22) */
    t.l->tap = NULL;
    lab_run(t.l, LAB_SECOND);
    (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
    lab_no_wc(t.l, 0);
    cr_assert_eq(lab_events(t.l, 0, IBA_EVENT_SQ_DRAINED), 1);
    cr_assert_eq(iba_modify_qp(&t.l->end[0].ca, t.a, &rts, IBA_QPA_STATE), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, 2, IBA_WC_SUCCESS);
    lab_close(t.l);
}

/* ---- the longest message (WF-67): the usual run only checks that a longer one is refused; IBPROOF_LONG sends it
 * ---- */

Test(rc, a_message_may_have_2_to_the_31_bytes, .timeout = 600)
{
    const size_t bytes = IBA_MAX_MESSAGE;
    struct iba_qp_attr attr = lab_attr();

    attr.path_mtu = IBA_MTU_4096;
    struct rc t = open_with(attr);
    struct iba_send_wr wr = work(&t, IBA_WR_WRITE, 1, 0);
    wr.flags = IBA_WR_SIGNALED;
    wr.n_sge = 1;
    wr.sge[0] = (struct iba_sge){0, (uint32_t)bytes + 1, 0};
    cr_assert_eq(iba_post_send(&t.l->end[0].ca, t.a, &wr), IBA_VERB_LENGTH);
    if (getenv("IBPROOF_LONG")) {
        uint8_t *memory =
            mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        struct iba_mr_attr mr = {.base = memory, .length = bytes, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE};
        uint32_t lkey, rkey;
        cr_assert_neq(memory, MAP_FAILED);
        memory[0] = 1, memory[bytes / 2] = 2, memory[bytes - 1] = 3;
        mr.pd = t.l->end[0].pd;
        cr_assert_eq(iba_mr_register(&t.l->end[0].ca.mem, &mr, &lkey, &rkey), IBA_MEM_OK);
        wr.sge[0] = (struct iba_sge){0, (uint32_t)bytes, lkey};
        mr.base = memory + bytes;
        mr.pd = t.l->end[1].pd;
        cr_assert_eq(iba_mr_register(&t.l->end[1].ca.mem, &mr, &lkey, &rkey), IBA_MEM_OK);
        wr.va = 0;
        wr.rkey = rkey;
        cr_assert_eq(iba_post_send(&t.l->end[0].ca, t.a, &wr), IBA_VERB_OK);
        lab_run(t.l, 100 * LAB_SECOND);
        (void)lab_done(t.l, 0, 1, IBA_WC_SUCCESS);
        cr_assert(memory[bytes] == 1 && memory[bytes + bytes / 2] == 2 && memory[2 * bytes - 1] == 3);
        (void)munmap(memory, 2 * bytes);
    }
    lab_close(t.l);
}
