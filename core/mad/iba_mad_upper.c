/* SPDX-License-Identifier: BSD-2-Clause */
/* Upper protocols: the protocol of a service, and its private data at connection setup. */
#include "iba_mad.h"
#include "iba_mad_add.h"

/* Ports of the IP CM service with a registered use (IANA). */
static const struct {
    uint16_t port;
    uint8_t upper;
} ports[] = {{445, IBA_UPPER_SMB_DIRECT},
             {987, IBA_UPPER_LNET},
             {3260, IBA_UPPER_ISER},
             {4420, IBA_UPPER_NVME},
             {20049, IBA_UPPER_RPC}};

enum iba_upper iba_upper_of(uint64_t service_id)
{
    enum { TCP = 6 };

    if (service_id >> 16 == 1) /* Annex A4 */
        return IBA_UPPER_SDP;
    if (service_id >> 24 == UINT64_C(0x1000000000)) /* RFC 4755 */
        return IBA_UPPER_IPOIB;
    if (!iba_mad_is_ip_service(service_id) || (service_id >> 16 & 0xff) != TCP)
        return IBA_UPPER_NONE;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        if (ports[i].port == (service_id & 0xffff))
            return (enum iba_upper)ports[i].upper;
    return IBA_UPPER_NONE;
}

const char *iba_upper_name(enum iba_upper u)
{
    static const char *const name[IBA_UPPERS] = {"",           "SDP",  "IPoIB",     "SRP",          "iSER",
                                                 "SMB Direct", "LNet", "NVMe/RDMA", "RPC-over-RDMA"};

    return name[u];
}

enum { REQ = IBA_CM_ID_REQ, REJ = IBA_CM_ID_REJ, REP = IBA_CM_ID_REP };
/* Offsets in a datagram of the service identifier of a REQ and of each message's private data; and how many bytes of a
 * REQ's private data the IP CM service uses. */
enum {
    SERVICE_AT = IBA_BYTES_madhdr + IBA_AT_cm_req_serviceid / 8,
    REQ_AT = IBA_BYTES_madhdr + IBA_BYTES_cm_req,
    IP_CM = IBA_BYTES_ip_cm + IBA_BYTES_ip_cm6,
    REP_AT = IBA_BYTES_madhdr + IBA_AT_cm_rep_private_data / 8,
    REJ_AT = IBA_BYTES_madhdr + IBA_AT_cm_rej_private_data / 8
};

/* The layouts of each message's private data. `ip`: the layout begins after the private data of the IP CM service. A
 * row applies if the sign_bits bits at byte sign_at of its layout have the value `sign`. A row with sign_bits 0 has no
 * test of its own, and applies if the row before it does. */
static const struct {
    uint8_t upper, message, layout, at;
    bool ip;
    uint8_t sign_at, sign_bits;
    uint32_t sign;
} said[] = {{IBA_UPPER_IPOIB, REQ, IBA_M_ipoib_cm, REQ_AT, false, 0, 8, 0},
            {IBA_UPPER_IPOIB, REP, IBA_M_ipoib_cm, REP_AT, false, 0, 8, 0},
            {IBA_UPPER_SDP, REQ, IBA_M_sdp_bsdh, REQ_AT, false, 0, 8, 0},
            {IBA_UPPER_SDP, REQ, IBA_M_sdp_hh, REQ_AT + IBA_BYTES_sdp_bsdh, false, 0, 0, 0},
            {IBA_UPPER_SDP, REP, IBA_M_sdp_bsdh, REP_AT, false, 0, 8, 1},
            {IBA_UPPER_SDP, REP, IBA_M_sdp_hah, REP_AT + IBA_BYTES_sdp_bsdh, false, 0, 0, 0},
            {IBA_UPPER_SRP, REQ, IBA_M_srp_login_req, REQ_AT, false, 0, 8, 0},
            {IBA_UPPER_SRP, REQ, IBA_M_srp_login_rdma, REQ_AT + IP_CM, true, 11, 8, 0},
            {IBA_UPPER_SRP, REP, IBA_M_srp_login_rsp, REP_AT, false, 0, 8, 0xc0},
            {IBA_UPPER_SRP, REJ, IBA_M_srp_login_rej, REJ_AT, false, 0, 8, 0xc2},
            {IBA_UPPER_ISER, REQ, IBA_M_iser_cm, REQ_AT + IP_CM, true, 0, 0, 0},
            {IBA_UPPER_ISER, REP, IBA_M_iser_cm, REP_AT, false, 0, 0, 0},
            {IBA_UPPER_NVME, REQ, IBA_M_nvme_req, REQ_AT + IP_CM, true, 0, 0, 0},
            {IBA_UPPER_NVME, REP, IBA_M_nvme_rsp, REP_AT, false, 0, 0, 0},
            {IBA_UPPER_NVME, REJ, IBA_M_nvme_rej, REJ_AT, false, 0, 0, 0},
            {IBA_UPPER_RPC, REQ, IBA_M_rpc_cm, REQ_AT + IP_CM, true, 0, 32, 0xf6ab0e18},
            {IBA_UPPER_RPC, REP, IBA_M_rpc_cm, REP_AT, false, 0, 32, 0xf6ab0e18}};

void iba_mad_add_private(struct iba_mad *m, enum iba_upper u)
{
    if (!m->attr || m->attr->group != IBA_GROUP_CM || m->captured < SERVICE_AT + 8)
        return;
    const bool ip = m->attr->id == REQ && iba_mad_is_ip_service(iba_bits_get(m->wire, SERVICE_AT * 8, 64));
    bool theirs = true;

    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (said[i].upper != u || said[i].message != m->attr->id || said[i].ip != ip)
            continue;
        if (said[i].sign_bits > 0) {
            const uint32_t at = said[i].at + said[i].sign_at, end = at + said[i].sign_bits / 8u;
            theirs = end <= m->captured && iba_bits_get(m->wire, at * 8, said[i].sign_bits) == said[i].sign;
        }
        if (theirs)
            iba_mad_add(m, (enum iba_mad_layout)said[i].layout, said[i].at, 1, 0);
    }
}
