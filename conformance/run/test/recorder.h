/* SPDX-License-Identifier: BSD-2-Clause */
/* A layer between the runner and the reference. It writes down the arguments of each verb and each frame, and passes
 * them on. */
#ifndef IBC_RUN_TEST_RECORDER_H
#define IBC_RUN_TEST_RECORDER_H
#include <stdint.h>

/* Call it after open_changed(). */
void recorder_attach(void);
/* Forgets all recorded calls. */
void recorder_begin(void);
/* Returns a line for each call, up to 64 KiB of lines; *digest covers all calls. */
const char *recorder_calls(void);
uint64_t recorder_sum(void);
#endif
