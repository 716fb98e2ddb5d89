/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates regions, windows, queues and groups by the target's verbs. If the tester is in the middle, every object
 * but a QP is created on both devices. */
#include <string.h>
#include "fabric/iba_port.h"
#include "run/fabric.h"

static const struct ibc_arg *object_arg(const struct ibc_object *o, enum ibc_key key)
{
    return ibc_arg(o->arg, o->n_arg, key);
}

static uint64_t object_n(const struct ibc_object *o, enum ibc_key key, uint64_t otherwise)
{
    return ibc_arg_n(o->arg, o->n_arg, key, otherwise);
}

/* Returns the object that the key names; if the line has no such key, the implicit PD. */
static const struct run_live *named(struct run_player *p, const struct ibc_object *o, enum ibc_key key)
{
    return run_domain_of(p, object_arg(o, key));
}

/* Returns the default access rights, without those that a device refuses because it lacks the capability. */
static uint32_t usual_access(const struct run_player *p, const struct ibc_object *o)
{
    static const struct {
        uint64_t cap;
        uint32_t access;
    } only_with[] = {
        {UINT64_C(1) << IBC_CAP_atomic, IBA_ACCESS_REMOTE_ATOMIC},
        {UINT64_C(1) << IBC_CAP_mw1 | UINT64_C(1) << IBC_CAP_mw2, IBA_ACCESS_MW_BIND},
        {UINT64_C(1) << IBC_CAP_flush, IBA_ACCESS_FLUSH_GLOBAL},
        {UINT64_C(1) << IBC_CAP_persistent, IBA_ACCESS_FLUSH_PERSISTENT},
    };
    uint32_t access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_MW_BIND;

    if (o->line == 0 && strcmp(o->name, "l") == 0)
        return IBA_ACCESS_LOCAL_WRITE;
    for (unsigned i = 0; i < sizeof only_with / sizeof *only_with; i++)
        if (!(p->caps & only_with[i].cap))
            access &= ~only_with[i].access;
    return access;
}

static enum ibc_rc make_pd(struct run_player *p, struct run_live *l, unsigned d)
{
    return p->t->ops->create_pd(p->t, d, &l->id[d]);
}

/* Reads the piece=ADDR:LEN values in order; all pieces have the same stride. */
static void take_pieces(struct run_player *p, const struct ibc_object *o, unsigned d, struct ibc_mr_spec *spec)
{
    const struct run_context c = {.device = (uint8_t)d, .local = true};

    for (unsigned i = 0; i < o->n_arg && spec->n_piece < IBA_MAX_SGE; i++)
        if (o->arg[i].key == IBC_K_piece)
            spec->piece[spec->n_piece++] = (struct iba_piece){.addr = run_value(p, &o->arg[i].v[0], &c),
                                                              .stride = object_n(o, IBC_K_stride, 0),
                                                              .lkey = run_lkey_of(p, &o->arg[i].v[0], d),
                                                              .length = o->arg[i].at};
    spec->rounds = object_n(o, IBC_K_rounds, 1);
}

static enum ibc_rc make_mr(struct run_player *p, struct run_live *l, unsigned d)
{
    enum { USUAL = 65536 };
    const struct ibc_arg *access = object_arg(l->o, IBC_K_access), *iova = object_arg(l->o, IBC_K_iova);
    const struct run_context c = {.device = (uint8_t)d};
    struct ibc_mr_spec spec = {
        .pd = named(p, l->o, IBC_K_pd)->id[d],
        .length = object_n(l->o, IBC_K_length, USUAL),
        .iova = iova ? run_value(p, &iova->v[0], &c) : 0,
        .has_iova = iova != NULL,
        .access = access ? run_access(access) : usual_access(p, l->o),
        .fill = l->o->name[0],
    };
    take_pieces(p, l->o, d, &spec);
    if (spec.n_piece > 0 && !(p->caps >> IBC_CAP_pieces & 1))
        return IBC_UNSUPPORTED;
    const enum ibc_rc rc = p->t->ops->reg_mr(p->t, d, &spec, &l->mr[d]);

    l->length = spec.length;
    l->letter = spec.fill;
    l->id[d] = l->mr[d].lkey;
    return rc;
}

