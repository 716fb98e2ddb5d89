/* SPDX-License-Identifier: BSD-2-Clause */
/* The first checks of every packet: is the packet for this port, for this QP, from its peer? (section 9.6)
 *
 * A packet that fails a row is dropped silently: no answer, no change of the QP, at most a counter and an event (PV-01,
 * PV-37). The order is that of PV-02: link, transport version, DestQP, state and service, P_Key, addresses, Q_Key.
 * After a row that only notes something (a congestion mark, a migration), the table is applied to the packet again.
 *
 * Later rows rely on the rows cut_by_capture, malformed, foreign_link, no_transport, raw_unwanted, raw, multicast and
 * no_qp, so a mutant must keep these (iba_rules_change). A mutant may lack any other row. */
#include <string.h>
#include "iba_rx_path.h"
#include "transport/iba_rd.h"
#include "transport/iba_receiver.h"
#include "transport/iba_xrc.h"

/* ---- link and network ---- */

static bool cut_by_capture(const struct iba_rx *x)
{
    return x->v->truncated;
}

static bool malformed(const struct iba_rx *x)
{
    return x->v->err != IBA_OK;
}

static bool fragment(const struct iba_rx *x)
{
    return x->v->fragment;
}

static bool raw(const struct iba_rx *x)
{
    return x->v->proto == IBA_PROTO_IB_RAW;
}

static bool bad_vcrc(const struct iba_rx *x)
{
    return x->port->kind == IBA_PORT_IB && x->v->vcrc != IBA_CHECK_GOOD;
}

static bool bad_icrc(const struct iba_rx *x)
{
    return !raw(x) && x->v->icrc != IBA_CHECK_GOOD;
}

static bool no_transport(const struct iba_rx *x)
{
    return !raw(x) && !x->bth;
}

static bool raw_unwanted(const struct iba_rx *x)
{
    return raw(x) && (!x->qp || !iba_qp_may_receive_requests(x->qp));
}

/* ---- transport header ---- */

static bool other_version(const struct iba_rx *x)
{
    return iba_bth_tver(x->bth) != 0;
}

static bool split_word(const struct iba_rx *x)
{
    return (x->v->payload_len + x->v->pad) % 4 != 0;
}

static bool to_qp0_over_ethernet(const struct iba_rx *x)
{
    return x->port->kind != IBA_PORT_IB && iba_bth_destqp(x->bth) == 0;
}

static bool no_qp(const struct iba_rx *x)
{
    return !x->qp;
}

static bool cnp(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_CNP;
}

static bool management(const struct iba_rx *x)
{
    return iba_qp_has(x->qp, IBA_QP_MANAGES);
}

static bool reliable(const struct iba_rx *x)
{
    return iba_qp_has(x->qp, IBA_QP_RELIABLE);
}

static bool datagram(const struct iba_rx *x)
{
    return iba_qp_has(x->qp, IBA_QP_DATAGRAM);
}

static bool response(const struct iba_rx *x)
{
    return x->op && x->op->dir == IBA_RSP;
}

/* The high three bits of the opcode are the service. A packet of RD is for an EE context (PV-27). An XRC initiator
 * receives responses only, a target requests only (QS-44). */
static bool other_service(const struct iba_rx *x)
{
    const unsigned service = iba_bth_opcode(x->bth) & 0xe0;

    if (cnp(x))
        return false;
    return !iba_qp_has(x->qp, IBA_QP_CONNECTED | IBA_QP_DATAGRAM) || service != iba_qp_service_bits(x->qp) ||
           !iba_qp_has(x->qp, IBA_QP_CONTEXT | (response(x) ? IBA_QP_SENDS : IBA_QP_RECEIVES | IBA_QP_TARGETS));
}

static bool reserved_datagram(const struct iba_rx *x)
{
    return datagram(x) && !x->op;
}

static bool imm_to_management(const struct iba_rx *x)
{
    return management(x) && iba_rx_imm(x);
}

static bool request_out_of_season(const struct iba_rx *x)
{
    return (!response(x) || cnp(x)) && !iba_qp_may_receive_requests(x->qp);
}

