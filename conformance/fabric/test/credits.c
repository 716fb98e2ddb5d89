/* SPDX-License-Identifier: BSD-2-Clause */
/* Random subnets with credits: nothing is lost but by a lifetime, and nothing stops but by a credit loop, which is
 * found. IBPROOF_SEEDS sets the number of subnets, IBPROOF_FIRST the first seed. The search in the routes and the one
 * in the packets check each other: packets get stuck only where the routes have a loop (Dally and Seitz). */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "flood.h"
#include "loops.h"
#include "sim/iba_random.h"

enum { SWITCHES_MOST = 7, PORTS = 12, NODES_MOST = SWITCHES_MOST * 4, TEXT = 1 << 14, NO_LIFETIME = 31, NOBODY = -1 };

struct net {
    struct iba_random dice;
    unsigned switches, nodes; /* nodes: switches first, then adapters */
    struct {
        int node;
        unsigned port;
    } cable[SWITCHES_MOST][PORTS + 1];
    unsigned home[NODES_MOST], home_port[NODES_MOST]; /* of an adapter */
    bool lifetimes;
    struct topology *t;
    struct subnet *s;
    struct flood_sum sum;
};
struct tally { /* over all subnets */
    unsigned nets, stuck, loops, without_loops, lost;
};

static unsigned below(struct net *n, unsigned most)
{
    return (unsigned)iba_random_below(&n->dice, most);
}

/* ---- a topology ---- */

static unsigned free_port(const struct net *n, unsigned sw)
{
    for (unsigned p = 1; p <= PORTS; p++)
        if (n->cable[sw][p].node == NOBODY)
            return p;
    return 0;
}

static void join(struct net *n, unsigned a, unsigned b)
{
    const unsigned p = free_port(n, a), q = free_port(n, b);

    if (!p || !q)
        return;
    n->cable[a][p].node = (int)b;
    n->cable[a][p].port = q;
    n->cable[b][q].node = (int)a;
    n->cable[b][q].port = p;
}

/* Most subnets have a ring of switches, because a credit loop needs one; the other subnets grow as a tree. A few more
 * cables are added at random. */
static void lay_cables(struct net *n)
{
    const bool ring = below(n, 4) > 0;

    n->switches = 2 + below(n, 3) + below(n, SWITCHES_MOST - 3);
    for (unsigned i = 0; i < SWITCHES_MOST; i++)
        for (unsigned p = 0; p <= PORTS; p++)
            n->cable[i][p].node = NOBODY;
    for (unsigned i = 1; i < n->switches; i++)
        join(n, i, ring ? i - 1 : below(n, i));
    if (ring && n->switches > 2)
        join(n, 0, n->switches - 1);
    for (unsigned k = below(n, 2) * below(n, 4); k > 0; k--) {
        const unsigned a = below(n, n->switches), b = below(n, n->switches);
        if (a != b)
            join(n, a, b);
    }
    n->nodes = n->switches;
    for (unsigned i = 0; i < n->switches; i++)
        for (unsigned k = 1 + below(n, 2); k > 0 && free_port(n, i); k--) {
            n->home[n->nodes] = i;
            n->home_port[n->nodes] = free_port(n, i);
            n->cable[i][n->home_port[n->nodes]].node = (int)n->nodes;
            n->cable[i][n->home_port[n->nodes]].port = 1;
            n->nodes++;
        }
}

static void plug_together(struct net *n, uint16_t buffer)
{
    char text[TEXT], path[64], err[TOPOLOGY_ERROR] = "";
    size_t len = 0;
    const int fd = memfd_create("topology", 0);

    for (unsigned i = 0; i < n->switches; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "Switch %d \"N%u\"\n", PORTS, i);
        for (unsigned p = 1; p <= PORTS; p++)
            if (n->cable[i][p].node != NOBODY)
                len += (size_t)snprintf(text + len, sizeof text - len, "[%u] \"N%d\"[%u]\n", p, n->cable[i][p].node,
                                        n->cable[i][p].port);
    }
    for (unsigned i = n->switches; i < n->nodes; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "Hca 1 \"N%u\"\n", i);
    cr_assert(fd >= 0 && write(fd, text, len) == (ssize_t)len);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    n->t = topology_read(path, err);
    (void)close(fd);
    cr_assert_not_null(n->t, "%s", err);
    n->s = subnet_new(n->t, &(struct subnet_config){.buffer = buffer}, &(struct subnet_events){0});
    cr_assert_not_null(n->s);
    subnet_run(n->s, 0);
}

static struct iba_node *node_of(const struct net *n, unsigned i)
{
    char name[16];

    (void)snprintf(name, sizeof name, "N%u", i);
    return &subnet_node(n->s, (size_t)subnet_find(n->s, name))->n;
}

/* ---- what a manager sets ---- */

/* Sets the port of each switch towards an adapter. The routes form a tree that grows from the adapter's switch: the
 * nearest switches first (shortest paths, as a manager sets them), or switches in any order. */
