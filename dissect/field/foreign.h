/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that tshark has and ibdissect does not, each with what does the same in ibdissect. */
#ifndef DISSECT_FOREIGN_H
#define DISSECT_FOREIGN_H
#include <stddef.h>
/* The hint for a field, a statistic of -z, or a form of -T; NULL: the name is not known. */
const char *foreign_instead(const char *name);
/* Each name that stands for itself alone, by its number; NULL: there are no more. */
const char *foreign_name(size_t i);
#endif