static bool response_out_of_season(const struct iba_rx *x)
{
    return response(x) && !cnp(x) && !iba_qp_may_receive_responses(x->qp);
}

/* ---- keys ---- */

static bool pkey_differs(const struct iba_rx *x)
{
    return x->qp->type != IBA_QPT_SMI && x->pkey_index < 0;
}

static uint32_t source_qpn(const struct iba_rx *x)
{
    return iba_view_has(x->v, IBA_H_deth) ? iba_deth_srcqp(iba_rx_hdr(x, IBA_H_deth)) : 0;
}

static void count_pkey(struct iba_rx *x)
{
    iba_port_count_pkey_violation(x->port);
    iba_raise(x->ca, IBA_EVENT_PKEY_VIOLATION, x->port->number, x->qp->qpn, iba_bth_p_key(x->bth), source_qpn(x));
}

static bool qkey_differs(const struct iba_rx *x)
{
    const bool gsi = x->qp->type == IBA_QPT_GSI;

    if (!datagram(x) || cnp(x) || !iba_view_has(x->v, IBA_H_deth) || x->qp->type == IBA_QPT_SMI)
        return false;
    return iba_deth_q_key(iba_rx_hdr(x, IBA_H_deth)) != (gsi ? IBA_GSI_QKEY : x->qp->attr.qkey);
}

static void count_qkey(struct iba_rx *x)
{
    iba_port_count_qkey_violation(x->port);
    iba_raise(x->ca, IBA_EVENT_QKEY_VIOLATION, x->port->number, x->qp->qpn, iba_deth_q_key(iba_rx_hdr(x, IBA_H_deth)),
              source_qpn(x));
}

/* ---- path migration (QS-78) ---- */

static bool asks_to_migrate(const struct iba_rx *x)
{
    return iba_rx_connected(x) && x->qp->attr.path_mig == IBA_PATH_ARMED && iba_bth_m(x->bth);
}

static bool migrates(const struct iba_rx *x)
{
    return asks_to_migrate(x) && iba_rx_comes_along(x, &x->qp->attr.alt_av);
}

static bool peer_armed(const struct iba_rx *x)
{
    return iba_rx_connected(x) && x->qp->attr.path_mig == IBA_PATH_REARM && !iba_bth_m(x->bth);
}

static void again(struct iba_rx *x)
{
    iba_rules_apply(x, IBA_TABLE_VALIDATE);
}

static void migrate(struct iba_rx *x)
{
    iba_qp_migrate(x->ca, x->qp);
    again(x);
}

static void arm(struct iba_rx *x)
{
    x->qp->attr.path_mig = IBA_PATH_ARMED;
    again(x);
}

/* ---- congestion (annexes A10 and A17) ---- */

static bool marked(const struct iba_rx *x)
{
    return x->port->congestion && !cnp(x) && !(x->seen & IBA_SEEN_MARK) && iba_rx_marked(x);
}

/* A UD QP knows a source only from its datagram. Of several marked datagrams, the source of the last one gets a CNP
 * (RO-41). */
static void owe_to_source(const struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    struct iba_av back;

    if (qp->type != IBA_QPT_UD || !iba_rx_return_path(x, &back))
        return;
    qp->cnp_to = source_qpn(x);
    qp->envelope_bytes = (uint8_t)iba_envelope_write(x->port, &back, qp->qpn ^ qp->cnp_to << 8, qp->envelope);
    qp->cnp_due = true;
}

/* The adapter returns the mark in a response if there is one, otherwise in a packet of its own (WF-81, WF-82, RO-41).
 */
static void owe_notification(struct iba_rx *x)
{
    x->seen |= IBA_SEEN_MARK;
    if (x->port->kind == IBA_PORT_IB)
        x->port->counters.fecn_in++;
    else
        x->port->counters.ecn_ce_in++;
    if (x->port->kind == IBA_PORT_IB && reliable(x))
        x->qp->becn_due = true;
    else if (iba_rx_connected(x))
        x->qp->cnp_due = true;
    else
        owe_to_source(x);
    again(x);
}

