/* SPDX-License-Identifier: BSD-2-Clause */
/* A slow input is a fault: if it takes more than FUZZ_SECONDS of processor time, the process ends as by a crash. The
 * time of the clock would depend on how busy the machine is. */
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

/* Starts the limits of this process. A child process has to call this again. */
void fuzz_limits_begin(void);
/* Call this when a new input begins. */
void fuzz_limits_input(void);
#endif
