/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_HELP_H
#define DISSECT_HELP_H
/* The parts of the help text; NULL ends the list. */
extern const char *const help_text[];
extern const char help_merge[];
#endif
