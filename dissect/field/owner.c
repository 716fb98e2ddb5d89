/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/mad_context.h"
#include <stdio.h>
#include "mad/iba_mad.h"

void owner_text(char to[OWNER_BYTES], uint64_t service_id, uint8_t upper)
{
    enum { TCP = 6, UDP = 17, PS_IB = 0x3f, PORT = 0xffff, QPN = 0xffffff };
    const unsigned port = service_id & PORT, protocol = service_id >> 16 & 0xff;

    to[0] = '\0';
    if (upper == IBA_UPPER_SDP)
        snprintf(to, OWNER_BYTES, "SDP port %u", port);
    else if (upper == IBA_UPPER_IPOIB)
        snprintf(to, OWNER_BYTES, "IPoIB QP 0x%06x", (unsigned)(service_id & QPN));
    else if (upper != IBA_UPPER_NONE)
        snprintf(to, OWNER_BYTES, "%s", iba_upper_name((enum iba_upper)upper));
    else if (iba_mad_is_ip_service(service_id) && (protocol == TCP || protocol == UDP))
        snprintf(to, OWNER_BYTES, "%s port %u", protocol == TCP ? "TCP" : "UDP", port);
    else if (iba_mad_is_ip_service(service_id) && protocol == PS_IB)
        snprintf(to, OWNER_BYTES, "librdmacm, port space IB, %u", port);
}
