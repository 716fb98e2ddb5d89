/* SPDX-License-Identifier: BSD-2-Clause */
/* New files in the place of old ones: their names, rights and owners, and what is left after a fault. Works in a folder
 * of its own, so that bare names are tried, too. */
#include "system/files.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512], back[512];

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/files.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(getcwd(back, sizeof back) && mkdtemp(folder) && chdir(folder) == 0);
    umask(022);
}

static void end(void)
{
    char command[sizeof folder + 16];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert(chdir(back) == 0 && system(command) == 0);
}
TestSuite(files_new, .init = begin, .fini = end);

static void put(const char *path, const char *text, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fchmod(fd, mode) == 0);
    cr_assert_eq(close(fd), 0);
}

static void has(const char *path, const char *text, mode_t mode)
{
    char is[64] = "";
    struct stat st;
    const int fd = open(path, O_RDONLY);

    cr_assert(fd >= 0 && fstat(fd, &st) == 0, "%s", path);
    cr_assert_geq(read(fd, is, sizeof is - 1), 0);
    close(fd);
    cr_expect_str_eq(is, text, "%s", path);
    cr_expect_eq(st.st_mode & 07777, mode, "%s: %o", path, (unsigned)st.st_mode);
}

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static bool closes_on_exec(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static void say(const struct file_new *f, const char *text)
{
    cr_assert_eq(write(f->fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void is_closed(const struct file_new *f)
{
    cr_expect(f->fd == -1 && !f->to && !f->beside);
}

/* A new file has the rights that the user's mask leaves, a file in the place of another those of the other. */
Test(files_new, rights)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0777, 06711, 01604};
    struct file_new f;

    for (unsigned mask = 0; mask < 0100; mask += 022) {
        umask(mask);
        cr_assert(file_begin(&f, "new"));
        cr_expect_not(exists("new"));
        cr_expect(closes_on_exec(f.fd));
        say(&f, "text");
        cr_expect_eq(file_end(&f, true), 0);
        has("new", "text", 0666 & ~mask);
        cr_assert_eq(unlink("new"), 0);
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        put("old", "a long text", modes[i]);
        cr_assert(file_begin(&f, "old"));
        cr_expect_str_eq(f.to, "old", "as it was given: another user might not get into each folder of a whole path");
        say(&f, "new");
        cr_expect_eq(file_end(&f, true), 0);
        has("old", "new", modes[i]);
        is_closed(&f);
        cr_expect_eq(file_end(&f, true), 0); /* nothing is left to do */
    }
}

Test(files_new, owners)
{
    static const struct {
        uid_t user;
        gid_t group;
    } rows[] = {{1, 2}, {0, 2}, {1, 0}, {0, 0}};
    struct file_new f;
    struct stat st;

    if (geteuid() != 0)
        return; /* only root can give files to others */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put("old", "old", 0600);
        cr_assert(chown("old", rows[i].user, rows[i].group) == 0 && chmod("old", 04750) == 0);
        cr_assert(file_begin(&f, "old"));
        cr_expect_eq(file_end(&f, true), 0);
        cr_assert_eq(stat("old", &st), 0);
        cr_expect(st.st_uid == rows[i].user && st.st_gid == rows[i].group, "row %zu", i);
        cr_expect_eq(st.st_mode & 07777, 04750); /* after the owner, since a change of owner takes rights away */
    }
}

/* "NAME.PROCESS-TRY": names that others took are left alone, and after a hundred of them the file is written directly.
 */
Test(files_new, names_that_are_taken)
{
    struct file_new f;
    char taken[64];

    for (unsigned n = 0; n < 100; n++) {
        snprintf(taken, sizeof taken, "page.%ld-%u", (long)getpid(), n);
        cr_assert(file_begin(&f, "page"));
        cr_expect_str_eq(f.to, "page");
        cr_assert_not_null(f.beside, "try %u", n);
        cr_expect_str_eq(f.beside, taken);
        cr_expect_eq(file_end(&f, false), 0);
        cr_expect_not(exists(taken) || exists("page"));
        if (n % 2)
            put(taken, "other", 0600);
        else
            cr_assert_eq(symlink("elsewhere", taken), 0);
    }
    umask(0);
    cr_assert(file_begin(&f, "page"));
    cr_expect_null(f.beside);
    cr_expect(exists("page") && closes_on_exec(f.fd));
    say(&f, "text");
    cr_expect_eq(file_end(&f, true), 0);
    has("page", "text", 0666);
    has(taken, "other", 0600);
    cr_expect_not(exists("elsewhere"));
}

/* A file with several names keeps them all, with its new and shorter text. */
Test(files_new, several_names)
{
    struct file_new f;

    put("old", "a long text", 0604);
    cr_assert_eq(link("old", "other"), 0);
    cr_assert(file_begin(&f, "other"));
    cr_expect(!f.beside && closes_on_exec(f.fd));
    say(&f, "new");
    cr_expect_eq(file_end(&f, true), 0);
    has("old", "new", 0604);
}

/* A link leads to a file in another folder, which is replaced there. The file replaces a link that leads nowhere.
 */
Test(files_new, links)
{
    struct file_new f;
    char *target;

    cr_assert(mkdir("far", 0700) == 0 && symlink("far/old", "link") == 0);
    put("far/old", "old", 0640);
    target = realpath("far/old", NULL);
    cr_assert(file_begin(&f, "link"));
    cr_expect_str_eq(f.to, target);
    cr_expect(strncmp(f.beside, target, strlen(target)) == 0 && f.beside[strlen(target)] == '.');
    say(&f, "new");
    cr_expect_eq(file_end(&f, true), 0);
    has("far/old", "new", 0640);
    free(target);
    cr_assert(symlink("nowhere", "lost") == 0 && file_begin(&f, "lost"));
    cr_expect_str_eq(f.to, "lost");
    say(&f, "found");
    cr_expect_eq(file_end(&f, true), 0);
    has("lost", "found", 0644);
}

/* The old file stays, nothing lies beside it, and the caller learns why. */
Test(files_new, faults_at_the_end)
{
    struct file_new f;

    put("old", "old", 0600);
    cr_assert(file_begin(&f, "old"));
    say(&f, "new");
    cr_assert_eq(close(f.fd), 0); /* so that closing fails */
    char *beside = strdup(f.beside);
    cr_expect_eq(file_end(&f, true), EBADF);
    has("old", "old", 0600);
    cr_expect_not(exists(beside));
    free(beside);
    is_closed(&f);
    cr_assert(file_begin(&f, "old"));
    beside = strdup(f.beside);
    cr_assert(unlink("old") == 0 && mkdir("old", 0700) == 0); /* so that no file can take the name */
    cr_expect_eq(file_end(&f, true), EISDIR);
    cr_expect_not(exists(beside));
    free(beside);
    is_closed(&f);
}

static void fail_at_the_start(void)
{
    static const struct {
        const char *path;
        int error;
    } rows[] = {{"none/page", ENOENT}, {"file/page", ENOTDIR}, {"dir", EISDIR}};
    struct file_new f;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        errno = 0;
        cr_expect_not(file_begin(&f, rows[i].path), "%s", rows[i].path);
        cr_expect_eq(errno, rows[i].error, "%s: %s", rows[i].path, strerror(errno));
        is_closed(&f);
        cr_expect_eq(file_end(&f, false), 0);
    }
    cr_assert(file_begin(&f, "new") && file_end(&f, true) == 0);
    cr_assert(file_begin(&f, "new") && file_end(&f, false) == 0);
}

