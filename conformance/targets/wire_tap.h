/* SPDX-License-Identifier: BSD-2-Clause */
/* A second ear on an interface: which of the frames that were sent have left, and which clock said when frames came. */
#ifndef IBC_WIRE_TAP_H
#define IBC_WIRE_TAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what left ---- */
struct wire_tap;
/* NULL with errno. Hears what leaves by the interface; of one thread at a time. */
struct wire_tap *wire_tap_open(unsigned ifindex);
void wire_tap_close(struct wire_tap *t); /* NULL is allowed */
void wire_tap_sent(struct wire_tap *t, const uint8_t *frame, size_t len);
/* Frames that were not seen to leave within 100 ms of being sent, since it was opened. Waits for those on their way. */
uint64_t wire_tap_unseen(struct wire_tap *t);

/* ---- when it came ---- */

/* Asks the interface to stamp what it receives with its own clock. False: it cannot, may not be asked, or is asked
 * by somebody else for something else. */
bool wire_stamps(int fd, const char *ifname);
/* How far our clock is ahead of the interface's, at least. */
struct wire_lead {
    bool known;
    int64_t ns;
    uint64_t at; /* of our clock, when it was looked at last */
};
/* The time of arrival on our clock: the interface's stamp moved by what the two clocks differ, which is seen best in
 * the frame that was told of soonest. Never behind `told`, when the kernel saw the frame. */
uint64_t wire_arrival(struct wire_lead *l, uint64_t stamp, uint64_t told);
#endif
