/* SPDX-License-Identifier: BSD-2-Clause */
/* Systems other than Linux: a process that is not root has no privilege to give up. */
#include "system/capabilities.h"

bool capabilities_drop(bool keep_files)
{
    (void)keep_files;
    return true;
}

void capabilities_bound(void) {}
