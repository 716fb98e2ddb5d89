/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file a path names, and in which folder it is. Works in a folder of its own, so that bare names are tried, too.
 */
#include "system/files.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512], back[512];

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/files.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(getcwd(back, sizeof back) && mkdtemp(folder) && chdir(folder) == 0);
    cr_assert(mkdir("dir", 0700) == 0 && symlink("dir/file", "link") == 0 && symlink("dir", "way") == 0);
    const int fd = open("dir/file", O_WRONLY | O_CREAT, 0600);
    cr_assert(fd >= 0 && close(fd) == 0);
}

static void end(void)
{
    char command[sizeof folder + 16];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert(chdir(back) == 0 && system(command) == 0);
}
TestSuite(files_names, .init = begin, .fini = end);

static const char *long_name(size_t n)
{
    static char path[300];

    memset(path, 'n', n);
    path[n] = '\0';
    return path;
}

/* `at`: the file whose device and inode identify the path; NULL: the path names neither a file nor a new one. */
Test(files_names, each_path_is_identified)
{
    const struct {
        const char *path, *at, *name;
    } rows[] = {{"dir/file", "dir/file", ""},
                {"./way/../link", "dir/file", ""},
                {"new", ".", "new"},
                {"./new", ".", "new"},
                {"dir/new", "dir", "new"},
                {"way//new", "dir", "new"},
                {"/new-in-the-root", "/", "new-in-the-root"},
                {"dir", NULL, ""},
                {"/dev/null", NULL, ""},
                {"none/new", NULL, ""},
                {"dir/file/new", NULL, ""},
                {"-new", ".", "-new"}};
    struct stat st;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct file_id id = file_id(rows[i].path, STDIN_FILENO);
        cr_expect_eq(id.known, rows[i].at != NULL, "%s", rows[i].path);
        cr_expect_str_eq(id.name, rows[i].name, "%s", rows[i].path);
        if (!rows[i].at)
            continue;
        cr_assert_eq(stat(rows[i].at, &st), 0);
        cr_expect(id.device == (uint64_t)st.st_dev && id.inode == st.st_ino, "%s", rows[i].path);
    }
    const char *const longest = long_name(255);
    struct file_id id = file_id(longest, STDIN_FILENO);
    cr_expect(id.known);
    cr_expect_str_eq(id.name, longest);
    id = file_id(long_name(256), STDIN_FILENO);
    cr_expect_not(id.known);
}

/* "-" is the descriptor: a file there is that file, whatever its name was. A pipe, or none, is no file. */
Test(files_names, each_descriptor_is_identified)
{
    int end[2];
    const int fd = open("dir/file", O_RDONLY);
    const struct file_id file = file_id("link", STDIN_FILENO), is = file_id("-", fd);

    cr_expect(is.known && file_same(&is, &file));
    cr_expect_str_eq(is.name, "");
    cr_assert_eq(pipe(end), 0);
    cr_expect_not(file_id("-", end[0]).known);
    close(fd);
    close(end[0]);
    close(end[1]);
    cr_expect_not(file_id("-", fd).known);
}

Test(files_names, the_same_in_each_respect)
{
    static const struct {
        struct file_id a, b;
        bool same;
    } rows[] = {{{1, 2, "x", true}, {1, 2, "x", true}, true},   {{1, 2, "", true}, {1, 2, "", true}, true},
                {{1, 2, "x", true}, {1, 2, "xy", true}, false}, {{1, 2, "x", true}, {3, 2, "x", true}, false},
                {{1, 2, "x", true}, {1, 3, "x", true}, false},  {{1, 2, "x", false}, {1, 2, "x", true}, false},
                {{1, 2, "x", true}, {1, 2, "x", false}, false}, {{1, 2, "x", false}, {1, 2, "x", false}, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(file_same(&rows[i].a, &rows[i].b), rows[i].same, "row %zu", i);
}

/* `as`: a path of the same folder. */
Test(files_names, each_folder_is_found)
{
    static const char *const rows[][2] = {{"new", "."},        {"./new", "."},      {"dir/new", "dir"},
                                          {"way/new", "dir"},  {"dir/file", "dir"}, {"link", "dir"},
                                          {"/new", "/"},       {"none/new", NULL},  {"way/file", "dir"},
                                          {"dir/../new", "."}, {"dir", "."}};
    char out[FILE_FOLDER];
    struct stat is, want;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(out, 'x', sizeof out);
        cr_assert(file_folder(rows[i][0], out), "%s", rows[i][0]);
        if (!rows[i][1]) {
            cr_expect_str_eq(out, "none/");
            continue;
        }
        cr_assert(stat(out, &is) == 0 && stat(rows[i][1], &want) == 0, "%s: %s", rows[i][0], out);
        cr_expect(is.st_ino == want.st_ino && is.st_dev == want.st_dev, "%s: %s", rows[i][0], out);
    }
}

/* The longest folder has FILE_FOLDER - 1 bytes. */
Test(files_names, a_folder_that_is_too_long)
{
    static char path[FILE_FOLDER + 8];
    char out[FILE_FOLDER];

    memset(path, 'd', sizeof path - 1);
    path[FILE_FOLDER - 2] = '/';
    cr_assert(file_folder(path, out));
    cr_expect(strlen(out) == FILE_FOLDER - 1 && out[FILE_FOLDER - 2] == '/' && out[0] == 'd');
    path[FILE_FOLDER - 2] = 'd';
    path[FILE_FOLDER - 1] = '/';
    cr_expect_not(file_folder(path, out));
}
