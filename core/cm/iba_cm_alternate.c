/* SPDX-License-Identifier: BSD-2-Clause */
/* Alternate paths: the one in a REQ, and those that a LAP suggests (sections 12.6.5, 12.8; MD-55, MD-79). */
#include <string.h>
#include "cm/iba_cm_input.h"

enum { AT = IBA_AT_cm_req_alt_locallid / 8 }; /* offset of the alternate path in a REQ */
_Static_assert(AT + IBA_CM_ALT_BYTES == IBA_BYTES_cm_req, "a REQ ends with its alternate path");

/* A REQ without an alternate path has zeros there. */
bool iba_cm_has_alternate(const uint8_t *req)
{
    static const uint8_t none[16];

    return iba_cm_req_alt_locallid(req) != 0 || memcmp(iba_cm_req_alt_localgid(req), none, sizeof none) != 0;
}

uint8_t iba_cm_port_with_gid(const struct iba_cm *cm, const uint8_t *gid)
{
    for (uint8_t i = 0; i < cm->cfg.n_port; i++)
        if (iba_port_has_gid(&cm->cfg.port[i], gid))
            return (uint8_t)(i + 1);
    return 0;
}

uint8_t iba_cm_port_with_lid(const struct iba_cm *cm, uint16_t lid)
{
    for (uint8_t i = 0; i < cm->cfg.n_port; i++)
        if (iba_port_has_lid(&cm->cfg.port[i], lid))
            return (uint8_t)(i + 1);
    return 0;
}

/* ---- LAP ---- */

bool iba_cm_lap_foreign_lid(const struct iba_cm_rx *x)
{
    return iba_cm_lap_alt_subnetlocal(x->data) && !iba_cm_port_with_lid(x->cm, iba_cm_lap_alt_remotelid(x->data));
}

bool iba_cm_lap_foreign_gid(const struct iba_cm_rx *x)
{
    return !iba_cm_port_with_gid(x->cm, iba_cm_lap_alt_remotegid(x->data));
}

/* A LAP gives the path as seen from its sender, which may be either end. A REQ gives the path as seen from the active
 * end. */
static void remember(struct iba_cm_conn *c, const uint8_t *lap, bool of_active)
{
    const uint16_t local = iba_cm_lap_alt_locallid(lap), remote = iba_cm_lap_alt_remotelid(lap);
    const uint8_t *local_gid = iba_cm_lap_alt_localgid(lap), *remote_gid = iba_cm_lap_alt_remotegid(lap);
    uint8_t req[IBA_BYTES_cm_req] = {0};

    iba_cm_req_set_alt_locallid(req, of_active ? local : remote);
    iba_cm_req_set_alt_remotelid(req, of_active ? remote : local);
    iba_cm_req_set_alt_localgid(req, of_active ? local_gid : remote_gid);
    iba_cm_req_set_alt_remotegid(req, of_active ? remote_gid : local_gid);
    iba_cm_req_set_alt_flowlabel(req, iba_cm_lap_alt_flowlabel(lap));
    iba_cm_req_set_alt_tfcclass(req, iba_cm_lap_alt_tfcclass(lap));
    iba_cm_req_set_alt_hoplim(req, iba_cm_lap_alt_hoplim(lap));
    iba_cm_req_set_alt_pktrate(req, iba_cm_lap_alt_pktrate(lap));
    iba_cm_req_set_alt_sl(req, iba_cm_lap_alt_sl(lap));
    iba_cm_req_set_alt_subnetlocal(req, iba_cm_lap_alt_subnetlocal(lap));
    iba_cm_req_set_alt_localacktout(req, iba_cm_lap_alt_localacktout(lap));
    memcpy(c->lap, req + AT, sizeof c->lap);
}

void iba_cm_take_lap(struct iba_cm_rx *x)
{
    x->c->tid = iba_madhdr_transactionid(x->mad);
    remember(x->c, x->data, !x->c->active);
}

void iba_cm_take_load(struct iba_cm_rx *x)
{
    x->c->response = iba_cm_lap_remoteresptout(x->body);
    remember(x->c, x->body, x->c->active);
}

/* An APR accepts or refuses the path of the LAP. After a refusal the connection keeps the alternate path that it had.
 */
void iba_cm_take_alternate(struct iba_cm_rx *x)
{
    const unsigned status = x->on == IBA_CM_ON_APR ? iba_cm_apr_status(x->data) : x->reason;

    if (status != 0)
        return;
    memcpy(x->c->req + AT, x->c->lap, sizeof x->c->lap);
    x->c->loaded = true;
}

/* ---- the path of the packets ---- */

bool iba_cm_alternate(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_av *av)
{
    const uint8_t *req = c->req;
    const uint8_t *own = c->active ? iba_cm_req_alt_localgid(req) : iba_cm_req_alt_remotegid(req);
    const uint16_t lid = c->active ? iba_cm_req_alt_locallid(req) : iba_cm_req_alt_remotelid(req);
    const uint8_t *peer = c->active ? iba_cm_req_alt_remotegid(req) : iba_cm_req_alt_localgid(req);
    uint8_t port = iba_cm_port_with_lid(cm, lid);

    if (cm->cfg.port[c->av.port - 1].kind != IBA_PORT_IB || !iba_cm_has_alternate(req))
        return false;
    if (!port)
        port = iba_cm_port_with_gid(cm, own);
    if (!port)
        port = c->av.port;
    *av = (struct iba_av){.port = port,
                          .dlid = c->active ? iba_cm_req_alt_remotelid(req) : iba_cm_req_alt_locallid(req),
                          .sl = iba_cm_req_alt_sl(req),
                          .grh = !iba_cm_req_alt_subnetlocal(req),
                          .flow_label = iba_cm_req_alt_flowlabel(req),
                          .tclass = iba_cm_req_alt_tfcclass(req),
                          .hop_limit = iba_cm_req_alt_hoplim(req),
                          .static_rate = iba_cm_req_alt_pktrate(req),
                          .vlan = c->av.vlan,
                          .path_bits = (uint8_t)(lid & ((1u << cm->cfg.port[port - 1].lmc) - 1))};
    memcpy(av->dgid, peer, sizeof av->dgid);
    return true;
}
