/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of two adapters that tests and fuzz targets connect: end 0 and end 1. */
#ifndef IBA_TEST_ENDS_H
#define IBA_TEST_ENDS_H
#include <string.h>
#include "fabric/iba_port.h"
#include "wire/iba_endpoints.h"

/* The address of end 0 or 1: 10.0.0.1 and 10.0.0.2 over IPv4, which only RoCEv2 has; otherwise fe80::1 and fe80::2. */
static inline void end_gid(enum iba_port_kind kind, bool v6, unsigned end, uint8_t *gid)
{
    memset(gid, 0, 16);
    if (kind == IBA_PORT_ROCE2 && !v6) {
        iba_gid_set_ipv4(gid, 0x0a000001u + end);
        return;
    }
    gid[0] = 0xfe, gid[1] = 0x80;
    gid[15] = (uint8_t)(end + 1);
}
#endif
