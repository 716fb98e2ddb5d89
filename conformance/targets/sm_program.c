/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of subnet managers: their settings, their start and their end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sm_inside.h"

#define SBIN ":/usr/sbin:/sbin" /* where Debian has opensm, which is not in the PATH of every user */

bool sm_is_program(const char *command)
{
    const size_t len = strcspn(command, " ");
    const char *path = getenv("PATH");
    char places[4096], file[4096 + SM_COMMAND];

    if (memchr(command, '/', len)) {
        (void)snprintf(file, sizeof file, "%.*s", (int)len, command);
        return access(file, X_OK) == 0;
    }
    (void)snprintf(places, sizeof places, "%s" SBIN, path ? path : "/usr/bin:/bin");
    for (char *rest = places, *one; len > 0 && (one = strsep(&rest, ":"));) {
        (void)snprintf(file, sizeof file, "%s/%.*s", one, (int)len, command);
        if (access(file, X_OK) == 0)
            return true;
    }
    return false;
}

/* ---- settings ---- */

static FILE *open_in(const char *folder, const char *name)
{
    char path[SM_PATH + 32];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

static bool write_settings(const char *folder, const struct ibc_manager *m)
{
    enum { NS_OF_S = 1000000000, NS_OF_MS = 1000000 };
    FILE *f = open_in(folder, "opensm.conf");

    if (!f)
        return false;
    fputs("force_log_flush TRUE\nlog_file osm.log\nlog_flags 0x03\npartition_config_file partitions.conf\n"
          "dump_files_dir .\n",
          f);
    if (m->priority != IBC_UNSAID)
        fprintf(f, "sm_priority %d\n", m->priority);
    if (m->lmc != IBC_UNSAID)
        fprintf(f, "lmc %d\n", m->lmc);
    if (m->mkey)
        fprintf(f, "m_key 0x%016" PRIx64 "\n", m->mkey);
    if (m->protect != IBC_UNSAID)
        fprintf(f, "m_key_protection_level %d\n", m->protect);
    if (m->lease != IBC_UNSAID)
        fprintf(f, "m_key_lease_period %d\n", m->lease);
    if (m->sweep)
        fprintf(f, "sweep_interval %" PRIu64 "\n", (m->sweep + NS_OF_S - 1) / NS_OF_S);
    if (m->poll)
        fprintf(f, "sminfo_polling_timeout %" PRIu64 "\npolling_retry_number 2\n", m->poll / NS_OF_MS);
    return fclose(f) == 0;
}

static bool write_partitions(const struct sm *s, const char *folder)
{
    FILE *f = open_in(folder, "partitions.conf");

    if (!f)
        return false;
    fputs("Default=0x7fff, ipoib : ALL=full ;\n", f);
    for (unsigned i = 0; i < s->is.n_partition; i++) {
        const struct ibc_partition *p = &s->is.partition[i];
        fprintf(f, "p%u=0x%04x :", i, p->pkey);
        for (unsigned k = 0; k < p->n; k++)
            fprintf(f, "%s 0x%016" PRIx64 "=%s", k ? "," : "", s->node[p->member[k].node].guid + p->member[k].port,
                    p->member[k].full ? "full" : "limited");
        fputs(" ;\n", f);
    }
    return fclose(f) == 0;
}

/* ---- a folder and its end ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

/* Removes the folder with all that the program has written there. */
static void remove_folder(const char *folder)
{
    enum { DESCRIPTORS = 8 };
    (void)nftw(folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

/* Waits until the other end of the pipe is closed, which it is at the latest when the parent ends. Then removes the
 * folder, again if a manager that is being killed still writes there. Closes all other descriptors, as the parent's
 * sockets must be closed when the parent ends. */
static _Noreturn void keep(const char *folder, int end)
{
    enum { TRIES = 500, PAUSE_US = 10000 };
    char none;

    setsid(); /* a signal from the terminal ends the parent, not this process */
    if (end > 0)
        (void)close_range(0, (unsigned)end - 1, 0);
    (void)close_range((unsigned)end + 1, ~0U, 0);
    while (read(end, &none, 1) < 0 && errno == EINTR)
        ;
    for (unsigned i = 0; i < TRIES && access(folder, F_OK) == 0; i++) {
        remove_folder(folder);
        (void)usleep(PAUSE_US);
    }
    _exit(0);
}

/* Starts a process that removes the folder when this one ends, even by a signal that nobody can handle. */
static bool start_keeper(struct sm_program *p)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    p->keeper = fork();
    if (p->keeper == 0)
        keep(p->folder, ends[0]);
    close(ends[0]);
    p->alive = ends[1];
    if (p->keeper > 0)
        return true;
    close(ends[1]);
    p->keeper = 0;
    return false;
}

/* Removes the folder, and ends the process that would have done so. */
static void end_keeper(struct sm_program *p)
{
    remove_folder(p->folder);
    if (p->keeper) {
        close(p->alive);
        kill(p->keeper, SIGKILL);
        while (waitpid(p->keeper, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

/* ---- start ---- */

/* Becomes the program. Only the program itself loads the library, not the shell. */
static void become(const struct sm *s, const char *folder, const char *host)
{
    const char *path = getenv("PATH");
    const int null = open("/dev/null", O_RDWR), out = chdir(folder) == 0 ? open("out", O_CREAT | O_WRONLY, 0666) : -1;
    char command[SM_COMMAND + 2 * SM_PATH], places[4096];
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (null < 0 || out < 0)
        _exit(127);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    (void)snprintf(places, sizeof places, "%s" SBIN, path ? path : "/usr/bin:/bin");
    setenv("PATH", places, 1);
    setenv(s->own ? "IBFABRIC_SIM" : "IBSIM_SOCKNAME", s->server.sockets.name, 1);
    setenv(s->own ? "IBFABRIC_NODE" : "SIM_HOST", host, 1);
    setenv("OSM_CACHE_DIR", ".", 1);
    setenv("OSM_TMP_DIR", ".", 1);
    (void)snprintf(command, sizeof command, "exec env LD_PRELOAD=%s %s -F opensm.conf", s->shim, s->command);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

enum ibc_rc sm_start(struct ibc_target *t, unsigned number, const struct ibc_manager *m)
{
    struct sm *s = sm_of(t);
    struct sm_program *p = &s->program[number];
    const char *tmp = getenv("TMPDIR");

    if (p->pid)
        return sm_fault(s, IBC_BROKEN, "the manager runs already");
    if (p->folder[0])
        (void)sm_stop(t, number);
    (void)snprintf(p->folder, sizeof p->folder, "%s/ibconform-sm-XXXXXX", tmp ? tmp : P_tmpdir);
    if (!mkdtemp(p->folder)) {
        p->folder[0] = '\0';
        return sm_fault(s, IBC_BROKEN, "no folder for the manager: %s", strerror(errno));
    }
    if (!start_keeper(p))
        return sm_fault(s, IBC_BROKEN, "no process to remove the manager's folder: %s", strerror(errno));
    if (!write_settings(p->folder, m) || !write_partitions(s, p->folder))
        return sm_fault(s, IBC_BROKEN, "%.100s: %s", p->folder, strerror(errno));
    p->pid = fork();
    if (p->pid == 0)
        become(s, p->folder, s->is.node[m->node].name);
    if (p->pid > 0)
        return IBC_OK;
    p->pid = 0;
    return sm_fault(s, IBC_BROKEN, "the manager cannot be started: %s", strerror(errno));
}

/* ---- end ---- */

enum ibc_rc sm_stop(struct ibc_target *t, unsigned number)
{
    struct sm_program *p = &sm_of(t)->program[number];

    if (p->pid) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (p->folder[0])
        end_keeper(p);
    *p = (struct sm_program){0};
    return IBC_OK;
}

void sm_stop_all(struct sm *s)
{
    for (unsigned i = 0; i < IBC_MANAGERS; i++)
        (void)sm_stop(&s->t, i);
}

/* Returns the last line of text that the program printed; of a longer one 99 letters. */
static void last_line(const char *folder, char line[100])
{
    char path[SM_PATH + 8], next[100];
    bool begins = true; /* a line begins in `next` */
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/out", folder);
    f = fopen(path, "r");
    line[0] = '\0';
    while (f && fgets(next, sizeof next, f)) {
        const size_t n = strcspn(next, "\r\n");
        if (begins && (next[n] || n == sizeof next - 1) && strspn(next, "- \r\n") < strlen(next))
            (void)snprintf(line, 100, "%.*s", (int)n, next);
        begins = strchr(next, '\n') != NULL;
    }
    if (f)
        (void)fclose(f);
}

enum ibc_rc sm_all_run(struct sm *s)
{
    for (unsigned i = 0; i < IBC_MANAGERS; i++) {
        struct sm_program *p = &s->program[i];
        char line[100];
        int status;
        if (!p->pid || waitpid(p->pid, &status, WNOHANG) != p->pid)
            continue;
        p->pid = 0;
        last_line(p->folder, line);
        if (WIFSIGNALED(status))
            return sm_fault(s, IBC_DEAD, "signal %d ended the manager", WTERMSIG(status));
        return sm_fault(s, IBC_BROKEN, "the manager ended with exit code %d: %s", WEXITSTATUS(status), line);
    }
    return IBC_OK;
}

/* ---- time for which the programs had no processor ---- */

/* Returns how long the thread waited that waited longest. */
static uint64_t waited_of(pid_t pid)
{
    char path[64 + 256];
    uint64_t most = 0;
    DIR *d;

    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char text[100] = "", *second;
        uint64_t waited;
        FILE *f;
        (void)snprintf(path, sizeof path, "/proc/%d/task/%.200s/schedstat", (int)pid, e->d_name);
        f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f && fgets(text, sizeof text, f) && (second = strchr(text, ' '))) {
            waited = strtoull(second, NULL, 10); /* ns on a processor, ns that it waited for one, time slices */
            most = waited > most ? waited : most;
        }
        if (f)
            (void)fclose(f);
    }
    if (d)
        closedir(d);
    return most;
}

uint64_t sm_waited(struct ibc_target *t)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < IBC_MANAGERS; i++)
        if (sm_of(t)->program[i].pid)
            sum += waited_of(sm_of(t)->program[i].pid);
    return sum;
}
