/* SPDX-License-Identifier: BSD-2-Clause */
/* Multicast: each member gets a copy, and each copy is checked separately (PV-15, PV-29, UU-25). */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"
#include "transport/iba_wr_ops.h"

enum { SMALL = 64, AT = LAB_BYTES / 2, GRH = 40, GROUP_LID = 0xc001, GROUP_QPN = 0xffffff, WR = 99 };

static const uint8_t group[16] = {0xff, 0x12, [15] = 7};

static uint32_t member(struct lab *l, unsigned end, unsigned place, uint32_t qkey)
{
    const uint32_t qpn = lab_qp(l, end, IBA_QPT_UD, IBA_NONE);
    const uint16_t lid = l->kind == IBA_PORT_IB ? GROUP_LID : 0;
    struct iba_qp_attr attr = lab_attr();

    attr.qkey = qkey;
    lab_ready(l, end, qpn, attr);
    cr_assert_eq(iba_attach_mcast(&l->end[end].ca, qpn, group, lid), IBA_VERB_OK);
    lab_recv(l, end, qpn, place, AT + place * 1024, SMALL + GRH);
    return qpn;
}

static void send_to_group(struct lab *l, uint32_t qpn)
{
    struct iba_av av = lab_av(l, 0, 1, true);
    struct iba_send_wr wr = {.wr_id = WR, .op = IBA_WR_SEND, .remote_qpn = GROUP_QPN, .remote_qkey = LAB_QKEY};

    av.dlid = GROUP_LID;
    memcpy(av.dgid, group, sizeof group);
    cr_assert(iba_gid_mac(group, &av.dmac));
    cr_assert_eq(iba_create_ah(&l->end[0].ca, l->end[0].pd, &av, &wr.ah), IBA_VERB_OK);
    cr_assert_eq(lab_send(l, 0, qpn, wr, 0, SMALL), IBA_VERB_OK);
    lab_settle(l);
    (void)lab_done(l, 0, WR, IBA_WC_SUCCESS);
}

static void three_members(enum iba_port_kind kind)
{
    struct lab *l = lab_open(kind, 3);
    const uint32_t from = lab_qp(l, 0, IBA_QPT_UD, IBA_NONE);

    lab_ready(l, 0, from, lab_attr());
    (void)member(l, 1, 0, LAB_QKEY);
    (void)member(l, 1, 1, LAB_QKEY + 1);
    (void)member(l, 2, 2, LAB_QKEY);
    send_to_group(l, from);
    (void)lab_done(l, 1, 0, IBA_WC_SUCCESS);
    lab_no_wc(l, 1); /* not the member with another Q_Key */
    (void)lab_done(l, 2, 2, IBA_WC_SUCCESS);
    cr_assert_eq(iba_ca_port(&l->end[1].ca, 1)->counters.qkey_violations, 1);
    cr_assert_eq(memcmp(lab_memory(l, 0), lab_memory(l, 1) + AT + GRH, SMALL), 0);
    cr_assert_eq(memcmp(lab_memory(l, 0), lab_memory(l, 2) + AT + 2048 + GRH, SMALL), 0);
    lab_close(l);
}

Test(mcast, three_members_one_with_another_qkey_over_infiniband)
{
    three_members(IBA_PORT_IB);
}
Test(mcast, three_members_one_with_another_qkey_over_rocev1)
{
    three_members(IBA_PORT_ROCE1);
}

Test(mcast, who_has_left_gets_nothing)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const uint32_t from = lab_qp(l, 0, IBA_QPT_UD, IBA_NONE), to = member(l, 1, 0, LAB_QKEY);

    lab_ready(l, 0, from, lab_attr());
    cr_assert_eq(iba_destroy_qp(&l->end[1].ca, to), IBA_VERB_BUSY);
    cr_assert_eq(iba_detach_mcast(&l->end[1].ca, to, group, GROUP_LID), IBA_VERB_OK);
    send_to_group(l, from);
    lab_no_wc(l, 1);
    cr_assert_eq(iba_destroy_qp(&l->end[1].ca, to), IBA_VERB_OK);
    lab_close(l);
}
