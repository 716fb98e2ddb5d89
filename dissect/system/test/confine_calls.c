/* SPDX-License-Identifier: BSD-2-Clause */
/* Each system call of a confined program: whether the kernel makes it, as it fails for wrong arguments, refuses it
 * (ENOSYS), or ends the process. The lists state what programs need, and what only an intruder wants. */
#include "system/confine_calls.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "system/confine.h"

enum { EVERY = ~0, PACKETS = CONFINE_CAPTURE | CONFINE_TALK, NAMES = CONFINE_NAMES | CONFINE_FILES, NONE = 0 };
enum { ENDS_US = -1, MADE = 0, REFUSED = 1 };

/* `uses`: each of them allows the call. */
struct probe {
    long number;
    int uses;
    long a[4];
};
#define CALL(name, uses)                                                                                               \
    {                                                                                                                  \
        SYS_##name, uses,                                                                                              \
        {                                                                                                              \
            -1, -1, -1, -1                                                                                             \
        }                                                                                                              \
    }
#define WITH(name, uses, ...)                                                                                          \
    {                                                                                                                  \
        SYS_##name, uses,                                                                                              \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
/* Both halves of a thread, but not the flag without which the kernel makes no thread (clone(2)). */
#define THREAD (CLONE_VM | CLONE_THREAD)

static const struct probe probes[] = {
    CALL(read, EVERY),
    CALL(readv, EVERY),
    CALL(pread64, EVERY),
    CALL(write, EVERY),
    CALL(writev, EVERY),
    CALL(pwrite64, EVERY),
    CALL(lseek, EVERY),
    CALL(close, EVERY),
    CALL(fstat, EVERY),
    CALL(newfstatat, EVERY),
    CALL(statx, EVERY),
    CALL(fcntl, EVERY),
    CALL(fsync, EVERY),
    CALL(fdatasync, EVERY),
    CALL(fadvise64, EVERY),
    CALL(dup, EVERY),
    CALL(dup3, EVERY),
    CALL(ppoll, EVERY),
    WITH(ioctl, EVERY, -1, TCGETS),
    WITH(ioctl, EVERY, -1, TIOCGWINSZ),
    WITH(ioctl, PACKETS, -1, SIOCGIFFLAGS),
    WITH(ioctl, CONFINE_TALK, -1, SIOCGIFMTU),
    WITH(ioctl, CONFINE_TALK, -1, SIOCGIFHWADDR),
    WITH(ioctl, CONFINE_TALK, -1, SIOCETHTOOL),
    WITH(ioctl, NONE, -1, TIOCSTI), /* types into the terminal */
    WITH(ioctl, NONE, -1, TIOCLINUX),
    WITH(ioctl, NONE, -1, SIOCSIFFLAGS),
    WITH(ioctl, NONE, -1, (1L << 32) | TCGETS),
    CALL(brk, EVERY),
    WITH(mmap, EVERY, 0, 0, PROT_READ, -1),
    WITH(mmap, EVERY, 0, 0, PROT_READ | PROT_WRITE, -1),
    WITH(mmap, NONE, 0, 0, PROT_EXEC, -1),
    WITH(mmap, NONE, 0, 0, PROT_READ | PROT_WRITE | PROT_EXEC, -1),
    WITH(mprotect, EVERY, 0, 0, PROT_READ | PROT_WRITE),
    WITH(mprotect, NONE, 0, 0, PROT_READ | PROT_EXEC),
    CALL(mremap, EVERY),
    CALL(munmap, EVERY),
    CALL(madvise, EVERY),
    CALL(clock_gettime, EVERY),
    CALL(clock_getres, EVERY),
    CALL(clock_nanosleep, EVERY),
    CALL(nanosleep, EVERY),
    CALL(gettimeofday, EVERY),
    CALL(getrandom, EVERY),
    CALL(getpid, EVERY),
    CALL(getppid, EVERY),
    CALL(gettid, EVERY),
    CALL(getuid, EVERY),
    CALL(geteuid, EVERY),
    CALL(getgid, EVERY),
    CALL(getegid, EVERY),
    CALL(sysinfo, EVERY),
    CALL(uname, EVERY),
    CALL(sched_yield, EVERY),
    CALL(sched_getaffinity, EVERY),
    CALL(getcpu, EVERY),
    WITH(prlimit64, EVERY, 0, 0, 0, 0),
    WITH(prlimit64, NONE, 0, 0, -1, 0), /* would set a limit */
    WITH(prlimit64, NONE, 0, 0, 1L << 32, 0),
    WITH(futex, EVERY, 0, 129 /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */, 0, 0),
    CALL(set_robust_list, EVERY),
    CALL(restart_syscall, EVERY),
    CALL(rt_sigaction, EVERY),
    CALL(rt_sigprocmask, EVERY),
    CALL(sigaltstack, EVERY),
    CALL(tgkill, EVERY),
    CALL(recvfrom, PACKETS),
    CALL(recvmsg, PACKETS),
    CALL(getsockopt, PACKETS),
    CALL(setsockopt, PACKETS),
    CALL(sendto, CONFINE_TALK),
    CALL(sendmsg, CONFINE_TALK),
    CALL(accept4, CONFINE_TALK),
    CALL(shutdown, CONFINE_TALK),
    CALL(getsockname, CONFINE_TALK),
    CALL(getpeername, CONFINE_TALK),
    CALL(renameat, NAMES),
    CALL(renameat2, NAMES),
    CALL(unlinkat, NAMES),
    CALL(openat, CONFINE_FILES),
    CALL(mkdirat, CONFINE_FILES),
    CALL(faccessat, CONFINE_FILES),
    CALL(readlinkat, CONFINE_FILES),
    CALL(getdents64, CONFINE_FILES),
    CALL(getcwd, CONFINE_FILES),
    CALL(fchmod, CONFINE_FILES),
    CALL(fchown, CONFINE_FILES),
    CALL(umask, CONFINE_FILES),
    CALL(ftruncate, CONFINE_FILES),
    WITH(clone, CONFINE_THREADS | CONFINE_CHILDREN, THREAD),
    WITH(clone, CONFINE_CHILDREN, CLONE_THREAD),
    WITH(clone, NONE, THREAD | CLONE_NEWNS),
    WITH(clone, NONE, THREAD | CLONE_NEWCGROUP),
    WITH(clone, NONE, THREAD | CLONE_NEWUTS),
    WITH(clone, NONE, THREAD | CLONE_NEWIPC),
    WITH(clone, NONE, THREAD | CLONE_NEWUSER),
    WITH(clone, NONE, THREAD | CLONE_NEWPID),
    WITH(clone, NONE, THREAD | CLONE_NEWNET),
    CALL(wait4, CONFINE_CHILDREN),
    CALL(waitid, CONFINE_CHILDREN),
    WITH(kill, CONFINE_CHILDREN, 0x7fffffff, 0),
    CALL(setitimer, CONFINE_CHILDREN),
    CALL(pipe2, CONFINE_CHILDREN),
    WITH(prctl, CONFINE_CHILDREN, PR_SET_PDEATHSIG, -1),
    WITH(prctl, NONE, PR_GET_DUMPABLE),
    WITH(prctl, NONE, PR_SET_DUMPABLE, 1),
#ifdef __x86_64__ /* calls that newer processors have no numbers for */
    CALL(dup2, EVERY),
    CALL(poll, EVERY),
    CALL(time, EVERY),
    CALL(rename, NAMES),
    CALL(unlink, NAMES),
    CALL(open, CONFINE_FILES),
    CALL(creat, CONFINE_FILES),
    CALL(mkdir, CONFINE_FILES),
    CALL(access, CONFINE_FILES),
    CALL(stat, CONFINE_FILES),
    CALL(lstat, CONFINE_FILES),
    CALL(readlink, CONFINE_FILES),
    CALL(alarm, CONFINE_CHILDREN),
    CALL(vfork, NONE),
    CALL(link, NONE),
    CALL(symlink, NONE),
    CALL(chmod, NONE),
    CALL(chown, NONE),
#endif
    /* some of those that are in no list */
    CALL(linkat, NONE),
    CALL(symlinkat, NONE),
    CALL(mknodat, NONE),
    CALL(truncate, NONE),
    CALL(fchmodat, NONE),
    CALL(fchownat, NONE),
    CALL(chdir, NONE),
    CALL(setrlimit, NONE),
    CALL(setpriority, NONE),
    CALL(personality, NONE),
    CALL(memfd_create, NONE),
    CALL(userfaultfd, NONE),
    CALL(perf_event_open, NONE),
    CALL(add_key, NONE),
    CALL(accept, NONE),
    CALL(socketpair, NONE),
    CALL(sethostname, NONE),
    CALL(seccomp, NONE),
};
enum { PROBES = sizeof probes / sizeof *probes };

static const int hostile[] = {
    SYS_execve,      SYS_execveat,     SYS_ptrace,     SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_socket,      SYS_connect,      SYS_bind,       SYS_listen,           SYS_mount,
    SYS_umount2,     SYS_setuid,       SYS_setgid,     SYS_setresuid,        SYS_setresgid,
    SYS_bpf,         SYS_unshare,      SYS_setns,      SYS_pivot_root,       SYS_chroot,
    SYS_init_module, SYS_finit_module, SYS_kexec_load, SYS_keyctl,           SYS_io_uring_setup};

static long make(const struct probe *p)
{
    return syscall(p->number, p->a[0], p->a[1], p->a[2], p->a[3], -1L, -1L);
}

static bool filters; /* this build and this kernel can filter calls: else nothing is tested */

static void begin(void)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        _exit(strncmp(confine_offer(), "none (built with", 16) == 0 || !confine_calls(0));
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    filters = status == 0;
}
TestSuite(confine_calls, .init = begin);

