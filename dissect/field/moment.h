/* SPDX-License-Identifier: BSD-2-Clause */
/* Times as users write them: in display filters, and after --from and --to. */
#ifndef DISSECT_MOMENT_H
#define DISSECT_MOMENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads "2024-02-29 [10:00[:00[.5]]][Z]", where a T may replace the space, as nanoseconds since 1970. Without the Z it
 * is local time, as in Wireshark. False: the text is something else. */
bool moment_date(const char *s, int64_t *ns);
/* Reads n characters, seconds with up to nine decimals, as nanoseconds. False: the text is something else. */
bool moment_seconds(const char *s, size_t n, int64_t *ns);
#endif
