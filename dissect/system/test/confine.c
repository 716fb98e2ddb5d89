/* SPDX-License-Identifier: BSD-2-Clause */
/* The rights of a confined process. Each trial runs in a process of its own, because a confined process cannot regain
 * its rights. */
#include "system/confine.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef SYSTEM_SECCOMP
#include <seccomp.h>
#endif

static char folder[] = "confine-XXXXXX", inside[64], beside[64], outside[64];

static bool make(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);

    return fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0;
}

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(inside, sizeof inside, "%s/a", folder);
    snprintf(beside, sizeof beside, "%s/b", folder);
    snprintf(outside, sizeof outside, "%s.outside", folder);
    cr_assert(make(inside) && make(outside));
}

static void remove_folder(void)
{
    unlink(inside);
    unlink(beside);
    unlink(outside);
    rmdir(folder);
}
TestSuite(confine, .init = make_folder, .fini = remove_folder);

/* ---- trials: 0, or the errno value ---- */

static int result(long rc)
{
    return rc < 0 ? errno : 0;
}
static int read_inside(void)
{
    return result(open(inside, O_RDONLY));
}
static int read_outside(void)
{
    return result(open(outside, O_RDONLY));
}
static int read_secrets(void)
{
    return result(open("/etc/passwd", O_RDONLY));
}
static int write_inside(void)
{
    return result(open(inside, O_WRONLY | O_TRUNC));
}
static int create_inside(void)
{
    return result(open(beside, O_WRONLY | O_CREAT, 0600));
}
static int rename_inside(void)
{
    return result(rename(inside, beside));
}
static int rename_outside(void)
{
    return result(rename(outside, beside));
}
static int remove_outside(void)
{
    return result(unlink(outside));
}
static int execute(void)
{
    return result(execl("/bin/true", "true", (char *)NULL));
}
static int open_socket(void)
{
    return result(socket(AF_INET, SOCK_STREAM, 0));
}
static int open_packet_socket(void)
{
    return result(socket(AF_PACKET, SOCK_RAW, 0));
}
static int trace(void)
{
    return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
static int map_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}
static int make_code(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? -1 : result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}
static int use_memory(void)
{
    enum { MUCH = 64 << 20 };
    char *p = malloc(MUCH), *q;

    if (!p)
        return ENOMEM;
    memset(p, 1, MUCH);
    q = realloc(p, MUCH * 2);
    free(q ? q : p);
    return q ? 0 : ENOMEM;
}
static int have_child(void)
{
    const pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : result(waitpid(pid, &status, 0));
}
static int talk(void)
{
    static int pair[2];
    char byte = 'x';

    pair[0] = 8;
    return result(send(pair[0], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
}

enum { KILLED = -SIGSYS };
struct trial {
    const char *name;
    int (*trial)(void);
    unsigned uses, may; /* may: of the folder; 0: no rule */
    int calls, files;   /* what comes of it where the kernel filters calls; where it has Landlock alone */
};
static const struct trial trials[] = {
    {"read a file", read_inside, CONFINE_FILES, CONFINE_READ, 0, 0},
    {"read a file without the use", read_inside, 0, CONFINE_READ, ENOSYS, 0},
    {"read a file without a rule", read_inside, CONFINE_FILES, 0, 0, EACCES},
    {"read outside", read_outside, CONFINE_FILES, CONFINE_READ, 0, EACCES},
    {"read secrets", read_secrets, CONFINE_FILES, CONFINE_READ, 0, EACCES},
    {"read secrets without the use", read_secrets, CONFINE_CAPTURE | CONFINE_TALK, 0, ENOSYS, EACCES},
    {"write where it may read", write_inside, CONFINE_FILES, CONFINE_READ, 0, EACCES},
    {"write", write_inside, CONFINE_FILES, CONFINE_WRITE, 0, 0},
    {"create", create_inside, CONFINE_FILES, CONFINE_WRITE, 0, 0},
    {"create where it may rename", create_inside, CONFINE_FILES, CONFINE_RENAME, 0, EACCES},
    {"rename", rename_inside, CONFINE_NAMES, CONFINE_RENAME, 0, 0},
    {"rename without the use", rename_inside, CONFINE_TALK, CONFINE_RENAME, ENOSYS, 0},
    {"take a name from outside", rename_outside, CONFINE_NAMES, CONFINE_RENAME, 0, EACCES},
    {"remove outside", remove_outside, CONFINE_NAMES, CONFINE_RENAME, 0, EACCES},
    {"execute", execute, CONFINE_FILES | CONFINE_CHILDREN, CONFINE_READ, KILLED, EACCES},
    {"open a socket", open_socket, CONFINE_TALK, 0, KILLED, 0},
    {"open a packet socket", open_packet_socket, CONFINE_CAPTURE, 0, KILLED, 0},
    {"trace", trace, CONFINE_CHILDREN, 0, KILLED, 0},
    {"map code", map_code, 0, 0, ENOSYS, 0},
    {"make code", make_code, 0, 0, ENOSYS, 0},
    {"use memory", use_memory, 0, 0, 0, 0},
    {"have a child", have_child, CONFINE_CHILDREN, 0, 0, 0},
    {"have a child without the use", have_child, CONFINE_FILES | CONFINE_TALK, 0, ENOSYS, 0},
    {"send", talk, CONFINE_TALK, 0, 0, 0},
    {"send without the use", talk, CONFINE_CAPTURE, 0, ENOSYS, 0},
};

/* Runs the trial in a process that is confined in this way. Returns 0, an errno value, or minus the number of the
 * signal that ended it. *got has the result of confine_end(). */
static int attempt(const struct trial *t, unsigned *got)
{
    int fd[2], pair[2], found = -1, status;

    cr_assert_eq(pipe(fd), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct confine c;
        int out[2];
        dup2(pair[0], 8);
        confine_begin(&c);
        if (t->may)
            confine_allow(&c, folder, t->may);
        out[0] = (int)confine_end(&c, t->uses);
        if (write(fd[1], out, sizeof *out) != sizeof *out)
            _exit(1);
        out[1] = t->trial();
        _exit(write(fd[1], &out[1], sizeof *out) != sizeof *out);
    }
    close(fd[1]);
    cr_assert_eq(read(fd[0], got, sizeof *got), sizeof *got, "%s", t->name);
    const bool whole = read(fd[0], &found, sizeof found) == sizeof found;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    close(fd[0]);
    close(pair[0]);
    close(pair[1]);
    return whole ? found : WIFSIGNALED(status) ? -WTERMSIG(status) : 0; /* 0: it was replaced by another program */
}

Test(confine, each_thing_that_a_program_may_or_may_not)
{
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const struct trial *t = &trials[i];
        unsigned got;
        unlink(beside);
        cr_assert(make(inside) && make(outside));
        const int is = attempt(t, &got);
        /* both filter it: the calls are looked at first */
        const int want = got & CONFINE_GOT_CALLS && t->calls ? t->calls : got & CONFINE_GOT_FILES ? t->files : 0;
        cr_expect_eq(is, want, "%s: %d (%s), not %d; got %u", t->name, is, is > 0 ? strerror(is) : "", want, got);
    }
}

Test(confine, the_offer_is_kept)
{
    const char *const offer = confine_offer();
    unsigned got;

    (void)attempt(&trials[0], &got);
    cr_expect_eq(!!(got & CONFINE_GOT_CALLS), strstr(offer, "seccomp") == offer, "%s, but %u", offer, got);
    cr_expect_eq(!!(got & CONFINE_GOT_FILES),
                 strstr(offer, "Landlock") == offer || strcmp(offer, "seccomp, Landlock") == 0, "%s, but %u", offer,
                 got);
}

#ifdef SYSTEM_SECCOMP
/* A kernel without Landlock, or without seccomp filters, still gives the other protections. */
Test(confine, older_kernels)
{
    static const struct {
        int call;
        unsigned lacks;
    } rows[] = {{SCMP_SYS(landlock_create_ruleset), CONFINE_GOT_FILES}, {SCMP_SYS(seccomp), CONFINE_GOT_CALLS}};
    unsigned usual;

    (void)attempt(&trials[0], &usual);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned got = ~0u;
        int fd[2];
        cr_assert_eq(pipe(fd), 0);
        const pid_t pid = fork();
        if (pid == 0) {
            scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
            struct confine c;
            if (!f || seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), rows[i].call, 0) != 0 ||
                (rows[i].call == SCMP_SYS(seccomp) && seccomp_rule_add(f, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1,
                                                                       SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP, 0)) != 0) ||
                seccomp_load(f) != 0)
                _exit(1);
            confine_begin(&c);
            got = confine_end(&c, CONFINE_FILES);
            _exit(write(fd[1], &got, sizeof got) != sizeof got);
        }
        cr_assert_eq(read(fd[0], &got, sizeof got), sizeof got);
        cr_expect_eq(got, usual & ~rows[i].lacks, "%u", got);
        cr_assert_eq(waitpid(pid, NULL, 0), pid);
        close(fd[0]);
        close(fd[1]);
    }
}

/* Before Linux 3.17, or where filters are compiled out, the kernel does not know them. */
Test(confine, kernels_without_filters)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
        if (!f ||
            seccomp_rule_add(f, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_GET_SECCOMP, 0)) !=
                0 ||
            seccomp_load(f) != 0)
            _exit(1);
        struct confine c = {.rules = -1};
        if (strncmp(confine_offer(), "seccomp", 7) == 0)
            _exit(2);
        _exit(confine_end(&c, 0) & CONFINE_GOT_CALLS ? 3 : 0);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
}
#else /* libseccomp makes the older kernels */
Test(confine, older_kernels) {}
Test(confine, kernels_without_filters) {}
#endif
