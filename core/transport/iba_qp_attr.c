/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of modify QP: their fields, and the values that they accept. */
#include <string.h>
#include "transport/deviations.h"
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

/* Both ends of a path have the same IP version (RO-24). */
static bool same_ip_version(const struct iba_port *p, const struct iba_av *av)
{
    const unsigned i = av->sgid_index < p->n_gid ? av->sgid_index : 0;

    return p->kind != IBA_PORT_ROCE2 || iba_gid_is_ipv4(p->gid[i]) == iba_gid_is_ipv4(av->dgid);
}

static bool leads_to_a_group(const struct iba_port *p, const struct iba_av *av)
{
    if (p->kind == IBA_PORT_IB && iba_lid_classify(av->dlid) != IBA_LID_UNICAST)
        return true;
    return (p->kind != IBA_PORT_IB || av->grh) && iba_gid_is_multicast(av->dgid);
}

/* clang-format off */
/* Faults of an address vector. The rows are some of IBA_ATTR_BEHAVIOURS.
 *    row             the vector ...                                                                clause */
#define AV_FAULTS(F)                                                                                                  \
    F(AV_SL,          av->sl > (ib ? SL_MAX_IB : SL_MAX_ROCE),                                      "RO-27")          \
    F(AV_DLID,        ib && iba_lid_classify(av->dlid) == IBA_LID_RESERVED,                         "WF-15, WF-16")   \
    F(AV_VLAN,        !ib && av->vlan != NO_VLAN && av->vlan > VLAN_MAX,                            "RO-03")          \
    F(AV_SGID,        grh && av->sgid_index >= p->n_gid,                                            "QS-82, KM-36")   \
    F(AV_FLOW_LABEL,  grh && av->flow_label > FLOW_LABEL_MAX,                                       "WF-20")          \
    F(AV_DGID,        grh && !gid_can_be_sent_to(av->dgid),                                         "KM-40")          \
    F(AV_IP_VERSION,  !ib && !same_ip_version(p, av),                                               "RO-24")          \
    F(AV_GROUP,       connection && leads_to_a_group(p, av),                                        "PV-26")
/* clang-format on */

bool iba_av_legal(const struct iba_ca *ca, const struct iba_av *av, bool connection)
{
    const struct iba_port *p = iba_port_of(ca, av->port);
    const bool ib = p && p->kind == IBA_PORT_IB, grh = !ib || av->grh;

    IBA_REFUSE(ca, attr, AV_PORT, !p, false)
    if (!p || (!ib && av->dmac >> 48 != 0))
        return !p;
#define FAULT(row, is, clause) IBA_REFUSE(ca, attr, row, is, false)
    AV_FAULTS(FAULT)
    return true;
}

/* ---- values; `a` has the attributes of the QP after the call, so attributes given together are checked together ----
 */
static bool pkey_in_table(const struct iba_ca *ca, const struct iba_qp_attr *a)
{
    const struct iba_port *p = iba_port_of(ca, a->port);

    return p && a->pkey_index < p->n_pkey;
}

static bool mtu_exists(uint8_t mtu)
{
    return mtu >= IBA_MTU_256 && mtu <= IBA_MTU_4096;
}

static bool mtu_of_port(const struct iba_ca *ca, const struct iba_qp_attr *a)
{
    const struct iba_port *p = iba_port_of(ca, a->port);

    return p && a->path_mtu <= p->mtu;
}

static bool mig_of_software(uint8_t mig)
{
    return mig == IBA_PATH_MIGRATED || mig == IBA_PATH_REARM;
}

static bool ordinary_qpn(uint32_t qpn)
{
    return qpn > 1 && qpn <= QPN_MAX && qpn != QPN_MULTICAST;
}

/* clang-format off */
/*     attribute    field        */
#define ATTRIBUTES(A)            \
    A( SQD_NOTIFY,  sqd_notify ) \
    A( PORT,        port       ) \
    A( ACCESS,      access     ) \
    A( PKEY_INDEX,  pkey_index ) \
    A( QKEY,        qkey       ) \
    A( AV,          av         ) \
    A( PATH_MTU,    path_mtu   ) \
    A( TIMEOUT,     timeout    ) \
    A( RETRY,       retry      ) \
    A( RNR_RETRY,   rnr_retry  ) \
    A( RQ_PSN,      rq_psn     ) \
    A( MAX_RD,      max_rd     ) \
    A( ALT_PATH,    alt_av     ) \
    A( MIN_RNR,     min_rnr    ) \
    A( SQ_PSN,      sq_psn     ) \
    A( MAX_DEST_RD, max_dest_rd) \
    A( PATH_MIG,    path_mig   ) \
    A( DEST_QPN,    dest_qpn   )

