/* SPDX-License-Identifier: BSD-2-Clause */
/* Extended reliable connections: domains, SRQs of domains, and the SRQ that each request names. */
#include "transport/iba_xrc.h"
#include "receive.h"
#include "transport/iba_queue.h"
#include "transport/iba_rd.h"
#include "xrc_rd_requests.h"

static struct bed bed;

/* QS-44: numbers are used again; a domain with users stays. */
Test(xrc, domains)
{
    uint32_t number;

    bed_make(&bed, IBA_PORT_IB, false);
    cr_expect_not(iba_xrcd_exists(&bed.ca, 0));
    cr_expect_eq(iba_destroy_xrcd(&bed.ca, 0), IBA_VERB_NO_XRCD);
    for (uint32_t i = 0; i < IBA_MAX_XRCDS; i++) {
        MUST(iba_create_xrcd(&bed.ca, &number));
        EXPECT(number == i && iba_xrcd_exists(&bed.ca, i) && bed.ca.xrcd[i] == 1, "domain %u", i);
    }
    cr_expect_eq(iba_create_xrcd(&bed.ca, &number), IBA_VERB_FULL);
    cr_expect_not(iba_xrcd_exists(&bed.ca, IBA_MAX_XRCDS));
    cr_expect_eq(iba_destroy_xrcd(&bed.ca, IBA_MAX_XRCDS), IBA_VERB_NO_XRCD);
    iba_xrcd_hold(&bed.ca, 1);
    cr_expect_eq(iba_destroy_xrcd(&bed.ca, 1), IBA_VERB_BUSY);
    iba_xrcd_release(&bed.ca, 1);
    iba_xrcd_release(&bed.ca, 1);
    cr_expect(iba_xrcd_exists(&bed.ca, 1), "only a user is let go");
    MUST(iba_destroy_xrcd(&bed.ca, 1));
    cr_expect_not(iba_xrcd_exists(&bed.ca, 1));
    MUST(iba_create_xrcd(&bed.ca, &number));
    cr_expect_eq(number, 1);
}

static struct iba_srq second;
static struct iba_cq other_cq;

/* The SRQ `second`, number 1, with the other protection domain and CQ 1, in the domain of the target bed.rc. The SRQ
 * bed.srq, number 0, is in another domain. */
static void target_with_two(void)
{
    static struct iba_recv_wr ring[2];
    static struct iba_wc wcs[2];
    struct iba_xrc_srq_init init = {.ring = ring, .n = 2};
    uint32_t number;

    bed_make(&bed, IBA_PORT_IB, false);
    as_target(&bed, true);
    MUST(iba_create_cq(&bed.ca, &other_cq, wcs, 2, &init.cq));
    init.pd = bed.other_pd;
    init.xrcd = bed.rc.xrcd;
    MUST(iba_create_xrc_srq(&bed.ca, &second, &init, &number));
    cr_assert(number == 1 && init.cq == 1);
}

/* QS-44, QS-47 */
Test(xrc, shared_receive_queues_of_a_domain)
{
    struct iba_recv_wr ring[2];
    struct iba_srq srq;
    uint32_t number, domain;

    target_with_two();
    cr_expect(second.cq == 1 && second.xrcd == bed.rc.xrcd && second.pd == bed.other_pd && second.rq.n == 2);
    cr_expect_eq(bed.ca.xrcd[bed.rc.xrcd], 3, "itself, the target and the SRQ");
    bed_make(&bed, IBA_PORT_IB, false);
    MUST(iba_create_xrcd(&bed.ca, &domain));
    const struct iba_xrc_srq_init right = {.ring = ring, .n = 2, .pd = bed.pd, .cq = bed.cq_number, .xrcd = domain};
    struct iba_xrc_srq_init wrong = right;
    wrong.xrcd = domain + 1;
    cr_expect_eq(iba_create_xrc_srq(&bed.ca, &srq, &wrong, &number), IBA_VERB_NO_XRCD);
    wrong.cq = 1;
    cr_expect_eq(iba_create_xrc_srq(&bed.ca, &srq, &wrong, &number), IBA_VERB_NO_XRCD, "before the CQ");
    wrong.xrcd = domain;
    cr_expect_eq(iba_create_xrc_srq(&bed.ca, &srq, &wrong, &number), IBA_VERB_NO_CQ);
    wrong = right, wrong.pd = 3;
    cr_expect_eq(iba_create_xrc_srq(&bed.ca, &srq, &wrong, &number), IBA_VERB_NO_PD);
    cr_expect_eq(bed.ca.xrcd[domain], 1, "no SRQ uses the domain");
    MUST(iba_create_xrc_srq(&bed.ca, &srq, &right, &number));
    cr_expect_eq(bed.ca.xrcd[domain], 2);
}

