/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to kernels of each version of Landlock: the kernel's functions are replaced (ld --wrap). The numbers of
 * rights are those of linux/landlock.h; a kernel refuses requests with rights that it does not know. */
#include "system/confine.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "system/confine_calls.h"

enum {
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14
};

/* The kernel: what it has, and what it was asked. */
static struct {
    int version; /* of Landlock; 0: it has none */
    bool refuses_privileges, refuses_restriction, lacks_calls;
    int rules; /* descriptor */
    uint64_t handled, allowed;
    ino_t at; /* of the file or folder of the last rule */
    unsigned n_rules, n_restricted, n_calls, uses, no_new_privileges;
} kernel;

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list args;
    long a[4];

    va_start(args, number);
    for (size_t i = 0; i < 4; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    errno = ENOSYS;
    if (kernel.version == 0)
        return -1;
    if (number == SYS_landlock_create_ruleset && a[0] == 0)
        return a[1] == 0 && (unsigned)a[2] == LANDLOCK_CREATE_RULESET_VERSION ? kernel.version : -1;
    if (number == SYS_landlock_create_ruleset) {
        kernel.handled = ((const struct landlock_ruleset_attr *)a[0])->handled_access_fs;
        cr_expect(a[1] >= (long)sizeof kernel.handled && (unsigned)a[2] == 0);
        kernel.rules = open("/dev/null", O_RDONLY);
        return kernel.rules;
    }
    cr_expect_eq((int)a[0], kernel.rules);
    if (number == SYS_landlock_add_rule) {
        const struct landlock_path_beneath_attr *rule = (const struct landlock_path_beneath_attr *)a[2];
        struct stat st;
        cr_assert_eq(fstat(rule->parent_fd, &st), 0);
        cr_expect(fcntl(rule->parent_fd, F_GETFL) & O_PATH && fcntl(rule->parent_fd, F_GETFD) & FD_CLOEXEC);
        cr_expect((int)a[1] == LANDLOCK_RULE_PATH_BENEATH && (unsigned)a[3] == 0);
        kernel.allowed = rule->allowed_access;
        kernel.at = st.st_ino;
        kernel.n_rules++;
        return 0;
    }
    cr_expect(number == SYS_landlock_restrict_self && (unsigned)a[1] == 0);
    cr_expect_eq(kernel.no_new_privileges, 1, "first of all");
    kernel.n_restricted++;
    return kernel.refuses_restriction ? -1 : 0;
}

int __wrap_prctl(int option, ...);
int __wrap_prctl(int option, ...)
{
    va_list args;

    va_start(args, option);
    cr_expect(option == PR_SET_NO_NEW_PRIVS && va_arg(args, int) == 1);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(va_arg(args, int), 0, "the kernel wants zeros");
    va_end(args);
    kernel.no_new_privileges++;
    return kernel.refuses_privileges ? -1 : 0;
}

bool confine_has_calls(void)
{
    return !kernel.lacks_calls;
}

bool confine_calls(unsigned uses)
{
    kernel.n_calls++;
    kernel.uses = uses;
    return !kernel.lacks_calls;
}

static bool confined; /* false: builds with sanitizers are not confined, and nothing is tested */
static char folder[512], back[512];

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/confine.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(getcwd(back, sizeof back) && mkdtemp(folder) && chdir(folder) == 0);
    cr_assert(mkdir("dir", 0700) == 0 && symlink("dir/file", "link") == 0);
    const int fd = open("dir/file", O_WRONLY | O_CREAT, 0600);
    cr_assert(fd >= 0 && close(fd) == 0);
    confined = strncmp(confine_offer(), "none (built with", 16) != 0;
}

static void end(void)
{
    char command[sizeof folder + 16];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert(chdir(back) == 0 && system(command) == 0);
}
TestSuite(kernels, .init = begin, .fini = end);

