/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag matching of an SRQ: which receive each message takes, and what the receiver sends by itself. */
#include "tags.h"

Test(tags, eager_messages_take_their_receives_in_any_order)
{
    struct world w;

    open_world(&w, 0, 1);
    for (uint64_t tag = 1; tag <= 3; tag++)
        (void)add(&w, tag, UINT64_MAX, 0);
    for (uint64_t tag = 3; tag >= 1; tag--) {
        send_tm(&w, IBV_TMH_EAGER, tag, 16 + (uint32_t)tag);
        (void)received(&w, tag, IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA, (uint32_t)tag);
        cr_expect_eq(memcmp(tagged(&w, tag), lab_memory(w.l, 0) + 16, tag), 0);
    }
    send_tm(&w, IBV_TMH_EAGER, 1, 16); /* its receive is used */
    (void)received(&w, ORDINARY_ID, 0, 16);
    close_world(&w);
}

/* A message of several packets tells the match at once, and its data at the end. */
Test(tags, an_eager_message_of_several_packets)
{
    struct world w;
    const uint32_t n = 1900;

    open_world(&w, 0, 1);
    (void)add(&w, 2, UINT64_MAX, 0);
    send_tm(&w, IBV_TMH_EAGER, 2, 16 + n);
    (void)received(&w, 2, IBA_WC_TAG_MATCH, 0);
    (void)received(&w, 2, IBA_WC_TAG_DATA, n);
    cr_expect_eq(memcmp(tagged(&w, 2), lab_memory(w.l, 0) + 16, n), 0);
    cr_expect_eq(w.l->end[1].srq.rq.count, 1);
    close_world(&w);
}

Test(tags, masks_and_the_order_of_the_list)
{
    struct world w;

    open_world(&w, 0, 2);
    (void)add(&w, 0x105, 0xff, 0);
    (void)add(&w, 0x206, 0xff00, 0);
    (void)add(&w, 0x305, 0xff, 0);
    send_tm(&w, IBV_TMH_EAGER, 0x905, 20);
    cr_expect_eq(lab_done(w.l, 1, 0x105, IBA_WC_SUCCESS).tag, 0x905);
    send_tm(&w, IBV_TMH_EAGER, 0x905, 20);
    cr_expect_eq(lab_done(w.l, 1, 0x305, IBA_WC_SUCCESS).tag, 0x905);
    send_tm(&w, IBV_TMH_EAGER, 0x277, 20);
    cr_expect_eq(lab_done(w.l, 1, 0x206, IBA_WC_SUCCESS).tag, 0x277);
    send_tm(&w, IBV_TMH_EAGER, 0x905, 20);
    (void)received(&w, ORDINARY_ID, 0, 20);
    close_world(&w);
}

/* The receiver reads the data, and only then tells the sender that it has them. */
Test(tags, a_rendezvous)
{
    static const uint32_t lengths[] = {0, 1, 999, 1000, 1001, ROOM};

    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct world w;
        const uint32_t n = lengths[i];
        open_world(&w, 0, 0);
        (void)add(&w, 3, UINT64_MAX, 0);
        send_rndv(&w, 3, n, 5);
        (void)received(&w, 3, IBA_WC_TAG_MATCH, 0);
        (void)received(&w, 3, IBA_WC_TAG_DATA, n);
        cr_expect_eq(memcmp(tagged(&w, 3), lab_memory(w.l, 0) + DATA_AT, n), 0);
        cr_expect_eq(lab_done(w.l, 0, 0, IBA_WC_SUCCESS).byte_len, 32, "the FIN");
        const uint8_t *fin = lab_memory(w.l, 0) + FIN_AT;
        cr_expect_eq(fin[0], IBV_TMH_FIN);
        cr_expect_eq(memcmp(fin + 1, lab_memory(w.l, 0) + 1, 31), 0, "the rest is that of the request");
        cr_expect_eq(lab_count(w.l, IBA_RC_READ_REQUEST), 1);
        close_world(&w);
    }
}

Test(tags, a_rendezvous_that_does_not_fit)
{
    struct world w;

    open_world(&w, 0, 0);
    (void)add(&w, 3, UINT64_MAX, 0);
    send_rndv(&w, 3, ROOM + 1, 9);
    const struct iba_wc wc = lab_done(w.l, 1, 3, IBA_WC_TAG_INCOMPLETE);
    cr_expect(wc.byte_len == 32 && wc.flags == IBA_WC_TAG_MATCH && wc.tag == 3);
    cr_expect_eq(memcmp(tagged(&w, 3), lab_memory(w.l, 0), 32), 0, "the headers");
    cr_expect_eq(lab_count(w.l, IBA_RC_READ_REQUEST), 0);
    cr_expect_eq(lab_state(w.l, 1, w.to), IBA_QPS_RTS);
    close_world(&w);
}

