/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_HELP_H
#define DISSECT_HELP_H
extern const char help_text[], version_text[];
#endif
