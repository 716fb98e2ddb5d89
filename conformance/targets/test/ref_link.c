/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses and ports of the reference target: those of each party on each link, and the settings of a subnet manager.
 */
#include <string.h>
#include "ref_bed.h"

static struct iba_port *port;

static void on(enum ibc_link link)
{
    bed_reset(b, link, 1);
    port = iba_ca_port(&device_of(b->t, 0)->ca, 1);
}

static void begin_link(void)
{
    begin();
    on(IBC_LINK_roce2_ipv4);
}

TestSuite(ref_link, .init = begin_link, .fini = end);

Test(ref_link, addresses_of_all_parties)
{
    const struct {
        const struct ibc_address *is;
        uint8_t n; /* in the last byte of each address */
    } rows[] = {{&b->t->device[0], 1}, {&b->t->device[1], 2},  {&b->t->tester, 3},
                {&b->t->stranger, 4},  {&b->t->second[0], 17}, {&b->t->second[1], 18}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t ipv6[16] = {0x20, 0x01, 0x0d, 0xb8}, gid[16] = {0xfe, 0x80};
        ipv6[15] = gid[15] = rows[i].n;
        gid[11] = 0xff;
        gid[12] = 0xfe;
        cr_expect_eq(rows[i].is->mac, 0x020000000000 + rows[i].n, "row %zu", i);
        cr_expect_eq(rows[i].is->ipv4, 0x0a000000 + rows[i].n, "row %zu", i);
        cr_expect_eq(rows[i].is->lid, 8 * rows[i].n, "row %zu", i);
        cr_expect_arr_eq(rows[i].is->ipv6, ipv6, 16, "row %zu", i);
        cr_expect_arr_eq(rows[i].is->gid, gid, 16, "row %zu", i);
    }
}

Test(ref_link, ports_on_each_link)
{
    static const enum iba_port_kind kinds[] = {[IBC_LINK_roce2_ipv4] = IBA_PORT_ROCE2,
                                               [IBC_LINK_roce2_ipv6] = IBA_PORT_ROCE2,
                                               [IBC_LINK_roce1] = IBA_PORT_ROCE1,
                                               [IBC_LINK_ib_local] = IBA_PORT_IB,
                                               [IBC_LINK_ib_global] = IBA_PORT_IB};

    for (unsigned l = 0; l < IBC_LINK_COUNT; l++) {
        on((enum ibc_link)l);
        cr_expect_eq(b->t->framing, kinds[l] == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET, "link %u", l);
        for (unsigned d = 0; d < IBC_DEVICES; d++)
            for (unsigned n = 1; n <= REF_PORTS; n++) {
                const struct iba_port *p = iba_ca_port(&device_of(b->t, d)->ca, (uint8_t)n);
                const struct ibc_address *a = n == 1 ? &b->t->device[d] : &b->t->second[d];
                uint8_t gid[16];
                iba_gid_set_ipv4(gid, a->ipv4);
                cr_expect_eq(p->kind, kinds[l], "link %u", l);
                cr_expect_arr_eq(p->gid[0],
                                 l == IBC_LINK_roce2_ipv4   ? gid
                                 : l == IBC_LINK_roce2_ipv6 ? a->ipv6
                                                            : a->gid,
                                 16, "link %u, device %u, port %u", l, d, n);
                cr_expect_eq(p->lid, kinds[l] == IBA_PORT_IB ? a->lid : 0, "link %u", l);
                if (kinds[l] != IBA_PORT_IB)
                    cr_expect_eq(p->mac, a->mac, "link %u", l);
                cr_expect(p->n_pkey == 16 && p->mtu == IBA_MTU_4096 && p->congestion, "link %u", l);
            }
    }
}

Test(ref_link, the_port_of_a_frame)
{
    struct ref_device *dev = device_of(b->t, 0);
    uint8_t frame[64] = {0};

    for (unsigned i = 0; i < 2; i++) {
        const bool ib = i == 1;
        const size_t least = ib ? IBA_BYTES_lrh : IBA_BYTES_eth;
        on(ib ? IBC_LINK_ib_local : IBC_LINK_roce1);
        for (unsigned n = 1; n <= REF_PORTS; n++) {
            const struct ibc_address *a = n == 1 ? &b->t->device[0] : &b->t->second[0];
            memset(frame, 0, sizeof frame);
            if (ib)
                iba_lrh_set_dlid(frame, a->lid);
            else
                iba_eth_set_dst(frame, a->mac);
            cr_expect_eq(ref_port_of_frame(dev, frame, least), n);
            cr_expect_eq(ref_port_of_frame(dev, frame, least - 1), 1, "it is cut");
        }
        memset(frame, 0xff, sizeof frame);
        cr_expect_eq(ref_port_of_frame(dev, frame, sizeof frame), 1, "everybody's");
    }
}

