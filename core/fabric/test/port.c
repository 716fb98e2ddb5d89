/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports: the P_Key table and its membership rule, violation counters, LIDs, GIDs. */
#include <criterion/criterion.h>
#include "fabric/iba_port.h"

enum { FULL = 0x8000 };

static struct iba_port ib_port(uint16_t lid, uint8_t lmc)
{
    struct iba_port p;

    iba_port_init(&p, 1, IBA_PORT_IB, IBA_MTU_4096, UINT64_C(0x0002c90300abcdef));
    p.lid = lid;
    p.lmc = lmc;
    return p;
}

/* The worked example of the P_Key document: four ports, A full member of partition 1, B and C limited members of it, D
 * a full member of partition 2. */
Test(pkey, worked_example_of_four_ports)
{
    const uint16_t a = 0x8001, b = 0x0001, c = 0x0001, d = 0x8002;

    cr_assert(iba_pkey_match(a, b), "A and B can talk: one of them is a full member");
    cr_assert(iba_pkey_match(a, c), "A and C can talk, too");
    cr_assert(!iba_pkey_match(b, c), "B and C cannot: both are limited members");
    cr_assert(!iba_pkey_match(d, a), "D is in another partition than A");
    cr_assert(!iba_pkey_match(d, b), "and than B");
    cr_assert(!iba_pkey_match(d, c), "and than C");
}

/* PV-09, PV-10: every partition in 1..0x7fff with the four combinations of full and limited membership; the invalid key
 * matches no other. */
Test(pkey, membership_matrix)
{
    for (unsigned base = 0; base < FULL; base++) {
        const uint16_t limited = (uint16_t)base, full = (uint16_t)(base | FULL);
        const bool valid = base != 0;
        cr_expect(iba_pkey_match(full, full) == valid, "full and full, partition %#x", base);
        cr_expect(iba_pkey_match(full, limited) == valid, "full and limited, partition %#x", base);
        cr_expect(iba_pkey_match(limited, full) == valid, "limited and full, partition %#x", base);
        cr_expect(!iba_pkey_match(limited, limited), "limited and limited, partition %#x", base);
    }
}

/* One different bit among the low 15 means another partition, whatever the memberships. */
Test(pkey, neighbours_do_not_match)
{
    for (unsigned key = 0; key <= 0xffff; key++)
        for (unsigned bit = 0; bit < 15; bit++) {
            const uint16_t other = (uint16_t)(key ^ 1u << bit);
            if (iba_pkey_match((uint16_t)key, other) || iba_pkey_match((uint16_t)key, other ^ FULL))
                cr_assert_fail("%#x matches %#x", key, other);
        }
}

Test(pkey, table_starts_with_the_default_partition_only)
{
    const struct iba_port p = ib_port(1, 0);

    cr_assert_eq(p.n_pkey, IBA_PORT_MAX_PKEYS);
    cr_assert_eq(p.pkey[0], 0xffff);
    for (unsigned i = 1; i < IBA_PORT_MAX_PKEYS; i++)
        cr_assert_eq(p.pkey[i], 0, "entry %u is not invalid (KM-13)", i);
    cr_assert_eq(iba_port_pkey_find(&p, 0xffff), 0);
    cr_assert_eq(iba_port_pkey_find(&p, 0x7fff), 0, "the default partition's limited members (PV-11)");
    cr_assert_eq(iba_port_pkey_find(&p, 0x8001), -1);
    cr_assert_eq(iba_port_pkey_find(&p, 0x0000), -1, "an empty entry matches nothing");
    cr_assert_eq(iba_port_pkey_find(&p, 0x8000), -1);
}

Test(pkey, first_entry_that_matches_is_found)
{
    struct iba_port p = ib_port(1, 0);

    p.n_pkey = 32;
    cr_assert(iba_port_pkey_set(&p, 3, 0x0005));
    cr_assert(iba_port_pkey_set(&p, 7, 0x8005));
    cr_assert(iba_port_pkey_set(&p, 9, 0x8005));
    cr_assert_eq(iba_port_pkey_find(&p, 0x8005), 3, "a limited entry, a full packet");
    cr_assert_eq(iba_port_pkey_find(&p, 0x0005), 7, "a limited packet needs a full entry");
    cr_assert(iba_port_pkey_set(&p, 31, 0x8006));
    cr_assert_eq(iba_port_pkey_find(&p, 0x8006), 31, "the last entry");
    cr_assert(!iba_port_pkey_set(&p, 32, 0x8007), "beyond the table");
    cr_assert_eq(iba_port_pkey_find(&p, 0x8007), -1);
    cr_assert(iba_port_pkey_set(&p, 3, 0));
    cr_assert_eq(iba_port_pkey_find(&p, 0x8005), 7, "a changed entry counts at once (QS-79)");
}

