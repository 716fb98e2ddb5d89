/* SPDX-License-Identifier: BSD-2-Clause */
/* A second socket on an interface shows which sent frames have left, and by which clock received frames were
 * stamped. */
#ifndef IBC_WIRE_TAP_H
#define IBC_WIRE_TAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- frames that left ---- */
struct wire_tap;
/* Opens a socket that receives the frames which leave through the interface. NULL with errno. Not thread-safe. */
struct wire_tap *wire_tap_open(unsigned ifindex);
void wire_tap_close(struct wire_tap *t); /* NULL is allowed */
void wire_tap_sent(struct wire_tap *t, const uint8_t *frame, size_t len);
/* Returns the number of frames since the tap was opened that did not leave within 100 ms. Waits for frames that are
 * in flight. */
uint64_t wire_tap_unseen(struct wire_tap *t);

/* ---- time of arrival ---- */

/* Makes the interface stamp received frames with its own clock. False: it cannot, this process has no right to
 * request it, or another program has configured it differently. */
bool wire_stamps(int fd, const char *ifname);
/* The minimum by which this machine's clock is ahead of the interface's. */
struct wire_lead {
    bool known;
    int64_t ns;
    uint64_t at; /* when `ns` was updated last, on this machine's clock */
};
/* Returns the arrival time on this machine's clock: the interface's stamp plus the difference of the two clocks.
 * The best estimate of the difference comes from the frame that was reported soonest. The result is not later than
 * `seen_by_kernel`, when the kernel saw the frame. */
uint64_t wire_arrival(struct wire_lead *l, uint64_t stamp, uint64_t seen_by_kernel);
#endif
