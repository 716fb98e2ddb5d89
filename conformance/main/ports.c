/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the tester's own ports before playing: a port that is too small, or shared, makes correct devices fail. */
#include <stdio.h>
#include <string.h>
#include "cases.h"
#include "dut.h"
#include "fault.h"

static const struct ibc_wire *wire_of(const struct dut *d, unsigned lane, unsigned i)
{
    return d->live->lane[lane].live.wire[i];
}

unsigned dut_mtu(const struct dut *d, unsigned lane)
{
    struct ibc_wire_port p;
    unsigned least = 0;

    for (unsigned i = 0; d->live && i < IBC_DEVICES; i++)
        if (wire_of(d, lane, i) && ibc_wire_port(wire_of(d, lane, i), &p) && p.mtu && (!least || p.mtu < least))
            least = p.mtu;
    return least;
}

/* Counts the scenarios whose packets are larger than the port carries. *most: bytes of the largest packet. */
static size_t count_misfits(const struct cases *cases, unsigned mtu, unsigned *most)
{
    size_t n = 0;

    *most = 0;
    for (size_t i = 0; i < cases->n; i++) {
        const unsigned bytes = ibc_packet_bytes(cases->c[i].s);
        n += bytes > mtu;
        *most = bytes > *most ? bytes : *most;
    }
    return n;
}

static void warn(const struct ibc_wire_port *p, const struct cases *cases)
{
    unsigned most = 0;
    const size_t n = p->mtu ? count_misfits(cases, p->mtu, &most) : 0;

    if (n > 0)
        (void)wrong(EXIT_OK,
                    "%s: its MTU is %u: %zu of %zu cases send or get packets of up to %u bytes, and are INCONCLUSIVE "
                    "(ip link set %s mtu 9000)",
                    p->name, p->mtu, n, cases->n, most, p->name);
    if (p->joins[0])
        (void)wrong(EXIT_OK, "%s: it may join frames before the tester sees them: %s is on (ethtool -K %s %s off)",
                    p->name, p->joins, p->name, p->joins);
    if (p->rdma[0])
        (void)wrong(EXIT_OK, "%s: RDMA device %s answers on it, too (README, \"Test a NIC\", says how to end that)",
                    p->name, p->rdma);
}

int dut_look_at_ports(const struct dut *d, const struct cases *cases)
{
    struct ibc_wire_port p;

    for (unsigned lane = 0; lane < d->live->n; lane++)
        for (unsigned i = 0; i < IBC_DEVICES; i++) {
            if (!wire_of(d, lane, i) || !ibc_wire_port(wire_of(d, lane, i), &p))
                continue;
            if (!p.up)
                return wrong(EXIT_HARNESS, "%s: it is down (ip link set %s up)", p.name, p.name);
            if (!p.link)
                return wrong(EXIT_HARNESS, "%s: it has no link: cable, transceiver, or the port at the other end",
                             p.name);
            warn(&p, cases);
        }
    return EXIT_OK;
}