static enum ibc_rc make_mw(struct run_player *p, struct run_live *l, unsigned d)
{
    l->type = (uint8_t)object_n(l->o, IBC_K_type, 1);
    return p->t->ops->alloc_mw(p->t, d, l->type, named(p, l->o, IBC_K_pd)->id[d], &l->id[d]);
}

static enum ibc_rc make_cq(struct run_player *p, struct run_live *l, unsigned d)
{
    enum { USUAL = 64 };
    return p->t->ops->create_cq(p->t, d, (uint32_t)object_n(l->o, IBC_K_depth, USUAL), &l->id[d]);
}

static enum ibc_rc make_xrcd(struct run_player *p, struct run_live *l, unsigned d)
{
    return p->t->ops->create_xrcd ? p->t->ops->create_xrcd(p->t, d, &l->id[d]) : IBC_UNSUPPORTED;
}

/* The CQ of an SRQ that has one of its own: a new one, unless the line names one. */
static enum ibc_rc cq_of_srq(struct run_player *p, const struct run_live *l, unsigned d, uint32_t depth, uint32_t *cq)
{
    const struct ibc_arg *a = object_arg(l->o, IBC_K_cq);

    if (!a)
        return p->t->ops->create_cq(p->t, d, 2 * depth, cq);
    *cq = run_object_of(p, &a->v[0])->id[d];
    return IBC_OK;
}

static enum ibc_rc make_tag_srq(struct run_player *p, struct run_live *l, unsigned d, uint32_t depth)
{
    struct ibc_tag_srq_spec s = {
        .pd = named(p, l->o, IBC_K_pd)->id[d], .depth = depth, .n_tags = (uint32_t)object_n(l->o, IBC_K_tags, 1)};
    enum ibc_rc rc;

    if (!p->t->ops->create_tag_srq)
        return IBC_UNSUPPORTED;
    rc = cq_of_srq(p, l, d, depth + s.n_tags, &s.cq);
    if (rc == IBC_OK)
        rc = p->t->ops->create_tag_srq(p->t, d, &s, &l->id[d]);
    if (d > 0 || rc != IBC_OK)
        return rc;
    l->own_cq = true;
    l->rcq = s.cq;
    return IBC_OK;
}

static enum ibc_rc make_xrc_srq(struct run_player *p, struct run_live *l, unsigned d, uint32_t depth)
{
    struct ibc_xrc_srq_spec s = {
        .pd = named(p, l->o, IBC_K_pd)->id[d], .depth = depth, .xrcd = named(p, l->o, IBC_K_xrcd)->id[d]};
    uint32_t number = 0;
    enum ibc_rc rc;

    if (!p->t->ops->create_xrc_srq)
        return IBC_UNSUPPORTED;
    rc = cq_of_srq(p, l, d, depth, &s.cq);
    if (rc == IBC_OK)
        rc = p->t->ops->create_xrc_srq(p->t, d, &s, &l->id[d], &number);
    if (d > 0 || rc != IBC_OK)
        return rc;
    l->xrc = l->own_cq = true;
    l->rcq = s.cq; /* CQ of the first device, whose SRQ the steps use */
    l->srqn = number;
    return IBC_OK;
}

static enum ibc_rc make_srq(struct run_player *p, struct run_live *l, unsigned d)
{
    enum { USUAL_DEPTH = 16, USUAL_BYTES = 1024 };

    l->recv = (uint32_t)object_n(l->o, IBC_K_recv, 0);
    l->recv_bytes = (uint32_t)object_n(l->o, IBC_K_recv_bytes, USUAL_BYTES);
    const uint32_t depth = (uint32_t)object_n(l->o, IBC_K_depth, USUAL_DEPTH);
    if (object_arg(l->o, IBC_K_xrcd))
        return make_xrc_srq(p, l, d, depth);
    if (object_arg(l->o, IBC_K_tags))
        return make_tag_srq(p, l, d, depth);
    return p->t->ops->create_srq(p->t, d, named(p, l->o, IBC_K_pd)->id[d], depth,
                                 (uint32_t)object_n(l->o, IBC_K_limit, 0), &l->id[d]);
}