/* Messages without tag, FINs and messages shorter than their header go to ordinary receives, whatever tags the list
 * has. */
Test(tags, messages_without_tag)
{
    static const struct {
        uint8_t kind;
        uint32_t bytes;
    } rows[] = {{IBV_TMH_NO_TAG, 1}, {IBV_TMH_NO_TAG, 40}, {IBV_TMH_FIN, 16}, {IBV_TMH_FIN, 32},
                {IBV_TMH_EAGER, 15}, {IBV_TMH_RNDV, 31},   {4, 40},           {255, 40},
                {IBV_TMH_NO_TAG, 0}};

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        open_world(&w, 0, 1);
        (void)add(&w, 2, 0, 0); /* takes any tag */
        send_tm(&w, rows[i].kind, 2, rows[i].bytes);
        (void)received(&w, ORDINARY_ID, 0, rows[i].bytes);
        cr_expect_eq(memcmp(lab_memory(w.l, 1) + ORDINARY_AT, lab_memory(w.l, 0), rows[i].bytes), 0);
        cr_expect_eq(w.l->end[1].srq.tags.unexpected, 0);
        cr_expect_eq(w.l->end[1].srq.tags.count, 1);
        close_world(&w);
    }
}

/* A receive that software adds before it knows of an unexpected message must not overtake that message. */
Test(tags, receives_wait_until_software_knows_the_unexpected)
{
    struct world w;

    open_world(&w, 0, 3);
    send_tm(&w, IBV_TMH_EAGER, 1, 20);
    (void)received(&w, ORDINARY_ID, 0, 20);
    (void)add(&w, 1, UINT64_MAX, 0);
    send_tm(&w, IBV_TMH_EAGER, 1, 21);
    (void)received(&w, ORDINARY_ID + 1, 0, 21);
    cr_assert_eq(iba_sync_tags(&w.l->end[1].ca, w.srq, 1), IBA_VERB_OK);
    send_tm(&w, IBV_TMH_EAGER, 1, 22);
    (void)received(&w, ORDINARY_ID + 2, 0, 22);
    cr_assert_eq(iba_sync_tags(&w.l->end[1].ca, w.srq, 3), IBA_VERB_OK);
    send_tm(&w, IBV_TMH_EAGER, 1, 23);
    (void)received(&w, 1, IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA, 7);
    (void)add(&w, 2, UINT64_MAX, 3);
    send_tm(&w, IBV_TMH_EAGER, 2, 24);
    (void)received(&w, 2, IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA, 8);
    close_world(&w);
}

/* The data are longer than the tagged receive: the responder refuses as it does for an ordinary one (RR-38). */
Test(tags, an_eager_message_that_does_not_fit)
{
    struct world w;

    open_world(&w, 0, 1);
    (void)add(&w, 2, UINT64_MAX, 0);
    send_only(&w, IBV_TMH_EAGER, 2, 16 + ROOM + 1);
    (void)lab_done(w.l, 0, 7, IBA_WC_REMOTE_INVALID_REQ);
    (void)received(&w, 2, IBA_WC_TAG_MATCH, 0);
    (void)lab_done(w.l, 1, 2, IBA_WC_LOCAL_LENGTH);
    cr_expect_eq(w.l->end[1].srq.rq.count, 1);
    close_world(&w);
}

/* A READ that the sender refuses ends the receive in error; there is no FIN. */
Test(tags, a_rendezvous_of_a_bad_key)
{
    struct world w;

    open_world(&w, 0, 0);
    (void)add(&w, 3, UINT64_MAX, 0);
    w.l->end[0].rkey ^= 1;
    send_rndv(&w, 3, 100, 0);
    (void)received(&w, 3, IBA_WC_TAG_MATCH, 0);
    const struct iba_wc wc = lab_done(w.l, 1, 3, IBA_WC_REMOTE_ACCESS);
    cr_expect(wc.flags == 0 && wc.byte_len == 0 && wc.op == IBA_WR_RECV);
    cr_expect(wc.qpn == w.to && wc.src_qpn == w.from && wc.srqn == w.srq);
    w.l->end[0].rkey ^= 1;
    cr_expect_eq(lab_state(w.l, 1, w.to), IBA_QPS_ERR);
    (void)lab_done(w.l, 0, 0, IBA_WC_FLUSHED);
    close_world(&w);
}