static void route_to(struct net *n, unsigned adapter)
{
    const uint16_t lid = (uint16_t)(adapter + 1);
    unsigned grown[SWITCHES_MOST], count = 1, taken = 0;
    bool has[SWITCHES_MOST] = {false};
    const bool shortest = below(n, 2) > 0;

    grown[0] = n->home[adapter];
    has[grown[0]] = true;
    node_of(n, grown[0])->lft[lid] = (uint8_t)n->home_port[adapter];
    while (taken < count) {
        const unsigned k = shortest ? taken : taken + below(n, count - taken), at = grown[k];
        const unsigned first = below(n, PORTS);
        grown[k] = grown[taken++];
        for (unsigned i = 0; i < PORTS; i++) {
            const unsigned p = 1 + (first + i) % PORTS;
            const int to = n->cable[at][p].node;
            if (to == NOBODY || to >= (int)n->switches || has[to])
                continue;
            has[to] = true;
            node_of(n, (unsigned)to)->lft[lid] = (uint8_t)n->cable[at][p].port;
            grown[count++] = (unsigned)to;
        }
    }
}

static void set_port(struct net *n, struct iba_node *node, unsigned port, uint8_t vls)
{
    struct iba_portinfo *i = &node->port[port].info;

    i->portstate = IBA_PORT_ACTIVE;
    i->operationalvls = vls;
    i->hoqlife = (uint8_t)(n->lifetimes && iba_node_is_switch(node) ? below(n, 7) : NO_LIFETIME);
    i->vlstallcount = (uint8_t)(n->lifetimes ? below(n, 4) : 0);
    for (unsigned in = 0; in <= node->cfg.n_port; in++)
        for (unsigned sl = 0; sl < IBA_VLS; sl++)
            iba_node_sl2vl(node, (uint8_t)in, (uint8_t)port)[sl] = (uint8_t)below(n, iba_vls_of(vls));
}

static void manage(struct net *n)
{
    const uint8_t vls = (uint8_t)(1 + below(n, 2) * below(n, 3)); /* 1, 2 or 4 */

    for (unsigned i = 0; i < n->nodes; i++) {
        struct iba_node *node = node_of(n, i);
        for (unsigned p = 1; p <= node->cfg.n_port; p++)
            if (node->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
                set_port(n, node, p, vls);
        if (iba_node_is_switch(node)) {
            node->sw.linearfdbtop = NODES_MOST;
            node->sw.lifetimevalue = (uint8_t)(n->lifetimes && below(n, 2) ? 1 + below(n, 7) : NO_LIFETIME);
        } else {
            node->port[1].info.lid = (uint16_t)(i + 1);
        }
    }
    for (unsigned i = n->switches; i < n->nodes; i++)
        route_to(n, i);
}

/* ---- what has to hold ---- */

static uint64_t hits(const struct net *n, const struct iba_fabric_table *const *table, unsigned row)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n->nodes; i++)
        sum += node_of(n, i)->hits[(*table)->id][row];
    return sum;
}

static const char *broken; /* NULL: all holds */
static char why[200];

static void expect(bool good, const char *format, ...)
{
    va_list args;

    if (good || broken)
        return;
    va_start(args, format);
    (void)vsnprintf(why, sizeof why, format, args);
    va_end(args);
    broken = why;
}

static void check_buffers(const struct net *n)
{
    for (unsigned i = 0; i < n->nodes; i++) {
        const struct iba_node *node = node_of(n, i);
        for (unsigned p = 1; p <= node->cfg.n_port; p++) {
            expect(node->port[p].counters.portrcverrors == 0, "node %u port %u: PortRcvErrors", i, p);
            for (unsigned vl = 0; vl < IBA_VL15; vl++)
                expect(node->port[p].lane[vl].held <= (n->sum.waiting ? node->cfg.buffer : 0),
                       "node %u port %u lane %u: %u blocks have a packet", i, p, vl, node->port[p].lane[vl].held);
        }
    }
}

/* Each lane of a credit loop leads to the node of the next lane, and has packets that wait. */
static void check_loop(const struct net *n, const struct lane_loop *loop, bool waits)
{
    for (unsigned i = 0; i < loop->n; i++) {
        const struct lane_at *a = &loop->at[i], *b = &loop->at[(i + 1) % loop->n];
        expect(subnet_node(n->s, a->node)->end[a->port].node == (int32_t)b->node, "the loop is broken after %u", i);
        expect(!waits || subnet_node(n->s, a->node)->n.port[a->port].queue[a->vl].n > 0, "lane %u waits for nothing",
               i);
    }
}

