/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int wrong(int code, const char *format, ...)
{
    va_list ap;

    fputs("ibconform: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    return code;
}

bool reader_left(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0;
}