/* Creates an address handle whose destination is the tester. */
static enum ibc_rc make_handle(struct run_player *p, struct run_live *l, unsigned d)
{
    return p->t->ops->create_ah(p->t, d, named(p, l->o, IBC_K_pd)->id[d], &p->t->tester, &l->id[d]);
}

/* Chooses a transient multicast group of the widest scope that the link has. The object's position in the file
 * makes the GID unique. */
static enum ibc_rc make_group(struct run_player *p, struct run_live *l, unsigned d)
{
    const struct ibc_arg *gid = object_arg(l->o, IBC_K_gid);
    const uint8_t n = (uint8_t)(1 + (l - p->live));

    (void)d;
    memset(l->gid, 0, sizeof l->gid);
    if (gid && gid->v[0].kind == IBC_V_BYTES && gid->v[0].n_bytes == sizeof l->gid) {
        memcpy(l->gid, gid->v[0].bytes, sizeof l->gid);
    } else if (p->link == IBC_LINK_roce2_ipv4) {
        iba_gid_set_ipv4(l->gid, 0xefc00000u | n); /* 239.192/14: organisation-local (RFC 2365) */
    } else {
        l->gid[0] = 0xff;
        l->gid[1] = 0x15; /* site-local, transient */
        l->gid[15] = n;
    }
    iba_gid_mac(l->gid, &l->mac);
    l->lid = (uint16_t)object_n(l->o, IBC_K_lid, ibc_group_lid(l->gid));
    return IBC_OK;
}

static enum ibc_rc (*const makers[IBC_O_COUNT])(struct run_player *p, struct run_live *l, unsigned d) = {
    [IBC_O_pd] = make_pd,       [IBC_O_mr] = make_mr,         [IBC_O_mw] = make_mw,
    [IBC_O_cq] = make_cq,       [IBC_O_xrcd] = make_xrcd,     [IBC_O_srq] = make_srq,
    [IBC_O_group] = make_group, [IBC_O_handle] = make_handle, [IBC_O_cm] = run_make_cm,
};

static bool make_on_each(struct run_player *p, struct run_live *l, const struct ibc_step *s)
{
    for (unsigned d = 0; d < p->n_device; d++)
        if (!run_did_or(p, s, makers[l->kind](p, l, d), ibc_object_names[l->kind]))
            return false;
    l->made = !run_has(s, IBC_K_error);
    return l->kind != IBC_O_srq || l->recv == 0 || run_post_receives(p, l, l->recv, l->recv_bytes, s);
}

/* Returns the line that created the object as a step, for failure messages. */
static struct ibc_step line_of(const struct ibc_object *o)
{
    return (struct ibc_step){.kind = IBC_S_object, .line = o->line, .text = o->name, .arg = o->arg, .n_arg = o->n_arg};
}

static bool make(struct run_player *p, struct run_live *l)
{
    const struct ibc_step line = line_of(l->o);
    return l->kind == IBC_O_qp ? run_make_qp(p, l, &line) : make_on_each(p, l, &line);
}

static bool raise_to_wanted(struct run_player *p, struct run_live *l)
{
    const struct ibc_step line = line_of(l->o);
    return l->kind != IBC_O_qp || !l->made || run_raise_qp(p, l, (enum iba_qp_state)l->state_wanted, &line);
}

bool run_make_objects(struct run_player *p)
{
    uint32_t later = 0; /* objects that a later step creates */

    if (p->fabric)
        return run_make_fabric(p);
    _Static_assert(IBC_MAX_OBJECTS <= 32, "a set of objects is a 32-bit mask");
    for (unsigned i = 0; i < p->play->n_step; i++)
        if (p->play->step[i].kind == IBC_S_object)
            later |= 1u << p->play->step[i].object;
    for (unsigned i = 0; i < p->play->n_object; i++) {
        p->live[i].o = &p->play->object[i];
        p->live[i].kind = p->play->object[i].kind;
    }
    for (unsigned i = 0; i < p->play->n_object; i++)
        if (!(later >> i & 1) && !make(p, &p->live[i]))
            return false;
    for (unsigned i = 0; i < p->play->n_object; i++) /* QPs of two devices need each other's numbers */
        if (!raise_to_wanted(p, &p->live[i]))
            return false;
    return true;
}

bool run_step_object(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *l = run_live(p, s);
    return make(p, l) && raise_to_wanted(p, l);
}
