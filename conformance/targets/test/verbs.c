/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs of the reference target, one after the other. */
#include "bed.h"
#include "transport/iba_wr_ops.h"
#include <string.h>
#include "scenario/scenario.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

#define SAID(b, call, word)                                                                                            \
    do {                                                                                                               \
        cr_assert_eq((call), IBC_REFUSED);                                                                             \
        cr_assert_str_eq((b)->t->refusal, (word));                                                                     \
    } while (0)

static void rc_exchange(enum ibc_link link)
{
    struct bed *b = bed_open("reference", link, 1);
    struct iba_wc wc;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    bed_recv(b, 0, 4096, 256);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 64);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert(bed_wc(b, 0, &wc) && wc.status == IBA_WC_SUCCESS && wc.byte_len == 64);
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN + 1, 100);
    bed_expect(b, 0, IBA_RC_READ_RESP_ONLY, BED_EPSN + 1);
    cr_assert_eq(b->v.payload_len, 100);
    cr_assert_eq(bed_post(b, 0, IBA_WR_WRITE, 1500, 0x1234, 0x5678), IBC_OK);
    bed_expect(b, 0, IBA_RC_WRITE_FIRST, BED_PSN);
    bed_expect(b, 0, IBA_RC_WRITE_LAST, BED_PSN + 1);
    bed_quiet(b, 0);
    bed_close(b);
}

Test(verbs, a_request_is_answered_on_every_link)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        rc_exchange((enum ibc_link)l);
}

Test(verbs, memory_begins_with_its_pattern_and_can_be_written)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const uint64_t at = b->d[0].mr.local;
    uint8_t bytes[16];

    cr_assert_eq(o->read_memory(b->t, 0, at + 1000, bytes, sizeof bytes), IBC_OK);
    for (unsigned i = 0; i < sizeof bytes; i++)
        cr_assert_eq(bytes[i], ibc_pattern('m', 1000 + i));
    cr_assert_eq(o->write_memory(b->t, 0, at + 65536 - 4, (const uint8_t *)"abcd", 4), IBC_OK);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, b->d[0].mr.id), IBC_OK);
    cr_assert_eq(o->read_memory(b->t, 0, at + 65536 - 4, bytes, 4), IBC_OK, "still the application's");
    cr_assert_eq(memcmp(bytes, "abcd", 4), 0);
    cr_assert_eq(o->read_memory(b->t, 0, at + 65536 - 4, bytes, 5), IBC_BROKEN);
    cr_assert_neq(b->t->fault[0], 0);
    cr_assert_eq(o->read_memory(b->t, 0, at - 1, bytes, 1), IBC_BROKEN);
    cr_assert_eq(o->write_memory(b->t, 0, UINT64_MAX, bytes, 2), IBC_BROKEN);
    bed_close(b);
}

Test(verbs, a_region_longer_than_the_kept_pattern)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_mr_spec m = {.pd = b->d[0].pd,
                                  .length = 200000,
                                  .fill = 'x',
                                  .has_iova = true,
                                  .iova = 0x1234,
                                  .access = IBA_ACCESS_REMOTE_READ};
    struct ibc_mr mr;
    uint8_t byte;

    cr_assert_eq(b->t->ops->reg_mr(b->t, 0, &m, &mr), IBC_OK);
    cr_assert_eq(mr.va, 0x1234);
    cr_assert_eq(b->t->ops->read_memory(b->t, 0, mr.local + 199999, &byte, 1), IBC_OK);
    cr_assert_eq(byte, ibc_pattern('x', 199999));
    bed_close(b);
}

Test(verbs, refusals_are_said_in_the_engine_s_words)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const struct ibc_mr_spec none = {.pd = b->d[0].pd, .length = 0};
    const struct ibc_qp_attr early = {.a = {.state = IBA_QPS_RTS}};
    struct ibc_mr mr;
    uint32_t n;

    (void)bed_qp(b, 0, IBA_QPT_RC);
    SAID(b, o->modify_qp(b->t, 0, b->d[0].qpn, &early), "transition");
    SAID(b, o->modify_qp(b->t, 0, 0xabcdef, &early), "no_qp");
    SAID(b, bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), "state");
    SAID(b, o->destroy(b->t, 0, IBC_O_pd, b->d[0].pd), "mem_pd_busy");
    SAID(b, o->destroy(b->t, 0, IBC_O_cq, b->d[0].cq), "busy");
    SAID(b, o->destroy(b->t, 0, IBC_O_mr, 0x1234), "mem_no_key");
    SAID(b, o->reg_mr(b->t, 0, &none, &mr), "mem_zero");
    SAID(b, o->create_cq(b->t, 0, 0, &n), "attr_value");
    SAID(b, o->create_cq(b->t, 0, 1 << 30, &n), "full");
    SAID(b, o->arm_cq(b->t, 0, 77, false), "no_cq");
    SAID(b, o->resize_cq(b->t, 0, 77, 4), "no_cq");
    bed_close(b);
}

