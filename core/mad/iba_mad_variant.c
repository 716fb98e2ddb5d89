/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the parts whose layout depends on an earlier value in the datagram. */
#include "iba_mad_add.h"

/* Returns the layout at `at` if all of it was captured, else NULL. */
static const uint8_t *captured(const struct iba_mad *m, enum iba_mad_layout l, uint32_t at)
{
    return at + iba_mad_layouts[l].bytes <= m->captured ? m->wire + at : NULL;
}

/* The layout of the data details for each trap number (MD-109..MD-112). */
enum iba_mad_layout iba_trap_details(uint16_t trap)
{
    static const struct {
        uint16_t lo, hi;
        uint8_t layout;
    } traps[] = {{64, 67, IBA_M_trap_gid},    {68, 69, IBA_M_trap_repath},  {128, 128, IBA_M_trap_switch},
                 {129, 131, IBA_M_trap_port}, {144, 144, IBA_M_trap_local}, {145, 145, IBA_M_trap_sysguid},
                 {256, 256, IBA_M_trap_mkey}, {257, 258, IBA_M_trap_key},   {259, 259, IBA_M_trap_switch_pkey}};

    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++)
        if (trap >= traps[i].lo && trap <= traps[i].hi)
            return (enum iba_mad_layout)traps[i].layout;
    return IBA_M_notice_data;
}

static void notice(struct iba_mad *m, const uint8_t *wire, uint32_t at, unsigned record)
{
    const enum iba_mad_layout l = iba_trap_details((uint16_t)iba_notice_trap(wire));

    if (iba_notice_isgeneric(wire) && l != IBA_M_notice_data)
        iba_mad_add(m, l, at + IBA_BYTES_notice, 1, record);
}

/* Adds the source and destination GIDs: as many as the count fields give and as fit (section 15.2.5.20). */
static void multipath(struct iba_mad *m, const uint8_t *wire, uint32_t at, unsigned record)
{
    const unsigned n = iba_multipathrecord_sgidcount(wire) + iba_multipathrecord_dgidcount(wire);
    const unsigned room = (m->captured - at - IBA_BYTES_multipathrecord) / IBA_BYTES_multipath_gid;
    const unsigned most = room < UINT8_MAX ? room : UINT8_MAX;

    iba_mad_add(m, IBA_M_multipath_gid, at + IBA_BYTES_multipathrecord, n < most ? n : most, record);
}

bool iba_mad_is_ip_service(uint64_t service_id)
{
    return service_id >> 24 == 1; /* 0x0000000001PPpppp, MD-81 */
}

/* True when the 16 bytes of `gid` are an IPv4-mapped IPv6 address. */
static bool mapped_ipv4(const uint8_t *gid)
{
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

    return memcmp(gid, prefix, sizeof prefix) == 0;
}

static void ip_addresses(struct iba_mad *m, uint32_t at, unsigned version, enum iba_mad_layout v4,
                         enum iba_mad_layout v6)
{
    if (version == 4)
        iba_mad_add(m, v4, at, 1, 0);
    else if (version == 6)
        iba_mad_add(m, v6, at, 1, 0);
}

/* Adds the parts of a REQ that the RDMA IP CM service defines: service identifier and private data (MD-81, annex A11).
 */
static void cm_req(struct iba_mad *m, const uint8_t *wire, uint32_t at)
{
    enum { SERVICE = IBA_AT_cm_req_serviceid / 8, GIDS = IBA_AT_cm_req_prim_localgid / 8 };
    const uint32_t private_at = at + IBA_BYTES_cm_req;

    if (mapped_ipv4(iba_cm_req_prim_localgid(wire)) && mapped_ipv4(iba_cm_req_prim_remotegid(wire)))
        iba_mad_add(m, IBA_M_ip_gids, at + GIDS, 1, 0);
    if (!iba_mad_is_ip_service(iba_cm_req_serviceid(wire))) {
        iba_mad_add(m, IBA_M_cm_req_private, private_at, 1, 0);
        return;
    }
    iba_mad_add(m, IBA_M_ip_service, at + SERVICE, 1, 0);
    iba_mad_add_for(m, IBA_M_ip_cm, private_at, private_at, private_at + IBA_BYTES_cm_req_private);
    if (!captured(m, IBA_M_ip_cm, private_at))
        return;
    ip_addresses(m, private_at + IBA_BYTES_ip_cm, iba_ip_cm_ipv(m->wire + private_at), IBA_M_ip_cm4, IBA_M_ip_cm6);
    iba_mad_add(m, IBA_M_ip_cm_private, private_at + IBA_BYTES_ip_cm + IBA_BYTES_ip_cm6, 1, 0);
}

static void cm_sidr_req(struct iba_mad *m, const uint8_t *wire, uint32_t at)
{
    enum { SERVICE = IBA_AT_cm_sidr_req_serviceid / 8 };
    const uint32_t private_at = at + IBA_BYTES_cm_sidr_req;

    iba_mad_add(m, IBA_M_cm_sidr_private, private_at, 1, 0);
    if (!iba_mad_is_ip_service(iba_cm_sidr_req_serviceid(wire)))
        return;
    iba_mad_add(m, IBA_M_sidr_ip_service, at + SERVICE, 1, 0);
    iba_mad_add(m, IBA_M_sidr_ip_cm, private_at, 1, 0);
    if (captured(m, IBA_M_sidr_ip_cm, private_at))
        ip_addresses(m, private_at + IBA_BYTES_sidr_ip_cm, iba_sidr_ip_cm_ipv(m->wire + private_at), IBA_M_sidr_ip_cm4,
                     IBA_M_sidr_ip_cm6);
}

/* A congestion log has the layout of a switch or of a channel adapter. The log begins before the offset of other
 * attributes (MD-115). */
static void cc_log(struct iba_mad *m, const uint8_t *wire, uint32_t at)
{
    enum { OF_SWITCH = 1, OF_CA = 2, SWITCH_EVENTS = 15, CA_EVENTS = 13 };
    const uint32_t body = at + IBA_BYTES_cc_log;

    if (iba_cc_log_logtype(wire) == OF_SWITCH) {
        iba_mad_add(m, IBA_M_cc_log_switch, body, 1, 0);
        iba_mad_add(m, IBA_M_cc_event_switch, body + IBA_BYTES_cc_log_switch, SWITCH_EVENTS, 0);
    } else if (iba_cc_log_logtype(wire) == OF_CA) {
        iba_mad_add(m, IBA_M_cc_log_ca, body, 1, 0);
        iba_mad_add(m, IBA_M_cc_event_ca, body + IBA_BYTES_cc_log_ca, CA_EVENTS, 0);
    }
}

void iba_mad_add_variant(struct iba_mad *m, enum iba_mad_layout l, uint32_t at, unsigned record)
{
    const uint8_t *wire = captured(m, l, at);

    if (!wire)
        return;
    switch (l) {
    case IBA_M_notice: notice(m, wire, at, record); break;
    case IBA_M_multipathrecord: multipath(m, wire, at, record); break;
    case IBA_M_cm_req: cm_req(m, wire, at); break;
    case IBA_M_cm_sidr_req: cm_sidr_req(m, wire, at); break;
    case IBA_M_cc_log: cc_log(m, wire, at); break;
    default: break;
    }
}