/* A key in memory after the last entry is not found. */
Test(pkey, only_entries_of_the_table_are_found)
{
    struct iba_port p = ib_port(1, 0);

    p.n_pkey = 2;
    p.pkey[0] = 0x8001;
    p.pkey[1] = 0x8002;
    p.pkey[2] = 0x8003;
    cr_expect_eq(iba_port_pkey_find(&p, 0x8001), 0);
    cr_expect_eq(iba_port_pkey_find(&p, 0x8002), 1);
    cr_expect_eq(iba_port_pkey_find(&p, 0x8003), -1);
}

Test(port, violation_counters_stop_at_their_end)
{
    struct iba_port p = ib_port(1, 0);

    for (unsigned i = 1; i <= 0x10005; i++) {
        iba_port_count_pkey_violation(&p);
        cr_assert_eq(p.counters.pkey_violations, i < 0xffff ? i : 0xffff);
        cr_assert_eq(p.counters.qkey_violations, 0);
    }
    for (unsigned i = 1; i <= 0x10005; i++) {
        iba_port_count_qkey_violation(&p);
        cr_assert_eq(p.counters.qkey_violations, i < 0xffff ? i : 0xffff);
    }
}

Test(port, lid_classes)
{
    for (unsigned lid = 0; lid <= 0xffff; lid++) {
        const enum iba_lid_class want = lid == 0        ? IBA_LID_RESERVED
                                        : lid <= 0xbfff ? IBA_LID_UNICAST
                                        : lid <= 0xfffe ? IBA_LID_MULTICAST
                                                        : IBA_LID_PERMISSIVE;
        cr_assert_eq(iba_lid_classify((uint16_t)lid), want, "LID %#x", lid);
    }
}

/* KM-21, WF-16: exactly 2^LMC consecutive LIDs, and no class but unicast. */
Test(port, owns_two_to_the_lmc_lids)
{
    for (uint8_t lmc = 0; lmc <= 7; lmc++) {
        const struct iba_port p = ib_port(0x1280, lmc);
        for (unsigned lid = 0; lid <= 0xffff; lid++)
            cr_assert_eq(iba_port_has_lid(&p, (uint16_t)lid), lid >= 0x1280 && lid < 0x1280 + (1u << lmc),
                         "LMC %u, LID %#x", lmc, lid);
    }
}

Test(port, without_a_lid_owns_none)
{
    const struct iba_port p = ib_port(0, 3);

    for (unsigned lid = 0; lid <= 0xffff; lid++)
        cr_assert(!iba_port_has_lid(&p, (uint16_t)lid), "LID %#x", lid);
}

Test(port, default_gid_is_the_default_prefix_and_the_eui64)
{
    static const uint8_t ib[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x02, 0xc9, 0x03, 0x00, 0xab, 0xcd, 0xef};
    static const uint8_t roce[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x0a, 0x00, 0x27, 0xff, 0xfe, 0x92, 0x34, 0x57};
    struct iba_port p = ib_port(1, 0);

    cr_assert_arr_eq(p.gid[0], ib, 16);
    cr_assert_eq(p.mac, 0);
    for (enum iba_port_kind kind = IBA_PORT_ROCE1; kind <= IBA_PORT_ROCE2; kind++) {
        iba_port_init(&p, 2, kind, IBA_MTU_1024, UINT64_C(0x080027923457));
        cr_assert_arr_eq(p.gid[0], roce, 16, "the universal bit is turned over, FFFE is in the middle");
        cr_assert_eq(p.mac, UINT64_C(0x080027923457));
        cr_assert_eq(p.lid, 0);
        cr_assert_eq(p.number, 2);
        cr_assert_eq(p.n_gid, 1);
        cr_assert_eq(iba_mtu_bytes((enum iba_mtu)p.mtu), 1024);
        cr_assert_eq(iba_port_link(&p), IBA_LINK_ETHERNET);
    }
}

