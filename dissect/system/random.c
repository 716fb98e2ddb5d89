/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/random.h"
#include <sys/random.h>
#include <unistd.h>

/* getentropy() exists on Linux, the BSDs and macOS; the header that declares it differs. */
bool random_bytes(void *to, size_t bytes)
{
    return getentropy(to, bytes) == 0;
}
