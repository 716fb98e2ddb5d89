/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "world.h"

struct arrival {
    uint8_t port;
    bool headerless;
    size_t caplen, len;
};

static void feed(struct world *w, unsigned end, const uint8_t *frame, const struct arrival *a)
{
    const size_t caplen = a->caplen, len = a->len;
    uint8_t *exact = malloc(len ? len : 1);
    struct iba_view v;

    FUZZ_CHECK(exact);
    fuzz_packet(w->link, frame, len);
    if (len > 0)
        memcpy(exact, frame, len);
    memset(
        &v, 0xee,
        sizeof v); /* a read of a header that the packet lacks then has a wild address, which the sanitizer detects */
    (void)iba_view_parse(&v, w->link, exact, caplen, len, NULL);
    iba_view_check(&v);
    if (a->headerless && w->kind == IBA_PORT_IB)
        v = (struct iba_view){
            .wire = exact, .len = v.len, .proto = IBA_PROTO_IB, .icrc = IBA_CHECK_GOOD, .vcrc = IBA_CHECK_GOOD};
    else
        fuzz_opcode(FUZZ_OPCODES_GIVEN, &v);
    world_log_arrival(w, end, &v);
    iba_ca_feed(&w->end[end].ca, a->port, &v, w->now);
    free(exact);
}

void world_feed(struct world *w, unsigned end, const uint8_t *frame, size_t len)
{
    feed(w, end, frame, &(struct arrival){.port = 1, .caplen = len, .len = len});
}

void world_feed_raw(struct world *w, unsigned end, uint8_t kind, const struct fuzz_in *in)
{
    enum { CUT_BYTES = 4 };
    const size_t len = in->n, caplen = kind & RAW_CUT && len > CUT_BYTES ? len - CUT_BYTES : len;

    feed(w, end, in->p,
         &(struct arrival){.port = kind & RAW_OTHER_PORT ? 2 : 1,
                           .headerless = (kind & (RAW_OTHER_PORT | RAW_CUT | RAW_HEADERLESS)) == RAW_HEADERLESS,
                           .caplen = caplen,
                           .len = len});
}

size_t world_poll(struct world *w, unsigned end, uint8_t *buf, size_t cap)
{
    size_t len = 0;

    FUZZ_CHECK(iba_ca_poll(&w->end[end].ca, 1, buf, cap, &len, w->now) == IBA_OK && len <= cap);
    fuzz_note_bytes(buf, len);
    if (len > 0) {
        fuzz_packet(w->link, buf, len);
        world_log_departure(w, end, buf, len);
    }
    return len;
}

/* ---- crafted packets ---- */

static enum iba_encap encap_of(const struct world *w, enum iba_qp_type type, bool group)
{
    if (type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE)
        return type == IBA_QPT_RAW_IPV6 ? IBA_ENCAP_IB_RAW_V6 : IBA_ENCAP_IB_RAW;
    if (w->kind == IBA_PORT_IB)
        return w->head[7] & WORLD_WITH_GRH || group ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL;
    static const uint8_t plain[] = {IBA_ENCAP_ROCE1, IBA_ENCAP_ROCE2_V6, IBA_ENCAP_ROCE2_V4};
    static const uint8_t tagged[] = {IBA_ENCAP_ROCE1_VLAN, IBA_ENCAP_ROCE2_V6_VLAN, IBA_ENCAP_ROCE2_V4_VLAN};
    const unsigned i = w->kind == IBA_PORT_ROCE1 ? 0 : w->v6 ? 1 : 2;

    return (enum iba_encap)(w->head[6] & WORLD_WITH_VLAN ? tagged[i] : plain[i]);
}

