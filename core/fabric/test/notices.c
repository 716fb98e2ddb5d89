/* SPDX-License-Identifier: BSD-2-Clause */
/* Notices about keys, with and without a GRH; the notice that a manager's Set removes; the speed that both ends of a
 * link agree on; filters of raw packets; fields that port 0 of a switch lacks. */
#include "wired.h"

enum { MANAGER = 0, SENDER = 1, RECEIVER = 2, NOTICE_AT = IBA_SMP_DATA_AT + IBA_BYTES_notice, GUARDED = 0x1234567 };

/* ---- notices of keys ---- */

struct packet {
    bool grh, raw;
    uint16_t pkey, dlid;
    uint32_t qkey, qpn;
};

static void some_gid(uint8_t gid[16], uint8_t first)
{
    for (unsigned i = 0; i < 16; i++)
        gid[i] = (uint8_t)(first + i);
}

/* Builds a packet from adapter SENDER, QP 0x345, with SL 3. */
static size_t build(uint8_t *out, const struct packet *p)
{
    static const uint8_t payload[64];
    struct iba_recipe r;
    uint8_t *lrh, *bth, *deth;
    size_t len;

    iba_recipe_init(&r, p->grh ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY);
    lrh = iba_recipe_part(&r, IBA_H_lrh);
    bth = iba_recipe_part(&r, IBA_H_bth);
    deth = iba_recipe_part(&r, IBA_H_deth);
    iba_lrh_set_slid(lrh, FIRST_LID + SENDER);
    iba_lrh_set_dlid(lrh, p->dlid);
    iba_lrh_set_sl(lrh, 3);
    iba_bth_set_p_key(bth, p->pkey);
    iba_bth_set_destqp(bth, p->qpn);
    iba_deth_set_srcqp(deth, 0x345);
    iba_deth_set_q_key(deth, p->qkey);
    if (p->grh) {
        uint8_t *grh = iba_recipe_part(&r, IBA_H_grh), gid[16];
        some_gid(gid, 0x20);
        iba_grh_set_sgid(grh, gid);
        some_gid(gid, 0x60);
        iba_grh_set_dgid(grh, gid);
    }
    r.payload = payload;
    r.payload_len = sizeof payload;
    cr_assert_eq(iba_build(&r, out, IBA_PACKET_MOST, &len), IBA_OK);
    if (p->raw) {
        iba_lrh_set_lnh(out, 1);
        iba_put_le16(out + len - 2, iba_vcrc(out, len - 2));
    }
    return len;
}

static void send(struct wired *w, const struct packet *p)
{
    uint8_t packet[IBA_PACKET_MOST];

    iba_node_send(&w->ca[SENDER], 1, packet, build(packet, p), w->now);
    wired_run(w);
}

static unsigned waiting(const struct iba_node *n)
{
    unsigned number = 0;

    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++)
        number += n->notice[i].tid != 0;
    return number;
}

static void expect_gids(const uint8_t *sgid, const uint8_t *dgid, bool grh)
{
    uint8_t gid[16] = {0};

    if (grh)
        some_gid(gid, 0x20);
    cr_expect_arr_eq(sgid, gid, 16);
    if (grh)
        some_gid(gid, 0x60);
    cr_expect_arr_eq(dgid, gid, 16);
}

Test(notices, of_keys)
{
    for (unsigned i = 0; i < 4; i++) {
        struct wired *w = wired_new();
        const bool grh = i & 1, qkey = i & 2;
        const struct packet p = {.grh = grh,
                                 .pkey = qkey ? 0xffff : 0x8001,
                                 .dlid = FIRST_LID + RECEIVER,
                                 .qkey = qkey ? GUARDED : 0x80010000,
                                 .qpn = 1};
        const uint8_t *d = w->trap + NOTICE_AT;
        send(w, &p);
        cr_assert_eq(w->traps, 1);
        cr_expect_eq(iba_notice_trap(w->trap + IBA_SMP_DATA_AT), qkey ? 258 : 257);
        cr_expect_eq(iba_trap_key_lidaddr1(d), FIRST_LID + SENDER);
        cr_expect_eq(iba_trap_key_lidaddr2(d), FIRST_LID + RECEIVER);
        cr_expect_eq(iba_trap_key_key(d), qkey ? GUARDED : 0x8001);
        cr_expect_eq(iba_trap_key_sl(d), 3);
        cr_expect_eq(iba_trap_key_qp1(d), 0x345);
        cr_expect_eq(iba_trap_key_qp2(d), 1);
        expect_gids(iba_trap_key_gidaddr1(d), iba_trap_key_gidaddr2(d), grh);
        send(w, &p);
        cr_expect_eq(waiting(&w->ca[RECEIVER]), 1, "a second packet adds nothing");
        memset(w->ca[RECEIVER].notice, 0, sizeof w->ca[RECEIVER].notice);
        w->ca[RECEIVER].port[1].info.mastersmlid = 0;
        send(w, &p);
        cr_expect_eq(waiting(&w->ca[RECEIVER]), 0, "no manager is known");
        wired_free(w);
    }
}

