/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool descriptors_fill(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}
