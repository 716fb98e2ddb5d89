/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/random.h"
#include <sys/random.h>
#include <unistd.h>

/* getentropy(): Linux, the BSDs and macOS have it; which header declares it differs. */
bool random_bytes(void *to, size_t bytes)
{
    return getentropy(to, bytes) == 0;
}
