/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of modify QP: where each lives, and which values it takes. */
#include <string.h>
#include "transport/deviations_qp.h"
#include "transport/iba_qp_parts.h"

enum {
    ACCESS_OF_QP = IBA_ACCESS_REMOTE,
    FIVE_BITS = 31,
    THREE_BITS = 7,
    FLOW_LABEL_MAX = 0xfffff,
    QPN_MAX = 0xffffff,
    QPN_MULTICAST = 0xffffff,
    SL_MAX_IB = 15,
    SL_MAX_ROCE = 7, /* RO-27 */
    NO_VLAN = 0xffff,
    VLAN_MAX = 0xffe,
    GID_BYTES = 16,
};

/* ---- address vectors ---- */
/* Neither :: nor ::1 goes on the wire (KM-40). */
static bool gid_can_be_sent_to(const uint8_t *gid)
{
    static const uint8_t zeros[GID_BYTES - 1];

    return memcmp(gid, zeros, sizeof zeros) != 0 || gid[GID_BYTES - 1] > 1;
}

/* `row` of the attribute values lets everything in when it is left out. */
#define LEGAL(ca, row, is) ((is) || !IBA_KEEPS(ca, attr, row))

static bool grh_legal(const struct iba_ca *ca, const struct iba_port *p, const struct iba_av *av)
{
    return LEGAL(ca, AV_SGID, av->sgid_index < p->n_gid) &&
           LEGAL(ca, AV_FLOW_LABEL, av->flow_label <= FLOW_LABEL_MAX) &&
           LEGAL(ca, AV_DGID, gid_can_be_sent_to(av->dgid));
}

/* One IP version for both ends (RO-24). */
static bool same_ip_version(const struct iba_port *p, const struct iba_av *av)
{
    const unsigned i = av->sgid_index < p->n_gid ? av->sgid_index : 0;

    return p->kind != IBA_PORT_ROCE2 || iba_gid_is_ipv4(p->gid[i]) == iba_gid_is_ipv4(av->dgid);
}

static bool legal_on_ib(const struct iba_ca *ca, const struct iba_port *p, const struct iba_av *av)
{
    return LEGAL(ca, AV_SL, av->sl <= SL_MAX_IB) &&
           LEGAL(ca, AV_DLID, iba_lid_classify(av->dlid) != IBA_LID_RESERVED) && (!av->grh || grh_legal(ca, p, av));
}

static bool legal_on_roce(const struct iba_ca *ca, const struct iba_port *p, const struct iba_av *av)
{
    return LEGAL(ca, AV_SL, av->sl <= SL_MAX_ROCE) && LEGAL(ca, AV_VLAN, av->vlan == NO_VLAN || av->vlan <= VLAN_MAX) &&
           av->dmac >> 48 == 0 && grh_legal(ca, p, av) && LEGAL(ca, AV_IP_VERSION, same_ip_version(p, av));
}

static bool leads_to_a_group(const struct iba_port *p, const struct iba_av *av)
{
    if (p->kind == IBA_PORT_IB && iba_lid_classify(av->dlid) != IBA_LID_UNICAST)
        return true;
    return (p->kind != IBA_PORT_IB || av->grh) && iba_gid_is_multicast(av->dgid);
}

bool iba_av_legal(const struct iba_ca *ca, const struct iba_av *av, bool connection)
{
    const struct iba_port *p = iba_port_of(ca, av->port);

    if (!p)
        return !IBA_KEEPS(ca, attr, AV_PORT);
    if (!(p->kind == IBA_PORT_IB ? legal_on_ib(ca, p, av) : legal_on_roce(ca, p, av)))
        return false;
    return !connection || LEGAL(ca, AV_GROUP, !leads_to_a_group(p, av));
}

