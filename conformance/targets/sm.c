/* SPDX-License-Identifier: BSD-2-Clause */
#include "sm.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "sm_inside.h"

static const char plain[] = "sm:", spoiled[] = "spoiled:", own[] = "umad:";

/* ---- the target ---- */

static enum ibc_rc reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    struct sm *s = sm_of(t);

    (void)link;
    (void)seed;
    sm_stop_all(s);
    sm_subnet_close(s);
    s->begun = 0;
    s->begun = sm_now(t);
    return IBC_OK;
}

static uint64_t capabilities(struct ibc_target *t)
{
    (void)t;
    return UINT64_C(1) << IBC_CAP_sm;
}

static uint32_t links(struct ibc_target *t)
{
    (void)t;
    return 1u << IBC_LINK_ib_local;
}

static uint64_t lost(struct ibc_target *t)
{
    return sm_of(t)->lost;
}

static unsigned counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    (void)t;
    (void)d;
    (void)out;
    return 0;
}

static void close_target(struct ibc_target *t)
{
    struct sm *s = sm_of(t);

    sm_stop_all(s);
    sm_subnet_close(s);
    free(s->frame);
    free(s);
}

static const struct ibc_target_ops ops = {
    .name = "sm",
    .help = "a subnet manager in a simulated subnet",
    .reset = reset,
    .capabilities = capabilities,
    .links = links,
    .counters = counters,
    .now = sm_now,
    .inject = sm_inject,
    .collect_any = sm_collect,
    .close = close_target,
    .fabric_open = sm_subnet_open,
    .fabric_plug = sm_plug,
    .manager_start = sm_start,
    .manager_stop = sm_stop,
    .managers_waited = sm_waited,
    .fabric_read = sm_read,
    .fabric_check = sm_check,
    .lost = lost,
};

/* ---- opening ---- */

bool ibc_sm_is(const char *spec)
{
    return strncmp(spec, plain, sizeof plain - 1) == 0 || strncmp(spec, spoiled, sizeof spoiled - 1) == 0;
}

static const char *spoil_name(size_t i, const void *unused)
{
    (void)unused;
    return sm_spoils[i].name;
}

/* Reads the name of a spoiled manager; *command moves past it. */
static bool choose_spoil(struct sm *s, const char **command, char *err, size_t errlen)
{
    const size_t len = strcspn(*command, ":");
    const char *near;
    char name[64];

    s->spoil.row = (*command)[len] == ':' ? sm_spoil_find(*command, len) : NULL;
    if (s->spoil.row) {
        *command += len + 1;
        return true;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)len, *command);
    near = ibc_nearest(name, spoil_name, sm_spoil_count, NULL);
    (void)snprintf(err, errlen, "spoiled:%s: want spoiled:ROW:COMMAND, and ROW of docs/tables/spoiled.md%s%s%s",
                   *command, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return false;
}

/* Writes the folder of this program, with a slash at its end. */
static bool folder_of_this_program(char *folder, size_t n)
{
    const ssize_t len = readlink("/proc/self/exe", folder, n - 1);
    char *slash;

    folder[len > 0 ? len : 0] = '\0';
    slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    return slash != NULL;
}

/* Finds the library that programs preload: ours is beside this program in a build, and in lib when both are installed.
 */
static bool find_shim(struct sm *s)
{
    static const char *const stock[] = {"/usr/lib/*/umad2sim/libumad2sim.so", "/usr/lib*/umad2sim/libumad2sim.so",
                                        NULL};
    static const char *const ours[] = {"libibfabric-umad.so", "../lib/ibproof/libibfabric-umad.so",
                                       "../lib/*/ibproof/libibfabric-umad.so", NULL};
    char place[2 * SM_PATH], folder[SM_PATH] = "";
    bool found = false;

    if (s->own && !folder_of_this_program(folder, sizeof folder))
        return false;
    for (const char *const *p = s->own ? ours : stock; !found && *p; p++) {
        glob_t g;
        (void)snprintf(place, sizeof place, "%s%s", folder, *p);
        if (glob(place, 0, NULL, &g) != 0)
            continue;
        found = snprintf(s->shim, sizeof s->shim, "%s", g.gl_pathv[0]) < (int)sizeof s->shim;
        globfree(&g);
    }
    return found;
}

/* Moves the command past the name of the library that the program is to preload. */
static const char *choose_shim(struct sm *s, const char *command)
{
    s->own = strncmp(command, own, sizeof own - 1) == 0;
    return s->own ? command + sizeof own - 1 : command;
}

static bool prepare(struct sm *s, const char *spec, char *err, size_t errlen)
{
    const bool is_spoiled = strncmp(spec, spoiled, sizeof spoiled - 1) == 0;
    const char *command = spec + (is_spoiled ? sizeof spoiled : sizeof plain) - 1;

    if (is_spoiled && !choose_spoil(s, &command, err, errlen))
        return false;
    command = choose_shim(s, command);
    if (snprintf(s->command, sizeof s->command, "%s", command) >= (int)sizeof s->command)
        (void)snprintf(err, errlen, "%.40s...: longer than %zu bytes", spec, sizeof s->command - 1);
    else if (!sm_is_program(s->command))
        (void)snprintf(err, errlen, "%s: there is no such program (Debian: package opensm)", spec);
    else if (!find_shim(s))
        (void)snprintf(err, errlen, "%s: there is no %s", spec,
                       s->own ? "libibfabric-umad.so beside ibconform, nor in lib/ibproof"
                              : "libumad2sim (Debian: package libumad2sim0)");
    else
        return true;
    return false;
}

struct ibc_target *ibc_sm_open(const char *spec, char *err, size_t errlen)
{
    struct sm *s = calloc(1, sizeof *s);

    if (s)
        s->frame = calloc(SM_FRAMES, sizeof *s->frame);
    if (!s || !s->frame) {
        (void)snprintf(err, errlen, "%s: no memory", spec);
    } else if (prepare(s, spec, err, errlen)) {
        s->t.ops = &ops;
        s->t.framing = IBA_LINK_IB;
        (void)reset(&s->t, IBC_LINK_ib_local, 0);
        return &s->t;
    }
    if (s)
        free(s->frame);
    free(s);
    return NULL;
}