static ino_t inode(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* All rights that each version knows: a right that is not handled is not refused. */
static const uint64_t rights_of_version[] = {0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff};
enum { VERSIONS = sizeof rights_of_version / sizeof *rights_of_version };

Test(kernels, each_version_refuses_all_that_it_knows)
{
    struct confine c;

    if (!confined)
        return;
    for (int version = 0; version < VERSIONS; version++) {
        kernel.version = version;
        kernel.handled = 0;
        kernel.rules = -1;
        confine_begin(&c);
        cr_expect_eq(c.rules, kernel.rules);
        cr_expect_eq(c.rules >= 0, version > 0);
        cr_expect_eq(kernel.handled, rights_of_version[version], "version %d", version);
        close(c.rules);
    }
}

Test(kernels, each_place_gets_its_rights)
{
    static const struct {
        unsigned may;
        uint64_t of_folder, of_file;
    } rows[] = {
        {CONFINE_READ, READ_FILE | READ_DIR, READ_FILE},
        {CONFINE_WRITE, WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR | REMOVE_FILE | REFER, WRITE_FILE | TRUNCATE},
        {CONFINE_RENAME, MAKE_REG | REMOVE_FILE, 0},
        {CONFINE_READ | CONFINE_RENAME, READ_FILE | READ_DIR | MAKE_REG | REMOVE_FILE, READ_FILE},
        {0, 0, 0}};
    struct confine c;

    if (!confined)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int version = 1; version < VERSIONS; version++)
            for (unsigned file = 0; file < 2; file++) {
                const char *path = file ? "dir/file" : "dir";
                const uint64_t want = (file ? rows[i].of_file : rows[i].of_folder) & rights_of_version[version];
                memset(&kernel, 0, sizeof kernel);
                kernel.version = version;
                confine_begin(&c);
                const int next = dup(c.rules);
                close(next);
                confine_allow(&c, path, rows[i].may);
                cr_expect_eq(kernel.allowed, want, "row %zu, version %d, %s: %llx", i, version, path,
                             (unsigned long long)kernel.allowed);
                cr_expect_eq(kernel.n_rules, want != 0, "row %zu, version %d, %s", i, version, path);
                cr_expect(want == 0 || kernel.at == inode(path));
                cr_expect_lt(fcntl(next, F_GETFD), 0, "the place is closed again");
                close(c.rules);
            }
}

Test(kernels, places_that_do_not_exist_and_kernels_without_rules)
{
    struct confine c;

    if (!confined)
        return;
    kernel.version = 3;
    confine_begin(&c);
    confine_allow(&c, "none", CONFINE_READ);
    cr_expect_eq(kernel.n_rules, 0);
    close(c.rules);
    c.rules = -1;
    confine_allow(&c, "dir", CONFINE_READ);
    confine_allow_folder_of(&c, "dir/file", CONFINE_READ);
    cr_expect_eq(kernel.n_rules, 0);
}

Test(kernels, the_folder_of_a_file)
{
    static const char *const rows[][2] = {{"dir/file", "dir"}, {"link", "dir"}, {"new", "."}, {"dir/new", "dir"}};
    struct confine c;

    if (!confined)
        return;
    kernel.version = 3;
    confine_begin(&c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel.at = 0;
        confine_allow_folder_of(&c, rows[i][0], CONFINE_READ);
        cr_expect_eq(kernel.at, inode(rows[i][1]), "%s", rows[i][0]);
        cr_expect_eq(kernel.allowed, READ_FILE | READ_DIR);
    }
    cr_expect_eq(kernel.n_rules, sizeof rows / sizeof *rows);
    close(c.rules);
}

/* Either confinement may be missing. The kernel is asked in a fixed order. */
Test(kernels, each_end)
{
    static const struct {
        int version;
        bool refuses_privileges, refuses_restriction, lacks_calls;
        unsigned got;
        const char *offer; /* its first words */
    } rows[] = {{3, false, false, false, CONFINE_GOT_FILES | CONFINE_GOT_CALLS, "seccomp, Landlock"},
                {1, false, false, true, CONFINE_GOT_FILES, "Landlock (not seccomp: "},
                {0, false, false, false, CONFINE_GOT_CALLS, "seccomp (this kernel has no Landlock)"},
                {0, false, false, true, 0, "none (neither "},
                {3, false, true, false, CONFINE_GOT_CALLS, "seccomp, Landlock"},
                {3, true, false, false, 0, "seccomp, Landlock"}};

    if (!confined)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct confine c;
        memset(&kernel, 0, sizeof kernel);
        kernel.version = rows[i].version;
        kernel.refuses_privileges = rows[i].refuses_privileges;
        kernel.refuses_restriction = rows[i].refuses_restriction;
        kernel.lacks_calls = rows[i].lacks_calls;
        cr_expect_eq(strncmp(confine_offer(), rows[i].offer, strlen(rows[i].offer)), 0, "%s", confine_offer());
        confine_begin(&c);
        cr_expect_eq(confine_end(&c, CONFINE_NAMES | CONFINE_THREADS), rows[i].got, "row %zu", i);
        cr_expect_eq(kernel.n_restricted, rows[i].version > 0 && !rows[i].refuses_privileges, "row %zu", i);
        cr_expect_eq(kernel.n_calls, !rows[i].refuses_privileges, "row %zu", i);
        if (kernel.n_calls)
            cr_expect_eq(kernel.uses, CONFINE_NAMES | CONFINE_THREADS);
        if (!rows[i].refuses_privileges) {
            cr_expect_eq(c.rules, -1);
            cr_expect(rows[i].version == 0 || fcntl(kernel.rules, F_GETFD) < 0, "the rules are closed");
        }
    }
}