static bool backward_mark(const struct iba_rx *x)
{
    return x->port->congestion && x->port->kind == IBA_PORT_IB && !(x->seen & IBA_SEEN_BECN) && iba_bth_becn(x->bth);
}

/* The owner's limiter slows the flow down (RO-44, WF-83). */
static void tell_limiter(const struct iba_rx *x)
{
    const struct iba_limiter *l = iba_limiter_of(x->ca, x->qp);

    if (l)
        l->notified(l->ctx, x->qp->qpn, x->now);
}

static void count_becn(struct iba_rx *x)
{
    x->seen |= IBA_SEEN_BECN;
    x->port->counters.becn_in++;
    tell_limiter(x);
    again(x);
}

static void count_cnp(struct iba_rx *x)
{
    x->port->counters.cnp_in++;
    tell_limiter(x);
}

/* ---- the QP and table of the packet ---- */

static bool rc_response(const struct iba_rx *x)
{
    return reliable(x) && response(x);
}

static bool rc_request(const struct iba_rx *x)
{
    return reliable(x);
}

static bool uc_packet(const struct iba_rx *x)
{
    return x->qp->type == IBA_QPT_UC;
}

static void to_completer(struct iba_rx *x)
{
    iba_rules_apply(x, IBA_TABLE_RC_COMPLETER);
}

static void to_responder(struct iba_rx *x)
{
    x->ahead = iba_psn_diff(x->psn, x->qp->r.epsn);
    if (iba_is_context(x->qp))
        iba_rd_note_peer(x);
    iba_rules_apply(x, IBA_TABLE_RC_RESPONDER);
}

static void to_uc(struct iba_rx *x)
{
    x->ahead = iba_psn_diff(x->psn, x->qp->r.epsn);
    iba_rules_apply(x, IBA_TABLE_UC_RECEIVER);
}

static void to_ud(struct iba_rx *x)
{
    iba_rules_apply(x, IBA_TABLE_UD_RECEIVER);
}

/* Returns the index of the P_Key table entry that matches the packet; -1: none. QP1 accepts any entry, other QPs the
 * entry of their attribute (PV-12, PV-13). */
static int pkey_index(const struct iba_rx *x)
{
    const uint16_t key = iba_bth_p_key(x->bth);
    const uint8_t own = x->qp->attr.pkey_index;

    if (x->qp->type == IBA_QPT_GSI)
        return iba_port_pkey_find(x->port, key);
    return own < x->port->n_pkey && iba_port_pkey_match(x->port, x->port->pkey[own], key) ? own : -1;
}

/* Each QP attached to the group gets a copy; the table is applied to each copy by itself (PV-15, PV-29). */
static void to_each_member(struct iba_rx *x)
{
    for (uint32_t i = 0; i < x->ca->n_mcast; i++) {
        struct iba_rx copy = *x;
        if (!iba_rx_of_group(x, &x->ca->mcast[i]))
            continue;
        copy.qp = iba_qp_find(x->ca, x->ca->mcast[i].qpn);
        if (!copy.qp)
            continue;
        copy.pkey_index = pkey_index(&copy);
        iba_rules_apply(&copy, IBA_TABLE_VALIDATE);
    }
}

