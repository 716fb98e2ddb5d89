/* SPDX-License-Identifier: BSD-2-Clause */
/* A network namespace of the test's own with an interface "tap0" whose cable ends in this process: what is read from
 * the descriptor has left the interface, and what is written to it arrives there. */
#ifndef IBC_TEST_TAP_H
#define IBC_TEST_TAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../wire.h"

enum { TAP_MOST = 16384 };

/* Makes the namespace and the interface, which is up and has the MAC 02:00:00:00:0a:01 and an MTU of 1500. Returns the
 * descriptor; -1: this process has no right to make them, or the system has no such interfaces. */
int tap_begin(void);
/* Opens the wire "afpacket:tap0", and asserts that it opens. */
struct ibc_wire *tap_wire(void);
/* ioctl of the kernel on the interface, as SIOCSIFMTU; `r` is a struct ifreq without its name. */
void tap_set(unsigned long what, void *r);
void tap_up(bool up);
void tap_arrives(int fd, const uint8_t *frame, size_t len);
/* Returns the length of the next frame that leaves; 0: none left within 200 ms. The kernel itself sends none. */
size_t tap_left(int fd, uint8_t frame[TAP_MOST]);
#endif
