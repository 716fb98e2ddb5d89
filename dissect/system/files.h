/* SPDX-License-Identifier: BSD-2-Clause */
/* Output files: whether they are inputs, or the same file as each other; and files that appear when they are complete.
 */
#ifndef SYSTEM_FILES_H
#define SYSTEM_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies the file that a path names, or would name once it is created. "-" is the descriptor `standard`. */
struct file_id {
    uint64_t device, inode; /* of the file; of its folder if the file does not exist */
    char name[256];         /* the name in that folder; "" for a file that exists */
    bool known;             /* false: neither a regular file nor a new one, or the system does not tell */
};
struct file_id file_id(const char *path, int standard);
bool file_same(const struct file_id *a, const struct file_id *b);

/* Writes the folder that the file is in, or would be created in. For a link it is the folder of the link's target.
 * False: there is none. */
enum { FILE_FOLDER = 4096 };
bool file_folder(const char *path, char out[FILE_FOLDER]);

/* A file that is written next to its place and renamed when it is complete: until then the earlier file stays, and
 * nobody sees half of the new one. Some files are written directly: a path that is no regular file (a device, a FIFO),
 * a file with several names, and a file in a folder where no file can be created. */
struct file_new {
    int fd;
    char *to, *beside; /* owned; beside: NULL when written directly */
};
/* Opens the file. False with errno. */
bool file_begin(struct file_new *f, const char *path);
/* Closes the file. keep: the new file takes its place; otherwise it is removed. 0, or the errno value of the failure.
 */
int file_end(struct file_new *f, bool keep);
#endif
