/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of subnet managers, with scripts in their place: their settings, their environment, how they end, and that
 * nothing of them stays. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sm_bed.h"
#include "held.h"

/* The call of fork() that fails, from 1 on; 0: none. */
static unsigned no_process;

pid_t fork(void)
{
    pid_t (*real)(void);

    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    errno = EAGAIN;
    return no_process > 0 && --no_process == 0 ? -1 : real();
}

static const struct ibc_manager plain = {
    .node = B, .priority = IBC_UNSAID, .lmc = IBC_UNSAID, .protect = IBC_UNSAID, .lease = IBC_UNSAID};
static char place[64];

/* Each test has a folder of its own, in which TMPDIR is too. */
static void begin(void)
{
    char tmp[80];

    (void)snprintf(place, sizeof place, "%s/managers-XXXXXX", P_tmpdir);
    cr_assert(mkdtemp(place) && chdir(place) == 0);
    (void)snprintf(tmp, sizeof tmp, "%s/tmp", place);
    cr_assert(mkdir(tmp, 0700) == 0 && setenv("TMPDIR", tmp, 1) == 0);
}

static void end(void)
{
    cr_assert(rmdir("tmp") == 0, "a folder of a manager was left behind");
    (void)unlink("manager");
    cr_assert(chdir("/") == 0 && rmdir(place) == 0);
}

static void script(const char *text)
{
    FILE *f = fopen("manager", "w");

    cr_assert(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0 && fclose(f) == 0 && chmod("manager", 0700) == 0);
}

static struct sm *with_script(const char *text)
{
    char command[160];

    script(text);
    (void)snprintf(command, sizeof command, "%s/manager --fast", place);
    struct sm *s = sm_bed_open(command);
    s->is = sm_bed_fabric;
    return s;
}

static void starts(struct sm *s, unsigned number)
{
    cr_assert_eq(sm_start(&s->t, number, &plain), IBC_OK, "%s", s->t.fault);
    cr_assert_gt(s->program[number].pid, 0);
}

/* Waits until one of the programs has ended. */
static enum ibc_rc ended(struct sm *s)
{
    enum ibc_rc rc = IBC_OK;

    for (unsigned i = 0; i < 3000 && (rc = sm_all_run(s)) == IBC_OK; i++)
        (void)usleep(10000);
    return rc;
}

/* Returns a file of the program's folder as text. */
static const char *file_of(const struct sm *s, unsigned number, const char *name)
{
    static char text[4096];
    char path[SM_PATH + 32];

    (void)snprintf(path, sizeof path, "%s/%s", s->program[number].folder, name);
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s: %s", path, strerror(errno));
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    return text;
}

/* ---- settings ---- */

#define ALWAYS                                                                                                         \
    "force_log_flush TRUE\nlog_file osm.log\nlog_flags 0x03\npartition_config_file partitions.conf\ndump_files_dir "   \
    ".\n"

Test(sm_program, settings, .init = begin, .fini = end)
{
    static const struct {
        struct ibc_manager m;
        const char *says;
    } rows[] = {
        {{.priority = -1, .lmc = -1, .protect = -1, .lease = -1}, ALWAYS},
        {{.priority = 0, .lmc = -1, .protect = -1, .lease = -1}, ALWAYS "sm_priority 0\n"},
        {{.priority = 15, .lmc = 0, .protect = -1, .lease = -1}, ALWAYS "sm_priority 15\nlmc 0\n"},
        {{.priority = -1, .lmc = 3, .protect = -1, .lease = -1, .mkey = 0x1234},
         ALWAYS "lmc 3\nm_key 0x0000000000001234\n"},
        {{.priority = -1, .lmc = -1, .protect = 0, .lease = -1}, ALWAYS "m_key_protection_level 0\n"},
        {{.priority = -1, .lmc = -1, .protect = 2, .lease = 0},
         ALWAYS "m_key_protection_level 2\nm_key_lease_period 0\n"},
        {{.priority = -1, .lmc = -1, .protect = -1, .lease = 60}, ALWAYS "m_key_lease_period 60\n"},
        {{.priority = -1, .lmc = -1, .protect = -1, .lease = -1, .sweep = 1}, ALWAYS "sweep_interval 1\n"},
        {{.priority = -1, .lmc = -1, .protect = -1, .lease = -1, .sweep = 1000000000}, ALWAYS "sweep_interval 1\n"},
        {{.priority = -1, .lmc = -1, .protect = -1, .lease = -1, .sweep = 1000000001}, ALWAYS "sweep_interval 2\n"},
        {{.priority = -1, .lmc = -1, .protect = -1, .lease = -1, .poll = 250000000},
         ALWAYS "sminfo_polling_timeout 250\npolling_retry_number 2\n"},
    };
    struct sm *s = with_script("exit 0");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(sm_start(&s->t, 0, &rows[i].m), IBC_OK, "%s", s->t.fault);
        cr_expect_str_eq(file_of(s, 0, "opensm.conf"), rows[i].says, "row %zu: %s", i, file_of(s, 0, "opensm.conf"));
        cr_assert_eq(sm_stop(&s->t, 0), IBC_OK);
    }
    sm_bed_close(s);
}

