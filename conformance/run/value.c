/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolves values of the language once the objects exist. */
#include <string.h>
#include "run/fabric.h"
#include "wire/iba_psn.h"

const struct ibc_arg *run_arg(const struct ibc_step *s, enum ibc_key key)
{
    return ibc_arg(s->arg, s->n_arg, key);
}

bool run_has(const struct ibc_step *s, enum ibc_key key)
{
    return run_arg(s, key) != NULL;
}

const char *run_word(const struct ibc_value *v)
{
    return v->kind == IBC_V_WORD && v->text ? v->text : "";
}

struct run_live *run_live(struct run_player *p, const struct ibc_step *s)
{
    return s->object <= IBC_MAX_OBJECTS ? &p->live[s->object] : NULL;
}

struct run_live *run_object_of(struct run_player *p, const struct ibc_value *v)
{
    if (v->kind == IBC_V_REF)
        return v->object < p->play->n_object ? &p->live[v->object] : NULL;
    for (unsigned i = 0; *run_word(v) && i < p->play->n_object; i++)
        if (strcmp(p->play->object[i].name, run_word(v)) == 0)
            return &p->live[i];
    return NULL;
}

const struct run_live *run_domain_of(struct run_player *p, const struct ibc_arg *a)
{
    return a ? run_object_of(p, &a->v[0]) : &p->live[0];
}

uint32_t run_access(const struct ibc_arg *a)
{
    uint32_t access = 0;

    for (unsigned i = 0; i < a->n; i++)
        access |= (uint32_t)a->v[i].n;
    return access;
}

struct run_live *run_qp_of(struct run_player *p, uint32_t qpn, unsigned device)
{
    for (unsigned i = 0; i <= IBC_MAX_OBJECTS; i++)
        if (p->live[i].kind == IBC_O_qp && p->live[i].made && p->live[i].device == device && p->live[i].id[0] == qpn)
            return &p->live[i];
    return NULL;
}

struct run_live *run_wire_of(struct run_player *p, unsigned end)
{
    for (unsigned i = 0; i < p->play->n_object; i++)
        if (p->live[i].kind == IBC_O_wire && p->live[i].id[0] == end)
            return &p->live[i];
    return NULL;
}

/* Returns the address or key of a region or window on the context's device. */
static uint64_t attribute(const struct run_live *l, unsigned attr, const struct run_context *c)
{
    const unsigned d = c->device % IBC_DEVICES;

    switch (attr) {
    case IBC_A_va: return c->local ? l->mr[d].local : l->mr[d].va;
    case IBC_A_lkey: return l->mr[d].lkey;
    case IBC_A_rkey: return l->kind == IBC_O_mw ? l->id[d] : l->mr[d].rkey;
    case IBC_A_length: return l->length;
    case IBC_A_id: return l->id[1];
    case IBC_A_tid: return l->tid;
    case IBC_A_srqn: return l->srqn;
    case IBC_A_qpn: return l->id[0];
    case IBC_A_peer: return l->peer;
    case IBC_A_epsn: return l->epsn;
    default: return l->psn;
    }
}

const struct run_live *run_first_of(const struct run_player *p, enum iba_qp_type type)
{
    for (unsigned i = 0; i < p->play->n_object; i++)
        if (p->live[i].kind == IBC_O_qp && p->live[i].type == type)
            return &p->live[i];
    return NULL;
}

uint32_t run_psn_base(const struct run_live *q, uint8_t opcode, bool to_device)
{
    const bool request = iba_opcodes[opcode].name == NULL || iba_opcodes[opcode].dir == IBA_REQ;
    return request == to_device ? q->epsn : q->psn;
}

uint64_t run_value(const struct run_player *p, const struct ibc_value *v, const struct run_context *c)
{
    uint64_t n;

    if (v->kind == IBC_V_RELATIVE)
        return (c->psn_base + v->n) & IBA_PSN_MASK;
    if (v->kind != IBC_V_REF || v->object >= p->play->n_object)
        return v->n;
    n = v->attr == IBC_A_lid ? run_lid(p, &p->live[v->object]) : attribute(&p->live[v->object], v->attr, c);
    n = v->op == '+' ? n + v->n : v->op == '-' ? n - v->n : v->op == '^' ? n ^ v->n : n;
    return v->attr == IBC_A_epsn || v->attr == IBC_A_psn ? n & IBA_PSN_MASK : n;
}

uint64_t run_number(const struct run_player *p, const struct ibc_step *s, enum ibc_key key, uint64_t otherwise,
                    const struct run_context *c)
{
    static const struct run_context none;
    const struct ibc_arg *a = run_arg(s, key);

    return a ? run_value(p, &a->v[0], c ? c : &none) : otherwise;
}

static bool fits(const struct run_player *p, const struct ibc_value *v, uint64_t is, const struct run_context *c)
{
    const uint64_t mask = v->kind == IBC_V_NUMBER && v->mask ? v->mask : UINT64_MAX;
    const uint64_t want = v->kind == IBC_V_ANY ? is : run_value(p, v, c);

    return (v->kind == IBC_V_RANGE ? is >= v->n && is <= v->hi : (is & mask) == (want & mask)) != v->negated;
}

bool run_fits(const struct run_player *p, const struct ibc_arg *a, uint64_t is, const struct run_context *c)
{
    bool any = false;

    for (unsigned i = 0; i < a->n; i++) { /* one alternative must match; of negated ones all must */
        const bool one = fits(p, &a->v[i], is, c);
        if (a->v[i].negated && !one)
            return false;
        any |= one;
    }
    return any;
}

struct ibc_value run_wide(struct run_player *p, const struct ibc_value *v)
{
    const struct run_live *group = v->kind == IBC_V_REF ? run_object_of(p, v) : NULL;
    struct ibc_value wide = *v;

    if (group && group->kind == IBC_O_group) {
        wide.kind = IBC_V_BYTES;
        wide.bytes = group->gid;
        wide.n_bytes = sizeof group->gid;
    }
    return wide;
}

const struct ibc_address *run_party(const struct run_player *p, const struct ibc_value *v)
{
    enum { BESIDE_THE_TESTER = 0x0a000003 };
    static const struct ibc_address nobody[IBC_PARTY_COUNT] = {
        [IBC_PARTY_loopback] = {.ipv4 = 0x7f000001, .ipv6 = {[15] = 1}, .gid = {[15] = 1}, .lid = 1},
        [IBC_PARTY_group] = {.mac = UINT64_C(0x333300000001),
                             .ipv4 = 0xefc00001,
                             .ipv6 = {0xff, 0x15, [15] = 1},
                             .gid = {0xff, 0x15, [15] = 1},
                             .lid = 0xc001},
        [IBC_PARTY_ipv4] = {.ipv4 = BESIDE_THE_TESTER, .ipv6 = {[10] = 0xff, 0xff, 0x0a, 0, 0, 3}, .lid = 1},
    };

    if (v->n == IBC_PARTY_stranger)
        return &p->t->stranger;
    return v->n == IBC_PARTY_none || v->n == IBC_PARTY_peer || v->n >= IBC_PARTY_COUNT ? NULL : &nobody[v->n];
}
