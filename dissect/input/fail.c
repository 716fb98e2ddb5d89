/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of reading: the one-line message about a fault and its place, or the end of the file. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "reader.h"

static enum cap_result over(struct capture *c, struct cap_packet *p)
{
    (void)p;
    return c->verdict;
}

static void append(struct capture *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append_list(struct capture *c, const char *format, va_list list)
{
    size_t used = strlen(c->error);
    vsnprintf(c->error + used, c->errlen - used, format, list);
}

static void append(struct capture *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append_list(c, format, list);
    va_end(list);
}

static enum cap_result finish(struct capture *c, enum cap_result verdict)
{
    if (c->in.stopped) { /* what is missing was not waited for */
        c->error[0] = '\0';
        verdict = CAP_END;
    }
    c->verdict = verdict;
    c->next = over;
    return verdict;
}

enum cap_result cap_fail(struct capture *c, const char *format, ...)
{
    va_list list;
    append(c, "%s: ", c->name);
    va_start(list, format);
    append_list(c, format, list);
    va_end(list);
    return finish(c, CAP_ERROR);
}

enum cap_result cap_fail_packet(struct capture *c, const char *format, ...)
{
    va_list list;
    append(c, "%s: packet %" PRIu64 " at offset 0x%" PRIx64 ": ", c->name, c->number + 1, cap_stream_offset(&c->in));
    va_start(list, format);
    append_list(c, format, list);
    va_end(list);
    return finish(c, CAP_ERROR);
}

enum cap_result cap_fail_early(struct capture *c, const char *format, ...)
{
    va_list list;
    append(c, "%s: ", c->name);
    va_start(list, format);
    append_list(c, format, list);
    va_end(list);
    if (c->in.fault[0] != '\0')
        append(c, " (%s)", c->in.fault);
    return finish(c, CAP_ERROR);
}

enum cap_result cap_fail_header(struct capture *c, uint64_t have, uint64_t need)
{
    return cap_fail_early(c, "cut in the file header (%" PRIu64 " of %" PRIu64 " bytes)", have, need);
}

enum cap_result cap_fail_cut(struct capture *c, uint64_t have, uint64_t need)
{
    return cap_fail_early(c, "cut in packet %" PRIu64 " at offset 0x%" PRIx64 ": %" PRIu64 " of %" PRIu64 " bytes",
                          c->number + 1, cap_stream_offset(&c->in), have, need);
}

enum cap_result cap_finish(struct capture *c)
{
    if (c->in.fault[0] == '\0')
        return finish(c, CAP_END);
    return cap_fail(c, "after packet %" PRIu64 " at offset 0x%" PRIx64 ": %s", c->number, cap_stream_offset(&c->in),
                    c->in.fault);
}
