/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities that a process of root has left, as the kernel shows them (proc(5)). */
#include "system/capabilities.h"
#include <criterion/criterion.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};
enum { INHERITABLE, PERMITTED, EFFECTIVE, BOUND, AMBIENT, SETS };
struct caps {
    unsigned long long is[SETS];
    int result;
};

static void read_caps(struct caps *to)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256], name[32];
    unsigned long long value;

    while (f && fgets(line, sizeof line, f))
        for (size_t i = 0; i < SETS; i++)
            if (sscanf(line, "%31[^:]: %llx", name, &value) == 2 && strcmp(name, sets[i]) == 0)
                to->is[i] = value;
    if (f)
        fclose(f);
}

/* Gives the process every capability that it can have in every set, as an administrator may start a program. */
static void raise_all(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct is[_LINUX_CAPABILITY_U32S_3];

    (void)syscall(SYS_capget, &head, is);
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        is[i].inheritable = is[i].permitted;
    (void)syscall(SYS_capset, &head, is);
    for (int cap = 0; cap < 64; cap++)
        (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

static int drop_all(void)
{
    return capabilities_drop(false);
}
static int drop_all_but_files(void)
{
    return capabilities_drop(true);
}
static int drop_twice(void)
{
    return capabilities_drop(false) && capabilities_drop(true);
}
static int bound(void)
{
    capabilities_bound();
    return 1;
}
static int nothing(void)
{
    return 1;
}

static struct caps after(int (*act)(void))
{
    struct caps caps = {{0}, -1};
    int end[2];

    cr_assert_eq(pipe(end), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        raise_all();
        caps.result = act();
        read_caps(&caps);
        _exit(write(end[1], &caps, sizeof caps) != sizeof caps);
    }
    close(end[1]);
    cr_assert_eq(read(end[0], &caps, sizeof caps), sizeof caps);
    close(end[0]);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    cr_expect_eq(caps.result, 1);
    return caps;
}

Test(capabilities, each_set)
{
    const unsigned long long files = 1ULL << CAP_DAC_OVERRIDE;
    const struct caps all = after(nothing);

    const struct {
        const char *name;
        int (*act)(void);
        unsigned long long is[SETS];
    } rows[] = {
        {"all are dropped", drop_all, {0, 0, 0, all.is[BOUND], 0}},
        {"that for files stays", drop_all_but_files, {0, files, files, all.is[BOUND], 0}},
        {"none comes back", drop_twice, {0, 0, 0, all.is[BOUND], 0}},
        {"programs get none", bound, {all.is[INHERITABLE], all.is[PERMITTED], all.is[EFFECTIVE], 0, all.is[AMBIENT]}}};
    if ((all.is[EFFECTIVE] & files) == 0 || all.is[BOUND] == 0)
        return; /* this process has no capabilities */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct caps is = after(rows[i].act);
        for (size_t s = 0; s < SETS; s++)
            cr_expect_eq(is.is[s], rows[i].is[s], "%s: %s is %llx, not %llx", rows[i].name, sets[s], is.is[s],
                         rows[i].is[s]);
    }
}