/* Sets the addresses of the port, or of the group that world_object() attaches to. */
static void set_addresses(const struct world *w, unsigned end, struct iba_recipe *r, enum iba_qp_type type, bool group)
{
    const uint8_t source[16] = {0xfe, 0x80, [15] = (uint8_t)(2 - end)};
    const uint8_t target[2][16] = {{0xfe, 0x80, [15] = (uint8_t)(end + 1)}, {0xff, 0x12}};
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_lrh))) {
        iba_lrh_set_dlid(h, group ? 0xc000u : world_lid(w, end));
        iba_lrh_set_slid(h, world_lid(w, 1 - end));
        iba_lrh_set_vl(h, type == IBA_QPT_SMI ? 15 : 0);
    }
    if ((h = iba_recipe_part(r, IBA_H_eth))) {
        iba_eth_set_dst(h, group ? UINT64_C(0x333300000000) : WORLD_MAC + end);
        iba_eth_set_src(h, WORLD_MAC + 1 - end);
    }
    if ((h = iba_recipe_part(r, IBA_H_grh))) {
        iba_grh_set_sgid(h, source);
        iba_grh_set_dgid(h, target[group]);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv6))) {
        iba_ipv6_set_src(h, source);
        iba_ipv6_set_dst(h, target[group]);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv4))) {
        iba_ipv4_set_src(h, 0x0a000001u + 1 - end);
        iba_ipv4_set_dst(h, group ? 0xef000000u : 0x0a000001u + end);
    }
}

static uint8_t opcode_of(enum iba_qp_type type, uint8_t said, uint8_t how)
{
    static const uint8_t service[IBA_QPT_COUNT] = {[IBA_QPT_UC] = 0x20,  [IBA_QPT_UD] = 0x60, [IBA_QPT_SMI] = 0x60,
                                                   [IBA_QPT_GSI] = 0x60, [IBA_QPT_RD] = 0x40, [IBA_QPT_EE] = 0x40};

    return how & CRAFT_OTHER_SERVICE ? said : (uint8_t)(service[type] | (said & 0x1f));
}

/* Returns the QP whose PSNs a packet to `q` has; for RD the EE context. */
static const struct world_qp *counted(const struct world_end *e, const struct world_qp *q)
{
    return q->alive && q->qp.type == IBA_QPT_RD ? &e->qp[WORLD_CONTEXT] : q;
}

static void set_bth(const struct world_end *e, const struct world_qp *q, struct iba_recipe *r, uint8_t opcode,
                    uint8_t delta, uint8_t how)
{
    uint8_t *bth = iba_recipe_part(r, IBA_H_bth);
    const struct iba_opcode *op = &iba_opcodes[opcode];
    const struct world_qp *c = counted(e, q);
    const iba_psn base = op->name && op->dir == IBA_RSP ? c->qp.s.una : c->qp.r.epsn;

    iba_bth_set_destqp(bth, how & CRAFT_GROUP ? 0xffffff : q->qpn);
    iba_bth_set_psn(bth, iba_psn_add(base, (uint32_t)((int8_t)delta & IBA_PSN_MASK)).v);
    iba_bth_set_a(bth, (how & CRAFT_ACKREQ) != 0);
    iba_bth_set_se(bth, (how & CRAFT_SOLICITED) != 0);
    iba_bth_set_p_key(bth, how & CRAFT_OTHER_PKEY ? 0x8001 : 0xffff);
    iba_bth_set_fecn(bth, (how & CRAFT_MARKED) != 0);
    iba_bth_set_m(bth, (how & CRAFT_NO_MIGREQ) == 0);
}

static void set_reach(struct world *w, unsigned end, struct iba_recipe *r, struct fuzz_in *in)
{
    const struct world_place at = world_place(w, end, true, in);
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_reth))) {
        iba_reth_set_va(h, at.va);
        iba_reth_set_r_key(h, at.key);
        iba_reth_set_dmalen(h, at.length);
    }
    if ((h = iba_recipe_part(r, IBA_H_atomiceth))) {
        iba_atomiceth_set_va(h, at.va);
        iba_atomiceth_set_r_key(h, at.key);
        iba_atomiceth_set_swapdt(h, at.length);
        iba_atomiceth_set_cmpdt(h, at.length & 1);
    }
    if ((h = iba_recipe_part(r, IBA_H_ieth)))
        iba_ieth_set_r_key(h, at.key);
}