uint8_t iba_av_write(const struct iba_ca *ca, const struct iba_port *p, struct iba_av *av, uint32_t flow, uint8_t *out)
{
    if (ca->change && av->sgid_index >= p->n_gid)
        av->sgid_index = 0;
    return (uint8_t)iba_envelope_write(p, av, flow, out);
}

/* ---- values; `a` is what the QP would have, so that attributes given together are seen together ---- */
#define VALUE(name) static bool name(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp_attr *a)

VALUE(any)
{
    (void)ca, (void)qp, (void)a;
    return true;
}

VALUE(remote_rights)
{
    (void)qp;
    return LEGAL(ca, ACCESS, (a->access & ~ACCESS_OF_QP) == 0);
}

VALUE(pkey_in_table)
{
    const struct iba_port *p = iba_port_of(ca, a->port);

    (void)qp;
    return p && LEGAL(ca, PKEY_INDEX, a->pkey_index < p->n_pkey);
}

VALUE(port_exists)
{
    (void)qp;
    return LEGAL(ca, PORT, iba_port_of(ca, a->port) != NULL);
}

VALUE(qkey_of_type) /* that of the GSI is well known (PV-19) */
{
    return LEGAL(ca, QKEY, qp->type != IBA_QPT_GSI || a->qkey == IBA_GSI_QKEY);
}

VALUE(path_from_port)
{
    (void)qp;
    return LEGAL(ca, PATH_PORT, a->av.port == a->port) && iba_av_legal(ca, &a->av, true);
}

VALUE(alternate_path) /* may leave through another port */
{
    (void)qp;
    return LEGAL(ca, ALTERNATE, iba_av_legal(ca, &a->alt_av, true));
}

VALUE(mtu_of_port)
{
    const struct iba_port *p = iba_port_of(ca, a->port);

    (void)qp;
    return p && a->path_mtu >= IBA_MTU_256 && a->path_mtu <= IBA_MTU_4096 && LEGAL(ca, PATH_MTU, a->path_mtu <= p->mtu);
}

VALUE(timeout_code) /* RQ-18 */
{
    (void)qp;
    return LEGAL(ca, TIMEOUT, a->timeout <= FIVE_BITS);
}

VALUE(retry_count) /* RQ-22 */
{
    (void)qp;
    return LEGAL(ca, RETRY, a->retry <= THREE_BITS);
}

VALUE(rnr_retry_count) /* RQ-29 */
{
    (void)qp;
    return LEGAL(ca, RNR_RETRY, a->rnr_retry <= THREE_BITS);
}

VALUE(rnr_code) /* WF-50 */
{
    (void)qp;
    return LEGAL(ca, MIN_RNR, a->min_rnr <= FIVE_BITS);
}

VALUE(rq_psn_24_bits)
{
    (void)qp;
    return LEGAL(ca, RQ_PSN, a->rq_psn <= IBA_PSN_MASK);
}

VALUE(sq_psn_24_bits)
{
    (void)qp;
    return LEGAL(ca, SQ_PSN, a->sq_psn <= IBA_PSN_MASK);
}

VALUE(room_to_remember) /* RR-29 */
{
    return LEGAL(ca, MAX_DEST_RD, a->max_dest_rd <= qp->r.n_saved);
}

VALUE(mig_of_software) /* QS-78 */
{
    (void)qp;
    return LEGAL(ca, PATH_MIG, a->path_mig == IBA_PATH_MIGRATED || a->path_mig == IBA_PATH_REARM);
}

VALUE(ordinary_qpn) /* WF-37 */
{
    (void)qp;
    return LEGAL(ca, DEST_QPN, a->dest_qpn > 1 && a->dest_qpn <= QPN_MAX && a->dest_qpn != QPN_MULTICAST);
}

