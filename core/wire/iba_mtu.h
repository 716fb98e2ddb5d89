/* SPDX-License-Identifier: BSD-2-Clause */
/* Path MTUs, and the number of packets of a message (WF-65, WF-66). */
#ifndef IBA_MTU_H
#define IBA_MTU_H
#include <stdint.h>

/* The codes of path MTUs in verbs and management datagrams (WF-66). The names have the bytes of payload. */
enum iba_mtu { IBA_MTU_256 = 1, IBA_MTU_512, IBA_MTU_1024, IBA_MTU_2048, IBA_MTU_4096 };
enum { IBA_MTU_LEAST_BYTES = 256, IBA_MTU_MOST_BYTES = 4096 };
static inline uint32_t iba_mtu_bytes(enum iba_mtu m) /* bytes of payload */
{
    return 128u << m;
}
/* Returns the code of an MTU; 0: no MTU has so many bytes. */
static inline uint8_t iba_mtu_code(uint64_t bytes)
{
    for (unsigned m = IBA_MTU_256; m <= IBA_MTU_4096; m++)
        if (iba_mtu_bytes((enum iba_mtu)m) == bytes)
            return (uint8_t)m;
    return 0;
}
/* Returns the number of packets of a message, or of the response to a READ, of `length` bytes with at most `mtu` bytes
 * in each packet. It is at least 1, since a message of zero length is one packet (WF-65). A message has at most 2^31
 * bytes (WF-67), so the result fits 32 bits. `mtu` is not 0. */
static inline uint32_t iba_mtu_packets(uint64_t length, uint32_t mtu)
{
    return length == 0 ? 1 : (uint32_t)((length - 1) / mtu + 1);
}
#endif
