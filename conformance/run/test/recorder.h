/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the runner and the reference: writes down the arguments of each verb and each frame, and passes them on. */
#ifndef IBC_RUN_TEST_RECORDER_H
#define IBC_RUN_TEST_RECORDER_H
#include <stdint.h>

/* After open_changed() */
void recorder_attach(void);
/* Forgets all calls. */
void recorder_begin(void);
/* A line for each call, the first 64 KiB of them; a digest of all */
const char *recorder_calls(void);
uint64_t recorder_sum(void);
#endif