/* clang-format off */
/*    name                   when                         then              the packet ...                                                     clause */
#define VALIDATE_RULES(R)                                                                                                                                 \
    R(cut_by_capture,        cut_by_capture,              iba_rx_drop,      "was not captured completely",                                     "PV-34")  \
    R(malformed,             malformed,                   iba_rx_drop,      "has lengths or headers that do not fit",                          "PV-34")  \
    R(foreign_link,          iba_rx_foreign_link,         iba_rx_drop,      "is not of the kind of network the port is on, or tunnelled",      "RO-26")  \
    R(fragment,              fragment,                    iba_rx_drop,      "is a fragment of an IP packet",                                   "RO-14")  \
    R(bad_vcrc,              bad_vcrc,                    iba_rx_drop,      "has no good VCRC",                                                "WF-80")  \
    R(bad_icrc,              bad_icrc,                    iba_rx_drop,      "has no good ICRC",                                                "WF-78")  \
    R(no_transport,          no_transport,                iba_rx_drop,      "has no transport header",                                         "PV-34")  \
    R(longer_than_mtu,       iba_rx_longer_than_mtu,      iba_rx_drop,      "is longer than the port's MTU allows",                            "WF-10")  \
    R(mac_foreign,           iba_rx_mac_foreign,          iba_rx_drop,      "goes to another MAC address",                                     "RO-07")  \
    R(dlid_foreign,          iba_rx_dlid_foreign,         iba_rx_drop,      "goes to a LID that is not the port's",                            "WF-16")  \
    R(slid_impossible,       iba_rx_slid_impossible,      iba_rx_drop,      "comes from a LID that no sender can have",                        "WF-18")  \
    R(permissive_misuse,     iba_rx_permissive_misuse,    iba_rx_drop,      "uses the permissive LID, and is no directed-route SMP",           "WF-17")  \
    R(vl_of_other_kind,      iba_rx_vl_of_other_kind,     iba_rx_drop,      "is on VL 15 and not for QP0, or for QP0 on another VL",           "WF-12")  \
    R(raw_unwanted,          raw_unwanted,                iba_rx_drop,      "is raw, and the port has no QP for its kind",                     "UU-40")  \
    R(raw,                   raw,                         to_ud,            "is raw",                                                          "UU-40")  \
    R(ip_length_absent,      iba_rx_ip_length_absent,     iba_rx_drop,      "has an IP length of 0",                                           "RO-23")  \
    R(ip_options,            iba_rx_ip_options,           iba_rx_drop,      "has IP options or extension headers",                             "RO-12")  \
    R(ip_mapped_wrongly,     iba_rx_ip_mapped_wrongly,    iba_rx_drop,      "has an IPv4 GID in an IPv6 header",                               "RO-24")  \
    R(other_version,         other_version,               iba_rx_drop,      "has a transport header version that is not 0",                    "PV-03")  \
    R(split_word,            split_word,                  iba_rx_drop,      "is not padded to whole words",                                    "WF-31")  \
    R(to_qp0_over_ethernet,  to_qp0_over_ethernet,        iba_rx_drop,      "is for QP0, which does not exist on Ethernet",                    "RO-33")  \
    R(multicast_no_grh,      iba_rx_multicast_no_grh,     iba_rx_drop,      "is multicast and has no GRH",                                     "WF-26")  \
    R(multicast_disagrees,   iba_rx_multicast_disagrees,  iba_rx_drop,      "is multicast by DestQP or by its addresses, not by both",         "PV-30")  \
    R(multicast,             iba_rx_multicast,            to_each_member,   "is multicast: a copy to each QP of the group",                    "PV-29")  \
    R(no_qp,                 no_qp,                       iba_rx_drop,      "is for a QP that does not exist, or of an EE context that does not", "PV-04, PV-27") \
    R(other_service,         other_service,               iba_rx_drop,      "is of another service than the QP's",                             "PV-07")  \
    R(reserved_datagram,     reserved_datagram,           iba_rx_drop,      "is a datagram with a reserved opcode",                            "PV-08")  \
    R(imm_to_management,     imm_to_management,           iba_rx_drop,      "brings immediate data to QP0 or QP1",                             "PV-08")  \
    R(request_out_of_season, request_out_of_season,       iba_rx_drop,      "is a request, and the QP does not receive in this state",         "PV-05")  \
    R(response_out_of_season, response_out_of_season,     iba_rx_drop,      "is a response, and the QP does not send in this state",           "PV-06")  \
    R(pkey_differs,          pkey_differs,                count_pkey,       "is of another partition",                                         "PV-09")  \
    R(migrates,              migrates,                    migrate,          "has migrated to the alternate path, and the QP is armed",         "PV-32")  \
    R(migration_refused,     asks_to_migrate,             iba_rx_drop,      "asks to migrate, and did not come along the alternate path",      "PV-32")  \
    R(other_port,            iba_rx_other_port,           iba_rx_drop,      "arrived at another port than the QP's",                           "PV-24")  \
    R(grh_missing,           iba_rx_grh_missing,          iba_rx_drop,      "has no GRH, although the connection uses one",                    "PV-22")  \
    R(grh_unwanted,          iba_rx_grh_unwanted,         iba_rx_drop,      "has a GRH, although the connection uses none",                    "PV-22")  \
    R(gids_differ,           iba_rx_gids_differ,          iba_rx_drop,      "has other GIDs or IP addresses than the connection",              "PV-22")  \
    R(slid_differs,          iba_rx_slid_differs,         iba_rx_drop,      "comes from another LID than the peer's",                          "PV-24")  \
    R(dlid_differs,          iba_rx_dlid_differs,         iba_rx_drop,      "goes to another LID of the port than the connection's",           "PV-25")  \
    R(xrc_foreign_srq,       iba_xrc_foreign,             iba_rx_drop,      "names no SRQ of the XRC target's domain",                         "PV-28")  \
    R(gid_foreign,           iba_rx_gid_foreign,          iba_rx_drop,      "is a datagram to a GID that is not the port's",                   "PV-23")  \
    R(qkey_differs,          qkey_differs,                count_qkey,       "has another Q_Key than the QP",                                   "PV-18")  \
    R(cnp,                   cnp,                         count_cnp,        "is a congestion notification: counted, never answered",           "WF-84")  \
    R(peer_armed,            peer_armed,                  arm,              "shows that the peer is ready to migrate too",                     "PV-33")  \
    R(marked,                marked,                      owe_notification, "has a congestion mark, and its source gets a notification",       "RO-41")  \
    R(backward_mark,         backward_mark,               count_becn,       "has BECN: packets of this QP met congestion",                     "WF-83")  \
    R(rc_response,           rc_response,                 to_completer,     "is a response on a reliable connection",                          "PV-36")  \
    R(rc_request,            rc_request,                  to_responder,     "is a request on a reliable connection",                           "PV-36")  \
    R(uc_packet,             uc_packet,                   to_uc,            "is for an unreliable connection",                                 "PV-36")  \
    R(datagram,              iba_rx_any,                  to_ud,            "is a datagram",                                                   "PV-36")
