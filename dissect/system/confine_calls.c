/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the system calls that a confined program may make: no other place states them. Calls that are in no row
 * fail as on a kernel that does not have them (ENOSYS), so the C library uses another call. Calls of the second table,
 * which only an intruder makes, end the process. */
#include "system/confine_calls.h"
#ifdef SYSTEM_SECCOMP
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "system/confine.h"

enum {
    ALWAYS = 1 << 8,
    PACKETS = CONFINE_CAPTURE | CONFINE_TALK,
    NAMES = CONFINE_NAMES | CONFINE_FILES,
    NO_ARGUMENT = -1,
};
#define ALL_BITS UINT64_MAX
#define NEW_NAMESPACES                                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define PLAIN(call, uses)                                                                                              \
    {                                                                                                                  \
        SCMP_SYS(call), uses, NO_ARGUMENT, 0, 0                                                                        \
    }
/* Allows the call only where `value` is in the bits `mask` of argument `n`. */
#define WHERE(call, uses, n, mask, value)                                                                              \
    {                                                                                                                  \
        SCMP_SYS(call), uses, n, mask, value                                                                           \
    }

static const struct allowed {
    int call;
    int uses;
    int argument;
    uint64_t mask, value;
} allowed[] = {
    /* open files */
    PLAIN(read, ALWAYS),
    PLAIN(readv, ALWAYS),
    PLAIN(pread64, ALWAYS),
    PLAIN(write, ALWAYS),
    PLAIN(writev, ALWAYS),
    PLAIN(pwrite64, ALWAYS),
    PLAIN(lseek, ALWAYS),
    PLAIN(_llseek, ALWAYS),
    PLAIN(close, ALWAYS),
    PLAIN(close_range, ALWAYS),
    PLAIN(fstat, ALWAYS),
    PLAIN(fstat64, ALWAYS),
    PLAIN(newfstatat, ALWAYS),
    PLAIN(fstatat64, ALWAYS),
    PLAIN(statx, ALWAYS),
    PLAIN(fcntl, ALWAYS),
    PLAIN(fcntl64, ALWAYS),
    PLAIN(fsync, ALWAYS),
    PLAIN(fdatasync, ALWAYS),
    PLAIN(fadvise64, ALWAYS),
    PLAIN(dup, ALWAYS),
    PLAIN(dup2, ALWAYS),
    PLAIN(dup3, ALWAYS),
    PLAIN(poll, ALWAYS),
    PLAIN(ppoll, ALWAYS),
    WHERE(ioctl, ALWAYS, 1, ALL_BITS, TCGETS), /* isatty() */
    WHERE(ioctl, ALWAYS, 1, ALL_BITS, TIOCGWINSZ),
    /* memory, none of it executable */
    PLAIN(brk, ALWAYS),
    WHERE(mmap, ALWAYS, 2, PROT_EXEC, 0),
    WHERE(mmap2, ALWAYS, 2, PROT_EXEC, 0),
    WHERE(mprotect, ALWAYS, 2, PROT_EXEC, 0),
    PLAIN(mremap, ALWAYS),
    PLAIN(munmap, ALWAYS),
    PLAIN(madvise, ALWAYS),
    /* time, randomness, the process itself */
    PLAIN(clock_gettime, ALWAYS),
    PLAIN(clock_gettime64, ALWAYS),
    PLAIN(clock_getres, ALWAYS),
    PLAIN(clock_nanosleep, ALWAYS),
    PLAIN(clock_nanosleep_time64, ALWAYS),
    PLAIN(nanosleep, ALWAYS),
    PLAIN(gettimeofday, ALWAYS),
    PLAIN(time, ALWAYS),
    PLAIN(getrandom, ALWAYS),
    PLAIN(getpid, ALWAYS),
    PLAIN(getppid, ALWAYS),
    PLAIN(gettid, ALWAYS),
    PLAIN(getuid, ALWAYS),
    PLAIN(geteuid, ALWAYS),
    PLAIN(getgid, ALWAYS),
    PLAIN(getegid, ALWAYS),
    PLAIN(sysinfo, ALWAYS),
    PLAIN(uname, ALWAYS),
    PLAIN(sched_yield, ALWAYS),
    PLAIN(sched_getaffinity, ALWAYS),
    PLAIN(getcpu, ALWAYS),
    WHERE(prlimit64, ALWAYS, 2, ALL_BITS, 0), /* reads limits, does not set them */
    PLAIN(futex, ALWAYS),
    PLAIN(futex_time64, ALWAYS),
    PLAIN(rseq, ALWAYS),
    PLAIN(set_robust_list, ALWAYS),
    PLAIN(restart_syscall, ALWAYS),
    PLAIN(rt_sigaction, ALWAYS),
    PLAIN(rt_sigprocmask, ALWAYS),
    PLAIN(rt_sigreturn, ALWAYS),
    PLAIN(sigreturn, ALWAYS),
    PLAIN(sigaltstack, ALWAYS),
    PLAIN(tgkill, ALWAYS), /* abort() */
    PLAIN(exit, ALWAYS),
    PLAIN(exit_group, ALWAYS),
    /* open sockets */
    PLAIN(recv, PACKETS),
    PLAIN(recvfrom, PACKETS),
    PLAIN(recvmsg, PACKETS),
    PLAIN(getsockopt, PACKETS),
    PLAIN(setsockopt, PACKETS),
    WHERE(ioctl, PACKETS, 1, ALL_BITS, SIOCGIFFLAGS),
    PLAIN(send, CONFINE_TALK),
    PLAIN(sendto, CONFINE_TALK),
    PLAIN(sendmsg, CONFINE_TALK),
    PLAIN(accept4, CONFINE_TALK),
    PLAIN(shutdown, CONFINE_TALK),
    PLAIN(getsockname, CONFINE_TALK),
    PLAIN(getpeername, CONFINE_TALK),
    WHERE(ioctl, CONFINE_TALK, 1, ALL_BITS, SIOCGIFMTU),
    WHERE(ioctl, CONFINE_TALK, 1, ALL_BITS, SIOCGIFHWADDR),
    WHERE(ioctl, CONFINE_TALK, 1, ALL_BITS, SIOCETHTOOL),
    /* names of files; Landlock decides which files */
    PLAIN(rename, NAMES),
    PLAIN(renameat, NAMES),
    PLAIN(renameat2, NAMES),
    PLAIN(unlink, NAMES),
    PLAIN(unlinkat, NAMES),
    PLAIN(open, CONFINE_FILES),
    PLAIN(openat, CONFINE_FILES),
    PLAIN(creat, CONFINE_FILES),
    PLAIN(mkdir, CONFINE_FILES),
    PLAIN(mkdirat, CONFINE_FILES),
    PLAIN(access, CONFINE_FILES),
    PLAIN(faccessat, CONFINE_FILES),
    PLAIN(faccessat2, CONFINE_FILES),
    PLAIN(stat, CONFINE_FILES),
    PLAIN(lstat, CONFINE_FILES),
    PLAIN(readlink, CONFINE_FILES),
    PLAIN(readlinkat, CONFINE_FILES),
    PLAIN(getdents64, CONFINE_FILES),
    PLAIN(getcwd, CONFINE_FILES),
    PLAIN(fchmod, CONFINE_FILES),
    PLAIN(fchown, CONFINE_FILES),
    PLAIN(umask, CONFINE_FILES),
    PLAIN(ftruncate, CONFINE_FILES),
    /* threads: the C library tries clone3() first */
    WHERE(clone, CONFINE_THREADS, 0, NEW_NAMESPACES | CLONE_VM | CLONE_THREAD, CLONE_VM | CLONE_THREAD),
    /* copies of the process */
    WHERE(clone, CONFINE_CHILDREN, 0, NEW_NAMESPACES, 0),
    PLAIN(fork, CONFINE_CHILDREN),
    PLAIN(wait4, CONFINE_CHILDREN),
    PLAIN(waitid, CONFINE_CHILDREN),
    PLAIN(kill, CONFINE_CHILDREN),
    PLAIN(alarm, CONFINE_CHILDREN),
    PLAIN(setitimer, CONFINE_CHILDREN),
    PLAIN(pipe2, CONFINE_CHILDREN),
    WHERE(prctl, CONFINE_CHILDREN, 0, ALL_BITS, PR_SET_PDEATHSIG),
};