/* Once the kernel has the filter, that of libseccomp, which is many times larger, is gone. */
Test(confine_calls, memory_is_given_back)
{
    int status;

    if (!filters)
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        const size_t before = mallinfo2().uordblks;
        if (!confine_calls(0))
            _exit(1);
        _exit(mallinfo2().uordblks > before + (32 << 10) ? 2 : 0);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
}

/* Makes all calls in a process with these uses. outcome: MADE or REFUSED for each, ENDS_US for those not reached. */
static void outcomes(unsigned uses, int outcome[PROBES])
{
    int end[2];

    cr_assert_eq(pipe(end), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (!confine_calls(uses))
            _exit(1);
        for (size_t i = 0; i < PROBES; i++) {
            errno = 0;
            const int is = make(&probes[i]) == -1 && errno == ENOSYS ? REFUSED : MADE;
            if (write(end[1], &is, sizeof is) != sizeof is)
                _exit(1);
        }
        _exit(0);
    }
    close(end[1]);
    for (size_t i = 0; i < PROBES; i++)
        if (read(end[0], &outcome[i], sizeof outcome[i]) != sizeof outcome[i])
            outcome[i] = ENDS_US;
    close(end[0]);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

Test(confine_calls, each_is_made_or_refused)
{
    static const unsigned uses[] = {0,
                                    CONFINE_CAPTURE,
                                    CONFINE_TALK,
                                    CONFINE_FILES,
                                    CONFINE_NAMES,
                                    CONFINE_CHILDREN,
                                    CONFINE_THREADS,
                                    CONFINE_CAPTURE | CONFINE_NAMES};

    if (!filters)
        return;
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
        int outcome[PROBES];
        outcomes(uses[u], outcome);
        for (size_t i = 0; i < PROBES; i++) {
            const bool may = probes[i].uses == EVERY || ((unsigned)probes[i].uses & uses[u]) != 0;
            cr_expect_eq(outcome[i], may ? MADE : REFUSED, "call %ld, argument %lx, uses %x: %d", probes[i].number,
                         (unsigned long)probes[i].a[1], uses[u], outcome[i]);
        }
    }
}

