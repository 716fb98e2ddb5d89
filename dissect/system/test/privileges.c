/* SPDX-License-Identifier: BSD-2-Clause */
/* Which user a program becomes, and in which order it gives things up. The functions of the system are replaced (ld
 * --wrap), so that no test needs root: what is asked of them is written down. */
#include "system/privileges.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "system/capabilities.h"

static const struct passwd users[] = {
    {.pw_name = (char *)"root", .pw_uid = 0, .pw_gid = 0, .pw_dir = (char *)"/"},
    {.pw_name = (char *)"ann", .pw_uid = 7, .pw_gid = 70, .pw_dir = (char *)"/ann"},
    {.pw_name = (char *)"nobody", .pw_uid = 65534, .pw_gid = 65533, .pw_dir = (char *)"/none"}};
enum { USERS = sizeof users / sizeof *users };

/* The system */
static struct {
    uid_t me, here, there; /* who runs the program; owners of the working directory and of other folders */
    bool no_folder, no_nobody, keeps_capabilities, stays_root;
    const char *fails; /* the function that fails */
    char log[512];
} host;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    const size_t n = strlen(host.log);
    va_list args;

    va_start(args, format);
    vsnprintf(host.log + n, sizeof host.log - n, format, args);
    va_end(args);
}

static int done(const char *function)
{
    errno = EAGAIN;
    return host.fails && strcmp(host.fails, function) == 0 ? -1 : 0;
}

uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void)
{
    return host.me;
}
struct passwd *__wrap_getpwnam(const char *name);
struct passwd *__wrap_getpwnam(const char *name)
{
    for (size_t i = 0; i < USERS; i++)
        if (strcmp(users[i].pw_name, name) == 0 && !(host.no_nobody && i == USERS - 1))
            return (struct passwd *)&users[i];
    return NULL;
}
struct passwd *__wrap_getpwuid(uid_t uid);
struct passwd *__wrap_getpwuid(uid_t uid)
{
    for (size_t i = 0; i < USERS; i++)
        if (users[i].pw_uid == uid)
            return (struct passwd *)&users[i];
    return NULL;
}
int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
    if (host.no_folder)
        return -1;
    *st = (struct stat){.st_uid = strcmp(path, ".") == 0 ? host.here : host.there, .st_gid = 90};
    return 0;
}
int __wrap_initgroups(const char *user, gid_t group);
int __wrap_initgroups(const char *user, gid_t group)
{
    note("initgroups(%s, %u) ", user, group);
    return done("initgroups");
}
int __wrap_setgroups(size_t n, const gid_t *list);
int __wrap_setgroups(size_t n, const gid_t *list)
{
    note("setgroups(%zu%s) ", n, list ? ", list" : "");
    return done("setgroups");
}
int __wrap_setgid(gid_t gid);
int __wrap_setgid(gid_t gid)
{
    note("setgid(%u) ", gid);
    return done("setgid");
}
int __wrap_setuid(uid_t uid);
int __wrap_setuid(uid_t uid)
{
    note("setuid(%u) ", uid);
    if (host.me != 0 || done("setuid") != 0)
        return host.stays_root && uid == 0 ? 0 : -1;
    host.me = uid;
    return 0;
}
int __wrap_setenv(const char *name, const char *value, int overwrite);
int __wrap_setenv(const char *name, const char *value, int overwrite)
{
    note("%s=%s%s ", name, value, overwrite ? "" : "?");
    return done(name);
}
bool capabilities_drop(bool keep_files)
{
    note("drop(%s) ", keep_files ? "but files" : "all");
    return !host.keeps_capabilities;
}
void capabilities_bound(void)
{
    note("bound ");
}

#define ANN "initgroups(ann, 70) setgid(70) setuid(7) HOME=/ann USER=ann LOGNAME=ann "
#define NOBODY "initgroups(nobody, 65533) setgid(65533) setuid(65534) HOME=/none USER=nobody LOGNAME=nobody "