Test(sm_program, partitions, .init = begin, .fini = end)
{
    struct sm *s = with_script("exit 0");

    starts(s, 0);
    cr_expect_str_eq(file_of(s, 0, "partitions.conf"), "Default=0x7fff, ipoib : ALL=full ;\n");
    (void)sm_stop(&s->t, 0);
    s->is.n_partition = 2;
    s->is.partition[0] = (struct ibc_partition){.pkey = 0x12, .n = 2, .member = {{A, 1, true}, {C, 2, false}}};
    s->is.partition[1] = (struct ibc_partition){.pkey = 0x7ffe, .n = 1, .member = {{B, 1, false}}};
    for (unsigned i = 0; i < SM_BED_NODES; i++)
        s->node[i].guid = 0xabc000 + 0x100 * i;
    starts(s, 0);
    cr_expect_str_eq(file_of(s, 0, "partitions.conf"),
                     "Default=0x7fff, ipoib : ALL=full ;\n"
                     "p0=0x0012 : 0x0000000000abc101=full, 0x0000000000abc302=limited ;\n"
                     "p1=0x7ffe : 0x0000000000abc201=limited ;\n");
    sm_bed_close(s);
}

/* ---- start ---- */

Test(sm_program, its_surroundings, .init = begin, .fini = end)
{
    struct sm *s = with_script("echo \"$*|$SIM_HOST|$IBSIM_SOCKNAME|$OSM_CACHE_DIR|$OSM_TMP_DIR|$LD_PRELOAD\"\n"
                               "echo \"$PATH\" > path\n"
                               "readlink /proc/self/fd/0 >&2\n"
                               "grep SigBlk /proc/self/status >&2\n"
                               "exit 4");
    char is[4096], path[4096];
    sigset_t one;

    cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK);
    (void)snprintf(s->shim, sizeof s->shim, "libc.so.6");
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    cr_assert_eq(sigprocmask(SIG_BLOCK, &one, NULL), 0);
    starts(s, 1);
    cr_assert_eq(ended(s), IBC_BROKEN);
    cr_expect_str_eq(s->t.fault, "the manager ended with exit code 4: SigBlk:\t0000000000000000");
    (void)snprintf(is, sizeof is, "--fast -F opensm.conf|b|%s|.|.|libc.so.6\n/dev/null\nSigBlk:\t0000000000000000\n",
                   s->server.sockets.name);
    cr_expect_str_eq(file_of(s, 1, "out"), is, "%s", file_of(s, 1, "out"));
    (void)snprintf(path, sizeof path, "%s:/usr/sbin:/sbin\n", getenv("PATH"));
    cr_expect_str_eq(file_of(s, 1, "path"), path);
    sm_bed_close(s);
}

