/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to confine: the system calls that are left. */
#ifndef SYSTEM_CONFINE_CALLS_H
#define SYSTEM_CONFINE_CALLS_H
#include <stdbool.h>

/* Whether the build has libseccomp, and the kernel its filters. */
bool confine_has_calls(void);
/* Installs the filter. uses: a mask of enum confine_use. False: there is no filter. */
bool confine_calls(unsigned uses);
#endif
