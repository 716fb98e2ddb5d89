/* SPDX-License-Identifier: BSD-2-Clause */
/* SMPs on a directed route: the hop pointer says where an SMP is, and where it goes next (section 14.2.2,
 * MD-19..MD-30).
 *
 * The hop pointer counts up to hop count + 1 on the initial path (D = 0), and down to 0 on the return path (D = 1). */
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"

enum { HOP_POINTER_AT = 6, HOP_COUNT_AT = 7, INITIAL_AT = 128, RETURN_AT = 192, MOST_HOPS = 63 };

static unsigned pointer(const struct iba_hop *h)
{
    return h->mad[HOP_POINTER_AT];
}

static unsigned count(const struct iba_hop *h)
{
    return h->mad[HOP_COUNT_AT];
}

static const uint8_t *route(const struct iba_hop *h)
{
    return h->mad + IBA_BYTES_madhdr;
}

static bool returning(const struct iba_hop *h)
{
    return iba_smpdirected_d(h->mad + 4);
}

/* ---- conditions ---- */

static bool no_datagram(const struct iba_hop *h)
{
    return !h->mad;
}

static bool too_many_hops(const struct iba_hop *h)
{
    return count(h) > MOST_HOPS || pointer(h) > count(h) + 1;
}

static bool starts(const struct iba_hop *h)
{
    return !returning(h) && count(h) > 0 && pointer(h) == 0;
}

static bool goes_on(const struct iba_hop *h)
{
    return !returning(h) && pointer(h) > 0 && pointer(h) < count(h);
}

static bool goes_on_at_adapter(const struct iba_hop *h)
{
    return goes_on(h) && !iba_node_is_switch(h->node);
}

static bool ends_before_lids(const struct iba_hop *h)
{
    return !returning(h) && pointer(h) == count(h) && iba_smp_route_drdlid(route(h)) != UINT16_MAX;
}

static bool ends(const struct iba_hop *h)
{
    return !returning(h) && pointer(h) == count(h);
}

static bool ended(const struct iba_hop *h)
{
    return !returning(h) && pointer(h) == count(h) + 1;
}

static bool returns_first(const struct iba_hop *h)
{
    return returning(h) && count(h) > 0 && pointer(h) == count(h) + 1;
}

static bool returns_on(const struct iba_hop *h)
{
    return returning(h) && pointer(h) >= 2;
}

static bool returns_on_at_adapter(const struct iba_hop *h)
{
    return returns_on(h) && !iba_node_is_switch(h->node);
}

static bool returned_before_lids(const struct iba_hop *h)
{
    return returning(h) && pointer(h) == 1 && iba_smp_route_drslid(route(h)) != UINT16_MAX;
}

/* ---- actions ---- */

static void leave_by(struct iba_hop *h, uint8_t port, bool permissive)
{
    const uint16_t lid = permissive ? UINT16_MAX : 0;
    uint16_t from = lid;

    if (permissive && !iba_node_keeps(h->node, IBA_NODE_PERMISSIVE))
        from = iba_node_end_port(h->node, h->in)->info.lid;
    if (port > 0 && port <= h->node->cfg.n_port)
        iba_hop_forward_mad(h, port, lid, from);
}

static void note_return_path(struct iba_hop *h)
{
    if (pointer(h) > 0)
        h->mad[RETURN_AT + pointer(h)] = h->in;
}

/* The directed part of the route begins here, so the SMP gets permissive LIDs. */
static void start(struct iba_hop *h)
{
    h->mad[HOP_POINTER_AT] = 1;
    leave_by(h, h->mad[INITIAL_AT + 1], true);
}

static void go_on(struct iba_hop *h)
{
    note_return_path(h);
    h->mad[HOP_POINTER_AT]++;
    leave_by(h, h->mad[INITIAL_AT + pointer(h)], false);
}

