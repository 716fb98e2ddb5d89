/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of the same four parties on every link. They differ so little that a device which compares only a part
 * of an address takes one for another. The GID of each party is formed from its MAC address (RFC 4291, appendix A). */
#include <string.h>
#include "reference.h"

enum { TESTER = IBC_DEVICES, STRANGER, PARTIES };
/* LIDS_APART: the distance of LIDs allows an LMC of 3 */
enum { LIDS_APART = 8, SECOND_PORT = 16, NO_VLAN = 0xffff };

static struct ibc_address address(unsigned party, unsigned port)
{
    const uint8_t n = (uint8_t)(party + 1 + (port - 1) * SECOND_PORT);

    return (struct ibc_address){.mac = UINT64_C(0x020000000000) + n,
                                .ipv4 = 0x0a000000u + n,
                                .ipv6 = {0x20, 0x01, 0x0d, 0xb8, [15] = n},
                                .gid = {0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [15] = n},
                                .lid = (uint16_t)(n * LIDS_APART)};
}

void ref_set_addresses(struct reference *r)
{
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        r->t.device[d] = address(d, 1), r->t.second[d] = address(d, 2);
    r->t.tester = address(TESTER, 1);
    r->t.stranger = address(STRANGER, 1);
    r->t.framing = r->link == IBC_LINK_ib_local || r->link == IBC_LINK_ib_global ? IBA_LINK_IB : IBA_LINK_ETHERNET;
}

static enum iba_port_kind kind_of(enum ibc_link link)
{
    static const uint8_t kinds[IBC_LINK_COUNT] = {
        [IBC_LINK_roce2_ipv4] = IBA_PORT_ROCE2, [IBC_LINK_roce2_ipv6] = IBA_PORT_ROCE2,
        [IBC_LINK_roce1] = IBA_PORT_ROCE1,      [IBC_LINK_ib_local] = IBA_PORT_IB,
        [IBC_LINK_ib_global] = IBA_PORT_IB,
    };
    return (enum iba_port_kind)kinds[link];
}

static void gid_on(enum ibc_link link, const struct ibc_address *a, uint8_t *gid)
{
    if (link == IBC_LINK_roce2_ipv4)
        iba_gid_set_ipv4(gid, a->ipv4);
    else
        memcpy(gid, link == IBC_LINK_roce2_ipv6 ? a->ipv6 : a->gid, sizeof a->gid);
}

void ref_set_ports(struct reference *r, unsigned d)
{
    const enum iba_port_kind kind = kind_of(r->link);

    for (unsigned n = 1; n <= REF_PORTS; n++) {
        struct iba_port *p = iba_ca_port(&r->d[d].ca, (uint8_t)n);
        const struct ibc_address a = address(d, n);
        iba_port_init(p, (uint8_t)n, kind, IBA_MTU_4096, kind == IBA_PORT_IB ? iba_bits_get(a.gid, 64, 64) : a.mac);
        if (kind == IBA_PORT_ROCE2) /* on other links the port computes its first GID from its GUID or MAC */
            gid_on(r->link, &a, p->gid[0]);
        p->n_pkey = REF_PKEYS;
        p->lid = kind == IBA_PORT_IB ? a.lid : 0;
        p->congestion = true;
    }
}

struct iba_av ref_path(const struct reference *r, uint8_t port, const struct ibc_address *to)
{
    const struct ibc_address *a = to ? to : &r->t.tester;
    struct iba_av av = {
        .port = port, .grh = r->link != IBC_LINK_ib_local, .dlid = a->lid, .dmac = a->mac, .vlan = NO_VLAN};

    gid_on(r->link, a, av.dgid);
    return av;
}

struct iba_av ref_path_to_group(const struct reference *r, uint8_t port, const uint8_t *gid)
{
    struct iba_av av = ref_path(r, port, NULL);

