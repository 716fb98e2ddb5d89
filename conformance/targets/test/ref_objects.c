/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects and memory of the reference target: how many there can be, that they can be created again, which bytes belong
 * to a region, and that a device that writes beside its regions is found. */
#include <string.h>
#include "ref_bed.h"
#include "scenario/scenario.h"
#include "wire/iba_opcode_rows.h"

TestSuite(ref_objects, .init = begin, .fini = end);

static enum ibc_rc create(enum ibc_object_kind kind, uint32_t *id)
{
    const struct ibc_qp_spec q = {
        .type = IBA_QPT_RC, .pd = b->d[0].pd, .scq = b->d[0].cq, .rcq = b->d[0].cq, .sq = 4, .rq = 4};
    const struct ibc_mr_spec m = {.pd = b->d[0].pd, .length = 4096, .access = IBA_ACCESS_REMOTE_READ};
    struct ibc_mr mr;
    enum ibc_rc rc;

    switch (kind) {
    case IBC_O_pd: return o->create_pd(b->t, 0, id);
    case IBC_O_cq: return o->create_cq(b->t, 0, 10, id);
    case IBC_O_srq: return o->create_srq(b->t, 0, b->d[0].pd, 10, 0, id);
    case IBC_O_qp: return o->create_qp(b->t, 0, &q, id);
    case IBC_O_handle: return o->create_ah(b->t, 0, b->d[0].pd, &b->t->tester, id);
    case IBC_O_mr: rc = o->reg_mr(b->t, 0, &m, &mr), *id = mr.id; return rc;
    default: return o->alloc_mw(b->t, 0, 2, b->d[0].pd, id);
    }
}

Test(ref_objects, as_many_as_there_is_room_for)
{
    static const struct {
        enum ibc_object_kind kind;
        unsigned most; /* beside those of the bed */
    } rows[] = {{IBC_O_cq, REF_CQS - 1},
                {IBC_O_srq, REF_SRQS},
                {IBC_O_qp, REF_QPS},
                {IBC_O_handle, REF_AHS},
                {IBC_O_mr, REF_KEYS - 2}};
    uint32_t id[2 * REF_KEYS], other;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned n = 0;
        while (n < 2 * REF_KEYS && create(rows[i].kind, &id[n]) == IBC_OK)
            n++;
        cr_expect_eq(n, rows[i].most, "row %zu: %u", i, n);
        cr_expect(strstr(b->t->refusal, "full"), "row %zu: %s", i, b->t->refusal);
        cr_expect_eq(o->destroy(b->t, 0, rows[i].kind, id[n / 2]), IBC_OK, "row %zu", i);
        cr_expect_eq(create(rows[i].kind, &other), IBC_OK, "row %zu: the place is free again", i);
        cr_expect_eq(create(rows[i].kind, &other), IBC_REFUSED, "row %zu", i);
        bed_reset(b, IBC_LINK_roce2_ipv4, 1);
    }
}

Test(ref_objects, depths_of_queues)
{
    uint32_t cq, other;

    cr_expect_eq(o->create_cq(b->t, 0, REF_DEPTH, &cq), IBC_OK, "%s", b->t->refusal);
    cr_expect_eq(o->create_cq(b->t, 0, REF_DEPTH + 1, &other), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "full");
    cr_expect_eq(o->resize_cq(b->t, 0, cq, REF_DEPTH + 1), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "full");
    cr_expect_eq(o->resize_cq(b->t, 0, cq, 0), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "attr_value");
    cr_expect_eq(o->create_srq(b->t, 0, b->d[0].pd, 0, 0, &other), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "attr_value");
    const struct ref_device *dev = device_of(b->t, 0);
    const uint32_t n_cq = dev->n_cq, n_srq = dev->n_srq;
    const struct ibc_tag_srq_spec tags = {.pd = b->d[0].pd, .cq = cq, .n_tags = 1};
    const struct ibc_xrc_srq_spec xrc = {.pd = b->d[0].pd, .cq = cq};
    for (unsigned i = 0; i < 4; i++) {
        b->t->refusal[0] = '\0';
        cr_expect_eq(i == 0   ? o->create_cq(b->t, 0, 0, &other)
                     : i == 1 ? o->create_srq(b->t, 0, b->d[0].pd, 0, 0, &other)
                     : i == 2 ? o->create_tag_srq(b->t, 0, &tags, &other)
                              : o->create_xrc_srq(b->t, 0, &xrc, &other, &other),
                     IBC_REFUSED, "%u", i);
        cr_expect_str_eq(b->t->refusal, "attr_value", "%u", i);
        cr_expect(dev->n_cq == n_cq && dev->n_srq == n_srq, "no place is taken for it");
    }
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_COUNT, 1), IBC_UNSUPPORTED);
    cr_expect_eq(o->reset(b->t, IBC_LINK_COUNT, 1), IBC_UNSUPPORTED);
}