static void by_lid(struct iba_hop *h, uint16_t lid)
{
    const uint8_t out = iba_node_port_to(h->node, h->in, lid);

    if (out != IBA_NO_PORT && (out > 0 || !iba_node_is_switch(h->node)))
        iba_hop_forward_mad(h, out, lid, iba_node_end_port(h->node, h->in)->info.lid);
}

static void end_then_by_lid(struct iba_hop *h)
{
    note_return_path(h);
    h->mad[HOP_POINTER_AT]++;
    by_lid(h, iba_smp_route_drdlid(route(h)));
}

/* The agent answers. The answer goes back along the route; if the route ended with a part by LID, it goes to a LID. */
static void to_agent(struct iba_hop *h)
{
    iba_sma_request(h);
    if (!h->answered)
        return;
    h->own = true;
    if (iba_smp_route_drdlid(route(h)) == UINT16_MAX)
        iba_hop_apply(h, &iba_directed_rules);
    else
        iba_hop_answer_by_lid(h);
}

static void end(struct iba_hop *h)
{
    note_return_path(h);
    h->mad[HOP_POINTER_AT]++;
    to_agent(h);
}

static void return_first(struct iba_hop *h)
{
    h->mad[HOP_POINTER_AT]--;
    leave_by(h, h->mad[RETURN_AT + pointer(h)], true);
}

static void return_on(struct iba_hop *h)
{
    h->mad[HOP_POINTER_AT]--;
    leave_by(h, h->mad[RETURN_AT + pointer(h)], false);
}

static void return_by_lid(struct iba_hop *h)
{
    h->mad[HOP_POINTER_AT]--;
    by_lid(h, iba_smp_route_drslid(route(h)));
}

/* The software reads the hop pointer from the packet, so the packet is written again with the changed one. */
static void return_to_software(struct iba_hop *h)
{
    h->mad[HOP_POINTER_AT] = 0;
    iba_hop_forward_mad(h, IBA_NO_PORT, 0, 0);
}

/* clang-format off */
/*    name                   when                   then                the SMP ...                                                                  clause */
#define DIRECTED_RULES(R)                                                                                                                                      \
    R(no_datagram,           no_datagram,           iba_hop_drop,       "is no whole datagram of 256 bytes",                                          "MD-01") \
    R(too_many_hops,         too_many_hops,         iba_hop_drop,       "has more than 63 hops, or a hop pointer beyond its route",                   "MD-20") \
    R(starts,                starts,                start,              "starts its route here",                                                      "MD-21") \
    R(goes_on_at_adapter,    goes_on_at_adapter,    iba_hop_drop,       "should go on from an adapter, which forwards nothing",                       "MD-22") \
    R(goes_on,               goes_on,               go_on,              "goes on by the next port of its initial path",                               "MD-22") \
    R(ends_before_lids,      ends_before_lids,      end_then_by_lid,    "has reached the end of its route, and goes on by LID",                       "MD-23") \
    R(ends,                  ends,                  end,                "has reached the end of its route: the agent answers",                        "MD-23") \
    R(ended,                 ended,                 to_agent,           "has reached the end of its route before: the agent answers",                 "MD-24") \
    R(returns_first,         returns_first,         return_first,       "starts its way back by the port it came by",                                 "MD-26") \
    R(returns_on_at_adapter, returns_on_at_adapter, iba_hop_drop,       "should go back through an adapter, which forwards nothing",                  "MD-27") \
    R(returns_on,            returns_on,            return_on,          "goes back by the next port of its return path",                              "MD-27") \
    R(returned_before_lids,  returned_before_lids,  return_by_lid,      "has come back along its route, and goes on by LID",                          "MD-27") \
    R(returned,              iba_hop_any,           return_to_software, "is back: it is for the manager's software",                                  "MD-28")
/* clang-format on */
IBA_HOP_TABLE(DIRECTED_RULES, iba_directed_rules, IBA_FABRIC_DIRECTED, "directed", "SMPs on a directed route")
