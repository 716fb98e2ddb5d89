/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions on a REQ or SIDR_REQ, and what a connection takes from it. */
#include <string.h>
#include "cm/iba_cm_input.h"

static const struct iba_port *port_of(const struct iba_cm_rx *x)
{
    return &x->cm->cfg.port[x->from->port - 1];
}

bool iba_cm_no_service(const struct iba_cm_rx *x)
{
    return !x->listener;
}

/* The adapter has no RD (MD-61). */
bool iba_cm_wrong_type(const struct iba_cm_rx *x)
{
    const unsigned type = iba_cm_req_transpsvctype(x->data);

    return type == IBA_CM_RD || (type == IBA_CM_EXTENDED && iba_cm_req_ext_transport(x->data) != IBA_CM_EXT_XRC);
}

bool iba_cm_wrong_mtu(const struct iba_cm_rx *x)
{
    const unsigned mtu = iba_cm_req_pppmtu(x->data);

    return mtu < IBA_MTU_256 || mtu > port_of(x)->mtu;
}

bool iba_cm_foreign_gid(const struct iba_cm_rx *x)
{
    return !iba_port_has_gid(port_of(x), iba_cm_req_prim_remotegid(x->data));
}

/* LIDs are reserved on RoCE (MD-83). The sender of a REQ from another subnet cannot know the LID. */
bool iba_cm_foreign_lid(const struct iba_cm_rx *x)
{
    return port_of(x)->kind == IBA_PORT_IB && iba_cm_req_prim_subnetlocal(x->data) &&
           !iba_port_has_lid(port_of(x), iba_cm_req_prim_remotelid(x->data));
}

bool iba_cm_blocked_sl(const struct iba_cm_rx *x)
{
    return port_of(x)->kind == IBA_PORT_IB && port_of(x)->sl2vl[iba_cm_req_prim_sl(x->data)] == 15;
}

bool iba_cm_foreign_alt_gid(const struct iba_cm_rx *x)
{
    return iba_cm_has_alternate(x->data) && !iba_cm_port_with_gid(x->cm, iba_cm_req_alt_remotegid(x->data));
}

bool iba_cm_foreign_alt_lid(const struct iba_cm_rx *x)
{
    return iba_cm_has_alternate(x->data) && port_of(x)->kind == IBA_PORT_IB && iba_cm_req_alt_subnetlocal(x->data) &&
           !iba_cm_port_with_lid(x->cm, iba_cm_req_alt_remotelid(x->data));
}

/* The private data of a REQ to the RDMA IP CM service begin with the header of that service (MD-81). */
bool iba_cm_wrong_ip(const struct iba_cm_rx *x)
{
    const uint8_t *ip = x->data + IBA_BYTES_cm_req;

    return iba_mad_is_ip_service(iba_cm_req_serviceid(x->data)) &&
           (iba_ip_cm_majv(ip) != 0 || (iba_ip_cm_ipv(ip) != 4 && iba_ip_cm_ipv(ip) != 6));
}

bool iba_cm_stale(const struct iba_cm_rx *x)
{
    return x->stale;
}

bool iba_cm_no_slot(const struct iba_cm_rx *x)
{
    return x->cm->n_used == x->cm->cfg.n_conn;
}

bool iba_cm_full_backlog(const struct iba_cm_rx *x)
{
    return x->listener && x->listener->what.backlog != 0 && x->listener->waiting >= x->listener->what.backlog;
}

/* When two ends connect to each other, the end with the greater CA GUID stays the active one; if the GUIDs are equal,
 * the end with the greater QPN (MD-86). */
static bool is_greater(const struct iba_cm_rx *x)
{
    const uint64_t guid = iba_cm_req_localcaguid(x->data);

    return x->cm->cfg.ca_guid != guid ? x->cm->cfg.ca_guid > guid : x->c->local_qpn > iba_cm_req_localqpn(x->data);
}

bool iba_cm_peer_loses(const struct iba_cm_rx *x)
{
    return x->c->peer && !is_greater(x);
}

/* ---- what a connection takes from a REQ ---- */

static void adopt(struct iba_cm_rx *x)
{
    struct iba_cm_conn *c = x->c;

    c->active = false;
    c->tid = c->first_tid = iba_madhdr_transactionid(x->mad);
    c->service = iba_cm_req_transpsvctype(x->data);
    c->response = iba_cm_req_localresptout(x->data);
    c->av = x->from->av;
    c->pkey = x->from->pkey;
    iba_cm_set_remote(x->cm, c, iba_cm_req_localcaguid(x->data), iba_cm_req_localcommid(x->data),
                      iba_cm_req_localqpn(x->data));
    memcpy(c->req, x->data, sizeof c->req);
}

/* A broken CM takes a REQ that no listener waits for. The caller gets the event of such a REQ, too. */
static void wait_for(struct iba_cm_rx *x)
{
    x->c->listener = IBA_CM_NO_LISTENER;
    if (!x->listener)
        return;
    x->c->listener = (uint32_t)(x->listener - x->cm->cfg.listener);
    x->c->user = x->listener->what.user;
    x->listener->waiting++;
}

void iba_cm_take_req(struct iba_cm_rx *x)
{
    x->c = iba_cm_conn_new(x->cm);
    adopt(x);
    wait_for(x);
}

/* The connection gives up its own REQ and takes the peer's instead (MD-86). No listener was asked for the peer's REQ.
 */
void iba_cm_yield(struct iba_cm_rx *x)
{
    adopt(x);
    x->c->listener = IBA_CM_NO_LISTENER;
}

void iba_cm_take_sidr_req(struct iba_cm_rx *x)
{
    x->c = iba_cm_conn_new(x->cm);
    x->c->service = IBA_CM_DATAGRAM;
    x->c->tid = iba_madhdr_transactionid(x->mad);
    x->c->av = x->from->av;
    x->c->pkey = x->from->pkey;
    iba_cm_set_remote(x->cm, x->c, iba_cm_sidr_key(x), iba_cm_sidr_req_requestid(x->data), 0);
    memcpy(x->c->req, x->data, IBA_BYTES_cm_sidr_req);
    wait_for(x);
}

void iba_cm_take_stale(struct iba_cm_rx *x)
{
    iba_cm_forget(x->cm, x->stale, x->now);
}
