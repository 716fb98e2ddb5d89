/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/descriptors.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILLED = 0, NOT_FILLED, WRITABLE, TAKES_NUMBER };

/* Runs in a process of its own, because it closes descriptors that the test framework needs. */
static int outcome(unsigned closed)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        for (int fd = 0; fd <= 2; fd++)
            if (closed >> fd & 1)
                (void)close(fd);
        if (!descriptors_fill())
            _exit(NOT_FILLED);
        for (int fd = 0; fd <= 2; fd++)
            if (closed >> fd & 1 && ((fd ? write(fd, "x", 1) : read(fd, &fd, 1)) >= 0 || errno != EBADF))
                _exit(WRITABLE);
        _exit(open("/dev/null", O_RDONLY) <= 2 ? TAKES_NUMBER : FILLED);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

Test(descriptors, no_file_gets_a_standard_number)
{
    for (unsigned closed = 0; closed < 8; closed++)
        cr_expect_eq(outcome(closed), FILLED, "%u", closed);
}

Test(descriptors, open_ones_stay)
{
    const int was = fcntl(STDOUT_FILENO, F_GETFL);

    cr_assert(descriptors_fill());
    cr_expect_eq(fcntl(STDOUT_FILENO, F_GETFL), was);
}
