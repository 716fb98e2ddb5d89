/* SPDX-License-Identifier: BSD-2-Clause */
/* On systems without capabilities, Landlock and seccomp the programs still run, and report that nothing confines
 * them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "system/confine.h"
#include "system/privileges.h"

Test(elsewhere, unconfined)
{
    struct confine c = {.rules = 7};

    confine_begin(&c);
    cr_assert_eq(c.rules, -1);
    confine_allow(&c, "/", CONFINE_READ);
    confine_allow_folder_of(&c, "file", CONFINE_WRITE);
    cr_assert_eq(confine_end(&c, CONFINE_FILES), 0, "it has no means");
    cr_assert(strncmp(confine_offer(), "none", 4) == 0, "%s", confine_offer());
}

Test(elsewhere, privileges)
{
    char as[PRIVILEGES_USER] = "", err[256] = "";

    privileges_leave(PRIVILEGES_KEEP_NONE, NULL); /* root becomes nobody, or the owner of this folder */
    cr_assert(geteuid() == 0 || privileges_drop(NULL, as, err, sizeof err), "%s", err);
    cr_assert_str_empty(as);
    cr_assert(geteuid() == 0 || !privileges_drop("daemon", as, err, sizeof err), "only root becomes another");
}