/* A queue keeps what is in it when it gets another length, again and again. */
Test(ref_objects, a_queue_of_another_length)
{
    static const uint32_t lengths[] = {100, 5, 200, 4};
    struct iba_wc wc;
    uint64_t times;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    for (unsigned i = 0; i < 4; i++) {
        bed_recv(b, 0, i, 64);
        bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN + i, 8);
        cr_assert_eq(o->resize_cq(b->t, 0, b->d[0].cq, lengths[i]), IBC_OK, "%u: %s", i, b->t->refusal);
    }
    cr_expect_eq(o->resize_cq(b->t, 0, b->d[0].cq, 3), IBC_REFUSED, "it has four completions");
    for (unsigned i = 0; i < 4; i++)
        cr_assert(bed_wc(b, 0, &wc) && wc.wr_id == 100 + i, "%u", i);
    cr_assert_not(bed_wc(b, 0, &wc));
    cr_expect_eq(o->notified(b->t, 0, 9999, &times), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "no_cq");
}

/* ---- places of destroyed objects ---- */

static uint32_t qp_of(uint32_t sq, uint32_t rq)
{
    const struct ibc_qp_spec q = {
        .type = IBA_QPT_RC, .pd = b->d[0].pd, .scq = b->d[0].cq, .rcq = b->d[0].cq, .sq = sq, .rq = rq};
    uint32_t qpn = 0;

    cr_assert_eq(o->create_qp(b->t, 0, &q, &qpn), IBC_OK, "%u and %u: %s", sq, rq, b->t->refusal);
    return qpn;
}

/* A new queue pair takes the place of a destroyed one whose queues are long enough. When the table is full, it may take
 * a place with shorter queues, which are made longer. */
Test(ref_objects, places_of_queue_pairs)
{
    struct ref_device *dev = device_of(b->t, 0);
    uint32_t qpn[REF_QPS], other;

    qpn[0] = qp_of(4, 4);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, qpn[0]), IBC_OK);
    other = qp_of(5, 4);
    cr_expect(dev->n_qp == 2 && !dev->qp[0].used && dev->qp[1].used, "its send queue is too short");
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, other), IBC_OK);
    other = qp_of(4, 5);
    cr_expect(dev->n_qp == 3 && !dev->qp[1].used && dev->qp[2].used, "its receive queue is too short");
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, other), IBC_OK);
    for (unsigned i = 0; i < REF_QPS; i++)
        qpn[i] = qp_of(4, 4);
    cr_assert_eq(dev->n_qp, REF_QPS);
    size_t used = dev->rings_used;
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, qpn[70]), IBC_OK);
    other = qp_of(8, 2);
    cr_expect(dev->qp[70].used && dev->qp[70].n_sq == 8 && dev->qp[70].n_rq == 4);
    cr_expect_eq(dev->rings_used, used + ((8 * sizeof(struct iba_sqe) + 63) & ~(size_t)63));
    used = dev->rings_used;
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, other), IBC_OK);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, qpn[5]), IBC_OK);
    (void)qp_of(8, 4);
    cr_expect(dev->qp[70].used && !dev->qp[5].used, "the place that is long enough");
    (void)qp_of(1, 1);
    cr_expect(dev->qp[5].used && dev->rings_used == used);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, qpn[9]), IBC_OK);
    dev->rings_used = REF_RINGS;
    const struct ibc_qp_spec q = {
        .type = IBA_QPT_RC, .pd = b->d[0].pd, .scq = b->d[0].cq, .rcq = b->d[0].cq, .sq = 5, .rq = 4};
    cr_expect_eq(o->create_qp(b->t, 0, &q, &other), IBC_REFUSED, "no memory for a longer queue");
    cr_expect_str_eq(b->t->refusal, "full");
}

