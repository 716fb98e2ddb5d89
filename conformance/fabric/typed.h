/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the details of a notice by words of the form FIELD=VALUE. */
#ifndef IBF_TYPED_H
#define IBF_TYPED_H
#include <stddef.h>
#include "mad/iba_mad.h"

enum { TYPED_ERROR = 256 };

/* Writes the value of one word to the details, which have IBA_BYTES_notice_data bytes. A number is decimal, or
 * hexadecimal with 0x; a GID is written as an IPv6 address; other bytes are hexadecimal digits. NULL: done;
 * otherwise returns what is wrong with the word. */
const char *typed_field(enum iba_mad_layout l, const char *word, uint8_t *details, char err[TYPED_ERROR]);
#endif
