/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/privileges.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
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

/* With file capabilities (setcap) the process has no other privilege than for the socket. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, none) == 0;
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
        if (!user && drop_capabilities())
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