    av.grh = true;
    av.dlid = ibc_group_lid(gid);
    memcpy(av.dgid, gid, sizeof av.dgid);
    (void)iba_gid_mac(gid, &av.dmac);
    return av;
}

void ref_put_path(struct iba_av *av, const struct ibc_path *path)
{
    av->vlan = path->tagged ? path->vlan : NO_VLAN;
    av->udp_source = path->sport;
    av->sgid_index = path->gid_index;
    av->path_bits = path->path_bits;
}

uint8_t ref_port_of_frame(const struct ref_device *dev, const uint8_t *frame, size_t len)
{
    const struct iba_port *second = &dev->ca.port[1];

    if (dev->of->t.framing == IBA_LINK_IB)
        return len >= IBA_BYTES_lrh && iba_port_has_lid(second, iba_lrh_dlid(frame)) ? 2 : 1;
    return len >= IBA_BYTES_eth && iba_eth_dst(frame) == second->mac ? 2 : 1;
}

/* ---- settings of a subnet manager ---- */

static bool set_mtu(struct iba_port *p, uint64_t bytes)
{
    const uint8_t code = iba_mtu_code(bytes);

    p->mtu = code ? code : p->mtu;
    return code != 0;
}

static bool set_sl2vl(struct iba_port *p, uint32_t sl, uint64_t vl)
{
    if (sl >= sizeof p->sl2vl || vl > 15)
        return false;
    p->sl2vl[sl] = (uint8_t)vl;
    return true;
}

static bool set_lmc(struct iba_port *p, uint64_t lmc)
{
    if (lmc > 7)
        return false;
    p->lmc = (uint8_t)lmc;
    return true;
}

static bool set_lid(struct iba_port *p, struct ibc_address *a, uint64_t lid)
{
    if (lid > UINT16_MAX || p->kind != IBA_PORT_IB)
        return false;
    a->lid = p->lid = (uint16_t)lid;
    return true;
}

enum ibc_rc ref_set_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value)
{
    struct ref_device *dev = device_of(t, d);
    struct iba_port *p = iba_ca_port(&dev->ca, 1);
    bool good;

    dev->epoch++; /* address handles that were created before lack this setting */
    switch (key) {
    case IBC_K_pkey:
        if (index > UINT8_MAX || value > UINT16_MAX)
            return ref_verb(t, IBA_VERB_ATTR_VALUE);
        return ref_verb(t, iba_set_pkey(&dev->ca, 1, (uint8_t)index, (uint16_t)value));
    case IBC_K_lmc: good = set_lmc(p, value); break;
    case IBC_K_lid: good = set_lid(p, &t->device[d], value); break;
    case IBC_K_mtu: good = set_mtu(p, value); break;
    case IBC_K_sl2vl: good = set_sl2vl(p, index, value); break;
    case IBC_K_congestion: good = true, p->congestion = value != 0; break;
    case IBC_K_pkey_violations: good = true, p->counters.pkey_violations = (uint16_t)value; break;
    case IBC_K_qkey_violations: good = true, p->counters.qkey_violations = (uint16_t)value; break;
    default: return IBC_UNSUPPORTED;
    }
    return good ? IBC_OK : ref_verb(t, IBA_VERB_ATTR_VALUE);
}

enum ibc_rc ref_set_gid(struct ibc_target *t, unsigned d, uint32_t index, const uint8_t gid[16])
{
    struct ref_device *dev = device_of(t, d);
    struct reference *r = reference_of(t);
    struct iba_port *p = iba_ca_port(&dev->ca, 1);

    if (index >= IBA_MAX_GIDS)
        return ref_verb(t, IBA_VERB_ATTR_VALUE);
    dev->epoch++;
    memcpy(p->gid[index], gid, sizeof p->gid[index]);
    if (p->n_gid <= index) /* the entries between are all zero (::) */
        p->n_gid = (uint8_t)(index + 1);
    if (index == 0)
        ibc_set_first_gid(r->link, &t->device[d], gid);
    return IBC_OK;
}
