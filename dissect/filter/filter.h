/* SPDX-License-Identifier: BSD-2-Clause */
/* The display filter, -Y: Wireshark's language over the fields of field.h, and the names of codes beside their numbers.
 */
#ifndef DISSECT_FILTER_H
#define DISSECT_FILTER_H
#include <stdbool.h>
#include <stddef.h>

struct field;
struct packet;
struct filter;

/* NULL on failure, with one line in err: what is wrong, its column (1-based, bytes), and the nearest name for a typo.
 * Owned: filter_free(). */
struct filter *filter_compile(const char *text, char *err, size_t errlen);
/* Allocates nothing. One filter is for one thread: `matches` works in memory of the filter. */
bool filter_match(const struct filter *f, const struct packet *p);
/* Whether it uses a field for which `is` is true. */
bool filter_uses(const struct filter *f, bool (*is)(const struct field *field));
/* NULL is allowed. */
void filter_free(struct filter *f);
#endif
