/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture.h"

static void found(void *ctx, const struct iba_finding *f)
{
    struct capture *c = ctx;

    c->last = *f;
    if (c->n < sizeof c->all / sizeof *c->all)
        c->all[c->n] = *f;
    c->n++;
    /* each finding has the tag, the time and the PSN of its frame, and the tag of the frame that it names */
    cr_expect_eq(f->tag, TAG(f->frame));
    cr_expect_eq(f->at, c->frame[f->frame].at);
    cr_expect_eq(f->psn.v, c->frame[f->frame].psn);
    cr_expect_eq(f->cause_tag, f->cause ? TAG(f->cause) : 0);
    if (f->cause && f->kind != IBA_FINDING_LANE_STALL)
        cr_expect_eq(f->wait_ns, f->kind == IBA_FINDING_ROUTE_LOOP ? 0 : f->at - c->frame[f->cause].at);
    c->kinds |= UINT64_C(1) << (f->kind - IBA_FINDING_FIRST_FABRIC);
}

void capture(struct capture *c, uint32_t iface, size_t n)
{
    struct packet *p = &c->packet;

    c->cap.iface = c->by_source ? 0 : iface;
    p->source = c->by_source ? iface : 0;
    c->now += 1000;
    p->cap = &c->cap;
    p->number++;
    (void)iba_view_parse(&p->view, IBA_LINK_IB, c->bytes, n, n, NULL);
    iba_view_check(&p->view);
    cr_assert_lt(p->number, sizeof c->frame / sizeof *c->frame);
    c->frame[p->number].at = c->now;
    c->frame[p->number].psn = iba_view_has(&p->view, IBA_H_bth) ? (uint32_t)iba_bth_psn(iba_view_bth(&p->view)) : 0;
    links_packet(c->links, &(struct links_sighting){.p = p, .tag = TAG(p->number), .now = c->now});
}

void shoot(struct capture *c, uint32_t iface, const struct iba_mgmt_to *to, uint8_t vl, const uint8_t *mad)
{
    capture(c, iface, iba_mgmt_build(c->bytes, to, vl, mad));
}

/* The route to S by its port 1, and on to T by the cable between their ports 2 and 4. */
static const struct route usual_route = {
    .out = {PORT_OF_ADAPTER, 2}, .in = {1, 4}, .request = {0, 2}, .answer = {1, 4}};

static const struct route *route_of(const struct smp *x)
{
    return x->by ? x->by : &usual_route;
}

void smp(struct capture *c, uint32_t iface, const struct smp *x, bool back, uint8_t pointer)
{
    static const struct iba_mgmt_to to = {.dlid = UINT16_MAX, .slid = UINT16_MAX, .pkey = UINT16_MAX};
    const struct route *by = route_of(x);
    uint8_t mad[IBA_MAD_BYTES] = {1, DIRECTED, 1};

    iba_madhdr_set_method(mad, x->method);
    mad[4] = back ? 0x80 : 0;
    mad[5] = x->status;
    mad[6] = x->pointer_at ? x->pointer_at : pointer;
    mad[7] = x->hops;
    iba_madhdr_set_transactionid(mad, c->transaction);
    iba_madhdr_set_attributeid(mad, x->attribute);
    iba_madhdr_set_attributemodifier(mad, x->modifier);
    iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, x->key);
    memset(mad + 32, 0xff, 4); /* no part by LID */
    if (x->data)
        memcpy(mad + 64, x->data, 64);
    memcpy(mad + 129, by->out, x->hops);
    memcpy(mad + 193, by->in, back ? x->hops : pointer - 1U);
    shoot(c, iface, &to, VL15, mad);
}

void ask_only(struct capture *c, const struct smp *request)
{
    c->transaction++;
    for (uint8_t i = 0; i < request->hops; i++)
        smp(c, route_of(request)->request[i], request, false, i + 1);
}

void ask(struct capture *c, const struct smp *request, const uint8_t *answer)
{
    struct smp x = *request;

    ask_only(c, request);
    x.method = GET_RESP;
    x.data = answer;
    for (uint8_t i = x.hops; i > 0; i--)
        smp(c, route_of(request)->answer[i - 1], &x, true, i);
}

void node(struct capture *c, uint64_t guid, uint8_t hops, uint8_t port)
{
    uint8_t info[64] = {0};

    iba_nodeinfo_set_nodetype(info, 2);
    iba_nodeinfo_set_numports(info, 8);
    iba_nodeinfo_set_nodeguid(info, guid);
    iba_nodeinfo_set_localportnum(info, port);
    ask(c, &(struct smp){.method = GET, .hops = hops, .attribute = NODE_INFO}, info);
}

void tell(struct capture *c, const struct told *t, uint8_t method)
{
    uint8_t info[64] = {0}, routes[64], lanes[64] = {0}, keys[64] = {0}, port[64] = {0};

    iba_switchinfo_set_linearfdbtop(info, t->top);
    iba_switchinfo_set_partitionenforcementcap(info, 32);
    memset(routes, 255, sizeof routes);
    routes[LID] = t->port;
    lanes[0] = (uint8_t)(t->vl << 4);
    keys[0] = (uint8_t)(t->key >> 8);
    keys[1] = (uint8_t)t->key;
    iba_portinfo_set_operationalvls(port, 3);
    iba_portinfo_set_partitionenforcementinbound(port, t->enforce);
    iba_portinfo_set_partitionenforcementoutbound(port, t->enforce);
    ask(c, &(struct smp){.method = method, .hops = 1, .attribute = SWITCH_INFO, .data = info}, info);
    ask(c, &(struct smp){.method = method, .hops = 1, .attribute = ROUTES, .data = routes}, routes);
    for (uint32_t out = 1; out <= 3; out++) {
        ask(c, &(struct smp){.method = method, .hops = 1, .attribute = PORT_INFO, .modifier = out, .data = port}, port);
        ask(c, &(struct smp){.method = method, .hops = 1, .attribute = LANES, .modifier = 1U << 8 | out, .data = lanes},
            lanes);
        ask(c, &(struct smp){.method = method, .hops = 1, .attribute = P_KEYS, .modifier = out << 16, .data = keys},
            keys);
    }
}

const struct told usual = {.port = 2, .key = 0xffff, .top = 20};

void begin(struct capture *c)
{
    begin_as(c, false);
}

void begin_unknown(struct capture *c)
{
    memset(c, 0, sizeof *c);
    c->links = links_open(&(struct links_config){.report = found, .ctx = c});
    cr_assert(c->links);
}

void begin_as(struct capture *c, bool by_source)
{
    begin_unknown(c);
    c->by_source = by_source;
    node(c, S, 1, 1); /* the second packet is of another interface: from then on interfaces become ports */
    node(c, S, 1, 1);
    node(c, T, 2, 4);
    tell(c, &usual, SET);
}

void data(struct capture *c, uint32_t iface, uint16_t lid, uint32_t psn, uint8_t vl)
{
    static const uint8_t nothing[IBA_MAD_BYTES];
    const struct iba_mgmt_to to = {
        .dlid = lid, .slid = FROM, .dqp = 77, .sqp = 77, .psn = psn, .pkey = c->p_key ? c->p_key : 0xffff, .sl = c->sl};

    shoot(c, iface, &to, vl, nothing);
}

void end(struct capture *c, uint64_t kinds, unsigned n)
{
    links_end(c->links, c->now);
    cr_expect_eq(c->kinds, kinds, "%#llx, not %#llx", (unsigned long long)c->kinds, (unsigned long long)kinds);
    cr_expect_eq(c->n, n, "%u findings", c->n);
    links_close(c->links);
}
