/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_port.h"
#include <string.h>
#include "deviations_port.h"

enum { PKEY_FULL = 0x8000, GID_BYTES = 16, GID_PREFIX_BYTES = 8 };

static const uint8_t zero_gid[GID_BYTES];
static const uint8_t default_prefix[GID_PREFIX_BYTES] = {0xfe, 0x80};

/* RFC 4291, appendix A: FFFE in the middle, the universal/local bit inverted. */
static uint64_t eui64_of_mac(uint64_t mac)
{
    return ((mac >> 24 << 40) | UINT64_C(0xfffe) << 24 | (mac & 0xffffff)) ^ UINT64_C(1) << 57;
}

void iba_port_init(struct iba_port *p, uint8_t number, enum iba_port_kind kind, enum iba_mtu mtu, uint64_t guid_or_mac)
{
    const bool ib = kind == IBA_PORT_IB;

    memset(p, 0, sizeof *p);
    p->kind = (uint8_t)kind;
    p->number = number;
    p->mtu = (uint8_t)mtu;
    p->mac = ib ? 0 : guid_or_mac;
    memcpy(p->gid[0], default_prefix, sizeof default_prefix);
    iba_bits_put(p->gid[0], 64, 64, ib ? guid_or_mac : eui64_of_mac(guid_or_mac));
    p->n_gid = 1;
    p->pkey[0] = 0xffff;
    p->n_pkey = IBA_PORT_MAX_PKEYS;
}

bool iba_pkey_match(uint16_t a, uint16_t b)
{
    return ((a ^ b) & ~PKEY_FULL) == 0 && (a & ~PKEY_FULL) != 0 && ((a | b) & PKEY_FULL) != 0;
}

bool iba_port_pkey_match(const struct iba_port *p, uint16_t a, uint16_t b)
{
    return p->deviate ? p->deviate->pkey_match(p, a, b) : iba_pkey_match(a, b);
}

int iba_port_pkey_find(const struct iba_port *p, uint16_t key)
{
    for (int i = 0; i < p->n_pkey; i++)
        if (iba_port_pkey_match(p, p->pkey[i], key))
            return p->deviate ? p->deviate->pkey_found(p, i) : i;
    return -1;
}

bool iba_port_pkey_set(struct iba_port *p, uint8_t index, uint16_t key)
{
    if (index >= p->n_pkey)
        return false;
    if (IBA_KEEPS(p, port, PKEY_SET))
        p->pkey[index] = key;
    return true;
}

static void count_to_the_stop(struct iba_port *p, uint16_t *counter)
{
    if (p->deviate)
        p->deviate->count(p, counter);
    else if (*counter < UINT16_MAX)
        ++*counter;
}

void iba_port_count_pkey_violation(struct iba_port *p)
{
    count_to_the_stop(p, &p->counters.pkey_violations);
}

void iba_port_count_qkey_violation(struct iba_port *p)
{
    count_to_the_stop(p, &p->counters.qkey_violations);
}

enum iba_lid_class iba_lid_classify(uint16_t lid)
{
    if (lid == 0)
        return IBA_LID_RESERVED;
    if (lid < 0xc000)
        return IBA_LID_UNICAST;
    return lid < 0xffff ? IBA_LID_MULTICAST : IBA_LID_PERMISSIVE;
}

bool iba_port_has_lid(const struct iba_port *p, uint16_t lid)
{
    const unsigned lmc = p->lmc;

    return p->lid != 0 && lid >> lmc == p->lid >> lmc && iba_lid_classify(lid) == IBA_LID_UNICAST &&
           (!p->deviate || p->deviate->answers_to_lid(p, lid));
}

static bool is_gid(const struct iba_port *p, unsigned i, const uint8_t *gid, size_t from)
{
    return memcmp(p->gid[i] + from, gid + from, GID_BYTES - from) == 0 && memcmp(p->gid[i], zero_gid, GID_BYTES) != 0;
}

bool iba_port_has_gid(const struct iba_port *p, const uint8_t *gid)
{
    const bool alias = p->kind == IBA_PORT_IB && memcmp(gid, default_prefix, GID_PREFIX_BYTES) == 0;
    const size_t from = alias ? GID_PREFIX_BYTES : 0;

    if (p->deviate)
        return p->deviate->has_gid(p, gid, from);
    for (unsigned i = 0; i < p->n_gid; i++)
        if (is_gid(p, i, gid, from))
            return true;
    return false;
}

bool iba_gid_is_multicast(const uint8_t *gid)
{
    return gid[0] == 0xff || (iba_gid_is_ipv4(gid) && gid[12] >> 4 == 0xe);
}

bool iba_gid_mac(const uint8_t *gid, uint64_t *mac)
{
    const uint64_t eui64 = iba_bits_get(gid, 64, 64), low = eui64 & 0xffffff;

    if (iba_gid_is_multicast(gid)) {
        *mac = gid[0] == 0xff ? UINT64_C(0x333300000000) | (eui64 & 0xffffffff)
                              : UINT64_C(0x01005e000000) | (low & 0x7fffff);
        return true;
    }
    *mac = ((eui64 ^ UINT64_C(1) << 57) >> 40 << 24) | low;
    return memcmp(gid, default_prefix, GID_PREFIX_BYTES) == 0 && (eui64 >> 24 & 0xffff) == 0xfffe;
}
