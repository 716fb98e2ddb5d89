/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of modify QP: their fields, and the values that they accept. */
#include <assert.h>
#include <string.h>
#include "transport/deviations_qp.h"
#include "transport/iba_refusals.h"
#include "transport/iba_qp_attr.h"
#include "transport/iba_qp_traits.h"

enum {
    ACCESS_OF_QP = IBA_ACCESS_REMOTE,
    FIVE_BITS = 31,
    THREE_BITS = 7,
    FLOW_LABEL_MAX = 0xfffff,
    QPN_MULTICAST = 0xffffff,
    SL_MAX_IB = 15,
    SL_MAX_ROCE = 7, /* RO-27 */
    NO_VLAN = 0xffff,
    VLAN_MAX = 0xffe,
    GID_BYTES = 16,
};

/* ---- address vectors ---- */
/* No packet goes to the GIDs :: and ::1 (KM-40). */
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

static bool is_ib(const struct iba_call *c)
{
    return c->path.port->kind == IBA_PORT_IB;
}

static bool has_gids(const struct iba_call *c)
{
    return !is_ib(c) || c->path.av->grh;
}

/* clang-format off */
#define ADDRESS c->path.av
#define VLAN_WRONG (!is_ib(c) && ADDRESS->vlan != NO_VLAN && ADDRESS->vlan > VLAN_MAX)
/* Faults of an address vector.
 *    row                    result               the vector ...                                                        clause */
#define ADDRESS_CHECKS(R, A)                                                                                                            \
    R(attr, AV_PORT,         IBA_VERB_ATTR_VALUE, !c->path.port,                                                        "QS-82")        \
    A(mac_too_long,          IBA_VERB_ATTR_VALUE, !is_ib(c) && ADDRESS->dmac >> 48 != 0,                                "RO-07")        \
    R(attr, AV_SL,           IBA_VERB_ATTR_VALUE, ADDRESS->sl > (is_ib(c) ? SL_MAX_IB : SL_MAX_ROCE),                   "RO-27")        \
    R(attr, AV_DLID,         IBA_VERB_ATTR_VALUE, is_ib(c) && iba_lid_classify(ADDRESS->dlid) == IBA_LID_RESERVED,      "WF-15, WF-16") \
    R(attr, AV_VLAN,         IBA_VERB_ATTR_VALUE, VLAN_WRONG,                                                           "RO-03")        \
    R(attr, AV_SGID,         IBA_VERB_ATTR_VALUE, has_gids(c) && ADDRESS->sgid_index >= c->path.port->n_gid,            "QS-82, KM-36") \
    R(attr, AV_FLOW_LABEL,   IBA_VERB_ATTR_VALUE, has_gids(c) && ADDRESS->flow_label > FLOW_LABEL_MAX,                  "WF-20")        \
    R(attr, AV_DGID,         IBA_VERB_ATTR_VALUE, has_gids(c) && !gid_can_be_sent_to(ADDRESS->dgid),                    "KM-40")        \
    R(attr, AV_IP_VERSION,   IBA_VERB_ATTR_VALUE, !is_ib(c) && !same_ip_version(c->path.port, ADDRESS),                 "RO-24")        \
    R(attr, AV_GROUP,        IBA_VERB_ATTR_VALUE, c->path.connection && leads_to_a_group(c->path.port, ADDRESS),        "PV-26")
/* clang-format on */
IBA_REFUSAL_TABLE(ADDRESS_CHECKS, address_checks, ADDRESS)

bool iba_av_legal(struct iba_ca *ca, struct iba_av *av, bool connection)
{
    struct iba_call c = {.ca = ca, .path = {.av = av, .port = iba_port_of(ca, av->port), .connection = connection}};

    return iba_refuse(&c, &address_checks) == IBA_PASSES;
}

/* ---- values; `a` has the attributes of the QP after the call, so attributes given together are checked together ----
 */
static bool pkey_in_table(const struct iba_ca *ca, const struct iba_qp_attr *a)
{
    const struct iba_port *p = iba_port_of(ca, a->port);

    assert(p); /* by a row */
    return a->pkey_index < p->n_pkey;
}

static bool mtu_exists(uint8_t mtu)
{
    return mtu >= IBA_MTU_256 && mtu <= IBA_MTU_4096;
}

static bool mtu_of_port(const struct iba_ca *ca, const struct iba_qp_attr *a)
{
    const struct iba_port *p = iba_port_of(ca, a->port);

    assert(p); /* by a row */
    return a->path_mtu <= p->mtu;
}

static bool mig_of_software(uint8_t mig)
{
    return mig == IBA_PATH_MIGRATED || mig == IBA_PATH_REARM;
}