/* clang-format on */

IBA_RULE_TABLE(VALIDATE_RULES, iba_validate_rules, "header validation")

/* The raw QP for the kind of raw packet that LNH names (UU-40). */
static struct iba_qp *raw_qp(const struct iba_rx *x)
{
    enum { LNH_RAW_ETHERTYPE = 0 };
    const bool ethertype = iba_lrh_lnh(x->v->wire + x->v->frame_at) == LNH_RAW_ETHERTYPE;
    const uint8_t type = ethertype ? IBA_QPT_RAW_ETHERTYPE : IBA_QPT_RAW_IPV6;

    for (uint32_t i = 0; i < x->ca->n_qp; i++)
        if (x->ca->qp[i] && x->ca->qp[i]->type == type && x->ca->qp[i]->attr.port == x->port->number)
            return x->ca->qp[i];
    return NULL;
}

/* Finds the parts of the packet that the rows check: header, opcode, QP and its P_Key entry. */
void iba_receive(struct iba_rx *x)
{
    x->pkey_index = -1;
    if (raw(x) && iba_view_has(x->v, IBA_H_lrh))
        x->qp = raw_qp(x);
    if (iba_view_is_transport(x->v) && iba_view_has_bth(x->v)) {
        x->bth = iba_view_bth(x->v);
        x->op = x->v->op;
        x->operation = (uint8_t)iba_opcode_operation(iba_bth_opcode(x->bth));
        x->psn = iba_psn_of(iba_bth_psn(x->bth));
        x->qp = iba_qp_find(x->ca, iba_bth_destqp(x->bth));
        if (iba_bth_opcode(x->bth) >> 5 == IBA_RD)
            iba_rd_find(x);
        if (x->qp)
            x->pkey_index = pkey_index(x);
    }
    iba_rules_apply(x, IBA_TABLE_VALIDATE);
}