/* ---- settings ---- */

static void sets(enum ibc_key key, uint32_t index, uint64_t value)
{
    const uint32_t epoch = device_of(b->t, 0)->epoch;

    cr_expect_eq(o->set_port(b->t, 0, key, index, value), IBC_OK, "%u %u: %s", key, index, b->t->refusal);
    cr_expect_eq(device_of(b->t, 0)->epoch, epoch + 1, "handles from before lack it");
}

static void refuses(enum ibc_key key, uint32_t index, uint64_t value)
{
    b->t->refusal[0] = '\0';
    cr_expect_eq(o->set_port(b->t, 0, key, index, value), IBC_REFUSED, "%u %u", key, index);
    cr_expect_str_eq(b->t->refusal, "attr_value");
}

Test(ref_link, settings_on_every_link)
{
    sets(IBC_K_pkey, 0, 0x8001);
    sets(IBC_K_pkey, 15, 0xffff);
    cr_expect(port->pkey[0] == 0x8001 && port->pkey[15] == 0xffff);
    refuses(IBC_K_pkey, 16, 1);
    refuses(IBC_K_pkey, 256, 1);
    refuses(IBC_K_pkey, 1, 0x10000);
    cr_expect_eq(port->pkey[0], 0x8001);
    for (unsigned lmc = 0; lmc <= 7; lmc++) {
        sets(IBC_K_lmc, 0, lmc);
        cr_expect_eq(port->lmc, lmc);
    }
    refuses(IBC_K_lmc, 0, 8);
    cr_expect_eq(port->lmc, 7);
    for (unsigned code = IBA_MTU_256; code <= IBA_MTU_4096; code++) {
        sets(IBC_K_mtu, 0, 128u << code);
        cr_expect_eq(port->mtu, code);
    }
    refuses(IBC_K_mtu, 0, 300);
    cr_expect_eq(port->mtu, IBA_MTU_4096, "as before");
    sets(IBC_K_sl2vl, 15, 14);
    sets(IBC_K_sl2vl, 0, 15);
    cr_expect(port->sl2vl[15] == 14 && port->sl2vl[0] == 15);
    refuses(IBC_K_sl2vl, 16, 1);
    refuses(IBC_K_sl2vl, 1, 16);
    sets(IBC_K_congestion, 0, 0);
    cr_expect_not(port->congestion);
    sets(IBC_K_congestion, 0, 2);
    cr_expect(port->congestion);
    sets(IBC_K_pkey_violations, 0, 0xfffe);
    sets(IBC_K_qkey_violations, 0, 3);
    cr_expect(port->counters.pkey_violations == 0xfffe && port->counters.qkey_violations == 3);
    cr_expect_eq(o->set_port(b->t, 0, IBC_K_hop, 0, 1), IBC_UNSUPPORTED);
    cr_expect_eq(iba_ca_port(&device_of(b->t, 0)->ca, 2)->lmc, 0, "the second port has its own");
    cr_expect_eq(iba_ca_port(&device_of(b->t, 1)->ca, 1)->lmc, 0, "and so has the other device");
}

Test(ref_link, a_lid)
{
    refuses(IBC_K_lid, 0, 5);
    on(IBC_LINK_ib_local);
    sets(IBC_K_lid, 0, 0xbfff);
    cr_expect(port->lid == 0xbfff && b->t->device[0].lid == 0xbfff);
    sets(IBC_K_lid, 0, 0xffff);
    refuses(IBC_K_lid, 0, 0x10000);
    cr_expect(port->lid == 0xffff && b->t->device[0].lid == 0xffff && b->t->device[1].lid == 16);
}

Test(ref_link, gids)
{
    const uint8_t gid[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 99};
    struct ref_device *dev = device_of(b->t, 0);
    const uint32_t epoch = dev->epoch;

    cr_assert_eq(port->n_gid, 1);
    cr_expect_eq(o->set_gid(b->t, 0, 3, gid), IBC_OK);
    cr_expect(port->n_gid == 4 && memcmp(port->gid[3], gid, 16) == 0 && b->t->device[0].ipv4 == 0x0a000001);
    cr_expect_eq(o->set_gid(b->t, 0, 1, gid), IBC_OK);
    cr_expect(port->n_gid == 4 && memcmp(port->gid[1], gid, 16) == 0);
    cr_expect_eq(o->set_gid(b->t, 0, 0, gid), IBC_OK);
    cr_expect(b->t->device[0].ipv4 == 0x0a000063 && dev->epoch == epoch + 3);
    cr_expect_eq(o->set_gid(b->t, 0, IBA_MAX_GIDS, gid), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "attr_value");
    cr_expect_eq(o->set_gid(b->t, 0, IBA_MAX_GIDS - 1, gid), IBC_OK);
    cr_expect_eq(port->n_gid, IBA_MAX_GIDS);
}