static bool ordinary_qpn(uint32_t qpn)
{
    return qpn > 1 && qpn < QPN_MULTICAST;
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
/* clang-format on */

/* Returns whether the call checks the attribute. */
static bool judged(const struct iba_call *c, uint32_t attribute)
{
    return (c->modify.judged & attribute) != 0;
}

static bool has_no_port(const struct iba_call *c)
{
    return !iba_port_of(c->ca, c->modify.merged->port);
}

/* clang-format off */
#define V c->modify.merged
#define BAD_VALUE IBA_VERB_ATTR_VALUE
/* Faults in the value of an attribute.
 *    row                  result     the value ...                                                                          clause */
#define ATTR_VALUES_CHECKS(R, A)                                                                                                                       \
    A(pkey_index_of_no_port, BAD_VALUE, judged(c, IBA_QPA_PKEY_INDEX) && has_no_port(c),                                     "QS-01, KM-11")            \
    A(mtu_of_no_port,      BAD_VALUE, judged(c, IBA_QPA_PATH_MTU) && has_no_port(c),                                         "QS-80")                   \
    A(mtu_unknown,         BAD_VALUE, judged(c, IBA_QPA_PATH_MTU) && !mtu_exists(V->path_mtu),                               "QS-80")                   \
    A(path_illegal,        BAD_VALUE, judged(c, IBA_QPA_AV) && !iba_av_legal(c->ca, &V->av, true),                           "QS-82")                   \
    R(attr, PORT,          BAD_VALUE, judged(c, IBA_QPA_PORT) && has_no_port(c),                                             "QS-01, QS-80")            \
    R(attr, ACCESS,        BAD_VALUE, judged(c, IBA_QPA_ACCESS) && (V->access & ~ACCESS_OF_QP) != 0,                         "QS-01")                   \
    R(attr, PKEY_INDEX,    BAD_VALUE, judged(c, IBA_QPA_PKEY_INDEX) && !pkey_in_table(c->ca, V),                             "QS-01, KM-11")            \
    R(attr, QKEY,          BAD_VALUE, judged(c, IBA_QPA_QKEY) && c->qp->type == IBA_QPT_GSI && V->qkey != IBA_GSI_QKEY,      "PV-19, KM-18")            \
    R(attr, PATH_PORT,     BAD_VALUE, judged(c, IBA_QPA_AV) && V->av.port != V->port,                                        "PV-24")                   \
    R(attr, ALTERNATE,     BAD_VALUE, judged(c, IBA_QPA_ALT_PATH) && !iba_av_legal(c->ca, &V->alt_av, true),                 "QS-78: may be of another port") \
    R(attr, PATH_MTU,      BAD_VALUE, judged(c, IBA_QPA_PATH_MTU) && !mtu_of_port(c->ca, V),                                 "RO-08, QS-80")            \
    R(attr, TIMEOUT,       BAD_VALUE, judged(c, IBA_QPA_TIMEOUT) && V->timeout > FIVE_BITS,                                  "RQ-18")                   \
    R(attr, RETRY,         BAD_VALUE, judged(c, IBA_QPA_RETRY) && V->retry > THREE_BITS,                                     "RQ-22")                   \
    R(attr, RNR_RETRY,     BAD_VALUE, judged(c, IBA_QPA_RNR_RETRY) && V->rnr_retry > THREE_BITS,                             "RQ-29")                   \
    R(attr, MIN_RNR,       BAD_VALUE, judged(c, IBA_QPA_MIN_RNR) && V->min_rnr > FIVE_BITS,                                  "WF-50")                   \
    R(attr, RQ_PSN,        BAD_VALUE, judged(c, IBA_QPA_RQ_PSN) && V->rq_psn > IBA_PSN_MASK,                                 "WF-39")                   \
    R(attr, SQ_PSN,        BAD_VALUE, judged(c, IBA_QPA_SQ_PSN) && V->sq_psn > IBA_PSN_MASK,                                 "WF-39")                   \
    R(attr, MAX_DEST_RD,   BAD_VALUE, judged(c, IBA_QPA_MAX_DEST_RD) && V->max_dest_rd > c->qp->r.n_saved,                   "RR-29")                   \
    R(attr, PATH_MIG,      BAD_VALUE, judged(c, IBA_QPA_PATH_MIG) && !mig_of_software(V->path_mig),                          "QS-78")                   \
    R(attr, DEST_QPN,      BAD_VALUE, judged(c, IBA_QPA_DEST_QPN) && !ordinary_qpn(V->dest_qpn),                             "WF-37")
/* clang-format on */
IBA_REFUSAL_TABLE(ATTR_VALUES_CHECKS, attr_values_checks, ATTR_VALUES)

static const struct attribute {
    uint32_t bit;
    size_t at, bytes; /* of struct iba_qp_attr */
} attributes[] = {
#define ROW(id, field) {IBA_QPA_##id, offsetof(struct iba_qp_attr, field), sizeof((struct iba_qp_attr *)0)->field},
    ATTRIBUTES(ROW)};
enum { N_ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* Some attributes depend on others, so they are checked again when only the other one is given. Returns `mask` with
 * these attributes added. A QP in Reset has the P_Key index 0, which each port has. A QP that has a path and may be
 * given a port is connected. */
static uint32_t depends(const struct iba_qp *qp, uint32_t mask)
{
    if ((mask & IBA_QPA_PORT) == 0)
        return mask;
    return mask | IBA_QPA_PKEY_INDEX | (qp->envelope_bytes != 0 ? IBA_QPA_AV | IBA_QPA_PATH_MTU : 0);
}

bool iba_qp_attr_merge(struct iba_call *c, struct iba_qp_attr *to)
{
    const struct iba_qp_attr *given = c->modify.given;
    const uint32_t mask = c->modify.mask;

    *to = c->qp->attr;
    for (size_t i = N_ATTRIBUTES; i-- > 0;) {
        const struct attribute *a = &attributes[i];
        if (mask & a->bit)
            memcpy((uint8_t *)to + a->at, (const uint8_t *)given + a->at, a->bytes);
    }
    if (mask & IBA_QPA_DEST_QPN)
        to->flow_control = given->flow_control;
    c->modify.judged = depends(c->qp, mask);
    c->modify.merged = to;
    return iba_refuse(c, &attr_values_checks) == IBA_PASSES;
}
