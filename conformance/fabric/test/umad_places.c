/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapters and ports, as the functions of libibfabric-umad.so tell them (infiniband/umad.h). */
#include <criterion/criterion.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "leaks.h"
#include "umad_bed.h"

static const char own[] = "ibfabric0";

Test(umad_places, the_only_adapter, .init = begin, .fini = end, .timeout = 20)
{
    char names[2][UMAD_CA_NAME_LEN] = {"", "kept"};
    struct umad_device_node *d;

    serve();
    cr_expect(umad_init() == 0 && umad_done() == 0);
    cr_expect(umad_get_cas_names(names, 2) == 1 && strcmp(names[0], own) == 0 && strcmp(names[1], "kept") == 0);
    cr_expect(umad_get_cas_names(names, 1) == 1 && umad_get_cas_names(names, 0) == 0);
    d = umad_get_ca_device_list();
    cr_assert_not_null(d);
    cr_expect(d->next == NULL && strcmp(d->ca_name, own) == 0);
    umad_free_ca_device_list(d);
    be_at("X");
    errno = 0;
    cr_expect(umad_get_cas_names(names, 2) == 0 && umad_get_ca_device_list() == NULL, "there is no such node");
}

Test(umad_places, adapters, .init = begin, .fini = end, .timeout = 20)
{
    static const struct {
        const char *node, *type;
        uint64_t guid, system_guid;
        unsigned kind;
        int ports, first;
    } rows[] = {{"A", "0xa001", 0x20, 0x20, 1, 1, 1},
                {"", "0xa001", 0x20, 0x20, 1, 1, 1}, /* the first adapter */
                {"B", "0xa001", 0x30, 0x31, 1, 2, 1},
                {"S", "0x1017", 0x10, 0x9, 2, 0, 0}, /* a switch has port 0 alone */
                {"D", "0xa001", 0x40, 0x40, 1, 9, 1}};
    umad_ca_t ca;

    serve();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        be_at(rows[i].node);
        cr_assert_eq(umad_get_ca(i ? own : NULL, &ca), 0);
        cr_expect_str_eq(ca.ca_name, own);
        cr_expect(ca.node_type == rows[i].kind && ca.numports == rows[i].ports, "%s", rows[i].node);
        cr_expect(strcmp(ca.fw_ver, "1") == 0 && strcmp(ca.hw_ver, "0x1") == 0);
        cr_expect_str_eq(ca.ca_type, rows[i].type);
        cr_expect(be64toh(ca.node_guid) == rows[i].guid && be64toh(ca.system_guid) == rows[i].system_guid, "%s",
                  rows[i].node);
        for (int p = 0; p < UMAD_CA_MAX_PORTS; p++)
            cr_expect_eq(ca.ports[p] != NULL, p >= rows[i].first && p <= rows[i].ports, "%s %d", rows[i].node, p);
        cr_expect_eq(ca.ports[rows[i].ports]->portnum, rows[i].ports);
        cr_expect_eq(umad_release_ca(&ca), 0);
        cr_expect_null(ca.ports[rows[i].ports]);
    }
    cr_expect_eq(umad_get_ca("mlx5_0", &ca), -ENODEV);
    cr_expect_eq(umad_release_ca(NULL), -ENODEV);
    be_at("X");
    cr_expect_eq(umad_get_ca(own, &ca), -ENODEV);
}

Test(umad_places, guids_of_ports, .init = begin, .fini = end, .timeout = 20)
{
    __be64 guid[16] = {1, 1, 1};

    serve();
    be_at("B");
    cr_expect_eq(umad_get_ca_portguids(own, guid, 3), 3);
    cr_expect(guid[0] == 0 && be64toh(guid[1]) == 0x31 && be64toh(guid[2]) == 0x32);
    cr_expect_eq(umad_get_ca_portguids(own, guid, 2), -ENOMEM);
    cr_expect_eq(umad_get_ca_portguids(NULL, NULL, 0), 3, "how many there are");
    cr_expect_eq(umad_get_ca_portguids("mlx5_0", guid, 3), -ENODEV);
    be_at("S");
    cr_expect_eq(umad_get_ca_portguids(own, guid, 1), 1);
    cr_expect_eq(be64toh(guid[0]), 0x10);
    be_at("D");
    cr_expect_eq(umad_get_ca_portguids(own, guid, 16), UMAD_CA_MAX_PORTS);
    cr_expect_eq(be64toh(guid[9]), 0x49);
}

