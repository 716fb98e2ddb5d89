/* SPDX-License-Identifier: BSD-2-Clause */
/* How a sender reacts to congestion (RO-44, RO-45, WF-83): a module that the adapter's owner chooses.
 *
 * The clauses require that a flow slows down and that its rate recovers. How, the vendor decides (RO-47). So the engine
 * only asks the module: it reports CNPs, BECN and packets to it, and holds back a QP's packets with data until the
 * module lets the next one go. An adapter has none unless its owner sets iba_ca.limiter; then its QPs send at any rate.
 * iba_dcqcn.h is such a module.
 *
 * Requests and READ responses are limited; ACKs, NAKs, CNPs and all packets of QP0 and QP1 are not. */
#ifndef IBA_LIMITER_H
#define IBA_LIMITER_H
#include <stddef.h>
#include <stdint.h>
#include "fabric/iba_port.h"

struct iba_limiter {
    void *ctx;                                                               /* of the module; given to each function */
    void (*start)(void *ctx, uint32_t qpn);                                  /* the QP enters RTS */
    void (*notified)(void *ctx, uint32_t qpn, iba_time now);                 /* a CNP or BECN came for the QP */
    void (*sent)(void *ctx, uint32_t qpn, size_t frame_bytes, iba_time now); /* a packet with data left */
    iba_time (*due)(void *ctx, uint32_t qpn, iba_time now); /* when the next one may leave; <= now: at once */
};
#endif
