/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYSTEM_RANDOM_H
#define SYSTEM_RANDOM_H
#include <stdbool.h>
#include <stddef.h>

/* Fills `to` with random bytes of the system, at most 256. False: the system has none. */
bool random_bytes(void *to, size_t bytes);
#endif
