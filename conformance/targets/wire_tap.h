/* SPDX-License-Identifier: BSD-2-Clause */
/* A second socket on an interface: which of the sent frames have left, and which clock stamped received frames. */
#ifndef IBC_WIRE_TAP_H
#define IBC_WIRE_TAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- frames that left ---- */
struct wire_tap;
/* NULL with errno. Receives the frames that leave through the interface; not thread-safe. */
struct wire_tap *wire_tap_open(unsigned ifindex);
void wire_tap_close(struct wire_tap *t); /* NULL is allowed */
void wire_tap_sent(struct wire_tap *t, const uint8_t *frame, size_t len);
/* Frames that did not leave within 100 ms of being sent, since it was opened. Waits for those in flight. */
uint64_t wire_tap_unseen(struct wire_tap *t);

/* ---- time of arrival ---- */

/* Asks the interface to stamp received frames with its own clock. False: it cannot, may not be asked, or another
 * program has configured it differently. */
bool wire_stamps(int fd, const char *ifname);
/* The minimum by which our clock is ahead of the interface's. */
struct wire_lead {
    bool known;
    int64_t ns;
    uint64_t at; /* on our clock, when it was updated last */
};
/* The time of arrival on our clock: the interface's stamp plus the difference of the two clocks, whose best estimate
 * comes from the frame that was reported soonest. Never after `told`, when the kernel saw the frame. */
uint64_t wire_arrival(struct wire_lead *l, uint64_t stamp, uint64_t seen_by_kernel);
#endif
