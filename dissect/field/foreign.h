/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that tshark has and ibdissect has not: what does the same. */
#ifndef DISSECT_FOREIGN_H
#define DISSECT_FOREIGN_H
/* A field, a statistic of -z or a form of -T; NULL: not known. */
const char *foreign_instead(const char *name);
#endif
