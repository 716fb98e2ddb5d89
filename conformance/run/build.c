/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a frame from a '>' line: defaults, then the line's fields, then the faults it asks for. */
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"
#include "wire/iba_aeth.h"
#include "wire/iba_build.h"
#include "wire/iba_psn.h"

struct draft {
    struct run_player *p;
    const struct ibc_step *s;
    struct run_live *q;
    const struct iba_opcode *op; /* row of the opcode; NULL: the packet is raw, or core does not know its opcode */
    uint8_t opcode;
    bool raw, faulty; /* faulty: deliberately not a valid packet */
    const struct run_live *group;
    struct run_context c;
    struct iba_recipe r;
};

/* ---- encapsulation and addresses ---- */
/* A line that names a field of the GRH makes a packet with a GRH. */
static bool has_grh(const struct ibc_step *s)
{
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_sgid || s->arg[i].key == IBC_K_dgid || s->arg[i].key == IBC_K_hop ||
            (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBA_H_grh))
            return true;
    return false;
}

static enum iba_encap encap_of(const struct draft *d)
{
    static const uint8_t of_link[] = {
#define LINK_ENCAP(id, w, encap) [IBC_LINK_##id] = IBA_ENCAP_##encap,
        IBC_LINKS(LINK_ENCAP)};
    const struct ibc_arg *via = run_arg(d->s, IBC_K_via);

    if (via)
        return (enum iba_encap)via->v[0].n;
    if (d->q->kind == IBC_O_wire)
        return d->raw ? IBA_ENCAP_IB_RAW : has_grh(d->s) ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL;
    if (d->raw)
        return d->q->type == IBA_QPT_RAW_IPV6 ? IBA_ENCAP_IB_RAW_V6 : IBA_ENCAP_IB_RAW;
    if (d->group && d->p->link == IBC_LINK_ib_local) /* WF-26 */
        return IBA_ENCAP_IB_GLOBAL;
    return (enum iba_encap)of_link[d->p->link];
}

static void put_lrh(const struct draft *d, uint8_t *h, const struct ibc_address *from, const struct ibc_address *to)
{
    const bool smi = d->q->type == IBA_QPT_SMI;

    iba_lrh_set_slid(h, from->lid);
    iba_lrh_set_dlid(h, d->group ? d->group->lid : to->lid);
    iba_lrh_set_vl(h, smi ? 15 : 0);
    iba_lrh_set_sl(h, smi ? 0 : d->q->attr.sl);
}

static void put_addresses(struct draft *d, const struct ibc_address *from, const struct ibc_address *to)
{
    for (unsigned i = 0; i < d->r.n_part; i++) {
        uint8_t *h = d->r.part[i].bytes;
        switch (d->r.part[i].hdr) {
        case IBA_H_eth:
            iba_eth_set_src(h, from->mac);
            iba_eth_set_dst(h, d->group ? d->group->mac : to->mac);
            break;
        case IBA_H_ipv4:
            iba_ipv4_set_src(h, from->ipv4);
            iba_ipv4_set_dst(h, d->group ? (uint32_t)iba_bits_get(d->group->gid, 96, 32) : to->ipv4);
            break;
        case IBA_H_ipv6:
            iba_ipv6_set_src(h, from->ipv6);
            iba_ipv6_set_dst(h, d->group ? d->group->gid : to->ipv6);
            break;
        case IBA_H_grh:
            iba_grh_set_sgid(h, from->gid);
            iba_grh_set_dgid(h, d->group ? d->group->gid : to->gid);
            break;
        case IBA_H_lrh: put_lrh(d, h, from, to); break;
        default: break;
        }
    }
}

/* Addresses the frame to another port of the device without changing the destination QP: the frame leaves by the
 * device's other port. */
static void put_other_port(struct draft *d, const struct ibc_address *port)
{
    uint8_t *h;

    if ((h = iba_recipe_part(&d->r, IBA_H_eth)))
        iba_eth_set_dst(h, port->mac);
    if ((h = iba_recipe_part(&d->r, IBA_H_lrh)))
        iba_lrh_set_dlid(h, port->lid);
}

