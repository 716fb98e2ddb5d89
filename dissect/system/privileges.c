/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/privileges.h"
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "system/capabilities.h"

#ifdef __APPLE__
typedef int group_of_initgroups;
#else
typedef gid_t group_of_initgroups;
#endif

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

/* Becomes this user. Must be called as root: then setgid() and setuid() set the real, the effective and the saved user.
 */
static bool become(const struct passwd *p)
{
    return initgroups(p->pw_name, (group_of_initgroups)p->pw_gid) == 0 && setgid(p->pw_gid) == 0 &&
           setuid(p->pw_uid) == 0 && setenv("HOME", p->pw_dir, 1) == 0 && setenv("USER", p->pw_name, 1) == 0 &&
           setenv("LOGNAME", p->pw_name, 1) == 0;
}

bool privileges_drop(const char *user, char as[PRIVILEGES_USER], char *err, size_t errlen)
{
    const struct passwd *p;

    if (geteuid() != 0) {
        if (!user && capabilities_drop(false))
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
    return setgroups(0, NULL) == 0 && setgid(st.st_gid) == 0 && setuid(st.st_uid) == 0;
}

void privileges_leave(enum privileges_keep keep, const char *folder)
{
    const struct passwd *p = NULL;
    char err[256];

    capabilities_bound();
    if (geteuid() == 0 && keep == PRIVILEGES_KEEP_FOLDER)
        (void)become_owner(folder);
    else if (geteuid() == 0 && keep == PRIVILEGES_KEEP_NONE && (p = choose(NULL, err, sizeof err)) != NULL)
        (void)become(p);
    (void)capabilities_drop(keep == PRIVILEGES_KEEP_FILES);
}
