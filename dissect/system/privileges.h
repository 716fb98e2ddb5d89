/* SPDX-License-Identifier: BSD-2-Clause */
/* Root, or CAP_NET_RAW, is needed to open a network interface, and for nothing after that. */
#ifndef SYSTEM_PRIVILEGES_H
#define SYSTEM_PRIVILEGES_H
#include <stdbool.h>
#include <stddef.h>

enum { PRIVILEGES_USER = 64 };

/* Continues the program as `user` without capabilities. NULL: the owner of the working directory, or nobody if that
 * owner is root. A program that does not run as root only drops its capabilities. as: the new user; empty: unchanged.
 * False with one line in err. */
bool privileges_drop(const char *user, char as[PRIVILEGES_USER], char *err, size_t errlen);

/* For a program that has opened its files. Root becomes another user, as above. A program that does not run as root, or
 * cannot change its user, gives up its capabilities. What root keeps: */
enum privileges_keep {
    PRIVILEGES_KEEP_NONE,
    /* root becomes the owner of `folder`, in which files are renamed at the end; if the owner is root, it stays root
       without capabilities */
    PRIVILEGES_KEEP_FOLDER,
    PRIVILEGES_KEEP_FILES, /* root keeps its user, and the capability to use files of others */
};
void privileges_leave(enum privileges_keep keep, const char *folder);
#endif