/* The completion that ends a message says also whether its sender asked for an event, and whether it has an immediate
 * value: that of a message of one packet has the application's context in its place. */
Test(tags, a_match_hides_no_other_flag)
{
    static const uint32_t bytes[] = {40, 1900};
    struct world w;

    open_world(&w, 0, 1);
    for (unsigned i = 0; i < 2; i++) {
        const struct iba_send_wr wr = {
            .wr_id = 7, .op = IBA_WR_SEND_IMM, .flags = IBA_WR_SOLICITED, .imm_or_key = 0x12345678};
        struct ibv_tmh *h = (struct ibv_tmh *)lab_memory(w.l, 0);
        (void)add(&w, i, UINT64_MAX, 0);
        *h = (struct ibv_tmh){.opcode = IBV_TMH_EAGER, .app_ctx = htobe32(i + 1), .tag = htobe64(i)};
        cr_assert_eq(lab_send(w.l, 0, w.from, wr, 0, bytes[i]), IBA_VERB_OK);
        lab_settle(w.l);
        (void)lab_done(w.l, 0, 7, IBA_WC_SUCCESS);
    }
    (void)received(&w, 0, IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA | IBA_WC_SOLICITED | IBA_WC_WITH_IMM, 24);
    (void)received(&w, 1, IBA_WC_TAG_MATCH, 0);
    cr_expect_eq(received(&w, 1, IBA_WC_TAG_DATA | IBA_WC_SOLICITED | IBA_WC_WITH_IMM, 1884).imm_or_key, 0x12345678);
    close_world(&w);
}

/* A rendezvous needs two entries of the send queue; until they are free the receiver is not ready. */
Test(tags, a_rendezvous_without_room_in_the_send_queue)
{
    struct world w;
    const struct iba_send_wr write = {.wr_id = 5, .op = IBA_WR_WRITE};
    struct iba_qp_attr sqd = {.state = IBA_QPS_SQD};

    open_world(&w, 0, 1);
    (void)add(&w, 3, UINT64_MAX, 0);
    cr_assert_eq(iba_modify_qp(&w.l->end[1].ca, w.to, &sqd, IBA_QPA_STATE), IBA_VERB_OK);
    for (unsigned i = 0; i < LAB_DEPTH - 1; i++)
        cr_assert_eq(lab_send(w.l, 1, w.to, write, 0, 0), IBA_VERB_OK);
    ((struct ibv_rvh *)(lab_memory(w.l, 0) + 16))->len = htobe32(4);
    send_only(&w, IBV_TMH_RNDV, 3, 32);
    lab_no_wc(w.l, 0);
    cr_expect_eq(w.l->end[1].srq.tags.count, 1);
    cr_expect_eq(lab_find(w.l, IBA_RC_ACKNOWLEDGE, 0)->syndrome >> 5, IBA_AETH_RNR);
    close_world(&w);
}

/* Only a rendezvous needs the send queue: other messages are received while it is full (VN-04). */
Test(tags, a_full_send_queue_keeps_no_other_message_waiting)
{
    const struct iba_send_wr write = {.wr_id = 5, .op = IBA_WR_WRITE};
    struct iba_qp_attr sqd = {.state = IBA_QPS_SQD};
    struct world w;

    open_world(&w, 0, 3);
    (void)add(&w, 1, UINT64_MAX, 0);
    (void)add(&w, 2, UINT64_MAX, 0);
    cr_assert_eq(iba_modify_qp(&w.l->end[1].ca, w.to, &sqd, IBA_QPA_STATE), IBA_VERB_OK);
    for (unsigned i = 0; i < LAB_DEPTH; i++)
        cr_assert_eq(lab_send(w.l, 1, w.to, write, 0, 0), IBA_VERB_OK);
    send_tm(&w, IBV_TMH_EAGER, 1, 40);
    (void)received(&w, 1, IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA, 24);
    send_rndv(&w, 2, ROOM + 1, 0); /* its data do not fit: nothing is read */
    (void)lab_done(w.l, 1, 2, IBA_WC_TAG_INCOMPLETE);
    send_rndv(&w, 3, 8, 0); /* no receive has its tag */
    (void)received(&w, ORDINARY_ID, 0, 32);
    send_rndv(&w, 3, 8, 1400); /* of two packets */
    (void)received(&w, ORDINARY_ID + 1, 0, 1432);
    send_tm(&w, IBV_TMH_NO_TAG, 1, 40);
    (void)received(&w, ORDINARY_ID + 2, 0, 40);
    cr_expect_eq(lab_find(w.l, IBA_RC_ACKNOWLEDGE, 0)->syndrome >> 5, IBA_AETH_ACK);
    close_world(&w);
}

