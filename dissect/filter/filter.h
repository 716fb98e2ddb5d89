/* SPDX-License-Identifier: BSD-2-Clause */
/* The display filter, -Y: Wireshark's language over the fields of field.h. A code may be given by its name instead of
 * its number. */
#ifndef DISSECT_FILTER_H
#define DISSECT_FILTER_H
#include <stdbool.h>
#include <stddef.h>

struct field;
struct packet;
struct filter;

/* Compiles a filter. NULL on failure, with one line in err: what is wrong, at which column (1-based, in bytes), and the
 * nearest name for a typo. Owned: filter_free(). */
struct filter *filter_compile(const char *text, char *err, size_t errlen);
/* Whether the filter matches the packet. Allocates nothing. One thread uses one filter, since matching works in the
 * filter's memory. */
bool filter_match(const struct filter *f, const struct packet *p);
/* Whether the filter uses a field for which `is` is true. */
bool filter_uses(const struct filter *f, bool (*is)(const struct field *field));
/* Frees the filter; NULL is allowed. */
void filter_free(struct filter *f);
#endif
