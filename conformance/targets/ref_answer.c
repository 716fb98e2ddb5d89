/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates the engine's results into those of a target. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "reference.h"

enum ibc_rc ref_refused(struct ibc_target *t, const char *name)
{
    name += strncmp(name, "VERB_", 5) == 0 ? 5 : 0;
    (void)snprintf(t->refusal, sizeof t->refusal, "%s", name);
    for (char *c = t->refusal; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return IBC_REFUSED;
}

enum ibc_rc ref_verb(struct ibc_target *t, enum iba_verb_err e)
{
#define NAME(name, text) [IBA_##name] = #name,
    static const char *const names[IBA_VERB_ERR_COUNT] = {IBA_VERB_ERRS(NAME)};

    return e == IBA_VERB_OK ? IBC_OK : ref_refused(t, names[e]);
}

enum ibc_rc ref_mem(struct ibc_target *t, enum iba_mem_err e)
{
    static const char *const names[IBA_MEM_ERR_COUNT] = {IBA_MEM_ERRS(NAME)};

    return e == IBA_MEM_OK ? IBC_OK : ref_refused(t, names[e]);
}

enum ibc_rc ref_fault(struct ibc_target *t, enum ibc_rc rc, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->fault, sizeof t->fault, format, args);
    va_end(args);
    return rc;
}
