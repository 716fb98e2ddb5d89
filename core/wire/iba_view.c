/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_view.h"
#include <assert.h>
#include "iba_walk.h"

const char *iba_strerror(enum iba_err e)
{
#define IBA_ERR_TEXT(name, text) [IBA_##name] = text,
    static const char *const text[IBA_ERR_COUNT] = {IBA_ERRS(IBA_ERR_TEXT)};
    return (unsigned)e < IBA_ERR_COUNT ? text[e] : "unknown error";
}

const char *iba_check_name(enum iba_check c)
{
    static const char *const name[] = {"absent", "good", "bad", "truncated", "pending"};
    return name[c];
}

static iba_step *const steps[STEP_COUNT] = {
    [STEP_ERF] = iba_step_erf,         [STEP_SLL] = iba_step_sll,         [STEP_SLL2] = iba_step_sll2,
    [STEP_IPOIBPH] = iba_step_ipoibph, [STEP_ETH] = iba_step_eth,         [STEP_SVLAN] = iba_step_svlan,
    [STEP_VLAN] = iba_step_vlan,       [STEP_MPLS] = iba_step_mpls,       [STEP_IP] = iba_step_ip,
    [STEP_IPV4] = iba_step_ipv4,       [STEP_IPV6] = iba_step_ipv6,       [STEP_IP6EXT] = iba_step_ip6ext,
    [STEP_UDP] = iba_step_udp,         [STEP_VXLAN] = iba_step_vxlan,     [STEP_GRE] = iba_step_gre,
    [STEP_ERSPAN2] = iba_step_erspan2, [STEP_ERSPAN3] = iba_step_erspan3, [STEP_IPOIB] = iba_step_ipoib,
    [STEP_IB] = iba_step_ib,           [STEP_FC] = iba_step_fc,           [STEP_GRH] = iba_step_grh,
    [STEP_RWH] = iba_step_rwh,         [STEP_BTH] = iba_step_bth,         [STEP_IPOIBSEND] = iba_step_ipoibsend,
    [STEP_TM] = iba_step_tm,
};

__attribute__((hot)) enum iba_err iba_view_parse(struct iba_view *v, enum iba_link link, const uint8_t *wire,
                                                 size_t caplen, size_t len, const struct iba_view_opts *opts)
{
    static const struct iba_view_opts none;
    static const uint8_t first[] = {
        [IBA_LINK_NONE] = STEP_DONE,  [IBA_LINK_ETHERNET] = STEP_ETH, [IBA_LINK_IB] = STEP_IB,
        [IBA_LINK_IB_LINK] = STEP_FC, [IBA_LINK_IP] = STEP_IP,        [IBA_LINK_SLL] = STEP_SLL,
        [IBA_LINK_SLL2] = STEP_SLL2,  [IBA_LINK_ERF] = STEP_ERF,      [IBA_LINK_IPOIB] = STEP_IPOIBPH,
    };
    struct walk w = {.v = v, .opts = opts ? opts : &none, .end = (uint32_t)len};

    assert(caplen <= len && len <= UINT32_MAX / 2);
    memset(v, 0, offsetof(struct iba_view, at)); /* `has` and `n_layer` say which of the later fields are valid */
    v->wire = wire;
    v->caplen = (uint32_t)caplen;
    v->len = (uint32_t)len;
    for (enum step s = first[link];
         s != STEP_DONE;) /* this ends, since every step takes a layer, and a view has few layers */
        s = steps[s](&w);
    if (v->proto == IBA_PROTO_UNDECIDED)
        v->icrc = IBA_CHECK_TRUNCATED;
    v->truncated = v->caplen < v->len; /* the capture may also end outside of all headers */
    return v->err;
}
