/* SPDX-License-Identifier: BSD-2-Clause */
#include "mad_packet.h"
#include <arpa/inet.h>
#include <string.h>
#include "fabric/iba_port.h"
#include "mad/iba_mad.h"

enum { LNH_LOCAL = 2, LNH_GLOBAL = 3, IPVER = 6, NEXT_IBA = 0x1b, SEND_ONLY = 0x64, QP_MASK = 0xffffff };
enum { PERMISSIVE = 0xffff, DEFAULT_PKEY = 0xffff, BASE_KEY = 0x7fff };
#define OWN_QKEY 0x80000000u /* a request with this bit set is sent with the Q_Key of the sending QP (PV-19) */

/* ---- to a packet ---- */

static bool pkey_of(const struct iba_node_port *p, const struct mad_envelope *e, bool smp, uint16_t *pkey)
{
    *pkey = DEFAULT_PKEY;
    if (smp)
        return true;
    if (e->pkey_index >= p->n_pkey)
        return false;
    *pkey = p->pkey[e->pkey_index];
    return (*pkey & BASE_KEY) != 0;
}

static bool write_grh(uint8_t *grh, const struct iba_node_port *p, const struct mad_envelope *e, size_t payload)
{
    uint8_t gid[16] = {0};

    if (e->gid_index >= IBA_GUID_BLOCK || p->guid[e->gid_index] == 0)
        return false;
    iba_bits_put(gid, 0, 64, p->info.guid);
    iba_bits_put(gid + 8, 0, 64, p->guid[e->gid_index]);
    iba_grh_set_ipver(grh, IPVER);
    iba_grh_set_tclass(grh, e->traffic_class);
    iba_grh_set_flowlabel(grh, ntohl(e->flow_label) & 0xfffff);
    iba_grh_set_paylen(grh, payload);
    iba_grh_set_nxthdr(grh, NEXT_IBA);
    iba_grh_set_hoplmt(grh, e->hop_limit);
    iba_grh_set_sgid(grh, gid);
    iba_grh_set_dgid(grh, e->gid);
    return true;
}

static void write_lrh(uint8_t *lrh, const struct iba_node_port *p, const struct mad_envelope *e, bool smp, size_t len)
{
    const uint16_t paths = (uint16_t)((1u << p->info.lmc) - 1), dlid = ntohs(e->lid);
    const bool no_lid = p->info.lid == 0 || (smp && dlid == PERMISSIVE);

    iba_lrh_set_vl(lrh, smp ? IBA_VL15 : 0); /* the port puts other packets on the VL of their SL */
    iba_lrh_set_sl(lrh, e->sl & 0xf);
    iba_lrh_set_lnh(lrh, e->grh_present && !smp ? LNH_GLOBAL : LNH_LOCAL);
    iba_lrh_set_dlid(lrh, dlid);
    iba_lrh_set_slid(lrh, no_lid ? PERMISSIVE : (uint16_t)((p->info.lid & ~paths) | (e->path_bits & paths)));
    iba_lrh_set_pktlen(lrh, len / 4);
}

size_t mad_packet_build(uint8_t packet[MAD_PACKET], const struct iba_node_port *p, const struct mad_envelope *e,
                        bool smp, uint32_t psn, const uint8_t *mad)
{
    const bool global = e->grh_present && !smp;
    const size_t bth_at = IBA_BYTES_lrh + (global ? IBA_BYTES_grh : 0), deth_at = bth_at + IBA_BYTES_bth;
    const size_t mad_at = deth_at + IBA_BYTES_deth, icrc_at = mad_at + IBA_MAD_BYTES, end = icrc_at + IBA_ICRC_BYTES;
    const uint32_t qkey = ntohl(e->qkey);
    uint16_t pkey;

    memset(packet, 0, mad_at);
    if (!pkey_of(p, e, smp, &pkey) || (global && !write_grh(packet + IBA_BYTES_lrh, p, e, end - bth_at)))
        return 0;
    write_lrh(packet, p, e, smp, end);
    iba_bth_set_opcode(packet + bth_at, SEND_ONLY);
    iba_bth_set_p_key(packet + bth_at, pkey);
    iba_bth_set_destqp(packet + bth_at, smp ? 0 : ntohl(e->qpn) & QP_MASK);
    iba_bth_set_psn(packet + bth_at, psn);
    iba_deth_set_q_key(packet + deth_at, smp ? 0 : qkey & OWN_QKEY ? IBA_GSI_QKEY : qkey);
    iba_deth_set_srcqp(packet + deth_at, smp ? 0 : 1);
    memcpy(packet + mad_at, mad, IBA_MAD_BYTES);
    iba_put_le32(packet + icrc_at, iba_icrc(global ? IBA_ICRC_GLOBAL : IBA_ICRC_LOCAL, packet, bth_at, icrc_at));
    iba_put_le16(packet + end, iba_vcrc(packet, end));
    return end + IBA_VCRC_BYTES;
}

/* ---- from a packet ---- */

/* Returns the index of the P_Key that lets the packet in: the same key, or else one of the same partition. */
static uint16_t index_of(const struct iba_node_port *p, uint16_t key)
{
    for (unsigned i = 0; i < p->n_pkey; i++)
        if (p->pkey[i] == key)
            return (uint16_t)i;
    for (unsigned i = 0; i < p->n_pkey; i++)
        if (iba_pkey_match(p->pkey[i], key))
            return (uint16_t)i;
    return 0;
}

static void read_grh(const uint8_t *grh, struct mad_envelope *e)
{
    e->grh_present = 1;
    e->hop_limit = (uint8_t)iba_grh_hoplmt(grh);
    e->traffic_class = (uint8_t)iba_grh_tclass(grh);
    e->flow_label = htonl((uint32_t)iba_grh_flowlabel(grh));
    memcpy(e->gid, iba_grh_sgid(grh), sizeof e->gid);
}

const uint8_t *mad_packet_read(const struct iba_node_port *p, const uint8_t *packet, size_t len, struct mad_envelope *e,
                               bool *smp)
{
    const bool global = len == MAD_PACKET && iba_lrh_lnh(packet) == LNH_GLOBAL;
    const uint8_t *bth = packet + IBA_BYTES_lrh + (global ? IBA_BYTES_grh : 0), *deth = bth + IBA_BYTES_bth;

    *e = (struct mad_envelope){0};
    if (len != IBA_MGMT_BYTES && !global)
        return NULL;
    if (iba_bth_opcode(bth) != SEND_ONLY || iba_bth_destqp(bth) > 1)
        return NULL;
    *smp = iba_bth_destqp(bth) == 0;
    e->qpn = htonl((uint32_t)iba_deth_srcqp(deth));
    e->lid = htons((uint16_t)iba_lrh_slid(packet));
    e->sl = (uint8_t)iba_lrh_sl(packet);
    e->path_bits = (uint8_t)(iba_lrh_dlid(packet) & ((1u << p->info.lmc) - 1));
    e->pkey_index = *smp ? 0 : index_of(p, (uint16_t)iba_bth_p_key(bth));
    if (global)
        read_grh(packet + IBA_BYTES_lrh, e);
    return deth + IBA_BYTES_deth;
}