/* With room for the READ and the FIN both are posted. The READ has the entries that its bytes need, and the FIN waits
 * for it by its fence. */
Test(tags, a_rendezvous_fills_the_send_queue)
{
    static const struct {
        uint32_t bytes;
        uint8_t n;
        uint32_t length[2];
    } cases[] = {{0, 0, {0, 0}}, {4, 1, {4, 0}}, {1000, 1, {1000, 0}}, {1001, 2, {1000, 1}}, {ROOM, 2, {1000, 1000}}};
    const struct iba_send_wr write = {.wr_id = 5, .op = IBA_WR_WRITE};
    struct iba_qp_attr sqd = {.state = IBA_QPS_SQD};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        open_world(&w, 0, 1);
        (void)add(&w, 3, UINT64_MAX, 0);
        cr_assert_eq(iba_modify_qp(&w.l->end[1].ca, w.to, &sqd, IBA_QPA_STATE), IBA_VERB_OK);
        for (unsigned k = 0; k < LAB_DEPTH - 2; k++)
            cr_assert_eq(lab_send(w.l, 1, w.to, write, 0, 0), IBA_VERB_OK);
        send_rndv(&w, 3, cases[i].bytes, 0);
        const struct iba_wc wc = received(&w, 3, IBA_WC_TAG_MATCH, 0);
        cr_expect(wc.qpn == w.to && wc.src_qpn == w.from && wc.srqn == w.srq && wc.pkey_index == 0);
        const struct iba_qp *qp = &w.l->end[1].qp[0].qp;
        cr_assert_eq(qp->s.count, LAB_DEPTH);
        const struct iba_sqe *read = iba_sqe_at(qp, LAB_DEPTH - 2), *fin = iba_sqe_at(qp, LAB_DEPTH - 1);
        cr_expect(read->wr.op == IBA_WR_READ && read->wr.wr_id == 3 && read->wr.flags == IBA_WR_TAGGED);
        cr_expect(read->wr.va == LAB_VA + DATA_AT && read->wr.rkey == w.l->end[0].rkey);
        cr_expect(read->wr.n_sge == cases[i].n && read->length == cases[i].bytes, "%u bytes", cases[i].bytes);
        for (unsigned k = 0; k < cases[i].n; k++)
            cr_expect_eq(read->wr.sge[k].length, cases[i].length[k], "%u bytes, entry %u", cases[i].bytes, k);
        cr_expect(fin->wr.op == IBA_WR_SEND && fin->wr.wr_id == 3 && fin->length == 32);
        cr_expect_eq(fin->wr.flags, IBA_WR_FENCE | IBA_WR_TAGGED | IBA_WR_INLINE);
        close_world(&w);
    }
}

/* Only reliable connections match tags; a message of another service takes an ordinary receive. */
Test(tags, other_services_match_no_tags)
{
    struct world w;

    open_world(&w, 0, 1);
    (void)add(&w, 2, 0, 0);
    w.from = lab_qp(w.l, 0, IBA_QPT_UC, IBA_NONE);
    w.to = lab_qp(w.l, 1, IBA_QPT_UC, w.srq);
    lab_connect(w.l, 0, w.from, 1, w.to, lab_attr());
    send_tm(&w, IBV_TMH_EAGER, 2, 40);
    (void)received(&w, ORDINARY_ID, 0, 40);
    cr_expect(w.l->end[1].srq.tags.count == 1 && w.l->end[1].srq.tags.unexpected == 0);
    close_world(&w);
}

/* A receive that may not be written: its completion is an error, and tells of no match. */
Test(tags, a_receive_of_a_bad_key)
{
    struct world w;

    open_world(&w, 0, 1);
    w.l->end[1].lkey ^= 1;
    (void)add(&w, 2, UINT64_MAX, 0);
    w.l->end[1].lkey ^= 1;
    send_only(&w, IBV_TMH_EAGER, 2, 40);
    (void)lab_done(w.l, 0, 7, IBA_WC_REMOTE_OPERATION);
    cr_expect_eq(lab_done(w.l, 1, 2, IBA_WC_LOCAL_PROTECTION).flags, 0);
    (void)lab_done(w.l, 0, 0, IBA_WC_FLUSHED);
    close_world(&w);
}

