/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of tag matching: two adapters, the second of which has an SRQ with a list of tagged receives.
 * Headers are structures of libibverbs. */
#ifndef TAGS_TEST_H
#define TAGS_TEST_H
#include <criterion/criterion.h>
#include <endian.h>
#include <infiniband/tm_types.h>
#include <stdio.h>
#include "adapter/test/lab.h"
#include "transport/iba_tags.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum {
    TAGS = 4,
    ROOM = 2000,        /* bytes of each receive */
    ORDINARY_AT = 8192, /* of the receiver's region: ordinary receives, then tagged ones */
    TAGGED_AT = 24576,
    FIN_AT = 40960, /* of the sender's region */
    DATA_AT = 4096,
    ORDINARY_ID = 100, /* the wr_id of the first ordinary receive; of a tagged one it is its tag */
};

struct world {
    struct lab *l;
    uint32_t from, to, srq;
    struct iba_tag list[TAGS];
};

static inline void open_world(struct world *w, uint8_t left_out, unsigned ordinary)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    struct lab_end *e = &l->end[1];
    const struct iba_tag_srq_init init = {.ring = e->srq_ring,
                                          .list = w->list,
                                          .n = LAB_DEPTH,
                                          .n_tags = TAGS,
                                          .pd = e->pd,
                                          .cq = e->cqn,
                                          .left_out = left_out};

    w->l = l;
    cr_assert_eq(iba_create_tag_srq(&e->ca, &e->srq, &init, &w->srq), IBA_VERB_OK);
    for (unsigned i = 0; i < ordinary; i++) {
        const struct iba_recv_wr wr = {
            .wr_id = ORDINARY_ID + i, .n_sge = 1, .sge = {{LAB_VA + ORDINARY_AT + i * 4096, 4096, e->lkey}}};
        cr_assert_eq(iba_post_srq_recv(&e->ca, w->srq, &wr), IBA_VERB_OK);
    }
    w->from = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE);
    w->to = lab_qp(l, 1, IBA_QPT_RC, w->srq);
    lab_connect(l, 0, w->from, 1, w->to, lab_attr());
    for (unsigned i = 0; i < LAB_BYTES; i++)
        lab_memory(l, 0)[i] = (uint8_t)(i * 7 + i / 251);
    lab_recv(l, 0, w->from, 0, FIN_AT, 64);
}

/* Adds a receive of two entries for a tag. */
static inline uint32_t add(struct world *w, uint64_t tag, uint64_t mask, uint32_t handled)
{
    struct lab_end *e = &w->l->end[1];
    const uint64_t at = LAB_VA + TAGGED_AT + tag % TAGS * 4096;
    const struct iba_recv_wr wr = {
        .wr_id = tag, .n_sge = 2, .sge = {{at, 1000, e->lkey}, {at + 1000, ROOM - 1000, e->lkey}}};
    uint32_t handle = 0;

    cr_assert_eq(iba_add_tag(&e->ca, w->srq, &wr, tag, mask, handled, &handle), IBA_VERB_OK);
    return handle;
}

static inline const uint8_t *tagged(struct world *w, uint64_t tag)
{
    return lab_memory(w->l, 1) + TAGGED_AT + tag % TAGS * 4096;
}

static inline void send_only(struct world *w, uint8_t kind, uint64_t tag, uint32_t n)
{
    struct ibv_tmh *h = (struct ibv_tmh *)lab_memory(w->l, 0);

    *h = (struct ibv_tmh){.opcode = kind, .app_ctx = htobe32((uint32_t)tag + 1), .tag = htobe64(tag)};
    cr_assert_eq(lab_send(w->l, 0, w->from, (struct iba_send_wr){.wr_id = 7, .op = IBA_WR_SEND}, 0, n), IBA_VERB_OK);
    lab_settle(w->l);
}

/* Sends `n` bytes of the sender's memory, which begin with a header. */
static inline void send_tm(struct world *w, uint8_t kind, uint64_t tag, uint32_t n)
{
    send_only(w, kind, tag, n);
    (void)lab_done(w->l, 0, 7, IBA_WC_SUCCESS);
}

static inline void send_rndv(struct world *w, uint64_t tag, uint32_t length, uint32_t more)
{
    struct ibv_rvh *h = (struct ibv_rvh *)(lab_memory(w->l, 0) + sizeof(struct ibv_tmh));

    *h = (struct ibv_rvh){htobe64(LAB_VA + DATA_AT), htobe32(w->l->end[0].rkey), htobe32(length)};
    send_tm(w, IBV_TMH_RNDV, tag, (uint32_t)sizeof(struct ibv_tmh) + (uint32_t)sizeof *h + more);
}

static inline struct iba_wc received(struct world *w, uint64_t id, unsigned flags, uint32_t bytes)
{
    const struct iba_wc wc = lab_done(w->l, 1, id, IBA_WC_SUCCESS);

    cr_expect_eq(wc.flags, flags, "receive %lu has flags %u, not %u", (unsigned long)id, wc.flags, flags);
    cr_expect_eq(wc.byte_len, bytes, "receive %lu has %u bytes, not %u", (unsigned long)id, wc.byte_len, bytes);
    cr_expect_eq(wc.op, IBA_WR_RECV);
    if (flags & IBA_WC_TAG_MATCH)
        cr_expect(wc.tag == id && wc.imm_or_key == id + 1, "receive %lu: tag %lu", (unsigned long)id,
                  (unsigned long)wc.tag);
    return wc;
}

static inline void close_world(struct world *w)
{
    lab_no_wc(w->l, 1);
    lab_close(w->l);
}

#endif