/* Each queue pair without queues has a place of its own, and the next one does not overwrite it. */
Test(ref_objects, places_of_queue_pairs_without_queues)
{
    struct ref_device *dev = device_of(b->t, 0);
    uint32_t qpn[3];

    for (unsigned i = 0; i < 3; i++) {
        qpn[i] = qp_of(0, 0);
        cr_expect_eq(dev->n_qp, i + 1);
    }
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(o->destroy(b->t, 0, IBC_O_qp, qpn[i]), IBC_OK, "%u: %s", i, b->t->refusal);
}

Test(ref_objects, places_of_queues)
{
    struct ref_device *dev = device_of(b->t, 0);
    const size_t one = (sizeof(struct iba_wc) + 63) & ~(size_t)63;
    uint32_t id, other;

    cr_assert_eq(o->create_cq(b->t, 0, 10, &id), IBC_OK); /* the second, beside that of the bed */
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_cq, id), IBC_OK);
    cr_assert_eq(o->create_cq(b->t, 0, 11, &other), IBC_OK);
    cr_expect(dev->n_cq == 3 && !dev->cq[1].used && dev->cq[2].used && dev->cq[2].n == 11);
    cr_assert_eq(o->create_cq(b->t, 0, 10, &id), IBC_OK);
    cr_expect(dev->n_cq == 3 && dev->cq[1].used && dev->cq[1].n == 10);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_cq, b->d[0].cq ^ 0xffff), IBC_REFUSED);
    cr_assert_eq(o->create_srq(b->t, 0, b->d[0].pd, 10, 0, &id), IBC_OK);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_srq, id), IBC_OK);
    cr_assert_eq(o->create_srq(b->t, 0, b->d[0].pd, 11, 0, &other), IBC_OK);
    cr_expect(dev->n_srq == 2 && !dev->srq[0].used && dev->srq[1].used);
    cr_assert_eq(o->create_srq(b->t, 0, b->d[0].pd, 10, 4, &id), IBC_OK);
    cr_expect(dev->n_srq == 2 && dev->srq[0].used && dev->srq[0].srq.limit == 4 && dev->srq[1].srq.limit == 0);
    dev->rings_used = REF_RINGS - one;
    cr_expect_eq(o->create_cq(b->t, 0, 1, &id), IBC_OK, "the last piece");
    cr_expect_eq(dev->rings_used, REF_RINGS);
    cr_expect_eq(o->create_cq(b->t, 0, 1, &id), IBC_REFUSED);
    cr_expect_eq(o->create_srq(b->t, 0, b->d[0].pd, 12, 0, &id), IBC_REFUSED);
    cr_expect(dev->n_cq == 4 && dev->n_srq == 2, "no place is taken for it");
}

/* Address handles that the target made for datagrams go with their domain, and those of others stay. */
Test(ref_objects, handles_go_with_their_domain)
{
    struct ref_device *dev = device_of(b->t, 0);
    struct ibc_send s = {.wr = {.op = IBA_WR_SEND, .remote_qpn = BED_PEER, .remote_qkey = BED_QKEY},
                         .dest = {.has_pd = true}};
    uint32_t pd[3], ah;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(o->create_pd(b->t, 0, &pd[i]), IBC_OK);
    for (unsigned i = 0; i < 9; i++) { /* three of each domain, in turn */
        s.dest.pd = pd[i % 3];
        s.dest.hop = (uint8_t)(10 + i);
        (void)o->post_send(b->t, 0, b->d[0].qpn, &s);
    }
    cr_assert_eq(dev->n_ah, 9);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_pd, pd[1]), IBC_OK, "%s", b->t->refusal);
    cr_assert_eq(dev->n_ah, 6);
    for (unsigned i = 0; i < 6; i++)
        cr_expect(dev->ah[i].pd != pd[1] && dev->ca.ah[dev->ah[i].number].used &&
                  dev->ca.ah[dev->ah[i].number].av.hop_limit == dev->ah[i].av.hop_limit);
    unsigned used = 0;
    for (unsigned i = 0; i < REF_AHS; i++)
        used += dev->ahs[i].used;
    cr_expect_eq(used, 6);
    cr_assert_eq(o->create_ah(b->t, 0, pd[0], &b->t->tester, &ah), IBC_OK);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_pd, pd[0]), IBC_REFUSED, "the tester's own handle");
    cr_expect_str_eq(b->t->refusal, "mem_pd_busy");
    cr_expect_eq(dev->n_ah, 6);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_handle, ah), IBC_OK);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_pd, pd[0]), IBC_OK);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_pd, pd[0]), IBC_REFUSED, "it is gone");
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_pd, REF_PDS), IBC_REFUSED);
    cr_expect_eq(dev->n_ah, 3);
}

