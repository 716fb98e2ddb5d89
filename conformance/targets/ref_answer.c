/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates the engine's results into those of a target. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "reference.h"

/* Returns a refusal whose text is the error's name in small letters: "attr_missing" for "VERB_ATTR_MISSING",
 * "mem_busy" for "MEM_BUSY". */
static enum ibc_rc refused(struct ibc_target *t, const char *name)
{
    size_t i;

    name += strncmp(name, "VERB_", 5) == 0 ? 5 : 0;
    for (i = 0; name[i] && i + 1 < sizeof t->refusal; i++)
        t->refusal[i] = (char)tolower((unsigned char)name[i]);
    t->refusal[i] = 0;
    return IBC_REFUSED;
}

enum ibc_rc ref_verb(struct ibc_target *t, enum iba_verb_err e)
{
#define NAME(name, text) [IBA_##name] = #name,
    static const char *const names[IBA_VERB_ERR_COUNT] = {IBA_VERB_ERRS(NAME)};

    return e == IBA_VERB_OK ? IBC_OK : refused(t, names[e]);
}

enum ibc_rc ref_mem(struct ibc_target *t, enum iba_mem_err e)
{
    static const char *const names[IBA_MEM_ERR_COUNT] = {IBA_MEM_ERRS(NAME)};

    return e == IBA_MEM_OK ? IBC_OK : refused(t, names[e]);
}

enum ibc_rc ref_fault(struct ibc_target *t, enum ibc_rc rc, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->fault, sizeof t->fault, format, args);
    va_end(args);
    return rc;
}
