/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"
#include <stdarg.h>
#include <stdio.h>
#include "scenario.h"

bool ibc_fault(struct ibc_fault *f, uint32_t line, uint32_t column, const char *format, ...)
{
    char what[400], place[32] = "";
    va_list args;

    if (f->set)
        return false;
    f->set = true;
    if (f->err == NULL || f->errlen == 0)
        return false;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (line > 0)
        snprintf(place, sizeof place, "%u:%u:", line, column);
    snprintf(f->err, f->errlen, "%s:%s %s%s", f->path, place, what, f->tail == NULL ? "" : f->tail);
    for (char *c = f->err; *c != '\0'; c++) /* quoted text may contain any byte; the message must be one line */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return false;
}

bool ibc_fault_unknown(struct ibc_fault *f, uint32_t line, uint32_t column, const char *what, const char *word,
                       const char *(*name)(size_t i, const void *ctx), size_t n, const void *ctx)
{
    const char *near = f->set || f->err == NULL ? NULL : ibc_nearest(word, name, n, ctx);

    if (near == NULL)
        return ibc_fault(f, line, column, "unknown %s '%.80s'", what, word);
    return ibc_fault(f, line, column, "unknown %s '%.80s'; did you mean '%s'?", what, word, near);
}
