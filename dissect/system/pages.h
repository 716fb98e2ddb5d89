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
#endif
