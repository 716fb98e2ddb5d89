/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines the device's capabilities: queries those that libibverbs has a query for, and tries the others. */
#include "verbs_device.h"
#include <stdio.h>
#include <unistd.h>

enum { TRIAL_DEPTH = 16, EXACT_DEPTH = 7, TRIAL_BYTES = 4096, PATH = 192 };

struct trial {
    struct verbs *v;
    uint32_t pd, cq;
};

static bool can_have_qp(const struct trial *p, uint8_t type)
{
    struct ibc_target *t = &p->v->t;
    const struct ibc_qp_spec s = {
        .type = type, .pd = p->pd, .scq = p->cq, .rcq = p->cq, .sq = TRIAL_DEPTH, .rq = TRIAL_DEPTH};
    uint32_t qpn;

    return verbs_create_qp(t, 0, &s, &qpn) == IBC_OK && verbs_destroy(t, 0, IBC_O_qp, qpn) == IBC_OK;
}

/* Whether QPs can have inline data. Later QPs are created like that of the trial. */
static bool can_inline(const struct trial *p)
{
    p->v->inlines = true;
    p->v->inlines = can_have_qp(p, IBA_QPT_RC);
    return p->v->inlines;
}

/* Whether queues have exactly the requested depth. A device may make them deeper, and returns the real depth. */
static bool has_exact_depth(const struct trial *p)
{
    const struct ibc_qp_spec s = {
        .type = IBA_QPT_RC, .pd = p->pd, .scq = p->cq, .rcq = p->cq, .sq = EXACT_DEPTH, .rq = EXACT_DEPTH};
    struct ibv_qp_init_attr init = {0};
    struct ibv_qp_attr attr;
    uint32_t qpn;

    if (verbs_create_qp(&p->v->t, 0, &s, &qpn) != IBC_OK)
        return false;
    return ibv_query_qp(verbs_find_qp(p->v, qpn)->qp, &attr, IBV_QP_CAP, &init) == 0 &&
           verbs_destroy(&p->v->t, 0, IBC_O_qp, qpn) == IBC_OK && init.cap.max_send_wr == EXACT_DEPTH &&
           init.cap.max_recv_wr == EXACT_DEPTH;
}

static bool can_have_srq(const struct trial *p)
{
    uint32_t srq;

    return verbs_create_srq(&p->v->t, 0, p->pd, TRIAL_DEPTH, 0, &srq) == IBC_OK &&
           verbs_destroy(&p->v->t, 0, IBC_O_srq, srq) == IBC_OK;
}

static bool can_have_target(const struct trial *p)
{
    struct ibc_qp_spec s = {.type = IBA_QPT_XRC_TGT, .has_xrcd = true};
    struct ibc_target *t = &p->v->t;
    uint32_t qpn;

    return verbs_create_xrcd(t, 0, &s.xrcd) == IBC_OK && verbs_create_qp(t, 0, &s, &qpn) == IBC_OK &&
           verbs_destroy(t, 0, IBC_O_qp, qpn) == IBC_OK && verbs_close_xrcd(p->v, s.xrcd) == IBC_OK;
}

static bool can_have_window(const struct trial *p, unsigned type)
{
    uint32_t rkey;

    return verbs_alloc_mw(&p->v->t, 0, type, p->pd, &rkey) == IBC_OK && verbs_free_mw(p->v, rkey) == IBC_OK;
}

static bool can_have_region(const struct trial *p, uint32_t access)
{
    const struct ibc_mr_spec m = {
        .pd = p->pd, .length = TRIAL_BYTES, .access = access | IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE};
    struct ibc_mr mr;

    return verbs_reg_mr(&p->v->t, 0, &m, &mr) == IBC_OK && verbs_dereg(p->v, mr.lkey) == IBC_OK;
}

/* Whether pages of an on-demand region can be prefetched: for reading and for writing, at once and later. */
static bool can_prefetch(const struct trial *p)
{
    struct ibc_target *t = &p->v->t;
    const struct ibc_mr_spec m = {
        .pd = p->pd, .length = TRIAL_BYTES, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND};
    struct ibc_mr mr;
    bool can;

    if (verbs_reg_mr(t, 0, &m, &mr) != IBC_OK)
        return false;
    struct ibc_prefetch a = {.at = mr.local, .length = TRIAL_BYTES, .lkey = mr.lkey, .pd = p->pd};
    can = verbs_prefetch(t, 0, &a) == IBC_OK;
    a.write = true;
    can = can && verbs_prefetch(t, 0, &a) == IBC_OK;
    return verbs_dereg(p->v, mr.lkey) == IBC_OK && can;
}

static bool registers_again(struct ibc_target *t, struct ibc_mr *mr, struct ibc_reregister r)
{
    r.lkey = mr->lkey;
    return verbs_reregister(t, 0, &r, mr) == IBC_OK;
}

/* Whether a region can be registered again: with other rights and in another domain, or with other memory. */
static bool can_reregister(const struct trial *p, bool range)
{
    struct ibc_target *t = &p->v->t;
    const struct ibc_mr_spec m = {.pd = p->pd, .length = TRIAL_BYTES, .access = IBA_ACCESS_LOCAL_WRITE};
    struct ibc_mr mr;
    uint32_t pd;
    bool can;

    if (verbs_reg_mr(t, 0, &m, &mr) != IBC_OK || verbs_create_pd(t, 0, &pd) != IBC_OK)
        return false;
    if (range)
        can = registers_again(t, &mr, (struct ibc_reregister){.has_range = true, .length = TRIAL_BYTES, .fill = 'm'});
    else
        can = registers_again(t, &mr, (struct ibc_reregister){.has_access = true}) &&
              registers_again(t, &mr, (struct ibc_reregister){.has_pd = true, .pd = pd});
    return verbs_dereg(p->v, mr.lkey) == IBC_OK && verbs_destroy(t, 0, IBC_O_pd, pd) == IBC_OK && can;
}