/* KM-35: the default prefix stays valid in addition to the subnet manager's. KM-40: ::0 is no port's GID. */
Test(gid, table_and_its_default_prefix_form)
{
    uint8_t gid[16], zero[16] = {0};
    struct iba_port p = ib_port(1, 0);

    memcpy(p.gid[1], p.gid[0], 16);
    iba_bits_put(p.gid[1], 0, 64, UINT64_C(0x20010db800000001));
    iba_bits_put(p.gid[1], 64, 64, 0x77);
    p.n_gid = 3; /* entry 2 is empty */
    cr_assert(iba_port_has_gid(&p, p.gid[0]));
    cr_assert(iba_port_has_gid(&p, p.gid[1]));
    cr_assert(!iba_port_has_gid(&p, zero));
    memcpy(gid, p.gid[0], 8);
    memcpy(gid + 8, p.gid[1] + 8, 8);
    cr_assert(iba_port_has_gid(&p, gid), "the assigned EUI-64 under the default prefix");
    memcpy(gid, p.gid[1], 8);
    memcpy(gid + 8, p.gid[0] + 8, 8);
    cr_assert(!iba_port_has_gid(&p, gid), "prefixes do not mix otherwise");
    p.kind = IBA_PORT_ROCE2;
    memcpy(gid, p.gid[0], 8);
    memcpy(gid + 8, p.gid[1] + 8, 8);
    cr_assert(!iba_port_has_gid(&p, gid), "an IP address has no alias");
    p.n_gid = 1;
    cr_assert(!iba_port_has_gid(&p, p.gid[1]), "beyond the table");
}

Test(gid, one_bit_off_is_foreign)
{
    const struct iba_port p = ib_port(1, 0);

    for (unsigned bit = 0; bit < 128; bit++) {
        uint8_t gid[16];
        memcpy(gid, p.gid[0], 16);
        gid[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        cr_assert(!iba_port_has_gid(&p, gid), "bit %u", bit);
    }
}

Test(gid, multicast_and_the_macs_gids_stand_for)
{
    static const uint8_t all_nodes[16] = {0xff, 0x02, [15] = 1};
    static const uint8_t global[16] = {0x20, 0x01, 0x0d, 0xb8, [11] = 0xff, [12] = 0xfe, [15] = 1};
    uint8_t gid[16];
    uint64_t mac;
    struct iba_port p;

    cr_assert(iba_gid_is_multicast(all_nodes));
    cr_assert(iba_gid_mac(all_nodes, &mac) && mac == UINT64_C(0x333300000001), "got %012lx", (unsigned long)mac);
    iba_gid_set_ipv4(gid, 0xe0812233); /* 224.129.34.51: the top bit of the 24 is not part of the MAC */
    cr_assert(iba_gid_is_multicast(gid) && iba_gid_is_ipv4(gid));
    cr_assert(iba_gid_mac(gid, &mac) && mac == UINT64_C(0x01005e012233), "got %012lx", (unsigned long)mac);
    iba_gid_set_ipv4(gid, 0xdf000001); /* 223.0.0.1 */
    cr_assert(!iba_gid_is_multicast(gid) && iba_gid_is_ipv4(gid) && !iba_gid_mac(gid, &mac));
    iba_gid_set_ipv4(gid, 0xf0000001); /* 240.0.0.1 */
    cr_assert(!iba_gid_is_multicast(gid));
    cr_assert(!iba_gid_is_multicast(global) && !iba_gid_is_ipv4(global) && !iba_gid_mac(global, &mac));
    iba_port_init(&p, 1, IBA_PORT_ROCE2, IBA_MTU_1024, UINT64_C(0x0e0027fe3456));
    cr_assert(iba_gid_mac(p.gid[0], &mac) && mac == p.mac, "link-local: got %012lx", (unsigned long)mac);
    p.gid[0][12] = 0;
    cr_assert(!iba_gid_mac(p.gid[0], &mac), "not made of a MAC");
}
