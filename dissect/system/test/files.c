/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/files.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 512 };

static char folder[PATH];

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/files.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder));
}

static void end(void)
{
    char command[PATH + 16];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}
TestSuite(files, .init = begin, .fini = end);

static const char *in(const char *name)
{
    static char path[4][PATH + 64];
    static unsigned next;
    char *to = path[next++ % 4];

    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void has(const char *path, const char *text)
{
    char is[64] = "";
    FILE *f = fopen(path, "r");

    cr_assert(f, "%s", path);
    const size_t n = fread(is, 1, sizeof is - 1, f);
    fclose(f);
    is[n] = '\0';
    cr_expect_str_eq(is, text);
}

static unsigned entries(void)
{
    char command[PATH + 32];
    unsigned n = 0;

    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *f = popen(command, "r");
    cr_assert(f && fscanf(f, "%u", &n) == 1);
    pclose(f);
    return n;
}

static bool same(const char *a, const char *b)
{
    const struct file_id x = file_id(a, STDOUT_FILENO), y = file_id(b, STDIN_FILENO);

    return file_same(&x, &y);
}

Test(files, one_file_of_several_names)
{
    put(in("a"), "");
    put(in("b"), "");
    cr_assert_eq(link(in("a"), in("hard")), 0);
    cr_assert_eq(symlink("a", in("soft")), 0);
    cr_expect(same(in("a"), in("a")));
    cr_expect(same(in("a"), in("hard")));
    cr_expect(same(in("soft"), in("./a")));
    cr_expect_not(same(in("a"), in("b")));
    cr_expect_not(same("/dev/null", "/dev/null")); /* several may write there */
}

Test(files, files_that_do_not_exist_yet)
{
    cr_expect(same(in("new"), in("./new")));
    cr_expect_not(same(in("new"), in("newer")));
    cr_expect_not(same(in("none/new"), in("none/new"))); /* without a folder neither can be made */
}

Test(files, the_standard_input)
{
    put(in("a"), "");
    const int was = dup(STDIN_FILENO), fd = open(in("a"), O_RDONLY);
    cr_assert(was >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    cr_expect(same(in("a"), "-"));
    cr_expect_not(same(in("b"), "-"));
    dup2(was, STDIN_FILENO);
}

Test(files, the_old_one_stays_until_the_new_one_is_complete)
{
    struct file_new f;
    struct stat st;

    put(in("page"), "old");
    cr_assert_eq(chmod(in("page"), 0640), 0);
    cr_assert(file_begin(&f, in("page")));
    cr_assert_eq(write(f.fd, "new", 3), 3);
    has(in("page"), "old");
    cr_expect_eq(file_end(&f, true), 0);
    has(in("page"), "new");
    cr_assert_eq(stat(in("page"), &st), 0);
    cr_expect_eq(st.st_mode & 07777, 0640);
    cr_assert(file_begin(&f, in("page")));
    cr_expect_eq(file_end(&f, false), 0);
    has(in("page"), "new");
    cr_expect_eq(entries(), 1);
}

Test(files, links_stay)
{
    struct file_new f;
    struct stat st;

    put(in("page"), "old");
    cr_assert_eq(symlink("page", in("soft")), 0);
    cr_assert(file_begin(&f, in("soft")));
    cr_assert_eq(write(f.fd, "new", 3), 3);
    cr_expect_eq(file_end(&f, true), 0);
    has(in("page"), "new");
    cr_assert_eq(lstat(in("soft"), &st), 0);
    cr_expect(S_ISLNK(st.st_mode));
    cr_assert_eq(link(in("page"), in("hard")), 0);
    cr_assert(file_begin(&f, in("hard")));
    cr_assert_eq(write(f.fd, "third", 5), 5);
    cr_expect_eq(file_end(&f, true), 0);
    has(in("page"), "third");
}

Test(files, devices_and_faults)
{
    struct file_new f;

    cr_assert(file_begin(&f, "/dev/null"));
    cr_expect_null(f.beside);
    cr_expect_eq(file_end(&f, true), 0);
    cr_expect_not(file_begin(&f, folder));
    cr_expect_not(file_begin(&f, in("none/page")));
}