Test(umad_places, a_port, .init = begin, .fini = end, .timeout = 20)
{
    struct iba_node_port *b = port_at(B, 2);
    umad_port_t p;

    b->info.guid = UINT64_C(0xfec0000000000007);
    b->info.lmc = 2;
    b->info.mastersmlid = 77;
    b->info.mastersmsl = 5;
    b->pkey[1] = 0x8123;
    port_at(B, 1)->info.cap_sm = 1;
    serve();
    be_at("B");
    cr_assert_eq(umad_get_port(own, 2, &p), 0);
    cr_expect(strcmp(p.ca_name, own) == 0 && strcmp(p.link_layer, "InfiniBand") == 0);
    cr_expect(p.portnum == 2 && p.base_lid == 4 && p.lmc == 2 && p.sm_lid == 77 && p.sm_sl == 5);
    cr_expect(p.state == 4 && p.phys_state == 5 && p.rate == 100, "Active, LinkUp, 4x EDR: %u", p.rate);
    cr_expect_eq(be64toh(p.gid_prefix), UINT64_C(0xfec0000000000007));
    cr_expect_eq(be64toh(p.port_guid), 0x32);
    cr_expect(p.pkeys_size == 64 && p.pkeys[0] == 0xffff && p.pkeys[1] == 0x8123 && p.pkeys[2] == 0);
    const uint32_t mask = be32toh(p.capmask);
    cr_expect(!(mask & 2), "IsSM is bit 1");
    cr_expect_eq(umad_release_port(&p), 0);
    cr_expect(p.pkeys == NULL && p.pkeys_size == 0);
    cr_assert_eq(umad_get_port(NULL, 1, &p), 0);
    cr_expect_eq(be32toh(p.capmask), mask | 2);
    cr_expect(p.portnum == 1 && p.base_lid == 0 && p.state == 1 && p.phys_state == 2, "Down, Polling");
    cr_expect_eq(umad_release_port(&p), 0);
    cr_expect_eq(umad_release_port(NULL), -ENODEV);
}

/* Port 0 of an adapter: the first Active port, else the first with a link, else port 1. */
Test(umad_places, the_default_port, .init = begin, .fini = end, .timeout = 20)
{
    static const struct {
        const char *node;
        int asked, result;
    } rows[] = {{"B", 0, 2},
                {"B", 1, 1},
                {"B", 2, 2},
                {"B", 3, -EINVAL},
                {"B", -1, -EINVAL},
                {"D", 0, 3},
                {"D", 20, 20},
                {"D", 21, -EINVAL},
                {"S", 0, 0},
                {"S", 1, -EINVAL},
                {"A", 0, 1},
                {"X", 0, -ENODEV},
                {"0123456789012345678901234567890123456789012345678901234567890123", 0, 1}};
    umad_port_t p;

    port_at(D, 3)->info.portphysicalstate = IBA_PHYS_LINKUP;
    port_at(D, 4)->info.portphysicalstate = IBA_PHYS_LINKUP;
    serve();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        be_at(rows[i].node);
        const int got = umad_get_port(own, rows[i].asked, &p);
        cr_expect_eq(got ? got : p.portnum, rows[i].result, "%s %d: %d", rows[i].node, rows[i].asked, got);
        if (!got)
            (void)umad_release_port(&p);
    }
    cr_expect_eq(umad_get_port("mlx5_0", 1, &p), -ENODEV);
}

/* Rates in Gbit/s, by LinkWidthActive, LinkSpeedActive and LinkSpeedExtActive (KM-34). */
Test(umad_places, rates, .init = begin, .fini = end, .timeout = 20)
{
    static const struct {
        uint8_t width, speed, extended;
        unsigned rate;
    } rows[] = {{1, 1, 0, 2},   {1, 2, 0, 5},   {1, 4, 0, 10},  {2, 1, 0, 10},  {2, 2, 0, 20}, {2, 4, 0, 40},
                {4, 1, 0, 20},  {4, 4, 0, 80},  {8, 1, 0, 30},  {8, 4, 0, 120}, {2, 4, 1, 56}, {1, 4, 1, 14},
                {2, 4, 2, 100}, {8, 4, 2, 300}, {4, 4, 2, 200}, {2, 0, 0, 0}};
    umad_port_t p;

    serve();
    be_at("B");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)pthread_mutex_lock(&w.lock);
        port_at(B, 2)->info.linkwidthactive = rows[i].width;
        port_at(B, 2)->info.linkspeedactive = rows[i].speed;
        port_at(B, 2)->info.linkspeedextactive = rows[i].extended;
        (void)pthread_mutex_unlock(&w.lock);
        cr_assert_eq(umad_get_port(own, 2, &p), 0);
        cr_expect_eq(p.rate, rows[i].rate, "row %zu: %u", i, p.rate);
        (void)umad_release_port(&p);
    }
}

static void work(void)
{
    umad_ca_t ca;
    umad_port_t p;

    if (umad_get_ca(own, &ca) == 0)
        (void)umad_release_ca(&ca);
    if (umad_get_port(own, 1, &p) == 0)
        (void)umad_release_port(&p);
    umad_free_ca_device_list(umad_get_ca_device_list());
}

Test(umad_places, nothing_is_left, .init = begin, .fini = end, .timeout = 20)
{
    serve();
    cr_expect(leaks_nothing(work));
}