/* With our own library a program gets other names of the same things. */
Test(sm_program, surroundings_of_our_own_library, .init = begin, .fini = end)
{
    struct sm *s = with_script("echo \"$IBFABRIC_NODE|$IBFABRIC_SIM|$SIM_HOST|$IBSIM_SOCKNAME\"\nexit 4");
    char is[200];

    s->own = true;
    cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK, "%s", s->t.fault);
    starts(s, 1);
    cr_assert_eq(ended(s), IBC_BROKEN);
    (void)snprintf(is, sizeof is, "b|%s||\n", s->server.sockets.name);
    cr_expect_str_eq(file_of(s, 1, "out"), is, "%s", file_of(s, 1, "out"));
    sm_bed_close(s);
}

/* A manager whose processes cannot be started is a fault, and its folder goes. */
Test(sm_program, without_processes, .init = begin, .fini = end)
{
    static const char *const says[] = {"no process to remove the manager's folder: Resource temporarily unavailable",
                                       "the manager cannot be started: Resource temporarily unavailable"};
    struct sm *s = with_script("exec sleep 100");
    const unsigned before = held_descriptors();

    for (unsigned i = 0; i < 2; i++) {
        no_process = i + 1;
        cr_expect_eq(sm_start(&s->t, 0, &plain), IBC_BROKEN);
        cr_expect_str_eq(s->t.fault, says[i], "%s", s->t.fault);
        cr_expect_eq(s->program[0].pid, 0);
        cr_expect_eq(sm_all_run(s), IBC_OK);
        cr_assert_eq(sm_stop(&s->t, 0), IBC_OK);
        cr_expect(held_descriptors() == before && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "nothing stays");
        starts(s, 0);
        sm_stop_all(s);
        cr_expect(held_descriptors() == before && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "nothing stays");
    }
    sm_bed_close(s);
}

/* The pipe to the process that removes the folder may have the number 0. */
Test(sm_program, descriptor_zero, .init = begin, .fini = end)
{
    struct sm *s = with_script("exec sleep 100");

    (void)close(STDIN_FILENO);
    starts(s, 0);
    (void)usleep(100000);
    cr_expect_eq(access(s->program[0].folder, F_OK), 0, "it stays as long as the manager runs");
    cr_expect_eq(sm_all_run(s), IBC_OK);
    sm_bed_close(s);
    cr_assert_eq(open("/dev/null", O_RDONLY), STDIN_FILENO);
}

Test(sm_program, a_folder_in_the_place_for_temporary_files, .init = begin, .fini = end)
{
    char expected[160];
    struct sm *s = with_script("exec sleep 100");

    (void)snprintf(expected, sizeof expected, "%s/tmp/ibconform-sm-", place);
    starts(s, 0);
    cr_expect(strncmp(s->program[0].folder, expected, strlen(expected)) == 0, "%s", s->program[0].folder);
    cr_expect_eq(sm_start(&s->t, 0, &plain), IBC_BROKEN);
    cr_expect_str_eq(s->t.fault, "the manager runs already");
    sm_stop_all(s);
    setenv("TMPDIR", "no/such/folder", 1);
    cr_expect_eq(sm_start(&s->t, 0, &plain), IBC_BROKEN);
    cr_expect_str_eq(s->t.fault, "no folder for the manager: No such file or directory");
    cr_expect_str_eq(s->program[0].folder, "", "there is nothing to remove");
    unsetenv("TMPDIR");
    starts(s, 0);
    cr_expect(strncmp(s->program[0].folder, P_tmpdir "/ibconform-sm-", strlen(P_tmpdir) + 14) == 0, "%s",
              s->program[0].folder);
    sm_bed_close(s);
}

Test(sm_program, which_programs_exist, .init = begin, .fini = end)
{
    char whole[160];

    script("exit 0");
    (void)snprintf(whole, sizeof whole, "%s/manager", place);
    setenv("PATH", "/no/such/folder", 1);
    cr_expect(sm_is_program(whole));
    cr_expect(sm_is_program("./manager"));
    cr_expect(sm_is_program("./manager -v /no/such/file"));
    cr_expect_not(sm_is_program("./no-manager ./manager"));
    cr_expect_not(sm_is_program("manager"));
    cr_expect_not(sm_is_program("manager ./manager"), "the arguments are no program");
    setenv("PATH", "/no/such/folder:.", 1);
    cr_expect(sm_is_program("manager"));
    cr_expect(sm_is_program("manager -v"));
    cr_expect_not(sm_is_program("manage"));
    cr_expect_not(sm_is_program(""));
    setenv("PATH", place, 1);
    cr_expect(sm_is_program("manager"));
    cr_assert(chmod("manager", 0600) == 0);
    cr_expect_not(sm_is_program("manager"), "it cannot be executed");
    cr_expect_not(sm_is_program("./manager"));
    unsetenv("PATH");
    cr_expect(sm_is_program("sh"));
    cr_expect_not(sm_is_program("no-such-program"));
}

