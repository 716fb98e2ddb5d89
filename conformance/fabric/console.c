/* SPDX-License-Identifier: BSD-2-Clause */
#include "console.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "flood.h"
#include "loops.h"
#include "probe.h"
#include "routers.h"
#include "typed.h"

enum { WORDS = 20 };

struct line {
    struct subnet *s;
    FILE *to;
    char *word[WORDS];
    unsigned n;
    size_t node;
    uint8_t port;
};

static bool wrong(const struct line *l, const char *what)
{
    fprintf(l->to, "error: %s\n", what);
    return false;
}

/* Reads words 1 and 2 of the line: NODE PORT. */
static bool node_of(struct line *l)
{
    const int32_t node = subnet_find(l->s, l->word[1]);

    if (node < 0)
        return wrong(l, "no node has this name");
    l->node = (size_t)node;
    return true;
}

static bool port_of(struct line *l)
{
    const struct iba_node *n;
    char *end;
    unsigned long port;

    if (!node_of(l))
        return false;
    n = &subnet_node(l->s, l->node)->n;
    port = strtoul(l->word[2], &end, 10);
    if (*end || end == l->word[2] || port > n->cfg.n_port || (port == 0 && !iba_node_is_switch(n)))
        return wrong(l, "the node has no such port");
    l->port = (uint8_t)port;
    return true;
}

/* ---- commands ---- */

static const char *kind_name(const struct iba_node *n)
{
    return iba_node_is_switch(n) ? "switch" : n->cfg.type == IBA_NODE_ROUTER ? "router" : "adapter";
}

static bool do_nodes(struct line *l)
{
    for (size_t i = 0; i < subnet_nodes(l->s); i++) {
        const struct subnet_node *n = subnet_node(l->s, i);
        fprintf(l->to, "%s\t%s\t%u\t0x%016" PRIx64 "\n", n->from->id, kind_name(&n->n), n->n.cfg.n_port,
                n->n.cfg.node_guid);
    }
    return true;
}

static const char *state_name(unsigned state)
{
    static const char *const names[] = {"-", "Down", "Init", "Armed", "Active"};
    return state < sizeof names / sizeof *names ? names[state] : "?";
}

static bool do_port(struct line *l)
{
    const struct iba_node_port *p;
    const struct iba_portinfo *i;

    if (!port_of(l))
        return false;
    p = &subnet_node(l->s, l->node)->n.port[l->port];
    i = &p->info;
    fprintf(l->to, "state\t%s\nphysical\t%u\nlid\t%u\nlmc\t%u\nsm_lid\t%u\n", state_name(i->portstate),
            i->portphysicalstate, i->lid, i->lmc, i->mastersmlid);
    fprintf(l->to, "m_key\t0x%016" PRIx64 "\nprotection\t%u\nlease\t%u\n", i->m_key, i->m_keyprotectbits,
            i->m_keyleaseperiod);
    fprintf(l->to, "violations\tm_key %u, p_key %u, q_key %u\n", i->m_keyviolations, i->p_keyviolations,
            i->q_keyviolations);
    fprintf(l->to, "vls\t%u\nmtu\t%u\nenforce\tin %u, out %u\np_keys\t", iba_vls_of(i->operationalvls),
            iba_mtu_bytes((enum iba_mtu)i->neighbormtu), i->partitionenforcementinbound,
            i->partitionenforcementoutbound);
    for (unsigned k = 0; k < p->n_pkey; k++)
        if (p->pkey[k])
            fprintf(l->to, "0x%04x ", p->pkey[k]);
    fprintf(l->to, "\n");
    return true;
}

static bool do_counters(struct line *l)
{
    const struct iba_hdr_info *layout = &iba_mad_layouts[IBA_M_portcounters_ext];
    uint8_t wire[IBA_BYTES_portcounters_ext];

    if (!port_of(l))
        return false;
    iba_node_count_wait(&subnet_node(l->s, l->node)->n, l->port, subnet_now(l->s));
    iba_layout_put(layout, &subnet_node(l->s, l->node)->n.port[l->port].counters, wire);
    for (unsigned i = 0; i < layout->n_field; i++)
        if (layout->field[i].bits == 64)
            fprintf(l->to, "%s\t%" PRIu64 "\n", layout->field[i].name, iba_field_get(&layout->field[i], wire));
    return true;
}

