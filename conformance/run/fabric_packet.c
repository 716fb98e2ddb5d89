/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that the tester sends on the wires of a subnet: the values of fields that a line does not name. */
#include <string.h>
#include "run/fabric.h"
#include "wire/iba_build.h"

enum { DATA_AT = 64, PERMISSIVE = 0xffff, DATA_QP = 2, DATA_QKEY = 0x11111111, DEFAULT_PKEY = 0xffff, VL15 = 15 };

static bool is_gmp(const struct ibc_step *s)
{
    return s->message && ibc_smp_attr(s->message)->group != IBA_GROUP_SMP;
}

static bool is_congestion(const struct ibc_step *s)
{
    return ibc_smp_attr(s->message)->group == IBA_GROUP_CC;
}

static bool is_administration(const struct ibc_step *s)
{
    return ibc_smp_attr(s->message)->group == IBA_GROUP_SA;
}

static bool names_lid(const struct ibc_step *s)
{
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBA_H_lrh && strcmp(s->arg[i].field->name, "dlid") == 0)
            return true;
    return false;
}

/* SMPs take a directed route unless the line names a LID. */
static bool is_directed(const struct ibc_step *s)
{
    return s->message && !is_gmp(s) && !names_lid(s);
}

static unsigned class_of(const struct ibc_step *s)
{
    if (!is_gmp(s))
        return is_directed(s) ? IBA_CLASS_DIRECTED : IBA_CLASS_SMP;
    if (is_congestion(s))
        return IBA_CLASS_CONGESTION;
    if (is_administration(s))
        return IBA_CLASS_SA;
    return ibc_smp_attr(s->message)->group == IBA_GROUP_BM ? IBA_CLASS_BASEBOARD : IBA_CLASS_PERF;
}

static uint64_t key_of_node(const struct run_live *w, enum ibc_key key, uint64_t otherwise)
{
    return ibc_arg_n(w->node->o->arg, w->node->o->n_arg, key, otherwise);
}

static uint16_t lid_of(const struct run_live *w)
{
    const bool adapter = w->node->kind != IBC_O_switch && w->port > 0;
    const unsigned lmc = (unsigned)key_of_node(w, IBC_K_lmc, 0);

    return (uint16_t)(key_of_node(w, IBC_K_lid, 1) + (adapter ? (w->port - 1u) << lmc : 0));
}

static void put_lrh(const struct run_player *p, const struct ibc_step *s, const struct run_live *w, uint8_t *lrh)
{
    const uint16_t host = (uint16_t)(RUN_FIRST_HOST + (w->port ? w->port : 1));
    const uint16_t node = p->managed ? run_lid(p, w->node) : lid_of(w);

    iba_lrh_set_slid(lrh, is_directed(s) ? PERMISSIVE : w->port ? host : node);
    iba_lrh_set_dlid(lrh, is_directed(s) ? PERMISSIVE : w->port ? node : host);
    iba_lrh_set_vl(lrh, s->message && !is_gmp(s) ? VL15 : 0);
}

/* Writes the GRH of a packet from the host at this port to the host at port 2, in the subnets that a router joins. */
static void put_grh(const struct run_live *w, uint8_t *grh)
{
    enum { HOPS = 64, OTHER_PORT = 2 };
    const uint8_t from[] = {0xfe, 0xc0, 0, 0, 0, 0, 0, w->port, 0, 0, 0, 0, 0, 0, 0, 1};
    const uint8_t to[] = {0xfe, 0xc0, 0, 0, 0, 0, 0, OTHER_PORT, 0, 0, 0, 0, 0, 0, 0, 1};

    iba_grh_set_hoplmt(grh, HOPS);
    iba_grh_set_sgid(grh, from);
    iba_grh_set_dgid(grh, to);
}

void run_wire_defaults(const struct run_player *p, const struct ibc_step *s, const struct run_live *w,
                       struct iba_recipe *r)
{
    uint8_t *h = iba_recipe_part(r, IBA_H_lrh);
    const unsigned qp = !s->message ? DATA_QP : is_gmp(s) ? 1 : 0;

    if (h)
        put_lrh(p, s, w, h);
    if ((h = iba_recipe_part(r, IBA_H_grh)))
        put_grh(w, h);
    if ((h = iba_recipe_part(r, IBA_H_bth))) {
        iba_bth_set_p_key(h, DEFAULT_PKEY);
        iba_bth_set_destqp(h, qp);
    }
    if ((h = iba_recipe_part(r, IBA_H_deth))) {
        iba_deth_set_q_key(h, !s->message ? (uint32_t)DATA_QKEY : is_gmp(s) ? IBA_GSI_QKEY : 0);
        iba_deth_set_srcqp(h, qp);
    }
}

/* ---- flow control ---- */

bool run_build_flow(struct run_player *p, const struct ibc_step *s, struct run_packet *k)
{
    static const struct run_context none;
    uint8_t *frame = run_alloc(&p->arena, IBA_BYTES_fc);
    bool crc = true;

    if (!frame)
        return run_error(p, s, "out of memory");
    memset(frame, 0, IBA_BYTES_fc);
    for (unsigned i = 0; i < s->n_arg; i++) {
        const struct ibc_arg *a = &s->arg[i];
        if (a->key != IBC_K_FIELD || a->hdr != IBA_H_fc)
            continue;
        iba_field_put(a->field, frame, run_value(p, &a->v[0], &none));
        crc = crc && strcmp(a->field->name, "lpcrc") != 0;
    }
    if (crc)
        iba_put_le16(frame + IBA_BYTES_fc - sizeof(uint16_t), iba_lpcrc(frame));
    k->frame = frame;
    k->len = IBA_BYTES_fc;
    iba_view_parse(&k->view, p->t->framing, frame, k->len, k->len, NULL);
    iba_view_check(&k->view);
    return true;
}

