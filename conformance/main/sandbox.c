/* SPDX-License-Identifier: BSD-2-Clause */
#include "sandbox.h"
#include <stdio.h>
#include <string.h>
#include "system/confine.h"
#include "system/privileges.h"

static void allow_report(struct confine *c, const char *path)
{
    if (!path || strcmp(path, "-") == 0)
        return;
    /* a device such as /dev/null, or a file with several names */
    confine_allow(c, path, CONFINE_READ | CONFINE_WRITE);
    confine_allow_folder_of(c, path, CONFINE_READ | CONFINE_WRITE);
}

/* The socket of a unix wire is removed at the end. */
static void allow_wires(struct confine *c, const struct live_dut *l)
{
    for (unsigned n = 0; n < l->n; n++)
        for (size_t i = 0; i < IBC_DEVICES; i++) {
            const struct ibc_wire *w = l->lane[n].live.wire[i];
            if (w && strncmp(w->spec, "unix:", strlen("unix:")) == 0)
                confine_allow_folder_of(c, w->own, CONFINE_RENAME);
        }
}

void sandbox_enter(const struct dut *d, const struct options *o, const struct ibc_suite *suite)
{
    struct confine c;

    if (!d->live)
        return;
    if (o->no_sandbox) {
        (void)fputs("ibconform: --no-sandbox: the device's answers are read with all rights of this user\n", stderr);
        return;
    }
    (void)live_host_open();
    confine_begin(&c);
    if (o->waivers)
        confine_allow(&c, o->waivers, CONFINE_READ);
    for (size_t i = 0; suite && i < suite->n; i++)
        confine_allow(&c, suite->s[i]->path, CONFINE_READ);
    allow_report(&c, o->junit);
    allow_report(&c, o->json_file);
    allow_report(&c, o->html);
    if (o->evidence)
        confine_allow(&c, o->evidence, CONFINE_READ | CONFINE_WRITE);
    allow_wires(&c, d->live);
    confine_allow(&c, "/sys/class", CONFINE_READ); /* to find other RDMA devices on the port */
    confine_allow(&c, "/sys/devices", CONFINE_READ);
    (void)confine_end(&c, CONFINE_TALK | CONFINE_FILES | CONFINE_CHILDREN);
}

void sandbox_enter_check(void)
{
    struct confine c;

    privileges_leave(PRIVILEGES_KEEP_NONE, NULL);
    confine_begin(&c);
    (void)confine_end(&c, 0);
}

void sandbox_without_check(void)
{
    (void)fputs("ibconform: --no-sandbox: packets are parsed with all rights of this user\n", stderr);
}
