/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues with tags of the reference target: how many there may be, and that each verb gives its values
 * to the engine. */
#include <string.h>
#include "ref_bed.h"

TestSuite(ref_tags, .init = begin, .fini = end);

static enum ibc_rc create(uint32_t depth, uint32_t n_tags, uint32_t *srq)
{
    const struct ibc_tag_srq_spec s = {.pd = b->d[0].pd, .depth = depth, .cq = b->d[0].cq, .n_tags = n_tags};

    b->t->refusal[0] = '\0';
    return o->create_tag_srq(b->t, 0, &s, srq);
}

static void refuses(enum ibc_rc rc, const char *why)
{
    cr_expect_eq(rc, IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, why, "%s", b->t->refusal);
}

Test(ref_tags, limits)
{
    uint32_t srq, last = UINT32_MAX;

    refuses(create(0, 4, &srq), "attr_value");
    refuses(create(4, REF_TAGS + 1, &srq), "full");
    for (unsigned i = 0; i < REF_SRQS; i++) {
        cr_assert_eq(create(4 + i, i ? i : REF_TAGS, &srq), IBC_OK, "%u: %s", i, b->t->refusal);
        cr_expect_neq(srq, last);
        last = srq;
    }
    refuses(create(4, 1, &srq), "full");
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_srq, last), IBC_OK);
    cr_expect_eq(create(4, 1, &srq), IBC_OK, "its place is free");
}

Test(ref_tags, domains_and_queues)
{
    struct ibc_tag_srq_spec s = {.pd = b->d[0].pd, .depth = 4, .cq = 99, .n_tags = 2};
    uint32_t srq;

    refuses(o->create_tag_srq(b->t, 0, &s, &srq), "no_cq");
    s.cq = b->d[0].cq;
    s.pd = 31;
    cr_expect_eq(o->create_tag_srq(b->t, 0, &s, &srq), IBC_REFUSED);
    s.pd = b->d[0].pd;
    cr_expect_eq(o->create_tag_srq(b->t, 0, &s, &srq), IBC_OK, "%s", b->t->refusal);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_cq, b->d[0].cq), IBC_REFUSED, "the queue uses it");
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_pd, b->d[0].pd), IBC_REFUSED);
}

/* There may be as many tagged receives as was said; one that is removed gives its place back. */
Test(ref_tags, tagged_receives)
{
    struct ibc_tagged g = {.wr = {.wr_id = 7, .n_sge = 1, .sge = {{b->d[0].mr.local, 64, b->d[0].mr.lkey}}},
                           .tag = 0x1234,
                           .mask = UINT64_MAX};
    uint32_t srq, handle[2], other;

    cr_assert_eq(create(8, 2, &srq), IBC_OK);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(o->add_tag(b->t, 0, srq, &g, &handle[i]), IBC_OK, "%s", b->t->refusal);
    cr_expect_neq(handle[0], handle[1]);
    cr_expect_eq(o->add_tag(b->t, 0, srq, &g, &other), IBC_REFUSED, "there is no room");
    cr_expect_eq(o->remove_tag(b->t, 0, srq, handle[0] ^ 0x40, 0), IBC_REFUSED, "no such receive");
    cr_expect_eq(o->remove_tag(b->t, 0, srq + 1, handle[0], 0), IBC_REFUSED, "no such queue");
    cr_expect_eq(o->remove_tag(b->t, 0, srq, handle[0], 0), IBC_OK, "%s", b->t->refusal);
    cr_expect_eq(o->remove_tag(b->t, 0, srq, handle[0], 0), IBC_REFUSED, "it has gone");
    cr_expect_eq(o->add_tag(b->t, 0, srq, &g, &other), IBC_OK, "%s", b->t->refusal);
    cr_expect_eq(o->sync_tags(b->t, 0, srq, 0), IBC_OK, "%s", b->t->refusal);
    cr_expect_eq(o->sync_tags(b->t, 0, srq + 1, 0), IBC_REFUSED);
    cr_expect_eq(o->add_tag(b->t, 1, srq, &g, &other), IBC_REFUSED, "the other device has no such queue");
}