/* clang-format off */
/*     attribute    field        the value is            */
#define ATTRIBUTES(A)                                     \
    A( SQD_NOTIFY,  sqd_notify,  any                    ) \
    A( PORT,        port,        port_exists            ) \
    A( ACCESS,      access,      remote_rights          ) \
    A( PKEY_INDEX,  pkey_index,  pkey_in_table          ) \
    A( QKEY,        qkey,        qkey_of_type           ) \
    A( AV,          av,          path_from_port         ) \
    A( PATH_MTU,    path_mtu,    mtu_of_port            ) \
    A( TIMEOUT,     timeout,     timeout_code           ) \
    A( RETRY,       retry,       retry_count            ) \
    A( RNR_RETRY,   rnr_retry,   rnr_retry_count        ) \
    A( RQ_PSN,      rq_psn,      rq_psn_24_bits         ) \
    A( MAX_RD,      max_rd,      any                    ) \
    A( ALT_PATH,    alt_av,      alternate_path         ) \
    A( MIN_RNR,     min_rnr,     rnr_code               ) \
    A( SQ_PSN,      sq_psn,      sq_psn_24_bits         ) \
    A( MAX_DEST_RD, max_dest_rd, room_to_remember       ) \
    A( PATH_MIG,    path_mig,    mig_of_software        ) \
    A( DEST_QPN,    dest_qpn,    ordinary_qpn           )
/* clang-format on */

static const struct attribute {
    uint32_t bit;
    size_t at, bytes; /* of struct iba_qp_attr */
    bool (*legal)(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp_attr *a);
} attributes[] = {
#define ROW(id, field, legal)                                                                                          \
    {IBA_QPA_##id, offsetof(struct iba_qp_attr, field), sizeof((struct iba_qp_attr *)0)->field, legal},
    ATTRIBUTES(ROW)};
enum { N_ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* What depends on another attribute is judged again when only the other one is given. */
static uint32_t depends(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t mask)
{
    const bool has_path = iba_qp_has(qp, IBA_QP_CONNECTED) && qp->envelope_bytes > 0;

    if ((mask & IBA_QPA_PORT) == 0 || !IBA_KEEPS(ca, modify, JUDGES_AGAIN))
        return mask;
    return mask | (qp->state != IBA_QPS_RESET ? IBA_QPA_PKEY_INDEX : 0) |
           (has_path ? IBA_QPA_AV | IBA_QPA_PATH_MTU : 0);
}

/* What a changed device let in, cut to what its fields hold and its tables have. */
static void cut_to_size(struct iba_qp_attr *a)
{
    a->timeout &= FIVE_BITS;
    a->min_rnr &= FIVE_BITS;
    a->retry &= THREE_BITS;
    a->rnr_retry &= THREE_BITS;
    a->rq_psn &= IBA_PSN_MASK;
    a->sq_psn &= IBA_PSN_MASK;
    a->dest_qpn &= QPN_MAX;
    a->pkey_index %= IBA_PORT_MAX_PKEYS;
    if (a->path_mig > IBA_PATH_ARMED)
        a->path_mig = IBA_PATH_ARMED;
}

bool iba_qp_attr_merge(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp_attr *given, uint32_t mask,
                       struct iba_qp_attr *to)
{
    const uint32_t judged = depends(ca, qp, mask);

    *to = qp->attr;
    for (const struct attribute *a = attributes; a < attributes + N_ATTRIBUTES; a++)
        if (mask & a->bit)
            memcpy((uint8_t *)to + a->at, (const uint8_t *)given + a->at, a->bytes);
    if ((mask & IBA_QPA_PORT) && !IBA_KEEPS(ca, attr, PORT) && !iba_port_of(ca, to->port))
        to->port = 1;
    if (mask & IBA_QPA_DEST_QPN)
        to->flow_control = given->flow_control && IBA_KEEPS(ca, attr, FLOW_CONTROL);
    for (const struct attribute *a = attributes; a < attributes + N_ATTRIBUTES; a++)
        if ((judged & a->bit) && !a->legal(ca, qp, to))
            return false;
    if (ca->change)
        cut_to_size(to);
    return true;
}