/* QS-46, QS-47, PV-28: the SRQ that a request names gives the protection domain and the CQ. */
Test(xrc, what_the_named_queue_decides)
{
    static const struct {
        uint32_t srqn;
        struct iba_srq *srq;
        bool foreign;
    } cases[] = {{1, &second, false}, {0, &bed.srq, true}, {7, NULL, true}};

    target_with_two();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct iba_srq *srq = cases[i].srq;
        ask(&bed, IBA_XRC_SEND_ONLY, 0, 8);
        iba_xrceth_set_srqn(PART(&bed, xrceth), cases[i].srqn);
        struct iba_rx x = look_at(&bed, 0, NULL);
        EXPECT(iba_xrc_srq(&x) == srq && iba_xrc_named(&x) == cases[i].srqn, "case %zu", i);
        EXPECT(iba_xrc_pd(&x) == (srq ? srq->pd : IBA_NONE), "case %zu", i);
        EXPECT(iba_xrc_pd_of(&bed.ca, &bed.rc, cases[i].srqn) == (cases[i].foreign ? IBA_NONE : srq->pd), "case %zu",
               i);
        EXPECT(iba_xrc_foreign(&x) == cases[i].foreign, "case %zu", i);
        EXPECT(iba_rx_cq(&x) == (srq ? srq->cq : IBA_NONE), "case %zu", i);
        bed.rc.recv_cq = 0;
        EXPECT(iba_rx_cq(&x) == 0, "case %zu: the receive in use has its CQ", i);
        bed.rc.recv_cq = IBA_NONE;
        x.qp = &bed.uc;
        EXPECT(iba_xrc_named(&x) == 0 && !iba_xrc_foreign(&x) && !iba_xrc_other(&x), "case %zu: no target", i);
        x.qp = &bed.rc;
        x.op = NULL;
        EXPECT(!iba_xrc_foreign(&x) && iba_xrc_named(&x) == IBA_NONE, "case %zu: a reserved opcode", i);
    }
    ask(&bed, IBA_XRC_ACKNOWLEDGE, 0, 0);
    const struct iba_rx x = look_at(&bed, 0, NULL);
    cr_expect(!iba_xrc_foreign(&x) && iba_xrc_named(&x) == IBA_NONE && !iba_xrc_srq(&x), "it names no SRQ");
}

/* QS-51: all packets of a message name the same SRQ. */
Test(xrc, a_message_goes_on_with_its_queue)
{
    static const struct {
        uint8_t opcode;
        uint32_t srqn;
        bool other;
    } cases[] = {{IBA_XRC_SEND_FIRST, 0, false}, {IBA_XRC_SEND_ONLY, 0, false}, {IBA_XRC_SEND_MIDDLE, 1, false},
                 {IBA_XRC_SEND_MIDDLE, 0, true}, {IBA_XRC_SEND_LAST, 1, false}, {IBA_XRC_SEND_LAST, 0, true}};

    target_with_two();
    bed.rc.srq = 1;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ask(&bed, cases[i].opcode, 0, MTU);
        iba_xrceth_set_srqn(PART(&bed, xrceth), cases[i].srqn);
        const struct iba_rx x = look_at(&bed, 0, NULL);
        EXPECT(iba_xrc_other(&x) == cases[i].other, "case %zu", i);
    }
}

/* Completions of an RD QP's receives go to its own CQ, and of other QPs to theirs. */
Test(xrc, queues_of_other_services)
{
    target_with_two();
    bed.uc.recv_cq = 1;
    ask(&bed, IBA_RC_SEND_ONLY, 0, 8);
    struct iba_rx x = look_at(&bed, 0, NULL);
    x.qp = &bed.uc;
    cr_expect_eq(iba_rx_cq(&x), 1);
    x.qp = &bed.gsi;
    cr_expect_eq(iba_rx_cq(&x), 0);
    as_context(&bed);
    bed.ud.recv_cq = 1;
    x.qp = &bed.rc;
    x.user = &bed.ud;
    cr_expect_eq(iba_rx_cq(&x), 1, "of the QP that DestQP names");
}
