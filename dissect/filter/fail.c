/* SPDX-License-Identifier: BSD-2-Clause */
/* The one-line message for an invalid filter. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "filter/parser.h"

bool parser_fail(struct parser *ps, uint32_t col, const char *format, ...)
{
    char what[256];
    va_list ap;

    if (ps->failed)
        return false;
    ps->failed = true;
    va_start(ap, format);
    (void)vsnprintf(what, sizeof what, format, ap);
    va_end(ap);
    (void)snprintf(ps->err, ps->errlen, "-Y: column %u: %s", col, what);
    return false;
}

bool parser_fail_field(struct parser *ps, uint32_t col, const char *name, size_t len)
{
    char text[FILTER_MAX_WORD], what[FILTER_MAX_WORD + 128];

    if (len >= sizeof text)
        return parser_fail(ps, col, "no field has a name this long");
    memcpy(text, name, len);
    text[len] = '\0';
    field_unknown(what, sizeof what, text);
    return parser_fail(ps, col, "%s", what);
}
