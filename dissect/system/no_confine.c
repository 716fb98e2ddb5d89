/* SPDX-License-Identifier: BSD-2-Clause */
/* Systems other than Linux: the programs run unconfined, and --version says so. */
#include "system/confine.h"

void confine_begin(struct confine *c)
{
    c->rules = -1;
}

void confine_allow(struct confine *c, const char *path, unsigned may)
{
    (void)c;
    (void)path;
    (void)may;
}

void confine_allow_folder_of(struct confine *c, const char *path, unsigned may)
{
    confine_allow(c, path, may);
}

unsigned confine_end(struct confine *c, unsigned uses)
{
    (void)c;
    (void)uses;
    return 0;
}

const char *confine_offer(void)
{
    return "none (only Linux has seccomp and Landlock)";
}
