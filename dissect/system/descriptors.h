/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard input, output and error are open before anything else is. */
#ifndef SYSTEM_DESCRIPTORS_H
#define SYSTEM_DESCRIPTORS_H
#include <stdbool.h>

/* A file that is opened while descriptor 0, 1 or 2 is closed gets that number: then text for the standard output is
 * written into the file. So this opens /dev/null in the place of each descriptor that is closed. Reading from it and
 * writing to it fails as before (EBADF). It must be the first call of main(). False: /dev/null cannot be opened. */
bool descriptors_fill(void);
#endif
