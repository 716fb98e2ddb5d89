/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_ca.h"
#include <stdio.h>
#include <stdlib.h>
#include "transport/iba_verbs.h"

static uint64_t mac_of(unsigned i)
{
    return UINT64_C(0x020000000001) + i;
}

static uint32_t address_of(unsigned i)
{
    return 0x0a000001 + i;
}

void bench_need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "benchmark: %s\n", what);
    exit(1);
}

void bench_port(struct iba_ca *ca, unsigned i)
{
    struct iba_port *p = iba_ca_port(ca, 1);

    iba_port_init(p, 1, IBA_PORT_ROCE2, IBA_MTU_1024, mac_of(i));
    iba_gid_set_ipv4(p->gid[0], address_of(i));
}

void bench_connect(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_init *init, unsigned to)
{
    struct iba_qp_attr a = {.port = 1,
                            .access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ,
                            .path_mtu = IBA_MTU_1024,
                            .max_rd = (uint8_t)init->n_saved,
                            .max_dest_rd = (uint8_t)init->n_saved,
                            .dest_qpn = init->qpn,
                            .timeout = 14,
                            .retry = 7,
                            .rnr_retry = 7,
                            .av = {.port = 1, .vlan = 0xffff, .hop_limit = 64, .dmac = mac_of(to)}};
    uint32_t qpn;

    iba_gid_set_ipv4(a.av.dgid, address_of(to));
    NEED(iba_create_qp(ca, qp, init, &qpn));
    for (unsigned from = IBA_QPS_RESET; from < IBA_QPS_RTS; from++) {
        a.state = (uint8_t)(from + 1);
        NEED(iba_modify_qp(ca, qpn, &a,
                           IBA_QPA_STATE | iba_qp_required((enum iba_qp_type)init->type, (uint8_t)from, a.state)));
    }
}

void bench_feed(struct iba_ca *ca, const uint8_t *frame, size_t len, iba_time now)
{
    struct iba_view v;

    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL);
    iba_view_check(&v);
    iba_ca_feed(ca, 1, &v, now);
}
