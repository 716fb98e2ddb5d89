/* SPDX-License-Identifier: BSD-2-Clause */
/* For programs that are linked statically: replaces libisal's CRC32 by zlib's, since Debian has no static libisal. The
 * values are equal; zlib's code is slower. */
#include <isa-l.h>
#include <zlib.h>

uint32_t crc32_gzip_refl(uint32_t seed, const unsigned char *buf, uint64_t len)
{
    return (uint32_t)crc32_z(seed, buf, (z_size_t)len);
}
