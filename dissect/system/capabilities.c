/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/capabilities.h"
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool capabilities_drop(bool keep_files)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct is[_LINUX_CAPABILITY_U32S_3] = {{0}};
    uint32_t but = keep_files ? UINT32_C(1) << CAP_DAC_OVERRIDE : 0;

    if (but && syscall(SYS_capget, &head, is) != 0)
        but = 0;
    is[0].permitted &= but;
    is[0].effective &= but;
    /* a capability that cannot be inherited is not ambient either */
    is[0].inheritable = is[1].permitted = is[1].effective = is[1].inheritable = 0;
    return syscall(SYS_capset, &head, is) == 0;
}

void capabilities_bound(void)
{
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
        (void)prctl(PR_CAPBSET_DROP, cap);
}