/* Writes IPv4-mapped addresses into the IPv6 header, which no valid packet has (RO-24). */
static void put_mapped(struct draft *d, const struct ibc_address *from, const struct ibc_address *to)
{
    uint8_t *h = iba_recipe_part(&d->r, IBA_H_ipv6), gid[16] = {0};

    if (!h)
        return;
    iba_gid_set_ipv4(gid, from->ipv4);
    iba_ipv6_set_src(h, gid);
    iba_gid_set_ipv4(gid, to->ipv4);
    iba_ipv6_set_dst(h, gid);
}

static void address(struct draft *d)
{
    const struct ibc_arg *from = run_arg(d->s, IBC_K_from);
    const struct ibc_target *t = d->p->t;
    const struct ibc_address *source = d->q->partner ? &t->device[d->q->partner->device] : &t->tester;

    if (from && from->v[0].kind != IBC_V_REF && from->v[0].n == IBC_PARTY_stranger)
        source = &t->stranger;
    put_addresses(d, source, d->q->attr.a.port == 2 ? &t->second[d->q->device] : &t->device[d->q->device]);
    if (run_number(d->p, d->s, IBC_K_port, d->q->attr.a.port, NULL) != d->q->attr.a.port)
        put_other_port(d, d->q->attr.a.port == 2 ? &t->device[d->q->device] : &t->second[d->q->device]);
    if (run_has(d->s, IBC_K_mapped))
        put_mapped(d, source, &t->device[d->q->device]);
}

/* ---- payload ---- */
static struct run_flow *flow_of(const struct draft *d)
{
    return &d->q->tx[d->op && d->op->dir == IBA_RSP];
}

static void fill_payload(struct draft *d, size_t n)
{
    const struct ibc_arg *fill = run_arg(d->s, IBC_K_fill);
    struct run_flow *f = flow_of(d);

    run_flow_begin(f, d->op, fill);
    for (size_t i = 0; i < n; i++)
        d->p->payload[i] = ibc_pattern(f->letter, f->at + i);
    f->at += n;
}

static bool put_payload(struct draft *d)
{
    const struct ibc_arg *a = run_arg(d->s, IBC_K_payload), *pad = run_arg(d->s, IBC_K_pad_byte);
    size_t n = !a ? 0 : a->v[0].kind == IBC_V_BYTES ? a->v[0].n_bytes : (size_t)run_value(d->p, &a->v[0], &d->c);

    if (n > sizeof d->p->payload - 8)
        return run_error(d->p, d->s, "more payload than a frame holds");
    if (d->s->message && !a && d->q->kind == IBC_O_wire) {
        run_smp_fill(d->p, d->s, d->q, d->p->payload);
        n = IBA_MAD_BYTES;
    } else if (d->s->message && !a) {
        run_cm_fill(d->p, d->s, d->q, d->p->payload);
        run_cm_sent(d->q, d->p->payload);
        n = IBA_MAD_BYTES;
    } else if (a && a->v[0].kind == IBC_V_BYTES)
        memcpy(d->p->payload, a->v[0].bytes, n);
    else
        fill_payload(d, n);
    d->r.payload = d->p->payload;
    d->r.payload_len = n;
    if (pad && !d->raw) {
        const size_t p = (0 - n) & 3;
        memset(d->p->payload + n, (int)pad->v[0].n, p);
        iba_bth_set_padcnt(iba_recipe_part(&d->r, IBA_H_bth), p);
        d->r.payload_len = n + p;
        d->r.keep |= IBA_KEEP_PAD;
    }
    return true;
}

/* ---- defaults ---- */
static void put_bth(struct draft *d)
{
    uint8_t *bth = iba_recipe_part(&d->r, IBA_H_bth);
    const bool response = d->op && d->op->dir == IBA_RSP;

    if (!bth)
        return;
    iba_bth_set_p_key(bth, d->p->pkey[d->q->device][d->q->pkey_index % RUN_PKEYS]);
    iba_bth_set_destqp(bth, d->group ? 0xffffff : d->q->id[0]);
    if (d->s->message)
        iba_bth_set_m(bth, 1);
    if (d->op && d->op->svc == IBA_CNP)
        iba_bth_set_psn(bth, 0);
    else
        iba_bth_set_psn(bth, response ? d->c.psn_base : d->q->next_psn);
}

