/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the progress, on a terminal only. */
#ifndef IBC_PROGRESS_H
#define IBC_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on;
    uint64_t done, total, since_ns, printed_ns;
};
void progress_begin(struct progress *p, uint64_t total);
/* Counts one more finished case; `what` may be NULL. */
void progress_step(struct progress *p, const char *what);
void progress_end(struct progress *p);
/* Returns the time of a monotonic clock in ns. */
uint64_t wall_ns(void);
#endif
