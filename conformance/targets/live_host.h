/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of this machine, and the gateways of its routes. */
#ifndef IBC_LIVE_HOST_H
#define IBC_LIVE_HOST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum live_family { LIVE_MAC, LIVE_IPV4, LIVE_IPV6 };

/* Reads this machine's addresses, which are used until live_host_forget(), and opens its tables of routes and
 * neighbours, which are read again for each question. A confined program must call this function before it is
 * confined: later it cannot open them. False with errno: nothing can be found out. */
bool live_host_open(void);
void live_host_forget(void);
/* Returns why an address (6, 4 or 16 bytes, the rest zero) is not free for a device or tester: this machine, or one
 * of its gateways, has it. NULL: neither has it, as far as is known. Opens the tables if nobody has. */
const char *live_host_has(const uint8_t b[16], enum live_family f);

/* Reads n bytes, each written as two hex digits, with the separator between them; '\0': no separator. False: the
 * text has another form. */
bool live_unhex(const char *text, char separator, uint8_t *out, size_t n);
#endif
