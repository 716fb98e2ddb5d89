/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes that the messages of a connection give its queue pair (sections 12.7, 12.10). */
#include <string.h>
#include "cm/deviations_cm.h"

/* The path that the sender of the REQ gives, seen from the receiver, is the path to that sender. */
static void path_of(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_av *av)
{
    *av = c->av;
    if (cm->cfg.port[c->av.port - 1].kind != IBA_PORT_IB)
        return;
    av->dlid = c->active ? iba_cm_req_prim_remotelid(c->req) : iba_cm_req_prim_locallid(c->req);
    av->sl = iba_cm_req_prim_sl(c->req);
    av->grh = !iba_cm_req_prim_subnetlocal(c->req);
    memcpy(av->dgid, c->active ? iba_cm_req_prim_remotegid(c->req) : iba_cm_req_prim_localgid(c->req), sizeof av->dgid);
    av->flow_label = iba_cm_req_prim_flowlabel(c->req);
    av->tclass = iba_cm_req_prim_tfcclass(c->req);
    av->hop_limit = iba_cm_req_prim_hoplim(c->req);
    av->static_rate = iba_cm_req_prim_pktrate(c->req);
}

/* MD-64: the active end's timeout also covers the delay that the REP states. The REQ's timeout and the REP's delay are
 * codes of powers of two. The sum of the two times is at most twice the longer time, so the code of the longer time
 * plus one covers the sum. */
static uint8_t ack_timeout(const struct iba_cm_conn *c)
{
    const unsigned code = iba_cm_req_prim_localacktout(c->req);
    const unsigned delay = c->active ? iba_cm_rep_tgtackdelay(c->rep) : 0;

    if (code == 0 || delay == 0)
        return (uint8_t)code;
    const unsigned longer = code > delay ? code : delay, shorter = code > delay ? delay : code;
    return (uint8_t)(longer + (longer < 31 && shorter + 1 >= longer));
}

static void to_init(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_qp_attr *a, uint32_t *mask)
{
    const int index = iba_port_pkey_find(&cm->cfg.port[c->av.port - 1], iba_cm_req_pkey(c->req));

    a->state = IBA_QPS_INIT;
    a->port = c->av.port;
    a->pkey_index = index < 0 ? 0 : (uint8_t)index;
    *mask = IBA_QPA_STATE | IBA_QPA_PORT | IBA_QPA_PKEY_INDEX;
}

/* The StartingPSN of a message is the first PSN that the sender of the message expects to receive (MD-63). */
static void to_rtr(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_qp_attr *a, uint32_t *mask)
{
    a->state = IBA_QPS_RTR;
    path_of(cm, c, &a->av);
    a->path_mtu = iba_cm_req_pppmtu(c->req);
    a->dest_qpn = c->remote_qpn;
    a->rq_psn = c->active ? iba_cm_req_startpsn(c->req) : iba_cm_rep_startpsn(c->rep);
    a->flow_control = iba_cm_req_e2eflowctrl(c->req) && iba_cm_rep_e2eflowctrl(c->rep);
    *mask = IBA_QPA_STATE | IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN;
    if (iba_cm_alternate(cm, c, &a->alt_av))
        *mask |= IBA_QPA_ALT_PATH;
    if (c->service == IBA_CM_UC)
        return;
    a->max_dest_rd = c->active ? iba_cm_rep_initdepth(c->rep) : iba_cm_rep_respres(c->rep);
    *mask |= IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR;
}

/* An alternate path that a LAP has loaded takes a transition from RTS to RTS (QS-78). */
static void to_alternate(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_qp_attr *a, uint32_t *mask)
{
    (void)iba_cm_alternate(cm, c, &a->alt_av);
    a->state = IBA_QPS_RTS;
    a->path_mig = IBA_PATH_REARM;
    *mask = IBA_QPA_STATE | IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG;
}

static void to_rts(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_qp_attr *a, uint32_t *mask)
{
    struct iba_av alternate;

    a->state = IBA_QPS_RTS;
    a->sq_psn = c->active ? iba_cm_rep_startpsn(c->rep) : iba_cm_req_startpsn(c->req);
    *mask = IBA_QPA_STATE | IBA_QPA_SQ_PSN;
    if (iba_cm_alternate(cm, c, &alternate)) {
        a->path_mig = IBA_PATH_REARM;
        *mask |= IBA_QPA_PATH_MIG;
    }
    if (c->service == IBA_CM_UC)
        return;
    a->timeout = ack_timeout(c);
    a->retry = iba_cm_req_retrcount(c->req);
    a->rnr_retry = c->active ? iba_cm_rep_rnrretrcount(c->rep) : iba_cm_req_rnrretrcount(c->req);
    a->max_rd = c->active ? iba_cm_rep_respres(c->rep) : iba_cm_rep_initdepth(c->rep);
    *mask |= IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD;
}

bool iba_cm_qp_attr(const struct iba_cm *cm, uint32_t id, enum iba_qp_state state, struct iba_qp_attr *attr,
                    uint32_t *mask)
{
    const struct iba_cm_conn *c = iba_cm_by_id(cm, id);

    memset(attr, 0, sizeof *attr);
    *mask = 0;
    if (!c || c->service == IBA_CM_DATAGRAM || (state != IBA_QPS_INIT && !c->has_rep))
        return false;
    switch (state) {
    case IBA_QPS_INIT: to_init(cm, c, attr, mask); break;
    case IBA_QPS_RTR: to_rtr(cm, c, attr, mask); break;
    case IBA_QPS_RTS: (c->loaded ? to_alternate : to_rts)(cm, c, attr, mask); break;
    default: return false;
    }
    if (cm->deviate)
        cm->deviate->attributes(cm, c, attr);
    return true;
}