/* Returns the number of the first XRC SRQ of the scenario; 0: the scenario has none. */
static uint32_t usual_srqn(const struct run_player *p)
{
    for (unsigned i = 0; i < p->play->n_object; i++)
        if (p->live[i].xrc)
            return p->live[i].srqn;
    return 0;
}

/* A reliable datagram goes through the EE context from the peer of the scenario's first RD QP to that QP. */
static void put_context(struct draft *d)
{
    const struct run_live *user = run_first_of(d->p, IBA_QPT_RD);
    uint8_t *h;

    if (d->q->type != IBA_QPT_EE)
        return;
    if ((h = iba_recipe_part(&d->r, IBA_H_rdeth)))
        iba_rdeth_set_eecnxt(h, d->q->id[0]);
    if (!user)
        return;
    iba_bth_set_destqp(iba_recipe_part(&d->r, IBA_H_bth), user->id[0]);
    if ((h = iba_recipe_part(&d->r, IBA_H_deth))) {
        iba_deth_set_q_key(h, user->qkey);
        iba_deth_set_srcqp(h, user->peer);
    }
}

static void put_extended(struct draft *d, size_t payload)
{
    const struct run_live *m = &d->p->live[RUN_M];
    uint8_t *h;

    if ((h = iba_recipe_part(&d->r, IBA_H_xrceth)))
        iba_xrceth_set_srqn(h, usual_srqn(d->p));
    if ((h = iba_recipe_part(&d->r, IBA_H_deth))) {
        iba_deth_set_q_key(h, d->q->qkey);
        iba_deth_set_srcqp(h, d->s->message ? 1 : d->q->peer);
    }
    if ((h = iba_recipe_part(&d->r, IBA_H_reth))) {
        iba_reth_set_va(h, m->mr[d->c.device].va);
        iba_reth_set_r_key(h, m->mr[d->c.device].rkey);
        iba_reth_set_dmalen(h, payload); /* of a WRITE: other requests with a RETH have no payload */
    }
    if ((h = iba_recipe_part(&d->r, IBA_H_atomiceth))) {
        iba_atomiceth_set_va(h, m->mr[d->c.device].va);
        iba_atomiceth_set_r_key(h, m->mr[d->c.device].rkey);
    }
    if ((h = iba_recipe_part(&d->r, IBA_H_aeth)))
        iba_aeth_set_syn_value(h, IBA_CREDIT_NO_LIMIT);
    put_context(d);
}

/* ---- what the line says ---- */
static int part_with(const struct draft *d, uint8_t hdr)
{
    for (int i = (int)d->r.n_part - 1; i >= 0; i--)
        if (d->r.part[i].hdr == hdr)
            return i;
    return -1;
}

/* In a packet that the tester sends, 'ack' without a code means no credit limit, 'rnr' the usual timer, and 'nak' a
 * PSN sequence error. */
static uint64_t whole_syndrome(const struct ibc_value *v, uint64_t n)
{
    static const uint8_t usual[] = {[IBA_AETH_ACK] = IBA_CREDIT_NO_LIMIT,
                                    [IBA_AETH_RNR] = 12,
                                    [IBA_AETH_RESERVED] = 0,
                                    [IBA_AETH_NAK] = IBA_NAK_SEQUENCE};
    const uint8_t syndrome = (uint8_t)n;

    if (v->kind != IBC_V_NUMBER || iba_syndrome_code((uint8_t)v->mask))
        return n;
    return n - iba_syndrome_code(syndrome) + usual[iba_syndrome_kind(syndrome) & IBA_AETH_NAK];
}

