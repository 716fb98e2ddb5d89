/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/managed.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"
#include "track/smp.h"

enum { NOTICE = 2, SM_INFO = 0x20, HANDOVER = 1 }; /* attributes; a modifier of SMInfo */
enum { GET_IS_REFUSED = 2 };                       /* protection level of an M_Key */
/* a time of 4.096 us, to be multiplied by 2^RespTimeValue (KM-33) */
enum { RESPONSE_NS = 4096 };

/* A datagram on one link. */
struct sight {
    const struct managed_sighting *s;
    const uint8_t *mad;
    const struct fabric_sender *on;
    unsigned method, attribute;
    uint16_t slid;
};

/* `slid`: the source LID of the datagram that has this place. */
static struct managed_seen *place_of(struct managed *m, const struct sight *x, uint16_t slid)
{
    return &m->seen[(iba_madhdr_transactionid(x->mad) ^ slid) % MANAGED_SEEN];
}

static struct iba_obs_mark frame_of(const struct sight *x)
{
    return (struct iba_obs_mark){x->s->p->number, x->s->tag, x->s->now};
}

static struct managed_seen seen_now(const struct sight *x, uint8_t kind)
{
    return (struct managed_seen){.transaction = iba_madhdr_transactionid(x->mad),
                                 .sent = frame_of(x),
                                 .on = x->on,
                                 .slid = x->slid,
                                 .kind = kind};
}

static bool is_known(const struct managed_seen *seen, const struct sight *x, uint8_t kind)
{
    return seen->on && seen->kind == kind && seen->transaction == iba_madhdr_transactionid(x->mad) &&
           seen->slid == x->slid;
}

static void report(const struct sight *x, uint8_t kind, const struct iba_obs_mark *cause)
{
    const struct packet *p = x->s->p;
    struct iba_finding f = {.kind = kind,
                            .frame = p->number,
                            .tag = x->s->tag,
                            .at = x->s->now,
                            .psn = iba_psn_of((uint32_t)iba_bth_psn(iba_view_bth(&p->view)))};

    if (cause) {
        f.cause = cause->frame;
        f.cause_tag = cause->tag;
        f.wait_ns = x->s->now - cause->at;
    }
    x->s->report(x->s->ctx, &f);
}

/* PortInfo of the port that decides about the M_Key, as the port's agent answered last. For a switch it is port 0.
 * NULL: not known. */
static const uint8_t *info_of(const struct fabric *f, const struct fabric_port *at)
{
    const struct fabric_node *n = fabric_node_of(f, at);
    const struct fabric_table *t =
        fabric_table(f, at->key.node, FABRIC_PORT_INFO, n->type == FABRIC_SWITCH ? 0 : at->key.number);

    if (!t && n->ports == 1)
        t = fabric_table(f, at->key.node, FABRIC_PORT_INFO, 0);
    return t ? t->data : NULL;
}

/* Whether the port has an M_Key, and the datagram another one. */
static bool has_other_key(const struct sight *x, const uint8_t *info)
{
    const uint64_t key = iba_portinfo_m_key(info);

    return key != 0 && key != iba_smplid_mkey(x->mad + IBA_BYTES_madhdr);
}

/* ---- traps ---- */

/* Each transmission of a trap is captured once on each link of its path. A trap that is captured twice on the first
 * link was therefore sent again. */
static void trap(struct managed *m, const struct sight *x)
{
    struct managed_seen *seen = place_of(m, x, x->slid), now = seen_now(x, IBA_FINDING_TRAP_AGAIN);

    memcpy(now.content, x->mad + SMP_DATA_AT, sizeof now.content);
    if (!is_known(seen, x, now.kind) || memcmp(seen->content, now.content, sizeof now.content) != 0) {
        *seen = now;
    } else if (seen->on == x->on) {
        const bool ended = seen->repress.frame && x->s->now >= seen->ended;
        report(x, ended ? IBA_FINDING_TRAP_REPRESSED : IBA_FINDING_TRAP_AGAIN, ended ? &seen->repress : &seen->sent);
        seen->sent = now.sent;
    }
}

/* Ports of a switch share its agent. */
static bool same_agent(const struct fabric *f, const struct fabric_port *a, const struct fabric_port *b)
{
    return a && b && (a == b || (a->key.node == b->key.node && fabric_node_of(f, a)->type == FABRIC_SWITCH));
}

static bool is_repress_of(const struct managed_seen *seen, const struct sight *x, uint16_t agent)
{
    return seen->kind == IBA_FINDING_TRAP_AGAIN && seen->slid == agent &&
           (uint32_t)seen->transaction == (uint32_t)iba_madhdr_transactionid(x->mad) &&
           memcmp(seen->content, x->mad + SMP_DATA_AT, sizeof seen->content) == 0;
}

