/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs of `device`: what happens to each frame, before the scenario's text. */
#ifndef FUZZ_DEVICE_H
#define FUZZ_DEVICE_H

enum { DEVICE_HEAD = 16 };
/* The low bits of a byte; every other value: the frame stays as it is. */
enum { DEVICE_ACTS = 7, DEVICE_CHANGE = 5, DEVICE_DROP = 6, DEVICE_TWICE = 7 };

#endif