/* Faults in the value of an attribute. The rows are some of IBA_ATTR_BEHAVIOURS.
 *    attribute    row          the value ...                                                      clause */
#define VALUE_FAULTS(F)                                                                                                           \
    F(PORT,        PORT,        !iba_port_of(ca, a->port),                                         "QS-01, QS-80")                \
    F(ACCESS,      ACCESS,      (a->access & ~ACCESS_OF_QP) != 0,                                  "QS-01")                       \
    F(PKEY_INDEX,  PKEY_INDEX,  !pkey_in_table(ca, a),                                             "QS-01, KM-11")                \
    F(QKEY,        QKEY,        qp->type == IBA_QPT_GSI && a->qkey != IBA_GSI_QKEY,                "PV-19, KM-18")                \
    F(AV,          PATH_PORT,   a->av.port != a->port,                                             "PV-24")                       \
    F(ALT_PATH,    ALTERNATE,   !iba_av_legal(ca, &a->alt_av, true),                               "QS-78: may be of another port") \
    F(PATH_MTU,    PATH_MTU,    !mtu_of_port(ca, a),                                               "RO-08, QS-80")                \
    F(TIMEOUT,     TIMEOUT,     a->timeout > FIVE_BITS,                                            "RQ-18")                       \
    F(RETRY,       RETRY,       a->retry > THREE_BITS,                                             "RQ-22")                       \
    F(RNR_RETRY,   RNR_RETRY,   a->rnr_retry > THREE_BITS,                                         "RQ-29")                       \
    F(MIN_RNR,     MIN_RNR,     a->min_rnr > FIVE_BITS,                                            "WF-50")                       \
    F(RQ_PSN,      RQ_PSN,      a->rq_psn > IBA_PSN_MASK,                                          "WF-39")                       \
    F(SQ_PSN,      SQ_PSN,      a->sq_psn > IBA_PSN_MASK,                                          "WF-39")                       \
    F(MAX_DEST_RD, MAX_DEST_RD, a->max_dest_rd > qp->r.n_saved,                                    "RR-29")                       \
    F(PATH_MIG,    PATH_MIG,    !mig_of_software(a->path_mig),                                     "QS-78")                       \
    F(DEST_QPN,    DEST_QPN,    !ordinary_qpn(a->dest_qpn),                                        "WF-37")
/* clang-format on */

static bool values_fit(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp_attr *a, uint32_t judged)
{
    const bool has_port = iba_port_of(ca, a->port);

    if ((judged & IBA_QPA_PKEY_INDEX) && !has_port)
        return false;
    if ((judged & IBA_QPA_PATH_MTU) && (!has_port || !mtu_exists(a->path_mtu)))
        return false;
    if ((judged & IBA_QPA_AV) && !iba_av_legal(ca, &a->av, true))
        return false;
#define VALUE_FAULT(attribute, row, is, clause) IBA_REFUSE(ca, attr, row, (judged & IBA_QPA_##attribute) && (is), false)
    VALUE_FAULTS(VALUE_FAULT)
    return true;
}

static const struct attribute {
    uint32_t bit;
    size_t at, bytes; /* of struct iba_qp_attr */
} attributes[] = {
#define ROW(id, field) {IBA_QPA_##id, offsetof(struct iba_qp_attr, field), sizeof((struct iba_qp_attr *)0)->field},
    ATTRIBUTES(ROW)};
enum { N_ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* Some attributes depend on others, so they are checked again when only the other one is given. Returns `mask` with
 * these attributes added. */
static uint32_t depends(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t mask)
{
    const bool has_path = iba_qp_has(qp, IBA_QP_CONNECTED) && qp->envelope_bytes > 0;

    if ((mask & IBA_QPA_PORT) == 0 || !IBA_KEEPS(ca, modify, JUDGES_AGAIN))
        return mask;
    return mask | (qp->state != IBA_QPS_RESET ? IBA_QPA_PKEY_INDEX : 0) |
           (has_path ? IBA_QPA_AV | IBA_QPA_PATH_MTU : 0);
}

bool iba_qp_attr_merge(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp_attr *given, uint32_t mask,
                       struct iba_qp_attr *to)
{
    const uint32_t judged = depends(ca, qp, mask);

    *to = qp->attr;
    for (const struct attribute *a = attributes; a < attributes + N_ATTRIBUTES; a++)
        if (mask & a->bit)
            memcpy((uint8_t *)to + a->at, (const uint8_t *)given + a->at, a->bytes);
    if (mask & IBA_QPA_DEST_QPN)
        to->flow_control = given->flow_control;
    if (ca->deviate)
        ca->deviate->given(ca, to, mask);
    return values_fit(ca, qp, to, judged);
}