/* Notes a TrapRepress on the last link of its path, into the agent that sent the trap. With the right M_Key it ends the
 * repetition of the trap (KM-61), once the response time that the agent states has passed. */
static void repress(struct managed *m, const struct sight *x)
{
    const struct fabric *f = x->s->fabric;
    const uint16_t agent = (uint16_t)iba_lrh_dlid(iba_view_hdr(&x->s->p->view, IBA_H_lrh));
    struct managed_seen *seen = place_of(m, x, agent);
    const struct fabric_port *far = fabric_far(f, x->on);

    if (!is_repress_of(seen, x, agent) || seen->repress.frame || !same_agent(f, far, fabric_near(f, seen->on)))
        return;
    const uint8_t *info = info_of(f, far);
    if (!info || has_other_key(x, info))
        return;
    seen->repress = frame_of(x);
    seen->ended = x->s->now + ((iba_time)RESPONSE_NS << iba_portinfo_resptimevalue(info));
}

/* ---- managers ---- */

static void handover(struct managed *m, const struct sight *x)
{
    struct managed_seen *seen = place_of(m, x, x->slid);

    if (is_known(seen, x, IBA_FINDING_SM_HANDOVER))
        return;
    *seen = seen_now(x, IBA_FINDING_SM_HANDOVER);
    report(x, IBA_FINDING_SM_HANDOVER, NULL);
}

/* ---- M_Keys ---- */

static void request(struct managed *m, const struct sight *x)
{
    const struct fabric_port *far = fabric_far(x->s->fabric, x->on);
    const uint8_t *info = far ? info_of(x->s->fabric, far) : NULL;

    if (!info || !has_other_key(x, info) ||
        (x->method == IBA_METHOD_GET && iba_portinfo_m_keyprotectbits(info) < GET_IS_REFUSED))
        return;
    report(x, IBA_FINDING_M_KEY_OTHER, NULL);
    if (x->method != IBA_METHOD_SET)
        return;
    struct managed_seen *seen = place_of(m, x, x->slid);
    *seen = seen_now(x, IBA_FINDING_M_KEY_OTHER);
    seen->node = far->key.node;
}

static void answer(struct managed *m, const struct sight *x)
{
    struct managed_seen *seen = place_of(m, x, x->slid);
    const struct fabric_port *near = fabric_near(x->s->fabric, x->on);

    if (!near || !is_known(seen, x, IBA_FINDING_M_KEY_OTHER) || seen->node != near->key.node)
        return;
    report(x, IBA_FINDING_M_KEY_IGNORED, &seen->sent);
    seen->on = NULL;
}

static void directed(struct managed *m, const struct sight *x)
{
    const bool back = smp_goes_back(x->mad);

    if (x->mad[SMP_HOPS_AT] == 0 || x->mad[SMP_POINTER_AT] != x->mad[SMP_HOPS_AT])
        return;
    if (!back && (x->method == IBA_METHOD_GET || x->method == IBA_METHOD_SET || x->method == IBA_METHOD_TRAP_REPRESS) &&
        x->attribute != SM_INFO)
        request(m, x);
    else if (back && x->method == IBA_METHOD_GET_RESP && smp_is_good(x->mad))
        answer(m, x);
}

void managed_packet(struct managed *m, const struct managed_sighting *s)
{
    const struct iba_view *v = &s->p->view;
    struct iba_mad mad;

    if (!iba_view_has(v, IBA_H_lrh) || iba_view_is_damaged(v) || !iba_mad_of(&mad, v) || mad.captured < IBA_MAD_BYTES)
        return;
    const struct sight x = {.s = s,
                            .mad = mad.wire,
                            .on = fabric_sender(s->fabric, s->p),
                            .method = iba_madhdr_method(mad.wire),
                            .attribute = iba_madhdr_attributeid(mad.wire),
                            .slid = (uint16_t)iba_lrh_slid(iba_view_hdr(v, IBA_H_lrh))};
    const unsigned class = iba_madhdr_mgmtclass(x.mad);
    if (!x.on || (class != IBA_CLASS_SMP && class != IBA_CLASS_DIRECTED))
        return;
    if (x.method == IBA_METHOD_SET && x.attribute == SM_INFO && iba_madhdr_attributemodifier(x.mad) == HANDOVER)
        handover(m, &x);
    else if (class == IBA_CLASS_SMP && x.method == IBA_METHOD_TRAP && x.attribute == NOTICE)
        trap(m, &x);
    else if (class == IBA_CLASS_SMP && x.method == IBA_METHOD_TRAP_REPRESS && x.attribute == NOTICE)
        repress(m, &x);
    else if (class == IBA_CLASS_DIRECTED)
        directed(m, &x);
}