static bool do_pull(struct line *l)
{
    return port_of(l) && (subnet_cable(l->s, l->node, l->port, false) || wrong(l, "the port has no cable"));
}

static bool do_plug(struct line *l)
{
    return port_of(l) && (subnet_cable(l->s, l->node, l->port, true) || wrong(l, "the port has no cable"));
}

static bool do_routes(struct line *l)
{
    const struct iba_node *n;

    if (!node_of(l))
        return false;
    n = &subnet_node(l->s, l->node)->n;
    routers_print(n, l->to);
    for (unsigned lid = 1; iba_node_is_switch(n) && lid <= n->sw.linearfdbtop && lid < n->cfg.lft; lid++)
        if (n->lft[lid] != IBA_NO_PORT)
            fprintf(l->to, "%u\t%u\n", lid, n->lft[lid]);
    return true;
}

/* Reads a number up to `most` from word i. */
static bool number_of(struct line *l, unsigned i, unsigned long most, unsigned long *value)
{
    char *end;

    *value = strtoul(l->word[i], &end, 0);
    return (*end == '\0' && end != l->word[i] && *value <= most) || wrong(l, "the number is none, or too large");
}

static const char *name_of(const struct line *l, size_t node)
{
    return subnet_node(l->s, node)->from->id;
}

static void print_path(const struct line *l, const struct probe *p)
{
    for (unsigned i = 0; i < p->hops; i++)
        fprintf(l->to, "%s\t%u\n", name_of(l, p->path[i].node), p->path[i].port);
    fprintf(l->to, "%s", probe_result_name(p->result));
    if (p->result == PROBE_DELIVERED || p->result == PROBE_ASTRAY)
        fprintf(l->to, "\t%s %u", name_of(l, p->end.node), p->end.port);
    fprintf(l->to, "\n");
}

static bool do_send(struct line *l)
{
    struct probe p;
    unsigned long lid;

    if (!port_of(l) || !number_of(l, 3, UINT16_MAX, &lid))
        return false;
    if (iba_node_is_switch(&subnet_node(l->s, l->node)->n))
        return wrong(l, "a switch sends no data");
    probe_send(l->s, (struct probe_port){l->node, l->port}, (uint16_t)lid, 0, &p);
    print_path(l, &p);
    return true;
}

/* ---- routers ---- */

static bool router_of(struct line *l)
{
    if (!node_of(l))
        return false;
    return subnet_node(l->s, l->node)->n.cfg.type == IBA_NODE_ROUTER || wrong(l, "the node is no router");
}

/* Adds a route. Words 1 to 4 are NODE PORT GID/BITS LID. */
static bool do_route(struct line *l)
{
    struct iba_route r = {0};
    unsigned long lid;

    if (!router_of(l) || !port_of(l) || !number_of(l, 4, UINT16_MAX, &lid))
        return false;
    if (!routers_read_gid(l->word[3], &r))
        return wrong(l, "want GID/BITS, such as fec0:0:0:1::/64");
    r.port = l->port;
    r.dlid = (uint16_t)lid;
    return routers_add(&subnet_node(l->s, l->node)->n, &r) || wrong(l, "the router has no room for more routes");
}

static bool do_learn(struct line *l)
{
    int learned;

    if (!router_of(l))
        return false;
    learned = routers_learn(l->s, l->node);
    if (learned < 0)
        return wrong(l, "the router has no room for more routes");
    fprintf(l->to, "routes\t%d\n", learned);
    return true;
}

/* Sends a packet through a router. Words 1 to 5 are the node and port it comes from, the node and port it goes to,
 * and its hop limit. */
