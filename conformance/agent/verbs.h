/* SPDX-License-Identifier: BSD-2-Clause */
/* A device under libibverbs as a target: verbs without the wire, which is the tester's. One device, one port of it, one
 * tester at a time.
 *
 * Stated limits: VERBS_* below; of what the device itself allows, the device decides. Work request ids have 56 bits. */
#ifndef IBC_VERBS_H
#define IBC_VERBS_H
#include "targets/target.h"

enum {
    VERBS_QPS = 256,
    VERBS_CQS = 256,
    VERBS_SRQS = 64,
    VERBS_PDS = 64,
    VERBS_AHS = 64,
    VERBS_MWS = 512,
    VERBS_GROUPS = 64,
    VERBS_REGIONS = 1024,         /* that the tester may still look at, deregistered ones included */
    VERBS_DEPTH = 16384,          /* of a queue */
    VERBS_REGION_MOST = 16 << 20, /* bytes of one region */
    VERBS_MEMORY = 64 << 20,      /* bytes of all regions */
};

struct ibc_verbs_options {
    const char *device; /* as `ibv_devices` names it; NULL: the only one there is */
    unsigned port;      /* 0: 1 */
    /* Where the tester and a stranger to the connection are:
     * "mac=02:..,ipv4=10.0.0.3,ipv6=2001:db8::3,gid=fe80::3,lid=17". What is not said, or all when NULL, is the
     * device's own address with 2, 3 added to its last number. */
    const char *tester, *stranger;
};

/* NULL with one line in err. Closed by ibc_target_close(). The ops of the wire are NULL (inject, collect, collect_any),
 * and set_gid and choose_psn, which no verb can do; page and set_port are UNSUPPORTED. */
struct ibc_target *ibc_verbs_open(const struct ibc_verbs_options *o, char *err, size_t errlen);
/* "rxe0 Linux 6.1.0-56-amd64", with the firmware's version between where it has one: what waivers are bound to. */
void ibc_verbs_describe(const struct ibc_target *t, char *out, size_t n);
#endif