/* ---- memory ---- */

static struct ibc_mr region(uint64_t length, uint32_t access, char fill)
{
    const struct ibc_mr_spec m = {.pd = b->d[0].pd, .length = length, .access = access, .fill = fill};
    struct ibc_mr mr;

    cr_assert_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_OK, "%s", b->t->refusal);
    return mr;
}

Test(ref_objects, addresses_of_regions_lie_apart)
{
    static const uint64_t lengths[] = {1, 4095, 4096, 4097, 70000};
    struct ibc_mr last = b->d[0].mr;
    uint64_t length = 65536;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const struct ibc_mr mr = region(lengths[i], IBA_ACCESS_REMOTE_READ, 'r');
        cr_expect_geq(mr.va, last.va + length + IBA_MEM_PAGE - 1, "a page lies between");
        cr_expect_eq(mr.va % IBA_MEM_PAGE, last.va % IBA_MEM_PAGE);
        cr_expect_eq(mr.local, mr.va);
        last = mr;
        length = lengths[i];
    }
    const struct ibc_mr zero = region(4096, IBA_ACCESS_REMOTE_READ | IBA_ACCESS_ZERO_BASED, 'z');
    cr_expect(zero.va == 0 && zero.local == 0);
}

Test(ref_objects, bytes_beside_a_region)
{
    struct ref_device *dev = device_of(b->t, 1);
    const struct ref_region *g = &dev->region[0];
    uint8_t *const before = g->base - REF_GUARD, *const after = g->base + g->length;

    for (unsigned i = 0; i < 2 * REF_GUARD; i++) {
        uint8_t *const byte = i < REF_GUARD ? before + i : after + i - REF_GUARD;
        cr_assert_eq(*byte, REF_GUARD_BYTE);
        *byte ^= 1;
        cr_expect_not(ref_guards_hold(dev), "byte %u", i);
        *byte ^= 1;
    }
    g->base[0] ^= 1;
    g->base[g->length - 1] ^= 1;
    cr_expect(ref_guards_hold(dev), "its own bytes");
    *after = 0;
    cr_expect_eq(o->reset(b->t, IBC_LINK_roce2_ipv4, 1), IBC_BROKEN, "of either device");
    cr_expect_str_eq(b->t->fault, "the device wrote beside its regions before this reset");
    cr_expect_eq(o->reset(b->t, IBC_LINK_roce2_ipv4, 1), IBC_OK, "it is reported once");
}

Test(ref_objects, room_of_old_regions_is_used_again)
{
    uint8_t byte;

    for (unsigned i = 0; i < REF_REGIONS; i++) {
        const struct ibc_mr mr = region(100 + i % 3, IBA_ACCESS_REMOTE_READ, (char)('a' + i % 26));
        cr_assert_eq(o->read_memory(b->t, 0, mr.local + 99, &byte, 1), IBC_OK);
        cr_assert_eq(byte, ibc_pattern((char)('a' + i % 26), 99));
        cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, mr.id), IBC_OK);
    }
    const struct ibc_mr_spec m = {.pd = b->d[0].pd, .length = 65537, .access = IBA_ACCESS_REMOTE_READ};
    struct ibc_mr mr;
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_REFUSED, "no old region is as long");
    cr_expect_str_eq(b->t->refusal, "mem_full");
    const struct ibc_mr_spec half = {.pd = b->d[1].pd, .length = REF_MEMORY / 2, .access = IBA_ACCESS_REMOTE_READ};
    cr_expect_eq(o->reg_mr(b->t, 1, &half, &mr), IBC_OK, "the other device has memory of its own");
    const struct ibc_mr_spec more = {.pd = b->d[1].pd, .length = REF_MEMORY / 2 + 1};
    cr_expect_eq(o->reg_mr(b->t, 1, &more, &mr), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "mem_full");
}