/* ---- datagrams ---- */

/* Writes a directed route of one hop, from the tester's port to the node. Packets of the node's own software begin
 * their route at the node. */
static void put_route(const struct run_live *w, uint8_t *mad)
{
    enum { POINTER_AT = 6, COUNT_AT = 7, PATH_AT = 128 };
    uint8_t *route = mad + IBA_BYTES_madhdr;

    iba_smp_route_set_drslid(route, PERMISSIVE);
    iba_smp_route_set_drdlid(route, PERMISSIVE);
    mad[POINTER_AT] = w->port ? 1 : 0;
    mad[COUNT_AT] = 1;
    mad[PATH_AT + 1] = 1;
}

/* Fills in a PortInfo as a subnet manager writes it: it requests no change of state, and all its other fields are
 * valid. */
static void put_usual_portinfo(const struct run_live *w, uint8_t *data)
{
    enum { NO_LIFETIME = 31, USUAL_TIMEOUT = 18 };
    const struct iba_portinfo i = {.guid = UINT64_C(0xfe80000000000000),
                                   .m_key = key_of_node(w, IBC_K_mkey, 0),
                                   .lid = lid_of(w),
                                   .lmc = (uint8_t)key_of_node(w, IBC_K_lmc, 0),
                                   .mastersmlid = (uint16_t)key_of_node(w, IBC_K_sm, RUN_FIRST_HOST + 1),
                                   .m_keyprotectbits = (uint8_t)key_of_node(w, IBC_K_protect, 0),
                                   .m_keyleaseperiod = (uint16_t)key_of_node(w, IBC_K_lease, 0),
                                   .neighbormtu = IBA_MTU_4096,
                                   .hoqlife = NO_LIFETIME,
                                   .subnettimeout = USUAL_TIMEOUT};

    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &i, data);
}

/* Begins with the data that were read, and clears fields that are commands and not settings, since a manager that
 * writes back what it read gives no command. */
static void put_base(const struct run_player *p, const struct ibc_step *s, uint8_t *data)
{
    enum { NODE_PORTINFO = 0x15, NODE_SWITCHINFO = 0x12 };
    const struct iba_mad_attr *a = ibc_smp_attr(s->message);

    memcpy(data, p->smp_base + DATA_AT, IBA_MAD_BYTES - DATA_AT);
    if (a->group != IBA_GROUP_SMP)
        return;
    if (a->id == NODE_PORTINFO) {
        iba_portinfo_set_portstate(data, 0);
        iba_portinfo_set_portphysicalstate(data, 0);
    }
    if (a->id == NODE_SWITCHINFO)
        iba_switchinfo_set_portstatechange(data, 0);
}

/* Whether the field belongs to the request of a line that reads; all other fields belong to the response. */
static bool is_asked(const struct ibc_arg *a)
{
    return a->at < DATA_AT || strcmp(a->name, "portselect") == 0;
}

static void put_fields(struct run_player *p, const struct ibc_step *s, uint8_t *mad)
{
    static const struct run_context none;

    for (unsigned i = 0; i < s->n_arg; i++) {
        const struct ibc_arg *a = &s->arg[i];
        if (a->key != IBC_K_FIELD || a->hdr != IBC_H_MAD || (s->asks && !is_asked(a)))
            continue;
        if (a->v[0].kind == IBC_V_BYTES)
            memcpy(mad + a->at + a->field->at / 8, a->v[0].bytes,
                   a->v[0].n_bytes < a->field->bits / 8u ? a->v[0].n_bytes : a->field->bits / 8u);
        else
            iba_field_put(a->field, mad + a->at, run_value(p, &a->v[0], &none));
    }
}

void run_smp_fill(struct run_player *p, const struct ibc_step *s, struct run_live *w, uint8_t mad[IBA_MAD_BYTES])
{
    enum { PORTINFO = 0x15, TRAP_REPRESS = 7, LATER_VERSION = 2, RMPP_AT = 24 };
    const struct iba_mad_attr *a = ibc_smp_attr(s->message);

    memset(mad, 0, IBA_MAD_BYTES);
    if (p->smp_base)
        put_base(p, s, mad + DATA_AT);
    else if (s->method == IBA_METHOD_SET && a->group == IBA_GROUP_SMP && a->id == PORTINFO)
        put_usual_portinfo(w, mad + DATA_AT);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, class_of(s));
    iba_madhdr_set_classversion(mad, is_congestion(s) || is_administration(s) ? LATER_VERSION : 1);
    iba_madhdr_set_method(mad, s->method);
    iba_madhdr_set_transactionid(mad, s->method == TRAP_REPRESS ? w->trap_tid : ++w->tid);
    iba_madhdr_set_attributeid(mad, a->id);
    if (is_directed(s))
        put_route(w, mad);
    if (is_administration(s))
        mad[RMPP_AT] = 1; /* the version; the datagram is no part of a transfer */
    if (!is_gmp(s))
        iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, key_of_node(w, IBC_K_mkey, 0));
    put_fields(p, s, mad);
    if (s->method != TRAP_REPRESS)
        w->tid = iba_madhdr_transactionid(mad);
}