/* ---- end ---- */

Test(sm_program, how_a_program_ended, .init = begin, .fini = end)
{
    static const struct {
        const char *script, *says;
        enum ibc_rc rc;
    } rows[] = {
        {"exit 0", "the manager ended with exit code 0: ", IBC_BROKEN},
        {"echo first; echo second; exit 3", "the manager ended with exit code 3: second", IBC_BROKEN},
        {"echo only >&2; echo; echo -----; echo ' - '; exit 255", "the manager ended with exit code 255: only",
         IBC_BROKEN},
        {"printf 'cut\\r\\n'; exit 1", "the manager ended with exit code 1: cut", IBC_BROKEN},
        {"echo whole; printf 'no end'; exit 1", "the manager ended with exit code 1: whole", IBC_BROKEN},
        {"printf '%0150d\\n' 7; exit 1",
         "the manager ended with exit code 1: "
         "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
         IBC_BROKEN}, /* the beginning of a long line */
        {"kill -SEGV $$", "signal 11 ended the manager", IBC_DEAD},
        {"echo words; kill -TERM $$", "signal 15 ended the manager", IBC_DEAD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sm *s = with_script(rows[i].script);
        starts(s, i % IBC_MANAGERS);
        cr_expect_eq(ended(s), rows[i].rc, "row %zu", i);
        cr_expect_str_eq(s->t.fault, rows[i].says, "row %zu: %s", i, s->t.fault);
        cr_expect_eq(sm_all_run(s), IBC_OK, "it is reported once");
        starts(s, i % IBC_MANAGERS); /* in a new folder; the old one is removed */
        sm_bed_close(s);
    }
}

Test(sm_program, one_of_several_ends, .init = begin, .fini = end)
{
    struct sm *s = with_script("[ -e ../last ] && exit 9\nexec sleep 100");
    char last[160];

    for (unsigned i = 0; i + 1 < IBC_MANAGERS; i++)
        starts(s, i);
    (void)snprintf(last, sizeof last, "%s/tmp/last", place);
    cr_assert_eq(sm_all_run(s), IBC_OK);
    (void)usleep(200000);
    FILE *f = fopen(last, "w");
    cr_assert(f && fclose(f) == 0);
    starts(s, IBC_MANAGERS - 1);
    cr_expect_eq(ended(s), IBC_BROKEN);
    cr_expect_str_eq(s->t.fault, "the manager ended with exit code 9: ");
    cr_expect_eq(s->program[IBC_MANAGERS - 1].pid, 0);
    for (unsigned i = 0; i + 1 < IBC_MANAGERS; i++)
        cr_expect(s->program[i].pid > 0 && kill(s->program[i].pid, 0) == 0);
    cr_assert(unlink(last) == 0);
    sm_bed_close(s);
}

Test(sm_program, nothing_of_it_stays, .init = begin, .fini = end)
{
    struct sm *s = with_script("mkdir -p a/b; echo x > a/b/c; ln -s / a/root; echo there > ready; exec sleep 100");
    char ready[SM_PATH + 32], folder[SM_PATH];
    pid_t pid;

    starts(s, 2);
    pid = s->program[2].pid;
    memcpy(folder, s->program[2].folder, sizeof folder);
    (void)snprintf(ready, sizeof ready, "%s/ready", folder);
    for (unsigned i = 0; i < 3000 && access(ready, F_OK) != 0; i++)
        (void)usleep(10000);
    cr_assert_eq(sm_all_run(s), IBC_OK);
    cr_assert_eq(sm_stop(&s->t, 2), IBC_OK);
    cr_expect(kill(pid, 0) != 0 && errno == ESRCH, "it has been waited for");
    cr_expect(access(folder, F_OK) != 0);
    cr_expect(s->program[2].pid == 0 && s->program[2].folder[0] == '\0');
    cr_expect_eq(sm_stop(&s->t, 2), IBC_OK, "twice is no mistake");
    sm_bed_close(s);
}

/* Whether a process still runs, after a moment in which it may end. */
static bool runs(pid_t pid)
{
    char path[64], line[256] = "Z";

    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    for (unsigned i = 0; i < 500; i++) {
        FILE *f = fopen(path, "r");
        const bool there = f && fgets(line, sizeof line, f) && !strstr(line, ") Z ");
        if (f)
            (void)fclose(f);
        if (!there)
            return false;
        (void)usleep(10000);
    }
    return true;
}

/* Each signal ends a process of ours at once, with two managers that still write. */
Test(sm_program, nothing_stays_after_a_signal, .init = begin, .fini = end)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    struct sm *s = with_script("echo > ready; while :; do echo x > \"$(printf %s y)\"; done");
    char ready[SM_PATH + 32];

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const bool all = signals[i] == SIGINT; /* the terminal's, which goes to all processes of the job */
        int told[2], status;
        pid_t managers[2];
        cr_assert(pipe(told) == 0);
        const pid_t pid = fork();
        if (pid == 0) {
            (void)setpgid(0, 0);
            (void)signal(signals[i], SIG_DFL); /* a shell's background job ignores SIGINT, nohup SIGHUP */
            starts(s, 0);
            starts(s, 1);
            for (unsigned k = 0; k < 2; k++) {
                (void)snprintf(ready, sizeof ready, "%s/ready", s->program[k].folder);
                while (access(ready, F_OK) != 0)
                    (void)usleep(10000);
            }
            managers[0] = s->program[0].pid, managers[1] = s->program[1].pid;
            (void)!write(told[1], managers, sizeof managers);
            pause();
        }
        cr_assert(pid > 0 && read(told[0], managers, sizeof managers) == (ssize_t)sizeof managers);
        cr_assert_eq(kill(all ? -pid : pid, signals[i]), 0);
        cr_assert(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        for (unsigned k = 0; k < 1000 && rmdir("tmp") != 0; k++)
            (void)usleep(10000);
        cr_expect(mkdir("tmp", 0700) == 0, "signal %d: a folder of a manager was left behind", signals[i]);
        for (unsigned k = 0; k < 2; k++)
            cr_expect_not(runs(managers[k]), "signal %d: a manager was left behind", signals[i]);
        close(told[0]);
        close(told[1]);
    }
    sm_bed_close(s);
}

