/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicates of validation on the source and destination of a packet, for all kinds of network. */
#ifndef IBA_RX_PATH_H
#define IBA_RX_PATH_H
#include "iba_receiver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the envelope by itself ---- */
iba_when iba_rx_foreign_link;      /* a port of this kind receives no such packets */
iba_when iba_rx_ip_options;        /* RO-12, RO-17 */
iba_when iba_rx_longer_than_mtu;   /* WF-10 */
iba_when iba_rx_vl_of_other_kind;  /* WF-12 */
iba_when iba_rx_dlid_foreign;      /* WF-16 */
iba_when iba_rx_slid_impossible;   /* WF-18 */
iba_when iba_rx_permissive_misuse; /* WF-17 */
iba_when iba_rx_ip_length_absent;  /* RO-23 */
iba_when iba_rx_mac_foreign;       /* RO-07 */
iba_when iba_rx_marked;            /* FECN, or ECN CE on RoCEv2 */

/* ---- the envelope compared with DestQP and the port ---- */
iba_when iba_rx_multicast;           /* DestQP is 0xFFFFFF */
iba_when iba_rx_multicast_no_grh;    /* WF-26 */
iba_when iba_rx_multicast_disagrees; /* only one of address and DestQP is multicast (PV-30) */
iba_when iba_rx_ip_mapped_wrongly;   /* an IPv4 address inside of an IPv6 header (RO-24) */

/* ---- the envelope compared with the QP ---- */
iba_when iba_rx_connected;    /* the QP is one of a connection */
iba_when iba_rx_other_port;   /* PV-24 */
iba_when iba_rx_grh_missing;  /* PV-22 */
iba_when iba_rx_grh_unwanted; /* PV-22 */
iba_when iba_rx_gids_differ;  /* PV-22, RO-25 */
iba_when iba_rx_slid_differs; /* PV-24 */
iba_when iba_rx_dlid_differs; /* PV-25 */
iba_when iba_rx_gid_foreign;  /* PV-23 */

/* Returns whether the packet came along the path of the address vector. */
bool iba_rx_comes_along(const struct iba_rx *x, const struct iba_av *av);
/* Writes the address vector of the packet's source. False: the source cannot be addressed. */
bool iba_rx_return_path(const struct iba_rx *x, struct iba_av *av);
/* Returns whether attachment `m` is to the multicast group of the packet (UU-25). */
bool iba_rx_of_group(const struct iba_rx *x, const struct iba_mcast *m);

#ifdef __cplusplus
}
#endif

#endif