static const struct {
    uid_t me, here;
    const char *user, *fails;
    bool no_folder, no_nobody, keeps_capabilities, stays_root;
    bool good;
    const char *as, *err, *log; /* err, log: how they begin */
} drops[] = {
    {.here = 7, .good = true, .as = "ann", .log = ANN "setuid(0) "},
    {.here = 7, .user = "nobody", .good = true, .as = "nobody", .log = NOBODY "setuid(0) "},
    {.here = 0, .good = true, .as = "nobody", .log = NOBODY "setuid(0) "},
    {.here = 99, .good = true, .as = "nobody", .log = NOBODY "setuid(0) "},
    {.here = 7, .no_folder = true, .good = true, .as = "nobody", .log = NOBODY "setuid(0) "},
    {.user = "root", .good = true, .as = "", .log = ""},
    {.user = "eve", .err = "--user eve: there is no such user", .log = ""},
    {.here = 7, .user = "eve", .err = "--user eve: there is no such user", .log = ""},
    {.no_nobody = true, .err = "--user nobody: there is no such user", .log = ""},
    {.user = "ann", .stays_root = true, .err = "cannot become user ann: ", .log = ANN "setuid(0) "},
    {.user = "ann",
     .fails = "initgroups",
     .err = "cannot become user ann: Resource temporarily unavailable",
     .log = "initgroups(ann, 70) "},
    {.user = "ann", .fails = "setgid", .err = "cannot become user ann: ", .log = "initgroups(ann, 70) setgid(70) "},
    {.user = "ann",
     .fails = "setuid",
     .err = "cannot become user ann: ",
     .log = "initgroups(ann, 70) setgid(70) setuid(7) "},
    {.user = "ann",
     .fails = "HOME",
     .err = "cannot become user ann: ",
     .log = "initgroups(ann, 70) setgid(70) setuid(7) HOME=/ann "},
    {.user = "ann",
     .fails = "USER",
     .err = "cannot become user ann: ",
     .log = "initgroups(ann, 70) setgid(70) setuid(7) HOME=/ann USER=ann "},
    {.user = "ann", .fails = "LOGNAME", .err = "cannot become user ann: ", .log = ANN},
    {.me = 7, .good = true, .as = "", .log = "drop(all) "},
    {.me = 7, .keeps_capabilities = true, .err = "cannot give up capabilities", .log = "drop(all) "},
    {.me = 7, .user = "nobody", .err = "--user nobody: only root can become someone else", .log = ""},
};

Test(privileges, a_program_becomes_another_user)
{
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        char as[PRIVILEGES_USER] = "", err[256] = "";
        memset(&host, 0, sizeof host);
        host.me = drops[i].me;
        host.here = drops[i].here;
        host.fails = drops[i].fails;
        host.no_folder = drops[i].no_folder;
        host.no_nobody = drops[i].no_nobody;
        host.keeps_capabilities = drops[i].keeps_capabilities;
        host.stays_root = drops[i].stays_root;
        const bool good = privileges_drop(drops[i].user, as, err, sizeof err);
        cr_expect_eq(good, drops[i].good, "row %zu", i);
        if (good)
            cr_expect_str_eq(as, drops[i].as, "row %zu", i);
        cr_expect_str_eq(host.log, drops[i].log, "row %zu: %s", i, host.log);
        const char *begins = drops[i].err ? drops[i].err : "";
        cr_expect_eq(strncmp(err, begins, strlen(begins)), 0, "row %zu: %s", i, err);
        cr_expect_eq(err[0] == '\0', good, "row %zu: %s", i, err);
    }
}

Test(privileges, what_a_program_leaves)
{
    static const struct {
        uid_t me, here, there;
        enum privileges_keep keep;
        const char *fails;
        bool no_folder, no_nobody;
        const char *log;
    } rows[] = {
        {0, 7, 0, PRIVILEGES_KEEP_NONE, NULL, false, false, "bound " ANN "drop(all) "},
        {0, 0, 7, PRIVILEGES_KEEP_NONE, NULL, false, false, "bound " NOBODY "drop(all) "},
        {0, 0, 7, PRIVILEGES_KEEP_NONE, NULL, false, true, "bound drop(all) "},
        {0, 0, 7, PRIVILEGES_KEEP_FILES, NULL, false, false, "bound drop(but files) "},
        {0, 0, 7, PRIVILEGES_KEEP_FOLDER, NULL, false, false, "bound " ANN "drop(all) "},
        {0, 7, 0, PRIVILEGES_KEEP_FOLDER, NULL, false, false, "bound setgroups(0) setgid(90) setuid(0) drop(all) "},
        {0, 7, 99, PRIVILEGES_KEEP_FOLDER, NULL, false, false, "bound setgroups(0) setgid(90) setuid(99) drop(all) "},
        {0, 7, 99, PRIVILEGES_KEEP_FOLDER, "setgroups", false, false, "bound setgroups(0) drop(all) "},
        {0, 7, 99, PRIVILEGES_KEEP_FOLDER, "setgid", false, false, "bound setgroups(0) setgid(90) drop(all) "},
        {0, 7, 99, PRIVILEGES_KEEP_FOLDER, NULL, true, false, "bound drop(all) "},
        {5, 7, 7, PRIVILEGES_KEEP_NONE, NULL, false, false, "bound drop(all) "},
        {5, 7, 7, PRIVILEGES_KEEP_FOLDER, NULL, false, false, "bound drop(all) "},
        {5, 7, 7, PRIVILEGES_KEEP_FILES, NULL, false, false, "bound drop(but files) "},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(&host, 0, sizeof host);
        host.me = rows[i].me;
        host.here = rows[i].here;
        host.there = rows[i].there;
        host.fails = rows[i].fails;
        host.no_folder = rows[i].no_folder;
        host.no_nobody = rows[i].no_nobody;
        privileges_leave(rows[i].keep, "folder");
        cr_expect_str_eq(host.log, rows[i].log, "row %zu: %s", i, host.log);
    }
}
