/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of fields and forms: a packet made by the builder, and access to the printed text. */
#ifndef DISSECT_TEST_COMMON_H
#define DISSECT_TEST_COMMON_H
#include <criterion/criterion.h>
#include <stdio.h>
#include "field/field.h"
#include "field/out.h"
#include "wire/iba_build.h"

/* Text that never leaves the buffer; ended by a NUL at each look. */
extern struct out printed;
const char *printed_text(void);
void printed_clear(void);

/* A packet of that encapsulation and opcode, parsed and checked. `change` may be NULL. Valid until the next call. */
struct packet *packet_of(enum iba_encap e, uint8_t opcode, size_t payload, void (*change)(struct iba_recipe *r));
#endif