/* All memory is given back. The C library may keep some from the first turn on. */
Test(files_new, faults_at_the_start)
{
    put("file", "", 0600);
    cr_assert_eq(mkdir("dir", 0700), 0);
    fail_at_the_start();
    const size_t before = mallinfo2().uordblks;
    fail_at_the_start();
    cr_expect_eq(mallinfo2().uordblks, before);
}

/* A file without the right to write stays although its folder can be written; a file that can be written in a folder
 * that cannot is written directly. Root may do anything, so another user tries. */
Test(files_new, files_and_folders_that_cannot_be_written)
{
    enum { NOBODY = 65534 };
    int status;

    put("closed", "old", 0444);
    cr_assert(mkdir("dir", 0777) == 0);
    put("dir/open", "a long text", 0666);
    cr_assert(chmod("dir", 0555) == 0 && chmod(".", 0777) == 0);
    if (geteuid() == 0)
        cr_assert(chown(".", NOBODY, NOBODY) == 0 && chown("closed", NOBODY, NOBODY) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct file_new f;
        if (geteuid() == 0 && setuid(NOBODY) != 0)
            _exit(1);
        errno = 0;
        if (file_begin(&f, "closed") || errno != EACCES || f.fd != -1 || f.to || f.beside)
            _exit(2);
        if (file_begin(&f, "dir/new") || errno != EACCES || f.fd != -1 || f.to)
            _exit(3);
        if (!file_begin(&f, "dir/open") || f.beside || write(f.fd, "new", 3) != 3 || file_end(&f, true) != 0)
            _exit(4);
        _exit(0);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    cr_expect_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
    has("closed", "old", 0444);
    has("dir/open", "new", 0666);
    cr_assert_eq(chmod("dir", 0700), 0);
}
