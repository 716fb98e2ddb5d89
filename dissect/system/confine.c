/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/confine.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "system/confine_calls.h"
#include "system/files.h"

/* Sanitizers and coverage read /proc, start threads and write files at the end, so such builds cannot run confined. */
#ifndef SYSTEM_INSTRUMENTED
#define SYSTEM_INSTRUMENTED 0
#endif

/* Rights that headers of Linux 6.1 do not have. */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)  /* since version 3 of Landlock */
#define RIGHT_IOCTL_DEV (UINT64_C(1) << 15) /* 5 */

enum { REFER = 2, TRUNCATE = 3, IOCTL_DEV = 5 }; /* versions of Landlock */

/* The version of Landlock; 0: the kernel has none. */
static int landlock(void)
{
    const long v =
        SYSTEM_INSTRUMENTED ? 0 : syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    return v < 0 ? 0 : (int)v;
}

/* All rights that this version of Landlock knows. Rights that no rule allows are refused. */
static uint64_t all_rights(int version)
{
    const uint64_t first = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

    return first | (version >= REFER ? LANDLOCK_ACCESS_FS_REFER : 0) | (version >= TRUNCATE ? RIGHT_TRUNCATE : 0) |
           (version >= IOCTL_DEV ? RIGHT_IOCTL_DEV : 0);
}

static uint64_t rights_of(unsigned may)
{
    const uint64_t rename = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;
    uint64_t rights = 0;

    if (may & CONFINE_READ)
        rights |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    if (may & CONFINE_WRITE)
        rights |= rename | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REFER |
                  RIGHT_TRUNCATE;
    if (may & CONFINE_RENAME)
        rights |= rename;
    return rights;
}

void confine_begin(struct confine *c)
{
    const int version = landlock();
    const struct landlock_ruleset_attr all = {.handled_access_fs = all_rights(version)};

    c->rules = version ? (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0) : -1;
}

void confine_allow(struct confine *c, const char *path, unsigned may)
{
    const uint64_t of_files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights_of(may) & all_rights(landlock())};
    struct stat st;

    if (c->rules == -1)
        return;
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd == -1)
        return;
    if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.allowed_access &= of_files;
    if (rule.allowed_access)
        (void)syscall(SYS_landlock_add_rule, c->rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    (void)close(rule.parent_fd);
}

void confine_allow_folder_of(struct confine *c, const char *path, unsigned may)
{
    char folder[FILE_FOLDER];

    if (file_folder(path, folder))
        confine_allow(c, folder, may);
}

unsigned confine_end(struct confine *c, unsigned uses)
{
    unsigned got = 0;

    if (SYSTEM_INSTRUMENTED || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return got;
    if (c->rules != -1 && syscall(SYS_landlock_restrict_self, c->rules, 0) == 0)
        got |= CONFINE_GOT_FILES;
    if (c->rules != -1)
        (void)close(c->rules);
    c->rules = -1;
    if (confine_calls(uses))
        got |= CONFINE_GOT_CALLS;
    return got;
}

const char *confine_offer(void)
{
    static const char *const offers[2][2] = {
        {"none (neither this build and kernel have seccomp, nor the kernel Landlock)",
         "seccomp (this kernel has no Landlock)"},
        {"Landlock (not seccomp: it needs libseccomp and the kernel's filters)", "seccomp, Landlock"}};

    return SYSTEM_INSTRUMENTED ? "none (built with sanitizers or coverage)"
                               : offers[landlock() > 0][confine_has_calls()];
}
