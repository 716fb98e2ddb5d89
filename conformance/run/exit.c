/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

static bool failed(const struct ibc_result *r, bool strict)
{
    return r->verdict == IBC_IS_FAIL || r->verdict == IBC_IS_XPASS || r->counters == IBC_IS_FAIL ||
           (strict && (r->verdict == IBC_IS_DEVIATES || r->verdict == IBC_IS_UNSUPPORTED ||
                       r->counters == IBC_IS_DEVIATES || r->counters == IBC_IS_UNSUPPORTED));
}

/* A waiver of the scenario's verdict also covers the verdict of its counters. */
static bool waived(const struct ibc_result *r)
{
    return r->verdict == IBC_IS_XFAIL;
}

int ibc_exit_code(const struct ibc_result *r, size_t n, bool strict)
{
    enum { FAILED = 1, INCONCLUSIVE = 3, FAULT = 4 };
    int code = 0;

    for (size_t i = 0; i < n; i++) {
        if (r[i].verdict == IBC_IS_ERROR || r[i].counters == IBC_IS_ERROR)
            return FAULT;
        if (failed(&r[i], strict) && !waived(&r[i]))
            code = FAILED;
        else if (r[i].verdict == IBC_IS_INCONCLUSIVE && code == 0)
            code = INCONCLUSIVE;
    }
    return code;
}