Test(notices, of_a_switch_that_enforces_partitions)
{
    for (unsigned i = 0; i < 4; i++) {
        struct wired *w = wired_new();
        const bool grh = i & 1;
        const struct packet p = {.grh = grh, .pkey = 0x8001, .dlid = FIRST_LID + RECEIVER, .qpn = 0x99};
        const uint8_t *d = w->trap + NOTICE_AT;
        if (i & 2)
            w->sw.port[1 + SENDER].info.partitionenforcementinbound = 1;
        else
            w->sw.port[1 + RECEIVER].info.partitionenforcementoutbound = 1;
        send(w, &p);
        cr_assert_eq(w->traps, 1);
        cr_expect_eq(iba_notice_trap(w->trap + IBA_SMP_DATA_AT), 259);
        cr_expect_eq(iba_trap_switch_pkey_lidaddr1(d), FIRST_LID + SENDER);
        cr_expect_eq(iba_trap_switch_pkey_lidaddr2(d), FIRST_LID + RECEIVER);
        cr_expect_eq(iba_trap_switch_pkey_pkey(d), 0x8001);
        cr_expect_eq(iba_trap_switch_pkey_sl(d), 3);
        cr_expect_eq(iba_trap_switch_pkey_qp1(d), 0x345);
        cr_expect_eq(iba_trap_switch_pkey_qp2(d), 0x99);
        cr_expect_eq(iba_trap_switch_pkey_swlid(d), SWITCH_LID);
        cr_expect_eq(iba_trap_switch_pkey_portno(d), i & 2 ? 1 + SENDER : 1 + RECEIVER);
        cr_expect_eq(iba_trap_switch_pkey_valid(d), grh ? 0x3ff : 0x33f);
        expect_gids(iba_trap_switch_pkey_gidaddr1(d), iba_trap_switch_pkey_gidaddr2(d), grh);
        send(w, &p);
        cr_expect_eq(waiting(&w->sw), 1, "a second packet adds nothing");
        memset(w->sw.notice, 0, sizeof w->sw.notice);
        w->sw.port[0].info.mastersmlid = 0;
        send(w, &p);
        cr_expect_eq(waiting(&w->sw), 0, "no manager is known");
        wired_free(w);
    }
}

/* KM-08, MD-110: of the changes of its links, and of requests without the M_Key, a switch has one notice each. */
Test(notices, of_each_kind_one)
{
    struct wired *w = wired_new();
    const struct smp wrong = {.dlid = SWITCH_LID, .method = IBA_METHOD_SET, .attribute = 0x15, .mkey = 8};
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.port[0].info.m_key = 7;
    for (unsigned times = 0; times < 2; times++) {
        iba_link_lost(&w->sw, (uint8_t)(SWITCH_PORTS - 1 - times), w->now);
        cr_expect_eq(wired_ask(w, MANAGER, &wrong, answer), -1);
        cr_expect_eq(waiting(&w->sw), 2);
    }
    cr_expect_eq(w->sw.port[0].info.m_keyviolations, 2);
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    wired_free(w);
}

