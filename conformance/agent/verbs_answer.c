/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of the verbs target if libibverbs refuses a call. */
#include "verbs_device.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum ibc_rc verbs_refused(struct verbs *v, const char *word)
{
    (void)snprintf(v->t.refusal, sizeof v->t.refusal, "%s", word);
    return IBC_REFUSED;
}

enum ibc_rc verbs_answer(struct verbs *v, int result)
{
    const int e = result > 0 ? result : errno;

    if (result == 0)
        return IBC_OK;
    if (e == EOPNOTSUPP || e == ENOSYS)
        return IBC_UNSUPPORTED;
    if (e == EIO || e == ENODEV)
        return verbs_fault(v, IBC_DEAD, "%s: %s", v->name, strerror(e));
    (void)snprintf(v->t.refusal, sizeof v->t.refusal, "errno_%d", e);
    return IBC_REFUSED;
}

enum ibc_rc verbs_answer_or_busy(struct verbs *v, int result, const char *busy)
{
    return result == EBUSY || (result < 0 && errno == EBUSY) ? verbs_refused(v, busy) : verbs_answer(v, result);
}

enum ibc_rc verbs_made(struct verbs *v, const void *object)
{
    return object ? IBC_OK : verbs_answer(v, errno > 0 ? errno : EINVAL);
}

enum ibc_rc verbs_fault(struct verbs *v, enum ibc_rc rc, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(v->t.fault, sizeof v->t.fault, format, args);
    va_end(args);
    return rc;
}