static bool has_counter(const struct verbs *v, const char *name)
{
    char path[PATH];

    (void)snprintf(path, sizeof path, "/sys/class/infiniband/%s/ports/%u/hw_counters/%s", v->name, v->port, name);
    return access(path, R_OK) == 0;
}

static uint64_t asked(struct verbs *v)
{
    const uint64_t said = v->attr.orig_attr.device_cap_flags | v->attr.device_cap_flags_ex;
    const bool is_ib = v->links >> IBC_LINK_ib_local & 1;
    struct ibc_counter counter[IBC_MAX_COUNTERS];
    const bool has[IBC_CAP_COUNT] = {
        [IBC_CAP_atomic] = v->attr.orig_attr.atomic_cap != IBV_ATOMIC_NONE,
        [IBC_CAP_atomic_write] = said & VERBS_DEVICE_ATOMIC_WRITE,
        [IBC_CAP_send_inv] = said & IBV_DEVICE_MEM_MGT_EXTENSIONS,
        [IBC_CAP_multicast] = v->attr.orig_attr.max_mcast_grp > 0,
        [IBC_CAP_apm] = said & IBV_DEVICE_AUTO_PATH_MIG && is_ib, /* Linux has no alternate paths on Ethernet */
        [IBC_CAP_congestion] = has_counter(v, "np_cnp_sent"),
        [IBC_CAP_qp_states] = true,
        [IBC_CAP_cm] = verbs_cm_exists(v),
        [IBC_CAP_counters] = verbs_counters(&v->t, 0, counter) > 0,
    };
    uint64_t can = 0;

    for (unsigned c = 0; c < IBC_CAP_COUNT; c++)
        can |= (uint64_t)has[c] << c;
    return can;
}

static uint64_t tried(const struct trial *p)
{
    const uint64_t said = p->v->attr.orig_attr.device_cap_flags | p->v->attr.device_cap_flags_ex;
    const bool odp = p->v->attr.odp_caps.general_caps & IBV_ODP_SUPPORT, rc = can_have_qp(p, IBA_QPT_RC);
    const bool inlines = can_inline(p); /* before the other trials, which create QPs */
    const bool has[IBC_CAP_COUNT] = {
        [IBC_CAP_rc] = rc,
        [IBC_CAP_write] = rc,
        [IBC_CAP_read] = rc,
        [IBC_CAP_credits] = rc, /* no verb controls them: each ACK of an adapter has a code (RR-19) */
        [IBC_CAP_flush] = said & VERBS_DEVICE_FLUSH_GLOBAL && can_have_region(p, IBA_ACCESS_FLUSH_GLOBAL),
        [IBC_CAP_persistent] = said & VERBS_DEVICE_FLUSH_PERSISTENT && can_have_region(p, IBA_ACCESS_FLUSH_PERSISTENT),
        [IBC_CAP_uc] = can_have_qp(p, IBA_QPT_UC),
        [IBC_CAP_ud] = can_have_qp(p, IBA_QPT_UD),
        [IBC_CAP_xrc] = said & IBV_DEVICE_XRC && can_have_qp(p, IBA_QPT_XRC_INI),
        [IBC_CAP_xrc_tgt] = said & IBV_DEVICE_XRC && can_have_target(p),
        [IBC_CAP_srq] = can_have_srq(p),
        [IBC_CAP_mw1] = can_have_window(p, 1),
        [IBC_CAP_mw2] = can_have_window(p, 2),
        [IBC_CAP_mw2a] = said & IBV_DEVICE_MEM_WINDOW_TYPE_2A && can_have_window(p, 3),
        [IBC_CAP_zero_based] = can_have_region(p, IBA_ACCESS_ZERO_BASED),
        [IBC_CAP_inline_data] = inlines,
        [IBC_CAP_exact_depth] = has_exact_depth(p),
        [IBC_CAP_odp] = odp && can_have_region(p, IBA_ACCESS_ON_DEMAND),
        [IBC_CAP_prefetch] = odp && can_prefetch(p),
        [IBC_CAP_reregister] = can_reregister(p, false),
        [IBC_CAP_reregister_range] = can_reregister(p, true),
        [IBC_CAP_resize_cq] = verbs_resize_cq(&p->v->t, 0, p->cq, 2 * TRIAL_DEPTH) == IBC_OK,
        [IBC_CAP_notify] = verbs_arm_cq(&p->v->t, 0, p->cq, false) == IBC_OK,
    };
    uint64_t can = 0;

    for (unsigned c = 0; c < IBC_CAP_COUNT; c++)
        can |= (uint64_t)has[c] << c;
    return can;
}

/* Returns the device's capabilities. The caller resets the device afterwards, which destroys the objects of the
 * trials. */
uint64_t verbs_probe(struct verbs *v)
{
    struct trial p = {.v = v};

    if (verbs_create_pd(&v->t, 0, &p.pd) != IBC_OK || verbs_create_cq(&v->t, 0, TRIAL_DEPTH, &p.cq) != IBC_OK)
        return 0;
    return asked(v) | tried(&p);
}
