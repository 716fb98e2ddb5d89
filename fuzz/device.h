/* SPDX-License-Identifier: BSD-2-Clause */
/* The front of an input of `device`: bytes that say what happens to each frame. */
#ifndef FUZZ_DEVICE_H
#define FUZZ_DEVICE_H

enum { DEVICE_HEAD = 16 };
/* Values of the low bits of a byte; with any other value the frame stays as it is. */
enum { DEVICE_ACTS = 7, DEVICE_CHANGE = 5, DEVICE_DROP = 6, DEVICE_TWICE = 7 };

#endif
