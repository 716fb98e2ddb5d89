/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/privileges.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct passwd *choose(const char *user, char *err, size_t errlen)
{
    const struct passwd *p = NULL;
    struct stat here;

    if (user)
        p = getpwnam(user);
    else if (stat(".", &here) == 0 && here.st_uid != 0)
        p = getpwuid(here.st_uid);
    if (!p && !user)
        p = getpwnam("nobody");
    if (!p)
        snprintf(err, errlen, "--user %s: there is no such user", user ? user : "nobody");
    return p;
}

/* With file capabilities (setcap) the process has no other privilege than for the socket. `but`: a mask of those that
 * stay. */
static bool drop_capabilities(uint32_t but)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct is[_LINUX_CAPABILITY_U32S_3] = {{0}};

    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (but && syscall(SYS_capget, &head, is) != 0)
        but = 0;
    is[0].permitted &= but;
    is[0].effective &= but;
    is[0].inheritable = is[1].permitted = is[1].effective = is[1].inheritable = 0;
    return syscall(SYS_capset, &head, is) == 0;
}

/* Root would have its capabilities again by execve(). Call it before the process changes its user. */
static void drop_bounds(void)
{
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        (void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

static bool become(const struct passwd *p)
{
    return initgroups(p->pw_name, p->pw_gid) == 0 && setresgid(p->pw_gid, p->pw_gid, p->pw_gid) == 0 &&
           setresuid(p->pw_uid, p->pw_uid, p->pw_uid) == 0 && setenv("HOME", p->pw_dir, 1) == 0 &&
           setenv("USER", p->pw_name, 1) == 0 && setenv("LOGNAME", p->pw_name, 1) == 0;
}

bool privileges_drop(const char *user, char as[PRIVILEGES_USER], char *err, size_t errlen)
{
    const struct passwd *p;

    if (geteuid() != 0) {
        if (!user && drop_capabilities(0))
            return true;
        snprintf(err, errlen, user ? "--user %s: only root can become someone else" : "cannot give up capabilities",
                 user);
        return false;
    }
    p = choose(user, err, errlen);
    if (!p)
        return false;
    if (p->pw_uid == 0) /* the user asked for root by name */
        return true;
    snprintf(as, PRIVILEGES_USER, "%s", p->pw_name);
    if (become(p) && setuid(0) != 0)
        return true;
    snprintf(err, errlen, "cannot become user %s: %s", p->pw_name, strerror(errno));
    return false;
}

static bool become_owner(const char *folder)
{
    struct stat st;

    if (stat(folder, &st) != 0)
        return false;
    const struct passwd *p = getpwuid(st.st_uid);
    if (p && p->pw_uid != 0)
        return become(p);
    return setgroups(0, NULL) == 0 && setresgid(st.st_gid, st.st_gid, st.st_gid) == 0 &&
           setresuid(st.st_uid, st.st_uid, st.st_uid) == 0;
}

void privileges_leave(enum privileges_keep keep, const char *folder)
{
    const struct passwd *p = NULL;
    char err[256];

    drop_bounds();
    if (geteuid() == 0 && keep == PRIVILEGES_KEEP_FOLDER)
        (void)become_owner(folder);
    else if (geteuid() == 0 && keep == PRIVILEGES_KEEP_NONE && (p = choose(NULL, err, sizeof err)) != NULL)
        (void)become(p);
    (void)drop_capabilities(keep == PRIVILEGES_KEEP_FILES ? UINT32_C(1) << CAP_DAC_OVERRIDE : 0);
}
