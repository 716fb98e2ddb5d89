/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to privileges: Linux's capabilities (capabilities(7)). Other systems have no capabilities, and the functions
 * do nothing there. */
#ifndef SYSTEM_CAPABILITIES_H
#define SYSTEM_CAPABILITIES_H
#include <stdbool.h>

/* Drops capabilities. With file capabilities (setcap) the one for the socket is the only privilege of the process.
 * keep_files: the capability to use files of others stays. */
bool capabilities_drop(bool keep_files);
/* Takes capabilities from the bounding set, since root would get its capabilities back by execve(). Must be called
 * before the process changes its user. */
void capabilities_bound(void);
#endif