/* A tagged receive is a list of buffers for one message, on an SRQ that works. Each has a handle of its own. */
Test(tags, receives_that_a_list_takes)
{
    struct iba_recv_wr most = {.n_sge = IBA_MAX_SGE}, blocks = {.form = IBA_RECV_BLOCKS}, stream = {.most = 1};
    uint32_t first = 0, handle = 0;
    struct iba_srq other;
    struct world w;

    open_world(&w, 0, 0);
    struct iba_ca *ca = &w.l->end[1].ca;
    cr_expect_eq(iba_add_tag(ca, w.srq, &blocks, 1, 1, 0, &handle), IBA_VERB_SGE);
    cr_expect_eq(iba_add_tag(ca, w.srq, &stream, 1, 1, 0, &handle), IBA_VERB_SGE);
    cr_expect_eq(iba_add_tag(ca, 99, &most, 1, 1, 0, &handle), IBA_VERB_NO_SRQ);
    cr_expect_eq(iba_remove_tag(ca, 99, 1, 0), IBA_VERB_NO_SRQ);
    cr_expect_eq(w.l->end[1].srq.tags.count, 0);
    cr_expect_eq(iba_add_tag(ca, w.srq, &most, 1, 1, 0, &first), IBA_VERB_OK);
    cr_expect_eq(iba_add_tag(ca, w.srq, &most, 1, 1, 0, &handle), IBA_VERB_OK);
    cr_expect(first > 0 && handle == first + 1);
    cr_expect_eq(iba_remove_tag(ca, w.srq, first, 0), IBA_VERB_OK);
    cr_expect_eq(iba_add_tag(ca, w.srq, &most, 1, 1, 0, &first), IBA_VERB_OK);
    cr_expect_eq(first, handle + 1, "a handle is not used again");
    w.l->end[1].srq.error = true;
    cr_expect_eq(iba_add_tag(ca, w.srq, &most, 1, 1, 0, &handle), IBA_VERB_STATE);
    w.l->end[1].srq.error = false;
    const struct iba_tag_srq_init no_pd = {.ring = &most, .list = w.list, .n = 1, .n_tags = 1, .pd = 99};
    cr_expect_eq(iba_create_tag_srq(ca, &other, &no_pd, &handle), IBA_VERB_NO_PD);
    close_world(&w);
}

Test(tags, verbs_that_are_refused)
{
    struct world w;
    struct iba_srq other;
    struct iba_recv_wr ring[1];
    uint32_t handle = 0, plain;
    struct iba_ca *ca;

    open_world(&w, 0, 0);
    ca = &w.l->end[1].ca;
    cr_assert_eq(iba_create_srq(ca, &other, ring, 1, w.l->end[1].pd, &plain), IBA_VERB_OK);
    cr_expect_eq(iba_add_tag(ca, plain, ring, 1, 1, 0, &handle), IBA_VERB_TYPE);
    cr_expect_eq(iba_sync_tags(ca, plain, 0), IBA_VERB_TYPE);
    cr_expect_eq(iba_remove_tag(ca, plain, 1, 0), IBA_VERB_TYPE);
    cr_expect_eq(iba_sync_tags(ca, 99, 0), IBA_VERB_NO_SRQ);
    cr_expect_eq(iba_add_tag(ca, w.srq, &(struct iba_recv_wr){.n_sge = IBA_MAX_SGE + 1}, 1, 1, 0, &handle),
                 IBA_VERB_SGE);
    for (uint64_t tag = 0; tag < TAGS; tag++)
        handle = add(&w, tag, UINT64_MAX, 0);
    cr_expect_eq(iba_add_tag(ca, w.srq, &(struct iba_recv_wr){0}, 1, 1, 0, &plain), IBA_VERB_FULL);
    cr_expect_eq(iba_remove_tag(ca, w.srq, handle, 0), IBA_VERB_OK);
    cr_expect_eq(iba_remove_tag(ca, w.srq, handle, 0), IBA_VERB_ATTR_VALUE, "a message may have taken it");
    const struct iba_tag_srq_init no_cq = {.ring = ring, .list = w.list, .n = 1, .n_tags = 1, .cq = 99};
    cr_expect_eq(iba_create_tag_srq(ca, &other, &no_cq, &plain), IBA_VERB_NO_CQ);
    close_world(&w);
}