/* ---- time without a processor ---- */

/* Reads how long a process with one thread waited, as the kernel counts for the whole process. */
static uint64_t waited(pid_t pid)
{
    char path[64];
    unsigned long long ran = 0, is = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *f = fopen(path, "r");
    cr_assert(f && fscanf(f, "%llu %llu", &ran, &is) == 2 && fclose(f) == 0);
    return is;
}

static void sleeps(pid_t pid)
{
    char path[64], name[32] = "";

    (void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    for (unsigned i = 0; i < 3000 && strcmp(name, "sleep\n") != 0; i++) {
        (void)usleep(10000);
        FILE *f = fopen(path, "r");
        cr_assert(f && fgets(name, sizeof name, f) && fclose(f) == 0);
    }
    (void)usleep(100000);
}

Test(sm_program, time_without_a_processor, .init = begin, .fini = end)
{
    struct sm *s = with_script("exec sleep 100");
    uint64_t sum = 0;

    cr_expect_eq(sm_waited(&s->t), 0);
    for (unsigned i = 0; i < 2; i++) {
        starts(s, 2 * i);
        sleeps(s->program[2 * i].pid);
        sum += waited(s->program[2 * i].pid);
        cr_expect_eq(sm_waited(&s->t), sum);
    }
    sm_stop_all(s);
    cr_expect_eq(sm_waited(&s->t), 0);
    sm_bed_close(s);
}
