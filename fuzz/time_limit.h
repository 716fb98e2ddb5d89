/* SPDX-License-Identifier: BSD-2-Clause */
/* A slow input is a fault: one that takes longer than FUZZ_SECONDS of the processor ends the process as a crash does.
 * Time of the processor, not of the clock: a busy machine must not look like a slow program. */
#ifndef FUZZ_TIME_LIMIT_H
#define FUZZ_TIME_LIMIT_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_SANITIZED
#endif

#ifdef FUZZ_SANITIZED
enum { FUZZ_SECONDS = 20 };
#else
enum { FUZZ_SECONDS = 4 };
#endif

/* Once in a process; a child process has to call it again. */
void fuzz_limits_begin(void);
/* A new input begins. */
void fuzz_limits_input(void);
#endif
