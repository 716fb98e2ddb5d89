/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of libiba that a program was compiled with. CMakeLists.txt reads the numbers of this file;
 * CHANGELOG.md says what each of them means. */
#ifndef IBA_VERSION_H
#define IBA_VERSION_H

#define IBA_VERSION_MAJOR 0
#define IBA_VERSION_MINOR 1
#define IBA_VERSION_PATCH 0

/* Grows with each version: #if IBA_VERSION >= IBA_VERSION_OF(0, 2, 0) */
#define IBA_VERSION_OF(x, y, z) ((x)*1000000 + (y)*1000 + (z))
#define IBA_VERSION IBA_VERSION_OF(IBA_VERSION_MAJOR, IBA_VERSION_MINOR, IBA_VERSION_PATCH)

#endif
