/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which file ---- */

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The path of a file's folder, "." for a bare name. False: it is too long. */
static bool folder_of(const char *path, char out[FILE_FOLDER])
{
    const size_t n = (size_t)(last_name(path) - path);

    if (n >= FILE_FOLDER)
        return false;
    memcpy(out, n ? path : ".", n ? n : 2);
    if (n)
        out[n] = '\0';
    return true;
}

struct file_id file_id(const char *path, int standard)
{
    struct file_id id = {0};
    char folder[FILE_FOLDER];
    struct stat st;

    if (strcmp(path, "-") == 0 ? fstat(standard, &st) == 0 : stat(path, &st) == 0) {
        id.known = S_ISREG(st.st_mode);
    } else if (errno == ENOENT && strlen(last_name(path)) < sizeof id.name && folder_of(path, folder) &&
               stat(folder, &st) == 0) {
        id.known = true;
        memcpy(id.name, last_name(path), strlen(last_name(path)));
    }
    if (id.known) {
        id.device = (uint64_t)st.st_dev;
        id.inode = st.st_ino;
    }
    return id;
}

bool file_same(const struct file_id *a, const struct file_id *b)
{
    return a->known && b->known && a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0;
}

bool file_folder(const char *path, char out[FILE_FOLDER])
{
    char *real = realpath(path, NULL); /* NULL: the file does not exist yet */
    const bool fits = folder_of(real ? real : path, out);

    free(real);
    return fits;
}

/* ---- complete files ---- */

/* The target of a link, since the link itself must stay. */
static char *real_place(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : strdup(path);
}

static int open_directly(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

/* Gives a new file the rights of the file that it replaces. */
static void same_rights(int fd, const struct stat *was)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && (st.st_uid != was->st_uid || st.st_gid != was->st_gid) &&
        fchown(fd, was->st_uid, was->st_gid) != 0)
        errno = 0;
    (void)fchmod(fd, was->st_mode & 07777);
}

/* Opens a new file with a name that no other process uses: the number of this process, and the number of the try. */
static bool open_beside(struct file_new *f, const char *place)
{
    enum { TRIES = 100 };
    const size_t room = strlen(place) + 32;
    char *beside = malloc(room);

    f->fd = -1;
    errno = beside ? EEXIST : ENOMEM;
    for (unsigned i = 0; beside && i < TRIES && f->fd == -1 && errno == EEXIST; i++) {
        (void)snprintf(beside, room, "%s.%ld-%u", place, (long)getpid(), i);
        f->fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    }
    f->beside = beside;
    if (f->fd != -1)
        return true;
    const int error = errno;
    free(f->beside);
    f->beside = NULL;
    errno = error;
    return false;
}

static bool fail(struct file_new *f)
{
    const int error = errno;

    free(f->to);
    *f = (struct file_new){.fd = -1};
    errno = error;
    return false;
}

bool file_begin(struct file_new *f, const char *path)
{
    struct stat st;

    *f = (struct file_new){.fd = -1};
    const bool there = stat(path, &st) == 0;
    f->to = real_place(path);
    if (!f->to) /* the target of the link does not exist */
        f->to = strdup(path);
    if (!f->to || (there && S_ISREG(st.st_mode) && access(f->to, W_OK) != 0))
        return fail(f);
    if ((!there || (S_ISREG(st.st_mode) && st.st_nlink == 1)) && open_beside(f, f->to)) {
        if (there)
            same_rights(f->fd, &st);
        return true;
    }
    f->fd = open_directly(path);
    return f->fd != -1 || fail(f);
}

int file_end(struct file_new *f, bool keep)
{
    int error = 0;

    if (f->fd != -1 && close(f->fd) != 0)
        error = errno;
    if (f->beside && keep && error == 0 && rename(f->beside, f->to) != 0)
        error = errno;
    if (f->beside && (!keep || error != 0))
        (void)unlink(f->beside);
    free(f->beside);
    free(f->to);
    *f = (struct file_new){.fd = -1};
    return error;
}
