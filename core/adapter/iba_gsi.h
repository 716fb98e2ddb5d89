/* SPDX-License-Identifier: BSD-2-Clause */
/* QP1 of each port of an adapter: carries the datagrams of a connection manager between iba_ca and iba_cm.
 *
 *     iba_gsi_open(&gsi, &ca, &cm);
 *     a frame arrived:   iba_gsi_feed(&gsi, port, &v, now);       instead of iba_ca_feed(&ca, port, &v, now)
 *     time passed:       iba_ca_advance(&ca, now); iba_cm_advance(&cm, now);
 *     after either, and after a verb of the CM:
 *                        while (iba_gsi_poll(&gsi, &port, buf, cap, &len, now) == IBA_OK && len) send(port, buf, len);
 *                        beside iba_ca_poll()
 *
 * Packets to QP1 pass all checks of the adapter (PV-13, PV-19) before the CM gets them. Other management classes are
 * dropped. Datagrams leave as UD SEND Only from QP1 to QP1 (MD-82). */
#ifndef IBA_GSI_H
#define IBA_GSI_H
#include "adapter/iba_ca.h"
#include "cm/iba_cm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_GSI_GRH = 40, IBA_GSI_BYTES = IBA_GSI_GRH + IBA_MAD_BYTES };

struct iba_gsi {
    struct iba_ca *ca;
    struct iba_cm *cm;
    uint32_t pd, cqn, lkey, psn;
    struct iba_qp qp;
    struct iba_cq cq;
    struct iba_wc ring[4];
    struct iba_sqe sq[1];
    struct iba_recv_wr rq[2];
    uint8_t buffer[IBA_GSI_BYTES];
    uint64_t foreign; /* number of datagrams of another class or size, which were dropped */
};
/* Makes QP1 of each port, and for them a domain, a region and a CQ. Returns the error of the verb that failed, if any.
 */
enum iba_verb_err iba_gsi_open(struct iba_gsi *g, struct iba_ca *ca, struct iba_cm *cm);
void iba_gsi_feed(struct iba_gsi *g, uint8_t port, const struct iba_view *v, iba_time now); /* as iba_ca_feed() */
/* Writes the next packet of the CM, and the number of the port that sends it; *len 0: there is none. Returns
 * IBA_NO_ROOM if cap < IBA_TX_MOST. */
enum iba_err iba_gsi_poll(struct iba_gsi *g, uint8_t *port, uint8_t *buf, size_t cap, size_t *len, iba_time now);

#ifdef __cplusplus
}
#endif

#endif
