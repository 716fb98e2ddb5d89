/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding as a sentence for people; `ibconform check` prints the same. */
#ifndef DISSECT_FINDING_TEXT_H
#define DISSECT_FINDING_TEXT_H
#include <stddef.h>
#include "observer/iba_finding.h"

enum { FINDING_TEXT_BYTES = 192 };
/* Writes "PSN 0x000102 is sent again: the responder asked for it (frame 9, 1.2 ms)". `elsewhere` is the file that holds
 * the frame named as the cause, if it is another file than the packet's, or NULL. The text is cut to `size` bytes, at
 * least one. */
void finding_text(char *to, size_t size, const struct iba_finding *f, const char *elsewhere);
#endif