Test(verbs, objects_come_and_go_for_ever)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const struct ibc_mr_spec m = {.pd = b->d[0].pd, .length = 65536, .fill = 'k', .access = IBA_ACCESS_REMOTE_READ};
    struct ibc_mr mr;
    uint32_t pd, cq, srq, ah;

    for (unsigned i = 0; i < 5000; i++) {
        (void)bed_qp(b, 0, IBA_QPT_RC);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, b->d[0].qpn), IBC_OK);
        cr_assert_eq(o->create_pd(b->t, 0, &pd), IBC_OK);
        cr_assert_eq(o->create_cq(b->t, 0, 100 + i % 7, &cq), IBC_OK);
        cr_assert_eq(o->create_srq(b->t, 0, pd, 10 + i % 5, 3, &srq), IBC_OK);
        cr_assert_eq(o->create_ah(b->t, 0, pd, &b->t->tester, &ah), IBC_OK);
        cr_assert_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_OK, "region %u", i);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, mr.id), IBC_OK);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_srq, srq), IBC_OK);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_cq, cq), IBC_OK);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_pd, pd), IBC_REFUSED, "its address handle is there");
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_handle, ah), IBC_OK);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_handle, ah), IBC_REFUSED);
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_pd, pd), IBC_OK);
    }
    bed_close(b);
}

Test(verbs, a_shared_receive_queue_tells_when_it_runs_low)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    struct iba_recv_wr wr = {.n_sge = 1, .sge = {{b->d[0].mr.local, 64, b->d[0].mr.lkey}}};
    struct ibc_qp_spec q = {.type = IBA_QPT_RC, .pd = b->d[0].pd, .scq = b->d[0].cq, .rcq = b->d[0].cq, .sq = 4};
    struct iba_event e;
    unsigned n;

    cr_assert_eq(o->create_srq(b->t, 0, b->d[0].pd, 8, 0, &q.srq), IBC_OK);
    q.has_srq = true;
    cr_assert_eq(o->create_qp(b->t, 0, &q, &b->d[0].qpn), IBC_OK);
    bed_connect(b, 0, b->d[0].qpn, IBA_QPT_RC, 0);
    cr_assert_eq(o->post_srq_recv(b->t, 0, q.srq, &wr), IBC_OK);
    cr_assert_eq(o->post_srq_recv(b->t, 0, q.srq, &wr), IBC_OK);
    cr_assert_eq(o->arm_srq(b->t, 0, q.srq, 2), IBC_OK);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert(o->poll_event(b->t, 0, &e, &n) == IBC_OK && n == 1 && e.kind == IBA_EVENT_SRQ_LIMIT);
    cr_assert(o->poll_event(b->t, 0, &e, &n) == IBC_OK && n == 0);
    bed_close(b);
}

Test(verbs, a_completion_notifies_once)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    uint64_t times = 9;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    bed_recv(b, 0, 0, 64);
    bed_recv(b, 0, 0, 64);
    cr_assert_eq(b->t->ops->arm_cq(b->t, 0, b->d[0].cq, false), IBC_OK);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN + 1, 8);
    cr_assert(b->t->ops->notified(b->t, 0, b->d[0].cq, &times) == IBC_OK && times == 1);
    bed_close(b);
}

Test(verbs, an_absent_page_makes_the_device_ask_for_time)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const struct ibc_mr_spec m = {.pd = b->d[0].pd,
                                  .length = 65536,
                                  .fill = 'o',
                                  .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_ON_DEMAND};

    cr_assert_eq(o->page(b->t, 0, b->d[0].mr.local, false), IBC_BROKEN, "not on demand");
    cr_assert_eq(o->reg_mr(b->t, 0, &m, &b->d[0].mr), IBC_OK);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(o->page(b->t, 0, b->d[0].mr.local + 5, false), IBC_OK);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert_eq(iba_aeth_syn_kind(iba_view_hdr(&b->v, IBA_H_aeth)), 1, "RNR");
    cr_assert_eq(o->page(b->t, 0, b->d[0].mr.local + 4095, true), IBC_OK);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert_eq(iba_aeth_syn_kind(iba_view_hdr(&b->v, IBA_H_aeth)), 0);
    bed_close(b);
}

