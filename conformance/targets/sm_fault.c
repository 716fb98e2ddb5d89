/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include "sm_inside.h"

enum ibc_rc sm_fault(struct sm *s, enum ibc_rc rc, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(s->t.fault, sizeof s->t.fault, format, args);
    va_end(args);
    return rc;
}
