/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding as a sentence for people; `ibconform check` prints the same. */
#ifndef DISSECT_FINDING_TEXT_H
#define DISSECT_FINDING_TEXT_H
#include <stddef.h>
#include "observer/iba_finding.h"

enum { FINDING_TEXT_BYTES = 192 };
/* "PSN 0x000102 is sent again: the responder asked for it (frame 9, 1.2 ms)". `elsewhere` is the file of the frame that
 * explains it when that is another file, or NULL. Cut to `size`, which is not 0. */
void finding_text(char *to, size_t size, const struct iba_finding *f, const char *elsewhere);
#endif