static bool do_across(struct line *l)
{
    struct probe_port from, to;
    unsigned long hop_limit;
    uint16_t router;
    struct probe p;

    if (!port_of(l) || !number_of(l, 5, UINT8_MAX, &hop_limit))
        return false;
    from = (struct probe_port){l->node, l->port};
    l->word[1] = l->word[3];
    l->word[2] = l->word[4];
    if (!port_of(l))
        return false;
    to = (struct probe_port){l->node, l->port};
    if (!subnet_is_end(&subnet_node(l->s, from.node)->n, from.port) ||
        !subnet_is_end(&subnet_node(l->s, to.node)->n, to.port))
        return wrong(l, "want ports of adapters that have LIDs");
    router = routers_lid(l->s, from.node, from.port);
    if (!router)
        return wrong(l, "no router of the first port's subnet has a LID");
    probe_send_global(l->s, from, to, router, (uint8_t)hop_limit, &p);
    print_path(l, &p);
    return true;
}

/* ---- lanes ---- */

static bool do_pairs(struct line *l)
{
    struct probe_sum sum;

    probe_pairs(l->s, 0, &sum);
    fprintf(l->to, "packets\t%" PRIu64 "\n", sum.packets);
    for (unsigned r = PROBE_DELIVERED; r <= PROBE_LOST; r++)
        fprintf(l->to, "%s\t%" PRIu64 "\n", probe_result_name((enum probe_result)r), sum.by_result[r]);
    fprintf(l->to, "hops\t%" PRIu64 "\nmost_hops\t%u\n", sum.hops, sum.most_hops);
    return true;
}

/* Prints for each operational lane how many blocks this end may still send, how many the other end may, and what
 * waits. */
static bool do_credits(struct line *l)
{
    const struct iba_node *n;
    const struct iba_node_port *p;

    if (!port_of(l))
        return false;
    n = &subnet_node(l->s, l->node)->n;
    p = &n->port[l->port];
    if (!p->credits)
        return wrong(l, "the port's link is down, or counts no credits (--credits)");
    fprintf(l->to, "lane\tsent\tlimit\tcredits\twaiting\tbuffer\theld\n");
    for (unsigned vl = 0; vl < iba_vls_of(p->info.operationalvls); vl++) {
        const struct iba_lane *lane = &p->lane[vl];
        fprintf(l->to, "%u\t%u\t%u\t%u\t%u\t%u\t%u\n", vl, lane->sent, lane->limit, iba_node_credits(p, vl),
                p->queue[vl].n, n->cfg.buffer, lane->held);
    }
    return true;
}

static void print_loop(const struct line *l, const struct lane_loop *loop)
{
    for (unsigned i = 0; i < loop->n; i++)
        fprintf(l->to, "%s\t%u\tlane %u\n", name_of(l, loop->at[i].node), loop->at[i].port, loop->at[i].vl);
    if (loop->n == LOOP_MOST)
        fprintf(l->to, "and more\n");
}

/* Looks for a loop in the routes of the service level that word 1 names. */
static bool do_loops(struct line *l)
{
    enum { SL_MOST = 15 };
    struct lane_loop loop;
    unsigned long sl;

    if (!number_of(l, 1, SL_MOST, &sl))
        return false;
    if (!loops_in_routes(l->s, (uint16_t)(1u << sl), &loop))
        return wrong(l, "no memory");
    fprintf(l->to, "loop\t%u\n", loop.n);
    print_loop(l, &loop);
    return true;
}

static bool do_stalls(struct line *l)
{
    struct stalls found;

    if (!stalls_find(l->s, &found))
        return wrong(l, "no memory");
    fprintf(l->to, "waiting\t%zu\nstuck\t%zu\nloop\t%u\n", found.waiting, found.stuck, found.loop.n);
    print_loop(l, &found.loop);
    return true;
}

/* Sends traffic between all adapters. Words 1 to 3 are the number of packets of each pair, a service level and a
 * static rate; word 4 requests flow-control packets as on real links. */
