/* SPDX-License-Identifier: BSD-2-Clause */
/* Output files: which of them are inputs, or each other; and files that appear when they are complete. */
#ifndef SYSTEM_FILES_H
#define SYSTEM_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which file a path names, or would name once it is created. "-" is the descriptor `standard`. */
struct file_id {
    uint64_t device, inode; /* of the file, or of the folder of one that does not exist */
    char name[256];         /* in that folder; "" for a file that exists */
    bool known;             /* false: not a regular file or new one, or it cannot be found out */
};
struct file_id file_id(const char *path, int standard);
bool file_same(const struct file_id *a, const struct file_id *b);

/* The folder that a file is, or would be created, in; of a link: where it leads. False: there is none. */
enum { FILE_FOLDER = 4096 };
bool file_folder(const char *path, char out[FILE_FOLDER]);

/* A file that is written beside its place and renamed when it is complete: until then the file of before stays, and
 * nobody sees half of the new one. A path that is no regular file (a device, a FIFO) is written directly, and so is a
 * file with several names, or in a folder where none can be created. */
struct file_new {
    int fd;
    char *to, *beside; /* owned; beside: NULL when written directly */
};
/* False with errno. */
bool file_begin(struct file_new *f, const char *path);
/* Closes it. keep: the new one takes its place, else it is removed. 0, or the errno value of what failed. */
int file_end(struct file_new *f, bool keep);
#endif
