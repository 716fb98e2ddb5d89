/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "system/text.h"

static char last[160];

const char *wrong_last(void)
{
    return last;
}

int wrong(int code, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(last, sizeof last, format, ap);
    va_end(ap);
    va_start(ap, format);
    text_complain(stderr, "ibconform", format, ap);
    va_end(ap);
    return code;
}

bool reader_left(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0;
}