static void set_extras(const struct world_end *e, struct iba_recipe *r, struct fuzz_in *in)
{
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        h[0] = fuzz_u8(in);
        iba_aeth_set_msn(h, fuzz_u8(in));
    }
    if ((h = iba_recipe_part(r, IBA_H_deth))) {
        iba_deth_set_q_key(h, fuzz_u8(in) ? 1 : WORLD_QKEY);
        iba_deth_set_srcqp(h, fuzz_u8(in));
    }
    if ((h = iba_recipe_part(r, IBA_H_rdeth)))
        iba_rdeth_set_eecnxt(h, e->qp[WORLD_CONTEXT].qpn ^ (fuzz_u8(in) == 1));
    if ((h = iba_recipe_part(r, IBA_H_feth))) {
        const uint8_t b = fuzz_u8(in);
        iba_feth_set_placement(h, b & 3);
        iba_feth_set_selectivity(h, b >> 2 & 3);
    }
    if ((h = iba_recipe_part(r, IBA_H_immdt)))
        iba_immdt_set_data(h, fuzz_u8(in));
}

/* Uses the remaining bytes, three at a time: a header, an offset in it, and a value to XOR; or one of the last. */
static void twist(struct iba_recipe *r, uint8_t *payload, struct fuzz_in *in)
{
    while (in->n >= 3) {
        const uint8_t which = fuzz_u8(in), at = fuzz_u8(in), value = fuzz_u8(in);
        uint8_t *h = iba_recipe_part(r, IBA_H_ipv6);
        const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = at, [15] = value};
        if (which == TWIST_KEEP)
            r->keep |= value;
        else if (which == TWIST_PAYLOAD)
            payload[at] ^= value;
        else if (which == TWIST_MAP_SOURCE && h)
            iba_ipv6_set_src(h, mapped);
        else if (which == TWIST_MAP_TARGET && h)
            iba_ipv6_set_dst(h, mapped);
        else
            r->part[which % r->n_part].bytes[at % IBA_PART_BYTES] ^= value;
    }
}

/* Returns the length of a payload from two bytes of the input. A number that no packet can have means the path MTU. */
static size_t payload_of(const struct world_qp *q, enum iba_qp_type type, uint16_t said)
{
    enum { MOST = 1100 };

    if (type == IBA_QPT_SMI || type == IBA_QPT_GSI)
        return said < MOST ? said : 256;
    return said <= MOST ? said : (size_t)128 << (q->qp.attr.path_mtu & 3);
}

size_t world_craft(struct world *w, unsigned end, struct fuzz_in *in, uint8_t *buf, size_t cap)
{
    static uint8_t payload[2048];
    static struct iba_recipe r;
    const unsigned i = fuzz_u8(in) % WORLD_QPS;
    const struct world_qp *q = &w->end[end].qp[i];
    const enum iba_qp_type type = q->alive ? (enum iba_qp_type)q->qp.type : world_type(w, i);
    const uint8_t said = fuzz_u8(in), delta = fuzz_u8(in), how = fuzz_u8(in), opcode = opcode_of(type, said, how);
    const uint16_t bytes = fuzz_u16(in);
    size_t len;

    if (!q->alive)
        return 0;
    iba_recipe_init(&r, encap_of(w, type, (how & CRAFT_GROUP) != 0), opcode);
    memset(payload, 0, 256); /* clears the bytes that a twist may have changed */
    payload[0] = 0x11, payload[1] = 0x22;
    r.payload = payload;
    r.payload_len = payload_of(q, type, bytes);
    r.icrc_mode = how & CRAFT_BAD_CRC ? IBA_CRC_BAD : IBA_CRC_GOOD;
    if (iba_recipe_part(&r, IBA_H_bth))
        set_bth(&w->end[end], q, &r, opcode, delta, how);
    else
        r.payload_len &= ~(size_t)3;
    set_addresses(w, end, &r, type, (how & CRAFT_GROUP) != 0);
    set_reach(w, end, &r, in);
    set_extras(&w->end[end], &r, in);
    twist(&r, payload, in);
    return iba_build(&r, buf, cap, &len) == IBA_OK ? len : 0;
}
