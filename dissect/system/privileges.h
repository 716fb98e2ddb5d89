/* SPDX-License-Identifier: BSD-2-Clause */
/* Root, and CAP_NET_RAW, are needed to open a network interface, and for nothing after that. */
#ifndef SYSTEM_PRIVILEGES_H
#define SYSTEM_PRIVILEGES_H
#include <stdbool.h>
#include <stddef.h>

enum { PRIVILEGES_USER = 64 };

/* Runs the rest of the program as `user`, who has no capabilities; NULL: the owner of the working directory, or nobody
 * where that is root. Without root only capabilities are dropped. as: the new user; empty: unchanged. False with one
 * line in err. */
bool privileges_drop(const char *user, char as[PRIVILEGES_USER], char *err, size_t errlen);

/* For a program that has opened its files: root becomes somebody else, as above, and all others, and who cannot, give
 * up their capabilities. What root keeps: */
enum privileges_keep {
    PRIVILEGES_KEEP_NONE,
    PRIVILEGES_KEEP_FOLDER, /* it becomes the owner of `folder`, in which files are renamed in the end; where that is
                             * root, root without capabilities */
    PRIVILEGES_KEEP_FILES,  /* its name, and the capability to use files of others */
};
void privileges_leave(enum privileges_keep keep, const char *folder);
#endif