Test(confine_calls, an_intruder_ends_us)
{
    static const unsigned uses[] = {CONFINE_CHILDREN, ~0u};
    int status;

    if (!filters)
        return;
    for (size_t u = 0; u < 2; u++) {
        const pid_t pid = fork();
        if (pid == 0) {
            (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            if (!confine_calls(uses[u]))
                _exit(255);
            for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
                const pid_t tries = fork();
                if (tries == 0) {
                    (void)syscall(hostile[i], -1L, -1L, -1L, -1L, -1L, -1L);
                    _exit(0);
                }
                if (tries < 0 || waitpid(tries, &status, 0) != tries || !WIFSIGNALED(status) ||
                    WTERMSIG(status) != SIGSYS)
                    _exit((int)i + 1);
            }
            _exit(0);
        }
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_assert(WIFEXITED(status));
        cr_expect_eq(WEXITSTATUS(status), 0, "the call of place %d of the list", WEXITSTATUS(status) - 1);
    }
}

static volatile sig_atomic_t came;

static void handle(int signal)
{
    came = signal;
}

/* A process handles signals, and ends as it wants to. */
Test(confine_calls, the_end_of_a_process)
{
    static const int ends[] = {SYS_exit, SYS_exit_group};
    int status;

    if (!filters)
        return;
    for (size_t i = 0; i < 2; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            signal(SIGUSR1, handle);
            if (!confine_calls(0))
                _exit(1);
            raise(SIGUSR1);
            (void)syscall(ends[i], came == SIGUSR1 ? 7 : 8);
            abort();
        }
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%d", status);
    }
}