/* KM-62: a Set(Notice) removes the oldest notice if it repeats all of that notice's bytes. */
Test(notices, a_set_takes_the_same_away)
{
    for (unsigned changed = 0; changed <= 64; changed++) {
        struct wired *w = wired_new();
        struct iba_notice_waiting *n = w->sw.notice;
        struct smp s = {.dlid = SWITCH_LID, .method = IBA_METHOD_SET, .attribute = IBA_ATTR_NOTICE};
        uint8_t answer[IBA_MAD_BYTES];
        n[0] = (struct iba_notice_waiting){.tid = 0x52, .due = IBA_NEVER};
        n[1] = (struct iba_notice_waiting){.tid = 0x51, .due = IBA_NEVER};
        some_gid(n[1].bytes, 1);
        memcpy(s.data, n[1].bytes, sizeof s.data);
        if (changed < 64)
            s.data[changed] ^= changed & 1 ? 0x80 : 1;
        (void)wired_ask(w, MANAGER, &s, answer);
        cr_expect_eq(n[1].tid, changed < 64 ? 0x51 : 0, "byte %u differs", changed);
        cr_expect_eq(n[0].tid, 0x52);
        memset(n, 0, sizeof w->sw.notice);
        wired_free(w);
    }
}

/* ---- links ---- */

Test(links, the_highest_common_speed)
{
    for (uint8_t a = 1; a < 8; a++)
        for (uint8_t b = 1; b < 8; b++) {
            struct wired *w = wired_new();
            struct iba_portinfo *i = &w->sw.port[1].info, *j = &w->ca[0].port[1].info;
            const unsigned common = a & b;
            iba_link_lost(&w->sw, 1, w->now);
            iba_link_lost(&w->ca[0], 1, w->now);
            i->linkspeedenabled = a;
            j->linkspeedenabled = b;
            i->linkspeedextenabled = j->linkspeedextenabled = 0;
            iba_link_settle(&w->sw, 1, &w->ca[0], 1, w->now);
            cr_expect_eq(i->portphysicalstate == IBA_PHYS_LINKUP, common != 0, "%u, %u", a, b);
            if (common)
                cr_expect_eq(i->linkspeedactive, common & 4 ? 4 : common & 2 ? 2 : 1, "%u, %u", a, b);
            memset(w->sw.notice, 0, sizeof w->sw.notice);
            wired_free(w);
        }
}

/* ---- raw packets ---- */

/* KM-16, UU-41: each direction of a port has its own filter for raw packets, which applies to no other packets. */
Test(raw, filters)
{
    for (unsigned i = 0; i < 8; i++) {
        struct wired *w = wired_new();
        const bool raw = i & 1, in = i & 2, out = i & 4;
        const struct packet p = {.raw = raw, .pkey = 0xffff, .dlid = FIRST_LID + RECEIVER, .qpn = 0x99};
        uint8_t packet[IBA_PACKET_MOST];
        w->sw.port[1 + SENDER].info.filterrawinbound = in;
        w->sw.port[1 + RECEIVER].info.filterrawoutbound = out;
        iba_node_feed(&w->sw, 1 + SENDER, packet, build(packet, &p), w->now);
        cr_expect_eq(w->pool.used, !(raw && (in || out)), "case %u", i);
        cr_expect_eq(w->sw.port[1 + SENDER].counters.portrcvconstrainterrors, raw && in, "case %u", i);
        cr_expect_eq(w->sw.port[1 + RECEIVER].counters.portxmitconstrainterrors, raw && !in && out, "case %u", i);
        wired_run(w);
        wired_free(w);
    }
}

/* ---- port 0 of a switch ---- */

/* Port 0 of a switch has no link, so fields about links are neither checked nor set. */
Test(portinfo, port_0_has_no_link)
{
    struct wired *w = wired_new();
    struct smp s = {.dlid = SWITCH_LID, .method = IBA_METHOD_SET, .attribute = 0x15};
    const struct iba_portinfo before = w->sw.port[0].info;
    struct iba_portinfo want = before;
    uint8_t answer[IBA_MAD_BYTES];

    want.portstate = IBA_PORT_DOWN;
    want.neighbormtu = 15;
    want.vlhighlimit = 77;
    want.mastersmsl = 6;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &want, s.data);
    cr_expect_eq(wired_ask(w, MANAGER, &s, answer), IBA_MAD_OK);
    cr_expect_eq(w->sw.port[0].info.portstate, before.portstate);
    cr_expect_eq(w->sw.port[0].info.neighbormtu, before.neighbormtu);
    cr_expect_eq(w->sw.port[0].info.vlhighlimit, before.vlhighlimit);
    cr_expect_eq(w->sw.port[0].info.mastersmsl, 6, "which each end port has");
    wired_free(w);
}