static bool do_flood(struct line *l)
{
    enum { SL_MOST = 15, PACKETS_MOST = 1000000 };
    struct flood_config c = {.payload_most = 4096};
    struct flood_sum sum;
    unsigned long packets, sl, ipd;

    if (!number_of(l, 1, PACKETS_MOST, &packets) || !number_of(l, 2, SL_MOST, &sl) || !number_of(l, 3, UINT8_MAX, &ipd))
        return false;
    if (l->n > 5 || (l->n == 5 && strcmp(l->word[4], "intervals") != 0))
        return wrong(l, "want intervals, or nothing, after the static rate");
    c.intervals = l->n == 5;
    c.ipd = (uint8_t)ipd;
    c.packets = (uint32_t)packets;
    c.sls = (uint16_t)(1u << sl);
    if (!flood(l->s, &c, &sum))
        return wrong(l, "too many packets, or no memory");
    fprintf(l->to, "sent\t%" PRIu64 "\ndelivered\t%" PRIu64 "\ntwice\t%" PRIu64 "\nastray\t%" PRIu64 "\n", sum.sent,
            sum.delivered, sum.twice, sum.astray);
    fprintf(l->to, "waiting\t%" PRIu64 "\nunsent\t%" PRIu64 "\nlost\t%" PRIu64 "\nns\t%" PRIu64 "\n", sum.waiting,
            sum.unsent, sum.sent - sum.delivered - sum.astray - sum.waiting, (uint64_t)sum.took);
    return true;
}

/* Sends a trap whose notice has the values that the words name, and 0 in all other fields. */
static bool do_trap(struct line *l)
{
    uint8_t details[IBA_BYTES_notice_data] = {0};
    char err[TYPED_ERROR];
    unsigned long trap;
    enum iba_mad_layout layout;

    if (!port_of(l) || !number_of(l, 3, UINT16_MAX, &trap))
        return false;
    layout = iba_trap_details((uint16_t)trap);
    if (layout == IBA_M_notice_data)
        return wrong(l, "no rule has a trap of this number");
    for (unsigned i = 4; i < l->n; i++)
        if (typed_field(layout, l->word[i], details, err))
            return wrong(l, err);
    if (!iba_node_notice(&subnet_node(l->s, l->node)->n,
                         iba_node_is_switch(&subnet_node(l->s, l->node)->n) ? 0 : l->port, (uint16_t)trap, details,
                         subnet_now(l->s)))
        return wrong(l, "the port is not Active, knows no subnet manager, or has too many notices waiting");
    subnet_touch(l->s, l->node);
    return true;
}

static bool is_switch(struct line *l)
{
    return node_of(l) && (iba_node_is_switch(&subnet_node(l->s, l->node)->n) || wrong(l, "the node is no switch"));
}

/* Plants a fault in a switch: its tables change although no subnet manager sets them. */
static bool do_reroute(struct line *l)
{
    struct iba_node *n;
    unsigned long lid, port;

    if (!is_switch(l))
        return false;
    n = &subnet_node(l->s, l->node)->n;
    if (!number_of(l, 2, n->cfg.lft - 1UL, &lid) || !number_of(l, 3, IBA_NO_PORT, &port))
        return false;
    if (port > n->cfg.n_port && port != IBA_NO_PORT)
        return wrong(l, "the switch has no such port");
    n->lft[lid] = (uint8_t)port;
    return true;
}

static bool do_relane(struct line *l)
{
    enum { MOST = IBA_VLS - 1 };
    struct iba_node *n;
    unsigned long in, out, sl, vl;

    if (!is_switch(l))
        return false;
    n = &subnet_node(l->s, l->node)->n;
    if (!number_of(l, 2, n->cfg.n_port, &in) || !number_of(l, 3, n->cfg.n_port, &out) || !number_of(l, 4, MOST, &sl) ||
        !number_of(l, 5, MOST, &vl))
        return false;
    iba_node_sl2vl(n, (uint8_t)in, (uint8_t)out)[sl] = (uint8_t)vl;
    return true;
}

static bool do_lose(struct line *l)
{
    unsigned long one_in;

    if (!port_of(l) || !number_of(l, 3, UINT32_MAX, &one_in))
        return false;
    subnet_lose(l->s, l->node, l->port, (uint32_t)one_in);
    return true;
}

/* Prints how often each row of each rule table decided, summed over all nodes. */
static bool do_rules(struct line *l)
{
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (unsigned i = 0; i < iba_fabric_tables[t]->n; i++) {
            uint64_t hits = 0;
            for (size_t k = 0; k < subnet_nodes(l->s); k++)
                hits += subnet_node(l->s, k)->n.hits[t][i];
            fprintf(l->to, "%s.%s\t%" PRIu64 "\n", iba_fabric_tables[t]->name,
                    iba_fabric_row(iba_fabric_tables[t], i)->name, hits);
        }
    return true;
}