Test(verbs, a_region_is_registered_again_with_other_memory)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    struct ibc_mr *mr = &b->d[0].mr;
    const struct ibc_mr was = *mr;
    struct ibc_reregister r = {.lkey = was.lkey ^ 1, .has_range = true, .length = 4096, .fill = 'x'};
    uint8_t byte[2] = {7, 7};

    SAID(b, o->reregister(b->t, 0, &r, mr), "mem_no_key");
    r.lkey = was.lkey;
    r.length = 0;
    SAID(b, o->reregister(b->t, 0, &r, mr), "mem_zero");
    cr_assert_eq(memcmp(mr, &was, sizeof was), 0);
    r.length = 4096;
    cr_assert_eq(o->write_memory(b->t, 0, was.local, byte, 2), IBC_OK);
    cr_assert_eq(o->reregister(b->t, 0, &r, mr), IBC_OK);
    cr_assert(mr->lkey != was.lkey && mr->local != was.local && mr->id == mr->lkey);
    cr_assert_eq(o->read_memory(b->t, 0, mr->local, byte, 1), IBC_OK);
    cr_assert_eq(byte[0], ibc_pattern('x', 0));
    cr_assert_eq(o->read_memory(b->t, 0, was.local, byte, 1), IBC_OK);
    cr_assert_eq(byte[0], 7, "the old memory stays readable");
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_READ_RESP_ONLY, BED_EPSN);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, mr->lkey), IBC_OK);
    bed_close(b);
}

Test(verbs, a_prefetch_brings_absent_pages)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const struct ibc_mr_spec m = {
        .pd = b->d[0].pd, .length = 65536, .fill = 'o', .access = IBA_ACCESS_REMOTE_READ | IBA_ACCESS_ON_DEMAND};
    struct ibc_prefetch p = {.length = 1, .pd = b->d[0].pd, .lkey = b->d[0].mr.lkey, .at = b->d[0].mr.local};

    SAID(b, o->prefetch(b->t, 0, &p), "mem_kind");
    cr_assert_eq(o->reg_mr(b->t, 0, &m, &b->d[0].mr), IBC_OK);
    p.at = b->d[0].mr.local + 4095;
    p.lkey = b->d[0].mr.lkey;
    p.write = true;
    SAID(b, o->prefetch(b->t, 0, &p), "mem_rights");
    p.write = false;
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(o->page(b->t, 0, b->d[0].mr.local, false), IBC_OK);
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert_eq(o->prefetch(b->t, 0, &p), IBC_OK);
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_READ_RESP_ONLY, BED_EPSN);
    bed_close(b);
}

Test(verbs, a_window_is_bound_and_freed)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    struct ibc_send s = {.wr = {.op = IBA_WR_BIND_MW,
                                .bind = {.mr_lkey = b->d[0].mr.lkey,
                                         .va = b->d[0].mr.va,
                                         .length = 64,
                                         .access = IBA_ACCESS_REMOTE_WRITE,
                                         .key_byte = 0}}};
    struct iba_wc wc;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(o->alloc_mw(b->t, 0, 2, b->d[0].pd, &s.wr.bind.mw_rkey), IBC_OK);
    s.wr.bind.key_byte = (uint8_t)(s.wr.bind.mw_rkey + 1);
    cr_assert_eq(o->post_send(b->t, 0, b->d[0].qpn, &s), IBC_OK);
    bed_quiet(b, 0);
    cr_assert(bed_wc(b, 0, &wc) && wc.status == IBA_WC_SUCCESS);
    b->d[0].mr.rkey = (s.wr.bind.mw_rkey & ~0xffu) | s.wr.bind.key_byte;
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 64);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mw, b->d[0].mr.rkey), IBC_OK);
    SAID(b, o->destroy(b->t, 0, IBC_O_mw, b->d[0].mr.rkey), "mem_no_key");
    bed_close(b);
}

Test(verbs, starting_psns_differ)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    uint32_t one, two;

    cr_assert_eq(b->t->ops->choose_psn(b->t, 0, &one), IBC_OK);
    cr_assert_eq(b->t->ops->choose_psn(b->t, 0, &two), IBC_OK);
    cr_assert(one != two && one <= 0xffffff && two <= 0xffffff);
    bed_close(b);
}

static void closest(const char *spec, const char *wanted)
{
    char err[200] = "";

    cr_assert_null(ibc_target_open(spec, err, sizeof err), "%s", spec);
    cr_assert(strstr(err, wanted) && !strchr(err, '\n'), "%s", err);
}

Test(verbs, an_unknown_target_is_told_the_nearest_name)
{
    closest("referense", "reference");
    closest("mutant:RC-responder.gab=drop", "did you mean mutant:RC-responder.gap?");
    closest("mutant:RC-responder.gap=dorp", "drop, swap, other");
    closest("mutant:RC-responder.gap=other:9", "drop, swap, other");
    closest("mutant:RC-responder.gap=drops", "drop, swap, other");
    closest("mutant:RC-responder.gap", "drop, swap, other");
    closest("mutant:header-validation.malformed=drop", "later rows read what this one lets through");
    closest("mutant:emit.bth.psm=+1", "did you mean mutant:emit.bth.psn?");
    closest("mutant:emit.bth.psn=up", "a number, +N, ^N or *N");
    closest("mutant:emit.ackk/bth.psn=+1", "did you mean mutant:emit.ack/bth.psn?");
    closest("mutant:", "no such row or field");
    closest("mutant:=drop", "no such row or field");
    closest("mutant:"
            "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz=1",
            "no such row or field");
}
