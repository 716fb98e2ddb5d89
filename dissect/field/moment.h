/* SPDX-License-Identifier: BSD-2-Clause */
/* Times as users write them: in display filters, and after --from and --to. */
#ifndef DISSECT_MOMENT_H
#define DISSECT_MOMENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "2024-02-29 [10:00[:00[.5]]][Z]", a T for the space; local time without the Z, as in Wireshark. As nanoseconds since
 * 1970. False: something else. */
bool moment_date(const char *s, int64_t *ns);
/* n characters: seconds with up to nine decimals, as nanoseconds. False: something else. */
bool moment_seconds(const char *s, size_t n, int64_t *ns);
#endif