static bool do_help(struct line *l)
{
    console_help(l->to);
    return true;
}

/* clang-format off */
enum { ANY = 0 }; /* any number of words, four or more included */
/*    name        words after it         count  what */
#define COMMANDS(C)                                                                                                    \
    C(nodes,      "",                    1,     "every node: name, kind, ports, GUID")                                 \
    C(port,       "NODE PORT",           3,     "state, addresses, keys and lanes of a port")                          \
    C(counters,   "NODE PORT",           3,     "the counters of a port, in 64 bits")                                  \
    C(routes,     "NODE",                2,     "the forwarding table of a switch or router: LID or GID, port ...")    \
    C(rules,      "",                    1,     "how often each row of each table decided, over all nodes")            \
    C(pull,       "NODE PORT",           3,     "pull the cable of a port")                                            \
    C(plug,       "NODE PORT",           3,     "plug it in again")                                                    \
    C(send,       "NODE PORT LID",       4,     "send a data packet: the ports that it leaves, where it ends")         \
    C(route,      "NODE PORT GID/BITS LID", 5,  "a router sends packets to such GIDs by that port to that LID")        \
    C(learn,      "NODE",                2,     "a router gets a route to each adapter port in its subnets")           \
    C(across,     "NODE PORT NODE PORT HOPS", 6, "send a packet with a GRH by way of the router of its subnet")        \
    C(pairs,      "",                    1,     "send one from each adapter port to each LID of the others: sums")     \
    C(flood,      "PACKETS SL IPD [intervals]", ANY, "every adapter port sends so many to each other at once: sums")   \
    C(credits,    "NODE PORT",           3,     "what each lane of a port may send, and what waits")                   \
    C(loops,      "SL",                  2,     "a credit loop that routes of the SL allow: its ports and lanes")      \
    C(stalls,     "",                    1,     "lanes that wait for credits, and the credit loop that stops them")    \
    C(reroute,    "NODE LID PORT",       4,     "a fault: the switch's table has another port; 255: none")             \
    C(relane,     "NODE IN OUT SL VL",   6,     "a fault: the switch sends the SL on another lane; 15: on none")       \
    C(lose,       "NODE PORT N",         4,     "a fault: one in N packets that leave by the port is lost, at random; 0: none")   \
    C(trap,       "NODE PORT NUMBER [FIELD=VALUE]...", ANY, "the node's agent sends this notice until it is repressed")    \
    C(help,       "",                    1,     "this")
/* clang-format on */

void console_help(FILE *to)
{
#define HELP(name, words, count, what) fprintf(to, "  %-9s%-35s%s\n", #name, words, what);
    COMMANDS(HELP)
    fprintf(to, "  %-9s%-35s%s\n", "quit", "", "end");
}

static const struct {
    const char *name;
    unsigned words;
    bool (*run)(struct line *l);
} commands[] = {
#define COMMAND(name, words, count, what) {#name, count, do_##name},
    COMMANDS(COMMAND)};

enum console_result console_line(struct subnet *s, char *text, FILE *to)
{
    struct line l = {.s = s, .to = to};
    enum console_result r = CONSOLE_WRONG;
    char *rest = text, *word;

    while (l.n < WORDS && (word = strtok_r(rest, " \t\r\n", &rest)) != NULL)
        l.word[l.n++] = word;
    if (l.n == 0)
        return CONSOLE_DONE;
    if (strcmp(l.word[0], "quit") == 0)
        return CONSOLE_QUIT;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(l.word[0], commands[i].name) == 0) {
            if (commands[i].words == ANY ? l.n < 4 : commands[i].words != l.n)
                (void)wrong(&l, "the command wants other words; see help");
            else if (commands[i].run(&l))
                r = CONSOLE_DONE;
            fprintf(to, "\n");
            return r;
        }
    (void)wrong(&l, "no such command; see help");
    fprintf(to, "\n");
    return r;
}