Test(ref_objects, the_newest_of_two_at_one_address)
{
    const struct ibc_mr_spec m = {
        .pd = b->d[0].pd, .length = 64, .has_iova = true, .iova = 0x10000, .access = IBA_ACCESS_REMOTE_READ};
    struct ibc_mr one, other;

    cr_assert_eq(o->reg_mr(b->t, 0, &m, &one), IBC_OK);
    cr_assert_eq(o->write_memory(b->t, 0, one.local, (const uint8_t *)"one", 4), IBC_OK);
    cr_assert_eq(o->reg_mr(b->t, 0, &m, &other), IBC_OK);
    cr_assert_eq(o->write_memory(b->t, 0, one.local, (const uint8_t *)"two", 4), IBC_OK);
    for (unsigned i = 0; i < 3; i++) {
        char text[4];
        cr_assert_eq(o->read_memory(b->t, 0, one.local, (uint8_t *)text, 4), IBC_OK);
        cr_expect_str_eq(text, i == 1 ? "one" : "two", "step %u: %s", i, text);
        if (i < 2) /* the newer one, then the older one, so that only old ones are left */
            cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, i == 0 ? other.id : one.id), IBC_OK);
    }
}

Test(ref_objects, pages_come_and_go_alone)
{
    enum { PAGES = 20 };
    struct ref_device *dev = device_of(b->t, 0);
    const struct ibc_mr mr =
        region(PAGES * IBA_MEM_PAGE, IBA_ACCESS_REMOTE | IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND, 'p');
    const struct ref_region *g = &dev->region[dev->n_region - 1];

    for (unsigned i = 0; i < PAGES; i++) {
        cr_assert_eq(o->page(b->t, 0, mr.local + i * IBA_MEM_PAGE + (i % 2 ? IBA_MEM_PAGE - 1 : 0), false), IBC_OK);
        for (unsigned k = 0; k < PAGES; k++)
            cr_expect_eq(g->present[k / 8] >> k % 8 & 1, k > i, "page %u after %u", k, i);
    }
    cr_assert_eq(o->page(b->t, 0, mr.local + 9 * IBA_MEM_PAGE, true), IBC_OK);
    for (unsigned k = 0; k < PAGES; k++)
        cr_expect_eq(g->present[k / 8] >> k % 8 & 1, k == 9, "page %u", k);
    cr_expect_eq(o->page(b->t, 0, mr.local + PAGES * IBA_MEM_PAGE, true), IBC_BROKEN);
    cr_expect(strstr(b->t->fault, "is in no on-demand region"), "%s", b->t->fault);
    cr_expect(ref_guards_hold(dev));
}

Test(ref_objects, windows_of_each_type)
{
    static const uint8_t kinds[] = {[1] = IBA_MEM_MW1, [2] = IBA_MEM_MW2B, [3] = IBA_MEM_MW2A};

    for (unsigned type = 1; type <= 3; type++) {
        uint32_t rkey;
        cr_assert_eq(o->alloc_mw(b->t, 0, type, b->d[0].pd, &rkey), IBC_OK);
        cr_expect_eq(device_of(b->t, 0)->keys[rkey >> 8].kind, kinds[type], "type %u", type);
    }
}

/* ---- what a device never stops doing ---- */

Test(ref_objects, a_device_that_never_stops_sending_is_dead)
{
    enum ibc_rc rc = IBC_OK;
    unsigned n = 0, psn = BED_EPSN;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    while (rc == IBC_OK && n <= REF_MOST_FRAMES) {
        bed_send(b, 0, IBA_RC_READ_REQUEST, psn, 65536);
        psn = (psn + 64) & 0xffffff;
        while ((rc = o->collect(b->t, 0, o->now(b->t), b->frame, &b->len, &b->at)) == IBC_OK && b->len > 0)
            n++;
    }
    cr_expect(rc == IBC_DEAD && n == REF_MOST_FRAMES, "%u", n);
    cr_expect_str_eq(b->t->fault, "the device does not stop sending");
}

Test(ref_objects, events_in_turn)
{
    struct iba_recipe x;
    struct iba_event e;
    unsigned n, came = 0;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < REF_EVENTS / 2 + 10 + round * REF_EVENTS; i++) {
            iba_bth_set_p_key(iba_recipe_part(&x, IBA_H_bth), 0x100 + i); /* a partition that the port is not in */
            bed_inject(b, 0, &x);
        }
        for (came = 0; o->poll_event(b->t, 0, &e, &n) == IBC_OK && n == 1; came++) {
            cr_assert_eq(e.kind, IBA_EVENT_PKEY_VIOLATION);
            cr_assert_eq(e.a, 0x100 + came, "%x comes as number %u", e.a, came);
        }
        cr_expect_eq(came, round ? REF_EVENTS : REF_EVENTS / 2 + 10, "%u: those for which there is no room are lost",
                     came);
    }
}
