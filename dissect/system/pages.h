/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of tables that a capture fills. */
#ifndef DISSECT_SYSTEM_PAGES_H
#define DISSECT_SYSTEM_PAGES_H
#include <stddef.h>

/* Asks the kernel to map those pages of the table that are not in use yet as large pages (2 MiB on x86), so that the
 * kernel is entered once instead of 512 times. Contents stay. Use it for tables that are nearly sure to fill, since a
 * large page takes all its memory at once. Without effect for a table of a few MiB, and where the kernel has no large
 * pages. */
void pages_large(void *table, size_t bytes);

/* Returns a zeroed table in pages of its own, between two pages that nobody may touch; NULL: no memory. Use it for a
 * table of many MiB that a small capture leaves nearly empty: only touched pages cost memory and time. With the address
 * sanitizer calloc() costs both for each byte: 20 ms for the tables of one judge. */
void *pages_open(size_t bytes);
/* Gives back all but the first `fewer` bytes of a table of pages_open(): they are the table from here on. */
void pages_shrink(void *table, size_t bytes, size_t fewer);
/* Gives back a table of pages_open(). NULL: nothing happens. */
void pages_close(void *table, size_t bytes);
#endif
