/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports with one row of their list changed: each port behaves differently from an unchanged one, and none writes beyond
 * its buffers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "fabric/iba_port.h"
#include "fabric/deviations_port.h"
#include "sim/iba_random.h"

enum { ROUNDS = 4000, BODY = 32, GUARD = 0xa5 };

static struct iba_random dice;
static uint64_t trace;

static unsigned below(unsigned n)
{
    return (unsigned)iba_random_below(&dice, n);
}

static void record(uint64_t what)
{
    trace = (trace ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    trace ^= trace >> 29;
}

static void some_gid(uint8_t *gid)
{
    static const uint8_t prefixes[][12] = {{0xfe, 0x80}, {0x20, 1}, {[10] = 0xff, [11] = 0xff}, {0}};

    memset(gid, 0, 16);
    memcpy(gid, prefixes[below(4)], 12);
    gid[15] = (uint8_t)below(3);
}

static void some_port(struct iba_port *p, const struct iba_change *c)
{
    iba_port_init(p, 1, (enum iba_port_kind)below(3), IBA_MTU_1024, 0x020000000001 + below(2));
    p->lmc = (uint8_t)below(3);
    p->lid = (uint16_t)(below(4) ? below(2) ? 8 : 0xbffe : 0);
    p->n_gid = 3;
    p->n_pkey = 3;
    p->congestion = below(2);
    for (unsigned i = 0; i < 16; i++)
        p->sl2vl[i] = (uint8_t)below(8);
    for (unsigned i = 0; i < 3; i++) {
        some_gid(p->gid[i]);
        p->pkey[i] = (uint16_t)(below(2) << 15 | below(3));
    }
    p->counters.pkey_violations = p->counters.qkey_violations = UINT16_MAX - 1;
    iba_port_change(p, c);
}

static void ask(struct iba_port *p)
{
    uint8_t gid[16];

    some_gid(gid);
    record((uint64_t)iba_port_pkey_find(p, (uint16_t)(below(2) << 15 | below(3))));
    record(iba_port_pkey_set(p, (uint8_t)below(4), (uint16_t)below(3)) + p->pkey[0] + 2u * p->pkey[1] +
           4u * p->pkey[2]);
    record(iba_port_has_lid(p, (uint16_t)(below(2) ? 8 + below(4) : 0xbffe + below(4))));
    record(iba_port_has_gid(p, gid));
    for (unsigned i = 0; i < 3; i++) {
        iba_port_count_pkey_violation(p);
        iba_port_count_qkey_violation(p);
        record(p->counters.pkey_violations ^ (uint64_t)p->counters.qkey_violations << 16);
    }
}

static void send(const struct iba_port *p)
{
    struct iba_av av = {.port = 1,
                        .sl = (uint8_t)below(8),
                        .path_bits = (uint8_t)below(4),
                        .sgid_index = (uint8_t)below(3),
                        .grh = below(2),
                        .smp = below(4) == 0,
                        .dlid = 7,
                        .dmac = 0x020000000009,
                        .vlan = below(2) ? 5 : 0xffff,
                        .flow_label = below(1 << 20),
                        .tclass = (uint8_t)below(256),
                        .hop_limit = (uint8_t)below(256),
                        .udp_source = below(2) ? 0xc123 : 0};
    uint8_t packet[IBA_ENVELOPE_MAX + BODY + 6 + 8];
    size_t n, len;

    some_gid(av.dgid);
    memset(packet, GUARD, sizeof packet);
    n = iba_envelope_write(p, &av, below(1000), packet);
    cr_assert_leq(n, IBA_ENVELOPE_MAX);
    memset(packet + n, (int)below(256), BODY);
    len = iba_envelope_seal(p, packet, n, BODY);
    cr_assert_leq(len, sizeof packet - 8);
    for (size_t i = 0; i < len; i++)
        record(packet[i]);
    for (size_t i = sizeof packet - 8; i < sizeof packet; i++)
        cr_assert_eq(packet[i], GUARD);
}

static uint64_t world(const struct iba_change *c)
{
    struct iba_port p;

    iba_random_seed(&dice, 1);
    trace = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        some_port(&p, c);
        send(&p);
        ask(&p);
    }
    return trace;
}

Test(changed_port, each_row_makes_another_port)
{
    const struct iba_change nobodys = {.list = &iba_port_behaviours, .row = IBA_ROW_port_COUNT};
    const uint64_t whole = world(NULL);
    unsigned n = 0;

    cr_assert_eq(world(&nobodys), whole);
    for (uint16_t row = 0; row < iba_port_behaviours.n; row++)
        for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++) {
            const struct iba_change c = {.list = &iba_port_behaviours, .row = row, .kind = (uint8_t)kind};
            if (!(iba_port_behaviours.row[row].kinds >> kind & 1))
                continue;
            n++;
            cr_assert_neq(world(&c), whole,
                          "port behaviour %s: change of kind %u makes no difference in this test's world",
                          iba_port_behaviours.row[row].name, kind);
        }
    cr_assert_gt(n, 45);
}
