/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to privileges: Linux's capabilities (capabilities(7)). Other systems have none, and the functions do nothing
 * there. */
#ifndef SYSTEM_CAPABILITIES_H
#define SYSTEM_CAPABILITIES_H
#include <stdbool.h>

/* With file capabilities (setcap) the process has no other privilege than for the socket. keep_files: the capability to
 * use files of others stays. */
bool capabilities_drop(bool keep_files);
/* Root would have its capabilities again by execve(). Call it before the process changes its user. */
void capabilities_bound(void);
#endif