/* The programs and their libraries never make these once they are confined: an intruder does. */
static const int hostile[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(setuid),
    SCMP_SYS(setgid),
    SCMP_SYS(setresuid),
    SCMP_SYS(setresgid),
    SCMP_SYS(bpf),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(keyctl),
    SCMP_SYS(io_uring_setup),
};

bool confine_has_calls(void)
{
    return prctl(PR_GET_SECCOMP) >= 0;
}

static int add(scmp_filter_ctx f, const struct allowed *a)
{
    if (a->argument == NO_ARGUMENT)
        return seccomp_rule_add(f, SCMP_ACT_ALLOW, a->call, 0);
    const struct scmp_arg_cmp cmp = {
        .arg = (unsigned)a->argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = a->mask, .datum_b = a->value};
    return seccomp_rule_add_array(f, SCMP_ACT_ALLOW, a->call, 1, &cmp);
}

bool confine_calls(unsigned uses)
{
    scmp_filter_ctx f = confine_has_calls() ? seccomp_init(SCMP_ACT_ERRNO(ENOSYS)) : NULL;
    bool good = true;

    if (!f)
        return false;
    for (size_t i = 0; good && i < sizeof allowed / sizeof *allowed; i++)
        if ((unsigned)allowed[i].uses & (uses | ALWAYS))
            good = add(f, &allowed[i]) == 0;
    for (size_t i = 0; good && i < sizeof hostile / sizeof *hostile; i++)
        good = seccomp_rule_add(f, SCMP_ACT_KILL_PROCESS, hostile[i], 0) == 0;
    if (good)
        (void)seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* calls are found sooner */
    good = good && seccomp_load(f) == 0;
    seccomp_release(f);
    return good;
}
#else
bool confine_has_calls(void)
{
    return false;
}

bool confine_calls(unsigned uses)
{
    (void)uses;
    return false;
}
#endif
