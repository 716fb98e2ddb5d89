/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the bits of a packet that an argument names. */
#include <string.h>
#include "run/play.h"

/* Fields that several headers have: the first header in this list that the packet has is used, innermost network header
 * first. */
static const struct {
    uint8_t key, hdr;
    const char *name;
} everywhere[] = {
    {IBC_K_hop, IBA_H_grh, "hoplmt"},         {IBC_K_hop, IBA_H_ipv4, "ttl"},
    {IBC_K_hop, IBA_H_ipv6, "hlim"},          {IBC_K_tclass, IBA_H_grh, "tclass"},
    {IBC_K_tclass, IBA_H_ipv4, "dsfield"},    {IBC_K_tclass, IBA_H_ipv6, "tclass"},
    {IBC_K_flow, IBA_H_grh, "flowlabel"},     {IBC_K_flow, IBA_H_ipv6, "flow"},
    {IBC_K_ecn, IBA_H_ipv4, "dsfield.ecn"},   {IBC_K_ecn, IBA_H_ipv6, "tclass.ecn"},
    {IBC_K_dscp, IBA_H_ipv4, "dsfield.dscp"}, {IBC_K_dscp, IBA_H_ipv6, "tclass.dscp"},
    {IBC_K_sgid, IBA_H_grh, "sgid"},          {IBC_K_sgid, IBA_H_ipv6, "src"},
    {IBC_K_dgid, IBA_H_grh, "dgid"},          {IBC_K_dgid, IBA_H_ipv6, "dst"},
};
enum { N_EVERYWHERE = sizeof everywhere / sizeof *everywhere };

bool run_is_field(const struct ibc_arg *a)
{
    if (a->key == IBC_K_FIELD)
        return true;
    for (unsigned i = 0; i < N_EVERYWHERE; i++)
        if (everywhere[i].key == a->key)
            return true;
    return false;
}

/* RETH and AtomicETH share two names. */
static uint8_t sibling(uint8_t hdr)
{
    return hdr == IBA_H_reth ? IBA_H_atomiceth : hdr == IBA_H_atomiceth ? IBA_H_reth : hdr;
}

const struct iba_field *run_field_in(const struct ibc_arg *a, uint64_t has, uint8_t *hdr)
{
    if (a->key == IBC_K_FIELD) {
        *hdr = a->hdr;
        if (has >> a->hdr & 1)
            return a->field;
        *hdr = sibling(a->hdr);
        return *hdr != a->hdr && has >> *hdr & 1 ? iba_field_find((enum iba_hdr) * hdr, a->field->name) : NULL;
    }
    for (unsigned i = 0; i < N_EVERYWHERE; i++)
        if (everywhere[i].key == a->key && has >> everywhere[i].hdr & 1) {
            *hdr = everywhere[i].hdr;
            return iba_field_find((enum iba_hdr) * hdr, everywhere[i].name);
        }
    return NULL;
}

void run_flow_begin(struct run_flow *f, const struct iba_opcode *op, const struct ibc_arg *fill)
{
    const bool goes_on = op && !iba_opcode_begins(op);

    if (!goes_on)
        *f = (struct run_flow){.letter = 'p'};
    if (!fill)
        return;
    if (!goes_on || fill->v[0].hi != 0 || f->letter != (char)fill->v[0].n)
        f->at = fill->v[0].hi;
    f->letter = (char)fill->v[0].n;
}
