/* SPDX-License-Identifier: BSD-2-Clause */
/* The tester's own ports: what is said of those that are down, too small or shared. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "main/cases.h"
#include "main/dut.h"
#include "main/fault.h"
#include "parts.h"

static struct ibc_wire wire[4];
static struct ibc_wire_port port[4]; /* without a name: the adapter is no port */
static struct live_lane lane[2];
static const struct live_dut live = {.lane = lane, .n = 2};
static const struct dut dut = {.spec = "live", .live = &live};
static struct ibc_scenario scenario[3];
static struct play_case play_case[] = {{.s = &scenario[0]}, {.s = &scenario[1]}, {.s = &scenario[2]}};
static const struct cases cases = {.c = play_case, .n = 3};

bool __wrap_ibc_wire_port(const struct ibc_wire *w, struct ibc_wire_port *p);
bool __wrap_ibc_wire_port(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    *p = port[w - wire];
    return p->name[0] != '\0';
}

/* The scenario says itself how large its packets are. */
unsigned __wrap_ibc_packet_bytes(const struct ibc_scenario *s);
unsigned __wrap_ibc_packet_bytes(const struct ibc_scenario *s)
{
    return s->n_variation;
}

static void plug(unsigned i, const char *name, unsigned mtu)
{
    lane[i / 2].live.wire[i % 2] = &wire[i];
    port[i] = (struct ibc_wire_port){.mtu = mtu, .up = true, .link = true};
    snprintf(port[i].name, sizeof port[i].name, "%s", name);
}

static void unplug(void)
{
    memset(lane, 0, sizeof lane);
    memset(port, 0, sizeof port);
    for (unsigned i = 0; i < 3; i++)
        scenario[i].n_variation = 1000 * (i + 1);
}

static void says(int code, const char *text)
{
    parts_listen();
    const int is = dut_look_at_ports(&dut, &cases);
    parts_hear();
    cr_expect_eq(is, code);
    cr_expect_str_eq(parts_said, text, "%s", parts_said);
}

/* The smallest limit of the ports of a lane counts; 0 is none. */
Test(ports, mtu, .init = unplug)
{
    const struct dut other = {.spec = "reference"};

    cr_expect_eq(dut_mtu(&other, 0), 0);
    cr_expect_eq(dut_mtu(&dut, 0), 0);
    plug(1, "eth1", 1500);
    cr_expect_eq(dut_mtu(&dut, 0), 1500);
    plug(0, "eth0", 4200);
    cr_expect_eq(dut_mtu(&dut, 0), 1500);
    plug(0, "eth0", 900);
    cr_expect_eq(dut_mtu(&dut, 0), 900);
    plug(0, "eth0", 0);
    cr_expect_eq(dut_mtu(&dut, 0), 1500);
    plug(1, "", 100);
    cr_expect_eq(dut_mtu(&dut, 0), 0);
    plug(3, "eth3", 700);
    cr_expect(dut_mtu(&dut, 0) == 0 && dut_mtu(&dut, 1) == 700);
}

Test(ports, fitness, .init = unplug)
{
    says(EXIT_OK, "");
    plug(0, "eth0", 3000);
    plug(1, "", 10);
    plug(3, "eth3", 0);
    says(EXIT_OK, "");
    port[0].mtu = 1999;
    says(EXIT_OK, "ibconform: eth0: its MTU is 1999: 2 of 3 cases send or get packets of up to 3000 bytes, and are "
                  "INCONCLUSIVE (ip link set eth0 mtu 9000)\n");
    port[0].mtu = 2000;
    says(EXIT_OK, "ibconform: eth0: its MTU is 2000: 1 of 3 cases send or get packets of up to 3000 bytes, and are "
                  "INCONCLUSIVE (ip link set eth0 mtu 9000)\n");
    scenario[0].n_variation = 5000;
    snprintf(port[0].joins, sizeof port[0].joins, "gro");
    snprintf(port[3].rdma, sizeof port[3].rdma, "rxe0");
    says(EXIT_OK,
         "ibconform: eth0: its MTU is 2000: 2 of 3 cases send or get packets of up to 5000 bytes, and are "
         "INCONCLUSIVE (ip link set eth0 mtu 9000)\n"
         "ibconform: eth0: it may join frames before the tester sees them: gro is on (ethtool -K eth0 gro off)\n"
         "ibconform: eth3: RDMA device rxe0 answers on it, too (README, \"Test a NIC\", says how to end that)\n");
    port[0] = (struct ibc_wire_port){.name = "eth0", .up = true, .link = true};
    port[3].rdma[0] = '\0';
    port[3].link = false;
    says(EXIT_HARNESS, "ibconform: eth3: it has no link: cable, transceiver, or the port at the other end\n");
    port[3].up = false;
    says(EXIT_HARNESS, "ibconform: eth3: it is down (ip link set eth3 up)\n");
}
