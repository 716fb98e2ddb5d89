/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of fields and forms: a packet made by the builder, and access to the printed text. */
#ifndef DISSECT_TEST_COMMON_H
#define DISSECT_TEST_COMMON_H
#include <criterion/criterion.h>
#include <stdio.h>
#include "field/field.h"
#include "field/out.h"
#include "wire/iba_build.h"

/* Output that stays in its buffer; each read of it ends the text with a NUL. */
extern struct out printed;
const char *printed_text(void);
void printed_clear(void);

/* Builds, parses and checks a packet of that encapsulation and opcode. `change` may be NULL. The packet is valid until
 * the next call. */
struct packet *packet_of(enum iba_encap e, uint8_t opcode, size_t payload, void (*change)(struct iba_recipe *r));
#endif