static void check(const struct net *n, uint16_t sls, struct tally *t)
{
    static const struct iba_fabric_table *const *const waiting = &iba_fabric_tables[IBA_FABRIC_WAITING];
    const uint64_t dropped = hits(n, waiting, 0) + hits(n, waiting, 1) + hits(n, waiting, 2);
    const struct flood_sum *sum = &n->sum;
    struct lane_loop routes;
    struct stalls stalls;

    cr_assert(loops_in_routes(n->s, sls, &routes) && stalls_find(n->s, &stalls));
    expect(sum->twice == 0 && sum->astray == 0, "packets came twice or to others");
    expect(sum->delivered + sum->waiting + dropped == sum->sent, "%llu packets are lost by no lifetime",
           (unsigned long long)(sum->sent - sum->delivered - sum->waiting - dropped));
    expect(n->lifetimes || dropped == 0, "packets had no time although time has no end");
    expect(sum->unsent == 0 || sum->waiting > 0, "not all was sent");
    expect((sum->waiting > 0) == (stalls.loop.n > 0), "%llu wait, and the loop has %u lanes",
           (unsigned long long)sum->waiting, stalls.loop.n);
    expect(sum->waiting == 0 || !n->lifetimes, "packets outlived their lifetimes");
    expect(sum->waiting == 0 || routes.n > 0, "stuck, and the routes have no loop");
    check_loop(n, &routes, false);
    check_loop(n, &stalls.loop, true);
    check_buffers(n);
    t->nets++;
    t->stuck += sum->waiting > 0;
    t->loops += routes.n > 0;
    t->without_loops += routes.n == 0;
    t->lost += dropped > 0;
}

/* Plays a subnet whose nodes lack that row of that table, or no row. Returns NULL if all checks hold, else the check
 * that failed. */
static const char *one_subnet(uint64_t seed, const struct iba_fabric_table *table, unsigned row, struct tally *t)
{
    struct net n = {0};
    struct flood_config c = {.payload_most = 4096, .seed = seed};

    broken = NULL;
    iba_random_seed(&n.dice, seed);
    lay_cables(&n);
    n.lifetimes = below(&n, 2) == 0;
    plug_together(&n, (uint16_t)(IBA_BUFFER_LEAST + below(&n, 2) * below(&n, 80)));
    manage(&n);
    for (unsigned i = 0; table && i < n.nodes; i++)
        node_of(&n, i)->cfg.broken = (struct iba_node_break){table, (uint16_t)row};
    c.packets = 2 + below(&n, 12);
    c.sls = (uint16_t)(1 + below(&n, UINT16_MAX));
    c.ipd = (uint8_t)(below(&n, 4) == 0 ? below(&n, 8) : 0);
    cr_assert(flood(n.s, &c, &n.sum));
    check(&n, c.sls, t);
    subnet_free(n.s);
    topology_free(n.t);
    return broken;
}

static unsigned setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);

    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void tell(const struct tally *t)
{
    printf("%u subnets: %u with a loop in the routes, %u without, %u stuck, %u lost packets by lifetimes\n", t->nets,
           t->loops, t->without_loops, t->stuck, t->lost);
    (void)fflush(stdout); /* a long run is watched */
}

Test(credits, random_subnets_lose_and_stop_only_by_rule, .timeout = 36000)
{
    enum { TOLD = 500 };
    const unsigned first = setting("IBPROOF_FIRST", 0), seeds = setting("IBPROOF_SEEDS", 16);
    struct tally t = {0};

    for (unsigned i = first; i < first + seeds; i++) {
        const char *fault = one_subnet(i, NULL, 0, &t);
        cr_expect_null(fault, "seed %u: %s", i, fault);
        if (t.nets % TOLD == 0)
            tell(&t);
    }
    tell(&t);
    cr_expect(seeds < 16 || (t.stuck > 0 && t.without_loops > 0 && t.lost > 0), "each kind of subnet has to be there");
}

/* The checks above notice a node that sends without credits, one that never announces credits, and one that ignores
 * announced credits. */
Test(credits, broken_nodes_are_noticed)
{
    static const struct {
        const char *table, *row;
    } rows[] = {{"credit", "spends"}, {"credit", "announces"}, {"flow", "taken"}};
    enum { TRIES = 16 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct iba_fabric_table *table = NULL;
        const char *fault = NULL;
        struct tally t = {0};
        unsigned row = 0;
        for (unsigned k = 0; k < IBA_FABRIC_TABLE_COUNT; k++)
            if (strcmp(iba_fabric_tables[k]->name, rows[i].table) == 0)
                table = iba_fabric_tables[k];
        cr_assert_not_null(table);
        while (strcmp(iba_fabric_row(table, row)->name, rows[i].row) != 0)
            cr_assert_lt(++row, table->n);
        for (unsigned seed = 0; !fault && seed < TRIES; seed++)
            fault = one_subnet(seed, table, row, &t);
        cr_expect_not_null(fault, "%s.%s", rows[i].table, rows[i].row);
        printf("%s.%s: subnet %u: %s\n", rows[i].table, rows[i].row, t.nets - 1, fault ? fault : "nothing");
    }
}
