/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as people type them: HOST:PORT. */
#ifndef SYSTEM_ADDRESS_H
#define SYSTEM_ADDRESS_H
#include <stdbool.h>

/* Whether the text is a decimal number from 0 to 65535. The resolver accepts larger ones, and uses their low 16 bits.
 */
bool address_is_port(const char *text);
/* Splits "HOST:PORT" or "[HOST]:PORT" in place. False: the text has another form, or PORT is no port. */
bool address_split(char *text, char **host, char **port);
#endif