static bool put_field(struct draft *d, uint8_t hdr, const struct iba_field *f, const struct ibc_arg *a)
{
    const struct ibc_value wide = run_wide(d->p, &a->v[0]), *v = &wide;
    const int i = part_with(d, hdr);

    if (i < 0)
        return run_error(d->p, d->s, "the packet has no such header");
    d->faulty |= !(IBA_HDR_BIT(hdr) & RUN_TRANSPORT) ||
                 (hdr == IBA_H_bth && (f->at == IBA_AT_bth_padcnt || f->at == IBA_AT_bth_opcode));
    if (v->kind == IBC_V_BYTES)
        memcpy(d->r.part[i].bytes + f->at / 8, v->bytes, v->n_bytes < f->bits / 8u ? v->n_bytes : f->bits / 8u);
    else if (hdr == IBA_H_aeth && f->at == 0 && f->bits == 8)
        iba_recipe_set(&d->r, (unsigned)i, f, whole_syndrome(v, run_value(d->p, v, &d->c)));
    else
        iba_recipe_set(&d->r, (unsigned)i, f, run_value(d->p, v, &d->c));
    return true;
}

static bool put_fields(struct draft *d)
{
    for (unsigned i = 0; i < d->s->n_arg; i++) {
        const struct ibc_arg *a = &d->s->arg[i];
        uint64_t has = 0;
        uint8_t hdr;
        const struct iba_field *f;
        for (unsigned k = 0; k < d->r.n_part; k++)
            has |= IBA_HDR_BIT(d->r.part[k].hdr);
        if (!run_is_field(a) || a->hdr == IBC_H_MAD)
            continue;
        f = run_field_in(a, has, &hdr);
        if (!f)
            return run_error(d->p, d->s, "the packet has no such field");
        if (!put_field(d, hdr, f, a))
            return false;
    }
    return true;
}

static void put_crc(struct draft *d, enum ibc_key key, uint8_t *mode, uint32_t *given)
{
    const struct ibc_arg *a = run_arg(d->s, key);

    if (!a)
        return;
    *mode = a->v[0].kind == IBC_V_WORD ? (uint8_t)a->v[0].n : IBA_CRC_GIVEN;
    *given = (uint32_t)a->v[0].n;
    d->faulty |= *mode != IBA_CRC_GOOD;
}

static void put_crcs(struct draft *d)
{
    uint32_t vcrc = 0;

    put_crc(d, IBC_K_icrc, &d->r.icrc_mode, &d->r.icrc);
    put_crc(d, IBC_K_vcrc, &d->r.vcrc_mode, &vcrc);
    d->r.vcrc = (uint16_t)vcrc;
    d->r.frame_pad = (size_t)run_number(d->p, d->s, IBC_K_extra, 0, NULL);
}

/* ---- faults of the finished frame ---- */
static bool edit(struct draft *d, const struct ibc_arg *a, uint8_t *frame, size_t *len, size_t cap)
{
    const struct ibc_value *v = &a->v[0];
    const size_t n = a->key == IBC_K_remove || a->key == IBC_K_cut ? (size_t)v->n : v->n_bytes;
    const size_t at = a->key == IBC_K_cut ? *len - (n < *len ? n : *len) : a->at;

    if (at > *len || (a->key != IBC_K_insert && n > *len - at) || *len + n > cap)
        return run_error(d->p, d->s, "the packet has no such bytes");
    d->faulty = true;
    if (a->key == IBC_K_poke) {
        memcpy(frame + at, v->bytes, n);
    } else if (a->key == IBC_K_insert) {
        memmove(frame + at + n, frame + at, *len - at);
        memcpy(frame + at, v->bytes, n);
        *len += n;
    } else {
        memmove(frame + at, frame + at + n, *len - at - n);
        *len -= n;
    }
    return true;
}

static bool edits(struct draft *d, uint8_t *frame, size_t *len, size_t cap)
{
    struct iba_view v;

    for (unsigned i = 0; i < d->s->n_arg; i++) {
        const struct ibc_arg *a = &d->s->arg[i];
        if (a->key == IBC_K_insert || a->key == IBC_K_remove || a->key == IBC_K_poke || a->key == IBC_K_cut)
            if (!edit(d, a, frame, len, cap))
                return false;
    }
    if (run_has(d->s, IBC_K_repair)) {
        iba_view_parse(&v, d->p->t->framing, frame, *len, *len, NULL);
        iba_view_check(&v);
        iba_view_repair_crc(&v, frame);
    }
    return true;
}

