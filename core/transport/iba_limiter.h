/* SPDX-License-Identifier: BSD-2-Clause */
/* A limiter: a module, chosen by the adapter's owner, that decides how a sender reacts to congestion (RO-44, RO-45,
 * WF-83).
 *
 * The clauses require that a flow slows down and that its rate recovers; the vendor decides how (RO-47). So the engine
 * reports CNPs, BECN and packets to the module, and delays a QP's packets with data until the module permits the next
 * one. Without a limiter (iba_ca.limiter is NULL) QPs send at any rate. iba_dcqcn.h is a limiter.
 *
 * Requests and READ responses are limited; ACKs, NAKs, CNPs and all packets of QP0 and QP1 are not. */
#ifndef IBA_LIMITER_H
#define IBA_LIMITER_H
#include <stddef.h>
#include <stdint.h>
#include "fabric/iba_port.h"

struct iba_limiter {
    void *ctx;                                               /* the module's own data, which each function gets */
    void (*start)(void *ctx, uint32_t qpn);                  /* the QP enters RTS */
    void (*notified)(void *ctx, uint32_t qpn, iba_time now); /* a CNP or BECN came for the QP */
    void (*sent)(void *ctx, uint32_t qpn, size_t frame_bytes, iba_time now); /* a packet with data left */
    iba_time (*due)(void *ctx, uint32_t qpn,
                    iba_time now); /* returns when the next packet with data may leave; <= now: at once */
};
#endif