/* A packet without a requested fault must have the values of its line: otherwise a fault of the tester would be
 * blamed on the device. */
static bool verify(struct draft *d, struct run_packet *k)
{
    const struct iba_view *v = &k->view;

    if (d->faulty || run_has(d->s, IBC_K_via))
        return true;
    if (v->err == IBA_OK && v->vcrc != IBA_CHECK_BAD &&
        (d->raw || (iba_view_has_bth(v) && v->icrc == IBA_CHECK_GOOD && iba_bth_opcode(iba_view_bth(v)) == d->opcode &&
                    v->payload_len == d->r.payload_len - (run_has(d->s, IBC_K_pad_byte) ? v->pad : 0u))))
        return true;
    return run_error(d->p, d->s, "the packet built is not the one meant");
}

static bool finish(struct draft *d, struct run_packet *k)
{
    size_t len = 0;
    uint8_t *frame = run_alloc(&d->p->arena, IBC_FRAME);
    enum iba_err e;

    if (!frame)
        return run_error(d->p, d->s, "out of memory");
    e = iba_build(&d->r, frame, IBC_FRAME, &len);
    if (e != IBA_OK)
        return run_error(d->p, d->s, iba_strerror(e));
    if (!edits(d, frame, &len, IBC_FRAME))
        return false;
    run_trim(&d->p->arena, frame, IBC_FRAME, len);
    k->frame = frame;
    k->len = (uint32_t)len;
    iba_view_parse(&k->view, d->p->t->framing, frame, len, len, NULL);
    iba_view_check(&k->view);
    return verify(d, k);
}

static void begin(struct draft *d)
{
    const struct ibc_arg *to = run_arg(d->s, IBC_K_to);

    d->raw = run_is_raw(d->q->type) || d->s->op == IBC_RAW_OPCODE;
    d->opcode = (uint8_t)d->s->op;
    d->op = d->raw || !iba_opcodes[d->opcode].name ? NULL : &iba_opcodes[d->opcode];
    d->group = to && to->v[0].kind == IBC_V_REF ? run_object_of(d->p, &to->v[0]) : NULL;
    d->c = (struct run_context){.device = d->q->device, .psn_base = run_psn_base(d->q, d->opcode, true)};
    iba_recipe_init(&d->r, encap_of(d), d->raw ? 0 : d->opcode);
}

static bool again(struct run_player *p, const struct ibc_step *s, const struct ibc_arg *same, struct run_packet *k)
{
    const struct run_packet *as = run_recall(p, run_word(&same->v[0]));

    if (!as)
        return run_error(p, s, "no packet of that name came");
    k->frame = as->frame;
    k->len = as->len;
    k->view = as->view;
    return true;
}

bool run_build(struct run_player *p, const struct ibc_step *s, struct run_packet *k)
{
    const struct ibc_arg *same = run_arg(s, IBC_K_same);
    struct draft d;
    const uint8_t *bth;

    if (same)
        return again(p, s, same, k);
    if (s->op == IBC_FLOW_OPCODE)
        return run_build_flow(p, s, k);
    memset(&d, 0, offsetof(struct draft, r));
    d.p = p;
    d.s = s;
    d.q = run_live(p, s);
    if (s->op > UINT8_MAX && !run_is_raw(d.q->type) && s->op != IBC_RAW_OPCODE)
        return run_error(p, s, "ANY cannot be sent");
    begin(&d);
    if (d.q->kind == IBC_O_wire) {
        run_wire_defaults(p, s, d.q, &d.r);
    } else {
        address(&d);
        put_bth(&d);
    }
    if (!put_payload(&d))
        return false;
    if (d.q->kind != IBC_O_wire)
        put_extended(&d, d.r.payload_len);
    if (!put_fields(&d))
        return false;
    put_crcs(&d);
    bth = iba_recipe_part(&d.r, IBA_H_bth);
    if (bth && !(d.op && d.op->dir == IBA_RSP))
        d.q->next_psn = (iba_bth_psn(bth) + 1) & IBA_PSN_MASK;
    return finish(&d, k);
}
